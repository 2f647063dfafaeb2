"""FollowAll: a camera that shows several targets, with its zoom, limits and removed targets."""

from __future__ import annotations

import numpy as np
import pytest

import framework as fw
from framework.motion.camera_base import begin_tick, end_tick, start_at_goal

BLOCK = np.full((4, 4, 4), 255, np.uint8)


class Target:
    def __init__(self, x: float, y: float) -> None:
        self.position = (x, y)
        self.removed = False

    def drawn_position(self, alpha: float) -> tuple[float, float]:
        return self.position


def tick(camera: fw.Camera2D, ticks: int = 1) -> None:
    for _ in range(ticks):
        begin_tick(camera)
        end_tick(camera)


def test_all_targets_fit_and_the_camera_is_in_their_center() -> None:
    camera = fw.Camera2D((100, 50))
    first = Target(0, 0)
    second = Target(300, 20)
    fw.FollowAll(camera, [first, second], margin=10)
    tick(camera)
    assert camera.position == (150, 10)
    assert camera.zoom == pytest.approx(100 / 320)
    for target in (first, second):
        x, y = camera.world_to_screen(target.position)
        assert 0 <= x <= 100
        assert 0 <= y <= 50
    second.position = (20, 10)
    tick(camera)
    assert camera.zoom == 1  # the maximum zoom
    second.position = (0, 200)
    tick(camera)
    assert camera.zoom == pytest.approx(50 / 220)


def test_the_camera_moves_gradually_and_is_interpolated_between_ticks() -> None:
    camera = fw.Camera2D((100, 50))
    first = Target(0, 0)
    second = Target(100, 0)
    fw.FollowAll(camera, [first, second], smoothing=0.5)
    tick(camera)
    assert camera.position == (50, 0)
    second.position = (300, 0)
    tick(camera)
    assert camera.position == (100, 0)
    assert camera.pose(0.5)[0] == 75
    assert camera.zoom == pytest.approx((1 / 3) ** 0.5)
    tick(camera, 60)
    assert camera.position == pytest.approx((150, 0))
    assert camera.zoom == pytest.approx(1 / 3)


@pytest.mark.parametrize("bounds", [None, (-300, -200, 300, 200)])
def test_a_camera_that_starts_at_its_goal_twice_has_the_same_state(
    bounds: tuple[float, ...] | None,
) -> None:
    random = np.random.default_rng(5)
    for _ in range(300):
        camera = fw.Camera2D((317, 211))
        camera.angle = random.uniform(-3, 3)
        targets = [Target(*random.uniform(-400, 400, 2)) for _ in range(3)]
        fw.FollowAll(camera, targets, margin=7, smoothing=0.9, bounds=bounds)
        targets[0].position = tuple(random.uniform(-400, 400, 2).tolist())
        start_at_goal(camera)
        state = camera.zoom, camera.position
        for _ in range(3):
            start_at_goal(camera)
            assert (camera.zoom, camera.position) == state


def test_the_camera_stays_in_bounds_and_ignores_removed_targets() -> None:
    camera = fw.Camera2D((100, 50))
    first = Target(-500, 0)
    second = Target(10, 10)
    follow = fw.FollowAll(camera, [first, second], min_zoom=0.5, bounds=(-100, -25, 100, 25))
    tick(camera)
    assert camera.zoom == 0.5
    assert camera.position == (0, 0)  # the view is as wide as the bounds
    first.removed = True
    tick(camera)
    assert camera.position == (10, 0)
    second.position = (float("nan"), 0)
    tick(camera)
    assert camera.position == (10, 0)
    with pytest.raises(ValueError, match="targets"):
        follow.targets = []
    assert follow.targets == [first, second]


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
        snapshot = game.snapshot()
        state = game.state_hash()
        game.run_ticks(5)
        later = game.state_hash()
        assert game.camera.zoom < 0.5
        game.restore(snapshot)
        assert game.state_hash() == state
        game.run_ticks(5)
        assert game.state_hash() == later


class Pair(fw.Scene):
    """Two sprites, of which one moves after the camera follows them."""

    def setup(self) -> None:
        first, second = (self.sprites.add(BLOCK, position=(x, 30)) for x in (20, 40))
        self.follow(first, second)
        second.x = 90

    def follow(self, first: fw.Sprite, second: fw.Sprite) -> None:
        fw.FollowAll(self.camera, [first, second])


class SmoothPair(Pair):
    """The same for a camera that follows one sprite."""

    def follow(self, first: fw.Sprite, second: fw.Sprite) -> None:
        fw.Follow(self.camera, second, smoothing=0.5, dead_zone=4)


@pytest.mark.parametrize("scene", [Pair, SmoothPair])
def test_the_camera_of_a_new_scene_is_the_same_with_and_without_drawing(
    scene: type[fw.Scene],
) -> None:
    class Game(fw.Game):
        def setup(self) -> None:
            self.push(scene())

        def update(self, dt: float) -> None:
            if self.tick == 2:
                self.push(scene())

    hashes = []
    for drawing in (False, True):
        with Game(size=(100, 60), headless=True, drawing=drawing) as game:
            hashes.append([(game.advance(step / 60), game.state_hash()) for step in (0, 1, 1, 1)])
    assert hashes[0] == hashes[1]


def test_the_camera_of_a_view_that_a_tick_adds_follows_in_the_same_tick() -> None:
    class Game(fw.Game):
        def setup(self) -> None:
            targets = [self.sprites.add(BLOCK, position=(x, 30)) for x in (0, 400)]
            self.above = fw.Camera2D(self.size)
            fw.FollowAll(self.above, targets)

        def update(self, dt: float) -> None:
            if self.tick == 2:
                self.views.add(self.above, (0, 0, 0.5, 1))

    for drawing in (False, True):
        with Game(size=(100, 60), headless=True, drawing=drawing) as game:
            zooms = [(game.advance(1 / 60), game.above.zoom)[1] for _ in range(3)]
            assert zooms == [0.25, 0.125, 0.125]
