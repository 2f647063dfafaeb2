"""Contacts of bodies in both physics worlds: pairs, points, normals, impulses, and filters."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework.current_game import working
from framework.errors import FrameworkError
from framework.physics.bodysets import Bodies
from framework.physics.contacts import BodyContact, BodyContacts, NewContact
from framework.physics.physics_world import simulation_of

pytestmark = pytest.mark.usefixtures("no_open_game")

Make = Callable[..., Any]

GRAVITY = 10.0
DT = 1 / 60


class Arena:
    """A physics world in 2D or 3D whose gravity points down the y axis."""

    def __init__(self, kind: str, **options: Any) -> None:
        self.in_plane = kind != "space"
        self.dimensions = 2 if self.in_plane else 3
        gravity = self.vector(0, -options.pop("gravity", GRAVITY))
        scene = options.pop("scene", None)
        world = fw.Physics2D if self.in_plane else fw.Physics3D
        options.setdefault("substeps", 1)
        if self.in_plane:
            options["engine"] = kind
        self.physics: Any = world(scene, gravity=gravity, **options)

    @property
    def size(self) -> tuple[float, ...]:
        return (1, 1) if self.in_plane else (1, 1, 1)

    def vector(self, x: float, y: float) -> tuple[float, ...]:
        return (x, y) if self.in_plane else (x, y, 0.0)

    def rows(self, *positions: tuple[float, float]) -> Any:
        table: Any = fw.Transforms2D() if self.in_plane else fw.Transforms3D()
        table.extend(len(positions))
        table.position[:] = [self.vector(*position) for position in positions] or np.empty(
            (0, self.dimensions)
        )
        return table

    def boxes(
        self, *positions: tuple[float, float], size: tuple[float, float] = (1, 1), **options: Any
    ) -> tuple[Any, Bodies]:
        table = self.rows(*positions)
        full_size = size if self.in_plane else (*size, 1.0)
        options.setdefault("layer", "crate")
        return table, self.physics.add(table, size=full_size, **options)

    def floor(self, layer: str = "ground") -> Any:
        if self.in_plane:
            return self.physics.add_line([(-50, 0), (50, 0)], radius=0, layer=layer)
        return self.physics.add_floor(layer=layer)

    def run(self, ticks: int) -> None:
        for _ in range(ticks):
            self.physics.advance(DT)


@pytest.fixture(params=["pymunk", "rapier", "space"])
def kind(request: pytest.FixtureRequest) -> str:
    pytest.importorskip("pymunk" if request.param == "pymunk" else "rapier3d")
    return str(request.param)


def owners(pairs: list[tuple[Any, Any]]) -> list[tuple[int | None, int | None]]:
    """Return the rows of the bodies in pairs: -1 for a wall, None for a removed body."""
    return [
        tuple(None if body is None else getattr(body, "row", -1) for body in pair)  # type: ignore[misc]
        for pair in pairs
    ]


# -- pairs -----------------------------------------------------------------------------------------


def test_the_first_call_has_only_the_pairs_of_this_tick(kind: str) -> None:
    arena = Arena(kind)
    arena.floor()
    arena.boxes((0, 0.52), (5, 3))
    arena.run(10)
    assert arena.physics.entered("crate", "ground") == []
    assert owners(arena.physics.staying("crate", "ground")) == [(0, -1)]
    hits = arena.physics.contacts("crate", "ground")
    assert hits.entered.tolist() == [False]
    assert hits.staying.tolist() == [True]


@pytest.mark.parametrize("substeps", [1, 3])
def test_a_pair_enters_in_one_tick_stays_and_exits_in_one_tick(kind: str, substeps: int) -> None:
    arena = Arena(kind, substeps=substeps)
    arena.floor()
    table, _ = arena.boxes((0, 1))
    log: list[tuple[int, int, int]] = []
    for tick in range(60):
        if tick == 40:
            table.position[0, 1] = 5
        arena.run(1)
        physics = arena.physics
        counts = [
            len(getattr(physics, name)("crate", "ground"))
            for name in ("entered", "staying", "exited")
        ]
        hits = physics.contacts("crate", "ground")
        assert [hits.entered.sum(), hits.staying.sum(), len(hits.exited)] == counts
        assert physics.entered("ground", "crate") == [
            (wall, row) for row, wall in physics.entered("crate", "ground")
        ]
        log.append(tuple(counts))  # type: ignore[arg-type]
    changes = [(tick, now) for tick, now in enumerate(log) if tick == 0 or log[tick - 1] != now]
    assert [now for _, now in changes] == [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0)]
    assert [tick for tick, _ in changes][2:] == [changes[1][0] + 1, 40, 41]


def test_a_tick_without_a_physics_step_has_no_new_pairs(kind: str) -> None:
    arena = Arena(kind, rate=30)
    arena.floor()
    arena.boxes((0, 0.6))
    entered = []
    for _ in range(40):
        arena.run(1)
        entered.append(len(arena.physics.entered("crate", "ground")))
        hits = arena.physics.contacts("crate", "ground")
        assert hits.entered.sum() == entered[-1]
    assert sum(entered) == 1
    # A tick with a step has the ground's impulse of two ticks. A tick without a step has none.
    arena.run(1)
    loads = [arena.physics.contacts("crate", "ground").impulses.sum()]
    arena.run(1)
    loads.append(arena.physics.contacts("crate", "ground").impulses.sum())
    assert sorted(loads) == pytest.approx([0, GRAVITY / 30], rel=0.02)


def test_a_removed_body_exits_as_none(kind: str) -> None:
    arena = Arena(kind)
    wall = arena.floor()
    table, _ = arena.boxes((0, 0.51), (3, 0.51), (6, 0.51))
    arena.run(5)
    hits = arena.physics.contacts("crate", "ground")
    table.remove([1])
    assert owners([(body, wall) for body in hits.first]) == [(0, -1), (None, -1), (1, -1)]
    arena.run(1)
    assert arena.physics.exited("crate", "ground") == [(None, wall)]
    assert arena.physics.contacts("crate", "ground").exited == [(None, wall)]
    assert arena.physics.contacts("crate", "ground").rows.tolist() == [[0, -1], [1, -1]]
    wall.remove()
    arena.run(1)
    assert owners(arena.physics.exited("crate", "ground")) == [(0, None), (1, None)]
    assert len(arena.physics.contacts("crate", "ground")) == 0


def test_sleeping_bodies_keep_their_contacts(kind: str) -> None:
    arena = Arena(kind, substeps=2)
    arena.floor()
    _, bodies = arena.boxes((0, 0.52), mass=3)
    arena.run(200)
    assert bodies.sleeping.all()
    first = arena.physics.contacts("crate", "ground")
    assert first.staying.tolist() == [True]
    assert first.points[0, 1] == pytest.approx(0, abs=0.06)
    arena.run(3)
    later = arena.physics.contacts("crate", "ground")
    assert later.points.tolist() == first.points.tolist()
    assert later.impulses == pytest.approx([3 * GRAVITY * DT], rel=0.02)
    assert arena.physics.exited("crate", "ground") == []


def test_bodies_of_one_layer_are_in_the_order_of_creation(kind: str) -> None:
    arena = Arena(kind)
    arena.floor()
    arena.boxes((0, 1.49), (0, 0.5), (8, 9))
    arena.run(5)
    hits = arena.physics.contacts("crate", "crate")
    assert hits.rows.tolist() == [[0, 1]]
    assert hits.normals[0, :2] == pytest.approx([0, -1], abs=0.01)
    assert owners(arena.physics.staying("crate", "crate")) == [(0, 1)]


def test_sensors_have_pairs_without_points_and_impulses(kind: str) -> None:
    arena = Arena(kind, gravity=0)
    arena.boxes((0, 0), sensor=True, kind="static", layer="plate")
    table, bodies = arena.boxes((-2, 0))
    bodies.velocity = arena.vector(6, 0)
    lengths = []
    for _ in range(60):
        arena.run(1)
        hits = arena.physics.contacts("crate", "plate")
        lengths.append(len(hits))
        assert np.isnan(hits.points).all()
        assert np.isnan(hits.depths).all()
        assert np.isnan(hits.relative_velocities).all()
        assert not hits.impulses.any()
    assert lengths[0] == lengths[-1] == 0
    assert max(lengths) == 1
    assert 15 < sum(lengths) < 25
    assert table.position[0, 0] == pytest.approx(4, abs=0.01)


def test_a_sensor_falls_only_with_a_kind_or_a_mass(kind: str) -> None:
    arena = Arena(kind, gravity=10)
    still, _ = arena.boxes((0, 5), sensor=True, layer="plate")
    moving, bodies = arena.boxes((10, 5), sensor=True, layer="plate")
    bodies.velocity = arena.vector(2, 0)
    falling, _ = arena.boxes((20, 5), sensor=True, kind="dynamic")
    heavy, _ = arena.boxes((30, 5), sensor=True, mass=2)
    crate, _ = arena.boxes((0, 8))
    entered = 0
    for _ in range(60):
        arena.run(1)
        entered += len(arena.physics.entered("crate", "plate"))
    assert entered == 1  # the crate falls through the sensor
    assert crate.position[0, 1] < 4
    assert still.position[0, :2].tolist() == [0, 5]
    assert moving.position[0, :2] == pytest.approx([12, 5], abs=0.05)
    assert falling.position[0, 1] < 1
    assert heavy.position[0, 1] < 1
    still.position[0, 1] = 8.0  # the game moves a sensor like a kinematic body
    arena.run(2)
    assert still.position[0, 1] == 8


def test_pairs_contain_sprites(kind: str, make: Make) -> None:
    class Drop(fw.Game):
        def setup(self) -> None:
            arena = Arena(kind, scene=self)
            arena.floor()
            self.physics = arena.physics
            batch: Any = (
                fw.SpriteBatch(np.full((4, 4, 4), 255, np.uint8), 2)
                if arena.in_plane
                else fw.MeshBatch(fw.Mesh.cube(), 2)
            )
            self.batch = self.add(batch)
            self.batch.position[:] = [arena.vector(0, 2.5), arena.vector(9, 9)]
            size = (1, 1) if arena.in_plane else (1, 1, 1)
            self.physics.add(self.batch, size=size, layer="crate")
            self.hits: list[BodyContact] = []

        def update(self, dt: float) -> None:
            self.hits += [hit for hit in self.physics.contacts("crate", "ground") if hit.entered]

    game = make(Drop, drawing=False)
    game.run_ticks(60)
    (hit,) = game.hits
    assert hit.first == game.batch[0]
    assert hit.second is simulation_of(game.physics).walls[0]
    assert hit.impulse == pytest.approx(np.sqrt(2 * GRAVITY * 2), rel=0.05)


# -- numbers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("substeps", [1, 2, 5])
def test_the_impulses_of_a_drop_are_mass_times_the_change_of_velocity(
    kind: str, substeps: int
) -> None:
    arena = Arena(kind, substeps=substeps)
    arena.floor()
    masses = np.array([0.5, 2.0, 7.0])
    sets = [
        arena.boxes((4.0 * index, 1.0 + index), mass=mass, layer=f"crate {index}")[1]
        for index, mass in enumerate(masses)
    ]
    for index in range(3):
        arena.physics.contacts(f"crate {index}", "ground")  # from now on, each step is read
    for _ in range(55):
        before = [bodies.velocity[0, 1] for bodies in sets]
        arena.run(1)
        for index, bodies in enumerate(sets):
            hits = arena.physics.contacts(f"crate {index}", "ground")
            change = bodies.velocity[0, 1] - before[index] + GRAVITY * DT
            assert hits.impulses.sum() == pytest.approx(masses[index] * change, rel=0.02, abs=1e-3)


def test_contacts_have_points_normals_and_depths(kind: str) -> None:
    arena = Arena(kind)
    arena.floor()
    arena.boxes((3, 0.49))
    arena.run(1)
    hits = arena.physics.contacts("crate", "ground")
    assert hits.points[0, :2] == pytest.approx([3, 0], abs=0.03)
    assert hits.normals[0, :2] == pytest.approx([0, -1], abs=1e-6)
    assert hits.depths == pytest.approx([0.01], abs=0.006)  # a line has a thickness in Rapier
    reverse = arena.physics.contacts("ground", "crate")
    assert reverse.normals.tolist() == (-hits.normals).tolist()
    assert reverse.rows.tolist() == [[-1, 0]]
    (contact,) = hits
    assert contact.point == tuple(hits.points[0].tolist())
    assert contact.impulse == hits.impulses[0]
    assert repr(hits) == "<BodyContacts of 1 pairs>"


def test_relative_velocity_is_the_velocity_of_the_second_body(kind: str) -> None:
    arena = Arena(kind, gravity=0)
    arena.boxes((0, 0), kind="static", layer="ground", size=(20, 1))
    _, bodies = arena.boxes((0, 0.99), friction=0)
    bodies.velocity = arena.vector(3, 0)
    arena.run(1)
    hits = arena.physics.contacts("ground", "crate")
    assert hits.relative_velocities[0, :2] == pytest.approx([3, 0], abs=0.5)
    assert arena.physics.contacts("crate", "ground").relative_velocities[0, 0] == pytest.approx(
        -hits.relative_velocities[0, 0]
    )


def test_a_body_of_several_shapes_is_one_pair_with_all_impulses() -> None:
    pytest.importorskip("pymunk")
    arena = Arena("pymunk")
    arena.floor()
    table = arena.rows((0, 1.5))
    arch = [(-3, 0), (-3, 3), (3, 3), (3, 0), (2, 0), (2, 2), (-2, 2), (-2, 0)]
    shifted = np.array(arch, float) - (0, 1)
    bodies = arena.physics.add(table, shape="polygon", points=shifted, mass=4, layer="arch")
    arena.physics.contacts("arch", "ground")
    for _ in range(60):
        before = bodies.velocity[0, 1]
        arena.run(1)
        hits = arena.physics.contacts("arch", "ground")
        change = bodies.velocity[0, 1] - before + GRAVITY * DT
        assert hits.impulses.sum() == pytest.approx(4 * change, rel=0.02, abs=1e-3)
    assert hits.rows.tolist() == [[0, -1]]
    assert hits.points[0] == pytest.approx([0, 0], abs=0.1)  # between the two feet


def test_the_first_call_has_the_impulses_of_the_last_step(kind: str) -> None:
    arena = (
        Arena(kind, substeps=2, sleep_after=None) if kind == "pymunk" else Arena(kind, substeps=2)
    )
    arena.floor()
    arena.boxes((0, 0.52), mass=3)
    arena.run(20)
    assert arena.physics.contacts("crate", "ground").impulses == pytest.approx([0.25], rel=0.02)
    arena.run(1)
    assert arena.physics.contacts("crate", "ground").impulses == pytest.approx([0.5], rel=0.02)


def test_unknown_layers_are_named(kind: str) -> None:
    arena = Arena(kind)
    arena.floor()
    for call in (arena.physics.contacts, arena.physics.entered):
        with pytest.raises(ValueError, match="did you mean 'ground'"):
            call("grund", "ground")
        with pytest.raises(ValueError, match="other: no body has the layer 'x'"):
            call("ground", "x")


# -- filters ---------------------------------------------------------------------------------------


def lands_from_above(contact: NewContact) -> bool:
    """Whether the second body lands on the first, a one-way platform."""
    return contact.normal[1] > 0.7 and contact.relative_velocity[1] <= 0


def platform(kind: str, **options: Any) -> tuple[Arena, Any, Bodies]:
    """Return an arena with a platform between 2 and 2.5, and a player that jumps from the ground."""
    arena = Arena(kind, **options)
    arena.floor()
    arena.boxes((0, 2.25), size=(6, 0.5), kind="static", layer="platform")
    table, bodies = arena.boxes((0, 0.5), fixed_rotation=True, layer="player")
    return arena, table, bodies


def test_a_one_way_platform_stops_only_bodies_from_above(kind: str) -> None:
    arena, table, bodies = platform(kind)
    arena.physics.filter_contacts("platform", "player", lands_from_above)
    bodies.velocity = arena.vector(0, 9)
    heights = []
    touched = []
    for _ in range(120):
        arena.run(1)
        heights.append(table.position[0, 1])
        touched.append(len(arena.physics.contacts("player", "platform")))
    assert max(heights) == pytest.approx(0.5 + 81 / 20, abs=0.2)
    assert heights[-1] == pytest.approx(3, abs=0.06)
    assert not any(touched[: int(np.argmax(heights))])  # a passing body has no contact
    assert touched[-1] == 1
    assert owners(arena.physics.staying("player", "platform")) == [(0, 0)]


def test_a_filter_is_called_once_until_the_bodies_separate(kind: str) -> None:
    arena, table, bodies = platform(kind)
    contacts: list[NewContact] = []

    def refuse(contact: NewContact) -> bool:
        contacts.append(contact)
        return False

    arena.physics.filter_contacts("player", "platform", refuse)
    bodies.velocity = arena.vector(1, 9)
    arena.run(130)
    assert len(contacts) == 2  # on the way up, and on the way down
    up, down = contacts
    assert (up.first.row, up.second.row) == (0, 0)
    assert up.first.batch is table
    assert up.normal[:2] == pytest.approx((0, 1), abs=1e-6)
    assert down.normal[:2] == pytest.approx((0, -1), abs=1e-6)
    assert up.relative_velocity[:2] == pytest.approx((-1, -7), abs=1)
    assert up.point[1] == pytest.approx(2, abs=0.2)
    assert 0 <= up.depth < 0.2
    assert table.position[0, 1] == pytest.approx(0.5, abs=0.05)
    arena.physics.filter_contacts("player", "platform", None)
    bodies.velocity = arena.vector(0, 9)
    arena.run(20)
    assert len(contacts) == 2
    assert table.position[0, 1] < 1.6  # without the filter, the platform stops the player


def test_a_filter_applies_to_its_two_layers_and_to_new_bodies(kind: str) -> None:
    arena = Arena(kind)
    arena.floor()
    filtered: list[tuple[Any, Any]] = []

    def refuse(contact: NewContact) -> bool:
        filtered.append((contact.first, contact.second))
        return False

    ghosts, _ = arena.boxes((0, 1.6), layer="ghost")
    crates, _ = arena.boxes((0, 0.5), (4, 0.5))
    arena.physics.filter_contacts("ghost", "crate", refuse)
    new_ghosts, _ = arena.boxes((4, 2.6), layer="ghost")
    arena.run(60)
    assert owners(filtered) == [(0, 0), (0, 1)]
    assert ghosts.position[0, 1] == pytest.approx(0.5, abs=0.1)
    assert new_ghosts.position[0, 1] == pytest.approx(0.5, abs=0.1)
    assert crates.position[:, 1] == pytest.approx([0.5, 0.5], abs=0.1)
    assert arena.physics.staying("ghost", "crate") == []
    assert len(arena.physics.staying("ghost", "ground")) == 2


def test_an_error_in_a_filter_is_raised_by_the_tick(kind: str) -> None:
    arena, table, bodies = platform(kind, substeps=2)

    def wrong(contact: NewContact) -> bool:
        raise ZeroDivisionError("in the game")

    arena.physics.filter_contacts("platform", "player", wrong)
    bodies.velocity = arena.vector(0, 9)
    with pytest.raises(ZeroDivisionError, match="in the game") as caught:
        arena.run(60)
    assert "wrong" in [entry.name for entry in caught.traceback]
    height = table.position[0, 1]
    assert 1 < height < 1.7
    arena.physics.filter_contacts("platform", "player", lands_from_above)
    arena.run(100)
    assert table.position[0, 1] == pytest.approx(0.5, abs=0.06)


def test_a_filter_must_return_true_or_false(kind: str) -> None:
    arena, _, bodies = platform(kind)
    with pytest.raises(TypeError, match="function: expected a function"):
        arena.physics.filter_contacts("platform", "player", 3)
    with pytest.raises(ValueError, match="did you mean 'player'"):
        arena.physics.filter_contacts("platform", "plaier", lands_from_above)
    arena.physics.filter_contacts("platform", "player", lambda contact: None)
    bodies.velocity = arena.vector(0, 9)
    with pytest.raises(
        TypeError, match=r"filter_contacts: expected True \(collide\) or False.* None"
    ):
        arena.run(60)


def test_a_filter_may_remove_rows_but_not_use_bodies(kind: str) -> None:
    arena, table, bodies = platform(kind)
    refused: list[str] = []

    def removes(contact: NewContact) -> bool:
        for forbidden in (
            lambda: bodies.velocity,
            lambda: arena.physics.contacts("player", "platform"),
            lambda: arena.physics.query_area(arena.vector(0, 0), arena.vector(1, 1)),
            lambda: arena.physics.query_shape("capsule", arena.vector(0, 0), size=arena.size),
            lambda: arena.physics.advance(DT),
            lambda: setattr(arena.physics, "gravity", arena.vector(0, 0)),
            lambda: arena.floor(),
            lambda: simulation_of(arena.physics).walls[0].remove(),
            lambda: arena.physics.remove(bodies),
        ):
            with pytest.raises(FrameworkError, match="filter_contacts: bodies cannot be"):
                forbidden()
            refused.append("x")
        table.remove([0])
        return True

    arena.physics.filter_contacts("platform", "player", removes)
    bodies.velocity = arena.vector(0, 9)
    arena.run(60)
    assert len(refused) == 9
    assert len(bodies) == 0
    assert arena.physics.staying("player", "platform") == []


def test_a_body_that_sleeps_inside_a_platform_still_passes(kind: str) -> None:
    arena = Arena(kind, gravity=0)
    arena.boxes((0, 0), size=(6, 0.5), kind="static", layer="platform")
    contacts = []

    def refuse(contact: NewContact) -> bool:
        contacts.append(contact)
        return False

    table, bodies = arena.boxes((0, 0.6), layer="player")
    arena.physics.filter_contacts("player", "platform", refuse)
    arena.run(100)
    assert bodies.sleeping.all()
    assert len(contacts) == 1
    bodies.velocity = arena.vector(0, 0.2)
    arena.run(30)
    assert len(contacts) == 1
    assert table.position[0, 1] == pytest.approx(0.7, abs=0.02)


def test_fast_bodies_pass_a_filtered_platform() -> None:
    pytest.importorskip("rapier3d")
    arena = Arena("space", gravity=0)
    arena.boxes((0, 2.25), size=(6, 0.1), kind="static", layer="platform")
    table, bodies = arena.boxes((0, 0), size=(0.2, 0.2), fast=True, layer="player")
    arena.physics.filter_contacts("platform", "player", lands_from_above)
    bodies.velocity = (0, 300, 0)
    arena.run(4)
    assert table.position[0, 1] > 10
    assert bodies.velocity[0, 1] == pytest.approx(300)


# -- state -----------------------------------------------------------------------------------------


class Heap(fw.Game):
    """A game with boxes that fall on a heap, and a player that jumps through a platform."""

    kind = "space"
    not_state = ("shown",)

    def setup(self) -> None:
        arena = Arena(self.kind, scene=self, substeps=2)
        arena.floor()
        self.physics = arena.physics
        self.vector = arena.vector
        positions = [(float(self.random.uniform(5, 6)), 0.6 + index) for index in range(6)]
        self.table, self.bodies = arena.boxes(*positions)
        arena.boxes((0, 2.25), size=(6, 0.5), kind="static", layer="platform")
        self.player, self.player_bodies = arena.boxes((0, 0.5), layer="player")
        self.physics.filter_contacts("platform", "player", self.stands)
        self.filter_calls = 0
        self.total = 0.0
        self.shown: list[object] = []

    def stands(self, contact: NewContact) -> bool:
        self.filter_calls += 1
        assert working.get()  # the function finds its game, for example to play a sound
        return lands_from_above(contact)

    def update(self, dt: float) -> None:
        if self.tick == 5:
            self.player_bodies.velocity = self.vector(0, 9)
        if self.tick >= 20:
            hits = self.physics.contacts("crate", "crate")
            self.total += float(hits.impulses.sum()) + float(hits.points[hits.entered].sum())
            self.total += len(self.physics.entered("player", "platform"))
        if self.tick == 30:
            self.table.remove([3])

    def draw(self, alpha: float) -> None:
        for layers in (("crate", "ground"), ("player", "platform"), ("crate", "crate")):
            hits = self.physics.contacts(*layers)
            self.shown = [list(hits), hits.exited, hits.relative_velocities]
            self.physics.entered(*layers)


def test_contacts_and_filter_decisions_are_restored(make: Make) -> None:
    pytest.importorskip("rapier3d")
    game = make(Heap, drawing=False, seed=3)
    straight = make(Heap, drawing=False, seed=3)
    hashes = []
    for _ in range(130):
        straight.run_ticks()
        hashes.append(straight.state_hash())
    assert straight.filter_calls > 1
    for tick in (0, 15, 17, 25, 30, 60):
        game.run_ticks(tick - game.tick)
        before = game.snapshot()
        game.draw(0.5)
        game.run_ticks(130 - game.tick)
        assert game.state_hash() == hashes[-1]
        game.restore(before)
        game.draw(0.5)
        assert game.tick == 0 or game.state_hash() == hashes[game.tick - 1]


def test_reads_between_ticks_change_nothing_and_sync_test_passes() -> None:
    pytest.importorskip("rapier3d")
    fw.sync_test(Heap, ticks=40).check()


def test_a_stored_result_is_part_of_the_state(make: Make) -> None:
    pytest.importorskip("rapier3d")

    class Keeps(Heap):
        hits: BodyContacts | None = None

        def update(self, dt: float) -> None:
            self.hits = self.physics.contacts("crate", "ground")

    game = make(Keeps, drawing=False)
    game.run_ticks(40)
    snapshot = game.snapshot()
    number = game.state_hash()
    points = game.hits.points.copy()
    game.run_ticks(20)
    game.restore(snapshot)
    assert game.state_hash() == number
    assert game.hits.points.tolist() == points.tolist()


def test_near_snapshots_of_pymunk_keep_filter_decisions(make: Make) -> None:
    pytest.importorskip("pymunk")

    class Near(Heap):
        kind = "pymunk"

        def setup(self) -> None:
            arena, self.table, bodies = platform("pymunk", scene=self, snapshots="near")
            self.physics = arena.physics
            self.physics.filter_contacts("platform", "player", lands_from_above)
            bodies.velocity = (0, 9)

        def update(self, dt: float) -> None:
            pass

        def draw(self, alpha: float) -> None:
            pass

    game = make(Near, drawing=False)
    game.run_ticks(16)
    assert 1.5 < game.table.position[0, 1] < 3  # inside the platform
    snapshot = game.snapshot()
    number = game.state_hash()
    game.run_ticks(60)
    height = game.table.position[0, 1]
    assert height > 3
    game.restore(snapshot)
    assert game.state_hash() == number
    game.run_ticks(60)
    assert game.table.position[0, 1] == pytest.approx(height, abs=0.01)


def touching_rows(physics: Any) -> set[tuple[int, int]]:
    """Return the touching bodies from Rapier's list of contacts."""
    world = physics.world
    pairs = [
        (pair.collider1, pair.collider2)
        for pair in world.narrow_phase.contact_pairs()
        if pair.has_any_active_contact
    ]
    pairs += [(a, b) for a, b, touch in world.narrow_phase.intersection_pairs() if touch]
    engine = simulation_of(physics).engine
    rows = [
        tuple(sorted(int(engine._places[world.colliders[part].parent.index]) for part in pair))
        for pair in pairs
    ]
    return {(a, b) for a, b in rows}


