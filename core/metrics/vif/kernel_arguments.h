// SPDX-License-Identifier: BSD-2-Clause-Patent
// How device.cc launches the kernels of vif: one for each scale, which measures it and makes the next one.
#ifndef VMAFX_METRICS_VIF_KERNEL_ARGUMENTS_H_
#define VMAFX_METRICS_VIF_KERNEL_ARGUMENTS_H_

#include "core/metrics/kernel_component.h"

namespace vmafx::vif {

inline constexpr int kBlockThreads = 256;  // one for each column that the vertical filter is applied to
inline constexpr int kStripRows = 8;       // rows that a block makes at a time; even

// Columns that a block measures: those whose window lies inside its own, in groups of 4. The tiles of a scale are
// BlockColumns(half) wide and strips * kStripRows high.
constexpr int BlockColumns(int half) { return (kBlockThreads - 2 * half) / 4 * 4; }

// A reduced scale: the two pictures' samples in one word, reference | distorted << 16.
struct Packed {
  uint64_t data;  // DeviceAddress
  int32_t pitch;  // words from row to row
  int32_t width;
  int32_t height;
};

struct ScaleArguments {
  KernelComponent reference;  // scale 0
  KernelComponent distorted;
  Packed packed;   // the other scales
  Packed reduced;  // where the next scale goes; no data: nowhere
  uint64_t log_words;  // DeviceAddress of kLogWords words (log_steps.h)
  uint64_t sums;       // DeviceAddress of Sums, zero before
  double gain_limit;
  int32_t width;
  int32_t height;
  int32_t depth;
  int32_t strips;   // of each block
  int32_t measure;  // 0: only the next scale is made
};

}  // namespace vmafx::vif
#endif  // VMAFX_METRICS_VIF_KERNEL_ARGUMENTS_H_
