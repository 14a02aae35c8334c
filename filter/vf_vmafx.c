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

/**
 * @file
 * Measure the quality of a distorted video against its reference with libvmafx.
 *
 * Two layers here:
 *  - A Run is one measurement: pairing, the frames that wait, the library's session, the report
 *    and the log. Runs are process-wide: applications (fftools among them) free and rebuild the
 *    whole graph when a parameter of an input changes in mid-stream, without an end of stream,
 *    and the measurement has to go on. A run that its filter instance leaves unfinished is taken
 *    over by the next instance of the same name and options, or finished when the process ends.
 *  - The filter proper moves frames between links and the run.
 */

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <vmafx/vmafx.h>

#include "config.h"

#include "libavutil/avstring.h"
#include "libavutil/bprint.h"
#include "libavutil/hwcontext.h"
#include "libavutil/mathematics.h"
#include "libavutil/mem.h"
#include "libavutil/opt.h"
#include "libavutil/pixdesc.h"
#include "libavutil/thread.h"
#include "libavutil/time.h"
#include "libavutil/timestamp.h"
#include "libavutil/version.h"

#include "avfilter.h"
#include "filters.h"
#include "formats.h"
#include "version.h"
#include "vmafx_dmabuf.h"
#include "vmafx_doubts.h"
#include "vmafx_log.h"
#include "vmafx_picture.h"
#include "vmafx_queue.h"
#include "vmafx_sides.h"

#if LIBAVFILTER_VERSION_MAJOR < 11
#define FFFilter AVFilter
#define P(field) .field
#else
#define P(field) .p.field
#endif
#define ALPHA_MODES (LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(60, 11, 100))

/** Frames of the reference after the distorted input's end before a word is said about it. */
#define LONG_REFERENCE_TAIL 250

/** Finished frames that wait to be asked for; a sink that never asks, as nullsink, gets the others unasked. */
#define MOST_FINISHED 32

typedef struct VmafxContext {
    const AVClass *class;

    char   *metrics;
    char   *backend;
    char   *device;
    int     threads;
    int     queue;
    int     subsample;
    char   *log_path;
    char   *log_fmt;
    int     metadata;
    char   *sync;
    int     strict;
    int     assume_linear;
    int64_t stats_period;
    char   *ssimulacra2_profile;
    char   *ssimulacra2_hdr;
    double  vif_enhn_gain_limit;
    int     vif_skip_scale0;
    int     vif_debug;
    int     psnr_uncapped;
    int     psnr_chroma;
    int     psnr_mse;
    int     psnr_apsnr;
    int     psnr_reduced_peak;
    double  psnr_min_sse;

    struct Run *run;
    int     status[2];     ///< what ended the links of this instance, 0: open
    int64_t status_pts[2];
    int     unread;        ///< 1: a frame was passed on, and none has been asked for since
} VmafxContext;

#define OFFSET(x) offsetof(VmafxContext, x)
#define FLAGS AV_OPT_FLAG_FILTERING_PARAM | AV_OPT_FLAG_VIDEO_PARAM
/** A choice of a text option, for the help: an unknown one is refused where it is used, in one line that lists them. */
#define CHOICE(name, help, unit_) { name, help, 0, AV_OPT_TYPE_CONST, { .i64 = 0 }, 0, 0, FLAGS, .unit = unit_ }

static const AVOption vmafx_options[] = {
    { "metrics",   "metrics, joined by +",                                     OFFSET(metrics),   AV_OPT_TYPE_STRING,   { .str = "ssimulacra2+float_psnr+vif" }, 0, 0, FLAGS },
    { "backend",   "processor that measures; no fallback from one that is named", OFFSET(backend),   AV_OPT_TYPE_STRING,   { .str = "auto" }, 0, 0, FLAGS, .unit = "backend" },
        CHOICE("auto", "where the frames are", "backend"),
        CHOICE("cpu",  "the CPU", "backend"),
        CHOICE("cuda", "an NVIDIA GPU", "backend"),
        CHOICE("hip",  "an AMD GPU", "backend"),
    { "device",    "index, PCI address or UUID of the GPU, for frames in host memory", OFFSET(device),    AV_OPT_TYPE_STRING,   { .str = NULL }, 0, 0, FLAGS },
    { "threads",   "CPU workers, 0: one per core that the process may use",    OFFSET(threads),   AV_OPT_TYPE_INT,      { .i64 = 0 }, 0, 1024, FLAGS },
    { "queue",     "most frames in flight, by which the output lags; 0: automatic", OFFSET(queue),    AV_OPT_TYPE_INT,      { .i64 = 0 }, 0, 64, FLAGS },
    { "subsample", "measure every n-th pair of frames",                        OFFSET(subsample), AV_OPT_TYPE_INT,      { .i64 = 1 }, 1, 1000000, FLAGS },
    { "log_path",  "file or URL of the log, - for standard output; none: no log", OFFSET(log_path),  AV_OPT_TYPE_STRING,   { .str = NULL }, 0, 0, FLAGS },
    { "log_fmt",   "format of the log",                                        OFFSET(log_fmt),   AV_OPT_TYPE_STRING,   { .str = "json" }, 0, 0, FLAGS, .unit = "log_fmt" },
        CHOICE("json",   "one JSON object, libvmaf's shape", "log_fmt"),
        CHOICE("ndjson", "one JSON object per line", "log_fmt"),
        CHOICE("csv",    "comma-separated values", "log_fmt"),
        CHOICE("xml",    "XML, libvmaf's shape", "log_fmt"),
    { "metadata",  "set lavfi.vmafx.* on the output frames",                   OFFSET(metadata),  AV_OPT_TYPE_BOOL,     { .i64 = 1 }, 0, 1, FLAGS },
    { "sync",      "how the frames of the two inputs are paired",              OFFSET(sync),      AV_OPT_TYPE_STRING,   { .str = "time" }, 0, 0, FLAGS, .unit = "sync" },
        CHOICE("time",  "mutually nearest time stamps", "sync"),
        CHOICE("index", "the n-th with the n-th", "sync"),
    { "strict",    "fail on an unpaired or damaged frame and on differing frame rates or color tags", OFFSET(strict), AV_OPT_TYPE_BOOL, { .i64 = 0 }, 0, 1, FLAGS },
    { "assume_linear", "take dma-buf objects without a modifier as linear",     OFFSET(assume_linear), AV_OPT_TYPE_BOOL, { .i64 = 0 }, 0, 1, FLAGS },
    { "stats_period", "print the means of each period of this length in wall time, 0: never", OFFSET(stats_period), AV_OPT_TYPE_DURATION, { .i64 = 0 }, 0, INT64_MAX, FLAGS },
    { "ssimulacra2_profile", "definition of ssimulacra2",                      OFFSET(ssimulacra2_profile), AV_OPT_TYPE_STRING, { .str = "standard" }, 0, 0, FLAGS, .unit = "ssimulacra2_profile" },
        CHOICE("standard",  "as its author defines it", "ssimulacra2_profile"),
        CHOICE("recursive", "bit-exact recursive Gaussian of CPU extractors", "ssimulacra2_profile"),
    { "ssimulacra2_hdr", "what to do with PQ and HLG, which ssimulacra2 is not defined for", OFFSET(ssimulacra2_hdr), AV_OPT_TYPE_STRING, { .str = "score" }, 0, 0, FLAGS, .unit = "ssimulacra2_hdr" },
        CHOICE("score",  "measure the code values as if they were SDR", "ssimulacra2_hdr"),
        CHOICE("refuse", "stop with an error", "ssimulacra2_hdr"),
    { "vif_enhn_gain_limit", "vif: limit of the enhancement gain",             OFFSET(vif_enhn_gain_limit), AV_OPT_TYPE_DOUBLE, { .dbl = 100 }, 1, 100, FLAGS },
    { "vif_skip_scale0", "vif: leave scale 0 out",                             OFFSET(vif_skip_scale0), AV_OPT_TYPE_BOOL, { .i64 = 0 }, 0, 1, FLAGS },
    { "vif_debug",     "vif: report numerators and denominators, too",         OFFSET(vif_debug),     AV_OPT_TYPE_BOOL, { .i64 = 0 }, 0, 1, FLAGS },
    { "psnr_uncapped", "psnr, float_psnr: report the value above the cap, too", OFFSET(psnr_uncapped), AV_OPT_TYPE_BOOL, { .i64 = 0 }, 0, 1, FLAGS },
    { "psnr_chroma",   "psnr: report the chroma planes, too",                  OFFSET(psnr_chroma),   AV_OPT_TYPE_BOOL, { .i64 = 1 }, 0, 1, FLAGS },
    { "psnr_mse",      "psnr: report mean squared errors, too",                OFFSET(psnr_mse),      AV_OPT_TYPE_BOOL, { .i64 = 0 }, 0, 1, FLAGS },
    { "psnr_apsnr",    "psnr: report the PSNR of all frames' mean squared error, too", OFFSET(psnr_apsnr),    AV_OPT_TYPE_BOOL, { .i64 = 0 }, 0, 1, FLAGS },
    { "psnr_reduced_peak", "psnr: peak 255 * 2^(depth - 8), not 2^depth - 1",  OFFSET(psnr_reduced_peak), AV_OPT_TYPE_BOOL, { .i64 = 0 }, 0, 1, FLAGS },
    { "psnr_min_sse",  "psnr: smallest sum of squared errors, which sets the cap", OFFSET(psnr_min_sse),  AV_OPT_TYPE_DOUBLE, { .dbl = 0 }, 0, DBL_MAX, FLAGS },
    { NULL }
};

