# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Figures that a user can check by hand."""
import array
import pathlib
import sys

import inputs
import pytest
import support

# Debian's package forensics-samples-files: a clip from a phone, variable frame rate.
PHONE = pathlib.Path("/usr/share/forensics-samples/original-files/movie1/VID_20191220_170832.mp4")
needs_fp64 = pytest.mark.skipif(not support.find_fp64(), reason="ssimulacra2_fp64 is not built (meson target tests/metrics/ssimulacra2)")


def compare(files, distorted, reference, tmp_path):
    return support.score([*files.arguments(f"timing/{distorted}"), *files.arguments(f"timing/{reference}")],
                         "metrics=psnr+ssimulacra2", tmp_path)


def assert_identical(result, pairs):
    assert result.code == 0, result.text
    assert result.column("psnr_y") == result.column("psnr_cb") == result.column("psnr_cr") == [60.0] * pairs
    assert result.column("ssimulacra2") == [100.0] * pairs


def test_one_stream_in_two_containers(files, tmp_path):
    """mp4 in 1/24000 s, Matroska in 1 ms."""
    result = compare(files, "1 ms", "23.976 fps", tmp_path)
    assert_identical(result, 24)
    assert result.counts() == (24, 0, 0)


def test_middle_frame_dropped(files, tmp_path):
    result = compare(files, "middle gone, a gap", "25 fps", tmp_path)
    assert_identical(result, 23)
    assert result.counts() == (23, 0, 1)
    assert "1 reference frame had no partner: 11\n" in result.text
    assert result.log["pairing"]["first_unpaired_reference"] == [11]


def test_last_frame_missing(files, tmp_path):
    result = compare(files, "last frame gone", "23.976 fps", tmp_path)
    assert_identical(result, 23)
    assert result.counts() == (23, 0, 1)
    assert "1 reference frame had no partner: 23\n" in result.text


def test_no_frame(files, tmp_path):
    result = compare(files, "0 frames", "25 fps", tmp_path)
    assert result.code != 0
    assert result.errors()[0].endswith("No pair of frames was compared (distorted: 0 frames, reference: 24 frames): there is no score.")


@pytest.mark.skipif(not PHONE.exists(), reason=f"{PHONE} is not here (Debian package forensics-samples-files)")
def test_phone_clip_against_its_encode(tmp_path):
    made = support.ffmpeg("-i", PHONE, "-an", "-fps_mode", "passthrough", "-enc_time_base", "demux",
                          "-c:v", "libx264", "-preset", "ultrafast", tmp_path / "encode.mkv")
    assert made.code == 0, made.text
    result = support.score(["-i", tmp_path / "encode.mkv", "-i", PHONE], "metrics=psnr", tmp_path)
    assert result.code == 0, result.text
    assert result.counts() == (41, 0, 0)
    assert len(result.log["frames"]) == 41 and min(result.column("psnr_y")) > 30


SIZES = sorted({(w, h) for n in range(1, 19) for w, h in ((n, n), (n, 1), (1, n), (n, 7), (8, n), (n, 16), (15, n), (n, 33))})


@pytest.mark.parametrize("width", sorted({width for width, _ in SIZES}))
def test_identical_pictures_of_every_size(width):
    """The cap of every metric, or an error that names the size and the smallest one."""
    for height in (h for w, h in SIZES if w == width):
        source = support.lavfi(*[f"testsrc2=s={width}x{height}:r=25:d=0.04,format=yuv444p"] * 2)
        for metric, smallest, cap in (("psnr+float_psnr", 1, 60), ("ssimulacra2", 8, 100), ("vif", 16, 1)):
            result = support.score(source, f"metrics={metric}:log_fmt=csv:log_path=-")
            if min(width, height) < smallest:
                assert result.code != 0
                assert f"{width}x{height} are smaller than the {smallest}x{smallest} that {metric} needs" in result.errors()[0]
                continue
            assert result.code == 0, result.text
            values = [float(value) for value in result.output.decode().split("\n")[1].split(",")[2:]]
            assert values and all(value == cap if cap > 1 else abs(value - 1) < 1e-4 for value in values), (width, height, values)


