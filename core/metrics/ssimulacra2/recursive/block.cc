// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/ssimulacra2/recursive/block.h"

#include <algorithm>
#include <type_traits>

// Arrays of vectors need vectors of a size known when compiling: no SVE, where NEON serves, and no RVV.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/metrics/ssimulacra2/recursive/block.cc"
#include "hwy/foreach_target.h"  // compiles this file once for each instruction set
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace vmafx::ssimulacra2::recursive {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::CappedTag<float, kStripColumns>;
using VF = hn::Vec<DF>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(DF()));

// ---- Transposition of kLanes x kLanes floats

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE void Transpose(const float* in, ptrdiff_t, float* out, ptrdiff_t) { *out = *in; }
#else
HWY_INLINE void Transpose(const float* HWY_RESTRICT in, ptrdiff_t in_stride, float* HWY_RESTRICT out,
                          ptrdiff_t out_stride) {
  const DF d;
  const hn::Repartition<uint64_t, DF> dw;
  VF v[kLanes];
  // Blocks of four lanes first: after this v[4q + k], block b holds column 4b + k of rows 4q .. 4q+3.
  for (int q = 0; q < kLanes; q += 4) {
    const VF a0 = hn::LoadU(d, in + (q + 0) * in_stride), a1 = hn::LoadU(d, in + (q + 1) * in_stride);
    const VF a2 = hn::LoadU(d, in + (q + 2) * in_stride), a3 = hn::LoadU(d, in + (q + 3) * in_stride);
    const auto low01 = hn::BitCast(dw, hn::InterleaveLower(d, a0, a1));
    const auto high01 = hn::BitCast(dw, hn::InterleaveUpper(d, a0, a1));
    const auto low23 = hn::BitCast(dw, hn::InterleaveLower(d, a2, a3));
    const auto high23 = hn::BitCast(dw, hn::InterleaveUpper(d, a2, a3));
    v[q + 0] = hn::BitCast(d, hn::InterleaveLower(dw, low01, low23));
    v[q + 1] = hn::BitCast(d, hn::InterleaveUpper(dw, low01, low23));
    v[q + 2] = hn::BitCast(d, hn::InterleaveLower(dw, high01, high23));
    v[q + 3] = hn::BitCast(d, hn::InterleaveUpper(dw, high01, high23));
  }
  // Then the blocks themselves.
  for (int k = 0; k < 4; ++k) {
    float* const to = out + k * out_stride;
    if constexpr (kLanes == 4) {
      hn::Store(v[k], d, to);
    } else if constexpr (kLanes == 8) {
      hn::Store(hn::ConcatLowerLower(d, v[4 + k], v[k]), d, to);
      hn::Store(hn::ConcatUpperUpper(d, v[4 + k], v[k]), d, to + 4 * out_stride);
    } else {
      const VF even01 = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(v[4 + k]), v[k]);
      const VF odd01 = hn::OddEvenBlocks(v[4 + k], hn::SwapAdjacentBlocks(v[k]));
      const VF even23 = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(v[12 + k]), v[8 + k]);
      const VF odd23 = hn::OddEvenBlocks(v[12 + k], hn::SwapAdjacentBlocks(v[8 + k]));
      hn::Store(hn::ConcatLowerLower(d, even23, even01), d, to);
      hn::Store(hn::ConcatLowerLower(d, odd23, odd01), d, to + 4 * out_stride);
      hn::Store(hn::ConcatUpperUpper(d, even23, even01), d, to + 8 * out_stride);
      hn::Store(hn::ConcatUpperUpper(d, odd23, odd01), d, to + 12 * out_stride);
    }
  }
}
#endif  // HWY_TARGET == HWY_SCALAR

// ---- Blur

// BlurStep of kLanes lines.
HWY_INLINE VF Step(VF last[kBlurTerms], VF before[kBlurTerms], VF sum) {
  const DF d;
  const float in[kBlurTerms] = {kBlurIn0, kBlurIn1, kBlurIn2};
  const float back[kBlurTerms] = {kBlurBack0, kBlurBack1, kBlurBack2};
  for (int k = 0; k < kBlurTerms; ++k) {
    const VF fed = hn::Sub(hn::Mul(hn::Set(d, in[k]), sum), hn::Mul(hn::Set(d, back[k]), last[k]));
    const VF out = hn::Sub(fed, before[k]);
    before[k] = last[k];
    last[k] = out;
  }
  return hn::Add(hn::Add(last[0], last[1]), last[2]);
}

