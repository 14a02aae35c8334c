// SPDX-License-Identifier: BSD-2-Clause-Patent
#ifndef VMAFX_METRICS_PSNR_CPU_H_
#define VMAFX_METRICS_PSNR_CPU_H_

#include <memory>

#include "core/metrics/metric.h"
#include "core/metrics/psnr/score.h"

namespace vmafx::psnr {

std::unique_ptr<CpuExtractor> MakeCpuExtractor(const PairFormat& format, const Settings& settings, Workers& workers);

}  // namespace vmafx::psnr
#endif  // VMAFX_METRICS_PSNR_CPU_H_
