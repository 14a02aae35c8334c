// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/numeric/log2_table.h"

namespace vmafx {
namespace {

__extension__ typedef unsigned __int128 Uint128;

// log2(n) in units of 2^-44, for 2^15 <= n < 2^16. The fraction's bits come from repeated squaring: x in [1, 2) is held
// with 63 fractional bits; when x^2 >= 2 the next bit is 1 and x^2 is halved. Dropping bits of the squares makes
// the result too small by less than 2^-44 + 44 * 2^-62.
uint64_t Log2(uint32_t n) {
  uint64_t x = uint64_t{n} << 48;
  uint64_t fraction = 0;
  for (int bit = 0; bit < 44; ++bit) {
    const Uint128 square = static_cast<Uint128>(x) * x;  // 126 fractional bits
    const auto carry = static_cast<unsigned>(square >> 127);
    x = static_cast<uint64_t>(square >> (63 + carry));
    fraction = fraction << 1 | carry;
  }
  return uint64_t{15} << 44 | fraction;
}

std::array<uint16_t, kLog2Entries> MakeTable() {
  std::array<uint16_t, kLog2Entries> table{};
  for (uint32_t i = 0; i < kLog2Entries; ++i) {
    // The spacing of binary32 numbers in [15, 16) is 2^-20. No log2(n) but the exact 15 lies within 1.7e-5 spacings of
    // the middle between two of them, so the error of Log2() cannot show and ties do not occur.
    const uint64_t binary32 = (Log2(kLog2Entries + i) + (uint64_t{1} << 23)) >> 24;
    table[i] = static_cast<uint16_t>((binary32 + 256) >> 9);
  }
  return table;
}

}  // namespace

const std::array<uint16_t, kLog2Entries>& Log2Table() {
  static const auto table = MakeTable();
  return table;
}

}  // namespace vmafx
