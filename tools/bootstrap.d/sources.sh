# SPDX-License-Identifier: BSD-2-Clause-Patent
# FFmpeg's source and NVIDIA's codec headers: from a given place, upstream, or the distribution's source packages.
ffmpeg_series=9.0
# The releases that the patches were made from.
declare -A ffmpeg_release=([9.0]=9.0.2 [8.1]=8.1.2 [7.1]=7.1.5)
declare -A ffmpeg_sha256=(
  [9.0]=8c3850283eb25fa026482078a04051e0be17347b09ef81a0849bec15a96e002e
  [8.1]=464beb5e7bf0c311e68b45ae2f04e9cc2af88851abb4082231742a74d97b524c
  [7.1]=de668509caf9e35e3cd162473441fdb29538c6d96ed080292b3cf9e6fc5d558f
)
ffnvcodec_version=12.1.14.0
ffnvcodec_sha256=0ca1a0c85b149646fa6ce4d600584507fdccf5a23d58e668d8701e89cee0c3fb

# download URL FILE SHA256: short patience for the connection; FILE exists afterwards only when its hash is right.
download() {
  local url=$1 file=$2 sha256=$3
  mkdir -p "$(dirname "$file")"
  if have curl; then
    curl -fsSL --connect-timeout 8 --speed-time 20 --speed-limit 1000 -o "$file.part" "$url" || return 1
  elif have wget; then
    wget -q --tries=1 --timeout=20 --connect-timeout=8 -O "$file.part" "$url" || return 1
  else
    return 1
  fi
  if [ "$(sha256_of "$file.part")" != "$sha256" ]; then
    echo "$url: unexpected contents, sha256 $(sha256_of "$file.part")"
    rm -f "$file.part"
    return 1
  fi
  mv "$file.part" "$file"
}

# The machine's own archive, whatever the format of its apt configuration: apt prints its parsed entries.
debian_archive() {
  apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
    awk '$3 == "main" && $2 !~ /-(security|updates|backports)/ && !found { print $1; found = 1 }'
}

# private_apt COMMAND...: apt with deb-src entries of Debian's newest suites, apart from the machine's own lists.
private_apt() {
  local tool=$1
  shift
  "$tool" -o Dir::Etc::SourceList="$build/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$build/apt/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
    -o APT::Sandbox::User= "$@"
}

private_apt_update() {
  local archive
  if [ -e "$build/apt/updated" ]; then return 0; fi
  archive=$(debian_archive)
  [ -n "$archive" ] || { echo 'the apt configuration names no archive'; return 1; }
  mkdir -p "$build/apt/lists/partial"
  printf 'deb-src %s %s main\n' "$archive" sid "$archive" trixie >"$build/apt/sources.list"
  private_apt apt-get update
  touch "$build/apt/updated"
}

# debian_source PACKAGE VERSION_PATTERN PREFERRED FILE: PACKAGE's pristine upstream tarball (its orig.tar) as FILE.
# Old revisions vanish from the archive: any that matches the pattern will do when the preferred one is gone.
debian_source() {
  local package=$1 pattern=$2 preferred=$3 file=$4 versions version dir
  private_apt_update
  versions=$(private_apt apt-cache showsrc --only-source "$package" | sed -n 's/^Version: //p' |
    grep -E "$pattern" | sort -rV || true)
  version=$(grep -F -- "$preferred" <<<"$versions" | head -n 1 || true)
  version=${version:-$(head -n 1 <<<"$versions")}
  [ -n "$version" ] || { echo "the archive has no source package $package with a version like $pattern"; return 1; }
  dir=$(mktemp -d "$build/apt/source.XXXXXX")
  # --tar-only: the pristine tarball alone, not Debian's changes.
  ( cd "$dir" && private_apt apt-get source --download-only --tar-only "$package=$version" )
  mkdir -p "$(dirname "$file")"
  mv "$dir/$package"_*.orig.tar.xz "$file"
  rm -rf "$dir"
}

