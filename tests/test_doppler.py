"""The Doppler effect: the pitch of voices whose sprites approach the camera or move away."""

from __future__ import annotations

import math

import pytest

import framework as fw
from framework.audio.mixer_track import ONE
from framework.audio.positional import doppler_pitch
from framework.audio.voices import track_of


class Passing(fw.Game):
    """A game in which a car passes the camera at 100 units per second."""

    def setup(self) -> None:
        self.car = self.sprites.add(fw.art.ball, position=(self.width / 2 - 100, self.height / 2))
        self.voice = fw.Sound.tone(200, 1).play(loop=True, position=self.car)

    def update(self, dt: float) -> None:
        if not self.car.removed:
            self.car.x += 100 * dt


def step(game: Passing) -> float:
    return track_of(game.voice).step / ONE


def test_the_pitch_of_a_car_is_higher_before_the_car_passes() -> None:
    with Passing(headless=True) as game:
        game.run_ticks(10)
        assert step(game) == 1.0  # the effect is off by default
        game.audio.sound_speed = 343
        game.run_ticks(10)
        assert step(game) == pytest.approx(343 / (343 - 100), rel=1e-3)
        game.run_ticks(60)
        assert step(game) == pytest.approx(343 / (343 + 100), rel=1e-3)
        game.car.x += 5000  # a jump has no velocity
        game.run_ticks(1)
        game.car.remove()
        game.run_ticks(3)
        assert step(game) == 1.0


def test_a_moving_listener_changes_the_pitch() -> None:
    class Riding(Passing):
        def update(self, dt: float) -> None:
            super().update(dt)
            self.camera.x += 100 * dt

    with Riding(headless=True) as game:
        game.audio.sound_speed = 343
        game.run_ticks(10)
        assert step(game) == pytest.approx(1.0, rel=1e-3)


def test_the_pitch_stays_within_an_octave() -> None:
    assert doppler_pitch((10.0, 0.0), 0.1, 343) == pytest.approx(343 / 243)
    assert doppler_pitch((30.0, 0.0), 0.1, 343) == 2.0
    assert doppler_pitch((0.0, 34.0), 0.1, 343) == pytest.approx(343 / 683)
    assert doppler_pitch((0.0, 40.0), 0.1, 343) == 1.0
    assert doppler_pitch((0.0, math.inf), 0.1, 343) == 1.0
