"""Physics2D with both engines: bodies, stacks, walls, contacts, joints, queries, snapshots."""

from __future__ import annotations

import contextlib
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import names_missing_on_page
from pictures import solid

import framework as fw
from framework import collide
from framework.errors import FrameworkError
from framework.physics import engines
from framework.physics.bodysets import Bodies, set_of
from framework.physics.physics_world import simulation_of
from framework.physics.pymunk_engine import PymunkEngine
from framework.physics.snapshots2d import SpaceSnapshots
from framework.plane import batch_images

pytestmark = pytest.mark.usefixtures("no_open_game")

pytest.importorskip("pymunk", reason="pymunk is not installed: pip install 'subtick[pymunk]'")
pytest.importorskip("rapier3d", reason="Rapier is not installed: pip install 'subtick[physics]'")

Make = Callable[..., Any]

_chosen = {"engine": "rapier"}


@pytest.fixture(params=["rapier", "pymunk"], autouse=True)
def engine(request: pytest.FixtureRequest) -> str:
    """The engine of `plane` in this test. Each test runs with both engines."""
    _chosen["engine"] = request.param
    return str(request.param)


only_pymunk = pytest.mark.parametrize("engine", ["pymunk"], indirect=True)
only_rapier = pytest.mark.parametrize("engine", ["rapier"], indirect=True)


def plane(*args: Any, **options: Any) -> fw.Physics2D:
    """Return a world of the test's engine. Bodies are a few units large, except in strong gravity."""
    if _chosen["engine"] == "rapier" and max(map(abs, options.get("gravity", (0, 0)))) < 500:
        options.setdefault("length_unit", 1)
    return fw.Physics2D(*args, engine=_chosen["engine"], **options)


def rows_at(*positions: tuple[float, float]) -> fw.Transforms2D:
    table = fw.Transforms2D()
    table.extend(len(positions))
    table.position[:] = positions or np.empty((0, 2))
    return table


def falling(*positions: tuple[float, float], **options: Any) -> tuple[fw.Physics2D, Any, Bodies]:
    """Return boxes of 2 x 2 over a ground at height 0, in a gravity of 10."""
    physics = plane(gravity=(0, -10))
    physics.add_line([(-100, -1), (100, -1)], radius=1, layer="ground")
    table = rows_at(*positions)
    return physics, table, physics.add(table, size=(2, 2), **options)


def run(physics: fw.Physics2D, ticks: int) -> None:
    for _ in range(ticks):
        physics.advance(1 / 60)


def pymunk_of(physics: fw.Physics2D) -> PymunkEngine:
    engine = simulation_of(physics).engine
    assert isinstance(engine, PymunkEngine)
    return engine


def engine_of(physics: fw.Physics2D) -> Any:
    return simulation_of(physics).engine


def body_count(physics: fw.Physics2D) -> int:
    """Return the number of bodies in the engine, without walls and the world."""
    if _chosen["engine"] == "pymunk":
        return len([body for body in physics.space.bodies if body.shapes])
    return len([body for _, body in physics.world.rigid_bodies if body.colliders])


def numbers_of(body: Any) -> tuple[list[float], list[float]]:
    """Return the pose and the velocities of a body in the engine, as float32 numbers."""
    if _chosen["engine"] == "pymunk":
        pose = [*body.position, body.angle]
        speeds = [*body.velocity, body.angular_velocity]
    else:
        x, y, _ = body.translation.to_tuple()
        _, _, sine, cosine = body.rotation.to_tuple()
        pose = [x, y, 2 * math.atan2(sine, cosine)]
        speeds = [*body.linvel.to_tuple()[:2], body.angvel.to_tuple()[2]]
    return pose, speeds


# -- poses -----------------------------------------------------------------------------------------


def test_a_falling_body_lands_and_sleeps() -> None:
    physics, table, bodies = falling((0, 5))
    run(physics, 30)
    assert table.position[0, 1] == pytest.approx(5 - 10 * 0.5**2 / 2, abs=0.05)
    assert bodies.velocity[0].tolist() == pytest.approx([0, -5], abs=0.01)
    run(physics, 300)
    assert table.position[0].tolist() == pytest.approx([0, 1], abs=0.15)
    assert bodies.sleeping.tolist() == [True]


