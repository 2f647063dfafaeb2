"""Sprite segments: lines in the plane, drawn as sprites."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framework as fw

Make = Callable[..., Any]


class Cross(fw.Game):
    def setup(self) -> None:
        self.lines = self.add(fw.SpriteSegments(2))
        self.lines.draw_lines(
            [[(20, 50), (180, 50)], [(100, 10), (100, 90)]], [(1, 0, 0, 1), (0, 1, 0, 1)]
        )


def test_lines_are_drawn_at_their_positions(make: Make) -> None:
    game = make(Cross)
    game.advance(0)
    pixels = game.pixels()[..., :3] > 128
    assert pixels[50, 20:95].tolist() == [[True, False, False]] * 75
    assert pixels[12:88, 100].tolist() == [[False, True, False]] * 76
    assert not pixels[40, 20:95].any()


def test_changed_lines_are_drawn_at_once(make: Make) -> None:
    game = make(Cross, drawing=False)
    game.run_ticks(1)
    game.lines.draw_lines([[(0, 0), (0, 10)]] * 5)
    game.run_ticks(1)
    assert len(game.lines) == 5
    assert game.lines.angle.tolist() == [np.float32(np.pi / 2)] * 5
    assert game.lines[4].drawn_position(0.5) == (0, 5)
    game.lines.draw_lines(np.empty((0, 2, 2)))
    assert len(game.lines) == 0


def test_invalid_lines_are_refused() -> None:
    lines = fw.SpriteSegments()
    with pytest.raises(ValueError, match="colors: expected numbers of shape"):
        lines.draw_lines([[(0, 0), (0, 1)]], [1, 1, 1])
    assert len(lines) == 0
