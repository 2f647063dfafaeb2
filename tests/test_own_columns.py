"""Custom columns: types, defaults, checks, and rows that keep their values."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from glbs import moving
from hypothesis import given
from hypothesis import strategies as st
from pictures import solid

import framework as fw
from framework.errors import AssetError, FrameworkError
from framework.record import stable_names
from framework.state.own_columns import column_of, is_taken
from framework.state.rows import table_of

Make = Callable[..., Any]

IMAGE = solid(4, 4)
COLUMNS = {"hp": 3.0, "rank": "u1", "home": ("f4", 2), "mood": object}


def batches() -> dict[str, Any]:
    """Return one batch of each class, with `COLUMNS` and three rows."""
    columns: Any = COLUMNS
    nodes2 = fw.Nodes2D(columns=columns)
    nodes3 = fw.Nodes3D(columns=columns)
    nodes2.extend(3)
    nodes3.extend(3)
    node_sprites = fw.NodeSprites(IMAGE, nodes2, columns=columns)
    for node in nodes2:
        node_sprites.show(node)
    shapes = fw.Shapes(columns=columns)
    polygons = fw.Polygons(columns=columns)
    for number in range(3):
        shapes.add_circle((number, 0), 1)
        polygons.add_box((number, 0), (1, 1))
    transforms = fw.Transforms2D(columns=columns), fw.Transforms3D(columns=columns)
    for each in transforms:
        each.extend(3)
    vertex = "void vertex(vec2 place, vec2 corner, inout vec2 shift, inout vec4 tint) { }"
    return {
        "SpriteBatch": fw.SpriteBatch(IMAGE, 3, columns=columns),
        "SpriteBatch with clips": fw.SpriteBatch(
            fw.Clips([IMAGE], walk=(0, 1, 4)), 3, motion="extrapolate", columns=columns
        ),
        "VertexSprites": fw.VertexSprites(
            IMAGE, 3, vertex=vertex, attributes={"phase": 1}, columns=columns
        ),
        "NodeSprites": node_sprites,
        "Nodes2D": nodes2,
        "Nodes3D": nodes3,
        "MeshBatch": fw.MeshBatch(fw.Mesh.box(), 3, columns=columns),
        "NodeMeshes": fw.NodeMeshes(fw.Mesh.box(), nodes3, [0, 1, 2], columns=columns),
        "Transforms2D": transforms[0],
        "Transforms3D": transforms[1],
        "Shapes": shapes,
        "Polygons": polygons,
    }


@pytest.mark.parametrize("name", batches())
def test_custom_columns_move_with_their_rows_in_every_batch(name: str) -> None:
    batch = batches()[name]
    assert batch.hp.tolist() == [3, 3, 3]
    assert batch.hp.dtype == np.float64
    assert batch.rank.dtype == np.uint8
    assert batch.home.shape == (3, 2)
    assert batch.mood.tolist() == [None] * 3
    batch.hp[:] = 10, 11, 12
    batch.rank = [1, 2, 3]
    batch.mood = [[0], {1: 1}, "two"]
    batch.remove([1])
    assert (batch.hp.tolist(), batch.rank.tolist()) == ([10, 12], [1, 3])
    assert (batch.mood.tolist(), batch.ids.tolist()) == ([[0], "two"], [0, 2])
    assert "hp" in dir(batch)
    assert type(batch).__name__ == name.partition(" ")[0]
    if isinstance(batch, fw.Transforms2D | fw.Transforms3D) and not name.startswith("Nodes"):
        return  # a transforms object has no handles
    handle = batch[1]
    assert (handle.hp, handle.rank, handle.home, handle.mood) == (12, 3, (0, 0), "two")
    handle.hp -= 5
    handle.home = 7
    handle.mood = [1]
    assert batch.hp.tolist() == [10, 7]
    assert batch.home.tolist() == [[0, 0], [7, 7]]
    batch.remove([0])
    assert (handle.hp, handle.mood, handle.id, handle.row) == (7, [1], 2, 0)
    handle.remove()
    for read in ("hp", "mood"):
        with pytest.raises(ValueError, match="removed"):
            getattr(handle, read)
    assert len(batch.hp) == len(batch.mood) == 0


def test_a_model_batch_has_custom_columns(tmp_path: Path) -> None:
    path = tmp_path / "one.save"

    class Arms(fw.Game):
        saved = ("arms",)

        def setup(self) -> None:
            model = fw.Model(moving().glb(tmp_path / "arm.glb"))
            self.arms: Any = self.add(fw.ModelBatch(model, 3, columns={"hp": 3, "mood": object}))

    with Arms(size=(9, 9), headless=True, drawing=False) as game:
        arms = game.arms
        arms.hp[:] = 1, 2, 3
        arms.extend(1, hp=9, position=(1, 2, 3))
        arm = arms.add(mood=[1])
        with pytest.raises(TypeError, match=r"mp: not a column; there are .*, hp, mood"):
            arms.add(mp=1)
        arms.remove([1])
        assert (arms.hp.tolist(), arm.mood, arms.ids.tolist()) == ([1, 3, 9, 3], [1], [0, 2, 3, 4])
        game.save(path=path)
        arms.clear()
        game.load(path=path)
        assert arms.hp.tolist() == [1, 3, 9, 3]
        assert arms.mood.tolist() == [None, None, None, [1]]
        state = game.state_hash()
    with Arms(size=(9, 9), headless=True, drawing=False) as game:
        game.load(path=path)
        assert game.state_hash() == state


def test_custom_columns_do_not_change_the_image(make: Make) -> None:
    def image_with(columns: Any) -> Any:
        game = make(fw.Game, size=(64, 48))
        game.world.camera.position = 0, 0, 5
        nodes = fw.Nodes2D(columns=columns)
        for position in ((10, 10), (30, 20)):
            nodes.add(position=position)
        guns = game.add(fw.NodeSprites(IMAGE, nodes, columns=columns or ()))
        for node in nodes:
            guns.show(node)
        game.add(fw.SpriteBatch(IMAGE, columns=columns or ())).add(position=(50, 40), angle=1)
        game.add(fw.Shapes(columns=columns)).add_circle((20, 40), 5, color="#f80")
        game.add(fw.Polygons(columns=columns)).add_box((45, 10), (9, 5), color="#08f")
        vertex = "void vertex(vec2 place, vec2 corner, inout vec2 shift, inout vec4 tint) { }"
        grass = fw.VertexSprites(IMAGE, vertex=vertex, columns=columns or ())
        game.add(grass).add(position=(8, 40))
        cubes = game.add(fw.MeshBatch(fw.Mesh.box(), 1, columns=columns))
        cubes[0].position = 1, 0, 0
        if columns:
            batches: tuple[Any, ...] = guns, cubes, grass, nodes
            for batch in batches:
                batch.hp += 1
        game.advance(1 / 60)
        return game.pixels()

    plain = image_with(None)
    assert len(np.unique(plain.reshape(-1, 4), axis=0)) > 5
    assert np.array_equal(image_with(COLUMNS), plain)


def test_each_form_of_a_column_has_its_type_and_default() -> None:
    for form, dtype, default in (
        (3.0, "float64", 3.0),
        (3, "int64", 3),
        (True, "bool", True),
        (np.float32(2), "float64", 2.0),
        ("u1", "uint8", 0),
        (float, "float64", 0.0),
        (np.int16, "int16", 0),
        (object, "object", None),
        (fw.Column("i4", default=7), "int32", 7),
    ):
        batch: Any = fw.SpriteBatch(IMAGE, 2, columns={"value": form})
        assert batch.value.dtype == dtype
        assert batch.value.tolist() == [default] * 2
    shaped: Any = fw.SpriteBatch(
        IMAGE,
        2,
        columns={
            "pair": ("f4", 2),
            "grid": fw.Column("i2", (2, 3), default=4),
            "home": fw.Column("f4", 2, default=(1, 2)),
        },
    )
    assert shaped.pair.shape == (2, 2)
    assert shaped.grid.shape == (2, 2, 3)
    assert shaped[0].grid == ((4, 4, 4), (4, 4, 4))
    assert shaped[1].home == (1, 2)
    shaped[0].grid = [[1, 2, 3], [4, 5, 6]]
    assert shaped.grid[0].tolist() == [[1, 2, 3], [4, 5, 6]]
    with pytest.raises(ValueError, match=r"grid: expected int16 numbers of shape \(2, 3\)"):
        shaped[0].grid = [1, 2]
    assert repr(column_of("hp", 3)) == "Column('int64', (), 3, False)"


def test_values_of_custom_columns_are_checked() -> None:
    batch: Any = fw.SpriteBatch(IMAGE, 2, columns={**COLUMNS, "small": "f2", "big": "u8"})
    sprite = batch[0]
    name: str
    value: Any
    sprite.hp = math.inf
    sprite.big = (1 << 64) - 1
    batch.hp[1] = math.nan
    assert sprite.hp == math.inf
    assert math.isnan(batch[1].hp)
    assert sprite.big == (1 << 64) - 1
    for name, value, words in (
        ("rank", 256, "rank: expected a whole number from 0 to 255, got 256"),
        ("rank", -1, "rank: expected a whole number from 0 to 255, got -1"),
        ("hp", "x", "hp: expected a number, got 'x'"),
        ("home", (1, 2, 3), "home: expected two numbers, got (1, 2, 3)"),
    ):
        with pytest.raises((TypeError, ValueError)) as caught:
            setattr(sprite, name, value)
        assert str(caught.value) == words
    for name, value, words in (
        ("rank", [1, 300], "rank: expected whole numbers from 0 to 255, got 300"),
        ("rank", np.array([1, -1], np.int8), "rank: expected whole numbers from 0 to 255, got -1"),
        ("small", [1, 7e4], "small: expected numbers of at most 65,504, got larger ones"),
        ("mood", [1], "mood: expected 2 objects, one for each row, got [1]"),
        ("hp", [1, 2, 3], "hp: expected float64 numbers of shape (2,)"),
    ):
        before = getattr(batch, name).copy()
        with pytest.raises((TypeError, ValueError)) as caught:
            setattr(batch, name, value)
        assert str(caught.value).startswith(words)
        assert np.array_equal(getattr(batch, name), before, equal_nan=before.dtype.kind == "f")


def test_a_column_of_objects_keeps_the_same_objects() -> None:
    batch: Any = fw.SpriteBatch(IMAGE, columns={"mood": object})
    listed = [1, 2]
    array = np.arange(3)
    sprite = batch.add(mood=listed)
    batch.add(mood=array)
    assert sprite.mood is listed
    assert batch[1].mood is array
    batch.extend(2, mood=[listed, None])
    assert batch.mood[2] is listed
    assert batch.mood[3] is None
    batch.mood = "all"
    assert batch.mood.tolist() == ["all"] * 4
    batch.mood = (1, 2, 3, 4)
    assert batch.mood.tolist() == [1, 2, 3, 4]


def test_a_tuple_is_one_default_of_a_column_of_objects() -> None:
    home = ("den", 3)
    batch: Any = fw.SpriteBatch(IMAGE, columns={"home": fw.Column(object, default=home)})
    sprite = batch.add()
    batch.extend(2)
    assert sprite.home is home
    assert batch.home.tolist() == [home] * 3


def test_add_writes_only_what_differs_from_the_defaults() -> None:
    batch: Any = fw.SpriteBatch([IMAGE, IMAGE], columns={"hp": 3})
    batch.add(1, position=(5, 6), angle=2.0, scale=3, color="#f00", visible=False, layer=4, hp=9)
    batch.remove([0])  # the next row uses the memory of the removed row
    batch.add()
    rows = batch.extend(1)
    for name in ("image", "position", "angle", "scale", "color", "visible", "layer", "flip", "hp"):
        column = getattr(batch, name)
        assert np.array_equal(column[0], column[rows][0]), name


def test_objects_of_removed_rows_are_released() -> None:
    import weakref

    class Mood:
        pass

    batch: Any = fw.SpriteBatch(IMAGE, 4, columns={"mood": object})
    batch.mood = [Mood() for _ in range(4)]
    references = [weakref.ref(mood) for mood in batch.mood.tolist()]
    batch.remove([1])
    assert [ref() is None for ref in references] == [False, True, False, False]
    batch.clear()
    assert all(ref() is None for ref in references)


def test_add_and_extend_accept_custom_columns() -> None:
    batch: Any = fw.SpriteBatch(IMAGE, columns={"hp": 3.0, "velocity": (1, 2), "damping": 0.5})
    sprite = batch.add(position=(1, 2), hp=9, velocity=(5, 6))
    rows = batch.extend(2, hp=[1, 2])
    assert batch.hp.tolist() == [9, 1, 2]
    assert rows == slice(1, 3)
    assert batch.velocity.tolist() == [[5, 6], [1, 2], [1, 2]]
    assert batch.damping.tolist() == [0.5] * 3
    assert sprite.velocity == (5, 6)
    with pytest.raises(
        TypeError, match=r"mp: a sprite is added with .*, hp; for a value of your own"
    ):
        batch.add(mp=3)
    with pytest.raises(TypeError, match=r"mp: not a column; there are .*hp"):
        batch.extend(2, mp=3)
    with pytest.raises(ValueError, match="hp: expected float64"):
        batch.extend(2, hp=[1, 2, 3])
    assert len(batch) == 3
    with_velocity: Any = fw.SpriteBatch(IMAGE, 1, columns="velocity")
    assert with_velocity.velocity.tolist() == [[0, 0]]
    hermite: Any = fw.SpriteBatch(IMAGE, 1, motion="hermite", columns={"velocity": 4})
    assert hermite.velocity.tolist() == [[4, 4]]


def test_a_name_that_a_batch_uses_is_refused() -> None:
    for name, batch in batches().items():
        used = [*dir(type(batch)), *(column.name for column in table_of(batch).columns)]
        for word in [word for word in used if word[0] != "_" and word not in COLUMNS]:
            assert is_taken(batch, table_of(batch), word), (name, word)
        # Old names in files: a custom column with such a name would overwrite another column in a
        # save.
        for words in (stable_names.IN_FILES, stable_names.IN_HASHES):
            owners: list[Any] = [type(batch), type(table_of(batch))]
            for owner in owners:
                for today, old in words.field_names(owner).items():
                    if hasattr(type(batch), today) and today[0] != "_":
                        assert is_taken(batch, table_of(batch), old), (name, old)
    for word in ("scale", "x", "alpha", "draw", "release", "count", "rotation", "class", "tags"):
        with pytest.raises(ValueError, match=rf"columns: a SpriteBatch uses '{word}' already"):
            fw.SpriteBatch(IMAGE, columns=dict.fromkeys([word], fw.Column("f4")))

    class Crabs(fw.SpriteBatch):
        @property
        def hp(self) -> int:
            return 3

    with pytest.raises(ValueError, match="columns: a Crabs uses 'hp' already"):
        Crabs(IMAGE, columns={"hp": 1})


def test_a_subclass_with_custom_columns_keeps_its_attributes() -> None:
    class Crabs(fw.SpriteBatch):
        hp: Any

        def __init__(self) -> None:
            super().__init__(IMAGE, 2, columns={"hp": 3})
            self.hp[1] = 8
            self.cave = "deep"

        def strongest(self) -> int:
            return int(np.argmax(self.hp))

    crabs = Crabs()
    crabs.hp = crabs.hp + 1
    assert isinstance(crabs, Crabs)
    assert type(crabs).__name__ == "Crabs"
    assert (crabs.strongest(), crabs.hp.tolist(), vars(crabs)) == (1, [4, 9], {"cave": "deep"})


def test_the_error_of_an_unknown_attribute_explains_custom_columns(make: Make) -> None:
    hint = "for a value of your own in each row, make the batch with columns={'hp': 0.0}"

    class Wrong(fw.Game):
        def setup(self) -> None:
            self.enemies = self.add(fw.SpriteBatch(IMAGE, 2))
            self.wrong: Any = lambda: None

        def update(self, dt: float) -> None:
            self.wrong()

        def on_key_press(self, key: int, modifiers: int) -> None:
            self.wrong()

    game = make(Wrong, drawing=False)
    enemies: Any = game.enemies
    shape: Any = game.add(fw.Shapes()).add_circle((1, 1), 2)
    instance: Any = fw.MeshBatch(fw.Mesh.box(), 1)[0]

    def read() -> None:
        enemies[0].hp -= 1

    bad_access: Any
    for bad_access in (
        lambda: setattr(enemies[0], "hp", 3),
        lambda: setattr(enemies, "hp", 3),
        lambda: setattr(shape, "hp", 3),
        lambda: setattr(instance, "hp", 3),
        read,
    ):
        game.wrong = bad_access
        with pytest.raises(AttributeError, match="has no attribute 'hp'") as caught:
            game.run_ticks(1)
        assert str(caught.value).endswith(hint)
        with pytest.raises(AttributeError, match="has no attribute 'hp'"):
            bad_access()
    game.wrong = lambda: setattr(game.enemies[0], "_hp", 3)
    with pytest.raises(
        AttributeError, match=r"no attribute '_hp'( and no __dict__ for setting new attributes)?$"
    ):
        game.run_ticks(1)


# -- a whole game ----------------------------------------------------------------------------------


class Den:
    saved = ("name", "enemies")

    def __init__(self, name: str) -> None:
        self.name = name
        self.enemies: list[Any] = []


class Swarm(fw.Game):
    """A game whose enemies have hit points and are removed by several parts of the code."""

    saved = ("enemies", "bolts", "dens", "random", "kills")
    saved_classes = (Den,)
    COLUMNS: ClassVar[dict[str, Any]] = {
        "hp": 3.0,
        "rank": "u1",
        "home": ("f4", 2),
        "den": object,
        "prey": object,
        "heat": fw.Column("f4", default=1.0, interpolated=True),
    }

    def setup(self) -> None:
        self.kills = 0
        self.dens = [Den("north"), Den("south")]
        self.enemies: Any = self.add(fw.SpriteBatch(IMAGE, columns=self.COLUMNS))
        self.bolts: Any = self.add(fw.SpriteBatch(IMAGE, columns={"age": 0, "target": -1}))

    def update(self, dt: float) -> None:
        enemies = self.enemies
        rows = enemies.extend(3, position=self.random.uniform(0, 90, (3, 2)))
        enemies.rank[rows] = self.random.integers(0, 9, 3)
        enemies.home[rows] = enemies.position[rows]
        enemies.hp[rows] = self.random.uniform(1, 4, 3)
        for row in range(rows.start, rows.stop):
            enemies.den[row] = self.dens[row % 2]
        new_enemy = enemies.add(hp=2, den=self.dens[0], prey=enemies[0])
        self.dens[0].enemies = [new_enemy]
        self.schedule.once(lambda dt: new_enemy.removed or new_enemy.remove(), 2 / 60)
        bolt = self.bolts.add()
        bolt.target = int(enemies.ids[self.random.integers(len(enemies))])
        self.bolts.age += 1
        hit = self.bolts.row_of(self.bolts.ids)  # all bolts, in order
        assert hit.tolist() == list(range(len(self.bolts)))
        rows = enemies.row_of(self.bolts.target)
        enemies.hp[rows[rows >= 0]] -= 0.7
        enemies.heat += np.float32(dt)
        dead = enemies.hp <= 0
        self.kills += int(dead.sum())
        enemies.remove(dead)
        for enemy in enemies:  # enemies are removed in the loop over the enemies
            if enemy.rank == 8:
                enemy.remove()
        self.bolts.remove(self.bolts.age > 5)


def all_values(game: Any) -> list[Any]:
    """Return everything that a game can read of its rows."""
    enemies = game.enemies
    values = [enemies.hp, enemies.rank, enemies.home, enemies.den, enemies.prey, enemies.heat]
    values += [enemies.ids, enemies.row_of(enemies.ids), enemies.blended("heat", 0.3)]
    values += [
        (enemy.hp, enemy.rank, enemy.home, enemy.den, enemy.prey, enemy.id) for enemy in enemies
    ]
    return [len(dir(enemies)), repr(enemies[0]), *values]


class ReadsAll(Swarm):
    def draw(self, alpha: float) -> None:
        all_values(self)


ReadsAll.__qualname__ = Swarm.__qualname__


def test_reading_all_values_and_a_second_game_do_not_change_the_state() -> None:
    hashes = []
    with Swarm(size=(90, 90), headless=True, drawing=False, seed=1) as second:
        for kind, drawing in ((Swarm, False), (Swarm, True), (ReadsAll, True)):
            with kind(size=(90, 90), headless=True, drawing=drawing, seed=4) as game:
                for number in range(30):
                    game.advance((1 / 60, 1 / 144, 0.021)[number % 3])
                    second.run_ticks(1)
                while game.tick < 30:
                    game.run_ticks(1)
                hashes.append((game.tick, game.state_hash()))
    assert len(set(hashes)) == 1


def test_a_restored_game_continues_with_the_same_states() -> None:
    with Swarm(size=(90, 90), headless=True, drawing=False, seed=4) as game:
        game.run_ticks(12)
        snapshot = game.snapshot()
        state = game.state_hash()
        sprite = game.enemies[2]
        before = copy.copy((sprite.hp, sprite.id, sprite.den))
        game.run_ticks(9)
        later = game.state_hash()
        held_later = game.state_hash()
        game.enemies.clear()
        game.restore(snapshot)
        assert game.state_hash() == state
        assert (sprite.hp, sprite.id, sprite.den) == before
        game.run_ticks(9)
        assert game.state_hash() == later == held_later


def test_objects_in_a_column_are_part_of_snapshots_and_hashes() -> None:
    with fw.Game(size=(9, 9), headless=True, drawing=False) as game:
        batch: Any = game.add(fw.SpriteBatch(IMAGE, 2, columns={"mood": object}))
        batch.mood[1] = {"fear": [1, 2]}
        state = game.state_hash()
        snapshot = game.snapshot()
        batch.mood[1]["fear"].append(3)  # without a write to the column
        assert game.state_hash() != state
        path = [path for path in game.debug.state_values() if path.endswith("['fear'][2]")]
        assert path
        assert ".mood[1]" in path[0]
        mood = batch.mood[1]
        batch.mood[1] = None
        game.restore(snapshot)
        assert batch.mood[1] is mood
        assert mood == {"fear": [1, 2]}
        assert game.state_hash() == state
        batch.mood[0] = (number for number in "ab")
        with pytest.raises(FrameworkError, match=r"mood\[0\] is a generator, which cannot be"):
            game.snapshot()


def test_a_recording_replays_custom_columns(tmp_path: Path) -> None:
    path = tmp_path / "swarm.replay"
    with Swarm(size=(90, 90), headless=True, drawing=False, seed=4) as game:
        game.recording.start(path, hash_every=5)
        game.recording.rewind = fw.Rewind(duration=2)
        game.run_ticks(40)
        game.recording.stop()
    report = fw.Replay(path).verify(Swarm)
    assert report.ok, str(report)
    assert report.compared
    assert fw.sync_test(Swarm, ticks=25).ok


def test_rewind_restores_columns_and_ids() -> None:
    with Swarm(size=(90, 90), headless=True, drawing=False, seed=4) as game:
        game.recording.rewind = rewind = fw.Rewind(duration=2)
        hashes = {}
        for _ in range(40):
            game.run_ticks(1)
            hashes[game.tick] = game.state_hash()
        for tick in (31, 8, 22):
            rewind.seek(tick)
            assert game.state_hash() == hashes[tick]


def test_a_save_contains_custom_columns_and_their_objects(tmp_path: Path) -> None:
    path = tmp_path / "one.save"
    with Swarm(size=(90, 90), headless=True, drawing=False, seed=4) as game:
        game.run_ticks(12)
        game.dens[1].enemies = [game.enemies[1]]
        game.save(path=path)
        state = game.state_hash()
        dens = game.dens
        enemies = game.enemies
        hp = enemies.hp.copy()
        ids = enemies.ids.copy()
        owners = [den.name for den in enemies.den]
        game.run_ticks(7)
        game.dens[0].name = "elsewhere"
        game.load(path=path)
        assert (enemies.hp.tolist(), enemies.ids.tolist()) == (hp.tolist(), ids.tolist())
        assert enemies.den[0] is dens[0] or enemies.den[0] is dens[1]
        assert [den.name for den in enemies.den] == owners
        assert game.dens is dens
        assert dens[1].enemies[0] is enemies[1]
        for row, enemy in enumerate(enemies):
            assert enemy.prey is None or enemy.prey.batch is enemies, row
    with Swarm(size=(90, 90), headless=True, drawing=False, seed=4) as game:
        game.run_ticks(3)
        game.load(path=path)
        assert [den.name for den in game.enemies.den] == owners
        game.schedule  # noqa: B018  (a save contains no tasks of the first game)
        with Swarm(size=(90, 90), headless=True, drawing=False, seed=4) as second_game:
            second_game.run_ticks(3)
            second_game.load(path=path)
            assert second_game.state_hash() == game.state_hash()
        game.saves.export_json(tmp_path / "one.json")
        assert '"hp"' in (tmp_path / "one.json").read_text()
    assert state


class TwoBatches(fw.Game):
    saved = ("a", "b")
    value: Any = None

    def setup(self) -> None:
        self.b: Any = self.add(fw.SpriteBatch(IMAGE, 2, columns={"mate": object, "hp": 1}))
        self.a: Any = self.add(fw.SpriteBatch(IMAGE, 2, columns={"mate": object}))


def test_rows_of_two_batches_may_refer_to_each_other(tmp_path: Path) -> None:
    path = tmp_path / "one.save"
    with TwoBatches(size=(9, 9), headless=True, drawing=False) as game:
        game.a.mate = [game.b[1], game.a[1]]
        game.b.mate = [game.a[0], [game.b[0], game.a[1]]]
        sprite = game.b[1]
        game.save(path=path)
        game.a.clear()
        game.b.mate = None
        game.load(path=path)
        assert game.a.mate[0] is sprite
        assert game.a.mate[1] is game.a[1]
        assert game.b.mate[0] is game.a[0]
        assert game.b.mate[1] == [game.b[0], game.a[1]]


def test_the_error_of_an_unsaveable_value_names_its_path(tmp_path: Path) -> None:
    path = tmp_path / "one.save"
    with TwoBatches(size=(9, 9), headless=True, drawing=False) as game:
        game.b.mate[1] = print
        with pytest.raises(
            FrameworkError,
            match=r"save: game\.b\.mate\[1\] is the built-in function print, which cannot be saved",
        ):
            game.save(path=path)
        sprite = game.a[1]
        game.b.mate[1] = sprite
        sprite.remove()
        with pytest.raises(FrameworkError, match=r"game\.b\.mate\[1\] is a sprite that was remov"):
            game.save(path=path)
        game.b.mate[1] = None
        game.save(path=path)


def test_an_incompatible_save_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "one.save"
    game: Any
    with TwoBatches(size=(9, 9), headless=True, drawing=False) as game:
        game.b.mate = [[1], {2: 3}]
        game.b.remove([0])
        game.save(path=path)

    class Newer(fw.Game):
        saved = ("a", "b")
        columns: ClassVar[dict[str, Any]] = {"mate": object, "hp": 1}

        def setup(self) -> None:
            self.b: Any = self.add(fw.SpriteBatch(IMAGE, 3, columns=self.columns))
            self.a: Any = self.add(fw.SpriteBatch(IMAGE, 2, columns={"mate": object}))
            if self.columns["mate"] is object:
                self.b.mate = [["kept"], 2, 3]

    Newer.__qualname__ = TwoBatches.__qualname__
    for columns, words in (
        ({"mate": object}, r"expected the columns .*mate, got .*hp"),
        ({"mate": object, "hp": 1.0}, r"game\.b\.hp: expected float64 .* got int64"),
        ({"mate": 1, "hp": 1}, r"game\.b\.mate: expected int64 .* got object"),
        ({"mate": object, "hp": object}, r"game\.b\.hp: expected object .* got int64"),
        ({"mate": object, "hp": 1, "mp": 1}, r"expected the columns .*mp, got"),
    ):
        Newer.columns = columns
        with Newer(size=(9, 9), headless=True, drawing=False) as game:
            if columns["mate"] == 1:
                game.b.mate = 5
            before = game.state_hash()
            with pytest.raises(AssetError, match=words):
                game.load(path=path)
            assert game.state_hash() == before

    Newer.columns = {"mate": object, "hp": 1}

    class Failing(Newer):
        def after_load(self) -> None:
            raise ValueError("no")

    Failing.__qualname__ = TwoBatches.__qualname__
    with Failing(size=(9, 9), headless=True, drawing=False) as game:
        mood = game.b.mate[0]
        before = game.state_hash()
        with pytest.raises(AssetError, match="no"):
            game.load(path=path)
        assert game.state_hash() == before
        assert game.b.mate[0] is mood == ["kept"]


def test_a_migration_adds_and_changes_custom_columns(tmp_path: Path) -> None:
    path = tmp_path / "one.save"
    game: Any
    with TwoBatches(size=(9, 9), headless=True, drawing=False) as game:
        game.b.hp = [4, 5]
        game.b.mate = ["x", "y"]
        game.save(path=path)

    def migrate(state: dict[str, Any]) -> None:
        rows = state["game"]["b"]
        rows.columns["armor"] = rows.columns.pop("hp") * 2.0
        rows.columns["mate"][0] = "z"

    class Newer(fw.Game):
        saved = ("a", "b")
        saved_version = 2
        migrations: ClassVar[Any] = {1: migrate}

        def setup(self) -> None:
            columns: Any = {"mate": object, "armor": 0.0}
            self.b: Any = self.add(fw.SpriteBatch(IMAGE, 1, columns=columns))
            self.a: Any = self.add(fw.SpriteBatch(IMAGE, 2, columns={"mate": object}))

    Newer.__qualname__ = TwoBatches.__qualname__
    with Newer(size=(9, 9), headless=True, drawing=False) as game:
        game.load(path=path)
        assert game.b.armor.tolist() == [8, 10]
        assert game.b.mate.tolist() == ["z", "y"]


# -- other parts of the framework ------------------------------------------------------------------


def test_an_interpolated_column_is_blended_between_ticks() -> None:
    with fw.Game(size=(9, 9), headless=True, drawing=False) as game:
        column = fw.Column("f8", default=2.0, interpolated=True)
        batch: Any = game.add(fw.SpriteBatch(IMAGE, 2, columns={"heat": column, "hp": 1.0}))
        game.run_ticks(1)
        batch.heat[0] = 10  # between two ticks
        game.run_ticks(1)

        def warm(dt: float) -> None:
            batch.heat += 4
            if len(batch) < 3:
                batch.add(heat=50)

        game.systems.add("movement", warm)
        game.run_ticks(1)
        assert batch.blended("heat", 0.25).tolist() == [11, 3, 50]  # a new row has only one state
        assert batch.blended("heat", 1).tolist() == [14, 6, 50]
        snapshot = game.snapshot()
        batch.remove([0])
        assert batch.blended("heat", 0.25).tolist() == [3, 50]
        game.run_ticks(2)
        game.restore(snapshot)
        assert batch.blended("heat", 0.5).tolist() == [12, 4, 50]
        batch.heat[2] = 60
        batch.teleport([2])
        assert batch.blended("heat", 0)[2] == 60
        with pytest.raises(
            ValueError, match=r"name: expected an interpolated .* \(heat\), got 'hp'"
        ):
            batch.blended("hp", 0.5)


def test_tweens_change_custom_columns_of_floats() -> None:
    with fw.Game(size=(9, 9), headless=True, drawing=False) as game:
        columns: Any = {**COLUMNS, "grid": ("f4", (2, 2))}
        batch: Any = game.add(fw.SpriteBatch(IMAGE, 3, columns=columns))
        sprite = batch[2]
        game.tween(sprite, hp=9.0, duration=0.1)
        game.tween(batch, rows=[0, 1], home=(4, 8), duration=0.1)
        game.run_ticks(3)
        batch.remove([1])
        game.run_ticks(10)
        assert sprite.hp == 9
        assert batch.home.tolist() == [[4, 8], [0, 0]]
        with pytest.raises(TypeError, match="rank: expected a column of floats"):
            game.tween(sprite, rank=3, duration=1)
        with pytest.raises(TypeError, match="grid"):
            game.tween(batch, grid=3, duration=1)
        with pytest.raises(TypeError):
            game.tween(sprite, mood=3, duration=1)


def test_state_columns_and_tags_work_beside_custom_columns() -> None:
    clips = fw.Clips([IMAGE], walk=(0, 1, 4))
    batch: Any = fw.SpriteBatch(clips, 3, tags=("boss",), columns={"hp": 1, "mind_tick": 1})
    with pytest.raises(ValueError, match="column: the batch has a column 'mind_tick'"):
        fw.StateColumns(batch, "calm", "angry", column="mind")
    minds = fw.StateColumns(batch, "calm", "angry")
    minds.put([2], "angry")
    batch.tag(1, "boss")
    batch.hp[:] = 5, 6, 7
    batch.remove([0])
    assert (batch.hp.tolist(), batch.tagged("boss").tolist()) == ([6, 7], [0])
    assert minds.rows("angry").tolist() == [1]


def test_bodies_keep_the_custom_columns_of_their_rows() -> None:
    pytest.importorskip("pymunk", reason="pymunk is not installed: pip install 'subtick[physics]'")
    with fw.Game(size=(99, 99), headless=True, drawing=False) as game:
        physics = fw.Physics2D(game, gravity=(0, 0))
        crates: Any = game.add(fw.SpriteBatch(IMAGE, 3, columns={"hp": 3.0}))
        crates.position[:] = (10, 10), (50, 50), (52, 50)
        crates.hp[:] = 1, 2, 3
        physics.add(crates, shape="circle")
        game.run_ticks(2)
        crates.remove([0])
        game.run_ticks(1)
        row = physics.query_point(crates.position[1].tolist())[0]
        assert row.hp == 3
        assert row.id == 2
        row.remove()
        game.run_ticks(1)
        assert crates.hp.tolist() == [2]


def test_the_inspector_shows_and_edits_custom_columns(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    slimgui = pytest.importorskip(
        "slimgui", reason="slimgui is not installed: pip install 'subtick[debug]'"
    )

    class Inspected(fw.Game):
        def setup(self) -> None:
            columns: Any = {**COLUMNS, "grid": ("i2", (2, 2)), "flag": True}
            enemies: Any = fw.SpriteBatch(IMAGE, 9, columns=columns)
            enemies.mood[5] = "calm"
            enemies.remove([0])
            self.enemies = self.add(enemies)

    game = make(Inspected, size=(640, 360))
    fw.debug.inspect()
    inspector = game._engine.stage.inspector
    inspector._row[id(game.enemies)] = 4
    fields = {"hp": 7.0, "rank": 999, "home 1": 2.0, "mood": "angry", "grid 3": -5, "flag": False}
    shown_fields: dict[str, Any] = {}

    def field(name: str, value: Any) -> Any:
        shown_fields[name] = value
        return fields.get(name, value)

    monkeypatch.setattr(inspector, "_field", field)
    imgui = slimgui.imgui

    def open_node(*about: Any) -> bool:
        imgui.tree_push(str(about[0]))
        return True

    texts: list[str] = []
    original_text = imgui.text

    def show(text: str) -> None:
        texts.append(text)
        original_text(text)

    monkeypatch.setattr(imgui, "text", show)
    monkeypatch.setattr(imgui, "tree_node", open_node)
    game.advance(0)
    game.advance(0)
    assert shown_fields["mood"] in ("calm", "angry")
    assert "row 4, id 5" in texts
    sprite = game.enemies[4]
    assert (sprite.hp, sprite.rank, sprite.home, sprite.mood) == (7, 255, (0, 2), "angry")
    assert sprite.grid == ((0, 0), (0, -5))
    assert sprite.flag is False
    assert game.enemies[3].hp == 3


def test_hot_reload_keeps_the_rows_and_columns(tmp_path: Path) -> None:
    import sys
    import textwrap
    import types

    from framework.watch.hot_reload import HotReload

    text = textwrap.dedent("""
        import numpy as np
        import framework as fw
        class Mood:
            def word(self): return "calm"
        class Crabs(fw.SpriteBatch):
            def total(self): return self.hp.sum()
        class Game(fw.Game):
            def setup(self):
                image = np.full((2, 2, 4), 255, np.uint8)
                self.crabs = self.add(Crabs(image, 3, columns={"hp": 3.0, "mood": object}))
                self.crabs.mood[1] = Mood()
            def update(self, dt):
                self.crabs.hp -= 1
    """)
    module = types.ModuleType("crabgame")
    module.__file__ = str(tmp_path / "crabgame.py")
    sys.modules["crabgame"] = module
    live = HotReload()
    try:
        exec(compile(text, module.__file__, "exec", dont_inherit=True), vars(module))
        live.add(module, text.encode())
        with module.Game(size=(9, 9), headless=True, drawing=False) as game:
            game.run_ticks(1)
            changed = text.replace("hp -= 1", "hp -= 0.5").replace('"calm"', '"angry"')
            changed = changed.replace("self.hp.sum()", "2 * self.hp.sum()")
            live.reload({module.__file__: changed.encode()})
            game.run_ticks(1)
            assert game.crabs.hp.tolist() == [1.5] * 3
            assert game.crabs.total() == 9
            assert game.crabs.mood[1].word() == "angry"
            assert game.crabs[1].hp == 1.5
            assert isinstance(game.crabs, module.Crabs)
    finally:
        del sys.modules["crabgame"]


# -- against a model -------------------------------------------------------------------------------


@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["add", "extend", "remove", "mask", "handle", "hp", "all", "mood", "save", "load"]
            ),
            st.integers(0, 1 << 16),
        ),
        max_size=40,
    )
)
def test_rows_agree_with_a_dict_under_random_operations(operations: list[tuple[str, int]]) -> None:
    """Each row keeps its values when other rows are added and removed."""
    batch: Any = fw.SpriteBatch(IMAGE, columns=COLUMNS)
    table = table_of(batch)
    model: dict[int, list[Any]] = {}  # the hit points, rank and mood of each id
    saved_state: Any = table.capture(), {}, 0
    next_id = 0
    for name, number in operations:
        rows = [*model]
        row = number % len(rows) if rows else 0
        if name == "add":
            mood = [number]
            sprite = batch.add(hp=number, rank=number % 256, mood=mood)
            assert sprite.id == next_id
            model[next_id] = [number, number % 256, mood]
            next_id += 1
        elif name == "extend":
            batch.extend(number % 4, hp=number)
            for _ in range(number % 4):
                model[next_id] = [number, 0, None]
                next_id += 1
        elif name == "save":
            saved_state = (
                table.capture(),
                {key: value.copy() for key, value in model.items()},
                next_id,
            )
        elif name == "load":
            table.restore(saved_state[0])
            model = {key: value.copy() for key, value in saved_state[1].items()}
            next_id = saved_state[2]
        elif not rows:
            continue
        elif name == "remove":
            batch.remove([row])
            del model[rows[row]]
        elif name == "mask":
            mask = batch.rank > number % 256
            batch.remove(mask)
            model = {key: value for key, value in model.items() if value[1] <= number % 256}
        elif name == "handle":
            batch[row].remove()
            del model[rows[row]]
        elif name == "hp":
            batch[row].hp = number
            model[rows[row]][0] = number
        elif name == "all":
            batch.hp += 1
            for value in model.values():
                value[0] += 1
        else:
            batch[row].mood = number
            model[rows[row]][2] = number
    assert batch.ids.tolist() == [*model]
    assert batch.hp.tolist() == [value[0] for value in model.values()]
    assert batch.rank.tolist() == [value[1] for value in model.values()]
    assert batch.mood.tolist() == [value[2] for value in model.values()]
    for row_id, value in model.items():
        sprite = batch[batch.row_of(row_id)]
        assert [sprite.hp, sprite.rank, sprite.mood] == value


@pytest.mark.parametrize("name", ["hp", "health", "timer", "mood", "cooldown", "owner"])
def test_a_caught_attribute_error_explains_custom_columns(name: str, make: Make) -> None:
    """The message is complete in the game's code too, and other columns do not change the message."""
    hint = f"for a value of your own in each row, make the batch with columns={{{name!r}: 0.0}}"
    game = make(drawing=False)
    batch: Any = game.add(fw.SpriteBatch(IMAGE, 2, columns={"worth": 3}))
    shapes = game.add(fw.Shapes())
    instances: Any = fw.MeshBatch(fw.Mesh.box(), 1)
    objects: list[Any] = [
        *(batch, batch[0], shapes, shapes.add_circle((1, 1), 2), instances, instances[0])
    ]
    for subject in objects:
        before = dir(subject)
        for bad_access in (
            lambda subject=subject: setattr(subject, name, 3),
            lambda subject=subject: getattr(subject, name),
        ):
            with pytest.raises(AttributeError) as caught:
                bad_access()
            assert (
                str(caught.value) == f"{type(subject).__name__} has no attribute {name!r}; {hint}"
            )
        assert not hasattr(subject, name)
        assert getattr(subject, name, 5) == 5
        assert name not in dir(subject)
        assert dir(subject) == before
    label: Any = game.labels.add("Hello", (1, 1))
    with pytest.raises(AttributeError, match=f"Label has no attribute '{name}'; it has align"):
        setattr(label, name, 3)


