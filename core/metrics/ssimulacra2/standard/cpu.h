// SPDX-License-Identifier: BSD-2-Clause-Patent
// The SIMD form of the profile `standard`: the bits of the plain form on every instruction set and with any number of
// threads.
#ifndef VMAFX_METRICS_SSIMULACRA2_STANDARD_CPU_H_
#define VMAFX_METRICS_SSIMULACRA2_STANDARD_CPU_H_

#include <memory>

#include "core/metrics/metric.h"
#include "core/metrics/ssimulacra2/standard/frame.h"

namespace vmafx::ssimulacra2::standard {

class CpuMeter {
 public:
  CpuMeter(const PairFormat& format, const Workers& workers, Formed formed = Formed::kNeeded);
  ~CpuMeter();
  // `workers` has no more threads than that of the constructor. Does not allocate.
  void Measure(const PairView& pair, Workers& workers, FrameSums* sums);
  const Scales& scales() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

std::unique_ptr<CpuExtractor> MakeStandardCpu(const PairFormat& format, const Workers& workers);

}  // namespace vmafx::ssimulacra2::standard
#endif  // VMAFX_METRICS_SSIMULACRA2_STANDARD_CPU_H_
