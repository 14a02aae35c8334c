// SPDX-License-Identifier: BSD-2-Clause-Patent
// The terms of each pixel, stored where the blurs of the same pixel were, and approximate sums of chunks of them. A
// group of 32 lanes takes a chunk.
#ifndef VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_TERMS_H_
#define VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_TERMS_H_

#include "core/metrics/kernel.h"
//
#include "core/metrics/ssimulacra2/recursive/kernel_arguments.h"

namespace vmafx::ssimulacra2::recursive {

VMAFX_FN void StoreTerm(uint32_t* high, uint32_t* low, double term) {
  const uint64_t bits = Bits(term);
  *high = static_cast<uint32_t>(bits >> 32);
  *low = static_cast<uint32_t>(bits);
}

// What sum `sum` (order of ../definition.h) adds for a stored term.
VMAFX_FN double Summand(double stored, int sum) {
  const int kind = sum / kNorms;
  const double term = kind == 0 ? stored : kind == 1 ? (stored > 0.0 ? stored : 0.0) : (stored < 0.0 ? -stored : 0.0);
  return sum % kNorms == 0 ? term : FourthPower(term);
}

template <bool kSsim>
VMAFX_FN void MeasureChunk(const BlurJob& job, int chunk, uint64_t chunk_sums) {
  const int64_t plane_size = static_cast<int64_t>(job.width) * job.height;
  const int64_t start = static_cast<int64_t>(chunk) * kChunk + GroupLane();
  const int64_t end = static_cast<int64_t>(chunk + 1) * kChunk < plane_size ? static_cast<int64_t>(chunk + 1) * kChunk
                                                                           : plane_size;
  int y = static_cast<int>(start / job.width), x = static_cast<int>(start - static_cast<int64_t>(y) * job.width);
  double sums[kSums] = {};
  for (int64_t at = start; at < end; at += kGroup) {
    const int64_t pixel = static_cast<int64_t>(y) * job.pitch + x;
    float* const work = Memory<float>(job.work) + at;
    float blurred[kBlurredPlanes] = {};
    blurred[kReference] = work[kM1 * plane_size];
    blurred[kDistorted] = work[kM2 * plane_size];
    if constexpr (kSsim) {
      blurred[kSquareReference] = work[kS11 * plane_size];
      blurred[kSquareDistorted] = work[kS22 * plane_size];
      blurred[kProduct] = work[kS12 * plane_size];
    }
    const Terms terms = TermsOf(Load(Memory<const float>(job.reference) + pixel),
                                Load(Memory<const float>(job.distorted) + pixel), blurred);
    uint32_t* const words = Memory<uint32_t>(job.work) + at;
    StoreTerm(words + kEdgeHigh * plane_size, words + kEdgeLow * plane_size, terms.edge);
    if constexpr (kSsim) StoreTerm(words + kSsimHigh * plane_size, words + kSsimLow * plane_size, terms.ssim);
    VMAFX_UNROLL
    for (int sum = kSsim ? 0 : kNorms; sum < kSums; ++sum)
      if ((job.needed >> sum & 1) != 0) sums[sum] += Summand(sum < kNorms ? terms.ssim : terms.edge, sum);
    for (x += kGroup; x >= job.width; x -= job.width) ++y;
  }
  double* out = Memory<double>(chunk_sums) + job.first_chunk + chunk;
  VMAFX_UNROLL
  for (int sum = kSsim ? 0 : kNorms; sum < kSums; ++sum) {
    if ((job.needed >> sum & 1) == 0) continue;
    double total = sums[sum];
    VMAFX_UNROLL
    for (int mask = kGroup / 2; mask > 0; mask /= 2) total += ShuffleXor(total, mask, kGroup);
    if (GroupLane() == 0 && chunk < job.chunks) *out = total;
    out += job.chunks;
  }
}

VMAFX_FN void MeasureTerms(const TermsArguments& arguments) {
  int number = 0;
  while (number + 1 < arguments.blur.jobs && BlockX() >= arguments.blur.job[number + 1].first_terms_block) ++number;
  const BlurJob& job = arguments.blur.job[number];
  const int chunk = (BlockX() - job.first_terms_block) * kChunkGroups + ThreadX() / kGroup;
  if (job.planes == kWorkPlanes)
    MeasureChunk<true>(job, chunk, arguments.chunk_sums);
  else
    MeasureChunk<false>(job, chunk, arguments.chunk_sums);
}

}  // namespace vmafx::ssimulacra2::recursive
#endif  // VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_TERMS_H_
