"""Pixels: the palette and the canvas of the built-in pixel art.

The scripts `make_characters.py`, `make_platformer.py`, … of this folder draw with this module. Light comes from above left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Mask = NDArray[np.bool_]

PALETTE = {
    "k": "#1f1833",  # ink: outlines
    "1": "#3a3358",  # grays, from dark violet to white
    "2": "#5a5a80",
    "3": "#8a90b0",
    "4": "#bcc8dc",
    "5": "#ffffff",
    "g": "#1c4a50",  # greens, from blue to yellow
    "G": "#2c7d4c",
    "h": "#55aa44",
    "H": "#9bd14b",
    "i": "#e0f078",
    "n": "#46263a",  # browns, from violet to sand
    "N": "#763f3d",
    "m": "#a8693f",
    "M": "#d69c5c",
    "s": "#f4d494",
    "r": "#701f42",  # reds, from violet to pink
    "R": "#b32c4c",
    "p": "#e8504f",
    "P": "#ff9484",
    "o": "#c65a2c",  # orange and yellow
    "O": "#f59a38",
    "y": "#ffd04c",
    "Y": "#fff4ac",
    "b": "#232f66",  # blues, from violet to cyan
    "B": "#2f5db0",
    "c": "#3f9fe0",
    "C": "#84d8f4",
    "w": "#d8f6ff",
    "v": "#4a286c",  # violets
    "V": "#7e3f9c",
    "u": "#bc6cc8",
    "U": "#f4b0dc",
    "f": "#b0664e",  # skin; the fourth skin color is "s"
    "F": "#e8a070",
    "S": "#ffd0a0",
}
"""The colors of the set, each with the letter that the drawings use."""

COLORS: dict[str, tuple[int, int, int, int]] = {
    letter: (int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16), 255)
    for letter, color in PALETTE.items()
}


class Canvas:
    """A small image. Positions are in pixels from the top left corner, y down. Drawing outside of
    the image has no effect.
    """

    def __init__(self, width: int, height: int) -> None:
        self.pixels: Pixels = np.zeros((height, width, 4), np.uint8)

    @property
    def width(self) -> int:
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        return int(self.pixels.shape[0])

    def dot(self, x: float, y: float, color: str) -> None:
        column, row = round(x), round(y)
        if 0 <= column < self.width and 0 <= row < self.height:
            self.pixels[row, column] = COLORS[color]

    def get(self, x: int, y: int) -> str:
        """Return the letter of a pixel's color, or "." for a transparent pixel."""
        if not (0 <= x < self.width and 0 <= y < self.height) or not self.pixels[y, x, 3]:
            return "."
        pixel = tuple(self.pixels[y, x].tolist())
        return next((letter for letter, color in COLORS.items() if color == pixel), "?")

    def rect(self, x: int, y: int, width: int, height: int, color: str) -> None:
        for row in range(y, y + height):
            for column in range(x, x + width):
                self.dot(column, row, color)

    def stamp(self, drawing: str, x: int, y: int, swap: Mapping[str, str] | None = None) -> None:
        """Draw rows of letters. "." is transparent, and "_" erases. ``swap`` replaces colors."""
        for row, line in enumerate(drawing.split("\n")):
            for column, letter in enumerate(line):
                if letter == "_":
                    self.erase(x + column, y + row)
                elif letter not in ". ":
                    self.dot(x + column, y + row, (swap or {}).get(letter, letter))

    def erase(self, x: int, y: int) -> None:
        if 0 <= x < self.width and 0 <= y < self.height:
            self.pixels[y, x] = 0

    def line(
        self, start: tuple[float, float], end: tuple[float, float], color: str, thick: int = 1
    ) -> None:
        """Draw a line. ``thick`` is the side of the square pen, whose top left corner is drawn at
        the points of the line.
        """
        steps = max(1, round(max(abs(end[0] - start[0]), abs(end[1] - start[1]))))
        for step in range(steps + 1):
            x = start[0] + (end[0] - start[0]) * step / steps
            y = start[1] + (end[1] - start[1]) * step / steps
            self.rect(int(np.floor(x + 0.5)), int(np.floor(y + 0.5)), thick, thick, color)

    def blob(
        self,
        x: float,
        y: float,
        across: float,
        down: float,
        colors: str,
        *,
        light: tuple[float, float] = (-0.5, -0.6),
        dither: bool = False,
    ) -> None:
        """Draw an ellipse with the center (x, y) and the radii ``across`` and ``down``.

        ``colors`` are its colors from dark to light. The light comes from above left.
        """
        rows, columns = np.mgrid[: self.height, : self.width]
        u, v = (columns + 0.5 - x) / across, (rows + 0.5 - y) / down
        inside = u * u + v * v <= 1
        depth = np.sqrt(np.maximum(0, 1 - u * u - v * v))
        shade = (light[0] * u + light[1] * v + 0.62 * depth) / 1.05
        bands = np.clip((shade + 0.55) / 1.5, 0, 0.999) * len(colors)
        if dither:
            bands = bands + 0.35 * ((rows + columns) % 2 - 0.5)
        index = np.clip(bands.astype(int), 0, len(colors) - 1)
        table = np.array([COLORS[letter] for letter in colors], np.uint8)
        self.pixels[inside] = table[index[inside]]

    def fill(self, where: Mask, color: str) -> None:
        self.pixels[where] = COLORS[color]

    def outline(self, color: str = "k", corners: bool = False) -> None:
        """Draw an outline of one pixel around everything that has been drawn so far."""
        solid = self.pixels[..., 3] > 0
        around = np.pad(solid, 1)
        beside = around[:-2, 1:-1] | around[2:, 1:-1] | around[1:-1, :-2] | around[1:-1, 2:]
        if corners:
            beside |= around[:-2, :-2] | around[2:, 2:] | around[2:, :-2] | around[:-2, 2:]
        self.fill(beside & ~solid, color)

    def paste(self, image: Pixels, x: int, y: int) -> None:
        """Draw the opaque pixels of another image."""
        for row in range(image.shape[0]):
            for column in range(image.shape[1]):
                inside = 0 <= y + row < self.height and 0 <= x + column < self.width
                if image[row, column, 3] and inside:
                    self.pixels[y + row, x + column] = image[row, column]

    def swap(self, colors: Mapping[str, str]) -> None:
        """Replace colors in the whole image."""
        self.pixels = swapped(self.pixels, colors)


