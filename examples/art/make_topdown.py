"""Tiles: draws the tiles for maps from above of the built-in pixel art.

`make_set.py` packs the images. All images are in the public domain (CC0).
"""

from __future__ import annotations

import numpy as np
from make_platformer import FAR, SIDE, Rule, Spot, cobbles
from pixels import Canvas, Pixels, noise

_GRAIN = noise(21)
_WOBBLE = (0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0)
_STONES = cobbles(8, 6)
_ROUND = 5.0


def _turf(x: int, y: int) -> str:
    """Return the color of grass: a plain green with a few blades."""
    if (x, y) in {(3, 4), (12, 9), (6, 13)}:
        return "H"
    if (x, y) in {(4, 5), (11, 10), (7, 14), (10, 2)}:
        return "G"
    return "h"


def _inside(spot: Spot) -> float:
    """Return the distance to the edge of the terrain in pixels. Corners are round."""
    across, down = min(spot.left, spot.right), min(spot.top, spot.bottom)
    if across < _ROUND and down < _ROUND:
        return float(_ROUND - np.hypot(_ROUND - across, _ROUND - down))
    return float(min(spot.edge, spot.corner))


def path(spot: Spot) -> str:
    depth = _inside(spot) - _WOBBLE[(spot.x if spot.top < 4 or spot.bottom < 4 else spot.y) % 16]
    if depth < 1:
        return _turf(spot.x, spot.y)
    if depth < 2:
        return "G" if spot.top < 5 else "m"
    if depth < 3 and spot.top < 6:
        return "m"
    value = _GRAIN[spot.y, spot.x]
    return "s" if value > 0.985 else "m" if value < 0.025 else "M"


