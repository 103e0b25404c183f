"""Makes the packages from a built binary: see Scripts/package --help, which starts it."""

import argparse
import gzip
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import debian
import image
import libraries
import licences
import manual
import size
from archive import gzipped, tar
from contents import File, Tree
from libraries import output

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COMPLETIONS = {
    "bash": "usr/share/bash-completion/completions/tintype",
    "zsh": "usr/share/zsh/vendor-completions/_tintype",
    "fish": "usr/share/fish/vendor_completions.d/tintype.fish",
}
# The limit on the stripped binary, in bytes.
LARGEST = 60_000_000


def contents(program: pathlib.Path, binary: pathlib.Path, version: str, day: str, checkouts: pathlib.Path) -> Tree:
    """Returns the files that a package installs; `binary` is the program before its symbols were taken out."""
    tree = Tree()
    tree.add("usr/bin/tintype", File(program, 0o755))
    tree.add("etc/tintype/tintype.json", File((HERE / "tintype.json").read_bytes()))
    for unit in sorted((HERE / "systemd").iterdir()):
        tree.add(f"lib/systemd/system/{unit.name}", File(unit.read_bytes()))
    command = json.loads(output(str(binary), "--experimental-dump-help"))["command"]
    for name, text in manual.pages(command, version, day).items():
        tree.add(f"usr/share/man/man1/{name}.1.gz", File(gzipped(text.encode())))
    for shell, path in COMPLETIONS.items():
        tree.add(path, File(output(str(binary), "--generate-completion-script", shell).encode()))
    tree.add("usr/share/doc/tintype/copyright", File(licences.copyright_text(ROOT, checkouts)))
    changes = (ROOT / "Documentation/Changelog.md").read_bytes()
    tree.add("usr/share/doc/tintype/changelog.gz", File(gzipped(changes)))
    return tree


def split(binary: pathlib.Path, folder: pathlib.Path, name: str) -> tuple[pathlib.Path, bytes]:
    """Returns the program without symbols, and a file with its symbols that debuggers find beside it."""
    program, symbols = folder / "tintype", folder / f"{name}.debug"
    subprocess.run(["objcopy", "--only-keep-debug", str(binary), str(symbols)], check=True)
    subprocess.run(["objcopy", "--strip-all", f"--add-gnu-debuglink={symbols}", str(binary), str(program)], check=True)
    return program, symbols.read_bytes()


def write(path: pathlib.Path, data: bytes) -> None:
    # Never a half-written package under its own name.
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(data)
    part.replace(path)


def sign(key: str, sums: pathlib.Path) -> None:
    signature = sums.with_name(f"{sums.name}.asc")
    signature.unlink(missing_ok=True)
    subprocess.run(["gpg", "--batch", "--local-user", key, "--armor", "--detach-sign", "--output", str(signature), str(sums)], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=pathlib.Path, required=True)
    parser.add_argument("--checkouts", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--epoch", type=int, required=True)
    parser.add_argument("--oci", action="store_true")
    parser.add_argument("--sign")
    options = parser.parse_args()
    os.umask(0o022)
    options.out.mkdir(parents=True, exist_ok=True)
    version = output(str(options.binary), "--version").strip()
    architecture = output("dpkg", "--print-architecture").strip()
    name = f"tintype-{version}-linux-{architecture}"
    moment = time.gmtime(options.epoch)
    with tempfile.TemporaryDirectory() as scratch:
        program, symbols = split(options.binary, pathlib.Path(scratch), name)
        length = program.stat().st_size
        print(f"package: the binary has {length / 1e6:.1f} MB without its symbols:")
        print(size.table(program, options.binary, ROOT / "Sources"), flush=True)
        if length > LARGEST:
            sys.exit(f"package: no package is made, because the limit for the binary is {LARGEST / 1e6:.0f} MB")
        tree = contents(program, options.binary, version, time.strftime("%Y-%m-%d", moment), options.checkouts)
        deb = options.out / f"tintype_{version}_{architecture}.deb"
        part = options.out / f".{deb.name}.part"
        debian.make(tree, part, version, architecture, libraries.packages(options.binary), options.epoch)
        part.replace(deb)
        made = [deb]
        archives = {
            f"{name}.tar.gz": lambda: gzipped(tar(tree, options.epoch, f"{name}/")),
            f"{name}.debug.gz": lambda: gzip.compress(symbols, 6, mtime=0),
        }
        if options.oci:
            created = time.strftime("%Y-%m-%dT%H:%M:%SZ", moment)
            archives[f"{name}.oci.tar"] = lambda: image.make(tree, options.binary, version, architecture, options.epoch, created)
        for file_name, data in archives.items():
            write(options.out / file_name, data())
            made.append(options.out / file_name)
    sums = options.out / "SHA256SUMS"
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(made)]
    write(sums, "".join(lines).encode())
    if options.sign:
        sign(options.sign, sums)
    for path in sorted([*options.out.glob("SHA256SUMS*"), *made]):
        print(f"package: {path} ({path.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()
