// SPDX-License-Identifier: BSD-2-Clause-Patent
// Lg() in SIMD without look-ups: gathers and scalar loads would cost more than a polynomial.
//
// Lg() depends on the argument's exponent and on the 15 bits i below its leading bit, and adds the table's entry
// round(2048 log2(1 + i/32768)). The polynomial is within 2e-4 of 2048 log2(1 + i/32768) + 1/1024: the offset is half
// a spacing of the binary32 numbers through which the table's entries are rounded. No outside value of the logarithm is
// nearer to a rounding boundary than 1.5e-5, so few entries are at risk, and the last bits of the coefficients were
// searched for a set that rounds every one of the 32768 entries right, with fused and with separate multiplications
// alike. The test compares all entries on every target.

#if defined(VMAFX_METRICS_VIF_LG_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAFX_METRICS_VIF_LG_INL_H_
#undef VMAFX_METRICS_VIF_LG_INL_H_
#else
#define VMAFX_METRICS_VIF_LG_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace vmafx::vif {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

// What LgOfParts() leaves out: 2048 log2(1.5) of the polynomial, rounded, the bias of the exponent, and the bits of the
// number that rounds.
inline constexpr int32_t kLgOffset = 1198 - 2048 * 1023 - 0x4B400000;

// The exponent and the 15 bits below the leading bit of integers from 2^16 to 2^53: the upper bits of the numbers
// themselves. D: 32-bit signed lanes, as many as the argument's.
template <class D, class VF64>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<D> LgParts(D d, VF64 v) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToUnsigned<hn::DFromV<VF64>> d64;
  const auto parts = hn::ShiftRight<37>(hn::BitCast(d64, v));
  return hn::BitCast(d, hn::TruncateTo(hn::RebindToUnsigned<D>(), parts));
}

// Lg() - kLgOffset of the numbers with these parts.
template <class D>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<D> LgOfParts(D d, hwy::HWY_NAMESPACE::Vec<D> parts) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToFloat<D> df;
  // 1 + i/32768 - 1.5, from the bits of a number in [1, 2).
  const auto fraction = hn::And(hn::ShiftLeft<8>(parts), hn::Set(d, 0x7FFF00));
  const auto t = hn::Sub(hn::BitCast(df, hn::Or(fraction, hn::Set(d, 0x3F800000))), hn::Set(df, 1.5f));
  auto p = hn::Set(df, 0x1.6b908p3f);
  p = hn::MulAdd(p, t, hn::Set(df, -0x1.22ceacp4f));
  p = hn::MulAdd(p, t, hn::Set(df, 0x1.7e0412p4f));
  p = hn::MulAdd(p, t, hn::Set(df, -0x1.52eab6p5f));
  p = hn::MulAdd(p, t, hn::Set(df, 0x1.37b07ap6f));
  p = hn::MulAdd(p, t, hn::Set(df, -0x1.23f9a2p7f));
  p = hn::MulAdd(p, t, hn::Set(df, 0x1.23cf94p8f));
  p = hn::MulAdd(p, t, hn::Set(df, -0x1.484abep9f));
  p = hn::MulAdd(p, t, hn::Set(df, 0x1.ec70a2p10f));
  p = hn::MulAdd(p, t, hn::Set(df, 0x1.161262p-8f));
  const auto octaves = hn::And(hn::ShiftRight<4>(parts), hn::Set(d, ~0x7FF));  // 2048 times the exponent
  // Adding 1.5 * 2^23 rounds to an integer and leaves it in the lower bits.
  return hn::Add(hn::BitCast(d, hn::Add(p, hn::Set(df, 12582912.0f))), octaves);
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace vmafx::vif
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
