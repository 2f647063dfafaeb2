"""Error fading: after a correction, drawn rows glide to their new positions. The state does not."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pictures import solid

import framework as fw
from framework.geometry import quaternions
from framework.motion import camera_base
from framework.motion.camera_base import shown_pose
from framework.state import displacement
from framework.state.rows import table_of

Make = Callable[..., Any]


class Sliding(fw.Game):
    """A game with a white square, which moves by ``speed`` units in each tick."""

    not_state = ("speed",)

    def setup(self) -> None:
        self.speed = 0.0
        self.batch = self.add(fw.SpriteBatch(solid(8, 8)))
        self.square = self.batch.add(position=(20, 50))
        self.other = self.batch.add(position=(20, 10))

    def update(self, dt: float) -> None:
        self.square.x += self.speed


def left_edge(game: Any, row: int = 50) -> float:
    """Return the x of the square's left edge, including a partly covered pixel."""
    line = game.pixels()[100 - row, :, 0].astype(float)
    lit = np.flatnonzero(line > 60)
    return float(lit[0]) if len(lit) else math.nan


def game_with_correction(
    make: Make, kind: Any = Sliding, fade: float = 0.1, first: float = 10.0
) -> Any:
    """Run two ticks with ``speed`` ``first``, then the same ticks with speed 0. Return the game."""
    game = make(kind, size=(200, 100), background="black")
    game.picture.error_fade = fade
    game.run(2)
    before = game.snapshot()
    game.speed = first
    game.run(2)
    game.restore(before)
    game.speed = 0.0
    game.run_ticks(2)
    return game


def test_the_drawing_glides_and_the_state_does_not(make: Make) -> None:
    game = game_with_correction(make)
    assert game.square.x == 20
    plain = game_with_correction(make, fade=0.0)
    edges = []
    for _ in range(9):
        game.run(1)
        edges.append(left_edge(game))
        assert game.square.x == 20
        assert tuple(game.square.drawn_position(1.0)) == (20, 50)
        assert left_edge(game, 10) == 16  # the second square has no error, so it does not move
    assert edges == sorted(edges, reverse=True)
    assert edges[0] > 20
    assert edges[-1] == 16
    plain.run(1)
    assert left_edge(plain) == 16
    plain.run(8)
    assert game.state_hash() == plain.state_hash()
    np.testing.assert_array_equal(game.pixels(), plain.pixels())


def test_the_first_frame_after_a_correction_shows_no_jump(make: Make) -> None:
    class Still(Sliding):
        pass

    game = make(Still, size=(200, 100), background="black")
    game.picture.error_fade = 0.1
    game.run(2)
    before = game.snapshot()
    game.speed = 10.0
    game.run(2)
    drawn_edge = left_edge(game)
    game.restore(before)
    game.speed = 0.0
    game.run_ticks(2)
    game.advance(0)  # the same game time
    assert abs(left_edge(game) - drawn_edge) <= 1


def test_a_second_correction_continues_from_the_drawn_position(make: Make) -> None:
    game = game_with_correction(make)
    game.run(1)
    drawn_edge = left_edge(game)
    before = game.snapshot()
    game.run(1)
    between = left_edge(game)
    assert between < drawn_edge
    game.restore(before)
    game.run_ticks(1)  # the same ticks: there is no new error
    game.advance(0)
    assert abs(left_edge(game) - between) <= 1
    game.run(8)
    assert left_edge(game) == 16


def test_large_errors_and_loaded_games_jump(make: Make) -> None:
    game = game_with_correction(make, first=60.0)  # 120 units, more than a quarter of the screen
    game.run(1)
    assert left_edge(game) == 16
    game = make(Sliding, size=(200, 100), background="black")
    game.picture.error_fade = 0.1
    game.run(2)
    before = game.snapshot()
    game.speed = 10.0
    game.run(2)
    game.speed = 0.0
    game.restore(before)  # like a loaded game: the ticks do not run again
    game.run(1)
    assert left_edge(game) == 16


