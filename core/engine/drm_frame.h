// SPDX-License-Identifier: BSD-2-Clause-Patent
// From a DRM frame's description to a picture in dma-buf objects, or to the reason why its memory cannot be read in place.
#ifndef VMAFX_ENGINE_DRM_FRAME_H_
#define VMAFX_ENGINE_DRM_FRAME_H_

#include <string>

#include "core/engine/status.h"
#include "vmafx/vmafx.h"

namespace vmafx {

struct DrmRoute {
  vmafx_drm_route route = VMAFX_DRM_DOWNLOAD;
  std::string cause;
};

// vmafx_drm_describe() without its border.
Status DescribeDrmFrame(const vmafx_drm_frame& frame, vmafx_picture* picture, vmafx_dmabuf* memory, DrmRoute* route);

}  // namespace vmafx
#endif  // VMAFX_ENGINE_DRM_FRAME_H_
