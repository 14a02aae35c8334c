// SPDX-License-Identifier: BSD-2-Clause-Patent
// The blur along rows. A row is one sequence of dependent steps, so a lane has a row of one plane to itself; tiles of 32 rows
// go through shared memory, where memory sees rows and lanes see columns. The next tile is loaded while this one is
// blurred.
#ifndef VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_ROWS_H_
#define VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_ROWS_H_

#include "core/metrics/kernel.h"
//
#include "core/metrics/ssimulacra2/recursive/kernel_arguments.h"

namespace vmafx::ssimulacra2::recursive {

struct alignas(16) Floats4 {
  float value[4];
};

// One line's recursion. The last kBlurSpan inputs are kept in registers: loops over them are unrolled.
struct BlurLine {
  float inputs[kBlurSpan];
  BlurTerm terms[kBlurTerms];
};

VMAFX_FN void Start(BlurLine& line) {
  VMAFX_UNROLL
  for (int i = 0; i < kBlurSpan; ++i) line.inputs[i] = 0.0f;
  VMAFX_UNROLL
  for (int k = 0; k < kBlurTerms; ++k) line.terms[k] = {0.0f, 0.0f};
}

// `turn`: the number of the step, modulo kBlurSpan.
VMAFX_FN float Step(BlurLine& line, int turn, float newest) {
  const float out = BlurStep(line.terms, line.inputs[turn] + newest);
  line.inputs[turn] = newest;
  return out;
}

constexpr int kTileRows = 32;
constexpr int kTileColumns = 4 * kBlurSpan;
constexpr int kTilePitch = kTileColumns + 1;  // odd: no bank conflict between rows
constexpr int kTileQuads = kTileRows * kTileColumns / 4 / 32;  // float4 a lane loads
using Tile = float[kTileRows][kTilePitch];


VMAFX_FN Floats4 LoadQuad(uint64_t plane, const BlurJob& job, int x, int y) {
  if (x >= job.width || y >= job.height) return {{0.0f, 0.0f, 0.0f, 0.0f}};
  return Load(Memory<const Floats4>(plane + (static_cast<uint64_t>(y) * static_cast<uint32_t>(job.pitch) +
                                             static_cast<uint32_t>(x)) *
                                                sizeof(float)));
}

// A lane's quads of the tile that starts at column `left`.
VMAFX_FN void LoadTile(uint64_t plane, const BlurJob& job, int left, int top, Floats4 quads[kTileQuads]) {
  VMAFX_UNROLL
  for (int i = 0; i < kTileQuads; ++i) {
    const int n = i * 32 + GroupLane();
    quads[i] = LoadQuad(plane, job, left + n % (kTileColumns / 4) * 4, top + n / (kTileColumns / 4));
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
  const uint64_t first = plane == kM2 || plane == kS22 ? job.distorted : job.reference;
  float* const out = Memory<float>(job.work) + static_cast<int64_t>(plane) * job.width * job.height;
  Tile& tile = tiles[group];

  Floats4 ahead[kTileQuads], other[kTileQuads];
  VMAFX_UNROLL
  for (int i = 0; i < kTileQuads; ++i) other[i] = {{0.0f, 0.0f, 0.0f, 0.0f}};
  LoadTile(first, job, 0, top, ahead);
  if (plane == kS12) LoadTile(job.distorted, job, 0, top, other);
  BlurLine line;
  Start(line);
  for (int left = 0; left < job.width + kBlurLead; left += kTileColumns) {
    VMAFX_UNROLL
    for (int i = 0; i < kTileQuads; ++i) {
      const int n = i * 32 + lane;
      const int column = n % (kTileColumns / 4) * 4, row = n / (kTileColumns / 4);
      VMAFX_UNROLL
      for (int j = 0; j < 4; ++j)
        tile[row][column + j] =
            left + column + j < job.width ? InputOf(plane, ahead[i].value[j], other[i].value[j]) : 0.0f;
    }
    LoadTile(first, job, left + kTileColumns, top, ahead);
    if (plane == kS12) LoadTile(job.distorted, job, left + kTileColumns, top, other);
    WaveBarrier();
    for (int column = 0; column < kTileColumns; column += kBlurSpan) {
      VMAFX_UNROLL
      for (int i = 0; i < kBlurSpan; ++i) tile[lane][column + i] = Step(line, i, tile[lane][column + i]);
    }
    WaveBarrier();
    for (int i = 0; i < kTileRows * kTileColumns / 32; ++i) {
      const int n = i * 32 + lane;
      const int column = n % kTileColumns, row = n / kTileColumns;
      const int x = left + column - kBlurLead, y = top + row;
      if (active && x >= 0 && x < job.width && y < job.height)
        out[static_cast<int64_t>(y) * job.width + x] = tile[row][column];
    }
    WaveBarrier();
  }
}

}  // namespace vmafx::ssimulacra2::recursive
#endif  // VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_ROWS_H_
