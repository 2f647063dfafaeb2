"""Outlines of images: rings, convex pieces and hulls, compared with the pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from framework import collide
from framework.geometry.outlines import opaque_box, simplified
from framework.geometry.shapes import ConvexShapes

seeds = st.integers(0, 2**32 - 1)


def image(*rows: str) -> Any:
    pixels = np.zeros((len(rows), len(rows[0]), 4), np.uint8)
    pixels[np.array([list(row) for row in rows]) == "#"] = 255
    return pixels


def area(ring: Any) -> float:
    x, y = ring.T
    return float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()) / 2


def test_an_outline_surrounds_the_opaque_pixels_counterclockwise() -> None:
    (ring,) = collide.outline(image("....", ".##.", ".#..", "...."), 0, anchor=(0, 0))
    assert ring.tolist() == [[1, 1], [2, 1], [2, 2], [3, 2], [3, 3], [1, 3]]
    (centered,) = collide.outline(image("##", "##"))
    assert centered.tolist() == [[-1, -1], [1, -1], [1, 1], [-1, 1]]
    assert collide.outline(image("..")) == []


def test_parts_that_touch_at_a_corner_are_separate_and_holes_are_filled() -> None:
    assert [area(ring) for ring in collide.outline(image("##..", "##..", "..##", "..#."), 0)] == [
        4,
        3,
    ]
    assert [area(ring) for ring in collide.outline(image("###", "#.#", "###"), 0)] == [9]


@settings(max_examples=5)
@given(seed=seeds)
def test_convex_pieces_cover_the_outline(seed: int) -> None:
    random = np.random.default_rng(seed)
    pixels = np.zeros((8, 8, 4), np.uint8)
    pixels[..., 3] = 255 * (random.random((8, 8)) < 0.65)
    opaque = pixels[..., 3] > 0
    rings = collide.outline(pixels, 0)
    box = opaque_box(pixels)
    assert np.concatenate(rings).min(axis=0).tolist() == box[:2].tolist()
    for ring in rings:
        pieces = collide.convex_pieces(ring)
        assert sum(map(area, pieces)) == pytest.approx(area(ring))
        ConvexShapes.polygons(pieces)  # raises an error unless the pieces are convex
        assert sum(map(area, collide.convex_pieces(ring[::-1]))) == pytest.approx(area(ring))
    # The middle of every opaque pixel is in a piece.
    shapes = ConvexShapes.polygons(
        [piece for ring in rings for piece in collide.convex_pieces(ring)]
    )
    rows, columns = np.nonzero(opaque)
    middles = ConvexShapes.points(np.column_stack([columns - 3.5, 3.5 - rows]) + (0.011, 0.0037))
    pairs = collide.touching(middles, shapes)
    assert set(pairs[:, 0].tolist()) == set(range(len(rows)))
    assert sum(map(area, collide.pieces(pixels, 0))) == pytest.approx(sum(map(area, rings)))
    ConvexShapes.polygons(collide.pieces(pixels, 1.5))


@settings(max_examples=10)
@given(seed=seeds, tolerance=st.sampled_from([0.5, 2.0]))
def test_a_simplified_ring_stays_within_the_tolerance(seed: int, tolerance: float) -> None:
    random = np.random.default_rng(seed)
    angle = np.linspace(0, 6.2, 60)
    ring = np.column_stack([np.cos(angle), np.sin(angle)]) * (20 + random.normal(0, 1, 60))[:, None]
    fewer = simplified(ring, tolerance)
    assert len(fewer) < 60
    assert collide.contacts(
        ConvexShapes.points(ring), ConvexShapes.points(fewer[:1])
    ).depth.shape == (60,)
    sides = ConvexShapes.segments(fewer, np.roll(fewer, -1, axis=0))
    distances = [
        -collide.contacts(ConvexShapes.points([point]), sides).depth.max() for point in ring
    ]
    assert max(distances) <= tolerance + 1e-6


@settings(max_examples=10)
@given(seed=seeds)
def test_a_hull_is_convex_and_contains_all_points(seed: int) -> None:
    points = np.random.default_rng(seed).integers(0, 8, (30, 2))
    ring = collide.hull(points)
    shape = ConvexShapes.polygons([ring])
    assert (collide.contacts(ConvexShapes.points(points), shape).depth > -1e-9).all()
    assert {tuple(corner) for corner in ring.tolist()} <= {
        tuple(point) for point in points.tolist()
    }


def test_a_shape_is_transformed_like_a_sprite() -> None:
    flag = ConvexShapes.polygons([[(0, 0), (4, 0), (0, 2)]])
    transformed = flag.transformed([(10, 0), (20, 5)], [0, np.pi / 2], [(1, 1), (-2, 1)])
    assert transformed.corners[0].tolist() == [[10, 0], [14, 0], [10, 2]]
    assert sorted(transformed.corners[1].round(9).tolist()) == [[18, 5], [20, -3], [20, 5]]
    assert collide.inside([(11, 0.5), (19.5, 4)], transformed).tolist() == [True, True]
    assert ConvexShapes.circles([(1, 0)], 2).transformed(
        [(0, 0)], scale=(3, 3)
    ).radius.tolist() == [6]


def test_invalid_rings_and_pixels_are_errors() -> None:
    with pytest.raises(ValueError, match=r"^ring: expected at least three corners"):
        collide.convex_pieces([(0, 0), (1, 1)])
    with pytest.raises(ValueError, match=r"^ring: expected a ring that does not cross itself"):
        collide.convex_pieces([(0, 0), (2, 2), (2, 0), (0, 3)])
    with pytest.raises(ValueError, match=r"^pixels: expected uint8 of shape"):
        collide.outline(np.zeros((2, 2)))  # type: ignore[arg-type]
    assert collide.hull([(1, 1), (1, 1)]).tolist() == [[1, 1]]
