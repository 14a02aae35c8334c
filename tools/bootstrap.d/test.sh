# SPDX-License-Identifier: BSD-2-Clause-Patent
# Every test of the tree. A failure stops nothing: all parts run, then the failures are listed and the last line counts
# every single case. A part that cannot be built, or that runs no case, counts as a failure itself.
results=$build/results

# part NAME TITLE COMMAND...: runs one part; its cases are in build/results/NAME, its output in build/log/test-NAME.log.
part() {
  local name=$1 title=$2 begin=$SECONDS
  shift 2
  mkdir -p "$results/$name"
  printf '  %-58s' "$title"
  run "$@" >"$logs/test-$name.log" 2>&1
  printf '%d\n' "$run_status" >"$results/$name/status"
  printf ' %4d s  %s\n' $((SECONDS - begin)) \
    "$("$python" "$root/tools/count_tests.py" --short "$results/$name" || true)"
}

# run_meson_tests NAME [MESON_TEST_ARGUMENT...]: the GoogleTest programs of build/NAME write one XML file each.
run_meson_tests() {
  local name=$1 status=0
  shift
  export GTEST_OUTPUT=xml:$results/$name/
  meson test -C "$build/$name" --no-suite bench --print-errorlogs "$@" || status=$?
  cp "$build/$name/meson-logs/testlog.json" "$results/$name/programs.jsonl"
  return "$status"
}

test_unit() {
  meson_setup "$build/unit" --buildtype=release -Dtests=true
  ninja -C "$build/unit" -j "$jobs" -k 0
  run_meson_tests unit
}

# Sanitizers: optimised enough to finish, with assertions, and any finding ends the program. Device code would be
# compiled once more and is not what they look at.
sanitizer_setup() {
  local dir=$1 sanitizers=$2
  shift 2
  meson_setup "$dir" --buildtype=plain -Db_sanitize="$sanitizers" -Db_lundef=false -Dtests=true -Dcuda=disabled \
    -Dc_args='-O1 -g1 -fno-omit-frame-pointer' -Dcpp_args='-O1 -g1 -fno-omit-frame-pointer' "$@"
  export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:detect_leaks=1
  export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
  export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
}

test_asan() {
  sanitizer_setup "$build/asan" address,undefined
  ninja -C "$build/asan" -j "$jobs" -k 0
  # Planted mistakes tell nothing more here, nor does the code for other processors.
  run_meson_tests asan --no-suite planted --no-suite ir --timeout-multiplier 10
}

# Data races can only be where threads are: the engine's tests.
test_tsan() {
  sanitizer_setup "$build/tsan" thread
  run_meson_tests tsan --suite engine --timeout-multiplier 10
}

# libFuzzer is Clang's; its runtime may be a package of its own.
have_libfuzzer() {
  have clang++ && printf 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, __SIZE_TYPE__) { return 0; }' |
    clang++ -fsanitize=fuzzer,address,undefined -x c++ -o /dev/null - 2>/dev/null
}

# The fuzz targets for ten seconds each (tests/fuzz/README.md). One instruction set, since each takes its time to compile:
# AVX2 where the processor has it, as wide vectors are the ones that may read beyond a row.
test_fuzz() {
  local flags='-O1 -g1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link'
  if grep -qsw avx2 /proc/cpuinfo; then flags+=' -march=x86-64-v3 -DHWY_DISABLE_PCLMUL_AES'; fi
  export CC='ccache clang' CXX='ccache clang++'
  sanitizer_setup "$build/fuzz" address,undefined -Dc_args="$flags" -Dcpp_args="$flags -DHWY_COMPILE_ONLY_STATIC"
  run_meson_tests fuzz "${fuzz_targets[@]}"
}
fuzz_targets=({config,pairing,report,session}_fuzz)

test_filter() {
  export VMAFX_FFMPEG=$build/bin/ffmpeg VMAFX_FFPROBE=$build/bin/ffprobe
  cd "$root"
  "$python" -m pytest -p no:cacheprovider -q -rfE --junitxml="$results/filter/pytest.xml" tests/filter \
    tests/package
}

# FATE tests run in FFmpeg's build tree, on the ffmpeg that was built there.
# The default run, and the same references from the other backends over the stand-ins for their drivers.
test_fate() {
  local name names status=0
  cd "$ffmpeg_tree"
  make fate-list >fate-list.txt
  names=$(grep -E '^fate-.*vmafx' fate-list.txt)
  for name in $names; do fate_case "$name" make "$name"; done
  if [ -e "$build/unit/tests/cuda/libcuda.so.1" ]; then fate_over cuda "$build/unit/tests/cuda"; fi
  if [ -e "$build/unit/tests/hip/libamdhip64.so.7" ]; then fate_over hip "$build/unit/tests/hip"; fi
  return "$status"
}

