# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A run that is stopped before its inputs end: what was not decided is neither unpaired nor an error."""
import re

import pytest
import support

LONG = "testsrc2=s=64x48:r=25:d=400"
# A third of a frame apart: each decision needs the frame after the partners.
GRAPH = "[0:v]settb=1/90000,setpts=PTS+1200[d];[1:v]settb=1/90000[r];[d][r]vmafx=%s"
UNDECIDED = re.compile(r"\] pairs=(\d+) .* undecided_distorted=(\d+) undecided_reference=(\d+)$", re.M)


@pytest.mark.parametrize("strict", [0, 1])
@pytest.mark.parametrize("graph, output", [
    (GRAPH, ("-frames:v", "5", "-f", "null", "-")),
    (GRAPH, ("-t", "0.5", "-f", "null", "-")),
    (GRAPH + ",trim=end_frame=5", ("-f", "null", "-")),
], ids=["frames", "t", "trim"])
def test_what_is_undecided_is_counted_apart(tmp_path, strict, graph, output):
    result = support.score(support.lavfi(LONG, LONG), f"metrics=psnr:strict={strict}", tmp_path, graph=graph, output=output)
    assert result.code == 0 and not result.errors(), result.text
    assert "had no partner" not in result.text and "has no partner" not in result.text
    assert "had been read but not compared" in result.text
    pairs, *undecided = (int(number) for number in UNDECIDED.search(result.text).groups())
    assert pairs == len(result.log["frames"]) >= 5 and sum(undecided) > 0
    pairing = result.log["pairing"]
    assert (pairing["pairs"], pairing["unpaired_distorted"], pairing["unpaired_reference"]) == (pairs, 0, 0)
    assert [pairing["undecided_distorted"], pairing["undecided_reference"]] == undecided
    assert [result.log[side]["frames"] for side in ("distorted", "reference")] == [pairs + number for number in undecided]


def test_natural_ends_leave_nothing_undecided(tmp_path):
    result = support.score(support.lavfi("testsrc2=s=64x48:r=25:d=0.2", "testsrc2=s=64x48:r=25:d=0.4"), "metrics=psnr", tmp_path)
    assert result.code == 0 and result.counts() == (5, 0, 5), result.text
    assert "undecided" not in result.text and result.log["pairing"]["undecided_reference"] == 0


def test_pairs_are_those_that_were_scored():
    """A full disk at the first row: the pairs that waited for their scores are none."""
    result = support.score(support.lavfi(*["testsrc2=s=640x480:r=25:d=1"] * 2), "metrics=ssimulacra2:queue=8:threads=1:log_path=/dev/full")
    assert result.code != 0, result.text
    counted = int(re.search(r"\] pairs=(\d+) ", result.text)[1])
    assert counted == int(re.search(r"ssimulacra2: .*count=(\d+)$", result.text, re.M)[1])


def test_pairs_before_a_change_of_one_input(tmp_path):
    """The pair that does not fit is not counted."""
    for i, size in enumerate(["64x48"] * 3 + ["96x64"]):
        for side in "dr":
            (tmp_path / side).mkdir(exist_ok=True)
            made = support.ffmpeg("-f", "lavfi", "-i", f"testsrc2=s={size if side == 'd' else '64x48'}", "-frames:v", "1",
                                  "-update", "1", tmp_path / side / f"{i}.png")
            assert made.code == 0, made.text
    result = support.score(["-i", tmp_path / "d/%d.png", "-i", tmp_path / "r/%d.png"], "metrics=ssimulacra2:queue=8", tmp_path)
    assert result.code != 0 and result.counts()[0] == len(result.log["frames"]) == 3, result.text


def test_an_output_that_nobody_asks_for(tmp_path):
    """nullsink takes frames but never requests one: what is done must not pile up, and all of it is measured."""
    result = support.score(support.lavfi(*["testsrc2=s=64x48:r=25:d=40"] * 2), "metrics=psnr", tmp_path,
                           graph="[0:v]split[o][d];[1:v]split[p][r];[d][r]vmafx=%s,nullsink",
                           output=("-map", "[o]", "-f", "null", "-", "-map", "[p]", "-f", "null", "-"))
    assert result.code == 0 and result.counts() == (1000, 0, 0), result.text
    assert len(result.log["frames"]) == 1000
