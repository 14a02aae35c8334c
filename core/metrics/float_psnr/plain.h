// SPDX-License-Identifier: BSD-2-Clause-Patent
#ifndef VMAFX_METRICS_FLOAT_PSNR_PLAIN_H_
#define VMAFX_METRICS_FLOAT_PSNR_PLAIN_H_

#include "core/metrics/metric.h"

namespace vmafx::float_psnr {

// The mean squared difference of luma in units of 8-bit samples: the sequential floating-point loops of the definition.
double PlainNoise(const PairView& pair, int depth);

}  // namespace vmafx::float_psnr
#endif  // VMAFX_METRICS_FLOAT_PSNR_PLAIN_H_
