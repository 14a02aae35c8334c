// SPDX-License-Identifier: BSD-2-Clause-Patent
#ifndef VMAFX_CUDA_DEVICE_H_
#define VMAFX_CUDA_DEVICE_H_

#include <memory>
#include <string>

#include "core/engine/device.h"
#include "cuda/driver.h"

namespace vmafx::cuda {

// A device over the frames' own context, or, where `context` is null, over the primary context of the GPU that `selection`
// names (SelectDevice). The context must outlive the device.
Status MakeDevice(const Driver& driver, CUcontext context, const std::string& selection, std::unique_ptr<Device>* device);

}  // namespace vmafx::cuda
#endif  // VMAFX_CUDA_DEVICE_H_
