// SPDX-License-Identifier: BSD-2-Clause-Patent
// How device.cc launches the kernel of psnr.
#ifndef VMAFX_METRICS_PSNR_KERNEL_ARGUMENTS_H_
#define VMAFX_METRICS_PSNR_KERNEL_ARGUMENTS_H_

#include "core/metrics/kernel_component.h"

namespace vmafx::psnr {

inline constexpr int kBlockRows = 8;  // a group of 32 lanes for each

// Grid: rows of the tallest component / kBlockRows, measured components. Block: 32 * kBlockRows.
struct SumArguments {
  KernelComponent reference[3];
  KernelComponent distorted[3];
  uint64_t sse;  // DeviceAddress of Sums, zero before
};

}  // namespace vmafx::psnr
#endif  // VMAFX_METRICS_PSNR_KERNEL_ARGUMENTS_H_
