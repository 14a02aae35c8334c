# SPDX-License-Identifier: BSD-2-Clause-Patent
"""DRM_PRIME and VAAPI frames in the filter (dmabuf_graph.cc), where there is no GPU: memory files stand for dma-buf
objects, the host runner for the device, stand_in_va.c for a VA-API driver."""
import json
import os
import pathlib
import re
import subprocess

import ffmpeg_tree
import pytest
import support

FRAMES = 7
METRICS = "metrics=ssimulacra2+psnr+vif"
HIP = METRICS + ":backend=hip:queue=2"
CPU = METRICS + ":backend=cpu"
STAND_IN = support.find_built("VMAFX_STAND_IN_HIP", "hip/libamdhip64.so.7")


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    config = ffmpeg_tree.TREE / "config.h"
    if config.exists() and "#define CONFIG_VAAPI 1" not in config.read_text():
        pytest.skip("FFmpeg was built without libdrm and VAAPI")
    return ffmpeg_tree.build(tmp_path_factory.mktemp("dmabuf_graph"), "dmabuf_graph.cc", "stand_in_va.c")


@pytest.fixture(scope="module")
def hip(program):
    """The environment in which the library finds the stand-in."""
    if not STAND_IN:
        pytest.skip("no stand-in for libamdhip64 is built (VMAFX_STAND_IN_HIP names one)")
    if "has no HIP kernels" in support.score(support.lavfi("testsrc2=d=0.1", "testsrc2=d=0.1"), "backend=hip").text:
        pytest.skip("libvmafx was built without HIP")
    def joined(*parts):
        return ":".join(filter(None, parts))

    return {**os.environ, "LD_LIBRARY_PATH": joined(str(pathlib.Path(STAND_IN).parent), os.environ.get("LD_LIBRARY_PATH")),
            # The stand-in's lanes are fibers, on stacks of their own.
            "ASAN_OPTIONS": joined(os.environ.get("ASAN_OPTIONS"), "detect_stack_use_after_return=0")}


