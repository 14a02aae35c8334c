// SPDX-License-Identifier: BSD-2-Clause-Patent
// The profile "recursive" on a device. What is read back of a frame is its sums: 864 bytes.
#ifndef VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNELS_H_
#define VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNELS_H_

#include "core/metrics/ssimulacra2/recursive/kernel_columns.h"
#include "core/metrics/ssimulacra2/recursive/kernel_front.h"
#include "core/metrics/ssimulacra2/recursive/kernel_rows.h"
#include "core/metrics/ssimulacra2/recursive/kernel_sums.h"
#include "core/metrics/ssimulacra2/recursive/kernel_terms.h"

VMAFX_KERNEL(ssimulacra2_recursive_front, vmafx::ssimulacra2::recursive::FrontArguments, 256, 5) {
  vmafx::ssimulacra2::recursive::Front(arguments);
}

VMAFX_KERNEL(ssimulacra2_recursive_rows, vmafx::ssimulacra2::recursive::BlurArguments, 64, 8) {
  vmafx::ssimulacra2::recursive::BlurAlongRows(arguments);
}

VMAFX_KERNEL(ssimulacra2_recursive_columns, vmafx::ssimulacra2::recursive::BlurArguments, 64, 8) {
  vmafx::ssimulacra2::recursive::BlurAlongColumns(arguments);
}

VMAFX_KERNEL(ssimulacra2_recursive_terms, vmafx::ssimulacra2::recursive::TermsArguments, 128, 8) {
  vmafx::ssimulacra2::recursive::MeasureTerms(arguments);
}

VMAFX_KERNEL(ssimulacra2_recursive_plans, vmafx::ssimulacra2::recursive::WalkArguments, 256, 1) {
  vmafx::ssimulacra2::recursive::PlanChunks(arguments);
}

VMAFX_KERNEL(ssimulacra2_recursive_increments, vmafx::ssimulacra2::recursive::SumArguments, 128, 6) {
  vmafx::ssimulacra2::recursive::IncrementChunks(arguments);
}

VMAFX_KERNEL(ssimulacra2_recursive_walk, vmafx::ssimulacra2::recursive::WalkArguments, 256, 1) {
  vmafx::ssimulacra2::recursive::WalkChunks(arguments);
}

#endif  // VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNELS_H_
