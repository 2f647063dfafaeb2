"""What a ray meets first."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import framework as fw
from framework import quaternions as Q
from framework.geometry.rays import checked_ray, ray_boxes, ray_spheres, ray_triangles

Make = Callable[..., Any]
seeds = st.integers(0, 2**32 - 1)


def crowd(seed: int, mesh: fw.Mesh, n: int = 60, **options: Any) -> fw.MeshBatch:
    """Moving, turning instances of any size, some mirrored, some of no thickness."""
    random = np.random.default_rng(seed)
    batch = fw.MeshBatch(mesh, n, **options)
    for _ in range(2):
        batch.transforms.begin_tick(0.1)
        batch.position = random.uniform(-4, 4, (n, 3))
        batch.rotation = Q.normalized(random.normal(size=(n, 4))).astype(np.float32)
        batch.scale = random.uniform(0.2, 2, (n, 3)) * random.choice([-1, 1], (n, 3))
        batch.transforms.end_tick()
    batch.scale[0] = 0, 1, 1
    batch.visible[1::4] = False
    return batch


def brute(batch: fw.MeshBatch, rays: Any, alpha: float, both_sides: bool) -> list[Any]:
    """For each ray, a start and a direction, the distance to the nearest of all triangles in the
    world.
    """
    position, rotation, scale = [part.astype(np.float64) for part in batch.transforms.pose(alpha)]
    local = batch.mesh.positions[batch.mesh.indices].astype(np.float64)
    world = local @ (Q.matrices(rotation) * scale[:, :, None]) + position[:, None]
    world = world.reshape(len(batch), -1, 3, 3)[batch.visible & (scale != 0).all(axis=1)]
    found = []
    for start, way in rays:
        with np.errstate(all="ignore"):
            distance, side = ray_triangles(start, way, world)
        # Winding as the rasteriser sees it: mirrored triangles are turned round in the world
        # already.
        found.append((distance if both_sides else np.where(side > 0, distance, np.inf)).min())
    return found


@settings(max_examples=60, deadline=None)
@given(seed=seeds, alpha=st.floats(0, 1), both_sides=st.booleans())
def test_the_nearest_instance_is_that_of_brute_force(
    seed: int, alpha: float, both_sides: bool
) -> None:
    batch = crowd(seed, fw.Mesh.torus(0.5, 0.2, 8), material=fw.Material(double_sided=both_sides))
    random = np.random.default_rng(seed)
    rays = []
    for _ in range(5):
        start, way = random.uniform(-6, 6, 3), random.normal(size=3)
        rays.append((start, way / np.linalg.norm(way)))
    for true, (start, way) in zip(brute(batch, rays, alpha, both_sides), rays, strict=True):
        hit = batch.pick(start, way * 7, alpha)
        if hit is None:
            assert math.isinf(true)
            continue
        assert hit.distance == pytest.approx(true, abs=1e-5)
        assert hit.point == pytest.approx(start + way * hit.distance, abs=1e-5)
        assert hit.instance.visible
        assert np.linalg.norm(hit.normal) == pytest.approx(1)
        assert np.dot(hit.normal, way) <= 0


def test_the_mouse_picks_what_is_drawn_under_it(make: Make) -> None:
    class Shown(fw.Game):
        def setup(self) -> None:
            self.batch = self.add(fw.MeshBatch(fw.Mesh.cube(), 5, material=fw.Material(unlit=True)))
            self.world.camera.position = 0, 0, 7

        def update(self, dt: float) -> None:
            time = self.tick * dt * 3
            at = np.arange(5) - 2
            self.batch.position = np.column_stack([at * 2.4, np.sin(time + at), -at])
            self.batch.rotation = [Q.from_axis((1, 1, 0), time + number) for number in at]

    game = make(Shown, tick_rate=10)
    game.advance(0.1)
    alpha = game.advance(0.15)
    lit = game.pixels()[..., :3].sum(axis=2) > 0
    where = np.argwhere(np.ones_like(lit))[::17]
    seen = [
        game.batch.pick(*game.world.camera.screen_ray((x + 0.5, 100 - y - 0.5), alpha), alpha)
        is not None
        for y, x in where
    ]
    assert (
        np.mean(np.array(seen) == lit[tuple(where.T)]) > 0.995
    )  # a pixel on an edge may fall to either side
    assert 50 < sum(seen) < len(seen) / 2


def test_a_million_units_away_it_is_as_exact() -> None:
    center = np.array([1e6, -2e6, 3e6])
    batch = fw.MeshBatch(fw.Mesh.cube(), 1, large_world=True)
    batch.position = center + (0.25, 0, 0)
    hit = batch.pick(center - (10, 0, 0), (1, 0, 0))
    assert hit is not None
    assert hit.distance == pytest.approx(9.75, abs=1e-6)
    assert hit.normal == (-1, 0, 0)


def test_what_is_far_away_is_met_as_well_as_what_is_near() -> None:
    batch = fw.MeshBatch(fw.Mesh.cube(), 1)
    batch.position = 0, 0, -5000
    hit = batch.pick((0.49, 0, 0), (0, 0, -1))
    assert hit is not None
    assert hit.distance == pytest.approx(4999.5)
    assert batch.pick((0.51, 0, 0), (0, 0, -1)) is None
    assert batch.pick((0, 0, 0), (0, 0, 1)) is None


@pytest.mark.parametrize(
    ("name", "ray"),
    [
        ("direction", ((0, 0, 0), (0, 0, 0))),
        ("direction", ((0, 0, 0), (0, math.nan, 1))),
        ("origin", ((0, math.inf, 0), (0, 0, 1))),
        ("origin", ((0, 0), (0, 0, 1))),
    ],
)
def test_a_ray_that_cannot_be_is_an_error_by_name(name: str, ray: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{name}: "):
        fw.MeshBatch(fw.Mesh.cube(), 1).pick(*ray)


def test_a_ray_enters_balls_and_boxes() -> None:
    start, way = np.zeros(3), np.array([0.0, 0, 2])
    centers = np.array([(0, 0, 10), (0, 3, 10), (0, 0, -10), (0, 0, 0.5)], np.float64)
    assert ray_spheres(start, way, centers, [2, 2, 2, 2]).tolist() == [
        4,
        math.inf,
        math.inf,
        0,
    ]
    assert ray_boxes(start, way, centers - 2, centers + 2).tolist() == [
        4,
        math.inf,
        math.inf,
        0,
    ]
    on_a_side = ray_boxes(start, way, np.array([(0.0, -1, 3)]), np.array([(1.0, 1, 4)]))
    assert on_a_side.tolist() == [1.5]


def _reference(batch: fw.MeshBatch, start: Any, direction: Any, alpha: float) -> Any:
    """The nearest hit of all visible rows, by the functions for many rays."""
    visible = np.flatnonzero(batch.visible)
    poses = batch.transforms.pose(alpha, visible)
    position, rotation, scale = (part.astype("f8") for part in poses)
    back = Q.conjugate(rotation)
    mesh = batch.mesh
    corners = mesh.positions[mesh.indices].reshape(-1, 3, 3).astype("f8")
    with np.errstate(all="ignore"):
        origin = Q.rotate(back, start - position) / scale
        ahead = Q.rotate(back, np.broadcast_to(direction, position.shape)) / scale
        distance, side = ray_triangles(origin[:, None], ahead[:, None], corners[None])
        if not batch.material.double_sided:
            front = side * np.sign(scale.prod(axis=1))[:, None] > 0
            distance = np.where(front, distance, np.inf)
    nearest = np.nanmin(distance, initial=np.inf)
    return None if nearest == np.inf else (visible[(distance == nearest).any(axis=1)], nearest)


@pytest.mark.parametrize("count", [1, 3, 40])
def test_pick_has_the_bits_of_the_functions_for_many_rays(count: int) -> None:
    rng = np.random.default_rng(count)
    hits = 0
    for double_sided in (False, True):
        material = fw.Material(double_sided=double_sided)
        batch = fw.MeshBatch(fw.Mesh.sphere(1.0), count, material=material)
        for move in range(6):
            batch.transforms.begin_tick(1 / 60)
            batch.position[:] = rng.normal(size=(count, 3))
            batch.rotation[:] = rng.normal(size=(count, 4)) if move else (0, 0, 0, 1)
            mirrors = np.where(rng.random((count, 3)) < 0.2, -1, 1)
            batch.scale[:] = rng.uniform(0.3, 2, (count, 3)) * mirrors
            batch.scale[0] *= (1, move != 3, 1)
            batch.visible[:] = rng.random(count) < 0.9
            batch.transforms.end_tick()
            for alpha in (1.0, 0.4):
                start = rng.normal(size=3) * 5
                direction = rng.normal(size=3) - start
                direction = direction / np.abs(direction).max()
                direction = direction / np.sqrt((direction**2).sum())
                hit = batch.pick(tuple(start.tolist()), tuple(direction.tolist()), alpha)
                _, direction = checked_ray(start, direction)
                expected = _reference(batch, start, direction, alpha)
                assert (hit is None) == (expected is None)
                if hit is not None:
                    hits += 1
                    assert hit.instance.row == expected[0][0]
                    assert hit.distance == expected[1]
                    assert hit.point == tuple((start + direction * hit.distance).tolist())
    assert hits >= 3
