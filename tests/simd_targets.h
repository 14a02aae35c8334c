// SPDX-License-Identifier: BSD-2-Clause-Patent
// Runs a test on every instruction set that this CPU and this build have.
#ifndef VMAFX_TESTS_SIMD_TARGETS_H_
#define VMAFX_TESTS_SIMD_TARGETS_H_

#include <gtest/gtest.h>

#include "hwy/highway.h"
#include "hwy/targets.h"

namespace vmafx::test {

// Those that this CPU and this build have, a bit for each; better ones have lower bits.
inline int64_t Targets() { return hwy::SupportedTargets() & (HWY_TARGETS | HWY_AVX3_DL); }

// The one in use, where code is compiled for it.
inline int64_t BestTarget() { return Targets() & -Targets(); }

// Code that is not compiled for a target (AVX3_DL is on demand) uses the next lower one.
template <class Body>
void ForEachTarget(const Body& body) {
  for (int64_t rest = Targets(); rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest);  // the best of these and the lower ones
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    SCOPED_TRACE(hwy::TargetName(BestTarget()));
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace vmafx::test
#endif  // VMAFX_TESTS_SIMD_TARGETS_H_
