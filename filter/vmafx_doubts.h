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
 * What makes the scores of a pair doubtful although it can be compared: tags, shape, fields and alpha.
 */

#ifndef AVFILTER_VMAFX_DOUBTS_H
#define AVFILTER_VMAFX_DOUBTS_H

#include <vmafx/vmafx.h>

#include "libavutil/frame.h"

/** What has been said, as each is once; 0 at first. */
typedef struct VmafxDoubts {
    int alpha; ///< by side, 1 << vmafx_side
    int interlaced, tags, shape, turn;
} VmafxDoubts;

/**
 * Says once what makes a pair's scores doubtful.
 *
 * @param log    for av_log()
 * @param strict whether differing color tags are an error
 * @return 0 or a negative error code, which has been said
 */
int ff_vmafx_check_pair(void *log, VmafxDoubts *said, int strict, const AVFrame *distorted, const AVFrame *reference,
                        const vmafx_pairing *pairing);

#endif /* AVFILTER_VMAFX_DOUBTS_H */
