"""The licences of what the binary contains: this project, the Swift packages and Swift's runtime."""

import pathlib
import re
import subprocess
import sys

NAMES = re.compile(r"(LICEN[CS]E|NOTICE|COPYING)(\..*)?", re.I)


def copyright_text(root: pathlib.Path, checkouts: pathlib.Path) -> bytes:
    """Returns the file that Debian names copyright."""
    parts = [("Tintype", texts(root))]
    folders = sorted(folder for folder in checkouts.iterdir() if folder.is_dir()) if checkouts.is_dir() else []
    if not folders:
        sys.exit(f"{checkouts} has no packages: their licences belong into the package; build first, or name the folder by --checkouts")
    for folder in folders:
        # A package names code of others in its NOTICE, or has that code's licence beside it.
        found = texts(folder) + [text for inner in sorted((folder / "Sources").iterdir()) if inner.is_dir() for text in texts(inner)]
        if not found:
            sys.exit(f"{folder} has no licence")
        parts.append((f"{folder.name}, {version(folder)}", found))
    parts.append(("The runtime, standard library and Foundation of Swift, https://www.swift.org", [swift_licence()]))
    head = (
        "Tintype contains the software that is listed here, each part under its own licence. The libraries of Debian that it\n"
        "loads when it runs are not part of it; their licences are in /usr/share/doc.\n")
    line = "=" * 100
    body = "".join(f"\n{line}\n{title}\n{line}\n\n" + "\n\n".join(text.strip() for text in found) + "\n" for title, found in parts)
    return (head + body).encode()


def texts(folder: pathlib.Path) -> list[str]:
    return [path.read_text(errors="replace") for path in sorted(folder.iterdir()) if path.is_file() and NAMES.fullmatch(path.name)]


def version(folder: pathlib.Path) -> str:
    try:
        tag = subprocess.run(["git", "-C", str(folder), "describe", "--tags", "--always"], capture_output=True, text=True, check=True)
        return f"version {tag.stdout.strip()}"
    except (OSError, subprocess.CalledProcessError):
        return "of unknown version"


def swift_licence() -> str:
    compiler = subprocess.run(["sh", "-c", "readlink -f \"$(command -v swift)\""], capture_output=True, text=True, check=True).stdout.strip()
    path = pathlib.Path(compiler).parents[1] / "share/swift/LICENSE.txt"
    if not path.is_file():
        sys.exit(f"{path}, the licence of Swift's runtime, does not exist")
    return path.read_text()