AVFILTER_DEFINE_CLASS(vmafx);

/** Options that vmafx_config_set() takes. */
static const char *const library_options[] = {
    "metrics", "backend", "device", "threads", "queue", "subsample", "ssimulacra2_profile", "ssimulacra2_hdr",
    "vif_enhn_gain_limit", "vif_skip_scale0", "vif_debug", "psnr_uncapped", "psnr_chroma", "psnr_mse", "psnr_apsnr",
    "psnr_reduced_peak", "psnr_min_sse",
};

/** Options that the log states: those that the scores depend on. */
static const char *const stated_options[] = {
    "metrics", "subsample", "sync", "strict", "ssimulacra2_profile", "ssimulacra2_hdr", "vif_enhn_gain_limit",
    "vif_skip_scale0", "vif_debug", "psnr_uncapped", "psnr_chroma", "psnr_mse", "psnr_apsnr", "psnr_reduced_peak",
    "psnr_min_sse",
};

static int error_code(int result)
{
    switch (result) {
    case VMAFX_ERROR_INVALID:
    case VMAFX_ERROR_MISMATCH:    return AVERROR(EINVAL);
    case VMAFX_ERROR_UNSUPPORTED: return AVERROR(ENOSYS);
    case VMAFX_ERROR_MEMORY:      return AVERROR(ENOMEM);
    case VMAFX_ERROR_IO:          return AVERROR(EIO);
    }
    return AVERROR_EXTERNAL;
}

