/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * A file in memory that stands for a dma-buf object: it has a descriptor, a size and a number of its own, and whoever
 * has a descriptor can map it. For C and C++.
 */
#ifndef VMAFX_TESTS_MEMORY_FILE_H
#define VMAFX_TESTS_MEMORY_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct MemoryFile {
    int fd;
    size_t bytes;
    uint8_t *data; /* NULL: not open */
} MemoryFile;

/* Maps a file of at least `bytes` bytes, more than 0, whose descriptor becomes the result's. 0: it cannot be had. */
static inline int memory_file_map(MemoryFile *file, int fd, size_t bytes)
{
    void *const map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    file->fd    = fd;
    file->bytes = bytes;
    file->data  = map == MAP_FAILED ? NULL : (uint8_t *)map;
    if (!file->data && fd >= 0)
        close(fd);
    return file->data != NULL;
}

/* Makes one, all bytes 0. */
static inline int memory_file_make(MemoryFile *file, size_t bytes)
{
    int fd = memfd_create("dma-buf", MFD_CLOEXEC);

    if (fd >= 0 && ftruncate(fd, (off_t)bytes)) {
        close(fd);
        fd = -1;
    }
    return memory_file_map(file, fd, bytes);
}

/* 0: somebody else has closed the descriptor. One that is not open is left alone. */
static inline int memory_file_close(MemoryFile *file)
{
    int closed = 1;

    if (file->data) {
        munmap(file->data, file->bytes);
        closed = close(file->fd) == 0;
    }
    file->data = NULL;
    return closed;
}

#endif
