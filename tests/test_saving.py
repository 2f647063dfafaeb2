"""Saves: declared values return to the same objects, and damaged or hostile files are refused."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import enum
import errno
import json
import os
import random
import struct
import sys
import time
import tracemalloc
import warnings
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xxhash
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pictures import solid
from PIL import Image

import framework as fw
from framework.models.parts import Part
from framework.record import container
from framework.record.container import Container
from framework.record.packing import GENERATORS, Packer
from framework.record.unpacking import Unpacker
from framework.space.solids import parts_of

Make = Callable[..., Any]


class Mode(enum.Enum):
    PLAY = 1
    PAUSE = 2


@dataclasses.dataclass(eq=False)
class Enemy:
    hp: int
    at: tuple[float, float]
    friend: Enemy | None = None


class Player:
    saved = ("name", "bag")

    def __init__(self) -> None:
        self.name = "ann"
        self.bag = ["key"]
        self.sound = object()

    def after_load(self) -> None:
        self.sound = f"of {self.name}"


class Duel(fw.Game):
    saved: Any = ("score", "fleet", "ship", "enemies", "player", "grid", "random", "mode", "notes")
    saved_classes: Any = (Enemy, Mode)

    def setup(self) -> None:
        self.score = 0
        self.mode = Mode.PLAY
        self.player = Player()
        self.fleet = self.add(fw.SpriteBatch([solid(4, 4), solid(6, 2)], count=3))
        self.ship: Any = self.fleet.add(1, position=(3, 4))
        self.enemies: list[Any] = []
        self.grid = np.zeros((3, 4), np.int16)
        self.notes: Any = None
        self.loaded = 0

    def after_load(self) -> None:
        self.loaded += 1

    def update(self, dt: float) -> None:
        self.fleet.position[:] += self.random.normal(0, 1, (len(self.fleet), 2))


NOTES: list[Any] = [
    None,
    True,
    -0.0,
    float("inf"),
    "é\ud800",
    b"\0\xff",
    2**63,
    {"@a": 1, (1, "b"): [2]},
    {3: 1, (4, -5): 2, (): 3},
]


def make_busy(game: Any) -> Any:
    """Set values of every kind, and run three ticks."""
    first = Enemy(3, (1.5, 2))
    second = Enemy(4, (0, 0))
    first.friend = second
    second.friend = first
    game.enemies[:] = [first, second]
    game.score = 7
    game.mode = Mode.PAUSE
    game.player.name = "bea"
    game.grid[1, 2] = 5
    game.notes = [game.enemies, *NOTES]
    game.run_ticks(3)
    return game


def change_all(game: Any) -> None:
    game.score = 0
    game.mode = Mode.PLAY
    game.notes = 1
    game.enemies.clear()
    game.grid[:] = 9
    game.player.name = "cid"
    game.player.bag[:] = []
    game.fleet.remove([0, 2])
    game.run_ticks(2)


def state(game: Any) -> tuple[Any, ...]:
    return game.state_hash(), game.fleet.position.tolist(), game.random.bit_generator.state


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "one.save"


@pytest.fixture
def saved(make: Make, path: Path) -> bytes:
    """Write a save of a busy game to `path`, and return its bytes."""
    make_busy(make(Duel)).save(path=path)
    return path.read_bytes()


# -- restored values -------------------------------------------------------------------------------


def test_loading_restores_the_same_objects(make: Make, path: Path) -> None:
    game = make_busy(make(Duel))
    ship = game.ship
    enemies = game.enemies
    grid = game.grid
    player = game.player
    before = game.state_hash()
    assert game.save(path=path) == path
    positions = game.fleet.position.copy()
    change_all(game)
    game.load(path=path)
    assert game.loaded == 1
    game.loaded = 0
    ticks = game.tick
    assert (game.enemies is enemies, game.grid is grid, game.player is player) == (True, True, True)
    assert (game.score, game.mode, player.name, player.bag, player.sound) == (
        7,
        Mode.PAUSE,
        "bea",
        ["key"],
        "of bea",
    )
    assert (len(game.fleet), game.ship.row, game.fleet.position.tolist()) == (
        4,
        3,
        positions.tolist(),
    )
    assert ship is game.ship
    assert enemies[0].friend is enemies[1]
    assert enemies[1].friend is enemies[0]
    assert game.notes[0] is enemies
    assert repr(game.notes[1:]) == repr(NOTES)
    assert ticks == 5  # `tick` is not declared, so loading does not change it
    second_game = make(Duel)
    second_game.load(path=path)
    second_game.loaded = 0
    second_game.run_ticks(3)  # as the first game did
    third_game = make(Duel)
    third_game.load(path=path)
    third_game.loaded = 0
    third_game.run_ticks(3)
    assert state(second_game) == state(third_game)
    assert before != second_game.state_hash()


def test_a_loaded_game_continues_equally(make: Make, path: Path) -> None:
    game = make_busy(make(Duel))
    game.save(path=path)
    game.run_ticks(5)
    after = game.fleet.position.tolist(), game.random.random()
    change_all(game)
    game.load(path=path)
    game.run_ticks(5)
    assert (game.fleet.position.tolist(), game.random.random()) == after


class Values(fw.Game):
    saved = ("value",)
    value: Any = None


whole = st.integers(-(2**63), 2**64 - 1)
plain_keys = st.text() | whole | st.booleans() | st.none()
keys = st.recursive(plain_keys, lambda inner: st.tuples(inner, inner), max_leaves=3)
plain = st.none() | st.booleans() | whole | st.floats() | st.text() | st.binary()
trees = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(keys, inner, max_size=4)
        | st.dictionaries(whole | st.tuples(whole) | st.tuples(whole, whole), inner, max_size=4)
        | st.tuples(inner, inner)
        | st.sets(keys, max_size=4)
        | st.frozensets(keys, max_size=4)
        | st.builds(collections.deque, st.lists(inner, max_size=4), st.none() | st.integers(4, 9))
    ),
    max_leaves=12,
)


@settings(max_examples=25)
@given(trees)
@example([-(2**63), 2**64 - 1])
def test_any_tree_of_values_survives_packing(value: Any) -> None:
    arrays: list[Any] = []
    tree = json.loads(json.dumps(Packer(arrays.append).value(value, "value"), allow_nan=False))
    assert repr(ordered(Unpacker(lambda dtype, shape: arrays.pop()).value(tree, 66))) == repr(
        ordered(value)
    )


def ordered(value: Any) -> Any:
    """Replace sets by sorted lists, so that values can be compared."""
    if isinstance(value, set | frozenset):
        return type(value).__name__, sorted(map(repr, value))
    if isinstance(value, dict):
        return {key: ordered(member) for key, member in value.items()}
    if isinstance(value, list | tuple | collections.deque):
        return (
            type(value).__name__,
            getattr(value, "maxlen", None),
            [ordered(member) for member in value],
        )
    return type(value).__name__, value


@pytest.mark.parametrize(
    "dtype", ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", ">f4", ">i8"]
)
def test_arrays_and_numbers_of_every_type_are_loaded(make: Make, path: Path, dtype: str) -> None:
    game = make(Values)
    loaded_game = make(Values)
    array = np.arange(24).reshape(2, 3, 4).astype(dtype)
    game.value = [
        array,
        array[:, ::2],
        array[0, 0, 1],
        np.zeros((0, 5), dtype),
        np.array(3, dtype),
        array,
    ]
    game.save(path=path)
    loaded_game.load(path=path)
    native = np.dtype(dtype).newbyteorder("=")
    for loaded_array, expected in zip(loaded_game.value, game.value, strict=True):
        assert (loaded_array.dtype, loaded_array.shape, loaded_array.tolist()) == (
            native,
            expected.shape,
            expected.tolist(),
        )
    assert loaded_game.value[5] is loaded_game.value[0]
    assert type(loaded_game.value[2]) is type(array[0, 0, 1])


@pytest.mark.parametrize("kind", [*GENERATORS, "Random"])
def test_random_generators_continue_after_loading(make: Make, path: Path, kind: str) -> None:
    game = make(Values)
    generator = (
        random.Random(5) if kind == "Random" else np.random.Generator(getattr(np.random, kind)(5))
    )
    game.value = generator
    draw = generator.random
    for _ in range(7):
        draw()
    if isinstance(generator, np.random.Generator):
        generator.integers(9, dtype=np.uint32)  # half of a word is kept
    else:
        generator.gauss(0, 1)
    game.save(path=path)
    expected = [draw() for _ in range(9)]
    game.load(path=path)
    assert game.value is generator
    assert [draw() for _ in range(9)] == expected
    game.value = None
    game.load(path=path)
    assert [game.value.random() for _ in range(9)] == expected


class Space(fw.Game):
    saved = ("cubes", "nodes", "lamp", "here")

    def setup(self) -> None:
        self.cubes = self.add(fw.MeshBatch(fw.Mesh.cube(), 2))
        self.nodes = fw.Nodes3D()
        self.lamp: Any = self.world.lights.add(position=(1, 2, 3))
        self.here: Any = None

    @property
    def lights(self) -> Any:
        return self.world.lights


class Lit(Space):
    saved: Any = ("lights",)


def test_meshes_nodes_and_lights_are_loaded(make: Make, path: Path) -> None:
    game = make(Lit)
    top = game.nodes.add(position=(1, 0, 0))
    game.here = game.nodes.add(top, position=(0, 2, 0))
    game.cubes.position[1] = 5, 6, 7
    game.save(path=path)
    second_game = make(Lit)
    second_game.nodes.add()
    second_game.load(path=path)
    assert second_game.here.parent.position == (1, 0, 0)
    assert second_game.here is second_game.nodes[1]
    assert second_game.cubes.position.tolist() == [[0, 0, 0], [5, 6, 7]]
    assert second_game.lamp.position == (1, 2, 3)
    second_game.advance(1 / 60)


class Drawn(fw.Game):
    """A game with a batch of each kind that `Duel` does not have, and both cameras."""

    saved: Any = ("gun", "nodes", "hull", "bones", "smoke", "men", "man", "eye", "camera")

    def setup(self) -> None:
        self.nodes = fw.Nodes2D()
        self.bones = fw.Nodes3D()
        self.ship = self.nodes.add(position=(10, 20))
        self.gun = self.add(fw.NodeSprites([solid(2, 2), solid(4, 4)], self.nodes))
        self.gun.show(self.nodes.add(self.ship, position=(0, 2)), 1, color=(1, 0, 0, 1))
        self.hull = self.add(
            fw.NodeMeshes(fw.Mesh.cube(), self.bones, [self.bones.add(), self.bones.add()])
        )
        self.smoke = self.add(fw.Billboards([solid(2, 2), solid(4, 4)], 2))
        times = np.array([0, 1], np.float32)
        keys = (
            np.array([(0, 0, 0), (0, 2, 0)], np.float32),
            np.array([(0, 0, 0, 1), (0, 1, 0, 0)], np.float32),
        )
        wave = fw.Animation("Wave", [fw.Channel(1, "translation", "LINEAR", times, keys[0])])
        walk = fw.Animation("Walk", [fw.Channel(1, "rotation", "LINEAR", times, keys[1])])
        model = fw.Model.of(
            [Part(fw.Mesh.cube(), fw.Material(), [0, 1])],
            names=["a", "b"],
            parent=[-1, 0],
            animations=[wave, walk],
        )
        self.men = self.add(fw.ModelBatch(model, 2))
        self.man: Any = self.men[1]

    @property
    def eye(self) -> Any:
        return self.world.camera


def drawn_values(game: Any) -> Any:
    """Return all declared values of `Drawn` as plain numbers."""
    columns = [
        *(
            game.nodes.position,
            game.nodes.parent,
            game.gun.node,
            game.gun.image,
            game.gun.color,
            game.bones.position,
        ),
        *(
            game.hull.node,
            game.hull.color,
            game.smoke.position,
            game.smoke.image,
            game.men.nodes.position,
        ),
        *(game.men.nodes.rotation, game.men.color, game.eye.position, game.eye.rotation),
    ]
    plays = [(man.playing, man.time, man.finished) for man in game.men]
    camera = game.camera
    views = (
        game.eye.fov,
        game.eye.ortho_height,
        game.eye.far,
        camera.position,
        camera.zoom,
        camera.angle,
    )
    return (
        [column.tolist() for column in columns],
        plays,
        views,
        [part.owner.tolist() for part in parts_of(game.men)],
    )


def change_drawn(game: Any) -> None:
    """Change a value of each kind."""
    game.camera.position = (5, 6)
    game.camera.zoom = 2.0
    game.camera.angle = 0.5
    game.eye.position = (1, 2, 3)
    game.eye.fov = 0.7
    game.eye.far = 99.0
    game.nodes.add(position=(7, 7))
    game.gun.show(2, 0)
    game.bones.position[1] = 4, 5, 6
    game.hull.color[0] = 0, 1, 0, 1
    game.smoke.extend(2, position=(3, 3, 3), image=1)
    game.men.add(position=(9, 0, 0))
    game.men.play("Wave", speed=2)
    game.run_ticks(20)
    game.man.play("Walk", loop=False)
    game.run_ticks(3)


def test_batches_of_every_kind_and_cameras_are_loaded(make: Make, path: Path) -> None:
    game = make(Drawn)
    change_drawn(game)
    before = drawn_values(game)
    man = game.man
    game.save(path=path)
    game.run_ticks(30)
    after = drawn_values(game)
    assert after != before
    game.men.remove(0)
    game.nodes.clear()
    game.bones.remove(0)
    game.smoke.clear()
    game.load(path=path)
    assert drawn_values(game) == before
    assert game.man is man or game.man.row == 1
    game.advance(0.5 / 60)
    assert game.camera.pose(0.5)[:2] == (5, 6)  # without interpolation
    second_game = make(Drawn)
    second_game.load(path=path)
    assert drawn_values(second_game) == before
    for loaded_game in (game, second_game):
        loaded_game.run_ticks(30)
        assert drawn_values(loaded_game) == after
    second_game.advance(1 / 60)


def test_a_failed_load_does_not_change_batches_of_any_kind(make: Make, path: Path) -> None:
    class Strict(Drawn):
        refuses = False

        def after_load(self) -> None:
            if self.refuses:
                raise ValueError("no such level")

    game = make(Strict)
    game.save(path=path)
    change_drawn(game)
    game.refuses = False
    before = drawn_values(game)
    hash_before = game.state_hash()
    handle = game.men[2]
    game.refuses = True
    with pytest.raises(fw.AssetError, match="no such level"):
        game.load(path=path)
    game.refuses = False
    assert game.state_hash() == hash_before
    assert drawn_values(game) == before
    assert handle.row == 2
    game.run_ticks(2)
    game.advance(1 / 60)


def test_rows_with_missing_nodes_or_images_are_refused(make: Make, path: Path) -> None:
    class Away(Drawn):
        saved: Any = ("nodes", "gun", "smoke")

    game = make(Away)
    game.save(path=path)
    for batch, column, says in (
        ("gun", "node", "game.gun: ValueError: node: row 0 asks for number 9, there are 2 nodes"),
        (
            "smoke",
            "image",
            "game.smoke: ValueError: image: expected indices from 0 to 1, got 9 to 9",
        ),
    ):
        second_game = make(Away)
        values = second_game.gun.node if batch == "gun" else second_game.smoke.image
        values[:] = 9
        second_game.save(path=path)
        second_game = make(Away)
        hash_before = second_game.state_hash()
        with pytest.raises(fw.AssetError, match=says):
            second_game.load(path=path)
        assert second_game.state_hash() == hash_before, column


def test_a_batch_at_nodes_cannot_be_saved_without_the_nodes(make: Make, path: Path) -> None:
    class Bare(fw.Game):
        saved = ("gun",)

        def setup(self) -> None:
            self.gun = self.add(fw.NodeSprites(solid(2, 2), fw.Nodes2D()))

    with pytest.raises(
        fw.FrameworkError,
        match=r"game\.gun is drawn at nodes that are not saved: name the Nodes2D in",
    ):
        make(Bare).save(path=path)


def test_saves_and_loads_in_draw_are_refused(make: Make, path: Path) -> None:
    class Eager(Duel):
        method: Any = None

        def draw(self, alpha: float) -> None:
            if self.asked is not None:
                getattr(self, self.asked)(path)

    game = make(Eager)
    game.save(path=path)
    for method in ("save", "load"):
        game.asked = method
        with pytest.raises(
            fw.FrameworkError, match=rf"^{method}: a frame is being drawn.*game\.call_soon"
        ):
            game.advance(1 / 60)
        game = make(Eager)


def test_images_are_matched_by_content_and_not_by_index(make: Make, path: Path) -> None:
    class Fleet(fw.Game):
        saved = ("fleet",)

        def setup(self) -> None:
            self.fleet = self.add(fw.SpriteBatch())

    first = solid(2, 2)
    second = solid(3, 3)
    third_image = solid(4, 4)
    game = make(Fleet)
    second_game = make(Fleet)
    third_game = make(Fleet)
    for image in (first, second, second, first):
        game.fleet.add(image)
    game.save(path=path)
    for image in (third_image, second, first):
        second_game.fleet.images.add(image)
    second_game.load(path=path)
    assert second_game.fleet.image.tolist() == [2, 1, 1, 2]
    third_game.fleet.images.add(first)
    with pytest.raises(
        fw.AssetError, match=r"game\.fleet\.image: the save has an image, a clip or a state"
    ):
        third_game.load(path=path)


def test_loaded_rows_are_drawn_without_interpolation(make: Make, path: Path) -> None:
    game = make(Duel)
    game.save(path=path)
    game.run_ticks(9)
    game.load(path=path)
    game.advance(0.5 / 60)
    assert [game.fleet[row].drawn_position(0.5) for row in range(4)] == [
        (0, 0),
        (0, 0),
        (0, 0),
        (3, 4),
    ]


def test_a_loaded_sprite_replaces_a_later_sprite_in_its_row(make: Make, path: Path) -> None:
    game = make(Duel)
    game.save(path=path)
    ship = game.ship
    ship.remove()
    later_sprite = game.fleet.add(0, position=(9, 9))
    game.load(path=path)
    assert (game.ship is ship, ship.removed, ship.position, len(game.fleet)) == (
        True,
        False,
        (3, 4),
        4,
    )
    assert later_sprite.removed


class Level(fw.Scene):
    saved = ("lives",)

    def setup(self) -> None:
        self.lives = 3


class Menu(fw.Scene):
    """A scene without saved attributes."""


def test_running_scenes_are_saved(make: Make, path: Path) -> None:
    game = make_busy(make(Duel))
    game.push(Level())
    game.push(Menu())
    game.scene.lives = 9
    game.save(path=path)
    game.pop()
    game.scene.lives = 1
    game.load(path=path)
    assert game.scene.lives == 3
    assert fw.Save(path).scenes == ["Level"]
    game.show(Menu())
    with pytest.raises(
        fw.AssetError, match="it has 'Level' above the game, but no scene is on; put the same"
    ):
        game.load(path=path)


def test_a_game_saves_and_loads_within_its_ticks(make: Make, path: Path) -> None:
    class Quick(Duel):
        def update(self, dt: float) -> None:
            self.score += 1
            if self.tick == 2:
                self.fleet[0].remove()
                self.save(path=path)
            if self.tick == 5:
                self.load(path=path)

    game = make(Quick)
    game.run(5)
    assert (game.score, len(game.fleet), game.ship.position) == (2, 3, (3, 4))
    game.run(3)


# -- what is declared ------------------------------------------------------------------------------


class Undeclared:
    """A class without a declaration."""


CANNOT = [
    (
        lambda game: [1, {"a": (n for n in ())}],
        r"game\.value\[1\]\['a'\] is a generator, which cannot be saved",
    ),
    (
        lambda game: Undeclared(),
        r"game\.value is an Undeclared, which cannot be saved; give Undeclared a declaration: saved = \(",
    ),
    (lambda game: Undeclared, "is the class Undeclared"),
    (lambda game: 2**64, r"game\.value is a whole number of more than 64 bits"),
    (lambda game: {Undeclared(): 1}, "has the key or member"),
    (lambda game: {frozenset()}, "has the key or member"),
    (lambda game: np.zeros(3, complex), "holds complex128"),
    (lambda game: np.array(["a"]), "holds <U1"),
    (lambda game: np.ma.masked_array([1, 2]), "is a MaskedArray"),
    (lambda game: np.zeros((1,) * 9), "has 9 dimensions"),
    (lambda game: struct.Struct("i"), "is a Struct"),
    (
        lambda game: collections.OrderedDict(),
        "is an OrderedDict, which cannot be saved; save its contents",
    ),
    (
        lambda game: game.sprites.add(solid(2, 2)),
        "is a sprite of a SpriteBatch, which is not saved: name the batch",
    ),
    (
        lambda game: game.labels,
        "is a TextBatch, which cannot be saved; save its source, and create it again",
    ),
    (lambda game: np.random.RandomState(1), "is a RandomState"),
]


@pytest.mark.parametrize(("value", "says"), CANNOT, ids=[says[:40] for _, says in CANNOT])
def test_the_error_of_an_unsaveable_value_names_it(
    make: Make, path: Path, value: Any, says: str
) -> None:
    game = make(Values)
    game.value = value(game)
    with pytest.raises(fw.FrameworkError, match=says) as caught:
        game.save(path=path)
    assert not isinstance(caught.value, fw.AssetError)
    assert os.listdir(path.parent) == []


def test_removed_sprites_and_too_deep_values_are_errors(make: Make, path: Path) -> None:
    game = make(Duel)
    game.ship.remove()
    with pytest.raises(fw.FrameworkError, match=r"game\.ship is a sprite that was removed"):
        game.save(path=path)
    game = make(Values)
    for deep in (63, 64):
        game.value = value = []
        for _ in range(deep - 1):
            value.append([])
            value = value[0]
        game.save(path=path)
        game.load(path=path)
    value.append([])
    with pytest.raises(fw.FrameworkError, match="nested more than 64 levels deep"):
        game.save(path=path)


def test_declarations_are_checked(make: Make, path: Path) -> None:
    class Single(fw.Game):
        saved: Any = "score"

    class Missing(fw.Game):
        saved = ("score",)

    for kind, says in (
        (Single, "saved: expected a tuple of names of attributes in .*Single, as in"),
        (Missing, "game has no 'score', which Missing declares in saved"),
        (fw.Game, "Game declares nothing to be saved; set saved"),
    ):
        with pytest.raises(fw.FrameworkError, match=says):
            make(kind).save(path=path)


def test_base_classes_declare_attributes_too(make: Make, path: Path) -> None:
    class More(Duel):
        saved: Any = ("lives",)
        lives = 3

    game = make(More)
    game.lives = 5
    game.score = 6
    game.save(path=path)
    game.lives = game.score = 0
    game.load(path=path)
    assert (game.lives, game.score) == (5, 6)


# -- versions --------------------------------------------------------------------------------------


def test_old_saves_are_migrated(make: Make, path: Path) -> None:
    class Old(fw.Game):
        saved = ("points", "speed")
        points = 5
        speed = 2

    def halves(state: dict[str, Any]) -> dict[str, Any]:
        return {
            **state,
            "game": {"score": state["game"]["points"], "velocity": state["game"]["speed"]},
        }

    def in_place(state: dict[str, Any]) -> None:
        state["game"]["velocity"] = [state["game"]["velocity"], 0]

    class New(fw.Game):
        saved = ("score", "velocity")
        score = 0
        velocity = ()
        saved_version = 3
        migrations: Any = {1: halves, 2: in_place}  # noqa: RUF012

    Old.__qualname__ = New.__qualname__ = "Old"
    make(Old).save(path=path)
    game = make(New)
    game.load(path=path)
    assert (game.score, game.velocity) == (5, [2, 0])
    New.migrations = {1: halves}
    with pytest.raises(
        fw.AssetError, match="it is of version 1 of the game, and migrations has no 2"
    ):
        game.load(path=path)
    New.migrations = {1: lambda state: {"game": state["game"]["lost"]}, 2: in_place}
    with pytest.raises(fw.AssetError, match="migration from version 1: KeyError: 'lost'"):
        game.load(path=path)
    New.migrations = {
        1: lambda state: {"game": {"score": Undeclared(), "velocity": 1}, "scenes": []},
        2: in_place,
    }
    with pytest.raises(
        fw.AssetError, match=r"game\.score: expected a value that a save can have, got .*Undeclared"
    ):
        game.load(path=path)
    game.save(path=path)
    with pytest.raises(
        fw.AssetError, match="of version 3 of the game, and this is version 1; a newer one"
    ):
        make(Old).load(path=path)


def test_a_migration_renames_clips_states_and_files(path: Path, tmp_path: Path) -> None:
    class Old(fw.Game):
        saved = ("crew", "minds", "hats")
        clip = "run"
        state = "run"
        file = "hat.png"

        def setup(self) -> None:
            image = np.full((4, 4, 4), 255, np.uint8)
            clips = fw.Clips([image, image], **{self.clip: (0, 2, 10), "stand": (0, 1, 1)})
            self.crew = self.add(fw.SpriteBatch(clips, 3))
            self.minds = fw.StateColumns(self.crew, "idle", self.state)
            Image.new("RGBA", (2, 2)).save(tmp_path / self.file)
            self.hats = self.add(fw.SpriteBatch(tmp_path / self.file, 1))

    def renamed(state: Any) -> None:
        crew = state["game"]["crew"]
        hats = state["game"]["hats"]
        crew.rename("clip", "run", "sprint")
        crew.rename("states", "run", "flee")
        crew.rename("clip", "jump", "leap")  # no row has this clip
        hats.rename("image", tmp_path / "hat.png", tmp_path / "cap.png")

    class New(Old):
        saved_version = 2
        migrations: Any = {1: renamed}  # noqa: RUF012
        clip = "sprint"
        state = "flee"
        file = "cap.png"

    with Old(drawing=False) as game:
        game.crew.play("run", [0, 2])
        game.minds.put([1], "run")
        game.save(path=path)
    New.__qualname__ = Old.__qualname__
    with New(drawing=False) as game:
        game.crew.play("stand")
        game.load(path=path)
        assert game.crew.playing("sprint").tolist() == [0, 2]
        assert game.minds.mask("flee").tolist() == [False, True, False]
        New.migrations = {1: lambda state: state["game"]["crew"].rename("color", "red", "blue")}
        with pytest.raises(fw.AssetError, match="column: expected a column of codes, one of"):
            game.load(path=path)
        New.migrations = {1: lambda state: None}
        with pytest.raises(fw.AssetError, match=r"crew\.clip: .* or rename it in a migration"):
            game.load(path=path)


def test_a_row_without_its_batch_after_a_migration_is_an_error(make: Make, path: Path) -> None:
    class Ships(fw.Game):
        def setup(self) -> None:
            self.fleet = self.add(fw.SpriteBatch(solid(4, 4)))
            self.ship = self.fleet.add(position=(3, 4))

    class Old(Ships):
        saved = ("fleet", "ship")

    class New(Ships):
        saved = ("ship",)
        saved_version = 2
        migrations: Any = {1: lambda state: {**state, "game": {"ship": state["game"]["ship"]}}}  # noqa: RUF012

    Old.__qualname__ = New.__qualname__ = "Ships"
    make(Old).save(path=path)
    game = make(New)
    with pytest.raises(
        fw.AssetError, match=r"game\.ship: it is a row of a batch that the game does not have"
    ):
        game.load(path=path)
    assert (len(game.fleet), game.ship.position) == (1, (3, 4))


def test_changed_declarations_are_errors(make: Make, path: Path, saved: bytes) -> None:
    class Changed(Duel):
        saved: Any = ("lives",)
        lives = 3

    Changed.__qualname__ = "Duel"
    with pytest.raises(
        fw.AssetError,
        match=r"game\.lives: the save lacks it; Changed has changed .*add a migration",
    ):
        make(Changed).load(path=path)
    Changed.saved_classes = ()
    Duel_classes = Duel.saved_classes
    game = make(Duel)
    before = state(game)
    try:
        Duel.saved_classes = ()
        words = r"game\.enemies\[0\]: it is of the class 'Enemy'; those that may be made .*: none"
        with pytest.raises(fw.AssetError, match=words):
            game.load(path=path)
    finally:
        Duel.saved_classes = Duel_classes
    assert state(game) == before
    fewer = enum.Enum("Mode", ["PLAY"])

    class Less(Duel):
        saved_classes = (Enemy, fewer)

        def setup(self) -> None:
            super().setup()
            self.mode: Any = fewer.PLAY

    Less.__qualname__ = "Duel"
    with pytest.raises(fw.AssetError, match=r"game\.mode: Mode has no 'PAUSE'"):
        make(Less).load(path=path)


# -- files -----------------------------------------------------------------------------------------


def test_a_bare_name_is_in_the_users_data_folder(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import platformdirs

    monkeypatch.setattr(platformdirs, "user_data_dir", lambda name, appauthor: str(tmp_path / name))
    game = make_busy(make(Duel))
    assert (
        game.save("slot 1") == tmp_path / "Duel" / "saves" / "slot 1" == game.saves.path("slot 1")
    )
    change_all(game)
    game.load("slot 1")
    assert game.score == 7
    monkeypatch.setattr(Duel, "saves_folder", "The Duel")
    assert game.saves.path() == tmp_path / "The Duel" / "saves"
    game.save(path=game.saves.path("slot 2"))
    assert game.saves.exists("slot 2")


NO_SLOTS = [
    *("", " ", ".", "..", "...", "../x", "..\\x", "a/b", "a\\b", "/etc/passwd", "C:\\x", "c:x"),
    *("a\0b", "a\nb", 'a"b', "a*", "a?", "<a", "a>", "a|b", "a.", "a ", "con", "NUL.save", "Aux "),
    *(
        "com1",
        "LPT9.txt",
        "com\u00b9",
        "conin$",
        "prn .x",
        "a/",
        "x" * 201,
        "\u2603" * 80,
        "\udc80",
    ),
]


@pytest.mark.parametrize("name", NO_SLOTS)
def test_a_slot_must_be_a_valid_file_name_on_every_system(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    import platformdirs

    monkeypatch.setattr(platformdirs, "user_data_dir", lambda name, appauthor: str(tmp_path / name))
    monkeypatch.chdir(tmp_path)
    game = make_busy(make(Duel))
    for call in (game.save, game.load, game.saves.path, game.saves.exists):
        with pytest.raises(ValueError, match=r"^slot: expected a name such as 'slot 1'; .*, got "):
            call(name)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "name",
    ["slot 1", "1", "a.b", ".a", "com", "com10", "console", "naïve", "\u2603" * 66, "x" * 200],
)
def test_a_slot_may_have_any_other_name(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    import platformdirs

    monkeypatch.setattr(platformdirs, "user_data_dir", lambda name, appauthor: str(tmp_path / name))
    game = make_busy(make(Duel))
    assert not game.saves.exists(name)
    for _ in range(2):  # the second save makes a backup
        assert game.save(name) == game.saves.path(name) == game.saves.path() / name
    assert game.saves.exists(name)
    assert game.saves.exists(f"{name}.bak")
    change_all(game)
    game.load(name)
    assert game.score == 7
    game.saves.path(name).unlink()
    game.saves.path(name).mkdir()
    assert not game.saves.exists(name)  # a folder is no save


def test_slots_and_paths_are_not_interchangeable(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make_busy(make(Duel))
    monkeypatch.chdir(tmp_path)
    bad_argument: Any
    for call in (game.save, game.load):
        with pytest.raises(
            TypeError, match=r"slot: expected a name .*; for a file, pass path=, got"
        ):
            call(Path("x"))
        with pytest.raises(
            TypeError, match=r"^(save|load): expected a slot.* or a file.*, got neither"
        ):
            call()
        with pytest.raises(
            TypeError, match=r"^(save|load): expected a slot.* or a file.*, got both"
        ):
            call("a", path="b")
        for bad_argument in ("", "a/", ".", ".."):
            with pytest.raises(ValueError, match="path: expected the name of a file"):
                call(path=bad_argument)
        for bad_argument in (3, b"a"):
            with pytest.raises(TypeError, match="path: expected a path"):
                call(path=bad_argument)
            with pytest.raises(TypeError, match="slot: expected a name such as 'slot 1', got"):
                call(bad_argument)
    assert game.save(path="a.save") == Path("a.save")  # in the current folder, as for any path
    assert os.listdir(tmp_path) == ["a.save"]
    change_all(game)
    game.load(path="a.save")
    assert game.score == 7


def test_the_previous_save_is_kept_as_a_backup(make: Make, path: Path) -> None:
    game = make(Duel)
    for score in (1, 2, 3):
        game.score = score
        game.save(path=path)
    assert sorted(os.listdir(path.parent)) == ["one.save", "one.save.bak"]
    game.load(path=path)
    assert game.score == 3
    game.load(path=f"{path}.bak")
    assert game.score == 2


class FullDisk:
    """A file on a disk that is full after ``room`` bytes."""

    def __init__(self, file: Any, room: int) -> None:
        self.file = file
        self.room = room

    def write(self, data: bytes) -> int:
        self.room -= len(data)
        if self.room < 0:
            self.file.write(data[: self.room])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return int(self.file.write(data))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


def test_a_full_disk_changes_no_file(
    make: Make, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make_busy(make(Duel))
    game.save(path=path)
    game.score = 8
    game.save(path=path)
    before = {name: (path.parent / name).read_bytes() for name in os.listdir(path.parent)}
    for room in range(0, len(before["one.save"]), 37):
        monkeypatch.setattr(
            container,
            "open",
            lambda *arguments, room=room: FullDisk(open(*arguments), room),  # noqa: SIM115
            raising=False,
        )
        with pytest.raises(
            fw.AssetError, match=r"one\.save' cannot be written: No space left"
        ) as caught:
            game.save(path=path)
        assert ".part" not in str(caught.value)
        assert {
            name: (path.parent / name).read_bytes() for name in os.listdir(path.parent)
        } == before


@pytest.mark.parametrize("step", ["fsync", "replace", "link"])
def test_a_failed_step_keeps_a_complete_save(
    make: Make, path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    game = make_busy(make(Duel))
    game.save(path=path)
    before = path.read_bytes()
    game.score = 8

    def fails(*arguments: Any) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, step, fails)
    if step == "link":  # on a disk without hard links, the backup is a copy
        game.save(path=path)
        assert Path(f"{path}.bak").read_bytes() == before
        return
    with pytest.raises(fw.AssetError, match="cannot be written"):
        game.save(path=path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == ["one.save"]


@pytest.mark.parametrize("where", ["no/folder/x", "x\0y", "\N{SNOWMAN}" * 200])
def test_unwritable_paths_are_asset_errors(make: Make, tmp_path: Path, where: str) -> None:
    game = make_busy(make(Duel))
    with pytest.raises(fw.AssetError, match="cannot be"):
        game.save(path=tmp_path / where)
    with pytest.raises(fw.AssetError, match="cannot be read"):
        game.load(path=tmp_path / where)
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
def test_only_ordinary_files_are_replaced(make: Make, tmp_path: Path) -> None:
    game = make_busy(make(Duel))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(fw.AssetError, match="cannot be written: it is not a regular file"):
        game.save(path=tmp_path / "pipe")
    with pytest.raises(fw.AssetError, match="cannot be read: it is not a regular file"):
        game.load(path=tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    game.save(path=tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").is_file()


def test_a_save_has_a_header(make: Make, path: Path) -> None:
    game = make_busy(make(Duel))
    game.save(path=path)
    save = fw.Save(path)
    assert (save.game, save.version, save.tick, save.scenes) == (f"{__name__}:Duel", 1, 3, [])
    assert save.written[:2] == "20"
    assert save.values()["game"]["score"] == 7
    assert save.header["kind"] == "save"
    assert save.path == str(path)


def test_export_json_writes_readable_json(make: Make, tmp_path: Path) -> None:
    game = make_busy(make(Duel))
    game.push(Level())
    game.ship.x = float("nan")
    game.saves.export_json(tmp_path / "state.json")
    text = (tmp_path / "state.json").read_text()
    tree = json.loads(text, parse_constant=lambda word: pytest.fail(word))
    duel, level = tree["scenes"]
    assert (duel["class"], duel["saved"]["score"]) == ("Duel", 7)
    assert duel["saved"]["grid"]["@array"] == {
        "dtype": "int16",
        "shape": [3, 4],
        "values": game.grid.tolist(),
    }
    assert (tree["kind"], duel["drawn"]) == ("export", {})
    position = duel["batches"]["fleet"]["columns"]["position"]
    assert (duel["batches"]["fleet"]["rows"], position["dtype"], position["shape"]) == (
        4,
        "float32",
        [4, 2],
    )
    assert position["values"][0] == game.fleet.position[0].tolist()
    assert position["values"][3][0] == "nan"
    assert level == {"class": "Level", "batches": {}, "saved": {"lives": 3}, "drawn": {}}
    assert "[0, 0, 5, 0]" in text


def test_an_export_can_be_imported(make: Make, tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    game = make_busy(make(Duel))
    game.push(Level())
    game.push(Menu())
    game.scene.dots = game.scene.add(fw.SpriteBatch(solid(4, 4), count=3))  # drawn, but not saved
    game.fleet.image[:2] = [1, 0]
    ship = game.ship
    enemies = game.enemies
    game.saves.export_json(path)
    game.save(path=tmp_path / "one.save")
    text = path.read_text()
    assert [*json.loads(text)["scenes"][2]] == ["class", "drawn"]
    assert json.loads(text)["scenes"][2]["drawn"]["dots"]["rows"] == 3
    game.run_ticks(5)
    after = game.fleet.position.tolist(), game.random.random()
    change_all(game)
    game.pop()
    game.scene.lives = 0
    game.saves.import_json(path)
    assert (game.loaded, game.scene.lives, game.ship is ship) == (1, 3, True)
    assert (game.enemies is enemies, enemies[0].friend) == (True, enemies[1])
    assert repr(game.notes[1:]) == repr(NOTES)
    assert game.notes[0] is enemies
    second_export = tmp_path / "again.json"
    game.saves.export_json(second_export)
    written = [json.loads(file)["scenes"][:2] for file in (text, second_export.read_text())]
    assert written[0] == written[1]
    game.run_ticks(5)
    assert (game.fleet.position.tolist(), game.random.random()) == after
    by_save = make(Duel)
    by_save.push(Level())
    by_save.load(path=tmp_path / "one.save")
    by_export = make(Duel)
    by_export.push(Level())
    by_export.saves.import_json(path)
    by_save.run_ticks(3)
    by_export.run_ticks(3)
    assert state(by_save) == state(by_export)


def exported(make: Make, path: Path, game: Any = None) -> Any:
    game = make_busy(make(Duel)) if game is None else game
    game.saves.export_json(path)
    return json.loads(path.read_text())


def test_an_edited_export_can_be_imported(make: Make, tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    tree = exported(make, path)
    saved = tree["scenes"][0]["saved"]
    saved["score"] = 99
    saved["enemies"][0]["@object"][1]["hp"] = 50
    saved["grid"]["@array"]["values"][2] = [7, 8, 9, 10]
    tree["scenes"][0]["batches"]["fleet"]["columns"]["position"]["values"][3] = [5, -0.5]
    path.write_text("\ufeff" + json.dumps(tree, indent=4), encoding="utf-8")
    game = make(Duel)
    game.saves.import_json(str(path))
    assert (game.score, game.enemies[0].hp, game.grid[2].tolist()) == (99, 50, [7, 8, 9, 10])
    assert (game.ship.x, game.ship.y) == (5, -0.5)


def test_an_export_of_an_older_version_is_migrated(make: Make, tmp_path: Path) -> None:
    class Old(Values):
        value = np.arange(3.0)

    class New(Values):
        saved_version = 2
        migrations: Any = {1: lambda state: state["game"].update(value=state["game"]["value"] * 2)}  # noqa: RUF012

    New.__qualname__ = Old.__qualname__
    path = tmp_path / "old.json"
    make(Old).saves.export_json(path)
    game = make(New)
    game.saves.import_json(path)
    assert game.value.tolist() == [0, 2, 4]
    New.migrations = {}
    with pytest.raises(fw.AssetError, match="migrations has no 1"):
        game.saves.import_json(path)


def test_all_dtypes_are_exported_and_imported(make: Make, tmp_path: Path) -> None:
    arrays = [
        np.array([[True, False]]),
        *[np.array([[np.iinfo(kind).min, np.iinfo(kind).max]], kind) for kind in "bhiqBHIQ"],
        *[
            np.array([np.inf, -np.inf, np.nan, -0.0, 1 / 3, np.finfo(kind).max], kind)
            for kind in "efd"
        ],
        *(np.zeros((0, 3)), np.array(3, "i4"), np.arange(24, dtype=">i2").reshape(2, 3, 4)),
    ]
    game = make(Values)
    game.value = [*arrays, np.float32(0.1), np.bool_(True), np.float64("nan")]
    game.saves.export_json(tmp_path / "a.json")
    second_game = make(Values)
    second_game.saves.import_json(tmp_path / "a.json")
    for was, now in zip(arrays, second_game.value, strict=False):
        assert (was.dtype.newbyteorder("="), was.shape) == (now.dtype, now.shape)
        assert was.astype(now.dtype).tobytes() == now.tobytes()
    assert repr(second_game.value[-3:]) == repr(game.value[-3:])


def numbers(**changes: Any) -> dict[str, Any]:
    return {"@array": {"dtype": "float32", "shape": [2], "values": [0.5, 1]} | changes}


BAD_EXPORTS: list[tuple[Any, str]] = [
    (numbers(dtype="object"), "an array of 'object'"),
    (numbers(dtype=["f4"]), "an array of "),
    (numbers(shape=[3]), "values that do not fit the shape"),
    (numbers(shape=[2, 1]), "values that do not fit the shape"),
    (numbers(shape=[-1]), "an array of shape"),
    (numbers(shape=[True, 2]), "an array of shape"),
    (numbers(shape=[1] * 40), "an array of shape"),
    (numbers(shape=2), "an array of shape"),
    (numbers(shape=[0, 1 << 39, 1 << 39], values=[]), "does not make sense"),
    (numbers(values=[0.5, "x"]), "an array of float32 with 'x'"),
    (numbers(values=[0.5, None]), "an array of float32 with None"),
    (numbers(values=[0.5, True]), "an array of float32 with True"),
    (numbers(values=[0.5, [1]]), "an array of float32 with"),
    (numbers(values=[0.5, 1e300]), "float32 with a number that does not fit"),
    (numbers(values=[0.5, 10**400]), "float32 with a number that does not fit"),
    (numbers(dtype="int8", values=[1, 128]), "int8 with a number that does not fit"),
    (numbers(dtype="int8", values=[1, 10**30]), "int8 with a number that does not fit"),
    (numbers(dtype="uint8", values=[1, -1]), "uint8 with a number that does not fit"),
    (numbers(dtype="int8", values=[1, 1.5]), "int8 with 1.5"),
    (numbers(dtype="bool", values=[1, 0]), "bool with 1"),
    ({"@array": ["<f4", [2]]}, "an array with dtype, shape and values is expected"),
    ({"@array": {"dtype": "int8"}}, "an array with dtype, shape and values is expected"),
    ({"@what": 1}, "is not a tag of a save"),
    ({"@object": ["Popen", {}]}, "of the class 'Popen'; those that may be made"),
    ({"@same": 7}, "it refers to a value with the number 7"),
    (1 << 70, "more than 64 bits"),
]


@pytest.mark.parametrize(("value", "says"), BAD_EXPORTS, ids=range(len(BAD_EXPORTS)))
def test_an_import_has_the_checks_of_saves(
    make: Make, tmp_path: Path, value: Any, says: str
) -> None:
    path = tmp_path / "bad.json"
    game = make(Values)
    tree = exported(make, path, game)
    tree["scenes"][0]["saved"]["value"] = value
    path.write_text(json.dumps(tree))
    with pytest.raises(fw.AssetError, match=says) as caught:
        game.saves.import_json(path)
    assert str(caught.value).startswith(repr(str(path)))
    assert game.value is None


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda tree: tree | {"kind": "save"}, "expected an export, got a file of the kind 'save'"),
        (lambda tree: [tree], "expected an export, got"),
        (lambda tree: tree | {"game": "x:Other"}, "this is a save of 'Other', not of Values"),
        (lambda tree: tree | {"version": 2}, "a newer one wrote it"),
        (lambda tree: tree | {"tick": "x"}, "its header has 'x' for tick"),
        (lambda tree: tree | {"scenes": []}, "its scenes are not a list of objects"),
        (lambda tree: tree | {"scenes": [3]}, "its scenes are not a list of objects"),
        (lambda tree: tree | {"scenes": 3}, "its header has 3 for scenes"),
        (lambda tree: tree | {"scenes": tree["scenes"] * 2}, "it has 'Values' above the game"),
        (lambda tree: tree | {"scenes": [{"class": "Values"}]}, "batches are expected, not None"),
        (
            lambda tree: tree | {"scenes": [{"class": "Values", "saved": {}, "batches": {"a": 3}}]},
            "batches are expected, not",
        ),
        (
            lambda tree: tree | {"scenes": [{"class": "Values", "saved": [], "batches": {}}]},
            "attributes are expected",
        ),
        (
            lambda tree: (
                tree | {"scenes": [*tree["scenes"], {"class": 3, "saved": {}, "batches": {}}]}
            ),
            "its scenes are not a list of objects",
        ),
        (lambda tree: tree | {"x": [0] * 1_500_001}, "an export can be read back up to 32 MiB"),
        (lambda tree: tree | {"x": "y" * (33 << 20)}, "an export can be read back up to 32 MiB"),
        (lambda tree: b"{", "it is not valid JSON"),
        (lambda tree: b"[" * 100_000, "it is not valid JSON"),
        (lambda tree: b"\xff", "it is not valid JSON"),
        (lambda tree: b'{"a": 1e999}', "it is not valid JSON: 1e999 is no number"),
        (lambda tree: b'{"a": NaN}', "it is not valid JSON: NaN is no number"),
    ],
)
def test_a_broken_export_is_a_clear_error(
    make: Make, tmp_path: Path, change: Callable[[Any], Any], says: str
) -> None:
    path = tmp_path / "bad.json"
    game = make(Values)
    changed = change(exported(make, path, game))
    path.write_bytes(changed if isinstance(changed, bytes) else json.dumps(changed).encode())
    with pytest.raises(fw.AssetError, match=says):
        game.saves.import_json(path)
    with pytest.raises(fw.AssetError, match="cannot be read"):
        game.saves.import_json(tmp_path / "none.json")


def test_a_replay_imports_the_recorded_data(make: Make, tmp_path: Path) -> None:
    class Imports(Values):
        def update(self, dt: float) -> None:
            if self.tick == 3:
                self.saves.import_json(tmp_path / "a.json")

    game = make(Values)
    game.value = [5, np.arange(4)]
    tree = exported(make, tmp_path / "a.json", game)
    tree["game"] = f"x:{Imports.__qualname__}"
    (tmp_path / "a.json").write_text(json.dumps(tree))
    with Imports(drawing=False) as game:
        game.recording.start(tmp_path / "a.replay", hash_every=1)
        game.run_ticks(5)
        assert game.value[0] == 5
        game.recording.stop()
        (tmp_path / "a.json").write_text("{}")
    (tmp_path / "a.json").write_text(json.dumps(tree))
    with Imports(drawing=False) as game:
        before = game.snapshot()
        game.run_ticks(5)
        (tmp_path / "a.json").write_text("{}")
        game.restore(before)
        game.run_ticks(5)  # a repeated tick imports the same values
        assert game.value[0] == 5
    (tmp_path / "a.json").unlink()
    assert fw.Replay(tmp_path / "a.replay").verify(Imports).ok


# -- hostile files ---------------------------------------------------------------------------------


def block(kind: int, payload: bytes) -> bytes:
    stored = zlib.compress(payload, 6)
    if len(payload) > 4 * len(stored) + 64:
        stored = zlib.compress(payload, 0)
    head = struct.pack("<BII", kind, len(stored), len(payload))
    return head + struct.pack("<Q", xxhash.xxh3_64_intdigest(head + stored)) + stored


def handmade_save(tree: Any, numbers: bytes = b"", **changes: Any) -> bytes:
    """Return a save with correct hashes and any content."""
    header = {
        "kind": "save",
        "game": "x:Values",
        "version": 1,
        "tick": 0,
        "scenes": [],
        "written": "now",
    } | changes
    text = json.dumps(header).encode()
    digest = xxhash.xxh3_64_intdigest(json.dumps(header, sort_keys=True).encode()).to_bytes(
        8, "little"
    )
    state = tree if isinstance(tree, bytes) else json.dumps(tree).encode()
    pieces = [block(3, state[start : start + (1 << 18)]) for start in range(0, len(state), 1 << 18)]
    pieces += [block(6, numbers)] if numbers else []
    return (
        struct.pack("<8sHI", b"SUBTICK\x1a", 1, len(text))
        + text
        + b"".join(pieces)
        + block(5, digest)
    )


def of(value: Any) -> dict[str, Any]:
    return {"batches": [{}], "game": {"value": value}, "scenes": []}


WRONG = [
    (b"", "empty or was cut off"),
    (b"PK\3\4" * 9, "not a file of the framework"),
    (handmade_save(of(1), kind="recording"), "expected a save, got a file of the kind 'recording'"),
    (handmade_save(of(1), game="x:Chess"), "this is a save of 'Chess', not of Values"),
    (handmade_save(of(1), game=3), "its header has 3 for game"),
    (handmade_save(of(1), version=-1), "its header has -1 for version"),
    (handmade_save(of(1), version=2), "of version 2 of the game, and this is version 1"),
    (handmade_save(of(1), scenes=[3]), "its header names no scenes"),
    (handmade_save(of(1), scenes=["Level"]), "it has 'Level' above the game"),
    (handmade_save(of(1))[:-3], "it was cut off"),
    (handmade_save(b"[" * 10_000), "does not make sense"),
    (handmade_save(b"{} {}"), "does not make sense"),
    (handmade_save(b"\xff"), "does not make sense"),
    (handmade_save([]), "a game and its scenes are expected"),
    (
        handmade_save({"batches": [], "game": {}, "scenes": []}),
        "batches of the game and of each scene",
    ),
    (
        handmade_save({"batches": [{}], "game": {"__class__": 1}, "scenes": []}),
        r"game\.__class__: the game no longer saves",
    ),
    (handmade_save({"batches": [{}], "game": {"a b": 1}, "scenes": []}), "attributes are expected"),
    (handmade_save({"batches": [{}], "game": {}, "scenes": []}), r"game\.value: the save lacks it"),
    (
        handmade_save({"batches": [{}, {}], "game": {"value": 1}, "scenes": [{}]}),
        "it has 1 scenes, and names 0",
    ),
    (handmade_save(of({"@what": 1})), "is not a tag of a save"),
    (handmade_save(of(1 << 70)), "more than 64 bits"),
    (handmade_save(b'{"batches":[{}],"game":{"value":NaN},"scenes":[]}'), "NaN is no number"),
    (handmade_save(b'{"batches":[{}],"game":{"value":1e999},"scenes":[]}'), "1e999 is no number"),
    (handmade_save(b'{"batches":[{}],"game":{"value":[-1E+0309]},"scenes":[]}'), "is no number"),
    (
        handmade_save(b'{"batches":[{}],"game":{"value":%se99},"scenes":[]}' % (b"9" * 210)),
        "is no number",
    ),
    (handmade_save(of({"@scalar": ["<f2", 1e300]})), r"1e\+300 does not fit '<f2'"),
    (handmade_save(of({"@float": "1"})), "'1' is not a special float"),
    (handmade_save(of({"@bytes": "=a"})), "invalid base64"),
    (
        handmade_save(of({"@array": ["<f8", [1 << 32]]})),
        "an array of 34,359,738,368 bytes, and 0 bytes",
    ),
    (handmade_save(of({"@array": ["<f8", [1 << 32, 1 << 32]]})), "are left"),
    (handmade_save(of({"@array": ["<f8", [-1]]})), "an array of shape"),
    (handmade_save(of({"@array": ["O", [1]]}), b"8bytes.."), "an array of 'O'"),
    (handmade_save(of({"@array": ["|b1", [2]]}), b"\1\2"), "neither 0 nor 1"),
    (handmade_save(of({"@array": ["<f8", [0, 1 << 39, 1 << 39]]})), "does not make sense"),
    (handmade_save(of({"@scalar": ["|i1", 300]})), "300 does not fit"),
    (handmade_save(of({"@scalar": ["<i8", {"@float": "nan"}]})), "does not make sense"),
    (
        handmade_save(of({"@random": ["MT19937", [0] * 624 + [625]]})),
        "an invalid number in the state",
    ),
    (
        handmade_save(of({"@random": ["Philox", [0] * 10 + [-1, 0, 0]]})),
        "an invalid number in the state",
    ),
    (handmade_save(of({"@random": ["PCG64", [1]]})), "a PCG64 with 1 numbers"),
    (
        handmade_save(of({"@random": ["Random", [3, *[0] * 624, 625, None]]})),
        "an invalid number in the state",
    ),
    (handmade_save(of({"@random": ["SeedSequence", []]})), "of the kind 'SeedSequence'"),
    (handmade_save(of({"@object": ["Popen", {}]})), "of the class 'Popen'; those that may be made"),
    (handmade_save(of({"@member": ["Mode", "PLAY"]})), "of the class 'Mode'"),
    (handmade_save(of({"@same": 0})), "it refers to a value with the number 0"),
    (handmade_save(of([{"@same": -1}])), "it refers to a value"),
    (handmade_save(of({"@row": [0, 0]})), "it refers to a value"),
    (handmade_save(of([[], {"@row": [1, 0]}])), "a row that its batch does not have"),
    (
        handmade_save(of({"@rows": [0, {}, {}]})),
        "game.value: the save has 0 rows of a batch, the game has None there",
    ),
    (handmade_save(of({"@rows": [1 << 40, {}, {}]})), "rows"),
    (handmade_save(of({"@set": [[]]})), "a key or member"),
    (handmade_save(of({"@dict": [[1]]})), "a list of 2 is expected"),
    (handmade_save(of({"@deque": [1, [1, 2]]})), "a deque of at most 1"),
    (
        handmade_save(json.dumps(of(0)).replace("0", "[" * 67 + "]" * 67).encode()),
        "nested more than 64 levels deep",
    ),
]


@pytest.mark.parametrize(
    ("data", "says"), WRONG, ids=[f"{index} {says[:40]}" for index, (_, says) in enumerate(WRONG)]
)
def test_a_broken_save_is_a_clear_error(make: Make, path: Path, data: bytes, says: str) -> None:
    game = make(Values)
    path.write_bytes(data)
    with pytest.raises(fw.AssetError, match=says) as caught:
        game.load(path=path)
    assert repr(str(path)) in str(caught.value)
    assert game.value is None


def test_a_too_large_save_is_not_written(
    make: Make, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make(Values)
    game.value = np.zeros(400_000)
    monkeypatch.setattr("framework.record.saves.MAX_FILE", 3 << 20)
    with pytest.raises(
        fw.FrameworkError,
        match=r"save: the file would have 3,200,0.. bytes; the limit is 3,145,728",
    ):
        game.save(path=path)
    assert os.listdir(path.parent) == []


def test_games_are_saved_and_loaded_in_their_own_thread(
    make: Make, path: Path, saved: bytes
) -> None:
    game = make(Duel)
    with ThreadPoolExecutor(1) as threads:
        for call in (game.save, game.load):
            with pytest.raises(fw.FrameworkError, match="wrong thread"):
                threads.submit(call, path=path).result()


def test_a_missing_file_and_a_folder_are_asset_errors(make: Make, path: Path) -> None:
    for where in (path, path.parent):
        with pytest.raises(fw.AssetError, match="cannot be read"):
            make(Values).load(path=where)


ROWS = [
    (lambda rows: rows[1].update(depth=rows[1].pop("layer")), "game.fleet: expected the columns"),
    (
        lambda rows: rows[1].update(angle=["<f4", [4, 2]], scale=["<f4", [4]]),
        r"game\.fleet\.angle: expected float32 of shape .*, got ",
    ),
    (lambda rows: rows[1].update(position=["<f4", [3, 2]]), "4 rows, and a column 'position'"),
    (lambda rows: rows[2].update(image=[1]), "numbers without a meaning"),
    (lambda rows: rows[2].update(image=[1, 2]), "an image, a clip or a state that"),
    (lambda rows: rows[2].clear(), "game.fleet.image: the save and the game disagree"),
    (lambda rows: rows[2].update(angle=[1]), "numbers without a meaning"),
]


@pytest.mark.parametrize(("change", "says"), ROWS, ids=[says for _, says in ROWS])
def test_rows_that_do_not_fit_are_refused(
    make: Make, path: Path, saved: bytes, change: Any, says: str
) -> None:
    save = Container(path)
    blocks = list(save.blocks())
    tree = json.loads(b"".join(payload for kind, payload in blocks if kind == 3))
    change(tree["batches"][0]["fleet"]["@rows"])
    numbers = b"".join(payload for kind, payload in blocks if kind == 6)
    path.write_bytes(handmade_save(tree, numbers, game="x:Duel"))
    game = make(Duel)
    before = state(game)
    with pytest.raises(fw.AssetError, match=says):
        game.load(path=path)
    assert state(game) == before


def test_a_late_error_undoes_the_whole_load(make: Make, path: Path, saved: bytes) -> None:
    class Strict(Duel):
        refuses = False

        def after_load(self) -> None:
            if self.refuses:
                raise ValueError("no such level")

    Strict.__qualname__ = "Duel"
    game = make(Strict)
    game.run_ticks(2)
    game.ship.remove()
    game.fleet.add(1, position=(8, 8))
    game.ship = later_sprite = game.fleet.add(0, position=(9, 9))
    game.enemies.append(Enemy(1, (0, 0)))
    game.refuses = False
    before = state(game)
    game.refuses = True
    hash_before = game.state_hash()
    with pytest.raises(fw.AssetError, match=r"game\.after_load\(\): ValueError: no such level"):
        game.load(path=path)
    assert game.state_hash() == hash_before
    assert game.ship is later_sprite
    assert later_sprite.position == (9, 9)
    game.refuses = False
    assert state(game) == before
    game.run_ticks(1)
    game.advance(1 / 60)


@pytest.mark.parametrize("refused", [False, True])
def test_containers_are_filled_in_place_or_not_changed(
    make: Make, path: Path, refused: bool
) -> None:
    class Kinds(Values):
        def after_load(self) -> None:
            if refused:
                raise ValueError("no")

    def held(number: int) -> dict[Any, Any]:
        return {
            "list": [number, [number]],
            "dict": {"in": [number], number: 0},
            "set": {number},
            "tuple": ([number], 1),
            "deque": collections.deque([[number]], 3),
            "array": np.full(3, number),
            "random": random.Random(number),
            "generator": np.random.default_rng(number),
            "enemy": Enemy(number, (number, 0)),
            "gone": number,
        }

    def containers(value: dict[Any, Any]) -> list[Any]:
        inner = [value["list"][1], value["dict"]["in"], value["tuple"][0], value["deque"][0]]
        return [value, *inner, *[value[key] for key in value if key not in ("tuple", "gone")]]

    def comparable(value: dict[Any, Any]) -> str:
        enemy = value["enemy"]
        chances = (value["random"].getstate(), value["generator"].bit_generator.state)
        return repr((value | {"enemy": (enemy.hp, enemy.at), "random": 0, "generator": 0}, chances))

    game: Any = make(Kinds)
    game.value = held(5)
    game.save(path=path)
    game.value = existing = held(6)
    before = containers(existing)
    with (
        pytest.raises(fw.AssetError, match="ValueError: no")
        if refused
        else contextlib.nullcontext()
    ):
        game.load(path=path)
    assert game.value is existing
    assert [one is other for one, other in zip(containers(existing), before, strict=True)] == [
        True
    ] * len(before)
    assert comparable(existing) == comparable(held(6 if refused else 5))


def test_two_saved_objects_do_not_fill_one_object(make: Make, path: Path) -> None:
    game: Any = make(Values)
    game.value = {"one": [1], "other": [2], "numbers": [np.zeros(3), np.ones(3)]}
    game.save(path=path)
    shared = [3]
    numbers = np.full(3, 4.0)
    game.value = {"one": shared, "other": shared, "numbers": [numbers, numbers]}
    game.load(path=path)
    assert (game.value["one"], game.value["other"]) == ([1], [2])
    assert [values.tolist() for values in game.value["numbers"]] == [[0, 0, 0], [1, 1, 1]]
    assert game.value["one"] is shared
    assert game.value["numbers"][0] is numbers


@pytest.mark.parametrize("before", [(), ([3],), ([3], [4], [5]), [[3], [4]], None])
def test_a_tuple_replaces_any_other_value(make: Make, path: Path, before: Any) -> None:
    game: Any = make(Values)
    game.value = ([1], [2])
    game.save(path=path)
    game.value = before
    game.load(path=path)
    assert game.value == ([1], [2])


@pytest.mark.parametrize("room", [None, 1, 2, 5])
def test_a_deque_keeps_its_saved_maxlen(make: Make, path: Path, room: int | None) -> None:
    game: Any = make(Values)
    game.value = collections.deque([1, 2], 2)
    game.save(path=path)
    game.value = before = collections.deque([3], room)
    game.load(path=path)
    assert (list(game.value), game.value.maxlen, game.value is before) == ([1, 2], 2, room == 2)


def test_an_undeclared_class_with_the_same_name_is_not_filled(make: Make, path: Path) -> None:
    class Namesake:
        hp = 7

    Namesake.__qualname__ = "Enemy"
    game: Any = make(Values)
    game.value = [Enemy(3, (1, 2))]
    game.save(path=path)
    game.value = [Namesake()]
    with pytest.raises(
        fw.AssetError, match=r"game\.value\[0\]: Enemy declares no attributes to save"
    ):
        game.load(path=path)
    assert game.value[0].hp == 7


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Return the data with random changes."""
    mutated_data = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        position = chance.randrange(len(mutated_data))
        kind = chance.randrange(5)
        if kind == 0:
            mutated_data[position] ^= 1 << chance.randrange(8)
        elif kind == 1:
            mutated_data[position : position + chance.randrange(9)] = chance.randbytes(
                chance.randrange(9)
            )
        elif kind == 2:
            del mutated_data[position:]
        elif kind == 3:
            mutated_data[position:position] = mutated_data[chance.randrange(len(mutated_data)) :][
                : chance.randrange(300)
            ]
        else:
            mutated_data[position : position + 4] = struct.pack(
                "<I", chance.choice((0, 1, 255, 1 << 16, 1 << 20, (1 << 32) - 1))
            )
        if not mutated_data:
            break
    return bytes(mutated_data)


