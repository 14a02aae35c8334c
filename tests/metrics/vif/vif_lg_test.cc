// SPDX-License-Identifier: BSD-2-Clause-Patent
// The polynomial that stands for the table of logarithms in SIMD: every entry, at the exponents that occur.
#include <gtest/gtest.h>

#include <vector>

#include "core/metrics/vif/definition.h"
#include "core/numeric/log2_table.h"

#define HWY_WANT_AVX3_DL

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/metrics/vif/vif_lg_test.cc"
#include "hwy/foreach_target.h"  // compiles this file once for each instruction set
#include "core/metrics/vif/lg-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vmafx::vif {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Integers below 2^53 in, Lg() out; `count` is a multiple of 64.
void LgOf(const double* values, size_t count, int32_t* out) {
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<int32_t> d;
  const hn::Half<decltype(d)> half;
  const hn::ScalableTag<double> d64;
  std::vector<int32_t> parts(count);
  for (size_t i = 0; i < count; i += hn::Lanes(d64))
    hn::StoreU(LgParts(half, hn::LoadU(d64, values + i)), half, parts.data() + i);
  for (size_t i = 0; i < count; i += hn::Lanes(d))
    hn::StoreU(hn::Add(LgOfParts(d, hn::LoadU(d, parts.data() + i)), hn::Set(d, kLgOffset)), d, out + i);
#else
  for (size_t i = 0; i < count; ++i) out[i] = Lg(static_cast<uint64_t>(values[i]), Log2Table().data());
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace vmafx::vif
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "tests/simd_targets.h"

namespace vmafx::vif {

HWY_EXPORT(LgOf);

namespace {

TEST(VifLg, EveryEntryAtEveryExponent) {
  // From the noise, 2^17, to the greatest argument: noise, a variance below 2^30 and its 10^4-fold.
  for (int shift = 2; shift <= 30; ++shift) {
    std::vector<double> values;
    for (uint64_t i = 0; i < kLog2Entries; ++i) {
      const uint64_t dropped = i * 2654435761u & ((uint64_t{1} << shift) - 1);
      values.push_back(static_cast<double>((kLog2Entries + i) << shift | dropped));
    }
    std::vector<int32_t> wanted;
    for (const double value : values) wanted.push_back(Lg(static_cast<uint64_t>(value), Log2Table().data()));
    test::ForEachTarget([&] {
      std::vector<int32_t> out(values.size());
      HWY_DYNAMIC_DISPATCH(LgOf)(values.data(), values.size(), out.data());
      ASSERT_EQ(out, wanted) << shift;
    });
  }
}

}  // namespace
}  // namespace vmafx::vif
#endif  // HWY_ONCE