WIDTH, HEIGHT, COUNT = 320, 180, 2
SOURCE = f"testsrc2=s={WIDTH}x{HEIGHT}:r=25,format=gbrp16le,avgblur=3"


def make_raw(path, chain, *arguments, source=("-f", "lavfi", "-i", SOURCE)):
    made = support.ffmpeg(*source, "-vf", chain, "-frames:v", COUNT, *arguments, "-f", "rawvideo", path)
    assert made.code == 0, made.text
    return path


def raw(path, pixel_format):
    return ["-f", "rawvideo", "-pixel_format", pixel_format, "-video_size", f"{WIDTH}x{HEIGHT}", "-framerate", "25", "-i", path]


def converted(pixel_format, range_):
    return inputs.scale(f"{WIDTH}x{HEIGHT}", pixel_format, range_=range_, tags="")


def rounded_to_8_bits(path):
    values = array.array("H", path.read_bytes())
    if sys.byteorder == "big":
        values.byteswap()
    target = path.with_suffix(".8.yuv")
    target.write_bytes(bytes(min((value + 2) >> 2, 255) for value in values))
    return target


def tagged(range_):
    return f"setparams=range={range_}:colorspace=bt709:chroma_location=left"


@needs_fp64
def test_ten_bit_encode_of_an_eight_bit_source(tmp_path):
    source = make_raw(tmp_path / "source.yuv", converted("yuv420p", "tv"))
    encode = tmp_path / "encode.mkv"
    made = support.ffmpeg(*raw(source, "yuv420p"), "-c:v", "libx264", "-pix_fmt", "yuv420p10le", "-crf", "24", encode)
    assert made.code == 0, made.text
    ten = make_raw(tmp_path / "ten.yuv", "null", source=("-i", encode))
    eight = rounded_to_8_bits(ten)
    graph = f"[0:v]{tagged('tv')}[d];[1:v]{tagged('tv')}[r];[d][r]vmafx=%s"
    mixed = support.score([*raw(ten, "yuv420p10le"), *raw(source, "yuv420p")], "metrics=ssimulacra2", tmp_path, graph=graph)
    plain = support.score([*raw(eight, "yuv420p"), *raw(source, "yuv420p")], "metrics=ssimulacra2", tmp_path, graph=graph)
    assert mixed.code == plain.code == 0, mixed.text + plain.text
    exact = support.fp64_rows(ten, source, f"{WIDTH}x{HEIGHT}", "420", "8,10", "limited")
    assert len(exact) == COUNT and max(exact) < 99
    assert mixed.column("ssimulacra2") == pytest.approx(exact, rel=0, abs=2e-3)
    assert mixed.column("ssimulacra2") == pytest.approx(plain.column("ssimulacra2"), rel=0, abs=1)


@needs_fp64
def test_limited_against_full_range(tmp_path):
    limited = make_raw(tmp_path / "limited.yuv", converted("yuv420p", "tv"))
    full = make_raw(tmp_path / "full.yuv", converted("yuv420p", "pc"))
    arguments = [*raw(limited, "yuv420p"), *raw(full, "yuv420p")]
    graph = f"[0:v]{tagged('tv')}[d];[1:v]{tagged('pc')}[r];[d][r]vmafx=%s"
    result = support.score(arguments, "metrics=ssimulacra2", tmp_path, graph=graph)
    assert result.code == 0, result.text
    exact = support.fp64_rows(limited, full, f"{WIDTH}x{HEIGHT}", "420", "8", "full,limited")
    assert min(result.column("ssimulacra2")) >= 90
    assert result.column("ssimulacra2") == pytest.approx(exact, rel=0, abs=2e-3)
    for metric in ("psnr", "float_psnr", "vif"):
        refused = support.score(arguments, f"metrics={metric}", graph=graph)
        assert refused.code != 0
        assert "the distorted picture's range is limited (tv) and the reference's full (pc)" in refused.errors()[0]