class Run:
    def __init__(self, program, files, environment=None, **arguments):
        done = subprocess.run([program, *(f"{name}={value}" for name, value in {**files, **arguments}.items())],
                              capture_output=True, text=True, timeout=support.TIMEOUT, env=environment)
        self.code, self.text = done.returncode, done.stderr
        assert "Sanitizer" not in self.text, self.text
        self.rows, self.counts = {}, {}
        for line in done.stdout.splitlines():
            first, *rest = line.split()
            if first.isdigit():
                self.rows.setdefault(int(first), {})[rest[0]] = rest[1]
            else:
                self.counts[first] = rest[0] if rest else ""

    def lines(self):
        """The filter's own."""
        return [line for line in self.text.splitlines() if re.match(r"\[measure @ [^]]*\] ", line)]

    def tidy(self):
        """Every surface came back once, nothing was left open or on the device."""
        assert self.counts.get("surfaces_kept") == "0", (self.counts, self.text)
        assert self.counts["descriptors_left"] == "0", self.counts
        assert self.counts.get("live", "0") == "0", self.counts
        for what in ("va_objects_left", "imports_left"):
            assert self.counts.get(what, "0") == "0", self.counts
        assert "misuse" not in self.counts and "a" not in self.counts, self.counts
        return self


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Raw frames: files(format, size, their number)."""
    folder = tmp_path_factory.mktemp("raw")

    def make(pix_fmt, size, frames=FRAMES):
        paths = {"format": pix_fmt, "size": size}
        for name, effect in (("distorted", ",avgblur=2"), ("reference", "")):
            path = folder / f"{name}-{pix_fmt}-{size}-{frames}"
            if not path.exists():
                # The source itself rounds odd sizes down.
                made = support.ffmpeg("-f", "lavfi", "-i", f"testsrc2=s=128x96:r=25{effect},scale={size.replace('x', ':')},format={pix_fmt}",
                                      "-frames:v", frames, "-f", "rawvideo", path)
                assert made.code == 0, made.text
            paths[name] = path
        return paths
    return make


def expected(program, files, **arguments):
    """The rows of the same samples in ordinary frames, on the CPU."""
    run = Run(program, files, memory="host", options=CPU, **arguments)
    assert run.code == 0 and len(run.rows) >= FRAMES, run.text
    return run.rows


IN_PLACE = [
    ("nv12", "64x48", {}),
    ("nv12", "64x48", {"layers": "separate"}),
    ("nv12", "70x54", {"objects": 2}),
    ("nv12", "71x53", {"layers": "separate", "objects": 2}),
    ("nv12", "96x80", {"crop": "4:2:6:8"}),
    ("nv12", "97x81", {"crop": "3:5:1:2", "layers": "separate"}),
    ("nv12", "64x48", {"offset": 4096, "spoil": "unknown size"}),
    ("nv16", "66x50", {}),
    ("nv21", "64x48", {}),
    ("p010le", "70x54", {}),
    ("p010le", "71x53", {"layers": "separate"}),
    ("p010le", "97x81", {"crop": "5:3:2:1", "objects": 2}),
    ("p012le", "64x48", {"layers": "separate"}),
    ("p016le", "64x48", {}),
    ("yuv420p", "71x53", {"objects": 3, "layers": "separate"}),
    ("yuv444p", "65x49", {}),
]


@pytest.mark.parametrize("pix_fmt, size, arguments", IN_PLACE,
                         ids=["-".join([f, s, *(f"{k}={v}" for k, v in a.items())]) for f, s, a in IN_PLACE])
def test_read_in_place(program, hip, files, pix_fmt, size, arguments):
    run = Run(program, files(pix_fmt, size), hip, options=HIP, **arguments).tidy()
    assert run.code == 0, run.text
    crop = {name: value for name, value in arguments.items() if name == "crop"}
    assert run.rows == expected(program, files(pix_fmt, size), **crop)
    for side in ("distorted", "reference"):
        assert run.text.count(f"The {side} frames (drm_prime) are read in place: linear.") == 1, run.text


def test_imported_once(program, hip, files):
    """Surfaces come again and again, their objects are imported the first time."""
    run = Run(program, files("nv12", "70x54"), hip, options=HIP, surfaces=4, objects=2).tidy()
    assert run.code == 0 and len(run.rows) == FRAMES, run.text
    assert 0 < int(run.counts["imports"]) <= 2 * 4 * 2 < 2 * 2 * FRAMES


def test_more_surfaces_than_are_told_apart(program, hip, files):
    """A source without a pool: every frame comes in other memory."""
    many = files("nv12", "64x48", 75)
    run = Run(program, many, hip, options="metrics=psnr:backend=hip:queue=2", fresh=1).tidy()
    assert run.code == 0 and run.counts["imports"] == "150", run.text
    cpu = Run(program, many, memory="host", options="metrics=psnr:backend=cpu")
    assert run.rows == cpu.rows and len(cpu.rows) == 75


def test_surfaces_that_cannot_be_told_apart(program, hip, files):
    """Before Linux 5.3 all dma-bufs have one number: each frame is imported anew."""
    run = Run(program, files("nv12", "64x48"), hip, options=HIP, anonymous=1).tidy()
    assert run.code == 0 and int(run.counts["imports"]) == 2 * FRAMES, run.text
    assert run.rows == expected(program, files("nv12", "64x48"))


def test_another_pool(program, hip, files):
    """Other surfaces are other memory, whatever descriptors and addresses they have."""
    run = Run(program, files("nv12", "70x54"), hip, options=HIP, change=2, surfaces=6).tidy()
    assert run.code == 0, run.text
    assert run.rows == expected(program, files("nv12", "70x54"))
    # What was imported of a pool goes with it, but for two pairs in flight.
    assert int(run.counts["imports"]) == 2 * FRAMES and int(run.counts["imports_at_a_time"]) <= 2 * (2 + 2), run.counts


def test_automatic_backend(program, hip, files):
    run = Run(program, files("nv12", "64x48"), hip, options=METRICS).tidy()
    assert run.code == 0 and int(run.counts["imports"]) > 0, run.text
    assert run.rows == expected(program, files("nv12", "64x48"))


@pytest.mark.parametrize("options", [HIP, METRICS], ids=["hip", "auto"])
def test_downloaded(program, hip, files, options):
    """Linear, but no 2-byte sample is at an even address."""
    run = Run(program, files("p010le", "64x48"), hip, options=options, offset=1).tidy()
    assert run.code == 0, run.text
    assert run.text.count("The distorted frames (drm_prime) are downloaded: linear, with 2-byte samples at odd addresses.") == 1
    assert run.counts["imports"] == "0"  # and the stand-in was used all the same
    assert run.rows == expected(program, files("p010le", "64x48"))


def test_order_that_layers_do_not_tell(program, hip, files):
    """NV21's chroma plane as a layer of its own is named like NV12's by some drivers."""
    run = Run(program, files("nv21", "64x48"), hip, options=HIP, layers="separate").tidy()
    assert run.code == 0 and "are downloaded: the layers do not say that Cr comes first." in run.text, run.text
    assert run.rows == expected(program, files("nv21", "64x48"))


@pytest.mark.parametrize("side", ["distorted", "reference"])
def test_tiled(program, hip, files, side):
    run = Run(program, files("nv12", "64x48"), hip, options=HIP, modifier="0x0200000000401901", tiled=side).tidy()
    assert run.code != 0 and not run.rows
    errors = [line for line in run.lines() if "are tiled (AMD modifier 0x0200000000401901)" in line]
    assert len(errors) == 1 and f"The {side} frames" in errors[0] and "hwmap=derive_device=vaapi" in errors[0], run.text


def test_without_modifier(program, hip, files):
    unknown = {"modifier": "0x00ffffffffffffff"}
    run = Run(program, files("nv12", "64x48"), hip, options=HIP, **unknown).tidy()
    assert run.code != 0 and "assume_linear=1" in run.text and "no modifier" in run.text, run.text
    run = Run(program, files("nv12", "64x48"), hip, options=HIP + ":assume_linear=1", **unknown).tidy()
    assert run.code == 0 and "read in place: taken as linear (no modifier)" in run.text, run.text
    assert run.rows == expected(program, files("nv12", "64x48"))


@pytest.mark.parametrize("spoil, part", [
    ("object", "is in object 1, of 1"),
    ("pitch", "has a pitch of 63 bytes"),
    ("size", "begins at byte 3072 of an object of 3072"),
    ("offset", "begins at byte 6144 of an object of 6144"),
    ("no layers", "number of layers is 0"),
    ("negative layers", "number of layers is 4294967295"),
    ("many objects", "number of objects is 5"),
    ("descriptor", "object 0 has no file descriptor"),
    ("huge", "object 0 has 18446744073709551615 bytes"),
])
def test_malformed(program, hip, files, spoil, part):
    run = Run(program, files("nv12", "64x48"), hip, options=HIP, spoil=spoil).tidy()
    assert run.code != 0 and not run.rows
    errors = [line for line in run.lines() if part in line]
    assert len(errors) == 1 and "distorted input, drm_prime" in errors[0], run.text


@pytest.mark.parametrize("spoil, part", [("closed", "is no dma-buf: Bad file descriptor"),
                                         ("file", "has 6144 bytes, the picture says 10240")])
def test_not_the_memory_that_is_described(program, hip, files, spoil, part):
    run = Run(program, files("nv12", "64x48"), hip, options=HIP, spoil=spoil).tidy()
    assert run.code != 0 and not run.rows
    assert len([line for line in run.lines() if part in line]) == 1, run.text


@pytest.mark.parametrize("host", ["host_distorted", "host_reference"])
def test_one_input_in_memory(program, hip, files, host):
    run = Run(program, files("nv12", "64x48"), hip, options=HIP, memory=host).tidy()
    assert run.code != 0 and not run.rows
    assert "host memory" in run.text and "dma-buf memory" in run.text and "hwdownload" in run.text, run.text


VAAPI = [
    # The driver's manners, what happens to the frames and why, parts of it.
    ("linear", "read in place: linear."),
    ("", "copied on the device: tiled (AMD modifier 0x0200000000401901)."),
    ("no_linear", "downloaded: tiled (AMD modifier 0x0200000000401901), and no linear copy on the device: the driver makes no"),
    ("no_copy", "downloaded: tiled (AMD modifier 0x0200000000401901), and no linear copy on the device: vaCreateConfig failed"),
    ("lossy_copy", "downloaded: tiled (AMD modifier 0x0200000000401901), and no linear copy on the device: it would change samples."),
]


@pytest.mark.parametrize("pix_fmt, size, arguments", [("nv12", "64x48", {}), ("p010le", "70x54", {}), ("nv12", "97x81", {"crop": "3:4:2:1"})],
                         ids=["nv12", "p010", "crop"])
@pytest.mark.parametrize("words, way", VAAPI, ids=[words or "tiled" for words, _ in VAAPI])
def test_vaapi(program, hip, files, pix_fmt, size, arguments, words, way):
    run = Run(program, files(pix_fmt, size), hip, options=HIP, memory="vaapi", driver=words, **arguments).tidy()
    assert run.code == 0, run.text
    for side in ("distorted", "reference"):
        assert run.text.count(f"The {side} frames (vaapi) are {way}") == 1, run.text
    assert (run.counts["imports"] == "0") == way.startswith("downloaded")
    assert run.rows == expected(program, files(pix_fmt, size), **arguments)


@pytest.mark.parametrize("words", ["linear", ""], ids=["linear", "tiled"])
def test_another_vaapi_pool(program, hip, files, words):
    """The new pool's surfaces have the numbers of the old one's."""
    run = Run(program, files("nv12", "64x48"), hip, options=HIP, memory="vaapi", driver=words, change=2).tidy()
    assert run.code == 0, run.text
    assert run.rows == expected(program, files("nv12", "64x48"))


@pytest.mark.parametrize("size, layers, crop", [("64x48", "whole", "0:0:0:0"), ("97x81", "separate", "3:4:2:1")])
def test_mapped_to_vaapi(program, hip, files, size, layers, crop):
    """Surfaces that hwmap makes for a frame each: the next one's memory has the number of one that is gone."""
    run = Run(program, files("nv12", size), hip, options=HIP, memory="mapped", fresh=1, layers=layers, crop=crop).tidy()
    assert run.code == 0 and run.text.count("frames (vaapi) are read in place: linear.") == 2, run.text
    assert run.rows == expected(program, files("nv12", size), crop=crop)


