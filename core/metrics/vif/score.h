// SPDX-License-Identifier: BSD-2-Clause-Patent
// From the sums of a pair to its values: on the host, the same for every processor.
#ifndef VMAFX_METRICS_VIF_SCORE_H_
#define VMAFX_METRICS_VIF_SCORE_H_

#include <span>
#include <string>
#include <vector>

#include "core/metrics/metric.h"
#include "core/metrics/vif/definition.h"

namespace vmafx::vif {

// The options of vif, read once.
struct Settings {
  explicit Settings(const Options& options);

  double gain_limit;
  bool skip_scale0;
  bool debug;

  // Names as libvmaf's log has them: options away from their defaults show as suffixes.
  std::vector<std::string> Features() const;
};

// The two parts of a scale's score.
struct Fraction {
  float num;
  float den;
};
Fraction FractionOf(const Sums& sums);

// Fills the row of Settings::Features(). With skip_scale0 the sums of scale 0 are not read.
void Score(const Settings& settings, std::span<const Sums, kScales> sums, std::span<double> values);

}  // namespace vmafx::vif
#endif  // VMAFX_METRICS_VIF_SCORE_H_
