// SPDX-License-Identifier: BSD-2-Clause-Patent
#ifndef VMAFX_HIP_DEVICE_H_
#define VMAFX_HIP_DEVICE_H_

#include <memory>
#include <string>

#include "core/engine/device.h"
#include "hip/driver.h"
#include "hip/select.h"

namespace vmafx::hip {

// A device over the GPU that the option and the frames mean (SelectGpu).
Status MakeDevice(const Driver& driver, const std::string& selection, const std::string& frames_on,
                  std::unique_ptr<Device>* device);

// Whether this build has the metric's kernels for the GPU's architecture. The error names the architecture and those
// there are.
Status CheckArchitecture(const Gpu& gpu, const std::string& metric);

}  // namespace vmafx::hip
#endif  // VMAFX_HIP_DEVICE_H_