def test_rows_are_found_by_their_ids_while_the_error_fades(make: Make) -> None:
    class Removing(Sliding):
        def update(self, dt: float) -> None:
            super().update(dt)
            if self.tick == 5:
                self.batch.add(position=(150, 90))
                self.batch.remove(self.other)

        def setup(self) -> None:
            super().setup()
            self.batch.remove(self.square)  # the square is the second row now
            self.square = self.batch.add(position=(20, 50))

    game = game_with_correction(make, Removing)
    edges = []
    for _ in range(8):
        game.run(1)
        edges.append(left_edge(game))
    assert edges == sorted(edges, reverse=True)
    assert (edges[0] > 20, edges[-1]) == (True, 16)


def test_error_fade_0_ends_the_fading(make: Make) -> None:
    game = game_with_correction(make)
    game.run(1)
    assert left_edge(game) > 17
    game.picture.error_fade = 0
    game.run(1)
    assert left_edge(game) == 16
    table = table_of(game.batch)
    assert table is not None
    assert table.column("position").displacement is None
    with pytest.raises(ValueError, match=r"^error_fade: expected"):
        game.picture.error_fade = -1


def test_snapshots_do_not_contain_the_error(make: Make) -> None:
    game = game_with_correction(make)
    game.run(1)
    within = game.snapshot()
    game.run(8)
    game.restore(within)
    game.run(1)
    assert left_edge(game) == 16  # the restored game has no error
    assert game.square.x == 20


def test_fading_works_with_a_removed_batch_and_reads_in_draw(make: Make) -> None:
    class Reading(Sliding):
        not_state = ("speed", "seen")

        def setup(self) -> None:
            super().setup()
            self.log: list[Any] = []

        def draw(self, alpha: float) -> None:
            self.log.append((self.square.x, self.batch.position.copy(), self.state_hash()))

        def update(self, dt: float) -> None:
            super().update(dt)
            if self.tick == 7:
                self.remove(self.batch)

    game = game_with_correction(make, Reading)
    game.run(6)
    assert {x for x, _, _ in game.log[-6:]} == {20}
    assert game.pixels().max() == 255  # only the alpha channel


def test_angles_fade_along_the_shorter_turn(make: Make) -> None:
    class Turning(Sliding):
        def update(self, dt: float) -> None:
            self.square.angle += self.speed

    game = game_with_correction(make, Turning, first=math.tau - 0.2)
    table: Any = table_of(game.batch)
    _, angle = displacement.shown_pose(table, 1.0)
    assert abs(angle[0]) < 0.3
    assert abs(angle[0]) > 0.1


class SpaceGame(fw.Game):
    not_state = ("speed",)
    cull = False

    def setup(self) -> None:
        self.speed = 0.0
        world = self.add(fw.World())
        cube = fw.Mesh.box()
        self.cubes = world.add(fw.MeshBatch(cube, material=fw.Material(unlit=True), cull=self.cull))
        self.cube = self.cubes.add()
        world.camera.position = (0, 0, 6)

    def update(self, dt: float) -> None:
        self.cubes.position[0, 0] += self.speed
        if self.speed:
            turn = quaternions.from_axis((0, 1, 0), 0.4)
            self.cube.rotation = quaternions.multiply(turn, self.cube.rotation)


@pytest.mark.parametrize("cull", [False, True])
def test_meshes_fade(make: Make, cull: bool) -> None:
    kind = type("Culled", (SpaceGame,), {"cull": cull})
    game = game_with_correction(make, kind, first=0.4)
    at_rest = game_with_correction(make, kind, fade=0.0, first=0.4)
    at_rest.run(1)
    goal = at_rest.pixels()
    middles = []
    for _ in range(9):
        game.run(1)
        lit = np.flatnonzero(game.pixels()[50, :, 0] > 60)
        middles.append(lit.mean())
    assert middles == sorted(middles, reverse=True)
    assert middles[0] > middles[-1] + 3
    np.testing.assert_array_equal(game.pixels(), goal)
    assert tuple(game.cube.position) == (0, 0, 0)


