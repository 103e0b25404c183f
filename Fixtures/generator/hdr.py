"""High dynamic range (ITU-R BT.2100): samples of PQ and HLG, and their colours in sRGB (BT.2390)."""

import math

from generator import icc

BT2020 = ((0.708, 0.292), (0.170, 0.797), (0.131, 0.046))
WHITE = 203.0  # cd/m2 of diffuse white
_M1, _M2, _C1, _C2, _C3 = 2610 / 16384, 2523 / 32, 3424 / 4096, 2413 / 128, 2392 / 128
_A, _B, _C = 0.17883277, 0.28466892, 0.55991073


def pq(light):
    """The sample, 0 to 1, of an amount of light in cd/m2."""
    power = (max(light, 0) / 10000) ** _M1
    return ((_C1 + _C2 * power) / (1 + _C3 * power)) ** _M2


def light_of_pq(sample):
    power = sample ** (1 / _M2)
    return 10000 * (max(power - _C1, 0) / (_C2 - _C3 * power)) ** (1 / _M1)


def _hlg(scene):
    return math.sqrt(3 * scene) if scene <= 1 / 12 else _A * math.log(12 * scene - _B) + _C


def _luminance(light):
    return 0.2627 * light[0] + 0.6780 * light[1] + 0.0593 * light[2]


def hlg(light):
    """The samples of amounts of red, green and blue in cd/m2, on a screen of 1000."""
    bright = max(_luminance(light), 1e-6) / 1000
    return [_hlg(max(v, 0) / 1000 * bright ** (-0.2 / 1.2)) for v in light]


def in_light(pixel, white=WHITE):
    """BT.2020's red, green and blue, in cd/m2, of an sRGB pixel."""
    matrix = icc.product(icc.inverse(icc.to_xyz(BT2020)), icc.to_xyz(icc.SRGB))
    return [v * white for v in icc.times(matrix, [icc.linear(c / 255) for c in pixel[:3]])]


def scene(pixel):
    """The light of the fixtures' picture: at four tenths of diffuse white, and one corner and the arrow at five times it."""
    return in_light(pixel, WHITE * (5 if pixel in ((240, 220, 40, 255), (255, 255, 255, 255)) else 0.4))


# A pixel's samples of that light, 0 to 1, by the number of their transfer (ITU-T H.273, table 3).
SAMPLES = {16: lambda pixel: [pq(v) for v in scene(pixel)], 18: lambda pixel: hlg(scene(pixel))}


def _rolled_off(light, peak):
    top, sample, end = pq(peak), pq(light), pq(WHITE) / pq(peak)
    sample, knee = min(sample / top, 1), 1.5 * end - 0.5
    if sample < knee:
        return light
    t = (sample - knee) / (1 - knee)
    rolled = ((2 * t**3 - 3 * t**2 + 1) * knee + (t**3 - 2 * t**2 + t) * (1 - knee) + (3 * t**2 - 2 * t**3) * end)
    return light_of_pq(rolled * top)


def shown(light, peak=1000):
    """The expected sRGB pixel for BT.2020's red, green and blue in cd/m2."""
    matrix = icc.product(icc.inverse(icc.to_xyz(icc.SRGB)), icc.to_xyz(BT2020))
    light = icc.times(matrix, light)
    largest = max(max(light), 1e-6)
    scale = _rolled_off(largest, peak) / largest / WHITE
    return tuple(int(icc.encoded(v * scale) * 255 + 0.5) for v in light) + (255,)
