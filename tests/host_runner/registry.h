// SPDX-License-Identifier: BSD-2-Clause-Patent
// The kernels compiled into a test program, found by module and name as a driver finds those of a loaded module.
#ifndef VMAFX_TESTS_HOST_RUNNER_REGISTRY_H_
#define VMAFX_TESTS_HOST_RUNNER_REGISTRY_H_

#include <cstddef>
#include <string>
#include <vector>

#include "core/engine/device.h"

namespace vmafx::host_runner {

struct HostKernel final : Kernel {
  std::string module;
  std::string name;
  size_t argument_bytes = 0;
  int max_threads = 0;
  void (*run)(const void* arguments) = nullptr;
};

// Null when there is none.
const HostKernel* FindHostKernel(const std::string& module, const std::string& name);
const std::vector<const HostKernel*>& HostKernels();

// At program start, by VMAFX_KERNEL.
class Registration {
 public:
  Registration(const char* module, const char* name, size_t argument_bytes, int max_threads,
               void (*run)(const void* arguments));

 private:
  HostKernel kernel_;
};

}  // namespace vmafx::host_runner
#endif  // VMAFX_TESTS_HOST_RUNNER_REGISTRY_H_
