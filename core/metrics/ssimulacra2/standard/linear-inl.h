// SPDX-License-Identifier: BSD-2-Clause-Patent
// Rows of samples to rows of linear light, as LinearLight() of plain.h does it for a plane.
// Included once per instruction set, so it has a per-target include guard.
#if defined(VMAFX_METRICS_SSIMULACRA2_STANDARD_LINEAR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAFX_METRICS_SSIMULACRA2_STANDARD_LINEAR_INL_H_
#undef VMAFX_METRICS_SSIMULACRA2_STANDARD_LINEAR_INL_H_
#else
#define VMAFX_METRICS_SSIMULACRA2_STANDARD_LINEAR_INL_H_
#endif

#include <algorithm>

#include "core/metrics/ssimulacra2/score.h"
#include "core/metrics/ssimulacra2/standard/tiles.h"
#include "core/metrics/ssimulacra2/xyb-inl.h"
#include "core/numeric/exact_fma-inl.h"
#include "core/numeric/samples.h"

HWY_BEFORE_NAMESPACE();
namespace vmafx::ssimulacra2::standard {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace shared = ssimulacra2::HWY_NAMESPACE;
using vmafx::HWY_NAMESPACE::FusedMulAdd;

using D = hn::CappedTag<float, kLargestVector>;
using V = hn::Vec<D>;

HWY_INLINE V FloatOfWords(const uint16_t* HWY_RESTRICT words) {
  const D d;
  const hn::Rebind<uint16_t, D> d16;
  const hn::RebindToSigned<D> d32;
  return hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d16, words)));
}

HWY_INLINE V NormalisedV(V sum, float offset, float scale) {
  const D d;
  return hn::Mul(hn::Sub(sum, hn::Set(d, offset)), hn::Set(d, scale));
}

HWY_INLINE V ClampedV(V x) {
  const D d;
  return hn::Min(hn::Max(x, hn::Zero(d)), hn::Set(d, 1.0f));
}

// Weighted chroma sums at luma columns [x0, x0 + count) of luma row y; x0 is even. All of it is exact: integers below
// 2^24.
static HWY_NOINLINE void ChromaRow(const Conversion& c, const Component& component, int y, int x0, int count,
                          ChromaScratch& scratch, float* HWY_RESTRICT out) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const bool halved = c.siting_x != kNotSubsampled;
  const int first = halved ? x0 / 2 : x0;
  const int last = halved ? (x0 + count - 1) / 2 : x0 + count - 1;
  // With two taps along the row one more sample on either side, where there is one.
  const int from = halved ? std::max(first - 1, 0) : first;
  const int to = halved ? std::min(last + 1, component.width - 1) : last;
  const int n = to - from + 1;

  const ChromaTaps rows = TapsAt(c.siting_y, y, component.height);
  UnpackRow(component, rows.first, from, n, scratch.words[0]);
  if (rows.second_weight != 0) UnpackRow(component, rows.second, from, n, scratch.words[1]);
  // sums[0] stands for chroma column first - 1.
  float* HWY_RESTRICT sums = halved ? scratch.sums : out;
  float* HWY_RESTRICT to_sums = halved ? sums + (from - (first - 1)) : sums;
  const V first_weight = hn::Set(d, static_cast<float>(rows.first_weight));
  const V second_weight = hn::Set(d, static_cast<float>(rows.second_weight));
  for (int i = 0; i < n; i += lanes) {
    V sum = hn::Mul(first_weight, FloatOfWords(scratch.words[0] + i));
    if (rows.second_weight != 0) sum = hn::Add(sum, hn::Mul(second_weight, FloatOfWords(scratch.words[1] + i)));
    hn::StoreU(sum, d, to_sums + i);
  }
  if (!halved) return;

  if (from == first) sums[0] = sums[1];
  if (to == last) sums[last - first + 2] = sums[last - first + 1];
  // Even columns: the sample before and the one at k; odd ones: the one at k and the one after.
  const ChromaTaps even_taps = TapsAt(c.siting_x, 2, 4), odd_taps = TapsAt(c.siting_x, 3, 4);
  const V even_here = hn::Set(d, static_cast<float>(even_taps.first_weight));
  const V even_before = hn::Set(d, static_cast<float>(even_taps.second_weight));
  const V odd_here = hn::Set(d, static_cast<float>(odd_taps.first_weight));
  const V odd_after = hn::Set(d, static_cast<float>(odd_taps.second_weight));
  for (int i = 0; i <= last - first; i += lanes) {
    const V before = hn::LoadU(d, sums + i), here = hn::LoadU(d, sums + i + 1), after = hn::LoadU(d, sums + i + 2);
    hn::StoreInterleaved2(hn::Add(hn::Mul(even_here, here), hn::Mul(even_before, before)),
                          hn::Add(hn::Mul(odd_here, here), hn::Mul(odd_after, after)), d, out + 2 * i);
  }
}

// Linear light of columns [x0, x0 + count) of row y to linear[channel][0..count); whole vectors are written.
static HWY_NOINLINE void LinearRow(const Conversion& c, const Format& format, const PictureView& picture, int y, int x0,
                          int count, Scratch& scratch, float (*linear)[kPaddedRow]) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto store = [&](int i, V r, V g, V b) HWY_ATTR {
    hn::StoreU(shared::LinearOfClamped(d, kTransferTable, r), d, linear[0] + i);
    hn::StoreU(shared::LinearOfClamped(d, kTransferTable, g), d, linear[1] + i);
    hn::StoreU(shared::LinearOfClamped(d, kTransferTable, b), d, linear[2] + i);
  };
  const auto direct = [&](int component, int i) HWY_ATTR {
    return NormalisedV(FloatOfWords(scratch.words[component] + i), c.luma_offset, c.luma_scale);
  };
  UnpackRow(picture.component[0], y, x0, count, scratch.words[0]);
  if (format.layout == VMAFX_LAYOUT_GRAY) {
    for (int i = 0; i < count; i += lanes) {
      const V grey = ClampedV(direct(0, i));
      store(i, grey, grey, grey);
    }
    return;
  }
  if (format.layout == VMAFX_LAYOUT_RGB) {
    UnpackRow(picture.component[1], y, x0, count, scratch.words[1]);
    UnpackRow(picture.component[2], y, x0, count, scratch.words[2]);
    for (int i = 0; i < count; i += lanes)
      store(i, ClampedV(direct(0, i)), ClampedV(direct(1, i)), ClampedV(direct(2, i)));
    return;
  }
  ChromaRow(c, picture.component[1], y, x0, count, scratch.chroma_scratch, scratch.chroma[0]);
  ChromaRow(c, picture.component[2], y, x0, count, scratch.chroma_scratch, scratch.chroma[1]);
  for (int i = 0; i < count; i += lanes) {
    const V luma = direct(0, i);
    const V cb = NormalisedV(hn::LoadU(d, scratch.chroma[0] + i), c.chroma_offset, c.chroma_scale);
    const V cr = NormalisedV(hn::LoadU(d, scratch.chroma[1] + i), c.chroma_offset, c.chroma_scale);
    store(i, ClampedV(FusedMulAdd(d, hn::Set(d, c.cr_r), cr, luma)),
          ClampedV(FusedMulAdd(d, hn::Set(d, c.cr_g), cr, FusedMulAdd(d, hn::Set(d, c.cb_g), cb, luma))),
          ClampedV(FusedMulAdd(d, hn::Set(d, c.cb_b), cb, luma)));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace vmafx::ssimulacra2::standard
HWY_AFTER_NAMESPACE();

#endif  // VMAFX_METRICS_SSIMULACRA2_STANDARD_LINEAR_INL_H_
