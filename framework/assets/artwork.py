"""Draw the built-in images of `fw.art`.

All images have flat colors, a dark outline, and light from the top left. An image is drawn when a
game first uses it. The images are in the public domain (CC0).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from PIL import Image, ImageDraw

from ..arrays import Pixels, Reals

Points = Sequence[tuple[float, float]]

_FINE = 8  # the number of sub-pixels along each side of a pixel, to draw smooth edges
_INK = "#2b2440"  # the color of the outline
_LINE = 3.0  # the width of the outline in pixels
WALK = 4
"""The number of images in one walk cycle."""


class _Canvas:
    """A canvas on which the built-in images are drawn as overlapping shapes with outlines.
    Positions are in pixels, y down.
    """

    def __init__(self, width: int, height: int) -> None:
        self._image = Image.new("RGBA", (width * _FINE, height * _FINE))
        self._draw = ImageDraw.Draw(self._image)

    def disc(
        self,
        x: float,
        y: float,
        radius: float,
        fill: str,
        *,
        tall: float = 1.0,
        line: float = _LINE,
    ) -> None:
        """Draw an ellipse with an outline. The height of the ellipse is ``tall`` times its
        width.
        """
        for outline, color in ((line, _INK), (0.0, fill)):
            if outline or color == fill:
                across = radius + outline
                up = radius * tall + outline
                box = [(value * _FINE) for value in (x - across, y - up, x + across, y + up)]
                self._draw.ellipse(box, fill=color)

    def shape(self, points: Points, fill: str, *, line: float = _LINE) -> None:
        """Draw a polygon with an outline. The corners of the outline are round."""
        corners = [(x * _FINE, y * _FINE) for x, y in points]
        if line:
            for start, end in zip(corners, corners[1:] + corners[:1], strict=True):
                self._draw.line([start, end], fill=_INK, width=round(2 * line * _FINE))
                x, y = start
                self._draw.ellipse(
                    [x - line * _FINE, y - line * _FINE, x + line * _FINE, y + line * _FINE],
                    fill=_INK,
                )
        self._draw.polygon(corners, fill=fill)

    def box(
        self,
        left: float,
        top: float,
        right: float,
        bottom: float,
        fill: str,
        *,
        round_: float = 0,
        line: float = _LINE,
    ) -> None:
        """Draw a box with round corners and an outline."""
        for outline, color in ((line, _INK), (0.0, fill)):
            if outline or color == fill:
                edges = [(left - outline) * _FINE, (top - outline) * _FINE]
                edges += [(right + outline) * _FINE - 1, (bottom + outline) * _FINE - 1]
                self._draw.rounded_rectangle(
                    edges, (round_ + outline if round_ else 0) * _FINE, fill=color
                )

    def image(self) -> Pixels:
        """Return the drawn image: uint8 (height, width, 4), read-only."""
        pixels = np.asarray(self._image, np.float32)
        weights = pixels[..., 3:] / 255
        fine = np.dstack([pixels[..., :3] * weights, weights])
        height = fine.shape[0] // _FINE
        width = fine.shape[1] // _FINE
        mean: Reals = fine.reshape(height, _FINE, width, _FINE, 4).mean(axis=(1, 3))
        # The mean color of covered sub-pixels only. Empty sub-pixels would make edges darker.
        colors: Reals = mean[..., :3] / np.maximum(mean[..., 3:], 1e-6)
        picture = np.dstack([colors, 255 * mean[..., 3]]).round().clip(0, 255).astype(np.uint8)
        picture.flags.writeable = False
        return picture


def _ring(x: float, y: float, outer: float, inner: float, tips: int, turn: float = 0.0) -> Points:
    """Return the corners of a star with ``tips`` tips. The first tip of the star points up."""
    radii = [outer, inner] * tips
    angles = [math.pi * (index / tips - 0.5) + turn for index in range(2 * tips)]
    return [(x + r * math.cos(a), y + r * math.sin(a)) for r, a in zip(radii, angles, strict=True)]


# -- objects ---------------------------------------------------------------------------------------


def ship() -> Pixels:
    """Return the image of a spaceship that points up, 64 × 64 pixels."""
    canvas = _Canvas(64, 64)
    canvas.shape([(26, 50), (38, 50), (32, 59)], "#ffb347")
    for side in (-1, 1):
        canvas.shape([(32 + side * 9, 30), (32 + side * 27, 50), (32 + side * 9, 48)], "#d94f6b")
    canvas.shape([(32, 4), (41, 20), (43, 50), (21, 50), (23, 20)], "#e8ecf4")
    canvas.shape([(32, 6), (34, 50), (23, 50), (24, 21)], "#ffffff", line=0)
    canvas.disc(32, 25, 5.5, "#4cc9f0", tall=1.3)
    canvas.disc(30.5, 22.5, 2, "#d9f6ff", line=0)
    return canvas.image()


def enemy() -> Pixels:
    """Return the image of a flying saucer with a pilot, 64 × 64 pixels."""
    canvas = _Canvas(64, 64)
    canvas.disc(32, 26, 14, "#b8f2e6")
    canvas.disc(32, 27, 7, "#7ae582")
    for side in (-1, 1):
        canvas.disc(32 + side * 3, 25, 2, _INK, line=0)
    canvas.disc(32, 39, 27, "#9d4edd", tall=0.4)
    canvas.disc(32, 36, 22, "#c77dff", tall=0.2, line=0)
    for offset in (-18, -6, 6, 18):
        canvas.disc(32 + offset, 42, 3, "#ffd166", line=1.5)
    return canvas.image()


def ball() -> Pixels:
    """Return the image of a ball, 64 × 64 pixels."""
    canvas = _Canvas(64, 64)
    canvas.disc(32, 32, 27, "#d6304a")
    canvas.disc(30, 30, 24, "#ef476f", line=0)
    canvas.disc(23, 22, 8, "#ff9fb2", line=0)
    canvas.disc(21, 20, 3.5, "#ffffff", line=0)
    return canvas.image()


def coin() -> Pixels:
    """Return the image of a coin, 48 × 48 pixels."""
    canvas = _Canvas(48, 48)
    canvas.disc(24, 24, 19.5, "#f2a900")
    canvas.disc(23, 23, 17.5, "#ffd166", line=0)
    canvas.shape(_ring(24, 25, 12, 5.5, 5), "#f2a900", line=0)
    canvas.disc(15, 15, 2.5, "#fff3c4", line=0)
    return canvas.image()


def star() -> Pixels:
    """Return the image of a star, 64 × 64 pixels."""
    canvas = _Canvas(64, 64)
    canvas.shape(_ring(32, 34, 28, 13, 5), "#ffd166")
    canvas.shape(_ring(30, 31, 13, 7, 5), "#fff0bf", line=0)
    return canvas.image()


def heart() -> Pixels:
    """Return the image of a heart, 64 × 64 pixels."""
    canvas = _Canvas(64, 64)
    turns = np.linspace(0, math.tau, 60, endpoint=False)
    across = 16 * np.sin(turns) ** 3  # the well-known heart curve
    up = 13 * np.cos(turns) - 5 * np.cos(2 * turns) - 2 * np.cos(3 * turns) - np.cos(4 * turns)
    canvas.shape(
        [(32 + 1.62 * x, 30 - 1.62 * y) for x, y in zip(across.tolist(), up.tolist(), strict=True)],
        "#ef476f",
    )
    canvas.disc(21, 22, 5, "#ff9fb2", line=0)
    return canvas.image()


def tree() -> Pixels:
    """Return the image of a tree, 64 × 96 pixels. The tree touches the bottom edge of the image."""
    canvas = _Canvas(64, 96)
    canvas.shape([(27, 62), (37, 62), (40, 91), (24, 91)], "#8a5a3b")
    for x, y, radius in ((20, 48, 15.5), (44, 48, 15.5), (32, 26, 19.5)):
        canvas.disc(x, y, radius, "#2a9d64")
    for x, y, radius in ((20, 48, 15), (44, 48, 15), (32, 44, 17), (32, 26, 19)):
        canvas.disc(x, y, radius, "#2fb573", line=0)
    for x, y, radius in ((26, 20, 8), (14, 43, 5), (40, 42, 5)):
        canvas.disc(x, y, radius, "#6ee7a8", line=0)
    return canvas.image()


def rock() -> Pixels:
    """Return the image of a rock, 64 × 64 pixels."""
    canvas = _Canvas(64, 64)
    outline = [(10, 40), (14, 20), (30, 7), (48, 12), (58, 32), (50, 54), (28, 59)]
    canvas.shape(outline, "#7d8597")
    canvas.shape([(14, 22), (30, 9), (46, 14), (40, 28), (22, 34)], "#a3abbd", line=0)
    canvas.shape([(28, 57), (49, 52), (56, 34), (42, 40)], "#5c677d", line=0)
    canvas.disc(24, 44, 4, "#5c677d", line=0)
    return canvas.image()


def crate() -> Pixels:
    """Return the image of a wooden crate, 64 × 64 pixels."""
    canvas = _Canvas(64, 64)
    canvas.box(5, 5, 59, 59, "#b97a4b", round_=3)
    for y in (23, 41):
        canvas.box(5, y - 1, 59, y + 1, "#8a5a3b", line=0)
    canvas.shape([(9, 47), (17, 55), (55, 17), (47, 9)], "#d69a64", line=2)
    for edges in ((5, 5, 59, 13), (5, 51, 59, 59), (5, 5, 13, 59), (51, 5, 59, 59)):
        canvas.box(*edges, "#d69a64", round_=1, line=1.5)
    return canvas.image()


def bullet() -> Pixels:
    """Return the image of a bolt of light that points up, 16 × 32 pixels."""
    canvas = _Canvas(16, 32)
    canvas.box(3, 3, 13, 29, "#4cc9f0", round_=5, line=2)
    canvas.box(6, 6, 10, 24, "#e0fbff", round_=2, line=0)
    return canvas.image()


def panel() -> Pixels:
    """Return the image of a panel, 48 × 48 pixels, for the background of texts and buttons.

    The corners are 16 × 16 pixels. The edges and the middle can be stretched, as in a 9-slice.
    """
    canvas = _Canvas(48, 48)
    canvas.box(4, 4, 44, 44, "#3d405b", round_=9)
    canvas.box(6, 6, 42, 40, "#4f5379", round_=7, line=0)
    canvas.box(8, 9, 40, 40, "#464a6d", round_=6, line=0)
    return canvas.image()


def _walker(swing: float) -> Pixels:
    """Return the image of a person who looks to the right. One foot is ``swing`` pixels in front of
    the middle, and the other is ``swing`` pixels behind it.
    """
    canvas = _Canvas(48, 64)
    bob = abs(swing) * 0.1
    for side, color in ((-1, "#2f4a6d"), (1, "#3a5a85")):
        foot = 24 + side * swing
        canvas.shape([(20, 44), (28, 44), (foot + 4, 58), (foot - 4, 58)], color, line=2.5)
        canvas.box(foot - 4, 55, foot + 7, 60, "#7a4b32", round_=2, line=2)
    canvas.box(15, 27 - bob, 33, 48 - bob, "#ef476f", round_=6)
    canvas.shape(
        [(22, 32 - bob), (28, 32 - bob), (25 - swing, 45 - bob), (19 - swing, 43 - bob)],
        "#d6304a",
        line=2,
    )
    canvas.disc(25, 17.5 - bob, 12, "#ffd6a5")
    hair = (12, 18), (13, 8), (25, 5), (37, 9), (37, 13), (20, 13)
    canvas.shape([(x, y - bob) for x, y in hair], "#5b3a29")
    canvas.disc(31, 19 - bob, 2, _INK, tall=1.4, line=0)
    canvas.disc(36, 22 - bob, 1.2, "#ff9f9f", line=0)
    return canvas.image()


def walker() -> tuple[Pixels, ...]:
    """Return four images of a person walking to the right, 48 × 64 pixels each. The first image can
    also show a person standing still.
    """
    return tuple(_walker(9 * math.sin(math.tau * step / WALK)) for step in range(WALK))


# -- the ground ------------------------------------------------------------------------------------


def _tile(
    fill: str, spots: str, seed: int, draw: Callable[[_Canvas], object] | None = None
) -> Pixels:
    """Return the image of a tile without an outline, 32 × 32 pixels. The tile has random spots,
    which are the same in every run.
    """
    canvas = _Canvas(32, 32)
    random = np.random.default_rng(seed)
    canvas.box(0, 0, 32, 32, fill, line=0)
    circles: list[tuple[float, float, float]] = random.uniform(
        (3, 3, 1), (29, 29, 2.4), (6, 3)
    ).tolist()
    for x, y, radius in circles:
        canvas.disc(x, y, radius, spots, line=0)
    if draw is not None:
        draw(canvas)
    return canvas.image()


def _turf(canvas: _Canvas) -> None:
    canvas.box(0, 0, 32, 9, "#52b788", line=0)
    for x in range(0, 32, 8):
        canvas.shape([(x, 8), (x + 8, 8), (x + 4, 13)], "#52b788", line=0)
    canvas.box(0, 0, 32, 3, "#74c69d", line=0)


def _bricks(canvas: _Canvas) -> None:
    canvas.box(0, 0, 32, 32, "#6b4a5e", line=0)
    for row in range(4):
        for x in range(-8 if row % 2 else 0, 32, 16):
            canvas.box(x + 1, 8 * row + 1, x + 15, 8 * row + 7, "#b5656b", round_=1, line=0)
            canvas.box(x + 1, 8 * row + 1, x + 15, 8 * row + 3, "#cf8087", round_=1, line=0)


def _waves(canvas: _Canvas) -> None:
    for y in (6, 17, 27):
        curve = [(x, y + 1.6 * math.sin(math.tau * x / 16)) for x in range(0, 33, 2)]
        canvas.shape(
            [*curve, *((x, height + 2) for x, height in reversed(curve))], "#7cc6fe", line=0
        )


def tiles() -> tuple[Pixels, ...]:
    """Return the images of six tiles, 32 × 32 pixels each: turf, earth, stone, bricks, sand and
    water, in this order.
    """
    return (
        _tile("#9c6644", "#87552f", 1, _turf),
        _tile("#9c6644", "#87552f", 2),
        _tile("#8d99ae", "#77839a", 3),
        _tile("#6b4a5e", "#6b4a5e", 4, _bricks),
        _tile("#f2d49b", "#dfbb78", 5),
        _tile("#3f8efc", "#3f8efc", 6, _waves),
    )


IMAGES: dict[str, Callable[[], Pixels | Sequence[Pixels]]] = {
    draw.__name__: draw
    for draw in (
        ball,
        bullet,
        coin,
        crate,
        enemy,
        heart,
        panel,
        rock,
        ship,
        star,
        tiles,
        tree,
        walker,
    )
}
"""The functions that draw the built-in images, by image name."""
