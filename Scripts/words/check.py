"""Names what breaks the rules of plain words: check.py ROOT. See Documentation/Contributing.md."""

import re
import sys
from collections.abc import Iterator

from prose import Prose, prose

# A doc comment or the name of a test that begins with one of these has its subject last.
OPENERS = "What Who Whoever Whom Whose How Where By As Of Which For In From That When Nothing Nobody".split()

# The signs of a declaration of a Bool.
BOOL = re.compile(r"\bBool\b|\b(?:true|false)\b|[=!<>]= |&&")

PHRASES = {
    r"anew": "again",
    r"(?<!are\s)(?<!be\s)(?<!sends\s)(?<!accepts\s)no\s+more(?=\W*$|[.,;:)]|\s+(?:and|but|when|once|after|as)\b)": "no longer",
    r"as\s+whom": "the identity",
    r"becomes\s+of": "the result",
    r"(?:is|are|was|were)\s+to\s+be": "will be, should be, must be",
    r"whoever": "a user, a client, the caller",
    r"nobody's": "without an owner",
}


def rules(root: str) -> tuple[re.Pattern, dict]:
    """Returns the pattern of all phrases that are not used, and what is written instead of each."""
    instead = dict(PHRASES)
    with open(f"{root}/Documentation/Architecture.md", encoding="utf-8") as file:
        table = file.read().partition("\n| not used |")[2].partition("\n\n")[0]
    for row in table.splitlines()[2:]:
        words, better = row.strip("| ").split(" | ", 1)
        for word in re.findall(r"`([^`]+)`", words):
            instead[word.replace(" ", r"\s+")] = better
    if len(instead) == len(PHRASES):
        sys.exit("Documentation/Architecture.md has no table of words that are not used")
    one = "|".join(f"(?:{phrase})" for phrase in instead)
    return re.compile(rf"(?<![\w-])(?:{one})(?![\w-])", re.IGNORECASE), instead


def faults(piece: Prose, pattern: re.Pattern, instead: dict) -> Iterator[tuple[int, str]]:
    """Yields the line and the description of each fault in a piece of prose."""
    first = re.match(r"\W*([A-Za-z']+)", piece.text)
    if first and piece.kind in ("doc", "name"):
        word = first.group(1)
        if word in OPENERS:
            yield piece.line, f'begins with "{word}"'
        elif piece.kind == "doc" and word == "Whether" and not BOOL.search(piece.declaration):
            yield piece.line, '"Whether" describes something other than a Bool'
    for match in pattern.finditer(piece.text):
        found = " ".join(match.group().split())
        better = next(words for phrase, words in instead.items() if re.match(phrase, piece.text[match.start() :], re.IGNORECASE))
        yield piece.line + piece.text.count("\n", 0, match.start()), f'"{found}": {better}'


def main(root: str) -> int:
    """Prints all faults; returns 1 when there is one."""
    pattern, instead = rules(root)
    count = 0
    for piece in prose(root):
        if piece.path.startswith("Documentation/Architecture.md"):
            piece = piece._replace(text=re.sub(r"\n\| not used \|.*?\n\n", lambda table: "\n" * table.group().count("\n"), piece.text, flags=re.DOTALL))
        for line, fault in sorted(faults(piece, pattern, instead)):
            print(f"{piece.path}:{line}: {piece.kind}: {fault}")
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
