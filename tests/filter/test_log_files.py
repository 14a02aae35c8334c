# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What a log may overwrite: an older log, from the first row on, and nothing else."""
import json
import os
import signal
import subprocess
import time

import pytest
import support

A = "testsrc2=s=64x48:r=25:d=0.4"
LONG = "testsrc2=s=64x48:r=25:d=4000"
LIBVMAF = '{\n  "version": "3.0.0",\n  "fps": 12.34,\n  "frames": ['


def run(log, options="metrics=psnr", inputs=(A, A), output=("-f", "null", "-"), chain="null", **settings):
    return support.ffmpeg(*support.lavfi(*inputs), "-lavfi", f"[0:v]{chain}[d];[d][1:v]vmafx={options}:log_path={log}", *output,
                          **settings)


def spellings(folder, kind):
    log = folder / "scores.json"
    if kind == "dot":
        return log, f"{folder}/./scores.json"
    if kind == "relative":
        return log, os.path.relpath(log)
    if kind == "protocol":
        return log, f"file\\\\:{log}"
    if kind == "symbolic link":
        (folder / "link.json").symlink_to("scores.json")
    if kind == "hard link":
        log.write_text(LIBVMAF)
        (folder / "link.json").hardlink_to(log)
    return log, folder / "link.json"


@pytest.mark.parametrize("pair", ["dot", "relative", "protocol", "symbolic link", "hard link",
                                  ("-", "pipe\\\\:1"), ("-", "/dev/stdout"), ("pipe\\\\:", "fd\\\\:")], ids=str)
def test_one_log_spelt_in_two_ways(tmp_path, pair):
    first, second = spellings(tmp_path, pair) if isinstance(pair, str) else pair
    graph = (f"[0:v]split[a][b];[1:v]split[c][d];[a][c]vmafx=metrics=psnr:log_path={first}[x];"
             f"[b][d]vmafx=metrics=float_psnr:log_path={second}[y]")
    result = support.ffmpeg(*support.lavfi(A, A), "-lavfi", graph, "-map", "[x]", "-map", "[y]", "-f", "null", "-")
    assert result.code != 0 and len(result.errors()) == 1, result.text
    assert "is in use by filter" in result.errors()[0] and "give each filter a log of its own" in result.errors()[0]


@pytest.mark.parametrize("name", ["in.y4m", "in.mkv"])
@pytest.mark.parametrize("spelling", ["{0}", "file\\\\:{0}", "{1}"])
def test_an_input_is_not_overwritten(tmp_path, name, spelling):
    path = tmp_path / name
    made = support.ffmpeg(*support.lavfi(A), *(("-c:v", "ffv1") if name == "in.mkv" else ()), path)
    assert made.code == 0, made.text
    before = path.read_bytes()
    (tmp_path / "link").symlink_to(path)
    result = support.ffmpeg("-i", path, "-i", path, "-lavfi",
                            f"[0:v][1:v]vmafx=metrics=psnr:log_path={spelling.format(path, tmp_path / 'link')}", "-f", "null", "-")
    assert result.code != 0 and len(result.errors()) == 1 and str(tmp_path) in result.errors()[0], result.text
    assert path.read_bytes() == before


