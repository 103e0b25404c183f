"""The measured jobs: sets of renditions, each a JPEG of quality 80, of one kind of file."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rendition:
    """A picture that fits into a square of `side` pixels or, cropped, fills it."""

    name: str
    side: int
    is_cropped: bool = False


QUALITY = 80
SIZES = {
    "240": [Rendition("240", 240)],
    "320": [Rendition("320", 320)],
    "four": [Rendition("1280", 1280), Rendition("640", 640), Rendition("320", 320), Rendition("150", 150, True)],
}
