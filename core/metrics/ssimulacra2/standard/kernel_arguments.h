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

struct FrontPicture {
  KernelComponent component[3];
  Conversion conversion;
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
  int32_t first_tile;
  uint32_t needed;  // bit n: sum n
};

constexpr int kJobs = kMaxScales * kChannels;

struct CellsArguments {
  CellsJob job[kJobs];
  int32_t jobs;
  int32_t steps;
};

// ---- ssimulacra2_standard_sums: sums of cells to sums of planes
// Grid: sums. Block: kSumsThreads.

constexpr int kSumsThreads = 256;

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
