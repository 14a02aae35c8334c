// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a code object says about itself: an ELF file for one architecture, each kernel with a descriptor of 64 bytes
// named "<kernel>.kd" (LLVM's "User Guide for AMDGPU Backend", Code Object).
#ifndef VMAFX_HIP_CODE_OBJECT_H_
#define VMAFX_HIP_CODE_OBJECT_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace vmafx::hip {

struct CodeObjectKernel {
  std::string name;
  int wave_size = 0;  // 32 or 64: threads of a wave that it was compiled for
};

// The kernels in the order of the symbol table; none where `image` is no code object.
std::vector<CodeObjectKernel> KernelsOf(std::span<const std::byte> image);

}  // namespace vmafx::hip
#endif  // VMAFX_HIP_CODE_OBJECT_H_
