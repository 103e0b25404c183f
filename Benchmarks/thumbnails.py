#!/usr/bin/env python3
"""Compares Tintype's renderer with libvips, photo by photo: CPU time, bytes and likeness.

    python3 -m venv venv && venv/bin/pip install pyvips-binary pyvips pillow numpy scikit-image
    swift build -c release
    venv/bin/python thumbnails.py [--rounds N] PHOTO…

Each contender is a process that stays. In each round each of them renders each photo once, one after the other, so that
what else the machine does meets all alike; the ratios are medians of the ratios of the rounds. One thread each. Likeness
is SSIM of luma against the whole photo scaled down in floating point with Lanczos' filter.
"""

import argparse
import io
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
SIZES = {"320": [("320", 320, False)],
         "four": [("1280", 1280, False), ("640", 640, False), ("320", 320, False), ("150", 150, True)]}


class Worker:
    """A process that renders what it is told to, line by line."""

    def __init__(self, name, command, environment=None):
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
                                        env=environment)

    def render(self, job, photo, folder=""):
        """CPU milliseconds, and the bytes of each rendition."""
        self.process.stdin.write("\t".join([job, str(photo)] + ([str(folder)] if folder else [])) + "\n")
        fields = self.process.stdout.readline().split()
        if not fields:
            sys.exit(f"{self.name} ended at {photo}")
        return float(fields[0]), [int(field) for field in fields[1:]]

    def peak_megabytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def vips_worker(how):
    """Serves jobs with libvips: `chained`, or `tuned` with the scaled load that a person would choose by hand."""
    import time

    import pyvips

    pyvips.cache_set_max(0)  # or it would be the same photo's second rendering that is measured

    def save(image):
        return image.jpegsave_buffer(Q=80, keep="none")

    def render(job, photo):
        sizes = SIZES[job]
        if how == "tuned":
            shrink = 2 if job == "four" else 1
            image = pyvips.Image.jpegload(photo, shrink=shrink, access="sequential").autorot()
            image = image.thumbnail_image(sizes[0][1], height=sizes[0][1], size="down")
        else:
            image = pyvips.Image.thumbnail(photo, sizes[0][1], height=sizes[0][1], size="down")
        buffers = []
        for name, side, is_cropped in sizes:
            if name != sizes[0][0]:
                crop = {"crop": "centre"} if is_cropped else {}
                image = image.thumbnail_image(side, height=side, **crop)
            image = image.copy_memory()
            buffers.append(save(image))
        return buffers

    for line in sys.stdin:
        fields = line.rstrip("\n").split("\t")
        start = time.process_time()
        buffers = render(fields[0], fields[1])
        spent = time.process_time() - start
        if len(fields) > 2:
            for (name, _, _), buffer in zip(SIZES[fields[0]], buffers):
                pathlib.Path(fields[2], name + ".jpg").write_bytes(buffer)
        print("\t".join([str(spent * 1000)] + [str(len(buffer)) for buffer in buffers]), flush=True)


def reference(photo, side, is_cropped):
    """The photo's luma, upright, scaled in floating point."""
    from PIL import Image, ImageOps

    image = ImageOps.exif_transpose(Image.open(photo)).convert("YCbCr").getchannel(0).convert("F")
    width, height = image.size
    scale = max(side / width, side / height) if is_cropped else min(side / width, side / height)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    image = image.resize(size, Image.Resampling.LANCZOS)
    if is_cropped:
        left, top = (size[0] - side) // 2, (size[1] - side) // 2
        image = image.crop((left, top, left + side, top + side))
    return image


def likeness(photo, job, folder):
    """SSIM of each rendition; nan where the size is another one."""
    import numpy
    from PIL import Image
    from skimage.metrics import structural_similarity

    scores = []
    for name, side, is_cropped in SIZES[job]:
        expected = numpy.asarray(reference(photo, side, is_cropped))
        image = Image.open(io.BytesIO(pathlib.Path(folder, name + ".jpg").read_bytes()))
        actual = numpy.asarray(image.convert("YCbCr").getchannel(0)).astype("float32")
        same = actual.shape == expected.shape
        scores.append(structural_similarity(expected, actual, data_range=255) if same else float("nan"))
    return scores


def measure(workers, job, photo, rounds):
    times = {worker.name: [] for worker in workers}
    for _ in range(rounds):
        for worker in workers:
            times[worker.name].append(worker.render(job, photo)[0])
    return times


def report(workers, job, photo, rounds):
    times = measure(workers, job, photo, rounds)
    print(f"\n{photo.name} -> {job}")
    for worker in workers:
        with tempfile.TemporaryDirectory() as folder:
            sizes = worker.render(job, photo, folder)[1]
            scores = likeness(photo, job, folder)
        ratio = statistics.median(a / b for a, b in zip(times[worker.name], times[workers[-1].name]))
        print(f"  {worker.name:14} {statistics.median(times[worker.name]):7.1f} ms  {ratio:5.2f}  "
              f"SSIM {' '.join(f'{score:.4f}' for score in scores)}  bytes {' '.join(map(str, sizes))}  "
              f"{worker.peak_megabytes():4.0f} MB", flush=True)


def main():
    import os

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", nargs="*", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--jobs", default="320,four")
    parser.add_argument("--vips", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.vips:
        return vips_worker(options.vips)
    environment = dict(os.environ, VIPS_CONCURRENCY="1")
    for job in options.jobs.split(","):
        # New processes for each job, so that the peaks are the job's. The last one is what the ratios are to.
        workers = [Worker("tintype", [HERE / ".build/release/ThumbnailBenchmark"])]
        if job == "four":
            workers.append(Worker("vips tuned", [sys.executable, __file__, "--vips", "tuned"], environment))
        workers.append(Worker("vips", [sys.executable, __file__, "--vips", "chained"], environment))
        for photo in options.photos:
            report(workers, job, photo, options.rounds)
        for worker in workers:
            worker.close()


main()
