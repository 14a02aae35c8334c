# SPDX-License-Identifier: BSD-2-Clause-Patent
# The filter's tests once more with sanitizers in the filter and in the library. FFmpeg's own objects stay as they are:
# an FFmpeg of which every part is instrumented takes half an hour to build and finds nothing in files that are not ours.

declare -A sanitizers_of=([asan]=address,undefined [tsan]=thread)

# link_sanitized NAME SANITIZERS: build/NAME/bin/ffmpeg, with the library of build/NAME and the filter of this tree. The
# commands are those of FFmpeg's makefile, so the filter is compiled and linked as it always is.
link_sanitized() {
  local dir=$build/$1 flags="-g -O1 -fno-omit-frame-pointer -fsanitize=$2" compile link
  mkdir -p "$dir/bin" "$dir/static"
  ln -sf ../core/library/libvmafx.a "$dir/static/libvmafx.a"
  cd "$ffmpeg_tree"
  compile=$(make -n V=1 -W libavfilter/vf_vmafx.c libavfilter/vf_vmafx.o | grep -e ' -o libavfilter/vf_vmafx\.o ')
  link=$(make -n V=1 -W libavfilter/vf_vmafx.c ffmpeg_g | grep -e ' -o ffmpeg_g ')
  compile=${compile/-MMD -MF libavfilter\/vf_vmafx.d -MT libavfilter\/vf_vmafx.o/}
  compile=${compile/-o libavfilter\/vf_vmafx.o libavfilter\/vf_vmafx.c/$flags -Ilibavfilter -o ../$1/vf_vmafx.o "$root/filter/vf_vmafx.c"}
  # Before the archives: theirs is then not taken.
  link=${link/ -o ffmpeg_g / -o ../$1/bin/ffmpeg ../$1/vf_vmafx.o }
  link=${link/ / -L../$1/static $flags }
  eval "$compile"
  eval "$link"
}

# run_sanitized_filter NAME: any finding fails the test during which it is made.
run_sanitized_filter() {
  local sanitizers=${sanitizers_of[$1]}
  sanitizer_setup "$build/$1" "$sanitizers"
  ninja -C "$build/$1" -j "$jobs" core/library/libvmafx.a
  link_sanitized "$1" "$sanitizers"
  export VMAFX_FFMPEG=$build/$1/bin/ffmpeg VMAFX_FFPROBE=$build/bin/ffprobe VMAFX_TEST_TIMEOUT=300
  mkdir -p "$results/filter-$1"
  cd "$root"
  # Without what looks at no memory of ours, and without a second look at the same inputs.
  "$python" -m pytest -p no:cacheprovider -q -rfE --junitxml="$results/filter-$1/pytest.xml" tests/filter \
    --ignore=tests/filter/test_patches.py --ignore=tests/filter/test_graph_api.py \
    -k 'not (every_size or its_base and ssimulacra2)'
}
