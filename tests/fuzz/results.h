// SPDX-License-Identifier: BSD-2-Clause-Patent
// What every function of the C interface promises about its result.
#ifndef VMAFX_TESTS_FUZZ_RESULTS_H_
#define VMAFX_TESTS_FUZZ_RESULTS_H_

#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "tests/fuzz/input.h"
#include "vmafx/vmafx.h"

namespace vmafx::fuzz {

// Filled before a call, so that a text that was not written shows.
inline vmafx_error Unwritten() {
  vmafx_error error;
  std::memset(error.text, '\n', sizeof error.text);
  return error;
}

// One line, terminated.
inline void RequireText(const vmafx_error& error) {
  const size_t length = strnlen(error.text, sizeof error.text);
  Require(length > 0 && length < sizeof error.text);
  Require(std::none_of(error.text, error.text + length, [](unsigned char c) { return c < 0x20 || c == 0x7f; }));
}

// `result` is one of those given, and an error has a text.
inline void RequireResult(int result, std::initializer_list<int> possible, const vmafx_error& error) {
  Require(std::find(possible.begin(), possible.end(), result) != possible.end());
  if (result < 0) RequireText(error);
}

}  // namespace vmafx::fuzz
#endif  // VMAFX_TESTS_FUZZ_RESULTS_H_
