# Compiles the headers of BoringSSL once for a build. Sourced by lib.sh, not run.
#
# SwiftNIO's TLS contains BoringSSL, 283 files of C++ that include the same headers. To read these takes more time than to compile
# what is in the files.

# The options with which SwiftPM compiles BoringSSL, as far as a header depends on them.
boringssl_options=(-target "$(uname -m)-unknown-linux-gnu" -std=c++17 -O2 -fPIC -fblocks -fno-omit-frame-pointer -w
    -DSWIFT_PACKAGE=1 -D_GNU_SOURCE -D_POSIX_C_SOURCE=200112L -D_DARWIN_C_SOURCE)

# precompile PACKAGE FOLDER: sets precompiled to the options for a build of that package in that folder: none if the compiler
# does not accept what it has compiled itself.
precompile() {
    local include=$2/checkouts/swift-nio-ssl/Sources/CNIOBoringSSL/include file=$2/boringssl.pch clang
    precompiled=()
    clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
    swift package --package-path "$1" --scratch-path "$2" resolve >&2 || return
    # A new compiler, or a change in a header, makes the file unusable.
    if [[ ! -e $file ]] || ! "$clang" "${boringssl_options[@]}" -include-pch "$file" -fsyntax-only -x c++ /dev/null 2>/dev/null; then
        "$clang" "${boringssl_options[@]}" -I "$include" -x c++-header -o "$file" - 2>/dev/null <<'END' || return 0
#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>
#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <CNIOBoringSSL_asn1t.h>
#include <CNIOBoringSSL_hpke.h>
#include <CNIOBoringSSL_ssl.h>
#include <CNIOBoringSSL_x509.h>
END
    fi
    precompiled=(-Xcxx -include-pch -Xcxx "$file")
}
