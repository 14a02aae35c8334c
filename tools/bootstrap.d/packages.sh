# SPDX-License-Identifier: BSD-2-Clause-Patent
# What the build needs from the distribution.

# Needed by every subcommand.
packages_required=(
  gcc g++ make git pkg-config meson ninja-build nasm ccache    # the two builds
  libhwy-dev libboost-dev                                       # libvmafx
  libx264-dev zlib1g-dev                                        # FFmpeg
  ca-certificates curl xz-utils diffutils                       # FFmpeg's source and its tests
  python3
)
# Needed by "test" on top of those.
packages_test=(libgtest-dev libgmock-dev nlohmann-json3-dev libboost-context-dev python3-pytest)
# Taken when the distribution has them; what is lost without them is said.
packages_wanted=(
  clang                     # CUDA kernels of FFmpeg's own filters (scale_cuda)
  clang-19 lld-19           # the HIP backend's kernels; a later clang does as well
  libdav1d-dev              # AV1 in software
  libva-dev libdrm-dev      # decoding on AMD GPUs, frames in dma-buf objects
  forensics-samples-files   # the demo's clip
)
# By "test" on top of those.
packages_test_wanted=(
  libclang-rt-dev  # libFuzzer and Clang's sanitizers
  libamdhip64-5    # AMD's own library, which must say that there is no GPU
)

is_debian_like() {
  have apt-get && have dpkg-query
}

# missing_packages NAME...: those of the names that are not installed.
missing_packages() {
  local name installed
  installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${binary:Package}\n' 2>/dev/null |
    sed -n 's/^ii  *\([^:]*\).*/\1/p')
  for name in "$@"; do
    grep -qxF -- "$name" <<<"$installed" || printf '%s\n' "$name"
  done
}

# apt_candidate NAME: the version that apt would install; nothing when there is none.
apt_candidate() {
  apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: *\([^(].*\)/\1/p'
}

# NVIDIA's codec headers come as a package only where the distribution's version is new enough for FFmpeg.
ffnvcodec_package() {
  local candidate
  candidate=$(apt_candidate libffmpeg-nvenc-dev)
  if [ -n "$candidate" ] && dpkg --compare-versions "$candidate" ge "$ffnvcodec_version"; then
    printf 'libffmpeg-nvenc-dev\n'
  fi
}

# Where clang 19 is not offered, the first later one that is, with its linker.
later_clang_packages() {
  local version
  if [ -n "$(apt_candidate clang-19)" ]; then return 0; fi
  for version in 20 21 22; do
    if [ -n "$(apt_candidate "clang-$version")" ] && [ -n "$(apt_candidate "lld-$version")" ]; then
      printf '%s\n' "clang-$version" "lld-$version"
      return 0
    fi
  done
}

apt_install() {
  export DEBIAN_FRONTEND=noninteractive
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# check_versions: says which of the installed tools is too old, before a build fails over it.
check_versions() {
  local highway meson stamp
  highway=$(pkg-config --modversion libhwy 2>/dev/null || echo none)
  stamp=$(stamp_of "$highway" "$(stat -L -c '%n %Y' "$(command -v meson)")")
  if is_stamped versions "$stamp"; then return 0; fi
  meson=$(meson --version)
  if ! pkg-config --atleast-version=1.0.3 libhwy; then
    die "Highway (libhwy) is $highway here; 1.0.3 or later is needed: Debian 12, Ubuntu 24.04 or later have it"
  fi
  if [ "$(printf '%s\n' 1.0.0 "$meson" | sort -V | head -n 1)" != 1.0.0 ]; then
    die "Meson is $meson here; 1.0.0 or later is needed: Debian 12, Ubuntu 24.04 or later have it"
  fi
  set_stamp versions "$stamp"
}

# install_packages MODE: MODE is "ffmpeg" or "test".
install_packages() {
  provide_packages "$1"
  check_versions
}

provide_packages() {
  local needed=("${packages_required[@]}") optional=("${packages_wanted[@]}") missing wanted=() name
  if [ "$1" = test ]; then
    needed+=("${packages_test[@]}")
    optional+=("${packages_test_wanted[@]}")
  fi
  if ! is_debian_like; then
    check_tools_by_hand "$1"
    return
  fi
  # A package that apt did not offer the last time is not asked for again until the lists change.
  mapfile -t missing < <(missing_packages "${needed[@]}")
  mapfile -t wanted < <(missing_packages "${optional[@]}")
  if [ ${#wanted[@]} -gt 0 ] && is_stamped wanted "$(stamp_of "${wanted[@]}")"; then wanted=(); fi
  if [ ${#missing[@]} -eq 0 ] && [ ${#wanted[@]} -eq 0 ]; then
    say '  packages: all installed'
    return 0
  fi
  have sudo || [ "$(id -u)" -eq 0 ] || die "packages are missing, and there is neither root nor sudo to install them: \
apt-get install --no-install-recommends ${missing[*]} ${wanted[*]}"
  # sudo may ask for a password: before a step hides its prompt.
  [ "$(id -u)" -eq 0 ] || sudo -v || die "sudo was refused; the packages are ${missing[*]} ${wanted[*]}"
  step 'apt-get update' apt-update as_root apt-get update
  if [ ${#missing[@]} -gt 0 ]; then
    step "install ${#missing[@]} packages" apt-install apt_install "${missing[@]}"
  fi
  local available=() absent=()
  for name in "${wanted[@]}"; do
    if [ -n "$(apt_candidate "$name")" ]; then available+=("$name"); else absent+=("$name"); fi
  done
  mapfile -t -O ${#available[@]} available < <(missing_packages $(ffnvcodec_package) $(later_clang_packages))
  if [ ${#available[@]} -gt 0 ]; then
    step "install ${available[*]}" apt-install-wanted apt_install "${available[@]}"
  fi
  if [ ${#absent[@]} -gt 0 ]; then
    say "  not offered by this distribution: ${absent[*]}"
    set_stamp wanted "$(stamp_of "${absent[@]}")"
  fi
}

print_packages() {
  say 'Needed (Debian and Ubuntu names):'
  printf '  %s\n' "${packages_required[*]}"
  say 'Needed by "tools/bootstrap test" as well:'
  printf '  %s\n' "${packages_test[*]}"
  say 'Used when present, for scale_cuda, the HIP backend, AV1 in software and the clip of the demo:'
  printf '  %s\n' "${packages_wanted[*]}"
  say 'Used when present, for the fuzz targets and a test of the HIP loader of "tools/bootstrap test":'
  printf '  %s\n' "${packages_test_wanted[*]}"
}

# No apt: go on only when everything is there already.
check_tools_by_hand() {
  local absent=() tool module
  for tool in gcc g++ make git pkg-config meson ninja nasm ccache curl xz python3; do
    have "$tool" || absent+=("$tool")
  done
  if have pkg-config; then
    for module in libhwy x264 zlib; do
      pkg-config --exists "$module" || absent+=("$module (pkg-config)")
    done
    if [ "$1" = test ]; then
      for module in gtest gmock nlohmann_json; do
        pkg-config --exists "$module" || absent+=("$module (pkg-config)")
      done
    fi
  fi
  if [ "$1" = test ]; then "$python" -m pytest --version >/dev/null 2>&1 || absent+=('pytest of python3'); fi
  if [ ${#absent[@]} -eq 0 ]; then return 0; fi
  say 'This distribution has no apt-get, so its packages are to be installed by hand.'
  print_packages
  die "missing here: $(printf '%s, ' "${absent[@]}" | sed 's/, $//')"
}
