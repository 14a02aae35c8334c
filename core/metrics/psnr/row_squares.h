// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sums of squared differences of one row, in SIMD. psnr and float_psnr differ only in how a square is rounded.
#ifndef VMAFX_METRICS_PSNR_ROW_SQUARES_H_
#define VMAFX_METRICS_PSNR_ROW_SQUARES_H_

#include <cstddef>
#include <cstdint>

#include "core/metrics/metric.h"

namespace vmafx::psnr {

enum class Square {
  kExact,
  kBinary32,  // rounded to 24 significant bits, to nearest, ties to even
};

// Samples of scratch memory that one call needs for rows of `width`.
constexpr size_t RowScratch(int width) { return 2 * static_cast<size_t>(width); }

// The sum over row y of both components, whose samples are below 2^depth. Reads nothing outside the rows.
uint64_t RowSquares(const Component& a, const Component& b, int y, int depth, Square square, uint16_t* scratch);

}  // namespace vmafx::psnr
#endif  // VMAFX_METRICS_PSNR_ROW_SQUARES_H_
