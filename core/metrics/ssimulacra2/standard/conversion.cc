// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/ssimulacra2/standard/conversion.h"

namespace vmafx::ssimulacra2::standard {
namespace {

struct LumaWeights {
  int matrix;
  double red, blue;
};

// ITU-T H.273, table 4.
constexpr LumaWeights kLumaWeights[] = {
    {1, 0.2126, 0.0722},  // BT.709
    {4, 0.30, 0.11},      // FCC
    {5, 0.299, 0.114},    // BT.470BG: BT.601, 625 lines
    {6, 0.299, 0.114},    // SMPTE 170M: BT.601, 525 lines
    {7, 0.212, 0.087},    // SMPTE 240M
    {9, 0.2627, 0.0593},  // BT.2020 non-constant luminance
};

const LumaWeights* FindLumaWeights(int matrix) {
  for (const LumaWeights& weights : kLumaWeights)
    if (weights.matrix == matrix) return &weights;
  return nullptr;
}

Siting SitingX(vmafx_chroma_location location) {
  switch (location) {
    case VMAFX_CHROMA_CENTER:
    case VMAFX_CHROMA_TOP:
    case VMAFX_CHROMA_BOTTOM: return kBetween;
    default: return kOnEven;
  }
}

Siting SitingY(vmafx_chroma_location location) {
  switch (location) {
    case VMAFX_CHROMA_TOPLEFT:
    case VMAFX_CHROMA_TOP: return kOnEven;
    case VMAFX_CHROMA_BOTTOMLEFT:
    case VMAFX_CHROMA_BOTTOM: return kOnOdd;
    default: return kBetween;
  }
}

}  // namespace

bool KnownMatrix(int matrix) { return FindLumaWeights(matrix) != nullptr; }

Conversion MakeConversion(const Format& format) {
  Conversion c = {};
  c.siting_x = format.chroma_shift_x() != 0 ? SitingX(format.chroma_location) : kNotSubsampled;
  c.siting_y = format.chroma_shift_y() != 0 ? SitingY(format.chroma_location) : kNotSubsampled;
  const bool full = format.range == VMAFX_RANGE_FULL;
  const int step = 1 << (format.depth - 8);
  const int peak = 256 * step - 1;
  const int weights = WeightSum(c.siting_x) * WeightSum(c.siting_y);
  c.luma_offset = static_cast<float>(full ? 0 : 16 * step);
  c.luma_scale = static_cast<float>(1.0 / (full ? peak : 219 * step));
  c.chroma_offset = static_cast<float>(128 * step * weights);
  c.chroma_scale = static_cast<float>(1.0 / ((full ? peak : 224 * step) * weights));
  if (const LumaWeights* luma = FindLumaWeights(format.matrix)) {
    const double green = 1.0 - luma->red - luma->blue;
    c.cr_r = static_cast<float>(2.0 * (1.0 - luma->red));
    c.cb_b = static_cast<float>(2.0 * (1.0 - luma->blue));
    c.cr_g = static_cast<float>(-2.0 * luma->red * (1.0 - luma->red) / green);
    c.cb_g = static_cast<float>(-2.0 * luma->blue * (1.0 - luma->blue) / green);
  }
  return c;
}

}  // namespace vmafx::ssimulacra2::standard
