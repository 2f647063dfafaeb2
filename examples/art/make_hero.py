"""Hero: draws the hero of the valley and the beetles: ``python make_hero.py``.

All images are in the public domain (CC0). Frames are 24 x 24 pixels: two standing, six running, one
rising, one falling, two climbing, then two of a beetle. The flag is 32 x 48 pixels.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image, ImageColor

HERE = Path(__file__).parent
SIDE = 24
INK, RED, DARK, SKIN, BOOT, SHELL, SHINE = (
    "#3a3658",
    "#ff7d5e",
    "#c9503f",
    "#fff4dc",
    "#5f3d33",
    "#8a4b7c",
    "#c07ab0",
)

x, y = np.meshgrid(np.arange(SIDE), np.arange(SIDE))


class Frame:
    """One image, painted shape over shape."""

    def __init__(self) -> None:
        self.pixels = np.zeros((SIDE, SIDE, 4), np.uint8)

    def paint(self, where: np.ndarray, color: str) -> None:
        self.pixels[where] = (*ImageColor.getrgb(color), 255)

    def oval(self, cx: float, cy: float, rx: float, ry: float, color: str) -> None:
        self.paint(((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 <= 1, color)

    def box(self, left: float, top: float, width: int, height: int, color: str) -> None:
        self.paint((x >= left) & (x < left + width) & (y >= top) & (y < top + height), color)

    def outlined(self) -> np.ndarray:
        """Return the image with a dark outline."""
        there = self.pixels[..., 3] > 0
        wide = np.pad(there, 1)
        near = wide[:-2, 1:-1] | wide[2:, 1:-1] | wide[1:-1, :-2] | wide[1:-1, 2:]
        self.paint(near & ~there, INK)
        return self.pixels


def hero(
    bob: float = 0,
    feet: tuple[tuple[float, float], ...] = ((9, 0), (14, 0)),
    arms: float = 0,
    back: bool = False,
    tail: float = 0,
) -> np.ndarray:
    """Return a round hero in a red hood. ``feet`` are positions from the left and up. ``arms`` and
    ``tail`` (of the scarf) are distances up in pixels.
    """
    frame, middle = Frame(), 12 + bob
    for left, up in feet:
        frame.box(left - 1, 20 - up, 4, 3, BOOT)
    frame.oval(11.5, middle + 3, 6.2, 6.4, RED)
    frame.oval(11.5, middle - 2, 7.0, 6.6, RED)
    frame.paint((((x - 11.5) / 7) ** 2 + ((y - middle + 2) / 6.6) ** 2 <= 1) & (x < 7), DARK)
    frame.box(4, middle + 3 - arms, 2, 4, RED)
    frame.box(17, middle + 3 - arms, 2, 4, RED)
    for link in range(4):
        frame.box(4 - link, middle + 2 - tail * link / 2, 2, 2, SKIN)
    if not back:
        frame.oval(13.5, middle - 1.5, 4.6, 4.2, SKIN)
        frame.box(12, middle - 3, 1, 3, INK)
        frame.box(16, middle - 3, 1, 3, INK)
    return frame.outlined()


def beetle(step: int) -> np.ndarray:
    frame = Frame()
    frame.oval(11, 19.5, 8.5, 8.5, SHELL)
    frame.oval(8.5, 15, 2.6, 1.8, SHINE)
    frame.pixels[20:] = 0
    frame.box(18, 15, 4, 4, INK)
    frame.box(20, 16, 1, 1, SKIN)
    for leg, left in enumerate((5, 10, 15)):
        frame.box(left + (step + leg) % 2 * 2, 20, 2, 3 - (step + leg) % 2, INK)
    return frame.outlined()


def run(step: int) -> np.ndarray:
    turn = step * 2 * np.pi / 6
    feet = [
        (11.5 + 4.5 * np.cos(turn + half), max(0.0, 4 * np.sin(turn + half))) for half in (0, np.pi)
    ]
    feet = tuple((round(left), round(up)) for left, up in feet)
    return hero(-round(abs(np.sin(turn))), feet, arms=round(2 * np.sin(turn)), tail=1 + step % 2)


def frames() -> list[np.ndarray]:
    return [
        hero(0),
        hero(1),
        *[run(step) for step in range(6)],
        hero(-2, ((8, 2), (14, 4)), arms=5, tail=-1),
        hero(0, ((8, 3), (15, 1)), arms=3, tail=3),
        hero(0, ((8, 0), (14, 3)), arms=4, back=True),
        hero(-1, ((8, 3), (14, 0)), arms=2, back=True),
        *[beetle(step) for step in range(2)],
    ]


def flag() -> np.ndarray:
    across, down = np.meshgrid(np.arange(32), np.arange(48))
    picture = np.zeros((48, 32, 4), np.uint8)
    wave = np.round(1.5 * np.sin(across / 4)).astype(int)
    cloth = (
        (across > 4)
        & (across < 28 - np.abs(down - 11 - wave) // 2)
        & (np.abs(down - 11 - wave) < 9)
    )
    for where, color in (
        (cloth, RED),
        (cloth & (down > 13 + wave), DARK),
        ((across > 2) & (across < 6) & (down > 1), BOOT),
        ((across - 4) ** 2 + (down - 2) ** 2 < 6, "#ffc666"),
    ):
        picture[where] = (*ImageColor.getrgb(color), 255)
    return picture


def main() -> None:
    Image.fromarray(flag()).save(HERE / "flag.png", optimize=True)
    Image.fromarray(np.concatenate(frames(), axis=1)).save(HERE / "hero.png", optimize=True)


if __name__ == "__main__":
    main()
