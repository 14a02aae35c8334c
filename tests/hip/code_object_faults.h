// SPDX-License-Identifier: BSD-2-Clause-Patent
// What is wrong with a code object for AMD, as far as a file shows (LLVM's "User Guide for AMDGPU Backend").
#ifndef VMAFX_TESTS_HIP_CODE_OBJECT_FAULTS_H_
#define VMAFX_TESTS_HIP_CODE_OBJECT_FAULTS_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace vmafx::test {

// One line for each fault of a metric's kernels, compiled for an architecture whose waves have `wave_size` threads. The
// kernels, their arguments and largest blocks shall be those that the host runner has; each is compiled for such waves,
// keeps subnormal numbers, rounds to nearest and takes at most 48 KiB of shared memory; the object is of version 4 and
// loads with any setting of xnack and sramecc.
std::vector<std::string> CodeObjectFaults(std::span<const std::byte> object, const std::string& metric,
                                          const std::string& architecture, int wave_size);

// For the log: bytes of scratch memory of each thread, for the kernels that have any.
std::string ScratchOf(std::span<const std::byte> object);

}  // namespace vmafx::test
#endif  // VMAFX_TESTS_HIP_CODE_OBJECT_FAULTS_H_
