/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <va/va_backend.h>
#include <va/va_backend_vpp.h>
#include <va/va_drmcommon.h>
#include <va/va_vpp.h>

#include "../memory_file.h"
#include "stand_in_va.h"

#define MOST 256
#define AMD_TILED UINT64_C(0x0200000000401901)
#define FOURCC(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/* What surfaces and images have in common: two planes, NV12 or P010. */
typedef struct Planes {
    unsigned width, height, bytes, pitch[2];
    size_t offset[2], size;
} Planes;

typedef struct Surface {
    int used, tiled;
    uint32_t fourcc;
    Planes planes;
    MemoryFile memory;
    uint8_t *pending; /* written when somebody waits; NULL: nothing */
} Surface;

typedef struct Buffer {
    int used;
    uint8_t *data;
} Buffer;

typedef struct Image {
    int used;
    Planes planes;
    VABufferID buffer;
} Image;

typedef struct Driver {
    const char *manners;
    Surface surface[MOST];
    Buffer buffer[MOST];
    Image image[MOST];
    VASurfaceID target;
    int objects; /* configurations and contexts */
} Driver;

static Driver *driver_of(VADriverContextP ctx)
{
    return ctx->pDriverData;
}

static int wants(VADriverContextP ctx, const char *word)
{
    return strstr(driver_of(ctx)->manners, word) != NULL;
}

static Planes make_planes(unsigned width, unsigned height, uint32_t fourcc, unsigned alignment)
{
    Planes planes = { .width = width, .height = height, .bytes = fourcc == VA_FOURCC_P010 ? 2 : 1 };

    planes.pitch[0]  = planes.pitch[1] = ((width + 1) / 2 * 2 * planes.bytes + alignment - 1) / alignment * alignment;
    planes.offset[1] = (size_t)planes.pitch[0] * height;
    planes.size      = planes.offset[1] + (size_t)planes.pitch[1] * ((height + 1) / 2);
    return planes;
}

/* A row of plane `p` in a surface's memory or in what waits to be written there. */
static uint8_t *surface_row(const Surface *surface, uint8_t *memory, int p, unsigned y)
{
    unsigned rows = p ? (surface->planes.height + 1) / 2 : surface->planes.height;

    return memory + surface->planes.offset[p] + (size_t)surface->planes.pitch[p] * (surface->tiled ? rows - 1 - y : y);
}

static void finish(Surface *surface)
{
    if (surface->pending)
        memcpy(surface->memory.data, surface->pending, surface->planes.size);
    free(surface->pending);
    surface->pending = NULL;
}

static VAStatus begin(Surface *surface)
{
    free(surface->pending);
    surface->pending = malloc(surface->planes.size);
    return surface->pending ? VA_STATUS_SUCCESS : VA_STATUS_ERROR_ALLOCATION_FAILED;
}

static Surface *find_surface(VADriverContextP ctx, VASurfaceID id)
{
    return id >= 1 && id <= MOST && driver_of(ctx)->surface[id - 1].used ? &driver_of(ctx)->surface[id - 1] : NULL;
}

static VAStatus unimplemented(void)
{
    return VA_STATUS_ERROR_UNIMPLEMENTED;
}

/* -------------------------------------------------------------- configurations */

static VAStatus create_config(VADriverContextP ctx, VAProfile profile, VAEntrypoint entrypoint, VAConfigAttrib *attributes,
                              int count, VAConfigID *id)
{
    (void)attributes, (void)count;
    if (profile != VAProfileNone || entrypoint != VAEntrypointVideoProc || wants(ctx, "no_copy"))
        return VA_STATUS_ERROR_UNSUPPORTED_ENTRYPOINT;
    driver_of(ctx)->objects++;
    *id = 1;
    return VA_STATUS_SUCCESS;
}

static VAStatus destroy_config(VADriverContextP ctx, VAConfigID id)
{
    driver_of(ctx)->objects--;
    return id == 1 ? VA_STATUS_SUCCESS : VA_STATUS_ERROR_INVALID_CONFIG;
}

static VAStatus create_context(VADriverContextP ctx, VAConfigID config, int width, int height, int flag,
                               VASurfaceID *targets, int count, VAContextID *id)
{
    (void)width, (void)height, (void)flag, (void)targets, (void)count;
    driver_of(ctx)->objects++;
    *id = 1;
    return config == 1 ? VA_STATUS_SUCCESS : VA_STATUS_ERROR_INVALID_CONFIG;
}

