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
 * Memory of linear Vulkan images as DRM describes memory.
 */

#ifndef AVFILTER_VMAFX_VULKAN_H
#define AVFILTER_VMAFX_VULKAN_H

#include <stddef.h>

#include "libavutil/frame.h"
#include "libavutil/hwcontext.h"
#include "libavutil/hwcontext_drm.h"

/**
 * Waits until a frame's images are written and exports their memory, each plane as a layer of its own.
 *
 * @param desc   receives the memory; the caller closes the objects' descriptors
 * @param reason receives why there is no export
 * @return 0; 1: the images' tiling is a DRM modifier's, which av_hwframe_map() exports; or a negative error code
 */
int ff_vmafx_vulkan_export(const AVFrame *frame, AVDRMFrameDescriptor *desc, char *reason, size_t size);

/** The device's PCI address; left alone when it is not known. */
void ff_vmafx_vulkan_pci_address(const AVHWDeviceContext *device, char *address, size_t size);

#endif /* AVFILTER_VMAFX_VULKAN_H */
