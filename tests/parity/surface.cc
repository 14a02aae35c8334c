// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "tests/parity/surface.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <utility>

namespace vmafx::test {

Surface::Surface(uint64_t pool, uint64_t number, size_t bytes, const char* device) {
  if (!memory_file_make(&file_, bytes)) std::abort();
  dmabuf_ = {.struct_size = sizeof(vmafx_dmabuf),
             .object_count = 1,
             .object = {{.fd = -1, .size = bytes, .modifier = 0}},
             .plane_object = {0, 0, 0},
             .pool = pool,
             .surface = number,
             .device = device};
}

Surface::~Surface() { memory_file_close(&file_); }

void Surface::Write(const std::vector<uint8_t>& picture) { std::memcpy(file_.data, picture.data(), picture.size()); }

void Surface::Overwrite() { std::memset(file_.data, 0x7F, file_.bytes); }

const vmafx_dmabuf& Surface::Export() {
  dmabuf_.object[0].fd = fcntl(file_.fd, F_DUPFD_CLOEXEC, 0);
  return dmabuf_;
}

bool Surface::Close() { return close(std::exchange(dmabuf_.object[0].fd, -1)) == 0; }

}  // namespace vmafx::test
