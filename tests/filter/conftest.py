# SPDX-License-Identifier: BSD-2-Clause-Patent
import os
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))
import support  # noqa: E402  (found by the line above)


def pytest_report_header():
    return f"ffmpeg: {support.FFMPEG}"


def pytest_sessionstart():
    listed = subprocess.run([support.FFMPEG, "-hide_banner", "-filters"], capture_output=True, text=True).stdout
    if " vmafx " not in listed:
        raise pytest.UsageError(f"{support.FFMPEG} has no filter vmafx (VMAFX_FFMPEG names another one)")


@pytest.fixture(scope="session")
def clips(tmp_path_factory):
    """24 frames of a moving picture at 29.97 frames/s: the same stream in mp4 (fine time base) and mkv (1 ms)."""
    folder = tmp_path_factory.mktemp("clips")
    made = support.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=128x96:r=30000/1001,format=yuv420p", "-frames:v", "24",
                          "-c:v", "mpeg4", "-q:v", "3", folder / "clip.mp4")
    assert made.code == 0, made.text
    made = support.ffmpeg("-i", folder / "clip.mp4", "-c", "copy", folder / "clip.mkv")
    assert made.code == 0, made.text
    return folder
