// SPDX-License-Identifier: BSD-2-Clause-Patent
// The SIMD form of the profile `standard` against its plain form, on every instruction set: every sum and the score,
// bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/engine/workers.h"
#include "core/metrics/ssimulacra2/standard/cpu.h"
#include "core/metrics/ssimulacra2/standard/plain.h"
#include "tests/pictures.h"
#include "tests/simd_targets.h"
#include "tests/vectors.h"

namespace vmafx::ssimulacra2::standard {
namespace {

constexpr vmafx_layout kLayouts[] = {VMAFX_LAYOUT_GRAY, VMAFX_LAYOUT_420, VMAFX_LAYOUT_422,
                                     VMAFX_LAYOUT_440,  VMAFX_LAYOUT_444, VMAFX_LAYOUT_RGB};
constexpr int kDepths[] = {8, 9, 10, 12, 14, 16};
constexpr int kMatrices[] = {1, 4, 5, 6, 7, 9};

std::string Describe(const Format& f) {
  return std::to_string(f.width) + "x" + std::to_string(f.height) + " layout " + std::to_string(f.layout) + " depth " +
         std::to_string(f.depth) + " matrix " + std::to_string(f.matrix) + " range " + std::to_string(f.range) +
         " location " + std::to_string(f.chroma_location);
}

// Names the first sum that differs; `needed_only`: sums without weight are 0 in `sums`.
void ExpectSame(const Scales& scales, const FrameSums& sums, const FrameSums& plain, bool needed_only) {
  for (int scale = 0; scale < scales.count; ++scale)
    for (int channel = 0; channel < kChannels; ++channel)
      for (int sum = 0; sum < kSums; ++sum) {
        const bool formed = !needed_only || (NeededSums(scales.count, channel, scale) >> sum & 1) != 0;
        ASSERT_EQ(sums.value[scale][channel][sum], formed ? plain.value[scale][channel][sum] : 0.0)
            << "scale " << scale << " channel " << channel << " sum " << sum;
      }
}

void ExpectSameOnEveryTarget(const PairFormat& format, const PairView& pair) {
  SCOPED_TRACE(Describe(format.reference) + ", " + Describe(format.distorted));
  const Scales scales(format.reference.width, format.reference.height);
  const FrameSums plain = PlainSums(format, pair);
  double plain_score = 0;
  ASSERT_TRUE(ScoreOf(scales, plain, &plain_score).ok());
  Workers workers(1);
  CpuMeter all(format, workers, Formed::kAll);
  CpuMeter needed(format, workers);
  const auto extractor = MakeStandardCpu(format, workers);
  test::ForEachTarget([&] {
    FrameSums sums;
    all.Measure(pair, workers, &sums);
    ExpectSame(scales, sums, plain, false);
    needed.Measure(pair, workers, &sums);
    ExpectSame(scales, sums, plain, true);
    double score = 0;
    ASSERT_TRUE(extractor->Extract(pair, workers, {&score, 1}).ok());
    EXPECT_EQ(score, plain_score);
  });
}

// Walks through the values of every property at once, each at its own pace, so that few pictures meet all values.
class Formats {
 public:
  Format Next(int width, int height) {
    Format format = test::MakeFormat(width, height, kLayouts[n_ % 6], kDepths[n_ / 6 % 6]);
    format.chroma_location = static_cast<vmafx_chroma_location>(VMAFX_CHROMA_LEFT + n_ / 2 % 6);
    format.matrix = kMatrices[n_ / 3 % 6];
    format.range = n_ % 7 < 4 ? VMAFX_RANGE_LIMITED : VMAFX_RANGE_FULL;
    ++n_;
    return format;
  }
  test::Content content() const { return test::kAllContent[n_ % std::size(test::kAllContent)]; }
  uint32_t seed() const { return static_cast<uint32_t>(n_); }

