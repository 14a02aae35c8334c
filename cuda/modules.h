// SPDX-License-Identifier: BSD-2-Clause-Patent
// The kernels of each metric, as nvcc left them: fat binaries embedded in the library.
#ifndef VMAFX_CUDA_MODULES_H_
#define VMAFX_CUDA_MODULES_H_

#include <span>

namespace vmafx::cuda {

struct ModuleImage {
  const char* name;  // the metric's folder
  const void* data;
};

std::span<const ModuleImage> ModuleImages();

// For messages: "sm_75, ..., PTX for newer ones" and nvcc's version.
const char* ModuleArchitectures();
const char* ModuleCompiler();

}  // namespace vmafx::cuda
#endif  // VMAFX_CUDA_MODULES_H_
