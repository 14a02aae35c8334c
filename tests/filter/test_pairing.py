# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Which frames are compared: containers, drops, rates, offsets."""
import re

import pytest
import support

A = "testsrc2=s=64x48:r=25:d=0.96"  # 24 frames


def identical(result, pairs):
    assert result.code == 0, result.text
    assert len(result.log["frames"]) == pairs
    if "ssimulacra2" in result.log["frames"][0]["metrics"]:
        assert result.column("ssimulacra2") == [100.0] * pairs
    if "psnr_y" in result.log["frames"][0]["metrics"]:
        assert result.column("psnr_y") == [60.0] * pairs


def test_containers(tmp_path, clips):
    """framesync's default compares 22 of such 60 frames with a neighbour."""
    result = support.score(["-i", clips / "clip.mp4", "-i", clips / "clip.mkv"], "metrics=psnr+ssimulacra2", tmp_path)
    identical(result, 24)
    assert result.counts() == (24, 0, 0)
    assert 0 < result.log["pairing"]["largest_distance"] < 0.001


@pytest.mark.parametrize("prefix", ["settb=AVTB,setpts=PTS-STARTPTS", "settb=1/1000", "settb=1001/30000,setpts=N", "setpts=PTS+10/TB,setpts=PTS-10/TB"])
def test_what_people_put_in_front(tmp_path, clips, prefix):
    result = support.score(["-i", clips / "clip.mp4", "-i", clips / "clip.mkv"], "metrics=psnr", tmp_path,
                           graph=f"[0:v]{prefix}[d];[1:v]{prefix}[r];[d][r]vmafx=%s")
    identical(result, 24)
    assert result.counts() == (24, 0, 0)


# graph before the distorted input, before the reference, options, (pairs, unpaired distorted, unpaired reference), text
CASES = {
    "dropped middle frame": ("select=not(eq(n\\,11))", "null", "", (23, 0, 1), "1 reference frame had no partner: 11"),
    "dropped middle frame of the reference": ("null", "select=not(eq(n\\,11))", "", (23, 1, 0), "1 distorted frame had no partner: 11"),
    "last frame missing": ("trim=end_frame=23", "null", "", (23, 0, 1), "1 reference frame had no partner: 23"),
    "last frame of the reference missing": ("null", "trim=end_frame=23", "", (23, 1, 0), "1 distorted frame had no partner: 23"),
    "first frame missing": ("trim=start_frame=1", "null", "", (23, 0, 1), "1 reference frame had no partner: 0"),
    "reference starts later": ("null", "setpts=PTS+0.2/TB", "", (19, 5, 5), "The reference starts 0.2 s after the distorted input"),
    "reference starts earlier": ("setpts=PTS+0.2/TB", "null", "", (19, 5, 5), "The reference starts 0.2 s before the distorted input"),
    "start offset, index": ("setpts=PTS+10/TB", "null", "sync=index", (24, 0, 0), ""),
    "first time stamp of 10 s": ("setpts=PTS+10/TB", "setpts=PTS+10/TB", "", (24, 0, 0), ""),
    "a third of a frame late": ("setpts=PTS+1/3/25/TB", "null", "", (24, 0, 0), ""),
    "a third of a frame early": ("settb=1/90000,setpts=PTS+10/TB", "settb=1/90000,setpts=PTS+10/TB-1200", "", (24, 0, 0), ""),
    "index, last frames missing": ("trim=end_frame=20", "null", "sync=index", (20, 0, 4), "4 reference frames had no partner: 20, 21, 22, 23"),
    "many unpaired frames": ("trim=end_frame=10", "null", "", (10, 0, 14), "14 reference frames had no partner: 10, 11, 12, 13, 14, 15, 16, 17, ..."),
    "duplicate time stamp": ("setpts=if(eq(N\\,5)\\,PTS-1/25/TB\\,PTS)", "null", "", (23, 1, 1), "1 distorted frame had no partner: 5"),
}


