// SPDX-License-Identifier: BSD-2-Clause-Patent
// From the sums of a pair to its values: on the host, the same for every processor.
#ifndef VMAFX_METRICS_PSNR_SCORE_H_
#define VMAFX_METRICS_PSNR_SCORE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/metrics/metric.h"
#include "core/metrics/psnr/definition.h"

namespace vmafx::psnr {

// The options of psnr, read once.
struct Settings {
  explicit Settings(const Options& options);

  bool uncapped;
  bool chroma;
  bool mse;
  bool apsnr;
  bool reduced_peak;
  double min_sse;

  int components() const { return chroma ? 3 : 1; }
  std::vector<std::string> Features() const;  // hidden ones included
  size_t hidden() const { return apsnr ? 2 * static_cast<size_t>(components()) : 0; }
};

// Components that are measured: those of the format, of which chroma may be switched off.
int MeasuredComponents(const Settings& settings, const PairFormat& format);

// Fills the row of Settings::Features(); NaN for components that the format lacks. With apsnr the row ends with the
// sum of each component as two numbers below 2^32, the upper one first, which doubles hold exactly.
void Score(const Settings& settings, const PairFormat& format, const Sums& sums, std::span<double> values);

// Peak sample value, and the greatest psnr of one component of one pair.
uint32_t Peak(const Settings& settings, int depth);
double Cap(const Settings& settings, int depth, uint64_t samples);

}  // namespace vmafx::psnr
#endif  // VMAFX_METRICS_PSNR_SCORE_H_
