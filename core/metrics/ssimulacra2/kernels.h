// SPDX-License-Identifier: BSD-2-Clause-Patent
// The kernels of both profiles.
#ifndef VMAFX_METRICS_SSIMULACRA2_KERNELS_H_
#define VMAFX_METRICS_SSIMULACRA2_KERNELS_H_

#include "core/metrics/kernel.h"
//
#include "core/metrics/ssimulacra2/recursive/kernels.h"
#include "core/metrics/ssimulacra2/standard/kernels.h"

#endif  // VMAFX_METRICS_SSIMULACRA2_KERNELS_H_
