// SPDX-License-Identifier: BSD-2-Clause-Patent
// A decoder's surface without a decoder: a picture's bytes in a file in memory, which the host runner and the stand-in
// for libamdhip64 import as if it were a dma-buf.
#ifndef VMAFX_TESTS_PARITY_SURFACE_H_
#define VMAFX_TESTS_PARITY_SURFACE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/memory_file.h"
#include "vmafx/vmafx.h"

namespace vmafx::test {

class Surface {
 public:
  // Of `bytes` bytes, at least 1. Its memory is one object of surface `number` of `pool`.
  Surface(uint64_t pool, uint64_t number, size_t bytes, const char* device = nullptr);
  ~Surface();
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;

  size_t bytes() const { return file_.bytes; }
  // Writes a new picture, which must fit.
  void Write(const std::vector<uint8_t>& picture);
  // As a decoder that writes the next frame: whoever still reads gets wrong values.
  void Overwrite();

  // A new descriptor of the memory, as exporting a surface gives it, and the description with it.
  const vmafx_dmabuf& Export();
  // Closes that descriptor. False: somebody else has closed it.
  bool Close();

 private:
  MemoryFile file_{};
  vmafx_dmabuf dmabuf_{};
};

}  // namespace vmafx::test
#endif  // VMAFX_TESTS_PARITY_SURFACE_H_