@pytest.mark.parametrize("seed", [1, 2])
def test_pairs_from_events_match_the_contact_list(seed: int, make: Make) -> None:
    pytest.importorskip("rapier3d")

    class Mess(fw.Game):
        def setup(self) -> None:
            arena = Arena("space", scene=self, substeps=2)
            arena.floor()
            self.physics = arena.physics
            self.balls, _ = arena.boxes(*[(x * 0.9, 1.0 + x) for x in range(10)])
            self.plates, _ = arena.boxes((2, 0.5), (4, 1), sensor=True, layer="plate")

        def update(self, dt: float) -> None:
            if self.random.random() < 0.2 and len(self.balls) > 4:
                self.balls.remove([int(self.random.integers(len(self.balls)))])
            if self.random.random() < 0.2:
                self.balls.extend(1)
                self.balls.position[-1] = self.random.uniform((0, 1, 0), (8, 4, 0.5))
            if self.random.random() < 0.1:
                self.balls.position[0] = self.random.uniform((0, 1, 0), (8, 4, 0.5))

    game = make(Mess, drawing=False, seed=seed)
    snapshot = game.snapshot()
    for tick in range(150):
        simulation = simulation_of(game.physics)
        engine = simulation.engine
        game.physics.advance(DT)
        pairs = {tuple(sorted(pair)) for pair in engine.touching().tolist()}
        assert pairs == touching_rows(game.physics)
        game.run_ticks()
        if tick in (40, 90):
            snapshot = game.snapshot()
        if tick in (60, 110):
            game.restore(snapshot)


