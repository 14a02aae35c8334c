# SPDX-License-Identifier: BSD-2-Clause-Patent
# FFmpeg with the filter: pristine source, the patch series on top, a trimmed configuration, build/bin.
ffmpeg_tree=$build/ffmpeg-src

# Everything that a user needs to decode, cut, scale, compare and look at video around the filter, and no more. Audio is
# there because "-f null -" takes an input's audio along and fails without a decoder and the encoder pcm_s16le.
ffmpeg_components() {
  local kind list
  while read -r kind list; do
    printf -- '--enable-%s=%s\n' "$kind" "${list// /,}"
  done <<'LIST'
decoder h264 hevc vp8 vp9 mpeg1video mpeg2video mpeg4 h263 mjpeg png ffv1 rawvideo wrapped_avframe prores dnxhd utvideo
decoder huffyuv ffvhuff bmp tiff pgm ppm pgmyuv pam v210 gif
decoder aac mp3 mp2 ac3 eac3 opus vorbis flac alac pcm_s16le pcm_s16be pcm_s24le pcm_f32le
encoder ffv1 rawvideo wrapped_avframe png mjpeg mpeg2video mpeg4 utvideo ffvhuff pgm ppm v210 pcm_s16le
parser h264 hevc vp8 vp9 av1 mpegvideo mpeg4video h263 mjpeg png aac ac3 mpegaudio opus dnxhd bmp
bsf extract_extradata h264_mp4toannexb hevc_mp4toannexb h264_metadata hevc_metadata vp9_superframe vp9_superframe_split
bsf av1_frame_split av1_frame_merge av1_metadata aac_adtstoasc null noise trace_headers filter_units setts
bsf dump_extradata remove_extradata h264_redundant_pps mpeg4_unpack_bframes
demuxer mov matroska mpegts mpegps mpegvideo flv avi ivf av1 obu h264 hevc m4v h263 yuv4mpegpipe rawvideo image2
demuxer image2pipe image_png_pipe image_jpeg_pipe image_bmp_pipe image_tiff_pipe image_pgm_pipe image_ppm_pipe
demuxer nut concat ffmetadata mjpeg mxf gif
muxer mp4 mov matroska webm mpegts mpeg1system mpeg2vob mpeg1video mpeg2video flv nut avi ivf h264 hevc m4v
muxer yuv4mpegpipe rawvideo null
muxer image2 image2pipe framecrc framehash framemd5 crc md5 hash streamhash ffmetadata mjpeg tee segment
protocol file pipe fd data crypto cache subfile concat concatf md5 async tcp udp unix tee http
indev lavfi
filter aresample aformat anull atrim asetpts
filter scale format noformat null copy setpts settb fps framerate trim split select setparams setrange setsar setdar
filter setfield crop pad fillborders fieldorder field il interlace tinterlace telecine separatefields weave doubleweave
filter yadif bwdif w3fdif estdif idet transpose hflip vflip rotate zoompan avgblur gblur boxblur smartblur unsharp noise
filter hqdn3d median erosion dilation deband deblock geq lut lut2 lutyuv lutrgb eq hue curves negate limiter
filter colorlevels colorspace alphaextract alphamerge extractplanes mergeplanes shuffleplanes swapuv
filter color testsrc testsrc2 rgbtestsrc yuvtestsrc
filter nullsrc nullsink smptebars smptehdbars pal75bars mandelbrot gradients life cellauto sierpinski allrgb allyuv
filter haldclutsrc drawgraph drawbox drawgrid overlay hstack vstack xstack blend metadata psnr ssim xpsnr identity corr
filter msad vif tile untile thumbnail loop tpad concat interleave shuffleframes reverse freezeframes freezedetect
filter blackdetect cropdetect scdet mpdecimate decimate framestep showinfo signalstats bbox fade xfade realtime sendcmd
filter hwupload hwdownload hwmap movie streamselect sidedata perms pixscope histogram waveform
LIST
}

ffmpeg_cuda_components() {
  local codecs=h264,hevc,vp8,vp9,av1,mpeg2,mpeg4,mjpeg
  printf '%s\n' --enable-ffnvcodec --enable-cuda --enable-cuvid --enable-nvdec --enable-filter=hwupload_cuda
  printf '%s\n' "--enable-decoder=${codecs//,/_cuvid,}_cuvid" "--enable-hwaccel=${codecs//,/_nvdec,}_nvdec"
  if [ -n "$cuda_arch" ]; then
    printf '%s\n' --enable-cuda-llvm "--nvccflags=--cuda-gpu-arch=$cuda_arch -O2" --enable-filter=scale_cuda
  fi
}

# Decoding on AMD and Intel GPUs, and frames in dma-buf objects. libdrm alone is enough for the latter.
ffmpeg_vaapi_components() {
  local codecs=h264,hevc,vp8,vp9,av1,mpeg2,mjpeg
  if pkg-config --exists libdrm; then printf '%s\n' --enable-libdrm; fi
  if pkg-config --exists libdrm libva libva-drm; then
    printf '%s\n' --enable-vaapi --enable-filter=scale_vaapi "--enable-hwaccel=${codecs//,/_vaapi,}_vaapi"
  fi
}

