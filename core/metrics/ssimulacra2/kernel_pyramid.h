// SPDX-License-Identifier: BSD-2-Clause-Patent
// From the encoded pixels of a 32x32 tile to that tile's share of the XYB planes of all scales. Tiles are closed under
// halving (32 = 2^5), so blocks share nothing, and linear light stays on the multiprocessor.
#ifndef VMAFX_METRICS_SSIMULACRA2_KERNEL_PYRAMID_H_
#define VMAFX_METRICS_SSIMULACRA2_KERNEL_PYRAMID_H_

#include "core/metrics/kernel.h"
//
#include "core/metrics/ssimulacra2/kernel_planes.h"

namespace vmafx::ssimulacra2 {

struct alignas(8) Floats2 {
  float value[2];
};

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

// The transfer table in shared memory. A barrier must follow.
VMAFX_FN void LoadTable(uint64_t address, float table[kTransferSize]) {
  for (int i = ThreadX(); i < kTransferSize; i += kFrontThreads) table[i] = Load(Memory<const float>(address) + i);
}

// The block's 2x2 pixels of one thread at full size, from encoded components (on return linear ones), and their mean at
// scale 1. (x, y) is inside the picture; pixels past its last column or row may hold anything.
template <class Pixel>
VMAFX_FN void WriteQuad(Pixel linear[2][2], const float* table, const ScalePlanes* scale, int scales, int side, int x, int y,
                        Pyramid& pyramid) {
  VMAFX_UNROLL
  for (int dy = 0; dy < 2; ++dy) {
    Xyb xyb[2];
    VMAFX_UNROLL
    for (int dx = 0; dx < 2; ++dx) {
      Pixel& pixel = linear[dy][dx];
      pixel = {LinearOfEncoded(table, pixel.r), LinearOfEncoded(table, pixel.g), LinearOfEncoded(table, pixel.b)};
      xyb[dx] = XybOfLinear(pixel.r, pixel.g, pixel.b);
    }
    // A second pixel past the last column falls into the row's padding.
    if (y + dy < scale[0].height) {
      const int64_t at = (static_cast<int64_t>(y + dy) * scale[0].pitch + x) / 2;
      Memory<Floats2>(PlaneAddress(scale[0], side, 0))[at] = {{xyb[0].x, xyb[1].x}};
      Memory<Floats2>(PlaneAddress(scale[0], side, 1))[at] = {{xyb[0].y, xyb[1].y}};
      Memory<Floats2>(PlaneAddress(scale[0], side, 2))[at] = {{xyb[0].b, xyb[1].b}};
    }
  }
  if (scales > 1) {
    const bool alone_x = x + 1 >= scale[0].width, alone_y = y + 1 >= scale[0].height;
    const Pixel& corner = linear[0][0];
    const Pixel top_right = alone_x ? corner : linear[0][1];
    const Pixel bottom_left = alone_y ? corner : linear[1][0];
    const Pixel bottom_right = alone_y ? top_right : alone_x ? bottom_left : linear[1][1];
    const float r = Downsample(corner.r, top_right.r, bottom_left.r, bottom_right.r);
    const float g = Downsample(corner.g, top_right.g, bottom_left.g, bottom_right.g);
    const float b = Downsample(corner.b, top_right.b, bottom_left.b, bottom_right.b);
    pyramid[0][ThreadX()] = r;
    pyramid[1][ThreadX()] = g;
    pyramid[2][ThreadX()] = b;
    StoreXyb(scale[1], side, x / 2, y / 2, XybOfLinear(r, g, b));
  }
}

// The scales below, from what all threads left of scale 1.
VMAFX_FN void WriteSmallScales(const ScalePlanes* scale, int scales, int side, int left, int top, Pyramid& pyramid) {
  // Levels from 3 on are within one wave.
  for (int level = 2; level < kMaxScales; ++level) {
    if (level < 4)
      BlockBarrier();
    else
      WaveBarrier();
    if (level < scales)
      Halve(pyramid, scale[level - 1], scale[level], level, left, top);
  }
  BlockBarrier();
  const int n = LevelOffset(2) + ThreadX();
  const int level = n < LevelOffset(3) ? 2 : n < LevelOffset(4) ? 3 : n < LevelOffset(5) ? 4 : 5;
  if (n >= kPyramid || level >= scales) return;
  const ScalePlanes& planes = scale[level];
  const int log_side = 5 - level;
  const int i = (n - LevelOffset(level)) & ((1 << log_side) - 1), j = (n - LevelOffset(level)) >> log_side;
  const int scale_x = (left >> level) + i, scale_y = (top >> level) + j;
  if (scale_x >= planes.width || scale_y >= planes.height) return;
  StoreXyb(planes, side, scale_x, scale_y, XybOfLinear(pyramid[0][n], pyramid[1][n], pyramid[2][n]));
}

}  // namespace vmafx::ssimulacra2
#endif  // VMAFX_METRICS_SSIMULACRA2_KERNEL_PYRAMID_H_
