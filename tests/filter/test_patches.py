# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The patches in the tree are what tools/make-patches makes of filter/, fate/ and the pristine releases."""
import os
import pathlib
import re
import subprocess
import sys
import tarfile

import pytest
import support

SERIES = ("9.0", "8.1", "7.1")
PATCH = "0001-avfilter-add-vmafx-filter.patch"


def find_release(series, tmp_path):
    """An unpatched source tree of the series: VMAFX_FFMPEG_RELEASES (folders, joined by :), or what bootstrap keeps."""
    for folder in filter(None, os.environ.get("VMAFX_FFMPEG_RELEASES", "").split(":")):
        if (pathlib.Path(folder) / "RELEASE").read_text().startswith(series):
            return pathlib.Path(folder)
    build = support.ROOT / "build"
    for archive in sorted((build / "downloads").glob(f"ffmpeg-{series}*.tar.xz")):
        with tarfile.open(archive) as tar:
            wanted = [member for member in tar.getmembers() if re.fullmatch(
                r"[^/]+/(RELEASE|Changelog|configure|doc/filters\.texi|tests/Makefile|libavfilter/(Makefile|allfilters\.c|version\.h))",
                member.name)]
            tar.extractall(tmp_path, members=wanted)
        return next(tmp_path.glob("*/RELEASE")).parent
    return None


@pytest.mark.parametrize("series", SERIES)
def test_regenerated(series, tmp_path):
    release = find_release(series, tmp_path)
    if not release:
        pytest.skip(f"no source of FFmpeg {series} here (VMAFX_FFMPEG_RELEASES or build/downloads)")
    done = subprocess.run([sys.executable, support.ROOT / "tools/make-patches", "--check", release], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[:4000] + done.stderr


@pytest.mark.parametrize("series", SERIES)
def test_references_of_the_manual_are_there(series, tmp_path):
    """makeinfo would stop at one that is not: not every section of FFmpeg's manual is an anchor."""
    release = find_release(series, tmp_path)
    if not release:
        pytest.skip(f"no source of FFmpeg {series} here (VMAFX_FFMPEG_RELEASES or build/downloads)")
    anchors = re.findall(r"@anchor\{([^}]+)\}", (release / "doc/filters.texi").read_text())
    wanted = re.findall(r"@p?x?ref\{([^},]+)", (support.ROOT / "filter/vmafx.texi").read_text())
    assert wanted and set(wanted) <= set(anchors)


@pytest.mark.parametrize("series", SERIES)
def test_patch_carries_the_canonical_files(series):
    """Without any release at hand: the new files in the patch are those of the tree."""
    patch = (support.ROOT / "patches" / series / PATCH).read_text()
    added = {}
    for part in patch.split("diff --git ")[1:]:
        name = re.match(r"a/(\S+) ", part)[1]
        if "\nnew file mode" in part:
            added[name] = "".join(line[1:] + "\n" for line in part.split("\n") if line.startswith("+") and not line.startswith("+++ "))
    expected = {f"libavfilter/{path.name}": path for path in (support.ROOT / "filter").glob("*.[ch]")}
    expected["tests/fate/vmafx.mak"] = support.ROOT / "fate/vmafx.mak"
    expected |= {f"tests/ref/fate/{path.name}": path for path in (support.ROOT / "fate/ref").iterdir()}
    assert added.keys() == expected.keys()
    for name, path in expected.items():
        assert added[name] == path.read_text(), f"{name}: run tools/make-patches"