def places_in(tree: Any) -> list[tuple[Any, Any]]:
    """Return all places of values in a JSON tree: the container, and the key or index."""
    places: list[tuple[Any, Any]] = []
    for key in (
        tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    ):
        places += [(tree, key), *places_in(tree[key])]
    return places


def repacked(path: Path, chance: random.Random) -> bytes:
    """Return the save with other values, text or numbers, and with correct hashes."""
    blocks = list(Container(path).blocks())
    tree = json.loads(b"".join(payload for kind, payload in blocks if kind == 3))
    numbers = b"".join(payload for kind, payload in blocks if kind == 6)
    values = [
        0,
        1,
        -1,
        3,
        1 << 40,
        1.5,
        None,
        True,
        "",
        "Enemy",
        "Mode",
        [],
        {},
        {"@same": 1},
        {"@row": [0, 1]},
    ]
    values += [
        {"@tuple": [1, 2]},
        {"@array": ["<f4", [2]]},
        {"@object": ["Enemy", {}]},
        "<f4",
        "position",
        [1, 2],
    ]
    for _ in range(chance.randrange(1, 4)):
        places = places_in(tree)
        node, key = chance.choice(places)
        second_node, second_key = chance.choice(places)
        value = json.loads(
            json.dumps(chance.choice([chance.choice(values), second_node[second_key]]))
        )
        if isinstance(node, dict) and chance.random() < 0.2:
            del node[key]
            key = chance.choice(["@set", "@same", "hp", "score", "@rows", "@random", "angle"])
        node[key] = value
    text = json.dumps(tree).encode()
    if chance.random() < 0.1:
        text = mutated(text, chance)
    if chance.random() < 0.3:
        numbers = mutated(numbers, chance)
    return handmade_save(text, numbers, game="x:Duel")


