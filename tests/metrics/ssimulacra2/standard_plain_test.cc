// SPDX-License-Identifier: BSD-2-Clause-Patent
// The plain form of the profile `standard` against the fp64 evaluation, and that against the vectors' values.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/metrics/ssimulacra2/standard/plain.h"
#include "tests/metrics/ssimulacra2/fp64/evaluation.h"
#include "tests/metrics/ssimulacra2/fp64/picture_view.h"
#include "tests/pictures.h"
#include "tests/vectors.h"

namespace vmafx::ssimulacra2::standard {
namespace {

using ssimulacra2_fp64::Evaluate;
using ssimulacra2_fp64::Evaluation;
using ssimulacra2_fp64::FromView;

Evaluation EvaluateInFp64(const PairFormat& format, const PairView& pair) {
  return Evaluate(FromView(format.reference, pair.reference), FromView(format.distorted, pair.distorted));
}

double PlainScore(const PairFormat& format, const PairView& pair) {
  double score = 0;
  const Scales scales(format.reference.width, format.reference.height);
  const Status status = ScoreOf(scales, PlainSums(format, pair), &score);
  EXPECT_TRUE(status.ok()) << status.text();
  return score;
}

// Noise, extremes and constructed patterns; all other clips are photographs, video or smooth scenes.
bool IsArtificial(const std::string& clip) {
  for (const char* prefix : {"noise", "bright", "extreme", "checker", "flat"})
    if (clip.starts_with(prefix)) return true;
  return false;
}

TEST(SsimulacraStandardPlain, EveryVectorAgreesWithFp64) {
  const nlohmann::json values = test::LoadVectorJson("standard_fp64");
  int frames = 0;
  double worst_natural = 0, worst = 0;
  for (const auto& [name, by_range] : values.items()) {
    const test::Clip clip(name);
    for (const bool full : {false, true}) {
      PairFormat format = clip.format();
      format.reference.range = format.distorted.range = full ? VMAFX_RANGE_FULL : VMAFX_RANGE_LIMITED;
      const nlohmann::json& scores = by_range.at(full ? "bt709_full" : "bt709_limited");
      ASSERT_EQ(scores.size(), static_cast<size_t>(clip.frames()));
      for (int frame = 0; frame < clip.frames(); ++frame) {
        const double fp64 = EvaluateInFp64(format, clip.Pair(frame)).score;
        EXPECT_NEAR(fp64, scores[static_cast<size_t>(frame)].get<double>(), 1e-7) << name << " frame " << frame;
        const double difference = std::fabs(PlainScore(format, clip.Pair(frame)) - fp64);
        EXPECT_LT(difference, IsArtificial(name) ? 1e-2 : 2e-3) << name << " frame " << frame << " full " << full;
        worst = std::max(worst, difference);
        if (!IsArtificial(name)) worst_natural = std::max(worst_natural, difference);
        ++frames;
      }
    }
  }
  EXPECT_GT(frames, 90);
  std::printf("%d scores; largest difference from fp64: natural pictures %.2e, all %.2e\n", frames, worst_natural,
              worst);
}

// Layouts, locations, matrices, ranges and depths of generated pictures: each must agree with an evaluation that finds
// chroma by its position and RGB by the definition of luma.
TEST(SsimulacraStandardPlain, EveryEncodingAgreesWithFp64) {
  double worst = 0;
  const auto check = [&](const Format& reference_format, const Format& distorted_format) {
    const test::Picture reference(reference_format, test::Content::kTexture, 1);
    const test::Picture distorted(distorted_format, test::Content::kTexture, 2);
    const PairFormat format = {distorted_format, reference_format,
                               std::max(distorted_format.depth, reference_format.depth)};
    const PairView pair = {distorted.view(), reference.view()};
    const double difference = std::fabs(PlainScore(format, pair) - EvaluateInFp64(format, pair).score);
    EXPECT_LT(difference, 3e-3) << "layout " << reference_format.layout << " depth " << reference_format.depth
                                << " matrix " << reference_format.matrix << " range " << reference_format.range
                                << " location " << reference_format.chroma_location;
    worst = std::max(worst, difference);
  };
  for (const vmafx_layout layout : {VMAFX_LAYOUT_GRAY, VMAFX_LAYOUT_420, VMAFX_LAYOUT_422, VMAFX_LAYOUT_440,
                                    VMAFX_LAYOUT_444, VMAFX_LAYOUT_RGB})
    for (int location = VMAFX_CHROMA_LEFT; location <= VMAFX_CHROMA_BOTTOM; ++location)
      for (const int matrix : {1, 4, 5, 6, 7, 9})
        for (const vmafx_range range : {VMAFX_RANGE_LIMITED, VMAFX_RANGE_FULL}) {
          Format format = test::MakeFormat(45, 37, layout, 10);
          format.chroma_location = static_cast<vmafx_chroma_location>(location);
          format.matrix = matrix;
          format.range = range;
          check(format, format);
        }
  for (const int depth : {8, 9, 10, 12, 14, 16}) {
    const Format format = test::MakeFormat(51, 42, VMAFX_LAYOUT_420, depth);
    check(format, format);
    // Each picture is normalised by its own tags.
    Format other = test::MakeFormat(51, 42, VMAFX_LAYOUT_444, 12);
    other.range = VMAFX_RANGE_FULL;
    other.matrix = 9;
    check(format, other);
  }
  std::printf("largest difference from fp64: %.2e\n", worst);
}

TEST(SsimulacraStandardPlain, SumsAgreeWithFp64) {
  const test::Clip clip("src01_8b");
  const Scales scales(clip.format().reference.width, clip.format().reference.height);
  const FrameSums sums = PlainSums(clip.format(), clip.Pair(0));
  const Evaluation evaluation = EvaluateInFp64(clip.format(), clip.Pair(0));
  for (int scale = 0; scale < scales.count; ++scale)
    for (int channel = 0; channel < kChannels; ++channel) {
      const auto& means = evaluation.scale[channel][static_cast<size_t>(scale)];
      for (int kind = 0; kind < kKinds; ++kind) {
        const double* sum = &sums.value[scale][channel][2 * kind];
        const double pixels = static_cast<double>(scales.pixels(scale));
        EXPECT_NEAR(sum[0] / pixels / means.term[kind], 1, 2e-3) << scale << channel << kind;
        EXPECT_NEAR(sum[1] / pixels / means.fourth_power[kind], 1, 2e-3) << scale << channel << kind;
      }
    }
}

TEST(SsimulacraStandardPlain, OrderOfSummationCostsLessThanAMillionth) {
  for (const char* name : {"src01_8b", "roofs_10b", "noise16_444", "flower_357x353"}) {
    const test::Clip clip(name);
    const Planes a = XybOf(LinearLight(clip.format().reference, clip.Reference(0)));
    const Planes b = XybOf(LinearLight(clip.format().distorted, clip.Distorted(0)));
    for (size_t channel = 0; channel < kChannels; ++channel)
      for (const Plane& terms : TermsOf(a[channel], b[channel])) {
        double sum = 0;
        for (const float term : terms.value) {
          ASSERT_GE(term, 0.0f);
          sum += static_cast<double>(term);
        }
        EXPECT_LE(std::fabs(OrderedSum(terms) - sum), 1e-6 * sum) << name << " channel " << channel;
      }
  }
}

// The order itself, from its description: a cell whose terms differ so much that another order gives another sum.
TEST(SsimulacraStandardPlain, OrderOfSummationIsTheDocumentedOne) {
  Plane terms(70, 19);
  for (size_t i = 0; i < terms.value.size(); ++i)
    terms.value[i] = std::ldexp(1.0f + static_cast<float>(test::Hash(static_cast<uint32_t>(i), 1, 2, 3) % 1000) / 1000,
                                -static_cast<int>(test::Hash(static_cast<uint32_t>(i), 4, 5, 6) % 24));
  double expected = 0;
  for (int top = 0; top < 24; top += 8) {
    double row = 0;
    for (int left = 0; left < 96; left += 32) {
      float s[32];
      for (int i = 0; i < 32; ++i) {
        const auto term = [&](int y) { return left + i < 70 && top + y < 19 ? terms.at(left + i, top + y) : 0.0f; };
        s[i] = ((((((term(0) + term(1)) + term(2)) + term(3)) + term(4)) + term(5)) + term(6)) + term(7);
      }
      const auto by_16 = [&](int i) { return s[i] + s[i + 16]; };
      const auto by_8 = [&](int i) { return by_16(i) + by_16(i + 8); };
      const auto by_4 = [&](int i) { return by_8(i) + by_8(i + 4); };
      row += static_cast<double>((by_4(0) + by_4(2)) + (by_4(1) + by_4(3)));
    }
    expected += row;
  }
  EXPECT_EQ(OrderedSum(terms), expected);
}

TEST(SsimulacraStandardPlain, IdenticalPicturesScoreExactly100) {
  for (const char* name : {"src01_8b", "noise16_444", "size_8x8", "photo_10b_422_101x67"}) {
    const test::Clip clip(name);
    EXPECT_EQ(PlainScore(clip.format(), clip.Identical(0)), 100.0) << name;
  }
}

TEST(SsimulacraStandardPlain, NumberOfScales) {
  const std::map<int, int> by_smaller_side = {{8, 2},   {14, 2},  {15, 3},  {28, 3},  {29, 4},
                                              {56, 4},  {57, 5},  {112, 5}, {113, 6}, {2160, 6}};
  for (const auto& [side, scales] : by_smaller_side) {
    EXPECT_EQ(Scales(side, 4000).count, scales) << side;
    EXPECT_EQ(Scales(4000, side).count, scales) << side;
  }
}

TEST(SsimulacraStandardPlain, FiftySixOf108SumsHaveNoWeight) {
  int needed = 0;
  for (int channel = 0; channel < kChannels; ++channel)
    for (int scale = 0; scale < kMaxScales; ++scale)
      needed += __builtin_popcount(NeededSums(kMaxScales, channel, scale));
  EXPECT_EQ(needed, 108 - 56);
}

// Leaving out the sums without weight leaves the score as it is.
TEST(SsimulacraStandardPlain, SumsWithoutWeightDoNotCount) {
  for (const int side : {8, 16, 30, 60, 120}) {
    const PairFormat format = test::MakePairFormat(test::MakeFormat(side, side + 3, VMAFX_LAYOUT_444, 8));
    const test::Picture reference(format.reference, test::Content::kNoise, 1);
    const test::Picture distorted(format.distorted, test::Content::kNoise, 2);
    const Scales scales(side, side + 3);
    FrameSums sums = PlainSums(format, {distorted.view(), reference.view()});
    double all = 0, needed = 0;
    ASSERT_TRUE(ScoreOf(scales, sums, &all).ok());
    for (int scale = 0; scale < scales.count; ++scale)
      for (int channel = 0; channel < kChannels; ++channel)
        for (int sum = 0; sum < kSums; ++sum)
          if ((NeededSums(scales.count, channel, scale) >> sum & 1) == 0) sums.value[scale][channel][sum] = 0;
    ASSERT_TRUE(ScoreOf(scales, sums, &needed).ok());
    EXPECT_EQ(all, needed) << side;
    EXPECT_NE(all, 100.0);
  }
}

TEST(SsimulacraStandardPlain, SumsThatAreNotFiniteAreAnError) {
  FrameSums sums;
  sums.value[0][1][0] = std::numeric_limits<double>::quiet_NaN();
  double score = 0;
  EXPECT_EQ(ScoreOf(Scales(64, 64), sums, &score).code(), VMAFX_ERROR_INTERNAL);
}

}  // namespace
}  // namespace vmafx::ssimulacra2::standard
