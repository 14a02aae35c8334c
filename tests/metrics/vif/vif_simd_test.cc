// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif: the plain form, every instruction set, every way of storage and any number of threads agree.
#include <gtest/gtest.h>

#include "core/engine/workers.h"
#include "core/metrics/vif/cpu.h"
#include "core/metrics/vif/plain.h"
#include "tests/extract.h"
#include "tests/pictures.h"
#include "tests/simd_targets.h"

namespace vmafx::test {
namespace {

using AllSums = std::array<vif::Sums, vif::kScales>;

constexpr int kDepths[] = {8, 9, 10, 12, 14, 16};
constexpr vmafx_layout kLayouts[] = {VMAFX_LAYOUT_GRAY, VMAFX_LAYOUT_420, VMAFX_LAYOUT_422, VMAFX_LAYOUT_444};

bool Same(const AllSums& a, const AllSums& b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].numlog != b[i].numlog || a[i].denlog != b[i].denlog || a[i].numnon != b[i].numnon ||
        a[i].dennon != b[i].dennon)
      return false;
  return true;
}

AllSums Simd(const PairFormat& format, const PairView& pair, int threads = 1, const char* gain_limit = "100",
             bool avx_vnni = vif::HasAvxVnni()) {
  Workers workers(threads);
  const vif::Settings settings(MakeOptions({{"vif_enhn_gain_limit", gain_limit}}));
  vif::CpuFilter filter(format.reference.width, format.reference.height, format.depth, settings, workers,
                        avx_vnni);
  return filter.Measure(pair, workers);
}

void CheckSize(int width, int height, vmafx_layout layout, int depth, Content content, Content other) {
  const PairFormat format = MakePairFormat(MakeFormat(width, height, layout, depth));
  Storage storage;
  storage.padding = 6;  // the two pitches differ
  const Picture reference(format.reference, content, 1);
  const Picture distorted(format.distorted, other, 2, storage);
  const PairView pair{distorted.view(), reference.view()};
  const AllSums plain = vif::PlainSums(pair, depth, 100);
  ForEachTarget([&] {
    EXPECT_TRUE(Same(Simd(format, pair), plain)) << width << 'x' << height << " depth " << depth << " contents "
                                                 << static_cast<int>(content) << ' ' << static_cast<int>(other);
    if (BestTarget() == HWY_AVX2 && vif::HasAvxVnni()) {
      EXPECT_TRUE(Same(Simd(format, pair, 1, "100", false), plain)) << "without AVX-VNNI";
    }
  });
  EXPECT_TRUE(reference.Untouched() && distorted.Untouched());
}

TEST(VifSimd, EverySizeUpTo80) {
  for (int height = 16; height <= 80; ++height) {
    for (int width = 16; width <= 80; ++width) {
      const uint32_t mix = Hash(1, 2, static_cast<uint32_t>(width), static_cast<uint32_t>(height));
      CheckSize(width, height, VMAFX_LAYOUT_GRAY, kDepths[mix / 8 % 6], kAllContent[mix / 64 % 6],
                kAllContent[mix / 512 % 6]);
    }
  }
}

TEST(VifSimd, EveryDepthAndContent) {
  for (const int depth : kDepths)
    for (const vmafx_layout layout : kLayouts)
      for (const Content content : kAllContent) CheckSize(51, 37, layout, depth, content, content);
}

// More than one tile both ways.
TEST(VifSimd, LargePicture) {
  for (const int depth : kDepths) {
    CheckSize(357, 353, VMAFX_LAYOUT_420, depth, Content::kTexture, Content::kNoise);
    CheckSize(513, 66, VMAFX_LAYOUT_420, depth, Content::kExtremes, Content::kTexture);
    CheckSize(801, 34, VMAFX_LAYOUT_420, depth, Content::kTexture, Content::kNoise);  // tiles without an edge
    CheckSize(257, 129, VMAFX_LAYOUT_420, depth, Content::kNoise, Content::kRamp);
  }
}

// The distorted picture has twice the contrast.
TEST(VifSimd, GainLimit) {
  const Picture texture(MakeFormat(90, 70, VMAFX_LAYOUT_GRAY, 8), Content::kTexture, 1);
  const PairFormat format = MakePairFormat(MakeFormat(90, 70, VMAFX_LAYOUT_GRAY, 10));
  PairView pair{texture.view(), texture.view()};
  pair.distorted.component[0].lift = 2;
  pair.reference.component[0].lift = 1;
  const AllSums plain = vif::PlainSums(pair, 10, 1.2);
  EXPECT_FALSE(Same(plain, vif::PlainSums(pair, 10, 1)));
  EXPECT_FALSE(Same(plain, vif::PlainSums(pair, 10, 100)));
  ForEachTarget([&] { EXPECT_TRUE(Same(Simd(format, pair, 1, "1.2"), plain)); });
}