def check_mutation(game: Any, path: Path, data: bytes) -> bool:
    """Load changed data within limits of time. Return True if an AssetError refused the data
    without changes, and False if it was loaded."""
    path.write_bytes(data)
    before = game.state_hash()
    start = time.process_time()
    try:
        game.load(path=path)
    except fw.AssetError:
        assert game.state_hash() == before
        return True
    finally:
        assert time.process_time() - start < 0.1 * (1 + len(data) // 65536)
    game.save(path=path)  # the loaded state is complete
    return False


def test_mutations_are_refused_or_loaded(make: Make, path: Path, saved: bytes) -> None:
    game = make(Duel)
    chance = random.Random(7)
    other_path = path.with_name("other.save")
    refused = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for number in range(150):
            path.write_bytes(saved)
            data = repacked(path, chance) if number % 2 else mutated(saved, chance)
            refused += check_mutation(game, other_path, data)
    assert refused > 100


HEAVY = {
    "lists": b"[],",
    "dicts": b"{},",
    "numbers": b"0,",
    "large numbers": b"99999999,",
    "floats": b"1.5,",
    "tuples": b'{"@tuple":[]},',
    "sets": b'{"@set":[]},',
    "bytes": b'{"@bytes":""},',
    "strings": b'"",',
    "long strings": b'"' + b"\\ud83d\\ude00" + b"a" * 4000 + b'",',
    "nested": b'[{"a":[1,{"b":[]}]}],',
    "arrays": b'{"@array":["<f8",[0]]},',
    "same": b'{"@same":0},',
    "generators": b'{"@random":["PCG64",[1,1,0,0]]},',
    "deques": b'{"@deque":[null,[]]},',
    "scalars": b'{"@scalar":["<f4",1.5]},',
}


@pytest.mark.parametrize(
    ("kind", "size"),
    [*((kind, 1 << 15) for kind in HEAVY), ("lists", 1 << 19), ("floats", 1 << 18)],
)
def test_the_memory_and_time_of_large_values_are_limited(
    make: Make, path: Path, kind: str, size: int
) -> None:
    game = make(Values)
    item = HEAVY[kind]
    text = b'{"batches":[{}],"game":{"value":[' + item * (size // len(item)) + b'0]},"scenes":[]}'
    path.write_bytes(handmade_save(text))
    length = path.stat().st_size
    start = time.process_time()
    with contextlib.suppress(fw.AssetError):
        game.load(path=path)
    assert time.process_time() - start < 0.5 * (
        1 + length // 65536
    )  # five times the limit, because the machine may be busy
    game.value = None
    tracemalloc.start()
    with contextlib.suppress(fw.AssetError):
        game.load(path=path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak <= 4 * length + (16 << 20)


def test_large_saved_values_can_be_loaded(make: Make, path: Path) -> None:
    game = make(Values)
    for value in ([[] for _ in range(8_000)], np.zeros(700_000)):
        game.value = value
        game.save(path=path)
        tracemalloc.start()
        second_game = make(Values)
        second_game.load(path=path)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak <= 4 * path.stat().st_size + (16 << 20)
        assert len(second_game.value) == len(value)


# -- frozen dataclasses and classes with arguments -------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Spot:
    x: float
    bag: list[int]


class NeedsArgument:
    saved = ("hp",)

    def __new__(cls, hp: int) -> NeedsArgument:
        instance = super().__new__(cls)
        instance.hp = hp
        return instance

    hp: int


class Chest(fw.Game):
    saved = ("spot", "same", "needy")
    saved_classes = (Spot, NeedsArgument)

    def setup(self) -> None:
        self.spot: Any = Spot(1.5, [1, 2])
        self.same: Any = self.spot
        self.needy: Any = NeedsArgument(3)


def test_a_frozen_dataclass_is_replaced_by_a_new_object(make: Make, tmp_path: Path) -> None:
    game = make(Chest, drawing=False)
    game.save(path=(file := tmp_path / "chest.save"))
    first = game.spot
    game.same = None
    game.spot = second_spot = Spot(9.0, bag := [7])
    game.load(path=file)
    assert game.spot == first
    assert game.same is game.spot
    assert game.spot.bag is bag  # the list is filled, as any list
    assert second_spot.x == 9.0
    game.spot = None
    game.load(path=file)
    assert game.spot == first


def test_a_class_that_needs_arguments_is_an_error(make: Make, tmp_path: Path) -> None:
    game = make(Chest, drawing=False)
    game.save(path=(file := tmp_path / "chest.save"))
    game.needy.hp = 1
    game.load(path=file)
    assert game.needy.hp == 3
    game.needy = None
    game.spot = 5
    with pytest.raises(
        fw.AssetError, match=r"game\.needy: a NeedsArgument cannot be made without arguments"
    ):
        game.load(path=file)
    assert (game.needy, game.spot) == (None, 5)


def test_many_keys_with_the_same_hash_are_refused():
    keys = [tuple(-1 - (number >> bit & 1) for bit in range(13)) for number in range(1 << 13)]
    assert len({hash(key) for key in keys}) == 1
    members = [{"@tuple": list(key)} for key in keys]
    by = {",".join(map(str, key)): 0 for key in keys}
    for tree in ({"@set": members}, {"@dict": [[member, 0] for member in members]}, {"@by": by}):
        with pytest.raises(ValueError, match="200 tuples with the same hash"):
            Unpacker(lambda dtype, shape: np.empty(shape, dtype)).value(tree, 66)
    with pytest.raises(fw.FrameworkError, match="is refused when it is loaded"):
        Packer(lambda values: []).value(dict.fromkeys(keys[:300], 0), "game.map")
    Packer(lambda values: []).value(
        {(x, y): 0 for x in range(-30, 30) for y in range(-30, 30)}, "game.map"
    )


def test_an_export_uses_the_names_of_the_batches_in_the_game(tmp_path: Path) -> None:
    with fw.Game(drawing=False) as game:
        game.sprites.add(np.full((2, 2, 4), 255, np.uint8))
        game.labels.add("Score", (4, 4))
        game.run_ticks(1)
        game.saves.export_json(tmp_path / "state.json")
        paths = game.debug.state_values()
    [scene] = json.loads((tmp_path / "state.json").read_text())["scenes"]
    assert list(scene["drawn"]) == ["sprites", "labels"]
    assert "game.sprites.position" in paths
    assert paths["game"][0] != "SceneBackend"


def test_columns_of_objects_and_ids_are_exported_and_imported(make: Make, tmp_path: Path) -> None:
    class Horde(fw.Game):
        saved = ("foes",)
        saved_classes = (Enemy,)

        def setup(self) -> None:
            columns = {"hp": 3.0, "mood": object}
            self.foes = self.add(fw.SpriteBatch(solid(2, 2), 4, columns=columns))

    game = make(Horde)
    foe = Enemy(5, (0, 1))
    game.foes.mood[:] = [foe, "calm", game.foes[3], foe]
    game.foes.hp[:] = [1, 2, float("inf"), 4]
    game.foes.remove(1)
    ids = game.foes.ids.tolist()
    game.saves.export_json(tmp_path / "a.json")
    second_game = make(Horde)
    second_game.saves.import_json(tmp_path / "a.json")
    assert (second_game.foes.ids.tolist(), second_game.foes.hp.tolist()) == (
        ids,
        game.foes.hp.tolist(),
    )
    moods = [*second_game.foes.mood]
    assert sum(isinstance(mood, Enemy) for mood in moods) == 2
    assert len({id(mood) for mood in moods if isinstance(mood, Enemy)}) == 1
    assert sum(isinstance(mood, fw.Sprite) for mood in moods) == 1


# -- bytes without a file --------------------------------------------------------------------------


def test_packed_bytes_are_loaded_by_another_game(make: Make) -> None:
    game = make_busy(make(Duel))
    data = game.saves.pack()
    assert data == game.saves.pack()  # packed bytes contain no date
    second_game = make(Duel)
    fleet = second_game.fleet
    ship = second_game.ship
    second_game.saves.unpack(data)
    assert (second_game.fleet is fleet, second_game.ship is ship, second_game.loaded) == (
        True,
        True,
        1,
    )
    assert (second_game.score, second_game.mode, second_game.player.name) == (7, Mode.PAUSE, "bea")
    assert second_game.fleet.position.tolist() == game.fleet.position.tolist()
    game.loaded = second_game.loaded = 0
    game.run_ticks(3)
    second_game.run_ticks(3)
    assert state(second_game)[1:] == state(game)[1:]
    assert second_game.saves.pack() != data


def test_packed_bytes_and_files_have_the_same_values(make: Make, path: Path) -> None:
    game = make_busy(make(Duel))
    game.save(path=path)
    data = game.saves.pack()
    path.write_bytes(data)  # the bytes are also a valid file
    assert fw.Save(path).written == ""
    change_all(game)
    packed = make(Duel)
    loaded = make(Duel)
    packed.saves.unpack(data)
    loaded.load(path=path)
    assert packed.state_hash() == loaded.state_hash()


def test_unpack_changes_nothing_if_the_bytes_do_not_fit(make: Make) -> None:
    game = make_busy(make(Duel))
    data = game.saves.pack()
    before = game.state_hash()
    values = make(Values)
    for bad, words in (
        (b"", "data: the file is empty or was cut off"),
        (b"x" * 100, "data: this is not a file of the framework"),
        (data[:-1], "data: it was cut off, or its header was changed."),
        (data[:200] + bytes([data[200] ^ 255]) + data[201:], "data: "),
        (values.saves.pack(), "data: this is a save of 'Values', not of Duel"),
    ):
        with pytest.raises(fw.AssetError) as caught:
            game.saves.unpack(bad)
        assert str(caught.value).startswith(words)
    for bad_data in (None, "x", 3, bytearray(data)):
        with pytest.raises(TypeError, match=r"data: expected bytes that saves\.pack"):
            game.saves.unpack(bad_data)
    assert game.state_hash() == before
    with pytest.raises(fw.FrameworkError, match="pack: Game declares nothing to be saved"):
        make(fw.Game).saves.pack()


def test_bytes_with_a_flipped_bit_never_raise_another_error(make: Make) -> None:
    game = make_busy(make(Duel))
    data = game.saves.pack()
    before = game.state_hash()
    for seed in range(60):
        bad = bytearray(data)
        bad[random.Random(seed).randrange(len(bad))] ^= 1 << seed % 8
        with pytest.raises(fw.AssetError):
            game.saves.unpack(bytes(bad))
    assert game.state_hash() == before


def test_a_drawn_frame_neither_packs_nor_unpacks(make: Make) -> None:
    class Drawing(Values):
        call = ""

        def draw(self, alpha: float) -> None:
            if self.call == "pack":
                self.saves.pack()
            elif self.call:
                self.saves.unpack(b"")

    game = make(Drawing)
    for call in ("pack", "unpack"):
        game.call = call
        with pytest.raises(fw.FrameworkError, match=rf"^saves\.{call}: a frame is being drawn"):
            game.advance(1 / 60)


def test_an_earlier_snapshot_is_restored_after_unpack(make: Make) -> None:
    game = make_busy(make(Duel))
    data = game.saves.pack()
    before = state(game)
    snapshot = game.snapshot()
    change_all(game)
    spoiled = game.saves.pack()
    game.saves.unpack(data)
    assert game.score == 7
    game.saves.unpack(spoiled)
    assert game.score == 0
    game.restore(snapshot)
    assert state(game) == before
    assert game.saves.pack() == data
