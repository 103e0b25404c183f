"""Makes the packages, and installs, uses, upgrades and removes them, also as Documentation/Operations.md does: package.py FOLDER.
Started by Scripts/test-package as root.

The service of the package listens at its own port, 8080, in a network namespace of this process.
"""

import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from day import check_day
from manager import check_manager
from system import System, get, published, run

from harness.waiting import PATIENCE, eventually

ROOT = pathlib.Path(__file__).resolve().parents[2]
PHOTO = ROOT / "Fixtures/photo.jpg"
UNITS = ROOT / "Scripts/packages/systemd"
# The highest exposure of the service by `systemd-analyze security`, in tenths.
EXPOSURE = 25
STORE = "var/lib/tintype"
SERVE = ["runuser", "-u", "tintype", "--", "/usr/bin/tintype", "serve", "--config", "/etc/tintype/tintype.json"]


def step(words):
    print(f"package: {words}", flush=True)


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


def make(folder):
    # Compressed quickly: the level changes no other byte.
    fast = {"DPKG_DEB_COMPRESSOR_TYPE": "gzip", "DPKG_DEB_COMPRESSOR_LEVEL": "1"}
    run([str(ROOT / "Scripts/package"), "--oci", "--out", str(folder)], environment={**os.environ, **fast})
    return {path.name: path for path in sorted(folder.iterdir())}


def check_files(first, second):
    expect(list(first) == list(second), f"{list(first)} and {list(second)}")
    for name, path in first.items():
        expect(path.read_bytes() == second[name].read_bytes(), f"{name} differs when it is made again")
    for line in first["SHA256SUMS"].read_text().splitlines():
        digest, name = line.split("  ")
        expect(hashlib.sha256(first[name].read_bytes()).hexdigest() == digest, f"the checksum of {name}")
    expect(len(first["SHA256SUMS"].read_text().splitlines()) == len(first) - 1, "a file has no checksum")


def check_limit(scratch):
    """Packs a binary that is too large: there must be no package of it."""
    filler, large, packages = scratch / "filler", scratch / "large", scratch / "none"
    filler.write_bytes(bytes(61_000_000))
    run(["objcopy", f"--add-section=.filler={filler}", os.environ["TINTYPE"], str(large)])
    run([str(ROOT / "Scripts/package"), "--out", str(packages)], environment={**os.environ, "TINTYPE": str(large)}, status=1)
    expect(not list(packages.iterdir()), "a binary that is too large was packed")
    filler.unlink()
    large.unlink()


def check_signature(folder, scratch):
    """Signs the checksums with a new key, as --sign does, and verifies them as a user does."""
    sys.path.insert(0, str(ROOT / "Scripts/packages"))
    from make import sign

    home = scratch / "keys"
    home.mkdir(mode=0o700)
    os.environ["GNUPGHOME"] = str(home)
    run(["gpg", "--batch", "--passphrase", "", "--quick-generate-key", "packager@example.org", "ed25519", "sign", "never"])
    sums = folder / "SHA256SUMS"
    sign("packager@example.org", sums)
    run(["gpg", "--verify", f"{sums}.asc", str(sums)])
    changed = scratch / "SHA256SUMS"
    changed.write_text(sums.read_text().replace("tintype", "Tintype", 1))
    run(["gpg", "--verify", f"{sums}.asc", str(changed)], status=1)
    run(["gpgconf", "--kill", "gpg-agent"])


def check_pages(system):
    pages = sorted(system.path("usr/share/man/man1").glob("tintype*.1.gz"))
    expect(len(pages) > 50, f"there are {len(pages)} manual pages")
    for page in pages:
        text = gzip.decompress(page.read_bytes())
        for command in (["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", "-"], ["mandoc", "-T", "lint", "-W", "warning"]):
            result = subprocess.run(command, input=text, capture_output=True)
            faults = result.stderr if command[0] == "man" else result.stdout
            expect(not faults, f"{page.name}: {faults.decode()}")
    for shell, path in {"bash": "bash-completion/completions/tintype", "zsh": "zsh/vendor-completions/_tintype"}.items():
        if shutil.which(shell):
            run([shell, "-n", str(system.path(f"usr/share/{path}"))])


def check_units():
    for unit in sorted(UNITS.glob("*.service")):
        result = run(["systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE}", "--no-pager", str(unit)])
        step(f"{unit.name}: {re.search(r'level for .*: ([0-9.]+)', result)[1]}, at most {EXPOSURE / 10}")
    # This machine's systemd reads them; that the program is missing here is no fault.
    command = ["systemd-analyze", "verify", "--man=no", *map(str, sorted(UNITS.iterdir()))]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    faults = [line for line in result.stdout.splitlines() if "Command /usr/bin/tintype is not executable" not in line]
    expect(not faults, "\n".join(faults))


