// SPDX-License-Identifier: BSD-2-Clause-Patent
// The table of backends. A new one: its top-level folder, one declaration and one line in backends.cc.
#ifndef VMAFX_ENGINE_BACKENDS_H_
#define VMAFX_ENGINE_BACKENDS_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/engine/backend.h"
#include "core/engine/status.h"
#include "vmafx/vmafx.h"

namespace vmafx {

struct BackendEntry {
  vmafx_backend_info info;
  // The memory that backend=auto chooses this backend for. No two built entries have the same.
  vmafx_memory memory;
  // Whether pictures in host memory are taken (and uploaded) as well.
  bool takes_host_memory;
  // Pairs in flight where the plan leaves it to the backend.
  size_t default_queue;
  // Whether the backend can be had: driver, device. Null where info.built is 0.
  Status (*check)(const Plan& plan);
  // Called at the first pair. Null and *status on an error.
  std::unique_ptr<Backend> (*make)(const Plan& plan, Status* status);
};

// In order of listing; all that the library knows, built or not.
std::span<const BackendEntry> Backends();
// Null when unknown.
const BackendEntry* FindBackend(std::string_view name);
// The built one for frames in this memory, null when there is none.
const BackendEntry* BackendFor(vmafx_memory memory);
// "cpu, cuda", of the built ones.
std::string BuiltBackends();

}  // namespace vmafx
#endif  // VMAFX_ENGINE_BACKENDS_H_
