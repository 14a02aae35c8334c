// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/float_psnr/plain.h"

#include "core/numeric/samples.h"

namespace vmafx::float_psnr {

double PlainNoise(const PairView& pair, int depth) {
  const Component& reference = pair.reference.component[0];
  const Component& distorted = pair.distorted.component[0];
  const float scaler = static_cast<float>(1 << (depth - 8));
  double noise = 0;
  for (int y = 0; y < reference.height; ++y) {
    double row = 0;
    for (int x = 0; x < reference.width; ++x) {
      const float r = static_cast<float>(Sample(reference, x, y)) / scaler;
      const float d = static_cast<float>(Sample(distorted, x, y)) / scaler;
      const float square = (r - d) * (r - d);
      row += static_cast<double>(square);
    }
    noise += row;
  }
  return noise / (static_cast<double>(reference.width) * static_cast<double>(reference.height));
}

}  // namespace vmafx::float_psnr
