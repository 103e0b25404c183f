"""A photo-like picture: a lake under mountains at dusk, drawn entirely by this program."""

import math
import random

from generator.picture import Picture


def _ridge(random_numbers, width, rough):
    """A mountain line by midpoint displacement."""
    points, spread = [0.0, 0.0], 1.0
    while len(points) < width:
        middles = [(a + b) / 2 + random_numbers.uniform(-spread, spread) for a, b in zip(points, points[1:])]
        points = [p for pair in zip(points, middles) for p in pair] + [points[-1]]
        spread *= rough
    return points


def _mixed(a, b, t):
    return tuple(x + (y - x) * t for x, y in zip(a, b))


def make(width=1600, height=1200, seed=1856):
    rng = random.Random(seed)
    shore = int(height * 0.62)
    layers = []
    for base, size, color, rough in ((0.46, 0.16, (118, 98, 128), 0.52), (0.53, 0.11, (74, 66, 96), 0.55), (0.585, 0.05, (34, 38, 54), 0.62)):
        line = _ridge(rng, width, rough)
        layers.append(([height * (base - size * line[x]) for x in range(width)], color))
    sun_x, sun_y, sun_radius = width * 0.64, height * 0.40, width * 0.028

    def sky(x, y):
        color = _mixed((46, 62, 110), (250, 178, 120), min(1, max(0, y / shore)) ** 1.3)
        distance = math.hypot(x - sun_x, y - sun_y)
        if distance < sun_radius:
            return (255, 244, 214)
        glow = max(0.0, 1 - distance / (width * 0.45)) ** 2
        band = 0.5 + 0.5 * math.sin(y * 0.045 + math.sin(x * 0.004) * 2.2)
        return _mixed(_mixed(color, (255, 150, 110), band * 0.18), (255, 226, 170), glow * 0.75)

    def land(x, y):
        color = sky(x, y)
        for line, shade in layers:
            if y >= line[x]:
                color = _mixed(shade, (206, 150, 130), min(1.0, max(0.0, (y - line[x]) / height * 1.2)))
        return color

    def water(x, y):
        depth = (y - shore) / (height - shore)
        wave = math.sin(y * 0.9 / (0.25 + depth) + math.sin(x * 0.011 + y * 0.05) * 3) * (2 + 14 * depth)
        mirror = min(shore - 1, max(0, int(shore - (y - shore) * 1.35 + wave)))
        source = min(width - 1, max(0, int(x + wave * 0.6)))
        return _mixed(land(source, mirror), (26, 40, 66), 0.25 + 0.4 * depth)

    pixels = []
    for y in range(height):
        for x in range(width):
            color = land(x, y) if y < shore else water(x, y)
            grain = rng.uniform(-2.5, 2.5)
            pixels.append(tuple(min(255, max(0, int(c + grain))) for c in color) + (255,))
    return Picture(width, height, pixels)
