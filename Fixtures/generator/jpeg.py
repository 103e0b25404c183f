"""Encodes JPEGs with a small C program on libjpeg, compiled when it is needed."""

import os
import subprocess
import tempfile


class Encoder:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.program = os.path.join(self.folder.name, "encode-jpeg")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "encode-jpeg.c")
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libjpeg"], check=True, capture_output=True, text=True)
        subprocess.run([os.environ.get("CC", "cc"), "-O1", "-o", self.program, source] + flags.stdout.split(), check=True)

    def encode(self, picture, *options):
        """The picture as a JPEG; alpha is ignored. For the options see encode-jpeg.c."""
        ppm = b"P6\n%d %d\n255\n" % (picture.width, picture.height) + picture.rgb_bytes()
        path = os.path.join(self.folder.name, "out.jpg")
        subprocess.run([self.program, path, *options], input=ppm, check=True)
        with open(path, "rb") as file:
            return file.read()
