// SPDX-License-Identifier: BSD-2-Clause-Patent
// A CUDA driver without a GPU: the functions of cuda::Driver over the host runner. The real host code of the CUDA backend
// runs on it, every call is written down, and any call can be made to fail.
#ifndef VMAFX_TESTS_CUDA_STAND_IN_DRIVER_H_
#define VMAFX_TESTS_CUDA_STAND_IN_DRIVER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "cuda/driver.h"

namespace vmafx::cuda {

struct DriverCall {
  std::string name;   // "MemcpyDtoHAsync"
  size_t bytes = 0;   // of copies and allocations
};

// The state behind the functions; one at a time.
struct StandIn {
  std::vector<DriverCall> calls;
  int failing_call = 0;  // counted from 1 over `calls`; 0: none
  CUresult failure = static_cast<CUresult>(719);  // CUDA_ERROR_LAUNCH_FAILED
  bool lost = false;     // every later call fails as well
  CUresult init = CUDA_SUCCESS;
  int devices = 2;
  int context_depth = 0;  // pushes less pops
  int live = 0;           // streams, events, modules, allocations and retained contexts not given back
};

StandIn& TheStandIn();
// Forgets everything; nothing made before may be in use.
void ResetStandIn();
const Driver& StandInDriver();

}  // namespace vmafx::cuda
#endif  // VMAFX_TESTS_CUDA_STAND_IN_DRIVER_H_
