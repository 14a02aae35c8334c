// SPDX-License-Identifier: BSD-2-Clause-Patent
// ssimulacra2, profile recursive: the plain form, every instruction set, every way of storage and any number of threads
// agree in all sums.
#include <gtest/gtest.h>

#include <cstring>

#include "core/engine/workers.h"
#include "core/metrics/ssimulacra2/recursive/cpu.h"
#include "core/metrics/ssimulacra2/recursive/plain.h"
#include "tests/pictures.h"
#include "tests/simd_targets.h"

namespace vmafx::ssimulacra2::recursive {
namespace {

using test::Content;
using test::ForEachTarget;
using test::Hash;
using test::kAllContent;
using test::MakeFormat;
using test::MakePairFormat;
using test::Picture;
using test::Storage;

constexpr int kDepths[] = {8, 9, 10, 12, 14, 16};
constexpr vmafx_layout kLayouts[] = {VMAFX_LAYOUT_420, VMAFX_LAYOUT_422, VMAFX_LAYOUT_440, VMAFX_LAYOUT_444};

template <class T, size_t kCount>
T Pick(const T (&list)[kCount], uint32_t number) {
  return list[number % kCount];
}

bool SameSums(const Sums& a, const Sums& b) {
  return a.scales == b.scales && std::memcmp(a.value, b.value, sizeof a.value) == 0;
}

Sums Simd(const PairFormat& format, const PairView& pair, int threads = 1) {
  Workers workers(threads);
  CpuFrame frame(format, threads);
  frame.Measure(pair, workers);  // what a frame leaves behind must not show in the next
  return frame.Measure(pair, workers);
}

// Matrix, ranges and content of both pictures come of the number's bits: 1, 1, 3 and the rest.
void CheckSize(int width, int height, vmafx_layout layout, int depth, uint32_t number) {
  PairFormat format = MakePairFormat(MakeFormat(width, height, layout, depth));
  if ((number & 1) != 0) format.distorted.matrix = format.reference.matrix = 6;
  if ((number & 2) != 0) format.reference.range = VMAFX_RANGE_FULL;
  Storage storage;
  storage.padding = 6;
  const Picture reference(format.reference, Pick(kAllContent, number / 4), number);
  const Picture distorted(format.distorted, Pick(kAllContent, number / 32), number + 1, storage);
  const PairView pair{distorted.view(), reference.view()};
  const Sums plain = PlainSums(pair, format);
  ForEachTarget([&] {
    EXPECT_TRUE(SameSums(Simd(format, pair), plain))
        << width << 'x' << height << " layout " << layout << " depth " << depth << " number " << number;
  });
  EXPECT_TRUE(reference.Untouched() && distorted.Untouched());
}

TEST(RecursiveSimd, SizesUpTo80) {
  for (int width = 1; width <= 80; ++width) {
    for (uint32_t i = 0; i < 8; ++i) {
      const uint32_t number = Hash(static_cast<uint32_t>(width), i, 1, 1);
      // 37 and 80 have no common factor: each i meets every height.
      const int height = 1 + (width * 37 + static_cast<int>(i) * 13) % 80;
      CheckSize(width, height, Pick(kLayouts, number / 1024), Pick(kDepths, number / 8192), number);
    }
  }
}

TEST(RecursiveSimd, EveryDepthAndSubsampling) {
  uint32_t other = 0;  // content of the distorted picture
  for (const int depth : kDepths) {
    for (const vmafx_layout layout : kLayouts) {
      for (const Content content : kAllContent) {
        CheckSize(61, 47, layout, depth, 32 * other + 4 * static_cast<uint32_t>(content) + other % 4);
        ++other;
      }
    }
  }
  CheckSize(357, 353, VMAFX_LAYOUT_420, 8, 4 * 5);   // texture
  CheckSize(357, 353, VMAFX_LAYOUT_444, 16, 1);      // noise
  CheckSize(357, 353, VMAFX_LAYOUT_422, 10, 4 * 4);  // checkerboard
}

TEST(RecursiveSimd, EveryWayOfStorage) {
  for (const int depth : {8, 10}) {
    const PairFormat format = MakePairFormat(MakeFormat(67, 43, VMAFX_LAYOUT_420, depth));
    const Picture reference(format.reference, Content::kTexture, 3);
    const Picture planar(format.distorted, Content::kTexture, 4);
    const Sums plain = PlainSums({planar.view(), reference.view()}, format);
    for (const bool semi_planar : {false, true})
      for (const bool flipped : {false, true})
        for (const bool flush_left : {false, true}) {
          Storage storage;
          storage.semi_planar = semi_planar;
          storage.flipped = flipped;
          storage.flush_left = flush_left;
          storage.padding = 4;
          if (depth > 8) {
            storage.shift = flipped ? 16 - depth : 0;
            storage.big_endian = flush_left;
          }
          const Picture distorted(format.distorted, Content::kTexture, 4, storage);
          EXPECT_TRUE(SameSums(Simd(format, {distorted.view(), reference.view()}), plain));
          EXPECT_TRUE(distorted.Untouched());
        }
  }
}

TEST(RecursiveSimd, TwoFormatsInAPair) {
  PairFormat format = MakePairFormat(MakeFormat(75, 66, VMAFX_LAYOUT_420, 8));
  format.reference = MakeFormat(75, 66, VMAFX_LAYOUT_444, 10);
  const Picture reference(format.reference, Content::kTexture, 5), distorted(format.distorted, Content::kRamp, 6);
  const PairView pair{distorted.view(), reference.view()};
  EXPECT_TRUE(SameSums(Simd(format, pair), PlainSums(pair, format)));
}

TEST(RecursiveSimd, ThreadsDoNotShow) {
  for (const auto& [width, height] : {std::pair(357, 353), std::pair(1200, 90), std::pair(64, 700), std::pair(8, 8)}) {
    const PairFormat format = MakePairFormat(MakeFormat(width, height, VMAFX_LAYOUT_420, 8));
    for (const auto& [content, other] : {std::pair(Content::kTexture, Content::kNoise),
                                         std::pair(Content::kFlat, Content::kFlat),
                                         std::pair(Content::kFlat, Content::kTexture),
                                         std::pair(Content::kExtremes, Content::kCheckerboard)}) {
      const Picture reference(format.reference, content, 7), distorted(format.distorted, other, 8);
      const PairView pair{distorted.view(), reference.view()};
      const Sums plain = PlainSums(pair, format);
      for (const int threads : {1, 2, 7})
        EXPECT_TRUE(SameSums(Simd(format, pair, threads), plain)) << threads << " threads";
    }
  }
}

TEST(RecursiveSimd, ExtractorGivesTheScore) {
  const PairFormat format = MakePairFormat(MakeFormat(61, 80, VMAFX_LAYOUT_422, 10));
  const Picture reference(format.reference, Content::kTexture, 9), distorted(format.distorted, Content::kTexture, 10);
  const PairView pair{distorted.view(), reference.view()};
  Workers workers(2);
  double value = 0.0, plain = 0.0;
  ASSERT_TRUE(MakeCpuExtractor(format, workers)->Extract(pair, workers, {&value, 1}).ok());
  ASSERT_TRUE(ScoreOf(PlainSums(pair, format), &plain).ok());
  EXPECT_EQ(value, plain);
  EXPECT_LT(value, 100.0);
}

}  // namespace
}  // namespace vmafx::ssimulacra2::recursive
