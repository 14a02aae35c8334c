// SPDX-License-Identifier: BSD-2-Clause-Patent
// The stand-in for libamdhip64 as a test sees it: loaded by the library's own loader from LD_LIBRARY_PATH, then looked
// into.
#ifndef VMAFX_TESTS_HIP_STAND_IN_LIBRARY_H_
#define VMAFX_TESTS_HIP_STAND_IN_LIBRARY_H_

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "hip/driver.h"
#include "tests/hip/stand_in_hip.h"

namespace vmafx::hip {

// A function of the library that LoadDriver() has found; ends the program when that is none of ours.
template <class Pointer>
Pointer StandInFunction(const char* name) {
  const Driver* driver = nullptr;
  (void)LoadDriver(&driver);
  void* const library = driver->library.empty() ? nullptr : dlopen(driver->library.c_str(), RTLD_NOW | RTLD_NOLOAD);
  void* const function = library != nullptr ? dlsym(library, name) : nullptr;
  if (function == nullptr) {
    std::fprintf(stderr, "the library found is not the stand-in: run this through Meson, which sets LD_LIBRARY_PATH\n");
    std::exit(1);
  }
  dlclose(library);  // LoadDriver() keeps it open
  return reinterpret_cast<Pointer>(function);
}

inline StandIn& TheStandIn() {
  static const auto state = StandInFunction<StandInState>(kStandInState);
  return state();
}

inline void ResetStandIn() {
  static const auto reset = StandInFunction<StandInReset>(kStandInReset);
  reset();
}

}  // namespace vmafx::hip
#endif  // VMAFX_TESTS_HIP_STAND_IN_LIBRARY_H_
