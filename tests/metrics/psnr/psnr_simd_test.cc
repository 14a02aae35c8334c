// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr and float_psnr: the plain form, every instruction set, every way of storage and any number of threads agree.
#include <gtest/gtest.h>

#include "core/metrics/float_psnr/plain.h"
#include "core/metrics/float_psnr/score.h"
#include "core/metrics/psnr/plain.h"
#include "core/metrics/psnr/score.h"
#include "tests/extract.h"
#include "tests/pictures.h"
#include "tests/simd_targets.h"

namespace vmafx {
const Metric& FloatPsnrMetric();
const Metric& PsnrMetric();

namespace test {
namespace {

constexpr int kDepths[] = {8, 9, 10, 12, 14, 16};
constexpr vmafx_layout kLayouts[] = {VMAFX_LAYOUT_GRAY, VMAFX_LAYOUT_420, VMAFX_LAYOUT_422, VMAFX_LAYOUT_440,
                                     VMAFX_LAYOUT_444};

// All values of both metrics, the sums themselves included.
const Options& AllValues() {
  static const Options options = MakeOptions({{"psnr_mse", "1"}, {"psnr_apsnr", "1"}});
  return options;
}

std::vector<double> Simd(const PairFormat& format, const PairView& pair, int threads = 1) {
  std::vector<double> values = Extract(PsnrMetric(), format, pair, AllValues(), threads);
  values.push_back(Extract(FloatPsnrMetric(), format, pair, {}, threads)[0]);
  return values;
}

std::vector<double> Plain(const PairFormat& format, const PairView& pair) {
  const psnr::Settings settings(AllValues());
  std::vector<double> values(settings.Features().size());
  psnr::Score(settings, format, psnr::PlainSums(pair, format.reference.components()), values);
  values.push_back(float_psnr::Score(float_psnr::PlainNoise(pair, format.depth), format.depth, false));
  return values;
}

void CheckSize(int width, int height, vmafx_layout layout, int depth, Content content, Content other) {
  const PairFormat format = MakePairFormat(MakeFormat(width, height, layout, depth));
  Storage storage;
  storage.padding = 6;  // the two pitches differ
  const Picture reference(format.reference, content, 1);
  const Picture distorted(format.distorted, other, 2, storage);
  const PairView pair{distorted.view(), reference.view()};
  const std::vector<double> plain = Plain(format, pair);
  ForEachTarget([&] {
    EXPECT_TRUE(SameValues(Simd(format, pair), plain))
        << width << 'x' << height << " layout " << layout << " depth " << depth << " content "
        << static_cast<int>(content);
  });
  EXPECT_TRUE(reference.Untouched() && distorted.Untouched());
}

TEST(PsnrSimd, EverySizeUpTo80) {
  for (int height = 1; height <= 80; ++height) {
    for (int width = 1; width <= 80; ++width) {
      const uint32_t mix = Hash(1, 2, static_cast<uint32_t>(width), static_cast<uint32_t>(height));
      CheckSize(width, height, kLayouts[mix % 5], kDepths[mix / 8 % 6], kAllContent[mix / 64 % 6],
                kAllContent[mix / 512 % 6]);
    }
  }
}

TEST(PsnrSimd, EveryFormatAndContent) {
  for (const int depth : kDepths)
    for (const vmafx_layout layout : kLayouts)
      for (const Content content : kAllContent) CheckSize(71, 37, layout, depth, content, content);
}

TEST(PsnrSimd, LargePicture) {
  for (const int depth : kDepths) CheckSize(357, 353, VMAFX_LAYOUT_420, depth, Content::kNoise, Content::kExtremes);
}

TEST(PsnrSimd, StorageDoesNotShow) {
  for (const int depth : kDepths) {
    for (const vmafx_layout layout : kLayouts) {
      const PairFormat format = MakePairFormat(MakeFormat(77, 19, layout, depth));
      const Picture reference(format.reference, Content::kNoise, 1);
      const Picture distorted(format.distorted, Content::kTexture, 2);
      const std::vector<double> wanted = Plain(format, {distorted.view(), reference.view()});
      for (uint32_t variant = 0; variant < 64; ++variant) {
        Storage storage;
        storage.shift = (variant & 1) != 0 ? 16 - depth : 0;
        storage.big_endian = (variant & 2) != 0;
        storage.semi_planar = (variant & 4) != 0;
        storage.swapped = (variant & 8) != 0;
        storage.flipped = (variant & 16) != 0;
        storage.flush_left = (variant & 32) != 0;
        storage.padding = static_cast<int>(variant % 5) * 3;
        const Picture stored(format.distorted, Content::kTexture, 2, storage);
        EXPECT_TRUE(SameValues(Simd(format, {stored.view(), reference.view()}), wanted)) << depth << ' ' << variant;
        EXPECT_TRUE(stored.Untouched());
      }
    }
  }
}

TEST(PsnrSimd, ShallowerPictureIsLifted) {
  const Format deep = MakeFormat(77, 19, VMAFX_LAYOUT_420, 12);
  const Picture reference(deep, Content::kNoise, 1);
  const Picture shallow(MakeFormat(77, 19, VMAFX_LAYOUT_420, 8), Content::kNoise, 2);
  PairView pair{shallow.view(), reference.view()};
  for (Component& component : pair.distorted.component) component.lift = 4;
  const PairFormat format = MakePairFormat(deep);
  ForEachTarget([&] { EXPECT_TRUE(SameValues(Simd(format, pair), Plain(format, pair))); });
}

TEST(PsnrSimd, ThreadsDoNotShow) {
  for (const int depth : {8, 10, 16}) {
    const PairFormat format = MakePairFormat(MakeFormat(357, 353, VMAFX_LAYOUT_420, depth));
    const Picture reference(format.reference, Content::kNoise, 1);
    const Picture distorted(format.distorted, Content::kNoise, 2);
    const PairView pair{distorted.view(), reference.view()};
    const std::vector<double> one = Simd(format, pair, 1);
    EXPECT_TRUE(SameValues(Simd(format, pair, 2), one));
    EXPECT_TRUE(SameValues(Simd(format, pair, 7), one));
  }
}

// Beyond 2^53 units the additions of rows round: their number and order must be the definition's.
TEST(PsnrSimd, FloatPsnrBeyondExactSums) {
  constexpr int kWidth = 2560, kHeight = 1440;
  std::vector<uint16_t> reference(kWidth * kHeight), distorted(reference.size());
  for (uint32_t i = 0; i < reference.size(); ++i) {
    reference[i] = (i & 1) != 0 ? 0xFFFF : 0;
    distorted[i] = static_cast<uint16_t>(~reference[i]);
    // A few small differences make the sums of rows odd.
    if (i % 1021 == 5) distorted[i] = static_cast<uint16_t>(reference[i] ^ (Hash(1, 1, 1, i) & 0x3F));
  }
  const auto view = [](const std::vector<uint16_t>& samples) {
    PictureView picture;
    picture.component[0] = {reinterpret_cast<const uint8_t*>(samples.data()), 2 * kWidth, 2, kWidth, kHeight, 2, 0, 0,
                            false};
    return picture;
  };
  const PairFormat format = MakePairFormat(MakeFormat(kWidth, kHeight, VMAFX_LAYOUT_GRAY, 16));
  const PairView pair{view(distorted), view(reference)};
  const double noise = float_psnr::PlainNoise(pair, 16);
  ForEachTarget([&] {
    EXPECT_EQ(Extract(FloatPsnrMetric(), format, pair)[0], float_psnr::Score(noise, 16, false));
  });

  std::vector<uint64_t> rows(kHeight);
  uint64_t total = 0;
  for (size_t i = 0; i < reference.size(); ++i) {
    const float difference = static_cast<float>(reference[i]) - static_cast<float>(distorted[i]);
    const auto square = static_cast<uint64_t>(difference * difference);
    rows[i / kWidth] += square;
    total += square;
  }
  EXPECT_GT(total, uint64_t{1} << 53);
  EXPECT_EQ(float_psnr::Noise(rows, kWidth, 16), noise);
  // The test would be idle if one exact total, rounded once, gave the same.
  EXPECT_NE(static_cast<double>(total) / 65536 / (double{kWidth} * kHeight), noise);
}

}  // namespace
}  // namespace test
}  // namespace vmafx
