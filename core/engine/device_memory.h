// SPDX-License-Identifier: BSD-2-Clause-Patent
// Owners of device and pinned memory that grow and never shrink.
#ifndef VMAFX_ENGINE_DEVICE_MEMORY_H_
#define VMAFX_ENGINE_DEVICE_MEMORY_H_

#include <cstddef>
#include <utility>

#include "core/engine/device.h"

namespace vmafx {

class DeviceMemory {
 public:
  explicit DeviceMemory(Device& device) : device_(device) {}
  ~DeviceMemory() { Free(); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // At least `bytes`; contents are lost when it grows. Nothing enqueued may still use it.
  Status Reserve(size_t bytes) {
    if (bytes <= bytes_) return {};
    Free();
    VMAFX_RETURN_IF_ERROR(device_.Allocate(bytes, &address_));
    bytes_ = bytes;
    return {};
  }
  DeviceAddress address() const { return address_; }
  size_t bytes() const { return bytes_; }

 private:
  void Free() {
    if (address_ != 0) device_.Free(address_);
    address_ = 0;
    bytes_ = 0;
  }

  Device& device_;
  DeviceAddress address_ = 0;
  size_t bytes_ = 0;
};

class PinnedMemory {
 public:
  explicit PinnedMemory(Device& device) : device_(device) {}
  ~PinnedMemory() { Free(); }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  // As DeviceMemory::Reserve().
  Status Reserve(size_t bytes) {
    if (bytes <= bytes_) return {};
    Free();
    void* memory = nullptr;
    VMAFX_RETURN_IF_ERROR(device_.AllocatePinned(bytes, &memory));
    data_ = static_cast<std::byte*>(memory);
    bytes_ = bytes;
    return {};
  }
  std::byte* data() const { return data_; }

 private:
  void Free() {
    if (data_ != nullptr) device_.FreePinned(std::exchange(data_, nullptr));
    bytes_ = 0;
  }

  Device& device_;
  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace vmafx
#endif  // VMAFX_ENGINE_DEVICE_MEMORY_H_
