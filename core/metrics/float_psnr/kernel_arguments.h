// SPDX-License-Identifier: BSD-2-Clause-Patent
// How device.cc launches the kernels of float_psnr.
#ifndef VMAFX_METRICS_FLOAT_PSNR_KERNEL_ARGUMENTS_H_
#define VMAFX_METRICS_FLOAT_PSNR_KERNEL_ARGUMENTS_H_

#include "core/metrics/kernel_component.h"

namespace vmafx::float_psnr {

inline constexpr int kBlockRows = 8;  // a group of 32 lanes for each

// Grid: rows / kBlockRows. Block: 32 * kBlockRows.
struct RowArguments {
  KernelComponent reference;
  KernelComponent distorted;
  uint64_t rows;  // DeviceAddress of one uint64_t for each row
};

}  // namespace vmafx::float_psnr
#endif  // VMAFX_METRICS_FLOAT_PSNR_KERNEL_ARGUMENTS_H_
