"""The formulas of 2D light: falloff, cones, shadows and flicker."""

from __future__ import annotations

import math

import numpy as np
import pytest

import framework as fw
from framework.light2d import light2d_math, light2d_walls
from framework.light2d.light2d_math import LightRows, Walls
from framework.light2d.lightmap import _morton_order


def light_rows(
    radius: float = 100,
    softness: float = 0,
    cone: float = math.tau,
    angle: float = 0,
    at: object = (0, 0),
) -> LightRows:
    ones = np.ones(1)
    return LightRows(
        np.array([at], float),
        ones * angle,
        np.ones((1, 3)),
        ones * radius,
        ones * cone,
        ones * softness,
        np.array([True]),
    )


def walls(segments: object = (), depth: float = 0, boxes: object = ()) -> Walls:
    sides = np.array(segments, float).reshape(-1, 2, 2)
    corners = np.array(boxes, float).reshape(-1, 4, 2)
    return Walls(sides, np.full(len(sides), float(depth)), corners, np.zeros(len(corners)))


def lit(points: object, light_row: LightRows, wall: Walls) -> np.ndarray:
    return light2d_math.light(np.array(points, float), np.zeros(3), light_row, wall)[:, 0]


def crossed(point: np.ndarray, wall: np.ndarray) -> bool:
    """Return whether the line from the origin to a point crosses a wall, by the signs of four
    areas.
    """

    def left(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
        return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))

    a, b = wall
    zero = np.zeros(2)
    return (
        left(zero, point, a) * left(zero, point, b) < 0 and left(a, b, zero) * left(a, b, point) < 0
    )


def test_light_falls_off_to_zero_at_the_radius() -> None:
    values = lit([(0, 0), (50, 0), (0, -99), (100, 0), (300, 0)], light_rows(), walls())
    np.testing.assert_allclose(values, [1, 0.75**2, (1 - 0.99**2) ** 2, 0, 0], atol=1e-12)


def test_a_cone_has_one_direction_and_soft_edges() -> None:
    ring = np.linspace(-math.pi, math.pi, 721)
    values = (
        lit(
            50 * np.stack([np.cos(ring), np.sin(ring)], 1), light_rows(cone=1.0, angle=3.0), walls()
        )
        / 0.75**2
    )
    angles = np.abs((ring - 3.0 + math.pi) % math.tau - math.pi)  # also past the half turn
    assert values[angles < 0.39].min() == pytest.approx(1)
    assert values[angles > 0.5].max() == 0
    assert values[np.abs(angles - 0.45) < 0.005] == pytest.approx(0.5, abs=0.05)


def test_a_point_has_a_hard_shadow_if_a_wall_is_in_between() -> None:
    """Except near edges, a point is dark if and only if a wall is between the point and the light.
    The tolerance is the width of a bin.
    """
    rng = np.random.default_rng(3)
    middles = rng.uniform(-70, 70, (20, 2))
    halves = rng.normal(0, 8, (20, 2))
    sides = np.stack([middles - halves, middles + halves], axis=1)
    points = rng.uniform(-70, 70, (400, 2))
    values = lit(points, light_rows(), walls(sides))
    share = values / light2d_math.falloff(np.hypot(*points.T), 100.0)
    angles = [turn * math.tau / light2d_math.BINS for turn in (-1, 0, 1)]
    turned = [
        points @ np.array([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]) for a in angles
    ]
    dark = np.array(
        [[any(crossed(point, side) for side in sides) for point in points] for points in turned]
    )
    clear = (dark == dark[0]).all(axis=0)
    assert clear.sum() > 350
    assert 50 < dark[1, clear].sum() < 350
    np.testing.assert_allclose(share[clear], ~dark[1, clear], atol=1e-9)


def test_no_light_leaks_at_the_end_of_the_table_of_directions() -> None:
    """The wall is at the half turn.

    The points are behind the wall, on both sides of the half turn.
    """
    angles = math.pi + np.linspace(-0.3, 0.3, 301)
    points = 60 * np.stack([np.cos(angles), np.sin(angles)], 1)
    for softness in (0, 5):
        assert (
            lit(points, light_rows(softness=softness), walls([[(-20, -30), (-20, 30)]])).max()
            < 1e-12
        )


def test_penumbras_have_the_width_of_ray_tracing() -> None:
    """A disc of radius s and an edge at distance b have, at distance d, a penumbra of 2 s (d - b)
    / b.
    """
    s = 3.0
    b = 40.0
    d = 60.0
    y = np.linspace(-8, 8, 641)
    wall = walls([[(b, 0), (b, -200)]])
    share = lit(np.stack([np.full_like(y, d), y], 1), light_rows(300, s), wall)
    share /= light2d_math.falloff(np.hypot(d, y), 300.0)
    width = 2 * s * (d - b) / b
    expected = np.clip(0.5 + y / width, 0, 1)
    assert np.abs(share - expected).max() < 0.06
    hard = lit([(b + 0.5, -1), (b + 0.5, 1)], light_rows(300, s), wall)
    assert hard[0] == 0 < hard[1]  # a sharp shadow begins at the wall


