// SPDX-License-Identifier: BSD-2-Clause-Patent
// The stand-in for libamdhip64 as a test sees it: loaded by the library's own loader from LD_LIBRARY_PATH, then looked
// into.
#ifndef VMAFX_TESTS_HIP_STAND_IN_LIBRARY_H_
#define VMAFX_TESTS_HIP_STAND_IN_LIBRARY_H_

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "hip/driver.h"
#include "tests/hip/stand_in_hip.h"

namespace vmafx::hip {

// A function of a library that is loaded; ends the program when that is none of ours.
template <class Pointer>
Pointer StandInFunction(const std::string& library_name, const char* name) {
  void* const library = library_name.empty() ? nullptr : dlopen(library_name.c_str(), RTLD_NOW | RTLD_NOLOAD);
  void* const function = library != nullptr ? dlsym(library, name) : nullptr;
  if (function == nullptr) {
    std::fprintf(stderr, "the library found is not the stand-in: run this through Meson, which sets LD_LIBRARY_PATH\n");
    std::exit(1);
  }
  dlclose(library);  // OpenDriver() keeps it open
  return reinterpret_cast<Pointer>(function);
}

// The name of the library that LoadDriver() has found.
inline std::string LoadedLibrary() {
  const Driver* driver = nullptr;
  (void)LoadDriver(&driver);
  return driver->file;
}

inline StandIn& TheStandIn() {
  static const auto state = StandInFunction<StandInState>(LoadedLibrary(), kStandInState);
  return state();
}

inline void ResetStandIn() {
  static const auto reset = StandInFunction<StandInReset>(LoadedLibrary(), kStandInReset);
  reset();
}

}  // namespace vmafx::hip
#endif  // VMAFX_TESTS_HIP_STAND_IN_LIBRARY_H_
