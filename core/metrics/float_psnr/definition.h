// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_psnr: peak signal-to-noise ratio of luma as libvmaf's `float_psnr` feature computes it. Samples are binary32
// numbers sample / scaler, scaler = 2^(depth-8); their squared differences are rounded to binary32 and added in
// binary64, first along each row, then the rows from top to bottom.
//
// In units of scaler^-2 every square is an integer below 2^32, so the sum of a row (at most 2^15 samples) is an integer
// below 2^53: exact in binary64, in any order. The running sum of the rows may pass 2^53 at 16 bits; there the
// additions round and their order shows. A processor therefore gives back one integer for each row, and the host
// adds them (score.h). scaler is a power of two: dividing at the end gives the bits of dividing first.
#ifndef VMAFX_METRICS_FLOAT_PSNR_DEFINITION_H_
#define VMAFX_METRICS_FLOAT_PSNR_DEFINITION_H_

#include "core/numeric/portable.h"

namespace vmafx::float_psnr {

// Up to this depth a square has at most 24 bits and needs no rounding.
inline constexpr int kLastExactDepth = 12;

// (reference - distorted)^2 rounded to binary32, in units of scaler^-2.
VMAFX_FN uint32_t RoundedSquare(uint32_t reference, uint32_t distorted) {
  const float difference = static_cast<float>(static_cast<int32_t>(reference) - static_cast<int32_t>(distorted));
  return static_cast<uint32_t>(difference * difference);
}

}  // namespace vmafx::float_psnr
#endif  // VMAFX_METRICS_FLOAT_PSNR_DEFINITION_H_