@pytest.mark.parametrize("name", CASES)
def test_table(tmp_path, name):
    distorted, reference, options, counts, text = CASES[name]
    result = support.score(support.lavfi(A, A), f"metrics=psnr:{options}".rstrip(":"), tmp_path,
                           graph=f"[0:v]{distorted}[d];[1:v]{reference}[r];[d][r]vmafx=%s")
    assert result.counts() == counts, result.text
    assert result.code == 0, result.text
    assert text in result.text
    assert len(result.log["frames"]) == counts[0]
    pairing = result.log["pairing"]
    assert (pairing["pairs"], pairing["unpaired_distorted"], pairing["unpaired_reference"]) == counts
    if "starts" not in name and "third" not in name:
        assert result.column("psnr_y") == [60.0] * counts[0]


@pytest.mark.parametrize("distorted, reference, counts", [
    ("testsrc2=s=64x48:r=25:d=0.96", "testsrc2=s=64x48:r=50:d=0.96", (24, 0, 24)),
    ("testsrc2=s=64x48:r=50:d=0.96", "testsrc2=s=64x48:r=25:d=0.96", (24, 24, 0)),
])
def test_twice_the_rate(distorted, reference, counts):
    result = support.score(support.lavfi(distorted, reference), "metrics=psnr")
    assert result.code == 0 and result.counts() == counts, result.text


# What differs by rate, and what does not: chains before both inputs, the rates that are named.
RATES = {
    "25 and 30": ("testsrc2=s=64x48:r=25:d=0.4", "testsrc2=s=64x48:r=30:d=0.4", "25 (distorted) and 30 (reference): put fps=25 before the second"),
    "30 and 25": ("testsrc2=s=64x48:r=30:d=0.4", "testsrc2=s=64x48:r=25:d=0.4", "30 (distorted) and 25 (reference): put fps=25 before the first"),
    "25 and 50": ("testsrc2=s=64x48:r=25:d=0.4", "testsrc2=s=64x48:r=50:d=0.4", "25 (distorted) and 50 (reference): put fps=25 before the second"),
    "24 and 60": ("testsrc2=s=64x48:r=24:d=0.5", "testsrc2=s=64x48:r=60:d=0.5", "24 (distorted) and 60 (reference): put fps=24 before the second"),
    "23.976 and 24": ("testsrc2=s=64x48:r=24000/1001:d=0.5", "testsrc2=s=64x48:r=24:d=0.5",
                      "23.976 (distorted) and 24 (reference): put fps=24000/1001 before the second"),
    "unknown": ("testsrc2=s=64x48:r=25:d=0.4", "testsrc2=s=64x48:r=50:d=0.4", "25 (distorted) and 50 (reference): put fps=25"),
    "of time stamps that are not those of the nominal rate": (
        "testsrc2=s=64x48:r=30:d=0.4,settb=1/1000,setpts=80*N", "testsrc2=s=64x48:r=25:d=1",
        "12.5 (distorted) and 25 (reference): put fps=12.5 before the second"),
    "of a millisecond": ("testsrc2=s=64x48:r=25:d=2,settb=1/1000", "testsrc2=s=64x48:r=30:d=2,settb=1/1000", "25 (distorted) and 30 (reference)"),
}


# A frame without a partner ends a strict run before the time stamps have shown these.
UNSEEN_AT_ONCE = ("unknown", "of time stamps that are not those of the nominal rate")


@pytest.mark.parametrize("name", RATES)
def test_different_rates(name):
    distorted, reference, text = RATES[name]
    # In the graph: an input without a rate is given one by what reads it.
    chain = "setpts=PTS:strip_fps=1" if name == "unknown" else "null"
    graph = f"[0:v]{chain}[d];[1:v]{chain}[r];[d][r]vmafx=%s"
    result = support.score(support.lavfi(distorted, reference), "metrics=psnr", graph=graph)
    assert result.code == 0, result.text
    assert len([line for line in result.text.splitlines() if "the frame rates are" in line]) == 1, result.text
    assert text in result.text and "sync=index" in result.text
    strict = support.score(support.lavfi(distorted, reference), "metrics=psnr:strict=1", graph=graph)
    assert strict.code != 0 and len(strict.errors()) == 1, strict.text
    error = strict.errors()[0]
    assert "(strict=1)" in error and (name in UNSEEN_AT_ONCE or text in error)
    if "has no partner" in error:
        assert ("the nominal frame rates are" in error) == (name != "unknown"), error
    assert "the frame rates are" not in support.score(support.lavfi(distorted, reference), "metrics=psnr:sync=index").text


