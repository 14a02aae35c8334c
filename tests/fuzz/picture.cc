// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "tests/fuzz/picture.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_POISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

namespace vmafx::fuzz {
namespace {

// C callers put any number where an enumerator belongs.
template <class Enum>
void SetRaw(Enum* field, int number) {
  static_assert(sizeof *field == sizeof number);
  std::memcpy(field, &number, sizeof number);
}

template <class Enum>
int Raw(const Enum& field) {
  int number;
  std::memcpy(&number, &field, sizeof number);
  return number;
}

// Now and then any number, nearly always one from `least` to `greatest`.
int Number(Input& input, int least, int greatest) {
  const uint8_t choice = input.Byte();
  if (choice >= 252) return input.Int();
  return least + choice % (greatest - least + 1);
}

// What the library has to refuse in a plane.
enum Mistake { kNone, kNoData, kStep, kStride, kAddress };

int Side(Input& input) {
  static constexpr int kSides[] = {16, 17, 31, 33, 8, 64, 96, 1, 2, 3, 7, 15, 48, 65, 127, 24};
  const uint8_t choice = input.Byte();
  if (choice >= 252) return input.OneOf({0, -1, 32769, INT32_MIN, INT32_MAX});
  return choice < 128 ? kSides[choice % std::size(kSides)] : choice - 127;
}

void Describe(Input& input, vmafx_picture* picture) {
  static constexpr int kDepths[] = {8, 10, 12, 16, 9, 14};
  static constexpr int kMatrices[] = {1, 2, 5, 6, 9, 0, 4, 7, 8, 10, 14};
  static constexpr int kTransfers[] = {1, 2, 16, 18, 13, 8, 4};
  picture->struct_size = sizeof *picture;
  picture->width = Side(input);
  picture->height = Side(input);
  SetRaw(&picture->layout, Number(input, VMAFX_LAYOUT_GRAY, VMAFX_LAYOUT_RGB));
  picture->depth = input.Byte() >= 252 ? input.Int() : input.OneOf(kDepths);
  picture->bytes_per_sample = input.Byte() >= 252 ? input.Int() : picture->depth > 8 || input.Flag() ? 2 : 1;
  const int bits = 8 * std::clamp(picture->bytes_per_sample, 0, 2);
  const int spare = std::max(bits - std::clamp(picture->depth, 0, 16), 0);
  picture->shift = input.Flag() ? Number(input, 0, spare) : 0;
  picture->big_endian = input.Flag();
  SetRaw(&picture->range, Number(input, VMAFX_RANGE_UNSPECIFIED, VMAFX_RANGE_FULL));
  picture->matrix = input.Byte() >= 240 ? Number(input, 0, 255) : input.OneOf(kMatrices);
  picture->transfer = input.Byte() >= 240 ? Number(input, 0, 255) : input.OneOf(kTransfers);
  SetRaw(&picture->chroma_location, Number(input, VMAFX_CHROMA_UNSPECIFIED, VMAFX_CHROMA_BOTTOM));
  if (input.Byte() >= 252) SetRaw(&picture->memory, input.OneOf({1, 2, -1}));
}

// Objects that may be there: descriptor 0 is open in most programs, and no dma-buf.
void DescribeObjects(Input& input, vmafx_dmabuf* dmabuf) {
  dmabuf->struct_size = input.Byte() >= 240 ? static_cast<uint32_t>(input.Int()) % sizeof *dmabuf : sizeof *dmabuf;
  dmabuf->object_count = input.Byte() >= 240 ? static_cast<uint32_t>(input.Int()) : 1u + input.Byte() % 4;
  for (vmafx_dmabuf_object& object : dmabuf->object)
    object = {input.Byte() >= 240 ? -1 : 0, input.Byte() >= 224 ? input.Word() : uint64_t{input.Byte()} * 1024,
              input.Byte() >= 240 ? input.Word() : 0};
  for (uint32_t& object : dmabuf->plane_object) object = input.Byte() >= 240 ? static_cast<uint32_t>(input.Int()) : input.Byte() % 2;
  dmabuf->pool = input.Byte() % 3;
  dmabuf->surface = input.Byte() % 3;
  dmabuf->device = input.Flag() ? "0000:03:00.0" : nullptr;
}

}  // namespace

PlaneMemory::PlaneMemory(ptrdiff_t rows, ptrdiff_t row_bytes, ptrdiff_t stride, Input& input)
    : rows_(rows),
      row_bytes_(row_bytes),
      stride_(stride),
      size_((rows - 1) * std::abs(stride) + row_bytes),
      memory_(new uint8_t[static_cast<size_t>(size_)]) {
  // A line of arithmetic instead of bytes of the input: the input decides, and stays short.
  const uint32_t seed = input.Byte(), slope = input.Byte();
  for (ptrdiff_t i = 0; i < size_; ++i)
    memory_[static_cast<size_t>(i)] = static_cast<uint8_t>(seed + ((static_cast<uint32_t>(i) * slope) >> 2));
  if (seed == 255) std::fill_n(memory_.get(), size_, uint8_t{0xff});
  for (ptrdiff_t row = 0; row + 1 < rows_; ++row)
    ASAN_POISON_MEMORY_REGION(memory_.get() + row * std::abs(stride_) + row_bytes_, std::abs(stride_) - row_bytes_);
}

PlaneMemory::~PlaneMemory() { ASAN_UNPOISON_MEMORY_REGION(memory_.get(), size_); }

Picture::Picture(Input& input, const vmafx_picture* model) {
  if (model) std::memcpy(static_cast<void*>(&picture_), model, sizeof picture_);
  if (!model || input.Byte() >= 128) {
    const int width = picture_.width, height = picture_.height;
    const int layout = Raw(picture_.layout), range = Raw(picture_.range);
    Describe(input, &picture_);
    // Pairs that differ in these are refused by all metrics or by most: they would hide the rest.
    if (model && input.Byte() < 224) {
      picture_.width = width;
      picture_.height = height;
      if (input.Byte() < 192) SetRaw(&picture_.range, range);
      if (input.Byte() < 128) SetRaw(&picture_.layout, layout);
    }
  }
  const bool large = picture_.width > 256 || picture_.height > 256;
  const ptrdiff_t bytes = std::clamp(picture_.bytes_per_sample, 1, 2);
  const int layout = Raw(picture_.layout);
  const bool half_x = layout == VMAFX_LAYOUT_420 || layout == VMAFX_LAYOUT_422;
  const bool half_y = layout == VMAFX_LAYOUT_420 || layout == VMAFX_LAYOUT_440;
  const int planes = layout == VMAFX_LAYOUT_GRAY ? 1 : 3;
  for (int c = 0; c < 3; ++c) {
    vmafx_plane& plane = picture_.plane[c];
    plane = {};
    if (c >= planes) continue;
    const uint8_t choice = input.Byte();
    const Mistake mistake = choice >= 240 ? static_cast<Mistake>(1 + choice % 4) : kNone;
    mistaken_ |= mistake == kNoData || mistake == kStep || (mistake == kStride && picture_.height > 2) ||
                 (mistake == kAddress && bytes == 2);
    if (mistake == kNoData) continue;
    ptrdiff_t width = std::max(large ? 1 : picture_.width, 1), height = std::max(large ? 1 : picture_.height, 1);
    if (c > 0 && half_x) width = (width + 1) / 2;
    if (c > 0 && half_y) height = (height + 1) / 2;
    static constexpr ptrdiff_t kSteps[] = {1, 1, 1, 2, 2, 3, 4, 16};  // in samples, but for the last
    plane.step = std::min<ptrdiff_t>(bytes * input.OneOf(kSteps), 16);
    const ptrdiff_t row_bytes = (width - 1) * plane.step + bytes;
    plane.stride = row_bytes + bytes * input.From(0, 40);
    if (height == 1 && input.Flag()) plane.stride = 0;
    if (input.Flag()) plane.stride = -plane.stride;
    planes_.push_back(std::make_unique<PlaneMemory>(height, row_bytes, plane.stride, input));
    plane.data = planes_.back()->first_row();
    if (mistake == kStep) plane.step = input.OneOf<ptrdiff_t>({0, -1, 17, PTRDIFF_MIN, PTRDIFF_MAX});
    if (mistake == kStride && height > 1)
      plane.stride = input.OneOf<ptrdiff_t>({0, row_bytes - 1, 1 - row_bytes, PTRDIFF_MIN, PTRDIFF_MAX});
    if (mistake == kAddress && bytes == 2) ++plane.data;
  }
  picture_.device_context = nullptr;
  if (Raw(picture_.memory) == VMAFX_MEMORY_DMABUF && input.Byte() < 224) {
    DescribeObjects(input, &dmabuf_);
    picture_.device_context = &dmabuf_;
    for (vmafx_plane& plane : picture_.plane) plane.data = reinterpret_cast<const uint8_t*>(uintptr_t{input.Byte()} * 256);
  }
  picture_.release = Release;
  picture_.opaque = this;
}

void Picture::Release(void* opaque) {
  auto* picture = static_cast<Picture*>(opaque);
  Require(!picture->released_);
  picture->planes_.clear();
  picture->released_ = true;
}

}  // namespace vmafx::fuzz
