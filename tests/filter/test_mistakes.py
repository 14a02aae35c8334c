# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What a newcomer does wrong ends with one clear line of the filter (or of ffmpeg) and a non-zero exit."""
import os

import pytest
import support

A = "testsrc2=s=64x48:r=25:d=0.2"


def one_line(result, *parts):
    """Exactly one error line of the filter, and it has all the parts."""
    assert result.code != 0, result.text
    lines = result.errors()
    assert len(lines) == 1, result.text
    for part in parts:
        assert part in lines[0], lines[0]


CASES = [
    # inputs, options, parts of the one line
    ((A, A), "metrics=ssimulacr2", ("ssimulacr2", "ssimulacra2", "float_psnr", "psnr", "vif")),
    ((A, A), "metrics=", ("option metrics: a name is missing in ''", "ssimulacra2, ")),
    ((A, A), "metrics=psnr+", ("option metrics: a name is missing in 'psnr+'", "float_psnr, psnr, vif")),
    ((A, A), "metrics=+psnr", ("option metrics: a name is missing in '+psnr'",)),
    ((A, A), "metrics=psnr++vif", ("option metrics: a name is missing in 'psnr++vif'",)),
    ((A, A), "metrics=psnr:log_path=/no/such/folder/scores.json", ("/no/such/folder/scores.json", "No such file or directory")),
    ((A, "testsrc2=s=96x64:r=25:d=0.2"), "metrics=psnr", ("64x48", "96x64", "scale=", "pair 0")),
    ((A, "testsrc2=s=64x50:r=25:d=0.2"), "metrics=vif", ("64x48", "64x50", "scale=")),
    (("color=s=7x7:d=0.2",) * 2, "metrics=ssimulacra2", ("7x7", "8x8", "ssimulacra2")),
    (("color=s=15x15:d=0.2",) * 2, "metrics=vif", ("15x15", "16x16", "vif")),
    ((A + ",format=rgb565le", A), "metrics=psnr", ("rgb565le", "format=gbrp", "distorted")),
    ((A, A + ",format=yuv411p"), "metrics=psnr", ("yuv411p", "format=yuv444p", "reference")),
    ((A + ",format=monob", A), "metrics=psnr", ("monob", "format=gray", "distorted")),
    ((A + ",format=gbrp", A + ",format=gbrp"), "metrics=psnr", ("psnr", "RGB", "ssimulacra2")),
    ((A + ",format=yuv422p", A), "metrics=psnr", ("4:2:2", "4:2:0", "format=")),
    ((A + ",setparams=range=pc", A + ",setparams=range=tv"), "metrics=psnr", ("full (pc)", "limited (tv)", "scale=")),
    ((A + ",format=yuv420p10,setparams=range=pc", A + ",setparams=range=pc"), "metrics=psnr", ("10 bits", "8", "format=")),
    ((A + ",format=gray", A + ",format=gray"), "metrics=ssimulacra2:ssimulacra2_profile=recursive", ("gr",)),
    ((A + ",select=0", A + ",select=0"), "metrics=psnr", ("No pair of frames was compared", "0 frames")),
    ((A, A), "backend=opencl", ("backend", "opencl", "auto, cpu, cuda, hip")),
    ((A, A), "log_fmt=yaml", ("log_fmt", "yaml", "json, ndjson, csv, xml")),
    ((A, A), "sync=nearest", ("sync", "nearest", "time, index")),
    ((A, A), "ssimulacra2_profile=fast", ("ssimulacra2_profile", "fast", "standard, recursive")),
    ((A, A), "ssimulacra2_hdr=convert", ("ssimulacra2_hdr", "convert", "score, refuse")),
    ((A, "testsrc2=s=48x64:r=25:d=0.2"), "metrics=psnr", ("64x48", "48x64", "turned by 90 degrees", "transpose=clock")),
    ((A + ",format=gbrp", A + ",format=gbrp"), "metrics=psnr+vif", ("psnr, vif do not take RGB",)),
    ((A + ",trim=end_frame=1", A + ",select=0"), "metrics=psnr", ("distorted: 1 frame, reference: 0 frames)",)),
    ((A, A), "metrics=psnr:backend=cuda:device=99", ("cuda",)),
    ((A, A), "metrics=psnr:backend=hip", ("hip",)),
    ((A, A), "metrics=psnr:device=foo", ("option device: 'foo' is of no use with the CPU: leave it out",)),
]


@pytest.mark.parametrize("inputs, options, parts", CASES, ids=[f"{i}-{case[1]}"[:60].replace("/", "_") for i, case in enumerate(CASES)])
def test_one_clear_line(inputs, options, parts):
    one_line(support.score(support.lavfi(*inputs), options), *parts)


@pytest.mark.parametrize("pixel_format", ["pal8", "gbrapf32le"])
def test_no_word_about_the_alpha_of_a_refused_format(pixel_format):
    result = support.score(support.lavfi(A + f",format={pixel_format}", A), "metrics=psnr")
    one_line(result, f"The distorted frames' pixel format {pixel_format} is not supported", "format=gbrp")
    assert "alpha" not in result.text, result.text


def test_no_reference():
    result = support.ffmpeg(*support.lavfi(A), "-lavfi", "[0:v]vmafx", "-f", "null", "-")
    assert result.code != 0 and "to feed the unlabeled input pad vmafx" in result.text


def test_nothing_in_common():
    result = support.score(support.lavfi(A, A), "metrics=psnr", graph="[0:v]setpts=PTS+100/TB[d];[d][1:v]vmafx=%s")
    one_line(result, "No pair of frames was compared (distorted: 5 frames, reference: 5 frames)")
    assert "put setpts=PTS-STARTPTS before both inputs" in result.text


