# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Inputs that measuring tools stumble over, made by the ffmpeg under test from one synthetic clip.

Every encode is lossless, or FFmpeg's own bit-exact one, and every conversion uses the scaler's bit-exact path: the
decoded samples, and so the scores, depend neither on the processor nor on the version of x264.
"""
import dataclasses
import random
import typing

import support

SIZE, FRAMES, RATE = "96x64", 24, 25
SCALER = "accurate_rnd+bitexact"
SEED = f"testsrc2=s={SIZE}:r={RATE},format=gbrp16le,avgblur=2"

FFV1 = ("-c:v", "ffv1", "-threads", "1")
X264 = ("-c:v", "libx264", "-preset", "veryfast", "-qp", "0", "-threads", "1")
BITEXACT = ("-flags", "+bitexact", "-dct", "fastint", "-idct", "simple", "-threads", "1")
MPEG4 = ("-c:v", "mpeg4", "-q:v", "3", *BITEXACT)
PASSTHROUGH = ("-fps_mode", "passthrough")


TAGS = "setparams=range=tv:colorspace=bt709"


def scale(size=SIZE, pixel_format="yuv420p", flags="area", matrix="bt709", range_="tv", tags=TAGS):
    chain = f"scale={size.replace('x', ':')}:flags={flags}+{SCALER}:out_color_matrix={matrix}:out_range={range_},format={pixel_format}"
    return f"{chain},{tags}" if tags else chain


@dataclasses.dataclass(frozen=True)
class Input:
    """A file of `suffix` that `make` writes, seen through the filters `chain`."""
    base: str                     # what it is compared with besides itself
    suffix: str = "mkv"
    make: typing.Callable | None = None  # (path, path of another input) -> None; None: the seed clip itself
    chain: str = "null"
    before: tuple = ()            # options in front of -i


def encode(chain, *arguments, rate=RATE):
    """Writes the seed's frames, taken as `rate` per second, through the filters `chain`."""
    def make(path, files):
        made = support.ffmpeg("-threads", "1", "-r", rate, "-i", files("seed"), "-vf", chain, *arguments, "-fflags", "+bitexact", path)
        assert made.code == 0, made.text
    return make


def from_file(name, change):
    """Writes what `change` makes of another input's bytes."""
    return lambda path, files: path.write_bytes(change(files(name).read_bytes()))


def joined(*names):
    return lambda path, files: path.write_bytes(b"".join(files(name).read_bytes() for name in names))


def make_seed(path, _):
    made = support.ffmpeg("-f", "lavfi", "-i", SEED, "-frames:v", FRAMES, *FFV1, path)
    assert made.code == 0, made.text


def sizes():
    for size in "1x1 2x2 3x5 7x7 8x8 15x9 16x16 17x17 31x33 1x64 64x1 101x67".split():
        base = f"size/{size} sharp"
        yield base, Input(base, "mkv", encode(scale(size, "yuv444p", "neighbor"), "-frames:v", "3", *FFV1, "-level", "1"))
        for name, pixel_format in (("444", "yuv444p"), ("420", "yuv420p")):
            yield f"size/{size} {name}", Input(base, "mkv", encode(scale(size, pixel_format), "-frames:v", "3", *FFV1, "-level", "1"))


# In the graph: containers lose some of them.
FORMATS = """gray gray10le gray12le gray14le gray16le yuv410p yuv411p yuv420p yuv422p yuv440p yuv444p yuv420p9le yuv420p10le
yuv420p12le yuv420p14le yuv420p16le yuv420p10be yuv422p10le yuv422p12le yuv422p14le yuv422p16le yuv444p10le yuv444p12le
yuv444p14le yuv444p16le yuva420p yuva422p yuva444p yuva444p10le nv12 nv21 gbrp gbrp10le gbrp12le gbrp14le gbrp16le gbrap
gbrap16le rgb24 bgr24 rgba bgra 0rgb rgb48le rgba64le yuyv422 uyvy422 monow ya8 p010le p016le p210le p416le y210le x2rgb10le
gbrpf32le ya16le rgb565le""".split()


