# Compiles the headers of C++'s own library once for a build. Sourced by lib.sh, not run.
#
# SwiftNIO's TLS contains BoringSSL, 283 files of C++ that all include these headers. To read them takes a third of the time of
# such a file. BoringSSL's own headers stay out: a precompiled header loses their renaming of symbols (redefine_extname).

# The options with which SwiftPM compiles BoringSSL, as far as a header depends on them.
boringssl_options=(-target "$(uname -m)-unknown-linux-gnu" -std=c++17 -O2 -fPIC -fblocks -fno-omit-frame-pointer -w
    -DSWIFT_PACKAGE=1 -D_GNU_SOURCE -D_POSIX_C_SOURCE=200112L -D_DARWIN_C_SOURCE)

# precompile FOLDER: sets precompiled to the options for a build in that folder; to none if the compiler does not accept what it
# has compiled itself.
precompile() {
    local file=$1/cxx.pch clang
    precompiled=()
    clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
    mkdir -p "$1"
    # A new compiler, or a change in a header, makes the file unusable.
    if [[ ! -e $file ]] || ! "$clang" "${boringssl_options[@]}" -include-pch "$file" -fsyntax-only -x c++ /dev/null 2>/dev/null; then
        "$clang" "${boringssl_options[@]}" -fpch-instantiate-templates -x c++-header -o "$file" - 2>/dev/null <<'END' || return 0
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
END
    fi
    precompiled=(-Xcxx -include-pch -Xcxx "$file")
}
