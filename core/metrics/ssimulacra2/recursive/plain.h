// SPDX-License-Identifier: BSD-2-Clause-Patent
// Profile "recursive" as readable loops: the reference of every other form.
#ifndef VMAFX_METRICS_SSIMULACRA2_RECURSIVE_PLAIN_H_
#define VMAFX_METRICS_SSIMULACRA2_RECURSIVE_PLAIN_H_

#include <vector>

#include "core/metrics/ssimulacra2/recursive/frame.h"

namespace vmafx::ssimulacra2::recursive {

struct Plane {
  int width = 0;
  int height = 0;
  std::vector<float> data;

  Plane() = default;
  Plane(int w, int h) : width(w), height(h), data(static_cast<size_t>(w) * h) {}
  float& at(int x, int y) { return data[static_cast<size_t>(y) * width + x]; }
  float at(int x, int y) const { return data[static_cast<size_t>(y) * width + x]; }
};

// Three planes: R, G, B or X, Y, B.
struct Image {
  Plane plane[kChannels];
};

// Linear RGB of a picture at full size. The nearest chroma sample, sited or not, is that of x >> 1, y >> 1.
Image LinearImage(const PictureView& picture, const Format& format);
Image HalfImage(const Image& linear);
Image XybImage(const Image& linear);

// One pass over `size` values, `step` apart in both.
void BlurLine(const float* in, float* out, int size, ptrdiff_t step);
// Rows, then columns.
Plane Blur(const Plane& plane);

Sums PlainSums(const PairView& pair, const PairFormat& format);

}  // namespace vmafx::ssimulacra2::recursive
#endif  // VMAFX_METRICS_SSIMULACRA2_RECURSIVE_PLAIN_H_
