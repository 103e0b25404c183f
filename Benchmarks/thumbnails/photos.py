"""The rendered files: the user's own photos, or a generated one, and other formats that are created from one of them."""


import numpy
import pillow_heif
from PIL import Image, ImageOps

pillow_heif.register_heif_opener()
ENDINGS = {".jpg", ".jpeg", ".png", ".gif", ".webp", ".heic", ".heif", ".avif"}


def collect(paths):
    """Returns all pictures among files and folders."""
    files = []
    for path in paths:
        inside = sorted(path.iterdir()) if path.is_dir() else [path]
        files += [file for file in inside if file.suffix.lower() in ENDINGS]
    return files


def make(folder):
    """Creates a photo of 12 megapixels, the same on each machine: smooth light, edges, and the noise of a sensor."""
    width, height = 4032, 3024
    random = numpy.random.default_rng(1)
    y, x = numpy.mgrid[0:height, 0:width].astype("float32")
    planes = []
    for channel in range(3):
        plane = 120 + 60 * numpy.sin(x / (400 + 90 * channel)) * numpy.cos(y / (300 + 70 * channel))
        for _ in range(60):
            left, top = random.integers(0, width), random.integers(0, height)
            radius = random.integers(20, 400)
            plane[(x - left) ** 2 + (y - top) ** 2 < radius * radius] += random.normal(0, 25)
        detail = random.normal(0, 14, (height // 4, width // 4)).astype("float32")
        plane += numpy.asarray(Image.fromarray(detail).resize((width, height), Image.Resampling.BICUBIC))
        planes.append(plane + random.normal(0, 5, (height, width)))
    photo = Image.fromarray(numpy.stack(planes, axis=2).clip(0, 255).astype("uint8"))
    file = folder / "made-12mp.jpg"
    photo.save(file, quality=92, subsampling="4:2:0")
    return file


def others(file, folder):
    """Creates the photo in other formats, in the sizes of the published figures."""
    photo = ImageOps.exif_transpose(Image.open(file)).convert("RGB")

    def sized(megapixels):
        ratio = min(1, (megapixels * 1e6 / (photo.width * photo.height)) ** 0.5)
        return photo.resize((round(photo.width * ratio), round(photo.height * ratio)), Image.Resampling.LANCZOS)

    side = (24e6 / (photo.width * photo.height)) ** 0.5
    large = photo.resize((round(photo.width * side), round(photo.height * side)), Image.Resampling.BICUBIC)
    made = {
        "large.jpg": lambda path: large.save(path, quality=90, subsampling="4:2:0"),
        "progressive.jpg": lambda path: photo.save(path, quality=90, subsampling="4:2:0", progressive=True),
        "photo.png": lambda path: sized(8).save(path),
        "photo.gif": lambda path: sized(8).quantize(256, dither=Image.Dither.FLOYDSTEINBERG).save(path),
        "photo.webp": lambda path: sized(12).save(path, quality=85),
        "photo.heic": lambda path: pillow_heif.from_pillow(sized(12)).save(path, quality=70),
    }
    for name, save in made.items():
        save(folder / name)
    return [folder / name for name in made]


def is_progressive(file):
    with Image.open(file) as image:
        return bool(image.info.get("progressive"))


def megapixels(file):
    with Image.open(file) as image:
        return image.width * image.height / 1e6
