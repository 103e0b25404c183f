# Shared by the scripts: the path of the repository, and the preparation of this machine. Sourced, not run.

shopt -s inherit_errexit

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
self=${0##*/}

. "$root/Scripts/precompiling.sh"
. "$root/Scripts/linking.sh"

# The Python suites share Tests/harness.
export PYTHONPATH=$root/Tests${PYTHONPATH+:$PYTHONPATH} PYTHONDONTWRITEBYTECODE=1

say() { printf '%s: %s\n' "$self" "$*" >&2; }

die() {
    say "$@"
    exit 1
}

# Checks for a Swift compiler, the libraries that the package links and the programs that the scripts call. Installs missing
# packages if it may; if all are present, it changes nothing and needs no network.
prepare_machine() {
    local missing
    command -v swift >/dev/null || die "there is no swift in PATH; get 6.2 or later from https://www.swift.org/install"
    missing=$(missing_compiler_packages && missing_packages)
    if [[ -n $missing ]]; then install_packages $missing; fi
    check_swift
}

# Checks that the compiler starts and is recent enough.
check_swift() {
    local version major minor missing
    if ! swift --version >/dev/null 2>&1; then
        missing=$(missing_libraries)
        if [[ -n $missing ]]; then
            die "swift cannot start, because these libraries are missing: $missing; https://www.swift.org/install lists the packages"
        fi
        die "swift cannot start: $(swift --version 2>&1 | tail -n 1 || true)"
    fi
    version=$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+\.[0-9]+).*/\1/p' | head -n 1) || true
    IFS=. read -r major minor <<<"${version:-0.0}"
    if ((major < 6 || major == 6 && minor < 2)); then
        die "swift ${version:-of unknown version} is too old; get 6.2 or later from https://www.swift.org/install"
    fi
}

# Prints the libraries that the toolchain's programs load and the system lacks, such as libncurses.so.6.
missing_libraries() {
    local folder
    folder=$(dirname "$(readlink -f "$(command -v swift)")")
    { ldd "$folder"/{swift-frontend,swift-build,clang} 2>/dev/null || true; } |
        sed -nE 's/^[[:space:]]*(\S+) => not found.*/\1/p' | sort -u
}

# Prints the Debian packages that the compiler needs and lacks. The toolchain of swift.org is an archive: a fresh Debian lacks
# the libraries that its programs load, a linker, the C library's headers and git.
missing_compiler_packages() {
    local library
    while IFS= read -r library; do
        case $library in
        libncurses.so.* | libncursesw.so.* | libtinfo.so.*) echo libncurses6 ;;
        libcurl.so.*) echo libcurl4 ;;
        libxml2.so.*) echo libxml2 ;;
        libedit.so.*) echo libedit2 ;;
        libsqlite3.so.*) echo libsqlite3-0 ;;
        libz.so.*) echo zlib1g ;;
        libstdc++.so.*) echo libstdc++6 ;;
        libpython3.*) sed -E 's/^(libpython3\.[0-9]+)\.so.*/\1/' <<<"$library" ;;
        esac
    done < <(missing_libraries) | sort -u
    # clang links with the system's linker, start files and C++ library.
    command -v ld.gold >/dev/null || echo binutils
    [[ -e /usr/include/stdio.h ]] || echo libc6-dev
    compgen -G '/usr/lib/gcc/*/*/crtbegin.o' >/dev/null || echo libgcc-12-dev
    compgen -G '/usr/include/c++/*/vector' >/dev/null || echo libstdc++-12-dev
    [[ -e /etc/ssl/certs/ca-certificates.crt ]] || echo ca-certificates
    [[ -d /usr/share/zoneinfo ]] || echo tzdata
}

# A library is present when pkg-config lists it, or when the compiler finds its header.
has_library() {
    pkg-config --exists "$1" 2>/dev/null ||
        printf '#include <stdio.h>\n#include <%s>\n' "$2" | clang -E -x c - >/dev/null 2>&1
}

# Prints the missing Debian packages among those that the scripts call and the service links.
missing_packages() {
    command -v pkg-config >/dev/null || echo pkg-config
    command -v git >/dev/null || echo git
    command -v curl >/dev/null || echo curl
    has_library libjpeg jpeglib.h || echo libjpeg62-turbo-dev
    has_library libpng png.h || echo libpng-dev
    has_library lcms2 lcms2.h || echo liblcms2-dev
    has_library libgif gif_lib.h || echo libgif-dev
    # Optional for the package (its traits WebP, HEIF, AVIF and AVCodec), but the tests and the documents cover all of
    # it.
    has_library libwebpmux webp/mux.h || echo libwebp-dev
    has_library libde265 libde265/de265.h || echo libde265-dev
    has_library dav1d dav1d/dav1d.h || echo libdav1d-dev
    has_library aom aom/aom_encoder.h || echo libaom-dev
    has_library libavcodec libavcodec/avcodec.h || echo libavcodec-dev
    has_library libdeflate libdeflate.h || echo libdeflate-dev
    has_library sqlite3 sqlite3.h || echo libsqlite3-dev
    has_library zlib zlib.h || echo zlib1g-dev
    has_library libcrypto openssl/evp.h || echo libssl-dev
}

