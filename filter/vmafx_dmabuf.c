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

#include <errno.h>
#include <string.h>
#if CONFIG_LIBDRM && defined(__linux__)
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>
#endif

#include "libavutil/avstring.h"
#include "libavutil/buffer.h"
#include "libavutil/error.h"
#include "libavutil/hwcontext.h"
#include "libavutil/hwcontext_drm.h"
#include "libavutil/log.h"
#include "libavutil/macros.h"
#include "libavutil/mem.h"
#include "libavutil/pixdesc.h"

#include "vmafx_dmabuf.h"
#include "vmafx_sides.h"
#include "vmafx_vaapi.h"
#include "vmafx_vulkan.h"

#if CONFIG_LIBDRM && defined(__linux__)

/** Surfaces of a pool that are told apart at a time; beyond that the library starts over with its imports. */
#define MOST_SURFACES 32

/** The file system of objects that share one number, as dma-bufs did before Linux 5.3: ANON_INODE_FS_MAGIC. */
#define ANONYMOUS_FILES 0x09041934

/** A surface by its objects: a dma-buf has a number of its own as long as it exists, whatever descriptors name it. */
typedef struct Surface {
    uint32_t count;
    struct {
        dev_t device;
        ino_t number;
    } object[4];
} Surface;

typedef struct Side {
    AVBufferRef *frames;        ///< the frames context whose surfaces the library may have imported
    uint64_t     pool;          ///< its number for the library
    char         device[24];    ///< PCI address of the GPU that holds them, empty: unknown
    Surface      surface[MOST_SURFACES];
    int          surfaces;
    VmafxVaapiCopy *copy;
    int          no_copy;       ///< the driver does not copy to linear surfaces
    unsigned     said;          ///< routes, by bit

    // of the pair that is open
    AVFrame             *mapped;
    AVDRMFrameDescriptor exported; ///< of Vulkan memory; the descriptors are closed here
    vmafx_dmabuf         memory;
} Side;

struct VmafxDmabuf {
    void    *log;
    int      assume_linear;
    uint64_t pools;             ///< the last pool's number
    Side     side[2];
};

VmafxDmabuf *ff_vmafx_dmabuf_alloc(void *log, int assume_linear)
{
    VmafxDmabuf *dmabuf = av_mallocz(sizeof(*dmabuf));

    if (dmabuf) {
        dmabuf->log           = log;
        dmabuf->assume_linear = assume_linear;
    }
    return dmabuf;
}

static void forget_pool(Side *side, vmafx_session *session)
{
    if (side->frames)
        vmafx_session_forget(session, side->pool);
    av_buffer_unref(&side->frames);
    side->surfaces = 0;
}

void ff_vmafx_dmabuf_forget(VmafxDmabuf *dmabuf, vmafx_session *session)
{
    for (int i = 0; i < 2; i++) {
        forget_pool(&dmabuf->side[i], session);
        ff_vmafx_vaapi_copy_free(&dmabuf->side[i].copy);
        dmabuf->side[i].no_copy = 0;
    }
}

void ff_vmafx_dmabuf_free(VmafxDmabuf *dmabuf)
{
    if (!dmabuf)
        return;
    ff_vmafx_dmabuf_close(dmabuf);
    for (int i = 0; i < 2; i++) {
        av_buffer_unref(&dmabuf->side[i].frames);
        ff_vmafx_vaapi_copy_free(&dmabuf->side[i].copy);
    }
    av_free(dmabuf);
}

static int hip_is_built(void)
{
    const vmafx_backend_info *info;

    for (size_t i = 0; (info = vmafx_backend_get(i)); i++)
        if (!strcmp(info->name, "hip"))
            return info->built;
    return 0;
}

