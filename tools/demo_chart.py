#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The frame of the demo's picture, and the filter graph that draws the scores into it.

FFmpeg's drawgraph draws lines but no axes, so their labels and grid are made here, as a PPM picture, with the bitmap
font that FFmpeg's own source carries. The graph is printed on standard output.
"""
import argparse
import math
import pathlib
import re

PLOT_WIDTH, PLOT_HEIGHT = 1200, 200
LEFT, RIGHT, HEADER, FOOTER = 56, 24, 44, 40
WIDTH = LEFT + PLOT_WIDTH + RIGHT
GLYPH_WIDTH, GLYPH_HEIGHT = 8, 16
OVERSAMPLING = 2  # drawgraph's lines are drawn larger, thickened and scaled down: smooth and two pixels wide

BACKGROUND, PLOT, GRID, TEXT = (16, 20, 26), (24, 29, 37), (48, 56, 68), (160, 170, 184)
ORANGE, GREEN, BLUE, PINK = (255, 176, 72), (108, 212, 132), (96, 176, 255), (240, 128, 176)

# (title, smallest value, largest value, distance of the grid lines, ((metadata key, label, colour), ...))
PANELS = (
    ("SSIMULACRA2", 0, 100, 20, (("ssimulacra2", "ssimulacra2", ORANGE),)),
    ("PSNR of luma, dB", 20, 60, 10, (("float_psnr", "float_psnr", BLUE),)),
    ("VIF", 0, 1, 0.2, (("integer_vif_scale0", "scale 0", PINK), ("integer_vif_scale1", "scale 1", BLUE),
                        ("integer_vif_scale2", "scale 2", GREEN), ("integer_vif_scale3", "scale 3", ORANGE))),
)
HEIGHT = len(PANELS) * (HEADER + PLOT_HEIGHT) + FOOTER


class Picture:
    def __init__(self, font):
        self.rows = [bytearray(bytes(BACKGROUND) * WIDTH) for _ in range(HEIGHT)]
        self.font = font

    def fill(self, x, y, width, height, colour):
        for row in self.rows[y:y + height]:
            row[3 * x:3 * (x + width)] = bytes(colour) * width

    def text(self, x, y, text, colour):
        for character in text.encode("ascii"):
            for dy in range(GLYPH_HEIGHT):
                bits = self.font[character * GLYPH_HEIGHT + dy]
                for dx in range(GLYPH_WIDTH):
                    if bits & (0x80 >> dx):
                        self.fill(x + dx, y + dy, 1, 1, colour)
            x += GLYPH_WIDTH
        return x

    def write(self, path):
        path.write_bytes(b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT) + b"".join(self.rows))


def read_font(source):
    """The 8x16 table of FFmpeg's libavutil/xga_font_data.c."""
    table = source.read_text().split("vga16_font[4096]", 1)[1].split("};", 1)[0]
    return bytes(int(value, 16) for value in re.findall(r"0x([0-9a-fA-F]{2})", table))


def plot_top(index):
    return index * (HEADER + PLOT_HEIGHT) + HEADER


def draw_frame(picture, duration):
    for index, (title, low, high, step, lines) in enumerate(PANELS):
        top = plot_top(index)
        picture.fill(LEFT, top, PLOT_WIDTH, PLOT_HEIGHT, PLOT)
        for n in range(round((high - low) / step) + 1):
            y = top + round((PLOT_HEIGHT - 1) * (1 - n * step / (high - low)))
            picture.fill(LEFT, y, PLOT_WIDTH, 1, GRID)
            label = f"{low + n * step:g}"
            picture.text(LEFT - 8 - GLYPH_WIDTH * len(label), y - GLYPH_HEIGHT // 2, label, TEXT)
        x = picture.text(LEFT, top - 26, title, TEXT)
        if len(lines) > 1:
            for _, label, colour in lines:
                picture.fill(x + 24, top - 19, 20, 3, colour)
                x = picture.text(x + 52, top - 26, label, TEXT)
        else:
            picture.fill(x + 16, top - 19, 20, 3, lines[0][2])

    # About ten marks on the time axis, at 1, 2 or 5 times a power of ten.
    raw = duration / 10
    power = 10 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw)
    for n in range(int(duration / step) + 1):
        x = LEFT + round((PLOT_WIDTH - 1) * n * step / duration)
        for index in range(len(PANELS)):
            picture.fill(x, plot_top(index), 1, PLOT_HEIGHT, GRID)
        label = f"{n * step:g} s"
        left = min(x - GLYPH_WIDTH * len(label) // 2, WIDTH - GLYPH_WIDTH * len(label))
        picture.text(left, HEIGHT - FOOTER + 12, label, TEXT)


def filter_graph(duration, options):
    # Frames are held for as long as they are shown, so that the horizontal axis is time, also at a variable frame rate:
    # drawgraph draws one column for each frame that it is given, and half as many when that is one too many.
    width, height = PLOT_WIDTH * OVERSAMPLING, PLOT_HEIGHT * OVERSAMPLING
    rate = round(width / duration * 1000)
    count = len(PANELS)
    # Each score is printed when it comes.
    graph = [f"[0:v][1:v]vmafx={options},metadata=print:key=lavfi.vmafx.ssimulacra2:file=-:direct=1,"
             "split[scored][columns]",
             f"[columns]fps={rate}/1000,trim=end_frame={width},split={count}"
             + "".join(f"[in{n}]" for n in range(count))]
    below = "2:v"
    for index, (_, low, high, _, lines) in enumerate(PANELS):
        keys = "".join(f":m{n}=lavfi.vmafx.{key}:fg{n}=0xff{blue:02x}{green:02x}{red:02x}"
                       for n, (key, _, (red, green, blue)) in enumerate(lines, 1))
        graph.append(f"[in{index}]drawgraph=slide=picture:size={width}x{height}:bg=0x00000000:min={low}:max={high}"
                     f"{keys},dilation,dilation,scale={PLOT_WIDTH}:{PLOT_HEIGHT}:flags=area[lines{index}]")
        above = "picture" if index == count - 1 else f"below{index}"
        graph.append(f"[{below}][lines{index}]overlay={LEFT}:{plot_top(index)}:format=rgb[{above}]")
        below = above
    return ";\n".join(graph)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--font", type=pathlib.Path, required=True, help="FFmpeg's libavutil/xga_font_data.c")
    parser.add_argument("--duration", type=float, required=True, help="seconds that the picture covers")
    parser.add_argument("--options", required=True, help="of the filter vmafx")
    parser.add_argument("frame", type=pathlib.Path, help="the PPM file to write")
    arguments = parser.parse_args()
    picture = Picture(read_font(arguments.font))
    draw_frame(picture, arguments.duration)
    picture.write(arguments.frame)
    print(filter_graph(arguments.duration, arguments.options))


if __name__ == "__main__":
    main()
