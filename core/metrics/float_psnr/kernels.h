// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_psnr on a device: one integer for each row, which the host adds in order (definition.h says why).
#ifndef VMAFX_METRICS_FLOAT_PSNR_KERNELS_H_
#define VMAFX_METRICS_FLOAT_PSNR_KERNELS_H_

#include "core/metrics/kernel.h"
//
#include "core/metrics/float_psnr/definition.h"
#include "core/metrics/float_psnr/kernel_arguments.h"
#include "core/metrics/psnr/definition.h"
#include "core/metrics/psnr/kernel_row.h"

namespace vmafx::float_psnr {

// Up to kLastExactDepth, where both squares are the same number and integers are faster.
struct ExactSquare {
  VMAFX_FN uint32_t operator()(uint32_t reference, uint32_t distorted) const {
    return psnr::SquaredDifference(reference, distorted);
  }
};

struct Binary32Square {
  VMAFX_FN uint32_t operator()(uint32_t reference, uint32_t distorted) const {
    return RoundedSquare(reference, distorted);
  }
};

template <class Square>
VMAFX_FN void SumRows(const RowArguments& arguments, Square square) {
  const int y = BlockX() * kBlockRows + ThreadX() / kGroup;
  const bool inside = y < arguments.reference.height;
  const int row = inside ? y : arguments.reference.height - 1;
  const uint64_t sum = psnr::RowSum(arguments.reference, arguments.distorted, row, square);
  if (inside && GroupLane() == 0) Memory<uint64_t>(arguments.rows)[y] = sum;
}

}  // namespace vmafx::float_psnr

VMAFX_KERNEL(float_psnr_rows, vmafx::float_psnr::RowArguments, 256, 4) {
  vmafx::float_psnr::SumRows(arguments, vmafx::float_psnr::ExactSquare());
}

VMAFX_KERNEL(float_psnr_rows_binary32, vmafx::float_psnr::RowArguments, 256, 4) {
  vmafx::float_psnr::SumRows(arguments, vmafx::float_psnr::Binary32Square());
}

#endif  // VMAFX_METRICS_FLOAT_PSNR_KERNELS_H_
