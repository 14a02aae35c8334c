// SPDX-License-Identifier: BSD-2-Clause-Patent
// Reads samples of any layout in a kernel.
#ifndef VMAFX_METRICS_KERNEL_SAMPLES_H_
#define VMAFX_METRICS_KERNEL_SAMPLES_H_

#include "core/metrics/kernel.h"
#include "core/metrics/kernel_component.h"

namespace vmafx {

// 16 bytes, as one load brings them.
struct alignas(16) Words4 {
  uint32_t word[4];
};

VMAFX_FN uint64_t SampleAddress(const KernelComponent& c, int x, int y) {
  return c.data + static_cast<uint64_t>(y * c.stride + static_cast<int64_t>(x) * c.step);
}

// One sample at an address; in two steps where loads shall not wait for each other.
VMAFX_FN uint32_t LoadWord(const KernelComponent& c, uint64_t address) {
  return c.bytes == 1 ? Load(Memory<const uint8_t>(address)) : Load(Memory<const uint16_t>(address));
}
VMAFX_FN uint32_t SampleOfWord(const KernelComponent& c, uint32_t word) { return word >> c.shift << c.lift; }
VMAFX_FN uint32_t LoadSample(const KernelComponent& c, uint64_t address) {
  return SampleOfWord(c, LoadWord(c, address));
}

VMAFX_FN uint32_t Sample(const KernelComponent& c, int x, int y) { return LoadSample(c, SampleAddress(c, x, y)); }

}  // namespace vmafx
#endif  // VMAFX_METRICS_KERNEL_SAMPLES_H_
