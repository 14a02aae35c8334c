// SPDX-License-Identifier: BSD-2-Clause-Patent
// A fuzzer's bytes, read as a sequence of choices. Past the end every choice is its first: a short input is a simple case.
#ifndef VMAFX_TESTS_FUZZ_INPUT_H_
#define VMAFX_TESTS_FUZZ_INPUT_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace vmafx::fuzz {

// What must hold whatever the input is. A fuzzer stops at abort() and keeps the input.
inline void Require(bool holds) {
  if (!holds) std::abort();
}

class Input {
 public:
  Input(const uint8_t* data, size_t size) : data_(data), end_(data + size) {}

  bool empty() const { return data_ == end_; }
  uint8_t Byte() { return empty() ? 0 : *data_++; }
  bool Flag() { return Byte() & 1; }

  uint64_t Word() {
    uint64_t word = 0;
    for (int i = 0; i < 8; ++i) word |= uint64_t{Byte()} << (8 * i);
    return word;
  }
  double Double() { return std::bit_cast<double>(Word()); }
  int32_t Int() { return static_cast<int32_t>(static_cast<uint32_t>(Word())); }

  // From `least` to `greatest`.
  int From(int least, int greatest) { return least + static_cast<int>(Byte()) % (greatest - least + 1); }

  template <class T, size_t n>
  const T& OneOf(const T (&choices)[n]) {
    return choices[Byte() % n];
  }

  // Any bytes but NUL.
  std::string Text() {
    std::string text;
    for (size_t length = Byte() % 40; text.size() < length && !empty();)
      if (const uint8_t byte = Byte()) text += static_cast<char>(byte);
    return text;
  }

 private:
  const uint8_t* data_;
  const uint8_t* end_;
};

}  // namespace vmafx::fuzz
#endif  // VMAFX_TESTS_FUZZ_INPUT_H_
