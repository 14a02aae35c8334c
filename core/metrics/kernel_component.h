// SPDX-License-Identifier: BSD-2-Clause-Patent
// One component of a picture as a kernel gets it: the layout of Component (core/metrics/metric.h) with fixed-width fields.
// Big-endian words never reach a device: the engine swaps them when it uploads them.
#ifndef VMAFX_METRICS_KERNEL_COMPONENT_H_
#define VMAFX_METRICS_KERNEL_COMPONENT_H_

#include <stdint.h>

namespace vmafx {

struct KernelComponent {
  uint64_t data;  // a DeviceAddress
  int64_t stride;
  int32_t step;
  int32_t width;
  int32_t height;
  int32_t bytes;
  int32_t shift;
  int32_t lift;
};

}  // namespace vmafx
#endif  // VMAFX_METRICS_KERNEL_COMPONENT_H_
