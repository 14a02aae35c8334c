// SPDX-License-Identifier: BSD-2-Clause-Patent
// Runs a test on every instruction set that this CPU and this build have.
#ifndef VMAFX_TESTS_SIMD_TARGETS_H_
#define VMAFX_TESTS_SIMD_TARGETS_H_

#include <gtest/gtest.h>

#include "hwy/highway.h"
#include "hwy/targets.h"

namespace vmafx::test {

// The one in use, where code is compiled for it.
inline int64_t BestTarget() {
  const int64_t supported = hwy::SupportedTargets() & (HWY_TARGETS | HWY_AVX3_DL);
  return supported & -supported;
}

// Code that is not compiled for a target (AVX3_DL is on demand) uses the next lower one.
template <class Body>
void ForEachTarget(const Body& body) {
  const int64_t supported = hwy::SupportedTargets() & (HWY_TARGETS | HWY_AVX3_DL);
  for (int64_t rest = supported; rest != 0; rest &= rest - 1) {
    const int64_t best = rest & -rest;
    hwy::SetSupportedTargetsForTest(rest);  // it and the lower ones, whose bits are higher
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    SCOPED_TRACE(hwy::TargetName(best));
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace vmafx::test
#endif  // VMAFX_TESTS_SIMD_TARGETS_H_
