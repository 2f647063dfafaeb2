"""Shared fixtures. Tests need neither a GPU nor a display: pictures are drawn off screen in software."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import moderngl
import pytest
from hypothesis import HealthCheck, settings

import framework as fw
from framework.window import Surface

# No time limits for an example: the machine may be busy. In CI the examples are the same in every run, so that a change
# is judged by what it changed; everywhere else they are new each time.
settings.register_profile(
    "project", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("project")


@pytest.fixture
def ctx() -> Iterator[moderngl.Context]:
    """A GL context with a framebuffer of 64 x 64 bound; no GL error may be left behind."""
    options = {"vsync": False, "resizable": False, "fullscreen": False, "samples": 0, "pixel_ratio": 1.0}
    surface = Surface((64, 64), title="test", headless=True, **options)
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
