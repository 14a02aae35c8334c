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
 * Frames that wait, in their order: for partners, for scores, to be passed on.
 */

#ifndef AVFILTER_VMAFX_QUEUE_H
#define AVFILTER_VMAFX_QUEUE_H

#include <stdint.h>

#include "libavutil/frame.h"
#include "libavutil/rational.h"

typedef struct VmafxEntry {
    struct VmafxEntry *next;
    AVFrame           *frame;
    AVRational         time_base;
    int                disabled;  ///< outside the timeline's `enable`
    int                waits;     ///< for its scores
    int                inherited; ///< from an earlier filter instance
    uint64_t           pair;      ///< number of its pair
} VmafxEntry;

/** All 0: an empty one. */
typedef struct VmafxQueue {
    VmafxEntry *first, *last;
    int         count;
} VmafxQueue;

/** Puts a frame at the end: 0, the frame is the queue's, or AVERROR(ENOMEM). */
int ff_vmafx_queue_add(VmafxQueue *queue, AVFrame *frame, AVRational time_base, int disabled);

/** Moves the first entry of one queue, which is not empty, to the end of another. */
VmafxEntry *ff_vmafx_queue_move(VmafxQueue *from, VmafxQueue *to);

/** Takes the first entry's frame, of a queue that is not empty. */
AVFrame *ff_vmafx_queue_take(VmafxQueue *queue);

/** Marks all frames as those of an earlier filter instance. */
void ff_vmafx_queue_inherit(VmafxQueue *queue);

/** The number of entries from the first one on that waits for its scores. */
int ff_vmafx_queue_unfinished(const VmafxQueue *queue);

/** Frees all frames. */
void ff_vmafx_queue_free(VmafxQueue *queue);

#endif /* AVFILTER_VMAFX_QUEUE_H */
