"""Reads the prose of a repository: doc comments, comments, test names, messages and Markdown."""

import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from typing import NamedTuple


class Prose(NamedTuple):
    """A piece of prose; `text` keeps its line breaks, so that `line` plus their number is the line of a word."""

    path: str
    line: int
    kind: str  # doc, comment, name, message or document
    text: str
    declaration: str = ""  # The declaration below a doc comment, up to its body.


def prose(root: str) -> Iterator[Prose]:
    """Yields the prose of all files that git knows or would add."""
    listed = subprocess.run(
        ["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True, check=True
    )
    for path in sorted(set(listed.stdout.splitlines())):
        reader = reader_of(path)
        if reader is None:
            continue
        try:
            with open(f"{root}/{path}", encoding="utf-8") as file:
                source = file.read()
        except FileNotFoundError:
            continue  # Deleted, and not committed yet.
        yield from reader(path, source)


def reader_of(path: str):
    """Returns the function that reads a file of this name; None for a file without prose."""
    if path.endswith(".swift"):
        return swift
    if path.endswith(".md"):
        return markdown
    if path.endswith(".py"):
        return python
    if path.endswith((".js", ".css", ".c", ".h")):
        return c_like
    if re.match(r"(Scripts|Benchmarks|\.ci)/[^.]*(\.sh)?$", path):
        return shell
    return None


# A string's interpolations and what stands in backquotes are code.
INTERPOLATION = re.compile(r"\\\([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\)")
CODE = re.compile(r"``[^`]*``|`[^`\n]*`")

SWIFT = re.compile(
    r'(?P<doc>^[ \t]*///[^\n]*(?:\n[ \t]*///[^\n]*)*)'
    r'|(?P<comment>//[^\n]*(?:\n[ \t]*//(?!/)[^\n]*)*)'
    r'|(?P<block>/\*.*?\*/)'
    r'|(?P<raw>(?P<hashes>#+)"(?:"".*?""|[^\n]*?)"(?P=hashes))'
    r'|(?P<long>"""(?:\\.|.)*?""")'
    r'|(?P<text>"(?:\\\((?:[^()"]|"[^"]*"|\((?:[^()]|\([^()]*\))*\))*\)|\\.|[^"\\\n])*")',
    re.MULTILINE | re.DOTALL,
)


def swift(path: str, source: str) -> Iterator[Prose]:
    """Yields a Swift file's doc comments, comments, and the names of its tests or its messages."""
    for match in SWIFT.finditer(source):
        kind = next(name for name in ("doc", "comment", "block", "raw", "long", "text") if match.group(name) is not None)
        line = source.count("\n", 0, match.start()) + 1
        text = match.group()
        if kind in ("doc", "comment", "block"):
            text = re.sub(r"^[ \t]*/[/*]+[ \t]?", "", text, flags=re.MULTILINE)
            below = re.split(r"\{|\n\s*\n|///", source[match.end() :].lstrip(), maxsplit=1)[0] if kind == "doc" else ""
            yield Prose(path, line, "doc" if kind == "doc" else "comment", without_code(text), below)
        elif re.search(r"@(Test|Suite)\(\s*$", source[max(0, match.start() - 60) : match.start()]):
            yield Prose(path, line, "name", without_code(text.strip('"')))
        elif path.startswith("Sources/") and kind != "raw" and " " in text:
            yield Prose(path, line, "message", without_code(INTERPOLATION.sub("…", text.strip('"'))))


def python(path: str, source: str) -> Iterator[Prose]:
    """Yields a Python file's comments and docstrings."""
    docstring_follows = True
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            yield Prose(path, token.start[0], "comment", without_code(token.string.lstrip("# ")))
        elif token.type == tokenize.STRING and docstring_follows:
            yield Prose(path, token.start[0], "comment", without_code(token.string.strip("\"'")))
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            docstring_follows = token.type in (tokenize.INDENT, tokenize.NEWLINE)


def c_like(path: str, source: str) -> Iterator[Prose]:
    """Yields the comments of C, JavaScript and CSS."""
    for match in re.finditer(r"(?:^|(?<=[\s;{},]))//[^\n]*(?:\n[ \t]*//[^\n]*)*|/\*.*?\*/", source, re.MULTILINE | re.DOTALL):
        text = re.sub(r"^[ \t]*(/[/*]+|\*(?!/))[ \t]?", "", match.group(), flags=re.MULTILINE)
        yield Prose(path, source.count("\n", 0, match.start()) + 1, "comment", without_code(text))


def shell(path: str, source: str) -> Iterator[Prose]:
    """Yields the comments of a script."""
    for match in re.finditer(r"^[ \t]*#(?!!)[^\n]*(?:\n[ \t]*#[^\n]*)*", source, re.MULTILINE):
        text = re.sub(r"^[ \t]*#[ \t]?", "", match.group(), flags=re.MULTILINE)
        yield Prose(path, source.count("\n", 0, match.start()) + 1, "comment", without_code(text))


def markdown(path: str, source: str) -> Iterator[Prose]:
    """Yields a document without its code, HTML tags and addresses."""
    text = re.sub(r"^[ \t]*```.*?^[ \t]*```", blank, source, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"(?<=\n\n)((?: {4}|\t)[^\n]*\n?)+", blank, text)
    text = re.sub(r"<[^>]*>|\]\([^)]*\)", blank, text)
    yield Prose(path, 1, "document", without_code(text))


def without_code(text: str) -> str:
    """Puts an ellipsis in the place of code in backquotes."""
    return CODE.sub(lambda match: "…" + "\n" * match.group().count("\n"), text)


def blank(match) -> str:
    """Returns a match's line breaks alone."""
    return "\n" * match.group().count("\n")
