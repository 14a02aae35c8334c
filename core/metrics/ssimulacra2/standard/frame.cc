// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/ssimulacra2/standard/frame.h"

#include <algorithm>
#include <cmath>

#include "core/metrics/ssimulacra2/score.h"

namespace vmafx::ssimulacra2::standard {

Scales::Scales(int w, int h) {
  while (count < kMaxScales) {
    width[count] = w;
    height[count] = h;
    ++count;
    if (std::min(w, h) < kMinSide) break;
    w = (w + 1) / 2;
    h = (h + 1) / 2;
  }
}

SumSet NeededSums(int scales, int channel, int scale) {
  SumSet set = 0;
  for (int norm = 0; norm < kNorms; ++norm)
    for (int kind = 0; kind < kKinds; ++kind)
      if (kWeightTable[WeightIndex(Numbering::kSlipping, scales, channel, scale, norm, kind)] != 0)
        set |= 1u << (2 * kind + norm);
  return set;
}

Status ScoreOf(const Scales& scales, const FrameSums& sums, double* score) {
  Norms norms;
  norms.scales = scales.count;
  for (int scale = 0; scale < scales.count; ++scale)
    for (int channel = 0; channel < kChannels; ++channel)
      norms.Set(channel, scale, sums.value[scale][channel], scales.pixels(scale));
  const double weighted = WeightedSum(norms, Numbering::kSlipping);
  if (!std::isfinite(weighted)) return Status::Internal("ssimulacra2: a norm of the frame is not finite");
  *score = Score(weighted);
  return {};
}

}  // namespace vmafx::ssimulacra2::standard
