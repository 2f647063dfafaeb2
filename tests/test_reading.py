"""Whatever is documented may be read at any time: in `draw` and between ticks, reading changes
nothing.
"""

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
MAX_MEMBERS = 3  # members of a list that are looked at
MAX_DEPTH = 4

Make = Callable[..., Any]

# What is of the machine, and the boxes of widgets, which are not documented.
LEFT = {"box", "ctx", "window", "clipboard"}


@cache
def attributes_of(kind: type) -> frozenset[str]:
    """Return the names of the public attributes and properties of a class, without its methods."""
    methods = types.FunctionType | classmethod | staticmethod
    return frozenset(
        name
        for name in dir(kind)
        if name[0] != "_"
        and name not in LEFT
        and not isinstance(static := inspect.getattr_static(kind, name, None), methods)
        and getattr(type(static), "__get__", None) is not Absent.__get__  # which only raises
    )


@cache
def is_read(kind: type) -> bool:
    """Return whether a class is the framework's, or a scene."""
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


def read(thing: Any, seen: dict[int, Any], depth: int = 0) -> int:
    """Read all public attributes of a thing of the framework, and of what these hold. Returns how
    many there were.
    """
    count = 0
    if depth > MAX_DEPTH or id(thing) in seen:
        return 0
    seen[id(thing)] = thing
    if isinstance(thing, list | tuple | set | frozenset):
        return sum(read(part, seen, depth + 1) for part in islice(thing, MAX_MEMBERS))
    if isinstance(thing, dict):
        return sum(read(part, seen, depth + 1) for part in islice(thing.values(), MAX_MEMBERS))
    kind = type(thing)
    if not is_read(kind):
        return 0
    repr(thing)
    own = {name for name in getattr(thing, "__dict__", {}) if name[0] != "_" and name not in LEFT}
    for name in sorted(own | attributes_of(kind)):
        try:
            value = getattr(thing, name)
        except (fw.FrameworkError, AttributeError, NotImplementedError, TypeError, ValueError):
            continue  # of something that was removed, or that there is only with pictures
        count += 1
        if is_collection(type(value)):
            len(value)
            if hasattr(value, "__getitem__") and not isinstance(value, dict) and len(value):
                with suppress(TypeError, KeyError):
                    count += read(value[0], seen, depth + 1)
        count += read(value, seen, depth + 1)
    return count


class Everything(fw.Game):
    """One of everything, most of it moving."""

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
        seen: dict[int, Any] = {}
        count = read(self, seen)
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
                count += read(getattr(scene, name), seen)
        self.tagged("enemy")
        self.views.at(3, 3)
        self.default_listener(2)
        self.default_listener(3)
        if simulation_of(self.space).sets:
            self.space.entered("default", "default")
        return count


class Falling(Everything):
    """The same with physics of the plane, of which there are no snapshots."""

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


class Bare(fw.Game):
    """Which has nothing: all of it is made when it is read. It begins to use things later."""

    looks = False
    look = Everything.look
    draw = Everything.draw
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
    """Return the hashes of each tick. ``outside`` reads everything between ticks too, in turn before
    and after the tick is hashed.
    """
    found = []
    player = fw.RandomPlayer(4)
    for tick in range(1, ticks + 1):
        player(game, tick)
        game.advance(1 / 60)
        if outside and tick % 2:
            game.look()
        found.append(game.debug.state_hashes() | {"all": game.state_hash()})
        if outside and not tick % 2:
            game.look()
    return found


@cache
def unread(game_class: Any, drawing: bool) -> list[dict[str, int]]:
    """Return the hashes of a game in which nothing is read."""
    assert not game_class.looks
    with game_class(headless=True, size=SIZE, drawing=drawing, seed=3) as game:
        return play(game, 24, False)


GAMES = [Everything, Falling, Bare]


@pytest.fixture(params=GAMES)
def game_class(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    kind = request.param
    if kind is Falling:
        pytest.importorskip("pymunk")
    pytest.importorskip("rapier3d")
    return kind


# Without drawing, `draw` is not called.
@pytest.mark.parametrize(
    ("where", "drawing"), [("draw", True), ("outside", True), ("both", True), ("outside", False)]
)
def test_reading_everything_changes_no_hash(
    make: Make, game_class: Any, where: str, drawing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"size": SIZE, "drawing": drawing, "seed": 3}
    before = unread(game_class, drawing)
    monkeypatch.setattr(game_class, "looks", where != "outside")
    game = make(game_class, **options)
    after = play(game, 24, where != "draw")
    for tick, (one, other) in enumerate(zip(before, after, strict=True), 1):
        assert {path for path in one | other if one.get(path) != other.get(path)} == set(), (
            f"tick {tick}"
        )
    assert game.look() > 400 if game_class is not Bare else game.look() > 100


@pytest.mark.parametrize("drawing", [False, True])
def test_snapshots_that_everything_was_read_around_go_back_to_the_same(
    make: Make, drawing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rapier3d")
    for game_class in (Everything, Bare):
        straight = unread(game_class, drawing)
        monkeypatch.setattr(game_class, "looks", True)
        game = make(game_class, size=SIZE, drawing=drawing, seed=3)
        first = game.snapshot()  # before anything was made by a reader
        game.look()
        second = game.snapshot()
        for snapshot in (first, second, first):
            assert play(game, 24, True) == straight
            game._engine.stage.inbox.take()
            game.restore(snapshot)


@pytest.mark.parametrize("drawing", [False, True])
def test_a_recording_verifies_whoever_reads(
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


def test_what_was_read_between_ticks_is_used_once_it_is_changed(make: Make) -> None:
    game = make(size=SIZE)
    labels, camera, ui, world, schedule = (
        game.labels,
        game.camera,
        game.ui,
        game.world,
        game.schedule,
    )
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


def test_velocities_that_were_looked_at_between_ticks_may_be_written(make: Make) -> None:
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
