// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/engine/dmabuf.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>

#include "core/engine/abi.h"
#include "core/metrics/metric.h"

namespace vmafx {
namespace {

constexpr uint64_t kLinear = 0;  // DRM_FORMAT_MOD_LINEAR

Status CheckObject(const vmafx_dmabuf_object& object, const char* side, uint32_t index) {
  const auto name = [&] { return "the " + std::string(side) + " picture's dma-buf object " + std::to_string(index); };
  if (object.fd < 0 || object.size == 0 || object.size > kGreatestObject)
    return Status::Invalid(name() + " has descriptor " + std::to_string(object.fd) + " and " +
                           std::to_string(object.size) + " bytes: that is no dma-buf");
  if (object.modifier == kLinear) return {};
  char modifier[24];
  std::snprintf(modifier, sizeof modifier, "0x%016llx", static_cast<unsigned long long>(object.modifier));
  return Status::Unsupported(name() + " is not linear (modifier " + modifier +
                             "), and only linear memory is read: copy the frame into a linear surface, or insert "
                             "hwdownload,format= before both inputs");
}

// The samples of a component lie in [first, end) of its object.
bool Inside(const vmafx_plane& plane, int64_t width, int64_t height, int64_t bytes, uint64_t size) {
  const auto offset = reinterpret_cast<uintptr_t>(plane.data);
  if (offset >= size) return false;
  const int64_t last_row = (height - 1) * plane.stride;
  const int64_t first = static_cast<int64_t>(offset) + std::min<int64_t>(last_row, 0);
  const int64_t end = static_cast<int64_t>(offset) + std::max<int64_t>(last_row, 0) + (width - 1) * plane.step + bytes;
  return first >= 0 && end <= static_cast<int64_t>(size);
}

}  // namespace

Status CheckDmabuf(const vmafx_picture& picture, const char* side) {
  if (picture.memory != VMAFX_MEMORY_DMABUF) return {};
  const vmafx_dmabuf* const dmabuf = DmabufOf(picture);
  if (dmabuf == nullptr)
    return Status::Invalid("the " + std::string(side) +
                           " picture is in dma-buf memory and its device_context is NULL: "
                           "point it to a vmafx_dmabuf");
  VMAFX_RETURN_IF_ERROR(CheckStruct(dmabuf, "vmafx_dmabuf"));
  if (dmabuf->object_count < 1 || dmabuf->object_count > std::size(dmabuf->object))
    return Status::Invalid("the " + std::string(side) + " picture has " + std::to_string(dmabuf->object_count) +
                           " dma-buf objects: 1 to " + std::to_string(std::size(dmabuf->object)) + " are allowed");
  for (uint32_t i = 0; i < dmabuf->object_count; ++i) VMAFX_RETURN_IF_ERROR(CheckObject(dmabuf->object[i], side, i));
  Format format;
  format.width = picture.width;
  format.height = picture.height;
  format.layout = picture.layout;
  for (int c = 0; c < format.components(); ++c) {
    const uint32_t object = dmabuf->plane_object[c];
    if (object < dmabuf->object_count && Inside(picture.plane[c], format.component_width(c), format.component_height(c),
                                                picture.bytes_per_sample, dmabuf->object[object].size))
      continue;
    const vmafx_plane& plane = picture.plane[c];
    return Status::Invalid("the " + std::string(side) + " picture's plane " + std::to_string(c) + " (offset " +
                           std::to_string(reinterpret_cast<uintptr_t>(plane.data)) + ", stride " +
                           std::to_string(plane.stride) + ", step " + std::to_string(plane.step) +
                           ") does not lie inside dma-buf object " + std::to_string(object) + " of " +
                           std::to_string(dmabuf->object_count));
  }
  return {};
}

}  // namespace vmafx