// A step waits for the step before it (three operations in a row), so several planes are blurred at a time: as many as
// leave their state in registers.
constexpr int kTogether = 2;

// Loads and stores the state of kPlanes planes.
template <int kPlanes>
struct LineState {
  VF last[kPlanes][kBlurTerms], before[kPlanes][kBlurTerms];

  template <class Address>
  HWY_INLINE void Load(const Address& address) {
    const DF d;
    for (int p = 0; p < kPlanes; ++p)
      for (int k = 0; k < kBlurTerms; ++k) {
        last[p][k] = hn::Load(d, address(p, 2 * k));
        before[p][k] = hn::Load(d, address(p, 2 * k + 1));
      }
  }
  template <class Address>
  HWY_INLINE void Store(const Address& address) const {
    const DF d;
    for (int p = 0; p < kPlanes; ++p)
      for (int k = 0; k < kBlurTerms; ++k) {
        hn::Store(last[p][k], d, address(p, 2 * k));
        hn::Store(before[p][k], d, address(p, 2 * k + 1));
      }
  }
};

// The tile's part of kPlanes planes' rows, kLanes rows at a time.
template <int kPlanes>
HWY_INLINE void BlurRows(int plane, int count, BlockScratch& scratch) {
  const DF d;
  for (int lane = 0; lane < kBlockRows; lane += kLanes) {
    const auto state_at = [&](int p, int row) HWY_ATTR {
      return scratch.row_state(plane + p) + row * kBlockRows + lane;
    };
    LineState<kPlanes> state;
    state.Load(state_at);
    const float* HWY_RESTRICT in = scratch.input(plane) + lane;
    float* HWY_RESTRICT out = scratch.transposed(plane) + lane;
    constexpr ptrdiff_t kInPlane = (kBlurSpan + kTileColumns) * kBlockRows, kOutPlane = kTileColumns * kBlockRows;
    for (int c = 0; c < count; ++c) {
      for (int p = 0; p < kPlanes; ++p) {
        const VF sum = hn::Add(hn::Load(d, in + p * kInPlane + c * kBlockRows),
                               hn::Load(d, in + p * kInPlane + (c + kBlurSpan) * kBlockRows));
        hn::Store(Step(state.last[p], state.before[p], sum), d, out + p * kOutPlane + c * kBlockRows);
      }
    }
    state.Store(state_at);
  }
}

// One strip's part of kPlanes planes' columns. `rows` is the strip of the first plane's blurred rows.
template <int kPlanes>
HWY_INLINE void BlurColumns(int plane, const float* HWY_RESTRICT rows, float* HWY_RESTRICT columns,
                            BlockScratch& scratch) {
  const DF d;
  for (int lane = 0; lane < kStripColumns; lane += kLanes) {
    const auto column_at = [&](int p, int row) HWY_ATTR {
      return columns + ((plane + p) * kColumnRows + row) * kStripColumns + lane;
    };
    const auto row_at = [&](int p, int row) HWY_ATTR {
      return rows + (p * kBlockRows + row) * kTileColumns + lane;
    };
    LineState<kPlanes> state;
    state.Load(column_at);
    float* HWY_RESTRICT out = scratch.blurred(plane) + lane;
    const auto step = [&](int p, int row, VF oldest) HWY_ATTR {
      const VF sum = hn::Add(oldest, hn::Load(d, row_at(p, row)));
      hn::Store(Step(state.last[p], state.before[p], sum), d, out + (p * kBlockRows + row) * kStripColumns);
    };
    for (int row = 0; row < kBlurSpan; ++row)
      for (int p = 0; p < kPlanes; ++p) step(p, row, hn::Load(d, column_at(p, kStateRows + row)));
    for (int row = kBlurSpan; row < kBlockRows; ++row)
      for (int p = 0; p < kPlanes; ++p) step(p, row, hn::Load(d, row_at(p, row - kBlurSpan)));
    for (int p = 0; p < kPlanes; ++p)
      for (int row = 0; row < kBlurSpan; ++row)
        hn::Store(hn::Load(d, row_at(p, kBlockRows - kBlurSpan + row)), d, column_at(p, kStateRows + row));
    state.Store(column_at);
  }
}

