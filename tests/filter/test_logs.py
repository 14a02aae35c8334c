# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The log: every form, every way out, every way to end."""
import csv
import io
import json
import os
import re
import signal
import subprocess
import time
import xml.etree.ElementTree

import pytest
import support

A, B = "testsrc2=s=64x48:r=25:d=0.4,avgblur=2", "testsrc2=s=64x48:r=25:d=0.4"
ENDLESS = ("-re", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25,avgblur=2", "-re", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25")
METRICS = "metrics=float_psnr+psnr"


def read_rows(form, text):
    """Rows of a finished log as [(frame, {name: value})]."""
    if form == "json":
        return [(frame["frameNum"], frame["metrics"]) for frame in json.loads(text)["frames"]]
    if form == "ndjson":
        objects = [json.loads(line) for line in text.splitlines()]
        return [(item["frameNum"], item["metrics"]) for item in objects if "frameNum" in item]
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(text)))
        return [(int(row[next(iter(row))]), {name: float(value) for name, value in row.items() if "psnr" in name}) for row in rows]
    frames = xml.etree.ElementTree.fromstring(text).iter("frame")
    return [(int(frame.get("frameNum")), {name: float(value) for name, value in frame.items() if "psnr" in name}) for frame in frames]


@pytest.mark.parametrize("form", ["json", "ndjson", "csv", "xml"])
def test_forms_hold_the_same_numbers(tmp_path, form):
    expected = support.score(support.lavfi(A, B), METRICS, tmp_path)
    log = tmp_path / "log"
    result = support.score(support.lavfi(A, B), f"{METRICS}:log_fmt={form}:log_path={log}")
    assert result.code == 0, result.text
    assert read_rows(form, log.read_text()) == [(frame["frameNum"], frame["metrics"]) for frame in expected.log["frames"]]


@pytest.mark.parametrize("form", ["json", "ndjson", "csv", "xml"])
def test_standard_output(form):
    result = support.score(support.lavfi(A, B), f"{METRICS}:log_fmt={form}:log_path=-")
    assert result.code == 0, result.text
    assert len(read_rows(form, result.output.decode())) == 10


def test_any_protocol(tmp_path):
    result = support.score(support.lavfi(A, B), f"{METRICS}:log_path=file\\\\:{tmp_path}/scores.json")
    assert result.code == 0, result.text
    assert len(json.loads((tmp_path / "scores.json").read_text())["frames"]) == 10


def test_pipe_protocol():
    """A descriptor that the caller opened, next to the standard ones."""
    reading, writing = os.pipe()
    with open(reading) as pipe:
        result = support.ffmpeg(*support.lavfi(A, B), "-lavfi", f"[0:v][1:v]vmafx={METRICS}:log_fmt=csv:log_path=pipe\\\\:{writing}",
                                "-f", "null", "-", pass_fds=[writing])
        os.close(writing)
        assert result.code == 0, result.text
        assert len(read_rows("csv", pipe.read())) == 10


def test_json_states_the_run(tmp_path):
    log = support.score(support.lavfi(A, B), METRICS, tmp_path).log
    assert log["backend"] == "cpu" and log["device"] and log["version"] and log["fps"] > 0
    assert log["options"]["metrics"] == "float_psnr+psnr" and log["options"]["sync"] == "time"
    for side in ("distorted", "reference"):
        assert (log[side]["width"], log[side]["height"], log[side]["pix_fmt"], log[side]["frames"]) == (64, 48, "yuv420p", 10)
    assert log["frames"][3]["pts_time"] == 0.12


@pytest.mark.parametrize("content", ["color=black:s=64x48:d=0.4:r=25", "color=white:s=64x48:d=0.4:r=25", B])
def test_identical_pictures_give_numbers(tmp_path, content):
    result = support.score(support.lavfi(content, content), "metrics=ssimulacra2+float_psnr+psnr+vif:psnr_mse=1:psnr_apsnr=1:vif_debug=1", tmp_path)
    assert result.code == 0, result.text
    text = (tmp_path / "scores.json").read_text().lower()
    assert "nan" not in text and "inf" not in text.replace("info", "")
    assert result.column("ssimulacra2") == [100.0] * 10 and result.column("psnr_y") == [60.0] * 10


