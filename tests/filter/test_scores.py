# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The filter's numbers are the library's, to the last bit, and metadata, log and summary hold the same ones."""
import array
import re
import sys

import pytest
import support

needs_library = pytest.mark.skipif(not support.find_score_yuv(), reason="score_yuv is not built (meson target tests/filter/score_yuv)")

WIDTH, HEIGHT, FRAMES = 70, 54, 4


def words(data):
    values = array.array("H", data)
    if sys.byteorder == "big":
        values.byteswap()
    return values


def split_interleaved(data, frame_luma):
    """Cb Cr Cb Cr ... behind each frame's luma -> Cb plane, Cr plane. Sizes in items."""
    chroma = 2 * ((WIDTH + 1) // 2) * ((HEIGHT + 1) // 2)
    planar = data[:0]
    for start in range(0, len(data), frame_luma + chroma):
        uv = data[start + frame_luma:start + frame_luma + chroma]
        planar += data[start:start + frame_luma] + uv[0::2] + uv[1::2]
    return planar


def nv12_to_planar(data):
    return split_interleaved(data, WIDTH * HEIGHT)


def p010_to_planar(data):
    planar = split_interleaved(words(data), WIDTH * HEIGHT)
    planar = array.array("H", [word >> 6 for word in planar])
    if sys.byteorder == "big":
        planar.byteswap()
    return planar.tobytes()


ALL = "ssimulacra2+float_psnr+psnr+vif"
# FFmpeg takes grey without a tag as full range.
# pixel format, layout, depth, range, metrics, conversion to what score_yuv reads
FORMATS = [
    ("yuv420p", "420", 8, "", ALL, None),
    ("yuv422p10le", "422", 10, "", ALL, None),
    ("yuv444p12le", "444", 12, "", ALL, None),
    ("yuv440p", "440", 8, "", ALL, None),
    ("nv12", "420", 8, "", ALL, nv12_to_planar),
    ("p010le", "420", 10, "", ALL, p010_to_planar),
    ("gray", "gray", 8, "pc", ALL, None),
    ("gray10le", "gray", 10, "pc", ALL, None),
    ("gbrp", "rgb", 8, "pc", "ssimulacra2", None),
    ("yuvj420p", "420", 8, "pc", ALL, None),
]


def make_raw(tmp_path, pixel_format):
    """Distorted and reference as raw files."""
    files = []
    for name, effect in (("distorted", ",avgblur=2"), ("reference", "")):
        path = tmp_path / f"{name}.yuv"
        made = support.ffmpeg("-f", "lavfi", "-i", f"testsrc2=s={WIDTH}x{HEIGHT}:r=25{effect},format={pixel_format}",
                              "-frames:v", FRAMES, "-f", "rawvideo", path)
        assert made.code == 0, made.text
        files.append(path)
    return files


def raw_inputs(files, pixel_format):
    return [argument for path in files for argument in
            ("-f", "rawvideo", "-pix_fmt", pixel_format, "-s", f"{WIDTH}x{HEIGHT}", "-r", "25", "-i", path)]


@needs_library
@pytest.mark.parametrize("pixel_format, layout, depth, range_, metrics, convert", FORMATS, ids=[row[0] for row in FORMATS])
def test_json_equals_library(tmp_path, pixel_format, layout, depth, range_, metrics, convert):
    files = make_raw(tmp_path, pixel_format)
    result = support.score(raw_inputs(files, pixel_format), f"metrics={metrics}", tmp_path)
    assert result.code == 0, result.text
    planar = files
    if convert:
        planar = [path.with_suffix(".planar") for path in files]
        for path, target in zip(files, planar):
            target.write_bytes(convert(path.read_bytes()))
    rows = support.rows_of_library(distorted=planar[0], reference=planar[1], layout=layout, depth=depth, width=WIDTH,
                                height=HEIGHT, range=range_, metrics=metrics)
    assert len(rows) == FRAMES
    assert result.log["distorted"]["range"] == (range_ or "unknown")
    assert [frame["metrics"] for frame in result.log["frames"]] == rows


@needs_library
@pytest.mark.parametrize("option", ["ssimulacra2_profile=recursive", "vif_debug=1", "vif_enhn_gain_limit=1.5",
                                    "vif_skip_scale0=1", "psnr_mse=1", "psnr_uncapped=1", "psnr_chroma=0",
                                    "psnr_reduced_peak=1", "psnr_min_sse=0.5"])
def test_options_reach_the_library(tmp_path, option):
    files = make_raw(tmp_path, "yuv420p10le")
    result = support.score(raw_inputs(files, "yuv420p10le"), f"metrics={ALL}:{option}", tmp_path)
    assert result.code == 0, result.text
    name, value = option.split("=")
    rows = support.rows_of_library(distorted=files[0], reference=files[1], layout="420", depth=10, width=WIDTH,
                                height=HEIGHT, metrics=ALL, **{name: value})
    assert [frame["metrics"] for frame in result.log["frames"]] == rows


@pytest.mark.parametrize("location", ["left", "center", "topleft", "top", "bottomleft", "bottom"])
@needs_library
def test_chroma_location_reaches_the_library(tmp_path, location):
    files = make_raw(tmp_path, "yuv420p")
    tag = f"setparams=chroma_location={location}"
    result = support.score(raw_inputs(files, "yuv420p"), "metrics=ssimulacra2", tmp_path,
                           graph=f"[0:v]{tag}[d];[1:v]{tag}[r];[d][r]vmafx=%s")
    if "chroma_location" in result.text and result.code:
        pytest.skip("this FFmpeg's setparams knows no chroma_location")
    assert result.code == 0, result.text
    number = ["left", "center", "topleft", "top", "bottomleft", "bottom"].index(location) + 1
    rows = support.rows_of_library(distorted=files[0], reference=files[1], layout="420", depth=8, width=WIDTH,
                                height=HEIGHT, metrics="ssimulacra2", chroma=number)
    assert [frame["metrics"] for frame in result.log["frames"]] == rows


@pytest.mark.parametrize("name, number", [("bt709", 1), ("fcc", 4), ("bt470bg", 5), ("smpte240m", 7), ("bt2020nc", 9)])
@needs_library
def test_matrix_reaches_the_library(tmp_path, name, number):
    files = make_raw(tmp_path, "yuv444p12le")
    tag = f"setparams=colorspace={name}"
    result = support.score(raw_inputs(files, "yuv444p12le"), "metrics=ssimulacra2", tmp_path,
                           graph=f"[0:v]{tag}[d];[1:v]{tag}[r];[d][r]vmafx=%s")
    assert result.code == 0, result.text
    rows = support.rows_of_library(distorted=files[0], reference=files[1], layout="444", depth=12, width=WIDTH,
                                height=HEIGHT, metrics="ssimulacra2", matrix=number)
    assert [frame["metrics"] for frame in result.log["frames"]] == rows


def test_metadata_is_the_log(tmp_path):
    result = support.score(support.lavfi("testsrc2=s=64x48:r=25:d=0.4,avgblur=2", "testsrc2=s=64x48:r=25:d=0.4"), f"metrics={ALL}",
                           tmp_path, graph="[0:v][1:v]vmafx=%s,metadata=print:file=-")
    assert result.code == 0, result.text
    frames = []
    for line in result.output.decode().splitlines():
        if line.startswith("frame:"):
            frames.append({})
        elif line.startswith("lavfi.vmafx."):
            name, value = line[len("lavfi.vmafx."):].split("=")
            frames[-1][name] = float(value)
    assert len(frames) == 10
    assert frames == [frame["metrics"] for frame in result.log["frames"]]
    assert [frame["frameNum"] for frame in result.log["frames"]] == list(range(10))


def test_summary_is_the_log_is_the_mean_of_the_rows(tmp_path):
    result = support.score(support.lavfi("testsrc2=s=64x48:r=25:d=0.4,avgblur=2", "testsrc2=s=64x48:r=25:d=0.4"), f"metrics={ALL}",
                           tmp_path)
    assert result.code == 0, result.text
    printed = {name: dict(field.split("=") for field in fields.split())
               for name, fields in re.findall(r"\] (\w+): (mean=.*)$", result.text, re.M)}
    assert set(printed) == set(result.log["frames"][0]["metrics"])
    for name, pooled in result.log["pooled_metrics"].items():
        values = result.column(name)
        total = 0.0
        for value in values:
            total += value
        assert pooled["mean"] == total / len(values) == float(printed[name]["mean"])
        assert pooled["min"] == min(values) == float(printed[name]["min"])
        assert int(printed[name]["count"]) == len(values)
        assert int(printed[name]["min_frame"]) == values.index(min(values))


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_threads_do_not_change_the_scores(tmp_path, threads):
    inputs = support.lavfi("testsrc2=s=320x200:r=25:d=0.2,avgblur=3", "testsrc2=s=320x200:r=25:d=0.2")
    one = support.score(inputs, f"metrics={ALL}:threads=1", tmp_path)
    many = support.score(inputs, f"metrics={ALL}:threads={threads}:queue=3", tmp_path)
    assert one.code == many.code == 0, many.text
    assert one.log["frames"] == many.log["frames"]


def test_frames_pass_unchanged(tmp_path):
    distorted, reference = "testsrc2=s=64x48:r=25:d=0.4,avgblur=2", "testsrc2=s=64x48:r=25:d=0.4"
    plain = support.ffmpeg(*support.lavfi(distorted), "-f", "framemd5", "-")
    through = support.score(support.lavfi(distorted, reference), "metrics=psnr", output=("-f", "framemd5", "-"))
    assert through.code == 0, through.text
    assert through.output == plain.output and through.output
