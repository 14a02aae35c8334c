#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Checks the filter on a machine with an NVIDIA GPU, with real decoded clips.

  check_filter.py --ffmpeg build/bin/ffmpeg --clips FOLDER [PART]...

FOLDER holds pairs of clips, see PAIRS. Parts: parity, chains, failures, sums, repeats, memory, speed; by default all.
Prints a line per check and a table of speeds; the exit status is 1 when a check failed.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

# Name, distorted, reference, the layout that NVDEC gives, number of frames.
PAIRS = [
    ("H.264 8-bit 4:2:0 1080p, VFR", "dog_enc.mkv", "dog.mp4", "nv12", 41),
    ("HEVC 10-bit 4:2:0 1080x1920", "roofs_dis.hevc", "roofs_ref.hevc", "p010le", 24),
    ("HEVC 8-bit 4:4:4 720p", "c444_8_q32.hevc", "c444_8_q8.hevc", "yuv444p", 12),
    ("HEVC 10-bit 4:4:4 720p", "c444_10_q32.hevc", "c444_10_q8.hevc", "yuv444p10msble", 12),
    ("HEVC 12-bit 4:4:4 720p", "c444_12_q32.hevc", "c444_12_q8.hevc", "yuv444p12msble", 12),
    ("H.264 8-bit 4:2:0 2160p", "u4k_dis.mp4", "u4k_ref.mp4", "nv12", 48),
]
OPTIONS = ["metrics=ssimulacra2+float_psnr+psnr+vif",
           "metrics=ssimulacra2:ssimulacra2_profile=recursive",
           "metrics=psnr+vif:psnr_mse=1:psnr_apsnr=1:vif_debug=1:vif_enhn_gain_limit=1"]
HARDWARE = ["-hwaccel", "cuda", "-hwaccel_output_format", "cuda"]
failed = []


def report(name, good, text=""):
    print(f"{'ok    ' if good else 'FAILED'} {name}{': ' if text else ''}{text}", flush=True)
    if not good:
        failed.append(name)


class Ffmpeg:
    def __init__(self, program, clips):
        self.program = program
        self.clips = clips

    def run(self, distorted, reference, graph, before=(), outputs=("-f", "null", "-"), timeout=180, env=None, loop=0):
        command = [self.program, "-hide_banner", "-nostdin", "-v", "info", "-nostats"]
        for clip in (distorted, reference):
            command += [*before, *(["-stream_loop", str(loop)] if loop else []), "-i", os.path.join(self.clips, clip)]
        if graph:
            command += ["-lavfi", graph]
        command += ["-an", *outputs]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=env)
        except subprocess.TimeoutExpired:
            return -1, "timed out"
        return done.returncode, done.stderr


def log_without_run(path):
    """The log, less what names the processor and the time of the run."""
    text = open(path).read()
    json.loads(text)
    text = re.sub(r'"backend":"[^"]*","device":"[^"]*"', '"backend":"","device":""', text)
    return re.sub(r'"fps":[0-9.e+-]+', '"fps":0', text)


def complaints(errors):
    """What the filter complained about; it also names its two inputs, once each."""
    lines = [line for line in errors.splitlines() if re.match(r"\[(Parsed_)?vmafx(_\d+)? @", line)]
    return [line for line in lines if not re.search(r"\] (distorted|reference) \((first|second) input\):", line)]


def last_lines(text, count=3):
    return " | ".join(text.strip().splitlines()[-count:])


def check_parity(ffmpeg, folder):
    for name, distorted, reference, layout, _ in PAIRS:
        for index, options in enumerate(OPTIONS):
            label = f"{name}, {options}"
            logs = [os.path.join(folder, f"{side}.json") for side in ("cuda", "cpu", "upload", "software")]
            down = f"[0:v]hwdownload,format={layout}[d];[1:v]hwdownload,format={layout}[r];[d][r]"
            runs = [("[0:v][1:v]vmafx=backend=cuda", HARDWARE), (down + "vmafx=backend=cpu", HARDWARE)]
            if index == 0:
                runs += [("[0:v][1:v]vmafx=backend=cuda", ()), ("[0:v][1:v]vmafx=backend=cpu", ())]
            good = True
            for (graph, before), log in zip(runs, logs):
                status, errors = ffmpeg.run(distorted, reference, f"{graph}:{options}:log_path={log}", before)
                if status != 0:
                    report(label, False, f"{graph}: exit {status}: {last_lines(errors)}")
                    good = False
                    break
            if not good:
                continue
            first = log_without_run(logs[0])
            rows = len(json.loads(first)["frames"])
            report(f"{label}: CUDA frames = downloaded frames on the CPU", first == log_without_run(logs[1]),
                   f"{rows} rows")
            if index == 0:
                report(f"{label}: host frames, CUDA = CPU", log_without_run(logs[2]) == log_without_run(logs[3]))


