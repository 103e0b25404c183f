"""Checks that each block of README.md and of Documentation/Operations.md is run by a suite, and that the commands in their
sentences exist.

Run by Scripts/check-documents, which sets TINTYPE.
"""

import functools
import os
import re
import subprocess
import sys

from harness.pages import ROOT, SUITES, blocks

PAGES = ("README.md", "Documentation/Operations.md")
# The blocks that no suite can run, by their first lines, with the reasons.
NOT_RUN = {
    "2026-11-29T12:00:00Z notice audit: refused address=192.0.2.7":
        "an example of a line in the log, the form of which EndToEndTests/LogTests compares",
    "192.0.2.7 - maria [29/Nov/2026:12:00:00 +0000]":
        "an example of a line in the access log, the form of which ServerTests/AccessLogTests compares",
}
# Words that a suite's program must have, since it takes its blocks from the page by them.
RUNNERS = {
    "test-documents": "Tests/Documents/examples.py", "test-package": "Tests/Package/day.py",
    "test-proxies": "Tests/Documents/proxies.py", "test-monitoring": "Tests/Monitoring/monitoring.py",
    "test-examples": "Tests/Examples/snippets.py"}


def faults_of(block, unused):
    if block.suite == "shown":
        reasons = [start for start in NOT_RUN if block.text.startswith(start)]
        unused.difference_update(reasons)
        if not reasons:
            yield f"{block.place}: is run by nothing, and {os.path.basename(__file__)} has no reason for it"
    elif block.suite is None:
        yield f"{block.place}: name the suite that runs this block ({', '.join(SUITES)}), or mark it as shown"


@functools.cache
def subcommands(words):
    """Returns the subcommands of a command; nothing if it has none."""
    text = subprocess.run(
        [os.environ["TINTYPE"], "help", *words], env=dict(os.environ, COLUMNS="1000"), capture_output=True, text=True).stdout
    _, _, listed = text.partition("SUBCOMMANDS:\n")
    return set(re.findall(r"^  ([a-z-]+)(?:, [a-z-]+)*(?: \(default\))?  +[A-Z]", listed, re.M))


def unknown_commands(page):
    """Yields a text for each `tintype …` in a sentence of a page that is not a command."""
    fenced = False
    for number, line in enumerate((ROOT / page).read_text().splitlines(), 1):
        if re.match(r" *```", line):
            fenced = not fenced
        for text in [] if fenced else re.findall(r"`(?:[^`]* )?tintype ([^`]*)`", line):
            known = ()
            for word in text.split():
                if not (below := subcommands(known)) or not re.fullmatch("[a-z-]+", word) or word.startswith("-"):
                    break
                if word not in below:
                    yield f"{page}:{number}: there is no command tintype {' '.join([*known, word])}"
                    break
                known += (word,)


def main():
    faults, unused = [], set(NOT_RUN)
    for page in PAGES:
        for block in blocks(page):
            faults += faults_of(block, unused)
        faults += unknown_commands(page)
    faults += [f"{os.path.basename(__file__)}: no page has the block that begins with {start!r}" for start in sorted(unused)]
    for suite, program in RUNNERS.items():
        if f'"{suite}"' not in (ROOT / program).read_text():
            faults.append(f"{program} does not take the blocks that are marked {suite}")
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


main()
