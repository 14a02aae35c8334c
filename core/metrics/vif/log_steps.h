// SPDX-License-Identifier: BSD-2-Clause-Patent
// The host's table of logarithms (core/numeric/log2_table.h) in 8 KiB, small enough for shared memory. It rises by 0 or 1
// from entry to entry, so 32 entries are their first value and 32 bits that say where it rises.
#ifndef VMAFX_METRICS_VIF_LOG_STEPS_H_
#define VMAFX_METRICS_VIF_LOG_STEPS_H_

#include "core/numeric/portable.h"

namespace vmafx::vif {

inline constexpr int kLogWords = 1024;

// Entry i of the table is LogEntry(word[i / 32], i % 32). High half: the first value; bit b: entry b exceeds entry b - 1.
VMAFX_FN uint32_t LogEntry(uint64_t word, int entry) {
  const uint32_t rises = static_cast<uint32_t>(word) & (0xFFFFFFFFu >> (31 - entry));
  return static_cast<uint32_t>(word >> 32) + static_cast<uint32_t>(BitCount(rises));
}

}  // namespace vmafx::vif
#endif  // VMAFX_METRICS_VIF_LOG_STEPS_H_
