// SPDX-License-Identifier: BSD-2-Clause-Patent
// Profile "recursive" on the host: which formats it takes and how the sums of a frame become its score.
#ifndef VMAFX_METRICS_SSIMULACRA2_RECURSIVE_FRAME_H_
#define VMAFX_METRICS_SSIMULACRA2_RECURSIVE_FRAME_H_

#include "core/engine/status.h"
#include "core/metrics/metric.h"
#include "core/metrics/ssimulacra2/recursive/definition.h"
#include "core/metrics/ssimulacra2/score.h"

namespace vmafx::ssimulacra2::recursive {

// The profile knows YUV of BT.709 and BT.601, limited and full range, in any subsampling.
Status CheckFormat(const Format& format);

// For a format that CheckFormat accepts.
Conversion ConversionOf(const Format& format);

// The sums of a frame over each channel and scale; what every processor must give bit for bit.
struct Sums {
  int width = 0;
  int height = 0;
  int scales = 0;
  double value[kChannels][kMaxScales][kSums] = {};
};

double WeightedSumOf(const Sums& sums);

// The score, or an error when a sum is not finite.
Status ScoreOf(const Sums& sums, double* score);

}  // namespace vmafx::ssimulacra2::recursive
#endif  // VMAFX_METRICS_SSIMULACRA2_RECURSIVE_FRAME_H_
