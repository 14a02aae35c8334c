// SPDX-License-Identifier: BSD-2-Clause-Patent
// From the encoded pixels of a 32x32 tile to that tile's share of the XYB planes of all scales. Tiles are closed under
// halving (32 = 2^5), so blocks share nothing, and linear light stays on the multiprocessor: that of a thread's 2x2
// pixels and of the sample they make at the second scale in its registers, that of smaller scales in shared memory.
//
// A thread has all its loads on their way before it uses the first, and one barrier does for table, chroma and samples,
// another one for the smaller scales: waiting for load after load cost a quarter of the time (H200, standard profile at
// 4K: 245 us, now 206 us at 3.3 instructions a cycle; XYB itself is 40 % of the instructions). Six blocks on a
// multiprocessor instead of five spill a little and gain 1 %.
#ifndef VMAFX_METRICS_SSIMULACRA2_KERNEL_PYRAMID_H_
#define VMAFX_METRICS_SSIMULACRA2_KERNEL_PYRAMID_H_

#include "core/metrics/kernel.h"
//
#include "core/metrics/ssimulacra2/kernel_planes.h"

namespace vmafx::ssimulacra2 {

struct alignas(8) Floats2 {
  float value[2];
};

constexpr int kQuads = kFrontTile / 2;  // 2x2 pixels, one for each thread

// ---- Linear light

// An interval of the transfer table: its lower end, and upper less lower end. The last one is {1, 0}, so that 1 needs
// no case of its own: LinearOfEncoded's product is 0 there, as it is at 0.
using LinearTable = Floats2[kTransferSize];

// A thread's share of it, in two steps, so that other loads can be on their way together with these.
constexpr int kTableShare = kTransferSize / kFrontThreads;
static_assert(kTableShare == 4);
struct alignas(16) TableShare {
  float end[kTableShare];
};

VMAFX_FN TableShare LoadTable(uint64_t address) {
  return Load(Memory<const TableShare>(address) + ThreadX());
}

// The last interval's upper end is the next thread's first; that of the last thread's is its own. A barrier must
// follow.
VMAFX_FN void StoreTable(uint64_t address, const TableShare& share, LinearTable& table) {
  const int first = ThreadX() * kTableShare;
  const int next = first + kTableShare < kTransferSize ? first + kTableShare : kTransferSize - 1;
  const float after = Load(Memory<const float>(address) + next);
  VMAFX_UNROLL
  for (int i = 0; i < kTableShare; ++i)
    table[first + i] = {{share.end[i], (i + 1 < kTableShare ? share.end[i + 1] : after) - share.end[i]}};
}

// LinearOfEncoded() of what Saturate() gives.
VMAFX_FN float LinearOfSaturated(const LinearTable& table, float x) {
  const float q = x * 1023.0f;
  const int32_t i = static_cast<int32_t>(q);
  const Floats2 interval = table[i];
  return interval.value[0] + interval.value[1] * (q - static_cast<float>(i));
}

struct Linear {
  float channel[kChannels];
};

template <class Pixel>
VMAFX_FN Linear LinearOf(const LinearTable& table, const Pixel& encoded) {
  return {{LinearOfSaturated(table, encoded.r), LinearOfSaturated(table, encoded.g),
           LinearOfSaturated(table, encoded.b)}};
}

// ---- Smaller scales

// Linear light of a tile from the third scale on: level n has 32 >> n samples a side.
constexpr int kPyramid = 85;
using Pyramid = float[kChannels][kPyramid];

VMAFX_FN int LevelOffset(int level) {
  switch (level) {
    case 2: return 0;
    case 3: return 64;
    case 4: return 80;
    case 5: return 84;
    default: return kPyramid;
  }
}

// The third scale's sample under the thread, of the second scale's samples of four lanes: right in lanes of even
// columns and rows.
VMAFX_FN Linear HalveInGroup(const Linear& own, bool right_inside, bool below_inside) {
  Linear result;
  VMAFX_UNROLL
  for (int channel = 0; channel < kChannels; ++channel) {
    const float top_left = own.channel[channel];
    const float right = ShuffleDown(top_left, 1, kGroup), below = ShuffleDown(top_left, kQuads, kGroup);
    const float across = ShuffleDown(right, kQuads, kGroup);
    const float top_right = right_inside ? right : top_left;
    const float bottom_left = below_inside ? below : top_left;
    const float bottom_right = !below_inside ? top_right : right_inside ? across : bottom_left;
    result.channel[channel] = Downsample(top_left, top_right, bottom_left, bottom_right);
  }
  return result;
}

// The lane's sample of a level from the level before.
VMAFX_FN void Halve(Pyramid& pyramid, const ScalePlanes& before, const ScalePlanes& scale, int level, int left, int top,
                    int lane) {
  const int log_side = 5 - level, pitch = 2 << log_side;
  const int i = lane & ((1 << log_side) - 1), j = lane >> log_side;
  const int x = (left >> level) + i, y = (top >> level) + j;
  if (j >> log_side != 0 || x >= scale.width || y >= scale.height) return;
  const int right = 2 * x + 1 < before.width ? 2 * i + 1 : 2 * i;
  const int bottom = 2 * y + 1 < before.height ? 2 * j + 1 : 2 * j;
  VMAFX_UNROLL
  for (int channel = 0; channel < kChannels; ++channel) {
    const float* in = &pyramid[channel][LevelOffset(level - 1)];
    pyramid[channel][LevelOffset(level) + lane] =
        Downsample(in[2 * j * pitch + 2 * i], in[2 * j * pitch + right], in[bottom * pitch + 2 * i],
                   in[bottom * pitch + right]);
  }
}

// ---- XYB

VMAFX_FN Xyb XybOf(const Linear& linear) {
  return XybOfLinear(linear.channel[0], linear.channel[1], linear.channel[2]);
}

// A row of the three planes of one picture at one scale.
struct XybRow {
  float* x_plane;
  int64_t plane;
  VMAFX_FN XybRow(const ScalePlanes& scale, int side, int y)
      : x_plane(Memory<float>(PlaneAddress(scale, side, 0)) + static_cast<int64_t>(y) * scale.pitch),
        plane(static_cast<int64_t>(scale.pitch) * scale.height) {}
  VMAFX_FN void Store(int x, const Xyb& pixel) const {
    float* const at = x_plane + x;
    at[0] = pixel.x;
    at[plane] = pixel.y;
    at[2 * plane] = pixel.b;
  }
  VMAFX_FN void StorePair(int x, const Xyb& left, const Xyb& right) const {
    float* const at = x_plane + x;
    *reinterpret_cast<Floats2*>(at) = {{left.x, right.x}};
    *reinterpret_cast<Floats2*>(at + plane) = {{left.y, right.y}};
    *reinterpret_cast<Floats2*>(at + 2 * plane) = {{left.b, right.b}};
  }
  // Zeros from x up to the pitch.
  VMAFX_FN void Pad(int x, int pitch) const {
    for (; x < pitch; ++x) Store(x, {0.0f, 0.0f, 0.0f});
  }
};

VMAFX_FN void StoreSample(const ScalePlanes& scale, int side, int x, int y, const Linear& linear) {
  const XybRow row(scale, side, y);
  row.Store(x, XybOf(linear));
  if (x + 1 == scale.width) row.Pad(x + 1, scale.pitch);
}

// A sample that lies in shared memory, where there is one: `place` counts the level's samples of the tile.
VMAFX_FN void StoreSharedSample(const Pyramid& pyramid, const ScalePlanes& scale, int side, int level, int place,
                                int left, int top) {
  const int log_side = 5 - level, sample = LevelOffset(level) + place;
  const int x = (left >> level) + (place & ((1 << log_side) - 1)), y = (top >> level) + (place >> log_side);
  if (x < scale.width && y < scale.height)
    StoreSample(scale, side, x, y, {{pyramid[0][sample], pyramid[1][sample], pyramid[2][sample]}});
}

// The block's share of the XYB planes of all scales. `linear`: of the thread's pixels, anything outside the picture.
VMAFX_FN void WriteXyb(const ScalePlanes* scale, int scales, int side, int left, int top, const Linear linear[2][2],
                       Pyramid& pyramid) {
  const int qx = ThreadX() % kQuads, qy = ThreadX() / kQuads;
  const int x = left + 2 * qx, y = top + 2 * qy;
  const bool inside = x < scale[0].width && y < scale[0].height;
  const bool pair = x + 1 < scale[0].width, second_row = y + 1 < scale[0].height;
  Linear half;
  VMAFX_UNROLL
  for (int channel = 0; channel < kChannels; ++channel) {
    const float top_left = linear[0][0].channel[channel];
    const float top_right = pair ? linear[0][1].channel[channel] : top_left;
    const float bottom_left = second_row ? linear[1][0].channel[channel] : top_left;
    const float bottom_right = !second_row ? top_right : pair ? linear[1][1].channel[channel] : bottom_left;
    half.channel[channel] = Downsample(top_left, top_right, bottom_left, bottom_right);
  }
  if (scales > 2) {
    const Linear quarter = HalveInGroup(half, x + 2 < scale[0].width, y + 2 < scale[0].height);
    if (qx % 2 == 0 && qy % 2 == 0) {
      VMAFX_UNROLL
      for (int channel = 0; channel < kChannels; ++channel)
        pyramid[channel][qy / 2 * (kQuads / 2) + qx / 2] = quarter.channel[channel];
    }
    BlockBarrier();
  }
  if (inside) {
    VMAFX_UNROLL
    for (int dy = 0; dy < 2; ++dy) {
      if (y + dy >= scale[0].height) break;
      const XybRow row(scale[0], side, y + dy);
      const Xyb first = XybOf(linear[dy][0]), second = XybOf(linear[dy][1]);
      row.StorePair(x, first, pair ? second : Xyb{0.0f, 0.0f, 0.0f});
      if (x + 2 >= scale[0].width) row.Pad(x + 2, scale[0].pitch);
    }
    if (scales > 1) StoreSample(scale[1], side, x / 2, y / 2, half);
  }
  if (scales <= 2) return;
  // The smaller scales: the third by the first 64 threads, the others by the 64 after these.
  if (ThreadX() < 64) {
    StoreSharedSample(pyramid, scale[2], side, 2, ThreadX(), left, top);
  } else if (ThreadX() < 128) {
    const int lane = ThreadX() - 64;
    for (int level = 3; level < scales; ++level) {
      Halve(pyramid, scale[level - 1], scale[level], level, left, top, lane);
      WaveBarrier();
    }
    const int level = lane < 16 ? 3 : lane < 20 ? 4 : 5;
    const int place = LevelOffset(3) + lane - LevelOffset(level);
    if (lane < 21 && level < scales) StoreSharedSample(pyramid, scale[level], side, level, place, left, top);
  }
}

}  // namespace vmafx::ssimulacra2
#endif  // VMAFX_METRICS_SSIMULACRA2_KERNEL_PYRAMID_H_