def test_an_input_that_looks_like_a_log_is_not_overwritten(tmp_path):
    """Raw video may begin with anything; that this process reads the file is enough."""
    path = tmp_path / "raw.yuv"
    path.write_bytes(b"Frame,pts_time\n".ljust(64 * 48 * 3 // 2, b"\x80"))
    before = path.read_bytes()
    raw = ("-f", "rawvideo", "-pixel_format", "yuv420p", "-video_size", "64x48", "-i", path)
    result = support.ffmpeg(*raw, *raw, "-lavfi", f"[0:v][1:v]vmafx=metrics=psnr:log_path={path}", "-f", "null", "-")
    assert result.code != 0 and "is a file that this process reads already" in result.text, result.text
    assert path.read_bytes() == before


def test_the_output_is_no_log(tmp_path):
    result = run(tmp_path / "out.mkv", output=("-c:v", "ffv1", tmp_path / "out.mkv"))
    assert result.code != 0 and "is a file that this process writes already" in result.text, result.text
    assert b"frameNum" not in ((tmp_path / "out.mkv").read_bytes() if (tmp_path / "out.mkv").exists() else b"")


@pytest.mark.parametrize("protocol", ["async", "cache", "concat", "crypto", "crypto+file", "md5", "subfile,,start,0,end,9,,", "tee"])
def test_a_protocol_that_writes_to_another_url_is_refused(tmp_path, protocol):
    """What it leads to would not be checked: an input, another filter's log, or a file that is no log."""
    path = tmp_path / "in.y4m"
    assert support.ffmpeg(*support.lavfi(A), path).code == 0
    before = path.read_bytes()
    escaped = protocol.replace(",", "\\,")
    result = support.ffmpeg("-i", path, "-i", path, "-lavfi",
                            f"[0:v][1:v]vmafx=metrics=psnr:log_path={escaped}\\\\:{path}", "-f", "null", "-")
    assert result.code != 0 and len(result.errors()) == 1, result.text
    assert "writes to another URL, which cannot be checked" in result.errors()[0]
    assert path.read_bytes() == before


def test_every_protocol_that_writes_is_known():
    """A new one of FFmpeg may lead to a file: it is looked at before it is let in here."""
    listed = subprocess.run([support.FFMPEG, "-hide_banner", "-protocols"], capture_output=True, text=True, timeout=support.TIMEOUT)
    written = set(listed.stdout.partition("Output:")[2].split())
    refused = {"crypto", "md5", "tee"}
    checked = {"file", "pipe", "fd"}
    elsewhere = {"ffrtmphttp", "ffrtmpcrypt", "ftp", "gopher", "gophers", "http", "httpproxy", "https", "icecast", "prompeg",
                 "rist", "rtmp", "rtmpe", "rtmps", "rtmpt", "rtmpte", "rtmpts", "rtp", "sctp", "sftp", "smb", "srt", "srtp", "tcp",
                 "tls", "dtls", "udp", "udplite", "unix", "zmq", "amqp", "android_content"}
    assert "file" in written and written <= refused | checked | elsewhere


@pytest.mark.parametrize("text", ["not a log\n", '{"version":"1","name":"mypackage"}', '{\n  "version": "1",\n  "fpsLimit": 3}',
                                  '{"frameNum":1,"x":2}', '{"frames":[]}', "Frame,my precious data\n1,2\n", "Frame,motion of my arm\n",
                                  "Frame,date,psnr\n", "<VMAFmine>", '<?xml version="1.0"?>\n<mine/>'])
def test_what_is_no_log_is_not_overwritten(tmp_path, text):
    notes = tmp_path / "notes.txt"
    notes.write_text(text)
    result = run(notes)
    assert result.code != 0 and len(result.errors()) == 1 and "existing file that is no log" in result.errors()[0], result.text
    assert notes.read_text() == text


@pytest.mark.parametrize("older", ["json", "ndjson", "csv", "xml", LIBVMAF, LIBVMAF.replace("12.34", "null"), "",
                                   '{\n  "version": "2.0.0",\n  "frames": [\n', '<VMAF version="3.0.0">\n', "Frame,vmaf,\n",
                                   "Frame,integer_adm2,integer_adm_scale0,psnr_y,vmaf,\n", '{"frameNum":0,"metrics":{}}\n'])
def test_an_older_log_is_replaced(tmp_path, older):
    log = tmp_path / "log"
    if older in ("json", "ndjson", "csv", "xml"):
        assert run(log, f"metrics=psnr:log_fmt={older}").code == 0
    else:
        log.write_text(older + " " * 100000 if older else "")
    result = run(log)
    assert result.code == 0, result.text
    assert len(json.loads(log.read_text())["frames"]) == 10


@pytest.mark.parametrize("options, arguments, output", [
    ("metrics=nonsense", support.lavfi(A, A), ("-f", "null", "-")),
    ("metrics=psnr:threads=-1", support.lavfi(A, A), ("-f", "null", "-")),
    ("metrics=psnr", [*support.lavfi(A), "-i", "/no/such/file.mkv"], ("-f", "null", "-")),
    ("metrics=psnr", support.lavfi(A, A), ("-c:v", "no_such_encoder", "-f", "null", "-")),
], ids=["metric", "option", "input", "encoder"])
def test_a_run_that_does_not_start_leaves_the_log(tmp_path, options, arguments, output):
    log = tmp_path / "log"
    for older in (None, LIBVMAF):
        if older:
            log.write_text(older)
        result = support.ffmpeg(*arguments, "-lavfi", f"[0:v][1:v]vmafx={options}:log_path={log}", *output)
        assert result.code != 0, result.text
        assert (log.read_text() if log.exists() else None) == older


@pytest.mark.parametrize("chain, options", [
    ("crop=62:48", "metrics=psnr"),
    ("setparams=range=pc", "metrics=ssimulacra2:strict=1"),
    ("setpts=PTS+9/TB", "metrics=psnr:strict=1"),
], ids=["sizes", "tags", "unpaired"])
def test_an_error_before_the_first_row_leaves_the_log(tmp_path, chain, options):
    log = tmp_path / "log"
    for older in (None, LIBVMAF):
        if older:
            log.write_text(older)
        result = run(log, options, (A, f"{A},setparams=range=tv"), chain=chain)
        assert result.code != 0 and len(result.errors()) == 1, result.text
        assert (log.read_text() if log.exists() else None) == older


def test_an_end_without_rows_is_a_log(tmp_path):
    log = tmp_path / "log"
    log.write_text(LIBVMAF)
    result = run(log, chain="setpts=PTS+9/TB")
    assert result.code != 0 and "No pair of frames was compared" in result.text, result.text
    assert json.loads(log.read_text())["frames"] == []


def test_an_error_after_rows_ends_the_log(tmp_path):
    log = tmp_path / "log"
    log.write_text(LIBVMAF)
    result = run(log, "metrics=psnr:strict=1", (A, A.replace("0.4", "0.2")))
    assert result.code != 0 and len(json.loads(log.read_text())["frames"]) == 5, result.text


def test_a_link_that_leads_nowhere_stays(tmp_path):
    (tmp_path / "link").symlink_to("log")
    assert run(tmp_path / "link", output=("-c:v", "no_such_encoder", "-f", "null", "-")).code != 0
    assert (tmp_path / "link").is_symlink()
    assert run(tmp_path / "link").code == 0
    assert len(json.loads((tmp_path / "log").read_text())["frames"]) == 10


def test_unwritable_is_said_before_a_frame_is_scored(tmp_path):
    result = run("/no/such/folder/scores.json", inputs=(LONG, LONG))
    assert result.code != 0 and "Could not open the log /no/such/folder/scores.json: No such file or directory" in result.text
    assert "distorted (first input)" not in result.text
    result = run(tmp_path, inputs=(LONG, LONG))
    assert result.code != 0 and f"Could not open the log {tmp_path}: Is a directory" in result.text


def test_a_fifo_is_opened_once(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with subprocess.Popen(["cat", fifo], stdout=subprocess.PIPE) as reader:
        result = run(fifo, "metrics=psnr:log_fmt=csv")
        assert result.code == 0, result.text
        assert len(reader.communicate(timeout=support.TIMEOUT)[0].splitlines()) == 11


def test_a_fifo_without_a_reader(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    result = run(tmp_path / "fifo")
    assert result.code != 0 and len(result.errors()) == 1, result.text
    assert "no process reads this FIFO: start the reader first" in result.errors()[0]


def test_the_null_device_is_no_conflict():
    graph = ("[0:v]split[a][b];[1:v]split[c][d];[a][c]vmafx=metrics=psnr:log_path=/dev/null[x];"
             "[b][d]vmafx=metrics=float_psnr:log_path=/dev/null[y]")
    result = support.ffmpeg(*support.lavfi(A, A), "-lavfi", graph, "-map", "[x]", "-map", "[y]", "-f", "null", "-")
    assert result.code == 0 and result.text.count("pairs=10 ") == 2, result.text


def test_standard_output_that_appends_to_a_file(tmp_path):
    path = tmp_path / "all"
    path.write_text("before\n")
    with open(path, "ab") as file:
        done = subprocess.run([support.FFMPEG, "-nostdin", *support.lavfi(A, A), "-lavfi",
                               "[0:v][1:v]vmafx=metrics=psnr:log_fmt=csv:log_path=-", "-f", "null", "-"], stdout=file,
                              stderr=subprocess.PIPE, timeout=support.TIMEOUT)
    assert done.returncode == 0, done.stderr
    assert len(path.read_text().splitlines()) == 12


def test_a_descriptor_that_the_caller_opened(tmp_path):
    with open(tmp_path / "log", "wb") as file:
        result = run(f"/dev/fd/{file.fileno()}", pass_fds=[file.fileno()])
    assert result.code == 0, result.text
    assert len(json.loads((tmp_path / "log").read_text())["frames"]) == 10
    with open(tmp_path / "out", "wb") as file:
        done = subprocess.run([support.FFMPEG, "-nostdin", *support.lavfi(A, A), "-lavfi",
                               "[0:v][1:v]vmafx=metrics=psnr:log_path=/dev/stdout", "-f", "null", "-"], stdout=file,
                              stderr=subprocess.PIPE, timeout=support.TIMEOUT)
    assert done.returncode == 0, done.stderr
    assert len(json.loads((tmp_path / "out").read_text())["frames"]) == 10


def test_killed_before_the_first_row(tmp_path):
    """What there is then is an empty log, which vmafx.h states how to mend."""
    log = tmp_path / "log"
    command = [support.FFMPEG, "-nostdin", "-y", "-re", "-f", "lavfi", "-i", LONG, "-re", "-f", "lavfi", "-i", LONG, "-lavfi",
               f"[0:v]setpts=PTS+1000/TB[d];[d][1:v]vmafx=metrics=psnr:log_path={log}", "-f", "null", "-"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        limit = time.monotonic() + support.TIMEOUT
        while not log.exists():
            assert time.monotonic() < limit and process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    assert log.read_text() == ""
