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

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if CONFIG_VULKAN && defined(__linux__)
#include <sys/vfs.h>
#include <unistd.h>

#include "libavutil/hwcontext_vulkan.h"
#endif

#include "libavutil/error.h"
#include "libavutil/macros.h"
#include "libavutil/pixdesc.h"

#include "vmafx_vulkan.h"

#if CONFIG_VULKAN && defined(__linux__)

/** Longer than any picture takes: a device that is lost never signals. */
#define WAIT_NANOSECONDS (INT64_C(10) * 1000 * 1000 * 1000)

/** The file system of dma-buf objects, DMA_BUF_MAGIC of linux/magic.h. */
#define DMA_BUF_FILES 0x444d4142

typedef struct Functions {
    PFN_vkWaitSemaphores            wait_semaphores;
    PFN_vkGetMemoryFdKHR            get_memory_fd;
    PFN_vkGetImageSubresourceLayout get_layout;
} Functions;

static int find_functions(const AVVulkanDeviceContext *vulkan, Functions *functions)
{
    PFN_vkGetDeviceProcAddr find;

    find = (PFN_vkGetDeviceProcAddr)vulkan->get_proc_addr(vulkan->inst, "vkGetDeviceProcAddr");
    if (!find)
        return 0;
    functions->wait_semaphores = (PFN_vkWaitSemaphores)find(vulkan->act_dev, "vkWaitSemaphores");
    functions->get_memory_fd   = (PFN_vkGetMemoryFdKHR)find(vulkan->act_dev, "vkGetMemoryFdKHR");
    functions->get_layout      = (PFN_vkGetImageSubresourceLayout)find(vulkan->act_dev, "vkGetImageSubresourceLayout");
    return functions->wait_semaphores && functions->get_memory_fd && functions->get_layout;
}

static int has_extension(const AVVulkanDeviceContext *vulkan, const char *name)
{
    for (int i = 0; i < vulkan->nb_enabled_dev_extensions; i++)
        if (!strcmp(vulkan->enabled_dev_extensions[i], name))
            return 1;
    return 0;
}

/** Number of entries that are used. */
static int count_images(const AVVkFrame *vk)
{
    int count = 0;

    while (count < AV_DRM_MAX_PLANES && vk->img[count])
        count++;
    return count;
}

static int count_memories(const AVVkFrame *vk)
{
    int count = 0;

    while (count < AV_DRM_MAX_PLANES && vk->mem[count])
        count++;
    return count;
}

/** HIP waits for no semaphores on Linux, so the host does. */
static int wait_for_images(const AVVulkanDeviceContext *vulkan, const Functions *functions, AVHWFramesContext *frames,
                           AVVkFrame *vk)
{
    const AVVulkanFramesContext *context = frames->hwctx;
    VkSemaphore semaphore[AV_DRM_MAX_PLANES];
    uint64_t value[AV_DRM_MAX_PLANES];
    VkSemaphoreWaitInfo info = {
        .sType          = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .pSemaphores    = semaphore,
        .pValues        = value,
        .semaphoreCount = count_images(vk),
    };

    context->lock_frame(frames, vk);
    memcpy(semaphore, vk->sem, sizeof(semaphore));
    memcpy(value, vk->sem_value, sizeof(value));
    context->unlock_frame(frames, vk);
    return functions->wait_semaphores(vulkan->act_dev, &info, WAIT_NANOSECONDS) == VK_SUCCESS;
}

/** A descriptor of a memory object; negative: none. What a driver calls an opaque file need not be a dma-buf. */
static int export_memory(const AVVulkanDeviceContext *vulkan, const Functions *functions, VkDeviceMemory memory)
{
    VkMemoryGetFdInfoKHR info = {
        .sType      = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
        .memory     = memory,
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
    };
    struct statfs files;
    int fd;

    if (functions->get_memory_fd(vulkan->act_dev, &info, &fd) != VK_SUCCESS)
        return -1;
    if (!fstatfs(fd, &files) && files.f_type == DMA_BUF_FILES)
        return fd;
    close(fd);
    return -1;
}

/** The format of one plane as a layer's; 0: none. */
static uint32_t layer_format(const AVPixFmtDescriptor *desc, int plane)
{
    int components = 0, bytes = desc->comp[0].depth > 8 ? 2 : 1;

    for (int i = 0; i < desc->nb_components; i++)
        components += desc->comp[i].plane == plane;
    if (components == 1)
        return bytes == 1 ? MKTAG('R', '8', ' ', ' ') : MKTAG('R', '1', '6', ' ');
    if (components == 2)
        return bytes == 1 ? MKTAG('G', 'R', '8', '8') : MKTAG('G', 'R', '3', '2');
    return 0;
}

