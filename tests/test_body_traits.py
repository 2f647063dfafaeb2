"""Damping, gravity, locked axes and sleep of single bodies in 3D."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework.geometry import quaternions
from framework.physics.bodysets import Bodies

pytest.importorskip(
    "rapier3d", reason="rapier3d is not installed: pip install 'subtick[physics3d]'"
)


def boxes(count: int = 2, **options: Any) -> tuple[fw.Physics3D, Any, Bodies]:
    gravity = options.pop("gravity", (0, -10, 0))
    physics = fw.Physics3D(gravity=gravity)
    table = fw.Transforms3D()
    table.extend(count)
    table.position[:, 0] = np.arange(count) * 5
    return physics, table, physics.add(table, size=(1, 1, 1), **options)


def run(physics: fw.Physics3D, ticks: int) -> None:
    for _ in range(ticks):
        physics.advance(1 / 60)


@pytest.mark.parametrize("later", [False, True])
def test_damping_slows_bodies(later: bool) -> None:
    options = {} if later else {"damping": 0.5, "angular_damping": 2.0}
    physics, _, bodies = boxes(gravity=(0, 0, 0), **options)
    assert bodies.damping.tolist() == [options.get("damping", 0)] * 2
    if later:
        bodies.damping[:] = 0.5
        bodies.angular_damping = 2.0
    bodies.damping[1] = 0
    bodies.velocity[:, 2] = 4
    bodies.angular_velocity[:, 1] = 4
    run(physics, 60)
    assert bodies.velocity[0, 2] == pytest.approx(4 * math.exp(-0.5), rel=0.02)
    assert bodies.velocity[1, 2] == pytest.approx(4, rel=1e-4)
    assert bodies.angular_velocity[:, 1] == pytest.approx([4 * math.exp(-2)] * 2, rel=0.05)


def test_each_body_has_its_own_gravity() -> None:
    physics, table, bodies = boxes(3, gravity_scale=0)
    bodies.gravity_scale[1:] = -1, 2
    run(physics, 60)
    assert bodies.velocity[:, 1] == pytest.approx([0, 10, -20], abs=0.01)
    bodies.gravity_scale = 0
    bodies.velocity = 0
    rest = table.position.copy()
    run(physics, 300)
    assert bodies.sleeping.all()
    assert np.array_equal(table.position, rest)
    bodies.gravity_scale[0] = 1  # this wakes the body
    run(physics, 30)
    assert table.position[0, 1] < rest[0, 1] - 1


@pytest.mark.parametrize("locked", ["z rx ry", ["z", "rx", "ry"]])
def test_locked_axes_keep_bodies_in_a_plane(locked: Any) -> None:
    physics, table, bodies = boxes(1, locked=locked)
    assert bodies.locked.tolist() == [[False, False, True, True, True, False]]
    bodies.impulse((1, 2, 3), point=(0.5, 0.3, 0.2))
    bodies.force[0] = 0, 0, 50
    run(physics, 30)
    assert table.position[0, 2] == 0
    assert table.position[0, 0] == pytest.approx(0.5, abs=0.01)
    turn = quaternions.to_vectors(table.rotation)[0]
    assert turn[:2].tolist() == [0, 0]
    assert turn[2] > 1
    bodies.locked = False
    run(physics, 10)
    assert table.position[0, 2] > 0.5
    bodies.locked[0, 2] = True  # this stops the motion along z
    run(physics, 1)
    depth = table.position[0, 2]
    run(physics, 10)
    assert table.position[0, 2] == depth


def test_fixed_rotation_is_three_locked_axes() -> None:
    physics, table, bodies = boxes(1, fixed_rotation=True)
    assert bodies.locked.tolist() == [[False] * 3 + [True] * 3]
    bodies.locked[0, 4] = False
    bodies.torque[0] = 1, 1, 1
    run(physics, 30)
    turn = quaternions.to_vectors(table.rotation)[0]
    assert turn[[0, 2]].tolist() == [0, 0]
    assert turn[1] > 0.5


def test_bodies_that_cannot_sleep_stay_awake() -> None:
    physics, _, bodies = boxes(2, can_sleep=False, gravity=(0, 0, 0))
    run(physics, 200)
    assert not bodies.sleeping.any()
    bodies.can_sleep[0] = True
    run(physics, 200)
    assert bodies.sleeping.tolist() == [True, False]


def test_traits_follow_their_rows() -> None:
    physics, table, bodies = boxes(4, gravity=(0, 0, 0), damping=1.0)
    bodies.damping[:] = 1, 2, 3, 4
    table.remove([1])
    assert bodies.damping.tolist() == [1, 3, 4]
    table.extend(1)
    assert bodies.damping.tolist() == [1, 3, 4, 1]
    bodies.velocity[:, 2] = 1
    run(physics, 60)
    assert bodies.velocity[:, 2] == pytest.approx(np.exp([-1, -3, -4, -1]), rel=0.15)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("damping", -1),
        ("damping", math.nan),
        ("angular_damping", -0.1),
        ("gravity_scale", math.inf),
        ("locked", ["w"]),
        ("locked", "x spin"),
        ("locked", 3),
        ("can_sleep", 2),
    ],
)
def test_wrong_traits_are_errors_with_their_names(name: str, value: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=name):
        boxes(1, **{name: value})


@pytest.mark.parametrize(("name", "value"), [("damping", -1), ("gravity_scale", math.nan)])
def test_errors_of_columns_name_the_row(name: str, value: float) -> None:
    physics, _, bodies = boxes(2)
    getattr(bodies, name)[1] = value
    with pytest.raises(ValueError, match=rf"{name}: expected a finite number.* in row 1"):
        physics.advance(0.1)
    getattr(bodies, name)[1] = 0
    physics.advance(0.1)


class Balloons(fw.Game):
    def setup(self) -> None:
        self.physics = fw.Physics3D(self)
        self.balls = self.add(fw.MeshBatch(fw.Mesh.sphere(), 5))
        self.bodies = self.physics.add(self.balls, shape="ball", damping=0.2)

    def update(self, dt: float) -> None:
        if self.tick % 10 == 3:
            self.bodies.gravity_scale[self.tick // 10 % 5] *= -1
            self.bodies.locked[self.tick // 10 % 5, 0] = True
        self.bodies.velocity[:, 0] += 0.1


class Watched(Balloons):
    def draw(self) -> None:
        self.bodies.damping, self.bodies.can_sleep, self.bodies.locked  # noqa: B018


def test_traits_are_restored_by_snapshots() -> None:
    with Balloons(headless=True, drawing=False) as game:
        game.run_ticks(25)
        before = game.snapshot()
        game.run_ticks(40)
        end = game.state_hash()
        game.restore(before)
        game.run_ticks(40)
        assert game.state_hash() == end
    fw.sync_test(Watched, ticks=40).check()


def test_traits_with_pymunk_are_an_error() -> None:
    pytest.importorskip("pymunk")
    table = fw.Transforms2D()
    table.extend(1)
    physics = fw.Physics2D(engine="pymunk")
    bodies = physics.add(table, size=(1, 1))
    assert bodies.damping.tolist() == [0]
    bodies.damping = 1
    with pytest.raises(ValueError, match="damping: the bodies of pymunk have no damping"):
        physics.advance(0.1)


def test_bodies_in_the_plane_have_traits_without_locked_axes() -> None:
    table = fw.Transforms2D()
    table.extend(3)
    table.position[:, 0] = 0, 50, 100
    physics = fw.Physics2D(gravity=(0, -900))
    bodies = physics.add(table, size=(20, 20))
    bodies.damping[0] = 0.5
    bodies.gravity_scale[1] = 0
    bodies.can_sleep[1:] = False
    run_plane(physics, 60)
    assert bodies.velocity[:, 1] == pytest.approx([-706, 0, -900], abs=8)
    bodies.gravity_scale = 0
    bodies.velocity = 0
    run_plane(physics, 300)
    assert bodies.sleeping.tolist() == [True, False, False]
    bodies.can_sleep[1] = True
    run_plane(physics, 300)
    assert bodies.sleeping.tolist() == [True, True, False]
    bodies.locked[0, 0] = True
    with pytest.raises(ValueError, match="locked: only bodies of Physics3D"):
        physics.advance(0.1)


def run_plane(physics: fw.Physics2D, ticks: int) -> None:
    for _ in range(ticks):
        physics.advance(1 / 60)
