"""Art: draws most images in this folder: ``python make_art.py``.

Shapes are drawn at four times their size and scaled down, so that edges are soft. All images use
one palette.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageColor, ImageDraw, ImageFilter

HERE = Path(__file__).parent
FINE = 4  # supersampling

NIGHT, INDIGO, VIOLET, ROSE = "#0a0e29", "#232a66", "#5d4b97", "#f2a3a4"
CREAM, AMBER, CORAL, PLUM = "#fff4dc", "#ffc666", "#ff7d5e", "#8a4b7c"
MINT, TEAL, LEAF, PINE = "#b4f2c8", "#3fc1b4", "#86c96a", "#2f7262"
SKY, STONE, SLATE, BARK = "#8fd0ff", "#a7a3c4", "#5a587f", "#7b5442"

Points = Sequence[tuple[float, float]]
Box = tuple[float, float, float, float]


class Picture:
    """A transparent image of ``width`` x ``height`` pixels.

    Positions are pixels from the top left corner, y down. Each shape has a vertical gradient from
    the color ``top`` to the color ``bottom``. ``soft`` blurs the shape.
    """

    def __init__(self, width: int, height: int) -> None:
        self.size = width, height
        self.canvas = Image.new("RGBA", (width * FINE, height * FINE))

    def polygon(
        self, points: Points, top: str, bottom: str = "", *, alpha: float = 1, soft: float = 0
    ) -> None:
        mask = self._mask()
        ImageDraw.Draw(mask).polygon([(x * FINE, y * FINE) for x, y in points], fill=255)
        self._fill(mask, top, bottom, alpha, soft)

    def ellipse(
        self, box: Box, top: str, bottom: str = "", *, alpha: float = 1, soft: float = 0
    ) -> None:
        mask = self._mask()
        ImageDraw.Draw(mask).ellipse([edge * FINE for edge in box], fill=255)
        self._fill(mask, top, bottom, alpha, soft)

    def box(
        self,
        box: Box,
        top: str,
        bottom: str = "",
        *,
        round: float = 0,
        alpha: float = 1,
        soft: float = 0,
    ) -> None:
        mask = self._mask()
        ImageDraw.Draw(mask).rounded_rectangle(
            [edge * FINE for edge in box], round * FINE, fill=255
        )
        self._fill(mask, top, bottom, alpha, soft)

    def line(self, points: Points, width: float, color: str, *, alpha: float = 1) -> None:
        """Draw a line with round ends and corners."""
        mask, half = self._mask(), width / 2 * FINE
        draw, fine = ImageDraw.Draw(mask), [(x * FINE, y * FINE) for x, y in points]
        draw.line(fine, fill=255, width=round(width * FINE))
        for x, y in fine:
            draw.ellipse((x - half, y - half, x + half, y + half), fill=255)
        self._fill(mask, color, "", alpha, 0)

    def done(self) -> Image.Image:
        return self.canvas.resize(self.size, Image.Resampling.BOX)

    def _mask(self) -> Image.Image:
        return Image.new("L", self.canvas.size)

    def _fill(self, mask: Image.Image, top: str, bottom: str, alpha: float, soft: float) -> None:
        _, low, _, high = mask.getbbox() or (0, 0, 0, 1)
        if soft:
            mask = mask.filter(ImageFilter.GaussianBlur(soft * FINE))
        rows = np.clip((np.arange(mask.height) - low) / (high - low), 0, 1)
        paint = np.empty((mask.height, mask.width, 4), np.uint8)
        paint[..., :3] = blend(top, bottom or top, rows)[:, None]
        paint[..., 3] = np.asarray(mask) * alpha
        self.canvas.alpha_composite(Image.fromarray(paint))


def blend(first: str, second: str, share: np.ndarray) -> np.ndarray:
    """Return colors between two colors, (n, 3) from 0 to 255."""
    a, b = np.array(ImageColor.getrgb(first)), np.array(ImageColor.getrgb(second))
    return a + (b - a) * share[:, None]


def sheet(pictures: Sequence[Image.Image], columns: int) -> Image.Image:
    """Return images of one size side by side, row by row."""
    width, height = pictures[0].size
    result = Image.new("RGBA", (columns * width, -(-len(pictures) // columns) * height))
    for at, picture in enumerate(pictures):
        result.paste(picture, (at % columns * width, at // columns * height))
    return result


def glow(
    size: int, color: str = "#ffffff", power: float = 2.0, strength: float = 1.0
) -> Image.Image:
    """Return a round light, brightest at its center and transparent at its border."""
    x = (np.arange(size) + 0.5) / size * 2 - 1
    light = np.clip(1 - np.hypot(x, x[:, None]), 0, 1) ** power * strength
    pixels = np.empty((size, size, 4), np.uint8)
    pixels[..., :3] = ImageColor.getrgb(color)
    pixels[..., 3] = np.round(light * 255)
    return Image.fromarray(pixels)


# -- 01: a lake at night ---------------------------------------------------------------------------


def night() -> Image.Image:
    """Return sky, hills and their reflection in the water. The shore is at two thirds of the
    height.
    """
    width, height, shore = 960, 540, 380
    rng = np.random.default_rng(11)
    picture = Picture(width, height)
    picture.box((0, 0, width, 260), NIGHT, INDIGO)
    picture.box((0, 260, width, shore), INDIGO, PLUM)
    for x, y in zip(rng.uniform(0, width, 130), rng.uniform(0, 1, 130) ** 1.6 * 300, strict=True):
        radius = rng.choice([0.6, 0.8, 1.2], p=[0.5, 0.35, 0.15])
        picture.ellipse(
            (x - radius, y - radius, x + radius, y + radius), CREAM, alpha=rng.uniform(0.35, 0.95)
        )
    picture.ellipse((736, 64, 812, 140), CREAM, AMBER)
    picture.ellipse((756, 54, 832, 130), "#10153a", "#171c48")
    x = np.linspace(0, width, 97)
    for color, mist, base, waves in (
        ("#4a3a75", "#7b4a7d", 95, ((52, 0.0071, 1.0), (20, 0.021, 0.3))),
        ("#30295f", "#4c3a72", 52, ((38, 0.0094, 4.1), (13, 0.031, 1.7))),
        ("#1a1a47", "#241f4f", 22, ((20, 0.0131, 2.2), (8, 0.043, 0.9))),
    ):
        ridge = shore - base - sum(size * np.sin(x * often + start) for size, often, start in waves)
        picture.polygon(
            [*zip(x, np.minimum(ridge, shore), strict=True), (width, shore), (0, shore)],
            color,
            mist,
        )
    image = picture.done()
    water = image.crop((0, 2 * shore - height, width, shore)).transpose(
        Image.Transpose.FLIP_TOP_BOTTOM
    )
    water = Image.blend(
        water.filter(ImageFilter.GaussianBlur(2)), Image.new("RGBA", water.size, NIGHT), 0.45
    )
    image.paste(water, (0, shore))
    ripples = Picture(width, height)
    for _ in range(60):
        y = shore + 6 + 150 * rng.uniform() ** 1.5
        x0, length = rng.uniform(0, width), rng.uniform(20, 110) * (0.4 + (y - shore) / 120)
        ripples.line([(x0, y), (x0 + length, y)], 1.2, STONE, alpha=rng.uniform(0.04, 0.16))
    image.alpha_composite(ripples.done())
    return image.convert("RGB")


def lantern() -> Image.Image:
    picture = Picture(72, 88)
    picture.polygon(
        [(22, 22), (50, 22), (56, 48), (49, 66), (23, 66), (16, 48)], "#ff9a55", "#ffdf8e", soft=0.8
    )
    picture.ellipse((26, 40, 46, 68), CREAM, CREAM, alpha=0.8, soft=4)
    picture.ellipse((23, 63, 49, 69), "#b8543f", "#e88a50")
    for x in (29, 43):
        picture.line([(x, 23), (x + (x - 36) * 0.5, 48), (x, 66)], 0.8, CORAL, alpha=0.5)
    return picture.done()


# -- 02: fixed ticks -------------------------------------------------------------------------------


def ball() -> Image.Image:
    picture = Picture(36, 36)
    picture.ellipse((2, 2, 34, 34), "#ffffff", "#d4d4e4")
    picture.ellipse((8, 6, 20, 15), "#ffffff", alpha=0.9, soft=1.5)
    return picture.done()


def needle() -> Image.Image:
    """Return a pointer to the right, which turns around its left end."""
    picture = Picture(72, 24)
    picture.polygon([(12, 6.5), (69, 11), (69, 13), (12, 17.5)], "#ffffff", "#d4d4e4")
    picture.ellipse((3, 3, 21, 21), "#ffffff", "#d4d4e4")
    return picture.done()


def card() -> Image.Image:
    picture = Picture(446, 420)
    picture.box((0, 0, 445.5, 419.5), "#262c5e", "#191d45", round=14)
    for y in (140, 141):
        picture.line([(24, y), (422, y)], 0.8, NIGHT, alpha=0.5)
    return picture.done()


# -- 03: sprites -----------------------------------------------------------------------------------


def puff(top: str, bottom: str, ears: str) -> Image.Image:
    """Return a small round creature with ears: ``"round"``, ``"tall"``, ``"leaf"`` or ``"horn"``."""
    picture = Picture(32, 32)
    if ears == "round":
        for x in (4.5, 18.5):
            picture.ellipse((x, 2, x + 9, 11), bottom)
    elif ears == "tall":
        for x in (7, 19.5):
            picture.ellipse((x, 0.5, x + 5.5, 15), bottom)
    elif ears == "leaf":
        picture.polygon([(16, 9), (11, 1.5), (17, 3.5), (22, 0.5), (20, 6)], PINE)
    else:
        picture.polygon([(6, 9), (6.5, 1), (13, 7)], CREAM)
        picture.polygon([(26, 9), (25.5, 1), (19, 7)], CREAM)
    picture.ellipse((7, 26, 14, 31), bottom)
    picture.ellipse((18, 26, 25, 31), bottom)
    picture.ellipse((2.5, 6, 29.5, 29.5), top, bottom)
    picture.ellipse((8, 16, 24, 29), CREAM, alpha=0.38)
    for x in (10.8, 21.2):
        picture.ellipse((x - 1.9, 14, x + 1.9, 18.4), NIGHT)
        picture.ellipse((x - 1.2, 14.4, x + 0.4, 16), "#ffffff")
        picture.ellipse((x - 2.4, 19.4, x + 2.4, 21.8), CORAL, alpha=0.5)
    picture.line([(14.6, 19.2), (16, 20.2), (17.4, 19.2)], 1.1, NIGHT)
    return picture.done()


def puffs() -> Image.Image:
    return sheet(
        [
            puff("#ffe19a", AMBER, "round"),
            puff("#ffb096", CORAL, "horn"),
            puff("#c9f7d9", "#6fd6a8", "leaf"),
            puff("#c2e6ff", "#77b5f5", "tall"),
            puff("#dccdff", "#a58af0", "round"),
            puff("#ffd0de", "#f58fb2", "tall"),
        ],
        6,
    )


# -- 04: the ship ----------------------------------------------------------------------------------


def ship() -> Image.Image:
    """Return a ship that points right."""
    picture = Picture(56, 44)
    picture.polygon(
        [(6, 3), (14, 2), (36, 18), (36, 26), (14, 42), (6, 41), (14, 22)], CORAL, "#c9445a"
    )
    picture.polygon([(4, 14), (12, 17), (12, 27), (4, 30)], SLATE, "#34325a")
    picture.polygon([(10, 15), (34, 13), (54, 22), (34, 31), (10, 29)], CREAM, STONE)
    picture.polygon([(10, 22), (54, 22), (34, 31), (10, 29)], STONE, SLATE, alpha=0.55)
    picture.ellipse((27, 16.5, 42, 27), SKY, "#3566b8")
    picture.ellipse((30, 18, 37, 21.5), "#ffffff", alpha=0.75)
    return picture.done()


def bullet() -> Image.Image:
    picture = Picture(28, 14)
    picture.box((2, 2, 26, 12), TEAL, round=5, alpha=0.55, soft=1.6)
    picture.box((6, 5, 24, 9), "#ffffff", MINT, round=2)
    return picture.done()


def rock(size: int, seed: int) -> Image.Image:
    rng = np.random.default_rng(seed)
    middle, bumps = size / 2, [(k, rng.uniform(0, math.tau), 0.085 / k**0.5) for k in (2, 3, 5, 8)]

    def outline(radius: float) -> Points:
        turn = np.linspace(0, math.tau, 60, endpoint=False)
        reach = radius * (1 + sum(much * np.sin(k * turn + start) for k, start, much in bumps))
        return [*zip(middle + reach * np.cos(turn), middle + reach * np.sin(turn), strict=True)]

    picture = Picture(size, size)
    picture.polygon(outline(size * 0.42), "#6d6595", "#3d3965")
    picture.polygon(outline(size * 0.37), "#b9aed0", "#6e6694", soft=size * 0.012)
    for angle, far, big in (
        (0.6, 0.2, 0.1),
        (2.5, 0.17, 0.13),
        (4.3, 0.22, 0.08),
        (5.5, 0.06, 0.06),
    ):
        x, y = (
            middle + size * far * math.cos(angle + seed),
            middle + size * far * math.sin(angle + seed),
        )
        r = size * big
        picture.ellipse((x - r, y - r, x + r, y + r), "#4a4574", "#6a628f")
        picture.ellipse(
            (x - r * 0.86, y - r * 0.66, x + r * 0.86, y + r), "#8a81ab", "#a298bf", alpha=0.8
        )
    return picture.done()


# -- 05: a large world -----------------------------------------------------------------------------


def dab() -> Image.Image:
    """Return a soft round brush stroke. The ground consists of thousands of tinted strokes."""
    picture = Picture(96, 96)
    picture.ellipse((9, 9, 87, 87), "#ffffff", soft=2.2)
    return picture.done()


def wave() -> Image.Image:
    picture = Picture(30, 12)
    picture.line([(3, 8), (7, 5), (11, 5), (15, 8), (19, 5), (23, 5), (27, 8)], 1.6, "#ffffff")
    return picture.done()


def standing() -> Image.Image:
    """Return the objects of the world, 56 x 72 pixels each. They stand on the middle of the line y
    = 66.
    """
    pictures = [
        spruce(),
        oak(LEAF, PINE),
        oak("#f6c76c", "#c7704f"),
        boulder(),
        bush(),
        house(CORAL),
        house("#6d8fd0"),
    ]
    return sheet([*pictures, sheep(), *(walker(step) for step in range(4))], 4)


def grounded(half: float) -> Picture:
    picture = Picture(56, 72)
    picture.ellipse(
        (28 - half, 66 - half * 0.3, 28 + half * 1.15, 66 + half * 0.36), NIGHT, alpha=0.3, soft=1.3
    )
    return picture


def spruce() -> Image.Image:
    picture = grounded(14)
    picture.box((25.5, 54, 30.5, 67), BARK, "#55362f", round=1)
    for base, half, peak in ((60, 16, 30), (46, 13.5, 18), (32, 10.5, 5)):
        picture.polygon(
            [(28, peak), (28 + half, base), (28, base + 3), (28 - half, base)], "#4fa37c", PINE
        )
        picture.polygon([(28, peak), (28 + half, base), (28, base + 3)], NIGHT, alpha=0.14)
    return picture.done()


def oak(top: str, bottom: str) -> Image.Image:
    picture = grounded(16)
    picture.box((25, 44, 31, 67), BARK, "#55362f", round=1.5)
    for box in ((8, 24, 34, 50), (24, 26, 49, 51), (14, 9, 43, 38)):
        picture.ellipse(box, bottom)
    for box in ((10, 24, 32, 45), (26, 26, 46, 46), (16, 9, 40, 33)):
        picture.ellipse(box, top, bottom, soft=0.8)
    return picture.done()


def boulder() -> Image.Image:
    picture = grounded(15)
    picture.polygon(
        [(13, 66), (14, 54), (22, 46), (33, 48), (42, 57), (43, 66), (28, 69)], STONE, SLATE
    )
    picture.polygon([(14, 54), (22, 46), (33, 48), (27, 55)], CREAM, STONE, alpha=0.7)
    return picture.done()


def bush() -> Image.Image:
    picture = grounded(13)
    for box in ((14, 50, 32, 68), (25, 51, 42, 68), (19, 44, 37, 62)):
        picture.ellipse(box, "#a5d977", "#4f9a5e")
    for x, y in ((20, 56), (29, 50), (35, 58), (27, 62)):
        picture.ellipse((x - 1.8, y - 1.8, x + 1.8, y + 1.8), ROSE)
    return picture.done()


def house(roof: str) -> Image.Image:
    picture = grounded(23)
    picture.box((8, 38, 48, 67), CREAM, "#dcc0a4")
    picture.polygon([(3, 40), (15, 18), (41, 18), (53, 40)], roof, PLUM)
    picture.box((36, 10, 42, 24), "#b0705c", BARK)
    picture.box((24, 50, 33, 67), BARK, "#55362f", round=2)
    for x in (12, 38):
        picture.box((x, 47, x + 7, 55), AMBER, CREAM, round=1)
    return picture.done()


def sheep() -> Image.Image:
    picture = grounded(11)
    for x in (22, 26, 32, 35):
        picture.line([(x, 60), (x, 66)], 2, SLATE)
    for box in ((17, 49, 31, 63), (25, 49, 40, 63), (21, 46, 36, 60)):
        picture.ellipse(box, "#ffffff", "#dcd6ea")
    picture.ellipse((36, 48, 45, 58), SLATE, "#3b395f")
    return picture.done()


def walker(step: int) -> Image.Image:
    """Return one of four frames of a person in a red cloak, walking right."""
    picture, swing, bob = grounded(9), (5, 0, -5, 0)[step], (0, 1, 0, 1)[step]
    for way in (swing, -swing):
        picture.line([(28, 56), (28 + way, 65)], 3.4, INDIGO)
    picture.polygon(
        [(28, 34 - bob), (37, 60 - bob), (28 - swing * 0.3, 61 - bob), (19, 60 - bob)],
        CORAL,
        "#c23b54",
    )
    picture.ellipse((21, 25 - bob, 36, 40 - bob), "#ffd9b8", "#f0b592")
    picture.polygon(
        [(18, 33 - bob), (21, 25 - bob), (29, 20 - bob), (37, 27 - bob), (29, 29 - bob)],
        CORAL,
        "#c23b54",
    )
    picture.ellipse((31.5, 31 - bob, 34, 34.5 - bob), NIGHT)
    return picture.done()


# -- 09, 10: in space, and on the hills ------------------------------------------------------------


def crosshair() -> Image.Image:
    """Return two half rings around a dot."""
    picture = Picture(64, 64)
    for turn in (0, math.pi):
        angles = turn + np.linspace(-0.9, 0.9, 24)
        picture.line(
            [(32 + 24 * math.cos(a), 32 + 24 * math.sin(a)) for a in angles],
            2.2,
            "#ffffff",
            alpha=0.8,
        )
        picture.line(
            [(32, 32 - 28 * math.cos(turn)), (32, 32 - 18 * math.cos(turn))],
            2.2,
            "#ffffff",
            alpha=0.8,
        )
    picture.ellipse((30, 30, 34, 34), "#ffffff", alpha=0.9)
    return picture.done()


def radar() -> Image.Image:
    """Return a disc with rings. The ship is at its center and points up."""
    picture = Picture(150, 150)
    picture.ellipse((2, 2, 148, 148), "#0b2a38", "#0a1d2e", alpha=0.72)
    for radius in (24, 48, 72):
        angles = np.linspace(0, math.tau, 96)
        around = [(75 + radius * math.cos(a), 75 + radius * math.sin(a)) for a in angles]
        picture.line(
            around, 1.6 if radius == 72 else 0.8, TEAL, alpha=0.8 if radius == 72 else 0.35
        )
    for end in ((24, 24), (126, 24)):
        picture.line([(75, 75), end], 0.8, TEAL, alpha=0.35)
    picture.polygon([(75, 68), (79.5, 80), (75, 77.5), (70.5, 80)], CREAM)
    return picture.done()


def dust() -> Image.Image:
    """Return a soft white cloud."""
    rng = np.random.default_rng(4)
    x = (np.arange(64) + 0.5) / 64 * 2 - 1
    thick = np.zeros((64, 64))
    for _ in range(26):
        angle, out, size = rng.uniform(0, math.tau), rng.uniform(0, 0.48), rng.uniform(0.18, 0.42)
        off = np.hypot(x - out * math.cos(angle), x[:, None] - out * math.sin(angle))
        thick += 0.32 * np.clip(1 - off / size, 0, 1) ** 1.4
    pixels = np.full((64, 64, 4), 255, np.uint8)
    pixels[..., 3] = np.round((1 - np.exp(-1.4 * thick)) * 255)
    shade = np.clip(1.05 - 0.35 * (x[:, None] + 1) / 2, 0, 1)
    pixels[..., :3] = np.round(255 * shade)[..., None]
    return Image.fromarray(pixels)


# -- 14: moths -------------------------------------------------------------------------------------


def moth(spread: float) -> Image.Image:
    """Return a moth from above that points right. A larger ``spread`` opens the wings wider. The
    moth is nearly white, so that a tint can color it.
    """
    picture = Picture(48, 48)
    for side in (-1, 1):

        def wing(*points: tuple[float, float], side: int = side) -> Points:
            return [(x, 24 + side * spread * y) for x, y in points]

        picture.polygon(
            wing((23, 2), (17, 5), (7, 12), (6, 17), (12, 19), (20, 12)), "#cfc6dc", "#cfc6dc"
        )
        picture.polygon(
            wing((28, 2), (34, 12), (33, 21), (27, 22), (18, 15), (17, 8), (22, 2)),
            "#ffffff",
            "#ffffff",
        )
        picture.polygon(wing((33, 13), (33, 21), (27, 22), (22, 18), (27, 18), (31, 15)), "#aea3c4")
        x, y = 26.5, 24 + side * spread * 11
        picture.ellipse((x - 3, y - 3 * spread, x + 3, y + 3 * spread), "#8d80a8")
        picture.ellipse((x - 1.3, y - 1.3 * spread, x + 1.3, y + 1.3 * spread), "#ffffff")
        picture.line([(34, 24 + side), (38, 24 + side * 4), (42, 24 + side * 5)], 1.1, "#efe8f5")
    picture.ellipse((11, 21, 30, 27), "#e9e0ee", "#a79bbd")
    picture.ellipse((26, 20.5, 36, 27.5), "#ffffff", "#d5cce2")
    return picture.done()


def main() -> None:
    pictures = {
        "night": night(),
        "lantern": lantern(),
        "glow": glow(64),
        "ball": ball(),
        "needle": needle(),
        "card": card(),
        "puffs": puffs(),
        "ship": ship(),
        "bullet": bullet(),
        "rock_large": rock(104, 3),
        "rock_medium": rock(62, 8),
        "rock_small": rock(38, 5),
        "dab": dab(),
        "wave": wave(),
        "standing": standing(),
        "crosshair": crosshair(),
        "radar": radar(),
        "dust": dust(),
        "moth": sheet([moth(spread) for spread in (1.0, 0.72, 0.4)], 3),
    }
    for name, picture in pictures.items():
        picture.save(HERE / f"{name}.png", optimize=True)
    total = sum(path.stat().st_size for path in HERE.glob("*.png"))
    print(f"{len(pictures)} pictures, {total / 1000:.0f} kB, in {HERE}")


if __name__ == "__main__":
    main()
