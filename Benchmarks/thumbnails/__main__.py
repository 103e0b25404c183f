"""Compares Tintype's renderer with other creators of thumbnails, photo by photo.

Each contender is a process that stays. In each round each of them renders the photo once, one after the other, so that other
work of the machine affects all alike; a ratio is the median of the rounds' ratios to libvips. One thread each, CPU time of
user and system. Likeness compares the luma of each rendition with that of the whole photo, scaled in floating point by
Lanczos' filter. Memory is the process's peak, and its memory before the first photo.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import photos
import report
from contenders import CONTENDERS
from jobs import SIZES
from likeness import likeness

HERE = pathlib.Path(__file__).parent
OURS = HERE.parent / ".build/release/ThumbnailBenchmark"
PEER = "vips, chained"


class Worker:
    """A process that renders on request, line by line."""

    def __init__(self, name):
        self.name = name
        command = [OURS] if name == "Tintype" else [sys.executable, HERE / "contenders.py", name]
        environment = dict(os.environ, VIPS_CONCURRENCY="1", OMP_NUM_THREADS="1", MAGICK_THREAD_LIMIT="1")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
                                        env=environment)
        self.is_ready = self.process.stdout.readline() == "ready\n"
        self.idle_megabytes = self.megabytes("VmRSS") if self.is_ready else 0

    def render(self, kind, file, folder=""):
        """Returns the CPU milliseconds and the sizes of the renditions; throws `ValueError` with the reason of a failure."""
        if not self.is_ready:
            raise ValueError("is not installed")
        self.process.stdin.write("\t".join([kind, str(file)] + ([str(folder)] if folder else [])) + "\n")
        line = self.process.stdout.readline().rstrip("\n")
        if not line or line[0] == "!":
            raise ValueError(line[1:] or "ended")
        milliseconds, *sizes = line.split("\t")
        return float(milliseconds), [int(size) for size in sizes]

    def megabytes(self, field):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split(field + ":")[1].split()[0]) / 1024

    def close(self):
        self.process.stdin.close()
        self.process.wait()


@dataclass
class Row:
    name: str
    failure: str = ""
    milliseconds: float = 0
    ratio: float = 0
    megabytes: float = 0
    idle_megabytes: float = 0
    byte_count: int = 0
    likeness: tuple = None


@dataclass
class Result:
    work: str
    title: str
    rows: list

    def row(self, name):
        return next((row for row in self.rows if row.name == name), None)


def measure(work, kind, file, rounds):
    """Measures one photo with all contenders."""
    names = ["Tintype"] + [name for name in CONTENDERS if kind == "four" or name not in ("vips, a call each", "vips, tuned")]
    workers = [Worker(name) for name in names]
    rows = {worker.name: Row(worker.name, idle_megabytes=worker.idle_megabytes) for worker in workers}
    for worker in workers:
        row = rows[worker.name]
        with tempfile.TemporaryDirectory() as folder:
            try:
                row.byte_count = sum(worker.render(kind, file, folder)[1])
                row.likeness = likeness(str(file), tuple(SIZES[kind]), folder)
            except ValueError as error:
                row.failure = str(error)
    times = {name: [] for name in names}
    for _ in range(rounds):
        for worker in workers:
            if not rows[worker.name].failure:
                times[worker.name].append(worker.render(kind, file)[0])
    for worker in workers:
        row = rows[worker.name]
        if not row.failure:
            row.milliseconds = statistics.median(times[worker.name])
            row.ratio = statistics.median(a / b for a, b in zip(times[worker.name], times[PEER] or times[worker.name]))
            row.megabytes = worker.megabytes("VmHWM")
        worker.close()
    return Result(work, f"{file.name} ({photos.megapixels(file):.1f} megapixels), {work}", list(rows.values()))


def works(files, made):
    """Yields the sets of renditions and the files that they are rendered from."""
    for file in files:
        is_jpeg = file.suffix.lower() in (".jpg", ".jpeg")
        if is_jpeg and photos.megapixels(file) >= 6 and not photos.is_progressive(file):
            yield "JPEG → 320", "320", file
            yield "JPEG → 1280, 640, 320, 150", "four", file
        elif is_jpeg and photos.is_progressive(file):
            yield from progressive(file)
        elif file.suffix.lower() in (".heic", ".heif"):
            yield "a phone's HEIC → 320", "320", file
            yield "a phone's HEIC → 1280, 640, 320, 150", "four", file
    for file in made:
        if file.name == "large.jpg":
            yield "JPEG of 24 megapixels → 320", "320", file
            yield "JPEG of 24 megapixels → 1280, 640, 320, 150", "four", file
        elif file.suffix == ".jpg":
            yield from progressive(file)
        else:
            yield f"{file.suffix[1:].upper().replace('WEBP', 'WebP')} → 320", "320", file


def progressive(file):
    """For a photo of 12 megapixels an eighth suffices for 240 pixels, not for 320."""
    yield "progressive JPEG → 240", "240", file
    yield "progressive JPEG → 320", "320", file


def main():
    parser = argparse.ArgumentParser(prog="compare-thumbnails", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", nargs="*", type=pathlib.Path, help="photos, or folders of them; without any, one is created")
    parser.add_argument("--rounds", type=int, default=11, help="the number of rounds for each photo (11)")
    parser.add_argument("--only", default="", help="only works whose name contains this text, such as PNG")
    parser.add_argument("--markdown", type=pathlib.Path, help="write the table to this file")
    parser.add_argument("--plot", type=pathlib.Path, help="write a plot (SVG) to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        files = photos.collect(options.photos) or [photos.make(folder)]
        # Other formats are created from the largest photo.
        jpegs = [file for file in files if file.suffix.lower() in (".jpg", ".jpeg") and not photos.is_progressive(file)]
        made = photos.others(max(jpegs, key=photos.megapixels), folder) if jpegs else []
        results = []
        for work, kind, file in works(files, made):
            if options.only in work:
                results.append(measure(work, kind, file, options.rounds))
                print(report.text(results[-1]), flush=True)
    if not results:
        sys.exit("nothing can be measured: give JPEG photos of 6 megapixels or more")
    complete = list(results)
    complete.sort(key=lambda result: -len(result.rows))
    print("\n" + report.markdown(complete))
    if options.markdown:
        options.markdown.write_text(report.markdown(complete) + "\n")
    if options.plot:
        options.plot.write_text(report.plot(complete))


main()
