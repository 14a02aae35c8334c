// SPDX-License-Identifier: BSD-2-Clause-Patent
// The logarithms of integer VIF (libvmaf's `vif` feature): entry i belongs to n = 32768 + i and is log2(n), rounded to
// binary32, times 2048, rounded to the nearest integer, halves upward. The rounding to binary32 is part of the
// definition: it changes 38 entries. Made by integer arithmetic, so it does not depend on a maths library.
#ifndef VMAFX_NUMERIC_LOG2_TABLE_H_
#define VMAFX_NUMERIC_LOG2_TABLE_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace vmafx {

inline constexpr size_t kLog2Entries = 32768;

// Thread-safety: safe; made at the first call.
const std::array<uint16_t, kLog2Entries>& Log2Table();

}  // namespace vmafx
#endif  // VMAFX_NUMERIC_LOG2_TABLE_H_
