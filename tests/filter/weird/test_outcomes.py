# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Every input against itself and against its base: all that the filter says, to the last digit, and the exit status.

What is expected is in outcomes.txt; VMAFX_GENERATE=1 writes what these tests find into it, to be read before it is
committed.
"""
import json
import re

import inputs
import outcomes
import pytest
import support

NAMES = [name for name in inputs.INPUTS if name != "seed"]
# A frame whose time stamp is missing, or below one before, has no partner even in its own copy.
NOT_ITS_OWN_PARTNER = {"timing/a time stamp missing", "timing/backwards"}


@pytest.fixture(scope="module")
def expected():
    with outcomes.File("outcomes.txt") as file:
        yield file


def measure(files, distorted, reference, options, log):
    chains = "".join(f"[{i}:v]{inputs.INPUTS[name].chain}[{pad}];" for i, name, pad in ((0, distorted, "d"), (1, reference, "r")))
    return support.ffmpeg(*files.arguments(distorted), *files.arguments(reference), "-lavfi",
                          f"{chains}[d][r]vmafx={options}:threads=1:log_path={log}", "-f", "null", "-")


def rows(result, log):
    """The finished log's rows: as many as pairs were counted."""
    if not log.exists() or not log.stat().st_size:
        assert result.code, result.text
        return []
    content = json.loads(log.read_text())
    counted = re.search(r"\] pairs=(\d+) ", result.text)
    assert [frame["frameNum"] for frame in content["frames"]] == list(range(len(content["frames"])))
    if result.code == 0:
        assert int(counted[1]) == len(content["frames"]) > 0
    return content["frames"]


@pytest.mark.parametrize("name", NAMES)
def test_against_itself(files, expected, tmp_path, name):
    log = tmp_path / "scores.json"
    result = measure(files, name, name, "metrics=ssimulacra2+psnr", log)
    frames = rows(result, log)
    if result.code == 0:
        assert {frame["metrics"]["ssimulacra2"] for frame in frames} == {100.0}
        assert {frame["metrics"]["psnr_y"] for frame in frames} <= {6.0 * depth + 12 for depth in (8, 9, 10, 12, 14, 16)}
        assert name in NOT_ITS_OWN_PARTNER or result.counts()[1:] == (0, 0)
    expected.check(f"{name} | itself", result)


@pytest.mark.parametrize("metrics", ["ssimulacra2", "float_psnr+psnr+vif"])
@pytest.mark.parametrize("name", NAMES)
def test_against_its_base(files, expected, tmp_path, name, metrics):
    log = tmp_path / "scores.json"
    base = inputs.INPUTS[name].base
    result = measure(files, name, base, f"metrics={metrics}", log)
    rows(result, log)
    expected.check(f"{name} | {base} | {metrics}", result)