def drop(system, name="photo.jpg"):
    """Drops a photo into the inbox of maria, as a member of the group does."""
    inbox = system.path(f"{STORE}/inbox/maria")
    inbox.mkdir(parents=True, exist_ok=True)
    owner = system.path(STORE).stat()
    for folder in (inbox.parent, inbox):
        os.chown(folder, owner.st_uid, owner.st_gid)
    part = inbox / f".{name}"
    # Each is another photo: the same one would be a duplicate.
    part.write_bytes(PHOTO.read_bytes() + name.encode())
    os.chown(part, owner.st_uid, owner.st_gid)
    part.rename(inbox / name)


def check_publishing(system, name, count):
    drop(system, name)
    eventually(f"{name} to be published", lambda: len(published()) == count, lambda: published(), PATIENCE)


def with_version(deb, version, scratch):
    """Returns the same package under another version."""
    folder = scratch / f"unpacked-{version}"
    run(["dpkg-deb", "-R", str(deb), str(folder)])
    control = folder / "DEBIAN/control"
    control.write_text(re.sub(r"(?m)^Version: .*$", f"Version: {version}", control.read_text()))
    other = scratch / f"tintype_{version}.deb"
    run(["dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", str(folder), str(other)])
    return other


def listing(system):
    """Returns the store's and the settings' files with their owners, modes and bytes."""
    paths = sorted([*system.path(STORE).rglob("*"), *system.path("etc/tintype").rglob("*")])
    return {
        str(path): (path.lstat().st_uid, path.lstat().st_mode, path.read_bytes() if path.is_file() else b"") for path in paths}


def install(system, deb):
    place = system.path("tmp") / deb.name
    shutil.copy(deb, place)
    return system.packages("install", f"/tmp/{deb.name}")


def check_life(system, deb, scratch):
    step("install")
    said = install(system, with_version(deb, "0.0.1", scratch))
    expect("runuser -u tintype" in said, f"it does not say how to start without systemd: {said}")
    expect(system.path(STORE).stat().st_mode & 0o7777 == 0o2750, "the mode of the store")
    expect(system.path("etc/systemd/system/multi-user.target.wants/tintype.service").is_symlink(), "the unit is not enabled")
    with system.serving(str(system.root), *SERVE):
        check_publishing(system, "first.jpg", 1)
        system.run(*SERVE[:-3], "status", *SERVE[-2:])
    check_pages(system)
    check_units()

    step("upgrade, with changed settings")
    settings = system.path("etc/tintype/tintype.json")
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "log-level": "notice"}))
    before = listing(system)
    install(system, deb)
    expect(listing(system) == before, "the upgrade changed the store or the settings")
    expect(system.run("dpkg-query", "-W", "-f", "${Version}", "tintype") == deb.name.split("_")[1], "the version")
    with system.serving(str(system.root), *SERVE):
        expect(len(published()) == 1, "the post is lost")
        check_publishing(system, "second.jpg", 2)

    step("remove, and install again")
    before = listing(system)
    system.packages("remove", "tintype")
    expect(listing(system) == before, "the removal changed the store or the settings")
    expect(not system.path("usr/bin/tintype").exists(), "the program is still there")
    install(system, deb)
    expect(not system.path("etc/systemd/system/tintype.service").exists(), "the unit is still masked")
    for options, advice in {"--config=/etc/tintype/tintype.json": "systemctl start tintype", "--storage=/tmp": "--config /etc/tintype"}.items():
        said = run(["chroot", str(system.root), "/usr/bin/tintype", "status", options], 75)
        expect("systemctl status tintype" in said and advice in said, f"it does not say how to find the service: {said}")

    step("remove beside a service that systemd did not start")
    with system.serving(str(system.root), *SERVE):
        said = system.packages("remove", "tintype")
        named = re.search(r"a service still runs .*\(process (\d+)\).* stop it with kill (\d+)\n", said)
        expect(named and named[1] == named[2], f"it does not name the running service: {said}")
        command = pathlib.Path("/proc", named[1], "cmdline").read_bytes().split(b"\0")
        expect(command[:2] == [b"/usr/bin/tintype", b"serve"], f"process {named[1]} is {command}")
        expect(get("/healthz")[0] == 200, "the service was stopped")
    install(system, deb)
    said = system.packages("remove", "tintype")
    expect("still runs" not in said, f"it names a service that does not run: {said}")
    before = listing(system)
    install(system, deb)

    step("purge, without an answer and with one")
    said = system.packages("purge", "tintype")
    expect("rm -r /var/lib/tintype" in said, f"it does not say how the photos are deleted: {said}")
    kept = {path: facts for path, facts in before.items() if f"/{STORE}/" in path}
    expect(listing(system) == kept, "the purge changed the store")
    install(system, deb)
    system.run("debconf-set-selections", given=b"tintype tintype/delete-data boolean true\n")
    system.packages("purge", "tintype")
    expect(not system.path(STORE).exists() and not system.path("var/backups/tintype").exists(), "the photos are still there")
    expect("tintype" not in system.path("etc/passwd").read_text(), "the user is still there")

    step("beside a service that was made by hand")
    unit = system.path("etc/systemd/system/tintype.service")
    unit.write_text("[Service]\nExecStart=/usr/local/bin/tintype serve\n[Install]\nWantedBy=multi-user.target\n")
    said = install(system, deb)
    expect("was made by hand" in said, f"it does not mention the unit: {said}")
    system.packages("purge", "tintype")
    expect("/usr/local/bin/tintype" in unit.read_text(), "the unit was changed")


