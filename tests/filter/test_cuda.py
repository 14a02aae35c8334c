# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The filter with frames in CUDA memory, without a GPU: ffmpeg loads the stand-in driver (tests/cuda/libcuda.cc), which
runs the kernels on the CPU, ends the program when a destroyed context is used, and counts what was not given back."""
import json
import os
import re
import subprocess

import pytest
import support

DRIVER = support.find_built("VMAFX_STAND_IN_DRIVER", "cuda/libcuda.so.1")
ALL = "metrics=ssimulacra2+float_psnr+psnr+vif"
BOTH = "[0:v]hwupload[d];[1:v]hwupload[r];[d][r]"
DEVICE = ["-init_hw_device", "cuda=gpu", "-filter_hw_device", "gpu"]


def run(*arguments, fail="", driver=None):
    """ffmpeg with the stand-in driver, of which the call `fail` fails ("LaunchKernel:3", "LaunchKernel:3:lost"), or with
    the driver in a folder."""
    return support.ffmpeg(*arguments, env={**os.environ, "LD_LIBRARY_PATH": str(driver or os.path.dirname(DRIVER)),
                                           "VMAFX_STAND_IN_FAIL": fail})


@pytest.fixture(scope="module", autouse=True)
def needs_cuda():
    if not DRIVER:
        pytest.skip("no stand-in driver is built (VMAFX_STAND_IN_DRIVER names one)")
    tried = run(*inputs(1), "-lavfi", "[0:v][1:v]vmafx=backend=cuda:metrics=psnr", "-f", "null", "-")
    if "this build of libvmafx has no CUDA" in tried.text or b"cuda" not in support.ffmpeg("-hwaccels").output:
        pytest.skip(f"{support.FFMPEG} is built without CUDA")


def inputs(frames, pixel_format="nv12", size="96x80"):
    return support.lavfi(*(f"testsrc2=s={size}:r=25:d={frames / 25},{effect},format={pixel_format}"
                           for effect in ("avgblur=2", "null")))


def log_without_run(path):
    """The log, less what names the processor and the time of the run."""
    text = path.read_text()
    json.loads(text)
    text = re.sub(r'"backend":"[^"]*","device":"[^"]*"', "", text)
    return re.sub(r'"fps":[0-9.e+-]+', "", text)


def check_tidy(result):
    """The context was destroyed in the end, and nothing was left in it."""
    assert "stand-in driver: a context is destroyed, 0 things were not given back" in result.text, result.text


@pytest.mark.parametrize("pixel_format", ["nv12", "yuv420p", "p010", "yuv422p10", "yuv444p16", "yuva420p"])
@pytest.mark.parametrize("crop", ["null", "crop=64:48:10:8:exact=1"])
def test_the_log_is_that_of_the_cpu(tmp_path, pixel_format, crop):
    logs = [tmp_path / name for name in ("cuda.json", "cpu.json", "upload.json")]
    graphs = [f"[0:v]hwupload,{crop}[d];[1:v]hwupload,{crop}[r];[d][r]vmafx=backend=cuda:{ALL}:log_path={logs[0]}",
              f"[0:v]{crop}[d];[1:v]{crop}[r];[d][r]vmafx=backend=cpu:{ALL}:log_path={logs[1]}",
              f"[0:v]{crop}[d];[1:v]{crop}[r];[d][r]vmafx=backend=cuda:device=1:{ALL}:log_path={logs[2]}"]
    for graph, log in zip(graphs, logs):
        result = run(*DEVICE, *inputs(4, pixel_format), "-lavfi", graph, "-f", "null", "-")
        assert result.code == 0, result.text
        assert result.counts() == (4, 0, 0)
        assert log_without_run(log) == log_without_run(logs[0])
        check_tidy(result)


@pytest.mark.parametrize("profile", ["standard", "recursive"])
def test_no_plane_is_copied_and_few_bytes_come_back(profile):
    """The trace of the driver's functions; hwupload's own copies are others (Memcpy2DAsync)."""
    calls = {}
    for frames in (6, 12):  # more than are in flight
        graph = f"{BOTH}vmafx=backend=cuda:{ALL}:ssimulacra2_profile={profile}"
        result = run(*DEVICE, *inputs(frames), "-lavfi", graph, "-f", "null", "-")
        assert result.code == 0, result.text
        calls[frames] = {name: (int(number), int(size)) for name, number, size in
                         re.findall(r"stand-in driver: called (\w+) (\d+) times, (\d+) bytes", result.text)}
        # What the README says: 864 bytes, 8 a row (80 rows), 24, 128, in blocks of 256.
        assert calls[frames]["MemcpyDtoHAsync"] == (frames, frames * (1024 + 768 + 256 + 256))
        assert "MemcpyHtoDAsync" not in calls[frames]
        assert calls[frames]["EventSynchronize"][0] == frames
    # Tables, memory, events and the host's waits for streams do not depend on the number of frames.
    for name in ("MemcpyHtoD", "MemHostAlloc", "EventCreate", "StreamSynchronize"):
        assert calls[6][name] == calls[12][name]


def test_two_filters_share_a_context(tmp_path):
    logs = [tmp_path / f"{i}.json" for i in range(2)]
    graph = (f"[0:v]hwupload,split[a][b];[1:v]hwupload,split[c][d];[a][c]vmafx={ALL}:log_path={logs[0]}[x];"
             f"[b][d]vmafx={ALL}:log_path={logs[1]}[y]")
    result = run(*DEVICE, *inputs(6), "-lavfi", graph, "-map", "[x]", "-f", "null", "-",
                 "-map", "[y]", "-f", "null", "-")
    assert result.code == 0, result.text
    assert log_without_run(logs[0]) == log_without_run(logs[1])
    check_tidy(result)


def test_stopped_before_the_end(tmp_path):
    """ffmpeg gives its device back; then the run, which outlives the graph, is finished at the process's end."""
    log = tmp_path / "scores.json"
    slow = support.lavfi(*("testsrc2=s=96x80:r=5,format=nv12,realtime" for _ in range(2)))
    # Nothing is left in the filter that would keep the device: both pairs are passed on when the second one, which is
    # not measured, has come, and the third has not.
    options = f"metrics=psnr:sync=index:queue=1:subsample=2:log_path={log}"
    result = run(*DEVICE, *slow, "-lavfi", f"{BOTH}vmafx={options}", "-frames:v", "2", "-f", "null", "-")
    assert result.code == 0, result.text
    assert result.counts() == (2, 0, 0)
    assert len(json.loads(log.read_text())["frames"]) == 1
    check_tidy(result)


