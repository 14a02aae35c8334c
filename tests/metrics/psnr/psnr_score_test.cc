// SPDX-License-Identifier: BSD-2-Clause-Patent
// Caps, options and the aggregate of psnr and float_psnr.
#include <gtest/gtest.h>

#include <cmath>

#include "core/metrics/float_psnr/score.h"
#include "core/metrics/psnr/aggregate.h"
#include "core/metrics/psnr/score.h"
#include "core/numeric/exact_math.h"
#include "tests/extract.h"
#include "tests/pictures.h"

namespace vmafx {
const Metric& FloatPsnrMetric();
const Metric& PsnrMetric();

namespace test {
namespace {

PairFormat Geometry(int width, int height, vmafx_layout layout, int depth) {
  return MakePairFormat(MakeFormat(width, height, layout, depth));
}

std::vector<double> ScoreOf(const Options& options, const PairFormat& format, const psnr::Sums& sums) {
  const psnr::Settings settings(options);
  std::vector<double> values(settings.Features().size());
  psnr::Score(settings, format, sums, values);
  return values;
}

TEST(PsnrScore, IdenticalPicturesGiveTheCap) {
  for (const int depth : {8, 9, 10, 12, 14, 16}) {
    const PairFormat format = Geometry(16, 16, VMAFX_LAYOUT_420, depth);
    const Picture picture(format.reference, Content::kNoise, 1);
    const PairView pair{picture.view(), picture.view()};
    for (const char* uncapped : {"0", "1"}) {
      const Options options = MakeOptions({{"psnr_uncapped", uncapped}});
      EXPECT_EQ(Extract(PsnrMetric(), format, pair, options), std::vector<double>(3, 6 * depth + 12));
      EXPECT_EQ(Extract(FloatPsnrMetric(), format, pair, options), std::vector<double>(1, 6 * depth + 12));
    }
  }
}

TEST(PsnrScore, Uncapped) {
  const PairFormat format = Geometry(1920, 1080, VMAFX_LAYOUT_420, 8);
  const psnr::Sums one{{1, 1, 1}};
  EXPECT_EQ(ScoreOf({}, format, one)[0], 60);
  const double mse = 1.0 / (1920 * 1080);
  EXPECT_EQ(ScoreOf(MakeOptions({{"psnr_uncapped", "1"}}), format, one)[0], 10 * ExactLog10(65025 / mse));
  EXPECT_EQ(float_psnr::Score(mse, 8, false), 60);
  EXPECT_EQ(float_psnr::Score(mse, 8, true), 10 * ExactLog10(65025 / mse));
  EXPECT_EQ(float_psnr::Score(1e-12, 8, true), 10 * ExactLog10(65025 / 1e-10));
}

TEST(PsnrScore, MaximalDifferenceIsNoDecibels) {
  const PairFormat format = Geometry(3, 1, VMAFX_LAYOUT_444, 16);
  const uint64_t sse = 3 * uint64_t{65535} * 65535;
  EXPECT_EQ(ScoreOf({}, format, {{sse, sse, sse}}), std::vector<double>(3, 0.0));
}

TEST(PsnrScore, GrayHasNoChroma) {
  const auto values = ScoreOf(MakeOptions({{"psnr_mse", "1"}, {"psnr_apsnr", "1"}}),
                              Geometry(4, 4, VMAFX_LAYOUT_GRAY, 8), {{16, 0, 0}});
  ASSERT_EQ(values.size(), 12u);
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(std::isnan(values[i]), i != 0 && i != 3 && i != 6 && i != 7) << i;
  EXPECT_EQ(values[3], 1);
}

TEST(PsnrScore, ChromaOff) {
  const Options options = MakeOptions({{"psnr_chroma", "0"}, {"psnr_mse", "1"}});
  EXPECT_EQ(PsnrMetric().Features(options), (std::vector<std::string>{"psnr_y", "mse_y"}));
  EXPECT_FALSE(PsnrMetric().ComparesChroma(options));
  EXPECT_TRUE(PsnrMetric().ComparesChroma({}));
}

TEST(PsnrScore, ReducedPeak) {
  const Options options = MakeOptions({{"psnr_reduced_peak", "1"}});
  EXPECT_EQ(ScoreOf(options, Geometry(10, 10, VMAFX_LAYOUT_444, 10), {{100, 100, 100}})[0],
            10 * ExactLog10(1020.0 * 1020.0));
  EXPECT_EQ(ScoreOf(options, Geometry(10, 10, VMAFX_LAYOUT_444, 8), {{100, 100, 100}})[0], 10 * ExactLog10(65025.0));
}

TEST(PsnrScore, CapFromSmallestSum) {
  const Options options = MakeOptions({{"psnr_min_sse", "0.5"}});
  // 10 log10(255^2 * 100 / 0.5) = 71.14...
  EXPECT_EQ(ScoreOf(options, Geometry(10, 10, VMAFX_LAYOUT_444, 8), {{0, 0, 0}}), std::vector<double>(3, 72.0));
  const Options tiny = MakeOptions({{"psnr_min_sse", "1e-320"}, {"psnr_uncapped", "1"}});
  for (const double cap : ScoreOf(tiny, Geometry(10, 10, VMAFX_LAYOUT_444, 16), {{0, 0, 0}})) EXPECT_TRUE(std::isfinite(cap));
}

TEST(PsnrAggregate, SumsPassSixtyFourBits) {
  const psnr::Settings settings(MakeOptions({{"psnr_apsnr", "1"}}));
  const PairFormat format = Geometry(32768, 32768, VMAFX_LAYOUT_GRAY, 16);
  const auto apsnr = psnr::MakeApsnr(settings);
  const uint64_t sse = uint64_t{65535} * 65535 << 30;
  std::vector<double> values(settings.Features().size());
  psnr::Score(settings, format, {{sse, 0, 0}}, values);
  for (int i = 0; i < 64; ++i) apsnr->Add(values, format);
  EXPECT_NEAR(apsnr->value(0), 0, 1e-12);
  EXPECT_TRUE(std::isnan(apsnr->value(1)));
}

TEST(PsnrAggregate, NothingDiffersOrDepthChanges) {
  const psnr::Settings settings(MakeOptions({{"psnr_apsnr", "1"}}));
  const auto apsnr = psnr::MakeApsnr(settings);
  std::vector<double> values(settings.Features().size());
  for (const int depth : {8, 10}) {
    const PairFormat format = Geometry(4, 4, VMAFX_LAYOUT_444, depth);
    psnr::Score(settings, format, {}, values);
    apsnr->Add(values, format);
    if (depth == 8) {
      EXPECT_EQ(apsnr->value(0), 60);
    }
  }
  EXPECT_TRUE(std::isnan(apsnr->value(0)));
}

TEST(PsnrCheck, RgbIsRefused) {
  const PairFormat format = Geometry(16, 16, VMAFX_LAYOUT_RGB, 8);
  std::vector<Notice> notices;
  for (const Metric* metric : {&PsnrMetric(), &FloatPsnrMetric()}) {
    const Status status = metric->Check(format, {}, &notices);
    EXPECT_EQ(status.code(), VMAFX_ERROR_UNSUPPORTED);
    EXPECT_NE(status.text().find("RGB"), std::string::npos);
  }
}

TEST(PsnrCheck, OptionRanges) {
  EXPECT_FALSE(PsnrMetric().CheckOption("psnr_min_sse", "-1").ok());
  EXPECT_TRUE(PsnrMetric().CheckOption("psnr_min_sse", "0.25").ok());
  EXPECT_FALSE(PsnrMetric().CheckOption("psnr_mse", "2").ok());
  EXPECT_FALSE(FloatPsnrMetric().CheckOption("psnr_uncapped", "yes").ok());
}

}  // namespace
}  // namespace test
}  // namespace vmafx
