# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Test programs that are linked with the libraries in FFmpeg's build tree."""
import os
import pathlib
import re
import shlex
import subprocess

import pytest
import support

TREE = pathlib.Path(os.environ.get("VMAFX_FFMPEG_TREE", support.ROOT / "build/ffmpeg-src"))
LIBRARIES = ("avfilter", "avformat", "avcodec", "swresample", "swscale", "avutil")
# For an FFmpeg with sanitizers, which is not in the tree: how it was compiled, and what it has instead of the archives'.
FLAGS = shlex.split(os.environ.get("VMAFX_PROGRAM_FLAGS", ""))
OBJECTS = shlex.split(os.environ.get("VMAFX_PROGRAM_OBJECTS", ""))
COMPILERS = {".c": ["cc", "-std=c11"], ".cc": ["c++", "-std=c++20"]}


def configured(name):
    """A variable of the tree's configuration."""
    found = re.search(rf"^{name}=(.*)$", (TREE / "ffbuild/config.mak").read_text(), re.M)
    return shlex.split(found[1].replace("$$", "$")) if found else []


def run(*command):
    # In the tree: its configuration has relative paths.
    made = subprocess.run(command, capture_output=True, text=True, cwd=TREE)
    assert made.returncode == 0, made.stderr


def build(folder, *sources):
    """The program of these sources of tests/filter, in the folder, named like the first; skips the test without a tree."""
    archives = [TREE / f"lib{name}/lib{name}.a" for name in LIBRARIES]
    if not all(archive.exists() for archive in archives):
        pytest.skip(f"no built FFmpeg tree in {TREE} (VMAFX_FFMPEG_TREE names another one)")
    objects = []
    for name in sources:
        source = support.ROOT / "tests/filter" / name
        objects.append(folder / f"{source.stem}.o")
        run(*COMPILERS[source.suffix], "-Wall", "-Wextra", "-O1", *FLAGS, f"-I{TREE}", f"-I{support.ROOT}",
            f"-I{support.ROOT}/core/include", "-c", source, "-o", objects[-1])
    program = folder / pathlib.Path(sources[0]).stem
    extra = [flag for name in LIBRARIES for flag in configured(f"EXTRALIBS-{name}")]
    run("c++", *FLAGS, *objects, *OBJECTS, "-o", program, *configured("LDFLAGS"), *archives, *extra, "-ldl")
    return program
