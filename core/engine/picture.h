// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the engine knows of a caller's picture: its shape, whether it can be read, and its components.
#ifndef VMAFX_ENGINE_PICTURE_H_
#define VMAFX_ENGINE_PICTURE_H_

#include <string>

#include "core/engine/status.h"
#include "core/metrics/metric.h"
#include "vmafx/vmafx.h"

namespace vmafx {

// Everything about a picture that stays the same from frame to frame.
struct Shape {
  vmafx_memory memory = VMAFX_MEMORY_HOST;
  int width = 0;
  int height = 0;
  vmafx_layout layout = VMAFX_LAYOUT_420;
  int depth = 8;
  int bytes = 1;
  int shift = 0;
  bool big_endian = false;
  vmafx_range range = VMAFX_RANGE_UNSPECIFIED;
  int matrix = 2;
  int transfer = 2;
  vmafx_chroma_location chroma_location = VMAFX_CHROMA_UNSPECIFIED;

  bool operator==(const Shape&) const = default;
};

// Every enumeration holds one of its enumerators: the picture may be looked at. `side` ("distorted", "reference") is named
// in the error.
Status CheckEnumerations(const vmafx_picture& picture, const char* side);

Shape ShapeOf(const vmafx_picture& picture);

// Every other value in its range.
Status CheckShape(const Shape& shape, const char* side);

// Addresses, strides and steps of the planes fit the shape. Allocates only when they do not.
Status CheckPlanes(const vmafx_picture& picture, const char* side);

// The components of a checked picture, each sample lifted by `lift` bits.
PictureView ViewOf(const vmafx_picture& picture, int lift);

// Names for messages: "420", "limited (tv)", "CUDA memory"; the pixel format of FFmpeg that people ask for ("yuv420p10").
std::string LayoutName(vmafx_layout layout);
std::string RangeName(vmafx_range range);
std::string MemoryName(vmafx_memory memory);
std::string PixelFormatName(vmafx_layout layout, int depth);

}  // namespace vmafx
#endif  // VMAFX_ENGINE_PICTURE_H_
