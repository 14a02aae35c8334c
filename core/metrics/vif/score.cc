// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/vif/score.h"

#include <charconv>

namespace vmafx::vif {
namespace {

constexpr double kDefaultGainLimit = 100;

std::string Suffix(const Settings& settings) {
  std::string suffix;
  if (settings.gain_limit != kDefaultGainLimit) {
    char text[32];
    suffix = "_egl_" + std::string(text, std::to_chars(text, text + sizeof text, settings.gain_limit).ptr);
  }
  if (settings.skip_scale0) suffix += "_ssclz";
  return suffix;
}

}  // namespace

Settings::Settings(const Options& options)
    : gain_limit(options.Number("vif_enhn_gain_limit", kDefaultGainLimit)),
      skip_scale0(options.Flag("vif_skip_scale0", false)),
      debug(options.Flag("vif_debug", false)) {}

std::vector<std::string> Settings::Features() const {
  std::vector<std::string> names;
  for (int scale = 0; scale < kScales; ++scale) names.push_back("integer_vif_scale" + std::to_string(scale));
  if (debug) {
    names.insert(names.end(), {"integer_vif", "integer_vif_num", "integer_vif_den"});
    for (int scale = 0; scale < kScales; ++scale) {
      names.push_back("integer_vif_num_scale" + std::to_string(scale));
      names.push_back("integer_vif_den_scale" + std::to_string(scale));
    }
  }
  const std::string suffix = Suffix(*this);
  for (std::string& name : names) name += suffix;
  return names;
}

Fraction FractionOf(const Sums& sums) {
  const auto numlog = static_cast<double>(sums.numlog), denlog = static_cast<double>(sums.denlog);
  const auto numnon = static_cast<double>(sums.numnon), dennon = static_cast<double>(sums.dennon);
  // Where the reference is flat, the distorted picture's variance counts against it, in units of 255^2.
  return {static_cast<float>(numlog / 2048 + (dennon - (numnon / 16384) / 65025)),
          static_cast<float>(denlog / 2048 + dennon)};
}

void Score(const Settings& settings, std::span<const Sums, kScales> sums, std::span<double> values) {
  double num = 0, den = 0;
  for (size_t scale = 0; scale < kScales; ++scale) {
    Fraction fraction{0, -1};
    double score = 0;
    if (scale != 0 || !settings.skip_scale0) {
      fraction = FractionOf(sums[scale]);
      score = static_cast<double>(fraction.num / fraction.den);
      num += static_cast<double>(fraction.num);
      den += static_cast<double>(fraction.den);
    }
    values[scale] = score;
    if (settings.debug) {
      values[kScales + 3 + 2 * scale] = static_cast<double>(fraction.num);
      values[kScales + 4 + 2 * scale] = static_cast<double>(fraction.den);
    }
  }
  if (settings.debug) {
    values[kScales] = num / den;
    values[kScales + 1] = num;
    values[kScales + 2] = den;
  }
}

}  // namespace vmafx::vif