# The oldest GPU architecture that this clang compiles for; nothing without clang.
find_cuda_arch() {
  local arch
  cuda_arch=
  have clang || return 0
  for arch in sm_30 sm_60 sm_75; do
    if clang --cuda-gpu-arch=$arch -O2 -S -nocudalib -nocudainc --cuda-device-only -x cuda -o /dev/null - \
        </dev/null >/dev/null 2>&1; then
      cuda_arch=$arch
      return 0
    fi
  done
}

# Where the shared libraries of build/lib are found from build/bin. The option passes an eval, Make and a shell before
# it reaches the linker as $ORIGIN.
rpath='-Wl,-rpath,\\\$\$ORIGIN/../lib'

ffmpeg_options() {
  local dav1d=()
  if pkg-config --exists 'dav1d >= 1.0.0'; then dav1d=(--enable-libdav1d --enable-decoder=libdav1d); fi
  # No absolute path of this checkout: config.h holds these options, and the compiler cache is to know its objects again.
  printf '%s\n' --cc='ccache gcc' --disable-autodetect --disable-everything --disable-doc \
    --disable-ffplay --disable-debug --enable-gpl --enable-version3 --enable-static --enable-pic \
    --pkg-config-flags=--static --extra-ldflags=-L../static \
    --extra-ldexeflags="$rpath" \
    --enable-zlib --enable-libx264 --enable-encoder=libx264 --enable-encoder=libx264rgb "${dav1d[@]}" \
    --enable-decoder=av1 --enable-libvmafx --enable-filter=vmafx
  ffmpeg_components
  ffmpeg_vaapi_components
  if [ "$with_cuda" = yes ]; then ffmpeg_cuda_components; fi
}

# Pristine source, committed, so that the series applies as it would for anyone.
ffmpeg_git() {
  git -C "$ffmpeg_tree" -c core.autocrlf=false -c gc.auto=0 "$@"
}
export_git_identity() {
  # The same objects on every machine, and nothing from the user's own configuration (signing, hooks, templates).
  export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
  export GIT_AUTHOR_NAME=bootstrap GIT_AUTHOR_EMAIL=bootstrap@localhost GIT_AUTHOR_DATE='2026-01-01T00:00:00Z'
  export GIT_COMMITTER_NAME=bootstrap GIT_COMMITTER_EMAIL=bootstrap@localhost GIT_COMMITTER_DATE='2026-01-01T00:00:00Z'
}

unpack_ffmpeg() {
  export_git_identity
  rm -rf "$ffmpeg_tree"
  mkdir -p "$ffmpeg_tree"
  if [ -d "$ffmpeg_source/.git" ]; then
    git -C "$ffmpeg_source" archive HEAD | tar -x -C "$ffmpeg_tree"
    cat "$ffmpeg_source/RELEASE" >"$ffmpeg_tree/VERSION"
  elif [ -d "$ffmpeg_source" ]; then
    cp -a "$ffmpeg_source/." "$ffmpeg_tree"
  else
    tar -xf "$ffmpeg_source" -C "$ffmpeg_tree" --strip-components=1
  fi
  [ -x "$ffmpeg_tree/configure" ] || { echo "$ffmpeg_source holds no FFmpeg source"; return 1; }
  case $(cat "$ffmpeg_tree/RELEASE") in
    "$ffmpeg_series"|"$ffmpeg_series".*|"$ffmpeg_series"-*) ;;
    *) echo "$ffmpeg_source is FFmpeg $(cat "$ffmpeg_tree/RELEASE"), not $ffmpeg_series"; return 1 ;;
  esac
  git init -q "$ffmpeg_tree"
  ffmpeg_git add -A -f
  ffmpeg_git commit -q --no-verify -m "FFmpeg $(cat "$ffmpeg_tree/RELEASE")"
  ffmpeg_git tag -f pristine
}

# The series is applied in a work tree of its own; then only files that really changed are touched in the build's.
patch_ffmpeg() {
  local worktree=$build/ffmpeg-am
  export_git_identity
  rm -rf "$worktree"
  ffmpeg_git worktree prune
  ffmpeg_git worktree add -q --detach "$worktree" pristine
  git -C "$worktree" -c gc.auto=0 am "${patch_series[@]}"
  ffmpeg_git reset -q --hard "$(git -C "$worktree" rev-parse HEAD)"
  rm -rf "$worktree"
  ffmpeg_git worktree prune
}

