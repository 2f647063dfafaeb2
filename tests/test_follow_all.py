"""A camera that shows several things: that all fit, how it closes in, its limits, and what is left
out.
"""

from __future__ import annotations

import numpy as np
import pytest

import framework as fw
from framework.motion.camera_base import begin_tick, end_tick


class Thing:
    def __init__(self, x: float, y: float) -> None:
        self.place, self.removed = (x, y), False

    def drawn_position(self, alpha: float) -> tuple[float, float]:
        return self.place


def tick(camera: fw.Camera2D, ticks: int = 1) -> None:
    for _ in range(ticks):
        begin_tick(camera)
        end_tick(camera)


def test_all_fit_and_the_camera_is_in_their_middle() -> None:
    camera = fw.Camera2D((100, 50))
    one, two = Thing(0, 0), Thing(300, 20)
    fw.FollowAll(camera, [one, two], margin=10)
    tick(camera)
    assert camera.position == (150, 10)
    assert camera.zoom == pytest.approx(100 / 320)
    for thing in (one, two):
        x, y = camera.world_to_screen(thing.place)
        assert 0 <= x <= 100
        assert 0 <= y <= 50
    two.place = (20, 10)
    tick(camera)
    assert camera.zoom == 1  # never closer
    two.place = (0, 200)
    tick(camera)
    assert camera.zoom == pytest.approx(50 / 220)


def test_it_closes_in_and_is_blended_between_ticks() -> None:
    camera = fw.Camera2D((100, 50))
    one, two = Thing(0, 0), Thing(100, 0)
    fw.FollowAll(camera, [one, two], smoothing=0.5)
    tick(camera)
    assert camera.position == (50, 0)
    two.place = (300, 0)
    tick(camera)
    assert camera.position == (100, 0)
    assert camera.pose(0.5)[0] == 75
    assert camera.zoom == pytest.approx((1 / 3) ** 0.5)
    tick(camera, 60)
    assert camera.position == pytest.approx((150, 0))
    assert camera.zoom == pytest.approx(1 / 3)


def test_it_keeps_to_bounds_and_leaves_out_what_is_gone() -> None:
    camera = fw.Camera2D((100, 50))
    one, two = Thing(-500, 0), Thing(10, 10)
    follow = fw.FollowAll(camera, [one, two], min_zoom=0.5, bounds=(-100, -25, 100, 25))
    tick(camera)
    assert camera.zoom == 0.5
    assert camera.position == (0, 0)  # as wide as the box
    one.removed = True
    tick(camera)
    assert camera.position == (10, 0)
    two.place = (float("nan"), 0)
    tick(camera)
    assert camera.position == (10, 0)
    with pytest.raises(ValueError, match="targets"):
        follow.targets = []
    assert follow.targets == [one, two]


def test_sprites_are_followed_in_a_game_and_its_snapshots() -> None:
    class Chase(fw.Game):
        def setup(self) -> None:
            self.cars = [
                self.sprites.add(np.full((4, 4, 4), 255, np.uint8), position=(x, 0))
                for x in (0, 50)
            ]
            fw.FollowAll(self.camera, self.cars, margin=20, smoothing=0.8)

        def update(self, dt: float) -> None:
            self.cars[1].x += 30

    with Chase(headless=True, size=(64, 36)) as game:
        game.run_ticks(5)
        kept, state = game.snapshot(), game.state_hash()
        game.run_ticks(5)
        later = game.state_hash()
        assert game.camera.zoom < 0.5
        game.restore(kept)
        assert game.state_hash() == state
        game.run_ticks(5)
        assert game.state_hash() == later