int ff_vmafx_dmabuf_takes(const vmafx_session *session, const AVFrame *frame)
{
    const char *backend = vmafx_session_backend(session);

    switch (frame->format) {
    case AV_PIX_FMT_VAAPI:
    case AV_PIX_FMT_DRM_PRIME:
    case AV_PIX_FMT_VULKAN:
        return frame->hw_frames_ctx && (!strcmp(backend, "hip") || !strcmp(backend, "auto") && hip_is_built());
    }
    return 0;
}

static AVHWFramesContext *frames_of(const AVFrame *frame)
{
    return (AVHWFramesContext *)frame->hw_frames_ctx->data;
}

/** The last part of what a link says. */
static int link_name(const char *link, char *name, size_t size)
{
    char target[256];
    ssize_t length = readlink(link, target, sizeof(target) - 1);

    if (length < 0)
        return 0;
    target[length] = 0;
    return av_strlcpy(name, av_basename(target), size) < size;
}

/** Name of the device behind a DRM file: its address, if it is on the PCI bus. */
static void pci_address(int fd, char *address, size_t size)
{
    char path[64], bus[8];
    struct stat info;

    if (fd < 0 || fstat(fd, &info) < 0 || !S_ISCHR(info.st_mode))
        return;
    snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device/subsystem", major(info.st_rdev), minor(info.st_rdev));
    if (!link_name(path, bus, sizeof(bus)) || strcmp(bus, "pci"))
        return;
    path[strlen(path) - strlen("/subsystem")] = 0;
    if (!link_name(path, address, size))
        address[0] = 0;
}

static void find_device(const AVHWDeviceContext *device, char *address, size_t size)
{
    address[0] = 0;
    switch (device->type) {
    case AV_HWDEVICE_TYPE_DRM:
        pci_address(((const AVDRMDeviceContext *)device->hwctx)->fd, address, size);
        break;
    case AV_HWDEVICE_TYPE_VAAPI:
        pci_address(ff_vmafx_vaapi_drm_fd(device), address, size);
        break;
    case AV_HWDEVICE_TYPE_VULKAN:
        ff_vmafx_vulkan_pci_address(device, address, size);
        break;
    }
}

/** The pool of a frame becomes the side's. The reference keeps the address from naming another context meanwhile. */
static int use_pool(VmafxDmabuf *dmabuf, Side *side, vmafx_session *session, const AVFrame *frame)
{
    if (side->frames && side->frames->data == frame->hw_frames_ctx->data)
        return 0;
    forget_pool(side, session);
    side->frames = av_buffer_ref(frame->hw_frames_ctx);
    if (!side->frames)
        return AVERROR(ENOMEM);
    side->pool = ++dmabuf->pools;
    find_device(frames_of(frame)->device_ctx, side->device, sizeof(side->device));
    return 0;
}

/** A surface's number by its objects; 0: unknown. */
static uint64_t find_surface(Side *side, vmafx_session *session, const vmafx_dmabuf *memory)
{
    Surface surface;
    int i;

    memset(&surface, 0, sizeof(surface)); // compared as a whole
    surface.count = memory->object_count;
    for (uint32_t j = 0; j < memory->object_count; j++) {
        int fd = memory->object[j].fd;
        struct stat info;
        struct statfs files;

        if (fstat(fd, &info) < 0 || fstatfs(fd, &files) < 0 || files.f_type == ANONYMOUS_FILES)
            return 0;
        surface.object[j].device = info.st_dev;
        surface.object[j].number = info.st_ino;
    }
    for (i = 0; i < side->surfaces; i++)
        if (!memcmp(&side->surface[i], &surface, sizeof(surface)))
            return i + 1;
    if (i == MOST_SURFACES) {
        vmafx_session_forget(session, side->pool);
        i = 0;
    }
    side->surface[i] = surface;
    side->surfaces   = i + 1;
    return i + 1;
}

