# SPDX-License-Identifier: BSD-2-Clause-Patent
"""DRM_PRIME and VAAPI frames in the filter (dmabuf_graph.cc), where there is no GPU: memory files stand for dma-buf
objects, the host runner for the device, stand_in_va.c for a VA-API driver."""
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
        assert self.counts.get("va_objects_left", "0") == "0", self.counts
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


def test_another_pool(program, hip, files):
    """Other surfaces are other memory, whatever descriptors and addresses they have."""
    run = Run(program, files("nv12", "70x54"), hip, options=HIP, change=2, surfaces=6).tidy()
    assert run.code == 0, run.text
    assert run.rows == expected(program, files("nv12", "70x54"))


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


@pytest.mark.parametrize("spoil, part", [("object", "is in object 1, of 1"), ("pitch", "has a pitch of 63 bytes"),
                                         ("size", "begins at byte 3072 of an object of 3072"), ("offset", "begins at byte 6144 of an object of 6144")])
def test_malformed(program, hip, files, spoil, part):
    run = Run(program, files("nv12", "64x48"), hip, options=HIP, spoil=spoil).tidy()
    assert run.code != 0 and not run.rows
    errors = [line for line in run.lines() if part in line]
    assert len(errors) == 1 and "distorted input, drm_prime" in errors[0], run.text


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
