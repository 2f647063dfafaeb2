"""The calibration scene: it measures the delay between a sound and the player's reaction."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tones import heard

import framework as fw

pytestmark = pytest.mark.usefixtures("no_open_game")

Make = Callable[..., Any]


def tap(game: Any, delay: Callable[[int], float], count: int, start: float) -> None:
    """Tap a key ``count`` times, ``delay`` seconds after a click."""
    for number in range(count):
        due = start + 0.6 * number + delay(number)
        game.run_ticks(max(0, round(due * 60) - game.tick - 1))
        if game.scene is game:
            return
        game.testing.press("space")
        game.run_ticks(1)


@pytest.mark.parametrize("delay", [-0.1, 0.0, 0.085, 0.3])
def test_even_taps_set_the_delay(make: Make, delay: float) -> None:
    game = make(fw.Game, drawing=False)
    delays: list[float] = []
    game.push(fw.scenes.Calibration(delays.append))
    game.run_ticks(1)
    random = np.random.default_rng(2)
    tap(game, lambda number: delay + random.uniform(-0.02, 0.02), 15, 1.0)
    assert game.scene is game
    assert delays == [game.audio.delay]
    assert delays[0] == pytest.approx(delay, abs=0.012)


def test_uneven_taps_are_not_used_and_escape_changes_nothing(make: Make) -> None:
    game = make(fw.Game, drawing=False)
    scene = fw.scenes.Calibration()
    game.push(scene)
    game.run_ticks(1)
    tap(game, lambda number: 0.2 * (number % 3) - 0.1, 15, 1.0)
    assert game.scene is scene
    assert "uneven" in scene._hint.text
    game.testing.press("escape")
    game.run_ticks(2)
    assert game.scene is game
    assert game.audio.delay == 0.08


def test_the_clicks_are_even_in_every_measurement(make: Make, tmp_path: Path) -> None:
    game = make(fw.Game, drawing=False)
    scene = fw.scenes.Calibration(bpm=150)
    for _ in range(2):
        game.push(scene)
        with game.audio.capture(tmp_path / "a.wav", dither=False):
            game.run_ticks(180)
        loud = np.abs(heard(tmp_path / "a.wav")[:, 0]) > 0
        onsets = np.flatnonzero(loud[1:] & ~loud[:-1])
        onsets = onsets[np.r_[True, np.diff(onsets) > 9000]]
        assert len(onsets) in (5, 6)
        assert np.abs(np.diff(onsets) - 19_200).max() <= 1
        game.pop()
        game.run_ticks(1)


def test_a_snapshot_keeps_the_measured_taps(make: Make) -> None:
    delays = []
    for restores in (False, True):
        game = make(fw.Game, drawing=False)
        game.push(fw.scenes.Calibration())
        game.run_ticks(1)
        tap(game, lambda number: 0.1, 6, 1.0)
        if restores:
            state = game.snapshot()
            tap(game, lambda number: 0.25, 4, 1.0 + 0.6 * 6)
            game.restore(state)
        tap(game, lambda number: 0.1, 9, 1.0 + 0.6 * 6)
        assert game.scene is game
        delays.append(game.audio.delay)
    assert delays[0] == delays[1] == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bpm": 200}, "bpm: expected"),
        ({"bpm": math.nan}, "bpm: expected"),
        ({"taps": 3}, "taps: expected"),
        ({"on_done": 3}, "on_done: expected"),
    ],
)
def test_wrong_options_are_errors(options: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        fw.scenes.Calibration(**options)


def test_gamepads_and_the_mouse_can_tap_and_b_exits(make: Make) -> None:
    game = make(fw.Game, drawing=False)
    scene = fw.scenes.Calibration()
    game.push(scene)
    game.testing.connect("A pad")
    game.run_ticks(70)
    game.testing.click(5, 5)
    game.run_ticks(2)
    game.testing.press("pad:a")
    game.run_ticks(2)
    assert len(scene._delays) == 2
    game.testing.press("pad:b")
    game.run_ticks(2)
    assert game.scene is game
