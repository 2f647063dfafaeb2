"""3D characters: moving floors, pushing walls, crates, stairs, slopes and snapshots."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework.geometry import quaternions
from framework.physics.characters import Character
from framework.physics.physics_world import simulation_of

pytest.importorskip(
    "rapier3d", reason="rapier3d is not installed: pip install 'subtick[physics3d]'"
)

Way = Callable[[float], float]
"""A function from seconds to the distance that a lift has moved."""


def table_at(*positions: tuple[float, float, float]) -> fw.Transforms3D:
    table = fw.Transforms3D()
    table.extend(len(positions))
    table.position[:] = positions
    return table


class Hero:
    """A falling character of 0.6 x 1.8 x 0.6, with its own physics."""

    def __init__(
        self, feet: tuple[float, float, float] = (0, 0, 0), rate: float = 60, **options: Any
    ) -> None:
        substeps = options.pop("substeps", 1)
        shape = options.pop("shape", "capsule")
        self.physics = fw.Physics3D(substeps=substeps)
        self.dt = 1 / rate
        x, y, z = feet
        self.table = table_at((x, y + 0.91, z))
        self.bodies = self.physics.add(
            self.table, shape=shape, size=(0.6, 1.8, 0.6), kind="kinematic"
        )
        self.walker = self.physics.character((self.bodies, 0), **options)
        self.fall = 0.0

    def box(self, position: tuple[float, float, float], size: Any, **options: Any) -> Any:
        table = table_at(position)
        self.physics.add(table, size=size, **{"kind": "static", **options})
        return table

    def step(self, velocity: tuple[float, float, float] = (0, 0, 0)) -> Any:
        """Run one tick: first the physics, then the hero with gravity."""
        self.physics.advance(self.dt)
        x, y, z = velocity
        self.fall = 0.0 if self.walker.on_floor or y else self.fall - 10 * self.dt
        return self.walker.move(np.multiply((x, y + self.fall, z), self.dt), self.dt)

    def run(self, ticks: int, velocity: tuple[float, float, float] = (0, 0, 0)) -> None:
        for _ in range(ticks):
            self.step(velocity)

    @property
    def feet(self) -> Any:
        return self.table.position[0] - (0, 0.91, 0)


# -- lifts, sleds and turntables -------------------------------------------------------------------


def stop_and_go(speed: float) -> Way:
    """Return the motion of a lift that waits, moves, waits, and moves back, with sudden starts."""

    def way(seconds: float) -> float:
        return speed * (min(max(seconds - 0.1, 0), 0.5) - min(max(seconds - 0.8, 0), 0.4))

    return way


def smooth(speed: float) -> Way:
    return lambda seconds: speed / 6 * (1 - math.cos(6 * seconds))


@pytest.mark.parametrize("moves", ["before", "after", "velocity"])
@pytest.mark.parametrize(
    ("direction", "speed", "rate", "substeps", "way"),
    [
        ((0, 1, 0), 0.2, 60, 1, stop_and_go),
        ((0, 1, 0), 3.0, 30, 2, stop_and_go),
        ((0, 1, 0), 3.0, 144, 1, smooth),
        ((0, -1, 0), 3.0, 30, 1, stop_and_go),
        ((0, -1, 0), 1.0, 60, 4, smooth),
        ((1, 0, 0), 1.0, 144, 2, stop_and_go),
        ((0, 0, -1), 5.0, 30, 1, stop_and_go),
        ((1, 0, 0), 5.0, 60, 1, smooth),
        ((0.6, 0.8, 0), 4.0, 60, 1, stop_and_go),
    ],
)
def test_a_rider_does_not_drift(
    moves: str,
    direction: tuple[float, float, float],
    speed: float,
    rate: float,
    substeps: int,
    way: Callable[[float], Way],
) -> None:
    hero = Hero((0.3, 0, 0.2), rate, substeps=substeps)
    lift = table_at((0, -0.1, 0))
    bodies = hero.physics.add(lift, size=(3, 0.2, 3), kind="kinematic")
    position = way(speed)
    hero.run(3)
    start = hero.table.position[0] - lift.position[0]
    travelled = 0.0
    for tick in range(int(1.3 * rate)):
        goal = position(tick / rate)
        if moves == "velocity":
            bodies.velocity[0] = np.multiply(direction, (goal - travelled) * rate)
            travelled = goal
        hero.physics.advance(hero.dt)
        if moves == "before":
            lift.position[0] = np.multiply(direction, goal) + (0, -0.1, 0)
        hero.walker.move((0, -0.01, 0), hero.dt)
        if moves == "after":
            lift.position[0] = np.multiply(direction, goal) + (0, -0.1, 0)
        simulation_of(hero.physics).finish()  # as at the end of a scene's tick
        drift = hero.table.position[0] - lift.position[0] - start
        assert np.abs(drift).max() < 0.005, (tick, drift)
        assert hero.walker.on_floor
        assert not hero.walker.crushed
    assert hero.walker.floor_body is not None


def test_a_turntable_turns_its_rider() -> None:
    hero = Hero((1.5, 0, 0))
    table = hero.box((0, -0.1, 0), (6, 0.2, 6), kind="kinematic")
    hero.run(5)
    for tick in range(60):
        hero.physics.advance(hero.dt)
        table.rotation[0] = quaternions.from_axis((0, 1, 0), math.pi / 2 * (tick + 1) / 60)
        hero.walker.move((0, -0.01, 0), hero.dt)
        assert hero.walker.floor_velocity == pytest.approx(
            (
                -1.5 * math.pi / 2 * math.sin(math.pi / 2 * (tick + 1) / 60),
                0,
                -1.5 * math.pi / 2 * math.cos(math.pi / 2 * (tick + 1) / 60),
            ),
            abs=0.05,
        )
    assert hero.feet.tolist() == pytest.approx([0, 0, -1.5], abs=0.005)
    assert quaternions.to_vectors(hero.table.rotation)[0] == pytest.approx(
        [0, math.pi / 2, 0], abs=1e-4
    )


def test_a_lift_from_below_lifts_the_character() -> None:
    hero = Hero()
    hero.physics.add_floor()
    lift = hero.box((0, -0.5, 0), (2, 0.2, 2), kind="kinematic")
    hero.run(3)
    for _ in range(60):
        lift.position[0, 1] += 0.03
        hero.step()
    assert hero.feet[1] == pytest.approx(lift.position[0, 1] + 0.1, abs=0.02)
    assert hero.walker.floor_body.row == 0
    assert hero.walker.floor_velocity == pytest.approx((0, 1.8, 0), abs=0.01)


@pytest.mark.parametrize("keeps", [True, False])
@pytest.mark.parametrize("moves", ["before", "after"])
def test_a_jump_keeps_the_velocity_of_the_floor(keeps: bool, moves: str) -> None:
    hero = Hero(keep_velocity=keeps)
    sled = hero.box((0, -0.1, 0), (40, 0.2, 4), kind="kinematic")

    def tick(jump: float = 0.0) -> None:
        hero.physics.advance(hero.dt)
        sled.position[0, 0] += 4 * hero.dt * (moves == "before")
        hero.fall = jump or (0.0 if hero.walker.on_floor else hero.fall - 10 * hero.dt)
        hero.walker.move((0, hero.fall * hero.dt, 0), hero.dt)
        sled.position[0, 0] += 4 * hero.dt * (moves == "after")
        simulation_of(hero.physics).finish()

    for _ in range(5):
        tick()
    away = hero.table.position[0, 0] - sled.position[0, 0]
    tick(jump=5)
    ticks = 1
    while not hero.walker.on_floor:
        assert hero.walker.floor_body is None
        tick()
        ticks += 1
    assert 55 < ticks < 70
    drift = hero.table.position[0, 0] - sled.position[0, 0] - away
    assert drift == pytest.approx(0 if keeps else -4 * (ticks - 1) / 60, abs=0.08)


def test_a_character_falls_when_its_floor_is_removed() -> None:
    hero = Hero()
    lift = hero.box((0, -0.1, 0), (2, 0.2, 2), kind="kinematic")
    hero.run(3)
    assert hero.walker.floor_body.row == 0
    lift.remove([0])
    assert hero.walker.floor_body is None
    hero.step()
    assert not hero.walker.on_floor
    hero.run(20)
    assert hero.feet[1] < -0.3
    wall = hero.physics.add_floor(-5)
    hero.run(120)
    assert hero.walker.floor_body is wall
    wall.remove()
    hero.run(30)
    assert hero.feet[1] < -6


# -- bodies that push ------------------------------------------------------------------------------


@pytest.mark.parametrize("speed", [0.3, 6.0, 40.0])
@pytest.mark.parametrize("thickness", [0.1, 1.0])
def test_a_moving_wall_pushes_the_character(speed: float, thickness: float) -> None:
    hero = Hero()
    hero.physics.add_floor()
    wall = hero.box((-1 - thickness / 2, 1.5, 0), (thickness, 3, 3), kind="kinematic")
    hero.run(3)
    for _ in range(40):
        wall.position[0, 0] += speed * hero.dt
        hero.step()
        front = wall.position[0, 0] + thickness / 2
        assert hero.feet[0] > front + 0.29
    assert hero.feet[0] == pytest.approx(max(0, front + 0.31), abs=0.02)
    assert hero.feet[1] == pytest.approx(0, abs=0.02)
    assert not hero.walker.crushed


def test_a_turning_door_pushes_the_character() -> None:
    hero = Hero((0.5, 0, 0.4))
    hero.physics.add_floor()
    door = hero.box((0, 1, 0), (4, 2, 0.1), kind="kinematic")
    hero.run(3)
    for tick in range(120):
        door.rotation[0] = quaternions.from_axis((0, 1, 0), -0.01 * tick)
        hero.step()
    normal = np.array((math.sin(-1.19), 0, math.cos(-1.19)))
    assert hero.feet @ normal == pytest.approx(0.05 + 0.31, abs=0.02)


def test_a_character_between_two_walls_is_crushed() -> None:
    hero = Hero()
    hero.physics.add_floor()
    hero.box((1, 1.5, 0), (1, 3, 3))
    wall = hero.box((-2, 1.5, 0), (1, 3, 3), kind="kinematic")
    hero.run(3)
    crushed = []
    for tick in range(100):
        wall.position[0, 0] += (1 if tick < 70 else -1) * 0.02
        hero.step()
        crushed.append(hero.walker.crushed)
        assert hero.feet[0] < 0.21
    first = crushed.index(True)
    assert -1.5 + 0.02 * first == pytest.approx(
        -0.1, abs=0.04
    )  # 0.6 from the other wall: the width of the hero
    assert all(crushed[first:70])
    assert not crushed[-1]
    assert hero.feet[1] == pytest.approx(0, abs=0.02)


def test_a_lift_crushes_the_character_against_the_ceiling() -> None:
    hero = Hero()
    lift = hero.box((0, -0.1, 0), (2, 0.2, 2), kind="kinematic")
    hero.box((0, 2.6, 0), (4, 0.2, 4))
    hero.run(3)
    crushed = 0
    for _ in range(60):
        lift.position[0, 1] += 0.03
        hero.step()
        crushed += hero.walker.crushed
        assert hero.feet[1] < 0.71  # below the ceiling of 2.5
    assert crushed > 20


def test_a_teleported_floor_does_not_carry_the_character() -> None:
    hero = Hero()
    lift = hero.box((0, -0.1, 0), (2, 0.2, 2), kind="kinematic")
    hero.run(3)
    lift.position[0] = 30, 0, 0
    hero.step()
    assert hero.feet[0] == pytest.approx(0, abs=1e-6)
    lift.position[0] = 0, -5, 0
    hero.run(2)
    assert -0.1 < hero.feet[1] < 0


def test_a_character_inside_a_body_does_not_jump_out() -> None:
    hero = Hero()
    hero.physics.add_floor()
    block = hero.box((0.1, -5, 0), (4, 2, 4), kind="kinematic")
    hero.run(3)
    block.position[0, 1] = 0  # the block moved farther than its size, so it does not push
    for _ in range(20):
        before = hero.table.position[0].copy()
        hero.step()
        assert np.abs(hero.table.position[0] - before).max() < 0.1
        block.position[0, 1] += 0.001


# -- crates ----------------------------------------------------------------------------------------


def test_a_character_pushes_light_crates_farther() -> None:
    distances = []
    for mass in (1.0, 100.0, 1000.0):
        hero = Hero(mass=80)
        hero.physics.add_floor()
        crate = hero.box((1.2, 0.5, 0), (1, 1, 1), kind="dynamic", mass=mass)
        hero.run(60, (2, 0, 0))
        assert hero.feet[0] < crate.position[0, 0] - 0.79
        distances.append(float(crate.position[0, 0] - 1.2))
    assert distances[0] > 1.0
    assert 0.1 < distances[1] < distances[0]
    assert abs(distances[2]) < 0.01


def test_pushing_keeps_velocities_that_the_game_wrote() -> None:
    hero = Hero(mass=50)
    hero.physics.add_floor(friction=0)
    crate = table_at((0.9, 0.5, 0))
    bodies = hero.physics.add(crate, size=(1, 1, 1), friction=0, mass=1)
    assert not bodies.velocity.any()
    hero.run(20, (2, 0, 0))
    assert bodies.velocity[0, 0] == pytest.approx(2, abs=0.1)
    bodies.velocity[0] = 0, 0, 3
    hero.run(1, (2, 0, 0))
    hero.run(1)
    assert bodies.velocity[0, 2] == pytest.approx(3, abs=0.1)


def test_a_heavy_character_tilts_a_plank_more() -> None:
    lean = []
    for mass in (0.1, 3.0):
        hero = Hero((1.2, 1.05, 0), mass=mass)
        plank = table_at((0, 1, 0))
        bodies = hero.physics.add(plank, size=(3, 0.1, 1), mass=2)
        hero.physics.hinge(None, (bodies, 0), (0, 1, 0), (0, 0, 1))
        hero.run(8)
        assert hero.walker.floor_body.row == 0
        lean.append(-float(quaternions.to_vectors(plank.rotation)[0][2]))
    assert 0 < lean[0] < 0.1 * lean[1]


def test_a_rider_of_a_dynamic_body_does_not_drift() -> None:
    hero = Hero((0.1, 1, 0), mass=5)
    hero.physics.add_floor(friction=0)
    crate = table_at((0, 0.5, 0))
    bodies = hero.physics.add(crate, size=(2, 1, 2), mass=50, friction=0)
    hero.run(10)
    start = hero.table.position[0] - crate.position[0]
    bodies.velocity[0] = 3, 0, 0
    for _ in range(60):
        hero.step()
        assert hero.table.position[0] - crate.position[0] == pytest.approx(start, abs=0.005)
    assert crate.position[0, 0] > 2.9
    assert hero.walker.floor_velocity == pytest.approx((3, 0, 0), abs=0.05)


# -- walls, stairs and slopes ----------------------------------------------------------------------


def slope_at(hero: Hero, angle: float) -> None:
    """Add a floor, and a slope from x = 1 that rises along +x."""
    slope = table_at((1, 0, 0))
    slope.rotation[0] = quaternions.from_axis((0, 0, 1), angle)
    mesh = fw.Mesh.box((20, 0.2, 10)).transformed((10, -0.1, 0))
    hero.physics.add(slope, shape="mesh", mesh=mesh, kind="static")
    hero.physics.add_floor()


@pytest.mark.parametrize("shape", ["capsule", "box", "cylinder"])
def test_a_character_climbs_gentle_slopes_and_follows_them_down(shape: str) -> None:
    hero = Hero(shape=shape)
    slope_at(hero, 0.5)
    hero.run(3)
    hero.run(120, (2, 0, 0))
    x, y, _ = hero.feet
    assert x == pytest.approx(4.0, abs=0.12)
    assert y == pytest.approx((x - 1) * math.tan(0.5), abs=0.35)
    assert hero.walker.on_floor
    assert hero.walker.floor_normal == pytest.approx((-math.sin(0.5), math.cos(0.5), 0), abs=0.01)
    rest = hero.feet
    hero.run(60)
    assert hero.feet == pytest.approx(rest, abs=0.002)  # the hero stands still
    for _ in range(60):
        hero.step((-2, 0, 0))
        assert hero.walker.on_floor


def test_a_steep_slope_is_a_wall_that_characters_slide_down() -> None:
    hero = Hero()
    slope_at(hero, 1.1)
    hero.run(3)
    hero.run(60, (3, 0, 0))
    assert hero.feet[0] < 1
    assert hero.feet[1] < 0.05
    assert hero.walker.on_wall
    hero.table.position[0] = 3, 6, 0
    hero.run(15)
    on_wall = []
    for _ in range(60):
        hero.step()
        on_wall.append(hero.walker.on_wall and not hero.walker.on_floor)
    assert any(on_wall)
    hero.run(120)
    assert hero.feet[1] == pytest.approx(0, abs=0.03)
    assert hero.feet[0] < 1


@pytest.mark.parametrize("shape", ["capsule", "box"])
@pytest.mark.parametrize(
    ("rate", "speed", "step", "climbs"),
    [(30, 4, 0.3, True), (60, 1, 0.3, True), (144, 4, 0.3, True), (60, 3, 0.1, False)],
)
def test_a_character_climbs_stairs_up_to_its_step(
    shape: str, rate: float, speed: float, step: float, climbs: bool
) -> None:
    hero = Hero(rate=rate, shape=shape, step=step)
    hero.physics.add_floor()
    stairs = table_at(*[(1.5 + number, 0.1 * (number + 1), 0) for number in range(4)])
    stairs.scale[:, 1] = 0.2, 0.4, 0.6, 0.8
    hero.physics.add(stairs, size=(1, 1, 4), kind="static")
    hero.run(3)
    hero.run(int(4.2 / speed * rate), (speed, 0, 0))
    if climbs:
        assert hero.feet[0] == pytest.approx(4.2, abs=0.2)
        assert hero.feet[1] == pytest.approx(0.8, abs=0.02)
        fallen = 0
        for _ in range(int(4 / speed * rate)):
            hero.step((-speed, 0, 0))
            fallen += not hero.walker.on_floor
        assert fallen == 0  # the hero snaps down from stair to stair
        assert hero.feet[1] == pytest.approx(0, abs=0.02)
    else:
        assert hero.feet[0] < 0.72
        assert hero.walker.on_wall


def test_a_character_slides_along_walls_and_stops_in_corners() -> None:
    hero = Hero()
    hero.physics.add_floor()
    hero.box((1.5, 1.5, 0), (1, 3, 20))
    hero.run(3)
    hero.run(60, (2, 0, 2))
    assert hero.feet[0] == pytest.approx(0.69, abs=0.005)
    assert hero.feet[2] == pytest.approx(2, abs=0.02)
    hero.box((0, 1.5, 3.5), (20, 3, 1))
    hero.run(60, (2, 0, 2))
    assert hero.feet.tolist() == pytest.approx([0.69, 0, 2.69], abs=0.01)
    assert hero.walker.on_wall
    hero.step()
    assert not hero.walker.on_wall


def test_a_ceiling_stops_a_jump() -> None:
    hero = Hero()
    hero.physics.add_floor()
    hero.box((0, 2.5, 0), (4, 0.2, 4))
    hero.run(3)
    for _ in range(10):
        hero.step((0, 5, 0))
    assert hero.walker.on_ceiling
    assert hero.feet[1] == pytest.approx(0.59, abs=0.02)
    assert not hero.walker.on_floor


@pytest.mark.parametrize("snap", [0.0, 0.3])
def test_snap_keeps_the_character_on_the_floor_below_a_ledge(snap: float) -> None:
    hero = Hero((0, 0.25, 0), snap=snap, shape="box")
    hero.physics.add_floor()
    hero.box((0, 0.125, 0), (2, 0.25, 2))
    hero.run(3)
    in_air = 0
    for _ in range(60):
        hero.step((2, 0, 0))
        in_air += not hero.walker.on_floor
    assert (in_air == 0) == (snap > 0)


# -- snapshots -------------------------------------------------------------------------------------


class Ride(fw.Game):
    """A game with heroes on a lift and a turntable, with crates and a pushing wall."""

    def setup(self) -> None:
        self.physics = fw.Physics3D(self, substeps=2)
        self.physics.add_floor()
        self.parts = self.add(fw.MeshBatch(fw.Mesh.box((3, 0.2, 3)), 3))
        self.parts.position[:] = (0, 0.5, 0), (4, 0.5, 0), (-6, 0.1, 0)
        self.physics.add(self.parts, kind="kinematic")
        self.crate = self.add(fw.MeshBatch(fw.Mesh.cube(), 4))
        self.crate.position[:] = (8, 0.5, 0), (1, 1.2, 1), (9, 0.5, 0), (4, 2, 1)
        self.physics.add(self.crate, mass=0.3)
        self.heroes = self.add(fw.MeshBatch(fw.Mesh.box((0.6, 1.6, 0.6)), 2))
        self.heroes.position[:] = (0, 1.5, 0), (4, 1.5, 0)
        self.physics.add(self.heroes, kind="kinematic", shape="capsule", mass=2)
        self.walkers: list[Character] = [self.physics.character(row) for row in self.heroes]
        self.fall = np.zeros(2)
        self.log: list[Any] = []

    def update(self, dt: float) -> None:
        time = self.tick * dt
        self.parts.position[0, 1] = 0.5 + 0.5 * math.sin(3 * time)
        for row, walker in enumerate(self.walkers):
            self.fall[row] = 0 if walker.on_floor else self.fall[row] - 10 * dt
            if self.tick % 50 == 30:
                self.fall[row] = 4
            walker.move((dt * math.cos(time), self.fall[row] * dt, 0), dt)
        self.parts.rotation[1] = quaternions.from_axis((0, 1, 0), time)
        self.parts.position[2, 0] += 2 * dt
        self.log = [(each.on_floor, each.crushed, each.floor_velocity) for each in self.walkers]


def test_characters_have_the_same_hashes_after_a_restore(make: Any) -> None:
    game = make(Ride)
    second_game = make(Ride)
    game.run_ticks(45)
    saved = game.snapshot()
    hashes = []
    for _ in range(40):
        game.run_ticks(1)
        hashes.append(game.state_hash())
        second_game.run_ticks(1)
    game.restore(saved)
    for expected in hashes:
        game.run_ticks(1)
        assert game.state_hash() == expected
    second_game.run_ticks(45)
    assert second_game.state_hash() == hashes[-1]


def test_characters_pass_a_sync_test() -> None:
    fw.sync_test(Ride, ticks=40).check()


# -- wrong arguments -------------------------------------------------------------------------------


def test_wrong_arguments_of_characters_are_errors() -> None:
    hero = Hero()
    with pytest.raises(ValueError, match="has a character already"):
        hero.physics.character((hero.bodies, 0))
    mesh = hero.physics.add(
        table_at((9, 0, 0)), shape="mesh", mesh=fw.Mesh.cube(), kind="kinematic"
    )
    with pytest.raises(ValueError, match="one convex shape"):
        hero.physics.character((mesh, 0))
    with pytest.raises(ValueError, match="kind='kinematic'"):
        hero.physics.character(hero.physics.add_floor(-50))  # type: ignore[arg-type]
    bodies = hero.physics.add(table_at((20, 0, 0)), size=(1, 1, 1), kind="kinematic")
    for options in ({"mass": 0}, {"mass": math.nan}, {"keep_velocity": 3}, {"step": -1}):
        with pytest.raises((ValueError, TypeError), match=next(iter(options))):
            hero.physics.character((bodies, 0), **options)  # type: ignore[arg-type]
    hero.table.position[0, 1] = math.nan
    with pytest.raises(ValueError, match=r"position: row 0 has .*nan"):
        hero.walker.move((0, 0, 0), 0.1)


def test_a_character_without_its_body_is_an_error() -> None:
    hero = Hero()
    hero.run(2)
    assert not hero.walker.removed
    hero.table.remove([0])
    assert hero.walker.removed
    with pytest.raises(ValueError, match="character: its body was removed; make a new one"):
        hero.walker.move((0, 0, 0), 0.1)
    assert hero.walker.floor_body is None
    hero.physics.advance(0.1)


def test_a_character_keeps_its_body_when_other_rows_are_removed() -> None:
    physics = fw.Physics3D()
    heroes = table_at((0, 1, 0), (5, 1, 0))
    bodies = physics.add(heroes, size=(0.6, 1.8, 0.6), kind="kinematic")
    walker = physics.character((bodies, 1))
    heroes.remove([0])
    physics.advance(0.1)
    walker.move((0.5, 0, 0), 0.1)
    assert heroes.position[0].tolist() == pytest.approx([5.5, 1, 0])
