"""The picture that all fixtures show: known corners, an arrow that points up, a gradient behind it."""

CORNERS = ((220, 30, 30), (30, 160, 60), (40, 60, 200), (240, 220, 40))  # top left, top right, bottom left, bottom right


class Picture:
    """RGBA pixels, rows from the top."""

    def __init__(self, width, height, pixels):
        self.width, self.height, self.pixels = width, height, pixels

    def at(self, x, y):
        return self.pixels[y * self.width + x]

    def map(self, function):
        """The same picture with each pixel replaced."""
        return Picture(self.width, self.height, [function(pixel) for pixel in self.pixels])

    def stored_for(self, orientation):
        """The pixels that a camera stores, which the EXIF orientation turns back into this picture."""
        width, height = (self.height, self.width) if orientation >= 5 else (self.width, self.height)
        right, bottom = width - 1, height - 1
        positions = {
            1: lambda x, y: (x, y),
            2: lambda x, y: (right - x, y),
            3: lambda x, y: (right - x, bottom - y),
            4: lambda x, y: (x, bottom - y),
            5: lambda x, y: (y, x),
            6: lambda x, y: (y, bottom - x),
            7: lambda x, y: (right - y, bottom - x),
            8: lambda x, y: (right - y, x),
        }
        pixels = [None] * (width * height)
        for y in range(self.height):
            for x in range(self.width):
                column, row = positions[orientation](x, y)
                pixels[row * width + column] = self.at(x, y)
        return Picture(width, height, pixels)

    def on_canvas(self, width, height, left, top):
        """This picture on a transparent canvas, cropped at its edges."""
        def pixel(x, y):
            x, y = x - left, y - top
            return self.at(x, y) if 0 <= x < self.width and 0 <= y < self.height else (0, 0, 0, 0)
        return Picture(width, height, [pixel(x, y) for y in range(height) for x in range(width)])

    def extended(self, width, height):
        """This picture with its last column and row repeated."""
        return Picture(width, height, [
            self.at(min(x, self.width - 1), min(y, self.height - 1)) for y in range(height) for x in range(width)])

    def corners(self, background=255):
        """The colours in the middles of the four corner squares, flattened, as #rrggbb."""
        left, top = self.width // 8, self.height // 8
        right, bottom = self.width - 1 - left, self.height - 1 - top
        return [
            "#" + "".join("%02x" % ((c * a + background * (255 - a) + 127) // 255) for c in rgb)
            for *rgb, a in (self.at(x, y) for y in (top, bottom) for x in (left, right))
        ]

    def rgb_bytes(self):
        return bytes(channel for pixel in self.pixels for channel in pixel[:3])


def _is_arrow(u, v):
    """Whether a point of the unit square is in an arrow that points up."""
    in_head = 0.2 <= v < 0.5 and abs(u - 0.5) < (v - 0.2) * 0.6
    in_shaft = 0.5 <= v < 0.8 and abs(u - 0.5) < 0.06
    return in_head or in_shaft


def make(width, height, has_alpha=False):
    """Draws the picture; with alpha, a soft-edged hole is in its middle, under the arrow."""
    def pixel(x, y):
        u, v = (x + 0.5) / width, (y + 0.5) / height
        if _is_arrow(u, v):
            return (255, 255, 255, 255)
        if (u < 0.25 or u >= 0.75) and (v < 0.25 or v >= 0.75):
            return CORNERS[(2 if v >= 0.5 else 0) + (1 if u >= 0.5 else 0)] + (255,)
        alpha = 255
        if has_alpha:
            distance = ((u - 0.5) ** 2 + (v - 0.5) ** 2) * 16
            alpha = min(255, max(0, int((distance - 0.75) * 2 * 255)))
        return (40 + int(u * 150), 60 + int(v * 130), 150 - int(u * 80), alpha)
    return Picture(width, height, [pixel(x, y) for y in range(height) for x in range(width)])


def grey(pixel):
    """Rec. 601 luma, as in JPEG."""
    r, g, b, a = pixel
    y = (r * 299 + g * 587 + b * 114 + 500) // 1000
    return (y, y, y, a)