/** Names a frame's memory for the library, which keeps what it imports. */
static void name_surface(Side *side, vmafx_session *session, const AVFrame *frame)
{
    // A surface of a pool has its number as long as the pool exists. Without a pool, as from hwmap, there is one for each
    // frame, and the next one gets its number.
    int numbered = frame->format == AV_PIX_FMT_VAAPI && frames_of(frame)->pool;

    side->memory.surface = numbered ? (uintptr_t)frame->data[3] : find_surface(side, session, &side->memory);
    side->memory.pool    = numbered || side->memory.surface ? side->pool : 0;
}

static int map_to_drm(Side *side, const AVFrame *frame)
{
    side->mapped = av_frame_alloc();
    if (!side->mapped)
        return AVERROR(ENOMEM);
    side->mapped->format = AV_PIX_FMT_DRM_PRIME;
    return av_hwframe_map(side->mapped, frame, AV_HWFRAME_MAP_READ);
}

static void close_side(Side *side)
{
    av_frame_free(&side->mapped);
    for (int i = 0; i < side->exported.nb_objects; i++)
        close(side->exported.objects[i].fd);
    side->exported.nb_objects = 0;
}

void ff_vmafx_dmabuf_close(VmafxDmabuf *dmabuf)
{
    for (int i = 0; i < 2; i++)
        close_side(&dmabuf->side[i]);
}

/** A frame's memory as DRM describes it; NULL with *reason: it has no such description. */
static const AVDRMFrameDescriptor *find_descriptor(Side *side, const AVFrame *frame, vmafx_error *reason)
{
    int ret = 1;

    close_side(side);
    if (frame->format == AV_PIX_FMT_DRM_PRIME)
        return (const AVDRMFrameDescriptor *)frame->data[0];
    if (frame->format == AV_PIX_FMT_VULKAN)
        ret = ff_vmafx_vulkan_export(frame, &side->exported, reason->text, sizeof(reason->text));
    if (ret <= 0)
        return ret < 0 ? NULL : &side->exported;
    ret = map_to_drm(side, frame);
    if (ret >= 0)
        return (const AVDRMFrameDescriptor *)side->mapped->data[0];
    snprintf(reason->text, sizeof(reason->text), "mapping to DRM failed (%s)", av_err2str(ret));
    return NULL;
}

static void convert_descriptor(vmafx_drm_frame *drm, const AVDRMFrameDescriptor *desc, const AVFrame *frame)
{
    drm->object_count = desc->nb_objects;
    drm->layer_count  = desc->nb_layers;
    drm->crop_left    = FFMIN(frame->crop_left, UINT32_MAX);
    drm->crop_top     = FFMIN(frame->crop_top, UINT32_MAX);
    for (int i = 0; i < FFMIN(desc->nb_objects, AV_DRM_MAX_PLANES); i++) {
        off_t size = desc->objects[i].size;

        if (!size) // some producers leave it out; a dma-buf tells it
            size = FFMAX(lseek(desc->objects[i].fd, 0, SEEK_END), 0);
        drm->object[i].fd       = desc->objects[i].fd;
        drm->object[i].size     = size;
        drm->object[i].modifier = desc->objects[i].format_modifier;
    }
    for (int i = 0; i < FFMIN(desc->nb_layers, AV_DRM_MAX_PLANES); i++) {
        drm->layer[i].format      = desc->layers[i].format;
        drm->layer[i].plane_count = desc->layers[i].nb_planes;
        for (int j = 0; j < FFMIN(desc->layers[i].nb_planes, AV_DRM_MAX_PLANES); j++) {
            drm->layer[i].plane[j].object = desc->layers[i].planes[j].object_index;
            drm->layer[i].plane[j].offset = desc->layers[i].planes[j].offset;
            drm->layer[i].plane[j].pitch  = desc->layers[i].planes[j].pitch;
        }
    }
}

