// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/psnr/aggregate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/numeric/exact_math.h"

namespace vmafx::psnr {
namespace {

__extension__ typedef unsigned __int128 Uint128;

class Apsnr final : public Aggregator {
 public:
  explicit Apsnr(const Settings& settings) : settings_(settings) {}

  std::vector<std::string> names() const override {
    std::vector<std::string> names = {"apsnr_y", "apsnr_cb", "apsnr_cr"};
    names.resize(static_cast<size_t>(settings_.components()));
    return names;
  }

  void Add(std::span<const double> values, const PairFormat& format) override {
    for (int c = 0; c < settings_.components(); ++c) {
      const double* hidden = &values[values.size() - settings_.hidden() + 2 * static_cast<size_t>(c)];
      if (std::isnan(hidden[0])) continue;
      Total& total = total_[c];
      const auto samples = static_cast<uint64_t>(format.reference.component_width(c)) *
                           static_cast<uint64_t>(format.reference.component_height(c));
      if (total.samples != 0 && total.depth != format.depth) total.mixed = true;
      total.depth = format.depth;
      total.samples += samples;
      total.sse += static_cast<Uint128>(hidden[0]) * (Uint128{1} << 32) + static_cast<Uint128>(hidden[1]);
      total.cap = Cap(settings_, format.depth, samples);
    }
  }

  double value(size_t index) const override {
    const Total& total = total_[index];
    // Squared errors of different depths have no common unit.
    if (total.samples == 0 || total.mixed) return std::numeric_limits<double>::quiet_NaN();
    if (total.sse == 0) return total.cap;
    const uint32_t peak = Peak(settings_, total.depth);
    const double peak_squared = static_cast<double>(peak * peak);
    const auto samples = static_cast<double>(total.samples);
    const double apsnr =
        10.0 * ((ExactLog10(peak_squared) + ExactLog10(samples)) - ExactLog10(static_cast<double>(total.sse)));
    return std::min(apsnr, std::ceil(10.0 * ExactLog10(peak_squared * samples)));
  }

 private:
  struct Total {
    Uint128 sse = 0;  // 64 bits would overflow within minutes of noisy 16-bit video
    uint64_t samples = 0;
    int depth = 0;
    double cap = 0;  // of the last pair
    bool mixed = false;
  };

  const Settings settings_;
  Total total_[3];
};

}  // namespace

std::unique_ptr<Aggregator> MakeApsnr(const Settings& settings) { return std::make_unique<Apsnr>(settings); }

}  // namespace vmafx::psnr