is_debian() { ( . /etc/os-release 2>/dev/null && [ "${ID:-}" = debian ] ); }

# fetch_ffmpeg SERIES FILE
fetch_ffmpeg() {
  local file=$2 version=${ffmpeg_release[$1]} expected=${ffmpeg_sha256[$1]} sha256
  download "https://ffmpeg.org/releases/ffmpeg-$version.tar.xz" "$file" "$expected" && return 0
  echo "no upstream tarball; trying the distribution's source package"
  is_debian || { echo "set FFMPEG_SRC to FFmpeg $version's source, a folder or a tarball"; return 1; }
  debian_source ffmpeg "^([0-9]+:)?${1/./\\.}\." ":$version-" "$file.part"
  sha256=$(sha256_of "$file.part")
  if [ "$sha256" != "$expected" ]; then
    # Another point release is taken as it is: apt has checked its signature.
    if [ "$(tar -xOf "$file.part" --wildcards '*/RELEASE')" = "$version" ]; then
      echo "FFmpeg $version has sha256 $sha256 instead of $expected"
      return 1
    fi
  fi
  mv "$file.part" "$file"
}

ffmpeg_tarball() { printf '%s/ffmpeg-%s.tar.xz\n' "$downloads" "${ffmpeg_release[$1]}"; }

fetch_ffnvcodec() {
  local file=$1
  is_debian || { echo 'no source of NVIDIA codec headers known for this distribution'; return 1; }
  debian_source nv-codec-headers "^${ffnvcodec_version//./\\.}-" "$ffnvcodec_version" "$file.part"
  [ "$(sha256_of "$file.part")" = "$ffnvcodec_sha256" ] || { echo 'the headers have another sha256'; return 1; }
  mv "$file.part" "$file"
}

# get_ffmpeg_source: sets ffmpeg_source to a tarball or a folder.
get_ffmpeg_source() {
  if [ -n "${FFMPEG_SRC:-}" ]; then
    [ -e "$FFMPEG_SRC" ] || die "FFMPEG_SRC=$FFMPEG_SRC does not exist"
    ffmpeg_source=$(cd "$(dirname "$FFMPEG_SRC")" && pwd)/$(basename "$FFMPEG_SRC")
    return 0
  fi
  ffmpeg_source=$(ffmpeg_tarball "$ffmpeg_series")
  if [ ! -e "$ffmpeg_source" ]; then
    step "download FFmpeg ${ffmpeg_release[$ffmpeg_series]}" ffmpeg-download \
      fetch_ffmpeg "$ffmpeg_series" "$ffmpeg_source"
  fi
}

# get_ffnvcodec: installs the headers into build/ffnvcodec, or leaves with_cuda=no.
get_ffnvcodec() {
  local tarball=$downloads/nv-codec-headers-$ffnvcodec_version.tar.xz
  with_cuda=yes
  if pkg-config --exists "ffnvcodec >= $ffnvcodec_version"; then return 0; fi
  if [ -e "$build/ffnvcodec/lib/pkgconfig/ffnvcodec.pc" ]; then return 0; fi
  if [ ! -e "$tarball" ]; then
    # FFmpeg is complete but for CUDA without them, so their lack ends nothing.
    run fetch_ffnvcodec "$tarball" >"$logs/ffnvcodec-download.log" 2>&1
    if [ "$run_status" -ne 0 ]; then
      say "  no NVIDIA codec headers $ffnvcodec_version: this FFmpeg has no NVDEC, hwupload_cuda and scale_cuda"
      say "  (why: $logs/ffnvcodec-download.log; headers that pkg-config finds as ffnvcodec are used)"
      with_cuda=no
      return 0
    fi
  fi
  step 'install NVIDIA codec headers' ffnvcodec install_ffnvcodec "$tarball"
}

install_ffnvcodec() {
  local dir=$build/ffnvcodec-src
  rm -rf "$dir"
  mkdir -p "$dir"
  tar -xf "$1" -C "$dir" --strip-components=1
  make -C "$dir" install PREFIX="$build/ffnvcodec"
}