def water(spot: Spot) -> str:
    depth = _inside(spot)
    bank = 5 if spot.top < 8 else 2  # the bank above is seen from the front
    if depth < 1:
        return _turf(spot.x, spot.y)
    if depth < 2:
        return "G" if spot.top >= 8 else "M"
    if depth < bank:
        return "N" if depth >= bank - 1 else "m"
    if depth < bank + 1:
        return "w"
    if depth < bank + 2:
        return "C"
    if spot.y % 8 == 3 and 2 <= (spot.x + 5 * (spot.y // 8)) % 16 < 6:
        return "C"
    return "c"


def sand(spot: Spot) -> str:
    depth = _inside(spot) - _WOBBLE[(spot.x if spot.top < 4 or spot.bottom < 4 else spot.y) % 16]
    if depth < 1:
        return _turf(spot.x, spot.y)
    if depth < 2:
        return "G" if spot.top < 5 else "M"
    value = _GRAIN[spot.y, spot.x]
    return "Y" if value > 0.98 else "M" if value < 0.03 else "s"


def wall(spot: Spot) -> str:
    """A wall of stone. Its front is visible where the cell below is open."""
    if spot.bottom < FAR:
        if spot.left == 0 or spot.right == 0 or spot.bottom == 0 or spot.y == 6:
            return "k"
        if spot.y > 6:
            row = (spot.y - 7) // 3
            joint = (spot.y - 7) % 3 == 2 or (spot.x + 4 * (row % 2)) % 8 == 7
            return "1" if joint else "3" if (spot.y - 7) % 3 == 0 else "2"
    if spot.edge == 0 or spot.corner == 0:
        return "k"
    light = spot.top == 1 or spot.left == 1
    if light:
        return "5" if spot.top == 1 else "4"
    return "3" if spot.right == 1 else "4" if _STONES[spot.y, spot.x] else "3"


def roof(spot: Spot) -> str:
    if spot.edge == 0 or spot.corner == 0:
        return "k"
    row = spot.y // 4
    x = (spot.x + 2 * (row % 2)) % 4
    if spot.bottom < 3:
        return "r"
    if spot.top == 1:
        return "P"
    if spot.y % 4 == 3:
        return "r" if x == 3 else "R"
    if x == 3:
        return "R"
    return "P" if spot.y % 4 == 0 and spot.left < 4 else "p"


def house(spot: Spot) -> str:
    if spot.left == 0 or spot.right == 0 or spot.bottom == 0:
        return "k"
    if spot.left == 1 or spot.right == 1 or spot.bottom in (1, 2):
        return "N" if spot.bottom in (1, 2) else "m"
    if spot.top < 3:
        return "m"  # the shadow of the roof
    if spot.y == 8:
        return "m"
    return "M" if _GRAIN[spot.y, spot.x] > 0.93 else "s"


def floor(spot: Spot) -> str:
    if spot.edge == 0 or spot.corner == 0:
        return "n"
    if spot.top in (1, 2):
        return "N"
    board = spot.y // 4
    if spot.y % 4 == 3:
        return "N"
    if spot.x == (3 + 7 * board) % 16:
        return "N"
    return "M" if spot.y % 4 == 0 else "m"


TERRAINS: dict[str, Rule] = {
    "path": path,
    "sand": sand,
    "water": water,
    "wall": wall,
    "roof": roof,
    "house": house,
    "floor": floor,
}
SOLID_TERRAINS = ("water", "wall", "roof", "house")


def _grass(marks: str = "") -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    for y in range(SIDE):
        for x in range(SIDE):
            canvas.dot(x, y, _turf(x, y))
    if marks:
        canvas.stamp(marks, 2, 3)
    return canvas.pixels


_FLOWERS = """\
...5........
..5y5..p....
...5..pYp...
..G....p....
.........G..
.c..........
cYc....5....
.c....5y5...
..G....5....
........G..."""

_TALL = """\
..i...i...i.
.Hi.iHi..Hi.
.HHGHHHGHHH.
..GG.GG..GG.
............
i...i...i...
Hi.Hi..iHi.i
HHGHHGHHHGHH
.GG.GG..GG.."""


def _tree(top: bool, pine: bool) -> Pixels:
    canvas = Canvas(SIDE, 2 * SIDE)
    canvas.rect(6, 24, 4, 6, "m")
    canvas.rect(8, 24, 2, 6, "N")
    canvas.dot(5, 29, "m")
    canvas.dot(10, 29, "N")
    if pine:
        for base, half in ((12, 4), (19, 6), (26, 7)):
            high = 9
            for row in range(high):
                width = half * (row + 1) / high
                for x in range(16):
                    if abs(x + 0.5 - 8) <= width:
                        color = "h" if x < 8 - width / 3 else "G" if x < 8 + width / 2 else "g"
                        canvas.dot(
                            x, base - high + row, "g" if row == high - 1 and x > 5 else color
                        )
        for x, y in ((6, 8), (5, 14), (4, 21), (6, 22)):
            canvas.dot(x, y, "H")
    else:
        for x, y, radius in ((8, 17, 7.3), (5, 13, 4.8), (11, 13, 4.8), (8, 8, 6.0)):
            canvas.blob(x, y, radius, radius * 0.95, "gGGhhH")
        for x, y in ((5, 6), (6, 5), (7, 5), (4, 11), (3, 14), (9, 9), (5, 17)):
            canvas.dot(x, y, "i" if y < 9 else "H")
        for x, y in ((10, 11), (12, 16), (7, 20), (10, 20), (12, 18)):
            canvas.dot(x, y, "g")
    canvas.outline()
    return canvas.pixels[:SIDE] if top else canvas.pixels[SIDE:]


def _round(x: float, y: float, across: float, down: float, colors: str) -> Canvas:
    canvas = Canvas(SIDE, SIDE)
    canvas.blob(x, y, across, down, colors)
    return canvas


def _bush(berries: bool) -> Pixels:
    canvas = _round(8, 9.5, 6.4, 5.4, "gGGhhHH")
    for x, y in ((4, 7), (7, 5), (6, 9)):
        canvas.dot(x, y, "i")
    for x, y in ((10, 8), (8, 12), (12, 11)):
        canvas.dot(x, y, "G")
    if berries:
        for x, y in ((5, 8), (9, 6), (10, 10), (7, 12), (12, 9)):
            canvas.dot(x, y, "p")
            canvas.dot(x, y + 1, "R")
    canvas.outline()
    return canvas.pixels


def _rock() -> Pixels:
    canvas = _round(8, 10, 6.2, 4.8, "1223344")
    canvas.rect(5, 7, 3, 1, "5")
    for x, y in ((9, 9), (10, 10), (10, 11)):
        canvas.dot(x, y, "1")
    canvas.outline()
    return canvas.pixels


def _stump() -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    canvas.rect(4, 7, 8, 7, "m")
    canvas.rect(9, 7, 3, 7, "N")
    canvas.blob(8, 7, 4.4, 2.6, "Ms")
    canvas.rect(7, 6, 2, 1, "m")
    canvas.dot(3, 13, "m")
    canvas.dot(12, 13, "N")
    canvas.outline()
    return canvas.pixels


def _barrel() -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    for y in range(4, 14):
        half = 5 if 6 <= y <= 11 else 4
        for x in range(8 - half, 8 + half):
            canvas.dot(x, y, "M" if x < 6 else "N" if x > 10 else "m")
    for y in (6, 11):
        canvas.rect(3, y, 10, 1, "2")
        canvas.rect(3, y, 4, 1, "4")
    canvas.blob(8, 4, 4.2, 1.9, "Ms")
    canvas.outline()
    return canvas.pixels


def _pot() -> Pixels:
    canvas = _round(8, 10, 4.8, 4.6, "oooOOM")
    canvas.rect(5, 4, 6, 2, "O")
    canvas.rect(9, 4, 2, 2, "o")
    canvas.rect(6, 4, 4, 1, "n")
    canvas.rect(4, 9, 8, 1, "r")
    canvas.outline()
    return canvas.pixels


def _well() -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    canvas.rect(2, 9, 12, 6, "3")
    canvas.rect(10, 9, 4, 6, "2")
    for x, y in ((4, 11), (8, 13), (11, 11), (6, 11)):
        canvas.rect(x, y, 2, 1, "1")
    canvas.blob(8, 9, 6.2, 2.6, "34")
    canvas.blob(8, 9, 4.2, 1.5, "Bc")
    for x in (2, 12):
        canvas.rect(x, 3, 2, 6, "m")
    canvas.rect(1, 1, 14, 3, "p")
    canvas.rect(1, 1, 14, 1, "P")
    canvas.rect(1, 3, 14, 1, "R")
    canvas.outline()
    return canvas.pixels


def _grave() -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    canvas.blob(8, 7, 4.6, 5.0, "2334")
    canvas.rect(4, 7, 8, 7, "3")
    canvas.rect(10, 7, 2, 7, "2")
    canvas.rect(4, 7, 1, 7, "4")
    canvas.rect(7, 5, 2, 6, "1")
    canvas.rect(6, 7, 4, 1, "1")
    canvas.outline()
    return canvas.pixels


def _window() -> Pixels:
    canvas = _house_tile()
    canvas.rect(4, 4, 8, 8, "k")
    canvas.rect(5, 5, 6, 6, "c")
    canvas.rect(5, 5, 3, 3, "C")
    canvas.dot(5, 5, "5")
    canvas.rect(8, 5, 1, 6, "N")
    canvas.rect(5, 8, 6, 1, "N")
    canvas.rect(3, 12, 10, 1, "M")
    canvas.rect(3, 13, 10, 1, "k")
    return canvas.pixels


def _house_tile() -> Canvas:
    canvas = Canvas(SIDE, SIDE)
    for y in range(SIDE):
        for x in range(SIDE):
            canvas.dot(x, y, house(Spot(x, y, FAR, FAR, SIDE - 1 - y, FAR)))
    return canvas


def _house_door(opened: bool) -> Pixels:
    canvas = _house_tile()
    canvas.rect(3, 2, 10, 14, "k")
    canvas.rect(4, 3, 8, 13, "1" if opened else "m")
    if opened:
        canvas.rect(4, 3, 2, 13, "N")
    else:
        canvas.rect(4, 3, 1, 13, "M")
        for x in (6, 9):
            canvas.rect(x, 3, 1, 13, "N")
        canvas.rect(10, 9, 1, 2, "y")
    return canvas.pixels


def _fence(sides: str) -> Pixels:
    """Draw a fence. ``sides`` are the neighbors above, at the right, below and at the left."""
    above, right, below, left = (side == "1" for side in sides)
    canvas = Canvas(SIDE, SIDE)
    for joined, first, last in ((left, 0, 7), (right, 8, 15)):
        if joined:
            for y in (6, 10):
                canvas.rect(first, y, last - first + 1, 2, "M")
                canvas.rect(first, y + 1, last - first + 1, 1, "m")
                canvas.rect(first, y - 1, last - first + 1, 1, "k")
                canvas.rect(first, y + 2, last - first + 1, 1, "k")
    for joined, first, last in ((above, 0, 4), (below, 13, 15)):
        if joined:
            canvas.rect(7, first, 2, last - first + 1, "M")
            canvas.rect(8, first, 1, last - first + 1, "m")
            canvas.rect(6, first, 1, last - first + 1, "k")
            canvas.rect(9, first, 1, last - first + 1, "k")
    canvas.rect(6, 4, 4, 10, "M")
    canvas.rect(8, 4, 2, 10, "m")
    canvas.rect(6, 4, 3, 1, "s")
    for x in (5, 10):
        canvas.rect(x, 4, 1, 10, "k")
    canvas.rect(6, 3, 4, 1, "k")
    canvas.rect(6, 14, 4, 1, "k")
    return canvas.pixels


def _bridge(across: bool) -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    for y in range(SIDE):
        for x in range(SIDE):
            along, side = (x, y) if across else (y, x)
            if side in (0, 15):
                color = "k"
            elif side in (1, 2, 13, 14):
                color = "M" if side in (1, 13) else "N"
            else:
                color = "N" if along % 4 == 3 else "s" if along % 4 == 0 else "M"
            canvas.dot(x, y, color)
    return canvas.pixels


def _stairs() -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    for y in range(SIDE):
        canvas.rect(0, y, 16, 1, ("5", "4", "3", "1")[y % 4])
    canvas.rect(0, 0, 1, 16, "k")
    canvas.rect(15, 0, 1, 16, "k")
    return canvas.pixels


def _tiled_floor() -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    for y in range(SIDE):
        for x in range(SIDE):
            light = (x // 8 + y // 8) % 2
            edge = x % 8 == 7 or y % 8 == 7
            canvas.dot(x, y, "1" if edge else "3" if light else "2")
    return canvas.pixels


def _lily(step: int) -> Pixels:
    canvas = _round(8, 9 + (step == 1) * 0.6, 4.6, 3.0, "GhhH")
    canvas.erase(11, 9)
    canvas.erase(12, 9)
    canvas.dot(7, 8, "U")
    canvas.dot(6, 8, "5")
    canvas.outline("B")
    return canvas.pixels


def tiles() -> dict[str, list[Pixels]]:
    """Return the single tiles by name. Tiles with several images are animated."""
    fences = {f"fence {sides}": [_fence(sides)] for sides in map("{:04b}".format, range(16))}
    return {
        "grass": [_grass()],
        "flowers": [_grass(_FLOWERS)],
        "tall grass": [_grass(_TALL)],
        "tree top": [_tree(True, False)],
        "tree": [_tree(False, False)],
        "pine top": [_tree(True, True)],
        "pine": [_tree(False, True)],
        "bush": [_bush(False)],
        "berries": [_bush(True)],
        "rock": [_rock()],
        "stump": [_stump()],
        "barrel": [_barrel()],
        "pot": [_pot()],
        "well": [_well()],
        "grave": [_grave()],
        "house window": [_window()],
        "house door": [_house_door(False)],
        "house open door": [_house_door(True)],
        "bridge": [_bridge(True)],
        "bridge up": [_bridge(False)],
        "stairs": [_stairs()],
        "tiles": [_tiled_floor()],
        "lily": [_lily(0), _lily(1)],
        **fences,
    }


SOLID = (
    *("tree", "pine", "bush", "berries", "rock", "stump", "barrel", "pot", "well", "grave"),
    *("house window", "house door"),
    *(f"fence {number:04b}" for number in range(16)),
)
RUNS = {
    "tree": {"tree": "1000", "tree top": "0010"},
    "pine": {"pine": "1000", "pine top": "0010"},
    "fence": {f"fence {number:04b}": f"{number:04b}" for number in range(16)},
}
