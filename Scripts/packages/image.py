"""An image for container engines (OCI image layout, in one file), made without an engine.

It has the files of the Debian package, the libraries that the program loads, and what these need of a system: no shell, and no
package manager. Examples/Container/Containerfile makes an image that behaves the same from the package itself.
"""

import hashlib
import json
import pathlib

import libraries
from archive import gzipped, tar
from contents import File, Folder, Link, Owner, Tree

# Folders of the host that are mounted into a container need a number that stays the same.
USER = Owner("tintype", 990)
STORE = "/var/lib/tintype"
CONFIG = {
    "User": "tintype",
    "Entrypoint": ["/usr/bin/tintype"],
    "Cmd": ["serve"],
    "Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "TINTYPE_CONFIG=/etc/tintype/tintype.json"],
    "WorkingDir": STORE,
    "Volumes": {STORE: {}},
    "ExposedPorts": {"8080/tcp": {}},
    "StopSignal": "SIGTERM",
}
CERTIFICATES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
ZONES = pathlib.Path("/usr/share/zoneinfo")


def make(package: Tree, program: pathlib.Path, version: str, architecture: str, epoch: int, created: str) -> bytes:
    """Returns the archive."""
    layer = tar(system(package, program), epoch)
    blob = gzipped(layer)
    image = {
        "architecture": architecture, "os": "linux", "created": created, "config": CONFIG,
        "rootfs": {"type": "layers", "diff_ids": [digest(layer)]},
        "history": [{"created": created, "created_by": "Scripts/package --oci"}],
    }
    image["config"]["Labels"] = {"org.opencontainers.image.title": "tintype", "org.opencontainers.image.version": version}
    blobs = [blob]

    def described(media_type: str, data: bytes) -> dict:
        blobs.append(data)
        return {"mediaType": media_type, "digest": digest(data), "size": len(data)}

    oci = "application/vnd.oci.image"
    manifest = {
        "schemaVersion": 2, "mediaType": f"{oci}.manifest.v1+json",
        "config": described(f"{oci}.config.v1+json", text(image)),
        "layers": [{"mediaType": f"{oci}.layer.v1.tar+gzip", "digest": digest(blob), "size": len(blob)}],
    }
    entry = described(f"{oci}.manifest.v1+json", text(manifest))
    entry |= {"platform": {"architecture": architecture, "os": "linux"}}
    entry["annotations"] = {"org.opencontainers.image.ref.name": version, "io.containerd.image.name": f"localhost/tintype:{version}"}
    layout = Tree()
    layout.add("oci-layout", File(text({"imageLayoutVersion": "1.0.0"})))
    layout.add("index.json", File(text({"schemaVersion": 2, "mediaType": f"{oci}.index.v1+json", "manifests": [entry]})))
    for data in blobs:
        layout.add(f"blobs/{digest(data).replace(':', '/')}", File(data))
    return tar(layout, epoch)


def text(value: dict) -> bytes:
    return json.dumps(value, indent=1, sort_keys=True).encode()


def digest(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def system(package: Tree, program: pathlib.Path) -> Tree:
    """Returns the root of the image."""
    tree = Tree()
    for name in ("bin", "lib", "lib64", "sbin"):
        tree.add(f"usr/{name}", Folder())
        tree.add(name, Link(f"usr/{name}"))
    for name in ("dev", "proc", "sys", "run", "root", "home"):
        tree.add(name, Folder())
    tree.add("tmp", Folder(0o1777))
    tree.add("var/tmp", Folder(0o1777))
    tree.add("var/lib/tintype", Folder(0o2750, USER))
    tree.add("var/backups/tintype", Folder(0o700, USER))
    users = [("root", 0, "/root"), (USER.name, USER.number, STORE), ("nobody", 65534, "/nonexistent")]
    tree.add("etc/passwd", File("".join(f"{name}:x:{n}:{n}:{name}:{home}:/usr/sbin/nologin\n" for name, n, home in users).encode()))
    tree.add("etc/group", File("".join(f"{name}:x:{n}:\n" for name, n, _ in users).encode()))
    tree.add("etc/nsswitch.conf", File(b"passwd: files\ngroup: files\nhosts: files dns\n"))
    # The package has files below /lib, which is a link here.
    for path, entry in package.entries.items():
        if path.startswith("lib/"):
            path = f"usr/{path}"
        if path != "lib":
            tree.add(path, entry)
    add_libraries(tree, program)
    tree.add("etc/ssl/certs/ca-certificates.crt", File(CERTIFICATES))
    for path in sorted(ZONES.rglob("*")):
        if path.is_file() and path.relative_to(ZONES).parts[0] not in ("posix", "right"):
            tree.add(str(path).lstrip("/"), File(path))
    return tree


def add_libraries(tree: Tree, program: pathlib.Path) -> None:
    for name, path in libraries.needed(program).items():
        # The loader's path is in the program, and is the same everywhere.
        folder = path.parent if name.startswith("ld-linux") else pathlib.Path("/usr/lib") / path.parent.name
        place = str(folder).lstrip("/").removeprefix("usr/")
        tree.add(f"usr/{place}/{name}", File(path.resolve(), 0o755))
        package = libraries.package(path)
        tree.add(f"usr/share/doc/{package}/copyright", File(pathlib.Path(f"/usr/share/doc/{package}/copyright").resolve()))
    # Loaded by its name for addresses such as that of a webhook; the C library of Debian 12 has "files" and "dns" inside.
