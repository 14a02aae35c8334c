#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# A patch series on a release, as a reviewer tries it: git am, a configuration of little more than the filter, FATE.
# usage: check_series.sh RELEASE.tar.xz FOLDER
# FOLDER is made; the rest of the environment (PKG_CONFIG_PATH to libvmafx.pc, MAKEFLAGS) is the caller's.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
release=$(realpath "$1") folder=$2

mkdir "$folder"
tar -xf "$release" -C "$folder" --strip-components=1 --no-same-owner
cd "$folder"
series=$(cut -d. -f1,2 RELEASE)
author=(-c gc.auto=0 -c user.name=check -c user.email=check@localhost)
git init -q .
git add -A -f
git "${author[@]}" commit -q --no-verify -m "FFmpeg $(cat RELEASE)"
git "${author[@]}" am "$root/patches/$series"/*.patch

# FATE runs the program, and the library may be shared.
LD_LIBRARY_PATH=$(pkg-config --variable=libdir libvmafx)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

begin=$SECONDS
# What the tests in fate/vmafx.mak ask for, and no more: without one of these they would not be run.
./configure --cc="${CC:-cc}" --disable-autodetect --disable-everything --disable-doc --disable-x86asm --disable-ffplay \
  --disable-ffprobe --pkg-config-flags=--static --enable-libvmafx \
  --enable-filter=vmafx,testsrc2,split,format,avgblur,metadata,select,settb,scale \
  --enable-encoder=wrapped_avframe,pgm --enable-decoder=pgm --enable-muxer=null,image2 --enable-demuxer=image2 \
  --enable-protocol=pipe >configure.log
configured=$SECONDS
make ffmpeg >make.log 2>&1 || { tail -n 20 make.log; exit 1; }
if grep 'vmafx.*warning' make.log; then exit 1; fi
built=$SECONDS
make fate-vmafx
printf 'FFmpeg %s: %d tests passed; configure %d s, make %d s, FATE %d s\n' "$(cat RELEASE)" \
  "$(make fate-list | grep -c vmafx)" $((configured - begin)) $((built - configured)) $((SECONDS - built))
