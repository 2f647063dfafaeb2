"""Old names of physics, collisions and meshes: each raises an error with the new name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pictures import solid

import framework as fw
from framework import collide, paths, quaternions
from framework.physics.bodysets import Bodies
from framework.physics.queries2d import RayHit
from framework.record.stable_names import IN_FILES


def sprites() -> Any:
    return fw.SpriteBatch(solid(2, 2), 1, columns=("velocity", "angular_velocity"))


def cubes() -> Any:
    return fw.MeshBatch(fw.Mesh.cube(), 1, motion="hermite")


ATTRIBUTES: list[tuple[Callable[[], Any], str, str]] = [
    (sprites, "spin", "batch.angular_velocity"),
    (lambda: sprites()[0], "spin", "sprite.angular_velocity"),
    (cubes, "spin", "batch.angular_velocity"),
    (lambda: cubes()[0], "spin", "instance.angular_velocity"),
    (fw.Transforms2D, "spin", "transforms.angular_velocity"),
    (fw.Nodes3D, "spin", "transforms.angular_velocity"),
    (lambda: fw.Nodes2D().add(), "spin", "node.angular_velocity"),
    (lambda: Bodies, "spin", "bodies.angular_velocity"),
    (lambda: fw.Physics2D, "at", "physics.query_point"),
    (lambda: fw.Physics2D, "cast", "physics.raycast"),
    (lambda: fw.Physics2D, "left", "physics.exited"),
    (lambda: fw.Physics2D, "line", "physics.add_line"),
    (lambda: fw.Physics2D, "outlines", "physics.debug_lines"),
    (lambda: fw.Physics2D, "solid", "physics.add_static"),
    (lambda: fw.Physics2D, "within", "physics.query_area"),
    (lambda: fw.Physics3D, "at", "physics.query_point"),
    (lambda: fw.Physics3D, "cast", "physics.raycast"),
    (lambda: fw.Physics3D, "floor", "physics.add_floor"),
    (lambda: fw.Physics3D, "left", "physics.exited"),
    (lambda: fw.Physics3D, "outlines", "physics.debug_lines"),
    (lambda: fw.Physics3D, "solid", "physics.add_static"),
    (lambda: fw.Physics3D, "within", "physics.query_area"),
    (lambda: RayHit, "what", "hit.target"),
    (lambda: RayHit, "share", "hit.fraction"),
    (collide.OverlapTracker, "left", "tracker.exited"),
    (lambda: collide.ConvexShapes.points([(0, 0)]), "placed", "shapes.transformed"),
    (fw.Mesh.cube, "placed", "mesh.transformed"),
    (fw.Mesh.cube, "colored", "mesh.with_color"),
    (fw.Mesh.cube, "joined", "mesh.merged"),
    (lambda: fw.Spring, "length", "spring.duration"),
    (lambda: collide, "cast", "collide.raycast"),
    (lambda: collide, "meeting", "collide.filter_pairs"),
    (lambda: collide, "Meetings", "collide.OverlapTracker"),
    (lambda: collide, "Jumps", "collide.JumpTimer"),
    (lambda: paths, "cast", "paths.raycast"),
    (lambda: quaternions, "looking", "quaternions.look_rotation"),
]


@pytest.mark.parametrize(("owner", "old", "new"), ATTRIBUTES)
def test_an_old_name_raises_an_error_with_the_new_name(
    owner: Callable[[], Any], old: str, new: str
) -> None:
    value = owner()
    with pytest.raises(AttributeError, match=rf"\.{old}: renamed to {new} "):
        getattr(value, old)
    if not isinstance(value, type):
        assert old not in dir(value)


OPTIONS: list[tuple[Callable[..., Any], str, str]] = [
    (fw.Particles, "spin", r"Particles\(spin=…\): renamed to angular_velocity="),
    (fw.Particles3D, "spin", r"Particles3D\(spin=…\): renamed to angular_velocity="),
    (fw.Particles().emit, "spin", r"emit\(spin=…\): renamed to angular_velocity="),
    (fw.Physics2D.rope, "shortest", r"Physics2D\.rope\(shortest=…\): renamed to min_length="),
    (fw.Physics3D.rope, "longest", r"Physics3D\.rope\(longest=…\): renamed to max_length="),
    (fw.Physics2D.turn_limit, "most", r"Physics2D\.turn_limit\(most=…\): renamed to max_angle="),
    (fw.Physics2D.drop_through, "thing", r"drop_through\(thing=…\): renamed to body="),
    (fw.Physics3D.character, "thing", r"character\(thing=…\): renamed to body="),
    (fw.Physics3D.vehicle, "thing", r"vehicle\(thing=…\): renamed to body="),
    (lambda **options: sprites().add(**options), "spin", "^spin: renamed to angular_velocity "),
    (fw.Transforms2D().extend, "spin", "^spin: renamed to angular_velocity "),
]


@pytest.mark.parametrize(("call", "old", "words"), OPTIONS)
def test_an_old_option_raises_an_error_with_the_new_name(
    call: Callable[..., Any], old: str, words: str
) -> None:
    arguments = () if call in (fw.Particles, fw.Particles3D) else (1,) if old == "spin" else ()
    arguments = () if "lambda" in getattr(call, "__qualname__", "") else arguments
    with pytest.raises(TypeError, match=words):
        call(*arguments, **{old: 1})


def test_an_old_column_name_raises_an_error_with_the_new_name() -> None:
    with pytest.raises(ValueError, match=r"^columns: spin: renamed to angular_velocity "):
        fw.SpriteBatch(solid(2, 2), columns=("spin",))
    with pytest.raises(AttributeError, match=r"^batch\.spin: renamed to batch\.angular_velocity "):
        sprites().spin = 3


def test_saves_keep_the_old_name_of_a_column(tmp_path: Path) -> None:
    class Level(fw.Game):
        saved = ("rocks",)

        def setup(self) -> None:
            self.rocks = self.add(sprites())
            self.rocks.angular_velocity[:] = 3

    with Level(size=(8, 8), headless=True) as game:
        game.save(path=tmp_path / "save")
        assert IN_FILES.field_names(fw.SpriteBatch)["angular_velocity"] == "spin"
        game.rocks.angular_velocity[:] = 0
        game.load(path=tmp_path / "save")
        assert np.array_equal(game.rocks.angular_velocity, [3])


def test_the_error_of_transformed_names_transformed_by() -> None:
    with pytest.raises(ValueError, match=r"mesh\.transformed_by\(matrix\)"):
        fw.Mesh.cube().transformed(np.eye(4))  # type: ignore[arg-type]
