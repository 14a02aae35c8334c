# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Memory does not grow with the length of the inputs, and short runs never stall."""
import os
import subprocess

import pytest
import support

# distorted, reference: fast sources, so that frames come faster than they are measured
INPUTS = {
    "slow metric": ("testsrc2=s=320x180:r=25:d=%d", "testsrc2=s=320x180:r=25:d=%d"),
    "many reference frames without a partner": ("testsrc2=s=320x180:r=5:d=%d", "testsrc2=s=320x180:r=50:d=%d"),
    "reference behind": ("testsrc2=s=320x180:r=25:d=%d", "testsrc2=s=320x180:r=25:d=%d,setpts=PTS-1000/TB"),
    "reference ahead": ("testsrc2=s=320x180:r=25:d=%d", "testsrc2=s=320x180:r=25:d=%d,setpts=PTS+1000/TB"),
}


def peak_memory(inputs, seconds, options):
    """Bytes that ffmpeg had at most."""
    command = [support.FFMPEG, "-nostdin", "-loglevel", "error", *support.lavfi(*(text % seconds for text in inputs)), "-lavfi",
               f"[0:v][1:v]vmafx={options}", "-f", "null", "-"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_maxrss * 1024


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="a sanitizer keeps what is freed")
def test_memory_is_flat(name):
    short, long = (peak_memory(INPUTS[name], seconds, "metrics=ssimulacra2:threads=1") for seconds in (4, 24))
    # 500 more frames of either input, and each has 86400 bytes.
    assert long - short < 100 * 86400, (short, long)


@pytest.mark.parametrize("threads", [1, 2, 64])
def test_short_runs_do_not_stall(threads):
    graph = ";".join(f"testsrc2=s=32x32:d=0.08[d{i}];testsrc2=s=32x32:d=0.08[r{i}];"
                     f"[d{i}][r{i}]vmafx@{i}=metrics=ssimulacra2+vif:threads={threads}[o{i}]" for i in range(20))
    outputs = [argument for i in range(20) for argument in ("-map", f"[o{i}]", "-f", "null", "-")]
    for _ in range(5 if threads < 64 else 2):
        result = support.ffmpeg("-filter_complex", graph, *outputs, timeout=60)
        assert result.code == 0, result.text
        assert len(support.SUMMARY.findall(result.text)) == 20 and "pairs=2 " in result.text
