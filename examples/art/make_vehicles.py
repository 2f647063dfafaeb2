"""Vehicles and particles: draws ships, cars and effects of the built-in pixel art.

`make_set.py` packs the images. All images are in the public domain (CC0). Vehicles are seen from
above and point up.
"""

from __future__ import annotations

import numpy as np
from pixels import Canvas, Pixels, noise, swapped

# The right half is the mirror image of the left half, in darker colors.
_DARKER = {"5": "4", "4": "3", "3": "2", "P": "p", "p": "R", "R": "r", "C": "c", "c": "B", "w": "C"}
_DARKER |= {
    "H": "h",
    "h": "G",
    "y": "O",
    "O": "o",
    "u": "V",
    "V": "v",
    "s": "M",
    "M": "m",
    "m": "N",
}


def _mirrored(drawing: str, height: int = 16, width: int = 16, top: int = 0) -> Canvas:
    canvas = Canvas(width, height)
    rows = drawing.split("\n")
    for y, row in enumerate(rows):
        for x, letter in enumerate(row.ljust(width // 2, ".")):
            if letter != ".":
                canvas.dot(x, top + y, letter)
                canvas.dot(width - 1 - x, top + y, _DARKER.get(letter, letter))
    return canvas


_FIGHTER = """\
........
.......5
.......5
......45
......4C
.....44C
.....44c
..p..445
..p.4445
..pp4445
.4444445
44444443
4444.443
pp4..443
p.....22
........"""

_CRUISER = """\
............
...........5
..........45
..........45
.........445
.........44C
........444C
........444c
.......44445
...2...44445
...2..444443
..42..444443
..424444p445
.44244444p45
.442444444p5
4442444p4445
44.2444pp445
4...44.pp445
p....4..4445
........4443
.......22.22
.......22.22
............
............"""

_SAUCER = """\
........
........
.....www
....wCCC
....wCCC
..444CCC
.4444444
45444444
44y44y44
34444444
.3333333
...22222
........
........
........
........"""

_ROCKET = """\
.......p
......pp
......pp
.....555
.....555
.....5cC
.....5cC
.....555
.....555
....p555
...pp555
...pp555
..ppp444
..p..222
........
........"""

_CAR = """\
........
...ppppp
..yppppp
..yPpppp
..pPpppp
.1pPpppp
.1pPCCCC
..pccccc
..pcPPPP
..pcPppp
..pcPppp
.1pccccc
.1pppppp
..pppppp
..rppppp
...ppppp"""

_TANK = """\
.......3
.......3
.111...3
.h11...3
.1hhhhh3
.h1hhhh3
.1hhhhhh
.h1hHHHh
.1hHHHHH
.h1HHHHH
.1hHHHHH
.h1hHHHH
.1hhhhhh
.h1hhhhh
.111hhhh
........"""

_BOAT = """\
.......s
......ss
......sM
.....ssM
....ssMM
....sMMM
...ssM55
...sMM55
...sMM55
...sMM55
...sMMMM
...sMmmm
...ssMMM
....ssss
........
........"""

_PLANE = """\
......22
......55
.....4pp
.....455
.....455
44444455
p4444455
44444455
...44455
.....4cC
.....455
.....455
......45
....4445
....p445
......44"""


def _with_flame(ship: Canvas, step: int, columns: tuple[int, ...], top: int) -> Pixels:
    """Draw the flames of engines below a ship."""
    for x in columns:
        for row in range((2, 3, 2, 1)[(step + x) % 4]):
            ship.dot(x, top + row, "y" if row == 0 else "O" if row == 1 else "p")
    ship.outline()
    return ship.pixels


def _fighter(step: int) -> Pixels:
    return _with_flame(_mirrored(_FIGHTER, 20, 16), step, (6, 7, 8, 9), 15)


def _cruiser(step: int) -> Pixels:
    return _with_flame(_mirrored(_CRUISER, 26, 24), step, (7, 8, 15, 16), 22)


def _rocket(step: int) -> Pixels:
    return _with_flame(_mirrored(_ROCKET, 20, 16, 1), step, (6, 7, 8, 9), 15)


def _saucer(step: int) -> Pixels:
    canvas = _mirrored(_SAUCER, 16, 16, 1)
    lights = [(2, 9), (5, 9), (10, 9), (13, 9)]
    for index, (x, y) in enumerate(lights):
        canvas.dot(x, y, "y" if (index + step) % 2 else "O")
    canvas.outline()
    return canvas.pixels


def _plain(drawing: str) -> Pixels:
    canvas = Canvas(18, 18)
    inner = _mirrored(drawing, 16, 16)
    canvas.paste(inner.pixels, 1, 1)
    canvas.outline()
    return canvas.pixels


def _plane(step: int) -> Pixels:
    canvas = Canvas(18, 18)
    canvas.paste(_mirrored(_PLANE, 16, 16).pixels, 1, 1)
    for x in range(5, 13) if step % 2 else range(7, 11):
        canvas.dot(x, 1, "3")
    canvas.outline()
    return canvas.pixels


def _asteroid(seed: int, size: int) -> Pixels:
    canvas = Canvas(size, size)
    random = np.random.default_rng(seed)
    middle = size / 2
    canvas.blob(middle, middle, size * 0.38, size * 0.36, "1122334")
    for _ in range(5):  # uneven sides
        turn = random.uniform(0, 2 * np.pi)
        x, y = middle + np.cos(turn) * size * 0.29, middle + np.sin(turn) * size * 0.27
        colors = "1223" if np.cos(turn) + np.sin(turn) > 0 else "2344"
        canvas.blob(x, y, size * 0.15, size * 0.14, colors)
    for _ in range(size // 5):
        x, y = (int(value) for value in random.integers(size // 4, 3 * size // 4, 2))
        canvas.rect(x, y, 2, 2, "1")
        canvas.dot(x + 1, y + 2, "4")
    canvas.outline()
    return canvas.pixels


def _planet(colors: str, land: str, seed: int) -> Pixels:
    canvas = Canvas(32, 32)
    canvas.blob(16, 16, 14.5, 14.5, colors)
    grain = noise(seed, 10, 10)
    y, x = np.mgrid[:32, :32]
    value = grain[y // 4 % 10, x // 5 % 10] + 0.5 * grain[(y + 2) // 3 % 10, (x + 3) // 4 % 10]
    inside = (x - 15.5) ** 2 + (y - 15.5) ** 2 < 13.5**2
    for letter, dark in zip(land, "ab", strict=True):
        shade = (x + y > 34) if dark == "b" else (x + y <= 34)
        canvas.fill(inside & shade & (value > 0.92), letter)
    canvas.outline()
    return canvas.pixels


def _shot(colors: str) -> Pixels:
    canvas = Canvas(8, 12)
    canvas.rect(3, 1, 2, 10, colors[1])
    canvas.rect(3, 2, 1, 8, colors[2])
    canvas.rect(2, 3, 4, 6, colors[1])
    canvas.rect(3, 3, 2, 6, colors[2])
    canvas.outline(colors[0])
    return canvas.pixels


def vehicles() -> dict[str, list[Pixels]]:
    """Return the vehicles by name. Vehicles with several images are animated."""
    car = _plain(_CAR)
    return {
        "fighter": [_fighter(step) for step in range(4)],
        "red_fighter": [
            swapped(_fighter(step), {"5": "P", "4": "p", "3": "R", "2": "r", "p": "y"})
            for step in range(4)
        ],
        "cruiser": [_cruiser(step) for step in range(4)],
        "rocket": [_rocket(step) for step in range(4)],
        "saucer": [_saucer(step) for step in range(2)],
        "car": [car],
        "blue_car": [swapped(car, {"P": "C", "p": "c", "R": "B", "r": "b"})],
        "yellow_car": [swapped(car, {"P": "Y", "p": "y", "R": "O", "r": "o"})],
        "tank": [_plain(_TANK)],
        "boat": [_plain(_BOAT)],
        "plane": [_plane(step) for step in range(2)],
        "asteroid": [_asteroid(4, 32)],
        "small_asteroid": [_asteroid(9, 16)],
        "planet": [_planet("bBBccC", "hG", 5)],
        "red_planet": [_planet("rRooOM", "mN", 8)],
        "shot": [_shot("BCw")],
        "red_shot": [_shot("rpY")],
    }


# -- particles -------------------------------------------------------------------------------------


def _puff(step: int, colors: str) -> Pixels:
    canvas = Canvas(16, 16)
    radius = (2.5, 4.5, 5.5, 6.0, 5.0, 3.0)[step]
    canvas.blob(8, 8, radius, radius, colors)
    if step > 2:  # the puff has holes
        grain = noise(2)
        canvas.pixels[grain < (0, 0, 0, 0.2, 0.45, 0.65)[step]] = 0
    return canvas.pixels


def _explosion(step: int) -> Pixels:
    canvas = Canvas(32, 32)
    random = np.random.default_rng(3)
    spread = (1, 5, 8, 10, 12, 13, 14)[step]
    radius = (6.0, 7.5, 7.0, 6.0, 4.6, 3.2, 1.8)[step]
    colors = ("YY55", "OyyY5", "pOOyY", "RpOOy", "1RpO", "122R", "1122")[step]
    for index in range(9):
        turn = index * 2 * np.pi / 9 + float(random.uniform(-0.3, 0.3))
        part = float(random.uniform(0.8, 1))
        x, y = 16 + np.cos(turn) * spread * part * 0.75, 16 + np.sin(turn) * spread * part * 0.75
        canvas.blob(x, y, radius * part, radius * part, colors)
    if step > 3:
        grain = noise(7, 32, 32)
        canvas.pixels[grain < (step - 3) * 0.16] = 0
    return canvas.pixels


def _flame(step: int) -> Pixels:
    canvas = Canvas(16, 16)
    for colors, size, low in (("p", 1.0, 0), ("O", 0.72, 1), ("y", 0.46, 1), ("Y", 0.24, 2)):
        for y in range(16):
            part = (15 - low - y) / (13 * size**0.6)
            if 0 <= part <= 1:
                half = (
                    5.4
                    * size
                    * (1 - part) ** 0.8
                    * (0.55 + 0.45 * np.sin(min(1, part * 4) * np.pi / 2))
                )
                sway = 1.6 * part * np.sin(step * np.pi / 2 + part * 5)
                for x in range(16):
                    if abs(x + 0.5 - 8 - sway) <= half:
                        canvas.dot(x, y, colors)
    return canvas.pixels


def _sparkle(step: int) -> Pixels:
    canvas = Canvas(16, 16)
    long = (1, 3, 5, 3)[step]
    for offset in range(-long, long + 1):
        color = "5" if abs(offset) < 2 else "Y" if abs(offset) < 4 else "y"
        canvas.dot(8 + offset, 8, color)
        canvas.dot(8, 8 + offset, color)
    if step in (1, 2):
        for dx, dy in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            canvas.dot(8 + dx, 8 + dy, "Y")
    return canvas.pixels


def _small(drawing: str) -> Pixels:
    rows = drawing.split("\n")
    canvas = Canvas(8, 8)
    canvas.stamp(drawing, (8 - max(map(len, rows))) // 2, (8 - len(rows)) // 2)
    return canvas.pixels


def _ring(step: int) -> Pixels:
    canvas = Canvas(32, 32)
    y, x = np.mgrid[:32, :32]
    distance = np.hypot(x - 15.5, y - 15.5)
    outer = (4, 8, 11, 13, 15)[step]
    thick = (4, 3.4, 2.6, 1.8, 1)[step]
    canvas.fill((distance <= outer) & (distance > outer - thick), "5wwCc"[step])
    return canvas.pixels


def particles() -> dict[str, tuple[list[Pixels], float, bool]]:
    """Return the particles: images, images per second, and whether they repeat."""
    return {
        "smoke": ([_puff(step, "2334") for step in range(6)], 10, False),
        "dust": ([_puff(step, "mMMss") for step in range(6)], 14, False),
        "cloud": ([_puff(step, "C55") for step in range(6)], 10, False),
        "explosion": ([_explosion(step) for step in range(7)], 14, False),
        "ring": ([_ring(step) for step in range(5)], 16, False),
        "flame": ([_flame(step) for step in range(4)], 10, True),
        "sparkle": ([_sparkle(step) for step in range(4)], 10, True),
        "spark": ([_small("yY\nOy")], 0, True),
        "drop": ([_small(".C.\nwcC\nCcc\n.B.")], 0, True),
        "bubble": ([_small(".CCC.\nC.w.c\nCw..c\nC...c\n.ccc.")], 0, True),
        "snow": ([_small(".5.\n555\n.4.")], 0, True),
        "leaf": ([_small("..hH\n.hHH\nhHh.\nGh..")], 0, True),
        "petal": ([_small(".UU\nUPu\nPu.")], 0, True),
        "heart": ([_small(".p.p.\nP5ppR\nPpppR\n.ppR.\n..R..")], 0, True),
        "star": ([_small("...y...\n..yYy..\nyyYYYyO\n.yYYyO.\n.yyyyO.\n.yO.yO.")], 0, True),
        "note": ([_small("..555\n..5.5\n..5.5\n55555\n55.55")], 0, True),
    }
