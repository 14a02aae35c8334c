// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "tests/parity/block_picture.h"

namespace vmafx::test {

BlockPicture::BlockPicture(const Format& format, const BlockLayout& layout, const SampleFn& sample) {
  const int word = layout.bytes != 0 ? layout.bytes : format.depth > 8 ? 2 : 1;
  size_t used = 0;
  size_t offset_of[3] = {};
  for (int c = 0; c < format.components(); ++c) {
    Component& component = offsets_.component[c];
    const bool second_of_two = layout.semi_planar && c == 2;
    const bool shares = layout.semi_planar && c > 0;
    component.width = format.component_width(c);
    component.height = format.component_height(c);
    component.bytes = word;
    component.step = word * (shares ? 2 : layout.step);
    component.shift = layout.msb ? 8 * word - format.depth : 0;
    component.big_endian = layout.big_endian && word == 2;
    const ptrdiff_t row = component.width * component.step;
    component.stride = (row + layout.pitch_alignment - 1) / layout.pitch_alignment * layout.pitch_alignment + layout.pitch_extra;
    if (second_of_two) {
      offset_of[c] = offset_of[1] + static_cast<size_t>(word);
    } else {
      used = (used + 255) / 256 * 256 + static_cast<size_t>(layout.offset);
      offset_of[c] = used;
      // The last row has no padding: whoever reads on reads outside.
      used += static_cast<size_t>(component.stride * (component.height - 1) + row);
    }
    if (layout.flipped) {
      offset_of[c] += static_cast<size_t>(component.stride * (component.height - 1));
      component.stride = -component.stride;
    }
    if (second_of_two && layout.flipped) offset_of[c] = offset_of[1] + static_cast<size_t>(word);
  }
  bytes_.assign(used, 0x5A);
  for (int c = 0; c < format.components(); ++c) {
    Component& component = offsets_.component[c];
    component.data = reinterpret_cast<const uint8_t*>(offset_of[c]);
    for (int y = 0; y < component.height; ++y) {
      uint8_t* p = bytes_.data() + offset_of[c] + y * component.stride;
      for (int x = 0; x < component.width; ++x, p += component.step) {
        const uint32_t stored = sample(c, x, y) << component.shift;
        p[component.big_endian ? 1 : 0] = static_cast<uint8_t>(stored);
        if (word == 2) p[component.big_endian ? 0 : 1] = static_cast<uint8_t>(stored >> 8);
      }
    }
  }
}

PictureView BlockPicture::View(const uint8_t* address, int lift) const {
  PictureView view = offsets_;
  for (Component& component : view.component) {
    component.data = address + reinterpret_cast<uintptr_t>(component.data);
    component.lift = lift;
  }
  return view;
}

}  // namespace vmafx::test
