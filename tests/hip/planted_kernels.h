// SPDX-License-Identifier: BSD-2-Clause-Patent
// Kernels that check_ir.py must refuse: each breaks a rule of core/metrics/kernel.h.
#ifndef VMAFX_TESTS_HIP_PLANTED_KERNELS_H_
#define VMAFX_TESTS_HIP_PLANTED_KERNELS_H_

#include "core/metrics/kernel.h"

extern "C" __attribute__((device)) float Outside(float);

struct PlantedArguments {
  uint64_t values;
};

// Fused elsewhere than in Fma().
VMAFX_KERNEL(planted_fma, PlantedArguments, 64, 1) {
  float* const values = vmafx::Memory<float>(arguments.values);
  values[0] = __builtin_fmaf(values[0], values[1], values[2]);
}

VMAFX_KERNEL(planted_approximation, PlantedArguments, 64, 1) {
  float* const values = vmafx::Memory<float>(arguments.values);
  values[0] = __builtin_amdgcn_rcpf(values[0]);
}

VMAFX_KERNEL(planted_call, PlantedArguments, 64, 1) {
  float* const values = vmafx::Memory<float>(arguments.values);
  values[0] = Outside(values[0]);
}

#endif  // VMAFX_TESTS_HIP_PLANTED_KERNELS_H_
