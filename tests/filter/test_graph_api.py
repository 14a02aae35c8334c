# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The filter in an application's graph (graph_api.c), through libavfilter's public interface alone."""
import json
import subprocess

import ffmpeg_tree
import pytest
import support

WIDTH, HEIGHT, FRAMES = 70, 54, 6
METRICS = "metrics=ssimulacra2+psnr+vif"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return ffmpeg_tree.build(tmp_path_factory.mktemp("graph_api"), "graph_api.c")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("raw")
    paths = []
    for name, effect in (("distorted", ",avgblur=2"), ("reference", "")):
        made = support.ffmpeg("-f", "lavfi", "-i", f"testsrc2=s={WIDTH}x{HEIGHT}:r=25{effect},format=yuv420p",
                              "-frames:v", FRAMES, "-f", "rawvideo", folder / name)
        assert made.code == 0, made.text
        paths.append(folder / name)
    return paths


def scores_of_ffmpeg(files, folder):
    """One {name: value} per frame, from the program ffmpeg."""
    inputs = [argument for path in files for argument in
              ("-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", f"{WIDTH}x{HEIGHT}", "-r", "25", "-i", path)]
    result = support.score(inputs, METRICS, folder)
    assert result.code == 0, result.text
    return [frame["metrics"] for frame in result.log["frames"]]


def run(program, order, files, options=METRICS):
    done = subprocess.run([program, order, *files, str(WIDTH), str(HEIGHT), options], capture_output=True, text=True,
                          timeout=support.TIMEOUT)
    assert done.returncode == 0, done.stderr
    *lines, last = done.stdout.splitlines()
    rows = {}
    for line in lines:
        pts, name, value = line.split()
        rows.setdefault(int(pts), {})[name.removeprefix("lavfi.vmafx.")] = float(value)
    return rows, int(last.removeprefix("frames ")), done.stderr


@pytest.mark.parametrize("order", ["turns", "blocks"])
def test_scores_are_those_of_ffmpeg(program, files, tmp_path, order):
    rows, frames, errors = run(program, order, files)
    assert frames == FRAMES
    assert rows == dict(enumerate(scores_of_ffmpeg(files, tmp_path)))
    assert f"pairs={FRAMES} unpaired_distorted=0 unpaired_reference=0" in errors


def test_graph_freed_before_the_end(program, files, tmp_path):
    """What was sent is measured, and the log is whole when the process has ended."""
    log = tmp_path / "scores.json"
    run(program, "stop", files, f"{METRICS}:log_path={log}")
    rows = [frame["metrics"] for frame in json.loads(log.read_text())["frames"]]
    (tmp_path / "ffmpeg").mkdir()
    assert rows == scores_of_ffmpeg(files, tmp_path / "ffmpeg")[:2]
