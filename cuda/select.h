// SPDX-License-Identifier: BSD-2-Clause-Patent
// Which GPU the option `device` means.
#ifndef VMAFX_CUDA_SELECT_H_
#define VMAFX_CUDA_SELECT_H_

#include <string>

#include "cuda/driver.h"

namespace vmafx::cuda {

// `text`: an index in the driver's order ("0"; "" is the first), a PCI address ("65:00.0", "0000:65:00.0", nvidia-smi's
// "00000000:65:00.0") or a UUID ("GPU-..." as nvidia-smi -L prints it). The error lists the GPUs there are.
Status SelectDevice(const Driver& driver, const std::string& text, CUdevice* device);

// "NVIDIA H200 (0000:65:00.0, compute capability 9.0)".
std::string DeviceName(const Driver& driver, CUdevice device);

}  // namespace vmafx::cuda
#endif  // VMAFX_CUDA_SELECT_H_
