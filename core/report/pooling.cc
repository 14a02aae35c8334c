// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/report/pooling.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vmafx {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Linear between the values beside t = p * (N - 1) / 100 of the sorted ones.
double Percentile(const std::vector<double>& sorted, int p) {
  const double t = static_cast<double>(p) * static_cast<double>(sorted.size() - 1) / 100.0;
  const auto low = static_cast<size_t>(std::floor(t)), high = static_cast<size_t>(std::ceil(t));
  return sorted[low] + (t - std::floor(t)) * (sorted[high] - sorted[low]);
}

}  // namespace

void Pool::Reserve() {
  if (values_.size() == values_.capacity()) values_.reserve(std::max<size_t>(2 * values_.size(), 16));
}

void Pool::Add(uint64_t frame, double time, double value) {
  const bool first = values_.empty();
  values_.push_back(value);
  sum_ += value;
  if (value > -1)
    reciprocal_sum_ += 1 / (value + 1);
  else
    harmonic_ = false;
  if (first || value > max_) max_ = value;
  if (first || value < min_) {
    min_ = value;
    min_frame_ = frame;
    min_time_ = time;
  }
}

vmafx_pooled Pool::Result() const {
  vmafx_pooled pooled = {};
  pooled.struct_size = sizeof pooled;
  pooled.count = values_.size();
  if (values_.empty()) {
    pooled.mean = pooled.harmonic_mean = pooled.min = pooled.max = pooled.min_time = kNan;
    pooled.p1 = pooled.p5 = pooled.p50 = kNan;
    return pooled;
  }
  const auto count = static_cast<double>(values_.size());
  std::vector<double> sorted = values_;
  std::sort(sorted.begin(), sorted.end());
  pooled.mean = sum_ / count;
  pooled.harmonic_mean = harmonic_ ? count / reciprocal_sum_ - 1 : kNan;
  pooled.min = min_;
  pooled.max = max_;
  pooled.min_frame = min_frame_;
  pooled.min_time = min_time_;
  pooled.p1 = Percentile(sorted, 1);
  pooled.p5 = Percentile(sorted, 5);
  pooled.p50 = Percentile(sorted, 50);
  return pooled;
}

}  // namespace vmafx
