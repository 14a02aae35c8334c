// SPDX-License-Identifier: BSD-2-Clause-Patent
// How device.cc launches the kernels of the profile "recursive".
#ifndef VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_ARGUMENTS_H_
#define VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_ARGUMENTS_H_

#include "core/metrics/kernel_component.h"
#include "core/metrics/ssimulacra2/kernel_planes.h"
#include "core/metrics/ssimulacra2/recursive/definition.h"

namespace vmafx::ssimulacra2::recursive {

// ---- ssimulacra2_recursive_front: samples to XYB at every scale

struct FrontPicture {
  KernelComponent component[3];
  Conversion conversion;
  int32_t shift_x, shift_y;  // of chroma
};

struct FrontArguments {
  FrontPicture picture[2];
  ScalePlanes scale[kMaxScales];
  int32_t scales;
  uint64_t table;  // kTransferTable
};

// ---- ssimulacra2_recursive_rows, ssimulacra2_recursive_columns: XYB to blurs

// Planes of a job, `width` floats a row, one after another. Blurs come first; a term, a double, then takes the place of
// two of them: its high word in the first.
enum WorkPlane { kM1, kM2, kS11, kS22, kS12, kWorkPlanes };
constexpr int kEdgePlanes = 2;  // a job without ssim has m1 and m2 only
constexpr int kEdgeHigh = kM1, kEdgeLow = kM2;
constexpr int kSsimHigh = kS11, kSsimLow = kS22;

// One channel at one scale.
struct BlurJob {
  uint64_t reference, distorted;
  uint64_t work;
  int32_t width, height, pitch;
  int32_t planes;  // kEdgePlanes or kWorkPlanes
  int32_t first_rows_block, first_columns_block, first_terms_block;
  int32_t chunks;
  int32_t first_chunk;  // of its first sum; those of its other sums follow
  uint32_t needed;      // bit n: sum n
};

// The first scale is measured on its own, the others together: both use the same memory for work planes.
constexpr int kJobs = (kMaxScales - 1) * kChannels;

struct BlurArguments {
  BlurJob job[kJobs];
  int32_t jobs;
};

// Rows: each group of 32 lanes blurs kTileRows rows of one plane.
constexpr int kTileRows = 16;
constexpr int kRowsThreads = 64;
constexpr int kRowsGroups = kRowsThreads / 32;

// Columns: each group of 32 lanes blurs 32 columns of one plane.
constexpr int kColumnsThreads = 64;
constexpr int kColumnsGroups = kColumnsThreads / 32;

// ---- ssimulacra2_recursive_terms, _plans, _increments, _walk: blurs to terms to sums (core/numeric/ordered_sum.h)

constexpr int kChunk = 1024;  // terms
constexpr int kChunkThreads = 128;
constexpr int kChunkGroups = kChunkThreads / 32;  // a chunk for each
constexpr int kMaxWalkThreads = 256;

// Terms: a group of 32 lanes forms those of a chunk of a job's pixels.
struct TermsArguments {
  BlurArguments blur;
  uint64_t chunk_sums;  // approximate, doubles
};

// The terms of one kind of one job.
struct TermPlane {
  uint64_t high, low;
  int64_t count;
  int32_t chunks;
  int32_t first_block;
  int32_t first_chunk;  // of its first sum; those of its other sums follow
  uint32_t needed;      // bit n: sum n
};

struct PlaneSum {
  uint64_t result;  // a double
  int32_t plane;
  int32_t sum;
  int32_t first_chunk;
};

constexpr int kTermPlanes = 2 * kJobs;

struct SumArguments {
  TermPlane plane[kTermPlanes];
  int32_t planes;
  uint64_t chunk_sums;  // approximate, doubles
  uint64_t increments;
  uint64_t plans;
};

// Grid: sums. Block: a multiple of 64, at most kMaxWalkThreads.
struct WalkArguments {
  SumArguments terms;
  PlaneSum sum[kJobs * kSums];
};

}  // namespace vmafx::ssimulacra2::recursive
#endif  // VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_ARGUMENTS_H_
