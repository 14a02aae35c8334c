// SPDX-License-Identifier: BSD-2-Clause-Patent
// The blur along rows. A row is one sequence of dependent steps, so a lane has a row of one plane to itself; tiles of
// 16 rows go through shared memory, where memory sees rows and lanes see columns. The next tile is loaded while this
// one is blurred.
//
// Half of the lanes rest during the steps: there are so few rows (4K: 32 of them for each of 612 groups, little more
// than one group for each scheduler) that instructions wait for their operands, not for their turn (H200: 0.34 a cycle
// and scheduler), and twice as many groups, each with half of the loading and storing, end sooner (by
// 54 us over all scales of a 4K pair).
#ifndef VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_ROWS_H_
#define VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_ROWS_H_

#include "core/metrics/kernel.h"
//
#include "core/metrics/ssimulacra2/recursive/kernel_arguments.h"

namespace vmafx::ssimulacra2::recursive {

struct alignas(16) Floats4 {
  float value[4];
};

// A tile of inputs, after the last kBlurSpan inputs of the tile before. As each step takes its oldest input, its
// output takes that one's place, so outputs are in the columns 0 .. kTileColumns - 1 in the end, kBlurLead columns
// late.
constexpr int kTileColumns = 32;
constexpr int kTilePitch = kBlurSpan + kTileColumns + 1;  // odd: no bank conflict between rows
using Tile = float[kTileRows][kTilePitch];

constexpr int kQuadsPerRow = kTileColumns / 4;
constexpr int kTileQuads = kTileRows * kQuadsPerRow / 32;  // float4 a lane loads, every fourth row

// A lane's quads of the tile that starts at column `left`. Zero past the last column, as planes are up to a whole quad.
VMAFX_FN void LoadTile(uint64_t plane, const BlurJob& job, int left, int top, Floats4 quads[kTileQuads]) {
  const int x = left + GroupLane() % kQuadsPerRow * 4, y = top + GroupLane() / kQuadsPerRow;
  const float* const first = Memory<const float>(plane) + static_cast<int64_t>(y) * job.pitch + x;
  VMAFX_UNROLL
  for (int i = 0; i < kTileQuads; ++i) {
    const int row = i * (32 / kQuadsPerRow);
    quads[i] = {{0.0f, 0.0f, 0.0f, 0.0f}};
    if (x < job.width && y + row < job.height)
      quads[i] = Load(reinterpret_cast<const Floats4*>(first + static_cast<int64_t>(row) * job.pitch));
  }
}

// What is blurred of a loaded value.
VMAFX_FN float InputOf(int plane, float first, float second) {
  return plane == kS12 ? first * second : plane >= kS11 ? first * first : first;
}

VMAFX_FN void BlurAlongRows(const BlurArguments& arguments) {
  VMAFX_SHARED(Tile, tiles, [kRowsGroups]);
  int number = 0;
  while (number + 1 < arguments.jobs && BlockX() >= arguments.job[number + 1].first_rows_block) ++number;
  const BlurJob& job = arguments.job[number];
  const int group = ThreadX() / kGroup, lane = GroupLane();
  const int row_blocks = (job.height + kTileRows - 1) / kTileRows;
  const int unit = (BlockX() - job.first_rows_block) * kRowsGroups + group;
  // A group without work does the last unit's once more, without storing.
  const bool active = unit < job.planes * row_blocks;
  const int counted = active ? unit : job.planes * row_blocks - 1;
  const int plane = counted / row_blocks, top = counted % row_blocks * kTileRows;
  const uint64_t in = plane == kM2 || plane == kS22 ? job.distorted : job.reference;
  float* const out = Memory<float>(job.work) + (static_cast<int64_t>(plane) * job.height + top) * job.width;
  Tile& tile = tiles[group];

  Floats4 ahead[kTileQuads], other[kTileQuads] = {};
  LoadTile(in, job, 0, top, ahead);
  if (plane == kS12) LoadTile(job.distorted, job, 0, top, other);
  BlurTerm terms[kBlurTerms] = {};
  if (lane < kTileRows)
    for (int i = 0; i < kBlurSpan; ++i) tile[lane][i] = 0.0f;
  for (int left = 0; left < job.width + kBlurLead; left += kTileColumns) {
    const int column = lane % kQuadsPerRow * 4;
    VMAFX_UNROLL
    for (int i = 0; i < kTileQuads; ++i) {
      float* const row = tile[lane / kQuadsPerRow + i * (32 / kQuadsPerRow)] + kBlurSpan + column;
      VMAFX_UNROLL
      for (int j = 0; j < 4; ++j) row[j] = InputOf(plane, ahead[i].value[j], other[i].value[j]);
    }
    LoadTile(in, job, left + kTileColumns, top, ahead);
    if (plane == kS12) LoadTile(job.distorted, job, left + kTileColumns, top, other);
    WaveBarrier();
    if (lane < kTileRows) {
      constexpr int kUnrolled = 8;
      for (int base = 0; base < kTileColumns; base += kUnrolled) {
        float* const line = tile[lane] + base;
        VMAFX_UNROLL
        for (int i = 0; i < kUnrolled; ++i) line[i] = BlurStep(terms, line[i] + line[kBlurSpan + i]);
      }
    }
    WaveBarrier();
    const int x = left + lane - kBlurLead;
    const bool column_inside = active && x >= 0 && x < job.width;
    const int rows = job.height - top;
    VMAFX_UNROLL
    for (int i = 0; i < kTileRows; ++i)
      if (column_inside && i < rows) out[static_cast<int64_t>(i) * job.width + x] = tile[i][lane];
    WaveBarrier();
    if (lane < kTileRows) {
      VMAFX_UNROLL
      for (int i = 0; i < kBlurSpan; ++i) tile[lane][i] = tile[lane][kTileColumns + i];
    }
    WaveBarrier();
  }
}

}  // namespace vmafx::ssimulacra2::recursive
#endif  // VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_ROWS_H_
