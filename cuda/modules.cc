// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "cuda/modules.h"

// VMAFX_CUDA_MODULES(X): X(name) for each metric. By meson.build.
#include "cuda_modules.h"

// In the assembler files that tools/embed.py writes.
#define VMAFX_DECLARE_MODULE(name) extern "C" const unsigned char vmafx_cuda_##name[];
VMAFX_CUDA_MODULES(VMAFX_DECLARE_MODULE)
#undef VMAFX_DECLARE_MODULE

namespace vmafx::cuda {

std::span<const ModuleImage> ModuleImages() {
#define VMAFX_LIST_MODULE(name) {#name, vmafx_cuda_##name},
  static const ModuleImage images[] = {VMAFX_CUDA_MODULES(VMAFX_LIST_MODULE)};
#undef VMAFX_LIST_MODULE
  return images;
}

const char* ModuleArchitectures() { return VMAFX_CUDA_ARCHITECTURES; }
const char* ModuleCompiler() { return VMAFX_CUDA_COMPILER; }

}  // namespace vmafx::cuda
