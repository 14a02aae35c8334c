// SPDX-License-Identifier: BSD-2-Clause-Patent
// The profile `standard` on a device: the sums of the CPU forms, bit for bit.
#ifndef VMAFX_METRICS_SSIMULACRA2_STANDARD_DEVICE_H_
#define VMAFX_METRICS_SSIMULACRA2_STANDARD_DEVICE_H_

#include <memory>

#include "core/metrics/metric.h"
#include "core/metrics/ssimulacra2/standard/frame.h"

namespace vmafx::ssimulacra2::standard {

class DeviceMeter : public DeviceExtractor {
 public:
  // The sums of the block that was read back.
  virtual FrameSums SumsOf(std::span<const std::byte> result) const = 0;
};

std::unique_ptr<DeviceMeter> MakeDeviceMeter(const PairFormat& format, Formed formed = Formed::kNeeded);

}  // namespace vmafx::ssimulacra2::standard
#endif  // VMAFX_METRICS_SSIMULACRA2_STANDARD_DEVICE_H_