def test_light_enters_walls_to_their_depth() -> None:
    values = lit(
        [(19, 0), (20 + 2.5, 0), (20 + 7.5, 0), (31, 0)],
        light_rows(1e6),
        walls([[(20, -9), (20, 9)]], depth=10),
    )
    np.testing.assert_allclose(values, [1, 0.75, 0.25, 0], atol=1e-3)


def test_a_light_in_a_sprites_box_shines_out_of_the_box() -> None:
    box = [[(-5, -5), (5, -5), (5, 5), (-5, 5)]]
    assert lit([(20, 3)], light_rows(), walls(boxes=box))[0] > 0.9
    assert lit([(20, 0)], light_rows(at=(-20, 0)), walls(boxes=box))[0] == 0
    sides = np.stack([np.array(box[0]), np.roll(box[0], -1, axis=0)], axis=1)
    assert lit([(20, 3), (3, 3)], light_rows(), walls(sides)).tolist() == [
        0,
        light2d_math.falloff(np.hypot(3, 3), 100.0),
    ]


def test_flickering_depends_on_the_seed_has_limits_and_is_continuous() -> None:
    seeds = np.arange(50)
    full = np.ones(50)
    times = np.arange(0, 3, 1 / 240)
    values = np.array([light2d_math.flickered(time, full * 0.4, full * 8, seeds) for time in times])
    assert values.min() >= 0.6
    assert values.max() <= 1
    assert 0.76 < values.mean() < 0.84
    assert np.abs(np.diff(values, axis=0)).max() < 0.4 * 8 * 1.5 / 240 + 1e-6
    assert np.abs(np.corrcoef(values.T) - np.eye(50)).mean() < 0.25
    period = light2d_math.FLICKER_PERIOD
    around = [
        light2d_math.flickered(time, full, full * 7.3, seeds)
        for time in (period - 1e-4, period, 2 * period)
    ]
    np.testing.assert_allclose(around[0], around[1], atol=2e-3)
    np.testing.assert_array_equal(around[1], around[2])


def test_many_walls_are_computed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    sides = rng.uniform(-60, 60, (40, 1, 2)) + rng.normal(0, 5, (40, 2, 2))
    points = rng.uniform(-60, 60, (30, 2))
    expected = lit(points, light_rows(softness=2), walls(sides, 1))
    monkeypatch.setattr(light2d_math, "_MAX_TABLE", 100)
    monkeypatch.setattr(light2d_math, "_MAX_POINTS", 7)
    np.testing.assert_array_equal(lit(points, light_rows(softness=2), walls(sides, 1)), expected)


def test_single_segments_are_walls_and_polygons_are_closed() -> None:
    segment = [[0.0, 0.0], [3.0, 1.0]]
    segments = np.arange(12.0).reshape(3, 2, 2)
    assert light2d_walls._segments("walls", segment).tolist() == [segment]
    assert (light2d_walls._segments("walls", segments) == segments).all()
    ring = light2d_walls._segments("walls", [[0, 0], [4, 0], [0, 4]])
    assert ring.tolist() == [[[0, 0], [4, 0]], [[4, 0], [0, 4]], [[0, 4], [0, 0]]]
    rings = light2d_walls._segments("walls", [[[0, 0], [4, 0], [0, 4]]] * 2)
    assert rings.tolist() == ring.tolist() * 2
    assert len(light2d_walls.sources_of("walls", segments, None)) == 1
    assert light2d_walls.sources_of("walls", [], None) == []


def test_a_wall_of_four_numbers_is_a_box() -> None:
    box = [[[0, 1], [4, 1]], [[4, 1], [4, 3]], [[4, 3], [0, 3]], [[0, 3], [0, 1]]]
    assert light2d_walls._segments("walls", (0, 1, 4, 3)).tolist() == box
    assert light2d_walls._segments("walls", [(0, 1, 4, 3)] * 2).tolist() == box * 2
    for bad in ((0, 1, 4, 3, 5), (0, 1, 4), [(0, 1, 4, 3, 5)]):
        with pytest.raises(ValueError, match=r"^walls: expected"):
            light2d_walls._segments("walls", bad)


def test_a_wall_that_is_too_far_away_is_refused() -> None:
    with pytest.raises(ValueError, match="walls: expected numbers from"):
        light2d_walls._segments("walls", [[0.0, 0.0], [1e30, 0.0]])


@pytest.mark.parametrize("brightest", [17, 255])
def test_colors_up_to_255_are_refused(brightest: float) -> None:
    with pytest.raises(ValueError, match="divide numbers up to 255 by 255"):
        fw.Lights2D().add(color=(0, brightest, 3))
    fw.Lights2D().add(color=(0, 16, 3))
    fw.Lights2D().add(color=(0, 256, 3))


def test_walls_are_sorted_along_a_morton_curve() -> None:
    corners = np.array([(1.0, 1.0), (0.0, 1.0), (1.0, 0.0), (0.0, 0.0)])
    order = _morton_order(np.stack([corners, corners], axis=1))
    assert corners[order].tolist() == [[0, 0], [1, 0], [0, 1], [1, 1]]
