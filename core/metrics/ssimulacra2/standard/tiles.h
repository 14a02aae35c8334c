// SPDX-License-Identifier: BSD-2-Clause-Patent
// How the SIMD form cuts a frame. A tile is measured by one thread, in steps of one row of cells, with its working
// memory (a Scratch, about 340 KB) in the L2 cache: for each step 8 more rows become linear light, XYB and horizontal
// blurs, kept in two halves of 8 rows that swap roles; then the vertical blurs, terms and cell sums of 8 rows follow
// from these 16. Eight rows at a time, a vertical blur loads 16 vectors for 8 results instead of 9 for each, and the
// column sums of a cell stay in registers.
//
// Where the time goes (1920x1080, 8-bit 4:2:0, one thread of a Zen 4 server with AVX-512, 34 ms): linear light of the
// full size 11 ms, the table being most of it; XYB 8 ms; horizontal blurs 4 ms; vertical blurs, terms and sums 5 ms;
// the smaller scales' linear light 3 ms; reading samples 2 ms. Rows that two tiles share cost 8 in kTileHeight.
#ifndef VMAFX_METRICS_SSIMULACRA2_STANDARD_TILES_H_
#define VMAFX_METRICS_SSIMULACRA2_STANDARD_TILES_H_

#include <cstddef>
#include <cstdint>

#include "core/metrics/metric.h"
#include "core/metrics/ssimulacra2/standard/conversion.h"
#include "core/metrics/ssimulacra2/standard/frame.h"

namespace vmafx::ssimulacra2::standard {

// Multiples of 32: a tile's share of each smaller scale is made of whole samples, so the tile that measures scale 0
// makes its share of the linear light of all others.
constexpr int kTileWidth = 256;
constexpr int kTileHeight = 128;

constexpr int kLargestVector = 16;  // lanes
constexpr int kStepRows = kCellHeight;
// Rows of a tile and its halo; loops write whole vectors.
constexpr int kHaloRow = kTileWidth + 2 * kBlurRadius;
constexpr int kPaddedRow = (kHaloRow + 2 * kLargestVector) / kLargestVector * kLargestVector;

enum Side { kReferenceSide = 0, kDistortedSide = 1 };
constexpr int kSides = 2;

// The blurs of one channel.
enum BlurIndex { kM1 = 0, kM2 = 1, kS = 2, kV = 3 };
constexpr int kBlurs = 4;

struct Tile {
  int scale;
  int left, right;  // columns [left, right)
  int top, bottom;
};

// Linear light of one scale below the first, for one side. Rows have room for a vector after the last column.
struct LinearPlanes {
  float* plane[kChannels] = {};
  ptrdiff_t stride = 0;

  float* Row(int channel, int y) const { return plane[channel] + y * stride; }
};

// What the tiles of a frame share.
struct FrameWork {
  explicit FrameWork(const Scales& s) : scales(s) {}
  Scales scales;
  Format format[kSides];
  Conversion conversion[kSides];
  PictureView picture[kSides];
  LinearPlanes linear[kMaxScales][kSides];  // [0] is not stored
  SumSet needed[kMaxScales][kChannels] = {};
  // Sums of cells, by scale: [row of cells][cell][channel][sum].
  float* cells[kMaxScales] = {};
  int cells_per_row[kMaxScales] = {};
};

// Eight rows of everything that the vertical blurs and the edge terms need. Column 0 of `xyb` is 4 left of the tile.
struct Half {
  alignas(64) float xyb[kSides][kChannels][kStepRows][kPaddedRow];
  alignas(64) float blurred[kChannels][kBlurs][kStepRows][kTileWidth];
};

struct ChromaScratch {
  alignas(64) uint16_t words[2][kPaddedRow];
  alignas(64) float sums[kPaddedRow + kLargestVector];  // along the other axis
};

// One thread's working memory; zero at first, later whatever the last tile left there.
struct Scratch {
  Half half[2];
  alignas(64) float linear[2][kChannels][kPaddedRow];  // two rows of one side
  alignas(64) float squares[2][kPaddedRow];            // inputs of the blurs s and v
  alignas(64) uint16_t words[kChannels][kPaddedRow];
  alignas(64) float chroma[2][kPaddedRow];
  ChromaScratch chroma_scratch;
};

}  // namespace vmafx::ssimulacra2::standard
#endif  // VMAFX_METRICS_SSIMULACRA2_STANDARD_TILES_H_
