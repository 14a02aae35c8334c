// SPDX-License-Identifier: BSD-2-Clause-Patent
// A heap that runs out when a test says so: operator new of the whole program and, where the C library lets a program
// replace it, malloc(), which libraries call as well.
#ifndef VMAFX_TESTS_FUZZ_FAILING_MEMORY_H_
#define VMAFX_TESTS_FUZZ_FAILING_MEMORY_H_

#include <cstdint>

namespace vmafx::fuzz {

enum class Shortage {
  kOnce,     // one allocation fails
  kForGood,  // it fails and so do all after it
};

// From now on the allocation `after` the next ones fails, on whichever thread it comes.
void RunOutOfMemory(uint64_t after, Shortage shortage);

// All is well again. Whether an allocation has failed.
bool EndShortage();

}  // namespace vmafx::fuzz
#endif  // VMAFX_TESTS_FUZZ_FAILING_MEMORY_H_