# fate_over BACKEND FOLDER: the driver's stand-in lies in the folder. Sets the caller's status.
fate_over() {
  for name in $names; do
    fate_case "$name, backend $1" env LD_LIBRARY_PATH="$2" make "$name" VMAFX_BACKEND="$1"
  done
}

# fate_case TITLE COMMAND...
fate_case() {
  local title=$1
  shift
  if "$@"; then
    printf 'passed %s\n' "$title" >>"$results/fate/cases.txt"
  else
    printf 'failed %s\n' "$title" >>"$results/fate/cases.txt"
    status=1
  fi
}

case_result() { printf '%s %s\n' "$1" "$2" >>"$results/patches/cases.txt"; }

# pristine_release SERIES FOLDER: an unpatched release, from what the build has or else from the archive.
pristine_release() {
  local series=$1 folder=$2 tarball
  tarball=$(ffmpeg_tarball "$series")
  rm -rf "$folder"
  mkdir -p "$folder"
  if [ "$series" = "$ffmpeg_series" ]; then
    ffmpeg_git archive pristine | tar -x -C "$folder"
    return
  fi
  [ -e "$tarball" ] || fetch_ffmpeg "$series" "$tarball"
  tar -xf "$tarball" -C "$folder" --strip-components=1
}

# The patches are what filter/ gives, they apply as "git am" to a release that is as it came, and the filter compiles
# there. The series that is built in full needs no second compilation.
check_series() {
  local series=$1 folder=$build/patches/$1
  cd "$folder"
  if [ "$(cat RELEASE)" = "${ffmpeg_release[$series]}" ]; then
    run "$python" "$root/tools/make-patches" --check "$folder"
    case_result "$([ "$run_status" -eq 0 ] && echo passed || echo failed)" "patches/$series is what filter/ gives"
  else
    case_result skipped "patches/$series is what filter/ gives: not of release $(cat RELEASE)"
  fi
  run apply_series "$series"
  case_result "$([ "$run_status" -eq 0 ] && echo passed || echo failed)" "patches/$series applies"
  if [ "$run_status" -ne 0 ] || [ "$series" = "$ffmpeg_series" ]; then return; fi
  run compile_filter
  case_result "$([ "$run_status" -eq 0 ] && echo passed || echo failed)" "patches/$series compiles"
}

apply_series() {
  export_git_identity
  git init -q .
  git add -A -f
  git commit -q --no-verify -m release
  git am "$root/patches/$1"/*.patch
}

compile_filter() {
  ./configure --cc='ccache gcc' --disable-autodetect --disable-everything --disable-doc --disable-programs \
    --disable-x86asm --enable-version3 --pkg-config-flags=--static --enable-libvmafx --enable-filter=vmafx
  make $(cd "$root/filter" && printf 'libavfilter/%s.o\n' $(basename -s .c -- *.c))
}

test_patches() {
  local series
  for series in "${!ffmpeg_release[@]}"; do
    run pristine_release "$series" "$build/patches/$series"
    if [ "$run_status" -ne 0 ]; then
      case_result skipped "patches/$series: its release cannot be had here"
    else
      check_series "$series"
    fi
    rm -rf "$build/patches/$series"
  done
}

build_for_tests() {
  install_packages test
  build_ffmpeg
}

run_tests() {
  local begin=$SECONDS folders=("$results"/{unit,filter,patches,fate,asan,filter-asan,tsan})
  rm -rf "$results"
  mkdir -p "$results" "$logs"
  say 'Build'
  run build_for_tests
  if [ "$run_status" -ne 0 ]; then
    mkdir -p "$results/build"
    printf '%d\n' "$run_status" >"$results/build/status"
    folders+=("$results/build")
  fi
  say 'Test'
  part unit 'unit tests, vectors, plain against SIMD' test_unit
  part filter 'filter in build/bin/ffmpeg, the library as installed' test_filter
  part patches 'patch series on FFmpeg 9.0, 8.1, 7.1' test_patches
  part fate "FFmpeg's own regression tests (FATE)" test_fate
  part asan 'the same unit tests, address and undefined sanitizers' test_asan
  part filter-asan 'the same filter tests, address and undefined sanitizers' run_sanitized_filter asan
  part tsan 'engine tests, thread sanitizer' test_tsan
  if have_libfuzzer; then
    part fuzz 'fuzz targets, address and undefined sanitizers' test_fuzz
    folders+=("$results/fuzz")
  else
    say '  fuzz targets: skipped, no clang with libFuzzer here'
    printf 'skipped %s\n' "${fuzz_targets[@]}" >>"$results/asan/cases.txt"
  fi
  printf '  %-58s %4d s\n' 'all' $((SECONDS - begin))
  "$python" "$root/tools/count_tests.py" --logs "$logs" "${folders[@]}"
}
