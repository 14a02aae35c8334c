// SPDX-License-Identifier: BSD-2-Clause-Patent
// The plain form of the profile `standard`: the definition as loops over whole planes, one thread, every sum formed.
// The reference of the SIMD and device forms.
#ifndef VMAFX_METRICS_SSIMULACRA2_STANDARD_PLAIN_H_
#define VMAFX_METRICS_SSIMULACRA2_STANDARD_PLAIN_H_

#include <array>
#include <vector>

#include "core/metrics/metric.h"
#include "core/metrics/ssimulacra2/standard/frame.h"

namespace vmafx::ssimulacra2::standard {

struct Plane {
  Plane(int w, int h) : width(w), height(h), value(static_cast<size_t>(w) * static_cast<size_t>(h)) {}
  float& at(int x, int y) { return value[Index(x, y)]; }
  float at(int x, int y) const { return value[Index(x, y)]; }
  size_t Index(int x, int y) const {
    return static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x);
  }

  int width;
  int height;
  std::vector<float> value;
};

using Planes = std::array<Plane, kChannels>;  // R, G, B or X, Y, B
using TermPlanes = std::vector<Plane>;        // kSums of them

Planes LinearLight(const Format& format, const PictureView& picture);
Planes NextScale(const Planes& linear);
Planes XybOf(const Planes& linear);
Plane Blurred(const Plane& plane);
TermPlanes TermsOf(const Plane& reference, const Plane& distorted);
// The sum of a plane in the order that definition.h sets.
double OrderedSum(const Plane& terms);

FrameSums PlainSums(const PairFormat& format, const PairView& pair);

}  // namespace vmafx::ssimulacra2::standard
#endif  // VMAFX_METRICS_SSIMULACRA2_STANDARD_PLAIN_H_
