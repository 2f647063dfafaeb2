"""Rapier in the plane: snapshots, walls, fast and kinematic bodies, reads, joints, geometry."""

from __future__ import annotations

import gc
import itertools
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from weakref import ref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pictures import solid

import framework as fw
from framework import collide
from framework.errors import FrameworkError
from framework.game import rewind_history
from framework.game.driven_game import driven
from framework.geometry.strokes import stroke
from framework.geometry.tileedges import edges, outline
from framework.physics import rapier_bytes, rapier_engine, rapier_plane
from framework.physics.bodysets import Bodies
from framework.physics.moving_walls import _sides_of, entries
from framework.physics.physics_world import simulation_of
from framework.physics.shapes2d import BoxShape, Capsule, Circle, PolygonShape, corners_of

pytest.importorskip("rapier3d", reason="Rapier is not installed: pip install 'subtick[physics]'")

from framework.physics.rapier_shapes2d import mass_of

Make = Callable[..., Any]


def rows_at(*positions: tuple[float, float]) -> fw.Transforms2D:
    table = fw.Transforms2D()
    table.extend(len(positions))
    table.position[:] = positions
    return table


def run(physics: fw.Physics2D, ticks: int) -> None:
    for _ in range(ticks):
        physics.advance(1 / 60)


@pytest.mark.parametrize("kind", ["dynamic", "kinematic"])
def test_no_shapes_stay_in_memory_after_an_error(kind: str) -> None:
    physics = fw.Physics2D(length_unit=1)
    table = rows_at((0, 0), (5, 0))
    table.scale[1] = 0, 1
    with pytest.raises(ValueError, match="the shape of row 1"):
        physics.add(table, size=(2, 2), kind=kind)
    engine = simulation_of(physics).engine
    assert engine._new_shapes == {}
    physics.add(rows_at((0, 0)), size=(2, 2), kind=kind)
    assert engine._new_shapes == {}


# -- snapshots -------------------------------------------------------------------------------------


class Heap(fw.Game):
    """Crates, one-way tiles, joints, a kinematic lift, and removals of touching bodies."""

    count = 60

    def setup(self) -> None:
        self.physics = fw.Physics2D(self, gravity=(0, -900))
        tiles = np.zeros((12, 20), bool)
        tiles[-1] = tiles[:, 0] = tiles[:, -1] = True
        one_way = np.zeros((12, 20), bool)
        one_way[6, 5:9] = True
        self.physics.add_static(collide.TileGrid(tiles, 16, one_way=one_way), layer="ground")
        self.crates = self.add(fw.SpriteBatch(solid(12, 12), self.count))
        self.crates.position[:] = self.random.uniform((30, 30), (290, 400), (self.count, 2))
        self.bodies = self.physics.add(self.crates, layer="crate")
        self.lift = self.sprites.add(solid(40, 8), position=(200, 40))
        self.physics.add(self.lift, kind="kinematic")
        self.physics.pivot(self.crates[0], self.crates[1], self.crates[0].position)
        self.physics.motor(None, self.crates[2], 3, strength=50)
        self.met = 0

    def update(self, dt: float) -> None:
        self.lift.y = 40 + 30 * math.sin(self.tick / 30)
        self.lift.angle += 0.02
        for crate, _ in self.physics.entered("crate", "ground"):
            self.met += 1
            if self.met % 9 == 0:
                crate.remove()
        if self.tick % 40 == 0:
            self.crates.add(position=(150, 180))
            self.bodies.impulse((0, 300), [0])
            self.physics.drop_through(self.crates[0])
            self.crates.position[7] = 100, 150


def test_a_restored_game_continues_exactly(make: Make) -> None:
    game = make(Heap, drawing=False, seed=2)
    for before in (1, 50, 90):
        game.run_ticks(before)
        snapshot = game.snapshot()
        final_hashes = []
        for _ in range(2):
            game.run_ticks(60)
            final_hashes.append(game.state_hash())
            game.restore(snapshot)
        assert final_hashes[0] == final_hashes[1]
    assert game.met > 20


def test_reads_and_a_rewind_do_not_change_the_game(make: Make) -> None:
    plain = make(Heap, drawing=False)
    inspected = make(Heap, drawing=False)
    inspected.recording.rewind = fw.Rewind(duration=5)
    for _ in range(60):
        for game in (plain, inspected):
            game.run_ticks(1)
        _ = inspected.bodies.velocity, inspected.bodies.sleeping, inspected.physics.debug_lines()
        inspected.physics.raycast((0, 50), (400, 0))
    end = plain.state_hash()
    assert inspected.state_hash() == end
    inspected.recording.rewind.seek(20)
    inspected.recording.rewind.resume()
    inspected.run_ticks(40)
    assert inspected.state_hash() == end


def test_repeated_ticks_end_equally() -> None:
    fw.sync_test(Heap, ticks=40).check()


def test_a_closed_game_is_freed_with_its_bodies() -> None:
    """Python's garbage collector cannot look into Rapier's world, so this must not keep the game."""
    game = Heap(drawing=False)
    game.crates.remove(slice(8, None))
    game.physics.filter_contacts("crate", "ground", lambda contact: True)
    game.run_ticks(20)
    references = [ref(game), ref(driven(game).stage), ref(game.crates), ref(game.physics)]
    game.close()
    del game
    gc.collect()
    assert [reference() for reference in references] == [None] * 4