static VAStatus destroy_context(VADriverContextP ctx, VAContextID id)
{
    driver_of(ctx)->objects--;
    return id == 1 ? VA_STATUS_SUCCESS : VA_STATUS_ERROR_INVALID_CONTEXT;
}

/* -------------------------------------------------------------- surfaces */

static VAStatus create_surface(Surface *surface, uint32_t fourcc, unsigned width, unsigned height, int tiled)
{
    surface->fourcc  = fourcc;
    surface->tiled   = tiled;
    surface->planes  = make_planes(width, height, fourcc, 256);
    surface->pending = NULL;
    if (!memory_file_make(&surface->memory, surface->planes.size))
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    surface->used = 1;
    return VA_STATUS_SUCCESS;
}

/* A surface in somebody else's memory: linear, in one object. */
static VAStatus import_surface(Surface *surface, const VADRMPRIMESurfaceDescriptor *desc)
{
    if (desc->num_objects != 1 || desc->objects[0].drm_format_modifier)
        return VA_STATUS_ERROR_INVALID_PARAMETER;
    surface->fourcc  = desc->fourcc;
    surface->tiled   = 0;
    surface->planes  = make_planes(desc->width, desc->height, desc->fourcc, 1);
    surface->pending = NULL;
    for (int p = 0; p < 2; p++) {
        int layer = desc->num_layers == 1 ? 0 : p, plane = desc->num_layers == 1 ? p : 0;

        surface->planes.pitch[p]  = desc->layers[layer].pitch[plane];
        surface->planes.offset[p] = desc->layers[layer].offset[plane];
    }
    surface->planes.size = desc->objects[0].size;
    if (!memory_file_map(&surface->memory, dup(desc->objects[0].fd), surface->planes.size))
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    surface->used = 1;
    return VA_STATUS_SUCCESS;
}

static VAStatus create_surfaces(VADriverContextP ctx, unsigned format, unsigned width, unsigned height, VASurfaceID *ids,
                                unsigned count, VASurfaceAttrib *attributes, unsigned attribute_count)
{
    uint32_t fourcc = format == VA_RT_FORMAT_YUV420_10 ? VA_FOURCC_P010 : VA_FOURCC_NV12;
    int tiled = !wants(ctx, "linear") || wants(ctx, "no_linear");
    const VADRMPRIMESurfaceDescriptor *external = NULL;
    VAStatus status;

    for (unsigned i = 0; i < attribute_count; i++) {
        if (attributes[i].type == VASurfaceAttribPixelFormat)
            fourcc = (uint32_t)attributes[i].value.value.i;
        if (attributes[i].type == VASurfaceAttribDRMFormatModifiers) {
            const VADRMFormatModifierList *list = attributes[i].value.value.p;

            if (wants(ctx, "no_linear") || list->num_modifiers != 1 || list->modifiers[0] != 0)
                return VA_STATUS_ERROR_ATTR_NOT_SUPPORTED;
            tiled = 0;
        }
        if (attributes[i].type == VASurfaceAttribMemoryType &&
            attributes[i].value.value.i != VA_SURFACE_ATTRIB_MEM_TYPE_VA &&
            attributes[i].value.value.i != VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2)
            return VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE;
        if (attributes[i].type == VASurfaceAttribExternalBufferDescriptor)
            external = attributes[i].value.value.p;
    }
    for (unsigned n = 0, i = 0; n < count; i++) {
        if (i == MOST)
            return VA_STATUS_ERROR_ALLOCATION_FAILED;
        if (driver_of(ctx)->surface[i].used)
            continue;
        status = external ? import_surface(&driver_of(ctx)->surface[i], external) :
                            create_surface(&driver_of(ctx)->surface[i], fourcc, width, height, tiled);
        if (status != VA_STATUS_SUCCESS)
            return status;
        ids[n++] = i + 1;
    }
    return VA_STATUS_SUCCESS;
}

static VAStatus destroy_surfaces(VADriverContextP ctx, VASurfaceID *ids, int count)
{
    for (int i = 0; i < count; i++) {
        Surface *surface = find_surface(ctx, ids[i]);

        if (!surface)
            return VA_STATUS_ERROR_INVALID_SURFACE;
        memory_file_close(&surface->memory);
        free(surface->pending);
        surface->used = 0;
    }
    return VA_STATUS_SUCCESS;
}

