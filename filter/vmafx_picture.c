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

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "config.h"

#include "libavutil/error.h"
#include "libavutil/hwcontext.h"
#if CONFIG_CUDA
#include "libavutil/hwcontext_cuda_internal.h"
#endif
#include "libavutil/log.h"
#include "libavutil/macros.h"

#include "vmafx_dmabuf.h"
#include "vmafx_picture.h"
#include "vmafx_sides.h"

/** What to convert an unsupported pixel format to without losing what it has. */
static const char *nearest_format(const AVPixFmtDescriptor *desc, char *text, size_t size)
{
    const char *base, *suffix;
    int depth = 0;

    for (int i = 0; i < desc->nb_components; i++)
        depth = FFMAX(depth, desc->comp[i].depth);
    suffix = depth <= 8 ? "" : depth <= 10 ? "10" : depth <= 12 ? "12" : depth <= 14 ? "14" : "16";
    if (desc->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_XYZ | AV_PIX_FMT_FLAG_BAYER))
        base = "gbrp";
    else if (desc->nb_components < 3)
        base = "gray";
    else if (desc->log2_chroma_w == 1)
        base = desc->log2_chroma_h ? "yuv420p" : "yuv422p";
    else
        base = "yuv444p";
    snprintf(text, size, "%s%s", base, suffix);
    return text;
}

const AVPixFmtDescriptor *ff_vmafx_sample_format(const AVFrame *frame)
{
    const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(frame->format);

    if (desc->flags & AV_PIX_FMT_FLAG_HWACCEL && frame->hw_frames_ctx)
        return av_pix_fmt_desc_get(((AVHWFramesContext *)frame->hw_frames_ctx->data)->sw_format);
    return desc;
}

/** Fills the memory's part of a picture; 0: memory that the library does not read. */
static int describe_memory(const AVFrame *frame, const vmafx_session *session, vmafx_picture *picture)
{
    if (!(av_pix_fmt_desc_get(frame->format)->flags & AV_PIX_FMT_FLAG_HWACCEL))
        return 1; // the host's, which is 0
    if (ff_vmafx_dmabuf_takes(session, frame)) {
        picture->memory = VMAFX_MEMORY_DMABUF;
        return 1;
    }
#if CONFIG_CUDA
    if (frame->format == AV_PIX_FMT_CUDA && frame->hw_frames_ctx) {
        const AVHWFramesContext *frames = (AVHWFramesContext *)frame->hw_frames_ctx->data;
        const AVCUDADeviceContext *cuda = frames->device_ctx->hwctx;

        picture->memory         = VMAFX_MEMORY_CUDA;
        picture->device_context = cuda->cuda_ctx;
        picture->device_stream  = cuda->stream;
        return 1;
    }
#endif
    return 0;
}

/** Fills the format's part of a picture; 0: a format that a vmafx_picture cannot describe. */
static int describe_format(const AVPixFmtDescriptor *desc, vmafx_picture *picture)
{
    static const vmafx_layout layouts[2][2] = { // by log2_chroma_w, log2_chroma_h
        { VMAFX_LAYOUT_444, VMAFX_LAYOUT_440 },
        { VMAFX_LAYOUT_422, VMAFX_LAYOUT_420 },
    };
    const AVComponentDescriptor *comp = desc->comp;
    int count;

    if (desc->flags & (AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM |
                       AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_XYZ))
        return 0;
    if (desc->nb_components < 3) {
        picture->layout = VMAFX_LAYOUT_GRAY;
        count = 1;
    } else if (desc->log2_chroma_w > 1 || desc->log2_chroma_h > 1) {
        return 0;
    } else {
        picture->layout = desc->flags & AV_PIX_FMT_FLAG_RGB ? VMAFX_LAYOUT_RGB :
                          layouts[desc->log2_chroma_w][desc->log2_chroma_h];
        count = 3;
    }
    picture->depth            = comp[0].depth;
    picture->shift            = comp[0].shift;
    picture->bytes_per_sample = comp[0].depth > 8 ? 2 : 1;
    picture->big_endian       = !!(desc->flags & AV_PIX_FMT_FLAG_BE);
    switch (picture->depth) {
    case 8: case 9: case 10: case 12: case 14: case 16:
        break;
    default:
        return 0;
    }
    for (int i = 0; i < count; i++) {
        int word = 8 * picture->bytes_per_sample;

        if (comp[i].depth != picture->depth || comp[i].shift != picture->shift ||
            picture->depth + picture->shift > word)
            return 0;
        // In a packed format the bits above a sample belong to another one.
        if (!(desc->flags & AV_PIX_FMT_FLAG_PLANAR) && desc->nb_components > 1 &&
            picture->depth + picture->shift != word)
            return 0;
        if (comp[i].step < picture->bytes_per_sample)
            return 0;
    }
    return count;
}

