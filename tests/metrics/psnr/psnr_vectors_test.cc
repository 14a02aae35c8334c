// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr and float_psnr against the values of the reference.
#include <gtest/gtest.h>

#include <map>

#include "core/metrics/float_psnr/plain.h"
#include "core/metrics/float_psnr/score.h"
#include "core/metrics/psnr/plain.h"
#include "core/metrics/psnr/score.h"
#include "tests/extract.h"
#include "tests/metrics/psnr/log10_ulp.h"
#include "tests/vectors.h"

namespace vmafx {
const Metric& FloatPsnrMetric();
const Metric& PsnrMetric();

namespace test {
namespace {

constexpr const char* kKeys[] = {"float_psnr", "psnr_y", "psnr_cb", "psnr_cr"};

std::map<std::string, double> Named(const Metric& metric, const PairFormat& format, const PairView& pair,
                                    const Options& options = {}) {
  std::map<std::string, double> named;
  const auto names = metric.Features(options);
  const auto values = Extract(metric, format, pair, options);
  for (size_t i = 0; i < names.size(); ++i) named[names[i]] = values[i];
  return named;
}

class PsnrVector : public testing::TestWithParam<std::string> {
 protected:
  // Compares every frame with the lists of `expected`.
  void Compare(const Clip& clip, PairView (Clip::*pair)(int) const, const char* expected) {
    for (int frame = 0; frame < clip.frames(); ++frame) {
      auto values = Named(PsnrMetric(), clip.format(), (clip.*pair)(frame));
      values.merge(Named(FloatPsnrMetric(), clip.format(), (clip.*pair)(frame)));
      for (const char* key : kKeys) {
        const double wanted = ParseDouble(clip.json().at(expected).at(key).at(static_cast<size_t>(frame)));
        EXPECT_TRUE(EqualButForLog10(values.at(key), wanted))
            << clip.name() << ' ' << expected << ' ' << key << " frame " << frame << ": " << values.at(key)
            << " expected " << wanted;
      }
    }
  }
};

TEST_P(PsnrVector, Scores) {
  const Clip clip(GetParam());
  Compare(clip, &Clip::Pair, "expected");
  if (clip.json().contains("expected_swapped_inputs")) Compare(clip, &Clip::Swapped, "expected_swapped_inputs");
  if (clip.json().contains("expected_identical_inputs_ref_ref"))
    Compare(clip, &Clip::Identical, "expected_identical_inputs_ref_ref");
}

TEST_P(PsnrVector, SumsOfFirstFrame) {
  const Clip clip(GetParam());
  const nlohmann::json& wanted = clip.json().at("intermediate_frame0_matrix0");
  const psnr::Sums plain = psnr::PlainSums(clip.Pair(0), 3);
  const Options options = MakeOptions({{"psnr_apsnr", "1"}});
  const auto values = Named(PsnrMetric(), clip.format(), clip.Pair(0), options);
  for (const char* component : {"y", "cb", "cr"}) {
    const size_t c = component[0] == 'y' ? 0 : component[1] == 'b' ? 1 : 2;
    const uint64_t sse = wanted.at("sse").at(c);
    EXPECT_EQ(plain.sse[c], sse);
    const std::string name = component;
    EXPECT_EQ(static_cast<uint64_t>(values.at("sse_upper_" + name)) << 32 |
                  static_cast<uint64_t>(values.at("sse_lower_" + name)),
              sse);
  }
  const int depth = clip.format().depth;
  const double scaler = 1 << (depth - 8);
  const Component& luma = clip.Pair(0).reference.component[0];
  const double noise = float_psnr::PlainNoise(clip.Pair(0), depth);
  EXPECT_EQ(noise, ParseDouble(wanted.at("float_psnr_units")) / (scaler * scaler) / (luma.width * luma.height));
}

INSTANTIATE_TEST_SUITE_P(Clips, PsnrVector, testing::ValuesIn(ClipNames()),
                         [](const auto& info) { return info.param; });

class PsnrOptions : public testing::TestWithParam<std::string> {};

TEST_P(PsnrOptions, Frames) {
  const Clip clip(GetParam());
  const std::map<std::string, Options> cases = {
      {"psnr_enable_mse_apsnr", MakeOptions({{"psnr_mse", "1"}, {"psnr_apsnr", "1"}})},
      {"psnr_reduced_hbd_peak", MakeOptions({{"psnr_reduced_peak", "1"}})},
      {"psnr_min_sse_0.5", MakeOptions({{"psnr_min_sse", "0.5"}})},
  };
  for (const auto& [name, options] : cases) {
    if (!clip.json().at("options").contains(name)) continue;
    const nlohmann::json& wanted = clip.json().at("options").at(name).at("frames");
    for (int frame = 0; frame < clip.frames(); ++frame) {
      const auto values = Named(PsnrMetric(), clip.format(), clip.Pair(frame), options);
      for (const auto& [key, value] : wanted.at(static_cast<size_t>(frame)).items()) {
        if (key.starts_with("mse"))
          EXPECT_EQ(values.at(key), ParseDouble(value)) << name << ' ' << key;
        else
          EXPECT_TRUE(EqualButForLog10(values.at(key), ParseDouble(value))) << name << ' ' << key;
      }
    }
  }
}

TEST_P(PsnrOptions, Aggregate) {
  const Clip clip(GetParam());
  const Options options = MakeOptions({{"psnr_apsnr", "1"}});
  const auto aggregator = PsnrMetric().MakeAggregator(options);
  ASSERT_EQ(aggregator->names(), (std::vector<std::string>{"apsnr_y", "apsnr_cb", "apsnr_cr"}));
  EXPECT_TRUE(std::isnan(aggregator->value(0)));
  for (int frame = 0; frame < clip.frames(); ++frame)
    aggregator->Add(Extract(PsnrMetric(), clip.format(), clip.Pair(frame), options), clip.format());
  const nlohmann::json& wanted = clip.json().at("options").at("psnr_enable_mse_apsnr").at("aggregate");
  // Three logarithms: one ulp of each, the greatest being below 16, moves the value by at most 3 * 10 * 2^-49.
  for (size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(aggregator->value(i), ParseDouble(wanted.at(aggregator->names()[i])), 30 * 0x1p-49);
}

INSTANTIATE_TEST_SUITE_P(Clips, PsnrOptions, testing::Values("src01_8b", "photo_12b_420"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace test
}  // namespace vmafx