 private:
  int n_ = 0;
};

TEST(SsimulacraStandardCpu, AllSizesFrom8To80) {
  Formats formats;
  for (int side = 8; side <= 80; ++side) {
    const int other = 8 + side * 37 % 73;
    const Format format = formats.Next(side, other);
    const test::Picture reference(format, formats.content(), formats.seed());
    const test::Picture distorted(format, formats.content(), formats.seed() + 1000);
    ExpectSameOnEveryTarget(test::MakePairFormat(format), {distorted.view(), reference.view()});
  }
}

TEST(SsimulacraStandardCpu, EveryLayoutDepthAndContentAtCellBorders) {
  constexpr int kSides[] = {31, 32, 33, 63, 64, 65, 9};
  int n = 0;
  for (const vmafx_layout layout : kLayouts)
    for (const int depth : kDepths) {
      const Format format = test::MakeFormat(kSides[n % 7], kSides[n / 7 % 7], layout, depth);
      const test::Content content = test::kAllContent[n++ % std::size(test::kAllContent)];
      const test::Picture reference(format, content, 5), distorted(format, content, 6);
      ExpectSameOnEveryTarget(test::MakePairFormat(format), {distorted.view(), reference.view()});
    }
}

TEST(SsimulacraStandardCpu, EveryChromaLocationMatrixAndRange) {
  int n = 0;
  for (const vmafx_layout layout : {VMAFX_LAYOUT_420, VMAFX_LAYOUT_422, VMAFX_LAYOUT_440})
    for (int location = VMAFX_CHROMA_LEFT; location <= VMAFX_CHROMA_BOTTOM; ++location)
      for (const vmafx_range range : {VMAFX_RANGE_LIMITED, VMAFX_RANGE_FULL}) {
        Format format = test::MakeFormat(21 + n % 2, 18 + n / 2 % 2, layout, kDepths[n % 6]);
        format.chroma_location = static_cast<vmafx_chroma_location>(location);
        format.matrix = kMatrices[n++ % 6];
        format.range = range;
        const test::Picture reference(format, test::Content::kNoise, 7), distorted(format, test::Content::kNoise, 8);
        ExpectSameOnEveryTarget(test::MakePairFormat(format), {distorted.view(), reference.view()});
      }
}

// Several tiles both ways; the last ones narrow.
TEST(SsimulacraStandardCpu, LargePictures) {
  Formats formats;
  for (const auto& [width, height] : {std::pair{357, 353}, {261, 133}, {256, 128}, {515, 129}, {1027, 40}}) {
    formats.Next(8, 8);
    const Format format = formats.Next(width, height);
    const test::Picture reference(format, test::Content::kTexture, 9);
    const test::Picture distorted(format, test::Content::kNoise, 10);
    ExpectSameOnEveryTarget(test::MakePairFormat(format), {distorted.view(), reference.view()});
  }
}

TEST(SsimulacraStandardCpu, PicturesOfDifferentFormats) {
  Format reference_format = test::MakeFormat(49, 35, VMAFX_LAYOUT_444, 12);
  reference_format.range = VMAFX_RANGE_FULL;
  reference_format.matrix = 9;
  for (const vmafx_layout layout : kLayouts) {
    const Format distorted_format = test::MakeFormat(49, 35, layout, 8);
    const test::Picture reference(reference_format, test::Content::kRamp, 1);
    const test::Picture distorted(distorted_format, test::Content::kRamp, 2);
    ExpectSameOnEveryTarget({distorted_format, reference_format, 12}, {distorted.view(), reference.view()});
  }
}

// Planes between pages that fault when touched, rows between poisoned padding, strides of both signs.
TEST(SsimulacraStandardCpu, ReadsOnlyThePlanesAndWritesNothing) {
  std::vector<test::Storage> storages(6);
  storages[1].flush_left = true;
  storages[2].padding = 37;
  storages[3].flipped = true;
  storages[3].padding = 5;
  storages[4].semi_planar = true;
  storages[4].shift = 6;
  storages[5].big_endian = true;
  storages[5].flush_left = true;
  for (const vmafx_layout layout : {VMAFX_LAYOUT_420, VMAFX_LAYOUT_444})
    for (const int depth : {8, 10})
      for (const test::Storage& storage : storages) {
        const Format format = test::MakeFormat(67, 43, layout, depth);
        const test::Picture reference(format, test::Content::kNoise, 3, storage);
        const test::Picture distorted(format, test::Content::kNoise, 4, storage);
        ExpectSameOnEveryTarget(test::MakePairFormat(format), {distorted.view(), reference.view()});
        EXPECT_TRUE(reference.Untouched() && distorted.Untouched());
      }
}

TEST(SsimulacraStandardCpu, ThreadsDoNotChangeTheResult) {
  for (const auto& [width, height] : {std::pair{357, 353}, {700, 500}, {64, 40}}) {
    const PairFormat format = test::MakePairFormat(test::MakeFormat(width, height, VMAFX_LAYOUT_420, 10));
    const test::Picture reference(format.reference, test::Content::kTexture, 1);
    const test::Picture distorted(format.distorted, test::Content::kTexture, 2);
    const PairView pair = {distorted.view(), reference.view()};
    const Scales scales(width, height);
    FrameSums one;
    Workers single(1);
    CpuMeter(format, single).Measure(pair, single, &one);
    for (const int threads : {2, 7}) {
      Workers workers(threads);
      CpuMeter meter(format, workers);
      for (int repeat = 0; repeat < 5; ++repeat) {
        FrameSums sums;
        meter.Measure(pair, workers, &sums);
        ExpectSame(scales, sums, one, false);
      }
    }
  }
}

// A meter carries nothing from one pair to the next.
TEST(SsimulacraStandardCpu, PairsDoNotInfluenceEachOther) {
  const PairFormat format = test::MakePairFormat(test::MakeFormat(90, 61, VMAFX_LAYOUT_420, 8));
  const test::Picture a(format.reference, test::Content::kTexture, 1), b(format.distorted, test::Content::kExtremes, 2);
  Workers workers(1);
  const auto extractor = MakeStandardCpu(format, workers);
  double first = 0, identical = 0, again = 0;
  ASSERT_TRUE(extractor->Extract({b.view(), a.view()}, workers, {&first, 1}).ok());
  ASSERT_TRUE(extractor->Extract({a.view(), a.view()}, workers, {&identical, 1}).ok());
  ASSERT_TRUE(extractor->Extract({b.view(), a.view()}, workers, {&again, 1}).ok());
  EXPECT_EQ(first, again);
  EXPECT_EQ(identical, 100.0);
}

TEST(SsimulacraStandardCpu, EveryVector) {
  Workers workers(2);
  for (const std::string& name : test::ClipNames()) {
    const test::Clip clip(name);
    const Format& format = clip.format().reference;
    if (std::min(format.width, format.height) < kMinSide) continue;
    CpuMeter meter(clip.format(), workers, Formed::kAll);
    FrameSums sums;
    meter.Measure(clip.Pair(0), workers, &sums);
    SCOPED_TRACE(name);
    ExpectSame(meter.scales(), sums, PlainSums(clip.format(), clip.Pair(0)), false);
  }
}

}  // namespace
}  // namespace vmafx::ssimulacra2::standard
