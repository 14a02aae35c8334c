// SPDX-License-Identifier: BSD-2-Clause-Patent
// The C interface of DRM frames.
#include "core/engine/abi.h"
#include "core/engine/drm_frame.h"

namespace vmafx {
namespace {

Status Describe(const vmafx_drm_frame* frame, vmafx_picture* picture, vmafx_dmabuf* memory, DrmRoute* route) {
  VMAFX_RETURN_IF_ERROR(CheckStruct(frame, "vmafx_drm_frame"));
  VMAFX_RETURN_IF_ERROR(CheckStruct(picture, "vmafx_picture"));
  VMAFX_RETURN_IF_ERROR(CheckStruct(memory, "vmafx_dmabuf"));
  return DescribeDrmFrame(*frame, picture, memory, route);
}

}  // namespace
}  // namespace vmafx

extern "C" {

int vmafx_drm_describe(const vmafx_drm_frame* frame, vmafx_picture* picture, vmafx_dmabuf* memory, vmafx_drm_route* route,
                       vmafx_error* reason) {
  return vmafx::Guard(reason, [&]() -> int {
    if (!route) return vmafx::ToResult(vmafx::Status::Invalid("vmafx_drm_describe: route is NULL"), reason);
    vmafx::DrmRoute decided;
    const vmafx::Status status = vmafx::Describe(frame, picture, memory, &decided);
    if (!status.ok()) return vmafx::ToResult(status, reason);
    *route = decided.route;
    vmafx::WriteError(decided.cause, reason);
    return VMAFX_OK;
  });
}

}  // extern "C"
