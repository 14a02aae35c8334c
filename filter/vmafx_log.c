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

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config.h"
#if HAVE_UNISTD_H
#include <unistd.h>
#endif

#include "libavformat/avio.h"
#include "libavformat/os_support.h"
#include "libavutil/avstring.h"
#include "libavutil/dict.h"
#include "libavutil/error.h"
#include "libavutil/file_open.h"
#include "libavutil/log.h"
#include "libavutil/macros.h"
#include "libavutil/mem.h"
#include "libavutil/time.h"

#include "vmafx_log.h"

#if !HAVE_LSTAT
#define lstat stat
#endif

/** Descriptors that are looked at; systems hand out the lowest free one. */
#define MOST_DESCRIPTORS 4096

/** For a FIFO's reader that was started at the same time, in microseconds. */
#define FIFO_PATIENCE 1000000
#define FIFO_STEP       10000

struct VmafxLog {
    void        *avcl;
    char        *url;
    const char  *path;    ///< of a regular file that is opened late; NULL: opened at once
    AVIOContext *io;
    int          created; ///< the file was not there before
    int          begun;   ///< something was written
    int          error;
    int          identified;
    struct stat  identity;
};

/** What libavformat is to open. */
static const char *target(const char *url)
{
    return strcmp(url, "-") ? url : "pipe:1";
}

/** The path of a URL of the file protocol, else NULL. */
static const char *file_path(const char *url)
{
    const char *protocol = avio_find_protocol_name(target(url));

    if (!protocol || strcmp(protocol, "file"))
        return NULL;
    av_strstart(url, "file:", &url);
    return url;
}

/**
 * Whether a protocol passes data on to another URL, which may be any file and would not be checked as a path is.
 * libavformat does not tell, so these are its names.
 */
static int wraps_another(const char *protocol)
{
    return av_match_name(protocol, "async,cache,concat,concatf,crypto,md5,shared,subfile,tee");
}

/** The descriptor of a URL of the pipe and fd protocols, else -1. */
static int url_descriptor(const char *url)
{
    if (!av_strstart(url, "pipe:", &url))
        return strcmp(url, "fd:") ? -1 : 1;
    return *url ? strtol(url, NULL, 10) : 1;
}

static int same_file(const struct stat *a, const struct stat *b)
{
    return a->st_ino && a->st_ino == b->st_ino && a->st_dev == b->st_dev; // systems without such numbers have 0
}

static int said_open(const VmafxLog *log, int ret)
{
    av_log(log->avcl, AV_LOG_ERROR, "Could not open the log %s: %s\n", log->url, av_err2str(ret));
    return ret;
}

static int open_log(VmafxLog *log, AVIOContext **io, int truncate)
{
    AVDictionary *options = NULL;
    int ret = truncate ? 0 : av_dict_set(&options, "truncate", "0", 0);

    if (ret >= 0)
        ret = avio_open2(io, target(log->url), AVIO_FLAG_WRITE, NULL, &options);
    av_dict_free(&options);
    return ret < 0 ? said_open(log, ret) : 0;
}

/** Whether text begins with a pattern, whose spaces stand for white space of any length; what follows it is the end. */
static int begins_like(const char *text, const char *pattern, const char **end)
{
    for (; *pattern; pattern++) {
        if (*pattern == ' ')
            text += strspn(text, " \t\r\n");
        else if (*text++ != *pattern)
            return 0;
    }
    *end = text;
    return 1;
}

