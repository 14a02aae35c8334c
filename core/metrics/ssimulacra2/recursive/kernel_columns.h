// SPDX-License-Identifier: BSD-2-Clause-Patent
// The blur along columns, in place: a group of 32 lanes takes 32 columns of one plane and runs down them. A column is
// one sequence of dependent steps, so there are few groups, and each has the next kAheadRows rows on their way while
// it works on these. The terms are formed in a kernel of their own (kernel_terms.h), where pixels are independent:
// with so few groups they waited for their own instructions (H200, first scale of 4K: 890 us in one kernel, 167 us and
// 235 us in two, both near two thirds of the memory's bandwidth).
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

constexpr int kAheadRows = 4 * kBlurSpan;

VMAFX_FN void BlurAlongColumns(const BlurArguments& arguments) {
  int number = 0;
  while (number + 1 < arguments.jobs && BlockX() >= arguments.job[number + 1].first_columns_block) ++number;
  const BlurJob& job = arguments.job[number];
  const int unit = (BlockX() - job.first_columns_block) * kColumnsGroups + ThreadX() / kGroup;
  const int units = (job.width + kGroup - 1) / kGroup;  // of a plane
  const int plane = unit / units, x = unit % units * kGroup + GroupLane();
  if (plane >= job.planes || x >= job.width) return;
  float* const column = Memory<float>(job.work) + static_cast<int64_t>(plane) * job.height * job.width + x;
  float ahead[kAheadRows];
  const auto load = [&](int first) {
    VMAFX_UNROLL
    for (int i = 0; i < kAheadRows; ++i)
      ahead[i] = first + i < job.height ? column[static_cast<int64_t>(first + i) * job.width] : 0.0f;
  };
  BlurLine line;
  Start(line);
  load(0);
  for (int first = 0; first < job.height + kBlurLead; first += kAheadRows) {
    float blurred[kAheadRows];
    VMAFX_UNROLL
    for (int i = 0; i < kAheadRows; ++i) blurred[i] = Step(line, i % kBlurSpan, ahead[i]);
    load(first + kAheadRows);
    VMAFX_UNROLL
    for (int i = 0; i < kAheadRows; ++i) {
      const int y = first + i - kBlurLead;
      if (y >= 0 && y < job.height) column[static_cast<int64_t>(y) * job.width] = blurred[i];
    }
  }
}

}  // namespace vmafx::ssimulacra2::recursive
#endif  // VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_COLUMNS_H_
