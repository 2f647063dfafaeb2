"""Reading: in `draw` and between ticks, reading any public attribute changes no state."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pictures import blob

import framework as fw
from framework.moved_names import Absent
from framework.physics.physics_world import simulation_of
from framework.state.backend import batches_of

SIZE = (160, 100)
MAX_MEMBERS = 3  # number of members of a list that are read
MAX_DEPTH = 4

Make = Callable[..., Any]

# Objects of the machine, and the boxes of widgets, which are not documented.
UNREAD = {"box", "ctx", "window", "clipboard"}


@cache
def attributes_of(kind: type) -> frozenset[str]:
    """Return the names of the public attributes and properties of a class, without its methods."""
    methods = types.FunctionType | classmethod | staticmethod
    return frozenset(
        name
        for name in dir(kind)
        if name[0] != "_"
        and name not in UNREAD
        and not isinstance(static := inspect.getattr_static(kind, name, None), methods)
        # an attribute that only raises an error
        and getattr(type(static), "__get__", None) is not Absent.__get__
    )


@cache
def is_read(kind: type) -> bool:
    """Return whether a class belongs to the framework, or is a scene."""
    return any(
        cls.__module__.startswith("framework") or issubclass(cls, fw.Scene) for cls in kind.__mro__
    )


@cache
def is_collection(kind: type) -> bool:
    return (
        issubclass(kind, Iterable)
        and hasattr(kind, "__len__")
        and not issubclass(kind, str | np.ndarray)
    )


def read(subject: Any, read_objects: dict[int, Any], depth: int = 0) -> int:
    """Read all public attributes of an object of the framework, and of the objects in its
    attributes. Return the number of values."""
    count = 0
    if depth > MAX_DEPTH or id(subject) in read_objects:
        return 0
    read_objects[id(subject)] = subject
    if isinstance(subject, list | tuple | set | frozenset):
        return sum(read(part, read_objects, depth + 1) for part in islice(subject, MAX_MEMBERS))
    if isinstance(subject, dict):
        return sum(
            read(part, read_objects, depth + 1) for part in islice(subject.values(), MAX_MEMBERS)
        )
    kind = type(subject)
    if not is_read(kind):
        return 0
    repr(subject)
    own_names = {
        name for name in getattr(subject, "__dict__", {}) if name[0] != "_" and name not in UNREAD
    }
    for name in sorted(own_names | attributes_of(kind)):
        try:
            value = getattr(subject, name)
        except (fw.FrameworkError, AttributeError, NotImplementedError, TypeError, ValueError):
            continue  # of a removed object, or only available with drawing
        count += 1
        if is_collection(type(value)):
            len(value)
            if hasattr(value, "__getitem__") and not isinstance(value, dict) and len(value):
                with suppress(TypeError, KeyError):
                    count += read(value[0], read_objects, depth + 1)
        count += read(value, read_objects, depth + 1)
    return count


class AllKinds(fw.Game):
    """A game with an object of every kind. Most of the objects move."""

    looks = False
    not_state = ("looks",)

    def setup(self) -> None:
        image = blob()
        self.ships = self.add(
            fw.SpriteBatch(
                image, count=4, tags=("enemy",), columns=("velocity", "angular_velocity")
            )
        )
        self.ships.position[:] = self.random.uniform((0, 0), self.size, (4, 2))
        self.ship = self.ships[0]
        self.lone = self.sprites.add(image, position=(20, 20))
        self.text = self.labels.add("Hello", (5, 5))
        self.sparks = self.add(fw.Particles.sparks(capacity=200))
        self.shapes = self.add(fw.Shapes())
        self.circle = self.shapes.add_circle((40, 20), 6)
        self.lights = self.add(fw.Lights2D(ambient=(0.5, 0.5, 0.5)), layer=1)
        self.lamp = self.lights.add((30, 30), radius=40)
        self.tiles = self.add(fw.TileLayer(fw.TileSet(image, (8, 8)), np.ones((4, 4), int)))
        self.cubes = self.add(fw.MeshBatch(fw.Mesh.cube(), 2))
        self.light = self.world.lights.add(position=(1, 1, 1))
        self.nodes = fw.Nodes2D()
        self.node = self.nodes.add(position=(1, 2))
        self.camera.follow(self.lone)
        self.menu = self.ui.column(anchor="center")
        self.button = self.menu.button("OK", self.pressed)
        self.score = 0
        self.toggle = self.menu.toggle("T", self, "on")
        self.effects = [fw.Bloom(0.3)]
        self.schedule.interval(self.beat, 0.05)
        self.slow = self.schedule.group(0.5)
        self.move = self.tween(self.lone, position=(90, 60), duration=5)
        self.actions = fw.Actions(jump=["space"], move=fw.Stick("a d s w"))
        self.systems.add("ai", self.think)
        self.second = self.views.add(fw.Camera2D(self.size), (0.5, 0.5, 0.5, 0.5))
        self.make_physics(image)

    on = False

    def make_physics(self, image: Any) -> None:
        self.balls = self.add(fw.SpriteBatch(image, count=3))
        self.balls.position[:, 0] = 20, 60, 100
        self.space = fw.Physics3D(self, gravity=(0, -10, 0))
        self.boxes = self.add(fw.MeshBatch(fw.Mesh.cube(), 2))
        self.boxes.position[:, 1] = 1, 4
        self.boxed = self.space.add(self.boxes)

    def pressed(self) -> None:
        self.score += 1

    def beat(self, dt: float) -> None:
        self.sparks.emit(3, position=(30, 30))

    def think(self, dt: float) -> None:
        self.circle.position = (40 + self.tick % 5, 20)

    def update(self, dt: float) -> None:
        self.ships.move(dt)
        self.text.text = f"{self.tick}"
        self.cubes.position[0, 0] += 0.1
        self.on = self.tick % 8 < 4
        if self.tick % 5 == 1:
            self.ships.add(position=(50, 50))
            self.balls.add(position=(50, 90))
            self.boxes.add(position=(0, 9, 0))
        if self.tick % 5 == 3:
            self.ships.remove([0])
            self.balls.remove([0])
            self.boxes.remove([0])
        if self.tick == 7:
            self.push(Over())

    def draw(self, alpha: float) -> None:
        if type(self).looks:
            self.look()

    def look(self) -> int:
        read_objects: dict[int, Any] = {}
        count = read(self, read_objects)
        for scene in (self, self.scene):
            for name in (
                "camera",
                "hud",
                "world",
                "sprites",
                "labels",
                "ui",
                "effects",
                "schedule",
                "audio",
            ):
                count += read(getattr(scene, name), read_objects)
        self.tagged("enemy")
        self.views.at(3, 3)
        self.default_listener(2)
        self.default_listener(3)
        if simulation_of(self.space).sets:
            self.space.entered("default", "default")
        return count


class WithPhysics2D(AllKinds):
    """The same game with physics in the plane, which has no snapshots."""

    def make_physics(self, image: Any) -> None:
        super().make_physics(image)
        self.plane = fw.Physics2D(self, gravity=(0, -500))
        self.bodies = self.plane.add(self.balls)

    def look(self) -> int:
        self.plane.entered("default", "default")
        return super().look()


class Over(fw.Scene):
    pauses_below = False

    def setup(self) -> None:
        self.age = 0

    def update(self, dt: float) -> None:
        self.age += 1


class Empty(fw.Game):
    """A game without objects. Its parts are created when they are read, and the game uses some of
    them later."""

    looks = False
    look = AllKinds.look
    draw = AllKinds.draw
    not_state = ("looks",)
    space: Any = None

    def setup(self) -> None:
        self.space = fw.Physics3D(self)

    def update(self, dt: float) -> None:
        if self.tick == 9:
            self.labels.add("late", (5, 5))
            self.schedule.once(lambda dt: self.sprites.add(blob(), position=(9, 9)), 0.05)
        if self.tick == 14:
            self.camera.position = (50, 50)
            self.world.camera.position = (0, 0, 9)
            self.ui.column().label("L")
        if self.tick == 17:
            self.effects.append(fw.Bloom(0.3))
            self.push(Over())


def play(game: Any, ticks: int, outside: bool) -> list[dict[str, int]]:
    """Return the hashes of each tick. With ``outside``, read everything between ticks too, before
    or after the hash."""
    hashes = []
    player = fw.RandomPlayer(4)
    for tick in range(1, ticks + 1):
        player(game, tick)
        game.advance(1 / 60)
        if outside and tick % 2:
            game.look()
        hashes.append(game.debug.state_hashes() | {"all": game.state_hash()})
        if outside and not tick % 2:
            game.look()
    return hashes


@cache
def hashes_without_reads(game_class: Any, drawing: bool) -> list[dict[str, int]]:
    """Return the hashes of a game without reads."""
    assert not game_class.looks
    with game_class(headless=True, size=SIZE, drawing=drawing, seed=3) as game:
        return play(game, 24, False)


GAMES = [AllKinds, WithPhysics2D, Empty]


@pytest.fixture(params=GAMES)
def game_class(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    kind = request.param
    if kind is WithPhysics2D:
        pytest.importorskip("pymunk")
    pytest.importorskip("rapier3d")
    return kind


# Without drawing, the game does not call `draw`.
@pytest.mark.parametrize(
    ("where", "drawing"), [("draw", True), ("outside", True), ("both", True), ("outside", False)]
)
def test_reading_everything_changes_no_hash(
    make: Make, game_class: Any, where: str, drawing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"size": SIZE, "drawing": drawing, "seed": 3}
    before = hashes_without_reads(game_class, drawing)
    monkeypatch.setattr(game_class, "looks", where != "outside")
    game = make(game_class, **options)
    after = play(game, 24, where != "draw")
    for tick, (hashes_before, hashes_after) in enumerate(zip(before, after, strict=True), 1):
        assert {
            path
            for path in hashes_before | hashes_after
            if hashes_before.get(path) != hashes_after.get(path)
        } == set(), f"tick {tick}"
    assert game.look() > 400 if game_class is not Empty else game.look() > 100


@pytest.mark.parametrize("drawing", [False, True])
def test_snapshots_around_reads_restore_the_same_states(
    make: Make, drawing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rapier3d")
    for game_class in (AllKinds, Empty):
        expected = hashes_without_reads(game_class, drawing)
        monkeypatch.setattr(game_class, "looks", True)
        game = make(game_class, size=SIZE, drawing=drawing, seed=3)
        first = game.snapshot()  # before a read created anything
        game.look()
        second = game.snapshot()
        for snapshot in (first, second, first):
            assert play(game, 24, True) == expected
            game._engine.stage.inbox.take()
            game.restore(snapshot)


@pytest.mark.parametrize("drawing", [False, True])
def test_a_recording_verifies_with_and_without_reads(
    make: Make, game_class: Any, drawing: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_class, "looks", True)
    game = make(game_class, size=SIZE, drawing=drawing, seed=3)
    game.recording.start(tmp_path / "played.rec", hash_every=1)
    play(game, 20, True)
    game.recording.stop()
    for looks in (False, True):
        monkeypatch.setattr(game_class, "looks", looks)
        fw.Replay(tmp_path / "played.rec").verify(game_class).check()


def test_parts_read_between_ticks_are_used_after_changes(make: Make) -> None:
    game = make(size=SIZE)
    labels = game.labels
    camera = game.camera
    ui = game.ui
    world = game.world
    schedule = game.schedule
    called: list[float] = []
    before = game.state_hash()
    assert (game.labels, game.camera, game.ui, game.world) == (labels, camera, ui, world)
    labels.add("Hi", (9, 9), font_size=40)
    game.advance(1 / 60)
    game.advance(1 / 60)
    assert game.labels is labels
    assert game.pixels()[..., :3].max() > 200
    assert game.state_hash() != before
    camera.position = (1, 2)
    ui.column().label("L")
    schedule.once(called.append, 0)
    lit = game.add(fw.MeshBatch(fw.Mesh.cube(), 1))
    game.advance(1 / 60)
    assert lit in batches_of(game.world)
    assert game.world is world
    assert (game.camera, game.ui, game.schedule) == (camera, ui, schedule)
    assert len(called) == 1
    game.remove(labels)
    assert game.labels is not labels


def test_velocities_read_between_ticks_can_be_written(make: Make) -> None:
    pytest.importorskip("pymunk")
    game = make(size=SIZE, drawing=False)
    batch = game.add(fw.SpriteBatch(blob(), 2))
    batch.position[1] = 100, 0
    bodies = fw.Physics2D(game).add(batch)
    speeds = bodies.velocity
    speeds[1] = 60, 0
    bodies.force[0] = 0, 600
    game.run_ticks()
    np.testing.assert_allclose(batch.position[1], (101, 0), atol=1e-4)
    assert batch.position[0, 1] > 0
    assert bodies.velocity is speeds or bodies.velocity[1, 0] == 60
