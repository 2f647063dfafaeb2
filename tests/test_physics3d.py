"""Physics3D: bodies, grounds, contacts, joints, characters, vehicles and snapshots."""

from __future__ import annotations

import contextlib
import gc
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import ref

import numpy as np
import pytest
from glbs import moving
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import names_missing_on_page

import framework as fw
from framework.errors import FrameworkError
from framework.game.driven_game import driven
from framework.geometry import quaternions
from framework.physics import engines, moving_walls, rapier_bytes, rapier_engine
from framework.physics.bodysets import Bodies, set_of
from framework.physics.physics_world import simulation_of
from framework.state.rows import table_of

pytestmark = pytest.mark.usefixtures("no_open_game")

pytest.importorskip(
    "rapier3d", reason="rapier3d is not installed: pip install 'subtick[physics3d]'"
)

Make = Callable[..., Any]
Position = tuple[float, float, float]


def rows_at(*positions: Position) -> fw.Transforms3D:
    table = fw.Transforms3D()
    table.extend(len(positions))
    table.position[:] = positions or np.empty((0, 3))
    return table


def falling(*positions: Position, **options: Any) -> tuple[fw.Physics3D, Any, Bodies]:
    """Return boxes of 1 x 1 x 1 over a ground at height 0."""
    physics = fw.Physics3D()
    physics.add_floor(layer="ground")
    table = rows_at(*positions)
    return physics, table, physics.add(table, size=(1, 1, 1), **options)


def run(physics: fw.Physics3D, ticks: int) -> None:
    for _ in range(ticks):
        physics.advance(1 / 60)


@pytest.mark.parametrize("velocities", [False, True])
def test_bulk_reads_and_single_reads_are_equal(
    monkeypatch: pytest.MonkeyPatch, velocities: bool
) -> None:
    final_states = []
    bulk_reads = []
    unit_rotations = rapier_bytes.unit_rotations

    def count_read(rotations: Any) -> Any:
        bulk_reads.append(len(rotations))
        return unit_rotations(rotations)

    monkeypatch.setattr(rapier_engine, "unit_rotations", count_read)
    for bulk in (10_000, 0):
        monkeypatch.setattr(rapier_engine, "_BULK", bulk)
        assert not bulk_reads
        physics, rows, bodies = falling(
            *[(0.8 * (row % 6), row + 1, 0.4 * row) for row in range(30)]
        )
        doors = rows_at((3, 1, 3))
        door = physics.add(doors, size=(2, 2, 2), kind="kinematic")
        for tick in range(60):
            if velocities and tick == 3:
                assert bodies.velocity.shape == (30, 3)
            if tick % 7 == 3:
                rows.remove([tick % len(rows)])
            if tick % 9 == 4:
                rows.position[rows.extend(1)] = 1, 20, 1
            if tick == 30:
                bodies.velocity[:] += 1
            doors.rotation[0] = quaternions.from_axis((0, 1, 0), 0.05 * tick)
            run(physics, 1)
        columns = rows.position, rows.rotation, bodies.velocity, bodies.angular_velocity
        final_states.append([column.tobytes() for column in (*columns, doors.rotation)])
        assert len(door) == 1
    assert bulk_reads
    assert final_states[0] == final_states[1]


# -- poses -----------------------------------------------------------------------------------------


def test_a_falling_body_lands_and_sleeps() -> None:
    physics, table, bodies = falling((0, 5, 0))
    run(physics, 30)
    assert table.position[0, 1] == pytest.approx(5 - 9.81 * 0.5**2 / 2, abs=0.05)
    assert bodies.velocity[0].tolist() == pytest.approx([0, -9.81 / 2, 0], abs=0.01)
    run(physics, 300)
    assert table.position[0].tolist() == pytest.approx([0, 0.5, 0], abs=0.02)
    assert bodies.sleeping.tolist() == [True]


