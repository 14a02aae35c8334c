// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/engine/drm_frame.h"

#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string_view>

#include "core/engine/abi.h"
#include "core/engine/dmabuf.h"
#include "core/engine/picture.h"
#include "core/metrics/metric.h"

namespace vmafx {
namespace {

constexpr uint32_t kMost = 4;  // objects, layers, planes of a layer
constexpr uint32_t kGreatestCrop = 32768;
constexpr int64_t kGreatestPitch = int64_t{1} << 32;  // with it and kGreatestObject, no sum below leaves 64 bits
constexpr uint64_t kModifierLinear = 0, kModifierInvalid = 0x00ffffffffffffff;

constexpr uint32_t Fourcc(const char (&code)[5]) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value |= static_cast<uint32_t>(static_cast<unsigned char>(code[i])) << 8 * i;
  return value;
}

// A format whose planes are all in one layer. Samples of 2 bytes have their value at the top of the word.
struct WholeFormat {
  uint32_t fourcc;
  vmafx_layout layout;
  int depth;
  uint32_t planes;
  bool cr_first;
};
constexpr WholeFormat kWholeFormats[] = {
    {Fourcc("R8  "), VMAFX_LAYOUT_GRAY, 8, 1, false}, {Fourcc("R16 "), VMAFX_LAYOUT_GRAY, 16, 1, false},
    {Fourcc("NV12"), VMAFX_LAYOUT_420, 8, 2, false},  {Fourcc("NV21"), VMAFX_LAYOUT_420, 8, 2, true},
    {Fourcc("NV16"), VMAFX_LAYOUT_422, 8, 2, false},  {Fourcc("NV61"), VMAFX_LAYOUT_422, 8, 2, true},
    {Fourcc("NV24"), VMAFX_LAYOUT_444, 8, 2, false},  {Fourcc("NV42"), VMAFX_LAYOUT_444, 8, 2, true},
    {Fourcc("P010"), VMAFX_LAYOUT_420, 10, 2, false}, {Fourcc("P012"), VMAFX_LAYOUT_420, 12, 2, false},
    {Fourcc("P016"), VMAFX_LAYOUT_420, 16, 2, false}, {Fourcc("P210"), VMAFX_LAYOUT_422, 10, 2, false},
    {Fourcc("YU12"), VMAFX_LAYOUT_420, 8, 3, false},  {Fourcc("YV12"), VMAFX_LAYOUT_420, 8, 3, true},
    {Fourcc("YU16"), VMAFX_LAYOUT_422, 8, 3, false},  {Fourcc("YV16"), VMAFX_LAYOUT_422, 8, 3, true},
    {Fourcc("YU24"), VMAFX_LAYOUT_444, 8, 3, false},  {Fourcc("YV24"), VMAFX_LAYOUT_444, 8, 3, true},
    {Fourcc("Q410"), VMAFX_LAYOUT_444, 10, 3, false}, {Fourcc("Q401"), VMAFX_LAYOUT_444, 10, 3, true},
};

// A format of one plane, which a layer of its own has. Drivers name the chroma plane of NV12 in both orders and mean
// the same memory.
struct PlaneFormat {
  uint32_t fourcc;
  int components;
  int bytes;
};
constexpr PlaneFormat kPlaneFormats[] = {
    {Fourcc("R8  "), 1, 1}, {Fourcc("R16 "), 1, 2}, {Fourcc("GR88"), 2, 1},
    {Fourcc("RG88"), 2, 1}, {Fourcc("GR32"), 2, 2}, {Fourcc("RG32"), 2, 2},
};

template <class Format, size_t N>
const Format* Find(const Format (&formats)[N], uint32_t fourcc) {
  for (const Format& format : formats)
    if (format.fourcc == fourcc) return &format;
  return nullptr;
}

std::string Name(uint32_t fourcc) {
  std::string name;
  for (int i = 0; i < 4; ++i) {
    const char c = static_cast<char>(fourcc >> 8 * i & 0xff);
    name += c > ' ' && c < 0x7f ? std::string(1, c) : c == ' ' ? "" : "?";
  }
  return name;
}

std::string LayerNames(const vmafx_drm_frame& frame) {
  std::string names;
  for (uint32_t i = 0; i < frame.layer_count; ++i) names += (i > 0 ? " + " : "") + Name(frame.layer[i].format);
  return names;
}

std::string SampleName(const vmafx_picture& picture) {
  return LayoutName(picture.layout) + " of " + std::to_string(picture.depth) + " bits";
}

// Where a component's samples are, once the layers' formats are understood.
struct Place {
  const vmafx_drm_plane* plane = nullptr;
  int first = 0;  // bytes before it in a group of samples
  int step = 0;   // bytes of the group
};

// How the memory is arranged, by the objects' modifiers; empty: linear.
std::string Tiling(const vmafx_drm_frame& frame) {
  for (uint32_t i = 0; i < frame.object_count; ++i) {
    const uint64_t modifier = frame.object[i].modifier;
    if (modifier == kModifierLinear || (modifier == kModifierInvalid && frame.assume_linear)) continue;
    if (modifier == kModifierInvalid) return "of unknown tiling (no modifier)";
    constexpr const char* kVendors[] = {"", "Intel ", "AMD ", "NVIDIA "};
    constexpr uint64_t kAmd = 2, kAmdCompressed = 1 << 13;
    const uint64_t vendor = modifier >> 56;
    char number[24];
    std::snprintf(number, sizeof number, "0x%016llx", static_cast<unsigned long long>(modifier));
    return std::string(vendor == kAmd && modifier & kAmdCompressed ? "tiled and compressed (" : "tiled (") +
           (vendor < std::size(kVendors) ? kVendors[vendor] : "") + "modifier " + number + ")";
  }
  return {};
}

// Counts and indexes, so that everything else may look at what they name.
Status CheckNumbers(const vmafx_drm_frame& frame) {
  const auto invalid = [](const std::string& what) { return Status::Invalid("the DRM frame's " + what); };
  const auto beyond = [&](const char* what, uint32_t count) {
    return invalid(std::string("number of ") + what + " is " + std::to_string(count) + ", it must be from 1 to 4");
  };
  if (frame.object_count < 1 || frame.object_count > kMost) return beyond("objects", frame.object_count);
  if (frame.layer_count < 1 || frame.layer_count > kMost) return beyond("layers", frame.layer_count);
  for (uint32_t i = 0; i < frame.object_count; ++i) {
    if (frame.object[i].fd < 0) return invalid("object " + std::to_string(i) + " has no file descriptor");
    if (frame.object[i].size == 0) return invalid("object " + std::to_string(i) + " has no size");
    if (frame.object[i].size > kGreatestObject)
      return invalid("object " + std::to_string(i) + " has " + std::to_string(frame.object[i].size) +
                     " bytes, beyond all memory");
  }
  if (frame.crop_left > kGreatestCrop || frame.crop_top > kGreatestCrop)
    return invalid("cropping is " + std::to_string(frame.crop_left) + "," + std::to_string(frame.crop_top) +
                   ", each must be from 0 to " + std::to_string(kGreatestCrop));
  for (uint32_t i = 0; i < frame.layer_count; ++i) {
    const vmafx_drm_layer& layer = frame.layer[i];
    if (layer.plane_count < 1 || layer.plane_count > kMost) return beyond("planes in a layer", layer.plane_count);
    for (uint32_t p = 0; p < layer.plane_count; ++p) {
      const vmafx_drm_plane& plane = layer.plane[p];
      const std::string name = "plane " + std::to_string(p) + " of layer " + std::to_string(i);
      if (plane.object >= frame.object_count)
        return invalid(name + " is in object " + std::to_string(plane.object) + ", of " +
                       std::to_string(frame.object_count));
      if (plane.offset < 0 || static_cast<uint64_t>(plane.offset) >= frame.object[plane.object].size)
        return invalid(name + " begins at byte " + std::to_string(plane.offset) + " of an object of " +
                       std::to_string(frame.object[plane.object].size));
      if (plane.pitch < 1 || plane.pitch > kGreatestPitch)
        return invalid(name + " has a pitch of " + std::to_string(plane.pitch) + " bytes");
    }
  }
  return {};
}

// What the picture says of itself.
Status CheckPicture(const vmafx_picture& picture) {
  if (Raw(picture.layout) < VMAFX_LAYOUT_GRAY || Raw(picture.layout) > VMAFX_LAYOUT_RGB)
    return Status::Invalid("the DRM frame's layout is no vmafx_layout: " + std::to_string(Raw(picture.layout)));
  Shape shape;
  shape.width = picture.width;
  shape.height = picture.height;
  shape.depth = picture.depth;
  shape.bytes = picture.bytes_per_sample;
  shape.shift = picture.shift;
  return CheckShape(shape, "DRM");
}

// One layer with all planes. False: not a format of the table.
bool ReadWhole(const vmafx_drm_frame& frame, const vmafx_picture& picture, Place (&places)[3], Status* status) {
  const vmafx_drm_layer& layer = frame.layer[0];
  const WholeFormat* format = Find(kWholeFormats, layer.format);
  if (!format) return false;
  const int bytes = format->depth > 8 ? 2 : 1;
  if (format->layout != picture.layout || bytes != picture.bytes_per_sample || picture.depth > format->depth ||
      picture.depth + picture.shift != 8 * bytes) {
    *status = Status::Invalid("the DRM frame's format is " + Name(layer.format) + ", its samples are said to be " +
                              SampleName(picture));
    return true;
  }
  if (layer.plane_count != format->planes) {
    *status = Status::Invalid("the DRM frame's format " + Name(layer.format) + " has " + std::to_string(format->planes) +
                              " planes, the frame has " + std::to_string(layer.plane_count));
    return true;
  }
  places[0] = {&layer.plane[0], 0, bytes};
  for (int c = 1; c < (format->planes > 1 ? 3 : 1); ++c) {
    const int position = format->cr_first ? 3 - c : c;  // 1: comes first
    places[c] = format->planes == 3 ? Place{&layer.plane[position], 0, bytes}
                                        : Place{&layer.plane[1], (position - 1) * bytes, 2 * bytes};
  }
  return true;
}

// Each plane in a layer of its own. False: not formats of the table, or not in an order that is known.
bool ReadSeparate(const vmafx_drm_frame& frame, const vmafx_picture& picture, Place (&places)[3], Status* status) {
  int found = 0, bytes = 0;
  for (uint32_t i = 0; i < frame.layer_count; ++i) {
    const PlaneFormat* format = Find(kPlaneFormats, frame.layer[i].format);
    if (!format || frame.layer[i].plane_count != 1 || found + format->components > 3) return false;
    if (bytes != 0 && format->bytes != bytes) return false;
    bytes = format->bytes;
    for (int c = 0; c < format->components; ++c)
      places[found++] = {&frame.layer[i].plane[0], c * bytes, format->components * bytes};
  }
  if (places[0].step != bytes || found == 2) return false;  // luma shares its plane with nothing
  const int wanted = picture.layout == VMAFX_LAYOUT_GRAY ? 1 : 3;
  if (found != wanted || bytes != picture.bytes_per_sample)
    *status = Status::Invalid("the DRM frame's layers are " + LayerNames(frame) + ", its samples are said to be " +
                              SampleName(picture));
  return true;
}

// The first sample of component `c` inside the cropping, in bytes from its object's start.
Status Locate(const vmafx_drm_frame& frame, const Format& format, const Place& place, int c, int64_t* first) {
  const vmafx_drm_plane& plane = *place.plane;
  const int64_t left = frame.crop_left >> (c == 0 ? 0 : format.chroma_shift_x());
  const int64_t top = frame.crop_top >> (c == 0 ? 0 : format.chroma_shift_y());
  const int64_t row = (left + format.component_width(c)) * place.step;
  if (plane.pitch < row)
    return Status::Invalid("the DRM frame's plane of component " + std::to_string(c) + " has a pitch of " +
                           std::to_string(plane.pitch) + " bytes for rows of " + std::to_string(row));
  const uint64_t end = static_cast<uint64_t>(plane.offset + (top + format.component_height(c) - 1) * plane.pitch + row);
  if (end > frame.object[plane.object].size)
    return Status::Invalid("the DRM frame's plane of component " + std::to_string(c) + " ends at byte " +
                           std::to_string(end) + " of an object of " + std::to_string(frame.object[plane.object].size));
  *first = plane.offset + top * plane.pitch + left * place.step + place.first;
  return {};
}

}  // namespace

