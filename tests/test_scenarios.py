"""The games of benchmarks: the framework and hand-written programs draw and move equally."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from pictures import solid

from framework.bench import scenarios

TICK = Fraction(1, 60)


@pytest.fixture
def swarm() -> Iterator[scenarios.Swarm]:
    with scenarios.Swarm(60) as game:
        yield game
        assert game.picture.ctx.error == "GL_NO_ERROR"
        game.hand_written.release()


def drawn_by_both(
    game: scenarios.Measured, part_of_a_tick: Fraction
) -> tuple[np.ndarray, np.ndarray]:
    """Return masks of the pixels that are not black after some ticks: of the framework and of the
    hand-written program."""
    for _ in range(5):
        game.advance(TICK)
        game.update_hand_written()
        game.hand_written.hand_over()
    game.advance(part_of_a_tick * TICK)
    by_framework = game.pixels()[..., :3].any(axis=2)
    game.picture.ctx.fbo.clear(0, 0, 0, 1)
    game.hand_written.prepare()
    game.hand_written.draw(game.timestep.alpha)
    by_hand = game.pixels()[..., :3].any(axis=2)
    assert game.picture.ctx.error == "GL_NO_ERROR"
    game.hand_written.release()
    return by_framework, by_hand


@pytest.mark.parametrize("part_of_a_tick", [Fraction(0), Fraction(1, 4), Fraction(9, 10)])
def test_both_programs_draw_the_same_sprites(
    monkeypatch: pytest.MonkeyPatch, part_of_a_tick: Fraction
) -> None:
    monkeypatch.setattr(scenarios, "SPRITE", solid(24, 24))
    with scenarios.Swarm(60) as swarm:
        by_framework, by_hand = drawn_by_both(swarm, part_of_a_tick)
    assert by_framework.sum() > 60 * 24 * 24 / 2
    # The shader of the framework moves hard pixels 1/64 to the side, so pixels with their center at
    # an edge differ.
    assert (by_framework != by_hand).sum() <= 0.005 * by_framework.sum()


def test_both_programs_move_their_sprites_equally(swarm: scenarios.Swarm) -> None:
    for _ in range(200):
        swarm.advance(TICK)
        swarm.update_hand_written()
    np.testing.assert_array_equal(swarm.batch.position, np.stack([swarm.x, swarm.y], axis=1))
    np.testing.assert_array_equal(swarm.batch.angle, swarm.angle)
    assert (swarm.batch.position >= -2).all()
    assert (swarm.batch.position <= np.array(swarm.size) + 2).all()


@pytest.mark.parametrize("part_of_a_tick", [Fraction(0), Fraction(1, 4), Fraction(9, 10)])
def test_both_programs_draw_the_same_cubes(part_of_a_tick: Fraction) -> None:
    with scenarios.Cubes(1500) as cubes:
        by_framework, by_hand = drawn_by_both(cubes, part_of_a_tick)
    assert by_framework.sum() > 1_000
    # Edges differ by rounding: the shader of the framework computes positions relative to the
    # camera, and blends rotations more precisely.
    assert (by_framework != by_hand).sum() <= 0.02 * by_framework.sum()


def test_both_programs_rotate_their_cubes_equally() -> None:
    with scenarios.Cubes(50) as cubes:
        for _ in range(100):
            cubes.advance(TICK)
            cubes.update_hand_written()
        position, rotation = cubes.columns
        np.testing.assert_array_equal(cubes.batch.position, position)
        np.testing.assert_array_equal(cubes.batch.rotation, rotation)
        assert np.linalg.norm(rotation, axis=1) == pytest.approx(np.ones(50), abs=1e-4)
        cubes.hand_written.release()
