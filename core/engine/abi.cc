// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/engine/abi.h"

#include <algorithm>
#include <cstring>

namespace vmafx {

void WriteError(std::string_view text, vmafx_error* error) noexcept {
  if (!error) return;
  size_t length = text.size();
  if (length >= sizeof error->text) {
    length = sizeof error->text - 1;
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;  // inside a UTF-8 character
  }
  std::memcpy(error->text, text.data(), length);
  std::replace_if(
      error->text, error->text + length, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  error->text[length] = '\0';
}

}  // namespace vmafx
