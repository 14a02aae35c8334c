// SPDX-License-Identifier: BSD-2-Clause-Patent
// From the sums of a frame to its score: norms, weights, polynomial, power. On the host, in double.
#ifndef VMAFX_METRICS_SSIMULACRA2_SCORE_H_
#define VMAFX_METRICS_SSIMULACRA2_SCORE_H_

#include "core/metrics/ssimulacra2/definition.h"

namespace vmafx::ssimulacra2 {

// sRGB transfer function at i/1023, correctly rounded (transfer_table.inc).
extern const float kTransferTable[kTransferSize];

// The weights in their published order: channel, scale, norm, kind. 52 of them are not zero.
constexpr int kWeights = kChannels * kMaxScales * kSums;
extern const double kWeightTable[kWeights];

// How a norm finds its weight when a small frame has fewer than six scales.
enum class Numbering {
  kFixed,     // each norm keeps its place, missing ones count as 0 (profile recursive)
  kSlipping,  // weights are taken in order over the scales that exist, as the reference tool does (profile standard)
};

// The weight of one norm of a frame with `scales` scales.
constexpr int WeightIndex(Numbering numbering, int scales, int channel, int scale, int norm, int kind) {
  const int per_channel = kSums * (numbering == Numbering::kFixed ? kMaxScales : scales);
  return per_channel * channel + kSums * scale + kKinds * norm + kind;
}

// What a frame is pooled from.
struct Norms {
  int scales = 0;
  double value[kChannels][kMaxScales][kNorms][kKinds] = {};

  // Mean and fourth root of the mean fourth power, from the sums (order 2*kind + norm) over `pixels` pixels.
  void Set(int channel, int scale, const double sums[kSums], int64_t pixels);
};

// Sum of weight * |norm|, one by one in the order of the table.
double WeightedSum(const Norms& norms, Numbering numbering);

// The value that the power is taken of, from a weighted sum, and the power's exponent.
double Stretch(double weighted_sum);
constexpr double kScoreExponent = 0x1.415932859b082p-1;  // 0.6276336467831387

// 100 for equal pictures, smaller for more visible differences, without a lower limit. The sum must be finite.
double Score(double weighted_sum);

}  // namespace vmafx::ssimulacra2
#endif  // VMAFX_METRICS_SSIMULACRA2_SCORE_H_
