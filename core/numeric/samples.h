// SPDX-License-Identifier: BSD-2-Clause-Patent
// Reads rows of any component layout as right-aligned native samples.
#ifndef VMAFX_NUMERIC_SAMPLES_H_
#define VMAFX_NUMERIC_SAMPLES_H_

#include <cstdint>

#include "core/metrics/metric.h"

namespace vmafx {

// One sample, (x, y) inside the component. The plain form of UnpackRow.
inline uint32_t Sample(const Component& c, int x, int y) {
  const uint8_t* p = c.data + y * c.stride + x * c.step;
  uint32_t word = p[0];
  if (c.bytes == 2) word = c.big_endian ? (uint32_t{p[0]} << 8) | p[1] : p[0] | (uint32_t{p[1]} << 8);
  return word >> c.shift << c.lift;
}

// Writes samples x0 .. x0+count-1 of row y to out[0..count). SIMD, same values as Sample(). Reads no byte outside these
// samples' words (for step > bytes: outside the span from the first to the last sample's word).
void UnpackRow(const Component& c, int y, int x0, int count, uint16_t* out);

}  // namespace vmafx
#endif  // VMAFX_NUMERIC_SAMPLES_H_