Status DescribeDrmFrame(const vmafx_drm_frame& frame, vmafx_picture* picture, vmafx_dmabuf* memory, DrmRoute* route) {
  VMAFX_RETURN_IF_ERROR(CheckPicture(*picture));
  VMAFX_RETURN_IF_ERROR(CheckNumbers(frame));
  if (const std::string tiling = Tiling(frame); !tiling.empty()) {
    *route = {VMAFX_DRM_COPY, tiling};
    return {};
  }

  Place places[3];
  Status status;
  if (picture->layout == VMAFX_LAYOUT_RGB ||
      !(frame.layer_count == 1 ? ReadWhole(frame, *picture, places, &status)
                               : ReadSeparate(frame, *picture, places, &status))) {
    *route = {VMAFX_DRM_DOWNLOAD, "linear, in planes that are not read in place (" + LayerNames(frame) + ")"};
    return {};
  }
  VMAFX_RETURN_IF_ERROR(status);

  Format format;
  format.width = picture->width;
  format.height = picture->height;
  format.layout = picture->layout;
  int64_t first[3] = {0, 0, 0};
  for (int c = 0; c < format.components(); ++c) {
    VMAFX_RETURN_IF_ERROR(Locate(frame, format, places[c], c, &first[c]));
    if (picture->bytes_per_sample == 2 && ((first[c] | places[c].plane->pitch) & 1)) {
      *route = {VMAFX_DRM_DOWNLOAD, "linear, with 2-byte samples at odd addresses"};
      return {};
    }
  }

  for (int c = 0; c < format.components(); ++c) {
    picture->plane[c] = {.data = reinterpret_cast<const uint8_t*>(static_cast<uintptr_t>(first[c])),
                         .stride = static_cast<ptrdiff_t>(places[c].plane->pitch),
                         .step = places[c].step};
    memory->plane_object[c] = places[c].plane->object;
  }
  bool assumed = false;
  memory->object_count = frame.object_count;
  for (uint32_t i = 0; i < frame.object_count; ++i) {
    memory->object[i] = frame.object[i];
    memory->object[i].modifier = kModifierLinear;
    assumed |= frame.object[i].modifier != kModifierLinear;
  }
  picture->memory = VMAFX_MEMORY_DMABUF;
  picture->device_context = memory;
  *route = {VMAFX_DRM_IMPORT, assumed ? "taken as linear (no modifier)" : "linear"};
  return {};
}

}  // namespace vmafx
