# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The installed library, as a package of a distribution has it: files, soname, and programs in C that use it."""
import math
import os
import pathlib
import re
import shlex
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PREFIX = pathlib.Path(os.environ.get("VMAFX_PREFIX", ROOT / "build/prefix"))
VERSION = re.search(r"^  version: '(.*)'", (ROOT / "meson.build").read_text(), re.M)[1]

pytestmark = pytest.mark.skipif(not (PREFIX / "lib/pkgconfig/libvmafx.pc").exists(),
                                reason=f"nothing is installed in {PREFIX} (VMAFX_PREFIX names another folder)")


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def pkg_config(prefix, *arguments):
    path = os.environ.get("PKG_CONFIG_PATH")
    return run("pkg-config", *arguments, "libvmafx",
               env={**os.environ, "PKG_CONFIG_PATH": ":".join(filter(None, [f"{prefix}/lib/pkgconfig", path]))})


def needed(binary):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", binary))


def check_program(prefix, folder, static):
    """Compiles a program in C and lets it measure one frame: an error of 1 in every sample."""
    program = folder / "score_yuv"
    flags = shlex.split(pkg_config(prefix, *(["--static"] if static else []), "--cflags", "--libs"))
    run("cc", "-std=c11", ROOT / "tests/filter/score_yuv.c", "-o", program, *flags, f"-Wl,-rpath,{prefix}/lib", "-lm")
    (folder / "distorted").write_bytes(bytes([101]) * 256)
    (folder / "reference").write_bytes(bytes([100]) * 256)
    output = run(program, "distorted=distorted", "reference=reference", "layout=gray", "depth=8", "width=16",
                 "height=16", "metrics=psnr", cwd=folder)
    pair, name, value = output.split()
    assert (pair, name) == ("0", "psnr_y")
    assert float(value) == pytest.approx(20 * math.log10(255), abs=1e-9)
    return program


def test_files():
    found = {str(path.relative_to(PREFIX)) for path in PREFIX.rglob("*") if not path.is_dir()}
    assert found == {"include/vmafx/vmafx.h", "lib/libvmafx.a", "lib/libvmafx.so", "lib/libvmafx.so.0",
                     f"lib/libvmafx.so.{VERSION}", "lib/pkgconfig/libvmafx.pc"}


def test_shared_library():
    text = run("readelf", "-d", PREFIX / "lib/libvmafx.so")
    assert re.search(r"\(SONAME\).*\[libvmafx\.so\.0\]", text)
    assert "RPATH" not in text and "RUNPATH" not in text and "TEXTREL" not in text
    # The driver of a GPU is looked for when it is wanted.
    assert not [name for name in needed(PREFIX / "lib/libvmafx.so") if re.match("libcu|libamdhip|libnv", name)]


def test_no_path_of_the_build():
    for name in ("libvmafx.so", "libvmafx.a"):
        assert os.fsencode(ROOT) not in (PREFIX / "lib" / name).read_bytes()


def test_version():
    assert pkg_config(PREFIX, "--modversion").strip() == VERSION


def test_shared_linking(tmp_path):
    program = check_program(PREFIX, tmp_path, static=False)
    assert "libvmafx.so.0" in needed(program)
    # What the library needs itself is its own matter.
    assert "libhwy.so.1" not in needed(program)


def test_static_linking(tmp_path):
    """From a prefix that has the archive only, by a C compiler: pkg-config has to name all that it needs."""
    prefix = tmp_path / "prefix"
    shutil.copytree(PREFIX, prefix, ignore=shutil.ignore_patterns("*.so*"))
    description = prefix / "lib/pkgconfig/libvmafx.pc"
    description.write_text(re.sub("^prefix=.*", f"prefix={prefix}", description.read_text(), flags=re.M))
    program = check_program(prefix, tmp_path, static=True)
    assert "libvmafx.so.0" not in needed(program)


@pytest.mark.parametrize("compiler, standard", [("cc", "c99"), ("c++", "c++11")])
def test_header_is_standard(tmp_path, compiler, standard):
    source = tmp_path / ("user.c" if compiler == "cc" else "user.cc")
    source.write_text("#include <vmafx/vmafx.h>\nint main(void) { return vmafx_version_string() == 0; }\n")
    run(compiler, f"-std={standard}", "-Wall", "-Wextra", "-pedantic", "-Werror", source, "-o", tmp_path / "user",
        *shlex.split(pkg_config(PREFIX, "--cflags", "--libs")), f"-Wl,-rpath,{PREFIX}/lib")
    run(tmp_path / "user")
