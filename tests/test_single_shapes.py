"""Contacts and raycasts of a few shapes have the same bits as those of many shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_shapes import random_shapes

from framework import collide
from framework.geometry import shapes
from framework.geometry.shapes import ConvexShapes

KINDS = ("circles", "boxes", "upright", "capsules", "segments", "polygons", "points")


@pytest.fixture
def in_columns(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that calls another function, which then compares all shapes at once."""

    def call(function: Any, *arguments: Any) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(shapes, "lists_of", lambda corners, radius: None)
            patch.setattr(shapes, "_raycast_few", lambda *arguments: None)
            return function(*arguments)

    return call


def assert_same_bits(first: Any, second: Any) -> None:
    for first_array, second_array in zip(first, second, strict=True):
        assert first_array.dtype == second_array.dtype
        assert first_array.shape == second_array.shape
        assert (
            np.ascontiguousarray(first_array).tobytes()
            == np.ascontiguousarray(second_array).tobytes()
        )


def edge_cases(random: np.random.Generator, number: int, n: int) -> ConvexShapes:
    """Return shapes of any kind, many of which touch, are tiny, or are huge."""
    targets = random_shapes(random, KINDS[number % len(KINDS)], n, 6.0)
    if number % 3 == 0:  # edges and corners that touch exactly
        targets.corners = np.round(targets.corners) + 0.0
        targets.radius = np.round(targets.radius)
    if number % 5 == 0:
        targets.corners *= 10.0 ** random.integers(-6, 7)
    if number % 11 == 0 and n:
        targets.corners[random.integers(n)] = random.choice([np.nan, np.inf, 1e200])
    return targets


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # columns warn of NaN and of infinity
def test_contacts_of_a_few_shapes_have_the_same_bits_as_in_columns(in_columns: Any) -> None:
    random = np.random.default_rng(1)
    touching = 0
    for number in range(120):
        n = 1 + number % 3
        first = edge_cases(random, number, n)
        second = edge_cases(random, int(random.integers(1000)), n)
        if number % 4 == 0:
            second.corners = second.corners + first.corners[:, :1] - second.corners[:, :1]
        assert_same_bits(
            collide.contacts(first, second), in_columns(collide.contacts, first, second)
        )
        rows = collide.touching(first, second)
        assert_same_bits([rows], [in_columns(collide.touching, first, second)])
        touching += len(rows)
        for point in (second.corners[0, 0], first.corners[0].mean(axis=0)):
            expected = in_columns(collide.inside, point, first[:1])
            for value in (point, [point.tolist()], tuple(point.tolist())):
                assert_same_bits([collide.inside(value, first[:1])], [expected])
    assert touching > 40


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_one_ray_hits_the_same_as_among_many(in_columns: Any) -> None:
    random = np.random.default_rng(2)
    hits = 0
    for number in range(60):
        n = int(random.integers(0, 40))
        targets = edge_cases(random, number, n)
        size = float(np.nan_to_num(np.abs(targets.corners), posinf=0).max(initial=1.0))
        origin = random.uniform(-size, size, (8, 2))
        displacement = random.uniform(-1.5 * size, 1.5 * size, (8, 2))
        if number % 3 == 0:
            origin = np.round(origin)
            displacement = np.round(displacement)
        displacement[:2, 0] = 0.0
        displacement[1:3, 1] = 0.0
        if n:  # from a corner, and to a corner
            origin[3] = targets.corners[0, 0]
            displacement[4] = targets.corners[0, 0] - origin[4]
        if number % 20 == 7:
            origin[5] = random.choice([np.nan, np.inf, 1e200])
        expected = in_columns(collide.raycast, origin, displacement, targets)
        assert_same_bits(collide.raycast(origin, displacement, targets), expected)
        for row, (start, movement) in enumerate(zip(origin, displacement, strict=True)):
            result = collide.raycast(tuple(start.tolist()), [movement.tolist()], targets)
            assert_same_bits(result, [array[row : row + 1] for array in expected])
        hits += int((expected.row >= 0).sum())
    assert hits > 100


