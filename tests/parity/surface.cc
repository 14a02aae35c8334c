// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "tests/parity/surface.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <utility>

namespace vmafx::test {

Surface::Surface(uint64_t pool, uint64_t number, size_t bytes, const char* device) : bytes_(bytes) {
  memory_ = memfd_create("surface", MFD_CLOEXEC);
  if (memory_ < 0 || ftruncate(memory_, static_cast<off_t>(bytes)) != 0) std::abort();
  void* const map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_, 0);
  if (map == MAP_FAILED) std::abort();
  map_ = static_cast<uint8_t*>(map);
  dmabuf_ = {.struct_size = sizeof(vmafx_dmabuf),
             .object_count = 1,
             .object = {{.fd = -1, .size = bytes, .modifier = 0}},
             .plane_object = {0, 0, 0},
             .pool = pool,
             .surface = number,
             .device = device};
}

Surface::~Surface() {
  munmap(map_, bytes_);
  close(memory_);
}

void Surface::Write(const std::vector<uint8_t>& picture) { std::memcpy(map_, picture.data(), picture.size()); }

void Surface::Overwrite() { std::memset(map_, 0x7F, bytes_); }

const vmafx_dmabuf& Surface::Export() {
  dmabuf_.object[0].fd = fcntl(memory_, F_DUPFD_CLOEXEC, 0);
  return dmabuf_;
}

bool Surface::Close() { return close(std::exchange(dmabuf_.object[0].fd, -1)) == 0; }

}  // namespace vmafx::test
