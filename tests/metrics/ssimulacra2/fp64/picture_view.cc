// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "tests/metrics/ssimulacra2/fp64/picture_view.h"

#include <stdexcept>
#include <string>

#include "core/numeric/samples.h"
#include "tests/metrics/ssimulacra2/fp64/encoding.h"

namespace ssimulacra2_fp64 {
namespace {

std::string_view LayoutName(vmafx_layout layout) {
  switch (layout) {
    case VMAFX_LAYOUT_GRAY: return "gray";
    case VMAFX_LAYOUT_420: return "420";
    case VMAFX_LAYOUT_422: return "422";
    case VMAFX_LAYOUT_440: return "440";
    case VMAFX_LAYOUT_444: return "444";
    case VMAFX_LAYOUT_RGB: return "gbr";
  }
  return "";
}

std::string_view MatrixName(int matrix) {
  switch (matrix) {
    case 4: return "fcc";
    case 5:
    case 6: return "bt601";
    case 7: return "smpte240m";
    case 9: return "bt2020nc";
    default: return "bt709";
  }
}

std::string_view LocationName(vmafx_chroma_location location) {
  switch (location) {
    case VMAFX_CHROMA_CENTER: return "center";
    case VMAFX_CHROMA_TOPLEFT: return "topleft";
    case VMAFX_CHROMA_TOP: return "top";
    case VMAFX_CHROMA_BOTTOMLEFT: return "bottomleft";
    case VMAFX_CHROMA_BOTTOM: return "bottom";
    default: return "left";
  }
}

}  // namespace

Picture FromView(const vmafx::Format& format, const vmafx::PictureView& view) {
  const auto named =
      EncodingByName(LayoutName(format.layout), format.depth, format.range == VMAFX_RANGE_FULL ? "full" : "limited",
                     MatrixName(format.matrix), LocationName(format.chroma_location));
  if (!named) throw std::invalid_argument("no fp64 encoding for this format");
  Picture picture;
  picture.encoding = named->encoding;
  picture.width = format.width;
  picture.height = format.height;
  for (int c = 0; c < named->planes; ++c) {
    auto& plane = picture.planes.emplace_back();
    for (int y = 0; y < format.component_height(c); ++y)
      for (int x = 0; x < format.component_width(c); ++x)
        plane.push_back(static_cast<uint16_t>(vmafx::Sample(view.component[c], x, y)));
  }
  return picture;
}

}  // namespace ssimulacra2_fp64
