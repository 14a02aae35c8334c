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
 * How VAAPI, DRM_PRIME and Vulkan frames reach libvmafx: in place, by a copy on the device, or through memory.
 */

#ifndef AVFILTER_VMAFX_DMABUF_H
#define AVFILTER_VMAFX_DMABUF_H

#include <vmafx/vmafx.h>

#include "libavutil/frame.h"

/** What is kept of both inputs from pair to pair. */
typedef struct VmafxDmabuf VmafxDmabuf;

/** `log` is for av_log() and outlives the result; `assume_linear`: as in vmafx_drm_frame. NULL: out of memory. */
VmafxDmabuf *ff_vmafx_dmabuf_alloc(void *log, int assume_linear);

/** Gives up the pools of both inputs: when no more pairs of their frames come. */
void ff_vmafx_dmabuf_forget(VmafxDmabuf *dmabuf, vmafx_session *session);

/** After ff_vmafx_dmabuf_forget(). NULL is allowed. */
void ff_vmafx_dmabuf_free(VmafxDmabuf *dmabuf);

/** Whether a frame is in memory that the session's backend reads by way of dma-buf objects. */
int ff_vmafx_dmabuf_takes(const vmafx_session *session, const AVFrame *frame);

/**
 * Makes a pair's frames readable, if ff_vmafx_dmabuf_takes() both. The pictures state size and format of the samples.
 * A frame may be replaced by another one, which is then the caller's in its place.
 *
 * @return 0: the pictures are complete and can be submitted until ff_vmafx_dmabuf_close();
 *         1: both frames are in memory now, as frames to describe anew;
 *         a negative error code, which has been said
 */
int ff_vmafx_dmabuf_open(VmafxDmabuf *dmabuf, vmafx_session *session, AVFrame *frame[2], vmafx_picture *const picture[2]);

/** Closes what ff_vmafx_dmabuf_open() opened: once the pair was submitted, or will not be. */
void ff_vmafx_dmabuf_close(VmafxDmabuf *dmabuf);

#endif /* AVFILTER_VMAFX_DMABUF_H */