# Installs the other programs that the tests call: prepare_tools python venv node chromium openssl ip certutil, or some
# of these.
prepare_tools() {
    local tool missing
    missing=$(for tool in "$@"; do missing_tool "$tool"; done)
    if [[ -n $missing ]]; then install_packages $missing; fi
}

missing_tool() {
    case $1 in
    python) python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || echo python3 ;;
    venv) python3 -c 'import ensurepip, venv' 2>/dev/null || echo python3-venv ;;
    ip) command -v ip >/dev/null || echo iproute2 ;;
    node) command -v node >/dev/null || echo nodejs ;;
    certutil) command -v certutil >/dev/null || echo libnss3-tools ;;
    *) command -v "$1" >/dev/null || echo "$1" ;;
    esac
}

# install_clients NAME FOLDER: installs the Python packages that Tests/NAME needs into that virtual environment. Scripts that
# run at the same time wait for each other.
install_clients() {
    local wanted=$root/Tests/$1/requirements.txt venv=$2
    mkdir -p "$root/.build"
    (
        flock 9
        if cmp -s "$wanted" "$venv/installed.txt"; then exit; fi
        prepare_tools python venv
        say "installing the requirements of Tests/$1 into $venv"
        python3 -m venv --clear "$venv"
        "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted"
        cp "$wanted" "$venv/installed.txt"
    ) 9>"$venv.lock"
}

install_packages() {
    if ! command -v apt-get >/dev/null || ! as_root true 2>/dev/null; then
        die "some packages are missing; run this, then try again: sudo apt-get update && sudo apt-get install $*"
    fi
    say "installing $*"
    as_root apt-get update -q >&2
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@" >&2
}

as_root() { if ((EUID == 0)); then "$@"; else sudo -n "$@"; fi; }

# Builds with SwiftPM: swift_build ARGUMENT… is `swift build ARGUMENT…`. SwiftPM passes a package's traits to the compiler in
# the order of a hash table, whose seed differs in each process. Without a fixed seed the order of the flags changes from one
# plan to the next, and all our modules are compiled again. The seed is not exported: a service must have its own.
swift_build() { SWIFT_DETERMINISTIC_HASHING=1 swift build "$@"; }

# The options of all builds, for tests and for use. Tests reach a module's internals by -enable-testing. The builds for use
# have it too: without it the optimiser generates different code, with faults that no test would find. Each function is in a
# section of its own, so that the linker leaves out those that nothing calls.
optimised=(-c release -Xswiftc -enable-testing -Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections
    -Xcc -fdata-sections)

# The builds for tests are separate from those for use, which contain Swift's own libraries.
testing=$root/.build/testing
tested_binary=$testing/release/tintype
test_bundle=$testing/release/tintypePackageTests.xctest

# Builds everything with its tests.
build_tests() { build_for_tests "$root" --build-tests; }

# Builds a package in the tests' folder: build_for_tests PACKAGE ARGUMENT… Debug information costs time and changes no
# instruction; traces still name functions.
build_for_tests() {
    precompile "$testing"
    swift_build --package-path "$1" --scratch-path "$testing" "${optimised[@]}" "${precompiled[@]}" -debug-info-format none "${@:2}"
}

# The processor time of a first build, in seconds: roughly, since it depends on the machine. Parts of it wait for each other, so
# that more than four processors are of no use.
first_build_seconds=1000

# Builds a product for use, with Swift's own libraries in the binary: it then runs on machines without Swift. Debug information
# takes a tenth of the time, and only Scripts/package needs it: it sets debug_info to dwarf.
build_product() {
    local option linking=()
    precompile "$root/.build"
    plan_link
    for option in "${link_options[@]}"; do linking+=(-Xlinker "$option"); done
    swift_build --package-path "$root" "${optimised[@]}" "${precompiled[@]}" -Xswiftc -use-ld=lld "${linking[@]}" \
        -debug-info-format "${debug_info-none}" --static-swift-stdlib --product "$@"
}

# Builds the service. Before a first build, says what it does and about how long it takes.
build_release() {
    local processors minutes
    if [[ ! -e $root/.build/release/tintype ]]; then
        processors=$(nproc)
        minutes=$(((first_build_seconds / (processors < 4 ? processors : 4) + 59) / 60))
        say "building the service and the packages that it uses: some $minutes minutes with $processors processors, only this time"
    fi
    build_product tintype "$@"
}

# Builds the tool that creates large stores, for measurements.
build_store_maker() { build_product StoreMaker "$@"; }

# Makes SwiftPM plan the release build in that folder again: it detects added and removed files in a package, but not in a
# local package that the package depends on.
plan_anew() { rm -f "$1/release.yaml"; }
