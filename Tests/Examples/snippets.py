"""Checks the Swift examples of the client's articles, and that everything public has documentation:
snippets.py SYMBOLS MODULES [FLAG…], where SYMBOLS holds the symbol graphs of the modules, and MODULES the built modules.

The examples of a section are one function, which is compiled beside Snippets/Context.swift. Examples below <!-- parsed --> need
another system or another package, and are only parsed."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = ("TintypeModel", "TintypeClient", "TintypeStore", "TintypeTestSupport")
FEATURES = ("ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault")
# The mark of examples on pages whose other examples are run by other suites.
SUITE = "test-examples"
FENCE = re.compile(rf"(?:^<!-- (parsed) -->\n)?^```swift(?: {SUITE})?\n(.*?)^```$", re.M | re.S)


def pages():
    """Returns the pages with examples for the client."""
    return [ROOT / "README.md", *sorted(page for name in NAMES for page in (ROOT / "Sources" / name).glob("*.docc/*.md"))]


def sections(page):
    """Yields the examples of each section, each with the number of its first line and whether it is only parsed."""
    text = page.read_text()
    ends = [match.start() for match in re.finditer(r"^## ", text, re.M)] + [len(text)]
    begin = 0
    for end in ends:
        yield [
            (text.count("\n", 0, begin + match.start(2)) + 1, match[1] == "parsed", match[2])
            for match in FENCE.finditer(text[begin:end])
        ]
        begin = end


def program(page, number, blocks):
    """Returns the source of a section: its imports, then a function with its statements. Faults are at their lines of the page."""
    imports, body = set(), []
    for line, _, code in blocks:
        found = re.findall(r"^import \w+$", code, re.M)
        imports.update(found)
        kept = "".join("\n" if part.strip() in found else part for part in code.splitlines(keepends=True))
        body.append(f'#sourceLocation(file: "{page}", line: {line})\n{kept}#sourceLocation()\n')
    imports |= {"import Foundation", *(f"import {name}" for name in NAMES)}
    head = "\n".join(sorted(imports))
    return f"{head}\nfunc section{number}() async throws {{\n{''.join(body)}}}\n"


def run(*command):
    """Runs a compiler; prints what it says and ends if it refuses."""
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(result.stdout + result.stderr + "an example of the articles does not compile")


def check_examples(modules, flags):
    """Compiles the examples of all pages; returns their numbers: compiled, only parsed."""
    counts = {False: 0, True: 0}
    with tempfile.TemporaryDirectory() as folder:
        files = [ROOT / "Tests/Examples/Snippets/Context.swift"]
        for page in pages():
            for blocks in sections(page):
                for line, is_parsed, code in blocks:
                    counts[is_parsed] += 1
                    if is_parsed:
                        file = pathlib.Path(folder, f"parsed-{counts[True]}.swift")
                        file.write_text(f'#sourceLocation(file: "{page}", line: {line})\n{code}')
                        run("swiftc", "-parse", "-swift-version", "6", file)
                compiled = [block for block in blocks if not block[1]]
                if compiled:
                    file = pathlib.Path(folder, f"section-{len(files)}.swift")
                    file.write_text(program(page, len(files), compiled))
                    files.append(file)
        features = [part for name in FEATURES for part in ("-enable-upcoming-feature", name)]
        run(
            "swiftc", "-typecheck", "-parse-as-library", "-suppress-warnings", "-swift-version", "6", *features, *flags,
            "-module-name", "Snippets", "-I", modules, *files)
    return counts[False], counts[True]


def check_documentation(symbols):
    """Refuses public declarations without documentation. Returns the number of all."""
    count, bare = 0, []
    for name in NAMES:
        for symbol in json.loads((symbols / name / f"{name}.symbols.json").read_text())["symbols"]:
            # Conformances that the compiler derives have the documentation of their protocols.
            path = ".".join(symbol["pathComponents"])
            if "::SYNTHESIZED" in symbol["identifier"]["precise"] or "location" not in symbol:
                continue
            count += 1
            if "docComment" not in symbol:
                bare.append(f"{name}: {path}")
    if bare:
        sys.exit("\n".join(bare) + "\nthese have no documentation")
    return count


def main():
    symbols, modules, *flags = sys.argv[1:]
    os.chdir(ROOT)
    compiled, parsed = check_examples(modules, flags)
    declared = check_documentation(pathlib.Path(symbols))
    # A change of a page or of a tool that hides all examples would otherwise pass.
    assert compiled >= 20 and parsed >= 10 and declared >= 1000, (compiled, parsed, declared)
    print(f"{compiled} examples of the articles compile, {parsed} are parsed, {declared} declarations are documented")


if __name__ == "__main__":
    main()
