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

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "libavutil/avstring.h"
#include "libavutil/display.h"
#include "libavutil/error.h"
#include "libavutil/log.h"
#include "libavutil/pixdesc.h"
#include "libavutil/rational.h"

#include "vmafx_doubts.h"
#include "vmafx_picture.h"
#include "vmafx_sides.h"

static int differ(int distorted, int reference, int unspecified)
{
    return distorted != reference && distorted != unspecified && reference != unspecified;
}

/** Whether chroma samples lie elsewhere; an untagged location is taken as left. */
static int differ_in_chroma_location(const AVFrame *distorted, const AVFrame *reference)
{
    const AVFrame *frame[2] = { distorted, reference };
    int x[2], y[2], halved_x = 1, halved_y = 1;

    for (int i = 0; i < 2; i++) {
        const AVPixFmtDescriptor *desc = ff_vmafx_sample_format(frame[i]);
        enum AVChromaLocation location = frame[i]->chroma_location;

        if (av_chroma_location_enum_to_pos(&x[i], &y[i], location ? location : AVCHROMA_LOC_LEFT) < 0)
            return 0;
        halved_x &= desc->log2_chroma_w == 1;
        halved_y &= desc->log2_chroma_h == 1;
    }
    return halved_x && x[0] != x[1] || halved_y && y[0] != y[1];
}

/** In the samples' aspect ratio, of which an unknown one may be any; with different sizes it tells nothing. */
static int differ_in_shape(const AVFrame *distorted, const AVFrame *reference)
{
    AVRational a = distorted->sample_aspect_ratio, b = reference->sample_aspect_ratio;

    return distorted->width == reference->width && distorted->height == reference->height &&
           a.num > 0 && a.den > 0 && b.num > 0 && b.den > 0 && av_cmp_q(a, b);
}

static const int32_t *display_matrix(const AVFrame *frame)
{
    const AVFrameSideData *data = av_frame_get_side_data(frame, AV_FRAME_DATA_DISPLAYMATRIX);

    return data && data->size >= 9 * sizeof(int32_t) ? (const int32_t *)data->data : NULL;
}

/** By how many degrees a player turns the frame, clockwise. */
static double turn(const AVFrame *frame)
{
    const int32_t *matrix = display_matrix(frame);
    double angle = matrix ? -av_display_rotation_get(matrix) : 0;

    return isnan(angle) || !angle ? 0 : angle; // not -0
}

static int differ_in_turn(const AVFrame *distorted, const AVFrame *reference)
{
    static const int32_t upright[4] = { 1 << 16, 0, 0, 1 << 16 };
    const AVFrame *frame[2] = { distorted, reference };
    int32_t part[2][4];

    for (int i = 0; i < 2; i++) {
        const int32_t *matrix = display_matrix(frame[i]);

        for (int j = 0; j < 4; j++)
            part[i][j] = matrix ? matrix[j / 2 * 3 + j % 2] : upright[j];
    }
    return !!memcmp(part[0], part[1], sizeof(part[0]));
}

/** The color tags that differ, each with ", " in front. */
static void list_tags(const AVFrame *distorted, const AVFrame *reference, char *tags, size_t size)
{
    if (differ(distorted->color_range, reference->color_range, AVCOL_RANGE_UNSPECIFIED))
        av_strlcatf(tags, size, ", range %s and %s", av_color_range_name(distorted->color_range),
                    av_color_range_name(reference->color_range));
    if (differ(distorted->colorspace, reference->colorspace, AVCOL_SPC_UNSPECIFIED))
        av_strlcatf(tags, size, ", matrix %s and %s", av_color_space_name(distorted->colorspace),
                    av_color_space_name(reference->colorspace));
    if (differ(distorted->color_trc, reference->color_trc, AVCOL_TRC_UNSPECIFIED))
        av_strlcatf(tags, size, ", transfer %s and %s", av_color_transfer_name(distorted->color_trc),
                    av_color_transfer_name(reference->color_trc));
    if (differ(distorted->color_primaries, reference->color_primaries, AVCOL_PRI_UNSPECIFIED))
        av_strlcatf(tags, size, ", primaries %s and %s", av_color_primaries_name(distorted->color_primaries),
                    av_color_primaries_name(reference->color_primaries));
    if (differ_in_chroma_location(distorted, reference))
        av_strlcatf(tags, size, ", chroma location %s and %s",
                    av_chroma_location_name(distorted->chroma_location),
                    av_chroma_location_name(reference->chroma_location));
}

int ff_vmafx_check_pair(void *log, VmafxDoubts *said, int strict, const AVFrame *distorted, const AVFrame *reference,
                        const vmafx_pairing *pairing)
{
    const AVFrame *frame[2] = { distorted, reference };
    char tags[512] = "";

    for (int i = 0; i < 2; i++) {
        const AVPixFmtDescriptor *desc = ff_vmafx_sample_format(frame[i]);

        // A format that is refused has more that is not read than its alpha.
        if (desc->flags & AV_PIX_FMT_FLAG_ALPHA && !(said->alpha & 1 << i) && ff_vmafx_takes_format(desc)) {
            said->alpha |= 1 << i;
            av_log(log, AV_LOG_WARNING, "The alpha plane of the %s input (%s) is ignored.\n", side_names[i],
                   desc->name);
        }
    }
    if (!said->interlaced &&
        (distorted->flags & AV_FRAME_FLAG_INTERLACED) != (reference->flags & AV_FRAME_FLAG_INTERLACED)) {
        said->interlaced = 1;
        av_log(log, AV_LOG_WARNING, "Only the %s input is flagged interlaced; frames are compared as they are.\n",
               side_names[!(distorted->flags & AV_FRAME_FLAG_INTERLACED)]);
    }
    if (!said->shape && differ_in_shape(distorted, reference)) {
        said->shape = 1;
        av_log(log, AV_LOG_WARNING, "The sample aspect ratios differ, %d:%d (distorted) and %d:%d (reference); samples "
               "are compared as they are.\n", distorted->sample_aspect_ratio.num, distorted->sample_aspect_ratio.den,
               reference->sample_aspect_ratio.num, reference->sample_aspect_ratio.den);
    }
    if (!said->turn && differ_in_turn(distorted, reference)) {
        said->turn = 1;
        av_log(log, AV_LOG_WARNING, "The display matrices differ (they turn the distorted picture by %.0f and the "
               "reference by %.0f degrees); pictures are compared as they are stored: transpose, hflip or vflip before "
               "an input changes that.\n", turn(distorted), turn(reference));
    }
    if (said->tags)
        return 0;
    list_tags(distorted, reference, tags, sizeof(tags));
    if (!tags[0])
        return 0;
    said->tags = 1;
    av_log(log, strict ? AV_LOG_ERROR : AV_LOG_WARNING,
           "The tags of distorted frame %"PRIu64" and reference frame %"PRIu64" differ: %s%s.\n", pairing->distorted,
           pairing->reference, tags + 2, strict ? " (strict=1)" : "");
    return strict ? AVERROR(EINVAL) : 0;
}
