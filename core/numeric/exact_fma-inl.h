// SPDX-License-Identifier: BSD-2-Clause-Patent
// a*b + c of binary32 vectors with one rounding, on targets without such an instruction too (where Highway's MulAdd
// rounds twice). Included once per instruction set, so it has a per-target include guard.
#if defined(VMAFX_NUMERIC_EXACT_FMA_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAFX_NUMERIC_EXACT_FMA_INL_H_
#undef VMAFX_NUMERIC_EXACT_FMA_INL_H_
#else
#define VMAFX_NUMERIC_EXACT_FMA_INL_H_
#endif

#include "core/numeric/portable.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace vmafx {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
// These are ordinary C++, whose DemoteTo saturates, too.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V EmulatedFma(D d, V a, V b, V c) {
  HWY_ALIGN float lanes_a[HWY_LANES(float)], lanes_b[HWY_LANES(float)], lanes_c[HWY_LANES(float)];
  hn::Store(a, d, lanes_a);
  hn::Store(b, d, lanes_b);
  hn::Store(c, d, lanes_c);
  for (size_t i = 0; i < hn::Lanes(d); ++i) lanes_c[i] = Fma(lanes_a[i], lanes_b[i], lanes_c[i]);
  return hn::Load(d, lanes_c);
}
#else

// a*b + c in binary64, rounded to odd: an inexact result has an odd significand. a*b is exact, having at most 48
// significant bits. Rounding the result to binary32 then gives the bits of one rounding (S. Boldo, G. Melquiond,
// "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008), since binary64 has
// more than two bits in excess of binary32.
template <class DD, class VD = hn::Vec<DD>>
HWY_INLINE VD MulAddToOdd(DD dd, VD a, VD b, VD c) {
  const hn::RebindToSigned<DD> di;
  const VD product = hn::Mul(a, b);
  const VD sum = hn::Add(product, c);
  // TwoSum (Knuth): sum + error = product + c exactly. Not a number, and so not compared below, when sum is infinite.
  const VD c_part = hn::Sub(sum, product);
  const VD error = hn::Add(hn::Sub(product, hn::Sub(sum, c_part)), hn::Sub(c, c_part));
  // The exact value lies between sum and its neighbour: of those two take the one that is odd.
  const VD zero = hn::Zero(dd);
  const auto bits = hn::BitCast(di, sum);
  const auto one = hn::Set(di, 1);
  const auto inexact = hn::Or(hn::VecFromMask(dd, hn::Lt(error, zero)), hn::VecFromMask(dd, hn::Gt(error, zero)));
  const auto even = hn::AndNot(bits, hn::And(one, hn::BitCast(di, inexact)));
  // Away from zero (+1) when error and sum have the same sign, else towards it (-1).
  const auto opposite = hn::BroadcastSignBit(hn::Xor(bits, hn::BitCast(di, error)));
  const auto direction = hn::Or(opposite, one);
  return hn::BitCast(dd, hn::Add(bits, hn::And(direction, hn::Sub(hn::Zero(di), even))));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V EmulatedFma(D d, V a, V b, V c) {
  const hn::Half<D> dh;
  const hn::Rebind<double, decltype(dh)> dd;
  const hn::RebindToUnsigned<D> du;
  const auto low_a = hn::PromoteTo(dd, hn::LowerHalf(dh, a)), high_a = hn::PromoteTo(dd, hn::UpperHalf(dh, a));
  const auto low_b = hn::PromoteTo(dd, hn::LowerHalf(dh, b)), high_b = hn::PromoteTo(dd, hn::UpperHalf(dh, b));
  const auto low_c = hn::PromoteTo(dd, hn::LowerHalf(dh, c)), high_c = hn::PromoteTo(dd, hn::UpperHalf(dh, c));
  auto low = hn::Add(hn::Mul(low_a, low_b), low_c);
  auto high = hn::Add(hn::Mul(high_a, high_b), high_c);
  // Rounding twice differs from rounding once only where the first result lies halfway between two binary32 values. Its
  // last 28 bits are then zero, which is rare: only such vectors take the long way.
  const auto last_words = hn::ConcatEven(du, hn::BitCast(du, high), hn::BitCast(du, low));
  const auto halfway = hn::Eq(hn::And(last_words, hn::Set(du, 0x0FFFFFFFu)), hn::Zero(du));
  if (HWY_UNLIKELY(!hn::AllFalse(du, halfway))) {
    low = MulAddToOdd(dd, low_a, low_b, low_c);
    high = MulAddToOdd(dd, high_a, high_b, high_c);
  }
  return hn::Combine(d, hn::DemoteTo(dh, high), hn::DemoteTo(dh, low));
}
#endif  // HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

template <class D, class V = hn::Vec<D>>
HWY_INLINE V FusedMulAdd(D d, V a, V b, V c) {
#if HWY_NATIVE_FMA
  (void)d;
  return hn::MulAdd(a, b, c);
#else
  return EmulatedFma(d, a, b, c);
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace vmafx
HWY_AFTER_NAMESPACE();

#endif  // VMAFX_NUMERIC_EXACT_FMA_INL_H_
