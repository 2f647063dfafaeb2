"""Ids of rows: assigned in order, kept when other rows are removed, and never reused."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pictures import solid

import framework as fw
from framework.errors import FrameworkError
from framework.record.unpacking import Unpacker
from framework.state.row_ids import MAX_IDS, RowIds

OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("extend"), st.integers(0, 5)),
        st.tuples(st.just("remove"), st.integers(0, 9)),
        st.tuples(st.just("handle"), st.integers(0, 9)),
        st.tuples(st.just("reorder"), st.integers(0, 9)),
        st.tuples(st.just("snapshot"), st.just(0)),
        st.tuples(st.just("restore"), st.just(0)),
        st.tuples(st.just("clear"), st.just(0)),
    ),
    max_size=30,
)


@given(OPERATIONS, st.booleans())
def test_ids_agree_with_a_list_under_random_operations(
    operations: list[tuple[str, int]], read: bool
) -> None:
    batch = fw.SpriteBatch(solid(2, 2))
    table = batch._table
    expected: list[int] = []
    next_id = 0
    saved: Any = table.capture(), [], 0
    for name, number in operations:
        if name == "extend":
            batch.extend(number)
            expected += range(next_id, next_id + number)
            next_id += number
        elif name in ("remove", "handle", "reorder") and not expected:
            continue
        elif name == "remove":
            batch.remove([number % len(expected)])
            del expected[number % len(expected)]
        elif name == "handle":
            sprite = batch[number % len(expected)]
            assert sprite.id == expected.pop(number % (len(expected)))
            sprite.remove()
        elif name == "reorder":
            table.close_holes()
            order = np.random.default_rng(number).permutation(len(expected))
            table.keep(order)
            expected = [expected[row] for row in order]
        elif name == "snapshot":
            saved = table.capture(), expected.copy(), next_id
        elif name == "restore":
            captured, before, next_id = saved
            table.restore(captured)
            expected = before.copy()
        else:
            batch.clear()
            expected = []
        if read:
            assert batch.ids.tolist() == expected
    assert batch.ids.tolist() == expected
    assert batch.ids.dtype == np.uint32
    ids = np.arange(-1, next_id + 2)
    rows = {row_id: row for row, row_id in enumerate(expected)}
    assert batch.row_of(ids).tolist() == [rows.get(row_id, -1) for row_id in ids.tolist()]
    assert [batch.row_of(int(row_id)) for row_id in ids] == batch.row_of(ids).tolist()
    assert [sprite.id for sprite in batch] == expected


def test_ids_are_read_only_and_row_of_returns_a_number_for_an_id() -> None:
    batch = fw.SpriteBatch(solid(2, 2), 3)
    with pytest.raises(ValueError, match="read-only"):
        batch.ids[0] = 7
    assert type(batch.row_of(1)) is int
    assert batch.row_of(np.uint32(2)) == 2
    assert batch.row_of([]).tolist() == []
    with pytest.raises(AttributeError):
        batch.ids = [1, 2, 3]  # type: ignore[misc,assignment]
    sprite = batch[1]
    sprite.remove()
    with pytest.raises(ValueError, match="it was removed"):
        sprite.id  # noqa: B018


def test_reading_ids_after_the_last_id_is_an_error() -> None:
    ids = RowIds()
    ids.load(np.array([3, MAX_IDS - 1], np.uint32), MAX_IDS, 2)
    assert ids.values(2).tolist() == [3, MAX_IDS - 1]
    ids.keep(np.array([1, 2]), 3)  # a third row was added
    assert (ids.of_row(0), ids.of_row(1), ids.next(2)) == (MAX_IDS - 1, MAX_IDS, MAX_IDS + 1)
    with pytest.raises(FrameworkError, match=r"ids: expected at most 4,294,967,296 rows"):
        ids.values(2)
    assert ids.frozen(2).rows.tolist() == [MAX_IDS - 1, MAX_IDS]  # hashes still work


class Shots(fw.Game):
    saved = ("shots", "target")

    def setup(self) -> None:
        self.shots = self.add(fw.SpriteBatch(solid(2, 2), 6))
        self.target = 4

    def update(self, dt: float) -> None:
        self.shots.extend(1)
        if self.tick % 3 == 0:
            self.shots.remove([0])


def test_reading_ids_in_draw_changes_no_state() -> None:
    class ReadsIds(Shots):
        def draw(self, alpha: float) -> None:
            self.seen = self.shots.ids.copy(), self.shots.row_of(self.target)

        not_state = ("seen",)

    ReadsIds.__qualname__ = Shots.__qualname__
    hashes = []
    for kind in (Shots, ReadsIds):
        with kind(size=(16, 16), headless=True) as game:
            for _ in range(10):
                game.advance(1 / 60)
            hashes.append(game.state_hash())
    assert hashes[0] == hashes[1]


def test_hashes_depend_on_ids_and_not_on_their_storage() -> None:
    def game_of(*steps: Any) -> int:
        with fw.Game(size=(16, 16), headless=True, drawing=False) as game:
            batch = game.add(fw.SpriteBatch(solid(2, 2)))
            for step in steps:
                step(batch)
            return game.state_hash()

    def extend(count: int) -> Any:
        return lambda batch: batch.extend(count)

    def remove(*rows: int) -> Any:
        return lambda batch: batch.remove([*rows])

    assert game_of(extend(3)) == game_of(extend(2), remove(), extend(1))
    assert game_of(extend(4), remove(1)) != game_of(extend(3))
    assert game_of(extend(4), remove(1)) != game_of(extend(4), remove(2))
    assert game_of(extend(4), remove(3)) != game_of(extend(3))  # the next id differs
    # A row that its handle removed is still in the arrays.
    by_handle = game_of(extend(4), lambda batch: batch[1].remove())
    assert by_handle == game_of(extend(4), remove(1))
    assert game_of(extend(4), remove(1), extend(1)) == game_of(extend(4), remove(1), extend(1))


def test_ids_are_part_of_saves_and_snapshots(tmp_path: Path) -> None:
    path = tmp_path / "one.save"
    with Shots(size=(16, 16), headless=True, drawing=False) as game:
        game.run_ticks(10)
        ids = game.shots.ids.copy()
        state = game.state_hash()
        snapshot = game.snapshot()
        game.save(path=path)
        game.run_ticks(5)
        later = game.shots.ids.copy()
        game.restore(snapshot)
        assert game.shots.ids.tolist() == ids.tolist()
        game.run_ticks(5)
        assert game.shots.ids.tolist() == later.tolist()
        game.shots.clear()
        game.load(path=path)
        assert game.shots.ids.tolist() == ids.tolist()
        assert game.shots.add().id == 16
    with Shots(size=(16, 16), headless=True, drawing=False) as game:
        game.run_ticks(10)
        game.shots.remove([2])
        game.load(path=path)
        assert game.state_hash() == state
        assert game.shots.row_of(game.target) == ids.tolist().index(4)


def test_a_save_before_any_removal_restores_the_first_ids(tmp_path: Path) -> None:
    path = tmp_path / "one.save"
    with Shots(size=(16, 16), headless=True, drawing=False) as game:
        game.save(path=path)
        game.shots.remove([1])
        game.load(path=path)
        assert game.shots.ids.tolist() == [0, 1, 2, 3, 4, 5]
        assert game.shots.add().id == 6


@pytest.mark.parametrize(
    "further",
    [
        3,
        {"else": 1},
        {"ids": 3},
        {"ids": [5, ["<u4", [3]]]},
        {"ids": [5, ["<i4", [2]]]},
        {"ids": [1, ["<u4", [2]]]},
        {"ids": [-1, ["<u4", [2]]]},
        {"ids": [1 << 70, ["<u4", [2]]]},
        {"objects": 3},
        {"objects": {"mood": [1]}},
        {"objects": {"mood": [1, 2, 3]}},
        {"objects": {"mood": {"0": 1}}},
        {"objects": {"position": [1, 2]}},
        {"objects": {"mood": [1, {"@same": 99}]}},
        {"objects": {"mood": [1, {"@row": [0, 2]}]}},
    ],
)
def test_ids_and_objects_of_a_broken_save_are_refused(further: Any) -> None:
    def take(dtype: np.dtype[Any], shape: tuple[int, ...]) -> Any:
        return np.arange(math.prod(shape), dtype=dtype).reshape(shape)

    unpacker = Unpacker(take)
    tree: Any = {"batch": {"@rows": [2, {"position": ["<f4", [2, 2]]}, {}, further]}}
    with pytest.raises(ValueError):  # noqa: PT011, PT012
        unpacker.values(tree)
        unpacker.finish()


def test_ids_that_occur_twice_in_a_save_are_refused() -> None:
    unpacker = Unpacker(lambda dtype, shape: np.full(shape, 3, dtype))
    with pytest.raises(ValueError, match="ids of rows that occur twice"):
        unpacker.values({"batch": {"@rows": [2, {}, {}, {"ids": [9, ["<u4", [2]]]}]}})
