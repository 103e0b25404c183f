"""Archives whose bytes depend on nothing but their contents: fixed owners, times, order and no name or time in gzip's header."""

import gzip
import io
import tarfile

from contents import Folder, Link, Owner, Tree


def tar(tree: Tree, epoch: int, prefix: str = "") -> bytes:
    """Returns an archive of a tree, whose names begin with the prefix."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path, entry in sorted(tree.entries.items()):
            head = tarfile.TarInfo(prefix + path)
            head.mtime, head.mode = epoch, entry.mode
            own(head, entry.owner)
            if isinstance(entry, Folder):
                head.type = tarfile.DIRTYPE
                archive.addfile(head)
            elif isinstance(entry, Link):
                head.type, head.linkname = tarfile.SYMTYPE, entry.target
                archive.addfile(head)
            else:
                data = entry.data()
                head.size = len(data)
                archive.addfile(head, io.BytesIO(data))
    return buffer.getvalue()


def own(head: tarfile.TarInfo, owner: Owner) -> None:
    head.uid, head.gid, head.uname, head.gname = owner.number, owner.number, owner.name, owner.name


def gzipped(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)