static void describe_planes(const AVVulkanDeviceContext *vulkan, const Functions *functions, const AVVkFrame *vk,
                            enum AVPixelFormat format, AVDRMFrameDescriptor *desc)
{
    static const VkImageAspectFlagBits aspects[] = {
        VK_IMAGE_ASPECT_PLANE_0_BIT, VK_IMAGE_ASPECT_PLANE_1_BIT, VK_IMAGE_ASPECT_PLANE_2_BIT,
    };
    int images = count_images(vk), planes = FFMIN(av_pix_fmt_count_planes(format), FF_ARRAY_ELEMS(aspects));

    desc->nb_layers = planes;
    for (int i = 0; i < planes; i++) {
        int image = FFMIN(i, images - 1);
        VkImageSubresource part = {
            .aspectMask = images < planes ? aspects[i] : VK_IMAGE_ASPECT_COLOR_BIT,
        };
        VkSubresourceLayout layout;

        functions->get_layout(vulkan->act_dev, vk->img[image], &part, &layout);
        desc->layers[i].format    = layer_format(av_pix_fmt_desc_get(format), i);
        desc->layers[i].nb_planes = 1;
        desc->layers[i].planes[0] = (AVDRMPlaneDescriptor) {
            .object_index = FFMIN(image, desc->nb_objects - 1),
            .offset       = vk->offset[image] + layout.offset,
            .pitch        = layout.rowPitch,
        };
    }
}

int ff_vmafx_vulkan_export(const AVFrame *frame, AVDRMFrameDescriptor *desc, char *reason, size_t size)
{
    AVHWFramesContext *frames = (AVHWFramesContext *)frame->hw_frames_ctx->data;
    const AVVulkanDeviceContext *vulkan = frames->device_ctx->hwctx;
    AVVkFrame *vk = (AVVkFrame *)frame->data[0];
    int count = count_memories(vk);
    Functions functions;

    *desc = (AVDRMFrameDescriptor) { 0 };
    if (vk->tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT)
        return 1;
    if (vk->tiling != VK_IMAGE_TILING_LINEAR) {
        snprintf(reason, size, "images are tiled; the device's option linear_images=1 makes linear ones");
        return AVERROR(ENOSYS);
    }
    if (!has_extension(vulkan, "VK_KHR_external_memory_fd") || !find_functions(vulkan, &functions)) {
        snprintf(reason, size, "the Vulkan device does not export memory");
        return AVERROR(ENOSYS);
    }
    if (!wait_for_images(vulkan, &functions, frames, vk)) {
        snprintf(reason, size, "waiting for the images failed");
        return AVERROR_EXTERNAL;
    }
    for (int i = 0; i < count; i++) {
        int fd = export_memory(vulkan, &functions, vk->mem[i]);

        if (fd < 0) {
            while (i--)
                close(desc->objects[i].fd);
            *desc = (AVDRMFrameDescriptor) { 0 };
            snprintf(reason, size, "the Vulkan device does not export this memory as a dma-buf");
            return AVERROR_EXTERNAL;
        }
        desc->objects[i] = (AVDRMObjectDescriptor) { .fd = fd, .size = vk->size[i] }; // modifier 0: linear
        desc->nb_objects = i + 1;
    }
    describe_planes(vulkan, &functions, vk, frames->sw_format, desc);
    return 0;
}

void ff_vmafx_vulkan_pci_address(const AVHWDeviceContext *device, char *address, size_t size)
{
    const AVVulkanDeviceContext *vulkan = device->hwctx;
    PFN_vkGetPhysicalDeviceProperties2 get_properties;
    VkPhysicalDevicePCIBusInfoPropertiesEXT pci = {
        .sType     = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT,
        .pciDomain = UINT32_MAX, // stays where the driver does not know the structure
    };
    VkPhysicalDeviceProperties2 properties = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &pci };

    get_properties = (PFN_vkGetPhysicalDeviceProperties2)vulkan->get_proc_addr(vulkan->inst, "vkGetPhysicalDeviceProperties2");
    if (!get_properties)
        return;
    get_properties(vulkan->phys_dev, &properties);
    if (pci.pciDomain != UINT32_MAX)
        snprintf(address, size, "%04x:%02x:%02x.%x", pci.pciDomain, pci.pciBus, pci.pciDevice, pci.pciFunction);
}

#else

int ff_vmafx_vulkan_export(const AVFrame *frame, AVDRMFrameDescriptor *desc, char *reason, size_t size)
{
    snprintf(reason, size, "this build has no Vulkan");
    return AVERROR(ENOSYS);
}

void ff_vmafx_vulkan_pci_address(const AVHWDeviceContext *device, char *address, size_t size)
{
}

#endif
