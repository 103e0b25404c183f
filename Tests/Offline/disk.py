"""A small disk for the folder of a device, which is full at times."""

import os
import subprocess

SIZE = 32 << 20


class SmallDisk:
    """A file system in memory at a folder, as root; without, a disk that is never full."""

    def __init__(self, folder):
        self.folder, self.filler, self.is_full = folder, folder / "filler", False

    def __enter__(self):
        mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(self.folder)]
        self.is_mounted = subprocess.run(mount, stderr=subprocess.DEVNULL, check=False).returncode == 0
        return self

    def __exit__(self, *_):
        if self.is_mounted:
            subprocess.run(["umount", "--lazy", str(self.folder)], check=True)

    def toggle(self):
        """Fills the disk, or empties it; returns whether it has filled it."""
        if self.is_full:
            self.empty()
            return False
        return self.fill()

    def fill(self):
        if not self.is_mounted:
            return False
        with open(self.filler, "wb", buffering=0) as file:
            # To the last byte: a smaller piece may still fit.
            for size in (1 << 20, 4096, 1):
                try:
                    while True:
                        file.write(bytes(size))
                except OSError:
                    pass
        self.is_full = True
        return True

    def empty(self):
        if self.is_full:
            os.unlink(self.filler)
        self.is_full = False
