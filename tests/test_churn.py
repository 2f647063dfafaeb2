"""Churn: the cost of added and removed sprites does not depend on the number of others."""

from __future__ import annotations

import random

import numpy as np
import pytest
from drawings import drawing
from pictures import solid

import framework as fw
from framework.state import columns
from framework.state.rows import table_of

IMAGE = solid(4, 4)
DT = 1 / 60
INFO = 4  # bytes of the packed columns of a row: image, visible and flip
ROW = 8 + 4 + 8 + 16 + INFO  # bytes of a row: position, angle, scale, color and the packed columns


class Crowd(fw.Game):
    """A game with 10,000 resting sprites, each with a sprite object."""

    count = 10_000

    def setup(self):
        self.batch = self.add(fw.SpriteBatch([IMAGE, solid(2, 6)]))
        self.all = [self.batch.add(position=(row % 64, row // 256)) for row in range(self.count)]
        self.act = lambda: None

    def update(self, dt):
        self.act()


@pytest.fixture
def crowd(make):
    game = make(Crowd, size=(64, 40))
    for _ in range(4):
        game.advance(DT)
    return game


@pytest.fixture
def compared_lengths(monkeypatch):
    """Return a list that collects the lengths of compared columns."""
    lengths = []

    def differ(a, b, compare=columns.differ):
        lengths.append(len(a))
        return compare(a, b)

    monkeypatch.setattr(columns, "differ", differ)
    return lengths


def uploaded_bytes(game, frames=1):
    backend = drawing(game.batch)
    before = backend.uploaded_bytes
    for _ in range(frames):
        game.advance(DT)
    return backend.uploaded_bytes - before


def replace_one_sprite(game):
    game.all.pop(0).remove()
    game.all.append(game.batch.add(1, position=(30, 20), color="#f80"))


def test_a_removed_and_an_added_sprite_upload_two_rows(crowd, compared_lengths):
    crowd.act = lambda: replace_one_sprite(crowd)
    for _ in range(3):
        assert uploaded_bytes(crowd) == ROW + INFO
    assert not compared_lengths


def test_the_newest_sprite_may_be_removed_first(crowd):
    def act():
        crowd.all.pop().remove()
        crowd.all.append(crowd.batch.add(position=(30, 20)))

    crowd.act = act
    assert [uploaded_bytes(crowd) for _ in range(3)] == [ROW + INFO] * 3


def test_unwritten_sprites_are_not_compared(crowd, compared_lengths):
    assert uploaded_bytes(crowd, 5) == 0
    assert not compared_lengths
    assert crowd.all[7].position == (7, 0)  # reading does not cause a comparison
    crowd.advance(DT)
    assert not compared_lengths


@pytest.mark.parametrize(
    ("name", "value"),
    [("x", 9.5), ("y", np.float32(3)), ("angle", 1), ("position", (4, np.int8(5)))],
)
def test_a_write_after_a_rest_is_interpolated(crowd, name, value):
    sprite = crowd.all[5]
    before = getattr(sprite, name)
    column = "angle" if name == "angle" else "position"
    for _ in range(2):  # after a rest, and after a second rest
        start = table_of(crowd.batch).column(column).data[5].copy()
        crowd.act = lambda: setattr(sprite, name, value)
        crowd.advance(DT)
        assert getattr(sprite, name) == value
        assert np.array_equal(table_of(crowd.batch).column(column).previous(6)[5], start)
        buffer = drawing(crowd.batch).handover.blended[column == "angle"]
        assert buffer.current != buffer.previous  # the GPU has both states
        crowd.act = lambda: setattr(sprite, name, before)
        crowd.advance(DT)
        crowd.act = lambda: None
        for _ in range(3):
            crowd.advance(DT)
        assert getattr(sprite, name) == before


@pytest.mark.parametrize(
    ("name", "values", "size"),
    [
        ("color", ((1, 0, 0, 1), "#00f", (0, 1, 0)), 16),
        ("alpha", (0.5, 1, 0), 16),
        ("visible", (False, True, False), INFO),
        ("flip", ((True, False), (False, True), (True, True)), INFO),
        ("image", (1, 0, 1), INFO),
    ],
)
def test_one_written_value_uploads_one_row(crowd, compared_lengths, name, values, size):
    for value in values:
        crowd.act = lambda value=value: setattr(crowd.all[5000], name, value)
        assert uploaded_bytes(crowd) == size
        assert uploaded_bytes(crowd, 2) == 0  # the same value again
    assert not compared_lengths
    crowd.act = lambda: [setattr(sprite, name, values[0]) for sprite in crowd.all[:50]]
    assert 0 < uploaded_bytes(crowd) <= 50 * size
    crowd.act = lambda: [setattr(sprite, name, values[1]) for sprite in crowd.all[::9]]
    assert uploaded_bytes(crowd) == crowd.count * size


def test_one_written_layer_sorts_the_batch(crowd, make):
    crowd.act = lambda: setattr(crowd.all[3], "layer", 5)
    crowd.advance(DT)
    crowd.all[3].color = "#f00"
    crowd.act = lambda: setattr(crowd.all[4], "layer", -5)
    crowd.advance(DT)
    assert np.array_equal(crowd.pixels(), _copy_with_a_new_batch(crowd, make).pixels())
    assert list(drawing(crowd.batch)._order.rows[[0, -1]]) == [4, 3]


def test_a_wrong_value_after_a_rest_is_an_error_with_its_name(crowd):
    for name, value in (("x", "left"), ("angle", None), ("y", [1]), ("position", (1, "b"))):
        with pytest.raises((TypeError, ValueError), match=name):
            setattr(crowd.all[0], name, value)
    crowd.all[0].x = float("inf")  # infinity is accepted, also during a rest
    crowd.all[0].x = 3
    removed = crowd.all[1]
    removed.remove()
    with pytest.raises(ValueError, match="removed"):
        removed.x = 3
    with pytest.raises(ValueError, match="removed"):
        removed.position = (3, 4)


def test_writes_to_an_old_array_are_uploaded(crowd):
    old_array = crowd.batch.position
    for _ in range(3):
        crowd.advance(DT)
    old_array[3] = 20, 30
    assert uploaded_bytes(crowd) == crowd.count * 8
    assert crowd.all[3].position == (20, 30)


def test_snapshots_during_a_rest_restore_all_writes(crowd):
    sprite = crowd.all[2]
    rest = crowd.snapshot()
    first = crowd.state_hash()
    crowd.act = lambda: setattr(sprite, "x", sprite.x + 1)
    crowd.advance(DT)
    moved = crowd.snapshot()
    second = crowd.state_hash()
    crowd.act = lambda: None
    for _ in range(4):
        crowd.advance(DT)
    assert sprite.x == 3
    crowd.restore(rest)
    assert crowd.state_hash() == first
    assert sprite.x == 2
    crowd.advance(DT)
    crowd.restore(moved)
    assert crowd.state_hash() == second
    assert sprite.x == 3


def test_many_sprites_can_be_removed_in_one_tick(crowd, make):
    leaving = crowd.all[::20]
    crowd.all = [s for i, s in enumerate(crowd.all) if i % 20]
    crowd.act = lambda: [sprite.remove() for sprite in leaving if not sprite.removed]
    crowd.advance(DT)
    crowd.act = lambda: replace_one_sprite(crowd)
    assert uploaded_bytes(crowd) == ROW + INFO
    assert np.array_equal(crowd.pixels(), _copy_with_a_new_batch(crowd, make).pixels())


@pytest.mark.parametrize("seed", range(6))
def test_a_batch_with_churn_looks_like_a_new_batch(make, seed):
    class Few(Crowd):
        count = (9, 40, 120, 2000, 1500, 500)[seed]

    game = make(Few, size=(64, 40))
    chance = random.Random(seed)

    def act():
        for _ in range(chance.randrange(4)):
            _change(game, chance, layers=seed % 2)

    game.act = act
    for _ in range(25):
        game.advance(chance.choice((DT, DT / 2, 2 * DT)))
    game.act = lambda: None
    game.advance(2 * DT)
    assert np.array_equal(game.pixels(), _copy_with_a_new_batch(game, make).pixels())


def _change(game, chance, layers):
    def anywhere():
        return chance.uniform(0, 64), chance.uniform(0, 40)

    kind = chance.randrange(13)
    sprite = chance.choice(game.all) if game.all else game.batch.add()
    if kind < 3 and game.all:
        game.all.remove(sprite)
        sprite.remove()
    elif kind < 6:
        layer = chance.randrange(3) if layers else 0
        scale = chance.choice((1, 2, (3, 0.5)))
        color = chance.choice(("#f00", "#0ff8"))
        new = game.batch.add(
            chance.randrange(2), position=anywhere(), layer=layer, scale=scale, color=color
        )
        game.all.append(new)
    elif kind == 6:
        sprite.x += chance.uniform(-9, 9)
    elif kind == 7:
        sprite.position = anywhere()
        sprite.teleport()
        sprite.image = chance.randrange(2)
    elif kind == 8:
        sprite.color = chance.choice(("#f0f", (0, 1, 0)))
    elif kind == 9:
        sprite.visible = not sprite.visible
    elif kind == 10:
        sprite.flip = chance.choice((True, False)), False
    elif kind == 11 and layers:
        sprite.layer = chance.randrange(3)
    else:
        game.batch.extend(2, position=[anywhere(), anywhere()])
        game.all += [game.batch[-2], game.batch[-1]]


def _copy_with_a_new_batch(game, make):
    """Return a game with a new batch that has the rows of ``game.batch``."""

    class Afresh(fw.Game):
        def setup(self):
            names = ("position", "angle", "scale", "color", "visible", "image", "flip", "layer")
            batch = self.add(fw.SpriteBatch([IMAGE, solid(2, 6)], len(game.batch)))
            for name in names:
                getattr(batch, name)[:] = getattr(game.batch, name)

    fresh = make(Afresh, size=(64, 40))
    fresh.advance(DT)
    return fresh


@pytest.mark.parametrize("end", ["remove", "restore"])
def test_writes_to_a_held_array_are_noticed_without_sprite_objects(end: str) -> None:
    with fw.Game(drawing=False) as game:
        batch = game.add(fw.SpriteBatch(np.full((4, 4, 4), 255, np.uint8), count=100))
        game.run_ticks(2)
        early = game.snapshot()
        sprite = batch[99]
        game.run_ticks(4)  # the sprite rests, so its access to the memory becomes read-only
        if end == "remove":
            sprite.remove()
        else:
            game.restore(early)
        position = batch.position
        game.run_ticks(3)
        position[:] = 200, 200
        snapshot = game.snapshot()
        position[:] = 300, 300
        game.run_ticks(1)
        game.restore(snapshot)
        np.testing.assert_array_equal(batch.position, np.full((len(batch), 2), 200))
