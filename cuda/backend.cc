// SPDX-License-Identifier: BSD-2-Clause-Patent
// backend=cuda in the table of backends.
#include "core/engine/backends.h"
#include "core/engine/device_backend.h"
#include "cuda/device.h"
#include "cuda/driver.h"
#include "cuda/modules.h"
#include "cuda/select.h"

namespace vmafx {
namespace {

Status CheckCuda(const Plan& plan) {
  const cuda::Driver* driver = nullptr;
  VMAFX_RETURN_IF_ERROR(cuda::LoadDriver(&driver));
  CUdevice device = 0;
  return cuda::SelectDevice(*driver, plan.device, &device);
}

std::unique_ptr<Backend> MakeCuda(const Plan& plan, Status* status) {
  const cuda::Driver* driver = nullptr;
  std::unique_ptr<Device> device;
  *status = cuda::LoadDriver(&driver);
  if (status->ok()) *status = cuda::MakeDevice(*driver, static_cast<CUcontext>(plan.context), plan.device, &device);
  if (!status->ok()) return nullptr;
  return MakeDeviceBackend(plan, std::move(device), status);
}

}  // namespace

BackendEntry CudaBackendEntry() {
  static const std::string description = std::string("NVIDIA GPUs: ") + cuda::ModuleArchitectures();
  return {{"cuda", description.c_str(), 1}, VMAFX_MEMORY_CUDA, true, kDeviceQueue, CheckCuda, MakeCuda};
}

}  // namespace vmafx
