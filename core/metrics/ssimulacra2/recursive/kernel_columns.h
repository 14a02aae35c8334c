// SPDX-License-Identifier: BSD-2-Clause-Patent
// The blur along columns and the terms. A group of 32 lanes takes 32 columns of one plane and runs down them, kRows
// rows at a time, leaving them in shared memory; then all groups of the block form the terms of these rows, and store
// them where the rows' blurs of the same pixels were: those have been read.
#ifndef VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_COLUMNS_H_
#define VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_COLUMNS_H_

#include "core/metrics/kernel.h"
//
#include "core/metrics/ssimulacra2/recursive/kernel_arguments.h"

namespace vmafx::ssimulacra2::recursive {

// One line's recursion. The last kBlurSpan inputs are kept in registers: loops over them are unrolled.
struct BlurLine {
  float inputs[kBlurSpan];
  BlurTerm terms[kBlurTerms];
};

VMAFX_FN void Start(BlurLine& line) {
  VMAFX_UNROLL
  for (int i = 0; i < kBlurSpan; ++i) line.inputs[i] = 0.0f;
  VMAFX_UNROLL
  for (int k = 0; k < kBlurTerms; ++k) line.terms[k] = {0.0f, 0.0f};
}

// `turn`: the number of the step, modulo kBlurSpan.
VMAFX_FN float Step(BlurLine& line, int turn, float newest) {
  const float out = BlurStep(line.terms, line.inputs[turn] + newest);
  line.inputs[turn] = newest;
  return out;
}

constexpr int kColumnsGroups = kColumnsThreads / 32;
constexpr int kColumnsShared = kWorkPlanes * 4 * kBlurSpan * 32;

VMAFX_FN void StoreTerm(uint32_t* high, uint32_t* low, double term) {
  const uint64_t bits = Bits(term);
  *high = static_cast<uint32_t>(bits >> 32);
  *low = static_cast<uint32_t>(bits);
}

// kSets sets of 32 columns; a group for each plane of each set, the others only form terms.
template <int kPlanes, int kSets, int kRows>
VMAFX_FN void MeasureColumns(const BlurJob& job, int left, float* shared) {
  static_assert(kPlanes * kSets <= kColumnsGroups && kPlanes * kSets * kRows * 32 <= kColumnsShared);
  static_assert(kRows % kBlurSpan == 0 && kSets * kRows % kColumnsGroups == 0);
  constexpr bool kSsim = kPlanes == kWorkPlanes;
  const int group = ThreadX() / kGroup, lane = GroupLane();
  const int64_t plane_size = static_cast<int64_t>(job.width) * job.height;
  float* const work = Memory<float>(job.work);
  const auto at = [](int set, int plane, int row, int column) {
    return ((set * kPlanes + plane) * kRows + row) * 32 + column;
  };

  const bool blurring = group < kPlanes * kSets;
  const int own_set = group / kPlanes, own_plane = group % kPlanes;
  const int own_x = left + own_set * 32 + lane;
  const float* const in = work + own_plane * plane_size + own_x;
  float ahead[kRows];
  const auto load = [&](int first) {
    VMAFX_UNROLL
    for (int i = 0; i < kRows; ++i)
      ahead[i] = blurring && own_x < job.width && first + i < job.height
                     ? in[static_cast<int64_t>(first + i) * job.width]
                     : 0.0f;
  };
  BlurLine line;
  Start(line);
  load(0);
  for (int first = 0; first < job.height + kBlurLead; first += kRows) {
    if (blurring) {
      VMAFX_UNROLL
      for (int i = 0; i < kRows; ++i)
        shared[at(own_set, own_plane, i, lane)] = Step(line, i % kBlurSpan, ahead[i]);
      load(first + kRows);
    }
    BlockBarrier();
    VMAFX_UNROLL
    for (int i = 0; i < kSets * kRows / kColumnsGroups; ++i) {
      const int slot = group + i * kColumnsGroups;
      const int set = slot / kRows, row = slot % kRows;
      const int x = left + set * 32 + lane, y = first + row - kBlurLead;
      if (x < job.width && y >= 0 && y < job.height) {
        const int64_t pixel = static_cast<int64_t>(y) * job.pitch + x;
        float blurred[kBlurredPlanes] = {};
        blurred[kReference] = shared[at(set, kM1, row, lane)];
        blurred[kDistorted] = shared[at(set, kM2, row, lane)];
        if constexpr (kSsim) {
          blurred[kSquareReference] = shared[at(set, kS11, row, lane)];
          blurred[kSquareDistorted] = shared[at(set, kS22, row, lane)];
          blurred[kProduct] = shared[at(set, kS12, row, lane)];
        }
        const Terms terms = TermsOf(Load(Memory<const float>(job.reference) + pixel),
                                    Load(Memory<const float>(job.distorted) + pixel), blurred);
        uint32_t* const words = Memory<uint32_t>(job.work) + static_cast<int64_t>(y) * job.width + x;
        StoreTerm(words + kEdgeHigh * plane_size, words + kEdgeLow * plane_size, terms.edge);
        if constexpr (kSsim) StoreTerm(words + kSsimHigh * plane_size, words + kSsimLow * plane_size, terms.ssim);
      }
    }
    BlockBarrier();
  }
}

VMAFX_FN void BlurAlongColumns(const BlurArguments& arguments) {
  VMAFX_SHARED(float, shared, [kColumnsShared]);
  int number = 0;
  while (number + 1 < arguments.jobs && BlockX() >= arguments.job[number + 1].first_columns_block) ++number;
  const BlurJob& job = arguments.job[number];
  const int block = BlockX() - job.first_columns_block;
  if (job.planes == kWorkPlanes)
    MeasureColumns<kWorkPlanes, kSsimColumns / 32, 4 * kBlurSpan>(job, block * kSsimColumns, shared);
  else
    MeasureColumns<kEdgePlanes, kEdgeColumns / 32, 2 * kBlurSpan>(job, block * kEdgeColumns, shared);
}

}  // namespace vmafx::ssimulacra2::recursive
#endif  // VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_COLUMNS_H_