def test_frames_of_an_earlier_pool_are_not_passed_on(tmp_path):
    """The graph is rebuilt, so hwupload makes a new pool: hwdownload takes frames of the old one for an error."""
    sequences = []
    for side, effect in (("d", "avgblur=2"), ("r", "null")):
        (tmp_path / side).mkdir()
        for start, pixel_format in ((0, "yuvj420p"), (12, "yuvj444p")):
            made = support.ffmpeg("-f", "lavfi", "-i", f"testsrc2=s=64x48:r=25,{effect},format={pixel_format}",
                                  "-frames:v", "12", "-start_number", start, "-q:v", "2", tmp_path / side / "%03d.jpg")
            assert made.code == 0, made.text
        sequences += ["-framerate", "25", "-i", tmp_path / side / "%03d.jpg"]
    log = tmp_path / "scores.json"
    graph = (f"[0:v]format=yuv420p,hwupload[d];[1:v]format=yuv420p,hwupload[r];"
             f"[d][r]vmafx=metrics=psnr:log_path={log},hwdownload,format=yuv420p")
    result = run(*DEVICE, *sequences, "-lavfi", graph, "-f", "null", "-")
    assert "Reconfiguring filter graph" in result.text
    assert result.code == 0, result.text
    assert len(json.loads(log.read_text())["frames"]) == 24
    check_tidy(result)


FAILING = ["MemHostAlloc:1", "ModuleLoadData:2", "ModuleGetFunction:3", "EventCreate:3", "StreamCreate:2",
           "MemcpyHtoD:1", "LaunchKernel:14", "LaunchKernel:1:lost", "LaunchKernel:14:lost", "EventSynchronize:3:lost",
           "EventRecord:9:lost", "MemcpyDtoHAsync:4:lost", "CtxPushCurrent:60:lost"]
MIDWAY = ["LaunchKernel:14", "EventSynchronize:3:lost"]


# hwupload allocates, too, and earlier or later.
@pytest.mark.parametrize("upload,fail", [(False, fail) for fail in FAILING] +
                         [(True, fail) for fail in [*FAILING, "MemAlloc:1", "MemAlloc:3", "MemcpyHtoDAsync:5:lost"]])
def test_a_failing_call_is_one_line(tmp_path, fail, upload):
    log = tmp_path / "scores.json"
    graph = f"{'[0:v][1:v]' if upload else BOTH}vmafx=backend=cuda:metrics=psnr+vif:log_path={log}"
    result = run(*([] if upload else DEVICE), *inputs(6, size="72x56"), "-lavfi", graph, "-f", "null", "-", fail=fail)
    assert result.code > 0, result.text
    assert "stand-in driver: cu" not in result.text
    lines = result.errors()
    assert len(lines) == 1 and "the driver's own words" in lines[0], result.text
    # A run that fails before its first row writes no log.
    assert log.exists() or fail not in MIDWAY
    frames = [frame["frameNum"] for frame in json.loads(log.read_text())["frames"]] if log.exists() else []
    assert frames == list(range(len(frames))) and len(frames) < 6
    if not upload and not fail.endswith("lost"):
        check_tidy(result)


def test_inputs_in_different_memory(tmp_path):
    for graph, side in (("[0:v]hwupload[d];[d][1:v]vmafx", "reference"),
                        ("[1:v]hwupload[r];[0:v][r]vmafx", "distorted")):
        result = run(*DEVICE, *inputs(2), "-lavfi", graph, "-f", "null", "-")
        assert result.code > 0 and len(result.errors()) == 1, result.text
        assert f"hwupload before the {side}" in result.errors()[0]


def test_a_driver_that_lacks_functions_is_too_old(tmp_path):
    (tmp_path / "old.c").write_text("int cuInit(unsigned flags) { (void)flags; return 0; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "libcuda.so.1", tmp_path / "old.c"], check=True)
    result = run(*inputs(1), "-lavfi", "[0:v][1:v]vmafx=backend=cuda", "-f", "null", "-", driver=tmp_path)
    assert result.code > 0 and len(result.errors()) == 1, result.text
    assert "too old (Cannot load cu" in result.errors()[0] and "update it" in result.errors()[0]


def test_a_context_for_each_input():
    result = run(*DEVICE, *inputs(2), "-lavfi", BOTH.replace("hwupload", "hwupload_cuda") + "vmafx", "-f", "null", "-")
    assert result.code > 0 and len(result.errors()) == 1, result.text
    assert "another device context" in result.errors()[0] and "hwupload," in result.errors()[0]