static VAStatus sync_surface(VADriverContextP ctx, VASurfaceID id)
{
    Surface *surface = find_surface(ctx, id);

    if (!surface)
        return VA_STATUS_ERROR_INVALID_SURFACE;
    finish(surface);
    return VA_STATUS_SUCCESS;
}

static VAStatus export_surface(VADriverContextP ctx, VASurfaceID id, uint32_t type, uint32_t flags, void *result)
{
    VADRMPRIMESurfaceDescriptor *desc = result;
    const Surface *surface = find_surface(ctx, id);

    if (!surface)
        return VA_STATUS_ERROR_INVALID_SURFACE;
    if (type != VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2 || !(flags & VA_EXPORT_SURFACE_SEPARATE_LAYERS))
        return VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE;
    memset(desc, 0, sizeof(*desc));
    desc->fourcc                         = surface->fourcc;
    desc->width                          = surface->planes.width;
    desc->height                         = surface->planes.height;
    desc->num_objects                    = 1;
    desc->objects[0].fd                  = dup(surface->memory.fd);
    desc->objects[0].size                = (uint32_t)surface->planes.size;
    desc->objects[0].drm_format_modifier = surface->tiled ? AMD_TILED : 0;
    desc->num_layers                     = 2;
    for (int p = 0; p < 2; p++) {
        desc->layers[p].num_planes = 1;
        desc->layers[p].offset[0]  = (uint32_t)surface->planes.offset[p];
        desc->layers[p].pitch[0]   = surface->planes.pitch[p];
    }
    desc->layers[0].drm_format = surface->planes.bytes == 1 ? FOURCC('R', '8', ' ', ' ') : FOURCC('R', '1', '6', ' ');
    desc->layers[1].drm_format = surface->planes.bytes == 1 ? FOURCC('G', 'R', '8', '8') : FOURCC('G', 'R', '3', '2');
    return VA_STATUS_SUCCESS;
}

/* -------------------------------------------------------------- buffers and images */

static VAStatus create_buffer(VADriverContextP ctx, VAContextID context, VABufferType type, unsigned size, unsigned count,
                              void *data, VABufferID *id)
{
    (void)context, (void)type;
    for (unsigned i = 0; i < MOST; i++) {
        Buffer *buffer = &driver_of(ctx)->buffer[i];

        if (buffer->used)
            continue;
        buffer->data = calloc(count, size);
        if (!buffer->data)
            break;
        if (data)
            memcpy(buffer->data, data, (size_t)size * count);
        buffer->used = 1;
        *id          = i + 1;
        return VA_STATUS_SUCCESS;
    }
    return VA_STATUS_ERROR_ALLOCATION_FAILED;
}

static Buffer *find_buffer(VADriverContextP ctx, VABufferID id)
{
    return id >= 1 && id <= MOST && driver_of(ctx)->buffer[id - 1].used ? &driver_of(ctx)->buffer[id - 1] : NULL;
}

static VAStatus map_buffer(VADriverContextP ctx, VABufferID id, void **data)
{
    const Buffer *buffer = find_buffer(ctx, id);

    if (!buffer)
        return VA_STATUS_ERROR_INVALID_BUFFER;
    *data = buffer->data;
    return VA_STATUS_SUCCESS;
}

static VAStatus unmap_buffer(VADriverContextP ctx, VABufferID id)
{
    return find_buffer(ctx, id) ? VA_STATUS_SUCCESS : VA_STATUS_ERROR_INVALID_BUFFER;
}

static VAStatus destroy_buffer(VADriverContextP ctx, VABufferID id)
{
    Buffer *buffer = find_buffer(ctx, id);

    if (!buffer)
        return VA_STATUS_ERROR_INVALID_BUFFER;
    free(buffer->data);
    buffer->used = 0;
    return VA_STATUS_SUCCESS;
}

static VAStatus query_image_formats(VADriverContextP ctx, VAImageFormat *formats, int *count)
{
    (void)ctx;
    formats[0] = (VAImageFormat) { .fourcc = VA_FOURCC_NV12, .byte_order = VA_LSB_FIRST, .bits_per_pixel = 12 };
    formats[1] = (VAImageFormat) { .fourcc = VA_FOURCC_P010, .byte_order = VA_LSB_FIRST, .bits_per_pixel = 24 };
    *count     = 2;
    return VA_STATUS_SUCCESS;
}

