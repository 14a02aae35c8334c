// SPDX-License-Identifier: BSD-2-Clause-Patent
#ifndef VMAFX_METRICS_VIF_DEVICE_H_
#define VMAFX_METRICS_VIF_DEVICE_H_

#include <array>
#include <memory>

#include "core/metrics/metric.h"
#include "core/metrics/vif/log_steps.h"
#include "core/metrics/vif/score.h"

namespace vmafx::vif {

std::unique_ptr<DeviceExtractor> MakeDeviceExtractor(const PairFormat& format, const Settings& settings);

// The table of logarithms as kernels read it. Thread-safety: safe; made at the first call.
const std::array<uint64_t, kLogWords>& LogWords();

}  // namespace vmafx::vif
#endif  // VMAFX_METRICS_VIF_DEVICE_H_
