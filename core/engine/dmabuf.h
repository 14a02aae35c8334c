// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pictures in dma-buf objects: whether what a caller says of them can be read.
#ifndef VMAFX_ENGINE_DMABUF_H_
#define VMAFX_ENGINE_DMABUF_H_

#include <cstdint>

#include "core/engine/status.h"
#include "vmafx/vmafx.h"

namespace vmafx {

// Bytes of a dma-buf object, beyond all memory. With it, sums of offsets and of rows do not leave 64 bits.
inline constexpr uint64_t kGreatestObject = uint64_t{1} << 48;

// Where the picture's samples are; null unless its memory is VMAFX_MEMORY_DMABUF.
inline const vmafx_dmabuf* DmabufOf(const vmafx_picture& picture) {
  return picture.memory == VMAFX_MEMORY_DMABUF ? static_cast<const vmafx_dmabuf*>(picture.device_context) : nullptr;
}

// A picture that passed CheckShape() and CheckPlanes(), in any memory: objects are linear and every sample lies inside
// its object. `side` ("distorted", "reference") is named in the error. Allocates only for an error.
Status CheckDmabuf(const vmafx_picture& picture, const char* side);

}  // namespace vmafx
#endif  // VMAFX_ENGINE_DMABUF_H_