def swapped(pixels: Pixels, colors: Mapping[str, str]) -> Pixels:
    """Return a copy of an image with other colors: ``{"r": "b"}`` makes dark red dark blue."""
    result = pixels.copy()
    for old, new in colors.items():
        result[(pixels == COLORS[old]).all(axis=-1)] = COLORS[new]
    return result


def flash(pixels: Pixels, color: str = "5") -> Pixels:
    """Return an image in one color, with the same outline. Use this image to flash a sprite that is
    hit."""
    result = pixels.copy()
    covered = pixels[..., 3] > 0
    ink = (pixels == COLORS["k"]).all(axis=-1)
    result[covered & ~ink] = COLORS[color]
    return result


def shifted(pixels: Pixels, dx: int, dy: int) -> Pixels:
    """Return an image moved by whole pixels. The pixels that become free are empty."""
    result = np.zeros_like(pixels)
    height, width = pixels.shape[:2]
    top, left = max(0, dy), max(0, dx)
    bottom, right = min(height, height + dy), min(width, width + dx)
    result[top:bottom, left:right] = pixels[top - dy : bottom - dy, left - dx : right - dx]
    return result


def noise(seed: int, width: int = 16, height: int = 16) -> NDArray[np.float64]:
    """Return random numbers from 0 to 1, the same in every run."""
    return np.random.default_rng(seed).random((height, width))


def frames(count: int, draw: Callable[[int], Pixels]) -> list[Pixels]:
    return [draw(step) for step in range(count)]


def side_by_side(images: Iterable[Pixels], gap: int = 1) -> Pixels:
    """Return images in one row, with empty pixels between them."""
    listed = list(images)
    height = max(image.shape[0] for image in listed)
    width = sum(image.shape[1] + gap for image in listed) - gap
    row = np.zeros((height, width, 4), np.uint8)
    x = 0
    for image in listed:
        row[: image.shape[0], x : x + image.shape[1]] = image
        x += image.shape[1] + gap
    return row
