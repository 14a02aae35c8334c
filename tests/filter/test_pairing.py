# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Which frames are compared: containers, drops, rates, offsets."""
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
