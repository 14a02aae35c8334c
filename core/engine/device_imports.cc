// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/engine/device_imports.h"

#include <algorithm>
#include <string>

namespace vmafx {

Status ImportedObject::Make(Device& device, const vmafx_dmabuf_object& object,
                            std::shared_ptr<const ImportedObject>* made) {
  // The owner first: what was imported must not be lost to a lack of memory.
  std::shared_ptr<ImportedObject> owner(new ImportedObject(device, object.size));
  VMAFX_RETURN_IF_ERROR(device.Import(object.fd, object.size, &owner->address_));
  *made = std::move(owner);
  return {};
}

ImportedObject::~ImportedObject() {
  if (address_ != 0) device_.Release(address_);
}

Status DeviceImports::FindObject(const vmafx_dmabuf& dmabuf, uint32_t object,
                                 std::shared_ptr<const ImportedObject>* found) {
  const vmafx_dmabuf_object& wanted = dmabuf.object[object];
  if (dmabuf.pool == 0) return ImportedObject::Make(device_, wanted, found);
  const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.pool == dmabuf.pool && entry.surface == dmabuf.surface && entry.object == object;
  });
  if (known == entries_.end()) {
    VMAFX_RETURN_IF_ERROR(ImportedObject::Make(device_, wanted, found));
    entries_.push_front({dmabuf.pool, dmabuf.surface, object, *found});
    if (entries_.size() > kMostImports) entries_.pop_back();
    return {};
  }
  if (known->imported->bytes() != wanted.size)
    return Status::Invalid("surface " + std::to_string(dmabuf.surface) + " of pool " + std::to_string(dmabuf.pool) +
                           " came with an object of " + std::to_string(known->imported->bytes()) +
                           " bytes and now has " + std::to_string(wanted.size) +
                           ": it is other memory; call vmafx_session_forget() before a pool is used for new surfaces");
  entries_.splice(entries_.begin(), entries_, known);
  *found = known->imported;
  return {};
}

Status DeviceImports::Find(const vmafx_dmabuf& dmabuf, ImportHold* hold) {
  for (uint32_t i = 0; i < dmabuf.object_count; ++i) VMAFX_RETURN_IF_ERROR(FindObject(dmabuf, i, &(*hold)[i]));
  return {};
}

void DeviceImports::Forget(uint64_t pool) {
  entries_.remove_if([pool](const Entry& entry) { return entry.pool == pool; });
}

void PointToImports(const vmafx_dmabuf& dmabuf, const ImportHold& hold, int components, PictureView* picture) {
  for (int i = 0; i < components; ++i) {
    Component& component = picture->component[i];
    const auto offset = reinterpret_cast<uintptr_t>(component.data);
    component.data = reinterpret_cast<const uint8_t*>(hold[dmabuf.plane_object[i]]->address() + offset);
  }
}

}  // namespace vmafx