# -- queries and debug lines -----------------------------------------------------------------------


def test_queries_exclude_bodies_and_find_sensors(kind: str) -> None:
    arena = Arena(kind, gravity=0)
    v = arena.vector
    ground = arena.floor()
    table, bodies = arena.boxes((2, 1), (4, 1))
    plates, _ = arena.boxes((6, 1), sensor=True, kind="static", layer="plate")
    del table, plates
    physics = arena.physics
    arena.run(1)

    def row(hit: Any) -> Any:
        return None if hit is None else (getattr(hit.target, "row", -1), round(hit.point[0], 1))

    def ray(**options: Any) -> Any:
        return row(physics.raycast(v(0, 1), v(9, 0), **options))

    for radius in (0.0, 0.1):
        assert ray(radius=radius) == (0, 1.5)
        assert ray(radius=radius, exclude=(bodies, 0)) == (1, 3.5)
        assert ray(radius=radius, exclude=[(bodies, 0), (bodies, 1)]) is None
        assert ray(radius=radius, exclude=bodies, sensors=True) == (0, 5.5)
        assert ray(radius=radius, layers=["plate"]) is None
        assert ray(radius=radius, layers=["plate"], sensors=True) == (0, 5.5)
    down = physics.raycast(v(8, 3), v(0, -9))
    assert down.target is ground
    assert physics.raycast(v(8, 3), v(0, -9), exclude=ground) is None

    def area(**options: Any) -> list[Any]:
        low = v(0, 0.9) if arena.in_plane else (0, 0.9, -1)
        high = v(9, 1.1) if arena.in_plane else (9, 1.1, 1)
        return [each.row for each in physics.query_area(low, high, **options)]

    assert area() == [0, 1]
    assert area(exclude=(bodies, 1)) == [0]
    assert area(sensors=True) == [0, 1, 0]
    assert area(exclude=[bodies], sensors=True) == [0]
    assert [each.row for each in physics.query_point(v(2, 1))] == [0]
    assert physics.query_point(v(2, 1), exclude=bodies) == []
    assert [each.row for each in physics.query_point(v(2.7, 1), radius=0.3)] == [0]
    assert physics.query_point(v(2.7, 1)) == []
    assert [each.row for each in physics.query_point(v(6, 1), sensors=True)] == [0]
    ball = "circle" if arena.in_plane else "ball"

    def near(**options: Any) -> list[Any]:
        return [each.row for each in physics.query_shape(ball, v(4, 3.6), radius=3, **options)]

    assert near() == [0, 1]
    assert near(exclude=(bodies, 1)) == [0]
    assert near(sensors=True) == [0, 1, 0]
    assert near(layers=["plate"], sensors=True) == [0]

    def cast(**options: Any) -> Any:
        return row(physics.shapecast(ball, v(0, 1), v(9, 0), radius=0.1, **options))

    assert cast() == (0, 1.5)
    assert cast(exclude=(bodies, 0)) == (1, 3.5)
    assert cast(exclude=bodies) is None
    assert cast(exclude=bodies, sensors=True) == (0, 5.5)
    with pytest.raises(TypeError, match="exclude: expected"):
        physics.query_point(v(0, 0), exclude=[3])
    with pytest.raises(TypeError, match="sensors: expected"):
        physics.query_point(v(0, 0), sensors=2)


