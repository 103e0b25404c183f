"""What the bytes of the stripped binary are: a table for the output of Scripts/package."""

import collections
import pathlib
import re

from libraries import output

SECTIONS = {
    "code": r"\.text|\.plt.*|\.init|\.fini",
    "ICU's data": r"\.icudata",
    "tables for unwinding": r"\.eh_frame.*|\.gcc_except_table",
    "Swift's metadata": r"swift5_.*|\.swift.*",
    "constants and variables": r"\.ro?data.*|\.data.*|\.cfstr.*|\.got.*",
    "names and addresses for the loader": r"\.dyn.*|\.rel.*|\.gnu.*|\.hash",
}
# The names of functions in C and C++, by library.
LIBRARIES = {"BoringSSL": r".*(BoringSSL|bssl|mldsa|mlkem)", "ICU": r".*icu_\d\d|(_Z\d+)?swift_u", "CoreFoundation": r"_*CF"}
MODULE = re.compile(r"\$[sS](?:(s|S.)|(\d+))")


def sections(program: pathlib.Path) -> collections.Counter:
    """Returns the bytes of each kind of section in the file."""
    sizes = collections.Counter()
    for line in output("objdump", "-h", "-w", str(program)).splitlines():
        words = line.split()
        if len(words) > 6 and words[0].isdigit() and "CONTENTS" in line:
            kind = next((kind for kind, names in SECTIONS.items() if re.fullmatch(names, words[1])), "other")
            sizes[kind] += int(words[2], 16)
    sizes["other"] += program.stat().st_size - sum(sizes.values())
    return sizes


def code(binary: pathlib.Path, own: set[str]) -> collections.Counter:
    """Returns the bytes of functions by where they come from; `own` are the modules of the service."""
    sizes, seen = collections.Counter(), set()
    for line in output("nm", "-S", "--defined-only", str(binary)).splitlines():
        words = line.split(" ", 3)
        # Functions with the same address are one.
        if len(words) == 4 and words[2] in "tTwW" and words[0] not in seen:
            seen.add(words[0])
            sizes[origin(words[3], own)] += int(words[1], 16)
    return sizes


def origin(symbol: str, own: set[str]) -> str:
    if match := MODULE.match(symbol):
        module = symbol[match.end() :][: int(match[2])] if match[2] else "Swift"
        if module in own:
            return "the service"
        return "Swift's libraries" if re.match("Swift$|_?Foundation|_StringProcessing|_Regex|_Concurrency|Dispatch", module) else "packages"
    return next((name for name, names in LIBRARIES.items() if re.match(names, symbol)), "other C and C++")


def table(program: pathlib.Path, binary: pathlib.Path, sources: pathlib.Path) -> str:
    """Returns the table; `binary` is the program before its symbols were taken out."""
    own = {path.name for path in sources.iterdir()}
    lines = []
    for kind, size in sections(program).most_common():
        lines.append(f"{size / 1e6:6.1f} MB  {kind}")
        if kind == "code":
            lines += [f"{part / 1e6:14.1f} MB  {name}" for name, part in code(binary, own).most_common()]
    return "\n".join(lines)