static VAStatus create_image(VADriverContextP ctx, VAImageFormat *format, int width, int height, VAImage *result)
{
    for (unsigned i = 0; i < MOST; i++) {
        Image *image = &driver_of(ctx)->image[i];
        VAStatus status;

        if (image->used)
            continue;
        image->planes = make_planes((unsigned)width, (unsigned)height, format->fourcc, 16);
        status = create_buffer(ctx, 0, VAImageBufferType, (unsigned)image->planes.size, 1, NULL, &image->buffer);
        if (status != VA_STATUS_SUCCESS)
            return status;
        image->used = 1;
        memset(result, 0, sizeof(*result));
        result->image_id   = i + 1;
        result->format     = *format;
        result->buf        = image->buffer;
        result->width      = (uint16_t)width;
        result->height     = (uint16_t)height;
        result->data_size  = (uint32_t)image->planes.size;
        result->num_planes = 2;
        result->pitches[0] = image->planes.pitch[0];
        result->pitches[1] = image->planes.pitch[1];
        result->offsets[1] = (uint32_t)image->planes.offset[1];
        return VA_STATUS_SUCCESS;
    }
    return VA_STATUS_ERROR_ALLOCATION_FAILED;
}

static VAStatus derive_image(VADriverContextP ctx, VASurfaceID id, VAImage *image)
{
    (void)ctx, (void)id, (void)image;
    return VA_STATUS_ERROR_OPERATION_FAILED;
}

static VAStatus destroy_image(VADriverContextP ctx, VAImageID id)
{
    Image *image = &driver_of(ctx)->image[id - 1];

    image->used = 0;
    return destroy_buffer(ctx, image->buffer);
}

/* Moves all samples between an image and a surface. */
static VAStatus move(VADriverContextP ctx, VASurfaceID surface_id, VAImageID image_id, int to_surface)
{
    Surface *surface = find_surface(ctx, surface_id);
    const Image *image = &driver_of(ctx)->image[image_id - 1];
    uint8_t *data = find_buffer(ctx, image->buffer)->data;
    VAStatus status;

    if (!surface)
        return VA_STATUS_ERROR_INVALID_SURFACE;
    if (!to_surface)
        finish(surface);
    else if ((status = begin(surface)) != VA_STATUS_SUCCESS)
        return status;
    for (int p = 0; p < 2; p++) {
        unsigned width = image->planes.width < surface->planes.width ? image->planes.width : surface->planes.width;
        unsigned height = image->planes.height < surface->planes.height ? image->planes.height : surface->planes.height;
        size_t bytes = (size_t)(p ? (width + 1) / 2 * 2 : width) * surface->planes.bytes;

        for (unsigned y = 0; y < (p ? (height + 1) / 2 : height); y++) {
            uint8_t *row = surface_row(surface, to_surface ? surface->pending : surface->memory.data, p, y);
            uint8_t *image_row = data + image->planes.offset[p] + (size_t)image->planes.pitch[p] * y;

            memcpy(to_surface ? row : image_row, to_surface ? image_row : row, bytes);
        }
    }
    return VA_STATUS_SUCCESS;
}

static VAStatus get_image(VADriverContextP ctx, VASurfaceID surface, int x, int y, unsigned width, unsigned height,
                          VAImageID image)
{
    (void)x, (void)y, (void)width, (void)height;
    return move(ctx, surface, image, 0);
}

static VAStatus put_image(VADriverContextP ctx, VASurfaceID surface, VAImageID image, int x, int y, unsigned width,
                          unsigned height, int to_x, int to_y, unsigned to_width, unsigned to_height)
{
    (void)x, (void)y, (void)width, (void)height, (void)to_x, (void)to_y, (void)to_width, (void)to_height;
    return move(ctx, surface, image, 1);
}

/* -------------------------------------------------------------- post-processing */

static VAStatus begin_picture(VADriverContextP ctx, VAContextID context, VASurfaceID target)
{
    (void)context;
    driver_of(ctx)->target = target;
    return find_surface(ctx, target) ? VA_STATUS_SUCCESS : VA_STATUS_ERROR_INVALID_SURFACE;
}

