"""Mesh batches: rows, columns, drawing and culling."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from drawings import driven
from hypothesis import given, settings
from hypothesis import strategies as st
from pictures import colors_in

import framework as fw
from framework import quaternions as Q
from framework.motion.camera_base import frame_block_of
from framework.screen_mapping import ScreenMapping

Make = Callable[..., Any]
seeds = st.integers(0, 2**32 - 1)


def cubes(count: int = 0, **options: Any) -> fw.MeshBatch:
    return fw.MeshBatch(fw.Mesh.cube(), count, **options)


# -- rows and columns ------------------------------------------------------------------------------


def test_a_row_starts_at_the_origin_upright_white_and_visible() -> None:
    batch = cubes(2)
    assert batch.position.tolist() == [[0, 0, 0]] * 2
    assert batch.rotation.tolist() == [[0, 0, 0, 1]] * 2
    assert batch.scale.tolist() == [[1, 1, 1]] * 2
    assert batch.color.tolist() == [[1, 1, 1, 1]] * 2
    assert batch.visible.tolist() == [True, True]
    assert [column.dtype for column in (batch.position, batch.color)] == [np.float32] * 2


def test_columns_are_views_and_accept_broadcast_values() -> None:
    batch = cubes(3)
    batch.position[1] = 1, 2, 3
    batch.position += 1
    batch.scale = 2
    batch.color = (1, 0, 0, 0.5)
    assert batch.position.tolist() == [[1, 1, 1], [2, 3, 4], [1, 1, 1]]
    assert batch.scale.tolist() == [[2, 2, 2]] * 3
    assert batch.color[2].tolist() == [1, 0, 0, 0.5]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("position", (1, 2)),
        ("rotation", (1, 2, 3)),
        ("scale", "wide"),
        ("color", np.zeros((4, 4))),
        ("visible", 0.5),
    ],
)
def test_a_value_of_another_shape_is_an_error_with_its_name_and_changes_nothing(
    name: str, value: Any
) -> None:
    batch = cubes(3)
    before = getattr(batch, name).copy()
    with pytest.raises((TypeError, ValueError), match=rf"^{name}: "):
        setattr(batch, name, value)
    assert (getattr(batch, name) == before).all()


def test_instances_are_rows_with_properties() -> None:
    batch = cubes()
    instance = batch.add(position=(1, 2, 3), scale=2, color=(0, 1, 0, 1))
    instance.rotation = Q.from_axis((0, 1, 0), 1.0)
    instance.visible = False
    assert (instance.position, instance.scale, instance.color, instance.visible) == (
        (1, 2, 3),
        (2, 2, 2),
        (0, 1, 0, 1),
        False,
    )
    assert batch[0] is instance
    assert batch[-1] is instance
    assert instance.row == 0
    assert instance.drawn_rotation(1.0) == pytest.approx(Q.from_axis((0, 1, 0), 1.0))
    instance.x += 4
    instance.z = -1
    assert instance.position == (5, 2, -1)
    assert (instance.x, instance.y, instance.z) == (5, 2, -1)
    with pytest.raises(ValueError, match=r"^y: expected a finite number, got nan"):
        instance.y = np.nan
    with pytest.raises(ValueError, match=r"^position: "):
        instance.position = 1, 2
    with pytest.raises(IndexError, match=r"^row: "):
        batch[1]


def test_instances_know_their_row_after_others_are_removed() -> None:
    batch = cubes()
    instances = [batch.add(position=(number, 0, 0)) for number in range(6)]
    batch.remove(instances[1])
    batch.remove(np.array([0, 3]))
    assert [instance.removed for instance in instances] == [True, True, False, False, True, False]
    assert [instance.position[0] for instance in instances if not instance.removed] == [2, 3, 5]
    assert [instance.row for instance in batch] == [0, 1, 2]
    with pytest.raises(ValueError, match=r"^instance: it was removed"):
        instances[1].remove()
    batch.clear()
    assert len(batch) == 0
    assert all(instance.removed for instance in instances)


def test_an_instance_of_another_batch_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"^instance: it belongs to another"):
        cubes().remove(cubes().add())


def test_extend_adds_rows_with_columns() -> None:
    batch = cubes(1)
    rows = batch.extend(2, position=[(1, 0, 0), (2, 0, 0)], scale=3)
    assert rows == slice(1, 3)
    assert batch.position[:, 0].tolist() == [0, 1, 2]
    with pytest.raises(TypeError, match=r"^speed: not a column"):
        batch.extend(1, speed=2)
    with pytest.raises(ValueError, match=r"^position: "):
        batch.extend(2, position=np.zeros((3, 3)))
    assert len(batch) == 3


@pytest.mark.parametrize(
    ("error", "name", "options"),
    [
        (ValueError, "count", {"count": -1}),
        (ValueError, "count", {"count": 1 << 25}),
        (TypeError, "mesh", {"mesh": 3}),
        (ValueError, "motion", {"motion": "smooth"}),
    ],
)
def test_an_invalid_batch_is_an_error_with_the_parameters_name(
    error: type[Exception], name: str, options: Any
) -> None:
    with pytest.raises(error, match=rf"^{name}: "):
        fw.MeshBatch(**{"mesh": fw.Mesh.cube(), **options})


def test_batches_with_a_motion_by_velocity_have_velocities() -> None:
    batch = cubes(1, motion="hermite")
    batch.velocity = 1, 2, 3
    batch[0].angular_velocity = 0, 1, 0
    assert batch[0].velocity == (1, 2, 3)
    with pytest.raises(AttributeError, match="velocity"):
        _ = cubes(1).velocity


def test_a_batch_belongs_to_one_world(make: Make) -> None:
    game = make(fw.Game)
    batch = game.add(cubes(1))
    with pytest.raises(ValueError, match=r"^solid: already added to this world"):
        game.add(batch)
    with pytest.raises(ValueError, match=r"^solid: already added to a world"):
        game.add(fw.World()).add(batch)


# -- drawing ---------------------------------------------------------------------------------------


def flat(color: tuple[float, ...]) -> fw.Material:
    return fw.Material(color, unlit=True)


def test_rows_that_are_hidden_or_nan_or_of_size_0_are_not_drawn(
    make: Make,
) -> None:
    game = make(fw.Game)
    game.world.camera.position = 0, 0, 10
    game.world.camera.teleport()
    batch = game.add(cubes(3, material=flat((1, 1, 1))))
    batch.visible[0] = False
    batch.position[1] = math.nan
    batch.scale[2] = 0
    game.advance(0)
    assert not game.pixels()[..., :3].any()
    batch.visible[0] = True
    batch.rotation[0] = 0  # a rotation of 0 rotates nothing
    game.advance(0)
    assert game.pixels()[50, 100, :3].tolist() == [255] * 3


# -- culling ---------------------------------------------------------------------------------------


def lens(random: np.random.Generator, height: float | None) -> fw.Camera3D:
    camera = fw.Camera3D(random.uniform(0.3, 2), 0.5, random.uniform(5, 60), ortho_height=height)
    camera.view = ScreenMapping((200.0, 100.0), (0, 0, 200, 100))
    camera.position = random.uniform(-1e3, 1e3, 3)
    camera.rotation = random.normal(size=4)
    camera.teleport()
    frame_block_of(camera)(0.0, 0.0)
    return camera


@settings(max_examples=60)
@given(seed=seeds, height=st.one_of(st.none(), st.floats(1, 50)))
def test_no_visible_sphere_is_culled(seed: int, height: float | None) -> None:
    random = np.random.default_rng(seed)
    camera = lens(random, height)
    shot = camera.shot
    assert shot is not None
    centers = random.uniform(-40, 40, (400, 3)).astype(np.float32)
    radii = random.uniform(0, 4, 400).astype(np.float32)
    visible = shot.sees(centers, radii)
    within = random.normal(size=(400, 3))
    within *= (random.random(400) ** (1 / 3) * radii / np.linalg.norm(within, axis=1))[:, None]
    clip = np.column_stack([centers + within, np.ones(400)]) @ (shot.view @ shot.projection)
    inside = (np.abs(clip[:, :3]) < clip[:, 3:] * 0.9999).all(axis=1)
    assert visible[inside].all()
    assert not visible.all()  # many of the spheres are outside the view


def test_culling_does_not_change_the_image(make: Make) -> None:
    class Field(fw.Game):
        def setup(self) -> None:
            random = np.random.default_rng(4)
            n = 300
            self.batch = self.add(cubes(n))
            self.batch.position = random.uniform(-30, 30, (n, 3))
            self.batch.rotation = random.normal(size=(n, 4))
            self.batch.color[:, :3] = random.random((n, 3))
            self.batch.visible[::7] = False
            self.world.shadows = True

        def update(self, dt: float) -> None:
            self.batch.position[:] += (0.5, 0, 0)
            self.world.camera.look_at((math.cos(self.tick), 0, math.sin(self.tick)))

    game = make(Field, tick_rate=10)
    for step in (0.1, 0.13, 0.04, 0.1):
        game.advance(step)
        images = []
        for game.batch.cull in (False, True):
            game.advance(0)
            images.append(game.pixels().astype(int))
        assert colors_in(images[0]) > 50
        assert np.abs(images[0] - images[1]).mean() <= 0.05
    shot = game.world.camera.shot
    assert 0 < driven(game.batch).in_view(shot).sum() < 150


def test_all_rows_may_be_culled(make: Make) -> None:
    game = make(fw.Game)
    game.add(cubes(3, cull=True)).position = 0, 0, 50
    game.advance(0)
    assert not game.pixels()[..., :3].any()
