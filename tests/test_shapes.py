"""Collision shapes: contacts, depths and rays, compared with samples and with geometry."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from framework import collide
from framework.geometry.shapes import ConvexShapes

seeds = st.integers(0, 2**32 - 1)


def random_shapes(
    random: np.random.Generator, kind: str, n: int, spread: float = 3.0
) -> ConvexShapes:
    """Return random shapes of a kind."""
    position = random.uniform(-spread, spread, (n, 2))
    size = random.uniform(0.2, 2, (n, 2))
    match kind:
        case "circles":
            return ConvexShapes.circles(position, size[:, 0])
        case "boxes":
            return ConvexShapes.boxes(position, size, random.uniform(-4, 4, n))
        case "upright":
            return ConvexShapes.boxes(position, size)
        case "capsules":
            return ConvexShapes.capsules(
                position, position + random.normal(size=(n, 2)), size[:, 0] / 2
            )
        case "segments":
            return ConvexShapes.segments(position, position + random.normal(size=(n, 2)))
        case "polygons":
            angle = np.sort(random.uniform(0, 2 * math.pi, (n, 5)))
            ring = np.stack([np.cos(angle), np.sin(angle)], axis=-1) * size[:, :1, None]
            return ConvexShapes.polygons(position[:, None] + ring[:, :: random.choice([-1, 1])])
    return ConvexShapes.points(position)


KINDS = ("circles", "boxes", "upright", "capsules", "segments", "polygons", "points")
kinds = st.sampled_from(KINDS)


def distance(points: Any, shapes: ConvexShapes) -> Any:
    """Return the distances of points (m, 2) from the core of each shape, minus the radius: (n, m)."""
    a = shapes.corners[:, None]
    along = np.roll(shapes.corners, -1, axis=1)[:, None] - a
    to = np.asarray(points)[None, :, None] - a
    squared = np.maximum((along**2).sum(-1), 1e-300)
    share = np.clip((to * along).sum(-1) / squared, 0, 1)
    far = np.linalg.norm(to - share[..., None] * along, axis=-1).min(axis=-1)
    left = along[..., 0] * to[..., 1] - along[..., 1] * to[..., 0] >= 0
    solid = shapes.corners.shape[1] > 2
    return np.where(left.all(axis=-1) & solid, -far, far) - shapes.radius[:, None]


@settings(max_examples=14)
@given(seed=seeds, first_kind=kinds, second_kind=kinds)
def test_the_depth_of_contacts_is_the_shortest_way_out(
    seed: int, first_kind: str, second_kind: str
) -> None:
    random = np.random.default_rng(seed)
    first = random_shapes(random, first_kind, 40)
    second = random_shapes(random, second_kind, 40)
    contacts = collide.contacts(first, second)
    assert np.linalg.norm(contacts.normal, axis=1) == pytest.approx(1)
    # Moved apart by the depth, the shapes only touch. No other direction is shorter.
    moved = ConvexShapes(
        first.corners + (contacts.normal * contacts.depth[:, None])[:, None], first.radius
    )
    assert collide.contacts(moved, second).depth == pytest.approx(0, abs=1e-7)
    deep = np.flatnonzero(contacts.depth > 1e-6)
    angle = random.uniform(0, 7, len(deep))
    direction = np.column_stack([np.cos(angle), np.sin(angle)]) * contacts.depth[deep, None] * 0.999
    nudged = ConvexShapes(first.corners[deep] + direction[:, None], first.radius[deep])
    assert (collide.contacts(nudged, second[deep]).depth > 0).all()
    # With the shapes swapped, the result is the same.
    back = collide.contacts(second, first)
    assert back.depth == pytest.approx(contacts.depth, abs=1e-9)
    # The contact point is on the second shape.
    on = np.array(
        [distance([point], second[[row]])[0, 0] for row, point in enumerate(contacts.point)]
    )
    assert on == pytest.approx(0, abs=1e-6)


@settings(max_examples=7)
@given(seed=seeds, kind=kinds)
def test_points_in_shapes_agree_with_half_planes_and_distances(seed: int, kind: str) -> None:
    random = np.random.default_rng(seed)
    shapes = random_shapes(random, kind, 20)
    points = random.uniform(-4, 4, (60, 2))
    far = distance(points, shapes)
    for row in range(len(shapes)):
        contacts = collide.contacts(ConvexShapes.points(points), shapes[[row]])
        assert -contacts.depth == pytest.approx(far[row], abs=1e-9)
        assert np.array_equal(collide.inside(points, shapes[[row]]), far[row] < 0) or kind in (
            "segments",
            "points",
        )


@settings(max_examples=10)
@given(seed=seeds, first_kind=kinds, second_kind=kinds)
def test_touching_pairs_are_the_same_as_in_a_test_of_every_pair(
    seed: int, first_kind: str, second_kind: str
) -> None:
    random = np.random.default_rng(seed)
    first = random_shapes(random, first_kind, 25)
    second = random_shapes(random, second_kind, 30)
    a, b = np.divmod(np.arange(25 * 30), 30)
    hit = collide.contacts(first[a], second[b]).depth > 0
    assert collide.touching(first, second).tolist() == np.column_stack([a, b])[hit].tolist()
    pairs = collide.touching(first)
    assert pairs.tolist() == [
        pair for pair in collide.touching(first, first).tolist() if pair[0] < pair[1]
    ]


def test_shapes_that_only_touch_do_not_overlap() -> None:
    boxes = ConvexShapes.boxes([(0, 0), (2, 0), (1.9, 1.9), (9, 9)], (2, 2))
    assert collide.touching(boxes).tolist() == [[0, 2], [1, 2]]
    assert collide.touching(ConvexShapes.circles([(0, 0), (3, 0)], [1, 2])).tolist() == []


def test_a_box_is_separated_along_the_shortest_way() -> None:
    contacts = collide.contacts(
        ConvexShapes.boxes([(1.5, 0.2)], (2, 2)), ConvexShapes.boxes([(0, 0)], (2, 2))
    )
    assert contacts.depth.tolist() == [0.5]
    assert contacts.normal.tolist() == [[1, 0]]
    turned = collide.contacts(
        ConvexShapes.circles([(2, 0)], 1), ConvexShapes.boxes([(0, 0)], (2, 2), math.pi / 4)
    )
    assert turned.depth == pytest.approx(math.sqrt(2) - 1)
    assert turned.point[0] == pytest.approx((math.sqrt(2), 0))


@settings(max_examples=5)
@given(
    seed=seeds, kind=st.sampled_from([kind for kind in KINDS if kind not in ("points", "segments")])
)
def test_rays_hit_shapes_where_small_steps_enter_them(seed: int, kind: str) -> None:
    random = np.random.default_rng(seed)
    shapes = random_shapes(random, kind, 12, 6.0)
    start = random.uniform(-8, 8, (20, 2))
    direction = random.normal(0, 8, (20, 2))
    hits = collide.raycast(start, direction, shapes)
    steps = np.linspace(0, 1, 300)
    for ray in range(20):
        points = start[ray] + direction[ray] * steps[:, None]
        within = (distance(points, shapes) < 0).any(axis=0)
        first = steps[np.argmax(within)] if within.any() else math.inf
        assert hits.fraction[ray] <= first
        if hits.row[ray] >= 0:
            at = start[ray] + direction[ray] * hits.fraction[ray]
            far = distance([at], shapes)[:, 0]
            assert hits.fraction[ray] == 0 or far.min() == pytest.approx(0, abs=1e-6)
            assert far[hits.row[ray]] < 1e-6
        if 0 < hits.fraction[ray] < math.inf:
            out = at + hits.normal[ray] * 1e-3
            assert distance([out], shapes[[hits.row[ray]]])[0, 0] > 0.5e-3


def test_rays_hit_segments_and_return_the_segment() -> None:
    walls = ConvexShapes.segments([(5, -1), (3, -1)], [(5, 1), (3, 1)])
    hits = collide.raycast(
        [(0, 0), (10, 0), (0, 0), (0, 2)], [(10, 0), (-10, 0), (2, 0), (10, 0)], walls
    )
    assert hits.fraction.tolist() == [0.3, 0.5, math.inf, math.inf]
    assert hits.row.tolist() == [1, 0, -1, -1]
    assert hits.normal.tolist() == [[-1, 0], [1, 0], [0, 0], [0, 0]]
    assert collide.raycast(
        [(0, 0)], [(1, 0)], ConvexShapes.boxes([(0.2, 0)], (1, 1))
    ).fraction.tolist() == [0]


def test_bounds_are_those_of_the_rounded_shape() -> None:
    low, high = ConvexShapes.capsules([(0, 0)], [(3, 1)], 0.5).bounds()
    assert (low.tolist(), high.tolist()) == ([[-0.5, -0.5]], [[3.5, 1.5]])


def test_polygons_of_any_length_mix_and_concave_polygons_are_refused() -> None:
    triangle = [(0, 0), (4, 0), (0, 4)]
    square = [(0, 0), (0, 2), (2, 2), (2, 0)]
    shapes = ConvexShapes.polygons([triangle, square])
    assert shapes.corners.shape == (2, 4, 2)
    assert collide.inside([(1.9, 1.9)] * 2, shapes).tolist() == [True, True]
    assert collide.inside([(2.1, 2.1)] * 2, shapes).tolist() == [False, False]
    with pytest.raises(ValueError, match=r"^corners: polygon 1 is not convex"):
        ConvexShapes.polygons([triangle, [(0, 0), (4, 0), (1, 1), (0, 4)]])
    with pytest.raises(ValueError, match=r"^corners: "):
        ConvexShapes.polygons([[]])
    with pytest.raises(ValueError, match=r"^others: expected 2 shapes, or one, got 3"):
        collide.contacts(shapes, ConvexShapes.points([(0, 0)] * 3))
    with pytest.raises(TypeError, match=r"^shapes: "):
        collide.touching("box")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^radius: "):
        ConvexShapes.circles([(0, 0)] * 2, [1, 2, 3])


def test_invalid_shapes_are_refused() -> None:
    angle = np.arange(5) * 4 * np.pi / 5
    # all corners turn left, but the outline goes around twice
    star = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    for ring in (star, star[::-1]):
        with pytest.raises(ValueError, match=r"^corners: polygon 0 is not convex"):
            collide.ConvexShapes.polygons([ring])
    assert (
        len(
            collide.ConvexShapes.polygons(
                [star[[0, 3, 1, 4, 2]], [(0, 0), (2, 0), (1, 0)], [(0, 0), (0, 1)]]
            )
        )
        == 3
    )
    with pytest.raises(TypeError, match=r"^corners: expected"):
        collide.ConvexShapes.polygons(5)  # type: ignore[arg-type]
    for make in (
        lambda: collide.ConvexShapes.circles((0, 0), -1),
        lambda: collide.ConvexShapes.capsules((0, 0), (1, 0), [-1.0]),
        lambda: collide.ConvexShapes.polygons([star[[0, 3, 1]]], radius=-0.5),
    ):
        with pytest.raises(ValueError, match=r"^radius: expected numbers of at least 0"):
            make()


def test_shapes_copy_their_arrays() -> None:
    center = np.zeros((2, 2))
    radius = np.ones(2)
    circles = collide.ConvexShapes.circles(center, radius)
    center += 5
    radius += 5
    assert not circles.corners.any()
    assert (circles.radius == 1).all()