def test_debug_lines_show_contacts(kind: str) -> None:
    arena = Arena(kind)
    arena.floor()
    arena.boxes((3, 0.49), (9, 9))
    arena.run(1)
    plain, _ = arena.physics.debug_lines()
    lines, colors = arena.physics.debug_lines(contact_length=2)
    rounded_sum = lines[len(plain) :]
    assert len(rounded_sum) == arena.dimensions + 1
    assert len(lines) == len(colors)
    assert rounded_sum.mean(axis=(0, 1))[0] == pytest.approx(3, abs=0.02)
    start, end = rounded_sum[-1][:, :2]
    assert start == pytest.approx([3, 0], abs=0.03)
    assert end - start == pytest.approx([0, 2], abs=0.01)  # from the floor to the box
    with pytest.raises(ValueError, match="contact_length: expected"):
        arena.physics.debug_lines(contact_length=-1)


def contact_numbers(contact: Any, colliders: Any) -> list[float]:
    """Return the depth, impulse, point and normal of a contact, computed from Rapier's objects."""
    points = [
        (point, manifold.data.normal.to_tuple())
        for manifold in contact.manifolds
        for point in manifold.points
    ]
    if not points:
        return [np.nan] * 8
    nearest = min(point.dist for point, _ in points)
    impulse = rounded_sum([point.impulse for point, _ in points])
    pose = colliders[contact.collider1].position
    rows = []
    for point, normal in points:
        if point.impulse > 0 if impulse > 0 else point.dist <= max(nearest, 0.0):
            middle = pose.transform_point(point.local_p1).to_tuple()
            half = point.dist / 2
            rows.append([a + half * b for a, b in zip(middle, normal, strict=True)] + [*normal])
    means = [rounded_sum(column) / len(rows) for column in zip(*rows, strict=True)]
    return [-nearest, impulse, *means]


