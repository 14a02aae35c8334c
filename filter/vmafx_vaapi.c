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

#include "config.h"

#include <stdio.h>
#include <string.h>

#if CONFIG_VAAPI
#include <va/va.h>
#include <va/va_backend.h>
#include <va/va_drmcommon.h>
#include <va/va_vpp.h>

#include "libavutil/hwcontext_vaapi.h"
#endif

#include "libavutil/buffer.h"
#include "libavutil/error.h"
#include "libavutil/imgutils.h"
#include "libavutil/mem.h"
#include "libavutil/pixdesc.h"

#include "vmafx_vaapi.h"

#if CONFIG_VAAPI

struct VmafxVaapiCopy {
    AVBufferRef *source; ///< frames context whose frames are copied
    AVBufferRef *pool;   ///< frames context of linear surfaces
    VADisplay    display;
    VAConfigID   config;
    VAContextID  context;
    int          checked; ///< a copy was compared with its source
};

/** A call that failed, for the reason's text. */
static int failed(const char *call, VAStatus status, char *reason, size_t size)
{
    snprintf(reason, size, "%s failed (%s)", call, vaErrorStr(status));
    return AVERROR_EXTERNAL;
}

static int make_pool(VmafxVaapiCopy *copy, const AVHWFramesContext *source, char *reason, size_t size)
{
    // Read whenever the pool grows, so they have to live as long as any frame.
    static uint64_t modifiers[] = { 0 /* DRM_FORMAT_MOD_LINEAR */ };
    static VADRMFormatModifierList list = { 1, modifiers };
    static VASurfaceAttrib linear = {
        .type       = VASurfaceAttribDRMFormatModifiers,
        .flags      = VA_SURFACE_ATTRIB_SETTABLE,
        .value.type = VAGenericValueTypePointer,
        .value.value.p = &list,
    };
    AVHWFramesContext *pool;
    AVVAAPIFramesContext *vaapi;
    int ret;

    copy->pool = av_hwframe_ctx_alloc(source->device_ref);
    if (!copy->pool) {
        snprintf(reason, size, "out of memory");
        return AVERROR(ENOMEM);
    }
    pool                 = (AVHWFramesContext *)copy->pool->data;
    vaapi                = pool->hwctx;
    pool->format         = source->format;
    pool->sw_format      = source->sw_format;
    pool->width          = source->width;
    pool->height         = source->height;
    vaapi->attributes    = &linear;
    vaapi->nb_attributes = 1;
    ret = av_hwframe_ctx_init(copy->pool);
    if (ret < 0)
        snprintf(reason, size, "the driver makes no linear surfaces (%s)", av_err2str(ret));
    return ret;
}

static int make_context(VmafxVaapiCopy *copy, const AVHWFramesContext *source, char *reason, size_t size)
{
    VAStatus status = vaCreateConfig(copy->display, VAProfileNone, VAEntrypointVideoProc, NULL, 0, &copy->config);

    if (status != VA_STATUS_SUCCESS) {
        copy->config = VA_INVALID_ID;
        return failed("vaCreateConfig", status, reason, size);
    }
    status = vaCreateContext(copy->display, copy->config, source->width, source->height, VA_PROGRESSIVE, NULL, 0,
                             &copy->context);
    if (status != VA_STATUS_SUCCESS) {
        copy->context = VA_INVALID_ID;
        return failed("vaCreateContext", status, reason, size);
    }
    return 0;
}

static int make_copy(VmafxVaapiCopy **result, AVBufferRef *source_ref, char *reason, size_t size)
{
    const AVHWFramesContext *source = (AVHWFramesContext *)source_ref->data;
    VmafxVaapiCopy *copy = av_mallocz(sizeof(*copy));
    int ret;

    if (!copy) {
        snprintf(reason, size, "out of memory");
        return AVERROR(ENOMEM);
    }
    *result       = copy;
    copy->config  = VA_INVALID_ID;
    copy->context = VA_INVALID_ID;
    copy->display = ((const AVVAAPIDeviceContext *)source->device_ctx->hwctx)->display;
    copy->source  = av_buffer_ref(source_ref);
    ret = copy->source ? 0 : AVERROR(ENOMEM);
    if (ret < 0)
        snprintf(reason, size, "out of memory");
    if (ret < 0 || (ret = make_pool(copy, source, reason, size)) < 0 ||
        (ret = make_context(copy, source, reason, size)) < 0)
        ff_vmafx_vaapi_copy_free(result);
    return ret;
}

void ff_vmafx_vaapi_copy_free(VmafxVaapiCopy **result)
{
    VmafxVaapiCopy *copy = *result;

    if (!copy)
        return;
    if (copy->context != VA_INVALID_ID)
        vaDestroyContext(copy->display, copy->context);
    if (copy->config != VA_INVALID_ID)
        vaDestroyConfig(copy->display, copy->config);
    av_buffer_unref(&copy->pool);
    av_buffer_unref(&copy->source);
    av_freep(result);
}

static VASurfaceID surface_of(const AVFrame *frame)
{
    return (VASurfaceID)(uintptr_t)frame->data[3];
}