def test_different_rates_in_files(tmp_path):
    """1 ms hides 23.976 against 24 for a while, and a nominal rate that is a mean of few frames proves nothing."""
    for rate in ("24000/1001", "24"):
        made = support.ffmpeg(*support.lavfi(f"testsrc2=s=64x48:r={rate}:d=5"), "-c:v", "mpeg4", tmp_path / f"{rate.replace('/', '_')}.mkv")
        assert made.code == 0, made.text
    result = support.score(["-i", tmp_path / "24000_1001.mkv", "-i", tmp_path / "24.mkv"], "metrics=psnr")
    assert result.code == 0 and "the frame rates are 23.976 (distorted) and 24 (reference)" in result.text, result.text


@pytest.fixture(scope="module")
def rates(tmp_path_factory):
    """Files of 24 and of 25 frames/s, without a frame, and with time stamps that are not those of their nominal rate."""
    folder = tmp_path_factory.mktemp("rates")

    def make(name, *arguments):
        made = support.ffmpeg(*arguments, folder / f"{name}.mkv")
        assert made.code == 0, made.text

    for rate in ("24", "25"):
        source = support.lavfi(f"testsrc2=s=64x48:r={rate}:d=4")
        make(f"r{rate}", *source, "-c:v", "mpeg4")
        make(f"d{rate}", *source, "-vf", "select=not(eq(n\\,3))", "-fps_mode", "passthrough", "-c:v", "mpeg4")
    for name, ts in (("25_24", "TS*25/24"), ("101_100", "TS*101/100"), ("2", "TS*2")):
        make(f"lie{name}", "-i", folder / "r25.mkv", "-c", "copy", "-bsf:v", f"setts=ts={ts}")
    return folder


@pytest.mark.parametrize("distorted, reference, text", [
    ("d24", "r25", "24 (distorted) and 25 (reference): put fps=24 before the second"),
    ("r24", "d25", "24 (distorted) and 25 (reference): put fps=24 before the second"),
    ("r25", "d24", "25 (distorted) and 24 (reference): put fps=24 before the first"),
    ("lie25_24", "r25", r"2[34]\.\d+ \(distorted\) and 25 \(reference\)"),
    ("lie101_100", "r25", r"24\.7\d* \(distorted\) and 25 \(reference\)"),
    ("r25", "lie101_100", r"25 \(distorted\) and 24\.7\d* \(reference\)"),
    ("lie2", "r25", r"12\.5 \(distorted\) and 25 \(reference\)"),
])
def test_rates_that_gaps_or_nominal_rates_hide(rates, distorted, reference, text):
    """A lost frame is no reason to trust jitter, and equal nominal rates are none to trust time stamps."""
    inputs = ["-i", rates / f"{distorted}.mkv", "-i", rates / f"{reference}.mkv"]
    result = support.score(inputs, "metrics=psnr")
    assert result.code == 0 and result.text.count("the frame rates are") == 1, result.text
    assert re.search(text if "\\" in text else re.escape(text), result.text), result.text
    strict = support.score(inputs, "metrics=psnr:strict=1")
    assert strict.code != 0 and len(strict.errors()) == 1, strict.text


def test_lost_frames_in_files_are_no_difference(rates):
    for distorted, reference in (("d25", "r25"), ("r24", "d24")):
        result = support.score(["-i", rates / f"{distorted}.mkv", "-i", rates / f"{reference}.mkv"], "metrics=psnr")
        assert result.code == 0 and "the frame rates are" not in result.text, result.text


# Every third frame, and jitter that rises for 16 frames: only equal nominal rates show that these are no other rates.
NEED_NOMINAL_RATES = ("select=not(mod(n\\,3))", "settb=1/90000,setpts=PTS+mod(N*37\\,600)")


