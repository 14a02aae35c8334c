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
 * Frames as vmafx_picture structures, without a copy.
 */

#ifndef AVFILTER_VMAFX_PICTURE_H
#define AVFILTER_VMAFX_PICTURE_H

#include <vmafx/vmafx.h>

#include "libavutil/frame.h"
#include "libavutil/pixdesc.h"

/** The format of the samples: a hardware frame's is that of its frames context. */
const AVPixFmtDescriptor *ff_vmafx_sample_format(const AVFrame *frame);

/** Whether a vmafx_picture can describe samples of this format. */
int ff_vmafx_takes_format(const AVPixFmtDescriptor *desc);

/**
 * Describes a frame to the library, but for the planes of one in dma-buf objects.
 *
 * @param log for av_log()
 * @return 0: the picture's release function frees the frame; a negative error code, which has been said
 */
int ff_vmafx_make_picture(void *log, const vmafx_session *session, vmafx_picture *picture, AVFrame *frame,
                          vmafx_side side);

#endif /* AVFILTER_VMAFX_PICTURE_H */