def check_chains(ffmpeg, folder):
    pair = PAIRS[0]
    status, errors = ffmpeg.run(pair[1], pair[2], "[0:v][1:v]vmafx,scale_cuda=640:360,hwdownload,format=nv12", HARDWARE)
    report("a CUDA filter follows (scale_cuda)", status == 0, last_lines(errors, 1))
    log = os.path.join(folder, "two_%d.json")
    graph = (f"[0:v]split=2[a][b];[1:v]split=2[c][d];[a][c]vmafx=log_path={log % 1}[x];"
             f"[b][d]vmafx=log_path={log % 2}[y]")
    status, errors = ffmpeg.run(pair[1], pair[2], graph, HARDWARE,
                                ("-map", "[x]", "-f", "null", "-", "-map", "[y]", "-f", "null", "-"))
    same = status == 0 and log_without_run(log % 1) == log_without_run(log % 2)
    report("two filters at once on one GPU", same, "" if same else last_lines(errors))
    count = len(subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout.splitlines())
    for device in range(count):
        status, errors = ffmpeg.run(pair[1], pair[2],
                                    f"[0:v][1:v]vmafx=backend=cuda:device={device}:log_path={log % (3 + device)}")
        report(f"device={device} for host frames", status == 0, last_lines(errors, 1))
    if count > 1:
        report("the same log on every GPU", len({log_without_run(log % (3 + d)) for d in range(count)}) == 1)
    status, errors = ffmpeg.run(pair[1], pair[2], "[0:v]hwdownload,format=nv12[d];[d][1:v]vmafx", HARDWARE)
    report("one input on the device, one in memory: refused", status != 0 and len(complaints(errors)) == 1,
           " ".join(complaints(errors)))
    status, errors = ffmpeg.run(pair[1], pair[2], "[0:v][1:v]vmafx=backend=cpu", HARDWARE)
    report("backend=cpu with CUDA frames: refused", status != 0 and len(complaints(errors)) == 1,
           " ".join(complaints(errors)))


def check_failures(ffmpeg, folder):
    pair = PAIRS[0]
    log = os.path.join(folder, "failed.json")
    hidden = dict(os.environ, CUDA_VISIBLE_DEVICES="")
    for label, options, env in [("no device", "backend=cuda", hidden),
                                ("unknown device", "backend=cuda:device=77", None),
                                ("unknown PCI address", r"backend=cuda:device=00ff\\:00\\:00.0", None),
                                ("backend=hip", "backend=hip", None)]:
        status, errors = ffmpeg.run(pair[1], pair[2], f"[0:v][1:v]vmafx={options}:log_path={log}", env=env)
        lines = complaints(errors)
        report(f"{label}: one line and exit status {status}", status != 0 and len(lines) == 1, " | ".join(lines))