@pytest.mark.parametrize("distorted, reference", [
    ("settb=1/1000", "null"), ("settb=1/90000", "settb=1/1000"), ("settb=1/1000,settb=1/90000", "null"),
    ("select=not(eq(n\\,3))", "null"), ("setpts=PTS+0.5/TB", "null"), ("trim=end_frame=5", "null"),
    (NEED_NOMINAL_RATES[0], "null"), (NEED_NOMINAL_RATES[1], "settb=1/90000"),
])
@pytest.mark.parametrize("rate", ["30000/1001", "25", "24000/1001", "60000/1001"])
@pytest.mark.parametrize("known", [0, 1])
def test_equal_rates(rate, distorted, reference, known):
    """Rounding, lost frames, jitter and offsets are no difference of rates, whether the nominal ones are known or not."""
    # In the graph: an input without a rate is given one by what reads it.
    source, strip = f"testsrc2=s=64x48:r={rate}:d=1", f"setpts=PTS:strip_fps={1 - known}"
    result = support.score(support.lavfi(source, source), "metrics=psnr",
                           graph=f"[0:v]{distorted},{strip}[d];[1:v]{reference},{strip}[r];[d][r]vmafx=%s")
    assert result.code == 0, result.text
    assert ("the frame rates are" in result.text) == (not known and distorted in NEED_NOMINAL_RATES), result.text


def test_repeated_time_stamps_pair_one_by_one(tmp_path):
    same = "settb=1/1000,setpts=40*(N-mod(N\\,3))"
    result = support.score(support.lavfi(A, A), "metrics=psnr", tmp_path, graph=f"[0:v]{same}[d];[1:v]{same}[r];[d][r]vmafx=%s")
    identical(result, 24)
    assert result.counts() == (24, 0, 0)


def test_missing_time_stamps_name_what_helps():
    result = support.score(support.lavfi(A, A), "metrics=psnr", graph="[0:v]setpts=NAN[d];[d][1:v]vmafx=%s")
    assert result.code != 0 and "frames without time stamps need sync=index" in result.errors()[0], result.text
    strict = support.score(support.lavfi(A, A), "metrics=psnr:strict=1", graph="[0:v]setpts=NAN[d];[d][1:v]vmafx=%s")
    assert strict.code != 0 and "sync=index" in strict.errors()[0], strict.text
    index = support.score(support.lavfi(A, A), "metrics=psnr:sync=index", graph="[0:v]setpts=NAN[d];[d][1:v]vmafx=%s")
    assert index.code == 0 and "pairs=24 unpaired_distorted=0 unpaired_reference=0\n" in index.text, index.text


def test_index_states_the_distance(tmp_path):
    result = support.score(support.lavfi(A, A), "metrics=psnr:sync=index", tmp_path, graph="[0:v]setpts=PTS+10/TB[d];[d][1:v]vmafx=%s")
    assert result.code == 0 and "largest_distance=10\n" in result.text and result.log["pairing"]["largest_distance"] == 10


def test_reordered_frames(tmp_path, clips):
    """B-frames: the container's order is not the order of display."""
    made = support.ffmpeg("-i", clips / "clip.mp4", "-c:v", "mpeg4", "-bf", "2", "-q:v", "2", tmp_path / "b.mkv")
    assert made.code == 0, made.text
    result = support.score(["-i", tmp_path / "b.mkv", "-i", clips / "clip.mp4"], "metrics=psnr", tmp_path)
    assert result.code == 0 and result.counts() == (24, 0, 0), result.text
    assert min(result.column("psnr_y")) > 30


def test_interlaced_flag_on_one_side():
    result = support.score(support.lavfi(A + ",setparams=field_mode=tff", A), "metrics=psnr")
    assert result.code == 0
    assert "Only the distorted input is flagged interlaced" in result.text


def test_enable(tmp_path):
    result = support.score(support.lavfi(A, A), "metrics=psnr:enable='between(t,0.2,0.395)'", tmp_path,
                           graph="[0:v][1:v]vmafx=%s,metadata=print:file=-")
    assert result.code == 0, result.text
    assert [frame["frameNum"] for frame in result.log["frames"]] == list(range(5, 10))
    assert result.counts() == (5, 0, 0) and "disabled=19" in result.text
    assert result.output.decode().count("lavfi.vmafx.psnr_y=") == 5


def test_subsample(tmp_path):
    every = support.score(support.lavfi(A + ",avgblur=2", A), "metrics=float_psnr+vif", tmp_path)
    third = support.score(support.lavfi(A + ",avgblur=2", A), "metrics=float_psnr+vif:subsample=3", tmp_path)
    assert third.code == 0, third.text
    assert third.log["frames"] == every.log["frames"][::3]
    assert third.counts() == (24, 0, 0)