def test_mapped_and_imported_once(program, hip, files):
    run = Run(program, files("nv12", "64x48"), hip, options=HIP, memory="mapped", surfaces=4).tidy()
    assert run.code == 0 and 0 < int(run.counts["imports"]) <= 2 * 4, run.counts


@pytest.mark.parametrize("memory", ["drm", "vaapi", "mapped"])
@pytest.mark.parametrize("device, name", [("0000:2b:00.0 pci", "Stand-in 1 (0000:2b:00.0, gfx1100)"),
                                          ("0000:2A:00.0 pci", "Stand-in 0 (0000:2a:00.0, gfx1100)"),
                                          ("0000:2b:00.0 platform", "Stand-in 0 (0000:2a:00.0, gfx1100)")])
def test_gpu_that_holds_the_frames(program, hip, files, tmp_path, memory, device, name):
    """It is the one that scores; where its place is not known, the first."""
    log = tmp_path / "scores.json"
    run = Run(program, files("nv12", "64x48"), hip, options=f"{HIP}:log_path={log}", memory=memory, device=device).tidy()
    assert run.code == 0, run.text
    assert json.loads(log.read_text())["device"] == name


def test_two_gpus(program, hip, files):
    run = Run(program, files("nv12", "64x48"), hip, options=HIP, device="0000:2a:00.0 pci",
              other_device="0000:2b:00.0 pci").tidy()
    assert run.code != 0 and not run.rows
    errors = [line for line in run.lines() if "the reference frames are on the GPU at 0000:2b:00.0, this session" in line]
    assert len(errors) == 1 and "Stand-in 0 (0000:2a:00.0" in errors[0] and "-hwaccel_device" in errors[0], run.text