def test_cameras_fade(make: Make) -> None:
    class Looking(Sliding):
        def update(self, dt: float) -> None:
            self.camera.x += self.speed
            self.camera.y -= self.speed / 2
            self.camera.angle += self.speed / 50
            self.camera.zoom *= 1 + self.speed / 100

    game = game_with_correction(make, Looking, first=5.0)
    assert game.camera.position == (100, 50)
    x, y, zoom, angle = shown_pose(game.camera, 1.0)
    assert (x > 105, 45 <= y < 47.5, zoom > 1.05, 0.1 < angle <= 0.2) == (True,) * 4
    game.run(9)
    assert shown_pose(game.camera, 1.0) == game.camera.pose(1.0)
    assert left_edge(game) == 16


def test_3d_cameras_fade() -> None:
    camera = fw.Camera3D()
    drawn = camera.pose(1.0)
    camera.position = (1, 0, 0)
    camera.rotation = quaternions.from_axis((0, 1, 0), 1.0)
    camera.teleport()
    assert camera_base.displace(camera, drawn, 1.0, 100.0)
    position, rotation = shown_pose(camera, 1.0)
    np.testing.assert_allclose(position, drawn[0], atol=1e-6)
    np.testing.assert_allclose(abs(rotation @ drawn[1]), 1, atol=1e-6)
    camera_base.show_error(camera, 0.5)
    _, rotation = shown_pose(camera, 1.0)
    np.testing.assert_allclose(abs(rotation @ quaternions.from_axis((0, 1, 0), 0.5)), 1, atol=1e-6)
    camera_base.show_error(camera, 0.0)
    assert camera_base.shown_pose(camera, 1.0)[0] is not drawn[0]
    assert not camera_base.displace(camera, drawn, 1.0, 0.5)


class Extrapolated(Sliding):
    """The same game with an extrapolated square."""

    def setup(self) -> None:
        self.speed = 0.0
        self.batch = self.add(fw.SpriteBatch(solid(8, 8), motion="extrapolate"))
        self.square = self.batch.add(position=(20, 50))
        self.other = self.batch.add(position=(20, 10))


def test_extrapolated_rows_fade(make: Make) -> None:
    game = game_with_correction(make, Extrapolated)
    plain = game_with_correction(make, Extrapolated, fade=0.0)
    edges = []
    for _ in range(9):
        game.run(1)
        plain.run(1)
        edges.append(left_edge(game))
        assert left_edge(game, 10) == left_edge(plain, 10)
    assert edges == sorted(edges, reverse=True)
    assert edges[0] > left_edge(plain) + 2
    assert edges[-1] == left_edge(plain)
    assert game.state_hash() == plain.state_hash()
    game.run(30)
    plain.run(30)
    np.testing.assert_array_equal(game.pixels(), plain.pixels())


class Boxes(fw.Game):
    """A game with a turning box, whose motion is extrapolated."""

    not_state = ("speed",)

    def setup(self) -> None:
        self.speed = 0.0
        self.boxes = self.world.add(fw.MeshBatch(fw.Mesh.box(), motion="extrapolate"))
        self.box = self.boxes.add(position=(0, 0, 0))

    def update(self, dt: float) -> None:
        self.boxes.position[:, 0] += self.speed
        turn = quaternions.from_axis((0.0, 0.0, 1.0), self.speed)
        self.boxes.rotation[:] = quaternions.multiply(turn, self.boxes.rotation)


def test_extrapolated_meshes_fade(make: Make) -> None:
    game = game_with_correction(make, Boxes, first=0.1)
    table = table_of(game.boxes)
    assert table is not None
    distances = []
    for _ in range(9):
        game.run(1)
        position, rotation = displacement.shown_pose(table, 1.0)  # type: ignore[arg-type]
        distances.append((float(position[0, 0]), float(rotation[0, 2])))
        game.pixels()
    assert distances == sorted(distances, reverse=True)
    assert min(distances[0]) > 0.01
    assert distances[-1] == (0.0, 0.0)