def formats():
    for name in FORMATS:
        yield f"format/{name}", Input("format/yuv420p", chain="trim=end_frame=2," + f"scale=64:48:flags=area+{SCALER},format={name}")
    palette = bytes(value for i in range(256) for value in (i, 255 - i, i // 2, 255))
    indices = bytes((x * y + x) % 256 for y in range(48) for x in range(64))
    yield "format/pal8", Input("format/yuv420p", "raw", lambda path, _: path.write_bytes(2 * (indices + palette)),
                               before=("-f", "rawvideo", "-pixel_format", "pal8", "-video_size", "64x48", "-framerate", "25"))


def timing():
    film, even = "timing/23.976 fps", "timing/25 fps"
    first_gone, middle_gone = "trim=start_frame=1,setpts=PTS-STARTPTS", "select=not(eq(n\\,11))"

    def entry(name, base, chain, *arguments, suffix="mp4", codec=X264):
        rate = "24000/1001" if base == film else RATE
        return f"timing/{name}", Input(base, suffix, encode(f"{scale()},{chain}", *arguments, *codec, rate=rate))

    yield entry("23.976 fps", film, "null")
    yield entry("1 ms", film, "null", suffix="mkv")
    yield entry("first frame gone", film, first_gone)
    yield entry("last frame gone", film, "trim=end_frame=23")
    yield entry("25 fps", even, "null")
    yield entry("starts at 10 s", even, "null", "-output_ts_offset", "10")
    yield entry("middle gone, a gap", even, middle_gone, *PASSTHROUGH)
    yield entry("middle gone, no gap", even, f"{middle_gone},setpts=N/25/TB")
    yield entry("vfr", even, "settb=1/90000,setpts=(N+0.4*mod(N*7\\,5)/5)/25/TB", *PASSTHROUGH, "-enc_time_base", "1/90000",
                "-video_track_timescale", "90000")
    yield entry("duplicate time stamps", even, "setpts=floor(N/2)*2/25/TB", *PASSTHROUGH, suffix="mkv", codec=FFV1)
    yield entry("50 fps", even, "fps=50")
    yield entry("12.5 fps", even, "fps=12.5")
    yield entry("1 frame", even, "null", "-frames:v", "1")
    yield entry("y4m", even, "null", "-frames:v", "3", suffix="y4m", codec=())
    yield entry("b-frames in flv", even, "null", "-bf", "3", suffix="flv")
    for name, chain in (("a time stamp missing", "setpts=if(eq(N\\,5)\\,NAN\\,PTS)"), ("no time stamps", "setpts=NAN"),
                        ("backwards", "setpts=24-PTS"), ("time stamps of an hour's nanoseconds", "settb=1/1000000000,setpts=PTS+3600/TB")):
        yield f"timing/{name}", Input(even, "y4m", encode(scale()), chain)
    yield "timing/0 frames", Input(even, "y4m", from_file("timing/y4m", lambda data: data[:data.index(b"\n") + 1]))
    yield "timing/cut y4m", Input(even, "y4m", from_file("timing/y4m", lambda data: data[:len(data) * 5 // 6]))


def changes():
    def part(name, chain):
        return f"change/part {name}", Input("change/none", "h264", encode(chain, *X264))

    yield part("small", scale())
    yield part("large", scale("128x80"))
    yield part("tiny", scale("48x48"))
    yield part("422p10", scale(SIZE, "yuv422p10le"))
    yield part("full", scale(SIZE, "yuvj420p", range_="pc", tags="setparams=range=pc:colorspace=bt709"))
    for name, parts in (("none", ("small", "small", "small")), ("size", ("small", "large", "tiny")),
                        ("pixel format", ("small", "422p10")), ("range", ("small", "full"))):
        yield f"change/{name}", Input("change/none", "h264", joined(*(f"change/part {part}" for part in parts)))


def interlaced():
    base = "timing/25 fps"
    mpeg2 = ("-c:v", "mpeg2video", "-q:v", "3", *BITEXACT)
    yield "interlaced/top first", Input(base, "mpg", encode(scale() + ",tinterlace=interleave_top,setfield=tff", "-r", "25", *mpeg2, "-flags", "+ildct+ilme+bitexact"))
    yield "interlaced/bottom first", Input(base, "mp4", encode(scale() + ",tinterlace=interleave_bottom,setfield=bff", *X264, "-flags", "+ildct+ilme"))
    yield "interlaced/telecine", Input(base, "mpg", encode(scale() + ",telecine", *mpeg2))


def colours():
    base = "colour/709 limited"

    def entry(name, matrix, range_, pixel_format, tags, codec=FFV1, suffix="mkv"):
        space, transfer, primaries = tags
        chain = scale(SIZE, pixel_format, "area", matrix, range_,
                      f"setparams=range={range_}:colorspace={space}:color_trc={transfer}:color_primaries={primaries}")
        return f"colour/{name}", Input(base, suffix, encode(chain, "-frames:v", "6", *codec))

    bt709, bt601, none = ("bt709",) * 3, ("smpte170m",) * 3, ("unknown",) * 3
    yield entry("709 limited", "bt709", "tv", "yuv420p", bt709)
    yield entry("709 full", "bt709", "pc", "yuv420p", bt709, X264, "mp4")  # FFmpeg's ffv1 takes only yuvj420p as full
    yield entry("601 limited", "bt601", "tv", "yuv420p", bt601)
    yield entry("untagged", "bt709", "tv", "yuv420p", none)
    yield "colour/full, tagged limited", Input(base, "mkv", encode(scale(range_="pc"), "-frames:v", "6", *FFV1))
    yield entry("pq", "bt2020", "tv", "yuv420p10le", ("bt2020nc", "smpte2084", "bt2020"), X264, "mp4")
    yield entry("hlg", "bt2020", "tv", "yuv420p10le", ("bt2020nc", "arib-std-b67", "bt2020"))
    yield "colour/rgb", Input(base, "mp4", encode(f"scale=flags={SCALER},format=rgb24", "-frames:v", "6", "-c:v", "libx264rgb", "-qp", "0", "-threads", "1"))
    for location in ("left", "center", "topleft"):
        yield f"colour/chroma {location}", Input(base, "mp4", encode(scale(), "-frames:v", "6", *X264, "-chroma_sample_location", location))


def contents():
    base = "content/gray"

    def raw(draw):
        """Planar 4:2:0 of 128x96, five frames; draw(x, y, frame) is the luma."""
        def make(path, _):
            frames = (bytes(draw(x, y, frame) for y in range(96) for x in range(128)) + b"\x80" * (2 * 64 * 48) for frame in range(5))
            path.write_bytes(b"".join(frames))
        return Input(base, "yuv", make, before=("-f", "rawvideo", "-video_size", "128x96", "-framerate", "25"))

    noise = random.Random(1).randbytes(128 * 96 * 5)
    yield "content/black", raw(lambda x, y, frame: 16)
    yield "content/white", raw(lambda x, y, frame: 235)
    yield "content/gray", raw(lambda x, y, frame: 126)
    yield "content/noise", raw(lambda x, y, frame: noise[(frame * 96 + y) * 128 + x])
    yield "content/checker", raw(lambda x, y, frame: 255 * ((x + y) % 2))
    yield "content/impulse", raw(lambda x, y, frame: 255 if (x, y) == (64, 48) else 16)


def flip_bits(data):
    damaged = bytearray(data)
    for i in range(len(data) // 3, len(data), 997):
        damaged[i] ^= 0x55
    return bytes(damaged)


def damages():
    base = "damage/none"
    yield "damage/none", Input(base, "mkv", encode(scale(), *MPEG4))
    yield "damage/none, mp4", Input(base, "mp4", encode(scale(), *MPEG4))
    yield "damage/no moov", Input(base, "mp4", from_file("damage/none, mp4", lambda data: data[:6000]))
    yield "damage/cut", Input(base, "mkv", from_file("damage/none", lambda data: data[:len(data) // 2]))
    yield "damage/flipped bits", Input(base, "mkv", from_file("damage/none", flip_bits))
    yield "damage/empty", Input(base, "mp4", lambda path, _: path.write_bytes(b""))
    yield "damage/text", Input(base, "mp4", lambda path, _: path.write_text("not a video\n"))


INPUTS = {"seed": Input("seed", make=make_seed)}
for group in (sizes, formats, timing, changes, interlaced, colours, contents, damages):
    INPUTS.update(group())


class Files:
    """Makes each file once, when it is first asked for."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, name):
        entry = INPUTS[name]
        if not entry.make:
            return self("seed")
        path = self.folder / f"{name.translate(str.maketrans('/ ,', '___'))}.{entry.suffix}"
        if not path.exists():
            entry.make(path, self)
        return path

    def arguments(self, name):
        # One thread: what a decoder conceals in damaged frames then depends on nothing else.
        return ["-threads", "1", *INPUTS[name].before, "-i", self(name)]
