// SPDX-License-Identifier: BSD-2-Clause-Patent
// A result code and one line of text. Used inside the library instead of exceptions; the C ABI copies it out.
#ifndef VMAFX_ENGINE_STATUS_H_
#define VMAFX_ENGINE_STATUS_H_

#include <string>
#include <utility>

#include "vmafx/vmafx.h"

namespace vmafx {

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(vmafx_result code, std::string text) : code_(code), text_(std::move(text)) {}
  static Status Invalid(std::string text) { return {VMAFX_ERROR_INVALID, std::move(text)}; }
  static Status Unsupported(std::string text) { return {VMAFX_ERROR_UNSUPPORTED, std::move(text)}; }
  static Status Mismatch(std::string text) { return {VMAFX_ERROR_MISMATCH, std::move(text)}; }
  static Status Memory(std::string text) { return {VMAFX_ERROR_MEMORY, std::move(text)}; }
  static Status Device(std::string text) { return {VMAFX_ERROR_DEVICE, std::move(text)}; }
  static Status Io(std::string text) { return {VMAFX_ERROR_IO, std::move(text)}; }
  static Status Internal(std::string text) { return {VMAFX_ERROR_INTERNAL, std::move(text)}; }

  bool ok() const { return code_ == VMAFX_OK; }
  vmafx_result code() const { return code_; }
  const std::string& text() const { return text_; }

 private:
  vmafx_result code_ = VMAFX_OK;
  std::string text_;
};

#define VMAFX_RETURN_IF_ERROR(expression)            \
  do {                                               \
    if (::vmafx::Status status_ = (expression); !status_.ok()) return status_; \
  } while (0)

}  // namespace vmafx
#endif  // VMAFX_ENGINE_STATUS_H_
