# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Files of expected outcomes: a title, then what the filter says and the exit status, one block for each run."""
import os
import pathlib
import re

FILTER_LINE = re.compile(r"\[\S*vmafx\S* @ [^]]*\] \[(info|warning|error)\] (.*)")
SUMMARY = re.compile(r"(\w+): mean=(\S+) .*min=(\S+) min_frame=(\d+) .*count=(\d+)$")
# How many frames the rebuilding of a graph costs the output, and how many were read when an error stopped the run, depends
# on ffmpeg's threads; the scores do not.
LEFT_OUT = re.compile(r"Measured but not passed on: \d+ frame|Stopped before the end of both inputs: ")
READ_AHEAD = re.compile(r" undecided_distorted=\d+ undecided_reference=\d+$")


def transcript(result):
    """What the filter said, else what kept ffmpeg from starting it; then the exit status."""
    lines, scores = [], []
    for line in result.text.splitlines():
        said = FILTER_LINE.match(line)
        if not said or LEFT_OUT.match(said[2]):
            continue
        summary = SUMMARY.match(said[2])
        if summary:
            name, mean, lowest, frame, count = summary.groups()
            scores.append(f"{name} {mean} (lowest {lowest}, frame {frame} of {count})" if lowest != mean else f"{name} {mean}")
        else:
            text = READ_AHEAD.sub("", said[2])
            lines.append(text if said[1] == "info" else f"{said[1]}: {text}")
    if not lines:
        lines = [re.sub(r"/\S*/", "", line) for line in result.text.splitlines() if line.startswith("[error] Error opening input")]
    return [*scores, *lines, f"exit {result.code}"]


class File:
    def __init__(self, name):
        self.path = pathlib.Path(__file__).with_name(name)
        self.generate = bool(os.environ.get("VMAFX_GENERATE"))
        self.blocks = {}

    def __enter__(self):
        if self.path.exists():
            for block in self.path.read_text().split("\n\n"):
                title, *lines = block.strip("\n").split("\n")
                self.blocks[title] = lines
        return self

    def check(self, title, result):
        found = transcript(result)
        if self.generate:
            self.blocks[f"[{title}]"] = found
        assert found == self.blocks.get(f"[{title}]"), result.text

    def __exit__(self, *_):
        if self.generate:
            self.path.write_text("\n\n".join("\n".join([title, *lines]) for title, lines in self.blocks.items()) + "\n")