@settings(max_examples=max(15, settings().max_examples // 3))
@given(
    st.lists(
        st.tuples(st.sampled_from(["add", "remove", "run", "wake"]), st.integers(0, 7)), max_size=12
    )
)
def test_columns_agree_with_the_bodies_of_the_engine(steps: list[tuple[str, int]]) -> None:
    """Only awake bodies are read, so the steps include sleeping, waking, adding and removing."""
    physics, table, bodies = falling((0, 0.5, 0), (3, 0.5, 0), (6, 3, 0.2))
    second_table = rows_at((10, 1, 0), (10, 2.2, 0))
    second_bodies = physics.add(second_table, shape="ball", radius=0.5)
    for action, number in steps:
        if action == "add":
            row = table.extend(1)
            table.position[row] = (number * 3, 6, 0)
        elif action == "remove" and len(table):
            table.remove([number % len(table)])
        elif action == "wake" and len(table):
            bodies.impulse((1, 2, 0), [number % len(table)])
        else:
            run(physics, 20 * number)
        run(physics, 1)
        assert len(set_of(bodies).raw) == len(table) == len(bodies)
        for body_set, rows in ((bodies, table), (second_bodies, second_table)):
            engine_bodies = [body_set[row] for row in range(len(body_set))]
            poses = [
                body.translation.to_tuple() + body.rotation.to_tuple() for body in engine_bodies
            ]
            assert np.hstack([rows.position, rows.rotation]).tolist() == [
                list(pose) for pose in poses
            ]
            velocities = [body.linvel.to_tuple() + body.angvel.to_tuple() for body in engine_bodies]
            assert np.hstack([body_set.velocity, body_set.angular_velocity]).tolist() == [
                list(velocity) for velocity in velocities
            ]


def test_a_stack_of_ten_stands_for_a_minute() -> None:
    physics, table, _ = falling(*[(0, 0.5 + floor, 0) for floor in range(10)])
    run(physics, 3600)
    assert np.abs(table.position[:, [0, 2]]).max() < 0.1
    assert np.abs(table.position[:, 1] - np.arange(10) - 0.5).max() < 0.1


@pytest.mark.parametrize("is_between_ticks", [False, True])
def test_written_columns_move_the_body(is_between_ticks: bool) -> None:
    open_game: Any = fw.Game(drawing=False) if is_between_ticks else contextlib.nullcontext()
    with open_game:
        check_written_columns()


def check_written_columns() -> None:
    physics, table, bodies = falling((0, 0.5, 0), (5, 0.5, 0))
    run(physics, 200)
    assert bodies.sleeping.all()
    table.position[1] = 20, 9, 0
    turned = quaternions.from_vectors(np.array([[0, 1.0, 0]]))
    table.rotation[1] = turned[0]
    run(physics, 1)
    assert table.position[1].tolist() == pytest.approx([20, 9, 0], abs=0.01)
    assert table.rotation[1].tolist() == pytest.approx(turned[0].tolist(), abs=0.01)
    bodies.velocity[1] = 0, 60, 0
    run(physics, 1)
    assert table.position[1, 1] == pytest.approx(10, abs=0.02)
    bodies.velocity = (0, 0, 0)
    bodies.angular_velocity[1] = 0, 6, 0
    run(physics, 1)
    turned = quaternions.from_vectors(np.array([[0, 1.1, 0]]))
    assert table.rotation[1].tolist() == pytest.approx(turned[0].tolist(), abs=0.01)


class Heap(fw.Game):
    """Boxes that fall on hills, some of which the game removes, and a car that drives."""

    def setup(self) -> None:
        self.physics = fw.Physics3D(self, rate=120)
        hills = fw.Heightfield(np.sin(np.arange(21))[:, None] * np.cos(np.arange(21)), 2.0)
        self.physics.add_static(hills, layer="ground")
        self.boxes = self.add(fw.MeshBatch(fw.Mesh.cube(), 20))
        self.boxes.position[:] = self.random.uniform((-8, 3, -8), (8, 20, 8), (20, 3))
        self.bodies = self.physics.add(self.boxes, layer="box")
        self.car = self.add(fw.MeshBatch(fw.Mesh.box((1.6, 0.5, 3)))).add(position=(0, 25, 0))
        self.physics.add(self.car, mass=200)
        corners = [(-0.8, -0.1, 1), (0.8, -0.1, 1), (-0.8, -0.1, -1), (0.8, -0.1, -1)]
        self.vehicle = self.physics.vehicle(self.car, corners)
        self.met = 0

    def update(self, dt: float) -> None:
        self.vehicle.drive(400)
        self.vehicle.steer(0.3 * math.sin(self.tick / 20))
        self.met += len(self.physics.entered("box", "ground")) + len(
            self.physics.exited("box", "box")
        )
        self.physics.raycast((0, 30, 0), (0, -60, 0))
        if self.tick % 50 == 0 and len(self.boxes) > 3:
            self.boxes[int(self.random.integers(len(self.boxes)))].remove()
            self.bodies.impulse((0, 5, 0), [0])


def test_a_closed_game_is_freed_with_its_bodies() -> None:
    """Python's garbage collector cannot look into Rapier's world, so this must not keep the game."""
    game = Heap(drawing=False, seed=4)
    game.physics.filter_contacts("box", "ground", lambda contact: True)
    game.run_ticks(15)
    references = [ref(game), ref(driven(game).stage), ref(game.boxes), ref(game.physics)]
    game.close()
    del game
    gc.collect()
    assert [reference() for reference in references] == [None] * 4


_RUN = "from test_physics3d import Heap\nwith Heap(headless=True, drawing=False, seed=4) as game:\n"


def test_two_runs_are_equal_in_two_processes(make: Make) -> None:
    folder = Path(__file__).parent
    process = subprocess.run(
        [sys.executable, "-c", f"{_RUN}    game.run_ticks(300)\n    print(game.state_hash())"],
        capture_output=True,
        text=True,
        cwd=folder.parent,
        timeout=120,
        env={**__import__("os").environ, "PYTHONPATH": f"{folder}:{folder.parent}"},
    )
    game = make(Heap, drawing=False, seed=4)
    game.run_ticks(300)
    assert game.met > 10
    assert process.stdout == f"{game.state_hash()}\n", process.stderr


def test_a_restored_game_continues_exactly(make: Make) -> None:
    game = make(Heap, drawing=False, seed=1)
    game.run_ticks(90)
    snapshot = game.snapshot()
    final_hashes = []
    for _ in range(2):
        game.run_ticks(120)
        final_hashes.append(game.state_hash())
        game.restore(snapshot)
    assert final_hashes[0] == final_hashes[1]


def test_the_sync_test_finds_no_difference() -> None:
    fw.sync_test(Heap, ticks=60, check_distance=6).check()


def test_rewind_restores_positions(make: Make) -> None:
    game = make(Heap, drawing=False)
    game.recording.rewind = fw.Rewind(duration=2)
    game.run_ticks(60)
    positions_at_60 = game.boxes.position.copy()
    game.run_ticks(30)
    game.recording.rewind.seek(60)
    assert (game.boxes.position == positions_at_60).all()


def test_poses_are_drawn_between_ticks(make: Make) -> None:
    class Slides(fw.Game):
        def setup(self) -> None:
            self.physics = fw.Physics3D(self, gravity=(0, 0, 0))
            self.puck = self.add(fw.MeshBatch(fw.Mesh.cube())).add()
            self.physics.add(self.puck).velocity = (60, 0, 0)

    game = make(Slides, tick_rate=60)
    game.run_ticks(5)
    assert game.puck.drawn_position(0.5)[0] == pytest.approx(4.5)


def test_rows_of_a_model_batch_can_have_bodies(make: Make, tmp_path: Path) -> None:
    model = fw.Model(moving().glb(tmp_path / "arm.glb"))

    class Models(fw.Game):
        def setup(self) -> None:
            self.physics = fw.Physics3D(self)
            self.physics.add_floor()
            self.arms = self.add(fw.ModelBatch(model))
            self.physics.add(self.arms, size=(2, 2, 1))
            for number in range(3):
                self.arms.add(position=(number * 10, 9, 0))

        def update(self, dt: float) -> None:
            if self.tick == 20:
                self.arms[0].remove()

    game = make(Models, drawing=False)
    game.run_ticks(30)
    assert game.arms.position[:, 0].tolist() == pytest.approx([10, 20], abs=0.5)
    assert game.arms.position[:, 1].max() < 8.5


# -- kinds of bodies -------------------------------------------------------------------------------


def test_a_kinematic_body_moves_to_its_position_and_pushes() -> None:
    physics = fw.Physics3D(gravity=(0, 0, 0))
    pusher = rows_at((0, 0, 0))
    pushed = rows_at((2, 0, 0))
    physics.add(pusher, size=(1, 1, 1), kind="kinematic")
    physics.add(pushed, size=(1, 1, 1))
    for tick in range(60):
        pusher.position[0, 0] += 0.05
        pusher.rotation[0] = quaternions.from_vectors(np.array([[0.01 * tick, 0, 0]]))[0]
        run(physics, 1)
    assert pusher.position[0].tolist() == pytest.approx([3, 0, 0], abs=1e-3)
    assert quaternions.to_vectors(pusher.rotation)[0].tolist() == pytest.approx(
        [0.59, 0, 0], abs=1e-3
    )
    assert pushed.position[0, 0] > 3.9
    run(physics, 10)
    assert pusher.position[0].tolist() == pytest.approx([3, 0, 0], abs=1e-3)


@pytest.mark.parametrize("shape", ["box", "ball", "capsule", "hull", "mesh"])
def test_a_kinematic_body_turns_about_its_position(shape: str) -> None:
    physics = fw.Physics3D()
    mesh = fw.Mesh.box((1, 3, 1)).transformed(position=(5, 1.5, 0))
    doors = fw.MeshBatch(mesh, 1)
    doors.scale = 0.8
    crate = rows_at((4, 1, 1.5))
    bodies = physics.add(doors, shape=shape, kind="kinematic")
    pushed = physics.add(crate, size=(1, 1, 1), gravity_scale=0)
    for _ in range(8):
        turned = quaternions.from_vectors(np.array([(0, -0.1, 0)]))
        doors.rotation[0] = quaternions.multiply(turned, doors.rotation)[0]
        run(physics, 1)
        assert doors.position[0].tolist() == pytest.approx([0, 0, 0], abs=1e-4)
    # The door of 4 meters turns at 6 radians per second.
    assert 15 < np.linalg.norm(pushed.velocity[0]) < 35
    bodies.angular_velocity = 1, 2, 3
    run(physics, 30)
    assert doors.position[0].tolist() == pytest.approx([0, 0, 0], abs=1e-3)


@pytest.mark.parametrize("substeps", [1, 3])
def test_a_kinematic_body_arrives_exactly_at_any_distance(substeps: int) -> None:
    physics = fw.Physics3D(substeps=substeps)
    doors = rows_at((0, 0, 0))
    physics.add(doors, size=(1, 1, 1), kind="kinematic")
    for position, turn in (((0.1, 0, 0), 0.1), ((900.5, -80, 3), 3.0), ((1.3, 2.7, 1e5), 1.7)):
        rotation = quaternions.from_vectors(np.array([(0, turn, 0)]))[0]
        doors.position[0] = position
        doors.rotation[0] = rotation
        run(physics, 1)
        assert doors.position[0].tolist() == np.float32(position).tolist()
        assert doors.rotation[0] == pytest.approx(rotation, abs=1e-6)
        run(physics, 2)
        assert doors.position[0].tolist() == np.float32(position).tolist()


@pytest.mark.parametrize("kind", ["static", "kinematic"])
def test_small_balls_stop_at_a_thin_wall(kind: str) -> None:
    for speed in (20, 400) if kind == "static" else (20, 100):
        physics = fw.Physics3D()
        physics.add(rows_at((0, 0, 0)), size=(0.02, 20, 20), kind=kind)
        outward = np.stack([np.ones(20), np.linspace(-1, 1, 20), np.full(20, 0.3)], axis=1)
        outward /= np.linalg.norm(outward, axis=1)[:, None]
        balls = rows_at(*(np.linspace((0, -6, 0), (0, 6, 0), 20) - 4 * outward))
        physics.add(balls, shape="ball", radius=0.05).velocity = speed * outward
        run(physics, int(np.ceil(6 / speed * 60)) + 2)
        assert balls.position[:, 0].max() < 0


SLAB = fw.Mesh.box((0.1, 3, 3))
MOVING_SHAPES: dict[str, dict[str, Any]] = {
    "box": {"size": (0.1, 3, 3)},
    "hull": {"mesh": SLAB},
    "mesh": {"mesh": SLAB},
    "capsule": {"size": (0.2, 3, 0.2)},
    "cylinder": {"size": (0.2, 3, 0.2)},
    "cone": {"size": (0.2, 3, 0.2)},
    "ball": {"radius": 0.15},
}


@pytest.mark.parametrize("shape", MOVING_SHAPES)
def test_no_ball_passes_a_moving_thin_wall(shape: str) -> None:
    """72 balls, each of them against a wall that moves towards the ball."""
    lanes = np.column_stack([np.zeros((72, 2)), 10.0 * np.arange(72)])
    wall_speeds = np.repeat([2.0, 8, 25], 24)
    speeds = np.tile([0.0, 10, 50, 200], 18)
    physics = fw.Physics3D(gravity=(0, 0, 0))
    walls = rows_at(*lanes)
    balls = rows_at(*lanes)
    balls.position[:, 0] = -np.random.default_rng(5).uniform(1, 3, 72)
    bodies = physics.add(walls, kind="kinematic", shape=shape, **MOVING_SHAPES[shape])
    bodies.velocity[:, 0] = -wall_speeds
    added = physics.add(balls, shape="ball", radius=0.08, layer="ball", hits=["default"])
    added.velocity[:, 0] = speeds
    flat = shape in ("box", "hull", "mesh")
    for _ in range(20):
        run(physics, 1)
        distances = balls.position - walls.position
        beside = np.abs(distances[:, 1:]).max(axis=1) > (1.5 if flat else 0.05)
        assert ((distances[:, 0] < 0.02) | beside).all()


def test_no_ball_passes_a_rotating_blade() -> None:
    """A turning and rising blade sweeps balls on both sides; some of them fly towards the blade."""
    physics = fw.Physics3D(gravity=(0, 0, 0))
    blade = rows_at((0, 0, 0))
    physics.add(blade, kind="kinematic", size=(0.06, 6, 4))
    angles = np.linspace(0, 2 * np.pi, 30, endpoint=False) + 0.05
    outward = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(30)])
    balls = rows_at(*(2.0 * outward + (0, 0, 0.3)))
    bodies = physics.add(balls, shape="ball", radius=0.05, layer="ball", hits=["default"])
    bodies.velocity = np.tile([-20.0, 0, 3], 10)[:, None] * outward

    def local() -> Any:
        backwards = quaternions.conjugate(blade.rotation.astype(np.float64))
        return quaternions.rotate(backwards, balls.position - blade.position)

    before = local()
    for _ in range(40):
        turn = quaternions.from_axis((0, 0, 1), 25 / 60)
        blade.rotation[0] = quaternions.multiply(turn, blade.rotation[0])
        blade.position[0, 2] += 0.5 / 60
        run(physics, 1)
        now = local()
        crossed = (before[:, 0] < 0) != (now[:, 0] < 0)
        share = before[:, 0] / np.where(crossed, before[:, 0] - now[:, 0], 1)
        crossing = before + share[:, None] * (now - before)
        inside = (np.abs(crossing[:, 1]) < 2.9) & (np.abs(crossing[:, 2]) < 1.9)
        assert not (crossed & inside).any()
        before = now


