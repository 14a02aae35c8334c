// SPDX-License-Identifier: BSD-2-Clause-Patent
// The backend of every device: pairs are enqueued in order and read back later, one small block for each. The host waits
// only where the caller asks for the oldest pair. Frames in device memory are read where they lie, after what was enqueued
// on their producer's stream, and held until then; frames in host memory are copied to pinned memory at once, given back,
// and uploaded beside the computation.
#ifndef VMAFX_ENGINE_DEVICE_BACKEND_H_
#define VMAFX_ENGINE_DEVICE_BACKEND_H_

#include <memory>

#include "core/engine/backend.h"
#include "core/engine/device.h"
#include "core/engine/device_program.h"

namespace vmafx {

// Pairs in flight where the plan does not say.
inline constexpr size_t kDeviceQueue = 4;

// Null and *status on an error. `device` belongs to plan.context where there is one.
std::unique_ptr<Backend> MakeDeviceBackend(const Plan& plan, std::unique_ptr<Device> device, Status* status,
                                           size_t two_lanes_scratch = kTwoLanesScratch);

}  // namespace vmafx
#endif  // VMAFX_ENGINE_DEVICE_BACKEND_H_
