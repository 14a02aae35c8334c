#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Checks and times the CUDA backend on a machine with a GPU, where nothing needs to be built.
#   gpu_check.sh pack BUILD FOLDER   gathers the programs of a build directory (ninja has made them) and the libraries they
#                                    need into FOLDER
#   gpu_check.sh run FOLDER          on the GPU machine: parity matrix and vectors, then the table of times
#   gpu_check.sh sanitize FOLDER     on the GPU machine: compute-sanitizer's four tools over a part of the matrix
# The vectors are taken from $VMAFX_VECTORS, else from the source tree this script lies in.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

pack() {
  local build=$1 folder=$2 program
  mkdir -p "$folder"
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
  sanitize) [ $# = 2 ] && sanitize "$(cd "$2" && pwd)" ;;
  *) sed -n '3,8p' "$0"; exit 2 ;;
esac
