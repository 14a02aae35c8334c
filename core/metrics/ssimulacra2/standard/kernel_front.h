// SPDX-License-Identifier: BSD-2-Clause-Patent
// The front end: a block reads the samples of a 32x32 tile once, wherever and however they lie, and writes that tile's
// share of the XYB planes of all scales. Tiles are closed under halving (32 = 2^5), so blocks share nothing. Linear light
// stays on the multiprocessor.
#ifndef VMAFX_METRICS_SSIMULACRA2_STANDARD_KERNEL_FRONT_H_
#define VMAFX_METRICS_SSIMULACRA2_STANDARD_KERNEL_FRONT_H_

#include "core/metrics/kernel_samples.h"
#include "core/metrics/ssimulacra2/standard/kernel_arguments.h"

namespace vmafx::ssimulacra2::standard {

struct alignas(8) Floats2 {
  float value[2];
};

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

VMAFX_FN void LoadChroma(const KernelComponent& c, int32_t siting_x, int32_t siting_y, int left, int top, ChromaTile& tile) {
  const int rows = siting_y == kNotSubsampled ? kFrontTile + 2 : kFrontTile / 2 + 2;
  const int columns = siting_x == kNotSubsampled ? kFrontTile + 2 : kFrontTile / 2 + 2;
  const int first_x = (siting_x == kNotSubsampled ? left : left / 2) - 1;
  const int first_y = (siting_y == kNotSubsampled ? top : top / 2) - 1;
  for (int row = ThreadX() / 32; row < rows; row += kFrontThreads / 32) {
    const uint64_t address = SampleAddress(c, 0, Clamp(first_y + row, c.height - 1));
    for (int column = ThreadX() % 32; column < columns; column += 32) {
      const int x = Clamp(first_x + column, c.width - 1);
      tile[row][column] = static_cast<float>(LoadSample(c, address + static_cast<uint64_t>(x) * static_cast<uint32_t>(c.step)));
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

// Linear light of the scales below the first within a tile: level n has 32 >> n samples a side.
constexpr int kPyramid = 341;
using Pyramid = float[kChannels][kPyramid];

VMAFX_FN int LevelOffset(int level) { return level < 2 ? 0 : level == 2 ? 256 : level == 3 ? 320 : level == 4 ? 336 : 340; }

VMAFX_FN void StoreXyb(const ScalePlanes& scale, int side, int x, int y, const Xyb& pixel) {
  const int64_t at = static_cast<int64_t>(y) * scale.pitch + x;
  Memory<float>(PlaneAddress(scale, side, 0))[at] = pixel.x;
  Memory<float>(PlaneAddress(scale, side, 1))[at] = pixel.y;
  Memory<float>(PlaneAddress(scale, side, 2))[at] = pixel.b;
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

// Samples of one level from the level before.
VMAFX_FN void Halve(Pyramid& pyramid, const ScalePlanes& before, const ScalePlanes& scale, int level, int left, int top) {
  const int side = kFrontTile >> level, pitch = 2 * side;
  const int i = ThreadX() % side, j = ThreadX() / side;
  const int x = (left >> level) + i, y = (top >> level) + j;
  if (j >= side || x >= scale.width || y >= scale.height) return;
  const int right = 2 * x + 1 < before.width ? 2 * i + 1 : 2 * i;
  const int bottom = 2 * y + 1 < before.height ? 2 * j + 1 : 2 * j;
  VMAFX_UNROLL
  for (int channel = 0; channel < kChannels; ++channel) {
    const float* in = &pyramid[channel][LevelOffset(level - 1)];
    pyramid[channel][LevelOffset(level) + ThreadX()] =
        Downsample(in[2 * j * pitch + 2 * i], in[2 * j * pitch + right], in[bottom * pitch + 2 * i],
                   in[bottom * pitch + right]);
  }
}

VMAFX_FN void Front(const FrontArguments& arguments) {
  VMAFX_SHARED(float, table, [kTransferSize]);
  VMAFX_SHARED(ChromaTile, chroma, [2]);
  VMAFX_SHARED(Pyramid, pyramid, );
  const int side = BlockZ();
  const FrontPicture& picture = arguments.picture[side];
  const int left = BlockX() * kFrontTile, top = BlockY() * kFrontTile;
  for (int i = ThreadX(); i < kTransferSize; i += kFrontThreads)
    table[i] = Load(Memory<const float>(arguments.table) + i);
  if (picture.model == kYcc) {
    const Conversion& c = picture.conversion;
    LoadChroma(picture.component[1], c.siting_x, c.siting_y, left, top, chroma[0]);
    LoadChroma(picture.component[2], c.siting_x, c.siting_y, left, top, chroma[1]);
  }
  BlockBarrier();

  const ScalePlanes& full = arguments.scale[0];
  constexpr int kQuads = kFrontTile / 2;
  const int qx = ThreadX() % kQuads, qy = ThreadX() / kQuads;
  const int x = left + 2 * qx, y = top + 2 * qy;
  if (x < full.width && y < full.height) {
    Rgb linear[2][2];
    EncodedQuad(picture, chroma, x, y, qx, qy, linear);
    VMAFX_UNROLL
    for (int dy = 0; dy < 2; ++dy) {
      Xyb xyb[2];
      VMAFX_UNROLL
      for (int dx = 0; dx < 2; ++dx) {
        Rgb& pixel = linear[dy][dx];
        pixel = {LinearOfEncoded(table, pixel.r), LinearOfEncoded(table, pixel.g), LinearOfEncoded(table, pixel.b)};
        xyb[dx] = XybOfLinear(pixel.r, pixel.g, pixel.b);
      }
      // A second pixel past the last column falls into the row's padding.
      if (y + dy < full.height) {
        const int64_t at = (static_cast<int64_t>(y + dy) * full.pitch + x) / 2;
        Memory<Floats2>(PlaneAddress(full, side, 0))[at] = {{xyb[0].x, xyb[1].x}};
        Memory<Floats2>(PlaneAddress(full, side, 1))[at] = {{xyb[0].y, xyb[1].y}};
        Memory<Floats2>(PlaneAddress(full, side, 2))[at] = {{xyb[0].b, xyb[1].b}};
      }
    }
    if (arguments.scales > 1) {
      const bool alone_x = x + 1 >= full.width, alone_y = y + 1 >= full.height;
      const Rgb& corner = linear[0][0];
      const Rgb top_right = alone_x ? corner : linear[0][1];
      const Rgb bottom_left = alone_y ? corner : linear[1][0];
      const Rgb bottom_right = alone_y ? top_right : alone_x ? bottom_left : linear[1][1];
      const float r = Downsample(corner.r, top_right.r, bottom_left.r, bottom_right.r);
      const float g = Downsample(corner.g, top_right.g, bottom_left.g, bottom_right.g);
      const float b = Downsample(corner.b, top_right.b, bottom_left.b, bottom_right.b);
      pyramid[0][ThreadX()] = r;
      pyramid[1][ThreadX()] = g;
      pyramid[2][ThreadX()] = b;
      StoreXyb(arguments.scale[1], side, x / 2, y / 2, XybOfLinear(r, g, b));
    }
  }
  // Levels from 3 on are within one wave.
  for (int level = 2; level < kMaxScales; ++level) {
    if (level < 4)
      BlockBarrier();
    else
      WaveBarrier();
    if (level < arguments.scales)
      Halve(pyramid, arguments.scale[level - 1], arguments.scale[level], level, left, top);
  }
  BlockBarrier();
  const int n = LevelOffset(2) + ThreadX();
  const int level = n < LevelOffset(3) ? 2 : n < LevelOffset(4) ? 3 : n < LevelOffset(5) ? 4 : 5;
  if (n >= kPyramid || level >= arguments.scales) return;
  const ScalePlanes& scale = arguments.scale[level];
  const int log_side = 5 - level;
  const int i = (n - LevelOffset(level)) & ((1 << log_side) - 1), j = (n - LevelOffset(level)) >> log_side;
  const int scale_x = (left >> level) + i, scale_y = (top >> level) + j;
  if (scale_x >= scale.width || scale_y >= scale.height) return;
  StoreXyb(scale, side, scale_x, scale_y, XybOfLinear(pyramid[0][n], pyramid[1][n], pyramid[2][n]));
}

}  // namespace vmafx::ssimulacra2::standard
#endif  // VMAFX_METRICS_SSIMULACRA2_STANDARD_KERNEL_FRONT_H_
