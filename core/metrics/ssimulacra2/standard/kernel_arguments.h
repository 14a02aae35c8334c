// SPDX-License-Identifier: BSD-2-Clause-Patent
// How device.cc launches the kernels of the profile `standard`.
#ifndef VMAFX_METRICS_SSIMULACRA2_STANDARD_KERNEL_ARGUMENTS_H_
#define VMAFX_METRICS_SSIMULACRA2_STANDARD_KERNEL_ARGUMENTS_H_

#include "core/metrics/kernel_component.h"
#include "core/metrics/ssimulacra2/kernel_planes.h"
#include "core/metrics/ssimulacra2/standard/definition.h"

namespace vmafx::ssimulacra2::standard {

// ---- ssimulacra2_standard_front: samples to XYB at every scale

enum ColorModel : int32_t { kYcc, kRgb, kGrey };

// TapsAt() along one axis for the positions 2k and 2k + 1: with the samples c[0..2] that begin at index step * k of the
// tile, (even0 * c[0] + even1 * c[1]) and (odd0 * c[1] + odd1 * c[2]).
struct PairTaps {
  int32_t step;
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

struct FrontPicture {
  KernelComponent component[3];
  Conversion conversion;
  PairTaps taps_x, taps_y;
  int32_t model;
};

struct FrontArguments {
  FrontPicture picture[2];
  ScalePlanes scale[kMaxScales];
  int32_t scales;
  uint64_t table;  // kTransferTable
};

// ---- ssimulacra2_standard_cells: XYB to sums of cells
// Grid: the tiles of all jobs. Block: kCellsThreads; each group of 32 lanes measures a strip of one cell's width and
// `steps` cells' height.

constexpr int kCellsThreads = 64;
constexpr int kStrips = kCellsThreads / kCellWidth;

// One channel at one scale. Cell sums lie by sum, column of cells, row of cells.
struct CellsJob {
  uint64_t reference, distorted;
  uint64_t cells;
  int32_t width, height, pitch;
  int32_t cell_columns, cell_rows;
  int32_t tiles_per_row;
  uint32_t needed;  // bit n: sum n
};

constexpr int kJobs = kMaxScales * kChannels;

struct CellsArguments {
  CellsJob job[kJobs];
  int32_t first_tile[kJobs];  // of each job, kNoTile where there is none; together, as every block looks through them
  int32_t steps;
};

constexpr int32_t kNoTile = 0x7fffffff;

// ---- ssimulacra2_standard_sums: sums of cells to sums of planes
// Grid: sums. Block: kSumsThreads.

constexpr int kSumsThreads = 512;

struct PlaneSum {
  uint64_t cells;
  uint64_t result;  // a double
  int32_t cell_columns, cell_rows;
};

struct SumsArguments {
  PlaneSum sum[kJobs * kSums];
};

}  // namespace vmafx::ssimulacra2::standard
#endif  // VMAFX_METRICS_SSIMULACRA2_STANDARD_KERNEL_ARGUMENTS_H_
