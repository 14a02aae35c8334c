// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "tests/pictures.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace vmafx::test {

uint32_t Hash(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  uint32_t h = 0x9E3779B9u;
  for (const uint32_t word : {a, b, c, d}) {
    h = (h ^ word) * 0x85EBCA6Bu;
    h ^= h >> 15;
    h *= 0xC2B2AE35u;
    h ^= h >> 13;
  }
  return h;
}

uint32_t ContentSample(Content content, uint32_t seed, int depth, int component, int x, int y) {
  const uint32_t max = (1u << depth) - 1;
  const auto ux = static_cast<uint32_t>(x), uy = static_cast<uint32_t>(y);
  const uint32_t hash = Hash(seed, static_cast<uint32_t>(component), ux, uy);
  const uint32_t slope = std::max(1u, max / 61);
  switch (content) {
    case Content::kNoise: return hash & max;
    case Content::kExtremes: return (hash >> 16 & 1) != 0 ? max : 0;
    case Content::kFlat: return Hash(seed, static_cast<uint32_t>(component), 0, 0) & max;
    case Content::kRamp: return (ux * slope + uy * (slope / 2) + seed * 7) & max;
    case Content::kCheckerboard: return ((ux + uy + seed) & 1) != 0 ? max : 0;
    case Content::kTexture: {
      const uint32_t noise = (hash >> 8) % (max / 16 + 1);
      return std::min(max, (ux * slope / 3 + uy * slope / 4) % (max - max / 8) + noise);
    }
  }
  return 0;
}

Format MakeFormat(int width, int height, vmafx_layout layout, int depth) {
  Format format;
  format.width = width;
  format.height = height;
  format.layout = layout;
  format.depth = depth;
  return format;
}

PairFormat MakePairFormat(const Format& format) { return {format, format, format.depth}; }

GuardedBytes::GuardedBytes(size_t size, bool flush_left) : size_(size) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t inner = (size + page - 1) / page * page;
  mapped_ = inner + 2 * page;
  mapping_ = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) throw std::runtime_error("mmap failed");
  uint8_t* first = static_cast<uint8_t*>(mapping_) + page;
  if (mprotect(first, inner, PROT_READ | PROT_WRITE) != 0) throw std::runtime_error("mprotect failed");
  data_ = flush_left ? first : first + (inner - size);
}

GuardedBytes::~GuardedBytes() { munmap(mapping_, mapped_); }

namespace {

// Writes all samples of a component; `data` is where its first sample lies.
void Fill(const Component& component, uint8_t* data, Content content, uint32_t seed, int depth, int c) {
  const uint32_t unused_bits = (1u << component.shift) - 1;
  for (int y = 0; y < component.height; ++y) {
    for (int x = 0; x < component.width; ++x) {
      uint8_t* p = data + y * component.stride + x * component.step;
      uint32_t word = ContentSample(content, seed, depth, c, x, y) << component.shift;
      word |= Hash(seed, 99, static_cast<uint32_t>(x), static_cast<uint32_t>(y)) & unused_bits;
      if (component.bytes == 1) {
        p[0] = static_cast<uint8_t>(word);
      } else {
        p[component.big_endian ? 1 : 0] = static_cast<uint8_t>(word);
        p[component.big_endian ? 0 : 1] = static_cast<uint8_t>(word >> 8);
      }
    }
  }
}

}  // namespace

Picture::Picture(const Format& format, Content content, uint32_t seed, const Storage& storage) {
  const int bytes = format.depth > 8 ? 2 : 1;
  for (int c = 0; c < format.components(); ++c) {
    const bool paired = storage.semi_planar && c > 0;
    const int per_step = paired ? 2 : 1;
    Component& component = view_.component[c];
    component.width = format.component_width(c);
    component.height = format.component_height(c);
    component.bytes = bytes;
    component.step = bytes * per_step;
    component.shift = bytes == 2 ? storage.shift : 0;
    component.big_endian = bytes == 2 && storage.big_endian;
    const ptrdiff_t row = component.step * component.width;
    const ptrdiff_t pitch = row + storage.padding;
    if (!paired || c == 1) {
      // The last row has no padding: the byte after its last sample is in the guard page.
      const size_t size = static_cast<size_t>(pitch * (component.height - 1) + row);
      memory_.push_back(std::make_unique<GuardedBytes>(size, storage.flush_left));
      std::memset(memory_.back()->data(), storage.filler, size);
    }
    uint8_t* base = memory_.back()->data();
    if (paired && (c == 2) != storage.swapped) base += bytes;
    if (storage.flipped) base += pitch * (component.height - 1);
    component.data = base;
    component.stride = storage.flipped ? -pitch : pitch;
    Fill(component, base, content, seed, format.depth, c);
  }
  for (const auto& plane : memory_) original_.emplace_back(plane->data(), plane->data() + plane->size());
}

bool Picture::Untouched() const {
  for (size_t i = 0; i < memory_.size(); ++i)
    if (std::memcmp(memory_[i]->data(), original_[i].data(), original_[i].size()) != 0) return false;
  return true;
}

}  // namespace vmafx::test
