// SPDX-License-Identifier: BSD-2-Clause-Patent
// What device.cc files hand to kernels. Host only.
#ifndef VMAFX_METRICS_DEVICE_COMPONENT_H_
#define VMAFX_METRICS_DEVICE_COMPONENT_H_

#include "core/metrics/kernel_component.h"
#include "core/metrics/metric.h"

namespace vmafx {

inline KernelComponent ToKernel(const Component& c) {
  return {reinterpret_cast<uintptr_t>(c.data),
          c.stride,
          static_cast<int32_t>(c.step),
          c.width,
          c.height,
          c.bytes,
          c.shift,
          c.lift};
}

}  // namespace vmafx
#endif  // VMAFX_METRICS_DEVICE_COMPONENT_H_
