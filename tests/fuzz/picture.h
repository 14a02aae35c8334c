// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pictures of any description, right or wrong. Their memory is exactly what the description needs, so that the address
// sanitizer finds every read outside the samples.
#ifndef VMAFX_TESTS_FUZZ_PICTURE_H_
#define VMAFX_TESTS_FUZZ_PICTURE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "tests/fuzz/input.h"
#include "vmafx/vmafx.h"

namespace vmafx::fuzz {

// The memory of one plane.
class PlaneMemory {
 public:
  // `rows` rows of `row_bytes`, `stride` apart; the bytes between two rows may not be read.
  PlaneMemory(ptrdiff_t rows, ptrdiff_t row_bytes, ptrdiff_t stride, Input& input);
  ~PlaneMemory();
  PlaneMemory(const PlaneMemory&) = delete;
  PlaneMemory& operator=(const PlaneMemory&) = delete;

  const uint8_t* first_row() const { return memory_.get() + (stride_ < 0 ? (rows_ - 1) * -stride_ : 0); }

 private:
  const ptrdiff_t rows_, row_bytes_, stride_;
  ptrdiff_t size_;
  std::unique_ptr<uint8_t[]> memory_;
};

// A picture and its memory, freed when the library releases it: a read after that is found as well.
class Picture {
 public:
  // Of nearly `model`'s description, if there is one.
  Picture(Input& input, const vmafx_picture* model);

  const vmafx_picture& description() const { return picture_; }
  bool released() const { return released_; }
  // A plane that the library has to refuse: its memory does not fit it.
  bool mistaken() const { return mistaken_; }

 private:
  static void Release(void* opaque);

  vmafx_picture picture_ = {};
  vmafx_dmabuf dmabuf_ = {};
  bool released_ = false;
  bool mistaken_ = false;
  std::vector<std::unique_ptr<PlaneMemory>> planes_;
};

}  // namespace vmafx::fuzz
#endif  // VMAFX_TESTS_FUZZ_PICTURE_H_
