"""Quads over the whole picture, and pairs of pictures drawn from each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pictures import solid

import framework as fw

FILL = "uniform float red; vec4 fill(vec2 place) { return vec4(red, 0.0, place.x, 1.0); }"
NEXT = "uniform float gain = 1.0; vec4 following(vec2 place) { return gain * last(place - vec2(1.0 / size.x, 0.0)); }"


class Shown(fw.Game):
    def setup(self) -> None:
        self.back = self.add(fw.FullScreen(FILL, red=0.0))
        self.sprites.add(solid(8, 8), position=(32, 24))

    def update(self, dt: float) -> None:
        self.back.red = self.tick / 4


def test_a_quad_lies_where_it_is_added_and_its_values_are_interpolated(make: Callable[..., Any]) -> None:
    game = make(Shown, size=(64, 48), tick_rate=10)
    for time in (0.0, 0.1, 0.15):
        game.advance(time)
    picture = game.pixels()
    assert tuple(picture[24, 32, :3]) == (255, 255, 255)
    assert picture[0, 0, 0] == pytest.approx(255 * 3 / 8, abs=1)
    assert picture[0, 63, 2] > 250
    game.discard(game.back)
    game.run(1)
    with pytest.raises(fw.ShaderError, match="'nope' undeclared"):
        game.add(fw.FullScreen("vec4 fill(vec2 p) { return nope; }"))
    make(Shown, size=(64, 48), drawing=False).run(2)


@pytest.mark.parametrize("dtype", ["f1", "f2", "f4"])
def test_each_step_is_drawn_from_the_one_before(make: Callable[..., Any], dtype: str) -> None:
    game = make(fw.Game, size=(64, 48))
    start = np.zeros((4, 8, 4), np.float32)
    start[2, 1] = 1.0
    pair = fw.PingPong(game.graphics, (8, 4), NEXT, start=start, dtype=dtype)
    pair.step(3)
    assert (pair.read() == np.roll(start, 3, axis=1)).all()
    pair.gain = 0.5
    pair.step()
    assert pair.read()[2, 5] == pytest.approx([0.5] * 4, abs=0.003)
    game.run(1)
    assert game.ctx.error == "GL_NO_ERROR"
    pair.release()
