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

#include "libavutil/error.h"
#include "libavutil/mem.h"

#include "vmafx_queue.h"

static void append(VmafxQueue *queue, VmafxEntry *entry)
{
    entry->next = NULL;
    if (queue->last)
        queue->last->next = entry;
    else
        queue->first = entry;
    queue->last = entry;
    queue->count++;
}

/** Unlinks the first entry of a queue that is not empty. */
static VmafxEntry *unlink_first(VmafxQueue *queue)
{
    VmafxEntry *entry = queue->first;

    queue->first = entry->next;
    if (!queue->first)
        queue->last = NULL;
    queue->count--;
    return entry;
}

int ff_vmafx_queue_add(VmafxQueue *queue, AVFrame *frame, AVRational time_base, int disabled)
{
    VmafxEntry *entry = av_mallocz(sizeof(*entry));

    if (!entry)
        return AVERROR(ENOMEM);
    entry->frame     = frame;
    entry->time_base = time_base;
    entry->disabled  = disabled;
    append(queue, entry);
    return 0;
}

VmafxEntry *ff_vmafx_queue_move(VmafxQueue *from, VmafxQueue *to)
{
    VmafxEntry *entry = unlink_first(from);

    append(to, entry);
    return entry;
}

AVFrame *ff_vmafx_queue_take(VmafxQueue *queue)
{
    VmafxEntry *entry = unlink_first(queue);
    AVFrame *frame = entry->frame;

    av_free(entry);
    return frame;
}

void ff_vmafx_queue_inherit(VmafxQueue *queue)
{
    for (VmafxEntry *entry = queue->first; entry; entry = entry->next)
        entry->inherited = 1;
}

int ff_vmafx_queue_unfinished(const VmafxQueue *queue)
{
    const VmafxEntry *entry = queue->first;
    int count = queue->count;

    for (; entry && !entry->waits; entry = entry->next)
        count--;
    return count;
}

void ff_vmafx_queue_free(VmafxQueue *queue)
{
    while (queue->first) {
        AVFrame *frame = ff_vmafx_queue_take(queue);
        av_frame_free(&frame);
    }
}