def test_locale(tmp_path):
    """A decimal comma of the environment reaches no log."""
    result = support.ffmpeg(*support.lavfi(A, B), "-lavfi", f"[0:v][1:v]vmafx={METRICS}:log_path={tmp_path}/scores.json", "-f", "null", "-",
                            env={**os.environ, "LC_ALL": "de_DE.UTF-8"})
    assert result.code == 0 and len(json.loads((tmp_path / "scores.json").read_text())["frames"]) == 10


def test_closed_pipe():
    command = f"'{support.FFMPEG}' -nostdin -loglevel error -f lavfi -i '{A}' -f lavfi -i '{B}' " \
              f"-lavfi '[0:v][1:v]vmafx={METRICS}:log_path=-' -f null - | :; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=support.TIMEOUT)
    assert done.returncode != 0
    assert "Could not write the log -" in done.stderr


def test_reader_that_leaves():
    """`| head -1`: the reader goes away in the middle."""
    command = [support.FFMPEG, "-nostdin", "-loglevel", "error", *support.lavfi(*["testsrc2=s=64x48:r=25:d=4000"] * 2), "-lavfi",
               f"[0:v][1:v]vmafx={METRICS}:log_fmt=csv:log_path=-", "-f", "null", "-"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline().startswith(b"Frame,")
        process.stdout.close()
        text = process.stderr.read().decode()
        assert process.wait(support.TIMEOUT) not in (0, -signal.SIGPIPE)
    assert text.count("Could not write the log -: Broken pipe") == 1


def test_frames_option_finishes_the_log(tmp_path):
    log = tmp_path / "scores.json"
    result = support.ffmpeg(*ENDLESS, "-lavfi", f"[0:v][1:v]vmafx={METRICS}:log_path={log}", "-frames:v", "5", "-f", "null", "-")
    assert result.code == 0, result.text
    assert len(json.loads(log.read_text())["frames"]) >= 5
    assert result.counts()[0] == len(json.loads(log.read_text())["frames"])


def test_output_closed_from_behind(tmp_path):
    """A trim filter behind this one ends the graph with both inputs still open."""
    result = support.score(ENDLESS, METRICS, tmp_path, graph="[0:v][1:v]vmafx=%s,trim=end_frame=5")
    assert result.code == 0, result.text
    assert len(result.log["frames"]) >= 5 and result.counts()[0] == len(result.log["frames"])


def start_endless(log, form):
    process = subprocess.Popen([support.FFMPEG, "-y", "-nostats", *ENDLESS, "-lavfi",
                                f"[0:v][1:v]vmafx={METRICS}:log_fmt={form}:log_path={log}", "-f", "null", "-"],
                               stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    limit = time.monotonic() + support.TIMEOUT
    while not (log.exists() and log.read_bytes().count(b"\n") >= 8):  # a head, if any, and some rows
        assert time.monotonic() < limit and process.poll() is None
        time.sleep(0.05)
    return process


@pytest.mark.parametrize("form", ["json", "ndjson", "csv", "xml"])
@pytest.mark.parametrize("way", ["q", "interrupt"])
def test_ended_by_the_user(tmp_path, form, way):
    log = tmp_path / "log"
    process = start_endless(log, form)
    if way == "interrupt":
        process.send_signal(signal.SIGINT)
    _, text = process.communicate(b"q" if way == "q" else None, timeout=support.TIMEOUT)
    rows = read_rows(form, log.read_text())
    assert rows and [frame for frame, _ in rows] == list(range(len(rows)))
    assert f"pairs={len(rows)} " in text.decode(), text.decode()


@pytest.mark.parametrize("form, closing", [("json", "]}"), ("ndjson", ""), ("csv", ""), ("xml", "</frames></VMAF>")])
def test_killed(tmp_path, form, closing):
    """Each row is a line: what is left of the last one goes, what a finished log has behind the rows is added."""
    log = tmp_path / "log"
    process = start_endless(log, form)
    process.kill()
    process.communicate(timeout=support.TIMEOUT)
    text = log.read_text()
    rows = read_rows(form, text[:text.rindex("\n") + 1] + closing)
    assert len(rows) >= 2 and [frame for frame, _ in rows] == list(range(len(rows)))


def test_rolling_means():
    result = support.ffmpeg(*ENDLESS, "-lavfi", f"[0:v][1:v]vmafx={METRICS}:stats_period=0.2,trim=end_frame=40", "-f", "null", "-")
    assert result.code == 0, result.text
    assert len(re.findall(r"\] last [\d.]+ s: pairs=\d+ float_psnr=[\d.]+ psnr_y=", result.text)) >= 2
