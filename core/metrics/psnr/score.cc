// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/psnr/score.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/numeric/exact_math.h"

namespace vmafx::psnr {
namespace {

constexpr const char* kComponentNames[] = {"y", "cb", "cr"};

}  // namespace

Settings::Settings(const Options& options)
    : uncapped(options.Flag("psnr_uncapped", false)),
      chroma(options.Flag("psnr_chroma", true)),
      mse(options.Flag("psnr_mse", false)),
      apsnr(options.Flag("psnr_apsnr", false)),
      reduced_peak(options.Flag("psnr_reduced_peak", false)),
      min_sse(options.Number("psnr_min_sse", 0)) {}

std::vector<std::string> Settings::Features() const {
  std::vector<std::string> names;
  const auto add = [&](const char* prefix) {
    for (int c = 0; c < components(); ++c) names.push_back(std::string(prefix) + kComponentNames[c]);
  };
  add("psnr_");
  if (mse) add("mse_");
  if (apsnr) {
    for (int c = 0; c < components(); ++c) {
      names.push_back(std::string("sse_upper_") + kComponentNames[c]);
      names.push_back(std::string("sse_lower_") + kComponentNames[c]);
    }
  }
  return names;
}

int MeasuredComponents(const Settings& settings, const PairFormat& format) {
  return std::min(settings.components(), format.reference.components());
}

uint32_t Peak(const Settings& settings, int depth) {
  return settings.reduced_peak ? 255u << (depth - 8) : (1u << depth) - 1;
}

double Cap(const Settings& settings, int depth, uint64_t samples) {
  if (settings.min_sse == 0) return 6.0 * depth + 12.0;
  const uint32_t peak = Peak(settings, depth);
  // Any positive number may be asked for; the cap is finite all the same.
  const double least_mse = std::max(settings.min_sse / static_cast<double>(samples), 1e-290);
  return std::ceil(10.0 * ExactLog10(static_cast<double>(peak * peak) / least_mse));
}

void Score(const Settings& settings, const PairFormat& format, const Sums& sums, std::span<double> values) {
  std::fill(values.begin(), values.end(), kAbsent);
  const auto components = static_cast<size_t>(settings.components());
  const uint32_t peak = Peak(settings, format.depth);
  for (int c = 0; c < MeasuredComponents(settings, format); ++c) {
    const auto samples = static_cast<uint64_t>(format.reference.component_width(c)) *
                         static_cast<uint64_t>(format.reference.component_height(c));
    const double mse = static_cast<double>(sums.sse[c]) / static_cast<double>(samples);
    const double cap = Cap(settings, format.depth, samples);
    double psnr = cap;
    if (!settings.uncapped || sums.sse[c] != 0) {
      psnr = 10.0 * ExactLog10(static_cast<double>(peak * peak) / std::max(mse, 1e-16));
      if (!settings.uncapped) psnr = std::min(psnr, cap);
    }
    const auto place = static_cast<size_t>(c);
    values[place] = psnr;
    if (settings.mse) values[components + place] = mse;
    if (settings.apsnr) {
      double* hidden = &values[values.size() - settings.hidden() + 2 * place];
      hidden[0] = static_cast<double>(sums.sse[c] >> 32);
      hidden[1] = static_cast<double>(sums.sse[c] & 0xFFFFFFFFu);
    }
  }
}

}  // namespace vmafx::psnr