/** Whether the samples lie in the order that the frame's pixel format promises: layers do not tell Cb from Cr. */
static int order_fits(const AVFrame *frame, const vmafx_picture *picture)
{
    const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(frames_of(frame)->sw_format);

    return picture->layout == VMAFX_LAYOUT_GRAY || desc->comp[1].plane != desc->comp[2].plane ||
           (desc->comp[1].offset < desc->comp[2].offset) == (picture->plane[1].data < picture->plane[2].data);
}

/** The way of one frame: 0 and *route with its reason, or an error, which has been said. */
static int describe(VmafxDmabuf *dmabuf, int i, vmafx_session *session, const AVFrame *frame, vmafx_picture *picture,
                    vmafx_drm_route *route, vmafx_error *reason)
{
    Side *side = &dmabuf->side[i];
    vmafx_drm_frame drm = { .struct_size = sizeof(drm), .assume_linear = dmabuf->assume_linear };
    const AVDRMFrameDescriptor *desc = find_descriptor(side, frame, reason);
    int ret;

    *route = VMAFX_DRM_DOWNLOAD;
    if (!desc)
        return 0;
    convert_descriptor(&drm, desc, frame);
    side->memory = (vmafx_dmabuf) { .struct_size = sizeof(side->memory) };
    ret = vmafx_drm_describe(&drm, picture, &side->memory, route, reason);
    if (ret < 0) {
        av_log(dmabuf->log, AV_LOG_ERROR, "%s (%s input, %s)\n", reason->text, side_names[i],
               av_get_pix_fmt_name(frame->format));
        return AVERROR(EINVAL);
    }
    if (*route != VMAFX_DRM_IMPORT)
        return 0;
    if (!order_fits(frame, picture)) {
        *route = VMAFX_DRM_DOWNLOAD;
        snprintf(reason->text, sizeof(reason->text), "the layers do not say that Cr comes first");
        return 0;
    }
    ret = use_pool(dmabuf, side, session, frame);
    if (ret < 0)
        return ret;
    name_surface(side, session, frame);
    side->memory.device = side->device[0] ? side->device : NULL;
    return 0;
}

static void say(VmafxDmabuf *dmabuf, int i, const AVFrame *frame, vmafx_drm_route route, const char *reason)
{
    static const char *const ways[] = { "read in place", "copied on the device", "downloaded" };
    Side *side = &dmabuf->side[i];

    if (side->said & 1U << route)
        return;
    side->said |= 1U << route;
    av_log(dmabuf->log, AV_LOG_INFO, "The %s frames (%s) are %s: %s.\n", side_names[i], av_get_pix_fmt_name(frame->format),
           ways[route], reason);
}

/** Puts a copy in a linear surface in the frame's place: 1, or 0 when there is none. */
static int copy(VmafxDmabuf *dmabuf, int i, vmafx_session *session, AVFrame **frame, vmafx_picture *picture,
                vmafx_error *reason)
{
    Side *side = &dmabuf->side[i];
    vmafx_drm_route route;
    vmafx_error cause;
    AVFrame *linear = NULL;
    int ret;

    if ((*frame)->format != AV_PIX_FMT_VAAPI || side->no_copy)
        return 0;
    ret = ff_vmafx_vaapi_copy(&side->copy, *frame, &linear, cause.text, sizeof(cause.text));
    if (ret >= 0) {
        ret = describe(dmabuf, i, session, linear, picture, &route, &cause);
        if (ret >= 0 && route == VMAFX_DRM_IMPORT) {
            say(dmabuf, i, *frame, VMAFX_DRM_COPY, reason->text);
            av_frame_free(frame);
            *frame          = linear;
            picture->opaque = linear;
            return 1;
        }
        av_frame_free(&linear);
        if (ret < 0)
            return ret;
    }
    // Not tried again with each frame.
    side->no_copy = 1;
    av_strlcatf(reason->text, sizeof(reason->text), ", and no linear copy on the device: %s", cause.text);
    return 0;
}

