"""The Debian package: its control files beside the file tree, put together by dpkg-deb."""

import hashlib
import os
import pathlib
import subprocess
import tempfile

from contents import File, Tree

SCRIPTS = ["postinst", "prerm", "postrm"]
HERE = pathlib.Path(__file__).resolve().parent
# What the service uses if it is there: see Documentation/Operations.md.
SUGGESTED = ["libavcodec59 | libavcodec61"]
NEEDED = ["adduser", "ca-certificates", "debconf (>= 0.5) | debconf-2.0", "tzdata"]


def control(version: str, architecture: str, libraries: list[str], tree: Tree) -> str:
    sizes = (len(entry.data()) for entry in tree.entries.values() if isinstance(entry, File))
    kibibytes = sum(-(-size // 1024) for size in sizes)
    return f"""Package: tintype
Version: {version}
Architecture: {architecture}
Maintainer: Tintype <tintype@localhost>
Installed-Size: {kibibytes}
Pre-Depends: init-system-helpers (>= 1.54~)
Depends: {", ".join([*libraries, *NEEDED])}
Suggests: {", ".join(SUGGESTED)}
Section: web
Priority: optional
Description: photos become posts
 Tintype is a service for the photos of a club, a class or a team: it takes
 them from a folder, from a page or from an app, makes thumbnails, and
 publishes them as posts with likes, comments and feeds. Apps that use
 Firebase's database, accounts and storage can use it instead.
 .
 It is one program with one folder. The package makes a user, starts the
 service at 127.0.0.1:8080, and keeps the photos when it is removed.
"""


def make(tree: Tree, target: pathlib.Path, version: str, architecture: str, libraries: list[str], epoch: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch) / "root"
        root.mkdir()
        root.chmod(0o755)
        tree.write(root)
        folder = root / "DEBIAN"
        folder.mkdir()
        folder.chmod(0o755)
        files = {path: entry.data() for path, entry in sorted(tree.entries.items()) if isinstance(entry, File)}
        conffiles = "".join(f"/{path}\n" for path in files if path.startswith("etc/"))
        sums = "".join(
            f"{hashlib.md5(data).hexdigest()}  {path}\n" for path, data in files.items() if not path.startswith("etc/"))
        parts = {"control": control(version, architecture, libraries, tree), "conffiles": conffiles, "md5sums": sums}
        parts |= {name: (HERE / "debian" / name).read_text() for name in [*SCRIPTS, "templates"]}
        for name, text in parts.items():
            (folder / name).write_text(text)
            (folder / name).chmod(0o755 if name in SCRIPTS else 0o644)
        # dpkg-deb gives no file a later time than this, and all are new.
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch)}
        command = ["dpkg-deb", "--root-owner-group", "--threads-max=1", "--build", str(root), str(target)]
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