/** Whether the columns of a CSV file are those of a log: time stamps first, as here, or libvmaf's metrics. */
static int are_log_columns(const char *text)
{
    static const char *const first[] = {
        "pts_time", "vmaf", "integer_", "float_", "psnr", "ssim", "adm", "vif", "motion", "ciede2000", "cambi",
    };
    size_t length = strcspn(text, "\r\n");

    if (strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-,") < length)
        return 0;
    for (size_t i = 0; i < FF_ARRAY_ELEMS(first); i++)
        if (av_strstart(text, first[i], NULL))
            return 1;
    return 0;
}

/** Whether a file begins as this filter's and libvmaf's logs do. */
static int begins_like_a_log(const char *text)
{
    const char *declared = av_strstart(text, "<?xml", NULL) ? strstr(text, "?>") : NULL;

    text = declared ? declared + 2 : text;
    if (begins_like(text, " <VMAF version=\"", &text))
        return 1;
    if (av_strstart(text, "Frame,", &text))
        return are_log_columns(text);
    if (begins_like(text, " { \"frameNum\" :", &text)) {
        text += strspn(text, " 0123456789");
        return begins_like(text, " , \"pts_time\" :", &text) || begins_like(text, " , \"metrics\" : {", &text);
    }
    if (!begins_like(text, " { \"version\" : \"", &text))
        return 0;
    text += strcspn(text, "\"");
    return begins_like(text, "\" , \"backend\" :", &text) || begins_like(text, "\" , \"fps\" :", &text) ||
           begins_like(text, "\" , \"frames\" : [", &text);
}

/** How this process uses the file already: an input that would be lost, or another output; NULL: it does not. */
static const char *use_of(const struct stat *file)
{
#if HAVE_FCNTL
    for (int fd = 0; fd < MOST_DESCRIPTORS; fd++) {
        struct stat other;
        int mode;

        if (fstat(fd, &other) < 0 || !same_file(file, &other) || (mode = fcntl(fd, F_GETFL)) < 0)
            continue;
        // libavformat's own are closed on exec; those that came with it, as /dev/stdout and /dev/fd/3 name, are meant.
        if (!(fcntl(fd, F_GETFD) & FD_CLOEXEC))
            continue;
        if ((mode & O_ACCMODE) == O_RDONLY && other.st_size)
            return "reads";
        if ((mode & O_ACCMODE) == O_WRONLY)
            return "writes";
    }
#endif
    return NULL;
}

/** An error for a regular file that must not be overwritten. */
static int check_file(const VmafxLog *log, const struct stat *file)
{
    char head[256] = "";
    const char *use = use_of(file);
    AVIOContext *io;
    int ret;

    if (use) {
        av_log(log->avcl, AV_LOG_ERROR, "log_path %s is a file that this process %s already, as an input or output: give "
               "the log a file of its own.\n", log->url, use);
        return AVERROR(EINVAL);
    }
    if (!file->st_size)
        return 0;
    ret = avio_open2(&io, target(log->url), AVIO_FLAG_READ, NULL, NULL);
    if (ret < 0)
        return said_open(log, ret);
    ret = avio_read(io, head, sizeof(head) - 1);
    avio_closep(&io);
    if (ret < 0 && ret != AVERROR_EOF)
        return said_open(log, ret);
    if (!begins_like_a_log(head)) {
        av_log(log->avcl, AV_LOG_ERROR, "log_path %s is an existing file that is no log: give the log another name, or "
               "delete the file.\n", log->url);
        return AVERROR(EEXIST);
    }
    return 0;
}

/** What a URL leads to, if it is there: 1, else 0. */
static int find(const char *url, struct stat *identity)
{
    const char *path = file_path(url);
    int fd = url_descriptor(target(url));

    return path ? !stat(path, identity) : fd >= 0 && !fstat(fd, identity);
}

/** A path to the device that keeps nothing, which any number of logs may share. */
static int is_null_device(const char *url, const struct stat *file)
{
    struct stat null;

    return file_path(url) && S_ISCHR(file->st_mode) && !stat("/dev/null", &null) && same_file(file, &null);
}

static int identify(VmafxLog *log)
{
    return log->identified = find(log->url, &log->identity);
}

/** Checks that a file that is written later can be. */
static int try_file(VmafxLog *log)
{
    AVIOContext *io;
    int ret = log->created ? 0 : check_file(log, &log->identity);

    if (ret < 0 || (ret = open_log(log, &io, 0)) < 0)
        return ret;
    avio_closep(&io);
    identify(log);
    return 0;
}

/** Opens what is not a regular file. Without a reader, to open a FIFO would wait for ever. */
static int open_stream(VmafxLog *log)
{
    int ret;
#if HAVE_FCNTL
    int fd = -1;
    const char *path = file_path(log->url);

    if (path && log->identified && S_ISFIFO(log->identity.st_mode)) {
        for (int64_t waited = 0; (fd = avpriv_open(path, O_WRONLY | O_NONBLOCK)) < 0; waited += FIFO_STEP) {
            if (errno != ENXIO)
                return said_open(log, AVERROR(errno));
            if (waited >= FIFO_PATIENCE) {
                av_log(log->avcl, AV_LOG_ERROR, "Could not open the log %s: no process reads this FIFO: start the "
                       "reader first.\n", log->url);
                return AVERROR(ENXIO);
            }
            av_usleep(FIFO_STEP);
        }
    }
#endif
    ret = open_log(log, &log->io, 1);
#if HAVE_FCNTL
    if (fd >= 0)
        close(fd); // not before: the reader would see the end
#endif
    if (ret >= 0)
        identify(log);
    return ret;
}

int ff_vmafx_log_create(VmafxLog **result, void *avcl, const char *url)
{
    const char *protocol = avio_find_protocol_name(target(url));
    VmafxLog *log;
    int ret;

    *result = NULL;
    if (protocol && wraps_another(protocol)) {
        av_log(avcl, AV_LOG_ERROR, "log_path %s: the protocol %s writes to another URL, which cannot be checked: give "
               "a path or that URL itself.\n", url, protocol);
        return AVERROR(EINVAL);
    }
    log = av_mallocz(sizeof(*log));
    if (!log)
        return AVERROR(ENOMEM);
    log->avcl = avcl;
    log->url  = av_strdup(url);
    if (!log->url) {
        av_free(log);
        return AVERROR(ENOMEM);
    }
    log->path    = file_path(log->url);
    log->created = log->path && !identify(log);
    if (log->path && (log->created || S_ISREG(log->identity.st_mode))) {
        ret = try_file(log);
    } else {
        log->path = NULL;
        ret = open_stream(log);
    }
    if (ret < 0) {
        log->created &= log->identified;
        ff_vmafx_log_free(&log);
    }
    *result = log;
    return ret;
}

const char *ff_vmafx_log_url(const VmafxLog *log)
{
    return log->url;
}

int ff_vmafx_log_is(const VmafxLog *log, const char *url)
{
    struct stat other;

    if (!log->identified || !find(url, &other) || !same_file(&log->identity, &other))
        return !strcmp(log->url, url);
    return !is_null_device(log->url, &other) || !file_path(url);
}

/** A failure of writing, said once. */
static int failed(VmafxLog *log, int ret)
{
    if (!log->error) {
        log->error = ret;
        av_log(log->avcl, AV_LOG_ERROR, "Could not write the log %s: %s\n", log->url, av_err2str(ret));
    }
    return log->error;
}

/** Opens a regular file, which is empty then. */
static int begin(VmafxLog *log)
{
    struct stat now;
    int ret = 0;

    log->begun = 1;
    if (!log->path)
        return 0;
    if (!stat(log->path, &now) && S_ISREG(now.st_mode))
        ret = check_file(log, &now);
    if (ret >= 0)
        ret = open_log(log, &log->io, 1);
    log->error = FFMIN(ret, 0);
    return log->error;
}

int ff_vmafx_log_write(VmafxLog *log, const void *data, size_t size)
{
    const uint8_t *bytes = data;

    if (!log->begun)
        begin(log);
    while (!log->error && size) {
        int part = FFMIN(size, INT_MAX);

        avio_write(log->io, bytes, part);
        bytes += part;
        size  -= part;
        if (log->io->error < 0)
            return failed(log, log->io->error);
    }
    return log->error;
}

int ff_vmafx_log_flush(VmafxLog *log)
{
    if (log->error || !log->io)
        return log->error;
    avio_flush(log->io);
    return log->io->error < 0 ? failed(log, log->io->error) : 0;
}

int ff_vmafx_log_close(VmafxLog *log)
{
    int ret = ff_vmafx_log_flush(log);
    int closed = avio_closep(&log->io);

    return ret >= 0 && closed < 0 ? failed(log, closed) : ret;
}

int ff_vmafx_log_error(const VmafxLog *log)
{
    return log->error;
}

void ff_vmafx_log_free(VmafxLog **log)
{
    VmafxLog *l = *log;
    struct stat now;

    *log = NULL;
    if (!l)
        return;
    avio_closep(&l->io);
    // A link that led nowhere before is not ours.
    if (l->created && !l->begun && !lstat(l->path, &now) && same_file(&now, &l->identity) && !now.st_size)
        unlink(l->path);
    av_free(l->url);
    av_free(l);
}
