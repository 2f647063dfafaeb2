"""Picking: the nearest mesh that a ray hits, compared with all triangles."""

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
from framework.models.parts import Part

Make = Callable[..., Any]
seeds = st.integers(0, 2**32 - 1)


def crowd(seed: int, mesh: fw.Mesh, n: int = 60, **options: Any) -> fw.MeshBatch:
    """Return moving and rotating instances of several sizes. Some instances are mirrored, and one
    is flat."""
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


def nearest_triangle(batch: fw.MeshBatch, rays: Any, alpha: float, both_sides: bool) -> list[Any]:
    """Return the distance to the nearest of all triangles in the world, for each ray (start,
    direction)."""
    position, rotation, scale = [part.astype(np.float64) for part in batch.transforms.pose(alpha)]
    local = batch.mesh.positions[batch.mesh.indices].astype(np.float64)
    world = local @ (Q.matrices(rotation) * scale[:, :, None]) + position[:, None]
    world = world.reshape(len(batch), -1, 3, 3)[batch.visible & (scale != 0).all(axis=1)]
    distances = []
    for start, direction in rays:
        with np.errstate(all="ignore"):
            distance, side = ray_triangles(start, direction, world)
        # The winding is that of the rasterizer. The triangles of mirrored instances are already
        # mirrored in the world.
        distances.append((distance if both_sides else np.where(side > 0, distance, np.inf)).min())
    return distances


@settings(max_examples=60, deadline=None)
@given(seed=seeds, alpha=st.floats(0, 1), both_sides=st.booleans())
def test_pick_agrees_with_all_triangles(seed: int, alpha: float, both_sides: bool) -> None:
    batch = crowd(seed, fw.Mesh.torus(0.5, 0.2, 8), material=fw.Material(double_sided=both_sides))
    random = np.random.default_rng(seed)
    rays = []
    for _ in range(5):
        start = random.uniform(-6, 6, 3)
        direction = random.normal(size=3)
        rays.append((start, direction / np.linalg.norm(direction)))
    for true, (start, direction) in zip(
        nearest_triangle(batch, rays, alpha, both_sides), rays, strict=True
    ):
        hit = batch.pick(start, direction * 7, alpha)
        if hit is None:
            assert math.isinf(true)
            continue
        assert hit.distance == pytest.approx(true, abs=1e-5)
        assert hit.point == pytest.approx(start + direction * hit.distance, abs=1e-5)
        assert hit.instance.visible
        assert np.linalg.norm(hit.normal) == pytest.approx(1)
        assert np.dot(hit.normal, direction) <= 0


def test_the_mouse_picks_the_drawn_instance(make: Make) -> None:
    class WithCubes(fw.Game):
        def setup(self) -> None:
            self.batch = self.add(fw.MeshBatch(fw.Mesh.cube(), 5, material=fw.Material(unlit=True)))
            self.world.camera.position = 0, 0, 7

        def update(self, dt: float) -> None:
            time = self.tick * dt * 3
            offsets = np.arange(5) - 2
            self.batch.position = np.column_stack([offsets * 2.4, np.sin(time + offsets), -offsets])
            self.batch.rotation = [Q.from_axis((1, 1, 0), time + number) for number in offsets]

    game = make(WithCubes, tick_rate=10)
    game.advance(0.1)
    alpha = game.advance(0.15)
    lit = game.pixels()[..., :3].sum(axis=2) > 0
    sampled_pixels = np.argwhere(np.ones_like(lit))[::17]
    hits = [
        game.batch.pick(*game.world.camera.screen_ray((x + 0.5, 100 - y - 0.5), alpha), alpha)
        is not None
        for y, x in sampled_pixels
    ]
    assert (
        np.mean(np.array(hits) == lit[tuple(sampled_pixels.T)]) > 0.995
    )  # a pixel on an edge may belong to either side
    assert 50 < sum(hits) < len(hits) / 2


def test_pick_is_exact_a_million_units_from_the_origin() -> None:
    center = np.array([1e6, -2e6, 3e6])
    batch = fw.MeshBatch(fw.Mesh.cube(), 1, large_world=True)
    batch.position = center + (0.25, 0, 0)
    hit = batch.pick(center - (10, 0, 0), (1, 0, 0))
    assert hit is not None
    assert hit.distance == pytest.approx(9.75, abs=1e-6)
    assert hit.normal == (-1, 0, 0)


