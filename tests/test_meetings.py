"""Overlaps from tick to tick, collision layers, tags, and columns that move batches."""

from __future__ import annotations

import numpy as np
import pytest
from drawings import drawing
from hypothesis import given, settings
from hypothesis import strategies as st
from pictures import solid

import framework as fw
from framework import collide

pair_sets = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12)


@settings(max_examples=30)
@given(ticks=st.lists(pair_sets, max_size=5))
def test_pairs_enter_stay_and_exit(ticks: list[set[tuple[int, int]]]) -> None:
    tracker = collide.OverlapTracker()
    before = set[tuple[int, int]]()
    for now in ticks:
        tracker.update(np.array(list(now), int).reshape(-1, 2))
        pairs = [
            list(map(tuple, part.tolist()))
            for part in (tracker.entered, tracker.staying, tracker.exited)
        ]
        assert pairs == [sorted(now - before), sorted(now & before), sorted(before - now)]
        before = now


def test_the_games_own_numbers_survive_removed_rows() -> None:
    tracker = collide.OverlapTracker()
    tracker.update([(2, 0)], numbers=[10, 20, 30], other_numbers=[7])
    tracker.update([(1, 0)], numbers=[10, 30], other_numbers=[7])  # row 1 was removed
    assert tracker.staying.tolist() == [[30, 7]]
    assert len(tracker.entered) == len(tracker.exited) == 0
    tracker.clear()
    tracker.update([(0, 1)], numbers=[10, 30])
    assert tracker.entered.tolist() == [[10, 30]]
    tracker.update([])
    assert tracker.exited.tolist() == [[10, 30]]
    with pytest.raises(ValueError, match=r"^numbers: expected a number for each row, got 1"):
        tracker.update([(0, 1)], numbers=[10])
    with pytest.raises(TypeError, match=r"^pairs: expected whole numbers"):
        tracker.update([(0.5, 1)])


def test_only_layers_with_a_matching_mask_overlap() -> None:
    hero = 1
    foe = 2
    coin = 4
    layers = [hero, foe, coin, coin]
    masks = [foe | coin, 0, 0, 0]
    every = [(0, 1), (0, 2), (1, 2), (2, 3)]
    assert collide.filter_pairs(every, layers, masks).tolist() == [[0, 1], [0, 2]]
    assert collide.filter_pairs([(0, 0), (1, 0)], layers[:2], masks[:2], [coin], [0]).tolist() == [
        [0, 0]
    ]
    with pytest.raises(ValueError, match=r"^other_masks: expected a number for each row, got 1"):
        collide.filter_pairs([(0, 1)], layers, masks, [1, 1], [1])


def test_rows_are_found_by_their_tags() -> None:
    batch = fw.SpriteBatch(solid(4, 4), tags=("enemy", "boss", "coin"))
    for tags in (["enemy"], ["enemy", "boss"], ["coin"], []):
        batch.add(tags=tags)
    handle = batch[1]
    assert batch.tags.tolist() == [1, 3, 4, 0]
    assert batch.tagged("enemy").tolist() == [0, 1]
    assert batch.tagged("enemy", "boss").tolist() == [1]
    batch.tag(handle, "coin")
    batch.tag([0, 1], "enemy", on=False)
    assert batch.tagged("coin").tolist() == [1, 2]
    assert batch.tagged("enemy").tolist() == []
    batch.remove(0)
    assert batch.tagged("coin").tolist() == [0, 1]
    batch.remove(handle)
    assert batch.tagged("coin").tolist() == [0]
    scene = fw.Scene()
    scene.add(batch, camera=fw.Camera2D((4, 4)))
    second_batch = scene.add(fw.SpriteBatch(tags=("coin",)), camera=fw.Camera2D((4, 4)))
    assert [
        (tagged_batch is batch, rows.tolist()) for tagged_batch, rows in scene.tagged("coin")
    ] == [
        (True, [0]),
        (False, []),
    ]
    assert (
        [tagged_batch for tagged_batch, _ in scene.tagged("enemy", "coin")]
        == [batch]
        != [second_batch]
    )
    with pytest.raises(
        ValueError, match=r"^tags: the batch has no tag 'enemi'; did you mean 'enemy'\?"
    ):
        batch.tagged("enemi")
    with pytest.raises(ValueError, match=r"^tags: expected at most 63 different names"):
        fw.SpriteBatch(tags=["a", "a"])
    with pytest.raises(TypeError, match=r"^tags: expected a sequence of names"):
        fw.SpriteBatch(tags="enemy")
    with pytest.raises(AttributeError, match=r"^tags: there is no such column"):
        _ = fw.SpriteBatch().tags


def test_a_batch_moves_by_its_velocity_columns() -> None:
    batch = fw.SpriteBatch(
        solid(4, 4), count=2, columns=("velocity", "acceleration", "damping", "angular_velocity")
    )
    batch.velocity[0] = (10, 0)
    batch.acceleration[1] = (0, -8)
    batch.damping[:] = (0, 2)
    batch.angular_velocity[:] = 1
    batch.move(0.5)
    damping_factor = np.float32(np.exp(-1.0))
    assert batch.velocity.tolist() == [[10, 0], [0, pytest.approx(-4 * damping_factor)]]
    assert batch.position.tolist() == [[5, 0], [0, pytest.approx(-2 * damping_factor)]]
    assert batch.angle.tolist() == [0.5, pytest.approx(0.5 * damping_factor)]
    only = fw.SpriteBatch(solid(4, 4), count=1, columns="velocity", motion="hermite")
    only.velocity[:] = 4
    only.move(0.25)
    assert only.position.tolist() == [[1, 1]]
    assert only.add(velocity=(1, 2)).velocity == (1, 2)
    with pytest.raises(AttributeError, match=r"columns=.velocity."):
        fw.SpriteBatch().move(1)
    with pytest.raises(ValueError, match=r"^columns: expected some of velocity, .*, got 'mass'"):
        fw.SpriteBatch(columns=("mass",))


@pytest.mark.parametrize(
    ("column", "default", "message"),
    [
        ("damping", (5,), "a number, got"),
        ("velocity", (5,), "a number or 2 numbers, got"),
        ("velocity", (5, 6, 7), "a number or 2 numbers, got"),
    ],
)
def test_the_default_of_a_velocity_column_has_its_width(
    column: str, default: tuple[float, ...], message: str
) -> None:
    with pytest.raises(TypeError, match=rf"^columns.*: expected the default value, {message}"):
        fw.SpriteBatch(solid(4, 4), columns={column: default})


def test_the_games_own_columns_are_restored_and_not_uploaded() -> None:
    class Game(fw.Game):
        def setup(self) -> None:
            self.shots = self.add(
                fw.SpriteBatch(solid(4, 4), count=3, columns="velocity", tags=("shot",))
            )
            self.shots.velocity[:] = 60

        def update(self, dt: float) -> None:
            self.shots.move(dt)
            if self.tick == 2:
                self.shots.tag(1, "shot")

    with Game(headless=True, size=(32, 32)) as game:
        game.advance(0)
        game.advance(1 / 60)
        snapshot = game.snapshot()
        game.advance(2 / 60)
        assert game.shots.tagged("shot").tolist() == [1]
        assert game.shots.position[0, 0] == pytest.approx(3)
        game.restore(snapshot)
        assert game.shots.tagged("shot").tolist() == []
        assert game.shots.position[0, 0] == pytest.approx(1)
        game.advance(1 / 60)
        sent = drawing(game.shots).uploaded_bytes
        game.advance(0.001)
        assert drawing(game.shots).uploaded_bytes == sent