def check_image(files, scratch):
    """Unpacks the image's layer, checks that it agrees with the Containerfile, and starts what is in it."""
    layout, root = scratch / "layout", scratch / "image"
    for folder in (layout, root):
        folder.mkdir()
    run(["tar", "-xf", str(next(path for name, path in files.items() if name.endswith(".oci.tar"))), "-C", str(layout)])

    def blob(entry):
        path = layout / "blobs" / entry["digest"].replace(":", "/")
        data = path.read_bytes()
        expect(hashlib.sha256(data).hexdigest() == path.name and len(data) == entry["size"], f"the digest of {path.name}")
        return data

    manifest = json.loads(blob(json.loads((layout / "index.json").read_text())["manifests"][0]))
    image = json.loads(blob(manifest["config"]))
    for layer, expected in zip(manifest["layers"], image["rootfs"]["diff_ids"]):
        data = gzip.decompress(blob(layer))
        expect(f"sha256:{hashlib.sha256(data).hexdigest()}" == expected, "the digest of the unpacked layer")
        subprocess.run(["tar", "-x", "--same-owner", "-p", "-C", str(root)], input=data, check=True)
    config = image["config"]
    words = dict(line.split(" ", 1) for line in (ROOT / "Examples/Container/Containerfile").read_text().splitlines() if re.match("[A-Z]+ ", line))
    agreed = {
        "USER": config["User"], "WORKDIR": config["WorkingDir"], "VOLUME": " ".join(config["Volumes"]), "STOPSIGNAL": config["StopSignal"],
        "EXPOSE": " ".join(config["ExposedPorts"]).removesuffix("/tcp"), "ENTRYPOINT": json.dumps(config["Entrypoint"]),
        "CMD": json.dumps(config["Cmd"]), "ENV": config["Env"][-1]}
    for word, value in agreed.items():
        expect(words[word] == value, f"{word} is {words[word]} in the Containerfile, and {value} in the image")
    user = (root / "etc/passwd").read_text().split(f"{config['User']}:x:")[1].split(":")[0]
    expect(f"--uid {user} " in words["RUN"] + (ROOT / "Examples/Container/Containerfile").read_text(), "the number of the user")
    expect((root / STORE).stat().st_uid == int(user), "the owner of the store")
    system = System(root)
    system.mount()
    environment = [f"--userspec={user}:{user}", str(root), config["Entrypoint"][0], *config["Cmd"], "--config", "/etc/tintype/tintype.json"]
    with system.serving(*environment):
        check_publishing(system, "photo.jpg", 1)
        expect(get("/")[0] == 200, "the page")


def main():
    scratch = pathlib.Path(sys.argv[1])
    run(["ip", "link", "set", "lo", "up"])
    step("the same bytes twice")
    files = make(scratch / "packages")
    check_files(files, make(scratch / "again"))
    shutil.rmtree(scratch / "again")
    check_signature(scratch / "packages", scratch)
    step("a binary that is too large")
    check_limit(scratch)
    step("the image for containers")
    check_image(files, scratch)
    step("the messages of a service manager")
    check_manager(os.environ["TINTYPE"], scratch)
    step("a fresh Debian")
    system = System.debian(scratch / "debian")
    system.mount()
    system.packages("update")
    deb = next(path for name, path in files.items() if name.endswith(".deb"))
    check_day(system, deb, lambda version: with_version(deb, version, scratch))
    check_life(system, deb, scratch)
    step("all is well")


if __name__ == "__main__":
    main()
