// SPDX-License-Identifier: BSD-2-Clause-Patent
#ifndef VMAFX_METRICS_FLOAT_PSNR_DEVICE_H_
#define VMAFX_METRICS_FLOAT_PSNR_DEVICE_H_

#include <memory>

#include "core/metrics/metric.h"

namespace vmafx::float_psnr {

std::unique_ptr<DeviceExtractor> MakeDeviceExtractor(const PairFormat& format, bool uncapped);

}  // namespace vmafx::float_psnr
#endif  // VMAFX_METRICS_FLOAT_PSNR_DEVICE_H_
