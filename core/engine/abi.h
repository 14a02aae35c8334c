// SPDX-License-Identifier: BSD-2-Clause-Patent
// The border between the library and its C interface: no exception passes, and a Status becomes a code and one line.
#ifndef VMAFX_ENGINE_ABI_H_
#define VMAFX_ENGINE_ABI_H_

#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "core/engine/status.h"
#include "vmafx/vmafx.h"

namespace vmafx {

// Writes `text` as one line: control characters become spaces, a text that is too long is cut between two characters.
void WriteError(std::string_view text, vmafx_error* error) noexcept;

// What a C function returns for `status`; writes the text of an error.
inline int ToResult(const Status& status, vmafx_error* error) noexcept {
  if (!status.ok()) WriteError(status.text(), error);
  return status.code();
}

// Runs `body`, a function returning int, and turns exceptions into codes.
template <class Body>
int Guard(vmafx_error* error, Body&& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    WriteError("out of memory", error);
    return VMAFX_ERROR_MEMORY;
  } catch (const std::exception& exception) {
    WriteError(exception.what(), error);
    return VMAFX_ERROR_INTERNAL;
  } catch (...) {
    WriteError("unknown exception", error);
    return VMAFX_ERROR_INTERNAL;
  }
}

// The number that a C caller put where an enumerator belongs. Reading another than an enumerator as the enumeration would
// be undefined.
template <class Enum>
int Raw(const Enum& given) {
  static_assert(sizeof(Enum) == sizeof(int));
  int number;
  std::memcpy(&number, &given, sizeof number);
  return number;
}

// A structure of the caller: present and at least as long as that of the first version.
template <class Struct>
Status CheckStruct(const Struct* given, const char* name) {
  if (!given) return Status::Invalid(std::string(name) + " is NULL");
  if (given->struct_size >= sizeof(Struct)) return {};
  return Status::Invalid(std::string(name) + ": struct_size is " + std::to_string(given->struct_size) + ", set it to sizeof(" +
                         name + "), " + std::to_string(sizeof(Struct)));
}

}  // namespace vmafx
#endif  // VMAFX_ENGINE_ABI_H_
