// SPDX-License-Identifier: BSD-2-Clause-Patent
// The metrics that the library knows, in reporting order. A new metric: its folder, one declaration, one line.
#include <array>

#include "core/metrics/metric.h"

namespace vmafx {

const Metric& Ssimulacra2Metric();  // ssimulacra2/metric.cc
const Metric& FloatPsnrMetric();    // float_psnr/metric.cc
const Metric& PsnrMetric();         // psnr/metric.cc
const Metric& VifMetric();          // vif/metric.cc

std::span<const Metric* const> Metrics() {
  static const std::array table = {
      &Ssimulacra2Metric(),
      &FloatPsnrMetric(),
      &PsnrMetric(),
      &VifMetric(),
  };
  return table;
}

const Metric* FindMetric(std::string_view name) {
  for (const Metric* metric : Metrics())
    if (metric->info().name == name) return metric;
  return nullptr;
}

}  // namespace vmafx
