// SPDX-License-Identifier: BSD-2-Clause-Patent
// The steps of definition.h on Highway vectors, same bits, for the SIMD forms of both profiles.
// Included once per instruction set, so it has a per-target include guard.
#if defined(VMAFX_METRICS_SSIMULACRA2_XYB_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAFX_METRICS_SSIMULACRA2_XYB_INL_H_
#undef VMAFX_METRICS_SSIMULACRA2_XYB_INL_H_
#else
#define VMAFX_METRICS_SSIMULACRA2_XYB_INL_H_
#endif

#include "core/metrics/ssimulacra2/definition.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace vmafx::ssimulacra2 {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// LinearOfEncoded of values clamped to [0, 1]. 1 itself is found as the upper end of the last interval: exact, because
// T[1023] - T[1022] is. Both ends of an interval come with one 8-byte copy, lane by lane: on Zen 4 that takes 4.3 ns
// for 16 lanes, where two gathers of floats take 11.1 ns and two of pairs 7.3 ns.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V LinearOfClamped(D d, const float* HWY_RESTRICT table, V x) {
  const hn::RebindToSigned<D> di;
  HWY_ALIGN int32_t index[HWY_LANES(float)];
  HWY_ALIGN float ends[2 * HWY_LANES(float)];
  const V q = hn::Mul(x, hn::Set(d, 1023.0f));
  const auto i = hn::Min(hn::ConvertTo(di, q), hn::Set(di, kTransferSize - 2));
  const V t = hn::Sub(q, hn::ConvertTo(d, i));
  hn::Store(i, di, index);
  for (size_t lane = 0; lane < hn::Lanes(d); ++lane)
    hwy::CopyBytes<2 * sizeof(float)>(table + index[lane], ends + 2 * lane);
  V low, high;
  hn::LoadInterleaved2(d, ends, low, high);
  return hn::Add(low, hn::Mul(hn::Sub(high, low), t));
}

// Downsample of 2*Lanes(d) columns of two rows.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V DownsampleRows(D d, const float* HWY_RESTRICT top, const float* HWY_RESTRICT bottom) {
  V top_left, top_right, bottom_left, bottom_right;
  hn::LoadInterleaved2(d, top, top_left, top_right);
  hn::LoadInterleaved2(d, bottom, bottom_left, bottom_right);
  return hn::Mul(hn::Add(hn::Add(hn::Add(top_left, top_right), bottom_left), bottom_right), hn::Set(d, 0.25f));
}

// x / 3 for x < 2^31: the upper half of the product with (2^32 + 2) / 3.
template <class DU, class VU = hn::Vec<DU>>
HWY_INLINE VU ThirdOf(DU du, VU x) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(du, hn::GetLane(x) / 3u);
#else
  const hn::Repartition<uint64_t, DU> dw;
  const VU factor = hn::Set(du, 0x55555556u);
  const auto even = hn::MulEven(x, factor);
  const auto odd = hn::MulEven(hn::BitCast(du, hn::ShiftRight<32>(hn::BitCast(dw, x))), factor);
  return hn::OddEven(hn::BitCast(du, odd), hn::BitCast(du, hn::ShiftRight<32>(even)));
#endif
}

// CubeRoot of positive values.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V CubeRoots(D d, V x) {
  const hn::RebindToUnsigned<D> du;
  const V third = hn::Set(d, kThird);
  V y = hn::BitCast(d, hn::Add(ThirdOf(du, hn::BitCast(du, x)), hn::Set(du, kCubeRootSeed)));
  for (int step = 0; step < 2; ++step) y = hn::Mul(hn::Add(hn::Add(y, y), hn::Div(x, hn::Mul(y, y))), third);
  return y;
}

// OpsinRoot; linear light is not negative, so the sum is at least kOpsinBias and needs no clamp.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V OpsinRoots(D d, float m0, float m1, float m2, V r, V g, V b) {
  const V mixed = hn::Add(hn::Add(hn::Mul(hn::Set(d, m0), r), hn::Mul(hn::Set(d, m1), g)), hn::Mul(hn::Set(d, m2), b));
  return hn::Sub(CubeRoots(d, hn::Add(mixed, hn::Set(d, kOpsinBias))), hn::Set(d, kOpsinBiasRoot));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE void XybOfLinearRows(D d, V r, V g, V b, V& out_x, V& out_y, V& out_b) {
  const V l = OpsinRoots(d, kOpsin00, kOpsin01, kOpsin02, r, g, b);
  const V m = OpsinRoots(d, kOpsin10, kOpsin11, kOpsin12, r, g, b);
  const V s = OpsinRoots(d, kOpsin20, kOpsin21, kOpsin22, r, g, b);
  const V half = hn::Set(d, 0.5f);
  const V x = hn::Mul(half, hn::Sub(l, m));
  const V y = hn::Mul(half, hn::Add(l, m));
  out_x = hn::Add(hn::Mul(x, hn::Set(d, kXScale)), hn::Set(d, kXOffset));
  out_y = hn::Add(y, hn::Set(d, kYOffset));
  out_b = hn::Add(hn::Sub(s, y), hn::Set(d, kBOffset));
}

}  // namespace HWY_NAMESPACE
}  // namespace vmafx::ssimulacra2
HWY_AFTER_NAMESPACE();

#endif  // VMAFX_METRICS_SSIMULACRA2_XYB_INL_H_
