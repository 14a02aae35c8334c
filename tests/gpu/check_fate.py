#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Runs the FATE tests of the filter without FFmpeg's build tree: ffmpeg, fate/ and a shell are enough.

  check_fate.py [--ffmpeg build/bin/ffmpeg] [--backend cuda] [NAME]...

What a test runs is read from fate/vmafx.mak, and it runs as FFmpeg's tests/fate-run.sh would run it. With a backend
other than cpu the references have to come out all the same. Without NAMEs (a part of a test's name is enough) all tests
run.
Prints a line per test and the counts; the exit status is 1 when a test failed or none ran.
"""
import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# tests/fate-run.sh's function: options are split at spaces and nothing is globbed.
SHELL = """set -f
ffmpeg() {
    fate_args="-nostdin -nostats -noauto_conversion_filters -cpuflags all"
    for arg in $@; do
        [ x$arg = x-i ] && fate_args="$fate_args -hwaccel none -threads 1 -thread_type frame+slice"
        fate_args="$fate_args $arg"
    done
    ./ffmpeg $fate_args
}
"""


class Makefile:
    """As much of make as fate/vmafx.mak uses: variables, $(call), recipes, target-specific CMD."""

    def __init__(self, text, variables):
        self.variables = {}
        self.commands = {}  # test: its CMD
        self.recipes = {}   # target: lines
        target = None
        for line in text.replace("\\\n", " ").split("\n"):
            if line.startswith("\t"):
                self.recipes.setdefault(target, []).append(line[1:])
                continue
            if line.startswith("#") or not line.strip():
                continue
            assignment = re.match(r"(\w+) *= *(.*)", line)
            command = re.match(r"(fate-[\w-]+): *CMD *= *(.*)", line)
            if assignment:
                self.variables[assignment[1]] = assignment[2]
            elif command:
                self.commands[command[1]] = command[2]
            else:
                target = line.split(":")[0]
        self.variables.update(variables)

    def expand(self, text, arguments=()):
        out = []
        at = 0
        while at < len(text):
            if text[at] != "$":
                out.append(text[at])
                at += 1
                continue
            if text[at + 1] != "(":
                out.append("$" if text[at + 1] == "$" else self.variables[text[at + 1]])
                at += 2
                continue
            end = self.closing(text, at + 1)
            out.append(self.value(text[at + 2:end], arguments))
            at = end + 1
        return "".join(out)

    @staticmethod
    def closing(text, start):
        depth = 0
        for at in range(start, len(text)):
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            if not depth:
                return at
        raise SystemExit(f"check_fate: no closing parenthesis in {text}")

    def value(self, name, arguments):
        if name.isdigit():
            return arguments[int(name) - 1]
        call = re.match(r"call (\w+),(.*)", name)
        if call:
            return self.expand(self.variables[call[1]], [self.expand(part, arguments) for part in self.split(call[2])])
        return self.expand(self.variables[name])

    @staticmethod
    def split(text):
        """At the commas outside parentheses."""
        parts = [""]
        depth = 0
        for letter in text:
            depth += {"(": 1, ")": -1}.get(letter, 0)
            if letter == "," and not depth:
                parts.append("")
            else:
                parts[-1] += letter
        return parts


def run(command, folder):
    done = subprocess.run(["sh", "-c", SHELL + command], cwd=folder, capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"})
    return done.returncode, done.stdout, done.stderr


def squeezed(text):
    """Lines as "diff -b" compares them."""
    return [re.sub(r"\s+", " ", line).rstrip() for line in text.splitlines()]


def check(name, makefile, folder):
    """What is wrong with a test's result: empty when it is right."""
    reference = ROOT / "fate/ref" / name.removeprefix("fate-")
    if not reference.exists():
        return f"{reference} is missing"
    status, output, errors = run(makefile.expand(makefile.commands[name]), folder)
    if status:
        return "\n".join([f"exit status {status}", *errors.strip().splitlines()[-4:]])
    return "\n".join(difflib.unified_diff(squeezed(reference.read_text()), squeezed(output), "reference", "here",
                                          n=0, lineterm=""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ffmpeg", type=pathlib.Path, default=ROOT / "build/bin/ffmpeg")
    parser.add_argument("--backend", default="cuda", help="cpu, cuda or hip")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    failed = passed = 0
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "tests/data").mkdir(parents=True)
        (pathlib.Path(folder) / "ffmpeg").symlink_to(options.ffmpeg.resolve())
        makefile = Makefile((ROOT / "fate/vmafx.mak").read_text(), {
            "VMAFX_BACKEND": options.backend, "TARGET_PATH": ".", "TARGET_EXEC": "", "M": "", "<": "ffmpeg"})
        for recipe in makefile.recipes.get("$(VMAFX_CHANGE)", []):
            status, _, errors = run(makefile.expand(recipe), folder)
            if status:
                raise SystemExit(f"check_fate: the generated input failed: {errors}")
        for name in makefile.commands:
            if options.names and not any(part in name for part in options.names):
                continue
            wrong = check(name, makefile, folder)
            print(f"{'FAILED' if wrong else 'ok    '} {name}", flush=True)
            if wrong:
                print("\n".join(f"    {line}" for line in wrong.strip().splitlines()[:40]))
            failed += bool(wrong)
            passed += not wrong
    print(f"backend {options.backend}: {passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