def test_gpu_that_hip_does_not_see(program, hip, files):
    run = Run(program, files("nv12", "64x48"), hip, options=HIP, device="0000:65:00.0 pci").tidy()
    assert run.code != 0 and not run.rows
    errors = [line for line in run.lines() if "the frames are on the GPU at 0000:65:00.0, which HIP does not see" in line]
    assert len(errors) == 1 and "hwdownload" in errors[0], run.text


@pytest.mark.parametrize("memory", ["drm", "vaapi"])
def test_two_filters(program, hip, files, memory):
    """Each has a session of its own, of the same surfaces."""
    run = Run(program, files("nv12", "70x54"), hip, options=HIP, memory=memory, driver="linear", filters=2).tidy()
    assert run.code == 0, run.text
    assert run.text.count("read in place: linear.") == 4
    assert run.rows == expected(program, files("nv12", "70x54"))


@pytest.mark.parametrize("memory, words", [("drm", ""), ("vaapi", "linear"), ("vaapi", ""), ("mapped", "")])
def test_another_graph(program, hip, files, tmp_path, memory, words):
    """The measurement goes on in it, with other pools; what the old graph's pools had is given up with them."""
    logs = {}
    for name, how in (("hip", {"memory": memory, "driver": words, "rebuild": 4}), ("cpu", {"memory": "host"})):
        log = tmp_path / f"{name}.json"
        run = Run(program, files("nv12", "70x54"), hip, options=f"{METRICS}:backend={name}:log_path={log}", **how).tidy()
        assert run.code == 0, run.text
        logs[name] = json.loads(log.read_text())
        if name == "hip":
            assert int(run.counts["imports"]) == 2 * FRAMES and int(run.counts["imports_at_a_time"]) == 2 * 4, run.counts
    assert logs["hip"]["frames"] == logs["cpu"]["frames"] and len(logs["hip"]["frames"]) == FRAMES


