# SPDX-License-Identifier: BSD-2-Clause-Patent
"""ffmpeg rebuilds the graph when a parameter of an input changes; the measurement goes on."""
import json
import re
import shutil

import pytest
import support


def pictures(folder, name, parts):
    """A numbered picture sequence: 12 frames of each (size, pixel format, effect)."""
    (folder / name).mkdir()
    for i, (size, pixel_format, effect) in enumerate(parts):
        made = support.ffmpeg("-f", "lavfi", "-i", f"testsrc2=s={size}:r=25,{effect},format={pixel_format}", "-frames:v", "12",
                              "-start_number", i * 12, "-q:v", "2", folder / name / "%03d.jpg")
        assert made.code == 0, made.text
    return ["-framerate", "25", "-i", folder / name / "%03d.jpg"]


SMALL, LARGE = ("64x48", "yuvj420p"), ("96x64", "yuvj420p")
BLUR, NONE = "avgblur=2", "null"
# parts of the distorted input, of the reference
BOTH = {
    "size": ([SMALL, LARGE], [SMALL, LARGE]),
    "size, twice": ([SMALL, LARGE, SMALL], [SMALL, LARGE, SMALL]),
    "format": ([SMALL, ("64x48", "yuvj444p")], [SMALL, ("64x48", "yuvj444p")]),
}


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("form", ["json", "csv"])
def test_both_change(tmp_path, name, form):
    inputs = [*pictures(tmp_path, "d", [(*part, BLUR) for part in BOTH[name][0]]),
              *pictures(tmp_path, "r", [(*part, NONE) for part in BOTH[name][1]])]
    log = tmp_path / "scores"
    count = 12 * len(BOTH[name][0])
    result = support.score(inputs, f"metrics=psnr+float_psnr:log_fmt={form}:log_path={log}")
    assert result.code == 0, result.text
    assert "Reconfiguring filter graph" in result.text
    assert result.counts() == (count, 0, 0)
    if form == "csv":
        lines = log.read_text().splitlines()
        assert len(lines) == count + 1 and len({line.count(",") for line in lines}) == 1
        return
    parts = []
    for i in range(len(BOTH[name][0])):  # each part by itself gives the same rows
        window = []
        for side in ("d", "r"):
            (tmp_path / f"{side}{i}").mkdir()
            for number in range(12 * i, 12 * i + 12):
                shutil.copy(tmp_path / side / f"{number:03}.jpg", tmp_path / f"{side}{i}")
            window += ["-framerate", "25", "-start_number", i * 12, "-i", tmp_path / f"{side}{i}" / "%03d.jpg"]
        part = support.score(window, "metrics=psnr+float_psnr", tmp_path)
        assert part.code == 0, part.text
        parts += [frame["metrics"] for frame in part.log["frames"]]
    frames = json.loads(log.read_text())["frames"]
    assert [frame["frameNum"] for frame in frames] == list(range(count))
    assert [frame["metrics"] for frame in frames] == parts


def test_layout_of_one_input_changes(tmp_path):
    """What the metric takes need not change on both sides: 4:2:0 then 4:4:4 against 4:2:0, luma only."""
    inputs = [*pictures(tmp_path, "d", [(*SMALL, BLUR), ("64x48", "yuvj444p", BLUR)]),
              *pictures(tmp_path, "r", [(*SMALL, NONE), (*SMALL, NONE)])]
    result = support.score(inputs, "metrics=psnr:psnr_chroma=0", tmp_path)
    assert result.code == 0, result.text
    assert result.counts() == (24, 0, 0) and len(result.log["frames"]) == 24


@pytest.mark.parametrize("changed", ["d", "r"])
def test_one_changes_size(tmp_path, changed):
    parts = {"d": [(*SMALL, BLUR)] * 2, "r": [(*SMALL, NONE)] * 2}
    parts[changed] = [parts[changed][0], (*LARGE, NONE)]
    inputs = [*pictures(tmp_path, "d", parts["d"]), *pictures(tmp_path, "r", parts["r"])]
    result = support.score(inputs, "metrics=psnr", tmp_path)
    assert result.code != 0
    assert "pair 12: " in result.text and "(distorted frame 12, reference frame 12)" in result.text
    assert "64x48" in result.text and "96x64" in result.text
    # What was measured before is in the log, and the log can be read.
    assert [frame["frameNum"] for frame in result.log["frames"]] == list(range(12))


@pytest.mark.parametrize("metrics", ["psnr:queue=1", "ssimulacra2:queue=8"])
@pytest.mark.parametrize("behind", ["", ",metadata=mode=print:file=/dev/null,null"])
@pytest.mark.parametrize("second", [LARGE, ("64x48", "yuvj444p")], ids=["size", "format"])
def test_frames_that_the_output_lacks_are_counted(tmp_path, metrics, behind, second):
    """Frames of the old size cannot leave through the new graph; those that leave and those that are named are all."""
    inputs = [*pictures(tmp_path, "d", [(*part, BLUR) for part in (SMALL, second, SMALL)]),
              *pictures(tmp_path, "r", [(*part, NONE) for part in (SMALL, second, SMALL)])]
    for _ in range(3):
        result = support.score(inputs, f"metrics={metrics}", graph="[0:v][1:v]vmafx=%s" + behind,
                               output=("-fps_mode", "passthrough", "-f", "framecrc", "-"))
        assert result.code == 0 and result.counts() == (36, 0, 0), result.text
        said = re.search(r"\] \[warning\] Measured but not passed on: (\d+) frame", result.text)
        left = len([line for line in result.output.decode().splitlines() if not line.startswith("#")])
        assert left + (int(said[1]) if said else 0) == 36, result.text


def test_frames_held_by_the_old_graph_are_measured(tmp_path):
    """A deep queue is full when the graph is rebuilt."""
    inputs = [*pictures(tmp_path, "d", [(*SMALL, BLUR), (*LARGE, BLUR)]), *pictures(tmp_path, "r", [(*SMALL, NONE), (*LARGE, NONE)])]
    result = support.score(inputs, "metrics=ssimulacra2+psnr:queue=16:threads=1", tmp_path)
    assert result.code == 0, result.text
    assert result.counts() == (24, 0, 0) and len(result.log["frames"]) == 24
