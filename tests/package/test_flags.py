# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A packager's compiler flags: those that change the scores' bits are refused, not silently taken or dropped."""
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(not shutil.which("meson"), reason="no meson here")


def configure(folder, flags, *options):
    environment = {name: value for name, value in os.environ.items() if name not in ("CFLAGS", "CXXFLAGS")}
    return subprocess.run(["meson", "setup", folder, ROOT, "-Dtests=false", "-Dcuda=disabled", "-Dhip=disabled", *options],
                          env={**environment, **flags}, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("variable, flag", [("CXXFLAGS", "-ffast-math"), ("CXXFLAGS", "-ffp-contract=fast"),
                                            ("CFLAGS", "-funsafe-math-optimizations")])
def test_inexact_flags_in_the_environment(tmp_path, variable, flag):
    done = configure(tmp_path / "build", {variable: f"-O2 -g {flag}"})
    assert done.returncode != 0
    assert f"{flag} (" in done.stdout and "would change the scores" in done.stdout


def test_inexact_flags_as_option(tmp_path):
    done = configure(tmp_path / "build", {}, "-Dcpp_args=-mfpmath=387")
    assert done.returncode != 0
    assert "would change the scores" in done.stdout


def test_hardening_flags_are_taken(tmp_path):
    flags = "-g -O2 -fstack-protector-strong -fstack-clash-protection -Wformat -Werror=format-security -fcf-protection"
    done = configure(tmp_path / "build", {"CXXFLAGS": flags, "CFLAGS": flags}, "--buildtype=plain")
    assert done.returncode == 0, done.stdout + done.stderr