/** An option's value as text; NULL: not set, or out of memory. */
static char *option_text(VmafxContext *s, const char *name)
{
    const AVOption *o = av_opt_find(s, name, NULL, 0, 0);
    const void *field = (const char *)s + o->offset;
    char number[40];

    switch (o->type) {
    case AV_OPT_TYPE_STRING:
        return av_strdup(*(char *const *)field);
    case AV_OPT_TYPE_DURATION:
        return av_asprintf("%"PRId64, *(const int64_t *)field);
    case AV_OPT_TYPE_DOUBLE:
        vmafx_format_double(*(const double *)field, number);
        return av_strdup(number);
    default:
        return av_asprintf("%d", *(const int *)field);
    }
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* -------------------------------------------------------------- runs */

typedef struct Input {
    VmafxQueue waiting;     ///< frames not yet decided on, in the pairer's order
    int        ended;
    AVRational rate;
    uint64_t   damaged;
    uint64_t   untimed;     ///< frames without a time stamp
    int        known;       ///< the fields below are those of the first frame
    int        width, height;
    const char *pix_fmt, *range, *matrix, *transfer;
} Input;

typedef struct Run {
    const AVClass *class;   ///< for av_log(): messages outlive the filter instance
    struct Run    *next;
    char          *name;    ///< of the filter instance
    char          *key;     ///< name and options
    int            live;    ///< a filter instance has it
    int            finished;
    int            error;   ///< what stopped it
#if HAVE_PTHREADS
    pthread_t      thread;  ///< that left it
#endif

    // options of the filter
    vmafx_log_format log_fmt;
    vmafx_sync       sync;
    int      metadata, strict;
    int64_t  stats_period;
    char    *stated[FF_ARRAY_ELEMS(stated_options)];

    vmafx_config  *config;
    vmafx_session *session;
    vmafx_pairer  *pairer;
    vmafx_report  *report;
    VmafxDmabuf   *dmabuf;
    VmafxLog      *log;     ///< NULL: none
    AVBufferRef   *device;  ///< of the first pair in device memory: the session works in its context

    Input      input[2];
    VmafxQueue output;      ///< distorted frames on their way out; those that wait are in flight
    int      decided;       ///< the pairer has nothing more to say
    uint64_t pairs;         ///< number of the next pair
    uint64_t disabled;      ///< pairs outside `enable`
    uint64_t received;      ///< pairs that the session is done with, passed over by `subsample` or not
    uint64_t rows;          ///< pairs measured
    uint64_t dropped;       ///< measured frames that the output lost when graphs were rebuilt
    int      unread;        ///< 1: that the last instance passed on too late
    uint64_t tail;          ///< reference frames since the distorted input's end
    int64_t  first_time, last_time; ///< wall clock of the first submission, of the last row

    // values since `period_start`
    int64_t   period_start;
    uint64_t  period_rows;
    double   *period_sum;
    uint64_t *period_count;

    // said once
    int said_inputs, said_tail, said_rates;
    VmafxDoubts doubts;
} Run;

static const char *run_name(void *object)
{
    return ((Run *)object)->name;
}

static const AVClass run_class = {
    .class_name = "vmafx",
    .item_name  = run_name,
    .version    = LIBAVUTIL_VERSION_INT,
    .category   = AV_CLASS_CATEGORY_FILTER,
};

static AVMutex runs_mutex = AV_MUTEX_INITIALIZER;
static Run    *runs;        ///< all of them; the list and the fields `live` and `thread` are under the mutex

static void library_message(void *opaque, vmafx_log_level level, const char *text)
{
    av_log(opaque, level == VMAFX_LOG_WARNING ? AV_LOG_WARNING : AV_LOG_INFO, "%s\n", text);
}

static void run_free(Run *run)
{
    vmafx_session_destroy(run->session);
    ff_vmafx_dmabuf_free(run->dmabuf);
    av_buffer_unref(&run->device);
    vmafx_config_destroy(run->config);
    vmafx_pairer_destroy(run->pairer);
    vmafx_report_destroy(run->report);
    ff_vmafx_log_free(&run->log);
    for (int i = 0; i < 2; i++)
        ff_vmafx_queue_free(&run->input[i].waiting);
    ff_vmafx_queue_free(&run->output);
    for (size_t i = 0; i < FF_ARRAY_ELEMS(run->stated); i++)
        av_free(run->stated[i]);
    av_free(run->period_sum);
    av_free(run->period_count);
    av_free(run->key);
    av_free(run->name);
    av_free(run);
}

static int write_log(void *opaque, const void *data, size_t size)
{
    Run *run = opaque;

    return ff_vmafx_log_write(run->log, data, size);
}

/** Rows reach the file as they come, so that a write error shows while it can still stop the graph. */
static int flush_log(Run *run)
{
    return run->log ? ff_vmafx_log_flush(run->log) : 0;
}

/** The library's failure as an error code, said. */
static int library_error(Run *run, int result, const vmafx_error *error)
{
    // The log has said its own failure.
    if (result == VMAFX_ERROR_IO && run->log && ff_vmafx_log_error(run->log))
        return ff_vmafx_log_error(run->log);
    av_log(run, AV_LOG_ERROR, "%s\n", error->text);
    return error_code(result);
}

static int make_session(Run *run)
{
    size_t count;
    vmafx_error error;
    int ret = vmafx_session_create(run->config, &run->session, &error);

    if (ret < 0)
        return library_error(run, ret, &error);
    count = FFMAX(vmafx_session_feature_count(run->session), 1);
    run->period_sum   = av_calloc(count, sizeof(*run->period_sum));
    run->period_count = av_calloc(count, sizeof(*run->period_count));
    return run->period_sum && run->period_count ? 0 : AVERROR(ENOMEM);
}

/** The report starts with the first row, when the session's features are final. */
static int make_report(Run *run)
{
    vmafx_text_pair options[FF_ARRAY_ELEMS(stated_options)];
    size_t count = vmafx_session_feature_count(run->session);
    const char **names;
    vmafx_report_config config = { .struct_size = sizeof(config) };
    vmafx_error error;
    int ret;

    if (run->report)
        return 0;
    names = av_calloc(FFMAX(count, 1), sizeof(*names));
    if (!names)
        return AVERROR(ENOMEM);
    for (size_t i = 0; i < count; i++)
        names[i] = vmafx_session_feature_name(run->session, i);
    for (size_t i = 0; i < FF_ARRAY_ELEMS(options); i++)
        options[i] = (vmafx_text_pair) { stated_options[i], run->stated[i] };
    config.format        = run->log_fmt;
    config.write         = run->log ? write_log : NULL;
    config.opaque        = run;
    config.feature_count = count;
    config.feature_names = names;
    config.backend       = vmafx_session_backend(run->session);
    config.device        = vmafx_session_device(run->session);
    config.option_count  = FF_ARRAY_ELEMS(options);
    config.options       = options;
    ret = vmafx_report_create(&config, &run->report, &error);
    av_free(names);
    return ret < 0 ? library_error(run, ret, &error) : 0;
}

/** The options of the filter itself that are one of several words. */
static int read_choices(Run *run, const VmafxContext *s)
{
    vmafx_error error;
    int ret = vmafx_log_format_parse(s->log_fmt, &run->log_fmt, &error);

    if (ret < 0) {
        av_log(run, AV_LOG_ERROR, "option log_fmt: %s\n", error.text);
        return error_code(ret);
    }
    run->sync = !strcmp(s->sync, "index") ? VMAFX_SYNC_INDEX : VMAFX_SYNC_TIME;
    if (run->sync == VMAFX_SYNC_TIME && strcmp(s->sync, "time")) {
        av_log(run, AV_LOG_ERROR, "option sync: '%s' is not one of time, index\n", s->sync);
        return AVERROR(EINVAL);
    }
    return 0;
}

/** Checks the options, opens what they name. */
static int run_create(AVFilterContext *ctx, const char *key, Run **result)
{
    VmafxContext *s = ctx->priv;
    vmafx_error error;
    Run *run = av_mallocz(sizeof(*run));
    int ret = AVERROR(ENOMEM);

    if (!run)
        return ret;
    run->class        = &run_class;
    run->name         = av_strdup(ctx->name ? ctx->name : ctx->filter->name);
    run->key          = av_strdup(key);
    run->metadata     = s->metadata;
    run->strict       = s->strict;
    run->stats_period = s->stats_period;
    run->config       = vmafx_config_create();
    run->dmabuf       = ff_vmafx_dmabuf_alloc(run, s->assume_linear);
    if (!run->name || !run->key || !run->config || !run->dmabuf)
        goto fail;
    vmafx_config_set_log(run->config, library_message, run);
    if ((ret = read_choices(run, s)) < 0)
        goto fail;
    ret         = AVERROR(ENOMEM);
    run->pairer = vmafx_pairer_create(run->sync);
    if (!run->pairer)
        goto fail;
    for (size_t i = 0; i < FF_ARRAY_ELEMS(stated_options); i++)
        if (!(run->stated[i] = option_text(s, stated_options[i])))
            goto fail;
    for (size_t i = 0; i < FF_ARRAY_ELEMS(library_options); i++) {
        char *text;

        // What the user did not choose the library may adapt, as the default metrics to RGB.
        if (av_opt_is_set_to_default_by_name(s, library_options[i], 0) > 0)
            continue;
        text = option_text(s, library_options[i]);
        if (!text)
            goto fail;
        ret = vmafx_config_set(run->config, library_options[i], text, &error);
        av_free(text);
        if (ret < 0) {
            ret = library_error(run, ret, &error);
            goto fail;
        }
        ret = AVERROR(ENOMEM);
    }
    ret = make_session(run);
    if (ret < 0)
        goto fail;
    if (s->log_path && (ret = ff_vmafx_log_create(&run->log, run, s->log_path)) < 0)
        goto fail;
    *result = run;
    return 0;
fail:
    run_free(run);
    return ret;
}

/** Takes the scores of the oldest pair in flight: 1, or 0 when there are none (yet). */
static int receive(Run *run, int wait)
{
    vmafx_scores scores = { .struct_size = sizeof(scores) };
    vmafx_row row = { .struct_size = sizeof(row) };
    vmafx_error error;
    VmafxEntry *entry = run->output.first;
    int ret;

    while (entry && !entry->waits)
        entry = entry->next;
    if (!entry)
        return 0;
    ret = vmafx_session_receive(run->session, wait, &scores, &error);
    if (ret == VMAFX_AGAIN || ret == VMAFX_END)
        return 0;
    entry->waits = 0;
    if (ret < 0) // after an error, which was said, another one is its consequence
        return run->error ? error_code(ret) : library_error(run, ret, &error);
    run->last_time = av_gettime_relative();
    run->received++;
    if (!scores.scored)
        return 1;
    ret = make_report(run);
    if (ret < 0)
        return ret;
    if (!run->rows)
        vmafx_report_set_device(run->report, vmafx_session_backend(run->session), vmafx_session_device(run->session));
    run->rows++;
    row.frame    = scores.index;
    row.values   = scores.values;
    row.pts_time = (double)entry->frame->pts * entry->time_base.num / entry->time_base.den;
    if (entry->frame->pts == AV_NOPTS_VALUE)
        row.pts_time = NAN;
    for (size_t i = 0; i < scores.count; i++) {
        char name[128], value[40];

        if (isnan(scores.values[i]))
            continue;
        run->period_sum[i] += scores.values[i];
        run->period_count[i]++;
        if (!run->metadata)
            continue;
        snprintf(name, sizeof(name), "lavfi.vmafx.%s", vmafx_session_feature_name(run->session, i));
        vmafx_format_double(scores.values[i], value);
        ret = av_dict_set(&entry->frame->metadata, name, value, 0);
        if (ret < 0)
            return ret;
    }
    run->period_rows++;
    ret = vmafx_report_row(run->report, &row, &error);
    if (ret < 0)
        return library_error(run, ret, &error);
    ret = flush_log(run);
    return ret < 0 ? ret : 1;
}

/** For live use: means of the rows of the last stats_period. */
static void print_period(Run *run)
{
    int64_t now = av_gettime_relative();
    AVBPrint text;

    if (!run->stats_period || !run->rows)
        return;
    if (!run->period_start)
        run->period_start = run->first_time;
    if (now - run->period_start < run->stats_period)
        return;
    av_bprint_init(&text, 0, AV_BPRINT_SIZE_AUTOMATIC);
    for (size_t i = 0; i < vmafx_session_feature_count(run->session); i++) {
        if (run->period_count[i])
            av_bprintf(&text, " %s=%.4f", vmafx_session_feature_name(run->session, i),
                       run->period_sum[i] / run->period_count[i]);
        run->period_sum[i]   = 0;
        run->period_count[i] = 0;
    }
    av_log(run, AV_LOG_INFO, "last %.1f s: pairs=%"PRIu64"%s\n", (now - run->period_start) / 1e6, run->period_rows, text.str);
    av_bprint_finalize(&text, NULL);
    run->period_rows  = 0;
    run->period_start = now;
}

/** Says once what is compared. */
static void say_inputs(Run *run, AVFrame *const frame[2])
{
    if (run->said_inputs)
        return;
    run->said_inputs = 1;
    for (int i = 0; i < 2; i++)
        av_log(run, AV_LOG_INFO, "%s (%s input): %dx%d %s %s %s %s\n", side_names[i], side_inputs[i],
               frame[i]->width, frame[i]->height, run->input[i].pix_fmt, run->input[i].range,
               run->input[i].matrix, run->input[i].transfer);
}

/** Keeps the device of the session's context: the run may outlive the graph and whoever opened the device. */
static int keep_device(Run *run, const AVFrame *frame)
{
    if (run->device || !frame->hw_frames_ctx)
        return 0;
    run->device = av_buffer_ref(((AVHWFramesContext *)frame->hw_frames_ctx->data)->device_ref);
    return run->device ? 0 : AVERROR(ENOMEM);
}

/** The first pair's frames are a GPU's and had to be downloaded: it is to measure them all the same. */
static int choose_hip(Run *run)
{
    vmafx_session *session;
    vmafx_error error;
    int ret = vmafx_config_set(run->config, "backend", "hip", &error);

    if (ret >= 0)
        ret = vmafx_session_create(run->config, &session, &error);
    if (ret < 0)
        return library_error(run, ret, &error);
    vmafx_session_destroy(run->session);
    run->session = session;
    return 0;
}

/** Describes both frames; those in dma-buf objects may be replaced. */
static int make_pictures(Run *run, vmafx_pair *pair, AVFrame *frame[2])
{
    vmafx_picture *const picture[2] = { &pair->distorted, &pair->reference };
    int ret = 0;

    for (int i = 0; i < 2 && ret >= 0; i++)
        ret = ff_vmafx_make_picture(run, run->session, picture[i], frame[i], (vmafx_side)i);
    if (ret < 0 || (ret = ff_vmafx_dmabuf_open(run->dmabuf, run->session, frame, picture)) <= 0)
        return ret;
    if (!strcmp(vmafx_session_backend(run->session), "auto"))
        ret = choose_hip(run);
    for (int i = 0; i < 2 && ret >= 0; i++)
        ret = ff_vmafx_make_picture(run, run->session, picture[i], frame[i], (vmafx_side)i);
    return ret;
}

/** Hands a pair to the library, which then owns `reference`; waits while the queue is full. */
static int submit(Run *run, VmafxEntry *entry, AVFrame *reference, const vmafx_pairing *pairing)
{
    vmafx_pair pair = { .struct_size = sizeof(pair), .index = entry->pair };
    vmafx_error error;
    AVFrame *frame[2] = { av_frame_clone(entry->frame), reference };
    int ret = AVERROR(ENOMEM);

    if (!frame[0])
        goto fail;
    say_inputs(run, frame);
    ret = ff_vmafx_check_pair(run, &run->doubts, run->strict, frame[0], frame[1], pairing);
    if (ret < 0)
        goto fail;
    ret = make_pictures(run, &pair, frame);
    if (ret >= 0)
        ret = keep_device(run, frame[0]);
    if (ret < 0)
        goto fail;
    if (!run->first_time)
        run->first_time = av_gettime_relative();
    while ((ret = vmafx_session_submit(run->session, &pair, &error)) == VMAFX_AGAIN) {
        ret = receive(run, 1);
        if (ret < 0)
            goto fail;
    }
    ff_vmafx_dmabuf_close(run->dmabuf);
    if (ret < 0) {
        av_log(run, AV_LOG_ERROR, "%s (distorted frame %"PRIu64", reference frame %"PRIu64")\n",
               error.text, pairing->distorted, pairing->reference);
        return error_code(ret);
    }
    entry->waits = 1;
    return 0;
fail:
    ff_vmafx_dmabuf_close(run->dmabuf);
    for (int i = 0; i < 2; i++)
        av_frame_free(&frame[i]);
    return ret;
}

static int rates_differ(const Run *run)
{
    double rate[2];

    for (int i = 0; i < 2; i++) {
        if (run->input[i].rate.num <= 0)
            return 0; // unknown
        rate[i] = av_q2d(run->input[i].rate);
    }
    return fabs(rate[0] / rate[1] - 1) > 1e-4; // 30000/1001 is often written as 29.97
}

/** Whether the nominal rates differ and are about those that the time stamps have, as far as these are known. */
static int nominal_rates_tell(const Run *run, const vmafx_pairing_stats *stats)
{
    if (!rates_differ(run))
        return 0;
    for (int i = 0; i < 2; i++)
        if (fabs(stats->rate[i] / av_q2d(run->input[i].rate) - 1) > 0.1)
            return 0;
    return 1;
}

/** Names the rates and what helps. `measured`: those that the time stamps have; NULL: the nominal ones. */
static const char *describe_rates(const Run *run, const double *measured, char *text, size_t size)
{
    double rate[2];
    char slower[40];
    int fast;

    for (int i = 0; i < 2; i++)
        rate[i] = measured ? measured[i] : av_q2d(run->input[i].rate);
    fast = rate[1] > rate[0];
    if (!measured && run->input[!fast].rate.den != 1)
        snprintf(slower, sizeof(slower), "%d/%d", run->input[!fast].rate.num, run->input[!fast].rate.den);
    else
        snprintf(slower, sizeof(slower), "%g", rate[!fast]);
    snprintf(text, size, "frame rates are %g (distorted) and %g (reference): put fps=%s before the %s input, or use "
             "sync=index where both have the same frames", rate[0], rate[1], slower, side_inputs[fast]);
    return text;
}

/** Says once, or refuses, that frames of different rates are compared. */
static int check_rates(Run *run)
{
    vmafx_pairing_stats stats = { .struct_size = sizeof(stats) };
    char text[256];

    if (run->said_rates)
        return 0;
    vmafx_pairer_stats(run->pairer, &stats);
    if (!stats.rates_differ)
        return 0;
    run->said_rates = 1;
    describe_rates(run, nominal_rates_tell(run, &stats) ? NULL : stats.rate, text, sizeof(text));
    av_log(run, run->strict ? AV_LOG_ERROR : AV_LOG_WARNING,
           "The frames of the two inputs do not show the same moments: the %s%s.\n", text,
           run->strict ? " (strict=1)" : "");
    return run->strict ? AVERROR(EINVAL) : 0;
}

/**
 * With strict=1: a frame without a partner. Only the nominal rates can be its cause: the measured ones have not been found
 * different, and in few frames a lost one looks like another rate.
 */
static int refuse_unpaired(Run *run, const vmafx_pairing *pairing)
{
    int side = pairing->kind == VMAFX_UNPAIRED_REFERENCE;
    char why[320] = "", text[256];

    if (run->sync == VMAFX_SYNC_TIME && rates_differ(run))
        snprintf(why, sizeof(why), "; the nominal %s", describe_rates(run, NULL, text, sizeof(text)));
    else if (run->sync == VMAFX_SYNC_TIME && run->input[side].untimed)
        snprintf(why, sizeof(why), "; frames without time stamps need sync=index");
    av_log(run, AV_LOG_ERROR, "Frame %"PRIu64" of the %s input has no partner (strict=1)%s.\n",
           side ? pairing->reference : pairing->distorted, side_names[side], why);
    return AVERROR(EINVAL);
}

/** Carries out what the pairer can decide now. */
static int decide(Run *run)
{
    vmafx_pairing pairing;
    int ret;

    while ((ret = vmafx_pairer_next(run->pairer, &pairing)) == VMAFX_OK) {
        VmafxEntry *entry = NULL;
        AVFrame *reference = NULL;

        if (pairing.kind != VMAFX_UNPAIRED_REFERENCE)
            entry = ff_vmafx_queue_move(&run->input[VMAFX_DISTORTED].waiting, &run->output);
        if (pairing.kind != VMAFX_UNPAIRED_DISTORTED)
            reference = ff_vmafx_queue_take(&run->input[VMAFX_REFERENCE].waiting);
        if (pairing.kind == VMAFX_PAIRED) {
            entry->pair = run->pairs++;
            if (entry->disabled) {
                run->disabled++;
                av_frame_free(&reference);
                continue;
            }
            ret = submit(run, entry, reference, &pairing);
            if (ret < 0)
                return ret;
            continue;
        }
        av_frame_free(&reference);
        if ((ret = check_rates(run)) < 0)
            return ret;
        if (run->strict)
            return refuse_unpaired(run, &pairing);
    }
    if (ret < 0)
        return error_code(ret);
    run->decided = ret == VMAFX_END;
    return check_rates(run);
}

static int receive_all(Run *run)
{
    int ret;

    while ((ret = receive(run, 1)) > 0)
        ;
    return ret;
}

static void fill_stream(vmafx_stream_info *info, const Input *input, uint64_t frames)
{
    *info = (vmafx_stream_info) {
        .struct_size = sizeof(*info),
        .width    = input->width,    .height   = input->height,
        .pix_fmt  = input->pix_fmt,  .range    = input->range,
        .matrix   = input->matrix,   .transfer = input->transfer,
        .rate_num = input->rate.num, .rate_den = input->rate.den,
        .frames   = frames,
    };
}

static void print_unpaired(Run *run, const vmafx_pairing_stats *stats)
{
    for (int i = 0; i < 2; i++) {
        char list[256] = "";

        if (!stats->unpaired[i])
            continue;
        for (uint32_t j = 0; j < stats->first_unpaired_count[i]; j++)
            av_strlcatf(list, sizeof(list), "%s%"PRIu64, j ? ", " : "", stats->first_unpaired[i][j]);
        av_log(run, AV_LOG_WARNING, "%"PRIu64" %s frame%s had no partner: %s%s\n", stats->unpaired[i], side_names[i],
               plural(stats->unpaired[i]), list,
               stats->unpaired[i] > stats->first_unpaired_count[i] ? ", ..." : "");
    }
    if ((stats->unpaired[0] || stats->unpaired[1]) && stats->start_offset_known && stats->start_offset) {
        char offset[40];

        vmafx_format_double(stats->start_offset < 0 ? -stats->start_offset : stats->start_offset, offset);
        av_log(run, AV_LOG_WARNING, "The reference starts %s s %s the distorted input. If both show the same from their "
               "first frame on, pair them with sync=index or put setpts=PTS-STARTPTS before both inputs.\n",
               offset, stats->start_offset < 0 ? "before" : "after");
    }
    for (int i = 0; i < 2; i++)
        if (run->input[i].untimed && run->sync == VMAFX_SYNC_TIME)
            av_log(run, AV_LOG_WARNING, "%"PRIu64" frame%s of the %s input had no time stamp and so no partner; sync=index "
                   "compares the n-th with the n-th.\n", run->input[i].untimed, plural(run->input[i].untimed),
                   side_names[i]);
    for (int i = 0; i < 2; i++)
        if (run->input[i].damaged)
            av_log(run, AV_LOG_WARNING, "Damaged according to the decoder: %"PRIu64" frame%s of the %s input.\n",
                   run->input[i].damaged, plural(run->input[i].damaged), side_names[i]);
    if (stats->undecided[0] || stats->undecided[1])
        av_log(run, AV_LOG_INFO, "Stopped before the end of both inputs: %"PRIu64" frame%s of the distorted and %"PRIu64
               " of the reference input had been read but not compared.\n", stats->undecided[0],
               plural(stats->undecided[0]), stats->undecided[1]);
    if (run->dropped)
        av_log(run, AV_LOG_WARNING, "Measured but not passed on: %"PRIu64" frame%s, because the graph was rebuilt while "
               "they waited.\n", run->dropped, plural(run->dropped));
}

/** Summary and the log's end. */
static int write_end(Run *run)
{
    size_t count = vmafx_session_aggregate_count(run->session);
    const char **names  = av_calloc(FFMAX(count, 1), sizeof(*names));
    double      *values = av_calloc(FFMAX(count, 1), sizeof(*values));
    vmafx_run_info info = { .struct_size = sizeof(info) };
    char line[1024], more[256] = "";
    vmafx_error error;
    int ret = make_report(run);

    if (ret < 0 || !names || !values) {
        av_free(names);
        av_free(values);
        return ret < 0 ? ret : AVERROR(ENOMEM);
    }
    for (size_t i = 0; i < count; i++) {
        names[i]  = vmafx_session_aggregate_name(run->session, i);
        values[i] = vmafx_session_aggregate_value(run->session, i);
    }
    info.pairing.struct_size = sizeof(info.pairing);
    vmafx_pairer_stats(run->pairer, &info.pairing);
    fill_stream(&info.distorted, &run->input[0], info.pairing.frames[0]);
    fill_stream(&info.reference, &run->input[1], info.pairing.frames[1]);
    info.pairing.pairs    = run->received; // without those outside `enable` and those that an error kept from a score
    info.aggregate_count  = count;
    info.aggregate_names  = names;
    info.aggregate_values = values;
    if (run->last_time > run->first_time)
        info.fps = info.pairing.pairs * 1e6 / (run->last_time - run->first_time);
    ret = vmafx_report_finish(run->report, &info, &error);
    if (ret < 0)
        ret = library_error(run, ret, &error);
    else
        ret = flush_log(run);
    if (run->log) {
        int closed = ff_vmafx_log_close(run->log);

        if (ret >= 0)
            ret = closed;
    }

    for (size_t i = 0; i < vmafx_session_feature_count(run->session); i++) {
        vmafx_pooled pooled = { .struct_size = sizeof(pooled) };

        if (vmafx_report_pool(run->report, i, &pooled) == VMAFX_OK && pooled.count &&
            vmafx_report_summary(run->report, i, line, sizeof(line)) > 0)
            av_log(run, AV_LOG_INFO, "%s\n", line);
    }
    for (size_t i = 0; i < count; i++)
        if (run->rows && !isnan(values[i])) {
            vmafx_format_double(values[i], line);
            av_log(run, AV_LOG_INFO, "%s: %s\n", names[i], line);
        }
    if (!isnan(info.pairing.largest_distance)) {
        vmafx_format_double(info.pairing.largest_distance, line);
        av_strlcatf(more, sizeof(more), " largest_distance=%s", line);
    }
    if (run->disabled)
        av_strlcatf(more, sizeof(more), " disabled=%"PRIu64, run->disabled);
    if (info.pairing.undecided[0] || info.pairing.undecided[1])
        av_strlcatf(more, sizeof(more), " undecided_distorted=%"PRIu64" undecided_reference=%"PRIu64,
                    info.pairing.undecided[0], info.pairing.undecided[1]);
    av_log(run, AV_LOG_INFO, "pairs=%"PRIu64" unpaired_distorted=%"PRIu64" unpaired_reference=%"PRIu64"%s\n",
           info.pairing.pairs, info.pairing.unpaired[0], info.pairing.unpaired[1], more);
    print_unpaired(run, &info.pairing);
    av_free(names);
    av_free(values);
    return ret;
}

/**
 * What was handed over before an error can still be had, so that the log ends there and not at random. An error before
 * the first row leaves an older log as it is.
 */
static int end_run(Run *run)
{
    int ret = receive_all(run), end;

    if (!run->error)
        run->error = FFMIN(ret, 0);
    if (run->error && !run->rows)
        return run->error;
    end = write_end(run);
    return run->error ? run->error : end;
}

/**
 * Measures what is left, writes the log's end and the summary.
 * Of a run that is stopped before its inputs end, the frames that wait for partners are not decided on: what would have
 * come is unknown, and they are counted apart.
 */
static int run_finish(Run *run)
{
    int ret;

    if (run->finished)
        return run->error;
    run->finished = 1;
    ret = end_run(run);
    if (ret >= 0 && !run->rows) {
        vmafx_pairing_stats stats = { .struct_size = sizeof(stats) };
        int untimed = 0;

        vmafx_pairer_stats(run->pairer, &stats);
        for (int i = 0; i < 2; i++)
            untimed |= run->sync == VMAFX_SYNC_TIME && stats.frames[i] && run->input[i].untimed == stats.frames[i];
        av_log(run, AV_LOG_ERROR, "No pair of frames was compared (distorted: %"PRIu64" frame%s, reference: %"PRIu64
               " frame%s): there is no score%s.\n", stats.frames[0], plural(stats.frames[0]), stats.frames[1],
               plural(stats.frames[1]), untimed ? "; frames without time stamps need sync=index" : "");
        ret = AVERROR(EINVAL);
    }
    run->error = FFMIN(ret, 0);
    return run->error;
}

/** After an error: a log that can be read, and a word on how far it goes. */
static void run_abandon(Run *run)
{
    if (run->finished)
        return;
    run->finished = 1;
    end_run(run);
    if (run->rows)
        av_log(run, AV_LOG_WARNING, "Stopped by an error: the scores end after %"PRIu64" pair%s.\n", run->rows,
               plural(run->rows));
}

static void runs_remove(Run *run)
{
    for (Run **p = &runs; *p; p = &(*p)->next)
        if (*p == run) {
            *p = run->next;
            break;
        }
}

/** Finishes the runs that no instance took over. */
static void finish_detached(void)
{
    for (;;) {
        Run *run;

        ff_mutex_lock(&runs_mutex);
        for (run = runs; run && run->live; run = run->next)
            ;
        if (run)
            runs_remove(run);
        ff_mutex_unlock(&runs_mutex);
        if (!run)
            return;
        if (run->input[0].known || run->input[1].known)
            run_finish(run);
        run_free(run);
    }
}

static int left_by_this_thread(const Run *run)
{
#if HAVE_PTHREADS
    return pthread_equal(run->thread, pthread_self());
#else
    return 0;
#endif
}

/** The run that an instance with this key goes on with: its own thread's, else an untouched one, else any. */
static Run *find_detached(const char *key)
{
    Run *best = NULL;
    int best_rank = 0;

    for (Run *run = runs; run; run = run->next) {
        int rank;

        if (run->live || strcmp(run->key, key))
            continue;
        rank = left_by_this_thread(run) ? 3 : !run->input[0].known && !run->input[1].known ? 2 : 1;
        if (rank > best_rank) {
            best      = run;
            best_rank = rank;
        }
    }
    return best;
}

/** Starts a run, unless its log is another one's. Under the mutex. */
static int run_start(AVFilterContext *ctx, const char *key, Run **result)
{
    VmafxContext *s = ctx->priv;
    Run *other;
    int ret;

    for (other = s->log_path ? runs : NULL; other; other = other->next)
        if (other->log && ff_vmafx_log_is(other->log, s->log_path))
            break;
    if (other && other->live) {
        av_log(ctx, AV_LOG_ERROR, "log_path %s is in use by filter %s (as %s): give each filter a log of its own.\n",
               s->log_path, other->name, ff_vmafx_log_url(other->log));
        return AVERROR(EINVAL);
    }
    if (other) { // which nobody continues: it must not write into the log of this one later
        runs_remove(other);
        if (other->input[0].known || other->input[1].known)
            run_finish(other);
        run_free(other);
    }
    ret = run_create(ctx, key, result);
    if (ret < 0)
        return ret;
    (*result)->next = runs;
    runs = *result;
    return 0;
}

/** Name and options, exactly: av_opt_serialize() rounds small numbers and fails at large ones. NULL: out of memory. */
static char *make_key(AVFilterContext *ctx)
{
    VmafxContext *s = ctx->priv;
    const AVOption *option = NULL;
    AVBPrint text;
    char *key;

    av_bprint_init(&text, 0, AV_BPRINT_SIZE_UNLIMITED);
    av_bprintf(&text, "%s", ctx->name ? ctx->name : "");
    while ((option = av_opt_next(s, option))) {
        char *value = option->type == AV_OPT_TYPE_CONST ? NULL : option_text(s, option->name);

        if (value)
            av_bprintf(&text, "\n%s=%s", option->name, value);
        av_free(value);
    }
    return av_bprint_finalize(&text, &key) < 0 ? NULL : key;
}

/** Continues the run of the same name and options, or starts one. */
static int run_attach(AVFilterContext *ctx)
{
    VmafxContext *s = ctx->priv;
    char *key = make_key(ctx);
    Run *run;
    int ret = 0;

    if (!key)
        return AVERROR(ENOMEM);
    ff_mutex_lock(&runs_mutex);
    run = find_detached(key);
    if (!run)
        ret = run_start(ctx, key, &run);
    if (ret >= 0) {
        run->live     = 1;
        run->dropped += run->unread; // the graph that had it is gone
        run->unread   = 0;
        s->run        = run;
        ff_vmafx_queue_inherit(&run->input[VMAFX_DISTORTED].waiting);
        ff_vmafx_queue_inherit(&run->output);
    }
    ff_mutex_unlock(&runs_mutex);
    av_free(key);
    return ret;
}

/** Ends an instance's hold on its run: the end of a finished one, else a next instance may go on. */
static void run_detach(Run *run)
{
    static int registered; // 1: by a run without frames; 2: by one with frames
    int touched = run->input[0].known || run->input[1].known;
    int ret, wanted = 1 + touched, add;

    if (!run->error && !run->finished && (ret = receive_all(run)) < 0)
        run->error = ret;
    ff_vmafx_dmabuf_forget(run->dmabuf, run->session); // the frames' contexts may go with the graph
    if (run->error)
        run_abandon(run);
    ff_mutex_lock(&runs_mutex);
    run->live = 0;
#if HAVE_PTHREADS
    run->thread = pthread_self();
#endif
    if (run->finished)
        runs_remove(run);
    // Handlers run in reverse order: one registered after the library has worked comes before the
    // destruction of what the library made in the meantime.
    add = !run->finished && registered < wanted;
    if (add)
        registered = wanted;
    ff_mutex_unlock(&runs_mutex);
    if (add)
        atexit(finish_detached);
    if (run->finished)
        run_free(run);
}

/* -------------------------------------------------------------- the filter */

static void note_input(Input *input, const AVFrame *frame)
{
    const char *name;

    if (input->known)
        return;
    input->known    = 1;
    input->width    = frame->width  - (int)(frame->crop_left + frame->crop_right);
    input->height   = frame->height - (int)(frame->crop_top  + frame->crop_bottom);
    input->pix_fmt  = ff_vmafx_sample_format(frame)->name;
    input->range    = (name = av_color_range_name(frame->color_range))  ? name : "unknown";
    input->matrix   = (name = av_color_space_name(frame->colorspace))   ? name : "unknown";
    input->transfer = (name = av_color_transfer_name(frame->color_trc)) ? name : "unknown";
}

/** Takes a frame of a link: 1, or 0 when there is none. */
static int take_frame(AVFilterContext *ctx, int side)
{
    VmafxContext *s = ctx->priv;
    Run *run = s->run;
    Input *input = &run->input[side];
    AVFilterLink *link = ctx->inputs[side];
    vmafx_time time = { .num = link->time_base.num, .den = link->time_base.den };
    vmafx_error error;
    AVFrame *frame;
    int ret = ff_inlink_consume_frame(link, &frame);

    if (ret <= 0)
        return ret;
    note_input(input, frame);
    if (frame->flags & AV_FRAME_FLAG_CORRUPT || frame->decode_error_flags) {
        input->damaged++;
        if (run->strict) {
            av_log(run, AV_LOG_ERROR, "A frame of the %s input at %s s is damaged (strict=1).\n", side_names[side],
                   av_ts2timestr(frame->pts, &link->time_base));
            av_frame_free(&frame);
            return AVERROR_INVALIDDATA;
        }
    }
    if (side == VMAFX_REFERENCE && run->input[VMAFX_DISTORTED].ended && ++run->tail == LONG_REFERENCE_TAIL &&
        !run->said_tail) {
        run->said_tail = 1;
        av_log(run, AV_LOG_WARNING, "The reference goes on after the end of the distorted input and is read to its end; "
               "trim it if it has none.\n");
    }
    // Presentation time stamps are AV_NOPTS_VALUE when missing, the library's INT64_MIN.
    time.value = frame->pts;
    input->untimed += frame->pts == AV_NOPTS_VALUE;
    ret = ff_vmafx_queue_add(&input->waiting, frame, link->time_base, side == VMAFX_DISTORTED && ctx->is_disabled);
    if (ret < 0) {
        av_frame_free(&frame);
        return ret;
    }
    ret = vmafx_pairer_push(run->pairer, (vmafx_side)side, time, &error);
    return ret < 0 ? library_error(run, ret, &error) : 1;
}

/**
 * Takes what is there: 1 when there was something.
 * A frame left on its link would be lost with the graph. Back-pressure comes from asking only for what the pairer wants.
 */
static int take_input(AVFilterContext *ctx, int side)
{
    VmafxContext *s = ctx->priv;
    Run *run = s->run;
    Input *input = &run->input[side];
    int ret;

    if (s->status[side])
        return 0;
    ret = input->ended ? 0 : take_frame(ctx, side);
    if (ret)
        return ret;
    if (!ff_inlink_acknowledge_status(ctx->inputs[side], &s->status[side], &s->status_pts[side]))
        return 0;
    input->ended = 1;
    vmafx_pairer_end(run->pairer, (vmafx_side)side);
    return 1;
}

/**
 * A frame of an earlier instance's link may no longer be what this instance's output promises: in device memory that
 * is a pool of frames, whose samples may be others although the size is the same.
 */
static int fits(AVFilterLink *link, const VmafxEntry *entry)
{
    const AVFrame *frame = entry->frame;
    const AVBufferRef *pool = ff_filter_link(link)->hw_frames_ctx;

    if (frame->format != link->format || frame->width != link->w || frame->height != link->h)
        return 0;
    return !entry->inherited || !frame->hw_frames_ctx || pool && pool->data == frame->hw_frames_ctx->data;
}

/** Passes on the next distorted frame that is done: 1, or 0 when there is none (yet). */
static int pass_frame(AVFilterContext *ctx)
{
    VmafxContext *s = ctx->priv;
    Run *run = s->run;
    AVFilterLink *outlink = ctx->outputs[0];
    int ret;

    while (run->output.first && !run->output.first->waits) {
        AVRational time_base = run->output.first->time_base;
        int fitting = fits(outlink, run->output.first);
        AVFrame *frame = ff_vmafx_queue_take(&run->output);

        if (!fitting) {
            run->dropped++;
            av_frame_free(&frame);
            continue;
        }
        if (av_cmp_q(time_base, outlink->time_base)) {
            if (frame->pts != AV_NOPTS_VALUE)
                frame->pts = av_rescale_q(frame->pts, time_base, outlink->time_base);
            frame->duration = av_rescale_q(frame->duration, time_base, outlink->time_base);
        }
        s->unread = 1;
        ret = ff_filter_frame(outlink, frame);
        return ret < 0 ? ret : 1;
    }
    return 0;
}

static int advance(AVFilterContext *ctx)
{
    VmafxContext *s = ctx->priv;
    Run *run = s->run;
    AVFilterLink *outlink = ctx->outputs[0];
    int ret, wanted, taken, progress = 0;

    if (run->error)
        return run->error;
    if ((ret = ff_outlink_get_status(outlink))) {
        for (int i = 0; i < 2; i++)
            ff_inlink_set_status(ctx->inputs[i], ret);
        return run_finish(run);
    }
    do {
        for (int i = taken = 0; i < 2; i++) {
            if ((ret = take_input(ctx, i)) < 0)
                return ret;
            taken |= ret;
        }
        progress |= taken;
    } while (taken);
    if ((ret = decide(run)) < 0)
        return ret;
    // A frame waits for at most as many others as the library takes at a time.
    do
        ret = receive(run, ff_vmafx_queue_unfinished(&run->output) > (int)vmafx_session_queue(run->session));
    while (ret > 0);
    if (ret < 0)
        return ret;
    print_period(run);
    if (run->decided) {
        ret = receive_all(run);
        while (ret >= 0 && (ret = pass_frame(ctx)) > 0)
            ;
        if (ret < 0 || (ret = run_finish(run)) < 0)
            return ret;
        ff_outlink_set_status(outlink, s->status[0] ? s->status[0] : AVERROR_EOF, s->status_pts[0]);
        return 0;
    }
    wanted = ff_outlink_frame_wanted(outlink);
    if (wanted)
        s->unread = 0;
    // One frame at a time: ffmpeg asks for one more before it frees a graph that it rebuilds, and does not take it. The
    // others go to the next instance.
    if ((wanted || run->output.count - ff_vmafx_queue_unfinished(&run->output) > MOST_FINISHED) &&
        (ret = pass_frame(ctx)))
        return FFMIN(ret, 0);
    if (wanted)
        for (int i = 0; i < 2; i++)
            if (!run->input[i].ended && vmafx_pairer_wants(run->pairer, (vmafx_side)i))
                ff_inlink_request_frame(ctx->inputs[i]);
    return progress ? 0 : FFERROR_NOT_READY;
}

static int activate(AVFilterContext *ctx)
{
    VmafxContext *s = ctx->priv;
    int ret = advance(ctx);

    if (ret < 0 && ret != FFERROR_NOT_READY && !s->run->error)
        s->run->error = ret;
    return ret;
}

/**
 * Everything is accepted on both inputs, each by itself, and what libvmafx cannot read is refused later, by name:
 * a shorter list would make libavfilter insert a conversion that nobody sees and that changes the scores.
 */
static int query_formats(const AVFilterContext *ctx, AVFilterFormatsConfig **cfg_in, AVFilterFormatsConfig **cfg_out)
{
    for (int i = 0; i < 2; i++) {
        AVFilterFormats *formats = ff_all_formats(AVMEDIA_TYPE_VIDEO);
        AVFilterFormats *spaces, *ranges;
        int ret;

        if ((ret = ff_formats_ref(formats, &cfg_in[i]->formats)) < 0)
            return ret;
        spaces = ff_all_color_spaces();
        if ((ret = ff_formats_ref(spaces, &cfg_in[i]->color_spaces)) < 0)
            return ret;
        ranges = ff_all_color_ranges();
        if ((ret = ff_formats_ref(ranges, &cfg_in[i]->color_ranges)) < 0)
            return ret;
        if (i == VMAFX_DISTORTED &&
            ((ret = ff_formats_ref(formats, &cfg_out[0]->formats))     < 0 ||
             (ret = ff_formats_ref(spaces, &cfg_out[0]->color_spaces)) < 0 ||
             (ret = ff_formats_ref(ranges, &cfg_out[0]->color_ranges)) < 0))
            return ret;
#if ALPHA_MODES
        {
            AVFilterFormats *modes = ff_all_alpha_modes();

            if ((ret = ff_formats_ref(modes, &cfg_in[i]->alpha_modes)) < 0)
                return ret;
            if (i == VMAFX_DISTORTED && (ret = ff_formats_ref(modes, &cfg_out[0]->alpha_modes)) < 0)
                return ret;
        }
#endif
    }
    return 0;
}

static int config_input(AVFilterLink *link)
{
    AVFilterContext *ctx = link->dst;
    VmafxContext *s = ctx->priv;
    int side = FF_INLINK_IDX(link);
    AVRational rate = ff_filter_link(link)->frame_rate;

    if (rate.num <= 0 || rate.den <= 0)
        rate = (AVRational) { 0, 1 };
    s->run->input[side].rate = rate;
    vmafx_pairer_set_rate(s->run->pairer, (vmafx_side)side, rate.num, rate.den);
    return 0;
}

/** The output is the first input's stream; lavfi copies its hw_frames_ctx, too. */
static int config_output(AVFilterLink *link)
{
    AVFilterLink *in = link->src->inputs[VMAFX_DISTORTED];

    link->w                   = in->w;
    link->h                   = in->h;
    link->time_base           = in->time_base;
    link->sample_aspect_ratio = in->sample_aspect_ratio;
    ff_filter_link(link)->frame_rate = ff_filter_link(in)->frame_rate;
    return 0;
}

static av_cold int init(AVFilterContext *ctx)
{
    return run_attach(ctx);
}

static av_cold void uninit(AVFilterContext *ctx)
{
    VmafxContext *s = ctx->priv;

    if (s->run) {
        s->run->unread = s->unread;
        run_detach(s->run);
    }
    s->run = NULL;
}

static const AVFilterPad vmafx_inputs[] = {
    {
        .name         = "distorted",
        .type         = AVMEDIA_TYPE_VIDEO,
        .config_props = config_input,
    },
    {
        .name         = "reference",
        .type         = AVMEDIA_TYPE_VIDEO,
        .config_props = config_input,
    },
};

static const AVFilterPad vmafx_outputs[] = {
    {
        .name         = "default",
        .type         = AVMEDIA_TYPE_VIDEO,
        .config_props = config_output,
    },
};

const FFFilter ff_vf_vmafx = {
    P(name)        = "vmafx",
    P(description) = NULL_IF_CONFIG_SMALL("Measure the quality of a video against its reference."),
    P(priv_class)  = &vmafx_class,
    P(flags)       = AVFILTER_FLAG_SUPPORT_TIMELINE_INTERNAL | AVFILTER_FLAG_METADATA_ONLY,
    .priv_size     = sizeof(VmafxContext),
    .init          = init,
    .uninit        = uninit,
    .activate      = activate,
    FILTER_INPUTS(vmafx_inputs),
    FILTER_OUTPUTS(vmafx_outputs),
    FILTER_QUERY_FUNC2(query_formats),
};
