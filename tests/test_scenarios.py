"""The games that benchmarks measure: both sides draw the same picture and move alike."""

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
    """Which pixels are not black after a while: ours and those of the hand-written program."""
    for _ in range(5):
        game.advance(TICK)
        game.update_hand_written()
        game.hand_written.hand_over()
    game.advance(part_of_a_tick * TICK)
    ours = game.pixels()[..., :3].any(axis=2)
    game.picture.ctx.fbo.clear(0, 0, 0, 1)
    game.hand_written.prepare()
    game.hand_written.draw(game.timestep.alpha)
    theirs = game.pixels()[..., :3].any(axis=2)
    assert game.picture.ctx.error == "GL_NO_ERROR"
    game.hand_written.release()
    return ours, theirs


@pytest.mark.parametrize("part_of_a_tick", [Fraction(0), Fraction(1, 4), Fraction(9, 10)])
def test_both_sides_draw_the_same_picture(
    monkeypatch: pytest.MonkeyPatch, part_of_a_tick: Fraction
) -> None:
    monkeypatch.setattr(scenarios, "SPRITE", solid(24, 24))
    with scenarios.Swarm(60) as swarm:
        ours, theirs = drawn_by_both(swarm, part_of_a_tick)
    assert ours.sum() > 60 * 24 * 24 / 2
    # Our shader moves hard pixels 1/64 to the side: pixels whose centre lies just at an edge
    # differ.
    assert (ours != theirs).sum() <= 0.005 * ours.sum()


def test_both_sides_move_their_sprites_alike(swarm: scenarios.Swarm) -> None:
    for _ in range(200):
        swarm.advance(TICK)
        swarm.update_hand_written()
    np.testing.assert_array_equal(swarm.batch.position, np.stack([swarm.x, swarm.y], axis=1))
    np.testing.assert_array_equal(swarm.batch.angle, swarm.angle)
    assert (swarm.batch.position >= -2).all()
    assert (swarm.batch.position <= np.array(swarm.size) + 2).all()


@pytest.mark.parametrize("part_of_a_tick", [Fraction(0), Fraction(1, 4), Fraction(9, 10)])
def test_both_sides_draw_the_same_cubes(part_of_a_tick: Fraction) -> None:
    with scenarios.Cubes(1500) as cubes:
        ours, theirs = drawn_by_both(cubes, part_of_a_tick)
    assert ours.sum() > 1_000
    # Edges differ by rounding: our shader counts places from the camera, and blends with all that a
    # rotation may be.
    assert (ours != theirs).sum() <= 0.02 * ours.sum()


def test_both_sides_tumble_their_cubes_alike() -> None:
    with scenarios.Cubes(50) as cubes:
        for _ in range(100):
            cubes.advance(TICK)
            cubes.update_hand_written()
        position, rotation = cubes.columns
        np.testing.assert_array_equal(cubes.batch.position, position)
        np.testing.assert_array_equal(cubes.batch.rotation, rotation)
        assert np.linalg.norm(rotation, axis=1) == pytest.approx(np.ones(50), abs=1e-4)
        cubes.hand_written.release()
