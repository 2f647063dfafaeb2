"""Joints in 2D physics with both engines: forces and torques, and joints that break."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework.errors import FrameworkError
from framework.other_engines.other_options import explain_call
from framework.physics.bodysets import Bodies
from framework.physics.joints2d import Joint2D
from framework.physics.physics_world import simulation_of

pytestmark = pytest.mark.usefixtures("no_open_game")

pytest.importorskip("pymunk", reason="pymunk is not installed: pip install 'subtick[pymunk]'")
pytest.importorskip("rapier3d", reason="Rapier is not installed: pip install 'subtick[physics]'")

WEIGHT = 3 * 900.0
ARM = 40.0

ENGINES = ("rapier", "pymunk")


def hanging(
    engine: str, *positions: tuple[float, float], **options: Any
) -> tuple[fw.Physics2D, fw.Transforms2D, Bodies]:
    """Return boxes of 20 x 20 with a mass of 3."""
    physics = fw.Physics2D(engine=engine, **({"gravity": (0, -900)} | options))
    table = fw.Transforms2D()
    table.extend(len(positions))
    table.position[:] = positions
    return physics, table, physics.add(table, size=(20, 20), mass=3)


def run(physics: fw.Physics2D, ticks: int) -> None:
    for _ in range(ticks):
        physics.advance(1 / 60)


def raw_joints(physics: fw.Physics2D) -> int:
    """Return the number of joints in the physics library."""
    if "pymunk" in type(simulation_of(physics).engine).__name__.lower():
        return len(physics.space.constraints)
    return len(physics.world.impulse_joints)


Make = Callable[..., Joint2D]

FORCES: dict[str, Make] = {
    "pivot": lambda physics, body, **options: physics.pivot(None, body, (0, 30), **options),
    "pin": lambda physics, body, **options: physics.pin(None, body, (0, 50), **options),
    "pin below": lambda physics, body, **options: physics.pin(None, body, (0, -50), **options),
    "rope": lambda physics, body, **options: physics.rope(
        None, body, (0, 50), max_length=50, **options
    ),
    "spring": lambda physics, body, **options: physics.spring(
        None, body, (0, 50), length=30, stiffness=135, damping=60, **options
    ),
    "groove": lambda physics, body, **options: physics.groove(
        None, body, (-100, 0), (100, 0), **options
    ),
    "upright groove": lambda physics, body, **options: physics.groove(
        None, body, (0, 0), (0, 60), **options
    ),
}

TORQUES: dict[str, Make] = {
    "turn_limit": lambda physics, body, **options: physics.turn_limit(
        None, body, -0.01, 0.01, **options
    ),
    "turn_spring": lambda physics, body, **options: physics.turn_spring(
        None, body, 0, stiffness=4e6, damping=4e5, **options
    ),
    "motor": lambda physics, body, **options: physics.motor(None, body, 0, **options),
    "gear": lambda physics, body, **options: physics.gear(None, body, 1, **options),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", FORCES)
@pytest.mark.parametrize("substeps", [1, 3])
def test_a_joint_carries_the_weight_and_breaks_above_its_limit(
    engine: str, name: str, substeps: int
) -> None:
    physics, table, bodies = hanging(engine, (0, 0), substeps=substeps)
    joint = FORCES[name](physics, (bodies, 0))
    assert (joint.force, joint.torque, joint.broken) == (0, 0, False)
    run(physics, 200)
    assert joint.force == pytest.approx(WEIGHT, rel=0.02)
    assert joint.torque == 0
    joint.remove()
    assert (joint.force, joint.torque, joint.broken) == (0, 0, False)
    for break_force, breaks in ((2.5 * WEIGHT, False), (0.7 * WEIGHT, True)):
        physics, table, bodies = hanging(engine, (0, 0), substeps=substeps)
        joint = FORCES[name](physics, (bodies, 0), break_force=break_force)
        broken = []
        for _ in range(60):
            run(physics, 1)
            broken += physics.broken_joints
        assert joint.broken == joint.removed == breaks
        assert raw_joints(physics) == (not breaks)
        assert broken == [joint] * breaks  # only once, in the tick of the break
        assert (table.position[0, 1] < -100) == breaks


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", TORQUES)
def test_a_joint_that_turns_bodies_breaks_above_its_torque(engine: str, name: str) -> None:
    if (engine, name) == ("rapier", "gear"):
        return  # Rapier has no gears
    load = WEIGHT * ARM
    jolt = 12 if name == "turn_limit" else 1.5  # a limit stops a body that is already turning
    for break_torque, breaks in ((None, False), (jolt * load, False), (0.7 * load, True)):
        physics, table, bodies = hanging(engine, (ARM, 0), iterations=30)
        physics.pivot(None, (bodies, 0), (0, 0))
        joint = TORQUES[name](physics, (bodies, 0), break_torque=break_torque)
        run(physics, 15)
        assert joint.broken == joint.removed == breaks
        assert joint.force == 0
        assert raw_joints(physics) == 2 - breaks
        if breaks:
            run(physics, 45)
            assert table.position[0, 1] < -10
        else:
            assert joint.torque == pytest.approx(load, rel=0.05)
            assert table.position[0, 1] > -8


@pytest.mark.parametrize("engine", ENGINES)
def test_a_motor_breaks_while_it_turns_a_body_too_fast(engine: str) -> None:
    physics, _, bodies = hanging(engine, (0, 0), gravity=(0, 0))
    motor = physics.motor(None, (bodies, 0), 1, break_torque=1e5)
    run(physics, 10)
    assert not motor.broken
    motor.drive(1000)
    run(physics, 1)
    assert motor.broken
    with pytest.raises(ValueError, match="removed joint"):
        motor.drive(1)
    with pytest.raises(ValueError, match="removed already"):
        motor.remove()


@pytest.mark.parametrize("engine", ENGINES)
def test_two_joints_break_in_one_tick_the_oldest_first(engine: str) -> None:
    physics, _, bodies = hanging(engine, (0, 0), (100, 0))
    joints = [
        physics.pivot(None, (bodies, row), (100 * row, 10), break_force=0.5 * WEIGHT)
        for row in (1, 0)
    ]
    run(physics, 1)
    assert [joint.broken for joint in joints] == [True, True]  # in the first tick
    assert physics.broken_joints == joints
    run(physics, 1)
    assert physics.broken_joints == []


@pytest.mark.parametrize("engine", ENGINES)
def test_a_break_wakes_bodies_that_are_asleep(engine: str) -> None:
    physics, table, bodies = hanging(engine, (0, 0))
    joint = physics.pivot(None, (bodies, 0), (0, 10), break_force=2 * WEIGHT)
    run(physics, 120)
    assert bodies.sleeping.all()
    physics.gravity = 0, -2700
    run(physics, 30)
    assert joint.broken
    assert table.position[0, 1] < -100


@pytest.mark.parametrize("engine", ENGINES)
def test_a_shorter_step_does_not_break_joints_of_bodies_that_are_asleep(engine: str) -> None:
    """For example, when a game begins slow motion."""
    physics, _, bodies = hanging(engine, (0, 0))
    joint = physics.pivot(None, (bodies, 0), (0, 10), break_force=2 * WEIGHT)
    run(physics, 120)
    assert bodies.sleeping.all()
    physics.advance(1 / 600)
    assert bodies.sleeping.all()
    assert not joint.broken


@pytest.mark.parametrize("engine", ENGINES)
def test_a_removed_body_removes_its_joints_without_breaking_them(engine: str) -> None:
    physics, table, bodies = hanging(engine, (0, 0), (30, 0))
    joint = physics.pin((bodies, 0), (bodies, 1), break_force=1e9)
    run(physics, 2)
    table.remove([0])
    run(physics, 2)
    assert joint.removed
    assert not joint.broken
    assert (joint.force, joint.torque, physics.broken_joints) == (0, 0, [])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, "x", (3, 4)])
def test_invalid_limits_add_no_joint(engine: str, value: object) -> None:
    physics, _, bodies = hanging(engine, (0, 0))
    for option, joints in (("break_force", FORCES), ("break_torque", TORQUES)):
        for make in joints.values():
            with pytest.raises((ValueError, TypeError), match=option):
                make(physics, (bodies, 0), **{option: value})
    assert raw_joints(physics) == 0
    assert simulation_of(physics).joints == []


def test_a_limit_that_the_joint_never_reaches_is_an_error() -> None:
    physics, _, bodies = hanging("pymunk", (0, 0))
    for limit in (200, 300):
        with pytest.raises(ValueError, match=rf"break_force: .* below strength \(200.*got {limit}"):
            physics.pivot(None, (bodies, 0), (0, 0), strength=200, break_force=limit)
        with pytest.raises(ValueError, match=rf"break_torque: .* below strength .*got {limit}"):
            physics.motor(None, (bodies, 0), 1, strength=200, break_torque=limit)
    assert raw_joints(physics) == 0
    physics.pivot(None, (bodies, 0), (0, 0), strength=200, break_force=100)


def test_the_wrong_limit_is_an_error_that_names_the_right_one() -> None:
    physics, _, bodies = hanging("rapier", (0, 0))
    for joints, wrong, advice in (
        (FORCES, "break_torque", "has no torque: write break_force=500"),
        (TORQUES, "break_force", "only turns bodies, so write break_torque=500"),
    ):
        for make in joints.values():
            with pytest.raises(TypeError) as raised:
                make(physics, (bodies, 0), **{wrong: 3})
            assert explain_call(raised.value)
            assert f"unknown option '{wrong}'" in str(raised.value)
            assert advice in str(raised.value)
    joint = physics.pivot(None, (bodies, 0), (0, 0))
    with pytest.raises(AttributeError, match=r"write joint\.broken"):
        joint.is_broken  # type: ignore[attr-defined] # noqa: B018


def test_a_joint_that_was_removed_from_the_library_has_no_load() -> None:
    physics, _, bodies = hanging("rapier", (0, 0))
    joint = physics.pivot(None, (bodies, 0), (0, 10), break_force=0.5 * WEIGHT)
    physics.world.impulse_joints.remove(joint.raw)
    run(physics, 2)
    assert (joint.force, joint.broken) == (0, False)
    physics, _, bodies = hanging("pymunk", (0, 0))
    joint = physics.pivot(None, (bodies, 0), (0, 10), break_force=0.5 * WEIGHT)
    physics.space.remove(joint.raw)
    run(physics, 2)
    assert (joint.force, joint.broken) == (0, False)


class Bridge(fw.Game):
    """A bridge of planks whose load grows until it breaks. Broken planks are removed."""

    engine = "rapier"
    snapshots: str | None = None

    def setup(self) -> None:
        self.physics = fw.Physics2D(
            self, gravity=(0, -900), engine=self.engine, snapshots=self.snapshots
        )
        self.planks = self.add(fw.SpriteBatch(np.full((6, 24, 4), 255, np.uint8), 10))
        self.planks.position[:] = [(40 + 24 * row, 100) for row in range(10)]
        self.bodies = self.physics.add(self.planks, mass=2)
        self.links = [
            self.physics.pivot(
                self.planks[row - 1] if row else None,
                self.planks[row] if row < 10 else None,
                (28 + 24 * row, 100),
                break_force=60_000 + 500 * row,
            )
            if row < 10
            else self.physics.pivot(self.planks[9], None, (268, 100), break_force=60_000)
            for row in range(11)
        ]
        self.log: list[tuple[int, int]] = []

    def update(self, dt: float) -> None:
        self.bodies.force[:, 1] = -200.0 * self.tick
        broken = self.physics.broken_joints
        self.log += [(self.tick, self.links.index(joint)) for joint in broken]
        if broken and len(self.planks) > 8:
            self.planks[4].remove()  # this also removes joints


def test_broken_joints_are_state() -> None:
    with Bridge(headless=True, drawing=False) as game:
        game.run_ticks(5)
        assert not any(link.broken for link in game.links)
        before = game.snapshot()
        game.run_ticks(60)
        log = [*game.log]
        end = game.state_hash()
        broken = [link.broken for link in game.links]
        assert any(broken)
        assert len(game.planks) < 10
        game.restore(before)
        assert not any(link.broken for link in game.links)
        game.run_ticks(60)
        assert game.log == log
        assert game.state_hash() == end
        assert [link.broken for link in game.links] == broken
    fw.sync_test(Bridge, ticks=log[0][0] + 30).check()


def test_broken_joints_return_with_inexact_snapshots_of_pymunk() -> None:
    class Near(Bridge):
        engine = "pymunk"
        snapshots = "near"

    with Near(headless=True, drawing=False) as game:
        game.run_ticks(5)
        before = game.snapshot()
        game.run_ticks(60)
        assert any(link.broken for link in game.links)
        game.restore(before)
        assert not any(link.broken for link in game.links)
        assert raw_joints(game.physics) == len(game.links)
        game.run_ticks(60)
        assert any(link.broken for link in game.links)


def test_a_hash_differs_if_only_the_break_of_a_joint_differs() -> None:
    hashes = []
    for breaks in (False, True):
        with Bridge(headless=True, drawing=False) as game:
            game.run_ticks(2)
            game.links[0].remove()
            game.links[0].broken = breaks
            hashes.append(game.state_hash())
    assert hashes[0] != hashes[1]


def test_gears_of_rapier_are_an_error_with_a_limit_too() -> None:
    physics, _, bodies = hanging("rapier", (0, 0))
    with pytest.raises(FrameworkError, match="Rapier has no gear"):
        physics.gear(None, (bodies, 0), 1, break_torque=3)
    assert simulation_of(physics).joints == []
