# SPDX-License-Identifier: BSD-2-Clause-Patent
# The filter's tests once more with sanitizers in the filter and in the library. FFmpeg's own objects stay as they are:
# an FFmpeg of which every part is instrumented takes half an hour to build and finds nothing in files that are not ours.

declare -A sanitizers_of=([asan]=address,undefined [tsan]=thread)

# link_sanitized NAME FLAGS: build/NAME/bin/ffmpeg, with the library of build/NAME and the filter of this tree. The
# commands are those of FFmpeg's makefile, so everything is compiled and linked as it always is. What orders the accesses
# to a frame is instrumented, too: the counts of references, and what hands slices and frames to FFmpeg's own threads.
# Adds what it links instead of FFmpeg's objects to the caller's `objects`.
link_sanitized() {
  local dir=$build/$1 flags=$2 name link
  local filter=("$root"/filter/*.c)
  filter=("${filter[@]##*/}")
  mkdir -p "$dir/bin" "$dir/static"
  ln -sf ../core/library/libvmafx.a "$dir/static/libvmafx.a"
  cd "$ffmpeg_tree"
  for name in "${filter[@]/#/libavfilter/}" libavutil/{buffer,refstruct,slicethread}.c \
      libavcodec/{pthread_frame,pthread_slice,threadprogress}.c; do
    name=${name%.c}
    compile_sanitized "$name" "../$1/$(basename "$name").o" "$flags"
    objects+=" ../$1/$(basename "$name").o"
  done
  link=$(make -n V=1 -W libavfilter/vf_vmafx.c ffmpeg_g | grep -e ' -o ffmpeg_g ')
  # Before the archives: theirs are then not taken.
  link=${link/ -o ffmpeg_g / -o ../$1/bin/ffmpeg $objects }
  link=${link/ / -L../$1/static $flags }
  eval "$link"
}

# compile_sanitized NAME OBJECT FLAGS: NAME.c of the tree, the filter from filter/, which the tree's may lag behind.
compile_sanitized() {
  local source=$1.c command
  command=$(make -n V=1 -W "$source" "$1.o" | grep -e " -o $1\.o ")
  if [ -e "$root/filter/${source##*/}" ]; then source=$root/filter/${source##*/}; fi
  command=${command/-MMD -MF $1.d -MT $1.o/}
  command=${command/-o $1.o $1.c/$3 -I$(dirname "$1") -o $2 "$source"}
  eval "$command"
}

# run_sanitized_filter NAME: any finding fails the test during which it is made.
run_sanitized_filter() {
  local sanitizers=${sanitizers_of[$1]} objects=
  local flags="-g -O1 -fno-omit-frame-pointer -fsanitize=$sanitizers" stand_in=tests/hip/libamdhip64.so.7
  local targets=(core/library/libvmafx.a tests/filter/score_yuv tests/metrics/ssimulacra2/ssimulacra2_fp64)
  sanitizer_setup "$build/$1" "$sanitizers"
  if ninja -C "$build/$1" -t query "$stand_in" >/dev/null 2>&1; then targets+=("$stand_in"); fi
  ninja -C "$build/$1" -j "$jobs" "${targets[@]}"
  link_sanitized "$1" "$flags"
  export VMAFX_PROGRAM_FLAGS=$flags VMAFX_PROGRAM_OBJECTS="-L../$1/static$objects"
  export VMAFX_FFMPEG=$build/$1/bin/ffmpeg VMAFX_FFPROBE=$build/bin/ffprobe VMAFX_TEST_TIMEOUT=300
  # dav1d counts its pictures' references by atomics, which cannot be seen in a library that is not instrumented.
  printf 'race:%s\n' libdav1d_picture_release >"$build/$1/suppressions"
  TSAN_OPTIONS+=:suppressions=$build/$1/suppressions
  mkdir -p "$results/filter-$1"
  cd "$root"
  # Without what looks at no memory of ours, and without a second look at the same inputs.
  "$python" -m pytest -p no:cacheprovider -q -rfE --junitxml="$results/filter-$1/pytest.xml" tests/filter \
    --ignore=tests/filter/test_patches.py \
    -k 'not (every_size or its_base and ssimulacra2)'
}
