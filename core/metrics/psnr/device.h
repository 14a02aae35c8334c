// SPDX-License-Identifier: BSD-2-Clause-Patent
#ifndef VMAFX_METRICS_PSNR_DEVICE_H_
#define VMAFX_METRICS_PSNR_DEVICE_H_

#include <memory>

#include "core/metrics/metric.h"
#include "core/metrics/psnr/score.h"

namespace vmafx::psnr {

std::unique_ptr<DeviceExtractor> MakeDeviceExtractor(const PairFormat& format, const Settings& settings);

}  // namespace vmafx::psnr
#endif  // VMAFX_METRICS_PSNR_DEVICE_H_
