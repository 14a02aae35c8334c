// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/ssimulacra2/recursive/front.h"

#include <algorithm>

#include "core/numeric/samples.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/metrics/ssimulacra2/recursive/front.cc"
#include "hwy/foreach_target.h"  // compiles this file once for each instruction set
#include "hwy/highway.h"

#include "core/metrics/ssimulacra2/xyb-inl.h"
#include "core/numeric/exact_fma-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vmafx::ssimulacra2::recursive {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using ssimulacra2::HWY_NAMESPACE::DownsampleRows;
using ssimulacra2::HWY_NAMESPACE::LinearOfClamped;
using ssimulacra2::HWY_NAMESPACE::XybOfLinearRows;
using vmafx::HWY_NAMESPACE::FusedMulAdd;

// Rows are longer than their picture (FrontScratch), so every loop works on whole vectors. What lies past the width is
// any finite value, until it is masked on the way into the planes.
using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;

HWY_INLINE VF Normalized(const Conversion& c, const uint16_t* samples, float offset, float scale) {
  const DF d;
  const hn::Rebind<uint16_t, DF> d16;
  const hn::RebindToSigned<DF> di;
  const VF value = hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(d16, samples)));
  return hn::Mul(hn::Sub(hn::Mul(value, hn::Set(d, c.unit)), hn::Set(d, offset)), hn::Set(d, scale));
}

// One row of a chroma component, each value twice where the component is half as wide.
void ChromaRow(const FrontJob& job, const Component& component, int y, uint16_t* samples, float* HWY_RESTRICT out) {
  const DF d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  UnpackRow(component, y, 0, component.width, samples);
  for (int x = 0; x < component.width; x += lanes) {
    const VF value = Normalized(job.conversion, samples + x, kChromaCenter, job.conversion.chroma_scale);
    if (job.shift_x != 0) {
      hn::StoreInterleaved2(value, value, d, out + 2 * x);
    } else {
      hn::Store(value, d, out + x);
    }
  }
}

void LinearRow(const FrontJob& job, int y, FrontScratch& scratch) {
  const DF d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const Conversion& c = job.conversion;
  const Component& luma = job.picture->component[0];
  // The chroma rows are still there from the row above where they are shared.
  if (job.shift_y == 0 || (y & 1) == 0)
    for (int i = 0; i < 2; ++i)
      ChromaRow(job, job.picture->component[1 + i], y >> job.shift_y, scratch.samples(), scratch.chroma(i));
  UnpackRow(luma, y, 0, luma.width, scratch.samples());
  const uint16_t* samples = scratch.samples();
  const float *u_row = scratch.chroma(0), *v_row = scratch.chroma(1);
  float* const red = scratch.linear(0, y & 1, 0);
  float* const green = scratch.linear(0, y & 1, 1);
  float* const blue = scratch.linear(0, y & 1, 2);
  const VF zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  const auto clamp = [&](VF v) HWY_ATTR { return hn::Min(hn::Max(v, zero), one); };
  for (int x = 0; x < luma.width; x += lanes) {
    const VF luma_value = Normalized(c, samples + x, c.luma_offset, c.luma_scale);
    const VF u = hn::Load(d, u_row + x), v = hn::Load(d, v_row + x);
    const VF r = FusedMulAdd(d, hn::Set(d, c.cr_r), v, luma_value);
    const VF g = FusedMulAdd(d, hn::Set(d, c.cr_g), v, FusedMulAdd(d, hn::Set(d, c.cb_g), u, luma_value));
    const VF b = FusedMulAdd(d, hn::Set(d, c.cb_b), u, luma_value);
    hn::Store(LinearOfClamped(d, kTransferTable, clamp(r)), d, red + x);
    hn::Store(LinearOfClamped(d, kTransferTable, clamp(g)), d, green + x);
    hn::Store(LinearOfClamped(d, kTransferTable, clamp(b)), d, blue + x);
  }
}

void XybRow(const FrontJob& job, int scale, int y, FrontScratch& scratch) {
  const DF d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const ScaleGeometry& geometry = job.geometry[scale];
  const float* in[kChannels];
  float* out[kChannels];
  for (int channel = 0; channel < kChannels; ++channel) {
    in[channel] = scratch.linear(scale, y & 1, channel);
    out[channel] = job.plane[scale][channel] + y * geometry.stride;
  }
  for (int x = 0; x < geometry.width; x += lanes) {
    VF value[kChannels];
    XybOfLinearRows(d, hn::Load(d, in[0] + x), hn::Load(d, in[1] + x), hn::Load(d, in[2] + x), value[0], value[1],
                    value[2]);
    const auto inside = hn::FirstN(d, static_cast<size_t>(geometry.width - x));
    for (int channel = 0; channel < kChannels; ++channel)
      hn::Store(hn::IfThenElseZero(inside, value[channel]), d, out[channel] + x);
  }
}

void HalfRow(const FrontJob& job, int scale, int y, FrontScratch& scratch) {
  const DF d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int width = job.geometry[scale].width, half = (width + 1) / 2;
  for (int channel = 0; channel < kChannels; ++channel) {
    float* const top = scratch.linear(scale, 0, channel);
    float* const bottom = (y & 1) != 0 ? scratch.linear(scale, 1, channel) : top;
    float* const out = scratch.linear(scale + 1, (y / 2) & 1, channel);
    top[width] = top[width - 1];
    bottom[width] = bottom[width - 1];
    for (int x = 0; x < half; x += lanes) hn::Store(DownsampleRows(d, top + 2 * x, bottom + 2 * x), d, out + x);
  }
}

void StripTarget(const FrontJob& job, int strip, FrontScratch& scratch) {
  const int end = std::min((strip + 1) * kFrontRows, job.geometry[0].height);
  for (int row = strip * kFrontRows; row < end; ++row) {
    LinearRow(job, row, scratch);
    // Row y of this scale is ready; an odd or a last one completes a row of the next.
    for (int scale = 0, y = row;; y /= 2, ++scale) {
      XybRow(job, scale, y, scratch);
      if (scale + 1 == job.scales) break;
      if ((y & 1) == 0 && y + 1 < job.geometry[scale].height) break;
      HalfRow(job, scale, y, scratch);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace vmafx::ssimulacra2::recursive
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vmafx::ssimulacra2::recursive {

HWY_EXPORT(StripTarget);

// The longest vector of 16-bit samples, of floats times two (interleaved stores and loads) and one value more.
FrontScratch::FrontScratch(const ScaleGeometry& full_size)
    : row_(static_cast<size_t>(ScaleGeometry::RoundUp(full_size.width, kStripColumns)) + 4 * kStripColumns),
      samples_(MakeAligned<uint16_t>(row_)),
      floats_(MakeAligned<float>(row_ * (2 + 2 * kMaxScales * kChannels))) {}

void FrontStrip(const FrontJob& job, int strip, FrontScratch& scratch) {
  HWY_DYNAMIC_DISPATCH(StripTarget)(job, strip, scratch);
}

}  // namespace vmafx::ssimulacra2::recursive
#endif  // HWY_ONCE
