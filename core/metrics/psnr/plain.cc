// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/psnr/plain.h"

#include "core/numeric/samples.h"

namespace vmafx::psnr {

Sums PlainSums(const PairView& pair, int components) {
  Sums sums{};
  for (int c = 0; c < components; ++c) {
    const Component& reference = pair.reference.component[c];
    const Component& distorted = pair.distorted.component[c];
    for (int y = 0; y < reference.height; ++y)
      for (int x = 0; x < reference.width; ++x)
        sums.sse[c] += SquaredDifference(Sample(reference, x, y), Sample(distorted, x, y));
  }
  return sums;
}

}  // namespace vmafx::psnr
