"""The files of a package, before they are written as an archive."""

import dataclasses
import pathlib
from typing import Union


@dataclasses.dataclass(frozen=True)
class Owner:
    """A user and the group of the same name and number."""

    name: str
    number: int


ROOT = Owner("root", 0)


@dataclasses.dataclass(frozen=True)
class File:
    source: Union[bytes, pathlib.Path]
    mode: int = 0o644
    owner: Owner = ROOT

    def data(self) -> bytes:
        return self.source if isinstance(self.source, bytes) else self.source.read_bytes()


@dataclasses.dataclass(frozen=True)
class Folder:
    mode: int = 0o755
    owner: Owner = ROOT


@dataclasses.dataclass(frozen=True)
class Link:
    target: str
    mode: int = 0o777
    owner: Owner = ROOT


class Tree:
    """Files, folders and symbolic links by their paths, which have no slash at the beginning. Folders above an entry are added."""

    def __init__(self):
        self.entries: dict[str, Union[File, Folder, Link]] = {}

    def add(self, path: str, entry: Union[File, Folder, Link]) -> None:
        for parent in list(pathlib.PurePosixPath(path).parents)[:-1]:
            self.entries.setdefault(str(parent), Folder())
        self.entries[path] = entry

    def merge(self, other: "Tree") -> None:
        for path, entry in other.entries.items():
            self.entries[path] = entry

    def write(self, folder: pathlib.Path) -> None:
        """Writes the files below a folder, as the current user."""
        for path, entry in sorted(self.entries.items()):
            place = folder / path
            if isinstance(entry, Folder):
                place.mkdir()
                place.chmod(entry.mode)
            elif isinstance(entry, Link):
                place.symlink_to(entry.target)
            else:
                place.write_bytes(entry.data())
                place.chmod(entry.mode)
