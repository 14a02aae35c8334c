#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Checks the GPU backends on a machine with a GPU.
#   gpu_check.sh amd [OPTION...]     with an AMD GPU and ROCm's HIP runtime: installs and builds what is needed, measures
#                                    the parity matrix and all vectors, then frames that VAAPI decodes in FFmpeg, and
#                                    writes a report to send. Options are those of vmafx_parity (--device=1, --quick)
# For machines with an NVIDIA GPU where nothing can be built:
#   gpu_check.sh pack BUILD FOLDER   gathers the programs of a build directory (ninja has made them) and the libraries they
#                                    need into FOLDER
#   gpu_check.sh run FOLDER          on the GPU machine: parity matrix and vectors, then the table of times
#   gpu_check.sh hip FOLDER          on the GPU machine: the same matrix and vectors through the HIP backend, over a
#                                    libamdhip64 that forwards to the CUDA driver
#   gpu_check.sh sanitize FOLDER     on the GPU machine: compute-sanitizer's four tools over a part of the matrix
# The vectors are taken from $VMAFX_VECTORS, else from the source tree this script lies in.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

pack() {
  local build=$1 folder=$2 program forward
  mkdir -p "$folder"
  forward=$build/tests/hip/forward/libamdhip64.so.7
  if [ -e "$forward" ]; then
    mkdir -p "$folder/hip_on_cuda"
    cp -L "$forward" "$folder/hip_on_cuda/"
  fi
  for program in vmafx_parity vmafx_device_bench; do
    cp "$build/tests/parity/$program" "$folder/"
    ldd "$folder/$program" | awk '$3 ~ /hwy|boost/ { print $3 }' | xargs -r cp -Lt "$folder"
  done
}

prepare() {
  local folder=$1
  export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export VMAFX_VECTORS=${VMAFX_VECTORS:-$here/../vectors}
  if ! command -v xz >/dev/null; then
    mkdir -p /tmp/vmafx_xz
    printf '#!/bin/sh\nexec python3 -c "import lzma, shutil, sys; shutil.copyfileobj(lzma.open(sys.argv[3]), sys.stdout.buffer)" "$@"\n' \
      >/tmp/vmafx_xz/xz
    chmod +x /tmp/vmafx_xz/xz
    PATH=/tmp/vmafx_xz:$PATH
  fi
}

run() {
  local folder=$1 failed=0
  prepare "$folder"
  "$folder/vmafx_parity" --backend=cuda || failed=1
  "$folder/vmafx_device_bench" || failed=1
  return $failed
}

hip() {
  local folder=$1
  [ -e "$folder/hip_on_cuda/libamdhip64.so.7" ] || {
    echo "$folder has no hip_on_cuda/libamdhip64.so.7: build tests/hip/forward/libamdhip64.so.7, then pack" >&2
    return 1
  }
  prepare "$folder"
  LD_LIBRARY_PATH=$folder/hip_on_cuda:$LD_LIBRARY_PATH "$folder/vmafx_parity" --backend=hip
}

amd() {
  local root build report ffmpeg status=0 vaapi=0
  root=$(cd "$here/../.." && pwd)
  build=$root/build/amd
  report=$build/report.txt
  ffmpeg=$root/build/bin/ffmpeg
  "$root/tools/bootstrap" packages || echo 'Not all packages can be installed: going on without them.'
  "$root/tools/bootstrap" ffmpeg || {
    echo 'FFmpeg cannot be built: going on without it.'
    ffmpeg=none  # not an older one
  }
  [ -e "$build/build.ninja" ] || meson setup "$build" "$root" --buildtype=release -Dhip=enabled -Dcuda=disabled
  ninja -C "$build" tests/parity/vmafx_parity
  {
    echo "vmafx $(git -C "$root" describe --always --dirty 2>/dev/null || echo '(no git)'), Linux $(uname -r)"
    cat /opt/rocm/.info/version 2>/dev/null | sed 's/^/ROCm /' || true
    VMAFX_VECTORS=${VMAFX_VECTORS:-$here/../vectors} "$build/tests/parity/vmafx_parity" --backend=hip "$@" || status=$?
    "$root/tests/gpu/check_vaapi.py" "$ffmpeg" || vaapi=$?
    echo "exit status $status, of FFmpeg's frames $vaapi"
  } 2>&1 | tee "$report"
  echo "Please send $report as an issue, whatever it says."
  grep -qx "exit status 0, of FFmpeg's frames 0" "$report"
}

sanitize() {
  local folder=$1 failed=0 tool cases
  prepare "$folder"
  for tool in memcheck racecheck initcheck synccheck; do
    for cases in 64x64 31x33 '8 against 10 bit' 'all metrics'; do
      echo "== $tool, $cases"
      compute-sanitizer --tool "$tool" --error-exitcode 9 "$folder/vmafx_parity" --backend=cuda --quick --no-vectors \
        --only="$cases" || failed=1
    done
  done
  return $failed
}

case ${1-} in
  pack) [ $# = 3 ] && pack "$2" "$3" ;;
  run) [ $# = 2 ] && run "$(cd "$2" && pwd)" ;;
  hip) [ $# = 2 ] && hip "$(cd "$2" && pwd)" ;;
  amd) shift && amd "$@" ;;
  sanitize) [ $# = 2 ] && sanitize "$(cd "$2" && pwd)" ;;
  *) sed -n '3,14p' "$0"; exit 2 ;;
esac
