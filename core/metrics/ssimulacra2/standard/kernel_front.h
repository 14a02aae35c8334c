// SPDX-License-Identifier: BSD-2-Clause-Patent
// The front end: a block reads the samples of a tile of one picture once, wherever and however they lie.
#ifndef VMAFX_METRICS_SSIMULACRA2_STANDARD_KERNEL_FRONT_H_
#define VMAFX_METRICS_SSIMULACRA2_STANDARD_KERNEL_FRONT_H_

#include "core/metrics/kernel_samples.h"
#include "core/metrics/ssimulacra2/kernel_pyramid.h"
#include "core/metrics/ssimulacra2/standard/kernel_arguments.h"

namespace vmafx::ssimulacra2::standard {

// Chroma samples of a tile as floats, with one more on each side: index 0 is the one before the tile's first.
constexpr int kChromaRows = kFrontTile + 2;
constexpr int kChromaPitch = kFrontTile + 3;
using ChromaTile = float[kChromaRows][kChromaPitch];

// TapsAt() along one axis for the positions 2k and 2k + 1: with the samples c[0..2] that begin at index step * k of the
// tile, (even0 * c[0] + even1 * c[1]) and (odd0 * c[1] + odd1 * c[2]).
struct PairTaps {
  int step;
  float even0, even1, odd0, odd1;
};

VMAFX_FN PairTaps PairTapsOf(int32_t siting) {
  switch (siting) {
    case kOnEven: return {1, 0, 2, 1, 1};
    case kOnOdd: return {1, 1, 1, 2, 0};
    case kBetween: return {1, 1, 3, 3, 1};
    default: return {2, 0, 1, 0, 1};
  }
}

VMAFX_FN int Clamp(int x, int last) { return x < 0 ? 0 : x > last ? last : x; }

VMAFX_FN void LoadChroma(const KernelComponent& c, int32_t siting_x, int32_t siting_y, int left, int top,
                         ChromaTile& tile) {
  const int rows = siting_y == kNotSubsampled ? kFrontTile + 2 : kFrontTile / 2 + 2;
  const int columns = siting_x == kNotSubsampled ? kFrontTile + 2 : kFrontTile / 2 + 2;
  const int first_x = (siting_x == kNotSubsampled ? left : left / 2) - 1;
  const int first_y = (siting_y == kNotSubsampled ? top : top / 2) - 1;
  for (int row = ThreadX() / 32; row < rows; row += kFrontThreads / 32) {
    const uint64_t address = SampleAddress(c, 0, Clamp(first_y + row, c.height - 1));
    for (int column = ThreadX() % 32; column < columns; column += 32) {
      const auto x = static_cast<uint64_t>(Clamp(first_x + column, c.width - 1));
      tile[row][column] = static_cast<float>(LoadSample(c, address + x * static_cast<uint32_t>(c.step)));
    }
  }
}

// The weighted sums of a tile's chroma at the 2x2 pixels of quad (qx, qy). Integers of at most
// 16 * 65535, so every operation is exact, fused or not.
VMAFX_FN void Upsample(const ChromaTile& tile, const PairTaps& x, const PairTaps& y, int qx, int qy, float sums[2][2]) {
  float even[3], odd[3];
  VMAFX_UNROLL
  for (int i = 0; i < 3; ++i) {
    const float* c = &tile[y.step * qy + i][x.step * qx];
    even[i] = Fma(x.even1, c[1], x.even0 * c[0]);
    odd[i] = Fma(x.odd1, c[2], x.odd0 * c[1]);
  }
  sums[0][0] = Fma(y.even1, even[1], y.even0 * even[0]);
  sums[0][1] = Fma(y.even1, odd[1], y.even0 * odd[0]);
  sums[1][0] = Fma(y.odd1, even[2], y.odd0 * even[1]);
  sums[1][1] = Fma(y.odd1, odd[2], y.odd0 * odd[1]);
}

// Encoded R'G'B' of the 2x2 pixels at (x, y), the picture's last column and row repeated.
VMAFX_FN void EncodedQuad(const FrontPicture& picture, const ChromaTile chroma[2], int x, int y, int qx, int qy,
                          Rgb encoded[2][2]) {
  const Conversion& c = picture.conversion;
  float direct[kChannels][2][2];
  const int last_x = picture.component[0].width - 1, last_y = picture.component[0].height - 1;
  const int components = picture.model == kRgb ? kChannels : 1;
  VMAFX_UNROLL
  for (int n = 0; n < kChannels; ++n) {
    if (n >= components) break;
    const KernelComponent& component = picture.component[n];
    VMAFX_UNROLL
    for (int dy = 0; dy < 2; ++dy) {
      const uint64_t row = SampleAddress(component, 0, Clamp(y + dy, last_y));
      VMAFX_UNROLL
      for (int dx = 0; dx < 2; ++dx) {
        const uint64_t offset = static_cast<uint64_t>(Clamp(x + dx, last_x)) * static_cast<uint32_t>(component.step);
        direct[n][dy][dx] =
            Normalised(static_cast<int32_t>(LoadSample(component, row + offset)), c.luma_offset, c.luma_scale);
      }
    }
  }
  if (picture.model == kYcc) {
    const PairTaps taps_x = PairTapsOf(c.siting_x), taps_y = PairTapsOf(c.siting_y);
    float cb[2][2], cr[2][2];
    Upsample(chroma[0], taps_x, taps_y, qx, qy, cb);
    Upsample(chroma[1], taps_x, taps_y, qx, qy, cr);
    VMAFX_UNROLL
    for (int dy = 0; dy < 2; ++dy) {
      VMAFX_UNROLL
      for (int dx = 0; dx < 2; ++dx)
        encoded[dy][dx] = RgbOfYcc(c, direct[0][dy][dx], (cb[dy][dx] - c.chroma_offset) * c.chroma_scale,
                                   (cr[dy][dx] - c.chroma_offset) * c.chroma_scale);
    }
  } else {
    const int green = picture.model == kRgb ? 1 : 0, blue = picture.model == kRgb ? 2 : 0;
    VMAFX_UNROLL
    for (int dy = 0; dy < 2; ++dy) {
      VMAFX_UNROLL
      for (int dx = 0; dx < 2; ++dx)
        encoded[dy][dx] = {Clamped(direct[0][dy][dx]), Clamped(green == 1 ? direct[1][dy][dx] : direct[0][dy][dx]),
                           Clamped(blue == 2 ? direct[2][dy][dx] : direct[0][dy][dx])};
    }
  }
}

VMAFX_FN void Front(const FrontArguments& arguments) {
  VMAFX_SHARED(float, table, [kTransferSize]);
  VMAFX_SHARED(ChromaTile, chroma, [2]);
  VMAFX_SHARED(Pyramid, pyramid, );
  const int side = BlockZ();
  const FrontPicture& picture = arguments.picture[side];
  const int left = BlockX() * kFrontTile, top = BlockY() * kFrontTile;
  LoadTable(arguments.table, table);
  if (picture.model == kYcc) {
    const Conversion& c = picture.conversion;
    LoadChroma(picture.component[1], c.siting_x, c.siting_y, left, top, chroma[0]);
    LoadChroma(picture.component[2], c.siting_x, c.siting_y, left, top, chroma[1]);
  }
  BlockBarrier();
  constexpr int kQuads = kFrontTile / 2;
  const int qx = ThreadX() % kQuads, qy = ThreadX() / kQuads;
  const int x = left + 2 * qx, y = top + 2 * qy;
  if (x < arguments.scale[0].width && y < arguments.scale[0].height) {
    Rgb pixels[2][2];
    EncodedQuad(picture, chroma, x, y, qx, qy, pixels);
    WriteLinear(pixels, table, pyramid);
  }
  WriteXyb(arguments.scale, arguments.scales, side, left, top, pyramid);
}

}  // namespace vmafx::ssimulacra2::standard
#endif  // VMAFX_METRICS_SSIMULACRA2_STANDARD_KERNEL_FRONT_H_
