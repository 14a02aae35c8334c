// SPDX-License-Identifier: BSD-2-Clause-Patent
// A frame's scales, which of its sums a score needs, and the score from the sums. On the host, for every processor.
#ifndef VMAFX_METRICS_SSIMULACRA2_STANDARD_FRAME_H_
#define VMAFX_METRICS_SSIMULACRA2_STANDARD_FRAME_H_

#include "core/engine/status.h"
#include "core/metrics/ssimulacra2/standard/definition.h"

namespace vmafx::ssimulacra2::standard {

// The scales of a picture: scale 0 is the picture; another one follows while the last is at least 8x8, up to six. (The
// size test comes before the halving, as in the author's tool: the smallest scale may have sides of 4.)
struct Scales {
  Scales(int width, int height);
  int64_t pixels(int scale) const { return int64_t{width[scale]} * height[scale]; }

  int count = 0;
  int width[kMaxScales] = {};
  int height[kMaxScales] = {};
};

// A set of the sums of one channel at one scale: bit 2*kind + norm, as sums are numbered in ../definition.h.
using SumSet = uint32_t;
constexpr SumSet kSsimSums = 0x03;
constexpr SumSet kArtifactSums = 0x0C;
constexpr SumSet kLossSums = 0x30;
constexpr SumSet kAllSums = kSsimSums | kArtifactSums | kLossSums;

// The sums whose weight is not zero in a frame of `scales` scales. With fewer than six scales weights slip to other
// sums (Numbering::kSlipping), so the sets differ. A channel without ssim sums needs no blur of squares.
SumSet NeededSums(int scales, int channel, int scale);

// Which sums are formed: those that the score needs, or all of them.
enum class Formed { kNeeded, kAll };

// Sums that were not formed are 0.
struct FrameSums {
  double value[kMaxScales][kChannels][kSums] = {};
};

// VMAFX_ERROR_INTERNAL when a sum is not finite.
Status ScoreOf(const Scales& scales, const FrameSums& sums, double* score);

}  // namespace vmafx::ssimulacra2::standard
#endif  // VMAFX_METRICS_SSIMULACRA2_STANDARD_FRAME_H_
