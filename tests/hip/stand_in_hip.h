// SPDX-License-Identifier: BSD-2-Clause-Patent
// libamdhip64 without a GPU: a shared library with the functions of hip/driver.h over the host runner, so that the real
// host code runs, from dlopen() on. What it adds to a driver's manners:
//  - Streams are lazy. A command runs when something waits for it and no sooner, so a skipped wait gives wrong values.
//  - A code object is loaded as the library holds it: the architecture must be the GPU's, the kernels are those of the
//  host
//    runner with the names of its descriptors, and they run with the descriptors' wave size.
//  - External memory is mapped from a copy of the descriptor; the caller's stays open and its own.
//  - Every call is written down, and any one can be made to fail.
// Built twice: as ROCm 7 has it, and as ROCm 5, without what came later.
#ifndef VMAFX_TESTS_HIP_STAND_IN_HIP_H_
#define VMAFX_TESTS_HIP_STAND_IN_HIP_H_

#include <cstddef>
#include <string>
#include <vector>

#include "hip/driver.h"

namespace vmafx::hip {

struct StandInCall {
  std::string name;  // "MemcpyAsync"
  size_t bytes = 0;  // of copies, allocations and imports
  int device = 0;    // the calling thread's current one
};

struct StandIn {
  std::vector<StandInCall> calls;
  int failing_call = 0;  // counted from 1 over `calls`; 0: none
  Error failure = kErrorLaunchFailure;
  bool lost = false;  // every later call fails as well
  int devices = 2;
  std::string architecture;  // of the GPUs: gfx90a (waves of 64) or gfx1100 (of 32); from $VMAFX_STAND_IN_ARCHITECTURE
  int reported_wave_size = 0;       // 0: the architecture's
  bool divided = false;             // the GPUs are parts of one, at one PCI address
  bool maps_nothing = false;        // mapping external memory succeeds and gives no address
  int live = 0;                     // streams, events, modules, allocations, imports and mappings not given back
  std::vector<std::string> misuse;  // what a driver may not forgive: a stream of another GPU, memory freed twice
};

// The library's two entry points beside HIP's; look them up with dlsym().
using StandInState = StandIn& (*)();
using StandInReset = void (*)();  // forgets everything; nothing made before may be in use
inline constexpr char kStandInState[] = "vmafx_stand_in_state";
inline constexpr char kStandInReset[] = "vmafx_stand_in_reset";

}  // namespace vmafx::hip
#endif  // VMAFX_TESTS_HIP_STAND_IN_HIP_H_