def test_bodies_without_contact_pass_a_moving_wall() -> None:
    """Bodies of other layers, sensors, joined bodies and filtered bodies pass the wall."""
    physics = fw.Physics3D(gravity=(0, 0, 0))
    walls = rows_at(*[(0, 0, 10 * row) for row in range(5)])
    bodies = physics.add(walls, kind="kinematic", size=(0.1, 3, 3))
    bodies.velocity = -20, 0, 0
    balls = rows_at(*[(-2, 0, 10 * row) for row in range(5)])
    options: dict[str, Any] = {"shape": "ball", "radius": 0.1}
    physics.add(balls, [0], layer="ghost", hits=["ghost"], **options)
    physics.add(balls, [1], layer="default", sensor=True, kind="dynamic", **options)
    joined = physics.add(balls, [2], layer="default", **options)
    physics.add(balls, [3], layer="soft", **options)
    physics.add(balls, [4], layer="default", **options)
    physics.rope((bodies, 2), (joined, 2), max_length=900, bump=False)
    physics.filter_contacts("soft", "default", lambda contact: False)
    run(physics, 12)
    assert (balls.position[:, 0] > walls.position[:, 0]).tolist() == [True] * 4 + [False]


def test_teleports_push_no_bodies() -> None:
    """The game moves a ball through a moving wall, and a wall over two balls."""
    physics = fw.Physics3D(gravity=(0, 0, 0))
    walls = rows_at((0, 0, 0), (0, 0, 50))
    balls = rows_at((-2, 0, 0), (-2, 0, 50), (-9, 0, 50))
    physics.add(walls, kind="kinematic", size=(0.4, 6, 6)).velocity = [(-1, 0, 0), (0, 0, 0)]
    physics.add(balls, shape="ball", radius=0.2)
    run(physics, 3)
    balls.position[0] = 4, 0, 0
    walls.position[1] = -20, 0, 50
    run(physics, 1)
    assert balls.position.tolist() == [[4, 0, 0], [-2, 0, 50], [-9, 0, 50]]


