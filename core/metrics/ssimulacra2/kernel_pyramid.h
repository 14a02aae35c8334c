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

// Linear light of a tile at all scales: level n has 32 >> n samples a side.
constexpr int kPyramid = 1365;
using Pyramid = float[kChannels][kPyramid + 1];  // even, for pairs

VMAFX_FN int LevelOffset(int level) {
  switch (level) {
    case 0: return 0;
    case 1: return 1024;
    case 2: return 1280;
    case 3: return 1344;
    case 4: return 1360;
    case 5: return 1364;
    default: return kPyramid;
  }
}

VMAFX_FN int LevelOf(int sample) {
  return sample < 1024 ? 0 : sample < 1280 ? 1 : sample < 1344 ? 2 : sample < 1360 ? 3 : sample < 1364 ? 4 : 5;
}

// Samples of one level from the level before.
VMAFX_FN void Halve(Pyramid& pyramid, const ScalePlanes& before, const ScalePlanes& scale, int level, int left,
                    int top) {
  const int log_side = 5 - level, pitch = 2 << log_side;
  const int i = ThreadX() & ((1 << log_side) - 1), j = ThreadX() >> log_side;
  const int x = (left >> level) + i, y = (top >> level) + j;
  if (j >> log_side != 0 || x >= scale.width || y >= scale.height) return;
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

// Linear light of a thread's 2x2 pixels, from encoded components. What lies outside the picture may hold anything.
template <class Pixel>
VMAFX_FN void WriteLinear(const Pixel encoded[2][2], const float* table, Pyramid& pyramid) {
  constexpr int kQuads = kFrontTile / 2;
  const int quad = ThreadX() / kQuads * 2 * kFrontTile + ThreadX() % kQuads * 2;
  VMAFX_UNROLL
  for (int dy = 0; dy < 2; ++dy) {
    const Pixel &left = encoded[dy][0], &right = encoded[dy][1];
    const int at = quad + dy * kFrontTile;
    *reinterpret_cast<Floats2*>(&pyramid[0][at]) = {{LinearOfEncoded(table, left.r), LinearOfEncoded(table, right.r)}};
    *reinterpret_cast<Floats2*>(&pyramid[1][at]) = {{LinearOfEncoded(table, left.g), LinearOfEncoded(table, right.g)}};
    *reinterpret_cast<Floats2*>(&pyramid[2][at]) = {{LinearOfEncoded(table, left.b), LinearOfEncoded(table, right.b)}};
  }
}

// The block's share of the XYB planes of all scales, from what all threads wrote of the first.
VMAFX_FN void WriteXyb(const ScalePlanes* scale, int scales, int side, int left, int top, Pyramid& pyramid) {
  // From the fourth on, levels come from samples of the same wave.
  for (int level = 1; level < kMaxScales; ++level) {
    if (level < 4)
      BlockBarrier();
    else
      WaveBarrier();
    if (level < scales) Halve(pyramid, scale[level - 1], scale[level], level, left, top);
  }
  BlockBarrier();
  const int samples = LevelOffset(scales);
  for (int n = ThreadX(); n < samples; n += kFrontThreads) {
    const int level = LevelOf(n);
    const ScalePlanes& planes = scale[level];
    const int log_side = 5 - level, place = n - LevelOffset(level);
    const int x = (left >> level) + (place & ((1 << log_side) - 1)), y = (top >> level) + (place >> log_side);
    if (x >= planes.width || y >= planes.height) continue;
    const Xyb pixel = XybOfLinear(pyramid[0][n], pyramid[1][n], pyramid[2][n]);
    const int64_t at = static_cast<int64_t>(y) * planes.pitch + x;
    Memory<float>(PlaneAddress(planes, side, 0))[at] = pixel.x;
    Memory<float>(PlaneAddress(planes, side, 1))[at] = pixel.y;
    Memory<float>(PlaneAddress(planes, side, 2))[at] = pixel.b;
  }
}

}  // namespace vmafx::ssimulacra2
#endif  // VMAFX_METRICS_SSIMULACRA2_KERNEL_PYRAMID_H_
