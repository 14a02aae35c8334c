// SPDX-License-Identifier: BSD-2-Clause-Patent
#include <charconv>
#include <cmath>

#include "vmafx/vmafx.h"

extern "C" int vmafx_format_double(double value, char text[40]) {
  char* const last = text + 39;
  const double magnitude = std::fabs(value);
  // Plain decimals where people read them; at most 24 characters at either end of the range.
  const bool plain = magnitude == 0 || (magnitude >= 1e-5 && magnitude < 1e17);
  const auto result = !std::isfinite(value) ? std::to_chars(text, last, std::isnan(value) ? std::fabs(value) : value)
                      : plain               ? std::to_chars(text, last, value, std::chars_format::fixed)
                                            : std::to_chars(text, last, value, std::chars_format::scientific);
  *result.ptr = '\0';
  return static_cast<int>(result.ptr - text);
}
