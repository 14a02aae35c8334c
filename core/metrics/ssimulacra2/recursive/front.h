// SPDX-License-Identifier: BSD-2-Clause-Patent
// From the samples of a picture to its XYB planes at every scale, SIMD.
#ifndef VMAFX_METRICS_SSIMULACRA2_RECURSIVE_FRONT_H_
#define VMAFX_METRICS_SSIMULACRA2_RECURSIVE_FRONT_H_

#include "core/metrics/ssimulacra2/recursive/aligned.h"
#include "core/metrics/ssimulacra2/recursive/frame.h"
#include "core/metrics/ssimulacra2/recursive/geometry.h"

namespace vmafx::ssimulacra2::recursive {

// Rows of full size that make whole rows at every scale: strips are independent of each other.
constexpr int kFrontRows = 1 << (kMaxScales - 1);

// Everything that a strip needs besides its scratch memory.
struct FrontJob {
  const PictureView* picture = nullptr;
  Conversion conversion;
  int shift_x = 0;
  int shift_y = 0;
  int scales = 0;
  const ScaleGeometry* geometry = nullptr;  // of each scale
  float* plane[kMaxScales][kChannels] = {};  // row 0, column 0
};

// Rows of one thread. Made once.
class FrontScratch {
 public:
  explicit FrontScratch(const ScaleGeometry& full_size);

  uint16_t* samples() { return samples_.get(); }
  float* chroma(int component) { return floats_.get() + component * row_; }
  // Linear light: two rows of each scale.
  float* linear(int scale, int row, int channel) {
    return floats_.get() + (2 + (scale * 2 + row) * kChannels + channel) * row_;
  }

 private:
  size_t row_;
  AlignedArray<uint16_t> samples_;
  AlignedArray<float> floats_;
};

// Fills rows strip*kFrontRows and on of the planes, and the rows that come of them at the smaller scales.
void FrontStrip(const FrontJob& job, int strip, FrontScratch& scratch);

}  // namespace vmafx::ssimulacra2::recursive
#endif  // VMAFX_METRICS_SSIMULACRA2_RECURSIVE_FRONT_H_