def test_a_crusher_pushes_no_ball_through_the_floor() -> None:
    physics = fw.Physics3D()
    physics.add_floor()
    balls = rows_at((-1, 0.2, 0), (1, 0.2, 0))
    crusher = rows_at((0, 1.5, 0))
    physics.add(balls, shape="ball", radius=0.2)
    bodies = physics.add(crusher, kind="kinematic", size=(4, 0.05, 4))
    for _ in range(60):
        bodies.velocity = 0, (-6 if crusher.position[0, 1] > 0.2 else 0), 0
        run(physics, 1)
    assert balls.position[:, 1].min() > 0


def test_sides_of_a_moving_wall_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    physics = fw.Physics3D()
    physics.add(rows_at((0, 0, 0)), kind="kinematic", shape="mesh", mesh=SLAB)
    run(physics, 1)
    monkeypatch.setattr(moving_walls, "_sides_of_part", None)
    physics.add(rows_at((0, 9, 0)), size=(1, 1, 1))
    run(physics, 1)


class Blade(fw.Game):
    """A thin blade that sweeps through balls."""

    def setup(self) -> None:
        self.physics = fw.Physics3D(self, gravity=(0, 0, 0))
        self.blade = rows_at((0, 0, 0))
        self.physics.add(self.blade, kind="kinematic", size=(6, 0.06, 3))
        self.balls = rows_at(*[(row / 2 - 2.75, 1, 0) for row in range(12)])
        self.physics.add(self.balls, shape="ball", radius=0.1, layer="ball", hits=["default"])

    def update(self, dt: float) -> None:
        turn = quaternions.from_axis((0, 0, 1), 20 * dt)
        self.blade.rotation[0] = quaternions.multiply(turn, self.blade.rotation[0])
        self.blade.position[0, 1] += 6 * dt


