// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/float_psnr/score.h"

#include <algorithm>

#include "core/numeric/exact_math.h"

namespace vmafx::float_psnr {

double Noise(std::span<const uint64_t> rows, int width, int depth) {
  double noise = 0;
  for (const uint64_t row : rows) noise += static_cast<double>(row);
  const double scaler = static_cast<double>(1 << (depth - 8));
  return noise / (scaler * scaler) / (static_cast<double>(width) * static_cast<double>(rows.size()));
}

double Score(double noise, int depth, bool uncapped) {
  const double cap = 6.0 * depth + 12.0;
  if (uncapped && noise <= 0) return cap;
  const double peak = static_cast<double>((1 << depth) - 1) / static_cast<double>(1 << (depth - 8));
  const double score = 10.0 * ExactLog10((peak * peak) / std::max(noise, 1e-10));
  return uncapped ? score : std::min(score, cap);
}

}  // namespace vmafx::float_psnr
