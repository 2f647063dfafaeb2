"""Shared fixtures. Tests need neither a GPU nor a display: pictures are drawn off screen in software."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import moderngl
import numpy as np
import pytest

import framework as fw
from framework.window import Surface


@pytest.fixture
def ctx() -> Iterator[moderngl.Context]:
    """A GL context with a framebuffer of 64 x 64 bound; no GL error may be left behind."""
    surface = Surface(
        (64, 64), title="test", headless=True, vsync=False, resizable=False, fullscreen=False, samples=0, pixel_ratio=1.0
    )
    surface.use()
    yield surface.ctx
    assert surface.ctx.error == "GL_NO_ERROR"
    surface.close()


@pytest.fixture
def make() -> Iterator[Callable[..., Any]]:
    """``make(GameClass, **options)``: a game off screen, 200 x 100 unless told, closed after the test."""
    games: list[fw.Game] = []

    def make(game_class: type[fw.Game] = fw.Game, **options: Any) -> Any:
        game = game_class(**{"size": (200, 100), "headless": True, "background": (0, 0, 0), **options})
        games.append(game)
        return game

    yield make
    for game in reversed(games):
        if game._surface is not None:
            assert game.ctx.error == "GL_NO_ERROR"
        game.close()


def blob(size: int = 21, sigma: float = 3.0) -> np.ndarray:
    """A soft white spot: uint8 (size, size, 4), transparent towards its edges."""
    x = np.arange(size) - (size - 1) / 2
    spot = np.exp(-(x[:, None] ** 2 + x[None, :] ** 2) / (2 * sigma**2))
    spot[spot < 0.01] = 0
    image = np.full((size, size, 4), 255, np.uint8)
    image[..., 3] = np.round(spot * 255)
    return image


def solid(width: int, height: int, color: tuple[int, int, int, int] = (255, 255, 255, 255)) -> np.ndarray:
    """An image of one colour: uint8 (height, width, 4)."""
    return np.full((height, width, 4), color, np.uint8)


def centroid(pixels: np.ndarray) -> tuple[float, float]:
    """The middle of what is bright, in units from the bottom left corner of the picture."""
    weight = pixels[..., :3].sum(axis=2).astype(float)
    height = weight.shape[0]
    y, x = np.indices(weight.shape)
    return float((weight * (x + 0.5)).sum() / weight.sum()), float((weight * (height - y - 0.5)).sum() / weight.sum())