def test_check_of_amd_gpus(hip, monkeypatch, capsys):
    """What owners of such a GPU run (tests/gpu/check_vaapi.py), but for VAAPI: its frames are in memory here."""
    monkeypatch.syspath_prepend(support.ROOT / "tests/gpu")
    monkeypatch.setenv("LD_LIBRARY_PATH", hip["LD_LIBRARY_PATH"])
    import check_vaapi
    assert check_vaapi.check(support.FFMPEG, [], [])
    assert re.search(r"^Stand-in 0 \(0000:2a:00.0, gfx1100\), frames in FFmpeg: (\d+) of \1 values equal, 12 pairs$",
                     capsys.readouterr().out, re.M)
    # Software decoding in place of VAAPI's passes no check.
    assert not check_vaapi.check(support.FFMPEG, [], ["-hwaccel", "none"])
    assert "failed: FFmpeg did not decode with VAAPI (distorted, reference)" in capsys.readouterr().out
    frames = [{"frameNum": i, "metrics": {"psnr_y": 30.5, "psnr_cb": 40.0}} for i in range(2)]
    changed = [frames[0], {"frameNum": 1, "metrics": {"psnr_y": 30.500000000000004}}]
    assert check_vaapi.compare({"frames": frames}, {"frames": frames}) == (4, 4)
    assert check_vaapi.compare({"frames": changed}, {"frames": frames}) == (2, 4)
    assert check_vaapi.compare({"frames": frames[:1]}, {"frames": frames}) == (2, 4)


def test_vaapi_on_the_cpu(program, files):
    run = Run(program, files("nv12", "64x48"), options=CPU, memory="vaapi").tidy()
    assert run.code != 0 and not run.rows
    assert "in vaapi memory" in run.text and "hwdownload,format=nv12 before the first input" in run.text, run.text


def test_cpu(program, files):
    """The CPU does not read them, and the way that works is said."""
    run = Run(program, files("nv12", "64x48"), options=CPU).tidy()
    assert run.code != 0 and not run.rows
    errors = [line for line in run.lines() if "hwdownload,format=nv12 before the first input" in line]
    assert len(errors) == 1 and "drm_prime memory, which backend=cpu does not read" in errors[0], run.text
