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
 * Where the filter vmafx writes its log.
 *
 * A file is changed by the first byte that is written and not before: a measurement that never starts leaves an older
 * log as it is. Whether it can be written is known from the beginning, and what is no log is never overwritten.
 * Protocols that write to another URL are refused: what that one is cannot be checked.
 */

#ifndef AVFILTER_VMAFX_LOG_H
#define AVFILTER_VMAFX_LOG_H

#include <stddef.h>

typedef struct VmafxLog VmafxLog;

/**
 * Finds out whether the log can be written; all but regular files are opened.
 *
 * @param avcl  for messages, which say all errors of this log, that of writing once
 * @param url   a path, anything that a protocol of libavformat can write, or - for standard output
 */
int ff_vmafx_log_create(VmafxLog **log, void *avcl, const char *url);

/** As the user gave it. */
const char *ff_vmafx_log_url(const VmafxLog *log);

/** Whether a URL, as the user gave it, leads to this log's file or stream, however it is spelt; /dev/null is nobody's. */
int ff_vmafx_log_is(const VmafxLog *log, const char *url);

/** Writes all bytes; once it has failed, it fails. */
int ff_vmafx_log_write(VmafxLog *log, const void *data, size_t size);

/** Hands on what was written, so that a failure shows. */
int ff_vmafx_log_flush(VmafxLog *log);

/** Ends the log, when something was written: what failed last shows now. */
int ff_vmafx_log_close(VmafxLog *log);

/** The first failure of writing, 0: none. */
int ff_vmafx_log_error(const VmafxLog *log);

/** Frees it; a file that is there only because of it, and empty, goes. */
void ff_vmafx_log_free(VmafxLog **log);

#endif /* AVFILTER_VMAFX_LOG_H */
