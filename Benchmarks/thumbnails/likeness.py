"""The likeness of a rendition to its photo: PSNR and SSIM of luma, against the photo scaled in floating point."""

import functools
import io
import pathlib

import numpy
import pillow_heif
from PIL import Image, ImageOps
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

pillow_heif.register_heif_opener()


@functools.lru_cache(maxsize=1)
def luma(file):
    """The photo upright, on white, its luma as floats."""
    image = ImageOps.exif_transpose(Image.open(file))
    if image.mode in ("P", "LA", "RGBA"):
        image = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    return image.convert("YCbCr").getchannel(0).convert("F")


@functools.lru_cache(maxsize=8)
def reference(file, rendition):
    """Returns the photo's luma, scaled by Lanczos' filter over all its pixels."""
    image = luma(file)
    width, height = image.size
    ratio = (max if rendition.is_cropped else min)(rendition.side / width, rendition.side / height)
    size = (max(1, round(width * ratio)), max(1, round(height * ratio)))
    image = image.resize(size, Image.Resampling.LANCZOS)
    if rendition.is_cropped:
        left, top = (size[0] - rendition.side) // 2, (size[1] - rendition.side) // 2
        image = image.crop((left, top, left + rendition.side, top + rendition.side))
    return numpy.asarray(image)


def likeness(file, renditions, folder):
    """Returns the PSNR in decibels and the SSIM of each rendition; None for one of another size."""
    scores = []
    for one in renditions:
        expected = reference(file, one)
        image = Image.open(io.BytesIO(pathlib.Path(folder, one.name + ".jpg").read_bytes()))
        actual = numpy.asarray(image.convert("YCbCr").getchannel(0)).astype("float32")
        if actual.shape != expected.shape:
            return None
        scores.append((peak_signal_noise_ratio(expected, actual, data_range=255),
                       structural_similarity(expected, actual, data_range=255)))
    return scores