def test_bodies_in_front_of_a_sweeping_blade_are_restored() -> None:
    fw.sync_test(Blade, ticks=25).check()


def test_a_static_body_supports_others_and_can_be_moved() -> None:
    physics = fw.Physics3D()
    shelf = rows_at((0, 0, 0))
    ball = rows_at((0, 1, 0))
    physics.add(shelf, size=(4, 1, 4), kind="static")
    bodies = physics.add(ball, shape="ball", radius=0.5)
    run(physics, 120)
    assert ball.position[0, 1] == pytest.approx(1, abs=0.02)
    shelf.position[0] = 50, 0, 0
    run(physics, 60)
    assert ball.position[0, 1] < -2
    assert not bodies.sleeping.any()


def test_mass_density_and_fixed_rotation() -> None:
    physics = fw.Physics3D(gravity=(0, 0, 0))
    light, heavy, firm = (rows_at((x, 0, 0)) for x in (0, 50, 100))
    assert physics.add(light, size=(1, 2, 3))[0].mass == pytest.approx(1)
    assert physics.add(heavy, size=(1, 2, 3), density=4)[0].mass == pytest.approx(24)
    bodies = physics.add(firm, size=(1, 2, 3), mass=7, fixed_rotation=True)
    bodies.impulse((7, 0, 0), point=(100, 1, 1))
    run(physics, 60)
    assert firm.rotation[0].tolist() == [0, 0, 0, 1]
    assert firm.position[0, 0] == pytest.approx(101, abs=0.01)


def test_forces_act_until_the_next_write() -> None:
    physics = fw.Physics3D(gravity=(0, 0, 0), substeps=2)
    table = rows_at((0, 0, 0), (10, 0, 0))
    bodies = physics.add(table, shape="ball", radius=1, mass=2)
    bodies.force[0] = 4, 0, 0
    bodies.torque[1] = 0, 0.8, 0
    run(physics, 60)
    assert bodies.velocity[0].tolist() == pytest.approx([2, 0, 0], abs=1e-3)
    assert bodies.angular_velocity[1].tolist() == pytest.approx([0, 1, 0], abs=1e-3)
    bodies.force = (0, 0, 0)
    run(physics, 60)
    assert bodies.velocity[0].tolist() == pytest.approx([2, 0, 0], abs=1e-3)


SHAPES = [
    ({"shape": "box"}, 0.5),
    ({"shape": "ball"}, 0.5),
    ({"shape": "capsule"}, 0.5),
    ({"shape": "cylinder"}, 0.5),
    ({"shape": "cone"}, 0.5),
    ({"shape": "hull"}, 0.5),
    ({"shape": "box", "size": (1, 4, 1)}, 2),
    ({"shape": "ball", "radius": 2}, 2),
]


@pytest.mark.parametrize(("options", "height"), SHAPES)
def test_every_shape_rests_on_the_floor_at_half_its_height(
    make: Make, options: dict[str, Any], height: float
) -> None:
    class Lies(fw.Game):
        def setup(self) -> None:
            self.physics = fw.Physics3D(self)
            self.physics.add_floor()
            self.batch = self.add(fw.MeshBatch(fw.Mesh.cube(), 1))
            self.batch.position[0, 1] = height + 0.01
            self.physics.add(self.batch, fixed_rotation=True, **options)

    game = make(Lies, drawing=False)
    game.run_ticks(60)
    assert game.batch.position[0, 1] == pytest.approx(height, abs=0.02)


def test_heightfields_and_meshes_support_bodies() -> None:
    physics = fw.Physics3D()
    hills = fw.Heightfield(np.sin(np.arange(11))[:, None] * np.cos(np.arange(11)), 2.0)
    wall = physics.add_static(hills)
    physics.add_static(fw.Mesh.plane((4, 4)), (100, 3, 0))
    table = rows_at((1.3, 4, 2.1), (100, 6, 0))
    physics.add(table, shape="ball", radius=0.25, friction=2)
    for _ in range(120):
        run(physics, 1)
        ball = table.position[:1]
        if hills.contains(ball).all():
            assert ball[0, 1] > hills.height_at(ball)[0]
    assert table.position[1, 1] == pytest.approx(3.25, abs=0.02)
    assert table.position[0, 1] < 3
    wall.remove()
    run(physics, 120)
    assert table.position[0, 1] < -5


