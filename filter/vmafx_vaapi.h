/*
 * Copyright (c) 2026 the vmafx authors
 *
 * This file is part of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 *
 * FFmpeg is distributed in the hope that it will be useful,
 * but WITHOUT ANY WARRANTY; without even the implied warranty of
 * MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
 * Lesser General Public License for more details.
 *
 * You should have received a copy of the GNU Lesser General Public
 * License along with FFmpeg; if not, write to the Free Software
 * Foundation, Inc., 51 Franklin Street, Fifth Floor, Boston, MA 02110-1301 USA
 */

/**
 * @file
 * Copies of VAAPI surfaces into linear ones, made by the driver on the device.
 */

#ifndef AVFILTER_VMAFX_VAAPI_H
#define AVFILTER_VMAFX_VAAPI_H

#include <stddef.h>

#include "libavutil/frame.h"
#include "libavutil/hwcontext.h"

/** A pool of linear surfaces and the driver's post-processing that fills them. */
typedef struct VmafxVaapiCopy VmafxVaapiCopy;

/**
 * Copies a frame into a linear surface of a pool that is made on the way. The first copy of a pool is downloaded and
 * compared with its source, so that a driver that changes samples is found out.
 *
 * @param copy   kept from frame to frame, NULL at first
 * @param reason receives why there is no copy
 * @return 0 and *linear, or a negative error code
 */
int ff_vmafx_vaapi_copy(VmafxVaapiCopy **copy, const AVFrame *frame, AVFrame **linear, char *reason, size_t size);

/** Frames that were copied stay valid. */
void ff_vmafx_vaapi_copy_free(VmafxVaapiCopy **copy);

/** The DRM file that a VAAPI device was opened on; -1: unknown. */
int ff_vmafx_vaapi_drm_fd(const AVHWDeviceContext *device);

#endif /* AVFILTER_VMAFX_VAAPI_H */
