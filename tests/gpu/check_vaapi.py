#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Checks the filter on a machine with an AMD GPU: frames that VAAPI decodes, measured where they are.

  check_vaapi.py FFMPEG

Encodes two clips in software, decodes both with VAAPI and measures them with backend=hip, and compares every value with
that of the CPU from the same clips decoded in software. Prints how the frames reached the GPU and how many values are
equal; the exit status is 0 when they all are and VAAPI has decoded both clips. $VAAPI_DEVICE is the GPU's render node
(/dev/dri/renderD128), else FFmpeg chooses.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

METRICS = "metrics=ssimulacra2+float_psnr+psnr+vif"
SIZE, FRAMES = "176x144", 12
ENCODES = [("distorted", "35"), ("reference", "10")]  # the quality of each, in x264's numbers


def hardware():
    """What decodes with VAAPI: before all inputs, and before each."""
    device = os.environ.get("VAAPI_DEVICE", "")
    return ["-init_hw_device", f"vaapi=gpu{':' if device else ''}{device}"], [
        "-hwaccel", "vaapi", "-hwaccel_device", "gpu", "-hwaccel_output_format", "vaapi"]


def run(ffmpeg, *arguments):
    command = [ffmpeg, "-hide_banner", "-nostdin", "-y", "-nostats", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(command)}\n{done.stderr}")
    return done.stderr


def measure(ffmpeg, folder, backend, before=(), before_each=()):
    """The log, and what was printed."""
    log = folder / f"{backend}.json"
    inputs = [argument for name, _ in ENCODES for argument in (*before_each, "-i", folder / f"{name}.mp4")]
    graph = f"[0:v][1:v]vmafx={METRICS}:backend={backend}:log_path={log}"
    text = run(ffmpeg, *before, *inputs, "-lavfi", graph, "-f", "null", "-")
    return json.loads(log.read_text()), text


def compare(gpu, cpu):
    """The number of equal values and of all, a frame or value that one of them lacks being a different one."""
    rows = [{(frame["frameNum"], name): value for frame in log["frames"] for name, value in frame["metrics"].items()}
            for log in (gpu, cpu)]
    both = rows[0].keys() & rows[1].keys()
    return sum(rows[0][place] == rows[1][place] for place in both), len(rows[0].keys() | rows[1].keys())


def not_from_vaapi(text):
    """The sides whose frames did not come from VAAPI: FFmpeg decodes in software where it cannot, with a warning."""
    return [name for name, _ in ENCODES if f"The {name} frames (vaapi) are" not in text]


def check(ffmpeg, before, before_each):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for clip, quality in ENCODES:
            run(ffmpeg, "-f", "lavfi", "-i", f"testsrc2=s={SIZE}:r=25,format=yuv420p", "-frames:v", FRAMES,
                "-c:v", "libx264", "-crf", quality, folder / f"{clip}.mp4")
        cpu, _ = measure(ffmpeg, folder, "cpu")
        gpu, text = measure(ffmpeg, folder, "hip", before, before_each)
    for line in text.splitlines():
        if "frames (" in line:
            print(line[line.index("The "):])
    if before_each and (sides := not_from_vaapi(text)):
        print(f"failed: FFmpeg did not decode with VAAPI ({', '.join(sides)}); what it said:\n{text}", flush=True)
        return False
    equal, total = compare(gpu, cpu)
    print(f"{gpu['device']}, frames in FFmpeg: {equal} of {total} values equal, {len(gpu['frames'])} pairs", flush=True)
    return equal == total and len(gpu["frames"]) == FRAMES


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if not os.access(sys.argv[1], os.X_OK):
        sys.exit(f"failed: there is no FFmpeg at {sys.argv[1]}; see build/log")
    sys.exit(0 if check(sys.argv[1], *hardware()) else 1)
