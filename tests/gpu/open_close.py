#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Opens and closes a CUDA session 200 times in one process, a scored pair each, and looks at the memory it holds.

  open_close.py LIBVMAFX.SO [COUNT]
"""
import ctypes
import re
import subprocess
import sys

WIDTH, HEIGHT = 1920, 1080


class Plane(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("stride", ctypes.c_ssize_t), ("step", ctypes.c_ssize_t)]


class Picture(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("memory", ctypes.c_int), ("width", ctypes.c_int),
                ("height", ctypes.c_int), ("layout", ctypes.c_int), ("depth", ctypes.c_int), ("bytes", ctypes.c_int),
                ("shift", ctypes.c_int), ("big_endian", ctypes.c_int), ("plane", Plane * 3), ("range", ctypes.c_int),
                ("matrix", ctypes.c_int), ("transfer", ctypes.c_int), ("location", ctypes.c_int),
                ("context", ctypes.c_void_p), ("stream", ctypes.c_void_p), ("release", ctypes.c_void_p),
                ("opaque", ctypes.c_void_p)]


class Pair(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("index", ctypes.c_uint64), ("distorted", Picture),
                ("reference", Picture)]


class Scores(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("index", ctypes.c_uint64), ("scored", ctypes.c_int),
                ("count", ctypes.c_size_t), ("values", ctypes.POINTER(ctypes.c_double))]


def picture(samples):
    base = ctypes.addressof(samples)
    luma, chroma = WIDTH * HEIGHT, WIDTH * HEIGHT // 4
    planes = (Plane * 3)(Plane(base, WIDTH, 1), Plane(base + luma, WIDTH // 2, 1),
                         Plane(base + luma + chroma, WIDTH // 2, 1))
    return Picture(ctypes.sizeof(Picture), 0, WIDTH, HEIGHT, 1, 8, 1, 0, 0, planes, 1, 1, 2, 1)


def held():
    rss = int(re.search(r"VmRSS:\s+(\d+)", open("/proc/self/status").read()).group(1)) / 1024
    used = subprocess.run(["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"],
                          capture_output=True, text=True).stdout.split()[0]
    return rss, int(used)


def main():
    library = ctypes.CDLL(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    library.vmafx_config_create.restype = ctypes.c_void_p
    error = ctypes.create_string_buffer(1024)
    size = WIDTH * HEIGHT * 3 // 2
    buffers = [(ctypes.c_uint8 * size).from_buffer(bytearray((x * k >> 3) & 255 for x in range(size))) for k in (3, 5)]
    rows, memory = set(), []
    for number in range(count):
        config = ctypes.c_void_p(library.vmafx_config_create())
        for name, value in ((b"backend", b"cuda"), (b"metrics", b"ssimulacra2+float_psnr+psnr+vif")):
            assert library.vmafx_config_set(config, name, value, error) == 0, error.value
        session = ctypes.c_void_p()
        assert library.vmafx_session_create(config, ctypes.byref(session), error) == 0, error.value
        library.vmafx_config_destroy(config)
        pair = Pair(ctypes.sizeof(Pair), number, picture(buffers[0]), picture(buffers[1]))
        assert library.vmafx_session_submit(session, ctypes.byref(pair), error) == 0, error.value
        scores = Scores(ctypes.sizeof(Scores))
        assert library.vmafx_session_receive(session, 1, ctypes.byref(scores), error) == 0, error.value
        rows.add(tuple(scores.values[:scores.count]))
        library.vmafx_session_destroy(session)
        if number % (count // 10) == count // 10 - 1:
            memory.append(held())
    print(f"{count} sessions opened and closed, {len(rows)} different row(s)")
    print("after each tenth, RSS MB and device MB:", " ".join(f"{rss:.0f}/{used}" for rss, used in memory))
    flat = memory[-1][0] - memory[1][0] < 8 and memory[-1][1] - memory[1][1] < 8
    print("flat" if flat and len(rows) == 1 else "FAILED")
    return 0 if flat and len(rows) == 1 else 1


sys.exit(main())