def rounded_sum(numbers: Sequence[float]) -> float:
    """Return the sum, rounded after each number. From Python 3.12 on, `sum` rounds only once."""
    return functools.reduce(operator.add, numbers, 0.0)


@pytest.mark.parametrize("exact", [True, False])
def test_all_contacts_have_the_numbers_of_each_contact(
    exact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rapier3d")
    from framework.physics import rapier_contacts

    if exact and not rapier_contacts._is_transform_exact():
        pytest.skip("this version of rapier3d computes points in another order")
    monkeypatch.setattr(rapier_contacts, "_is_transform_exact", lambda: exact)
    random = np.random.default_rng(5)
    arena = Arena("space")
    boxes = arena.rows(*random.uniform((-2, 1), (2, 9), (40, 2)).tolist())
    boxes.position[:, 2] = random.uniform(-2, 2, 40)
    boxes.rotation[:] = random.normal(size=(40, 4))
    arena.physics.add(boxes, size=(0.7, 0.5, 0.6), layer="crate")
    balls = arena.rows((0.3, 1.5), (0.1, 3))
    arena.physics.add(balls, shape="ball", radius=0.4, layer="crate")
    arena.floor()
    arena.physics.add_static(fw.Mesh.box((4, 0.3, 1)), (0.5, 0.2, 0), layer="ground")
    simulation = simulation_of(arena.physics)
    engine: Any = simulation.engine
    compared = 0
    for _ in range(12):
        arena.run(9)
        world = engine.world
        contacts = engine._contacts
        touching = contacts._touching
        read, points = contacts._contact_points(world, touching)
        poses = contacts._poses(world, points)
        table = rapier_contacts._contact_numbers(len(read), points, poses)
        for index, row in zip(read, table.tolist(), strict=True):
            first = int(touching[index]) >> 32
            second = int(touching[index]) & 0xFFFFFFFF
            handles = contacts._handles
            contact = world.narrow_phase.contact_pair(handles[first], handles[second])
            expected = contact_numbers(contact, world.colliders)
            np.testing.assert_array_equal(row, expected)
            compared += 1
    assert compared > 300
