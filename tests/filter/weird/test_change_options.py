# SPDX-License-Identifier: BSD-2-Clause-Patent
"""ffmpeg's options on what to do with a parameter that changes in mid-stream: nothing is lost or compared unseen.

The third way, a rebuilt graph, is ffmpeg's default and covered by test_outcomes.py.
"""
import pytest
import support


def known(option):
    return f"-{option}" in support.ffmpeg("-h", "full").output.decode()


def run(files, tmp_path, option, distorted, reference, metrics="psnr+ssimulacra2"):
    if not known(option[0][1:]):
        pytest.skip(f"this ffmpeg has no option {option[0]}")
    return support.score([*option, *files.arguments(f"change/{distorted}"), *option, *files.arguments(f"change/{reference}")],
                         f"metrics={metrics}", tmp_path)


KEEP_GRAPH = ("-reinit_filter", "0")
DROP = ("-drop_changed", "1")


@pytest.mark.parametrize("name, frames", [("size", 72), ("pixel format", 48), ("range", 48)])
def test_kept_graph_measures_what_comes(files, tmp_path, name, frames):
    result = run(files, tmp_path, KEEP_GRAPH, name, name)
    assert result.code == 0, result.text
    assert "Reconfiguring filter graph" not in result.text
    assert result.counts() == (frames, 0, 0)
    assert result.column("ssimulacra2") == [100.0] * frames and len(result.column("psnr_y")) == frames


@pytest.mark.parametrize("distorted, reference, what", [
    ("size", "none", ("128x80", "96x64")),
    ("none", "size", ("96x64", "128x80")),
    ("range", "none", ("full (pc)", "limited (tv)")),
    ("pixel format", "none", ("4:2:2", "4:2:0")),
])
def test_kept_graph_names_the_frame_that_no_longer_fits(files, tmp_path, distorted, reference, what):
    result = run(files, tmp_path, KEEP_GRAPH, distorted, reference)
    assert result.code != 0
    assert len(result.errors()) == 1
    for part in ("pair 24: ", "(distorted frame 24, reference frame 24)", *what):
        assert part in result.errors()[0]
    assert [frame["frameNum"] for frame in result.log["frames"]] == list(range(24))


@pytest.mark.parametrize("distorted, reference, counts", [
    ("size", "size", (24, 0, 0)), ("size", "none", (24, 0, 48)), ("none", "size", (24, 48, 0)),
    ("range", "range", (24, 0, 0)), ("pixel format", "none", (24, 0, 48)),
])
def test_dropped_frames_are_counted(files, tmp_path, distorted, reference, counts):
    result = run(files, tmp_path, DROP, distorted, reference)
    assert result.code == 0, result.text
    assert result.counts() == counts
    assert result.column("ssimulacra2") == [100.0] * 24