def test_pick_hits_distant_meshes() -> None:
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
def test_the_error_of_a_bad_ray_names_the_argument(name: str, ray: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{name}: "):
        fw.MeshBatch(fw.Mesh.cube(), 1).pick(*ray)


def test_rays_hit_spheres_and_boxes() -> None:
    start = np.zeros(3)
    direction = np.array([0.0, 0, 2])
    centers = np.array([(0, 0, 10), (0, 3, 10), (0, 0, -10), (0, 0, 0.5)], np.float64)
    assert ray_spheres(start, direction, centers, [2, 2, 2, 2]).tolist() == [
        4,
        math.inf,
        math.inf,
        0,
    ]
    assert ray_boxes(start, direction, centers - 2, centers + 2).tolist() == [
        4,
        math.inf,
        math.inf,
        0,
    ]
    on_a_side = ray_boxes(start, direction, np.array([(0.0, -1, 3)]), np.array([(1.0, 1, 4)]))
    assert on_a_side.tolist() == [1.5]


def _reference(batch: fw.MeshBatch, start: Any, direction: Any, alpha: float) -> Any:
    """Return the nearest hit of all visible rows, computed by the functions for many rays."""
    visible = np.flatnonzero(batch.visible)
    poses = batch.transforms.pose(alpha, visible)
    position, rotation, scale = (part.astype("f8") for part in poses)
    inverse = Q.conjugate(rotation)
    mesh = batch.mesh
    corners = mesh.positions[mesh.indices].reshape(-1, 3, 3).astype("f8")
    with np.errstate(all="ignore"):
        origin = Q.rotate(inverse, start - position) / scale
        ahead = Q.rotate(inverse, np.broadcast_to(direction, position.shape)) / scale
        distance, side = ray_triangles(origin[:, None], ahead[:, None], corners[None])
        if not batch.material.double_sided:
            front = side * np.sign(scale.prod(axis=1))[:, None] > 0
            distance = np.where(front, distance, np.inf)
    nearest = np.nanmin(distance, initial=np.inf)
    return None if nearest == np.inf else (visible[(distance == nearest).any(axis=1)], nearest)


@pytest.mark.parametrize("count", [1, 3, 40])
def test_pick_agrees_exactly_with_the_functions_for_many_rays(count: int) -> None:
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


# -- a whole world ---------------------------------------------------------------------------------


def worlds() -> fw.Game:
    """Return a game with meshes, a model and a crowd along the z axis, each with edges of 1."""
    game = fw.Game(drawing=False)
    cube = fw.Model.of([Part(fw.Mesh.cube(), fw.Material(), [0])])
    game.meshes = game.add(fw.MeshBatch(fw.Mesh.cube(), 2))
    game.meshes.position = [(0, 0, -8), (0, 0, -9)]
    game.models = game.add(fw.ModelBatch(cube))
    game.models.add(position=(0, 0, -6))
    game.crowd = game.add(fw.Crowd(cube, 1))
    game.crowd.position = [(0, 0, -4)]
    game.add(fw.Billboards(np.zeros((4, 4, 4), np.uint8), 1))
    game.run_ticks(2)
    return game


def test_a_world_picks_the_nearest_object_of_all_batches() -> None:
    with worlds() as game:
        ray = (0, 0, 0), (0, 0, -1)
        expected = [(game.crowd, 3.5), (game.models, 5.5), (game.meshes, 7.5)]
        for batch, distance in expected:
            hit = game.world.pick(*ray)
            assert hit.instance is batch[0]
            assert hit.distance == pytest.approx(distance)
            assert hit.point == pytest.approx((0, 0, -distance))
            assert hit.normal == pytest.approx((0, 0, 1))
            hit.instance.visible = False
            game.run_ticks(1)
        assert game.world.pick(*ray).instance is game.meshes[1]
        game.remove(game.meshes)
        assert game.world.pick(*ray) is None


def test_a_world_picks_at_the_time_of_the_frame() -> None:
    with worlds() as game:
        game.update = lambda dt: game.crowd.position.__iadd__((5, 0, 0))
        game.run_ticks(1)
        ray = (0, 0, 0), (0, 0, -1)
        assert game.world.pick(*ray, alpha=0).instance is game.crowd[0]
        assert game.world.pick(*ray).instance is game.models[0]


def test_a_solid_of_the_games_own_class_may_be_picked() -> None:
    class Plain:
        def attach(self, graphics: Any, programs: Any) -> None: ...
        def begin_tick(self, dt: float) -> None: ...
        def end_tick(self) -> None: ...
        def draw(self) -> None: ...
        def release(self) -> None: ...

    class Wall(Plain):
        def pick(self, origin: Any, direction: Any, alpha: float = 1.0) -> fw.Hit[Any] | None:
            return fw.Hit(self, 2.0, (0.0, 0.0, -2.0), (0.0, 0.0, 1.0))

    with worlds() as game:
        game.world.add(Plain())
        assert game.world.pick((0, 0, 0), (0, 0, -1)).instance is game.crowd[0]
        wall = game.world.add(Wall())
        assert game.world.pick((0, 0, 0), (0, 0, -1)).instance is wall


@pytest.mark.parametrize(
    ("ray", "words"),
    [
        (((0, 0, 0), (0, 0, 0)), "direction"),
        (((0, math.nan, 0), (0, 0, 1)), "origin"),
        (((0, 0, 0), (0, 0, 1), "x"), "alpha"),
        (((0, 0), (0, 0, 1)), "origin"),
    ],
)
def test_a_bad_ray_is_an_error_in_an_empty_world_too(ray: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        fw.World().pick(*ray)