class Rest(fw.Game):
    def setup(self) -> None:
        self.physics = fw.Physics2D(self, gravity=(0, -900))
        self.physics.add_line([(-10, -1), (4000, -1)])
        self.crates = self.add(fw.SpriteBatch(solid(12, 12), 100))
        self.crates.position[:] = [(20 + 20 * row, 6) for row in range(100)]
        self.physics.add(self.crates)


def test_bodies_at_rest_need_little_memory_in_a_rewind(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A rewind takes more snapshots on a slower machine. In this test each read of the clock is 0.3
    # ms later.
    clock = itertools.count(0, 300_000)
    monkeypatch.setattr(
        rewind_history, "time", SimpleNamespace(perf_counter_ns=lambda: next(clock))
    )
    game = make(Rest, drawing=False)
    game.run_ticks(60)
    world = len(game.physics.world.snapshot())
    rewind = game.recording.rewind = fw.Rewind(duration=10)
    game.run_ticks(10)
    first = rewind.bytes
    game.run_ticks(300)
    assert world < first
    assert rewind.bytes - first < 300 * world / 40
    position = game.crates.position.copy()
    game.crates.position[3] = 0, 500
    game.run_ticks(5)
    rewind.seek(game.tick - 100)
    rewind.resume()
    assert game.crates.position.tolist() == position.tolist()


# -- walls and fast bodies -------------------------------------------------------------------------


@pytest.mark.parametrize("wall", ["tile", "line"])
def test_balls_stop_in_front_of_a_wall(wall: str) -> None:
    speeds = (300, 600, 2000, 20_000)
    physics = fw.Physics2D()
    if wall == "tile":
        tiles = np.zeros((40, 40), bool)
        tiles[:, 20] = True
        physics.add_static(collide.TileGrid(tiles, 16))
    else:
        physics.add_line([(320.5, 0), (320.5, 640)], radius=0.5)
    positions = [(x, 8 + 16 * row) for row, x in enumerate(np.linspace(20, 200, 40))]
    balls = rows_at(*positions)
    bodies = physics.add(balls, shape="circle", radius=4)
    bodies.velocity[:, 0] = np.repeat(speeds, 10)
    run(physics, 60)
    assert np.abs(balls.position[:, 0] - 316).max() < 1


@pytest.mark.parametrize("wall", ["line", "box", "polygon"])
def test_small_balls_stop_at_a_thin_wall_at_any_angle_and_speed(wall: str) -> None:
    for radius in (0.5, 1.0, 2.0):
        for speed in (300, 5000, 20_000, 60_000):
            physics = fw.Physics2D()
            corners = [(-0.5, -500), (0.5, -500), (0.5, 500), (-0.5, 500)]
            if wall == "line":
                physics.add_line([(0, -500), (0, 500)], radius=0.5)
            elif wall == "box":
                physics.add(rows_at((0, 0)), size=(1, 1000), kind="static")
            else:
                physics.add(rows_at((0, 0)), shape="polygon", points=corners, kind="static")
            angles = np.linspace(-0.6, 0.6, 25)
            outward = np.column_stack([np.cos(angles), np.sin(angles)])
            balls = rows_at(*(np.linspace((0, -250), (0, 250), 25) - 300 * outward))
            physics.add(balls, shape="circle", radius=radius).velocity = speed * outward
            steps = int(np.ceil(400 / speed * 60)) + 2
            run(physics, steps)
            assert balls.position[:, 0].max() < 0, (radius, speed)


@pytest.mark.parametrize("shape", ["box", "capsule", "polygon"])
def test_no_ball_passes_a_moving_thin_wall(shape: str) -> None:
    """200 balls, each of them against a wall that moves towards the ball."""
    options: dict[str, Any] = {"shape": shape, "size": (1.0, 30.0)}
    if shape == "polygon":
        options = {"shape": shape, "points": [(-0.5, -15), (0.5, -15), (0.5, 15), (-0.5, 15)]}
    speeds = np.tile([300.0, 2000, 5000, 20_000], 50)
    wall_speeds = np.repeat([100.0, 300, 450, 600], 50)
    radii = np.tile(np.repeat([1.0, 2, 4, 8], 4), 13)[:200]
    rng = np.random.default_rng(24)
    lanes = 40.0 * np.arange(200)
    physics = fw.Physics2D()
    walls = rows_at(*np.column_stack([np.zeros(200), lanes]))
    bodies = physics.add(walls, kind="kinematic", **options)
    balls: list[Any] = []
    for radius in np.unique(radii):
        rows = np.flatnonzero(radii == radius)
        starts = -rng.uniform(20, 60, len(rows))
        batch = rows_at(*np.column_stack([starts, lanes[rows]]))
        added = physics.add(batch, shape="circle", radius=radius, layer="ball", hits=["default"])
        added.velocity[:, 0] = speeds[rows]
        balls.append((batch, rows))
    bodies.velocity[:, 0] = -wall_speeds
    for _ in range(14):
        run(physics, 1)
        for batch, rows in balls:
            ahead = batch.position[:, 0] < walls.position[rows, 0]
            beside = np.abs(batch.position[:, 1] - walls.position[rows, 1]) > 15
            assert (ahead | beside).all()
    assert max(batch.position[:, 0].max() for batch, _ in balls) < 0


@pytest.mark.parametrize(("radius", "turn"), [(1, 2.0), (1, 10.0), (4, 30.0)])
def test_no_ball_passes_a_rotating_capsule(radius: float, turn: float) -> None:
    physics = fw.Physics2D()
    capsule = rows_at((0, 0))
    physics.add(capsule, kind="kinematic", shape="capsule", size=(200, 2 * radius))
    angles = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    outward = np.column_stack([np.cos(angles), np.sin(angles)])
    speeds = np.tile([300.0, 2000, 20_000], 20)
    balls = rows_at(
        *(-250 * outward + 60 * np.sin(5 * angles)[:, None] * outward[:, ::-1] * (-1, 1))
    )
    bodies = physics.add(balls, shape="circle", radius=3, layer="ball", hits=["default"])
    bodies.velocity = speeds[:, None] * outward

    def local() -> Any:
        angle = capsule.angle[0]
        c = np.cos(angle)
        s = np.sin(angle)
        x, y = balls.position.T
        return np.column_stack([c * x + s * y, c * y - s * x])

    before = local()
    for _ in range(40):
        capsule.angle[0] += turn / 60
        run(physics, 1)
        now = local()
        share = before[:, 1] / np.where(before[:, 1] == now[:, 1], 1, before[:, 1] - now[:, 1])
        crossed = (before[:, 1] < 0) != (now[:, 1] < 0)
        crossing_x = before[:, 0] + share * (now[:, 0] - before[:, 0])
        assert not (crossed & (np.abs(crossing_x) < 95)).any()
        before = now


def test_bodies_without_contact_pass_a_moving_wall() -> None:
    """Bodies of other layers, sensors, joined bodies and filtered bodies pass the wall."""
    physics = fw.Physics2D()
    walls = rows_at(*[(0, 40 * row) for row in range(5)])
    bodies = physics.add(walls, kind="kinematic", size=(1, 30))
    bodies.velocity = -300, 0
    balls = rows_at(*[(-20, 40 * row) for row in range(5)])
    options: dict[str, Any] = {"shape": "circle", "radius": 2.0}
    physics.add(balls, [0], layer="ghost", hits=["ghost"], **options)
    physics.add(balls, [1], layer="default", sensor=True, kind="dynamic", **options)
    joined = physics.add(balls, [2], layer="default", **options)
    physics.add(balls, [3], layer="soft", **options)
    physics.add(balls, [4], layer="default", **options)
    physics.rope((bodies, 2), (joined, 2), max_length=900)
    physics.filter_contacts("soft", "default", lambda contact: False)
    run(physics, 12)
    assert (balls.position[:, 0] > walls.position[:, 0]).tolist() == [True] * 4 + [False]


def test_a_wall_without_contact_does_not_hide_another_wall() -> None:
    """A ghost stands in front of the wall, at the same position, or behind the wall."""
    for ahead in (-3, 0, 3):
        physics = fw.Physics2D()
        ghost = rows_at((ahead, 0))
        wall = rows_at((0, 0))
        ball = rows_at((-20, 0))
        options: dict[str, Any] = {"kind": "kinematic", "size": (1, 30)}
        ghosts = physics.add(ghost, layer="ghost", hits=["ghost"], **options)
        walls = physics.add(wall, **options)
        ghosts.velocity = walls.velocity = -300, 0
        physics.add(ball, shape="circle", radius=2.0, layer="ball", hits=["default"])
        run(physics, 12)
        assert ball.position[0, 0] < wall.position[0, 0], ahead


@pytest.mark.parametrize("speed", [0.0, -1, -60])
def test_the_game_can_move_a_body_through_a_moving_wall(speed: float) -> None:
    physics = fw.Physics2D()
    wall = rows_at((0, 0))
    balls = rows_at((-20, 0), (-20, 10))
    physics.add(wall, kind="kinematic", size=(4, 60)).velocity = speed, 0
    physics.add(balls, shape="circle", radius=2.0)
    run(physics, 3)
    balls.position[0] = 40, 0
    run(physics, 1)
    assert balls.position.tolist() == [[40, 0], [-20, 10]]


def test_a_teleported_kinematic_body_does_not_push_bodies() -> None:
    physics = fw.Physics2D()
    walls = rows_at((0, 0), (0, 500))
    physics.add(walls, kind="kinematic", size=(4, 60))
    balls = rows_at((-20, 10), (-90, 0), (-20, 510), (30, 480))
    physics.add(balls, shape="circle", radius=2.0)
    before = balls.position.tolist()
    run(physics, 3)
    walls.position[0] = -200, 0
    walls.angle[1] = np.pi
    run(physics, 1)
    assert balls.position.tolist() == before


class Lift(fw.Game):
    """A lift that the game teleports over some balls, by less than its own width."""

    def setup(self) -> None:
        self.physics = fw.Physics2D(self)
        self.lift = self.sprites.add(solid(60, 4), position=(200, 150))
        self.physics.add(self.lift, kind="kinematic")
        self.balls = self.add(fw.SpriteBatch(solid(4, 4), 3))
        self.balls.position[:] = (180, 130), (200, 125), (220, 120)
        self.physics.add(self.balls, shape="circle")

    def update(self, dt: float) -> None:
        if self.tick == 3:
            self.lift.y = 100
            self.lift.teleport()


def test_a_short_teleport_of_a_lift_does_not_push_bodies(make: Make) -> None:
    game = make(Lift)
    before = game.balls.position.tolist()
    game.run_ticks(5)
    assert game.lift.y == 100
    assert game.balls.position.tolist() == before
    fw.sync_test(Lift, ticks=6).check()


@pytest.mark.parametrize(("speed", "radius"), [(120, 0.5), (200, 0.5), (120, 4.0), (240, 4.0)])
def test_a_crusher_pushes_no_ball_through_the_ground(speed: float, radius: float) -> None:
    physics = fw.Physics2D(gravity=(0, -900))
    physics.add_line([(-100, 0), (100, 0)], radius=radius)
    balls = rows_at((-30, radius + 3), (10, radius + 3))
    crusher = rows_at((0, 40 + radius))
    physics.add(balls, shape="circle", radius=3.0)
    bodies = physics.add(crusher, kind="kinematic", size=(120, 1))
    for _ in range(60):
        low = crusher.position[0, 1] - speed / 60
        bodies.velocity = 0, (-speed if low > radius + 0.7 else 0)
        run(physics, 1)
    run(physics, 20)
    assert balls.position[:, 1].min() > 0


class Sweeper(fw.Game):
    """A thin blade that sweeps through balls."""

    def setup(self) -> None:
        self.physics = fw.Physics2D(self)
        self.blade = self.sprites.add(solid(200, 2), position=(0, 0))
        self.physics.add(self.blade, kind="kinematic")
        self.balls = self.add(fw.SpriteBatch(solid(4, 4), 12))
        self.balls.position[:] = [(20 * row - 110, 30) for row in range(12)]
        self.physics.add(self.balls, shape="circle", layer="ball", hits=["default"])

    def update(self, dt: float) -> None:
        self.blade.angle += 20 * dt
        self.blade.y += 200 * dt


def test_bodies_in_front_of_a_sweeping_blade_are_restored() -> None:
    fw.sync_test(Sweeper, ticks=25).check()


def test_entries_finds_where_a_line_enters_a_polygon() -> None:
    square = np.array([(0.0, 0), (2, 0), (2, 2), (0, 2)])
    starts = np.array([(-1.0, 1), (-1, 3), (1, 1), (1, -2), (-1, 1), (3, 3)])
    ends = np.array([(3.0, 1), (3, 3), (5, 1), (1, 1), (-0.5, 1), (-1, -1)])
    sides = [np.stack([value] * 6) for value in _sides_of(square)]
    fractions, normals = entries(*sides, starts, ends)
    assert fractions == pytest.approx([0.25, np.inf, np.inf, 2 / 3, np.inf, 0.25])
    assert normals[[0, 3]].tolist() == [[-1, 0], [0, -1]]


def test_contacts_are_hard_only_while_a_body_is_fast() -> None:
    physics = fw.Physics2D()
    physics.add_line([(100, -500), (100, 500)])
    ball = rows_at((0, 0))
    second_body = rows_at((0, 200))
    bodies = physics.add(ball, shape="circle", radius=1)
    physics.add(second_body, shape="circle", radius=1)
    softness = physics.world.integration_parameters.static_contact_softness.natural_frequency
    hard: list[bool] = []

    def step() -> None:
        run(physics, 1)
        parameters = physics.world.integration_parameters
        hard.append(parameters.static_contact_softness.natural_frequency > softness)

    second_body.position[0] = 0, 400  # the game moves a body without velocity
    step()
    step()
    bodies.velocity = 20_000, 0
    for _ in range(4):
        step()
    second_body.extend(1)
    step()
    bodies.velocity = -20_000, 0
    step()
    ball.remove([0])
    step()
    step()
    assert hard == [False, False, True, True, False, False, False, True, False, False]


class Bullet(fw.Game):
    """A bullet that bounces between walls, beside a stack."""

    def setup(self) -> None:
        self.physics = fw.Physics2D(self, gravity=(0, -900))
        self.physics.add_line([(-400, 0), (400, 0), (400, 300), (-400, 300)], closed=True)
        self.crates = self.add(fw.SpriteBatch(solid(20, 20), 3))
        self.crates.position[:, 1] = 11, 31, 51
        self.physics.add(self.crates)
        self.bullet = self.sprites.add(solid(2, 2), position=(0, 200))
        bodies = self.physics.add(self.bullet, shape="circle", elasticity=1)
        bodies.velocity = 18_000, 3000


def test_a_bullet_and_hard_contacts_are_restored() -> None:
    fw.sync_test(Bullet, ticks=20).check()


@pytest.mark.parametrize("fast", [None, False])
def test_a_bullet_stops_at_a_thin_plank_that_can_move(fast: bool | None) -> None:
    physics = fw.Physics2D()
    plank = rows_at((300, 0))
    bullet = rows_at((0, 0))
    physics.add(plank, size=(2, 200), mass=1000)
    physics.add(bullet, shape="circle", radius=3, fast=fast).velocity = 8000, 0
    run(physics, 20)
    assert (bullet.position[0, 0] > plank.position[0, 0]) == (fast is False)


def test_bodies_in_a_wall_are_pushed_out() -> None:
    tiles = np.zeros((12, 12), bool)
    tiles[3:9, 3:9] = True
    physics = fw.Physics2D()
    physics.add_static(collide.TileGrid(tiles, 16))
    balls = rows_at(*[(x, y) for x in (55, 80, 110, 140) for y in (60, 100, 130)])
    physics.add(balls, shape="circle", radius=4, hits=["default"], layer="ball")
    run(physics, 200)
    inside = (balls.position > 48) & (balls.position < 144)
    assert not inside.all(axis=1).any()


@pytest.mark.parametrize("ground", ["tiles", "line"])
@pytest.mark.parametrize("shape", ["box", "circle", "capsule"])
def test_bodies_slide_over_the_borders_of_wall_parts(ground: str, shape: str) -> None:
    physics = fw.Physics2D(gravity=(0, -900))
    if ground == "tiles":
        tiles = np.zeros((6, 60), bool)
        tiles[-3:] = True
        tiles[-2:, ::3] = tiles[-1:, ::2] = False
        physics.add_static(collide.TileGrid(tiles, 16, (0, -48)), friction=0)
    else:
        physics.add_line([(x, -1) for x in range(0, 961, 40)], friction=0)
    rows = rows_at((40, 5))
    sizes: dict[str, dict[str, Any]] = {
        "box": {"size": (10, 10)},
        "circle": {"radius": 5},
        "capsule": {"size": (16, 10)},
    }
    bodies = physics.add(rows, shape=shape, friction=0, **sizes[shape])
    bodies.velocity = 300, 0
    for tick in range(1, 170):
        run(physics, 1)
        assert rows.position[0].tolist() == pytest.approx([40 + 5 * tick, 5], abs=0.3)


def test_friction_stops_a_box_and_makes_a_ball_roll() -> None:
    physics = fw.Physics2D(gravity=(0, -900))
    physics.add_line([(-100, -1), (3000, -1)], friction=0.5)
    box = rows_at((0, 5))
    ball = rows_at((0, 5))
    sliding = physics.add(box, size=(10, 10), friction=0.5, hits=["default"], layer="box")
    rolling = physics.add(
        ball, shape="circle", radius=5, friction=0.5, hits=["default"], layer="ball"
    )
    sliding.velocity = rolling.velocity = 300, 0
    run(physics, 30)
    assert sliding.velocity[0, 0] == pytest.approx(300 - 0.25 * 900 / 2, rel=0.05)
    run(physics, 120)
    assert sliding.velocity[0, 0] == pytest.approx(0, abs=1)
    # A disc that begins to roll keeps two thirds of its speed.
    assert rolling.velocity[0, 0] == pytest.approx(200, rel=0.03)
    assert rolling.angular_velocity[0] == pytest.approx(-40, rel=0.03)


def test_a_stack_of_twenty_stands_for_half_a_minute() -> None:
    physics = fw.Physics2D(gravity=(0, -900))
    physics.add_line([(-400, -1), (400, -1)])
    positions = [(0, 10 + 20 * row) for row in range(20)]
    boxes = rows_at(*positions)
    bodies = physics.add(boxes, size=(20, 20))
    run(physics, 1800)
    assert np.abs(boxes.position - positions).max() < 10
    assert bodies.sleeping.all()


def test_bodies_stay_in_the_plane() -> None:
    physics = fw.Physics2D(gravity=(0, -900))
    physics.add_line([(0, 200), (0, 0), (200, 0), (200, 200)])
    shape = [(-6, -5), (6, -4), (5, 5), (-3, 7)]
    rows = rows_at(*[(20 + 20 * (row % 8), 20 + 20 * (row // 8)) for row in range(40)])
    physics.add(rows, shape="polygon", points=shape)
    for _ in range(60):
        run(physics, 4)
        heights = [body.translation.z for _, body in physics.world.rigid_bodies]
        assert np.abs(heights).max() < 0.02


def test_fast_circles_stay_in_the_plane() -> None:
    """Circles may touch above or below their centers, so that rounding errors grow."""
    physics = fw.Physics2D(gravity=(0, -900))
    physics.add_line([(0, 200), (0, 0), (200, 0), (200, 200)])
    rows = rows_at(*[(20 + 20 * (row % 8), 20 + 20 * (row // 8)) for row in range(40)])
    bodies = physics.add(rows, shape="circle", radius=6, elasticity=0.9)
    bodies.velocity[:, 0] = 2000
    bodies.angular_velocity[:] = np.arange(40)
    run(physics, 120)
    assert max(abs(body.translation.z) for _, body in physics.world.rigid_bodies) < 0.02


# -- kinematic bodies ------------------------------------------------------------------------------


def test_a_kinematic_body_turns_about_its_position() -> None:
    physics = fw.Physics2D(gravity=(0, -900))
    flipper = rows_at((0, 0))
    ball = rows_at((60, 15))
    corners = [(0, -5), (80, -5), (80, 5), (0, 5)]
    physics.add(flipper, shape="polygon", points=corners, kind="kinematic")
    bodies = physics.add(ball, shape="circle", radius=9, layer="ball")
    run(physics, 5)
    for _ in range(4):
        flipper.angle[0] += 0.25
        run(physics, 1)
        assert flipper.position[0].tolist() == pytest.approx([0, 0], abs=1e-3)
    assert np.linalg.norm(bodies.velocity[0]) == pytest.approx(70 * 15, rel=0.15)
    assert flipper.angle[0] == pytest.approx(1, abs=1e-5)


SHAPES: list[dict[str, Any]] = [
    {},
    {"shape": "circle"},
    {"shape": "capsule"},
    {"shape": "outline"},
    {"shape": "polygon", "points": [(10, -10), (20, -10), (20, 10), (10, 10)]},
]


def offset_body(kind: str, engine: str, **options: Any) -> tuple[fw.Physics2D, Any, Bodies]:
    """Return a body of a sprite with 40 x 20 pixels. Only the right quarter is opaque, so the shape
    is beside the position."""
    image = np.zeros((20, 40, 4), np.uint8)
    image[:, 30:] = 255
    physics = fw.Physics2D(engine=engine)
    sprites = fw.SpriteBatch(image, 1)
    return physics, sprites, physics.add(sprites, kind=kind, **options)


@pytest.mark.parametrize("options", SHAPES)
def test_a_kinematic_body_with_an_offset_shape_turns_about_its_position(
    options: dict[str, Any],
) -> None:
    for engine in ("rapier", "pymunk"):
        physics, sprites, bodies = offset_body("kinematic", engine, **options)
        for _ in range(4):
            sprites.angle[0] += 0.25
            run(physics, 1)
            assert sprites.position[0].tolist() == pytest.approx([0, 0], abs=1e-4)
        bodies.angular_velocity = 3
        run(physics, 30)
        assert sprites.position[0].tolist() == pytest.approx([0, 0], abs=1e-3)


@pytest.mark.parametrize("options", SHAPES)
def test_a_free_body_turns_about_the_center_of_its_shape(options: dict[str, Any]) -> None:
    for engine in ("rapier", "pymunk"):
        physics, sprites, bodies = offset_body("dynamic", engine, **options)
        bodies.angular_velocity = 2 * math.pi
        run(physics, 30)  # half a turn
        assert sprites.position[0].tolist() == pytest.approx([30, 0], abs=0.2)


def test_angles_include_whole_turns_and_stay_exact() -> None:
    physics = fw.Physics2D()
    rows = rows_at((0, 0), (100, 0), (200, 0))
    rows.angle[:] = 0.3, 7.7, -100
    bodies = physics.add(rows, shape="circle", radius=5)
    before = rows.angle.copy()
    bodies.velocity = 0, 30
    run(physics, 10)
    assert rows.angle.tolist() == before.tolist()
    bodies.angular_velocity = 30
    run(physics, 60)
    assert rows.angle.tolist() == pytest.approx((before + 30).tolist(), abs=0.05)
    rows.angle[1] = 50
    bodies.angular_velocity = 0
    run(physics, 2)
    assert rows.angle[1] == 50


# -- reads -----------------------------------------------------------------------------------------


def test_bulk_reads_and_single_reads_are_equal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    final_states = []
    for bulk in (0, 10_000):
        monkeypatch.setattr(rapier_engine, "_BULK", bulk)
        physics = fw.Physics2D(gravity=(0, -900))
        physics.add_line([(0, 0), (400, 0)])
        rows = rows_at(*[(20 + 4 * row, 20 + 13 * row) for row in range(30)])
        bodies = physics.add(rows, size=(10, 10))
        cup = [(-5, 0), (5, 0), (5, 5), (4, 5), (4, 1), (-4, 1), (-4, 5), (-5, 5)]
        cups = rows_at((300, 50), (320, 50))
        physics.add(cups, shape="polygon", points=cup)
        _ = bodies.velocity
        for tick in range(40):
            if tick % 7 == 3:
                rows.remove([tick % len(rows)])
            if tick % 9 == 4:
                rows.position[rows.extend(1)] = 50, 400
            run(physics, 1)
        columns = rows.position, rows.angle, bodies.velocity, bodies.angular_velocity
        final_states.append([column.tobytes() for column in (*columns, cups.position, cups.angle)])
    assert final_states[0] == final_states[1]


def test_bytes_of_another_format_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rapier_bytes, "_layout", lambda: None)
    physics = fw.Physics2D(gravity=(0, -900))
    rows = rows_at(*[(12 * row, 0) for row in range(100)])
    physics.add(rows, size=(10, 10))
    run(physics, 60)
    assert rows.position[:, 1] == pytest.approx(np.full(100, -450), abs=9)


@settings(max_examples=20)
@given(st.lists(st.integers(-1, 3), min_size=1, max_size=40))
def test_the_bytes_of_a_random_world_are_read_correctly(steps: list[int]) -> None:
    """Each step adds a body with 0 to 3 colliders, or removes the oldest body."""
    import rapier3d

    world = rapier3d.PhysicsWorld()
    handles: list[Any] = []
    for index, colliders in enumerate(steps):
        if colliders >= 0:
            body = rapier3d.RigidBody.dynamic().translation((index, 2.5, 0)).linvel((1, index, 2))
            parts = [rapier3d.Collider.ball(1.0) for _ in range(colliders)]
            handles.append(world.add_body(body, parts))
        elif handles:
            world.remove_body(handles.pop(0))
    bodies = world.rigid_bodies
    counts = {handle.index: len(bodies[handle].colliders) for handle in handles}
    reader = rapier_bytes.BodyBytes(bodies, counts)
    numbers = reader.read(bodies, True)
    assert numbers is not None
    by_index = sorted(handles, key=lambda handle: handle.index)
    assert reader.indices.tolist() == [handle.index for handle in by_index]
    for handle, pose, speed in zip(by_index, *numbers, strict=True):
        body = bodies[handle]
        assert tuple(pose.tolist()) == body.rotation.to_tuple() + body.translation.to_tuple()
        assert tuple(speed.tolist()) == body.linvel.to_tuple() + body.angvel.to_tuple()
    world.add_body(rapier3d.RigidBody.fixed())
    assert reader.read(bodies, True) is None


def test_bodies_are_read_in_bulk_in_all_ticks(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the first tick, Rapier's bytes also have a list of the bodies that were just added."""
    single_reads: list[Any] = []
    numbers_of = rapier_plane.numbers_of

    def count_read(body: Any) -> tuple[float, ...]:
        single_reads.append(body)
        return numbers_of(body)

    physics = fw.Physics2D(gravity=(0, -900))
    rows = rows_at(*[(12 * row, 0) for row in range(500)])
    bodies = physics.add(rows, size=(10, 10))
    monkeypatch.setattr(rapier_plane, "numbers_of", count_read)
    run(physics, 10)
    bodies.velocity[:] = 5, 0
    run(physics, 10)
    assert not single_reads
    assert rows.position[:, 0] == pytest.approx(np.arange(500) * 12 + 5 / 6, abs=0.01)


# -- options, joints and queries -------------------------------------------------------------------


def boxes(**options: Any) -> tuple[fw.Physics2D, Any, Bodies]:
    physics = fw.Physics2D(length_unit=1, **options)
    rows = rows_at((0, 0), (5, 0))
    return physics, rows, physics.add(rows, size=(1, 1))


def test_features_that_rapier_lacks_are_clear_errors() -> None:
    physics, _, bodies = boxes()
    first = (bodies, 0)
    second = (bodies, 1)
    with pytest.raises(FrameworkError, match=r"gear: Rapier has no gear joint.*engine='pymunk'"):
        physics.gear(first, second)
    with pytest.raises(FrameworkError, match="min_length: Rapier has no smallest length"):
        physics.rope(first, second, min_length=1, max_length=6)
    with pytest.raises(FrameworkError, match="strength: Rapier has no largest force of a pivot"):
        physics.pivot(first, second, (2, 0), strength=5)
    with pytest.raises(FrameworkError, match="max_angle: Rapier has no turn limit of a whole"):
        physics.turn_limit(first, second, -4, 4)
    assert not simulation_of(physics).joints
    with pytest.raises(FrameworkError, match=r"space: expected .*engine='pymunk'.*physics\.world"):
        _ = physics.space
    with pytest.raises(ValueError, match="snapshots: expected None with engine='rapier'"):
        fw.Physics2D(snapshots="near")
    with pytest.raises(ValueError, match="length_unit: expected a finite number above 0"):
        fw.Physics2D(length_unit=0)
    with pytest.raises(ValueError, match="engine: expected one of 'rapier'"):
        fw.Physics2D(engine="box2d")


def test_features_that_pymunk_lacks_are_clear_errors() -> None:
    pytest.importorskip("pymunk")
    with pytest.raises(ValueError, match="length_unit: expected None with engine='pymunk'"):
        fw.Physics2D(engine="pymunk", length_unit=3)
    physics = fw.Physics2D(engine="pymunk")
    with pytest.raises(FrameworkError, match="fast: pymunk has no continuous"):
        physics.add(rows_at((0, 0)), size=(1, 1), fast=True)
    with pytest.raises(FrameworkError, match=r"world: expected .*engine='rapier'.*physics\.space"):
        _ = physics.world


def test_the_default_length_unit_depends_on_the_gravity() -> None:
    for gravity, expected in (((0, -900), 50), ((0, 0), 50), ((0, -9), 1), ((0, -1), 1)):
        world = fw.Physics2D(gravity=gravity).world
        assert world.integration_parameters.length_unit == expected


def test_turn_limits_and_motors_of_joints() -> None:
    physics, rows, bodies = boxes()
    motor = physics.motor(None, (bodies, 0), 5)
    limit = physics.turn_limit(None, (bodies, 0), 0.5, 2)
    run(physics, 60)
    assert rows.angle[0] == pytest.approx(2, abs=0.05)
    motor.drive(-5)
    run(physics, 60)
    assert rows.angle[0] == pytest.approx(0.5, abs=0.05)
    limit.remove()
    run(physics, 60)
    assert rows.angle[0] < -4
    with pytest.raises(
        ValueError, match="joint: expected a motor that is not removed, got a removed"
    ):
        limit.drive(1)


def test_springs_grooves_and_pins() -> None:
    physics, rows, bodies = boxes()
    physics.turn_spring((bodies, 0), (bodies, 1), 1, stiffness=10, damping=1)
    run(physics, 400)
    assert rows.angle[0] - rows.angle[1] == pytest.approx(1, abs=0.01)
    physics, rows, bodies = boxes(gravity=(0, -10))
    physics.groove(None, (bodies, 0), (0, 0), (10, -5))
    physics.pin(None, (bodies, 1), (0, 0))
    for _ in range(200):
        run(physics, 1)
        assert np.hypot(*rows.position[1]) == pytest.approx(5, abs=0.02)
        x, y = rows.position[0]
        assert (y, -0.1 < x < 10.1) == (pytest.approx(-x / 2, abs=0.02), True)
    assert rows.position[0].tolist() == pytest.approx([10, -5], abs=0.05)


def test_rays_do_not_hit_the_shape_around_their_start() -> None:
    physics, _, _bodies = boxes()
    hits = [physics.raycast((0, 0), (20, 0))]
    assert hits[0] is not None
    assert (hits[0].target.row, hits[0].point) == (1, pytest.approx((4.5, 0)))
    thick = physics.raycast((0, 2), (20, -1), radius=1.5)
    assert thick is not None
    assert thick.target.row == 1
    assert physics.raycast((0, 0), (0, 0)) is None
    assert [row.row for row in physics.query_point((0, 1), radius=0.6)] == [0]
    wall = physics.add_line([(-50, -10), (50, -10), (50, 90)])
    assert physics.query_area((-1, -1), (1, 1))[-1] is not wall
    assert physics.query_area((40, -12), (45, 0)) == [wall]
    assert physics.query_point((0, -9.5)) == [wall]


# -- geometry --------------------------------------------------------------------------------------


def area_of(sides: Any) -> float:
    """Return the area to the left of closed directed sides."""
    start = sides[:, 0]
    end = sides[:, 1]
    return float((start[:, 0] * end[:, 1] - start[:, 1] * end[:, 0]).sum() / 2)


def test_a_stroke_is_closed_and_has_the_area_of_the_line() -> None:
    for path, expected in (
        ([(0, 0), (10, 0)], 20 + math.pi),
        ([(0, 0), (10, 0), (10, 10)], 40 + math.pi - 1 + math.pi / 4),
        ([(0, 0), (10, 0), (10, 10), (0, 10), (0, 0)], 80 - 4 + math.pi),
        ([(0, 0), (10, 1), (20, 0), (30, 2)], 2 * 30.3 + math.pi),
    ):
        sides = stroke(np.array(path, float), 1)
        assert area_of(sides) == pytest.approx(expected, rel=0.02)
        assert sorted(sides[:, 0].tolist()) == sorted(sides[:, 1].tolist())


def test_the_outline_of_slopes_has_no_inner_sides() -> None:
    tiles = np.array([list("......"), list("..##.."), list("######")]) == "#"
    slopes = np.zeros((3, 6, 2))
    slopes[1, 1], slopes[1, 4] = (0, 1), (1, 0.5)
    sides = outline(collide.TileGrid(tiles, 10, slopes=slopes))
    assert area_of(sides) == pytest.approx(100 * (8 + 0.5 + 0.75))
    assert len(sides) == 9
    flat = collide.TileGrid(tiles, 10)
    assert outline(flat).tolist() == edges(flat).tolist()


def test_mass_of_agrees_with_formulas_of_flat_shapes() -> None:
    square = BoxShape((3, 4), (2, 2))
    as_polygon = mass_of(PolygonShape(np.array(corners_of(square), float)), 5)
    assert as_polygon.mass == pytest.approx(mass_of(square, 5).mass)
    assert as_polygon.moment == pytest.approx(mass_of(square, 5).moment)
    assert as_polygon.center == pytest.approx((3, 4))
    assert as_polygon.moment == pytest.approx(20 * 8 / 12)
    disc = mass_of(Circle((1, 2), 3), 2)
    assert (disc.mass, disc.moment) == pytest.approx((18 * math.pi, 81 * math.pi))
    assert mass_of(Capsule((1, 2), (1, 2), 3), 2).moment == pytest.approx(disc.moment)
    angles = np.linspace(0, np.pi, 400)
    arc = np.column_stack([np.sin(angles), -np.cos(angles)])
    capsule = PolygonShape(np.concatenate([arc + (2, 0), -arc - (2, 0)]))
    exact = mass_of(Capsule((-2, 0), (2, 0), 1), 1)
    near = mass_of(capsule, 1)
    assert (exact.mass, exact.moment) == pytest.approx((near.mass, near.moment), rel=1e-3)
