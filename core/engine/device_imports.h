// SPDX-License-Identifier: BSD-2-Clause-Patent
// Dma-buf objects of a device, imported once per surface: a decoder has few surfaces and gives them again and again.
#ifndef VMAFX_ENGINE_DEVICE_IMPORTS_H_
#define VMAFX_ENGINE_DEVICE_IMPORTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <memory>

#include "core/engine/device.h"
#include "core/metrics/metric.h"
#include "vmafx/vmafx.h"

namespace vmafx {

// What is kept; beyond it the surface that was longest not used goes. No decoder's pools have as many.
inline constexpr size_t kMostImports = 512;

class ImportedObject {
 public:
  static Status Make(Device& device, const vmafx_dmabuf_object& object, std::shared_ptr<const ImportedObject>* made);
  ~ImportedObject();
  ImportedObject(const ImportedObject&) = delete;
  ImportedObject& operator=(const ImportedObject&) = delete;
  DeviceAddress address() const { return address_; }
  uint64_t bytes() const { return bytes_; }

 private:
  ImportedObject(Device& device, uint64_t bytes) : device_(device), bytes_(bytes) {}
  Device& device_;
  const uint64_t bytes_;
  DeviceAddress address_ = 0;
};

// A picture's objects. Whoever holds it keeps them on the device, forgotten or not.
using ImportHold = std::array<std::shared_ptr<const ImportedObject>, std::size(vmafx_dmabuf{}.object)>;

class DeviceImports {
 public:
  // `device` outlives it.
  explicit DeviceImports(Device& device) : device_(device) {}

  // The objects of a picture that CheckDmabuf() passed. Pool 0: for the holder only, nothing is kept.
  Status Find(const vmafx_dmabuf& dmabuf, ImportHold* hold);
  // Keeps nothing of `pool` any longer.
  void Forget(uint64_t pool);

 private:
  struct Entry {
    uint64_t pool, surface;
    uint32_t object;
    std::shared_ptr<const ImportedObject> imported;
  };

  Status FindObject(const vmafx_dmabuf& dmabuf, uint32_t object, std::shared_ptr<const ImportedObject>* found);

  Device& device_;
  std::list<Entry> entries_;  // the one used last in front
};

// Turns the offsets of the components into device addresses.
void PointToImports(const vmafx_dmabuf& dmabuf, const ImportHold& hold, int components, PictureView* picture);

}  // namespace vmafx
#endif  // VMAFX_ENGINE_DEVICE_IMPORTS_H_