def test_every_ray_is_compared_with_the_shapes_of_now(in_columns: Any) -> None:
    targets = ConvexShapes.boxes([(5, 0), (9, 0)], (2, 2))
    ray = (0, 0), (20, 0), targets
    for _ in range(3):  # without a grid, then with a grid
        assert collide.raycast(*ray).row.tolist() == [0]
    targets.corners[0, :, 1] += 5
    assert collide.raycast(*ray).row.tolist() == [1]
    targets.radius[0] = 4.5
    assert collide.raycast(*ray).row.tolist() == [0]
    targets.corners = targets.corners[1:]
    targets.radius = targets.radius[1:]
    hit = collide.raycast(*ray)
    assert (hit.row.tolist(), hit.fraction.tolist()) == ([0], [0.4])


def test_large_shapes_and_far_rays_are_found(in_columns: Any) -> None:
    random = np.random.default_rng(3)
    positions = random.uniform(0, 1000, (300, 2))
    size = np.where(random.random((300, 1)) < 0.05, (900, 4), (6, 6))
    targets = ConvexShapes.boxes(positions, size, random.uniform(-3, 3, 300))
    origin = random.uniform(0, 1000, (40, 2))
    displacement = random.uniform(-400, 400, (40, 2))
    displacement[:4] *= 1e9
    origin[4:8] = -1e9
    displacement[4:8] = 2e9
    expected = in_columns(collide.raycast, origin, displacement, targets)
    for row in range(40):
        result = collide.raycast(origin[row], displacement[row], targets)
        assert_same_bits(result, [array[row : row + 1] for array in expected])


def test_ten_rays_at_once_hit_the_same_as_ten_calls() -> None:
    targets = random_shapes(np.random.default_rng(4), "boxes", 30, 6.0)
    origin = np.random.default_rng(5).uniform(-6, 6, (10, 2))
    hits = collide.raycast(origin, (0, -9), targets)
    for row in range(10):
        single = collide.raycast(origin[row], (0, -9), targets)
        assert_same_bits(single, [array[row : row + 1] for array in hits])


def test_a_shape_among_no_shapes_has_no_contacts() -> None:
    circle = ConvexShapes.circles([(0, 0)], 1)
    assert collide.contacts(circle, circle[:0]).normal.shape == (0, 2)
    assert collide.touching(circle, circle[:0]).shape == (0, 2)
    assert collide.raycast((0, 0), (1, 0), circle[:0]).row.tolist() == [-1]


def test_a_ray_hits_shapes_with_32_bit_numbers() -> None:
    shapes32 = ConvexShapes.circles([(5, 0), (6, 0), (7, 0)], 1.0)
    expected = shapes.raycast((0, 0), (9, 0), shapes32)
    shapes32.radius = shapes32.radius.astype(np.float32)
    assert_same_bits(shapes.raycast((0, 0), (9, 0), shapes32), expected)
    shapes32.corners = shapes32.corners.astype(np.float32)
    assert_same_bits(shapes.raycast((0, 0), (9, 0), shapes32), expected)


@pytest.mark.parametrize("scale", [1e-60, 1e-80, 1e-110, 1e-150])
def test_a_ray_hits_tiny_shapes_as_in_columns(in_columns: Any, scale: float) -> None:
    for kind in ("circles", "capsules", "boxes"):
        for number in range(20):
            random = np.random.default_rng(number)
            large = random_shapes(random, kind, 3, 6.0)
            tiny = ConvexShapes(large.corners * scale, large.radius * scale)
            ray = random.uniform(-9, 9, 2) * scale, random.uniform(-20, 20, 2) * scale
            hits = shapes.raycast(*ray, tiny)
            assert_same_bits(hits, in_columns(shapes.raycast, *ray, tiny))
