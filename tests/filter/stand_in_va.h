/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * A VA-API driver without a GPU, behind the real libva. Surfaces lie in memory files and are exported, or made of what
 * somebody else exports, as dma-buf objects would be. It is as awkward as a driver may be:
 *  - Nothing is written to a surface before somebody waits for it (vaSyncSurface, vaGetImage).
 *  - Surfaces are tiled, with an AMD modifier, unless linear ones are asked for: their rows are stored from bottom to top,
 *    so that a reader who takes them as linear gets wrong samples.
 *  - A new surface has the lowest number that is free.
 */
#ifndef VMAFX_TESTS_FILTER_STAND_IN_VA_H
#define VMAFX_TESTS_FILTER_STAND_IN_VA_H

#include <va/va.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * An initialised display on the device that `drm_fd` names; NULL: out of memory. `manners`, which outlives it, has any of
 *   linear      surfaces are linear
 *   no_linear   linear surfaces cannot be had by asking
 *   no_copy     there is no post-processing
 *   lossy_copy  post-processing changes a sample
 */
VADisplay stand_in_va_open(const char *manners, int drm_fd);

/* Ends it: the number of surfaces, buffers, images, configurations and contexts that nobody destroyed. */
int stand_in_va_close(VADisplay display);

#ifdef __cplusplus
}
#endif
#endif
