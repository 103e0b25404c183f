"""The fenced blocks of Markdown pages, and the suites that run them.

The first word of a block's fence is its language. The next word may be a suite, Scripts/test-…, which then runs the block;
without it, Scripts/test-documents runs blocks in `sh`, in `console` and in `json NAME`. `shown` marks a block that nothing
runs: Tests/Documents/blocks.py lists these with their reasons.
"""

import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUITES = ("test-package", "test-proxies", "test-monitoring", "test-examples")


@dataclasses.dataclass
class Block:
    page: str
    # The number of the fence's line.
    number: int
    language: str
    # The words behind the language, without the suite.
    words: list
    # The suite that runs the block, `shown`, or None.
    suite: str
    lines: list

    @property
    def place(self):
        return f"{self.page}:{self.number}"

    @property
    def text(self):
        return "".join(f"{line}\n" for line in self.lines)

    def commands(self):
        """Returns the commands of a block in `sh` or `console`, each with the output that is shown, or with None."""
        found, goes_on = [], False
        for line in self.lines:
            if goes_on:
                found[-1][0] += line.strip()
            elif self.language == "sh" or line.startswith("$ "):
                if line.strip():
                    found.append([line.removeprefix("$ "), None])
            elif found:
                found[-1][1] = f"{found[-1][1] or ''}{line}\n"
                continue
            if goes_on := bool(found) and found[-1][0].endswith("\\"):
                found[-1][0] = found[-1][0].removesuffix("\\")
        return found


def blocks(name):
    """Returns the blocks of a page, which is named by its path in the repository. A block may be indented, as in a list."""
    found, block, indent = [], None, 0
    for number, line in enumerate((ROOT / name).read_text().splitlines(), 1):
        fence = re.match(r"( *)```(.*)", line)
        if fence and block is None:
            words = fence[2].split()
            suite = words[1] if len(words) > 1 and words[1] in (*SUITES, "shown") else None
            if words[:1] and words[0] in ("sh", "console") or words[:1] == ["json"] and len(words) == 2:
                suite = suite or "test-documents"
            words = [word for word in words if word != suite]
            block = Block(name, number, words[0] if words else "", words[1:], suite, [])
            indent = len(fence[1])
        elif fence:
            found.append(block)
            block = None
        elif block is not None:
            block.lines.append(line[indent:])
    return found


def plain(text):
    """Returns the text without variable parts: ids, fingerprints, numbers, and layout."""
    text = re.sub(r"-[A-Za-z0-9_-]{19}(?![A-Za-z0-9_-])", "ID", text)
    text = re.sub(r"-[0-9a-f]{8}\.", "-FINGERPRINT.", text)
    text = re.sub(r"\d+(\.\d+)?", "N", text)
    return re.sub(r"\s+", " ", text).strip()


def is_shown(output, shown):
    """Whether an output is the one that a page shows, in which `…` stands for anything."""
    pattern = ".*".join(re.escape(part.strip()) for part in plain(shown).split("…"))
    return bool(re.fullmatch(pattern, plain(output)))
