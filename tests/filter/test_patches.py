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


def find_release(series, folder):
    """An unpatched source tree of the series: VMAFX_FFMPEG_RELEASES (folders, joined by :), or what bootstrap keeps."""
    for given in filter(None, os.environ.get("VMAFX_FFMPEG_RELEASES", "").split(":")):
        if (pathlib.Path(given) / "RELEASE").read_text().startswith(series):
            return pathlib.Path(given)
    build = support.ROOT / "build"
    for archive in sorted((build / "downloads").glob(f"ffmpeg-{series}*.tar.xz")):
        with tarfile.open(archive) as tar:
            wanted = [member for member in tar.getmembers() if re.fullmatch(
                r"[^/]+/(RELEASE|Changelog|configure|doc/filters\.texi|tests/Makefile|libavfilter/(Makefile|allfilters\.c|version\.h))",
                member.name)]
            tar.extractall(folder, members=wanted)
        return next(folder.glob("*/RELEASE")).parent
    return None


@pytest.fixture(scope="module", params=SERIES)
def release(request, tmp_path_factory):
    """(series, its unpatched source); unpacked once for all tests."""
    source = find_release(request.param, tmp_path_factory.mktemp("release"))
    if not source:
        pytest.skip(f"no source of FFmpeg {request.param} here (VMAFX_FFMPEG_RELEASES or build/downloads)")
    return request.param, source


def test_regenerated(release):
    done = subprocess.run([sys.executable, support.ROOT / "tools/make-patches", "--check", release[1]], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[:4000] + done.stderr


def test_references_of_the_manual_are_there(release):
    """makeinfo would stop at one that is not: not every section of FFmpeg's manual is an anchor."""
    anchors = re.findall(r"@anchor\{([^}]+)\}", (release[1] / "doc/filters.texi").read_text())
    wanted = re.findall(r"@p?x?ref\{([^},]+)", (support.ROOT / "filter/vmafx.texi").read_text())
    assert wanted and set(wanted) <= set(anchors)


def test_options_are_in_the_manual():
    source = (support.ROOT / "filter/vf_vmafx.c").read_text()
    options = re.findall(r'^    \{ "(\w+)",.*\bOFFSET\(', source, re.M)
    table = (support.ROOT / "filter/vmafx.texi").read_text().split("@table @option\n", 1)[1].split("\n@end table\n\nThis filter")[0]
    table = re.sub(r"@table @option\n.*?@end table", "", table, flags=re.S)  # the choices of one
    assert options and options == re.findall(r"^@item (\w+)$", table, re.M)


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


def test_applies_to_a_later_point_release(release, tmp_path):
    """Each point release begins the Changelog with a list of its own: no part of the patch may lean on the latest."""
    series, source = release
    patch = (support.ROOT / "patches" / series / PATCH).read_text()
    later = tmp_path / "later"
    for name in re.findall(r"^diff --git a/(\S+) .*\n(?!new file)", patch, re.M):
        (later / name).parent.mkdir(parents=True, exist_ok=True)
        (later / name).write_bytes((source / name).read_bytes())
    changes = (later / "Changelog").read_text()
    first = re.search(r"^version ", changes, re.M).start()
    (later / "Changelog").write_text(changes[:first] + f"version {series}.99:\n avfilter: fix it\n\n\n" + changes[first:])
    subprocess.run(["git", "init", "-q", later], check=True)
    done = subprocess.run(["git", "-C", later, "apply", "--verbose", "-"], input=patch, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    features = re.search(rf"^version {re.escape(series)}:\n(?:.+\n)+", (later / "Changelog").read_text(), re.M)[0]
    assert features.endswith("\n- vmafx filter\n")


@pytest.mark.parametrize("series", SERIES)
def test_headers_of_the_library_are_not_checked_alone(series):
    """"make checkheaders" compiles each header that is not named, where libvmafx need not be."""
    patch = (support.ROOT / "patches" / series / PATCH).read_text()
    named = set(re.search(r"^\+SKIPHEADERS-\$\(CONFIG_VMAFX_FILTER\) +\+= (.*)$", patch, re.M)[1].split())
    assert named == {path.name for path in (support.ROOT / "filter").glob("*.h") if "<vmafx/" in path.read_text()}
