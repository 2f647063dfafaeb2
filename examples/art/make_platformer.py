"""Tiles: draws the tiles for platformers of the built-in pixel art.

`make_set.py` packs the images. All images are in the public domain (CC0).

A terrain has 47 tiles, one for each combination of neighbors. One rule draws all 47 tiles: it
computes the color of a pixel from how far the pixel is from the open sides and corners of the tile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from pixels import Canvas, Pixels, noise

SIDE = 16
FAR = 99

# The eight neighbors of a cell, clockwise from the top, as in the terrains of Tiled.
TOP, TOP_RIGHT, RIGHT, BOTTOM_RIGHT, BOTTOM, BOTTOM_LEFT, LEFT, TOP_LEFT = range(8)
CORNERS = {
    TOP_RIGHT: (TOP, RIGHT),
    BOTTOM_RIGHT: (BOTTOM, RIGHT),
    BOTTOM_LEFT: (BOTTOM, LEFT),
    TOP_LEFT: (TOP, LEFT),
}

Sides = tuple[int, ...]


def combinations() -> list[Sides]:
    """Return the 47 combinations of neighbors. A corner counts only if both of its edges have
    neighbors. The combination with all neighbors is the first one.
    """
    result = []
    for sides in product((1, 0), repeat=8):
        if all(
            not sides[corner] or all(sides[edge] for edge in CORNERS[corner]) for corner in CORNERS
        ):
            result.append(sides)
    return result


@dataclass
class Spot:
    """A pixel of a tile, and its distances in pixels to the open sides. The distance to a side with
    a neighbor is `FAR`.
    """

    x: int
    y: int
    top: int
    right: int
    bottom: int
    left: int
    inner: dict[int, int] = field(default_factory=dict)
    """The distances to the corners that are open although both of their edges have neighbors."""

    @property
    def edge(self) -> int:
        return min(self.top, self.right, self.bottom, self.left)

    @property
    def corner(self) -> int:
        return min(self.inner.values(), default=FAR)


Rule = Callable[[Spot], str]


def terrain_tile(sides: Sides, rule: Rule) -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    last = SIDE - 1
    for y, x in product(range(SIDE), repeat=2):
        spot = Spot(
            x,
            y,
            FAR if sides[TOP] else y,
            FAR if sides[RIGHT] else last - x,
            FAR if sides[BOTTOM] else last - y,
            FAR if sides[LEFT] else x,
        )
        for corner, edges in CORNERS.items():
            if not sides[corner] and all(sides[edge] for edge in edges):
                dx = x if LEFT in edges else last - x
                dy = y if TOP in edges else last - y
                spot.inner[corner] = max(dx, dy)
        color = rule(spot)
        if color != ".":
            canvas.dot(x, y, color)
    return canvas.pixels


def rounded(rule: Rule) -> Rule:
    """Add an outline with round corners to a rule."""

    def outlined(spot: Spot) -> str:
        across, down = min(spot.left, spot.right), min(spot.top, spot.bottom)
        if across + down < 2:
            return "."  # a round corner
        if spot.edge == 0 or across + down == 2 or spot.corner == 0:
            return "k"
        return rule(spot)

    return outlined


def cobbles(seed: int, count: int) -> np.ndarray:
    """Return a texture of stones that repeats. Each pixel is the number of its stone, from 1 on, or
    0 at the borders. At the top left of a stone, the number is negative.
    """
    random = np.random.default_rng(seed)
    points = []
    while len(points) < count:
        point = random.uniform(0, SIDE, 2)
        apart = [np.abs((point - other + SIDE / 2) % SIDE - SIDE / 2).max() for other in points]
        if all(distance > SIDE / (count**0.5) * 0.72 for distance in apart):
            points.append(point)
    y, x = np.mgrid[:SIDE, :SIDE]
    distances = []
    for px, py in points:
        dx = (x - px + SIDE / 2) % SIDE - SIDE / 2
        dy = (y - py + SIDE / 2) % SIDE - SIDE / 2
        distances.append(np.hypot(dx, dy * 1.15))
    nearest = np.argmin(distances, axis=0)
    border = (nearest != np.roll(nearest, -1, 0)) | (nearest != np.roll(nearest, -1, 1))
    result = nearest + 1
    inner = ~border
    lit = inner & (np.roll(border, 1, 0) | np.roll(border, 1, 1))
    result = np.where(lit, -result, result)
    return np.where(border, 0, result)


# -- the rules of the terrains ---------------------------------------------------------------------

_WAVE = (5, 4, 4, 5, 6, 6, 5, 4, 5, 5, 6, 7, 7, 6, 5, 5)  # where the turf ends, for each column
_DRIFT = (6, 7, 7, 6, 5, 5, 4, 4, 5, 6, 6, 7, 8, 8, 7, 6)
_SOIL = noise(3)
_GRIT = noise(11)
_STONES = cobbles(5, 7)


def _bank(spot: Spot, base: str, light: str, dark: str) -> str:
    """Return the color of soil: lighter at the left side, darker at the right side and below."""
    if spot.bottom <= 2 or spot.right <= 1:
        return dark
    if spot.left <= 1:
        return light
    return base


def _soil(spot: Spot, base: str, light: str, dark: str) -> str:
    value = _SOIL[spot.y, spot.x]
    below = _SOIL[(spot.y - 1) % SIDE, spot.x]
    if value > 0.975:
        return light
    if below > 0.975 or value < 0.025:
        return dark
    return _bank(spot, base, light, dark)


def _covered(
    spot: Spot, wave: Sequence[int], cover: str, soil: Callable[[Spot], str], shadow: str
) -> str:
    """Return the color of a pixel of ground with a cover, such as turf. ``cover`` has four colors
    from the top to the lower edge.
    """
    depth = spot.top
    limit = wave[spot.x]
    for corner in (TOP_LEFT, TOP_RIGHT):  # here the cover of the next cell ends
        if corner in spot.inner and spot.inner[corner] <= 2:
            depth, limit = spot.inner[corner] + 2, 4
    if depth <= limit:
        if depth == 1:
            return cover[0] if (spot.x * 5 + 2) % 7 < 4 else cover[1]
        if depth == limit:
            return cover[3]
        if depth == limit - 1:
            return cover[2]
        return cover[1]
    if depth == limit + 1:
        return shadow
    return soil(spot)


def grass(spot: Spot) -> str:
    return _covered(spot, _WAVE, "iHhG", lambda place: _soil(place, "m", "M", "N"), "N")


def snow(spot: Spot) -> str:
    return _covered(spot, _DRIFT, "55wC", lambda place: _soil(place, "2", "3", "1"), "1")


def sand(spot: Spot) -> str:
    wave = (spot.x + 3 * (spot.y // 4 % 2)) % 8
    ripple = spot.y % 4 == 1 and wave in (2, 3, 4) and spot.y % 8 == 1 + 4 * (spot.x // 8 % 2)
    if spot.top <= 2:
        return "Y" if spot.top == 1 or (spot.x * 3) % 5 < 2 else "s"
    if spot.corner <= 1:
        return "Y"
    if spot.bottom <= 2 or spot.right <= 1:
        return "o" if spot.bottom == 1 else "M"
    if spot.left <= 1:
        return "Y"
    return "M" if ripple else "s"


def stone(spot: Spot) -> str:
    number = int(_STONES[spot.y, spot.x])
    if spot.top == 1:
        return "5" if (spot.x * 3) % 8 < 3 else "4"
    if spot.bottom <= 2 or spot.right <= 1:
        return "1" if number == 0 else "2"
    if spot.left == 1 and number:
        return "4"
    if number == 0:
        return "2"
    if number < 0 and number % 3 == 0:
        return "4"
    return "2" if number > 0 and _GRIT[spot.y, spot.x] > 0.94 else "3"


def castle(spot: Spot) -> str:
    row = spot.y // 4
    x = (spot.x + (4 if row % 2 else 0)) % 8
    mortar = spot.y % 4 == 3 or x == 7
    if spot.top <= 4:  # the cap stones
        if spot.top == 4:
            return "n"
        if spot.x % 8 == 7:
            return "n"
        return "s" if spot.top == 1 else "M" if spot.x % 8 < 6 else "m"
    brick = row * 2 + (spot.x + (4 if row % 2 else 0)) // 8 % 2
    if spot.bottom <= 2 or spot.right <= 1:
        return "n" if mortar else "N"
    if mortar:
        return "N"
    if spot.y % 4 == 0 and brick in (0, 3, 6) and x < 6:
        return "M"
    return "m"


TERRAINS: dict[str, Rule] = {
    "grass": rounded(grass),
    "sand": rounded(sand),
    "snow": rounded(snow),
    "stone": rounded(stone),
    "castle": rounded(castle),
}
_RULES = {"grass": grass, "sand": sand, "snow": snow, "stone": stone, "castle": castle}

SLOPES = {
    # the heights of the ground at the left and at the right side, as parts of a tile
    "up": (0.0, 1.0),
    "down": (1.0, 0.0),
    "up low": (0.0, 0.5),
    "up high": (0.5, 1.0),
    "down high": (1.0, 0.5),
    "down low": (0.5, 0.0),
}


def slope(name: str, heights: tuple[float, float]) -> Pixels:
    """Return the tile of a slope."""
    canvas = Canvas(SIDE, SIDE)
    rule = _RULES[name]
    left, right = heights
    for x in range(SIDE):
        height = left + (right - left) * (x + 0.5) / SIDE
        surface = round(SIDE * (1 - height) - 0.01)
        for y in range(max(0, surface), SIDE):
            depth = y - surface
            spot = Spot(x, y, depth, FAR, FAR, FAR)
            canvas.dot(x, y, "k" if depth == 0 else rule(spot))
    return canvas.pixels


# -- single tiles ----------------------------------------------------------------------------------


def _drawn(drawing: str, y: int = 0, x: int = 0) -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    canvas.stamp(drawing, x, y)
    return canvas.pixels


def _plank(left: bool, right: bool) -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    for y in range(6):
        for x in range(SIDE):
            edge = (left and x == 0) or (right and x == 15) or y in (0, 5)
            joint = x in (7,) and y in (1, 2, 3, 4)
            corner = y in (0, 5) and ((left and x == 0) or (right and x == 15))
            if not corner:
                color = "s" if y == 1 else "M" if y == 2 else "m" if y < 5 else "N"
                canvas.dot(x, y, "k" if edge else "N" if joint else color)
    for x in (3, 12):
        canvas.dot(x, 3, "N")
    for side, x in ((left, 2), (right, 12)):  # brackets
        if side:
            canvas.rect(x, 6, 2, 4, "N")
            canvas.rect(x, 10, 2, 1, "k")
            canvas.rect(x - 1, 6, 1, 4, "k")
            canvas.rect(x + 2, 6, 1, 4, "k")
    return canvas.pixels


def _spikes() -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    for center in (4, 12):
        for row in range(10):
            half = (row + 2) // 3
            for x in range(center - half, center + half):
                light = x < center - half / 3
                canvas.dot(x, 5 + row, "5" if light and row > 1 else "4" if x < center else "2")
    canvas.outline()
    canvas.rect(0, 15, 16, 1, "k")
    return canvas.pixels


def _water(step: int) -> Pixels:
    """Return the surface of water. Its four images are a wave that moves by four pixels."""
    canvas = Canvas(SIDE, SIDE)
    for x in range(SIDE):
        phase = 2 * np.pi * (x + 4 * step) / SIDE
        top = round(4 + 1.3 * np.sin(phase))
        for y in range(top, SIDE):
            depth = y - top
            color = "w" if depth == 0 else "C" if depth < 3 else "c"
            canvas.dot(x, y, color)
    for x, y, length in ((2, 10, 4), (10, 13, 3)):
        for offset in range(length):
            canvas.dot((x + offset - 2 * step) % SIDE, y, "C")
    return canvas.pixels


def _deep() -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    canvas.rect(0, 0, 16, 16, "c")
    for x, y, length in ((3, 3, 4), (11, 9, 3), (1, 13, 2)):
        canvas.rect(x, y, length, 1, "C")
    return canvas.pixels


def _lava(step: int) -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    for x in range(SIDE):
        phase = 2 * np.pi * (x + 4 * step) / SIDE
        top = round(5 + 1.0 * np.sin(phase))
        for y in range(top, SIDE):
            depth = y - top
            canvas.dot(x, y, "Y" if depth == 0 else "y" if depth < 2 else "O" if depth < 5 else "p")
    for x, y in ((4, 3), (11, 1)):
        canvas.dot(x, y + (step % 2), "y")
    return canvas.pixels


def _deep_lava() -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    canvas.rect(0, 0, 16, 16, "p")
    for x, y, length in ((3, 3, 3), (10, 9, 4), (1, 13, 2)):
        canvas.rect(x, y, length, 1, "O")
    return canvas.pixels


def _ladder(top: bool) -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    for y in range(2, 16, 5):
        canvas.rect(4, y, 8, 1, "s")
        canvas.rect(4, y + 1, 8, 1, "m")
        canvas.rect(4, y + 2, 8, 1, "k")
        if y > 0:
            canvas.rect(4, y - 1, 8, 1, "k")
    for x in (2, 12):
        canvas.rect(x, 0, 1, 16, "M")
        canvas.rect(x + 1, 0, 1, 16, "N")
        canvas.rect(x - 1, 0, 1, 16, "k")
        canvas.rect(x + 2, 0, 1, 16, "k")
    if top:
        for x in (2, 12):
            canvas.rect(x, 0, 2, 1, "k")
            canvas.erase(x - 1, 0)
            canvas.erase(x + 2, 0)
    return canvas.pixels


def _door(opened: bool, upper: bool) -> Pixels:
    canvas = Canvas(SIDE, 2 * SIDE)
    for y in range(4, 32):
        for x in range(1, 15):
            if y < 9 and (x - 7.5) ** 2 / 49 + (y - 10) ** 2 / 36 > 1.02:
                continue
            canvas.dot(x, y, "3")
    inner = Canvas(SIDE, 2 * SIDE)
    for y in range(7, 32):
        for x in range(3, 13):
            if y < 11 and (x - 7.5) ** 2 / 26 + (y - 12) ** 2 / 26 > 1.0:
                continue
            if opened:
                inner.dot(x, y, "k" if x < 11 and y > 8 else "1")
            else:
                inner.dot(x, y, "N" if x in (5, 8, 11) else "M" if x in (3,) else "m")
    if not opened:
        for y in (13, 26):
            inner.rect(3, y, 10, 2, "2")
            inner.rect(3, y, 10, 1, "4")
        inner.rect(10, 20, 2, 2, "y")
        inner.dot(11, 21, "O")
    for y in range(9, 32, 5):
        for x in (1, 13):
            canvas.rect(x, y, 2, 1, "1")
    for x in (5, 10):
        canvas.rect(x, 4, 1, 2, "1")
    canvas.rect(1, 10, 1, 22, "4")
    canvas.rect(14, 10, 1, 22, "2")
    inner.outline()
    canvas.paste(inner.pixels, 0, 0)
    canvas.outline()
    return canvas.pixels[:SIDE] if upper else canvas.pixels[SIDE:]


def _flag(step: int, color: str = "pR") -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    canvas.rect(3, 2, 1, 14, "4")
    canvas.rect(4, 2, 1, 14, "2")
    canvas.rect(3, 1, 2, 2, "y")
    for x in range(5, 14):
        wave = np.sin(2 * np.pi * (x / 9 - step / 4)) * (x - 4) / 9
        top = round(3 + wave)
        for y in range(top, top + 7):
            shade = np.cos(2 * np.pi * (x / 9 - step / 4)) > 0.35
            canvas.dot(x, y, color[1] if shade else color[0])
    canvas.outline()
    return canvas.pixels


def _pole() -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    for x, color in ((2, "k"), (3, "4"), (4, "2"), (5, "k")):
        canvas.rect(x, 0, 1, 16, color)
    return canvas.pixels


def _block(colors: str, mark: str = "") -> Pixels:
    """Return a block with beveled sides. ``colors`` are light, middle and dark."""
    canvas = Canvas(SIDE, SIDE)
    canvas.rect(1, 1, 14, 14, colors[1])
    canvas.rect(1, 1, 14, 1, colors[0])
    canvas.rect(1, 1, 1, 14, colors[0])
    canvas.rect(1, 14, 14, 1, colors[2])
    canvas.rect(14, 1, 1, 14, colors[2])
    canvas.rect(1, 0, 14, 1, "k")
    canvas.rect(1, 15, 14, 1, "k")
    canvas.rect(0, 1, 1, 14, "k")
    canvas.rect(15, 1, 1, 14, "k")
    if mark:
        canvas.stamp(mark, 4, 4)
    for x in (2, 13):
        for y in (2, 13):
            canvas.dot(x, y, colors[2])
    return canvas.pixels


_QUESTION = """\
.kkkkk..
kYYYYYk.
kYkkkYk.
.k.kYYk.
..kYYk..
..kkk...
..kYk...
..kkk..."""

_BANG = """\
..kkk...
..kYk...
..kYk...
..kYk...
..kkk...
..kYk...
..kkk...
........"""


def _bricks() -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    for y in range(16):
        for x in range(16):
            row = y // 4
            along = (x + (4 if row % 2 else 0)) % 8
            joint = y % 4 == 3 or along == 7
            canvas.dot(x, y, "r" if joint else "P" if y % 4 == 0 else "p" if along < 5 else "R")
    for index in range(16):
        for x, y in ((index, 0), (index, 15), (0, index), (15, index)):
            canvas.dot(x, y, "k")
    return canvas.pixels


def _crate() -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    canvas.rect(0, 0, 16, 16, "k")
    canvas.rect(1, 1, 14, 14, "m")
    for y in (5, 10):
        canvas.rect(4, y, 8, 1, "N")
    for index in range(3, 13):
        canvas.dot(index, index, "N")
        canvas.dot(index, index - 1, "M")
        canvas.dot(index - 1, index, "M")
    canvas.rect(1, 1, 14, 3, "M")
    canvas.rect(1, 12, 14, 3, "M")
    canvas.rect(1, 1, 3, 14, "M")
    canvas.rect(12, 1, 3, 14, "M")
    canvas.rect(1, 1, 14, 1, "s")
    canvas.rect(1, 1, 1, 14, "s")
    canvas.rect(4, 3, 8, 1, "N")
    canvas.rect(4, 12, 8, 1, "s")
    canvas.rect(3, 4, 1, 8, "N")
    canvas.rect(1, 14, 14, 1, "N")
    canvas.rect(14, 2, 1, 13, "N")
    for x, y in ((2, 2), (13, 2), (2, 13), (13, 13)):
        canvas.dot(x, y, "n")
    return canvas.pixels


_SIGN = """\
................
................
.kkkkkkkkkkkkkk.
kMsssssssssssMmk
ksMMMMMMMMMMMMmk
ksMNMNNMNMNNNMmk
ksMMMMMMMMMMMMmk
ksMNNNMNNMNMMMmk
kmMMMMMMMMMMMMNk
.kkkkkkkkkkkkkk.
......kMmk......
......kMmk......
......kMmk......
......kMmk......
......kMmk......
......kmNk......"""

_FENCE = """\
................
................
................
.kkk.......kkk..
kMsmk.....kMsmk.
kMmNkkkkkkkMmNkk
kMmNsssssskMmNks
kMmNMMMMMMkMmNkM
kMmNkkkkkkkMmNkk
kMmNk.....kMmNk.
kMmNkkkkkkkMmNkk
kMmNsssssskMmNks
kMmNMMMMMMkMmNkM
kMmNkkkkkkkMmNkk
kMmNk.....kMmNk.
kMmNk.....kMmNk."""

_BUSH = """\
................
................
................
................
.....kkkkk......
...kkHHiiHkk....
..kHHiiHHhHHk...
.kHiiHHhHHhhHk..
.kHiHhHHhhhHhk..
kHHHhhHhhHhhhGk.
kHhHHhhhhhhhhGk.
kHHhhhhGhhGhGGGk
khhhGhhhhGhhGGGk
kGhhhGGhhhGGGGGk
kGGGGGGGGGGGGGGk
kGGGGGGGGGGGGGGk"""

_TUFT = """\
................
................
................
................
................
................
................
................
................
......k.........
...k.kHk..k.....
..kHkkHk.kHk.k..
..khHkHhkkHkkHk.
...khHhhkHhkHhk.
..kkhhhhhhhhhk..
..kGhhGhhGhhGk.."""

_FLOWER = """\
................
................
................
................
.....kkk........
....kpPpk.......
...kpPYPpk......
...kPYyYPk......
...kpPYPpk......
....kpPpk.......
.....kGk..kk....
..kk.khkkkhHk...
.kHhkkhkhHHk....
..khhkhhhkk.....
...kkGhGk.......
.....kGk........"""

_MUSHROOM = """\
................
................
................
................
................
.....kkkkkk.....
...kkpPP55pkk...
..kpP55PpppPRk..
.kp555Pppp55pRk.
.kp55Pppp5555Rk.
.kRppp55pp55RRk.
..kkkp55pRRRkk..
....kkssssFkk...
.....ksssFFk....
.....ksssFFk....
....kssssFFFk..."""


def _torch(step: int) -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    canvas.rect(7, 9, 2, 6, "m")
    canvas.rect(8, 9, 1, 6, "N")
    canvas.rect(6, 8, 4, 2, "2")
    canvas.rect(6, 8, 3, 1, "4")
    sway = (0, 1, 0, -1)[step]
    high = (5, 6, 5, 6)[step]
    for row in range(high):
        half = (2, 2, 2, 1, 1, 1)[row] if row else 1
        shift = sway if row > 2 else 0
        for x in range(8 - half + shift, 8 + half + shift):
            canvas.dot(
                x,
                7 - row,
                "Y" if row < 2 and half == 2 and x in (7, 8) else "y" if row < 3 else "O",
            )
    canvas.outline()
    return canvas.pixels


def _chain() -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    for y in (0, 8):
        canvas.rect(6, y, 4, 5, "4")
        canvas.rect(7, y + 1, 2, 3, "k")
        canvas.rect(9, y, 1, 5, "2")
        canvas.rect(7, y + 5, 2, 3, "3")
        canvas.rect(8, y + 5, 1, 3, "2")
        for side in (5, 10):
            canvas.rect(side, y, 1, 5, "k")
        for side in (6, 9):
            canvas.rect(side, y + 5, 1, 3, "k")
    return canvas.pixels


def _pillar(part: str) -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    for x in range(4, 12):
        canvas.rect(x, 0, 1, 16, "4" if x < 6 else "2" if x > 9 else "3")
    canvas.rect(7, 0, 1, 16, "2")
    canvas.rect(3, 0, 1, 16, "k")
    canvas.rect(12, 0, 1, 16, "k")
    if part != "middle":
        top = 0 if part == "top" else 11
        canvas.rect(1, top, 14, 5, "k")
        canvas.rect(2, top + 1, 12, 3, "4")
        canvas.rect(2, top + 1, 12, 1, "5")
        canvas.rect(12, top + 1, 2, 3, "2")
    return canvas.pixels


def _cloud(left: bool, right: bool) -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    for y in range(1, 9):
        inset = (2, 1, 0, 0, 0, 0, 1, 2)[y - 1] + 1
        for x in range(inset if left else 0, 16 - inset if right else 16):
            ripple = (x // 4) % 2
            canvas.dot(x, y, "5" if y < 6 + ripple else "w" if y < 7 + ripple else "C")
    if left or right:
        canvas.outline()
    for x in range(1, 15) if left and right else range(4 if left else 0, 12 if right else 16):
        canvas.dot(x, 0, "k")
        canvas.dot(x, 9, "k")
    return canvas.pixels


def _spring(step: int) -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    top = (9, 3)[step]
    for index, y in enumerate(range(top + 3, 14)):
        canvas.rect(4 + index % 2, y, 7, 1, "4" if index % 2 else "2")
    canvas.rect(2, top, 12, 3, "p")
    canvas.rect(2, top, 12, 1, "P")
    canvas.rect(2, top + 2, 12, 1, "R")
    canvas.rect(3, 14, 10, 1, "2")
    canvas.outline()
    return canvas.pixels


def tiles() -> dict[str, list[Pixels]]:
    """Return the single tiles by name. Tiles with several images are animated."""
    return {
        "platform left": [_plank(True, False)],
        "platform": [_plank(False, False)],
        "platform right": [_plank(False, True)],
        "platform single": [_plank(True, True)],
        "spikes": [_spikes()],
        "water": [_water(step) for step in range(4)],
        "deep water": [_deep()],
        "lava": [_lava(step) for step in range(4)],
        "deep lava": [_deep_lava()],
        "ladder top": [_ladder(True)],
        "ladder": [_ladder(False)],
        "door top": [_door(False, True)],
        "door": [_door(False, False)],
        "open door top": [_door(True, True)],
        "open door": [_door(True, False)],
        "flag": [_flag(step) for step in range(4)],
        "checkpoint": [_flag(step, "hG") for step in range(4)],
        "pole": [_pole()],
        "crate": [_crate()],
        "bricks": [_bricks()],
        "question": [_block("YyO", _QUESTION)],
        "bang": [_block("CcB", _BANG)],
        "empty block": [_block("MmN")],
        "metal": [_block("432")],
        "sign": [_drawn(_SIGN)],
        "fence": [_drawn(_FENCE)],
        "bush": [_drawn(_BUSH)],
        "tuft": [_drawn(_TUFT)],
        "flower": [_drawn(_FLOWER)],
        "mushroom": [_drawn(_MUSHROOM)],
        "torch": [_torch(step) for step in range(4)],
        "chain": [_chain()],
        "pillar top": [_pillar("top")],
        "pillar": [_pillar("middle")],
        "pillar bottom": [_pillar("bottom")],
        "cloud left": [_cloud(True, False)],
        "cloud": [_cloud(False, False)],
        "cloud right": [_cloud(False, True)],
        "spring": [_spring(0)],
        "spring up": [_spring(1)],
    }


SOLID = ("crate", "bricks", "question", "bang", "empty block", "metal")
ONE_WAY = (
    *("platform left", "platform", "platform right", "platform single"),
    *("cloud left", "cloud", "cloud right", "ladder top"),
)

# Rows and columns of tiles: the tiles, and whether they have a neighbor above, at the right, below
# and at the left.
RUNS = {
    "platform": {
        "platform single": "0000",
        "platform left": "0100",
        "platform": "0101",
        "platform right": "0001",
    },
    "cloud": {"cloud": "0101", "cloud left": "0100", "cloud right": "0001"},
    "ladder": {"ladder": "1010", "ladder top": "0010"},
    "water": {"deep water": "1111", "water": "0111"},
    "lava": {"deep lava": "1111", "lava": "0111"},
    "door": {"door": "1000", "door top": "0010"},
    "open door": {"open door": "1000", "open door top": "0010"},
    "pillar": {"pillar": "1010", "pillar top": "0010", "pillar bottom": "1000"},
    "flag": {"pole": "1010", "flag": "0010"},
    "checkpoint": {"pole": "1010", "checkpoint": "0010"},
}
