// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pictures for tests: integer-generated content in any layout, depth and way of storage. Planes lie between pages that
// cannot be touched, so a read or write outside faults; Untouched() tells whether a byte was changed.
#ifndef VMAFX_TESTS_PICTURES_H_
#define VMAFX_TESTS_PICTURES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/metrics/metric.h"

namespace vmafx::test {

enum class Content {
  kNoise,         // uniform over the full range
  kExtremes,      // 0 or the maximum, at random
  kFlat,          // one value
  kRamp,          // diagonal, wrapping
  kCheckerboard,  // 0 and the maximum, one sample each
  kTexture,       // ramp with a little noise: what a codec leaves
};
inline constexpr Content kAllContent[] = {Content::kNoise, Content::kExtremes,     Content::kFlat,
                                          Content::kRamp,  Content::kCheckerboard, Content::kTexture};

// How samples lie in memory.
struct Storage {
  int shift = 0;             // unused low bits of each word, filled with noise
  bool big_endian = false;   // depth above 8 only
  bool semi_planar = false;  // components 1 and 2 alternate
  bool swapped = false;      // with semi_planar: component 2 first (NV21)
  bool flipped = false;      // bottom row first: negative stride
  int padding = 0;           // bytes after each row
  bool flush_left = false;   // guard page right before the first byte; otherwise right after the last one
  uint8_t filler = 0xA5;     // of the padding
};

// Bytes between two inaccessible pages.
class GuardedBytes {
 public:
  GuardedBytes(size_t size, bool flush_left);
  ~GuardedBytes();
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;
  uint8_t* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  void* mapping_ = nullptr;
  size_t mapped_ = 0;
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

class Picture {
 public:
  // Every sample of a component is a function of content, seed, component and place alone: storage does not show.
  Picture(const Format& format, Content content, uint32_t seed, const Storage& storage = {});
  const PictureView& view() const { return view_; }
  // No byte of the planes or their padding has changed since construction.
  bool Untouched() const;

 private:
  PictureView view_;
  std::vector<std::unique_ptr<GuardedBytes>> memory_;
  std::vector<std::vector<uint8_t>> original_;
};

// The value of one sample, 0 .. 2^depth - 1.
uint32_t ContentSample(Content content, uint32_t seed, int depth, int component, int x, int y);

// A format with the given geometry; limited range, BT.709.
Format MakeFormat(int width, int height, vmafx_layout layout, int depth);

// Two pictures of one format and their formats.
PairFormat MakePairFormat(const Format& format);

// Mixes its arguments into 32 random-looking bits.
uint32_t Hash(uint32_t a, uint32_t b, uint32_t c, uint32_t d);

}  // namespace vmafx::test
#endif  // VMAFX_TESTS_PICTURES_H_
