// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/ssimulacra2/recursive/frame.h"

#include <cmath>

namespace vmafx::ssimulacra2::recursive {
namespace {

// matrix_coefficients of ITU-T H.273.
bool IsBt709(int matrix) { return matrix == 1; }
bool IsBt601(int matrix) { return matrix == 5 || matrix == 6; }

}  // namespace

Status CheckFormat(const Format& format) {
  if (format.layout == VMAFX_LAYOUT_GRAY || format.layout == VMAFX_LAYOUT_RGB) {
    return Status::Unsupported(std::string("ssimulacra2 profile recursive takes YUV only, not ") +
                               (format.layout == VMAFX_LAYOUT_RGB ? "RGB" : "grey") +
                               "; use ssimulacra2_profile=standard or convert both inputs");
  }
  if (!IsBt709(format.matrix) && !IsBt601(format.matrix)) {
    return Status::Unsupported("ssimulacra2 profile recursive knows the matrices BT.709 (1) and BT.601 (5, 6), not " +
                               std::to_string(format.matrix) +
                               "; use ssimulacra2_profile=standard or convert both inputs");
  }
  return {};
}

Conversion ConversionOf(const Format& format) {
  return MakeConversion(format.depth, IsBt601(format.matrix), format.range == VMAFX_RANGE_FULL);
}

double WeightedSumOf(const Sums& sums) {
  Norms norms;
  norms.scales = sums.scales;
  int64_t width = sums.width, height = sums.height;
  for (int scale = 0; scale < sums.scales; ++scale) {
    for (int channel = 0; channel < kChannels; ++channel)
      norms.Set(channel, scale, sums.value[channel][scale], width * height);
    width = (width + 1) / 2;
    height = (height + 1) / 2;
  }
  return WeightedSum(norms, Numbering::kFixed);
}

Status ScoreOf(const Sums& sums, double* score) {
  for (int channel = 0; channel < kChannels; ++channel) {
    for (int scale = 0; scale < sums.scales; ++scale) {
      for (const double sum : sums.value[channel][scale]) {
        if (!std::isfinite(sum)) {
          return Status::Internal("ssimulacra2: a sum of channel " + std::to_string(channel) + ", scale " +
                                  std::to_string(scale) + " is not finite; please report this");
        }
      }
    }
  }
  *score = Score(WeightedSumOf(sums));
  if (!std::isfinite(*score)) return Status::Internal("ssimulacra2: the score is not finite; please report this");
  return {};
}

}  // namespace vmafx::ssimulacra2::recursive
