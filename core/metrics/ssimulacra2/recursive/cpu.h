// SPDX-License-Identifier: BSD-2-Clause-Patent
// Profile "recursive" on the CPU: SIMD and threads, same bits as the plain form whatever their number.
#ifndef VMAFX_METRICS_SSIMULACRA2_RECURSIVE_CPU_H_
#define VMAFX_METRICS_SSIMULACRA2_RECURSIVE_CPU_H_

#include <memory>

#include "core/metrics/ssimulacra2/recursive/frame.h"

namespace vmafx::ssimulacra2::recursive {

// Forms the sums of pairs of one format. Any size from 1x1 on; one that has no scale has no sums.
class CpuFrame {
 public:
  // Both formats must pass CheckFormat. `threads` is Workers::threads() of the workers used later. Throws
  // std::bad_alloc.
  CpuFrame(const PairFormat& format, int threads);
  ~CpuFrame();
  // One at a time. Does not allocate.
  Sums Measure(const PairView& pair, Workers& workers);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One value: the score.
std::unique_ptr<CpuExtractor> MakeCpuExtractor(const PairFormat& format, Workers& workers);

}  // namespace vmafx::ssimulacra2::recursive
#endif  // VMAFX_METRICS_SSIMULACRA2_RECURSIVE_CPU_H_
