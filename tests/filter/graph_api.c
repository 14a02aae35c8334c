/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Scores two raw yuv420p files with the filter as applications do that use libavfilter and not the program ffmpeg: a
 * graph of two buffer sources, vmafx and a buffer sink.
 *
 * graph_api ORDER DISTORTED REFERENCE WIDTH HEIGHT OPTIONS
 *
 * ORDER: turns: a frame of each input by turns, the sink is drained in between
 *        blocks: all distorted frames, then all of the reference
 *        stop: by turns, but the graph is freed before the inputs end
 *
 * Prints a line "PTS NAME VALUE" for each value in the metadata of each output frame, and "frames COUNT".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/mem.h>

static const char *const names[] = { "distorted", "reference" };

typedef struct Graph {
    AVFilterGraph *graph;
    AVFilterContext *source[2];
    AVFilterContext *sink;
    AVFrame *output;
    int frames;
} Graph;

static void check(int result, const char *what)
{
    if (result >= 0)
        return;
    fprintf(stderr, "graph_api: %s: %s\n", what, av_err2str(result));
    exit(1);
}

static void check_pointer(const void *pointer, const char *what)
{
    check(pointer ? 0 : AVERROR(ENOMEM), what);
}

static AVFilterContext *make_source(AVFilterGraph *graph, const char *name, int width, int height)
{
    AVFilterContext *source = avfilter_graph_alloc_filter(graph, avfilter_get_by_name("buffer"), name);
    AVBufferSrcParameters *parameters = av_buffersrc_parameters_alloc();

    check_pointer(source, name);
    check_pointer(parameters, name);
    parameters->format = AV_PIX_FMT_YUV420P;
    parameters->width = width;
    parameters->height = height;
    parameters->time_base = (AVRational){ 1, 25 };
    parameters->frame_rate = (AVRational){ 25, 1 };
    check(av_buffersrc_parameters_set(source, parameters), name);
    av_free(parameters);
    check(avfilter_init_str(source, NULL), name);
    return source;
}

static Graph make_graph(int width, int height, const char *options)
{
    Graph g = { .graph = avfilter_graph_alloc() };
    AVFilterContext *measure;
    int i;

    check_pointer(g.graph, "graph");
    check(avfilter_graph_create_filter(&measure, avfilter_get_by_name("vmafx"), "measure", options, NULL, g.graph),
          "vmafx");
    check(avfilter_graph_create_filter(&g.sink, avfilter_get_by_name("buffersink"), "sink", NULL, NULL, g.graph),
          "buffersink");
    for (i = 0; i < 2; i++) {
        g.source[i] = make_source(g.graph, names[i], width, height);
        check(avfilter_link(g.source[i], 0, measure, (unsigned)i), names[i]);
    }
    check(avfilter_link(measure, 0, g.sink, 0), "sink");
    check(avfilter_graph_config(g.graph, NULL), "graph");
    g.output = av_frame_alloc();
    check_pointer(g.output, "frame");
    return g;
}

/* The next frame of a file, or NULL at its end. */
static AVFrame *read_frame(FILE *file, int width, int height, int64_t pts)
{
    AVFrame *frame = av_frame_alloc();
    int plane, y;

    check_pointer(frame, "frame");
    frame->format = AV_PIX_FMT_YUV420P;
    frame->width = width;
    frame->height = height;
    frame->pts = pts;
    check(av_frame_get_buffer(frame, 0), "frame");
    for (plane = 0; plane < 3; plane++) {
        size_t bytes = (size_t)(plane ? (width + 1) / 2 : width);
        int lines = plane ? (height + 1) / 2 : height;

        for (y = 0; y < lines; y++)
            if (fread(frame->data[plane] + (ptrdiff_t)y * frame->linesize[plane], 1, bytes, file) != bytes) {
                av_frame_free(&frame);
                return NULL;
            }
    }
    return frame;
}

/* Prints what the sink has; returns what it says then: AVERROR(EAGAIN) or AVERROR_EOF. */
static int drain(Graph *g)
{
    int result;

    while ((result = av_buffersink_get_frame(g->sink, g->output)) >= 0) {
        const AVDictionaryEntry *entry = NULL;

        while ((entry = av_dict_iterate(g->output->metadata, entry)))
            printf("%" PRId64 " %s %s\n", g->output->pts, entry->key, entry->value);
        g->frames++;
        av_frame_unref(g->output);
    }
    return result;
}

/* Sends the next frame of an input, or its end: 0 at the end. */
static int send_next(Graph *g, int side, FILE *file, int width, int height, int64_t pts)
{
    AVFrame *frame = read_frame(file, width, height, pts);
    int sent = frame != NULL;

    check(av_buffersrc_add_frame(g->source[side], frame), names[side]);
    av_frame_free(&frame);
    return sent;
}

int main(int argc, char **argv)
{
    FILE *file[2];
    Graph g;
    int width, height, open[2] = { 1, 1 }, side, result = AVERROR(EAGAIN);
    int64_t pts;

    if (argc != 7) {
        fprintf(stderr, "usage: graph_api turns|blocks|stop DISTORTED REFERENCE WIDTH HEIGHT OPTIONS\n");
        return 1;
    }
    width = atoi(argv[4]);
    height = atoi(argv[5]);
    for (side = 0; side < 2; side++) {
        file[side] = fopen(argv[2 + side], "rb");
        check_pointer(file[side], argv[2 + side]);
    }
    g = make_graph(width, height, argv[6]);
    if (!strcmp(argv[1], "blocks")) {
        for (side = 0; side < 2; side++)
            for (pts = 0; send_next(&g, side, file[side], width, height, pts); pts++)
                ;
        result = drain(&g);
    } else {
        int64_t stop = strcmp(argv[1], "stop") ? INT64_MAX : 2;

        for (pts = 0; pts < stop && (open[0] || open[1]); pts++) {
            for (side = 0; side < 2; side++)
                if (open[side])
                    open[side] = send_next(&g, side, file[side], width, height, pts);
            result = drain(&g);
        }
        if (stop == 2)
            result = AVERROR_EOF;
    }
    if (result != AVERROR_EOF)
        check(result, "no end of the output");
    printf("frames %d\n", g.frames);
    av_frame_free(&g.output);
    avfilter_graph_free(&g.graph);
    for (side = 0; side < 2; side++)
        fclose(file[side]);
    return 0;
}
