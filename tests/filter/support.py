# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Runs ffmpeg with the filter, and the program that scores through the library's header alone."""
import dataclasses
import json
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
FFMPEG = os.environ.get("VMAFX_FFMPEG", str(ROOT / "build/bin/ffmpeg"))
FFPROBE = os.environ.get("VMAFX_FFPROBE", str(ROOT / "build/bin/ffprobe"))
TIMEOUT = float(os.environ.get("VMAFX_TEST_TIMEOUT", "120"))

SUMMARY = re.compile(r"\] pairs=(\d+) unpaired_distorted=(\d+) unpaired_reference=(\d+) "
                     r"largest_distance=(\S+)(?: disabled=(\d+))?(?: undecided_distorted=\d+ undecided_reference=\d+)?$", re.M)


def sanitizers(folder):
    """Those of a build folder's objects."""
    options = folder / "meson-info/intro-buildoptions.json"
    if not options.exists():
        return set()
    value = next(option["value"] for option in json.loads(options.read_text()) if option["name"] == "b_sanitize")
    return set(value.split(",") if isinstance(value, str) else value) - {"none"}


def find_built(variable, path):
    """A program of the tests, or a library that one loads: named by the environment, or the newest one in a build folder.
    It has the sanitizers that ffmpeg has, as a library can be loaded by no other program."""
    if variable in os.environ:
        return os.environ[variable]
    wanted = sanitizers(pathlib.Path(FFMPEG).parents[1])
    built = [folder / "tests" / path for folder in ROOT.glob("build/*") if sanitizers(folder) == wanted]
    built = sorted((file for file in built if file.exists()), key=lambda file: file.stat().st_mtime)
    return str(built[-1]) if built else None


def find_score_yuv():
    return find_built("VMAFX_SCORE_YUV", "filter/score_yuv")


def find_fp64():
    return find_built("VMAFX_SSIMULACRA2_FP64", "metrics/ssimulacra2/ssimulacra2_fp64")


@dataclasses.dataclass
class Result:
    code: int
    text: str        # standard error
    output: bytes    # standard output
    log: dict | None  # the JSON log, if one was asked for

    def counts(self):
        """pairs, unpaired distorted, unpaired reference of the summary line."""
        found = SUMMARY.findall(self.text)
        assert len(found) == 1, self.text
        return tuple(int(number) for number in found[0][:3])

    def column(self, name):
        return [frame["metrics"][name] for frame in self.log["frames"]]

    def errors(self):
        """The filter's own lines that say error."""
        return [line for line in self.text.splitlines() if re.match(r"\[\S*vmafx\S* @ [^]]*\] \[error\]", line)]


def ffmpeg(*arguments, timeout=TIMEOUT, **options):
    done = subprocess.run([FFMPEG, "-hide_banner", "-nostdin", "-y", "-loglevel", "level+info", "-nostats", *map(str, arguments)],
                          capture_output=True, timeout=timeout, **options)
    text = done.stderr.decode()
    # An ffmpeg that was built with sanitizers may exit with an error that a test expects for another reason.
    assert "Sanitizer" not in text and "runtime error:" not in text, text
    return Result(done.returncode, text, done.stdout, None)


def lavfi(*descriptions):
    """Inputs made by libavfilter's sources."""
    return [argument for description in descriptions for argument in ("-f", "lavfi", "-i", description)]


def score(inputs, options="", tmp_path=None, graph="[0:v][1:v]vmafx=%s", output=("-f", "null", "-"), timeout=TIMEOUT, before=()):
    """Runs the filter over two inputs. With tmp_path the JSON log is written and read."""
    log = tmp_path / "scores.json" if tmp_path else None
    options = ":".join(filter(None, [options, f"log_path={log}" if log else ""]))
    result = ffmpeg(*before, *inputs, "-lavfi", graph % options, *output, timeout=timeout)
    if log and log.exists() and log.stat().st_size:
        result.log = json.loads(log.read_text())
    return result


def rows_of_library(**arguments):
    """Rows of score_yuv: a list of {name: value}."""
    program = find_score_yuv()
    done = subprocess.run([program, *(f"{name}={value}" for name, value in arguments.items())], capture_output=True,
                          text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr
    rows = []
    for line in done.stdout.splitlines():
        index, name, value = line.split()
        if int(index) == len(rows):
            rows.append({})
        rows[int(index)][name] = float(value)
    return rows


def fp64_rows(distorted, reference, size, layout, depth, range_, matrix="bt709", location="left"):
    """ssimulacra2 of raw files by its formulas in fp64; "A,B" is A for the reference and B for the distorted file."""
    done = subprocess.run([find_fp64(), *map(str, (reference, distorted, size, layout, depth, range_, matrix, location))],
                          capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr
    return [float(line) for line in done.stdout.splitlines()]
