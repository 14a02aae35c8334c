// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr: peak signal-to-noise ratio of each component, from exact sums of squared sample differences.
//   psnr = 10 log10(peak^2 / (sse / samples)),  peak = 2^depth - 1,  at most 6 depth + 12 dB
// Arithmetic and names are those of libvmaf's `psnr` feature. The sums are integers, so their order is free.
#ifndef VMAFX_METRICS_PSNR_DEFINITION_H_
#define VMAFX_METRICS_PSNR_DEFINITION_H_

#include "core/numeric/portable.h"

namespace vmafx::psnr {

// What a processor gives back for one pair: for each component the sum of its squared differences. The greatest
// possible one, of 32768 x 32768 samples of 16 bits, is below 2^62.
struct Sums {
  uint64_t sse[3];
};

VMAFX_FN uint32_t SquaredDifference(uint32_t reference, uint32_t distorted) {
  const uint32_t difference = reference > distorted ? reference - distorted : distorted - reference;
  return difference * difference;
}

}  // namespace vmafx::psnr
#endif  // VMAFX_METRICS_PSNR_DEFINITION_H_
