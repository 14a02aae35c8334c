// SPDX-License-Identifier: BSD-2-Clause-Patent
// How the SIMD form cuts a frame and where its planes lie.
//
// Both passes of the blur are recursions along a whole line, so a frame is not cut into independent tiles. It is cut
// into blocks of kBlockRows rows, and a block into tiles of kTileColumns columns, worked on from left to right: the
// rows' state goes from tile to tile within a block, the columns' state from block to block. One block of one channel
// and scale therefore needs, at each tile, only that the block above is past that tile.
//
// Output n of a line needs input n + 4. Tiles are made of inputs: tile column c is input x = c and output x = c - 4,
// and likewise for rows. So there are width + 4 columns and height + 4 rows of work.
#ifndef VMAFX_METRICS_SSIMULACRA2_RECURSIVE_GEOMETRY_H_
#define VMAFX_METRICS_SSIMULACRA2_RECURSIVE_GEOMETRY_H_

#include <cstddef>

#include "core/metrics/ssimulacra2/recursive/definition.h"

namespace vmafx::ssimulacra2::recursive {

// A strip of columns is as wide as the longest vector (16 floats): state of columns is laid out by strips.
constexpr int kStripColumns = 16;
constexpr int kBlockRows = 16;  // rows are blurred side by side, one in each lane
constexpr int kTileColumns = 32;
constexpr int kChunkColumns = 512;  // a chunk of terms (core/numeric/ordered_sum.h): this much of one row
static_assert(kChunkColumns % kStripColumns == 0);

// State of a strip's columns for one plane: three terms of two values, then the last kBlurSpan rows of input.
constexpr int kStateRows = 2 * kBlurTerms;
constexpr int kColumnRows = kStateRows + kBlurSpan;
constexpr size_t kStripFloats = size_t{kBlurredPlanes} * kColumnRows * kStripColumns;

struct ScaleGeometry {
  int width = 0;
  int height = 0;
  int columns = 0;  // width + 4, up to a multiple of kStripColumns
  int blocks = 0;
  ptrdiff_t stride = 0;  // of a plane, in floats; kStripColumns floats before column 0 and after the last are zero

  ScaleGeometry() = default;
  ScaleGeometry(int w, int h) : width(w), height(h) {
    columns = RoundUp(w + kBlurLead, kStripColumns);
    blocks = RoundUp(h + kBlurLead, kBlockRows) / kBlockRows;
    stride = columns + 2 * kStripColumns;
    if (stride % 1024 == 0) stride += kStripColumns;  // rows a multiple of 4 KiB apart would share cache sets
  }
  size_t plane_floats() const { return static_cast<size_t>(stride) * blocks * kBlockRows; }
  int chunks() const { return RoundUp(columns, kChunkColumns) / kChunkColumns; }  // of a row
  size_t state_floats() const { return kStripFloats * (columns / kStripColumns); }
  static int RoundUp(int x, int unit) { return (x + unit - 1) / unit * unit; }
};

}  // namespace vmafx::ssimulacra2::recursive
#endif  // VMAFX_METRICS_SSIMULACRA2_RECURSIVE_GEOMETRY_H_
