/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Scores two raw files through vmafx.h alone, as any application would, for comparison with what the filter writes.
 *
 * score_yuv distorted=FILE reference=FILE layout=420 depth=8 width=W height=H [range=tv|pc] [matrix=N] [transfer=N]
 *           [chroma=N] [OPTION=VALUE]...
 *
 * The files hold planes as FFmpeg's rawvideo has them: one or two bytes (little-endian) per sample, RGB as G, B, R.
 * Prints a line "PAIR NAME VALUE" for each value.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmafx/vmafx.h"

typedef struct Video {
    FILE *file;
    uint8_t *frame;
} Video;

static const char *const layout_names[] = { "gray", "420", "422", "440", "444", "rgb" };

static void fail(const char *text)
{
    fprintf(stderr, "score_yuv: %s\n", text);
    exit(1);
}

static const char *value_of(int argc, char **argv, const char *name, const char *otherwise)
{
    size_t length = strlen(name);
    int i;

    for (i = 1; i < argc; i++)
        if (!strncmp(argv[i], name, length) && argv[i][length] == '=')
            return argv[i] + length + 1;
    if (!otherwise)
        fail(name);
    return otherwise;
}

/* The picture's form; planes have no data yet. Returns the bytes of a frame. */
static size_t describe(int argc, char **argv, vmafx_picture *picture, size_t offset[3])
{
    const char *layout = value_of(argc, argv, "layout", NULL);
    const char *range = value_of(argc, argv, "range", "");
    size_t bytes = 0;
    int i, stored;

    memset(picture, 0, sizeof(*picture));
    picture->struct_size = sizeof(*picture);
    for (i = 0; i < 6 && strcmp(layout, layout_names[i]); i++)
        ;
    if (i == 6)
        fail("unknown layout");
    picture->layout = (vmafx_layout)i;
    picture->width = atoi(value_of(argc, argv, "width", NULL));
    picture->height = atoi(value_of(argc, argv, "height", NULL));
    picture->depth = atoi(value_of(argc, argv, "depth", NULL));
    picture->bytes_per_sample = picture->depth > 8 ? 2 : 1;
    picture->range = !strcmp(range, "tv")                          ? VMAFX_RANGE_LIMITED
                     : !strcmp(range, "pc") || i == VMAFX_LAYOUT_RGB ? VMAFX_RANGE_FULL
                                                                   : VMAFX_RANGE_UNSPECIFIED;
    picture->matrix = atoi(value_of(argc, argv, "matrix", "2"));
    picture->transfer = atoi(value_of(argc, argv, "transfer", "2"));
    picture->chroma_location = (vmafx_chroma_location)atoi(value_of(argc, argv, "chroma", "0"));
    for (stored = 0; stored < (i == VMAFX_LAYOUT_GRAY ? 1 : 3); stored++) {
        static const int rgb_order[] = { 1, 2, 0 };
        int component = i == VMAFX_LAYOUT_RGB ? rgb_order[stored] : stored;
        int halve_w = component && (i == VMAFX_LAYOUT_420 || i == VMAFX_LAYOUT_422);
        int halve_h = component && (i == VMAFX_LAYOUT_420 || i == VMAFX_LAYOUT_440);
        int width = (picture->width + halve_w) >> halve_w;
        int height = (picture->height + halve_h) >> halve_h;

        picture->plane[component].step = picture->bytes_per_sample;
        picture->plane[component].stride = (ptrdiff_t)width * picture->bytes_per_sample;
        offset[component] = bytes;
        bytes += (size_t)picture->plane[component].stride * height;
    }
    return bytes;
}

static void print_row(const vmafx_session *session, const vmafx_scores *scores)
{
    size_t i;

    for (i = 0; i < scores->count; i++) {
        char text[40];

        if (isnan(scores->values[i]))
            continue;
        vmafx_format_double(scores->values[i], text);
        printf("%llu %s %s\n", (unsigned long long)scores->index, vmafx_session_feature_name(session, i), text);
    }
}

int main(int argc, char **argv)
{
    static const char *const own[] = { "distorted", "reference", "layout", "depth",    "width",
                                       "height",    "range",     "matrix", "transfer", "chroma" };
    vmafx_config *config = vmafx_config_create();
    vmafx_session *session = NULL;
    vmafx_error error;
    vmafx_picture form;
    Video video[2];
    size_t offset[3], bytes = describe(argc, argv, &form, offset);
    uint64_t index;
    int i, j;

    for (i = 1; i < argc; i++) {
        char *equals = strchr(argv[i], '=');

        if (!equals)
            fail(argv[i]);
        for (j = 0; j < 10; j++)
            if (!strncmp(argv[i], own[j], (size_t)(equals - argv[i])) && strlen(own[j]) == (size_t)(equals - argv[i]))
                break;
        if (j < 10)
            continue;
        *equals = '\0';
        if (vmafx_config_set(config, argv[i], equals + 1, &error) < 0)
            fail(error.text);
        *equals = '=';
    }
    if (vmafx_session_create(config, &session, &error) < 0)
        fail(error.text);
    for (i = 0; i < 2; i++) {
        video[i].file = fopen(value_of(argc, argv, own[i], NULL), "rb");
        video[i].frame = malloc(bytes);
        if (!video[i].file || !video[i].frame)
            fail("cannot open the files");
    }
    for (index = 0;; index++) {
        vmafx_pair pair;
        vmafx_picture *pictures[2] = { &pair.distorted, &pair.reference };
        vmafx_scores scores = { .struct_size = sizeof(scores) };

        pair.struct_size = sizeof(pair);
        pair.index = index;
        if (fread(video[0].frame, 1, bytes, video[0].file) != bytes || fread(video[1].frame, 1, bytes, video[1].file) != bytes)
            break;
        for (i = 0; i < 2; i++) {
            *pictures[i] = form;
            for (j = 0; j < 3; j++)
                if (form.plane[j].step)
                    pictures[i]->plane[j].data = video[i].frame + offset[j];
        }
        if (vmafx_session_submit(session, &pair, &error) < 0 || vmafx_session_receive(session, 1, &scores, &error) < 0)
            fail(error.text);
        if (scores.scored)
            print_row(session, &scores);
    }
    for (i = 0; i < 2; i++) {
        fclose(video[i].file);
        free(video[i].frame);
    }
    vmafx_session_destroy(session);
    vmafx_config_destroy(config);
    return 0;
}
