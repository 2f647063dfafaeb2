"""Trails: positions, ends, teleports and restores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from drawings import driven

import framework as fw
from framework.state.backend import backend_of

DOT = np.full((2, 2, 4), 255, np.uint8)


class Flight(fw.Game):
    """A sprite that flies 10 units per tick to the right, at ten ticks per second."""

    def __init__(self, **options: Any) -> None:
        super().__init__(size=(64, 64), tick_rate=10, background=(0, 0, 0), **options)

    def setup(self) -> None:
        self.dot = fw.SpriteBatch(DOT, 1)
        self.dot[0].position = 0, 32
        self.trail = self.add(fw.Trail(self.dot[0], 0.3, width=(8, 8)))
        self.add(self.dot)
        self.jump = 0.0

    def update(self, dt: float) -> None:
        self.dot[0].x += 10 + self.jump
        if self.jump:
            self.dot.teleport(0)
            self.jump = 0.0


def test_both_ends_move_evenly_and_the_length_is_the_duration() -> None:
    with Flight(headless=True) as game:
        game.run_ticks(8)
        bands = driven(game.trail).bands()
        assert bands is not None
        positions = [sorted({round(float(x), 6) for x in band.position[:, 0]}) for band in bands]
        assert positions == [[40, 50, 60, 70], [50, 60, 70, 80]]
        assert driven(game.trail).bands() is None
        alpha = [band.color[band.position[:, 0].argsort(), 3] for band in bands]
        assert alpha[1][0] == pytest.approx(0, abs=1e-6)
        assert alpha[1][-1] == 1
        assert len(game.trail.points) <= 6


def test_a_trail_is_interpolated_and_fades() -> None:
    with Flight(headless=True) as game:
        game.run_ticks(4)
        game.advance(0.05)
        row = game.pixels()[32, :, 0] / 255  # from 5 to 35, up to the drawn sprite
        assert row[:4].tolist() == [0] * 4
        assert row[34] > 0.9
        assert (np.diff(row[6:34]) >= 0).all()
        assert row[20] == pytest.approx(0.5, abs=0.05)


def test_a_teleport_draws_no_band_and_the_old_trail_fades() -> None:
    with Flight(headless=True) as game:
        game.run_ticks(4)
        game.jump = 1000
        game.run_ticks(2)
        bands = driven(game.trail).bands()
        assert bands is not None
        for band in bands:
            long = np.diff(band.position[:, 0]) > 500
            assert long.sum() == 1
            assert band.width[:-1][long] == band.width[1:][long] == 0
        game.run_ticks(5)
        assert game.trail.points[:, 0].min() > 1000


def test_the_trail_of_a_removed_or_unset_target_remains() -> None:
    with Flight(headless=True) as game:
        game.run_ticks(4)
        game.dot.remove(0)
        game.update = lambda dt: None  # type: ignore[method-assign]
        game.run_ticks(1)
        assert game.trail.points[:, 0].max() == 40
        game.run_ticks(5)
        assert driven(game.trail).bands() is not None
        assert driven(game.trail).bands() is None
        assert len(game.trail.points) == 1


def test_a_trail_is_restored_with_its_game() -> None:
    with Flight(drawing=False) as game:
        game.run_ticks(5)
        snapshot = game.snapshot()
        before = game.state_hash()
        points = game.trail.points
        game.run_ticks(5)
        game.trail.duration = 2
        assert game.state_hash() != before
        game.restore(snapshot)
        assert game.state_hash() == before
        assert game.trail.points.tolist() == points.tolist()
        game.run_ticks(1)
        assert game.trail.points[-1].tolist() == [60, 32]


def test_a_trail_looks_the_same_after_a_restore_and_after_adding_it_again() -> None:
    with Flight(headless=True) as game:
        game.advance(0.3)
        first = game.pixels()
        before = game.snapshot()
        game.advance(0.1)
        second = game.pixels()
        assert (second != first).any()
        game.restore(before)
        game.advance(0)
        assert (game.pixels() == first).all()
        game.advance(0.1)
        assert (game.pixels() == second).all()
        game.remove(game.trail)
        assert backend_of(game.trail) is None
        game.add(game.trail, layer=-1)
        game.advance(0)
        assert (game.pixels() == second).all()


def test_an_invalid_target_is_refused() -> None:
    with pytest.raises(TypeError, match="target: expected a sprite"):
        fw.Trail((3, 4))

    class InSpace:
        def drawn_position(self, alpha: float) -> tuple[float, ...]:
            return 1.0, 2.0, 3.0

    with pytest.raises(TypeError, match="in the plane"):
        fw.Trail(InSpace())
    for color in ("#fff", ["#fff"], ("#fff", "#000", "#f00"), 5):
        with pytest.raises(ValueError, match="color: expected two colors"):
            fw.Trail(None, color=color)  # type: ignore[arg-type]
