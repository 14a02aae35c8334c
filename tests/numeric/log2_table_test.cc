// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/numeric/log2_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace vmafx {
namespace {

TEST(Log2Table, Hash) {
  const auto& table = Log2Table();
  uint64_t fnv = 14695981039346656037u;
  for (size_t i = 0; i < kLog2Entries; ++i) {
    for (const unsigned byte : {table[i] & 0xFFu, table[i] >> 8 & 0xFFu}) {
      fnv ^= byte;
      fnv *= 1099511628211u;
    }
  }
  EXPECT_EQ(fnv, 0xd6509fd850265c09u);
  EXPECT_EQ(std::accumulate(table.begin(), table.end(), uint64_t{0}), 1044032097u);
}

TEST(Log2Table, Samples) {
  const auto& table = Log2Table();
  const std::pair<size_t, int> samples[] = {{0, 30720},     {100, 30729},   {1000, 30809},  {4096, 31068},
                                            {8192, 31379},  {16384, 31918}, {20000, 32128}, {32766, 32768},
                                            {32767, 32768}, {340, 30751},   {441, 30760},   {1689, 30869},
                                            {31592, 32715}, {32073, 32737}};
  for (const auto& [index, value] : samples) EXPECT_EQ(table[index], value) << index;
}

// Rounding log2 to binary32 first is part of the definition. The library's log2 has more than the precision needed.
TEST(Log2Table, DoublyRoundedEntries) {
  const auto& table = Log2Table();
  int exceptions = 0;
  for (size_t i = 0; i < kLog2Entries; ++i) {
    const double exact = std::log2(static_cast<double>(kLog2Entries + i));
    ASSERT_EQ(table[i], std::floor(static_cast<double>(static_cast<float>(exact)) * 2048 + 0.5)) << i;
    exceptions += table[i] != std::floor(exact * 2048 + 0.5);
  }
  EXPECT_EQ(exceptions, 38);
}

}  // namespace
}  // namespace vmafx
