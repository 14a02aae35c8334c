// SPDX-License-Identifier: BSD-2-Clause-Patent
// Where the components of a picture in host memory lie once they are on a device: one after another, each row of adjacent
// native words. `shift` and `lift` stay as they are.
#ifndef VMAFX_ENGINE_DEVICE_UPLOAD_H_
#define VMAFX_ENGINE_DEVICE_UPLOAD_H_

#include <cstddef>

#include "core/engine/device.h"
#include "core/metrics/metric.h"

namespace vmafx {

// Bytes of a picture's first `components` components.
size_t UploadBytes(const PictureView& picture, int components);

// Writes them to `staging`.
void Stage(const PictureView& picture, int components, std::byte* staging);

// Points the components to their copies at `address`. Byte order is native from now on.
void PointToUpload(int components, DeviceAddress address, PictureView* picture);

}  // namespace vmafx
#endif  // VMAFX_ENGINE_DEVICE_UPLOAD_H_
