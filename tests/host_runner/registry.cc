// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "tests/host_runner/registry.h"

namespace vmafx::host_runner {
namespace {

std::vector<const HostKernel*>& Table() {
  static std::vector<const HostKernel*> table;
  return table;
}

}  // namespace

Registration::Registration(const char* module, const char* name, size_t argument_bytes, int max_threads,
                           void (*run)(const void* arguments)) {
  kernel_.module = module;
  kernel_.name = name;
  kernel_.argument_bytes = argument_bytes;
  kernel_.max_threads = max_threads;
  kernel_.run = run;
  Table().push_back(&kernel_);
}

const HostKernel* FindHostKernel(const std::string& module, const std::string& name) {
  for (const HostKernel* kernel : Table())
    if (kernel->module == module && kernel->name == name) return kernel;
  return nullptr;
}

const std::vector<const HostKernel*>& HostKernels() { return Table(); }

}  // namespace vmafx::host_runner