// Calls body.template operator()<count>(plane) for groups of kTogether planes and the rest.
template <class Body>
HWY_INLINE void ForPlaneGroups(const Body& body) {
  constexpr int kGrouped = kBlurredPlanes / kTogether * kTogether;
  for (int plane = 0; plane < kGrouped; plane += kTogether) body(std::integral_constant<int, kTogether>(), plane);
  if constexpr (kGrouped < kBlurredPlanes)
    body(std::integral_constant<int, kBlurredPlanes - kGrouped>(), kGrouped);
}

// Rows of both pictures, transposed, and their products; before them the last columns of the tile to the left.
HWY_INLINE void LoadInputs(const float* reference, const float* distorted, ptrdiff_t stride, int count,
                           BlockScratch& scratch) {
  const DF d;
  constexpr int kBefore = kBlurSpan * kBlockRows;
  for (int plane = 0; plane < kBlurredPlanes; ++plane) {
    float* const in = scratch.input(plane);
    for (int i = 0; i < kBefore; i += kLanes) hn::Store(hn::Load(d, in + kTileColumns * kBlockRows + i), d, in + i);
  }
  for (int row = 0; row < kBlockRows; row += kLanes) {
    for (int c = 0; c < count; c += kLanes) {
      const int to = kBefore + c * kBlockRows + row;
      Transpose(reference + row * stride + c, stride, scratch.input(kReference) + to, kBlockRows);
      Transpose(distorted + row * stride + c, stride, scratch.input(kDistorted) + to, kBlockRows);
    }
  }
  float *const square1 = scratch.input(kSquareReference), *const square2 = scratch.input(kSquareDistorted);
  float* const product = scratch.input(kProduct);
  const float *in1 = scratch.input(kReference), *in2 = scratch.input(kDistorted);
  for (int i = kBefore; i < kBefore + count * kBlockRows; i += kLanes) {
    const VF a = hn::Load(d, in1 + i), b = hn::Load(d, in2 + i);
    hn::Store(hn::Mul(a, a), d, square1 + i);
    hn::Store(hn::Mul(b, b), d, square2 + i);
    hn::Store(hn::Mul(a, b), d, product + i);
  }
}

// ---- Terms

#if HWY_TARGET == HWY_SCALAR
using DD = hn::Rebind<double, DF>;
constexpr int kHalves = 1;
template <int kHalf>
HWY_INLINE hn::Vec<DD> Widen(VF v) {
  return hn::PromoteTo(DD(), v);
}
#else
using DD = hn::Rebind<double, hn::Half<DF>>;
constexpr int kHalves = 2;
template <int kHalf>
HWY_INLINE hn::Vec<DD> Widen(VF v) {
  const hn::Half<DF> dh;
  if constexpr (kHalf == 0) return hn::PromoteTo(DD(), hn::LowerHalf(dh, v));
  return hn::PromoteTo(DD(), hn::UpperHalf(dh, v));
}
#endif  // HWY_TARGET == HWY_SCALAR
using VD = hn::Vec<DD>;

// The part of TermsOf in binary32.
struct NarrowTerms {
  VF luminance, structure, contrast, reference, distorted, m1, m2;
};

// The part in binary64, for one half of the lanes.
template <int kHalf>
HWY_INLINE void WideTerms(const NarrowTerms& n, double* HWY_RESTRICT ssim, double* HWY_RESTRICT edge) {
  const DD d;
  constexpr int kAt = kHalf * (kLanes / 2);
  const VD one = hn::Set(d, 1.0);
  const VD ratio = hn::Div(hn::Mul(Widen<kHalf>(n.luminance), Widen<kHalf>(n.structure)), Widen<kHalf>(n.contrast));
  hn::Store(hn::Max(hn::Sub(one, ratio), hn::Zero(d)), d, ssim + kAt);
  const VD edge1 = hn::Abs(hn::Sub(Widen<kHalf>(n.reference), Widen<kHalf>(n.m1)));
  const VD edge2 = hn::Abs(hn::Sub(Widen<kHalf>(n.distorted), Widen<kHalf>(n.m2)));
  hn::Store(hn::Sub(hn::Div(hn::Add(one, edge2), hn::Add(one, edge1)), one), d, edge + kAt);
}

