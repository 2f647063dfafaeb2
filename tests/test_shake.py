"""Camera shakes: they start and end at rest, decay, and are the same in every run."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pictures import blob, centroid

import framework as fw
from framework.motion.camera_base import begin_tick, end_tick, is_moving
from framework.motion.shake import Shake
from framework.plane.camera2d import Camera2D
from framework.screen_mapping import ScreenMapping

shocks = st.lists(
    st.tuples(st.floats(0, 100), st.integers(1, 40), st.integers(0, 9), st.integers(0, 20)),
    max_size=4,
)


def course(
    given_shocks: list[tuple[float, int, int, int]], ticks: int
) -> list[list[tuple[float, float]]]:
    """Return the displacement that is drawn at alpha 0, 0.5 and 1 of each tick."""
    shake = Shake()
    drawn = []
    for tick in range(ticks):
        shake.begin_tick()
        for strength, length, seed, start in given_shocks:
            if start == tick:
                shake.add(strength, length, seed)
        shake.end_tick()
        drawn.append([shake.at(alpha) for alpha in (0.0, 0.5, 1.0)])
    shake.begin_tick()
    assert shake.over
    return drawn


@given(shocks)
def test_shakes_start_and_end_at_rest_and_are_repeatable(
    given_shocks: list[tuple[float, int, int, int]],
) -> None:
    drawn = course(given_shocks, 62)
    assert drawn == course(given_shocks, 62)
    assert drawn[0][0] == (0, 0)
    assert drawn[-1] == [(0, 0)] * 3
    for before, after in pairwise(drawn):
        assert before[2] == pytest.approx(after[0])
    for start, middle, end in drawn:
        assert middle == pytest.approx(((start[0] + end[0]) / 2, (start[1] + end[1]) / 2), abs=1e-9)


@given(st.floats(0, 100), st.integers(1, 40), st.integers(0, 9))
def test_a_shake_never_exceeds_its_strength_and_decays(
    strength: float, ticks: int, seed: int
) -> None:
    for tick, (_, _, end) in enumerate(course([(strength, ticks, seed, 0)], ticks + 1)):
        assert math.hypot(*end) <= strength * (1 - tick / ticks) ** 2 + 1e-9 or end == (0, 0)


def tick(camera: Camera2D | fw.Camera3D) -> None:
    begin_tick(camera)
    end_tick(camera)


def test_the_picture_shakes_but_the_camera_does_not_move() -> None:
    plane = Camera2D((200, 100))
    space = fw.Camera3D()
    space.view = ScreenMapping((200, 100), (0, 0, 200, 100))
    space.rotation = 0, 0.6, 0, 0.8
    for camera in (plane, space):
        tick(camera)
        still = camera.pose(0.5)
        at = np.array(camera.position)
        camera.shake(5, 10, seed=3)
        tick(camera)
        away = np.array(camera.pose(1.0)[0] if camera is space else camera.pose(1.0)[:2]) - at
        assert 0 < np.linalg.norm(away) <= 5
        if camera is space:
            assert abs(away @ space.forward) < 1e-6  # the shake is across the picture
        assert (np.array(camera.position) == at).all()
        for _ in range(10):
            tick(camera)
        assert np.concatenate([np.ravel(part) for part in camera.pose(0.5)]) == pytest.approx(
            np.concatenate([np.ravel(part) for part in still])
        )
        tick(camera)
        assert not is_moving(camera)


def test_a_shaken_picture_is_drawn_displaced(make) -> None:
    game = make()
    game.add(fw.SpriteBatch(blob())).add(position=(100, 50))
    game.advance(1 / 60)
    game.camera.shake(10, 20)
    for _ in range(5):
        alpha = game.advance(0.013)
        x, y, _, _ = game.camera.pose(alpha)
        assert math.dist(centroid(game.pixels()), (200 - x, 100 - y)) <= 0.05
    assert (x, y) != (100, 50)


@pytest.mark.parametrize(
    ("arguments", "error", "name"),
    [
        ((math.nan,), ValueError, "strength"),
        ((-1,), ValueError, "strength"),
        (("much",), TypeError, "strength"),
        ((1, 0), ValueError, "ticks"),
        ((1, 2.5), TypeError, "ticks"),
    ],
)
def test_an_invalid_shake_is_an_error_by_name(arguments, error, name) -> None:
    for camera in (Camera2D((200, 100)), fw.Camera3D()):
        with pytest.raises(error, match=rf"^{name}: "):
            camera.shake(*arguments)
        with pytest.raises(TypeError, match=r"^seed: "):
            camera.shake(1, seed="x")