# -- contacts, queries, joints ---------------------------------------------------------------------


def test_entered_staying_and_exited_report_contacts_by_layer() -> None:
    physics = fw.Physics3D(gravity=(0, 0, 0))
    gate = rows_at((5, 0, 0))
    ball = rows_at((0, 0, 0))
    physics.add(gate, size=(2, 2, 2), kind="static", sensor=True, layer="gate")
    bodies = physics.add(ball, shape="ball", radius=0.5, layer="ball")
    bodies.velocity = (12, 0, 0)
    log = []
    for _ in range(60):
        run(physics, 1)
        for event in ("entered", "staying", "exited"):
            log += [
                event
                for first, second in getattr(physics, event)("ball", "gate")
                if (first.batch, second.batch) == (ball, gate)
            ]
    assert log[0] == "entered"
    assert log[-1] == "exited"
    assert set(log[1:-1]) == {"staying"}
    assert len(log) == pytest.approx(3 / 12 * 60, abs=3)


def test_sleeping_bodies_still_touch_and_other_layers_pass() -> None:
    physics, table, bodies = falling((0, 0.5, 0), layer="box")
    exited_count = 0
    for _ in range(200):
        run(physics, 1)
        exited_count += len(physics.exited("box", "ground"))
    assert bodies.sleeping.all()
    assert not exited_count
    assert len(physics.staying("box", "ground")) == 1
    assert physics.touching_rows(bodies, bodies).tolist() == []
    ghost = rows_at((9, 0.5, 0))
    physics.add(ghost, size=(1, 1, 1), hits=["box"])
    run(physics, 60)
    assert ghost.position[0, 1] < -1
    table.remove([0])
    run(physics, 1)
    assert physics.exited("box", "ground") == [(None, simulation_of(physics).walls[0])]


def test_queries_by_ray_point_and_area() -> None:
    physics, table, _ = falling((0, 5, 0), (10, 5, 0), layer="box")
    hits = physics.raycast(
        [(-10, 5, 0), (-10, 50, 0), (0, 30, 0)], [(50, 0, 0), (50, 0, 0), (0, -100, 0)]
    )
    assert hits[1] is None
    assert hits[0] is not None
    assert hits[2] is not None
    assert hits[0].target.row == 0
    assert hits[0].point == pytest.approx((-0.5, 5, 0))
    assert hits[0].normal == pytest.approx((-1, 0, 0), abs=1e-5)
    through = physics.raycast((0, 30, 0), (0, -100, 0), layers=["ground"])
    assert through is not None
    assert through.target is simulation_of(physics).walls[0]
    assert [row.row for row in physics.query_point((10.3, 5, 0))] == [1]
    assert physics.query_point((5, 5, 0)) == []
    assert [row.row for row in physics.query_area((-2, 1, -2), (20, 9, 2))] == [0, 1]
    table.position[0] = 3, 5, 0
    run(physics, 1)
    assert [row.row for row in physics.query_area((2.9, 4, -2), (20, 9, 2))] == [0, 1]


def test_debug_lines_show_bodies_walls_and_joints() -> None:
    physics, _, bodies = falling((0, 5, 0))
    physics.ball(None, (bodies, 0), (0, 8, 0))
    lines, colors = physics.debug_lines()
    assert len(lines) == len(colors) > 12
    assert lines.shape[1:] == (2, 3)
    assert colors.shape[1:] == (4,)


def test_joints_hold_and_are_removed_with_their_bodies() -> None:
    physics = fw.Physics3D()
    table = rows_at(
        (2, 0, 0), (4, 0, 0), (20, 0, 0), (30, 0, 0), (40, 0, 0), (42, 0, 0), (50, 0, 0)
    )
    bodies = physics.add(table, shape="ball", radius=0.5)
    physics.ball(None, (bodies, 0), (0, 0, 0))
    rod = physics.ball((bodies, 0), (bodies, 1), (3, 0, 0))
    physics.spring(None, (bodies, 2), (20, 10, 0), length=5, stiffness=20, damping=1)
    hinge = physics.hinge(None, (bodies, 3), (30, 0, 0), (0, 1, 0), limits=(-1, 1))
    hinge.drive(3)
    lift = physics.slider(None, (bodies, 4), (0, 1, 0), limits=(0, 2))
    lift.drive(1)
    physics.fix((bodies, 4), (bodies, 5))
    physics.rope(None, (bodies, 6), (50, 0, 0), max_length=3)
    for _ in range(200):
        run(physics, 1)
        assert np.linalg.norm(table.position[0]) == pytest.approx(2, abs=0.15)
        assert np.linalg.norm(table.position[1] - table.position[0]) < 2.15
    assert table.position[2, 1] == pytest.approx(10 - 5 - 0.5, abs=1)
    assert quaternions.to_vectors(table.rotation[3:4])[0].tolist() == pytest.approx(
        [0, 1, 0], abs=0.1
    )
    assert table.position[4].tolist() == pytest.approx([40, 2, 0], abs=0.1)
    assert table.position[5].tolist() == pytest.approx([42, 2, 0], abs=0.1)
    assert table.position[6, 1] == pytest.approx(-3, abs=0.1)
    assert "slider" in repr(lift)
    with pytest.raises(ValueError, match="has no motor"):
        rod.drive(1)
    table.remove([1])
    run(physics, 1)
    assert rod.removed
    hinge.remove()
    with pytest.raises(ValueError, match="removed already"):
        hinge.remove()
    assert len(simulation_of(physics).joints) == len(physics.world.impulse_joints) == 5


# -- characters and vehicles -----------------------------------------------------------------------


