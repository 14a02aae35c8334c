// SPDX-License-Identifier: BSD-2-Clause-Patent
// ssimulacra2 as the library's metric: options, what it refuses and says, and which profile it runs.
#include <gtest/gtest.h>

#include "core/engine/workers.h"
#include "core/metrics/metric.h"
#include "core/metrics/ssimulacra2/standard/plain.h"
#include "tests/pictures.h"

namespace vmafx {
namespace {

const Metric& Ssimulacra2() { return *FindMetric("ssimulacra2"); }

Options With(std::string_view name, std::string_view value) {
  Options options;
  options.Set(name, value);
  return options;
}
Options RecursiveProfile() { return With("ssimulacra2_profile", "recursive"); }

PairFormat Pair(vmafx_layout layout, int depth = 8) {
  return test::MakePairFormat(test::MakeFormat(64, 48, layout, depth));
}

vmafx_result CheckCode(const PairFormat& format, const Options& options = {}) {
  std::vector<Notice> notices;
  const Status status = Ssimulacra2().Check(format, options, &notices);
  EXPECT_EQ(status.ok(), status.text().empty());
  EXPECT_EQ(status.text().find('\n'), std::string::npos);
  return status.code();
}

TEST(Ssimulacra2Metric, Options) {
  const Metric& metric = Ssimulacra2();
  EXPECT_TRUE(metric.CheckOption("ssimulacra2_profile", "recursive").ok());
  EXPECT_TRUE(metric.CheckOption("ssimulacra2_hdr", "refuse").ok());
  EXPECT_EQ(metric.CheckOption("ssimulacra2_profile", "refuse").code(), VMAFX_ERROR_INVALID);
  EXPECT_EQ(metric.CheckOption("ssimulacra2_hdr", "recursive").code(), VMAFX_ERROR_INVALID);
  for (const OptionInfo& option : metric.options()) EXPECT_TRUE(metric.CheckOption(option.name, option.fallback).ok());
}

TEST(Ssimulacra2Metric, RefusesPicturesBelow8x8) {
  for (const auto& [width, height, code] :
       {std::tuple{8, 8, VMAFX_OK}, {7, 8, VMAFX_ERROR_UNSUPPORTED}, {8, 7, VMAFX_ERROR_UNSUPPORTED}}) {
    const PairFormat format = test::MakePairFormat(test::MakeFormat(width, height, VMAFX_LAYOUT_420, 8));
    EXPECT_EQ(CheckCode(format), code);
    EXPECT_EQ(CheckCode(format, RecursiveProfile()), code);
  }
}

TEST(Ssimulacra2Metric, StandardTakesEveryLayoutAndMixedFormats) {
  for (const vmafx_layout layout : {VMAFX_LAYOUT_GRAY, VMAFX_LAYOUT_420, VMAFX_LAYOUT_422, VMAFX_LAYOUT_440,
                                    VMAFX_LAYOUT_444, VMAFX_LAYOUT_RGB})
    EXPECT_EQ(CheckCode(Pair(layout)), VMAFX_OK);
  PairFormat mixed = Pair(VMAFX_LAYOUT_420);
  mixed.reference = test::MakeFormat(64, 48, VMAFX_LAYOUT_444, 12);
  mixed.reference.range = VMAFX_RANGE_FULL;
  mixed.reference.matrix = 9;
  EXPECT_EQ(CheckCode(mixed), VMAFX_OK);
}

TEST(Ssimulacra2Metric, Matrices) {
  for (int matrix = 0; matrix <= 14; ++matrix) {
    PairFormat format = Pair(VMAFX_LAYOUT_420);
    format.distorted.matrix = format.reference.matrix = matrix;
    const bool standard = matrix == 1 || (matrix >= 4 && matrix <= 7) || matrix == 9;
    const bool recursive = matrix == 1 || matrix == 5 || matrix == 6;
    EXPECT_EQ(CheckCode(format), standard ? VMAFX_OK : VMAFX_ERROR_UNSUPPORTED) << matrix;
    EXPECT_EQ(CheckCode(format, RecursiveProfile()), recursive ? VMAFX_OK : VMAFX_ERROR_UNSUPPORTED) << matrix;
  }
  PairFormat rgb = Pair(VMAFX_LAYOUT_RGB);
  rgb.distorted.matrix = rgb.reference.matrix = 0;
  EXPECT_EQ(CheckCode(rgb), VMAFX_OK);
}

TEST(Ssimulacra2Metric, RecursiveNeedsOneFormat) {
  const Options recursive = RecursiveProfile();
  for (const vmafx_layout layout : {VMAFX_LAYOUT_420, VMAFX_LAYOUT_422, VMAFX_LAYOUT_444})
    EXPECT_EQ(CheckCode(Pair(layout), recursive), VMAFX_OK);
  for (const vmafx_layout layout : {VMAFX_LAYOUT_GRAY, VMAFX_LAYOUT_440, VMAFX_LAYOUT_RGB})
    EXPECT_EQ(CheckCode(Pair(layout), recursive), VMAFX_ERROR_UNSUPPORTED);
  const auto differing = [&](auto change) {
    PairFormat format = Pair(VMAFX_LAYOUT_420);
    change(format.distorted);
    return CheckCode(format, recursive);
  };
  EXPECT_EQ(differing([](Format& f) { f.range = VMAFX_RANGE_FULL; }), VMAFX_ERROR_MISMATCH);
  EXPECT_EQ(differing([](Format& f) { f.matrix = 6; }), VMAFX_ERROR_MISMATCH);
  EXPECT_EQ(differing([](Format& f) { f.depth = 10; }), VMAFX_ERROR_MISMATCH);
  EXPECT_EQ(differing([](Format& f) { f.layout = VMAFX_LAYOUT_444; }), VMAFX_ERROR_MISMATCH);
  EXPECT_EQ(differing([](Format& f) { f.chroma_location = VMAFX_CHROMA_TOP; }), VMAFX_OK);
}

TEST(Ssimulacra2Metric, HdrIsScoredWithANoticeOrRefused) {
  for (const int transfer : {16, 18}) {
    PairFormat format = Pair(VMAFX_LAYOUT_420, 10);
    format.reference.transfer = transfer;
    for (const std::string_view profile : {"standard", "recursive"}) {
      Options options = With("ssimulacra2_profile", profile);
      std::vector<Notice> notices;
      EXPECT_TRUE(Ssimulacra2().Check(format, options, &notices).ok());
      ASSERT_EQ(notices.size(), 1u);
      EXPECT_EQ(notices[0].level, VMAFX_LOG_WARNING);
      options.Set("ssimulacra2_hdr", "refuse");
      EXPECT_EQ(CheckCode(format, options), VMAFX_ERROR_UNSUPPORTED);
    }
  }
  std::vector<Notice> notices;
  EXPECT_TRUE(Ssimulacra2().Check(Pair(VMAFX_LAYOUT_420), {}, &notices).ok());
  EXPECT_TRUE(notices.empty());
}

TEST(Ssimulacra2Metric, RunsTheProfileThatIsAskedFor) {
  const PairFormat format = Pair(VMAFX_LAYOUT_420);
  const test::Picture reference(format.reference, test::Content::kTexture, 1);
  const test::Picture distorted(format.distorted, test::Content::kTexture, 2);
  const PairView pair = {distorted.view(), reference.view()};
  Workers workers(1);
  const auto score = [&](const Options& options) {
    double value = 0;
    EXPECT_TRUE(Ssimulacra2().MakeCpu(format, options, workers)->Extract(pair, workers, {&value, 1}).ok());
    return value;
  };
  double plain = 0;
  namespace standard = ssimulacra2::standard;
  ASSERT_TRUE(standard::ScoreOf(standard::Scales(64, 48), standard::PlainSums(format, pair), &plain).ok());
  EXPECT_EQ(score({}), plain);
  EXPECT_NE(score(RecursiveProfile()), plain);
}

}  // namespace
}  // namespace vmafx
