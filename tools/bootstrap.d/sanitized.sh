# SPDX-License-Identifier: BSD-2-Clause-Patent
# The filter's tests once more with sanitizers in the filter and in the library. FFmpeg's own objects stay as they are:
# an FFmpeg of which every part is instrumented takes half an hour to build and finds nothing in files that are not ours.

declare -A sanitizers_of=([asan]=address,undefined [tsan]=thread)

# link_sanitized NAME SANITIZERS: build/NAME/bin/ffmpeg, with the library of build/NAME and the filter of this tree. The
# commands are those of FFmpeg's makefile, so everything is compiled and linked as it always is. References are counted
# and slices handed out with a sanitizer, too: what orders the accesses to a frame is there.
link_sanitized() {
  local dir=$build/$1 flags="-g -O1 -fno-omit-frame-pointer -fsanitize=$2" objects= name link
  local filter=("$root"/filter/*.c)
  filter=("${filter[@]##*/}")
  mkdir -p "$dir/bin" "$dir/static"
  ln -sf ../core/library/libvmafx.a "$dir/static/libvmafx.a"
  cd "$ffmpeg_tree"
  for name in "${filter[@]/#/libavfilter/}" libavutil/buffer.c libavutil/refstruct.c libavutil/slicethread.c; do
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
  local sanitizers=${sanitizers_of[$1]}
  sanitizer_setup "$build/$1" "$sanitizers"
  ninja -C "$build/$1" -j "$jobs" core/library/libvmafx.a
  link_sanitized "$1" "$sanitizers"
  export VMAFX_FFMPEG=$build/$1/bin/ffmpeg VMAFX_FFPROBE=$build/bin/ffprobe VMAFX_TEST_TIMEOUT=300
  # FFmpeg's own threads order their work by atomics, too, which cannot be seen in objects that are not instrumented.
  printf 'race:%s\n' libavutil/buffer.c libavutil/refstruct.c av_image_copy_to_buffer av_frame_side_data_remove \
    >"$build/$1/suppressions"
  TSAN_OPTIONS+=:suppressions=$build/$1/suppressions
  mkdir -p "$results/filter-$1"
  cd "$root"
  # Without what looks at no memory of ours, and without a second look at the same inputs.
  "$python" -m pytest -p no:cacheprovider -q -rfE --junitxml="$results/filter-$1/pytest.xml" tests/filter \
    --ignore=tests/filter/test_patches.py --ignore=tests/filter/test_graph_api.py --ignore=tests/filter/test_dmabuf.py \
    -k 'not (every_size or its_base and ssimulacra2)'
}
