// SPDX-License-Identifier: BSD-2-Clause-Patent
#ifndef VMAFX_METRICS_VIF_CPU_H_
#define VMAFX_METRICS_VIF_CPU_H_

#include <array>
#include <memory>

#include "core/metrics/metric.h"
#include "core/metrics/vif/definition.h"
#include "core/metrics/vif/score.h"
#include "core/metrics/vif/tile.h"

namespace vmafx::vif {

// Measures pairs of one size and depth. Allocates in its constructor only.
class CpuFilter {
 public:
  // `avx_vnni`: see Scale.
  CpuFilter(int width, int height, int depth, const Settings& settings, Workers& workers,
            bool avx_vnni = HasAvxVnni());
  ~CpuFilter();
  // The sums of each scale; those of scale 0 are 0 with skip_scale0.
  std::array<Sums, kScales> Measure(const PairView& pair, Workers& workers);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

std::unique_ptr<CpuExtractor> MakeCpuExtractor(const PairFormat& format, const Settings& settings, Workers& workers);

}  // namespace vmafx::vif
#endif  // VMAFX_METRICS_VIF_CPU_H_
