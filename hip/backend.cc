// SPDX-License-Identifier: BSD-2-Clause-Patent
// backend=hip in the table of backends.
#include "core/engine/backends.h"
#include "core/engine/device_backend.h"
#include "hip/device.h"
#include "hip/driver.h"
#include "hip/modules.h"
#include "hip/select.h"

namespace vmafx {
namespace {

Status CheckHip(const Plan& plan) {
  const hip::Driver* driver = nullptr;
  VMAFX_RETURN_IF_ERROR(hip::LoadDriver(&driver));
  hip::Gpu gpu;
  VMAFX_RETURN_IF_ERROR(hip::SelectGpu(*driver, plan.device, plan.frames_on, &gpu));
  // The frames may yet be on another GPU than the first.
  if (plan.device.empty() && plan.frames_on.empty()) return {};
  for (const Metric* metric : plan.metrics) VMAFX_RETURN_IF_ERROR(hip::CheckArchitecture(gpu, metric->info().name));
  return {};
}

std::unique_ptr<Backend> MakeHip(const Plan& plan, Status* status) {
  const hip::Driver* driver = nullptr;
  std::unique_ptr<Device> device;
  *status = hip::LoadDriver(&driver);
  if (status->ok()) *status = hip::MakeDevice(*driver, plan.device, plan.frames_on, &device);
  if (!status->ok()) return nullptr;
  return MakeDeviceBackend(plan, std::move(device), status);
}

}  // namespace

BackendEntry HipBackendEntry() {
  static const std::string description = std::string("AMD GPUs: ") + hip::CodeObjectArchitectures();
  return {{"hip", description.c_str(), 1}, VMAFX_MEMORY_DMABUF, true, kDeviceQueue, CheckHip, MakeHip};
}

}  // namespace vmafx
