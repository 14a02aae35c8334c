# SPDX-License-Identifier: BSD-2-Clause-Patent
# libvmafx of this tree, a release build without tests, installed into build/prefix for FFmpeg's configure.

# meson_setup DIR OPTION...: configures once, and again when the options or the tools that it looks for change.
meson_setup() {
  local dir=$1 stamp
  shift
  stamp=$(stamp_of "$@" "$root" "$(command -v nvcc {clang++,ld.lld}{,-19,-20,-21,-22})" "$(ls -d "$build/ffnvcodec" 2>&1)")
  if [ -e "$dir/build.ninja" ] && is_stamped "meson-$(basename "$dir")" "$stamp"; then return 0; fi
  rm -rf "$dir"
  meson setup "$dir" "$root" "$@"
  set_stamp "meson-$(basename "$dir")" "$stamp"
}

make_libvmafx() {
  meson_setup "$build/libvmafx" --buildtype=release --prefix="$build/prefix" --libdir=lib -Dtests=false
  # Ninja knows by itself what is up to date.
  ninja -C "$build/libvmafx" -j "$jobs"
  meson install -C "$build/libvmafx" --no-rebuild --only-changed --quiet
}

build_libvmafx() {
  if [ -e "$build/prefix/lib/libvmafx.a" ] && is_stamped libvmafx "$(libvmafx_stamp)" &&
      [ "$(ninja -C "$build/libvmafx" -n 2>/dev/null | tail -n 1)" = 'ninja: no work to do.' ]; then
    say '  libvmafx: up to date'
    return 0
  fi
  drop_stamp libvmafx
  step 'build libvmafx' libvmafx make_libvmafx
  set_stamp libvmafx "$(libvmafx_stamp)"
}

# What FFmpeg sees of the library.
libvmafx_stamp() {
  local prefix=$build/prefix
  tree_hash "$prefix/lib/libvmafx.a" "$prefix/lib/pkgconfig/libvmafx.pc" "$prefix/include/vmafx"/*.h 2>/dev/null
}
