// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/engine/backends.h"

#include <vector>

#include "core/engine/abi.h"

namespace vmafx {

BackendEntry CpuBackendEntry();  // core/engine/cpu_backend.cc
#ifdef VMAFX_WITH_CUDA
BackendEntry CudaBackendEntry();  // cuda/
#endif
#ifdef VMAFX_WITH_HIP
BackendEntry HipBackendEntry();  // hip/
#endif

namespace {

#if !defined(VMAFX_WITH_CUDA) || !defined(VMAFX_WITH_HIP)
BackendEntry NotBuilt(const char* name, const char* why, vmafx_memory memory) {
  return {{name, why, 0}, memory, false, 0, nullptr, nullptr};
}
#endif

std::vector<BackendEntry> MakeTable() {
  return {
      CpuBackendEntry(),
#ifdef VMAFX_WITH_CUDA
      CudaBackendEntry(),
#else
      NotBuilt("cuda", "off: this build of libvmafx has no CUDA kernels (no nvcc was found)", VMAFX_MEMORY_CUDA),
#endif
#ifdef VMAFX_WITH_HIP
      HipBackendEntry(),
#else
      NotBuilt("hip", "off: this build of libvmafx has no HIP kernels", VMAFX_MEMORY_DMABUF),
#endif
  };
}

}  // namespace

std::span<const BackendEntry> Backends() {
  static const std::vector<BackendEntry> table = MakeTable();
  return table;
}

const BackendEntry* FindBackend(std::string_view name) {
  for (const BackendEntry& entry : Backends())
    if (entry.info.name == name) return &entry;
  return nullptr;
}

const BackendEntry* BackendFor(vmafx_memory memory) {
  for (const BackendEntry& entry : Backends())
    if (entry.info.built && entry.memory == memory) return &entry;
  return nullptr;
}

std::string BuiltBackends() {
  std::string names;
  for (const BackendEntry& entry : Backends())
    if (entry.info.built) names += (names.empty() ? "" : ", ") + std::string(entry.info.name);
  return names;
}

}  // namespace vmafx

extern "C" {

size_t vmafx_backend_count(void) {
  size_t count = 0;  // where memory for the table is short
  (void)vmafx::Guard(nullptr, [&] {
    count = vmafx::Backends().size();
    return VMAFX_OK;
  });
  return count;
}

const vmafx_backend_info* vmafx_backend_get(size_t index) {
  return index < vmafx_backend_count() ? &vmafx::Backends()[index].info : nullptr;
}

}  // extern "C"
