// SPDX-License-Identifier: BSD-2-Clause-Patent
#ifndef VMAFX_METRICS_PSNR_AGGREGATE_H_
#define VMAFX_METRICS_PSNR_AGGREGATE_H_

#include <memory>

#include "core/metrics/metric.h"
#include "core/metrics/psnr/score.h"

namespace vmafx::psnr {

// apsnr: the psnr of a whole stream, from the squared errors and the samples of all its pairs.
std::unique_ptr<Aggregator> MakeApsnr(const Settings& settings);

}  // namespace vmafx::psnr
#endif  // VMAFX_METRICS_PSNR_AGGREGATE_H_
