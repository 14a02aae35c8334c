# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What these tests themselves rely on."""
import json
import os

import pytest
import support


@pytest.mark.parametrize("ffmpeg, found", [("bin/ffmpeg", "new"), ("asan/bin/ffmpeg", "asan"), ("tsan/bin/ffmpeg", None)])
def test_what_is_found_has_the_sanitizers_of_ffmpeg(tmp_path, monkeypatch, ffmpeg, found):
    """The newest build is another one's where sanitizers are, and a program without cannot load its libraries."""
    builds = {"old": "none", "new": "none", "asan": "address,undefined", "tsan": "thread"}
    for time, (name, value) in enumerate(builds.items()):
        folder = tmp_path / "build" / name
        (folder / "meson-info").mkdir(parents=True)
        (folder / "meson-info/intro-buildoptions.json").write_text(json.dumps([{"name": "b_sanitize", "value": value}]))
        if name != "tsan":
            (folder / "tests").mkdir()
            (folder / "tests/library").touch()
            os.utime(folder / "tests/library", (time, time))
    monkeypatch.setattr(support, "ROOT", tmp_path)
    monkeypatch.setattr(support, "FFMPEG", str(tmp_path / "build" / ffmpeg))
    monkeypatch.delenv("VMAFX_LIBRARY", raising=False)
    expected = str(tmp_path / "build" / found / "tests/library") if found else None
    assert support.find_built("VMAFX_LIBRARY", "library") == expected
    monkeypatch.setenv("VMAFX_LIBRARY", "/named")
    assert support.find_built("VMAFX_LIBRARY", "library") == "/named"