static int download(VmafxDmabuf *dmabuf, int i, AVFrame **frame)
{
    AVFrame *memory = av_frame_alloc();
    int ret = AVERROR(ENOMEM);

    close_side(&dmabuf->side[i]);
    if (memory) {
        memory->format = frames_of(*frame)->sw_format;
        ret = av_hwframe_transfer_data(memory, *frame, 0);
    }
    if (ret >= 0)
        ret = av_frame_copy_props(memory, *frame);
    if (ret < 0) {
        av_log(dmabuf->log, AV_LOG_ERROR, "Downloading the %s frame failed: %s; try hwdownload,format=%s before the %s "
               "input.\n", side_names[i], av_err2str(ret), av_get_pix_fmt_name(frames_of(*frame)->sw_format), side_inputs[i]);
        av_frame_free(&memory);
        return ret;
    }
    av_frame_free(frame);
    *frame = memory;
    return 0;
}

int ff_vmafx_dmabuf_open(VmafxDmabuf *dmabuf, vmafx_session *session, AVFrame *frame[2], vmafx_picture *const picture[2])
{
    vmafx_drm_route route[2];
    vmafx_error reason[2];
    int ret;

    // A pair of two kinds of memory is refused by the library.
    if (!ff_vmafx_dmabuf_takes(session, frame[0]) || !ff_vmafx_dmabuf_takes(session, frame[1]))
        return 0;
    for (int i = 0; i < 2; i++) {
        ret = describe(dmabuf, i, session, frame[i], picture[i], &route[i], &reason[i]);
        if (ret < 0)
            return ret;
        if (route[i] == VMAFX_DRM_COPY) {
            // The transfer of DRM_PRIME frames to memory takes them as linear, whatever they are.
            if (frame[i]->format == AV_PIX_FMT_DRM_PRIME) {
                av_log(dmabuf->log, AV_LOG_ERROR, "The %s frames (drm_prime) are %s and cannot be read: put "
                       "hwmap=derive_device=vaapi before the %s input%s.\n", side_names[i], reason[i].text, side_inputs[i],
                       strstr(reason[i].text, "no modifier") ? ", or set assume_linear=1 if they are linear" : "");
                return AVERROR(ENOSYS);
            }
            ret = copy(dmabuf, i, session, &frame[i], picture[i], &reason[i]);
            if (ret < 0)
                return ret;
            if (!ret)
                route[i] = VMAFX_DRM_DOWNLOAD;
        } else if (route[i] == VMAFX_DRM_IMPORT) {
            say(dmabuf, i, frame[i], route[i], reason[i].text);
        }
    }
    if (route[0] != VMAFX_DRM_DOWNLOAD && route[1] != VMAFX_DRM_DOWNLOAD)
        return 0;
    for (int i = 0; i < 2; i++) {
        say(dmabuf, i, frame[i], VMAFX_DRM_DOWNLOAD,
            route[i] == VMAFX_DRM_DOWNLOAD ? reason[i].text : "the other input's are");
        ret = download(dmabuf, i, &frame[i]);
        if (ret < 0)
            return ret;
    }
    return 1;
}

#else /* without libdrm FFmpeg describes no frame's memory, and elsewhere it is no dma-buf */

VmafxDmabuf *ff_vmafx_dmabuf_alloc(void *log, int assume_linear)
{
    return av_mallocz(1);
}

void ff_vmafx_dmabuf_forget(VmafxDmabuf *dmabuf, vmafx_session *session)
{
}

void ff_vmafx_dmabuf_free(VmafxDmabuf *dmabuf)
{
    av_free(dmabuf);
}

int ff_vmafx_dmabuf_takes(const vmafx_session *session, const AVFrame *frame)
{
    return 0;
}

int ff_vmafx_dmabuf_open(VmafxDmabuf *dmabuf, vmafx_session *session, AVFrame *frame[2], vmafx_picture *const picture[2])
{
    return 0;
}

void ff_vmafx_dmabuf_close(VmafxDmabuf *dmabuf)
{
}

#endif
