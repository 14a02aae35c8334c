// SPDX-License-Identifier: BSD-2-Clause-Patent
#ifndef VMAFX_METRICS_PSNR_PLAIN_H_
#define VMAFX_METRICS_PSNR_PLAIN_H_

#include "core/metrics/metric.h"
#include "core/metrics/psnr/definition.h"

namespace vmafx::psnr {

// The sums of the first `components` components, the others 0.
Sums PlainSums(const PairView& pair, int components);

}  // namespace vmafx::psnr
#endif  // VMAFX_METRICS_PSNR_PLAIN_H_