void CheckStorage(int width, int height) {
  for (const int depth : kDepths) {
    const PairFormat format = MakePairFormat(MakeFormat(width, height, VMAFX_LAYOUT_420, depth));
    const Picture reference(format.reference, Content::kNoise, 1);
    const Picture distorted(format.distorted, Content::kTexture, 2);
    const AllSums wanted = vif::PlainSums({distorted.view(), reference.view()}, depth, 100);
    for (uint32_t variant = 0; variant < 32; ++variant) {
      Storage storage;
      storage.shift = (variant & 1) != 0 ? 16 - depth : 0;
      storage.big_endian = (variant & 2) != 0;
      storage.semi_planar = (variant & 4) != 0;
      storage.flipped = (variant & 8) != 0;
      storage.flush_left = (variant & 16) != 0;
      storage.padding = static_cast<int>(variant % 5) * 3;
      const Picture stored(format.distorted, Content::kTexture, 2, storage);
      EXPECT_TRUE(Same(Simd(format, {stored.view(), reference.view()}), wanted)) << depth << ' ' << variant;
      EXPECT_TRUE(stored.Untouched());
    }
  }
}

TEST(VifSimd, StorageDoesNotShow) {
  CheckStorage(77, 35);
  CheckStorage(801, 17);
}

TEST(VifSimd, ShallowerPictureIsLifted) {
  const Format deep = MakeFormat(77, 35, VMAFX_LAYOUT_GRAY, 10);
  const Picture reference(deep, Content::kTexture, 1);
  const Picture shallow(MakeFormat(77, 35, VMAFX_LAYOUT_GRAY, 8), Content::kTexture, 2);
  PairView pair{shallow.view(), reference.view()};
  pair.distorted.component[0].lift = 2;
  const AllSums plain = vif::PlainSums(pair, 10, 100);
  ForEachTarget([&] { EXPECT_TRUE(Same(Simd(MakePairFormat(deep), pair), plain)); });
}

// 8-bit content scores the same at any depth: shifts of means and products cancel.
TEST(VifSimd, LiftingBothChangesNothing) {
  const Format format = MakeFormat(77, 35, VMAFX_LAYOUT_GRAY, 8);
  const Picture reference(format, Content::kTexture, 1);
  const Picture distorted(format, Content::kNoise, 2);
  PairView pair{distorted.view(), reference.view()};
  const AllSums wanted = Simd(MakePairFormat(format), pair);
  for (const int depth : {9, 10, 12, 14, 16}) {
    pair.distorted.component[0].lift = pair.reference.component[0].lift = depth - 8;
    const PairFormat lifted = MakePairFormat(MakeFormat(77, 35, VMAFX_LAYOUT_GRAY, depth));
    EXPECT_TRUE(Same(Simd(lifted, pair), wanted)) << depth;
  }
}

TEST(VifSimd, ThreadsDoNotShow) {
  for (const int depth : {8, 12}) {
    const PairFormat format = MakePairFormat(MakeFormat(600, 353, VMAFX_LAYOUT_GRAY, depth));
    const Picture reference(format.reference, Content::kTexture, 1);
    const Picture distorted(format.distorted, Content::kNoise, 2);
    const PairView pair{distorted.view(), reference.view()};
    const AllSums one = Simd(format, pair, 1);
    EXPECT_TRUE(Same(Simd(format, pair, 2), one));
    EXPECT_TRUE(Same(Simd(format, pair, 7), one));
  }
}

// One extractor, several pairs: nothing of a pair is left for the next one.
TEST(VifSimd, PairsAreIndependent) {
  const PairFormat format = MakePairFormat(MakeFormat(130, 70, VMAFX_LAYOUT_GRAY, 8));
  const Picture texture(format.reference, Content::kTexture, 1);
  const Picture noise(format.reference, Content::kNoise, 2);
  Workers workers(2);
  vif::CpuFilter filter(130, 70, 8, vif::Settings({}), workers);
  const AllSums first = filter.Measure({noise.view(), texture.view()}, workers);
  EXPECT_FALSE(Same(filter.Measure({texture.view(), noise.view()}, workers), first));
  EXPECT_TRUE(Same(filter.Measure({noise.view(), texture.view()}, workers), first));
}

}  // namespace
}  // namespace vmafx::test
