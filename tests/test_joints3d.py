"""Joints in 3D physics: forces and torques, breaking, motors, and limits that change."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework.geometry import quaternions
from framework.physics.bodysets import Bodies
from framework.physics.joints3d import Joint3D

pytest.importorskip(
    "rapier3d", reason="rapier3d is not installed: pip install 'subtick[physics3d]'"
)

WEIGHT = 3 * 9.81


def hanging(
    *positions: tuple[float, float, float], **options: Any
) -> tuple[fw.Physics3D, Any, Bodies]:
    """Return boxes of 1 x 1 x 1 with a mass of 3."""
    physics = fw.Physics3D(**options)
    table = fw.Transforms3D()
    table.extend(len(positions))
    table.position[:] = positions
    return physics, table, physics.add(table, size=(1, 1, 1), mass=3)


def run(physics: fw.Physics3D, ticks: int) -> None:
    for _ in range(ticks):
        physics.advance(1 / 60)


JOINTS: dict[str, Callable[..., Joint3D]] = {
    "fix": lambda physics, body, **options: physics.fix(None, body, **options),
    "ball": lambda physics, body, **options: physics.ball(None, body, (0, 2, 0), **options),
    "hinge": lambda physics, body, **options: physics.hinge(
        None, body, (0.5, 0, 0), (0, 1, 0), **options
    ),
    "slider": lambda physics, body, **options: physics.slider(None, body, (1, 0, 0), **options),
    "stopped slider": lambda physics, body, **options: physics.slider(
        None, body, (0, 1, 0), limits=(0, 1), **options
    ),
    "rope": lambda physics, body, **options: physics.rope(
        None, body, (0, 2, 0), max_length=2, **options
    ),
    "spring": lambda physics, body, **options: physics.spring(
        None, body, (0, 3, 0), length=2, stiffness=30, damping=5, **options
    ),
}


@pytest.mark.parametrize("name", JOINTS)
@pytest.mark.parametrize("substeps", [1, 3])
def test_a_joint_carries_the_weight_and_breaks_above_its_limit(name: str, substeps: int) -> None:
    physics, table, bodies = hanging((0, 0, 0), substeps=substeps)
    joint = JOINTS[name](physics, (bodies, 0))
    run(physics, 200)
    assert joint.force == pytest.approx(WEIGHT, rel=0.02)
    joint.remove()
    assert (joint.force, joint.torque, joint.broken) == (0, 0, False)
    for break_force, breaks in ((2 * WEIGHT, False), (0.7 * WEIGHT, True)):
        physics, table, bodies = hanging((0, 0, 0), substeps=substeps)
        joint = JOINTS[name](physics, (bodies, 0), break_force=break_force)
        broken = []
        for _ in range(60):
            run(physics, 1)
            broken += physics.broken_joints
        assert joint.broken == joint.removed == breaks
        assert broken == [joint] * breaks  # only once, in the tick of the break
        assert (table.position[0, 1] < -2) == breaks


def test_a_hinge_is_upright_by_default() -> None:
    physics, table, bodies = hanging((0.5, 0, 0))
    physics.hinge(None, (bodies, 0), (0, 0, 0))
    bodies.velocity[0] = 0, 0, -1
    run(physics, 60)
    assert table.position[0, 1] == pytest.approx(0, abs=0.01)  # like a door, it does not fall
    assert abs(table.position[0, 2]) > 0.2


def test_a_torque_breaks_a_hinge_that_is_bent() -> None:
    for break_torque, breaks in ((50, False), (30, True)):
        physics, _, bodies = hanging((0, 0, 0), gravity=(0, 0, 0))
        joint = physics.hinge(None, (bodies, 0), (0, 0, 0), (0, 1, 0), break_torque=break_torque)
        bodies.torque[0] = 0, 5, 0
        run(physics, 10)  # the body turns about the axis of the hinge
        assert joint.torque < 1
        bodies.torque[0] = 40, 0, 0
        run(physics, 2)
        assert joint.broken == breaks
        assert breaks or joint.torque == pytest.approx(40, rel=0.02)
    physics, _, bodies = hanging((2, 0, 0))
    stop = physics.hinge(None, (bodies, 0), (0, 0, 0), (0, 0, 1), limits=(-0.01, 0.01))
    run(physics, 60)
    assert stop.torque == pytest.approx(2 * WEIGHT, rel=0.02)


def test_a_chain_breaks_at_the_joint_with_the_largest_load() -> None:
    physics, _, bodies = hanging(*[(0, -number, 0) for number in range(5)])
    links = [
        physics.ball(
            (bodies, number - 1) if number else None,
            (bodies, number),
            (0, 0.5 - number, 0),
            break_force=3.5 * WEIGHT,
        )
        for number in range(5)
    ]
    run(physics, 30)
    assert [link.broken for link in links] == [True, False, False, False, False] or links[1].broken
    assert physics.broken_joints == []
    assert sum(link.removed for link in links) < 5


def test_a_removed_body_removes_its_joints_without_breaking_them() -> None:
    physics, table, bodies = hanging((0, 0, 0), (1, 0, 0))
    joint = physics.fix((bodies, 0), (bodies, 1), break_force=1e6)
    run(physics, 2)
    table.remove([0])
    run(physics, 2)
    assert joint.removed
    assert not joint.broken
    assert joint.force == 0
    for act in (
        joint.remove,
        lambda: joint.drive(1),
        lambda: joint.drive_to(1),
        lambda: setattr(joint, "limits", (0, 1)),
    ):
        with pytest.raises(ValueError, match=r"joint: .*removed"):
            act()
    with pytest.raises(ValueError, match="row: expected a row with a body"):
        physics.fix(None, (bodies, 1))


def test_a_motor_holds_an_angle_and_can_be_switched_off() -> None:
    physics, table, bodies = hanging((1, 0, 0), gravity=(0, 0, 0))
    hinge = physics.hinge(None, (bodies, 0), (0, 0, 0), (0, 1, 0))
    hinge.drive_to(1.0, stiffness=200, damping=50)
    run(physics, 200)
    assert quaternions.to_vectors(table.rotation)[0].tolist() == pytest.approx([0, 1, 0], abs=0.01)
    hinge.drive(2)
    run(physics, 60)
    assert bodies.angular_velocity[0, 1] == pytest.approx(2, abs=0.05)
    hinge.drive(None)
    bodies.angular_velocity[0] = bodies.velocity[0] = 0
    run(physics, 60)
    assert abs(bodies.angular_velocity[0, 1]) < 0.01
    physics, table, bodies = hanging((0, 0, 0))
    lift = physics.slider(None, (bodies, 0), (0, 1, 0))
    lift.drive_to(2.0, stiffness=2000, damping=300)
    run(physics, 200)
    assert table.position[0, 1] == pytest.approx(2 - WEIGHT / 2000, abs=0.01)
    lift.drive_to(5.0, stiffness=2000, damping=300, strength=0.5 * WEIGHT)
    run(physics, 30)
    assert table.position[0, 1] < 1.9  # the motor is too weak for the weight


def test_limits_can_change() -> None:
    physics, table, bodies = hanging((1, 0, 0), gravity=(0, 0, 0))
    door = physics.hinge(None, (bodies, 0), (0, 0, 0), (0, 1, 0))
    assert door.limits is None
    door.limits = -0.5, 0.5
    assert door.limits == (-0.5, 0.5)
    door.drive(3)
    run(physics, 60)
    assert quaternions.to_vectors(table.rotation)[0, 1] == pytest.approx(0.5, abs=0.02)
    door.limits = -1, 1.2
    run(physics, 60)
    assert quaternions.to_vectors(table.rotation)[0, 1] == pytest.approx(1.2, abs=0.02)
    for wrong in ((1, 0), (0, math.nan), 3, None):
        with pytest.raises((ValueError, TypeError), match="limits"):
            door.limits = wrong  # type: ignore[assignment]
    ball = physics.ball(None, (bodies, 0), (0, 0, 0))
    assert ball.limits is None
    with pytest.raises(ValueError, match="ball, which has no motor"):
        ball.limits = 0, 1


@pytest.mark.parametrize("option", ["break_force", "break_torque"])
@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, "x"])
def test_invalid_limits_of_strength_add_no_joint(option: str, value: object) -> None:
    physics, _, bodies = hanging((0, 0, 0))
    with pytest.raises((ValueError, TypeError), match=option):
        physics.fix(None, (bodies, 0), **{option: value})  # type: ignore[arg-type]
    assert len(physics.world.impulse_joints) == 0


class Chains(fw.Game):
    """Chains of balls with a load that grows until they break."""

    def setup(self) -> None:
        self.physics = fw.Physics3D(self)
        self.balls = self.add(fw.MeshBatch(fw.Mesh.sphere(0.2), 12))
        self.balls.position[:, 0] = np.arange(12) * 0.5
        self.bodies = self.physics.add(self.balls, shape="ball", mass=2)
        self.links = [
            self.physics.ball(
                self.balls[row - 1] if row else None,
                self.balls[row],
                (row * 0.5 - 0.25, 0, 0),
                break_force=300 + 30 * row,
            )
            for row in range(12)
        ]
        self.links.append(self.physics.hinge(None, self.balls[11], (5.5, 0, 0), break_torque=50))
        self.log: list[tuple[int, str]] = []

    def update(self, dt: float) -> None:
        self.bodies.force[:, 1] = -self.tick
        self.log += [(self.tick, repr(joint)) for joint in self.physics.broken_joints]


def test_broken_joints_are_state() -> None:
    with Chains(headless=True, drawing=False) as game:
        game.run_ticks(5)
        assert not any(link.broken for link in game.links)
        before = game.snapshot()
        game.run_ticks(80)
        log = [*game.log]
        end = game.state_hash()
        assert log
        game.restore(before)
        assert not any(link.broken for link in game.links)
        game.run_ticks(80)
        assert game.log == log
        assert game.state_hash() == end
    fw.sync_test(Chains, ticks=60).check()
