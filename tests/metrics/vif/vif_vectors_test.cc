// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif against the values of the reference. Nothing in it depends on a maths library: every value is equal.
#include <gtest/gtest.h>

#include "core/engine/workers.h"
#include "core/metrics/vif/cpu.h"
#include "core/metrics/vif/plain.h"
#include "core/metrics/vif/score.h"
#include "core/numeric/log2_table.h"
#include "tests/extract.h"
#include "tests/vectors.h"

namespace vmafx {
const Metric& VifMetric();

namespace test {
namespace {

std::vector<std::string> ClipsWithVif() {
  std::vector<std::string> names;
  for (const std::string& name : ClipNames())
    if (LoadVectorJson(name).at("expected").contains("integer_vif_scale0")) names.push_back(name);
  return names;
}

class VifVector : public testing::TestWithParam<std::string> {
 protected:
  void Compare(const Clip& clip, PairView (Clip::*pair)(int) const, const char* expected) {
    for (int frame = 0; frame < clip.frames(); ++frame) {
      const auto values = Extract(VifMetric(), clip.format(), (clip.*pair)(frame));
      for (size_t scale = 0; scale < 4; ++scale) {
        const std::string key = "integer_vif_scale" + std::to_string(scale);
        EXPECT_EQ(values[scale], ParseDouble(clip.json().at(expected).at(key).at(static_cast<size_t>(frame))))
            << expected << " frame " << frame << " scale " << scale;
      }
    }
  }
};

TEST_P(VifVector, Scores) {
  const Clip clip(GetParam());
  Compare(clip, &Clip::Pair, "expected");
  if (clip.json().contains("expected_swapped_inputs")) Compare(clip, &Clip::Swapped, "expected_swapped_inputs");
  if (clip.json().contains("expected_identical_inputs_ref_ref"))
    Compare(clip, &Clip::Identical, "expected_identical_inputs_ref_ref");
}

TEST_P(VifVector, SumsOfFirstFrame) {
  const Clip clip(GetParam());
  const Format& format = clip.format().reference;
  Workers workers(1);
  vif::CpuFilter filter(format.width, format.height, format.depth, vif::Settings({}), workers);
  const auto simd = filter.Measure(clip.Pair(0), workers);
  const auto plain = vif::PlainSums(clip.Pair(0), format.depth, 100);
  const nlohmann::json& wanted = clip.json().at("intermediate_frame0_matrix0").at("vif");
  for (size_t scale = 0; scale < 4; ++scale) {
    for (const vif::Sums& sums : {plain[scale], simd[scale]}) {
      const nlohmann::json& row = wanted.at(scale);
      EXPECT_EQ(sums.numlog, row.at("numlog").get<int64_t>()) << scale;
      EXPECT_EQ(sums.denlog, row.at("denlog").get<int64_t>()) << scale;
      EXPECT_EQ(sums.numnon, row.at("numnon").get<int64_t>()) << scale;
      EXPECT_EQ(sums.dennon, row.at("dennon").get<int64_t>()) << scale;
      const vif::Fraction fraction = vif::FractionOf(sums);
      EXPECT_EQ(static_cast<double>(fraction.num), ParseDouble(row.at("num")));
      EXPECT_EQ(static_cast<double>(fraction.den), ParseDouble(row.at("den")));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Clips, VifVector, testing::ValuesIn(ClipsWithVif()),
                         [](const auto& info) { return info.param; });

class VifOptions : public testing::TestWithParam<std::string> {};

TEST_P(VifOptions, GainLimit) {
  const Clip clip(GetParam());
  for (const char* limit : {"1.0", "1.2"}) {
    const Options options = MakeOptions({{"vif_enhn_gain_limit", limit}});
    const nlohmann::json& wanted = clip.json().at("options").at(std::string("vif_enhn_gain_limit=") + limit);
    for (int frame = 0; frame < clip.frames(); ++frame)
      EXPECT_EQ(Extract(VifMetric(), clip.format(), clip.Pair(frame), options),
                wanted.at(static_cast<size_t>(frame)).get<std::vector<double>>());
  }
}

TEST_P(VifOptions, Debug) {
  const Clip clip(GetParam());
  const Options options = MakeOptions({{"vif_debug", "1"}});
  const auto names = VifMetric().Features(options);
  for (int frame = 0; frame < clip.frames(); ++frame) {
    const auto values = Extract(VifMetric(), clip.format(), clip.Pair(frame), options);
    const nlohmann::json& wanted = clip.json().at("options").at("debug").at(static_cast<size_t>(frame));
    ASSERT_EQ(names.size(), wanted.size());
    for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(values[i], wanted.at(names[i]).get<double>()) << names[i];
  }
}

// The other scales do not change; the sums of all scales run over three.
TEST_P(VifOptions, SkipScale0) {
  const Clip clip(GetParam());
  const auto all = Extract(VifMetric(), clip.format(), clip.Pair(0), MakeOptions({{"vif_debug", "1"}}));
  const auto some = Extract(VifMetric(), clip.format(), clip.Pair(0),
                            MakeOptions({{"vif_debug", "1"}, {"vif_skip_scale0", "1"}}));
  for (size_t scale = 1; scale < 4; ++scale) EXPECT_EQ(some[scale], all[scale]);
  EXPECT_EQ(some[0], 0);
  EXPECT_EQ(some[7], 0);   // num_scale0
  EXPECT_EQ(some[8], -1);  // den_scale0
  EXPECT_EQ(some[5], all[9] + all[11] + all[13]);
  EXPECT_EQ(some[6], all[10] + all[12] + all[14]);
  EXPECT_EQ(some[4], some[5] / some[6]);
}

INSTANTIATE_TEST_SUITE_P(Clips, VifOptions, testing::Values("src01_8b", "photo_12b_420"),
                         [](const auto& info) { return info.param; });

TEST(VifStages, Lg) {
  const nlohmann::json stages = LoadVectorJson("stages");
  EXPECT_GE(stages.at("vif_lg").size(), 12u);
  for (const nlohmann::json& row : stages.at("vif_lg"))
    EXPECT_EQ(vif::Lg(row.at(0).get<uint64_t>(), Log2Table().data()), row.at(1).get<int>()) << row;
}

TEST(VifStages, Pixel) {
  const nlohmann::json stages = LoadVectorJson("stages");
  EXPECT_GE(stages.at("vif_pixel").size(), 15u);
  for (const nlohmann::json& row : stages.at("vif_pixel")) {
    vif::Sums sums{};
    const vif::Variances variances{row.at(0).get<int32_t>(), row.at(1).get<int32_t>(), row.at(2).get<int32_t>()};
    vif::AddPixel(variances, row.at(3).get<double>(), Log2Table().data(), &sums);
    EXPECT_EQ(sums.numlog, row.at(4).get<int64_t>()) << row;
    EXPECT_EQ(sums.denlog, row.at(5).get<int64_t>()) << row;
  }
}

TEST(VifNames, OptionsShowAsSuffixes) {
  EXPECT_EQ(VifMetric().Features({}), (std::vector<std::string>{"integer_vif_scale0", "integer_vif_scale1",
                                                                "integer_vif_scale2", "integer_vif_scale3"}));
  EXPECT_EQ(VifMetric().Features(MakeOptions({{"vif_enhn_gain_limit", "100.0"}}))[0], "integer_vif_scale0");
  EXPECT_EQ(VifMetric().Features(MakeOptions({{"vif_enhn_gain_limit", "1.2"}}))[1], "integer_vif_scale1_egl_1.2");
  EXPECT_EQ(VifMetric().Features(MakeOptions({{"vif_skip_scale0", "1"}, {"vif_enhn_gain_limit", "1"}}))[3],
            "integer_vif_scale3_egl_1_ssclz");
}

TEST(VifCheck, SizesAndLayouts) {
  const auto check = [](int width, int height, vmafx_layout layout) {
    PairFormat format;
    format.reference.width = format.distorted.width = width;
    format.reference.height = format.distorted.height = height;
    format.reference.layout = format.distorted.layout = layout;
    std::vector<Notice> notices;
    return VifMetric().Check(format, {}, &notices);
  };
  EXPECT_TRUE(check(16, 16, VMAFX_LAYOUT_GRAY).ok());
  EXPECT_NE(check(15, 16, VMAFX_LAYOUT_420).text().find("15x16"), std::string::npos);
  EXPECT_EQ(check(16, 15, VMAFX_LAYOUT_420).code(), VMAFX_ERROR_UNSUPPORTED);
  EXPECT_EQ(check(64, 64, VMAFX_LAYOUT_RGB).code(), VMAFX_ERROR_UNSUPPORTED);
  EXPECT_FALSE(VifMetric().CheckOption("vif_enhn_gain_limit", "0.9").ok());
  EXPECT_FALSE(VifMetric().CheckOption("vif_enhn_gain_limit", "101").ok());
  EXPECT_TRUE(VifMetric().CheckOption("vif_enhn_gain_limit", "1.2").ok());
}

}  // namespace
}  // namespace test
}  // namespace vmafx
