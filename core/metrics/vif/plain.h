// SPDX-License-Identifier: BSD-2-Clause-Patent
#ifndef VMAFX_METRICS_VIF_PLAIN_H_
#define VMAFX_METRICS_VIF_PLAIN_H_

#include <array>

#include "core/metrics/metric.h"
#include "core/metrics/vif/definition.h"

namespace vmafx::vif {

// The sums of the four scales, written as the definition reads. Luma of at least 16 x 16.
std::array<Sums, kScales> PlainSums(const PairView& pair, int depth, double gain_limit);

}  // namespace vmafx::vif
#endif  // VMAFX_METRICS_VIF_PLAIN_H_
