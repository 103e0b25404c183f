# What the scripts share: where the repository is, and whether this machine can build it. Sourced, not run.

shopt -s inherit_errexit

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
self=${0##*/}

say() { printf '%s: %s\n' "$self" "$*" >&2; }

die() {
    say "$@"
    exit 1
}

# Makes sure that there is a Swift compiler and what the package links and the scripts call. Installs what is missing
# when it may; when all is there, it changes nothing and needs no network.
prepare_machine() {
    check_swift
    local missing
    missing=$(missing_packages)
    if [[ -n $missing ]]; then install_packages $missing; fi
}

check_swift() {
    local version major minor
    command -v swift >/dev/null || die "there is no swift in PATH; get 6.2 or later from https://www.swift.org/install"
    version=$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+\.[0-9]+).*/\1/p' | head -n 1)
    IFS=. read -r major minor <<<"${version:-0.0}"
    if ((major < 6 || major == 6 && minor < 2)); then
        die "swift ${version:-of unknown version} is too old; get 6.2 or later from https://www.swift.org/install"
    fi
}

# A library is there when pkg-config knows it, or when the compiler finds its header.
has_library() {
    pkg-config --exists "$1" 2>/dev/null ||
        printf '#include <stdio.h>\n#include <%s>\n' "$2" | clang -E -x c - >/dev/null 2>&1
}

missing_packages() {
    local apt
    if [[ $(uname) == Darwin ]]; then apt=false; else apt=true; fi
    need() { if $apt; then echo "$1"; else echo "$2"; fi; }
    command -v pkg-config >/dev/null || need pkg-config pkgconf
    command -v git >/dev/null || need git git
    command -v curl >/dev/null || need curl curl
    has_library libjpeg jpeglib.h || need libjpeg62-turbo-dev jpeg-turbo
    has_library libpng png.h || need libpng-dev libpng
    has_library lcms2 lcms2.h || need liblcms2-dev little-cms2
    has_library libgif gif_lib.h || need libgif-dev giflib
    # Optional for the package (its traits WebP and HEIF), but what is tested and documented is the whole of it.
    has_library libwebpmux webp/mux.h || need libwebp-dev webp
    has_library libheif libheif/heif.h || need libheif-dev libheif
    has_library libdeflate libdeflate.h || need libdeflate-dev libdeflate
    has_library sqlite3 sqlite3.h || need libsqlite3-dev sqlite
    has_library zlib zlib.h || need zlib1g-dev zlib
    has_library libcrypto openssl/evp.h || need libssl-dev openssl
}

install_packages() {
    local as_root=()
    if [[ $(uname) == Darwin ]]; then die "some packages are missing; run this, then try again: brew install $*"; fi
    if ((EUID != 0)); then as_root=(sudo -n); fi
    if ! command -v apt-get >/dev/null || ! "${as_root[@]}" true 2>/dev/null; then
        die "some packages are missing; run this, then try again: sudo apt-get update && sudo apt-get install $*"
    fi
    say "installing $*"
    "${as_root[@]}" apt-get update -q >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@" >&2
}

# Has SwiftPM plan the release build in that folder anew: on its own it sees files come and go in a package, but not in one
# beside it that the package depends on.
plan_anew() { rm -f "$1/release.yaml"; }
