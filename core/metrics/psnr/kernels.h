// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr on a device: integer sums, so blocks add theirs atomically.
#ifndef VMAFX_METRICS_PSNR_KERNELS_H_
#define VMAFX_METRICS_PSNR_KERNELS_H_

#include "core/metrics/kernel.h"
//
#include "core/metrics/psnr/definition.h"
#include "core/metrics/psnr/kernel_arguments.h"
#include "core/metrics/psnr/kernel_row.h"

namespace vmafx::psnr {

struct ExactSquare {
  VMAFX_FN uint32_t operator()(uint32_t reference, uint32_t distorted) const {
    return SquaredDifference(reference, distorted);
  }
};

}  // namespace vmafx::psnr

VMAFX_KERNEL(psnr_sum, vmafx::psnr::SumArguments, 256, 4) {
  using namespace vmafx;
  using namespace vmafx::psnr;
  VMAFX_SHARED(uint64_t, sums, [kBlockRows]);
  const int component = BlockY();
  const KernelComponent& reference = arguments.reference[component];
  const KernelComponent& distorted = arguments.distorted[component];
  if (BlockX() * kBlockRows >= reference.height) return;  // chroma has fewer rows than the grid
  const int group = ThreadX() / kGroup;
  const int y = BlockX() * kBlockRows + group;
  const bool inside = y < reference.height;
  const uint64_t sum = RowSum(reference, distorted, inside ? y : reference.height - 1, ExactSquare());
  if (GroupLane() == 0) sums[group] = inside ? sum : 0;
  BlockBarrier();
  if (ThreadX() != 0) return;
  uint64_t total = 0;
  for (int i = 0; i < kBlockRows; ++i) total += sums[i];
  AtomicAdd(&Memory<Sums>(arguments.sse)->sse[component], total);
}

#endif  // VMAFX_METRICS_PSNR_KERNELS_H_
