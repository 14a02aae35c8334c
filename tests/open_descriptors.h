// SPDX-License-Identifier: BSD-2-Clause-Patent
// For tests that nothing is left open and nobody else's is closed.
#ifndef VMAFX_TESTS_OPEN_DESCRIPTORS_H_
#define VMAFX_TESTS_OPEN_DESCRIPTORS_H_

#include <dirent.h>

namespace vmafx::test {

// The number of this process's open descriptors, and a few that do not change.
inline int OpenDescriptors() {
  DIR* const folder = opendir("/proc/self/fd");
  int count = 0;
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

}  // namespace vmafx::test
#endif  // VMAFX_TESTS_OPEN_DESCRIPTORS_H_
