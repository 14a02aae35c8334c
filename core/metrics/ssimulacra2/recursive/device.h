// SPDX-License-Identifier: BSD-2-Clause-Patent
// The profile "recursive" on a device: the sums of the CPU forms, bit for bit.
#ifndef VMAFX_METRICS_SSIMULACRA2_RECURSIVE_DEVICE_H_
#define VMAFX_METRICS_SSIMULACRA2_RECURSIVE_DEVICE_H_

#include <memory>

#include "core/metrics/metric.h"
#include "core/metrics/ssimulacra2/recursive/frame.h"

namespace vmafx::ssimulacra2::recursive {

// Which sums are formed: those that the score needs, or all of them.
enum class Formed { kNeeded, kAll };

class DeviceMeter : public DeviceExtractor {
 public:
  // The sums of the block that was read back. Those that were not formed are 0.
  virtual Sums SumsOf(std::span<const std::byte> result) const = 0;
};

std::unique_ptr<DeviceMeter> MakeDeviceMeter(const PairFormat& format, Formed formed = Formed::kNeeded);

}  // namespace vmafx::ssimulacra2::recursive
#endif  // VMAFX_METRICS_SSIMULACRA2_RECURSIVE_DEVICE_H_