def test_model_given_as_video(tmp_path):
    model = tmp_path / "vmaf_v0.6.1.json"
    model.write_text('{"param_dict": {"C": 4.0}, "model_dict": {}}')
    result = support.ffmpeg("-i", model, *support.lavfi(A), "-lavfi", "[0:v][1:v]vmafx", "-f", "null", "-")
    assert result.code != 0 and "Invalid data" in result.text and str(model) in result.text


def test_unwritable_folder(tmp_path):
    folder = tmp_path / "sealed"
    folder.mkdir(mode=0o500)
    if os.access(folder, os.W_OK):
        folder = "/proc/self"  # root writes to any folder that is not the kernel's
    one_line(support.score(support.lavfi(A, A), f"metrics=psnr:log_path={folder}/scores.json"), "scores.json")


@pytest.mark.parametrize("option", ["backend=opencl", "log_fmt=yaml", "sync=nearest", "threads=-1", "subsample=0",
                                    "vif_enhn_gain_limit=0.5", "ssimulacra2_profile=fast", "no_such_option=1"])
def test_bad_option_values(option):
    result = support.score(support.lavfi(A, A), option)
    assert result.code != 0
    name, value = option.split("=")
    assert name in result.text


@pytest.mark.parametrize("form", ["json", "ndjson", "csv", "xml"])
def test_full_disk(form):
    result = support.score(support.lavfi(A, A), f"metrics=psnr:log_fmt={form}:log_path=/dev/full")
    assert result.code != 0
    assert "Could not write the log /dev/full: No space left on device" in result.text


def test_two_filters_with_one_log(tmp_path):
    log = tmp_path / "scores.json"
    graph = (f"[0:v]split[a][b];[1:v]split[c][d];[a][c]vmafx=metrics=psnr:log_path={log}[x];"
             f"[b][d]vmafx=metrics=float_psnr:log_path={log}[y]")
    result = support.ffmpeg(*support.lavfi(A, A), "-lavfi", graph, "-map", "[x]", "-map", "[y]", "-f", "null", "-")
    assert result.code != 0 and "is in use by filter" in result.text
    # The same options in two graphs: the names of the instances are equal, too.
    graph = f"[0:v][1:v]vmafx=metrics=psnr:log_path={log}"
    result = support.ffmpeg(*support.lavfi(A, A), "-lavfi", graph + "[x]", "-lavfi", graph + "[y]",
                            "-map", "[x]", "-f", "null", "-", "-map", "[y]", "-f", "null", "-")
    assert result.code != 0 and "is in use by filter" in result.text


def test_strict():
    late = "testsrc2=s=64x48:r=25:d=0.2,select=not(eq(n\\,2))"
    result = support.score(support.lavfi(late, A), "metrics=psnr:strict=1")
    one_line(result, "Frame 2 of the reference input has no partner")
    result = support.score(support.lavfi(A + ",setparams=colorspace=bt709", A + ",setparams=colorspace=bt470bg"), "metrics=psnr:strict=1")
    one_line(result, "matrix bt709 and bt470bg", "(strict=1)")
    assert support.score(support.lavfi(A + ",setparams=colorspace=bt709", A + ",setparams=colorspace=bt470bg"), "metrics=psnr").code == 0
    assert support.score(support.lavfi(A, A), "metrics=psnr:strict=1").code == 0


@pytest.mark.parametrize("value", ["1e300", "1.7976931348623157e308", "1e-300"])
def test_every_number_that_the_help_allows(value):
    result = support.score(support.lavfi(A, A), f"metrics=psnr:psnr_min_sse={value}")
    assert result.code == 0, result.text


def test_sample_aspect_ratios():
    result = support.score(support.lavfi(A + ",setsar=4/3", A + ",setsar=1"), "metrics=psnr")
    assert result.code == 0 and "The sample aspect ratios differ, 4:3 (distorted) and 1:1 (reference)" in result.text
    for one, other in (("setsar=1", "setsar=1"), ("setsar=4/3", "setsar=0"), ("setsar=8/6", "setsar=4/3")):
        result = support.score(support.lavfi(f"{A},{one}", f"{A},{other}"), "metrics=psnr")
        assert result.code == 0 and "aspect" not in result.text, result.text


@pytest.mark.parametrize("angle", [90, 180])
def test_a_turned_video(tmp_path, angle):
    """A display matrix that ffmpeg was told not to apply."""
    for name, arguments in (("plain", ()), ("turned", ("-display_rotation", angle))):
        made = support.ffmpeg(*arguments, *(support.lavfi(A) if name == "plain" else ("-i", tmp_path / "plain.mp4")),
                              *(("-c:v", "mpeg4") if name == "plain" else ("-c", "copy")), tmp_path / f"{name}.mp4")
        assert made.code == 0, made.text
    result = support.score(["-noautorotate", "-i", tmp_path / "turned.mp4", "-i", tmp_path / "plain.mp4"], "metrics=psnr")
    assert result.code == 0 and "The display matrices differ" in result.text, result.text
    assert f"turn the distorted picture by {angle if angle == 180 else -angle} and the reference by 0 degrees" in result.text
    result = support.score(["-noautorotate", "-i", tmp_path / "turned.mp4", "-noautorotate", "-i", tmp_path / "turned.mp4"], "metrics=psnr")
    assert result.code == 0 and "matrices" not in result.text
