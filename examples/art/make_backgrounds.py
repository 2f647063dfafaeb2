"""Backgrounds: draws the layers behind the games of the built-in pixel art.

`make_set.py` packs the images. All images are in the public domain (CC0). A background has layers
from far to near, each of 320 × 180 pixels. Each layer repeats in x without a seam.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pixels import Canvas, Pixels

WIDTH, HEIGHT = 320, 180


def _canvas() -> Canvas:
    return Canvas(WIDTH, HEIGHT)


def ridge(seed: int, base: float, size: float, waves: Sequence[int]) -> NDArray[np.intp]:
    """Return the height of the ground in each column: a sum of waves that repeat over the width."""
    random = np.random.default_rng(seed)
    x = np.arange(WIDTH) / WIDTH * 2 * np.pi
    total = sum(np.sin(x * wave + random.uniform(0, 7)) / wave**0.8 for wave in waves)
    return np.round(base - size * total).astype(int)


def _sky(canvas: Canvas, colors: str, ends: Sequence[float]) -> None:
    """Draw bands of colors with dithered borders. ``ends`` are the lower ends, from 0 to 1."""
    pattern = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) / 16
    for y in range(HEIGHT):
        for x in range(WIDTH):
            part = y / HEIGHT + (pattern[y % 4, x % 4] - 0.5) * 0.05
            index = sum(part > end for end in ends[: len(colors) - 1])
            canvas.dot(x, y, colors[index])


def _ground(
    canvas: Canvas, tops: NDArray[np.intp], body: str, edge: str = "", thick: int = 2
) -> None:
    for x in range(WIDTH):
        for y in range(max(0, tops[x]), HEIGHT):
            canvas.dot(x, y, edge if edge and y < tops[x] + thick else body)


def _wrapped_blob(
    canvas: Canvas, x: float, y: float, across: float, down: float, colors: str
) -> None:
    for shift in (-WIDTH, 0, WIDTH):
        if -across <= x + shift <= WIDTH + across:
            canvas.blob(x + shift, y, across, down, colors)


def _cloud(canvas: Canvas, x: int, y: int, size: float, colors: str) -> None:
    for dx, dy, radius in ((-12, 2, 7), (0, -2, 10), (12, 1, 8), (4, 3, 9), (-5, 3, 8)):
        _wrapped_blob(
            canvas, x + dx * size, y + dy * size, radius * size, radius * 0.62 * size, colors
        )
    bottom = round(y + 5 * size)
    for row in range(bottom, min(HEIGHT, bottom + round(9 * size))):
        for column in range(round(x - 22 * size), round(x + 24 * size)):
            canvas.erase(column % WIDTH, row)


def _stars(canvas: Canvas, seed: int, count: int, colors: str, bottom: int = HEIGHT) -> None:
    random = np.random.default_rng(seed)
    for _ in range(count):
        x, y = int(random.integers(2, WIDTH - 2)), int(random.integers(2, bottom - 2))
        color = colors[int(random.integers(len(colors)))]
        canvas.dot(x, y, color)
        if random.random() < 0.08:
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                canvas.dot(x + dx, y + dy, "c")


def _conifer(canvas: Canvas, x: int, ground: int, high: int, body: str, light: str) -> None:
    for row in range(high):
        part = row % (high // 3 + 1) / (high // 3 + 1)
        half = (0.35 + 0.65 * row / high) * high * 0.28 * (0.45 + 0.55 * part) + 0.5
        for column in range(int(-half), int(half) + 1):
            color = light if column < -half * 0.3 else body
            canvas.dot((x + column) % WIDTH, ground - high + row, color)
    canvas.rect(x % WIDTH, ground, 1, 4, body)


def hills() -> list[Pixels]:
    sky = _canvas()
    _sky(sky, "cCCww", (0.2, 0.4, 0.55, 0.72))
    sky.blob(250, 38, 15, 15, "YY5")
    clouds = _canvas()
    for x, y, size in ((50, 40, 1.0), (150, 70, 0.7), (215, 30, 0.8), (300, 60, 1.1)):
        _cloud(clouds, x, y, size, "Cw555")
    mountains = _canvas()
    tops = ridge(4, 104, 20, (1, 2, 3, 5, 8))
    _ground(mountains, tops, "3", "4", 1)
    for x in range(WIDTH):
        for y in range(tops[x], 92 + (0, 3, 5, 2, 1, 4, 6, 3)[x // 2 % 8]):
            mountains.dot(x, y, "5" if y < tops[x] + 6 else "4")
    far = _canvas()
    _ground(far, ridge(9, 132, 9, (1, 2, 3, 5)), "G", "h", 3)
    random = np.random.default_rng(3)
    tops = ridge(9, 132, 9, (1, 2, 3, 5))
    for x in range(4, WIDTH, 9):
        column = x + int(random.integers(-3, 4))
        _conifer(far, column, int(tops[column % WIDTH]) + 3, int(random.integers(9, 16)), "g", "G")
    near = _canvas()
    tops = ridge(12, 156, 7, (1, 2, 4))
    _ground(near, tops, "h", "H", 3)
    for x in range(6, WIDTH, 23):
        column = x + int(random.integers(-6, 7))
        size = float(random.uniform(5, 9))
        _wrapped_blob(near, column, float(tops[column % WIDTH]), size, size * 0.8, "GhhH")
    return [sky.pixels, clouds.pixels, mountains.pixels, far.pixels, near.pixels]


def forest() -> list[Pixels]:
    sky = _canvas()
    _sky(sky, "iHhG", (0.12, 0.3, 0.52))
    layers = [sky.pixels]
    random = np.random.default_rng(6)
    for body, light, canopy, gap, wide, base in (
        ("G", "h", "Gh", 19, 3, 150),
        ("g", "G", "gG", 31, 5, 160),
        ("1", "g", "kg", 58, 9, 168),
    ):
        layer = _canvas()
        for x in range(gap // 2, WIDTH, gap):
            column = x + int(random.integers(-gap // 4, gap // 4 + 1))
            for offset in range(-wide, wide + 1):
                color = light if offset < -wide * 0.4 else body
                for y in range(HEIGHT):
                    if abs(offset) <= wide * (0.62 + 0.38 * (y > base - 8)):
                        layer.dot((column + offset) % WIDTH, y, color)
            for _ in range(5):
                radius = float(random.uniform(gap * 0.35, gap * 0.5))
                dx, dy = float(random.uniform(-gap / 2, gap / 2)), float(random.uniform(-4, 20))
                _wrapped_blob(layer, column + dx, dy, radius, radius * 0.75, canopy)
        tops = ridge(int(random.integers(99)), base, 3, (1, 2, 3, 7))
        _ground(layer, tops, body, light, 2)
        for x in range(0, WIDTH, 3):
            high = int(random.integers(1, 5))
            layer.rect(x, int(tops[x]) - high, 1, high, light)
        layers.append(layer.pixels)
    return layers


def night() -> list[Pixels]:
    sky = _canvas()
    _sky(sky, "kbbvV", (0.2, 0.45, 0.62, 0.82))
    _stars(sky, 2, 110, "45wC", 120)
    sky.blob(70, 44, 17, 17, "sYY")
    for y in range(HEIGHT):
        for x in range(50, 100):
            if (x - 78) ** 2 + (y - 39) ** 2 < 210 and (x - 70) ** 2 + (y - 44) ** 2 < 289:
                sky.dot(x, y, "b")
    mountains = _canvas()
    _ground(mountains, ridge(14, 112, 18, (1, 2, 3, 5, 9)), "v", "V", 1)
    town = _canvas()
    random = np.random.default_rng(11)
    tops = ridge(15, 146, 3, (1, 2, 3))
    x = 0
    while x < WIDTH - 6:
        wide, high = int(random.integers(9, 18)), int(random.integers(10, 34))
        wide = min(wide, WIDTH - x)
        top = int(tops[x]) - high
        town.rect(x, top, wide, HEIGHT - top, "1")
        town.rect(x, top, 1, HEIGHT - top, "2")
        for row in range(5):
            inset = row * wide // 10
            town.rect(x + inset, top - 1 - row, max(1, wide - 2 * inset), 1, "1")
        for y in range(top + 4, 150, 6):
            for column in range(x + 3, x + wide - 3, 4):
                if random.random() < 0.4:
                    town.rect(column, y, 2, 2, "y" if random.random() < 0.8 else "O")
        x += wide + int(random.integers(0, 5))
    near = _canvas()
    tops = ridge(17, 160, 5, (1, 2, 4))
    _ground(near, tops, "k", "b", 1)
    for x in range(5, WIDTH, 17):
        column = x + int(random.integers(-5, 6))
        _conifer(
            near, column, int(tops[column % WIDTH]) + 3, int(random.integers(14, 26)), "k", "b"
        )
    return [sky.pixels, mountains.pixels, town.pixels, near.pixels]


def cave() -> list[Pixels]:
    back = _canvas()
    _sky(back, "k1k", (0.34, 0.68))
    layers = [back.pixels]
    for index, (body, light, up, down) in enumerate((("1", "2", 26, 150), ("k", "1", 12, 166))):
        layer = _canvas()
        random = np.random.default_rng(20 + index)
        ceiling = ridge(30 + index, up, 8, (1, 2, 3, 7))
        floor = ridge(40 + index, down, 7, (1, 2, 4, 6))
        for center in range(12, WIDTH, 36 - 4 * index):
            place = center + int(random.integers(-9, 10))
            long, tall = int(random.integers(14, 46)), int(random.integers(6, 30))
            for offset in range(-8, 9):
                column = (place + offset) % WIDTH
                ceiling[column] += max(0, round(long * (1 - abs(offset) / 8) ** 1.7))
                shifted = (column + 17) % WIDTH
                floor[shifted] -= max(0, round(tall * (1 - abs(offset) / 8) ** 1.7))
        for x in range(WIDTH):
            for y in range(HEIGHT):
                if y < ceiling[x] or y > floor[x]:
                    near = y >= ceiling[x] - 2 if y < ceiling[x] else y <= floor[x] + 2
                    layer.dot(x, y, light if near else body)
        if index == 0:
            for x in range(20, WIDTH, 64):
                place = x + int(random.integers(-12, 13))
                ground = int(floor[place % WIDTH])
                for lean, high, colors in ((-2, 9, "BcC"), (0, 14, "cCw"), (3, 8, "BcC")):
                    for row in range(high):
                        wide = 1 if row < 3 else 2
                        column = place + lean * row // 5 + lean
                        for offset in range(-wide, wide + 1):
                            shade = colors[2 if offset < 0 else 1 if offset == 0 else 0]
                            layer.dot((column + offset) % WIDTH, ground + 2 - high + row, shade)
        layers.append(layer.pixels)
    return layers


def space() -> list[Pixels]:
    back = _canvas()
    back.rect(0, 0, WIDTH, HEIGHT, "k")
    x, y = np.meshgrid(np.arange(WIDTH) / WIDTH * 2 * np.pi, np.arange(HEIGHT) / HEIGHT * 4)
    cloud = (
        np.sin(x + 1.3 * np.sin(y))
        + 0.7 * np.sin(2 * x - 2.2 * y + 1)
        + 0.5 * np.sin(3 * x + 3 * y)
    )
    pattern = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) / 16
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    level = cloud + (pattern[rows % 4, columns % 4] - 0.5) * 0.9
    back.fill(level > 0.8, "b")
    back.fill(level > 1.45, "v")
    _stars(back, 31, 130, "23")
    far = _canvas()
    _stars(far, 32, 60, "4w")
    far.blob(238, 62, 27, 27, "vVVuU", dither=True)
    for turn in np.linspace(0, 2 * np.pi, 400):
        across, down = 44 * np.cos(turn), 7 * np.sin(turn)
        x_ring, y_ring = 238 + across - 0.2 * down, 62 + down + 0.22 * across
        behind = down < 0 and across**2 + (down + 0.22 * across) ** 2 < 27**2
        if not behind:
            far.rect(round(x_ring), round(y_ring), 1, 2, "s" if across < 10 else "M")
    near = _canvas()
    _stars(near, 33, 26, "5")
    near.blob(60, 128, 9, 9, "1233", dither=False)
    for dx, dy in ((-3, -2), (2, 3), (3, -4)):
        near.rect(60 + dx, 128 + dy, 2, 2, "1")
    return [back.pixels, far.pixels, near.pixels]


def backgrounds() -> dict[str, list[Pixels]]:
    """Return the layers of each background, from far to near."""
    return {
        "cave": cave(),
        "forest": forest(),
        "hills": hills(),
        "night": night(),
        "space": space(),
    }
