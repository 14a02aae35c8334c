// SPDX-License-Identifier: BSD-2-Clause-Patent
// The XYB planes on a device, for both profiles. Kernels and device.cc files include this.
#ifndef VMAFX_METRICS_SSIMULACRA2_KERNEL_PLANES_H_
#define VMAFX_METRICS_SSIMULACRA2_KERNEL_PLANES_H_

#include "core/metrics/ssimulacra2/definition.h"

namespace vmafx::ssimulacra2 {

// The six XYB planes of one scale, in this order: X, Y, B of the reference, then of the distorted picture.
struct ScalePlanes {
  uint64_t data;
  int32_t width, height;
  int32_t pitch;  // floats, a multiple of 8; zero past the last column
};

VMAFX_FN uint64_t PlaneAddress(const ScalePlanes& scale, int side, int channel) {
  const int64_t plane = static_cast<int64_t>(scale.pitch) * scale.height * static_cast<int64_t>(sizeof(float));
  return scale.data + static_cast<uint64_t>((side * kChannels + channel) * plane);
}

// The front ends work on tiles of this size, one block each. Grid: tiles, tile rows, picture (reference, distorted).
constexpr int kFrontTile = 32;
constexpr int kFrontThreads = 256;  // 2x2 pixels each

}  // namespace vmafx::ssimulacra2
#endif  // VMAFX_METRICS_SSIMULACRA2_KERNEL_PLANES_H_
