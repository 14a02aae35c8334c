# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Every pixel format of the list is read in place, and libavfilter never inserts a conversion."""
import pytest
import support

PLANAR = [f"yuv{sampling}p{depth}" for sampling in ("420", "422", "444") for depth in ("", "9le", "10le", "12le", "14le", "16le", "10be", "16be")]
PLANAR += ["yuv440p", "yuv440p10le", "yuv440p12le", "yuv440p12be", "yuvj420p", "yuvj422p", "yuvj444p", "yuvj440p"]
GRAY = ["gray", "gray9le", "gray10le", "gray12le", "gray14le", "gray16le", "gray16be"]
INTERLEAVED = ["nv12", "nv16", "nv21", "nv24", "nv42", "p010le", "p010be", "p012le", "p016le", "p016be", "p210le", "p212le",
               "p216le", "p410le", "p412le", "p416le", "yuv444p10msble", "yuv444p12msble", "yuv444p12msbbe"]
ALPHA = ["yuva420p", "yuva422p", "yuva444p", "yuva444p12le", "ya8"]
RGB = ["gbrp", "gbrp9le", "gbrp10le", "gbrp12le", "gbrp14le", "gbrp16le", "gbrap", "gbrp16be"]
# "packed" formats whose samples are whole words are read, too
PACKED = ["yuyv422", "uyvy422", "rgb24", "bgra", "rgb48le", "y210le", "vuyx"]


def known(pixel_format):
    listed = support.ffmpeg("-pix_fmts").output.decode().split()
    return pixel_format in listed




@pytest.mark.parametrize("pixel_format", PLANAR + GRAY + INTERLEAVED + ALPHA + RGB + PACKED)
def test_identical(tmp_path, pixel_format):
    if not known(pixel_format):
        pytest.skip(f"this FFmpeg has no pixel format {pixel_format}")
    rgb = pixel_format in RGB or pixel_format in ("rgb24", "bgra", "rgb48le")
    metrics = "ssimulacra2" if rgb else "ssimulacra2+psnr"
    source = f"testsrc2=s=71x53:r=25:d=0.12,format={pixel_format}"
    result = support.score(support.lavfi(source, source), f"metrics={metrics}", tmp_path)
    assert result.code == 0, result.text
    assert "auto_scale" not in result.text
    assert result.log["distorted"]["pix_fmt"] == pixel_format
    assert result.column("ssimulacra2") == [100.0] * 3
    if pixel_format in ALPHA or pixel_format in ("gbrap", "bgra"):
        assert "alpha" in result.text
    if not rgb:
        assert min(result.column("psnr_y")) >= 60


# A layout of the same samples: lossless both ways.
SAME = [("nv12", "yuv420p"), ("nv21", "yuv420p"), ("nv16", "yuv422p"), ("nv24", "yuv444p"), ("nv42", "yuv444p"), ("p010le", "yuv420p10le"),
        ("p012le", "yuv420p12le"), ("p016le", "yuv420p16le"), ("p210le", "yuv422p10le"), ("p410le", "yuv444p10le"), ("p010be", "yuv420p10le"),
        ("yuv420p10be", "yuv420p10le"), ("gray12be", "gray12le"), ("yuva420p", "yuv420p"), ("yuyv422", "yuv422p"), ("uyvy422", "yuv422p")]


@pytest.mark.parametrize("pixel_format, other", SAME)
def test_mixed_layouts(tmp_path, pixel_format, other):
    source = f"testsrc2=s=70x54:r=25:d=0.12,format={other}"
    result = support.score(support.lavfi(f"{source},format={pixel_format}", source), "metrics=psnr+ssimulacra2", tmp_path)
    assert result.code == 0, result.text
    assert result.log["distorted"]["pix_fmt"] == pixel_format and result.log["reference"]["pix_fmt"] == other
    assert min(result.column("psnr_y")) >= 60 and result.column("ssimulacra2") == [100.0] * 3


def test_mixed_depths(tmp_path):
    """8 bits shifted left by 2 are the 10-bit picture (limited range): psnr sees no difference and says what it did."""
    source = "testsrc2=s=70x54:r=25:d=0.12,format=yuv420p"
    result = support.score(support.lavfi(f"{source},format=yuv420p10le,lut=c0=bitand(val\\,1020):c1=bitand(val\\,1020):c2=bitand(val\\,1020)",
                                         source), "metrics=psnr", tmp_path)
    assert result.code == 0, result.text
    assert "shifted left by 2" in result.text


def test_default_metrics_and_rgb(tmp_path):
    source = "testsrc2=s=70x54:r=25:d=0.12,format=gbrp"
    result = support.score(support.lavfi(source, source), "", tmp_path)
    assert result.code == 0, result.text
    assert result.text.count("RGB input") == 1
    assert result.log["frames"][0]["metrics"] == {"ssimulacra2": 100.0}


@pytest.mark.parametrize("size", ["1x1", "1x2", "3x1", "7x5", "8x8", "15x9", "16x16", "17x33"])
def test_small_sizes(tmp_path, size):
    width, height = map(int, size.split("x"))
    metrics = ["psnr", "float_psnr"] + ["ssimulacra2"] * (min(width, height) >= 8) + ["vif"] * (min(width, height) >= 16)
    source = f"color=gray:s={size}:r=25:d=0.12,format=yuv444p"
    result = support.score(support.lavfi(source, source), f"metrics={'+'.join(metrics)}", tmp_path)
    assert result.code == 0, result.text
    assert result.column("psnr_y") == [60.0] * 3 and result.column("float_psnr") == [60.0] * 3


@pytest.mark.parametrize("distorted, reference, text", [
    ("setparams=range=pc", "null", "range"),
    ("null", "setparams=range=pc", "range"),
    ("setparams=range=tv:colorspace=bt709", "setparams=range=tv:colorspace=bt709", ""),
    ("setparams=colorspace=bt709", "setparams=colorspace=smpte170m", "matrix bt709 and smpte170m"),
    ("setparams=color_trc=smpte2084", "setparams=color_trc=bt709", "transfer smpte2084 and bt709"),
    ("setparams=color_primaries=bt2020", "setparams=color_primaries=bt709", "primaries bt2020 and bt709"),
])
def test_tags(tmp_path, distorted, reference, text):
    source = "testsrc2=s=70x54:r=25:d=0.12"
    result = support.score(support.lavfi(f"{source},{distorted}", f"{source},{reference}"), "metrics=psnr+ssimulacra2", tmp_path)
    assert result.code == 0, result.text
    assert "auto_scale" not in result.text
    assert text in result.text
    assert result.column("psnr_y") == [60.0] * 3


def test_ranges_of_one_picture(tmp_path):
    """tv against pc of one picture: each side is read by its own range; code values are not compared."""
    source = "testsrc2=s=160x120:r=25:d=0.12,format=yuv444p,avgblur=2,setparams=range=tv"
    inputs = support.lavfi(f"{source},scale=out_range=pc:in_range=tv", source)
    result = support.score(inputs, "metrics=ssimulacra2", tmp_path)
    assert result.code == 0, result.text
    assert min(result.column("ssimulacra2")) >= 90
    refused = support.score(inputs, "metrics=psnr")
    assert refused.code != 0 and "full (pc)" in refused.text and "limited (tv)" in refused.text
