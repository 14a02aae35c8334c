// SPDX-License-Identifier: BSD-2-Clause-Patent
// Finds out whether two pictures can be compared, and as what. Everything that is not tagged is resolved here, once for
// all metrics and processors, and whatever is assumed or changed by it is said:
//  - An untagged range is the other picture's; where both are untagged, limited. RGB is full.
//  - An untagged matrix is BT.709. Untagged chroma is left-sited; in 4:4:0 that is the middle of two rows.
//  - Metrics that compare samples (Metric::SampleDomain) need equal ranges. Unequal depths of limited range are brought
//    together by a left shift, as limited-range code values of two depths are defined (H.273: 16 << (depth - 8));
//    full-range ones (2^depth - 1) are not multiples of each other and are refused.
//  - Metrics that compare chroma samples need equal subsampling. RGB is for the metrics that do not compare samples.
#ifndef VMAFX_ENGINE_AGREEMENT_H_
#define VMAFX_ENGINE_AGREEMENT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/engine/picture.h"
#include "core/engine/status.h"
#include "core/metrics/metric.h"

namespace vmafx {

// The metrics of a session.
struct Selection {
  std::span<const Metric* const> metrics;
  const Options* options = nullptr;
  bool chosen = true;  // false: the default list, of which those that cannot measure RGB are left out with RGB
};

struct Agreement {
  PairFormat format;
  uint64_t active = 0;  // bit i: metrics[i] measures the pair; the values of the others are absent

  int distorted_lift() const { return format.depth - format.distorted.depth; }
  int reference_lift() const { return format.depth - format.reference.depth; }
};

// Shapes that CheckShape() passed. Notices are appended whether or not they were said before. The text of an error names
// both values and the filter that converts.
Status Agree(const Shape& distorted, const Shape& reference, const Selection& selection, Agreement* agreement,
             std::vector<Notice>* notices);

}  // namespace vmafx
#endif  // VMAFX_ENGINE_AGREEMENT_H_