def check_sums(ffmpeg, folder):
    """float_psnr beyond 2^53 units, where the additions of rows round."""
    logs = []
    for backend in ("cuda", "cpu"):
        logs.append(os.path.join(folder, f"{backend}.csv"))
        graph = ("gradients=s=2560x1440:d=0.2:seed=7:c0=white:c1=gray:nb_colors=2,format=gray16le[d];"
                 "color=black:s=2560x1440:d=0.2,format=gray16le[r];"
                 f"[d][r]vmafx=backend={backend}:metrics=float_psnr:log_fmt=csv:log_path={logs[-1]}")
        done = subprocess.run([ffmpeg.program, "-nostdin", "-v", "error", "-filter_complex", graph, "-f", "null", "-"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            report("float_psnr past 2^53 units", False, last_lines(done.stderr))
            return
    rows = [open(log).read() for log in logs]
    report("float_psnr past 2^53 units, 2560x1440 16 bit", rows[0] == rows[1], rows[0].splitlines()[-1])


def check_repeats(ffmpeg, folder, count=200, at_once=8):
    name, distorted, reference, _, _ = PAIRS[5]

    def one(number):
        log = os.path.join(folder, f"repeat_{number}.json")
        graph = f"[0:v][1:v]vmafx=metrics=ssimulacra2+float_psnr+psnr+vif:log_path={log}"
        status, errors = ffmpeg.run(distorted, reference, graph, HARDWARE)
        return log_without_run(log) if status == 0 else f"exit {status}: {last_lines(errors)}"

    begin = time.time()
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        logs = set(pool.map(one, range(count)))
    report(f"{count} repeats of {name}, {at_once} at once: one log", len(logs) == 1 and "frames" in next(iter(logs)),
           f"{len(logs)} different, {time.time() - begin:.0f} s" + ("" if len(logs) == 1 else str(list(logs))[:400]))


def check_memory(ffmpeg, folder, frames=23000):
    _, distorted, reference, _, length = PAIRS[0]
    log = os.path.join(folder, "long.csv")
    loops = frames // length
    command = [ffmpeg.program, "-hide_banner", "-nostdin", "-v", "error", "-nostats"]
    for clip in (distorted, reference):
        command += [*HARDWARE, "-stream_loop", str(loops), "-i", os.path.join(ffmpeg.clips, clip)]
    command += ["-lavfi", f"[0:v][1:v]vmafx=log_fmt=csv:log_path={log}", "-an", "-f", "null", "-"]
    samples = []
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)

    def watch():
        while process.poll() is None:
            try:
                rss = int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{process.pid}/status").read()).group(1)) / 1024
                used = subprocess.run(["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"],
                                      capture_output=True, text=True).stdout.split()[0]
                rows = sum(1 for _ in open(log)) if os.path.exists(log) else 0
                samples.append((rows, rss, int(used)))
            except (OSError, AttributeError, IndexError):
                pass
            time.sleep(1.5)

    watcher = threading.Thread(target=watch)
    begin = time.time()
    watcher.start()
    errors = process.communicate()[1]
    watcher.join()
    rows = sum(1 for _ in open(log)) - 1
    seconds = time.time() - begin
    # From the first eighth on, and not while the process ends.
    steady = [s for s in samples if rows // 8 < s[0] < rows - rows // 20]
    growth = [max(s[i] for s in steady) - steady[0][i] for i in (1, 2)]
    # Repeating a clip of variable frame rate shifts its copies in the two containers by different amounts: some frames
    # have no partner.
    report(f"{rows} pairs of 1080p in {seconds:.0f} s ({rows / seconds:.0f} per second): memory is flat",
           process.returncode == 0 and rows >= 20000 and growth[0] < 24 and growth[1] < 16,
           f"RSS {steady[0][1]:.0f} to {steady[-1][1]:.0f} MB, device {steady[0][2]} to {steady[-1][2]} MB, exit "
           f"{process.returncode} {last_lines(errors)}")


def measure_speed(ffmpeg, folder):
    # streamselect synchronises two inputs and does nothing else.
    framesync = "[0:v][1:v]streamselect=inputs=2:map=0"
    print(f"{'':50} {'pairs/s':>9}  of framesync")
    for (name, distorted, reference, _, length), loop in ((PAIRS[0], 40), (PAIRS[5], 15)):
        base = None
        for label, graph in [("decode both, framesync", framesync),
                             ("vmafx=metrics=float_psnr", "[0:v][1:v]vmafx=metrics=float_psnr"),
                             ("vmafx=metrics=vif", "[0:v][1:v]vmafx=metrics=vif"),
                             ("vmafx=metrics=ssimulacra2", "[0:v][1:v]vmafx=metrics=ssimulacra2"),
                             ("vmafx", "[0:v][1:v]vmafx"),
                             ("decode both, framesync again", framesync)]:
            begin = time.time()
            status, errors = ffmpeg.run(distorted, reference, graph, HARDWARE, loop=loop)
            rate = length * (loop + 1) / (time.time() - begin)
            base = base or rate
            error = "" if status == 0 else last_lines(errors)
            print(f"{name.split()[3]:10} {label:39} {rate:9.1f}  {rate / base:.3f} {error}", flush=True)
    for name, distorted, reference, _, _ in (PAIRS[0], PAIRS[5]):
        times = {}
        for label, graph in [("without", framesync), ("with", "[0:v][1:v]vmafx")]:
            runs = []
            for _ in range(5):
                begin = time.time()
                ffmpeg.run(distorted, reference, graph, HARDWARE, ("-frames:v", "1", "-f", "null", "-"))
                runs.append(time.time() - begin)
            times[label] = sorted(runs)[2]
        print(f"{name.split()[3]} start to first frame, whole process: {times['without']:.2f} s without, "
              f"{times['with']:.2f} s with the filter")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ffmpeg", required=True)
    parser.add_argument("--clips", required=True)
    parser.add_argument("parts", nargs="*")
    arguments = parser.parse_args()
    parts = {"parity": check_parity, "chains": check_chains, "failures": check_failures, "sums": check_sums,
             "repeats": check_repeats, "memory": check_memory, "speed": measure_speed}
    ffmpeg = Ffmpeg(os.path.abspath(arguments.ffmpeg), os.path.abspath(arguments.clips))
    for part in arguments.parts or parts:
        begin = time.time()
        with tempfile.TemporaryDirectory() as folder:
            parts[part](ffmpeg, folder)
        print(f"-- {part}: {time.time() - begin:.0f} s", flush=True)
    print(f"{len(failed)} failed")
    return 1 if failed else 0


sys.exit(main())
