// SPDX-License-Identifier: BSD-2-Clause-Patent
// A picture in one block of bytes, in any layout a decoder or a file may give, so that it can be measured in host memory
// and, copied as it is, in device memory.
#ifndef VMAFX_TESTS_PARITY_BLOCK_PICTURE_H_
#define VMAFX_TESTS_PARITY_BLOCK_PICTURE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/metrics/metric.h"

namespace vmafx::test {

struct BlockLayout {
  const char* name = "planar";
  int bytes = 0;             // of a word; 0: what the depth needs
  bool msb = false;          // samples in the high bits of words (P010)
  bool semi_planar = false;  // components 1 and 2 alternate (NV12)
  bool flipped = false;      // bottom row first
  bool big_endian = false;   // host memory only
  int pitch_alignment = 1;   // bytes
  int pitch_extra = 0;       // bytes more
  int offset = 0;            // bytes before the first row of each plane
  int step = 1;              // words from sample to sample (packed formats)
};

class BlockPicture {
 public:
  using SampleFn = std::function<uint32_t(int component, int x, int y)>;
  BlockPicture(const Format& format, const BlockLayout& layout, const SampleFn& sample);

  const std::vector<uint8_t>& bytes() const { return bytes_; }
  // The components in a copy of bytes() at `address`, samples lifted by `lift`.
  PictureView View(const uint8_t* address, int lift) const;

 private:
  std::vector<uint8_t> bytes_;
  PictureView offsets_;  // data counts from null
};

}  // namespace vmafx::test
#endif  // VMAFX_TESTS_PARITY_BLOCK_PICTURE_H_
