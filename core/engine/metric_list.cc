// SPDX-License-Identifier: BSD-2-Clause-Patent
// The metric table as the C interface shows it.
#include "core/metrics/metric.h"

extern "C" {

size_t vmafx_metric_count(void) { return vmafx::Metrics().size(); }

const vmafx_metric_info* vmafx_metric_get(size_t index) {
  return index < vmafx::Metrics().size() ? &vmafx::Metrics()[index]->info() : nullptr;
}

}  // extern "C"
