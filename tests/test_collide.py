"""Collisions, compared with brute force and with geometric facts."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from framework import Heightfield, Mesh, collide
from framework import quaternions as Q
from framework.geometry import broadphase
from framework.geometry.broadphase import Extents

seeds = st.integers(0, 2**32 - 1)


def brute_force_pairs(low: Any, high: Any) -> Any:
    over = ((low[:, None] <= high[None]) & (low[None] <= high[:, None])).all(axis=2)
    return np.argwhere(np.triu(over, 1))


def random_rotations(random: np.random.Generator, n: int) -> Any:
    return Q.normalized(random.normal(size=(n, 4)))


# -- pairs of boxes --------------------------------------------------------------------------------


@settings(max_examples=60)
@given(
    seed=seeds,
    n=st.integers(0, 120),
    spread=st.sampled_from([1.0, 10.0, 1e4]),
    sizes=st.sampled_from([0, 1, 3]),
)
def test_pairs_match_brute_force_at_all_sizes(seed: int, n: int, spread: float, sizes: int) -> None:
    random = np.random.default_rng(seed)
    middle = random.uniform(-spread, spread, (n, 3))
    half = 10 ** random.uniform(-sizes, sizes, (n, 1)) * random.random((n, 3))
    low = middle - half
    high = middle + half
    assert collide.pairs(low, high).tolist() == brute_force_pairs(low, high).tolist()


@settings(max_examples=20)
@given(seed=seeds, spread=st.sampled_from([1.0, 1e4]), sizes=st.sampled_from([0, 1, 3]))
def test_2d_pairs_match_brute_force(seed: int, spread: float, sizes: int) -> None:
    random = np.random.default_rng(seed)
    middle = random.uniform(-spread, spread, (140, 2))
    n = 90
    half = 10 ** random.uniform(-sizes, sizes, (140, 1)) * random.random((140, 2))
    low = middle - half
    high = middle + half
    assert collide.pairs(low, high).tolist() == brute_force_pairs(low, high).tolist()
    over = ((low[:n, None] <= high[None, n:]) & (low[None, n:] <= high[:n, None])).all(axis=2)
    assert (
        collide.pairs_between(low[:n], high[:n], low[n:], high[n:]).tolist()
        == np.argwhere(over).tolist()
    )


@pytest.mark.parametrize("middle", [-300.0, 0.0, 70.0])
def test_small_boxes_among_large_ones_are_found(middle: float) -> None:
    random = np.random.default_rng(5)
    centers = middle + random.uniform(-40, 40, (300, 3))
    half = np.where(np.arange(300) % 2, 0.1, 7.0)[:, None]
    low = centers - half
    high = centers + half
    boxes = Extents(low.T, high.T)
    assert (
        len(broadphase._levels(boxes, broadphase._Frame.of([boxes]))) == 2
    )  # one level for small boxes, one for large boxes
    assert collide.pairs(low, high).tolist() == brute_force_pairs(low, high).tolist()


@given(seed=seeds)
def test_touching_boxes_are_pairs(seed: int) -> None:
    low = np.random.default_rng(seed).integers(-5, 5, (60, 3)).astype(float)
    assert collide.pairs(low, low + 1).tolist() == brute_force_pairs(low, low + 1).tolist()


def test_boxes_at_the_limit_of_integers_are_found() -> None:
    random = np.random.default_rng(19)
    low = 2.0**53 - random.integers(1, 300, (150, 2))
    high = low + random.integers(4, 6, (150, 1))  # the middles of these boxes are no float64
    assert collide.pairs(low, high).tolist() == brute_force_pairs(low, high).tolist()


def test_infinite_and_inverted_boxes_touch_nothing() -> None:
    low = np.zeros((5, 3))
    high = np.ones((5, 3))
    low[1, 0], high[2, 1], low[3] = math.nan, math.inf, 2
    assert collide.pairs(low, high).tolist() == [[0, 4]]
    with pytest.raises(ValueError, match=r"^low: "):
        collide.pairs(np.zeros((2, 4)), np.ones((2, 4)))
    with pytest.raises(ValueError, match=r"^other_low: "):
        collide.pairs_between(low, high, np.zeros((2, 2)), np.ones((2, 2)))
    with pytest.raises(ValueError, match=r"^other_high: "):
        collide.pairs_between(low, high, low, high[:3])


@pytest.mark.parametrize(
    ("low_end", "high_end"), [(-math.inf, 1), (0, math.inf), (-math.inf, math.inf)]
)
def test_an_infinite_box_does_not_hide_other_pairs(low_end: float, high_end: float) -> None:
    low = np.zeros((4, 2))
    high = np.ones((4, 2))
    low[2, 0] = low_end
    high[2, 0] = high_end
    with np.errstate(all="ignore"):
        assert collide.pairs(low, high).tolist() == [[0, 1], [0, 3], [1, 3]]
        pairs = collide.pairs_between(low, high, low[:2], high[:2])
    assert pairs.tolist() == [[row, other_row] for row in (0, 1, 3) for other_row in (0, 1)]


@given(seed=seeds)
def test_pairs_between_two_sets_match_brute_force(seed: int) -> None:
    random = np.random.default_rng(seed)
    first = random.uniform(0, 5, (40, 3))
    second = random.uniform(0, 5, (30, 3))
    over = ((first[:, None] <= second[None] + 1) & (second[None] <= first[:, None] + 1)).all(axis=2)
    assert (
        collide.pairs_between(first, first + 1, second, second + 1).tolist()
        == np.argwhere(over).tolist()
    )


# -- shapes ----------------------------------------------------------------------------------------


def test_arrays_of_a_wrong_shape_are_refused() -> None:
    two = np.zeros((2, 3))
    three = np.zeros((3, 3))
    for name, values in (
        ("center", (np.zeros((2, 2)), 1, two, 1)),
        ("other_center", (two, 1, np.zeros((1, 2, 3)), 1)),
        ("radius", (two, np.ones((2, 1)), two, 1)),
        ("other_center", (two, 1, three, 1)),
    ):
        with pytest.raises(ValueError, match=f"^{name}: expected"):
            collide.spheres(*values)


def test_the_depth_of_two_balls_is_their_radii_minus_the_distance() -> None:
    touching = collide.spheres(
        [(3, 0, 0), (0, 5, 0), (1, 1, 1)], [1, 1, 1], [(0, 0, 0), (0, 0, 0), (1, 1, 1)], 2.5
    )
    assert touching.depth.tolist() == [0.5, -1.5, 3.5]
    assert touching.normal.tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 0]]
    assert touching.point[0].tolist() == [2.5, 0, 0]


def test_a_ball_in_a_box_is_pushed_through_the_nearest_side() -> None:
    touching = collide.sphere_box(
        [(0.9, 0, 0), (3, 0, 0), (2, 2, 0)], 1.5, np.zeros((3, 3)), (1, 1, 1)
    )
    assert touching.depth == pytest.approx((1.6, -0.5, 1.5 - math.sqrt(2)))
    assert touching.normal[0].tolist() == [1, 0, 0]
    assert touching.normal[2] == pytest.approx((math.sqrt(0.5), math.sqrt(0.5), 0))


def test_a_ball_centered_on_a_side_is_pushed_along_its_normal() -> None:
    balls = [(1, 0.5, 0.2), (0.3, -1, 0.2), (0.3, 0.5, 1), (2, 0.5, 0.2), (-1, -1, -1)]
    touching = collide.sphere_box(balls, 0.5, np.zeros((5, 3)), (1, 1, 1))
    assert touching.depth.tolist() == [0.5, 0.5, 0.5, -0.5, 0.5]
    assert touching.normal[:4].tolist() == [[1, 0, 0], [0, -1, 0], [0, 0, 1], [1, 0, 0]]
    assert np.abs(touching.normal[4]).sum() == 1  # along one of the three axes


@given(seed=seeds)
def test_a_ball_moved_out_of_a_rotated_box_touches_it(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = 50
    ball = random.uniform(-2, 2, (n, 3))
    radius = random.uniform(0.1, 1, n)
    middle = random.uniform(-1, 1, (n, 3))
    half = random.uniform(0.2, 1.5, (n, 3))
    turn = random_rotations(random, n)
    touching = collide.sphere_box(ball, radius, middle, half, turn)
    out = ball + touching.normal * touching.depth[:, None]
    assert collide.sphere_box(out, radius, middle, half, turn).depth == pytest.approx(0, abs=1e-6)


@given(seed=seeds)
def test_a_box_moved_out_of_a_rotated_box_touches_it(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = 50
    first = random.uniform(-1, 1, (n, 3))
    second = random.uniform(-1, 1, (n, 3))
    half = random.uniform(0.2, 1.5, (n, 3))
    other_half = random.uniform(0.2, 1.5, (n, 3))
    turn = random_rotations(random, n)
    other_turn = random_rotations(random, n)
    touching = collide.boxes(first, half, turn, second, other_half, other_turn)
    hit = touching.depth > 0
    out = first + touching.normal * touching.depth[:, None]
    after = collide.boxes(out, half, turn, second, other_half, other_turn)
    assert after.depth[hit] == pytest.approx(0, abs=1e-6)
    # A corner of one box in the other is an overlap, so the depth must be positive.
    ends = collide.corners(first, half, turn) - second[:, None]
    local = np.stack([Q.rotate(Q.conjugate(other_turn), ends[:, k]) for k in range(8)], axis=1)
    inside = (np.abs(local) < other_half[:, None]).all(axis=2).any(axis=1)
    assert (touching.depth[inside] > 0).all()


def test_upright_boxes_separate_along_the_shortest_axis() -> None:
    touching = collide.boxes([(1.5, 0, 0)], (1, 1, 1), None, [(0, 0.2, 0)], (1, 1, 1), None)
    assert touching.depth == pytest.approx(0.5)
    assert touching.normal.tolist() == [[1, 0, 0]]
    assert touching.point[0] == pytest.approx((1, 0.2, 0))


# -- the ground ------------------------------------------------------------------------------------


def random_hills(seed: int = 1, shape: tuple[int, int] = (9, 13)) -> Heightfield:
    return Heightfield(np.random.default_rng(seed).uniform(0, 2, shape), (0.7, 1.1), (3, 1, -2))


def points_around(
    field: Heightfield, random: np.random.Generator, n: int, margin: float = 0.0
) -> Any:
    points = (
        random.uniform(-margin, 1 + margin, (n, 3)) * (field.size[0], 6, field.size[1])
        + field.origin
    )
    return points - (0, 1, 0)


@given(seed=seeds)
def test_a_ray_from_above_hits_the_ground_at_its_height(seed: int) -> None:
    random = np.random.default_rng(seed)
    field = random_hills(seed)
    points = points_around(field, random, 40)
    points[:, 1] = 10
    far = field.ray(points, [(0, -1, 0)])
    assert 10 - far == pytest.approx(field.height_at(points), abs=1e-6)


@settings(max_examples=30)
@given(seed=seeds)
def test_rays_hit_the_triangles_of_the_mesh(seed: int) -> None:
    from framework.geometry.rays import ray_triangles

    random = np.random.default_rng(seed)
    field = random_hills(seed)
    start = points_around(field, random, 40, 0.5)
    way = random.normal(size=(40, 3))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    mesh = field.mesh()
    corners = mesh.positions[mesh.indices].reshape(1, -1, 3, 3).astype(np.float64)
    true = ray_triangles(start[:, None], way[:, None], corners)[0].min(axis=1)
    ours = field.ray(start, way * 3)
    same = np.isclose(ours, true, atol=1e-3) | (np.isinf(ours) & np.isinf(true))
    assert (
        same.mean() >= 0.97
    )  # the mesh has float32 values: a few rays pass an edge on the other side
    assert field.ray(start, way, farthest=0.0).tolist() == [math.inf] * 40


def test_normals_are_perpendicular_to_the_slope() -> None:
    x = np.arange(5.0)
    field = Heightfield(np.tile(x * 0.5, (4, 1)))
    assert field.size == (4, 3)
    assert field.normal_at([(0.3, 9, -0.2)])[0] == pytest.approx(
        np.array([-0.5, 1, 0]) / math.hypot(0.5, 1)
    )
    assert field.height_at([(0, 0, 0), (99, 0, 0), (-99, 0, 0)]).tolist() == [1, 2, 0]
    assert field.contains([(0, 0, 0), (2.1, 0, 0)]).tolist() == [True, False]


@given(seed=seeds)
@example(seed=361)
def test_a_ball_touches_the_nearest_triangle(seed: int) -> None:
    random = np.random.default_rng(seed)
    field = random_hills(seed, (5, 6))
    balls = points_around(field, random, 30)
    radii = random.uniform(0.1, 1.2, 30)
    touching = field.spheres(balls, radii)
    mesh = field.mesh()
    corners = mesh.positions[mesh.indices].reshape(-1, 3, 3).astype(np.float64)
    cloud = corners.mean(axis=1)[:, None]
    above = balls[:, 1] > field.height_at(balls)
    distance = radii - touching.depth
    # No point of the ground is nearer than the contact, and the contact is on the ground.
    nearest = np.linalg.norm(cloud - balls, axis=2).min(axis=0)
    assert (distance[above] <= nearest[above] + 1e-5).all()
    inside = field.contains(touching.point)
    assert field.height_at(touching.point)[inside] == pytest.approx(
        touching.point[inside, 1], abs=1e-6
    )
    assert (touching.normal[:, 1] > -1e-6).all() or above.any()


def test_the_contact_of_a_ball_high_above_is_the_nearest_peak() -> None:
    heights = np.zeros((9, 9))
    heights[1, 1] = 5
    field = Heightfield(heights)
    touching = field.spheres([(0, 5, 0), (0, 5, 0.5)], [0.5, 4.5])
    assert touching.point == pytest.approx(np.array([(-3, 5, -3)] * 2), abs=1.3)
    assert touching.depth[0] > -5 + 0.5  # the ground directly below is farther away
    alone = field.spheres([(0, 5, 0.5)], [4.5])
    assert alone.depth == pytest.approx(touching.depth[1:])
    assert alone.normal == pytest.approx(touching.normal[1:])
    assert len(field.spheres(np.zeros((0, 3)), np.zeros(0)).depth) == 0


@given(seed=seeds)
def test_a_single_ball_has_the_same_contact_as_among_others(seed: int) -> None:
    random = np.random.default_rng(seed)
    field = Heightfield(random.normal(size=(5, 7)), (0.5, 0.8), origin=(3, 2, -4))
    balls = random.uniform((0, -1, -7), (10, 6, 2), (12, 3))
    balls[:3] = random.uniform((3, 0, -4), (6, 0, -0.8), (3, 3))
    balls[:3, 1] = field.height_at(balls[:3])  # directly on the ground
    balls[3] = math.nan, 1, 1
    balls[4] = 2, math.inf, -math.inf
    balls[5] = 1e200, 1, 0
    radii = random.uniform(0.1, 3, 12)
    with np.errstate(all="ignore"):
        among = field.spheres(balls, radii)
        for row in range(12):
            alone = field.spheres(balls[row : row + 1], radii[row : row + 1])
            for name in ("depth", "normal", "point"):
                single_value = getattr(alone, name)[0]
                batch_value = getattr(among, name)[row]
                np.testing.assert_array_equal(
                    single_value, batch_value, err_msg=name
                )  # exactly equal


@given(seed=seeds)
def test_single_balls_on_any_ground_have_the_same_contacts(
    seed: int,
) -> None:
    random = np.random.default_rng(seed)
    heights = random.normal(size=(15, 11)) * random.choice([0, 0.1, 3])
    field = Heightfield(heights, tuple(random.uniform(0.1, 2, 2)))
    balls = random.uniform((-8, -9, -9), (8, 9, 9), (8, 3)).round(int(random.integers(0, 3)))
    radii = random.uniform(0, 9, 8)
    among = field.spheres(balls, radii)
    for row in range(8):
        alone = field.spheres([balls[row].tolist()], float(radii[row]))
        for name in ("depth", "normal", "point"):
            np.testing.assert_array_equal(
                getattr(alone, name)[0], getattr(among, name)[row], err_msg=name
            )


def test_one_ball_takes_less_than_half_a_millisecond() -> None:
    field = Heightfield(np.random.default_rng(0).normal(size=(81, 81)), 1.5)
    ball = np.array([(3.0, 0.5, 2.0)])
    times = []
    for _ in range(50):
        start = time.process_time()
        field.spheres(ball, 0.6)
        times.append(time.process_time() - start)
    assert min(times) < 0.0005  # about 0.02 ms


def test_a_ball_in_a_valley_touches_both_sides() -> None:
    x = np.abs(np.arange(-4, 5.0))
    field = Heightfield(np.tile(x, (9, 1)))
    touching = field.spheres([(0, math.sqrt(2), 0.25), (0, 3, 0.25)], 1.0)
    assert touching.depth == pytest.approx((0, 1 - 3 / math.sqrt(2)))
    assert (
        field.spheres([(0.1, -0.5, 0.25)], 1.0).depth[0] > 1
    )  # under the ground: more than the whole radius


def test_the_depth_of_a_box_is_that_of_its_lowest_corner() -> None:
    field = Heightfield(np.zeros((5, 5)))
    touching = field.boxes(
        [(0, 0.4, 0), (0, 2, 0)], (0.5, 0.5, 0.5), [Q.from_axis((1, 0, 0), 0.0)] * 2
    )
    assert touching.depth == pytest.approx((0.1, -1.5))
    assert touching.normal[0].tolist() == [0, 1, 0]


def test_the_mesh_faces_up_and_matches_the_heights() -> None:
    field = random_hills()
    mesh = field.mesh()
    assert isinstance(mesh, Mesh)
    assert (mesh.normals[:, 1] > 0).all()
    assert field.height_at(mesh.positions) == pytest.approx(mesh.positions[:, 1], abs=1e-5)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("heights", (np.zeros(4),)),
        ("heights", ([[0, 1], [math.nan, 0]],)),
        ("heights", ([[1, 2, 3]],)),
        ("cell", (np.zeros((3, 3)), 0)),
        ("cell", (np.zeros((3, 3)), (1, math.nan))),
        ("origin", (np.zeros((3, 3)), 1, (1, 2))),
    ],
)
def test_wrong_heightfields_are_errors_with_the_name(name: str, arguments: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{name}: "):
        Heightfield(*arguments)