static VAStatus render_picture(VADriverContextP ctx, VAContextID context, VABufferID *buffers, int count)
{
    const VAProcPipelineParameterBuffer *parameters = (void *)find_buffer(ctx, buffers[0])->data;
    Surface *source = find_surface(ctx, parameters->surface), *target = find_surface(ctx, driver_of(ctx)->target);
    VAStatus status;

    (void)context, (void)count;
    if (!source || !target || source->planes.width != target->planes.width ||
        source->planes.height != target->planes.height || source->planes.bytes != target->planes.bytes)
        return VA_STATUS_ERROR_INVALID_SURFACE;
    status = begin(target);
    if (status != VA_STATUS_SUCCESS)
        return status;
    finish(source);
    for (int p = 0; p < 2; p++)
        for (unsigned y = 0; y < (p ? (source->planes.height + 1) / 2 : source->planes.height); y++)
            memcpy(surface_row(target, target->pending, p, y), surface_row(source, source->memory.data, p, y),
                   (size_t)(p ? (source->planes.width + 1) / 2 * 2 : source->planes.width) * source->planes.bytes);
    if (wants(ctx, "lossy_copy"))
        target->pending[target->planes.offset[1] + 1] ^= 1;
    return VA_STATUS_SUCCESS;
}

static VAStatus end_picture(VADriverContextP ctx, VAContextID context)
{
    (void)ctx, (void)context;
    return VA_STATUS_SUCCESS;
}

/* -------------------------------------------------------------- the display */

typedef struct Display {
    struct VADisplayContext context; /* what a VADisplay points to */
    struct VADriverContext driver;
    struct VADriverVTable table;
    struct drm_state drm;
    Driver state;
} Display;

static int is_valid(VADisplayContextP context)
{
    (void)context;
    return 1;
}

VADisplay stand_in_va_open(const char *manners, int drm_fd)
{
    Display *display = calloc(1, sizeof(*display));
    struct VADriverVTable *table = &display->table;
    VAStatus (**functions)(void) = (void *)table;

    if (!display)
        return NULL;
    display->context.vadpy_magic           = VA_DISPLAY_MAGIC;
    display->context.pDriverContext        = &display->driver;
    display->context.vaIsValid             = is_valid;
    display->drm.fd                        = drm_fd;
    display->state.manners                 = manners;
    display->driver.pDriverData            = &display->state;
    display->driver.vtable                 = table;
    display->driver.drm_state              = &display->drm;
    display->driver.max_profiles           = 1;
    display->driver.max_entrypoints        = 1;
    display->driver.max_attributes         = 1;
    display->driver.max_image_formats      = 2;
    display->driver.max_subpic_formats     = 1;
    display->driver.max_display_attributes = 1;
    display->driver.str_vendor             = "stand-in without a GPU";
    // The reserved fields behind them are no functions.
    for (size_t i = 0; i < offsetof(struct VADriverVTable, reserved) / sizeof(*functions); i++)
        functions[i] = unimplemented;
    table->vaCreateConfig        = create_config;
    table->vaDestroyConfig       = destroy_config;
    table->vaCreateContext       = create_context;
    table->vaDestroyContext      = destroy_context;
    table->vaCreateSurfaces2     = create_surfaces;
    table->vaDestroySurfaces     = destroy_surfaces;
    table->vaSyncSurface         = sync_surface;
    table->vaExportSurfaceHandle = export_surface;
    table->vaCreateBuffer        = create_buffer;
    table->vaMapBuffer           = map_buffer;
    table->vaUnmapBuffer         = unmap_buffer;
    table->vaDestroyBuffer       = destroy_buffer;
    table->vaQueryImageFormats   = query_image_formats;
    table->vaCreateImage         = create_image;
    table->vaDeriveImage         = derive_image;
    table->vaDestroyImage        = destroy_image;
    table->vaGetImage            = get_image;
    table->vaPutImage            = put_image;
    table->vaBeginPicture        = begin_picture;
    table->vaRenderPicture       = render_picture;
    table->vaEndPicture          = end_picture;
    return display;
}

int stand_in_va_close(VADisplay opaque)
{
    Display *display = opaque;
    int left = 0;

    for (int i = 0; i < MOST; i++)
        left += display->state.surface[i].used + display->state.buffer[i].used + display->state.image[i].used;
    left += display->state.objects;
    free(display);
    return left;
}