# Static archives alone in a folder: the linker then takes them even where a shared library exists. The C++ library
# stays shared: Debian's libhwy is, so it is in the process anyway, and twice would be once too often.
link_static_archives() {
  local archive file
  rm -rf "$build/static"
  mkdir -p "$build/static"
  for archive in libx264.a libz.a; do
    file=$(gcc -print-file-name="$archive")
    case $file in
      /*) ln -s "$file" "$build/static/$archive" ;;
      *) echo "no static $archive; the shared one is used" ;;
    esac
  done
  ln -s "$build/prefix/lib/libvmafx.a" "$build/static/libvmafx.a"
}

configure_ffmpeg() {
  link_static_archives
  cd "$ffmpeg_tree"
  ./configure "${options[@]}" || { tail -n 30 ffbuild/config.log; return 1; }
  # configure only warns about names that it does not know; a component that is missing later is harder to explain.
  if grep '^WARNING: Option .* did not match anything' ffbuild/config.log; then return 1; fi
}

compile_ffmpeg() {
  cd "$ffmpeg_tree"
  # Make does not know the archives outside its tree.
  rm -f ffmpeg ffmpeg_g ffprobe ffprobe_g
  make -j "$jobs" ffmpeg ffprobe
}

# build/ can be copied to another machine: the shared libraries that are not the C library's come along in build/lib.
install_ffmpeg() {
  local program library
  mkdir -p "$build/bin" "$build/lib"
  for program in ffmpeg ffprobe; do
    # A new file, in case the old one is running.
    cp "$ffmpeg_tree/$program" "$build/bin/$program.new"
    mv "$build/bin/$program.new" "$build/bin/$program"
  done
  ldd "$ffmpeg_tree/ffmpeg" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | while read -r library; do
    case $(basename "$library") in
      libc.so.*|libm.so.*|libdl.so.*|librt.so.*|libpthread.so.*|ld-linux*) ;;
      *) [ "$library" -ef "$build/lib/$(basename "$library")" ] || cp -L "$library" "$build/lib/" ;;
    esac
  done
  "$build/bin/ffmpeg" -hide_banner -version
  "$build/bin/ffprobe" -hide_banner -version
}

ffmpeg_source_stamp() {
  if [ -d "$ffmpeg_source" ]; then
    stamp_of "$ffmpeg_source" "$(cat "$ffmpeg_source/RELEASE" 2>/dev/null)" \
      "$(git -C "$ffmpeg_source" rev-parse HEAD 2>/dev/null)"
  else
    # Size and time: hashing a tarball for each start would take longer than the check is worth.
    stamp_of "$(stat -c '%n %s %Y' "$ffmpeg_source")"
  fi
}

build_ffmpeg() {
  local options patch_series source_stamp patch_stamp configure_stamp build_stamp
  patch_series=("$root/patches/$ffmpeg_series"/*.patch)
  [ -e "${patch_series[0]}" ] || die "patches/$ffmpeg_series holds no patch"
  get_ffmpeg_source
  get_ffnvcodec
  source_stamp=$(ffmpeg_source_stamp)
  if [ ! -d "$ffmpeg_tree/.git" ] || ! is_stamped ffmpeg-source "$source_stamp"; then
    drop_stamp ffmpeg-patch
    drop_stamp ffmpeg-configure
    step 'unpack FFmpeg' ffmpeg-unpack unpack_ffmpeg
    set_stamp ffmpeg-source "$source_stamp"
  fi
  patch_stamp=$(stamp_of "$source_stamp" "$(tree_hash "${patch_series[@]}")")
  if ! is_stamped ffmpeg-patch "$patch_stamp"; then
    step "apply patches/$ffmpeg_series" ffmpeg-patch patch_ffmpeg
    set_stamp ffmpeg-patch "$patch_stamp"
  fi

  build_libvmafx

  find_cuda_arch
  mapfile -t options < <(ffmpeg_options)
  configure_stamp=$(stamp_of "${options[@]}" "$(gcc --version)" \
    "$(pkg-config --modversion x264 zlib dav1d ffnvcodec 2>&1)" \
    "$(sha256_of "$build/prefix/lib/pkgconfig/libvmafx.pc")" \
    "$(ffmpeg_git ls-tree HEAD configure libavfilter/allfilters.c libavcodec/allcodecs.c libavformat/allformats.c)")
  if [ ! -e "$ffmpeg_tree/ffbuild/config.mak" ] || ! is_stamped ffmpeg-configure "$configure_stamp"; then
    drop_stamp ffmpeg-configure
    step 'configure FFmpeg' ffmpeg-configure configure_ffmpeg
    set_stamp ffmpeg-configure "$configure_stamp"
  fi
  build_stamp=$(stamp_of "$configure_stamp" "$(ffmpeg_git rev-parse HEAD)" "$(libvmafx_stamp)")
  if [ -x "$build/bin/ffmpeg" ] && [ -x "$build/bin/ffprobe" ] && is_stamped ffmpeg "$build_stamp"; then
    say '  ffmpeg: up to date'
    return 0
  fi
  drop_stamp ffmpeg
  step 'build FFmpeg (the first time takes minutes)' ffmpeg-make compile_ffmpeg
  step 'install build/bin/ffmpeg and build/bin/ffprobe' ffmpeg-install install_ffmpeg
  set_stamp ffmpeg "$build_stamp"
}
