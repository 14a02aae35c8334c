# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Clips from phones, cameras and encoders, beside the checkout (or in VMAFX_CONTENT); without them these tests skip."""
import os
import pathlib

import outcomes
import pytest
import support

CONTENT = pathlib.Path(os.environ.get("VMAFX_CONTENT", support.ROOT.parent / "shared/content"))
# The first frames are enough: the clips are here for their containers, tags and formats.
CLIPS = {
    "weird/am_bbb_800x640_768kbps_30fps_avc_2b_firstpts_10_sec.mp4": 8,
    "weird/am_dolbyVision-hdr.MOV": 2,
    "weird/am_hdr10-av1.mp4": 2,
    "weird/am_sample_18byte_nclx_colr.mp4": 8,
    "weird/am_sample_gamma2.2.mp4": 8,
    "weird/am_sample_rotate_and_reflect.mp4": 8,
    "natural/cockatoo_720p_yuv444p_8b.mp4": 3,
    "natural/dog_1080p30_vfr_8b_h264.mp4": 3,
    "natural/flower_720p_8b.264": 3,
    "natural/roofs_1080p_hlg_10b_hevc_editlist.mp4": 3,
    "natural/tree_1080p_fullrange_8b.264": 3,
}


@pytest.fixture(scope="module")
def expected():
    with outcomes.File("outcomes_real.txt") as file:
        yield file


def find(name):
    path = CONTENT / name
    if not path.exists():
        pytest.skip(f"{path} is not here")
    return path


@pytest.mark.parametrize("name", CLIPS)
def test_against_itself(expected, tmp_path, name):
    path, count = find(name), CLIPS[name]
    cut = f"trim=end_frame={count}"
    result = support.score(["-i", path, "-i", path], "metrics=ssimulacra2+psnr", tmp_path,
                           graph=f"[0:v]{cut}[d];[1:v]{cut}[r];[d][r]vmafx=%s")
    assert result.code == 0, result.text
    assert result.counts() == (count, 0, 0)
    assert result.column("ssimulacra2") == [100.0] * count
    expected.check(f"{name} | itself", result)


@pytest.mark.parametrize("name", CLIPS)
def test_in_another_container(tmp_path, name):
    """The same pictures in Matroska with its 1 ms, at their own times: all of them find their partner."""
    path, count = find(name), CLIPS[name]
    made = support.ffmpeg("-i", path, "-an", "-frames:v", count, "-fps_mode", "passthrough", "-enc_time_base", "demux",
                          "-c:v", "libx264", "-preset", "ultrafast", "-qp", "0", tmp_path / "copy.mkv")
    assert made.code == 0, made.text
    result = support.score(["-i", tmp_path / "copy.mkv", "-i", path], "metrics=psnr", tmp_path,
                           graph=f"[1:v]trim=end_frame={count}[r];[0:v][r]vmafx=%s")
    assert result.code == 0, result.text
    assert result.counts() == (count, 0, 0)
    assert set(result.column("psnr_y")) <= {60.0, 72.0} and len(set(result.column("psnr_y"))) == 1