def test_common_names_can_be_custom_columns(make: Make) -> None:
    from framework.other_engines.batch_names import _OWN_VALUES

    game = make(drawing=False)
    names = _OWN_VALUES.split()
    assert len(names) == len({*names})
    for first in range(0, len(names), 30):
        chunk = names[first : first + 30]
        batch: Any = game.add(fw.SpriteBatch(IMAGE, 2, columns=dict.fromkeys(chunk, 1)))
        for name in chunk:
            setattr(batch[1], name, 4)
            assert getattr(batch, name).tolist() == [1, 4]


def test_a_subclass_may_use_common_names_as_attributes() -> None:
    class Crabs(fw.SpriteBatch):
        def __init__(self) -> None:
            super().__init__(IMAGE, 2, columns={"worth": 3})
            self.level = 7

    crabs: Any = Crabs()
    crabs.level += 1
    assert (crabs.level, Crabs().level, crabs[0].worth) == (8, 7, 3)
    with pytest.raises(AttributeError, match=r"'level'; .*columns=\{'level': 0\.0\}"):
        crabs[0].level = 3


def test_a_row_of_a_column_may_be_a_table() -> None:
    batch = fw.SpriteBatch(IMAGE, 2, columns={"table": ("f4", (2, 2))})
    batch[1].table = [(1, 2), (3, 4)]
    assert batch.table.tolist() == [[[0, 0], [0, 0]], [[1, 2], [3, 4]]]
    with pytest.raises(ValueError, match="table"):
        batch[1].table = (1, 2, 3)
