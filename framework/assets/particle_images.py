"""Compute images of spots, smoke, sparks, confetti and snowflakes (CC0)."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from ..arrays import Doubles, Pixels
from ..geometry import exact


def _grid(width: int, height: int) -> tuple[Doubles, Doubles]:
    """Return the x and the y of each pixel, in two arrays of the shape (height, width). x goes from
    -1 on the left to 1 on the right. y goes from -1 at the bottom to 1 at the top.
    """
    x = (np.arange(width) + 0.5) * 2 / width - 1
    y = 1 - (np.arange(height) + 0.5) * 2 / height
    return np.broadcast_to(x, (height, width)), np.broadcast_to(y[:, None], (height, width))


def _white(alpha: Doubles) -> Pixels:
    picture = np.full((*alpha.shape, 4), 255, np.uint8)
    picture[..., 3] = np.rint(np.clip(alpha, 0, 1) * 255)
    picture.flags.writeable = False
    return picture


@lru_cache(maxsize=1)
def spot() -> Pixels:
    """Return the image of a white spot with a soft edge: uint8 (64, 64, 4)."""
    x, y = _grid(64, 64)
    away = np.minimum(np.sqrt(x * x + y * y), 1)
    return _white((1 - away * away) * (1 - away * away))


@lru_cache(maxsize=1)
def puffs() -> list[Pixels]:
    """Return four images of smoke clouds with irregular edges: uint8 (64, 64, 4) each."""
    random = np.random.Generator(np.random.PCG64(7))
    return [_puff(random) for _ in range(4)]


def _puff(random: np.random.Generator) -> Pixels:
    x, y = _grid(64, 64)
    alpha = np.zeros((64, 64))
    for _ in range(22):
        turn = random.uniform(0, math.tau)
        distance: float = 0.62 * random.uniform() ** 0.7
        wide = random.uniform(0.16, 0.34)
        circle: tuple[float, float] = exact.sincos(turn)
        sine, cosine = circle
        right: Doubles = x - distance * cosine
        up: Doubles = y - distance * sine
        ball = np.maximum(1 - (right * right + up * up) / (wide * wide), 0)
        alpha += random.uniform(0.25, 0.7) * ball * ball
    edge = np.clip((1 - np.sqrt(x * x + y * y)) * 3, 0, 1)
    return _white((alpha / (alpha + 0.55)) * 1.25 * edge)


@lru_cache(maxsize=1)
def streak() -> Pixels:
    """Return the image of a spark: a bright line that becomes thinner to the left. The array is
    uint8 with the shape (16, 64, 4).
    """
    x, y = _grid(64, 16)
    along = np.clip((x + 1) / 1.8, 0, 1) * np.clip((1 - x) / 0.2, 0, 1)
    thin = 0.12 + 0.5 * np.clip((x + 1) / 2, 0, 1)
    across = np.maximum(1 - (y / thin) * (y / thin), 0)
    return _white(along * across * across)


@lru_cache(maxsize=8)
def paper(width: int, height: int) -> Pixels:
    """Return the image of a piece of confetti: uint8 (height, width, 4)."""
    return _white(np.ones((height, width)))


@lru_cache(maxsize=1)
def flake() -> Pixels:
    """Return the image of a snowflake with six arms: uint8 (48, 48, 4)."""
    x, y = _grid(48, 48)
    away: Doubles = np.sqrt(x * x + y * y)
    center = np.clip(1 - away / 0.2, 0, 1)
    arms = [_arm(x, y, number * math.pi / 3) for number in range(3)]
    return _white(np.maximum.reduce([*arms, center]) * np.clip((1 - away) / 0.15, 0, 1))


def _arm(x: Doubles, y: Doubles, angle: float) -> Doubles:
    """Return the alpha of a snowflake's arm with its twigs, and of the arm opposite."""
    circle: tuple[float, float] = exact.sincos(angle)
    sine, cosine = circle
    off = np.abs(y * cosine - x * sine)
    along = np.abs(x * cosine + y * sine)
    alpha: Doubles = np.clip(1 - off / 0.10, 0, 1)
    for branch in (0.45, 0.7):
        twig: Doubles = np.clip(1 - np.abs(off - 0.6 * (along - branch)) / 0.09, 0, 1)
        alpha = np.maximum(alpha, np.where((along > branch) & (along < branch + 0.22), twig, 0))
    return alpha
