// SPDX-License-Identifier: BSD-2-Clause-Patent
#ifndef VMAFX_METRICS_FLOAT_PSNR_CPU_H_
#define VMAFX_METRICS_FLOAT_PSNR_CPU_H_

#include <memory>

#include "core/metrics/metric.h"

namespace vmafx::float_psnr {

std::unique_ptr<CpuExtractor> MakeCpuExtractor(const PairFormat& format, bool uncapped, Workers& workers);

}  // namespace vmafx::float_psnr
#endif  // VMAFX_METRICS_FLOAT_PSNR_CPU_H_