def test_a_character_climbs_stairs_slides_along_walls_and_falls() -> None:
    physics = fw.Physics3D()
    physics.add_floor()
    stairs = rows_at(*[(2 + number, 0.1 + 0.2 * number, 0) for number in range(3)])
    walls = rows_at((7, 2, 0))
    stair_bodies = physics.add(stairs, size=(1, 0.2, 4), kind="static")
    physics.add(walls, size=(1, 4, 10), kind="static")
    hero = rows_at((0, 0.95, 0))
    bodies = physics.add(hero, shape="capsule", size=(0.6, 1.8, 0.6), kind="kinematic")
    walker = physics.character((bodies, 0))
    heights = []
    for _ in range(200):
        walker.move((3 / 60, -0.1, 0.2 / 60), 1 / 60)
        run(physics, 1)
        heights.append(float(hero.position[0, 1]))
    assert max(heights) > 1.4
    assert heights[-1] == pytest.approx(0.91, abs=0.05)
    assert walker.on_floor
    x, _, z = hero.position[0].tolist()
    assert x == pytest.approx(7 - 0.5 - 0.3, abs=0.05)
    assert z == pytest.approx(0.2 * 200 / 60, abs=0.1)
    with pytest.raises(ValueError, match="kind='kinematic'"):
        physics.character((stair_bodies, 0))


@pytest.mark.parametrize("displacement", [(0, -0.1, 0), (0, 0, 0), (0.01, 0, 0), (0, -1e-6, 0)])
def test_a_character_over_a_floor_does_not_rise(
    displacement: tuple[float, float, float],
) -> None:
    physics = fw.Physics3D()
    physics.add_floor()
    heroes = rows_at((0, 3, 0), (5, 0.91, 0))
    bodies = physics.add(heroes, shape="capsule", size=(0.6, 1.8, 0.6), kind="kinematic")
    high, low = (physics.character((bodies, row)) for row in (0, 1))
    for _ in range(10):
        high.move(displacement, 1 / 60)
        low.move(displacement, 1 / 60)
        run(physics, 1)
    assert heroes.position[0, 1] == pytest.approx(3 + 10 * displacement[1], abs=0.01)
    assert heroes.position[1, 1] == pytest.approx(0.91, abs=0.01)
    assert (high.on_floor, low.on_floor) == (False, True)


def test_a_character_falls_when_its_floor_moves_away() -> None:
    physics = fw.Physics3D()
    floors = rows_at((0, -0.5, 0))
    floor = physics.add(floors, size=(4, 1, 4), kind="kinematic")
    heroes = rows_at((0, 0.91, 0))
    bodies = physics.add(heroes, shape="capsule", size=(0.6, 1.8, 0.6), kind="kinematic")
    walker = physics.character((bodies, 0))
    for _ in range(5):
        walker.move((0, -0.1, 0), 1 / 60)
        run(physics, 1)
    assert walker.on_floor
    floors.position[0] = 50, 0, 0
    run(physics, 2)
    for _ in range(5):
        walker.move((0, -0.1, 0), 1 / 60)
        run(physics, 1)
    assert not walker.on_floor
    assert heroes.position[0, 1] == pytest.approx(0.91 - 0.5, abs=0.1)
    assert floor is not None


def test_a_car_drives_steers_and_brakes() -> None:
    physics = fw.Physics3D()
    physics.add_floor(friction=1)
    chassis = rows_at((0, 1, 0))
    bodies = physics.add(chassis, size=(1.6, 0.5, 3), mass=200)
    car = physics.vehicle(
        (bodies, 0), [(-0.8, -0.1, 1), (0.8, -0.1, 1), (-0.8, -0.1, -1), (0.8, -0.1, -1)]
    )
    run(physics, 60)
    positions, turns = car.poses()
    assert positions[:, 1].tolist() == pytest.approx([0.35] * 4, abs=0.1)
    assert turns.shape == (4, 4)
    car.drive(200)
    run(physics, 120)
    assert chassis.position[0, 2] > 4
    assert car.speed > 4
    car.steer(0.3)
    run(physics, 30)
    assert chassis.position[0, 0] > 0.1  # to the left of +z, seen from above
    car.drive(0)
    car.brake(1200)
    run(physics, 240)
    assert abs(car.speed) < 0.3
    with pytest.raises(ValueError, match="wheels"):
        car.drive(1, [4])


def test_hinges_and_sliders_keep_the_rotation_of_bodies() -> None:
    physics = fw.Physics3D(gravity=(0, 0, 0))
    table = rows_at((0, 0, 0), (10, 0, 0), (20, 0, 0))
    turns = np.array([(0, 1, 0), (0.5, 0.3, 0.2), (0, 1, 0)])
    table.rotation[:] = quaternions.from_vectors(turns)
    bodies = physics.add(table, size=(1, 1, 1))
    physics.slider(None, (bodies, 0), (0, 1, 0))
    physics.slider((bodies, 0), (bodies, 1), (1, 2, 3))
    door = physics.hinge(None, (bodies, 2), (20, 0, 0), (0, 1, 0), limits=(-0.2, 0.5))
    run(physics, 30)
    assert quaternions.to_vectors(table.rotation) == pytest.approx(turns, abs=0.01)
    for speed, angle in ((3, 1.5), (-3, 0.8)):  # limits count from the first rotation
        door.drive(speed)
        run(physics, 60)
        assert quaternions.to_vectors(table.rotation[2:])[0] == pytest.approx(
            [0, angle, 0], abs=0.02
        )