// TermsOf for one row of a strip.
HWY_INLINE void RowTerms(const float* HWY_RESTRICT reference, const float* HWY_RESTRICT distorted,
                         const float* HWY_RESTRICT blurred, double* HWY_RESTRICT ssim, double* HWY_RESTRICT edge) {
  const DF d;
  constexpr ptrdiff_t kPlane = kStripColumns * kBlockRows;
  const VF one = hn::Set(d, 1.0f), two = hn::Set(d, 2.0f), c2 = hn::Set(d, kC2);
  for (int i = 0; i < kStripColumns; i += kLanes) {
    const auto plane = [&](BlurredPlane p) HWY_ATTR { return hn::Load(d, blurred + p * kPlane + i); };
    NarrowTerms n;
    n.reference = hn::LoadU(d, reference + i);
    n.distorted = hn::LoadU(d, distorted + i);
    n.m1 = plane(kReference);
    n.m2 = plane(kDistorted);
    const VF difference = hn::Sub(n.m1, n.m2);
    n.luminance = hn::Sub(one, hn::Mul(difference, difference));
    n.structure = hn::Add(hn::Mul(two, hn::Sub(plane(kProduct), hn::Mul(n.m1, n.m2))), c2);
    const VF variance1 = hn::Sub(plane(kSquareReference), hn::Mul(n.m1, n.m1));
    const VF variance2 = hn::Sub(plane(kSquareDistorted), hn::Mul(n.m2, n.m2));
    n.contrast = hn::Add(hn::Add(variance1, variance2), c2);
    WideTerms<0>(n, ssim + i, edge + i);
    if constexpr (kHalves == 2) WideTerms<1>(n, ssim + i, edge + i);
  }
}

// For columns outside the plane.
void ClearTerms(const BlockJob& job, int first, int end, BlockScratch& scratch) {
  for (int row = job.first_row(); row < job.end_row(); ++row) {
    std::fill(scratch.ssim(row) + first, scratch.ssim(row) + end, 0.0);
    std::fill(scratch.edge(row) + first, scratch.edge(row) + end, 0.0);
  }
}

void BlurTileTarget(const BlockJob& job, int first, int count, BlockScratch& scratch) {
  const ScaleGeometry& g = job.geometry;
  const int first_row = job.block * kBlockRows;
  const ptrdiff_t at = first_row * g.stride + first;
  LoadInputs(job.reference + at, job.distorted + at, g.stride, count, scratch);
  ForPlaneGroups([&](auto planes, int plane) HWY_ATTR { BlurRows<decltype(planes)::value>(plane, count, scratch); });
  for (int plane = 0; plane < kBlurredPlanes; ++plane)
    for (int c = 0; c < count; c += kLanes)
      for (int row = 0; row < kBlockRows; row += kLanes)
        Transpose(scratch.transposed(plane) + c * kBlockRows + row, kBlockRows,
                  scratch.rows(plane) + row * kTileColumns + c, kTileColumns);
  for (int c = 0; c < count; c += kStripColumns) {
    float* const columns = job.columns + (first + c) / kStripColumns * kStripFloats;
    ForPlaneGroups([&](auto planes, int plane) HWY_ATTR {
      BlurColumns<decltype(planes)::value>(plane, scratch.rows(plane) + c, columns, scratch);
    });
    for (int row = job.first_row(); row < job.end_row(); ++row) {
      const ptrdiff_t pixel = (first_row - kBlurLead + row) * g.stride + first + c - kBlurLead;
      RowTerms(job.reference + pixel, job.distorted + pixel, scratch.blurred(0) + row * kStripColumns,
               scratch.ssim(row) + first + c, scratch.edge(row) + first + c);
    }
  }
  if (first == 0) ClearTerms(job, 0, kBlurLead, scratch);
  if (first + count == g.columns) ClearTerms(job, g.width + kBlurLead, g.columns, scratch);
}

}  // namespace HWY_NAMESPACE
}  // namespace vmafx::ssimulacra2::recursive
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vmafx::ssimulacra2::recursive {

HWY_EXPORT(BlurTileTarget);

void StartBlock(BlockScratch& scratch) {
  for (int plane = 0; plane < kBlurredPlanes; ++plane) {
    std::fill_n(scratch.row_state(plane), kStateRows * kBlockRows, 0.0f);
    std::fill_n(scratch.input(plane) + kTileColumns * kBlockRows, kBlurSpan * kBlockRows, 0.0f);
  }
}

void BlurTile(const BlockJob& job, int first, int count, BlockScratch& scratch) {
  HWY_DYNAMIC_DISPATCH(BlurTileTarget)(job, first, count, scratch);
}

}  // namespace vmafx::ssimulacra2::recursive
#endif  // HWY_ONCE
