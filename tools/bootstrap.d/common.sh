# SPDX-License-Identifier: BSD-2-Clause-Patent
# Progress lines, logs and stamps. Sourced by tools/bootstrap, which sets $root.
build=$root/build
downloads=$build/downloads
logs=$build/log
stamps=$build/stamps
# What the build installs is found; objects are found in the cache from any checkout.
export PKG_CONFIG_PATH=$build/prefix/lib/pkgconfig:$build/ffnvcodec/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
jobs=$(nproc 2>/dev/null || echo 2)

say() { printf '%s\n' "$*"; }
die() { printf 'bootstrap: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# as_root COMMAND...: the package manager needs root, nothing else does.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# run COMMAND...: its exit status in run_status. Bash ignores errexit in everything that is part of a condition, so a
# function whose failure matters is never tested with if, && or ||: it runs in a subshell, and only "wait" is tested.
run() {
  run_status=0
  ( set -e; "$@" ) </dev/null &
  wait $! || run_status=$?
}

# step TITLE LOG COMMAND...: one progress line; the command's output goes to build/log/LOG.log. A failure shows the
# log's end and ends the script.
step() {
  local title=$1 log=$logs/$2.log begin=$SECONDS
  shift 2
  mkdir -p "$logs"
  printf '  %-58s' "$title"
  run "$@" >"$log" 2>&1
  if [ "$run_status" -eq 0 ]; then
    printf ' %4d s\n' $((SECONDS - begin))
    return 0
  fi
  printf ' failed after %d s\n' $((SECONDS - begin))
  tail -n 25 "$log" | sed 's/^/    /' >&2
  die "\"$title\" failed; the whole log is $log"
}

# A stamp holds the hash of everything that a step depends on: the step is skipped while the hash stays the same.
stamp_of() { printf '%s\n' "$@" | sha256sum | cut -d' ' -f1; }
is_stamped() { [ "$(cat "$stamps/$1" 2>/dev/null)" = "$2" ]; }
set_stamp() { mkdir -p "$stamps"; printf '%s\n' "$2" >"$stamps/$1"; }
drop_stamp() { rm -f "$stamps/$1"; }

sha256_of() { sha256sum "$1" | cut -d' ' -f1; }
# tree_hash FILE...: names and contents, so that a renamed patch counts as a change.
tree_hash() { sha256sum "$@" | sed "s|  $root/|  |" | sha256sum | cut -d' ' -f1; }