/** Whole surface to whole surface, with nothing that could change a sample. */
static int render(VmafxVaapiCopy *copy, const AVFrame *frame, const AVFrame *linear, char *reason, size_t size)
{
    const AVHWFramesContext *source = (AVHWFramesContext *)copy->source->data;
    VARectangle all = { .width = source->width, .height = source->height };
    VAProcPipelineParameterBuffer parameters = {
        .surface        = surface_of(frame),
        .surface_region = &all,
        .output_region  = &all,
    };
    VABufferID buffer;
    VAStatus status, end;

    status = vaCreateBuffer(copy->display, copy->context, VAProcPipelineParameterBufferType, sizeof(parameters), 1,
                            &parameters, &buffer);
    if (status != VA_STATUS_SUCCESS)
        return failed("vaCreateBuffer", status, reason, size);
    status = vaBeginPicture(copy->display, copy->context, surface_of(linear));
    if (status == VA_STATUS_SUCCESS) {
        status = vaRenderPicture(copy->display, copy->context, &buffer, 1);
        end    = vaEndPicture(copy->display, copy->context);
        if (status == VA_STATUS_SUCCESS)
            status = end;
    }
    vaDestroyBuffer(copy->display, buffer);
    return status == VA_STATUS_SUCCESS ? 0 : failed("post-processing", status, reason, size);
}

/** Downloads a frame's whole surface. */
static AVFrame *download(const AVFrame *frame)
{
    AVFrame *memory = av_frame_alloc();

    if (memory && av_hwframe_transfer_data(memory, frame, 0) < 0)
        av_frame_free(&memory);
    return memory;
}

static int same_samples(const AVFrame *a, const AVFrame *b)
{
    int planes = a->format == b->format ? av_pix_fmt_count_planes(a->format) : 0;

    for (int i = 0; i < planes; i++) {
        const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(a->format);
        int bytes = av_image_get_linesize(a->format, a->width, i);
        int rows  = i ? AV_CEIL_RSHIFT(a->height, desc->log2_chroma_h) : a->height;

        if (bytes < 0)
            return 0;
        for (int y = 0; y < rows; y++)
            if (memcmp(a->data[i] + y * (ptrdiff_t)a->linesize[i], b->data[i] + y * (ptrdiff_t)b->linesize[i], bytes))
                return 0;
    }
    return planes > 0;
}

/** Whether the driver copied each sample. */
static int check(VmafxVaapiCopy *copy, const AVFrame *frame, const AVFrame *linear, char *reason, size_t size)
{
    AVFrame *a = download(frame), *b = download(linear);
    int ret = 0;

    copy->checked = 1;
    if (!a || !b || !same_samples(a, b)) {
        snprintf(reason, size, !a || !b ? "the first one cannot be checked" : "it would change samples");
        ret = AVERROR_EXTERNAL;
    }
    av_frame_free(&a);
    av_frame_free(&b);
    return ret;
}

int ff_vmafx_vaapi_copy(VmafxVaapiCopy **copy, const AVFrame *frame, AVFrame **result, char *reason, size_t size)
{
    AVFrame *linear;
    int ret = 0;

    // The reference to the source keeps its address from naming another context.
    if (*copy && (*copy)->source->data != frame->hw_frames_ctx->data)
        ff_vmafx_vaapi_copy_free(copy);
    if (!*copy && (ret = make_copy(copy, frame->hw_frames_ctx, reason, size)) < 0)
        return ret;
    linear = av_frame_alloc();
    if (!linear) {
        snprintf(reason, size, "out of memory");
        return AVERROR(ENOMEM);
    }
    ret = av_hwframe_get_buffer((*copy)->pool, linear, 0);
    if (ret < 0)
        snprintf(reason, size, "no surface (%s)", av_err2str(ret));
    if (ret >= 0)
        ret = render(*copy, frame, linear, reason, size);
    if (ret >= 0) {
        linear->width  = frame->width;
        linear->height = frame->height;
        ret = av_frame_copy_props(linear, frame);
        if (ret < 0)
            snprintf(reason, size, "%s", av_err2str(ret));
    }
    if (ret >= 0 && !(*copy)->checked)
        ret = check(*copy, frame, linear, reason, size);
    if (ret < 0)
        av_frame_free(&linear);
    *result = linear;
    return ret;
}

int ff_vmafx_vaapi_drm_fd(const AVHWDeviceContext *device)
{
    // libva's interface to its drivers: there is no other way from a display to its device.
    const struct VADisplayContext *display = ((const AVVAAPIDeviceContext *)device->hwctx)->display;
    const struct drm_state *state;

    if (!display || display->vadpy_magic != VA_DISPLAY_MAGIC || !display->pDriverContext)
        return -1;
    state = display->pDriverContext->drm_state;
    return state ? state->fd : -1;
}

#else

int ff_vmafx_vaapi_copy(VmafxVaapiCopy **copy, const AVFrame *frame, AVFrame **result, char *reason, size_t size)
{
    snprintf(reason, size, "this build has no VAAPI");
    return AVERROR(ENOSYS);
}

void ff_vmafx_vaapi_copy_free(VmafxVaapiCopy **copy)
{
}

int ff_vmafx_vaapi_drm_fd(const AVHWDeviceContext *device)
{
    return -1;
}

#endif
