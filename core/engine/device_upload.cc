// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/engine/device_upload.h"

#include <cstring>

namespace vmafx {
namespace {

size_t Pitch(const Component& c) { return AlignDevice(static_cast<size_t>(c.width) * c.bytes); }
size_t Bytes(const Component& c) { return Pitch(c) * c.height; }

void StageRow(const Component& c, int y, std::byte* out) {
  const uint8_t* in = c.data + y * c.stride;
  if (c.step == c.bytes && !c.big_endian) {
    std::memcpy(out, in, static_cast<size_t>(c.width) * c.bytes);
    return;
  }
  for (int x = 0; x < c.width; ++x, in += c.step) {
    if (c.bytes == 1) {
      out[x] = std::byte{in[0]};
    } else {
      out[2 * x] = std::byte{in[c.big_endian ? 1 : 0]};
      out[2 * x + 1] = std::byte{in[c.big_endian ? 0 : 1]};
    }
  }
}

}  // namespace

size_t UploadBytes(const PictureView& picture, int components) {
  size_t bytes = 0;
  for (int i = 0; i < components; ++i) bytes += Bytes(picture.component[i]);
  return bytes;
}

void Stage(const PictureView& picture, int components, std::byte* staging) {
  for (int i = 0; i < components; ++i) {
    const Component& c = picture.component[i];
    for (int y = 0; y < c.height; ++y) StageRow(c, y, staging + y * Pitch(c));
    staging += Bytes(c);
  }
}

void PointToUpload(int components, DeviceAddress address, PictureView* picture) {
  for (int i = 0; i < components; ++i) {
    Component& c = picture->component[i];
    const size_t pitch = Pitch(c), bytes = Bytes(c);
    c.data = reinterpret_cast<const uint8_t*>(static_cast<uintptr_t>(address));
    c.stride = static_cast<ptrdiff_t>(pitch);
    c.step = c.bytes;
    c.big_endian = false;
    address += bytes;
  }
}

}  // namespace vmafx
