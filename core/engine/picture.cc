// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/engine/picture.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>

#include "core/engine/abi.h"

namespace vmafx {
namespace {

constexpr int kGreatestSide = 32768;
constexpr ptrdiff_t kGreatestStride = ptrdiff_t{1} << 32;
constexpr int kDepths[] = {8, 9, 10, 12, 14, 16};

Format SizesOf(const vmafx_picture& picture) {
  Format format;
  format.width = picture.width;
  format.height = picture.height;
  format.layout = picture.layout;
  return format;
}

}  // namespace

Status CheckEnumerations(const vmafx_picture& picture, const char* side) {
  const struct {
    const char* name;
    int given, greatest;
  } fields[] = {{"memory", Raw(picture.memory), VMAFX_MEMORY_DMABUF},
                {"layout", Raw(picture.layout), VMAFX_LAYOUT_RGB},
                {"range", Raw(picture.range), VMAFX_RANGE_FULL},
                {"chroma_location", Raw(picture.chroma_location), VMAFX_CHROMA_BOTTOM}};
  for (const auto& field : fields) {
    if (field.given < 0 || field.given > field.greatest)
      return Status::Invalid("the " + std::string(side) + " picture's " + field.name + " is no vmafx_" + field.name + ": " +
                             std::to_string(field.given));
  }
  return {};
}

Shape ShapeOf(const vmafx_picture& picture) {
  return {.memory = picture.memory,
          .width = picture.width,
          .height = picture.height,
          .layout = picture.layout,
          .depth = picture.depth,
          .bytes = picture.bytes_per_sample,
          .shift = picture.shift,
          .big_endian = picture.big_endian != 0,
          .range = picture.range,
          .matrix = picture.matrix,
          .transfer = picture.transfer,
          .chroma_location = picture.chroma_location};
}

Status CheckShape(const Shape& shape, const char* side) {
  const auto invalid = [side](const std::string& what) {
    return Status::Invalid("the " + std::string(side) + " picture's " + what);
  };
  if (shape.width < 1 || shape.width > kGreatestSide || shape.height < 1 || shape.height > kGreatestSide)
    return invalid("size is " + std::to_string(shape.width) + "x" + std::to_string(shape.height) + ", each must be from 1 to " +
                   std::to_string(kGreatestSide));
  if (std::find(std::begin(kDepths), std::end(kDepths), shape.depth) == std::end(kDepths))
    return invalid("depth is " + std::to_string(shape.depth) + ", it must be 8, 9, 10, 12, 14 or 16");
  if (shape.bytes != 1 && shape.bytes != 2)
    return invalid("bytes_per_sample is " + std::to_string(shape.bytes) + ", it must be 1 or 2");
  if (shape.shift < 0 || shape.depth + shape.shift > 8 * shape.bytes)
    return invalid("samples of " + std::to_string(shape.depth) + " bits shifted by " + std::to_string(shape.shift) +
                   " do not fit " + std::to_string(shape.bytes) + " bytes");
  if (shape.big_endian && shape.memory != VMAFX_MEMORY_HOST)
    return invalid("samples are big-endian in device memory: insert hwdownload, or format= before the upload");
  if (shape.matrix < 0 || shape.matrix > 255 || shape.transfer < 0 || shape.transfer > 255)
    return invalid("matrix " + std::to_string(shape.matrix) + " or transfer " + std::to_string(shape.transfer) +
                   " is no code point of H.273");
  return {};
}

Status CheckPlanes(const vmafx_picture& picture, const char* side) {
  const Format format = SizesOf(picture);
  const ptrdiff_t bytes = picture.bytes_per_sample;
  for (int c = 0; c < format.components(); ++c) {
    const vmafx_plane& plane = picture.plane[c];
    const ptrdiff_t width = format.component_width(c), height = format.component_height(c);
    const char* wrong = nullptr;
    if (!plane.data && picture.memory != VMAFX_MEMORY_DMABUF) {  // there it is an offset
      wrong = "has no data";
    } else if (plane.step < bytes || plane.step > 16) {
      wrong = "has a step below the bytes of a sample or above 16";
    } else if (plane.stride < -kGreatestStride || plane.stride > kGreatestStride) {
      wrong = "has a stride beyond all pictures";
    } else if (height > 1 && std::abs(plane.stride) < (width - 1) * plane.step + bytes) {
      wrong = "has a stride shorter than its rows";
    } else if (bytes == 2 && ((reinterpret_cast<uintptr_t>(plane.data) | static_cast<size_t>(plane.stride) |
                               static_cast<size_t>(plane.step)) & 1)) {
      wrong = "has 2-byte samples at odd addresses";
    }
    if (wrong)
      return Status::Invalid("the " + std::string(side) + " picture's plane " + std::to_string(c) + " " + wrong + " (stride " +
                             std::to_string(plane.stride) + ", step " + std::to_string(plane.step) + ", " +
                             std::to_string(width) + "x" + std::to_string(height) + ")");
  }
  return {};
}

PictureView ViewOf(const vmafx_picture& picture, int lift) {
  const Format format = SizesOf(picture);
  PictureView view;
  for (int c = 0; c < format.components(); ++c) {
    view.component[c] = {.data = picture.plane[c].data,
                         .stride = picture.plane[c].stride,
                         .step = picture.plane[c].step,
                         .width = format.component_width(c),
                         .height = format.component_height(c),
                         .bytes = picture.bytes_per_sample,
                         .shift = picture.shift,
                         .lift = lift,
                         .big_endian = picture.big_endian != 0};
  }
  return view;
}

std::string LayoutName(vmafx_layout layout) {
  static constexpr const char* kNames[] = {"gray", "4:2:0", "4:2:2", "4:4:0", "4:4:4", "RGB"};
  return kNames[layout];
}

std::string RangeName(vmafx_range range) {
  static constexpr const char* kNames[] = {"untagged", "limited (tv)", "full (pc)"};
  return kNames[range];
}

std::string MemoryName(vmafx_memory memory) {
  static constexpr const char* kNames[] = {"host memory", "CUDA memory", "dma-buf memory"};
  return kNames[memory];
}

std::string PixelFormatName(vmafx_layout layout, int depth) {
  static constexpr const char* kNames[] = {"gray", "yuv420p", "yuv422p", "yuv440p", "yuv444p", "gbrp"};
  return kNames[layout] + (depth == 8 ? std::string() : std::to_string(depth));
}

}  // namespace vmafx