class Turret(fw.Game):
    """A game with a gun on a ship. ``speed`` moves the ship."""

    not_state = ("speed",)

    def setup(self) -> None:
        self.speed = 0.0
        self.nodes = fw.Nodes2D()
        self.ship = self.nodes.add(position=(20, 50))
        self.gun = self.nodes.add(self.ship, position=(0, 30))
        self.batch = self.add(fw.NodeSprites(solid(8, 8), self.nodes))
        for node in (self.ship, self.gun):
            self.batch.show(node)

    def update(self, dt: float) -> None:
        self.nodes.position[self.ship.row, 0] += self.speed


def test_nodes_fade_with_their_children(make: Make) -> None:
    game = game_with_correction(make, Turret)
    edges = []
    for _ in range(9):
        game.run(1)
        edges.append(left_edge(game))
        assert left_edge(game, 80) == pytest.approx(edges[-1], abs=1)
        assert tuple(game.batch[1].drawn_position(1.0)) == (20, 80)
        assert tuple(game.ship.position) == (20, 50)
    assert edges[0] > 20
    assert edges == sorted(edges, reverse=True)
    assert edges[-1] == 16
    plain = game_with_correction(make, Turret, fade=0.0)
    plain.run(9)
    assert game.state_hash() == plain.state_hash()
    np.testing.assert_array_equal(game.pixels(), plain.pixels())


class Swinging(Turret):
    """A game in which ``speed`` turns the ship, and in which the gun can get another parent."""

    def update(self, dt: float) -> None:
        self.ship.angle += self.speed / 50
        if self.speed and self.changes:
            self.nodes.attach(self.gun, self.dock)

    changes = False
    dock: Any = None
    not_state = ("speed", "changes")


def test_a_child_moves_along_the_arc_of_its_parent(make: Make) -> None:
    game = game_with_correction(make, Swinging)
    for _ in range(4):
        game.run(1)
        table = table_of(game.nodes)
        positions, _, _ = table.shown_world_pose(1.0, np.arange(2))
        assert np.hypot(*(positions[1] - positions[0])) == pytest.approx(30, abs=0.01)
    game.run(9)
    positions, _, _ = table.shown_world_pose(1.0, np.arange(2))
    assert positions.tolist() == [[20, 50], [20, 80]]


def test_a_node_with_another_parent_jumps(make: Make) -> None:
    game = make(Swinging, size=(200, 100), background="black")
    game.picture.error_fade = 0.1
    game.dock = game.nodes.add(position=(100, 50))
    game.run(2)
    before = game.snapshot()
    game.speed = 10.0
    game.changes = True
    game.run(2)
    game.restore(before)
    game.speed = 0.0
    game.run_ticks(2)
    game.run(1)
    errors = table_of(game.nodes).column("angle").displacement._errors_of_all()
    assert [bool(error) for error in errors] == [True, False, False]


def test_3d_nodes_fade(make: Make) -> None:
    class Tank(fw.Game):
        not_state = ("speed",)

        def setup(self) -> None:
            self.speed = 0.0
            self.world.camera.position = (0, 0, 20)
            self.world.camera.look_at((0, 0, 0))
            self.nodes = fw.Nodes3D()
            self.hull = self.nodes.add()
            self.turret = self.nodes.add(self.hull, position=(0, 2, 0))
            self.batch = self.world.add(fw.NodeMeshes(fw.Mesh.box(), self.nodes, [self.turret]))

        def update(self, dt: float) -> None:
            self.hull.position = self.hull.position + np.float32((self.speed / 10, 0, 0))

    game = game_with_correction(make, Tank)
    drawn_x = []
    for _ in range(8):
        game.run(1)
        drawn_x.append(float(table_of(game.nodes)._seen[1][1, 3, 0]))
        assert float(game.nodes.world_matrices(1.0)[1, 3, 0]) == 0
    assert 0.3 < drawn_x[0] < 2.1
    assert drawn_x == sorted(drawn_x, reverse=True)
    assert drawn_x[-1] == 0
