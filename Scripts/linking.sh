# Links binaries for use, which contain Swift's own libraries. Sourced by lib.sh, not run.

# Sets link_options, the linker's options for a binary for use. It exports no symbols: these are for plug-ins, of which there
# are none, and are 8 MB of the service.
plan_link() {
    local glibc=0.0 major minor icu
    link_options=(--no-export-dynamic)
    # A shorter form of the list of addresses to relocate, by 4 MB. The C library understands it since Debian 12.
    read -r _ glibc < <(getconf GNU_LIBC_VERSION 2>/dev/null) || true
    IFS=. read -r major minor _ <<<"$glibc"
    if ((major > 2 || major == 2 && minor >= 36)); then link_options+=(-z pack-relative-relocs); fi
    if icu=$(icu_object); then
        # The object has the name of the symbol that it replaces. Nothing uses the whole data then, so the linker drops them.
        link_options+=("--wrap=$(basename "$icu" .o)" "$icu")
    else
        say "the data of this toolchain's ICU have an unknown form; the binary will contain all of them, which are 30 MB more"
    fi
}

# Prints the path of an object file with the part of ICU's data that the service uses (Scripts/packages/icu-data.swift), and makes
# it if it is missing. The path depends on the compiler and on the choice of data, so that SwiftPM links again after a change.
icu_object() {
    local choice=$root/Scripts/packages/icu-data.swift key folder scratch
    key=$(cat <(swiftc --version 2>/dev/null) "$choice" | sha256sum)
    folder=$root/.build/icu-${key:0:16}
    if [[ ! -d $folder ]]; then
        mkdir -p "$root/.build" && scratch=$(mktemp -d "$folder.XXXXXX") || return
        # Another script may have made the folder in the meantime.
        if make_icu_object "$choice" "$scratch"; then mv -T "$scratch" "$folder" 2>/dev/null || true; fi
        rm -rf "$scratch"
    fi
    compgen -G "$folder/*.o"
}

# make_icu_object CHOICE FOLDER: extracts the data from the toolchain's library, chooses the part, and makes FOLDER/SYMBOL.o.
make_icu_object() {
    local toolchain whole=$2/whole part=$2/part member=$2/member symbol
    toolchain=$(swiftc -print-target-info | sed -nE 's|.*"runtimeResourcePath": "(.*)/lib/swift".*|\1|p') &&
        "$toolchain/bin/llvm-ar" p "$toolchain/lib/swift_static/linux/lib_FoundationICU.a" icu_packaged_data.cpp.o >"$member" &&
        symbol=$("$toolchain/bin/llvm-nm" -j --defined-only "$member") && [[ $symbol =~ ^icudt[0-9]+_dat$ ]] &&
        "$toolchain/bin/llvm-objcopy" -O binary --only-section=.rodata "$member" "$whole" &&
        swift "$choice" "$whole" "$part" || return
    # The option --wrap gives the references to a symbol to the symbol with this prefix.
    clang -c -x assembler -o "$2/$symbol.o" - <<END || return
.section .icudata, "a", %progbits
.balign 16
.globl __wrap_$symbol
.type __wrap_$symbol, %object
__wrap_$symbol:
.incbin "$part"
.size __wrap_$symbol, . - __wrap_$symbol
.section .note.GNU-stack, "", %progbits
END
    rm -f "$member" "$whole" "$part"
}

# Links objects with Swift's own libraries and the linker's options link_options: link_statically FILE ARGUMENT…
link_statically() {
    local option library linking=() swift=()
    for option in "${link_options[@]}"; do linking+=(-Xlinker "$option"); done
    # The archives of Swift name each other in both directions.
    for library in Foundation FoundationEssentials FoundationInternationalization CoreFoundation _FoundationICU \
        _FoundationCShims _FoundationCollections swift_RegexParser swift_StringProcessing swift_Concurrency \
        swiftSynchronization swiftDispatch dispatch BlocksRuntime; do
        swift+=("-l$library")
    done
    swiftc -static-stdlib -use-ld=lld -emit-executable -o "$1" "${@:2}" "${linking[@]}" -Xlinker --gc-sections \
        -Xlinker --start-group "${swift[@]}" -Xlinker --end-group -lstdc++ -lz -lm
}

# Links the service of the tests' build once more, with Swift's own libraries in it: link_for_use FILE. Nothing is compiled.
link_for_use() {
    local objects=$testing/release/tintype.product/Objects.LinkFileList
    [[ -e $objects ]] || die "$objects does not exist; Scripts/test --filter nothing builds it"
    plan_link
    link_statically "$1" "@$objects" -Xlinker --defsym -Xlinker main=tintype_main -lsqlite3 -ldeflate -lcrypto -ljpeg -lpng \
        -lgif -llcms2 -lwebp -lwebpmux -lde265 -ldav1d -laom
}