@settings(max_examples=max(15, settings().max_examples // 3))
@given(
    st.lists(
        st.tuples(st.sampled_from(["add", "remove", "run", "wake"]), st.integers(0, 7)), max_size=12
    )
)
def test_columns_agree_with_the_bodies_of_the_engine(steps: list[tuple[str, int]]) -> None:
    """Sleeping, waking, adding and removing change the order of bodies in pymunk. The ground is in
    the same list."""
    physics, table, bodies = falling((0, 1), (5, 1), (10, 4))
    second_table = rows_at((20, 1), (20, 3))
    second_bodies = physics.add(second_table, shape="circle", radius=1)
    for action, number in steps:
        if action == "add":
            row = table.extend(1)
            table.position[row] = (number * 5, 10)
        elif action == "remove" and len(table):
            table.remove([number % len(table)])
        elif action == "wake" and len(table):
            bodies.impulse((3, 0), [number % len(table)])
        else:
            run(physics, 20 * number)
        run(physics, 1)
        assert len(set_of(bodies).raw) == len(table) == len(bodies)
        for body_set, rows in ((bodies, table), (second_bodies, second_table)):
            bodies_now = [
                numbers_of(engine_of(physics).native(body)) for body in set_of(body_set).raw
            ]
            poses = np.array([pose for pose, _ in bodies_now], np.float32).reshape(-1, 3)
            speeds = np.array([speed for _, speed in bodies_now]).reshape(-1, 3)
            assert rows.position.tolist() == poses[:, :2].tolist()
            turns = (rows.angle - poses[:, 2]) / math.tau
            assert np.abs(turns - np.rint(turns)).max(initial=0) < 1e-6
            velocities = np.column_stack([body_set.velocity, body_set.angular_velocity])
            assert velocities.tolist() == speeds.tolist()


def test_a_stack_of_ten_stands_for_a_minute() -> None:
    physics, table, _ = falling(*[(0, 1 + 2 * floor) for floor in range(10)])
    physics.gravity = (0, -90)
    run(physics, 3600)
    assert np.abs(table.position[:, 0]).max() < 0.5
    assert np.abs(table.position[:, 1] - np.arange(1, 20, 2)).max() < 1.2
    assert np.abs(table.angle).max() < 0.1


@pytest.mark.parametrize("is_between_ticks", [False, True])
def test_written_columns_move_the_body(is_between_ticks: bool) -> None:
    open_game: Any = fw.Game(drawing=False) if is_between_ticks else contextlib.nullcontext()
    with open_game:
        check_written_columns()


def check_written_columns() -> None:
    physics, table, bodies = falling((0, 1), (5, 1))
    run(physics, 100)
    assert bodies.sleeping.all()
    table.position[1] = 50, 9
    table.angle[1] = math.pi
    run(physics, 1)
    assert table.position[1].tolist() == pytest.approx([50, 9], abs=0.01)
    assert table.angle[1] == pytest.approx(math.pi, abs=0.01)
    bodies.velocity[1] = 0, 60
    run(physics, 1)
    assert table.position[1, 1] == pytest.approx(10, abs=0.05)
    bodies.velocity = (0, 0)
    bodies.angular_velocity[1] = 6
    run(physics, 1)
    assert table.angle[1] == pytest.approx(math.pi + 0.1, abs=0.01)


def test_velocity_columns_of_a_batch_are_used_by_physics(make: Make) -> None:
    class Throw(fw.Game):
        def setup(self) -> None:
            self.physics = plane(self)
            self.balls = self.add(
                fw.SpriteBatch(solid(8, 8), columns=("velocity", "angular_velocity"))
            )
            self.physics.add(self.balls, shape="circle")
            self.one = self.balls.add(position=(0, 0), velocity=(60, 30), angular_velocity=3)

    game = make(Throw, drawing=False)
    game.run_ticks(60)
    assert game.one.position == pytest.approx((60, 30), abs=0.01)
    assert game.one.angle == pytest.approx(3, abs=0.01)
    game.balls.velocity[:] = 0, 5
    game.run_ticks(60)
    assert game.one.position == pytest.approx((60, 35), abs=0.01)


def test_new_bodies_start_with_the_velocities_of_their_rows(make: Make) -> None:
    class Throw(fw.Game):
        def setup(self) -> None:
            self.physics = plane(self, gravity=(0, 0))
            self.balls = self.add(
                fw.SpriteBatch(solid(8, 8), columns=("velocity", "angular_velocity"))
            )
            self.physics.add(self.balls, shape="circle")
            self.balls.extend(
                2,
                position=[(0, 0), (0, 50)],
                velocity=[(0, 0), (60, 0)],
                angular_velocity=[0, 3],
            )

    game = make(Throw, drawing=False)
    game.run_ticks(60)
    assert game.balls.position.ravel().tolist() == pytest.approx([0, 0, 60, 50], abs=0.01)
    assert game.balls.angle.tolist() == pytest.approx([0, 3], abs=0.01)


def test_bodies_are_added_and_removed_with_their_rows(make: Make) -> None:
    class Rain(fw.Game):
        def setup(self) -> None:
            self.physics = plane(self, gravity=(0, -10))
            self.drops = self.add(fw.SpriteBatch(solid(4, 4)))
            self.bodies = self.physics.add(self.drops)

        def update(self, dt: float) -> None:
            if self.tick < 10:
                self.drops.add(position=(self.tick * 20, 0), angle=self.tick)
            elif self.tick < 15:
                self.drops[0].remove()

    game = make(Rain, drawing=False)
    game.run_ticks(30)
    assert len(game.drops) == len(game.bodies) == body_count(game.physics) == 4
    assert game.drops.angle.tolist() == [6, 7, 8, 9]
    assert game.drops.position[:, 0].tolist() == [120, 140, 160, 180]


def test_bodies_of_some_rows_stay_with_their_rows() -> None:
    physics = plane()
    table = rows_at(*[(10 * row, 0) for row in range(6)])
    bodies = physics.add(table, [4, 1], size=(1, 1))
    bodies.velocity = [(0, 60), (0, -60)]
    table.remove([0, 2])
    table.extend(1)
    run(physics, 60)
    assert set_of(bodies).rows.rows.tolist() == [2, 0]
    assert table.position[:, 1].tolist() == pytest.approx([-60, 0, 60, 0, 0], abs=0.1)
    table.position[2] = 5, 5
    bodies.velocity = 0, 0
    run(physics, 1)
    assert numbers_of(bodies[2])[0] == [5, 5, 0]
    with pytest.raises(ValueError, match="expected a row with a body, got 1"):
        bodies[1]


def test_single_sprites_of_one_batch_can_have_bodies(make: Make) -> None:
    class Two(fw.Game):
        def setup(self) -> None:
            self.physics = plane(self, gravity=(0, -100))
            sprites = [
                self.sprites.add(solid(8, 8), position=(50 * number, 0)) for number in range(4)
            ]
            self.first, self.free, self.ball, self.last = sprites
            for sprite, shape in (
                (self.first, "box"),
                (self.ball, "circle"),
                (self.last, "capsule"),
            ):
                self.physics.add(sprite, shape=shape)
            self.physics.pin(self.ball, self.last)

    game = make(Two, drawing=False)
    game.run_ticks(5)
    game.first.remove()
    game.run_ticks(55)
    assert game.free.position == (50, 0)
    assert game.ball.y == game.last.y == pytest.approx(-50, abs=1)
    assert body_count(game.physics) == 2
    game.ball.remove()
    game.run_ticks(1)
    assert simulation_of(game.physics).joints == []
    with pytest.raises(ValueError, match="first: the row has no body"):
        game.physics.pin(game.free, None)


def test_physics_pauses_with_its_scene(make: Make) -> None:
    class Menu(fw.Scene):
        pass

    class Falls(fw.Game):
        def setup(self) -> None:
            self.physics = plane(self, gravity=(0, -100))
            self.box = self.sprites.add(solid(8, 8))
            self.physics.add(self.box)

    game = make(Falls, drawing=False)
    game.run_ticks(10)
    height = game.box.y
    game.push(Menu())
    game.run_ticks(10)
    assert game.box.y == height < 0
    game.pop()
    game.run_ticks(10)
    assert game.box.y < height


def test_poses_are_drawn_between_ticks(make: Make) -> None:
    class Slides(fw.Game):
        def setup(self) -> None:
            self.physics = plane(self)
            self.puck = self.sprites.add(solid(4, 4), position=(0, 0))
            self.physics.add(self.puck).velocity = (60, 0)

    game = make(Slides, tick_rate=60)
    game.run_ticks(5)
    assert game.puck.drawn_position(0.5)[0] == pytest.approx(4.5)


# -- steps -----------------------------------------------------------------------------------------


def with_step_log(**options: Any) -> tuple[fw.Physics2D, list[float]]:
    physics = plane(**options)
    steps: list[float] = []
    engine_of(physics).step_once = steps.append  # type: ignore[method-assign]
    return physics, steps


def test_the_number_of_steps_does_not_depend_on_the_tick_rate() -> None:
    physics, steps = with_step_log(rate=120)
    for _ in range(60):
        physics.advance(1 / 60)
    assert steps == [1 / 120] * 120
    physics, steps = with_step_log(rate=120)
    for _ in range(144):
        physics.advance(1 / 144)
    assert steps == [1 / 120] * 120
    physics, steps = with_step_log(substeps=3)
    physics.advance(0.03)
    assert steps == [0.01] * 3
    physics.advance(0)
    assert len(steps) == 3


def test_physics_follows_the_time_scale_of_its_group(make: Make) -> None:
    class Slow(fw.Game):
        def setup(self) -> None:
            self.physics = plane(self, group=self.schedule.group(0.1))
            self.puck = self.sprites.add(solid(4, 4))
            self.physics.add(self.puck).velocity = (60, 0)

    game = make(Slow, drawing=False)
    game.run_ticks(60)
    assert game.puck.x == pytest.approx(6, abs=0.01)


_RUN = """
import sys
import numpy as np
import framework as fw
from framework import collide

class Heap(fw.Game):
    def setup(self):
        self.physics = fw.Physics2D(self, gravity=(0, -900), engine=sys.argv[2])
        ground = np.zeros((8, 20), bool)
        ground[-1] = ground[:, 0] = ground[:, -1] = True
        self.physics.add_static(collide.TileGrid(ground, 16), layer="ground")
        self.crates = self.add(fw.SpriteBatch(np.full((12, 12, 4), 255, np.uint8), 40))
        self.crates.position[:] = self.random.uniform((30, 30), (290, 400), (40, 2))
        self.bodies = self.physics.add(self.crates, layer="crate")
        self.met = 0

    def update(self, dt):
        self.met += len(self.physics.entered("crate", "ground")) + len(self.physics.exited("crate", "crate"))
        if self.tick % 50 == 0:
            self.crates[int(self.random.integers(len(self.crates)))].remove()
            self.bodies.impulse((0, 300), [0])

with Heap(headless=True, drawing=False, seed=4) as game:
    spare = [bytearray(1000 * int(sys.argv[1])) for _ in range(100)]  # other addresses
    game.run_ticks(300)
    assert game.met > 50
    print(game.state_hash())
"""


def test_two_runs_are_equal_in_two_processes(
    engine: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [sys.executable, "-W", "error", "-c", _RUN, "1", engine]
    first_output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    monkeypatch.setattr(sys, "argv", ["-c", "0", engine])
    exec(compile(_RUN, "a run in this process", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out == first_output
    assert int(first_output)


# -- kinds of bodies -------------------------------------------------------------------------------


def test_a_kinematic_body_moves_to_its_position_and_pushes() -> None:
    physics = plane()
    pusher = rows_at((0, 0))
    pushed = rows_at((3, 0))
    physics.add(pusher, size=(2, 2), kind="kinematic")
    physics.add(pushed, size=(2, 2))
    for _ in range(60):
        pusher.position[0, 0] += 0.1
        run(physics, 1)
    assert pusher.position[0].tolist() == pytest.approx([6, 0], abs=1e-4)
    assert pushed.position[0, 0] > 7.5
    run(physics, 10)
    assert pusher.position[0].tolist() == pytest.approx([6, 0], abs=1e-4)


def test_a_static_body_supports_others_and_can_be_moved() -> None:
    physics = plane(gravity=(0, -10))
    shelf = rows_at((0, 0))
    ball = rows_at((0, 2))
    physics.add(shelf, size=(4, 2), kind="static")
    bodies = physics.add(ball, shape="circle", radius=1)
    run(physics, 120)
    assert ball.position[0, 1] == pytest.approx(2, abs=0.15)
    assert bodies.sleeping.all()
    shelf.position[0] = 50, 0
    run(physics, 60)
    assert ball.position[0, 1] < -2


def test_the_outline_of_an_image_is_traced_once(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    traced: list[float] = []

    def trace(pixels: Any, tolerance: float, anchor: Any) -> list[Any]:
        traced.append(tolerance)
        return collide.pieces(pixels, tolerance, anchor)

    monkeypatch.setattr(batch_images, "pieces", trace)

    class Rocks(fw.Game):
        def setup(self) -> None:
            self.physics = plane(self)
            self.rocks = self.add(fw.SpriteBatch(solid(8, 6), 5))
            self.rocks.scale[:] = np.arange(1, 6)[:, None]
            self.physics.add(self.rocks, shape="outline")

    game = make(Rocks, drawing=False)
    assert traced == [1.0]
    first = game.rocks.images.pieces(0)[0]
    first[:] = 99
    game.rocks.add(position=(50, 0))
    game.run_ticks(1)
    game.rocks.images.pieces(0, 0.5)
    assert traced == [1.0, 0.5]
    assert [len(game.physics.query_point((2.5 * n, 0))) for n in (1, 2, 4, 7)] == [5, 4, 3, 1]
    game.rocks.images._list.reloaded_from(0)
    assert game.rocks.images.pieces(0)[0].max() == 4
    assert traced == [1.0, 0.5, 1.0]


def test_mass_density_and_fixed_rotation() -> None:
    physics = plane()
    light, heavy, firm = (rows_at((x, 0)) for x in (0, 50, 100))
    assert physics.add(light, size=(2, 3))[0].mass == pytest.approx(1)
    assert physics.add(heavy, size=(2, 3), density=4)[0].mass == pytest.approx(24)
    bodies = physics.add(firm, size=(2, 3), mass=7, fixed_rotation=True)
    assert bodies[0].mass == pytest.approx(7)
    bodies.impulse((7, 0), point=(100, 1))
    run(physics, 60)
    assert firm.angle[0] == 0
    assert firm.position[0, 0] == pytest.approx(101, abs=0.01)


def test_forces_act_until_the_next_write() -> None:
    physics = plane()
    table = rows_at((0, 0), (10, 0))
    bodies = physics.add(table, shape="circle", radius=1, mass=2)
    bodies.force[0] = 4, 0
    bodies.torque[1] = 1
    run(physics, 60)
    assert bodies.velocity.tolist() == [[pytest.approx(2), 0], [0, 0]]
    assert bodies.angular_velocity.tolist() == [0, pytest.approx(1, rel=1e-4)]
    bodies.force = (0, 0)
    run(physics, 60)
    assert bodies.velocity[0].tolist() == [pytest.approx(2), 0]


@only_pymunk
def test_shapes_have_the_size_of_the_image(make: Make) -> None:
    image = np.zeros((10, 20, 4), np.uint8)
    image[2:8, 4:] = 255

    class Shapes(fw.Game):
        def setup(self) -> None:
            self.physics = plane(self)
            self.batch = self.add(fw.SpriteBatch(image, 2))
            self.batch.position[1, 0] = 200
            self.batch.scale[1] = 2, 3
            self.batch.flip[1, 0] = True
            self.box = self.physics.add(self.batch)
            self.other = self.add(fw.SpriteBatch(image, 1))
            self.physics.add(self.other, shape="outline", tolerance=0.1)
            self.capsule = self.add(fw.SpriteBatch(image, 1))
            self.physics.add(self.capsule, shape="capsule")

    game = make(Shapes, drawing=False)
    boxes = [next(iter(body.shapes)).bb for body in set_of(game.box).raw]
    near = {"abs": 0.01}
    assert list(boxes[0]) == pytest.approx([-6, -3, 10, 3], **near)
    assert list(boxes[1]) == pytest.approx([200 - 20, -9, 200 + 12, 9], **near)
    outline, capsule = (
        list(next(iter(body_set.raw[0].shapes)).bb)
        for body_set in simulation_of(game.physics).sets[1:]
    )
    assert outline == capsule == pytest.approx([-6, -3, 10, 3], **near)


@only_pymunk
def test_a_concave_polygon_is_cut_into_pieces() -> None:
    physics = plane()
    cup = [(-5, 0), (5, 0), (5, 5), (4, 5), (4, 1), (-4, 1), (-4, 5), (-5, 5)]
    bodies = physics.add(rows_at((0, 0)), shape="polygon", points=cup, kind="static")
    assert len(bodies[0].shapes) >= 3
    assert sum(shape.area for shape in bodies[0].shapes) == pytest.approx(10 + 8)
    ball = rows_at((0, 3))
    physics.add(ball, shape="circle", radius=1)
    physics.gravity = (0, -10)
    run(physics, 100)
    assert ball.position[0, 1] == pytest.approx(2, abs=0.15)


# -- walls -----------------------------------------------------------------------------------------


def test_tiles_are_merged_without_seams() -> None:
    floor = np.zeros((4, 60), bool)
    floor[-2:] = True
    physics = plane(gravity=(0, -900))
    wall = physics.add_static(collide.TileGrid(floor, 16), friction=0, layer="ground")
    if _chosen["engine"] == "pymunk":
        assert len(wall.raw.shapes) == 1
    box = rows_at((20, 32 + 5))
    bodies = physics.add(box, size=(10, 10), friction=0)
    bodies.velocity = (300, 0)
    run(physics, 120)
    assert box.position[0].tolist() == pytest.approx([620, 37], abs=0.5)
    assert box.angle[0] == pytest.approx(0, abs=2e-3)
    wall.remove()
    run(physics, 60)
    assert box.position[0, 1] < 0
    with pytest.raises(ValueError, match="removed already"):
        wall.remove()


def test_a_ball_rolls_down_a_slope() -> None:
    tiles = np.array([list("#......"), list("##....."), list("#######")])
    slopes = np.zeros((3, 7, 2))
    slopes[1, 2], slopes[0, 1] = (1, 0), (1, 0)
    physics = plane(gravity=(0, -900))
    physics.add_static(collide.TileGrid(tiles == "#", 16, slopes=slopes))
    ball = rows_at((20, 60))
    physics.add(ball, shape="circle", radius=5)
    positions = []
    for _ in range(60):
        run(physics, 1)
        positions.append(ball.position[0].tolist())
    assert min(y for x, y in positions if x < 105) > 20
    assert min(abs(x - 90) + abs(y - 21) for x, y in positions) < 6


def test_fast_bodies_do_not_pass_through_tiles() -> None:
    room = np.ones((12, 12), bool)
    room[1:-1, 1:-1] = False
    physics = plane(gravity=(0, -900))
    physics.add_static(collide.TileGrid(room, 16))
    balls = rows_at(*[(96, 40 + 15 * number) for number in range(8)])
    bodies = physics.add(balls, shape="circle", radius=6, elasticity=0.9)
    bodies.velocity[:, 0] = np.linspace(-900, 900, 8)
    for _ in range(300):
        run(physics, 1)
        assert balls.position.min() > 16
        assert balls.position.max() < 176


def ledge(
    height: float, speed: tuple[float, float], **options: Any
) -> tuple[fw.Physics2D, Any, Bodies]:
    """Return a box at x = 40 over a ground at height 16. A one-way ledge at height 64 ends at x =
    80, where solid ground begins."""
    tiles = np.array(
        [
            list("........"),
            list("........"),
            list("-----###"),
            *[list("........")] * 2,
            list("########"),
        ]
    )
    physics = plane(gravity=(0, -900), **options)
    physics.add_static(collide.TileGrid(tiles == "#", 16, one_way=tiles == "-"), layer="ground")
    table = rows_at((40, height))
    bodies = physics.add(table, size=(10, 10), friction=0, layer="box")
    bodies.velocity = speed
    return physics, table, bodies


@pytest.mark.parametrize("rate", [30, 60, 144])
@pytest.mark.parametrize(
    ("height", "speed", "end"), [(100, 0, 69), (25, 450, 69), (25, 275, 21), (110, -1200, 69)]
)
def test_one_way_tiles_stop_bodies_only_from_above(
    rate: int, height: float, speed: float, end: float
) -> None:
    physics, table, _ = ledge(height, (0, speed), rate=180)
    highest = height
    for _ in range(rate * 2):
        physics.advance(1 / rate)
        highest = max(highest, float(table.position[0, 1]))
    assert table.position[0].tolist() == pytest.approx([40, end], abs=0.4)
    if speed > 0:  # nothing stopped the box on its way up
        assert highest == pytest.approx(height + speed**2 / 1800, abs=2)


def test_a_one_way_tile_touches_only_bodies_on_top_of_it() -> None:
    physics, table, bodies = ledge(28, (0, 380))
    samples = []
    for _ in range(60):
        run(physics, 1)
        samples.append((float(table.position[0, 1]) < 69.2, len(engine_of(physics).touching())))
    assert any(low for low, _ in samples[:7])
    assert {count for _, count in samples[:30]} == {0}
    assert samples[-1] == (True, 1)
    bodies.velocity = 150, 0  # on to the solid ground, over a seam
    run(physics, 30)
    assert table.position[0].tolist() == pytest.approx([115, 69], abs=0.5)
    assert table.angle[0] == pytest.approx(0, abs=0.02)


@pytest.mark.parametrize("asleep", [False, True])
def test_drop_through_passes_only_the_tiles_below_the_body(
    asleep: bool,
) -> None:
    tiles = np.array([list("...."), *[list("----"), list("....")] * 2, list("####")])
    physics = plane(gravity=(0, -900))
    physics.add_static(collide.TileGrid(tiles == "#", 16, one_way=tiles == "-"))
    table = rows_at((20, 85), (44, 85))
    bodies = physics.add(table, size=(10, 10))
    physics.drop_through((bodies, 0))  # in the air
    for height in (85, 53, 21, 21):
        run(physics, 120 if asleep else 25)
        assert table.position[:, 1].tolist() == pytest.approx([height, 85], abs=1)
        assert bodies.sleeping[0] or not asleep
        physics.drop_through((bodies, 0))


@only_pymunk
def test_removed_walls_and_bodies_are_released() -> None:
    for removes_row in (0, 1):
        physics, table, _ = ledge(58, (0, 100))
        run(physics, 1)
        assert len(pymunk_of(physics)._one_way._held) == 2
        if removes_row:
            table.remove([0])
            run(physics, 1)
        else:
            simulation_of(physics).walls[0].remove()
        assert pymunk_of(physics)._one_way._held == {}


@only_pymunk
def test_one_way_tiles_work_after_a_restored_snapshot() -> None:
    physics, table, bodies = ledge(100, (0, 0), snapshots="near")
    snapshots = SpaceSnapshots(physics, pymunk_of(physics), "near")
    saved = snapshots._capture()
    wall = simulation_of(physics).walls[0]
    wall.remove()
    snapshots._restore(([], [wall], []))
    snapshots._restore(saved)
    run(physics, 90)
    assert table.position[0].tolist() == pytest.approx([40, 69], abs=0.4)
    assert bodies.sleeping.tolist() == [True]
    standing_snapshot = snapshots._capture()[0], [wall], []
    table.position[0] = 40, 30
    run(physics, 1)
    bodies.velocity = 0, 600
    run(physics, 3)  # inside the ledge, on its way up
    assert 57 < table.position[0, 1] < 67
    assert len(engine_of(physics).touching()) == 0
    snapshots._restore(standing_snapshot)
    run(physics, 60)
    assert table.position[0].tolist() == pytest.approx([40, 69], abs=0.4)


# -- contacts --------------------------------------------------------------------------------------


def test_a_filter_that_removes_sprites_receives_the_right_sprites(make: Make) -> None:
    class Rain(fw.Game):
        def setup(self) -> None:
            self.physics = plane(self, gravity=(0, -900))
            self.physics.add_line([(-50, 0), (350, 0)], layer="ground")
            self.drops = self.add(fw.SpriteBatch(solid(10, 10), 6))
            self.drops.position[:] = [(50 * n, 30) for n in range(6)]
            self.physics.add(self.drops, layer="drop")
            self.names = {drop: n for n, drop in enumerate(self.drops)}
            self.hits: list[int] = []
            self.physics.filter_contacts("drop", "ground", self.splash)

        def splash(self, contact: Any) -> bool:
            self.hits.append(self.names[contact.first])
            assert contact.point[0] == pytest.approx(50 * self.hits[-1], abs=5.1)
            if self.hits[-1] % 3:
                contact.first.remove()
            return True

    game = make(Rain, drawing=False)
    game.run_ticks(60)
    assert sorted(game.hits) == [0, 1, 2, 3, 4, 5]
    assert [game.names[drop] for drop in game.drops] == [0, 3]


def test_entered_staying_and_exited_report_contacts_by_layer(make: Make) -> None:
    class Switch(fw.Game):
        def setup(self) -> None:
            self.physics = plane(self)
            self.plate = self.sprites.add(solid(20, 20), position=(50, 0))
            self.physics.add(self.plate, layer="plate", kind="static", sensor=True)
            self.ball = self.add(fw.SpriteBatch(solid(10, 10))).add(position=(0, 0))
            self.physics.add(self.ball, shape="circle", layer="ball").velocity = (120, 0)
            self.log: list[tuple[int, str]] = []

        def update(self, dt: float) -> None:
            for event in ("entered", "staying", "exited"):
                for ball, plate in getattr(self.physics, event)("ball", "plate"):
                    assert (ball, plate) == (self.ball, self.plate)
                    self.log.append((self.tick, event))
            assert self.physics.entered("plate", "ball") == [
                (plate, ball) for ball, plate in self.physics.entered("ball", "plate")
            ]

    game = make(Switch, drawing=False)
    game.run_ticks(60)
    events = [event for _, event in game.log]
    assert events[0] == "entered"
    assert events[-1] == "exited"
    assert set(events[1:-1]) == {"staying"}
    # Rapier detects contacts at the beginning of a step, and pymunk at the end.
    later = 1 if _chosen["engine"] == "rapier" else 0
    assert game.log[0][0] == pytest.approx(17 + later, abs=1)
    assert game.log[-1][0] == pytest.approx(33 + later, abs=1)


def test_a_sleeping_body_still_touches_and_a_removed_body_has_exited() -> None:
    physics, table, bodies = falling((0, 1), layer="crate")
    counts: dict[str, int] = {"entered": 0, "exited": 0}
    for _ in range(200):
        run(physics, 1)
        for event in counts:
            counts[event] += len(getattr(physics, event)("crate", "ground"))
    assert bodies.sleeping.all()
    assert counts == {"entered": 1, "exited": 0}
    ((row, wall),) = physics.staying("crate", "ground")
    assert (row.batch, row.row) == (table, 0)
    assert wall is simulation_of(physics).walls[0]
    table.remove([0])
    run(physics, 1)
    assert physics.exited("crate", "ground") == [(None, wall)]
    run(physics, 1)
    assert physics.exited("crate", "ground") == []


def test_a_touch_shorter_than_a_tick_is_reported_at_most_once() -> None:
    physics = plane(rate=600)
    physics.add_line([(0, 0), (0, 10)], radius=0.1, layer="wall", elasticity=1)
    ball = rows_at((-3.5, 5))
    physics.add(ball, shape="circle", radius=1, elasticity=1, layer="ball").velocity = (600, 0)
    with_touch = 0
    run(physics, 1)
    for _ in range(3):
        with_touch += len(physics.entered("ball", "wall"))
        run(physics, 1)
    assert ball.position[0, 0] < -5
    assert with_touch <= 1


def test_bodies_of_layers_without_hits_pass_each_other() -> None:
    physics, table, _ = falling((0, 1), layer="ghost", hits=["crate"])
    run(physics, 60)
    assert table.position[0, 1] < -1
    with pytest.raises(ValueError, match="did you mean 'ghost'"):
        physics.entered("gost", "ground")


def test_touching_rows_has_the_current_pairs() -> None:
    physics, _table, bodies = falling((0, 1), (0, 3), (10, 1))
    run(physics, 5)
    assert physics.touching_rows(bodies, bodies).tolist() == [[0, 1]]


# -- joints and queries ----------------------------------------------------------------------------


def test_joints_hold_and_are_removed_with_their_bodies() -> None:
    physics = plane(gravity=(0, -10))
    table = rows_at((2, 0), (4, 0), (20, 0), (30, 0))
    bodies = physics.add(table, shape="circle", radius=0.5)
    physics.pivot(None, (bodies, 0), (0, 0))
    rod = physics.pin((bodies, 0), (bodies, 1))
    spring = physics.spring(None, (bodies, 2), (20, 10), length=5, stiffness=20, damping=1)
    motor = physics.motor(None, (bodies, 3), 5)
    limit = physics.turn_limit(None, (bodies, 3), -1, 1)
    for _ in range(200):
        run(physics, 1)
        assert np.linalg.norm(table.position[0]) == pytest.approx(2, abs=0.1)
        assert np.linalg.norm(table.position[1] - table.position[0]) == pytest.approx(2, abs=0.1)
    assert table.position[2, 1] == pytest.approx(10 - 5 - 0.5, abs=1)
    assert table.angle[3] == pytest.approx(1, abs=0.1)
    table.remove([1])
    run(physics, 1)
    assert rod.removed
    assert [spring.removed, motor.removed, limit.removed] == [False] * 3
    motor.remove()
    with pytest.raises(ValueError, match="removed already"):
        motor.remove()
    joints_left = (
        physics.space.constraints if _chosen["engine"] == "pymunk" else physics.world.impulse_joints
    )
    assert len(joints_left) == 3


@only_pymunk
def test_every_joint_can_be_created() -> None:
    physics = plane()
    table = rows_at((0, 0), (5, 0))
    bodies = physics.add(table, size=(1, 1))
    first = (bodies, 0)
    second = (bodies, 1)
    physics.rope(first, second, max_length=6)
    physics.groove(first, second, (0, 0), (5, 0), strength=50)
    physics.turn_spring(first, second, 0, stiffness=3)
    physics.gear(first, second, 2)
    run(physics, 10)
    assert [joint.name for joint in simulation_of(physics).joints] == [
        "rope",
        "groove",
        "turn_spring",
        "gear",
    ]
    assert "gear" in repr(simulation_of(physics).joints[-1])


@pytest.mark.parametrize("kind", ["dynamic", "kinematic"])
def test_joints_that_turn_have_no_effect_on_bodies_that_cannot_turn(kind: str) -> None:
    physics = plane(gravity=(0, -10))
    table = rows_at((0, 0), (5, 0), (9, 3))
    first = physics.add(table, size=(1, 1), rows=[0], fixed_rotation=True)
    second = physics.add(table, size=(1, 1), rows=[1], kind=kind, fixed_rotation=kind == "dynamic")
    ends = (first, 0), (second, 1)
    joints = [
        physics.motor(*ends, 5),
        physics.motor(None, (first, 0), 5),
        physics.turn_limit(*ends, 1, 2),
        physics.turn_spring(*ends, 1, stiffness=9),
    ]
    if _chosen["engine"] == "pymunk":
        joints.append(physics.gear(*ends, 2, 1))
    run(physics, 60)
    falls = pytest.approx(-5, abs=0.2)
    assert table.position[:, 1].tolist() == [falls, falls if kind == "dynamic" else 0, 3]
    assert table.angle.tolist() == [0, 0, 0]
    joints[0].drive(-5)
    joints[0].remove()
    assert [joint.removed for joint in joints] == [True] + [False] * (len(joints) - 1)


@only_pymunk
def test_a_joint_without_effect_is_not_restored_into_pymunk() -> None:
    physics = plane(gravity=(0, -10), snapshots="near")
    table = rows_at((0, 0), (5, 0))
    bodies = physics.add(table, size=(1, 1), fixed_rotation=True)
    physics.motor((bodies, 0), (bodies, 1), 5)
    snapshots = SpaceSnapshots(physics, pymunk_of(physics), "near")
    saved = snapshots._capture()
    run(physics, 10)
    snapshots._restore(saved)
    run(physics, 30)
    assert np.isfinite(table.position).all()


@pytest.mark.parametrize("kind", ["motor", "turn_limit", "turn_spring", "gear"])
def test_a_joint_without_effect_still_prevents_collisions(kind: str) -> None:
    if kind == "gear" and _chosen["engine"] == "rapier":
        pytest.skip("Rapier has no gears")
    numbers = {"motor": (5,), "turn_limit": (1, 2), "turn_spring": (1,), "gear": (2,)}[kind]
    options = {"stiffness": 9} if kind == "turn_spring" else {}
    physics = plane()
    table = rows_at((0, 0), (1, 0.5), (20, 0), (21, 0.5))
    bodies = physics.add(table, size=(2, 2), fixed_rotation=True)
    join = getattr(physics, kind)
    joint = join((bodies, 0), (bodies, 1), *numbers, bump=False, **options)
    join((bodies, 2), (bodies, 3), *numbers, bump=True, **options)
    run(physics, 30)
    assert table.position[:2].tolist() == [[0, 0], [1, 0.5]]
    assert np.abs(table.position[3] - table.position[2]).max() > 1.5
    if kind == "motor":
        joint.drive(-5)
    joint.remove()
    run(physics, 30)
    assert np.abs(table.position[1] - table.position[0]).max() > 1.5


@only_pymunk
def test_a_restored_joint_without_effect_still_prevents_collisions() -> None:
    physics = plane(snapshots="near")
    table = rows_at((0, 0), (1, 0.5))
    bodies = physics.add(table, size=(2, 2), fixed_rotation=True)
    snapshots = SpaceSnapshots(physics, pymunk_of(physics), "near")
    joint = physics.turn_limit((bodies, 0), (bodies, 1), 1, 2, bump=False)
    saved = snapshots._capture()
    joint.remove()
    run(physics, 1)
    snapshots._restore(saved)
    run(physics, 30)
    assert table.position[1] - table.position[0] == pytest.approx((1, 0.5), abs=0.1)


@only_pymunk
def test_a_joint_of_pymunk_needs_a_dynamic_body() -> None:
    physics = plane()
    table = rows_at((0, 0), (5, 0))
    bodies = physics.add(table, size=(1, 1), kind="kinematic")
    for target in ((bodies, 1), None):
        with pytest.raises(ValueError, match="pin: pymunk's joints need at least one dynamic body"):
            physics.pin((bodies, 0), target)
    assert simulation_of(physics).joints == []


@only_pymunk
def test_bodies_that_are_no_longer_at_a_finite_position_are_an_error() -> None:
    physics = plane()
    table = rows_at((0, 0), (5, 0), (9, 3))
    bodies = physics.add(table, size=(1, 1))
    bodies.velocity[:] = 1, 0
    run(physics, 1)
    before = table.position.copy(), table.angle.copy()
    bodies[1].velocity = math.nan, 0
    for _ in range(2):
        with pytest.raises(FrameworkError, match=r"^position: the physics engine .*nan.* row 1;"):
            run(physics, 1)
    assert np.array_equal(table.position, before[0])
    bodies[1].position = 5, 0
    bodies[1].velocity = 0, 0
    bodies[1].angular_velocity = 1e60
    with pytest.raises(FrameworkError, match=r"^angle: the physics engine .*e\+58 for row 1; very"):
        run(physics, 1)
    assert np.array_equal(table.angle, before[1])


@only_pymunk
def test_the_error_of_a_bad_state_after_an_empty_batch() -> None:
    physics = plane()
    physics.add(rows_at(), size=(1, 1))
    bodies = physics.add(rows_at((0, 0)), size=(1, 1))
    bodies[0].velocity = math.nan, 0
    match = r"^position: .*nan.* row 0; .* a number that the game has set on the body itself"
    with pytest.raises(FrameworkError, match=match):
        run(physics, 1)


@only_pymunk
def test_the_error_of_a_filter_comes_before_the_error_of_a_bad_state() -> None:
    def decide(contact: Any) -> bool:
        raise ZeroDivisionError

    physics, table, bodies = falling((0, 0.9), (50, 9), layer="crate")
    physics.filter_contacts("crate", "ground", decide)
    bodies[1].velocity = math.nan, 0
    before = table.position.copy()
    with pytest.raises(ZeroDivisionError):
        run(physics, 1)
    assert np.array_equal(table.position, before)
    with pytest.raises(FrameworkError, match=r"^position: "):
        run(physics, 1)


def test_a_joint_to_a_removed_wall_is_an_error() -> None:
    physics = plane()
    table = rows_at((0, 5))
    bodies = physics.add(table, size=(1, 1))
    wall = physics.add_line([(-5, 0), (5, 0)])
    other = plane().add_line([(-5, 0), (5, 0)])
    physics.pivot((bodies, 0), wall, (0, 0))
    wall.remove()
    with pytest.raises(ValueError, match=r"^second: .* got a removed wall"):
        physics.pivot((bodies, 0), wall, (0, 0))
    with pytest.raises(ValueError, match=r"^first: .* a wall of another world"):
        physics.pivot(other, (bodies, 0), (0, 0))
    with pytest.raises(ValueError, match=r"^second: .* bodies of another world"):
        plane().pivot(None, (bodies, 0), (0, 0))


def test_velocities_can_be_read_after_all_bodies_were_removed(make: Make) -> None:
    class Empty(fw.Game):
        def setup(self) -> None:
            self.physics = plane(self)
            self.crates = self.add(fw.SpriteBatch(solid(8, 8), 2))
            self.bodies = self.physics.add(self.crates)

    game = make(Empty, drawing=False)
    game.run_ticks(1)
    game.crates.clear()
    game.run_ticks(1)
    assert game.bodies.velocity.shape == (0, 2)
    assert game.bodies.angular_velocity.shape == (0,)


def test_queries_by_ray_point_and_area() -> None:
    physics, _table, _ = falling((0, 5), (10, 5), layer="crate")
    hits = physics.raycast([(-10, 5), (-10, 50), (0, 30)], [(50, 0), (50, 0), (0, -100)])
    assert hits[1] is None
    assert hits[0] is not None
    assert hits[2] is not None
    assert (hits[0].target.row, hits[0].point, hits[0].normal) == (
        0,
        pytest.approx((-1, 5)),
        pytest.approx((-1, 0)),
    )
    assert hits[0].fraction == pytest.approx(9 / 50)
    assert hits[2].target.row == 0
    through = physics.raycast((0, 30), (0, -100), layers=["ground"])
    assert through is not None
    assert through.target is simulation_of(physics).walls[0]
    assert [row.row for row in physics.query_point((10.5, 5.5))] == [1]
    assert physics.query_point((5, 5)) == []
    assert [row.row for row in physics.query_area((-2, 0), (20, 9), layers=["crate"])] == [0, 1]


def test_debug_lines_show_bodies_walls_and_joints() -> None:
    physics, _table, bodies = falling((0, 5))
    physics.pivot(None, (bodies, 0), (0, 8))
    physics.add(rows_at((50, 5)), shape="circle", radius=2, sensor=True)
    lines, colors = physics.debug_lines()
    assert lines.shape == (len(colors), 2, 2)
    assert lines[:, :, 0].min() == pytest.approx(-100, abs=1.01)
    assert len(np.unique(colors, axis=0)) == 4


def test_debug_lines_of_sensors_are_yellow() -> None:
    physics = plane()
    physics.add(rows_at((50, 5)), shape="circle", radius=2, sensor=True)
    assert np.unique(physics.debug_lines()[1], axis=0).tolist() == [[1.0, 0.9, 0.3, 1.0]]


def test_debug_lines_have_a_color_for_each_kind_of_body() -> None:
    physics = plane()
    physics.add(rows_at((0, 0)), size=(4, 4))
    physics.add(rows_at((20, 0)), size=(4, 4), kind="kinematic")
    physics.add(rows_at((40, 0)), size=(4, 4), kind="static")
    physics.add_line([(60, 0), (80, 0)], radius=1)
    lines, colors = physics.debug_lines()
    green = [0.4, 1.0, 0.5, 1.0]
    blue = [0.4, 0.6, 1.0, 1.0]
    assert np.unique(colors[lines[:, 0, 0] < 10], axis=0).tolist() == [green]
    assert np.unique(colors[lines[:, 0, 0] > 10], axis=0).tolist() == [blue]


def test_debug_lines_go_around_a_polygon_beside_its_position() -> None:
    physics = plane(gravity=(0, 0))
    corners = [(10, 10), (14, 10), (14, 13), (10, 13)]
    physics.add(rows_at((0, 0)), shape="polygon", points=corners)
    lines = physics.debug_lines()[0]
    assert sorted(np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1)) == pytest.approx([3, 3, 4, 4])
    assert sorted(map(tuple, lines[:, 0].round(3).tolist())) == sorted(corners)


@pytest.mark.parametrize("bump", [False, True])
def test_joined_bodies_collide_only_with_bump(bump: bool) -> None:
    physics = plane(gravity=(0, 0))
    table = rows_at((0, 0), (6, 0))
    bodies = physics.add(table, shape="circle", radius=5)
    options = {"bump": True} if bump else {}
    physics.pivot((bodies, 0), (bodies, 1), (3, 0), **options)
    for _ in range(60):
        physics.advance(1 / 60)
    touching = len(engine_of(physics).touching()) > 0
    assert touching == bump


def test_a_one_way_tile_works_equally_far_from_the_origin() -> None:
    final_positions = []
    for height_offset in (0, 5000):  # the result is the same everywhere in the world
        physics = plane(gravity=(0, 0))
        tiles = np.array([list("......"), list("------"), list("......")])
        grid = collide.TileGrid(tiles == "#", 16, one_way=tiles == "-", position=(0, height_offset))
        physics.add_static(grid)
        table = rows_at((48, height_offset + 8))
        bodies = physics.add(table, shape="box", size=(10, 4))
        bodies.velocity[0] = 0, 60
        bodies.angular_velocity[0] = 0.5
        for _ in range(60):
            physics.advance(1 / 60)
        final_positions.append((table.position[0] - (0, height_offset)).tolist())
    assert final_positions[0] == pytest.approx(final_positions[1], abs=1e-3)


def test_debug_lines_of_a_capsule_have_round_ends() -> None:
    physics = plane(gravity=(0, 0))
    table = rows_at((0, 0), (20, 0))
    physics.add(table, shape="capsule", size=(4, 10), rows=[0])
    physics.add(table, shape="capsule", size=(10, 4), rows=[1])
    starts, ends = physics.debug_lines()[0].swapaxes(0, 1)
    assert starts.min(axis=0).tolist() == pytest.approx([-2, -5])
    assert starts.max(axis=0).tolist() == pytest.approx([25, 5])
    for x, half in (
        (0, 3),
        (20, 0),
    ):  # each point is as far from the inner line as the radius
        near = starts[abs(starts[:, 0] - x) < 6]
        within = np.clip(near, (x - 3 + half, -half), (x + 3 - half, half))
        assert np.linalg.norm(near - within, axis=1) == pytest.approx(2)
    assert np.linalg.norm(ends - starts, axis=1).max() == pytest.approx(6)


@only_pymunk
def test_debug_lines_of_joints_are_at_their_anchors() -> None:
    physics, _table, bodies = falling((0, 5), (20, 5))
    shapes = len(physics.debug_lines()[0])
    physics.groove(None, (bodies, 0), (-30, 5), (30, 5))
    physics.gear((bodies, 0), (bodies, 1))
    physics.turn_limit((bodies, 0), None, -1, 1)  # draws nothing at (0, 0) of the world
    assert physics.debug_lines()[0][shapes:].tolist() == [[[-30, 5], [30, 5]], [[0, 5], [20, 5]]]


@only_pymunk
@pytest.mark.parametrize("ratio", [3, -0.5])
def test_a_gear_turns_the_second_body_by_the_ratio(ratio: float) -> None:
    physics = plane(gravity=(0, 0))
    table = rows_at((0, 0), (5, 0))
    bodies = physics.add(table, size=(1, 1))
    physics.gear((bodies, 0), (bodies, 1), ratio, 0.25)
    bodies.angular_velocity[0] = 1
    run(physics, 300)
    assert abs(table.angle[0]) > 0.3
    assert table.angle[1] == pytest.approx(ratio * table.angle[0] + 0.25, abs=0.01)


# -- snapshots -------------------------------------------------------------------------------------


class Heap(fw.Game):
    snapshots = "refuse"

    def setup(self) -> None:
        self.physics = fw.Physics2D(
            self, gravity=(0, -900), engine="pymunk", snapshots=self.snapshots
        )
        self.physics.add_line([(0, 0), (400, 0)])
        self.crates = self.add(fw.SpriteBatch(solid(20, 20), 5))
        self.crates.position[:] = [(200 + number, 11 + 20 * number) for number in range(5)]
        self.bodies = self.physics.add(self.crates)
        self.hold = self.physics.pivot(self.crates[0], None, (200, 11))


class Near(Heap):
    snapshots = "near"


@only_pymunk
def test_a_snapshot_of_pymunk_is_refused_by_default(make: Make) -> None:
    game = make(Heap, drawing=False)
    with pytest.raises(
        FrameworkError, match=r"contacts that it does not show.*play it again.*snapshots='near'"
    ):
        game.snapshot()
    report = fw.sync_test(Heap, ticks=20)
    assert not report.ok
    assert "contacts that it does not show" in report.reason


@only_pymunk
def test_near_snapshots_restore_poses_and_velocities(make: Make) -> None:
    game = make(Near, drawing=False)
    game.run_ticks(7)
    snapshot = game.snapshot()
    poses = game.crates.position.tolist(), game.crates.angle.tolist(), game.bodies.velocity.tolist()
    game.crates.remove(0)
    game.crates.add(position=(0, 300))
    game.run_ticks(50)
    assert game.hold.removed
    for _ in range(2):
        game.restore(snapshot)
        assert (
            game.crates.position.tolist(),
            game.crates.angle.tolist(),
            game.bodies.velocity.tolist(),
        ) == poses
        assert not game.hold.removed
        assert len(game.bodies) == 5
        game.run_ticks(50)
        assert len(game.physics.space.bodies) == 6
        assert len(game.physics.space.constraints) == 1
        assert game.crates.position[0].tolist() == pytest.approx([200, 11], abs=1)


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"shape": "blob"}, "shape: expected one of 'box'"),
        ({"size": (2, 0)}, "size: expected a finite number above 0"),
        ({"size": (2, math.nan)}, "size: expected a finite number"),
        ({"size": (2, 2), "mass": -1}, "mass: expected a finite number above 0"),
        ({"size": (2, 2), "mass": 0}, "mass: expected a finite number above 0"),
        ({"size": (2, 2), "mass": 1, "density": 1}, "a mass or a density, got both"),
        ({"size": (2, 2), "friction": -0.1}, "friction"),
        ({"size": (2, 2), "elasticity": math.inf}, "elasticity"),
        ({"size": (2, 2), "kind": "soft"}, "kind: expected one of"),
        ({"shape": "circle"}, "no images"),
        ({"shape": "circle", "size": (1, 1)}, "only 'box' and 'capsule'"),
        ({"shape": "circle", "radius": 0}, "radius"),
        ({"shape": "polygon"}, "needs its corners"),
        ({"shape": "polygon", "points": [(0, 0), (1, 1)]}, "three corners"),
        ({"shape": "polygon", "points": [(0, 0), (2, 2), (2, 0), (0, 2)]}, "does not cross itself"),
        ({"shape": "polygon", "points": [(0, 0), (2, math.nan), (2, 0)]}, "finite"),
        ({"shape": "box", "points": [(0, 0)]}, "points: only shape='polygon'"),
        ({"shape": "capsule", "radius": 2}, "its total"),
    ],
)
def test_bad_bodies_are_refused_and_none_is_added(options: dict[str, Any], words: str) -> None:
    physics = plane()
    table = rows_at((0, 0))
    with pytest.raises((ValueError, TypeError), match=words):
        physics.add(table, **options)
    assert not body_count(physics)
    physics.add(table, size=(2, 2))


def test_the_error_of_a_bad_row_names_it() -> None:
    physics = plane()
    with pytest.raises(ValueError, match=r"position: row 1 has \[nan, 0.0\]"):
        physics.add(rows_at((0, 0), (math.nan, 0)), size=(2, 2))
    flat = rows_at((0, 0), (0, 0))
    flat.scale[1] = 0, 1
    with pytest.raises(ValueError, match="the shape of row 1 would be 0 x 2"):
        physics.add(flat, size=(2, 2))
    table = rows_at((0, 0))
    bodies = physics.add(table, size=(2, 2))
    table.position[0, 0] = np.inf
    with pytest.raises(ValueError, match="position: row 0 has"):
        physics.advance(0.1)
    table.position[0, 0] = 0
    bodies.velocity[0] = math.nan, 0
    with pytest.raises(ValueError, match="velocity: row 0 has"):
        physics.advance(0.1)
    bodies.velocity = 0
    bodies.torque[0] = math.nan
    with pytest.raises(ValueError, match="torque: row 0 has"):
        physics.advance(0.1)
    bodies.torque = 0
    physics.advance(0.1)
    with pytest.raises(ValueError, match="impulse"):
        bodies.impulse((math.nan, 0))


def test_bodies_match_their_rows_right_after_a_removal() -> None:
    physics, table, bodies = falling((0, 1), (10, 1), (20, 1))
    run(physics, 1)
    table.remove([0])
    assert numbers_of(bodies[0])[0][0] == pytest.approx(10, abs=1e-3)
    table.remove([0])
    physics.pivot(None, (bodies, 0), (20, 3))
    assert numbers_of(bodies[0])[0][0] == pytest.approx(20, abs=1e-3)


def test_a_second_body_and_removed_bodies_are_errors() -> None:
    physics = plane()
    table = rows_at((0, 0), (10, 0))
    bodies = physics.add(table, [0], size=(1, 1))
    with pytest.raises(ValueError, match="have bodies already"):
        physics.add(table, size=(1, 1))
    with pytest.raises(ValueError, match="twice"):
        physics.add(table, [1, 1], size=(1, 1))
    physics.add(table, [1], size=(1, 1))
    with pytest.raises(ValueError, match="expected a row with a body, got 1"):
        bodies[1]
    physics.remove(bodies)
    with pytest.raises(ValueError, match="bodies that were removed"):
        physics.remove(bodies)
    assert body_count(physics) == 1
    physics.add(table, [0], size=(1, 1))


def test_bad_scenes_layers_walls_and_joints_are_errors() -> None:
    with pytest.raises(TypeError, match="scene: expected the scene or game"):
        plane(3)
    for options in (
        {"gravity": (0, math.nan)},
        {"rate": 0},
        {"rate": 1e9},
        {"substeps": 0},
        {"iterations": 0},
    ):
        with pytest.raises(ValueError, match=next(iter(options))):
            plane(**options)
    physics, _table, bodies = falling((0, 0), (5, 0))
    with pytest.raises(TypeError, match="batch: expected a batch of sprites"):
        physics.add(fw.Transforms3D())
    with pytest.raises(TypeError, match="tiles: expected a TileGrid"):
        physics.add_static(np.ones((2, 2), bool))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="two points"):
        physics.add_line([(0, 0)])
    with pytest.raises(ValueError, match="points that differ"):
        physics.add_line([(0, 0), (0, 0)])
    with pytest.raises(ValueError, match="for both ends"):
        physics.pivot(None, None, (0, 0))
    with pytest.raises(ValueError, match="a body other than first"):
        physics.pin((bodies, 0), (bodies, 0))
    with pytest.raises(TypeError, match="first: expected a handle"):
        physics.pin(3, None)
    with pytest.raises(ValueError, match="max_length"):
        physics.rope((bodies, 0), (bodies, 1), min_length=5, max_length=1)
    with pytest.raises(ValueError, match="strength"):
        physics.motor(None, (bodies, 0), 1, strength=0)
    assert not simulation_of(physics).joints
    engine = engine_of(physics)
    assert not (
        engine.space.constraints if _chosen["engine"] == "pymunk" else engine.world.impulse_joints
    )
    for number in range(30):
        physics.add_line([(0, 0), (1, 0)], layer=f"layer {number}")
    with pytest.raises(ValueError, match="32 already"):
        physics.add_line([(0, 0), (1, 0)], layer="one more")


def test_the_page_has_every_public_name() -> None:
    physics, _, bodies = falling((0, 0))
    wall = physics.add_line([(0, 0), (9, 0)])
    joint = physics.pivot(None, (bodies, 0), (0, 0))
    assert not names_missing_on_page(physics, bodies, wall, joint)


@only_pymunk
def test_without_pymunk_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "pymunk", None)
    engines.load_package.cache_clear()
    try:
        with pytest.raises(
            FrameworkError,
            match=r"Physics2D\(engine='pymunk'\) needs pymunk.*pip install 'subtick\[pymunk\]'",
        ):
            plane()
    finally:
        engines.load_package.cache_clear()
