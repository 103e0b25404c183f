"""Compares photos a second: the service with two workers and durable posts, and two bare processes of libvips.

The service starts with a folder of photos in its inbox, all of one user, and is measured from its start to its last post.
Each of the two processes creates the same renditions of half of the photos, from one reading of each (chained), and keeps
no post, no original, and no fsync. They take turns, and a ratio is that of neighbours.
"""

import argparse
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time

import photos

RENDITIONS = [
    ("full", 1280, False, 90), ("medium", 960, False, 75), ("thumb", 640, False, 70), ("small", 320, False, 75), ("tile", 160, True, 75)]


def vips(files):
    """The child's work: the service's default renditions, written to files."""
    import pyvips

    pyvips.cache_set_max(0)
    with tempfile.TemporaryDirectory() as folder:
        for number, file in enumerate(files):
            image = None
            for name, side, is_cropped, quality in RENDITIONS:
                fit = {"crop": "centre"} if is_cropped else {"size": "down"}
                make = pyvips.Image.thumbnail if image is None else pyvips.Image.thumbnail_image
                image = make(file if image is None else image, side, height=side, **fit).copy_memory()
                image.jpegsave(f"{folder}/{number}-{name}.jpg", Q=quality, keep="none")


def bare_loop(files):
    """Returns the seconds for all files by two processes."""
    environment = dict(os.environ, VIPS_CONCURRENCY="1")
    start = time.monotonic()
    children = [subprocess.Popen([sys.executable, __file__, "--child", *map(str, files[half::2])], env=environment)
                for half in range(2)]
    if any(child.wait() for child in children):
        sys.exit("libvips failed")
    return time.monotonic() - start


def numbered(jpeg, number):
    """Returns the photo with a comment, because the same bytes again would not be a second post."""
    return jpeg[:2] + b"\xff\xfe\x00\x06" + number.to_bytes(4, "big") + jpeg[2:]


def service(tintype, files, folder):
    """Returns the seconds from the start of the service to the last post."""
    storage = pathlib.Path(folder, "Storage")
    inbox = storage / "inbox" / "maria"
    inbox.mkdir(parents=True)
    for number, file in enumerate(files):
        (inbox / f"{number:05}{file.suffix}").write_bytes(numbered(file.read_bytes(), number))
    os.sync()
    log = open(pathlib.Path(folder, "log"), "w")
    start = time.monotonic()
    daemon = subprocess.Popen([tintype, "serve", "--storage", storage, "--workers", "2"], stdout=log, stderr=log)
    try:
        while published(storage / "tintype.sock") < len(files):
            if daemon.poll() is not None or time.monotonic() - start > 600:
                sys.exit(f"the service did not publish all photos: {pathlib.Path(folder, 'log').read_text()[-2000:]}")
            time.sleep(0.05)
        return time.monotonic() - start
    finally:
        daemon.terminate()
        daemon.wait()


def published(path):
    """Returns the number of photos that are posts, from the service's status."""
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(str(path))
        except OSError:
            return 0
        connection.sendall(b"GET /v1/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    return json.loads(answer.split(b"\r\n\r\n", 1)[1])["published"]


def main():
    parser = argparse.ArgumentParser(prog="compare-inbox", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", nargs="*", type=pathlib.Path, help="photos, or folders of them; without any, one is created")
    parser.add_argument("--count", type=int, default=200, help="the number of photos in the inbox (200): the given ones repeat")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", help="the folder of the store: on the measured disk")
    parser.add_argument("--tintype", help=argparse.SUPPRESS)
    parser.add_argument("--child", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        return vips(options.child)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        files = [file for file in photos.collect(options.photos) if file.suffix.lower() in (".jpg", ".jpeg")
                 and photos.megapixels(file) >= 6] or [photos.make(pathlib.Path(folder))]
        files = (files * (options.count // len(files) + 1))[:options.count]
        print(f"{options.count} photos, {statistics.mean(photos.megapixels(file) for file in files):.1f} megapixels each")
        ratios = []
        for _ in range(options.rounds):
            bare = options.count / bare_loop(files)
            with tempfile.TemporaryDirectory(dir=folder) as scratch:
                ours = options.count / service(options.tintype, files, scratch)
            ratios.append(ours / bare)
            print(f"  Tintype {ours:5.1f} photos/s, libvips {bare:5.1f} photos/s: {ours / bare:.2f} ×", flush=True)
    print(f"  median {statistics.median(ratios):.2f} ×")


main()