int ff_vmafx_takes_format(const AVPixFmtDescriptor *desc)
{
    vmafx_picture picture;

    return describe_format(desc, &picture) > 0;
}

static void release_frame(void *opaque)
{
    AVFrame *frame = opaque;

    av_frame_free(&frame);
}

int ff_vmafx_make_picture(void *log, const vmafx_session *session, vmafx_picture *picture, AVFrame *frame,
                          vmafx_side side)
{
    const AVPixFmtDescriptor *desc = ff_vmafx_sample_format(frame);
    int left = frame->crop_left, top = frame->crop_top, count;
    char nearest[32];

    *picture = (vmafx_picture) { .struct_size = sizeof(*picture), .release = release_frame, .opaque = frame };
    if (!describe_memory(frame, session, picture)) {
        const char *backend = vmafx_session_backend(session);
        int named = strcmp(backend, "auto");

        av_log(log, AV_LOG_ERROR, "The %s frames are in %s memory, which %s%s does not read: put "
               "hwdownload,format=%s before the %s input.\n", side_names[side], av_get_pix_fmt_name(frame->format),
               named ? "backend=" : "this build", named ? backend : "", desc->name, side_inputs[side]);
        return AVERROR(ENOSYS);
    }
    count = describe_format(desc, picture);
    if (!count) {
        av_log(log, AV_LOG_ERROR, "The %s frames' pixel format %s is not supported: put format=%s before the %s "
               "input.\n", side_names[side], desc->name, nearest_format(desc, nearest, sizeof(nearest)),
               side_inputs[side]);
        return AVERROR(ENOSYS);
    }
    picture->width  = frame->width  - left - (int)frame->crop_right;
    picture->height = frame->height - top  - (int)frame->crop_bottom;
    for (int i = 0; i < count && picture->memory != VMAFX_MEMORY_DMABUF; i++) {
        const AVComponentDescriptor *comp = &desc->comp[i];
        int chroma = i && !(desc->flags & AV_PIX_FMT_FLAG_RGB);
        ptrdiff_t x = left >> (chroma ? desc->log2_chroma_w : 0);
        ptrdiff_t y = top  >> (chroma ? desc->log2_chroma_h : 0);

        picture->plane[i].stride = frame->linesize[comp->plane];
        picture->plane[i].step   = comp->step;
        picture->plane[i].data   = frame->data[comp->plane] + comp->offset +
                                   y * picture->plane[i].stride + x * comp->step;
    }
    switch (frame->format) {
    case AV_PIX_FMT_YUVJ420P:
    case AV_PIX_FMT_YUVJ422P:
    case AV_PIX_FMT_YUVJ440P:
    case AV_PIX_FMT_YUVJ444P:
        picture->range = VMAFX_RANGE_FULL;
        break;
    default:
        picture->range = frame->color_range == AVCOL_RANGE_MPEG ? VMAFX_RANGE_LIMITED :
                         frame->color_range == AVCOL_RANGE_JPEG ||
                         picture->layout == VMAFX_LAYOUT_RGB    ? VMAFX_RANGE_FULL : VMAFX_RANGE_UNSPECIFIED;
    }
    picture->matrix          = frame->colorspace;
    picture->transfer        = frame->color_trc;
    picture->chroma_location = frame->chroma_location >= AVCHROMA_LOC_LEFT &&
                               frame->chroma_location <= AVCHROMA_LOC_BOTTOM ?
                               (vmafx_chroma_location)frame->chroma_location : VMAFX_CHROMA_UNSPECIFIED;
    return 0;
}