@pytest.mark.parametrize("substeps", [1, 4])
def test_the_effect_of_a_brake_does_not_depend_on_substeps(substeps: int) -> None:
    physics = fw.Physics3D(substeps=substeps)
    physics.add_floor()
    bodies = physics.add(rows_at((0, 0.8, 0)), size=(1.6, 0.5, 3), mass=200)
    car = physics.vehicle(
        (bodies, 0), [(-0.8, -0.1, 1), (0.8, -0.1, 1), (-0.8, -0.1, -1), (0.8, -0.1, -1)]
    )
    run(physics, 60)
    car.drive(400)
    run(physics, 60)
    speed = car.speed
    # four wheels push a mass of 200 with a force of 400 each
    assert speed == pytest.approx(8, rel=0.1)
    car.drive(0)
    car.brake(200)
    run(physics, 60)
    assert car.speed == pytest.approx(speed - 4, abs=0.5)


def test_a_vehicle_without_chassis_raises_an_error() -> None:
    physics = fw.Physics3D()
    chassis = rows_at((0, 1, 0), (9, 1, 0))
    bodies = physics.add(chassis, size=(1.6, 0.5, 3))
    car, second_car = (
        physics.vehicle((bodies, row), [(-0.8, -0.1, 1), (0.8, -0.1, 1)]) for row in (0, 1)
    )
    run(physics, 1)
    table_of(chassis).drop([0])
    for call in (
        lambda: car.drive(1),
        lambda: car.steer(1),
        lambda: car.brake(1),
        car.poses,
        lambda: car.speed,
    ):
        with pytest.raises(ValueError, match="vehicle: its chassis was removed; make a new one"):
            call()
    assert car.removed
    assert not second_car.removed
    second_car.drive(1)


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"shape": "blob"}, "shape: expected one of 'box'"),
        ({"size": (2, 0, 1)}, "size: expected three numbers above 0"),
        ({"size": (2, math.nan, 1)}, "size: expected three finite numbers"),
        ({"size": (1, 1, 1), "mass": -1}, "mass: expected a finite number above 0"),
        ({"size": (1, 1, 1), "kind": "soft"}, "kind: expected one of"),
        ({"shape": "ball"}, "no mesh"),
        ({"shape": "hull"}, "no mesh"),
        ({"shape": "ball", "size": (1, 1, 1)}, "only 'box'"),
        ({"shape": "box", "radius": 1}, "only 'ball' has a radius"),
        ({"shape": "mesh", "mesh": fw.Mesh.cube()}, "cannot move"),
        ({"shape": "hull", "mesh": fw.Mesh.plane()}, "flat"),
        ({"mesh": 3}, "mesh: expected a Mesh"),
    ],
)
def test_bad_bodies_are_refused_and_none_is_added(options: dict[str, Any], words: str) -> None:
    physics = fw.Physics3D()
    table = rows_at((0, 0, 0))
    with pytest.raises((ValueError, TypeError), match=words):
        physics.add(table, **options)
    assert not len(physics.world.rigid_bodies)
    physics.add(table, size=(1, 1, 1))


def test_the_error_of_a_bad_row_or_argument_names_it() -> None:
    physics = fw.Physics3D()
    with pytest.raises(ValueError, match=r"position: row 1 has \[nan"):
        physics.add(rows_at((0, 0, 0), (math.nan, 0, 0)), size=(2, 2, 2))
    flat = rows_at((0, 0, 0), (0, 0, 0))
    flat.scale[1] = 0, 1, 1
    with pytest.raises(ValueError, match="the shape of row 1 would be 0 x 2 x 2"):
        physics.add(flat, size=(2, 2, 2))
    table = rows_at((0, 0, 0))
    bodies = physics.add(table, size=(1, 1, 1))
    with pytest.raises(ValueError, match="have bodies already"):
        physics.add(table, size=(1, 1, 1))
    table.rotation[0] = math.inf
    with pytest.raises(ValueError, match="rotation: row 0 has"):
        physics.advance(0.1)
    table.rotation[0] = 0  # no rotation
    physics.advance(0.1)
    for call in (
        lambda: physics.hinge(None, (bodies, 0), (0, 0, 0), (0, 0, 0)),
        lambda: physics.ball(None, None, (0, 0, 0)),
        lambda: physics.rope(None, (bodies, 0), max_length=0),
        lambda: physics.add_static(3),  # type: ignore[arg-type]
        lambda: physics.add_floor(math.nan),
        lambda: physics.vehicle((bodies, 0), []),
        lambda: physics.vehicle((bodies, 0), [(0, 0, 0)], radius=-1),
        lambda: physics.raycast((0, 0, math.nan), (1, 0, 0)),
        lambda: fw.Physics3D(gravity=(0, 1)),  # type: ignore[arg-type]
    ):
        with pytest.raises((ValueError, TypeError)):
            call()
    run(physics, 3)


def test_the_page_has_every_public_name() -> None:
    physics, _, bodies = falling((0, 5, 0), (0, 9, 0))
    hero = physics.add(rows_at((5, 5, 0)), size=(1, 1, 1), kind="kinematic")
    joint = physics.hinge(None, (bodies, 0), (0, 5, 0))
    other_objects = physics.character((hero, 0)), physics.vehicle((bodies, 1), [(0, 0, 0)])
    assert not names_missing_on_page(physics, bodies, physics.add_floor(), joint, *other_objects)


def test_without_rapier_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapier3d", None)
    engines.load_package.cache_clear()
    try:
        with pytest.raises(
            FrameworkError, match=r"Physics3D needs rapier3d.*pip install 'subtick\[physics\]'"
        ):
            fw.Physics3D()
    finally:
        engines.load_package.cache_clear()
