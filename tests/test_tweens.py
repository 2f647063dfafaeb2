"""Tweens: values in each tick, chains, groups, and state."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import framework as fw
from framework.motion.tweens import OPTIONS, Tween, Tweens
from framework.state.rows import RowSet, capture_extra, restore_extra, table_of

DOT = np.full((2, 2, 4), 255, np.uint8)
TICK = Fraction(1, 60)


class Bench:
    """Tweens with a clock, and a table to move."""

    def __init__(self, rows: int = 4) -> None:
        self.clock = fw.Schedule()
        self.tweens = Tweens()
        self.table = fw.Transforms2D()
        self.table.extend(rows)

    def tween(
        self, target: Any, *, rows: Any = None, clock: fw.Schedule | None = None, **received: Any
    ) -> Tween:
        options = {name: received.pop(name, value) for name, value in OPTIONS.items()}
        clock = clock or self.clock
        return self.tweens.add(clock, clock.now, target, rows, options, received)

    def run(self, ticks: int, dt: Fraction = TICK) -> None:
        for _ in range(ticks):
            self.clock.advance(dt)
            self.tweens.advance()


@pytest.fixture
def bench() -> Bench:
    return Bench()


class Board(fw.Game):
    def setup(self) -> None:
        self.card = self.sprites.add(DOT, position=(10, 20))
        self.cards = [self.sprites.add(DOT) for _ in range(3)]


@pytest.fixture
def board() -> Iterator[Board]:
    with Board(drawing=False) as game:
        yield game


# -- values ----------------------------------------------------------------------------------------


def test_a_row_follows_the_closed_form_in_every_tick_and_ends_at_its_goal(
    board: Board,
) -> None:
    card = board.card
    tween = board.tween(card, position=(110, -20), duration=0.5, ease="out_cubic")
    for tick in range(1, 31):
        board.run_ticks()
        share = 1 - (1 - tick / 30) ** 3
        assert card.position == pytest.approx((10 + 100 * share, 20 - 40 * share), abs=1e-5)
        assert tween.ended == (tick == 30)
    assert card.position == (110, -20)
    board.run_ticks(5)
    assert card.position == (110, -20)


numbers = st.floats(-1e6, 1e6, width=32)


@given(
    start=numbers,
    goal=numbers,
    ticks=st.integers(1, 40),
    ease=st.sampled_from([*fw.EASES, fw.Spring()]),
)
def test_a_tween_ends_exactly_and_overshoots_only_if_its_ease_does(
    start: float, goal: float, ticks: int, ease: Any
) -> None:
    bench = Bench(1)
    target = SimpleNamespace(x=start)
    bench.table.position[0] = start, 3
    bench.tween(bench.table, x=goal, duration=ticks * TICK, ease=ease)
    bench.tween(target, x=goal, duration=ticks * TICK, ease=ease)
    for _ in range(ticks):
        assert not (
            bench.table.position[0, 0] == target.x == goal
            and start != goal
            and len(bench.tweens) < 2
        )
        bench.run(1)
        if isinstance(ease, str) and not ease.endswith(("back", "elastic")):
            for x in (target.x, bench.table.position[0, 0]):
                assert min(start, goal) <= x <= max(start, goal)
    assert target.x == goal
    assert bench.table.position[0].tolist() == [goal, 3]
    assert len(bench.tweens) == 0


def test_a_tween_without_duration_ends_before_the_next_in_its_chain_begins() -> None:
    bench = Bench(0)
    target = SimpleNamespace(x=0.0)
    first = bench.tween(target, x=5.0, duration=0, delay=0.05)
    last = first.then(target, x=7.0, duration=0).then(target, x=9.0, duration=0.05)
    bench.run(3)
    assert first.ended
    assert not last.ended
    assert target.x == 7
    bench.run(1)
    assert 7 < target.x < 9
    bench.run(2)
    assert last.ended
    assert target.x == 9
    assert len(bench.tweens) == 0


def test_a_tween_without_duration_writes_its_values_before_the_next_begins() -> None:
    bench = Bench(1)
    target = SimpleNamespace(x=0.0)
    bench.tween(target, x=100.0, duration=0).then(target, x=200.0, duration=4 * TICK)
    first = bench.tween(bench.table, x=100.0, y=7.0, duration=0)
    first.then(bench.table, x=200.0, duration=4 * TICK)
    bench.run(1)
    assert target.x == bench.table.position[0, 0] == 125
    assert bench.table.position[0, 1] == 7
    bench.run(3)
    assert target.x == bench.table.position[0, 0] == 200
    assert len(bench.tweens) == 0


def test_tweens_that_end_within_the_tick_of_a_routine_write_their_values() -> None:
    class Rally(fw.Game):
        x = 0.0
        y = 0.0

        def setup(self) -> None:
            self.start(self.serve())

        async def serve(self) -> None:
            await self.seconds(0.01)
            first = self.tween(self, x=100.0, y=7.0, duration=0.002)
            first.then(self, x=200.0, duration=0.005).then(self, x=50.0, duration=1)

    game = Rally(drawing=False)
    game.run_ticks(1)
    assert game.y == 7
    assert game.x == pytest.approx(100 + 100 * (1 / 60 - 0.012) / 0.005)
    before = game.snapshot()
    game.run_ticks(2)
    after = game.x, game.state_hash()
    assert game.x == pytest.approx(200 - 150 * (3 / 60 - 0.017))
    game.restore(before)
    game.run_ticks(2)
    assert (game.x, game.state_hash()) == after


@given(
    lengths=st.lists(st.integers(1, 30), min_size=1, max_size=5),
    rate=st.sampled_from([30, 60, 144]),
)
def test_chained_tweens_start_at_the_exact_end_of_the_previous_tween(
    lengths: list[int], rate: int
) -> None:
    """With durations in sevenths of a tick, no tween is late because the previous one ended in a
    tick."""
    bench = Bench(0)
    target = SimpleNamespace(x=0.0)
    tween = bench.tween(target, x=1.0, duration=Fraction(lengths[0], 7 * rate))
    for number, length in enumerate(lengths[1:], 2):
        tween = tween.then(target, x=float(number), duration=Fraction(length, 7 * rate))
    total = math.ceil(Fraction(sum(lengths), 7))
    for tick in range(1, total + 1):
        bench.run(1, Fraction(1, rate))
        left = Fraction(7 * tick)
        whole = 0
        for length in lengths:
            if left < length:
                break
            left = left - length
            whole = whole + 1
        if whole < len(lengths):
            assert target.x == pytest.approx(whole + left / lengths[whole], abs=1e-9)
    assert target.x == len(lengths)
    assert tween.ended


def test_a_tween_ends_in_its_exact_tick_after_ten_thousand_seconds(bench: Bench) -> None:
    bench.clock.advance(10_000)
    tween = bench.tween(bench.table, y=1, duration=0.1, repeat=7)
    bench.run(41)
    assert not tween.ended
    bench.run(1)
    assert tween.ended
    assert bench.table.position[:, 1].tolist() == [1] * 4


@pytest.mark.parametrize(
    ("options", "positions"),
    [
        ({"delay": 0.1}, [0, 0, 0.5, 1, 1]),
        (
            {"repeat": 2},
            [0.5, 0, 0.5, 1, 1],
        ),  # at the end of a repetition, the next repetition starts
        ({"repeat": 2, "ping_pong": True}, [0.5, 1, 0.5, 0, 0]),
        ({"repeat": 3, "ping_pong": True}, [0.5, 1, 0.5, 0, 0.5, 1, 1]),
        ({"repeat": math.inf}, [0.5, 0, 0.5, 0, 0.5, 0, 0.5]),
        ({"relative": True, "delay": 0.05}, [0, 0.5, 1, 1]),
    ],
)
def test_delays_and_repeats(bench: Bench, options: dict[str, Any], positions: list[float]) -> None:
    target = SimpleNamespace(x=0.0)
    bench.tween(bench.table, x=1, duration=0.1, **options)
    bench.tween(target, x=1, duration=0.1, **options)
    for position in positions:
        bench.run(3)
        assert target.x == pytest.approx(position, abs=1e-9)
        assert bench.table.position[:, 0] == pytest.approx([position] * 4, abs=1e-6)


def test_relative_tweens_add_up(bench: Bench) -> None:
    target = SimpleNamespace(x=5.0)
    bench.tween(target, x=64, duration=0.3, relative=True).then(
        target, x=-64, duration=0.2, relative=True
    )
    bench.run(30)
    assert target.x == 5.0


def test_angles_take_the_shorter_way_on_request(bench: Bench) -> None:
    bench.table.angle[:] = 3.0
    bench.tween(bench.table, angle=-3.0, duration=0.1, shortest=True, rows=[0])
    bench.tween(bench.table, angle=-3.0, duration=0.1, rows=[1])
    bench.run(3)
    assert bench.table.angle[:2] == pytest.approx([math.pi, 0], abs=1e-6)
    bench.run(3)
    assert bench.table.angle[:2] == pytest.approx([math.tau - 3, -3])


def test_3d_rotations_turn_evenly_and_stay_of_length_1(bench: Bench) -> None:
    poses = fw.Transforms3D()
    poses.extend(2)
    goal = fw.quaternions.from_axis((0, 1, 0), 2.0)
    bench.tween(poses, rotation=np.array([goal, -goal]), duration=0.5)
    for tick in range(1, 30):
        bench.run(1)
        expected = fw.quaternions.from_axis((0, 1, 0), 2.0 * tick / 30)
        assert abs(poses.rotation @ expected) == pytest.approx([1, 1], abs=1e-6)
        assert np.linalg.norm(poses.rotation, axis=1) == pytest.approx([1, 1], abs=1e-6)
    bench.run(1)
    assert (poses.rotation == np.array([goal, -goal], np.float32)).all()


# -- what can be tweened ---------------------------------------------------------------------------


def test_each_row_of_a_batch_has_its_own_goal(bench: Bench) -> None:
    bench.tween(bench.table, rows=[3, 1], position=[(3, 0), (1, 0)], duration=0.1)
    bench.tween(bench.table, rows=slice(0, 1), scale=2, duration=0.1)
    bench.run(6)
    assert bench.table.position[:, 0].tolist() == [0, 1, 0, 3]
    assert bench.table.scale.tolist() == [[2, 2], [1, 1], [1, 1], [1, 1]]


def test_colors_cameras_labels_lights_and_attributes_can_be_tweened(board: Board) -> None:
    label = board.labels.add("Ready?", (5, 5))
    light = board.world.lights.add(position=(0, 1, 0))
    own = SimpleNamespace(speed=(0, 0), values=[1, 2], array=np.zeros(3))
    board.tween(board.card, color="#ff000080", duration=0.1)
    board.tween(board.cards[0], color=(0, 0, 1), duration=0.1)  # alpha does not change
    board.tween(board.cards[1], alpha=0, duration=0.1)
    board.tween(board.camera, zoom=3, position=(7, 8), duration=0.1, ease="in_out_sine")
    board.tween(label, position=(50, 60), color="black", duration=0.1)
    board.tween(light, intensity=4, color=(1, 0, 0), range=20, duration=0.1)
    board.tween(own, speed=(1, 2), values=(3, 4), array=1, duration=0.1)
    board.run_ticks(3)
    assert board.card.color == pytest.approx((1, 0.5, 0.5, (1 + 128 / 255) / 2), abs=1e-6)
    assert (label.position, own.speed, own.values) == ((27.5, 32.5), (0.5, 1), [2, 3])
    board.run_ticks(3)
    assert board.cards[0].color == (0, 0, 1, 1)
    assert (board.cards[1].alpha, board.camera.zoom, board.camera.position) == (0, 3, (7, 8))
    assert (label.position, label.color, light.intensity, light.range) == (
        (50, 60),
        (0, 0, 0, 1),
        4,
        20,
    )
    assert (own.speed, own.values, own.array.tolist()) == ((1, 2), [3, 4], [1, 1, 1])


def test_objects_in_space_can_be_tweened(board: Board) -> None:
    batch = board.add(fw.MeshBatch(fw.Mesh.cube(), 3))
    nodes = fw.Nodes3D()
    turret = nodes.add(position=(1, 1, 1))
    half = fw.quaternions.from_axis((0, 1, 0), 0.5)
    board.add(fw.NodeMeshes(fw.Mesh.cube(), nodes, [turret]))
    board.tween(
        batch[1],
        position=(1, 2, 3),
        rotation=fw.quaternions.from_axis((0, 1, 0), 1.0),
        scale=2,
        duration=0.1,
    )
    board.tween(batch, z=5, rows=[0], duration=0.1)
    board.tween(turret, x=4, rotation=(0, 0, 1, 0), duration=0.1)
    board.tween(board.world.camera, position=(5, 5, 5), fov=1.0, duration=0.1)
    board.tween(board.world, sun_color="white", fog=0.5, duration=0.1)
    board.run_ticks(3)
    assert batch[1].rotation == pytest.approx(tuple(half), abs=1e-6)
    board.run_ticks(3)
    assert (batch[1].position, batch[1].scale, batch[0].position) == (
        (1, 2, 3),
        (2, 2, 2),
        (0, 0, 5),
    )
    assert (turret.position, turret.rotation) == ((4, 1, 1), (0, 0, 1, 0))
    assert (board.world.camera.position.tolist(), board.world.camera.fov) == ([5, 5, 5], 1)
    assert (tuple(board.world.sun_color), board.world.fog) == ((1, 1, 1), 0.5)


@pytest.mark.parametrize(
    ("fields", "kind", "words"),
    [
        (
            {"positon": (1, 1)},
            AttributeError,
            "positon: Sprite has no such attribute; did you mean 'position'",
        ),
        ({"position": (1, math.nan)}, ValueError, "position: expected finite numbers"),
        ({"position": (1, 2, 3)}, ValueError, "position: expected"),
        ({"position": "far"}, TypeError, "position: expected two numbers"),
        ({"layer": 3}, TypeError, "layer: expected a column of floats"),
        ({"width": 3}, AttributeError, "width: this attribute of Sprite is read-only"),
        ({"x": 3, "duration": math.inf}, ValueError, "duration: expected a finite number"),
        ({"x": 3, "duration": -1}, ValueError, "duration: expected a finite number of at least 0"),
        (
            {"x": 3, "ease": "bouncy"},
            ValueError,
            "ease: expected the name of an ease, got 'bouncy'",
        ),
        ({"x": 3, "duration": None}, TypeError, "duration: expected seconds"),
        ({"x": 3, "repeat": 0}, ValueError, "repeat: expected a whole number of at least 1"),
        (
            {"x": 3, "duration": 0, "repeat": 2},
            ValueError,
            "duration: expected a number of seconds above 0",
        ),
        ({"x": 3, "rows": [0]}, TypeError, "rows:"),
        ({}, TypeError, "tween: name an attribute to change"),
        ({"image": 1}, TypeError, "image"),
    ],
)
def test_invalid_tweens_are_refused_and_nothing_starts(
    board: Board, fields: dict[str, Any], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        board.tween(board.card, **{"duration": 1, **fields})
    board.run_ticks(2)
    assert board.card.position == (10, 20)


def test_attributes_that_are_not_numbers_are_refused(board: Board) -> None:
    own = SimpleNamespace(name="x", speed=(1, 2), on=True)
    for fields, words in [
        ({"name": 3}, "name: expected"),
        ({"speed": (1, 2, 3)}, "speed: expected 2 numbers"),
    ]:
        with pytest.raises((TypeError, ValueError), match=words):
            board.tween(own, duration=1, **fields)
    with pytest.raises(TypeError, match="on: expected"):
        board.tween(own, duration=1, on=3)


# -- two tweens of one object, and no object -------------------------------------------------------


def test_a_newer_tween_continues_from_the_value_of_the_older_tween(board: Board) -> None:
    first = board.tween(board.card, position=(110, 20), duration=1)
    after = first.then(board.card, position=(0, 0), duration=1)
    board.run_ticks(30)
    board.tween(board.card, x=60, duration=0.5, relative=True)
    assert first.ended
    assert after.ended
    board.run_ticks(90)
    assert board.card.position == (120, 20)


def test_rows_of_an_older_tween_continue_unless_a_newer_tween_moves_them(bench: Bench) -> None:
    older = bench.tween(bench.table, x=60, duration=1)
    bench.run(30)
    bench.tween(bench.table, rows=[1, 2], x=0, duration=0.25)
    bench.run(15)
    assert bench.table.position[:, 0].tolist() == [45, 0, 0, 45]
    assert not older.ended
    older.cancel()
    older.cancel()
    bench.run(9)
    assert bench.table.position[:, 0].tolist() == [45, 0, 0, 45]
    assert older.ended


def test_a_removed_sprite_ends_its_tween_but_not_the_others(board: Board) -> None:
    tweens = [
        board.tween(sprite, x=60 * (n + 1), duration=1) for n, sprite in enumerate(board.cards)
    ]
    late = board.tween(board.cards[0], y=5, duration=1, delay=0.5)
    board.run_ticks(15)
    board.cards[0].remove()
    board.run_ticks(15)
    assert [tween.ended for tween in tweens] == [True, False, False]
    assert [sprite.x for sprite in board.cards[1:]] == [60, 90]
    board.sprites.remove([0])  # row numbers change
    board.run_ticks(30)
    assert [sprite.x for sprite in board.cards[1:]] == [120, 180]
    assert late.ended
    assert board.sprites.position.tolist() == [[120, 0], [180, 0]]
    with pytest.raises(ValueError, match="it was removed"):
        board.tween(board.cards[0], x=1, duration=1)


def test_a_removed_label_ends_its_tween(board: Board) -> None:
    with board.labels.add("Ready?") as label:
        tween = board.tween(label, position=(9, 9), duration=1)
        board.run_ticks(3)
    board.run_ticks(1)
    assert label.removed
    assert tween.ended


def test_a_tween_after_one_that_has_ended_or_never_ends_is_refused(board: Board) -> None:
    tween = board.tween(board.card, x=0, duration=0.05)
    board.run_ticks(3)
    with pytest.raises(fw.FrameworkError, match="then: this tween has ended"):
        tween.then(board.card, x=1, duration=1)
    with pytest.raises(fw.FrameworkError, match="then: this tween repeats forever"):
        board.tween(board.card, x=0, duration=1, repeat=math.inf).then(board.card, x=1, duration=1)


# -- groups and pauses -----------------------------------------------------------------------------


def test_a_group_scales_the_time_of_its_tweens_and_its_end_ends_them(board: Board) -> None:
    slow = board.schedule.group(0.5)
    tween = board.tween(board.card, x=110, duration=1, group=slow)
    board.run_ticks(60)
    assert board.card.x == 60
    slow.time_scale = 0
    board.run_ticks(60)
    assert board.card.x == 60
    board.card.x = 5  # a tween that stands still changes nothing
    board.run_ticks(1)
    assert board.card.x == 5
    slow.cancel()
    board.run_ticks(1)
    assert tween.ended


def test_tweens_of_a_paused_scene_pause(board: Board) -> None:
    board.tween(board.card, x=70, duration=1)
    board.run_ticks(30)
    board.push(fw.Scene())
    board.run_ticks(30)
    assert board.card.x == 40
    board.pop()
    board.run_ticks(30)
    assert board.card.x == 70


def test_tweened_values_are_interpolated_between_two_ticks(board: Board) -> None:
    board.tween(board.card, x=70, duration=1)
    board.run_ticks(6)
    assert board.card.drawn_position(0.5) == (pytest.approx(15.5), 20)


def test_a_tween_started_by_a_task_counts_from_the_due_time_of_the_task(board: Board) -> None:
    board.schedule.once(lambda dt: board.tween(board.card, x=70, duration=1), 0.125)
    board.run_ticks(60)
    assert board.card.x == pytest.approx(10 + 60 * 0.875, abs=1e-5)


def test_a_tween_started_by_a_routine_has_moved_at_the_end_of_the_tick(
    board: Board,
) -> None:
    async def waits() -> None:
        await board.seconds(0.125)
        board.tween(board.card, x=70, duration=1)

    board.start(waits())
    board.run_ticks(8)
    assert board.card.x == pytest.approx(10 + 60 * (8 / 60 - 0.125), abs=1e-5)


# -- state -----------------------------------------------------------------------------------------


class Busy(fw.Game):
    """Tweens of every kind, sprites that are added and removed, and tweens that replace others."""

    def setup(self) -> None:
        self.batch = self.add(fw.SpriteBatch(DOT, count=20))
        self.score = 0.0

    def update(self, dt: float) -> None:
        rows = self.random.permutation(len(self.batch))[:5]
        ease = fw.EASES[int(self.random.integers(len(fw.EASES)))]
        goals = self.random.uniform(0, 99, (5, 2))
        self.tween(self.batch, rows=rows, position=goals, duration=0.3, ease=ease, delay=0.03)
        sprite = self.tween(self, score=float(self.tick), duration=0.1, ease="out_elastic")
        sprite.then(self.camera, zoom=2, duration=0.1, repeat=2, ping_pong=True)
        if self.tick % 5 == 0:
            self.batch[self.tick % len(self.batch)].remove()
            self.batch.add(position=(5, 5))


def test_tweens_are_part_of_the_game_state() -> None:
    report = fw.sync_test(Busy, ticks=16, check_distance=4)
    assert report.ok, str(report)


def test_a_snapshot_has_the_running_tweens(board: Board) -> None:
    board.tween(board.card, position=(130, 20), duration=1).then(board.card, y=0, duration=0.5)
    board.run_ticks(20)
    before = board.snapshot()
    board.run_ticks(70)
    last = board.state_hash()
    board.sprites.remove([1])
    board.tween(board.card, x=0, duration=0.1)
    board.run_ticks(10)
    board.restore(before)
    assert board.card.position == pytest.approx((50, 20))
    board.run_ticks(70)
    assert board.card.position == (130, 0)
    assert board.state_hash() == last


def test_the_hash_does_not_depend_on_whether_removed_rows_were_compacted() -> None:
    def played(look: Callable[[Board], object]) -> int:
        with Board(drawing=False) as game:
            game.tween(game.cards[2], x=5, duration=1)
            game.tween(game.cards[1], x=5, duration=1, delay=0.5)
            game.run_ticks(2)
            game.cards[0].remove()
            look(game)
            return game.state_hash()

    assert played(lambda game: None) == played(lambda game: game.sprites.position)


def test_row_sets_follow_removals_and_are_restored(bench: Bench) -> None:
    followed = RowSet(table_of(bench.table), np.arange(4))
    before = capture_extra(followed)
    bench.table.remove([1])
    assert followed.rows.tolist() == [0, -1, 1, 2]
    bench.table.remove([0])
    assert followed.rows.tolist() == [-1, -1, 0, 1]
    restore_extra(followed, before)
    assert followed.rows.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("far", [0, 10**7, 10**12])
def test_the_fraction_of_a_tween_is_at_most_one_before_its_end(far: int) -> None:
    """An ease with a square root fails above 1, so rounding of times must not exceed 1."""
    bench = Bench()
    targets = [SimpleNamespace(x=0.0) for _ in range(12)]
    bench.clock.advance(Fraction(far))
    for number, target in enumerate(targets):
        bench.tween(
            target,
            x=1.0,
            duration=Fraction(number + 1, 7) + Fraction(number, 10**9),
            ease="in_circ",
        )
    before = [0.0] * len(targets)
    for _ in range(110):
        bench.run(1)
        now = [target.x for target in targets]
        assert all(old <= new <= 1 for old, new in zip(before, now, strict=True))
        before = now
    assert set(before) == {1.0}


def test_ten_thousand_rows_share_one_track() -> None:
    """One evaluation for all rows: the time that Python needs does not grow with their number."""
    bench = Bench(10_000)
    bench.tween(bench.table, position=(1, 2), duration=1, ease="out_cubic")
    bench.tween(bench.table, rows=slice(0, 5000), position=(5, 6), duration=2, ease="out_cubic")
    bench.run(1)
    assert [track.count for track in bench.tweens.tracks] == [10_000]


# -- special cases ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second"), [("x", "position"), ("position", "y"), ("color", "alpha")]
)
def test_two_names_of_the_same_values_are_refused(first: str, second: str) -> None:
    values = {"x": 5, "y": 5, "alpha": 0.5, "position": (1, 2), "color": (1, 1, 1, 1)}
    with fw.Game(headless=True) as game:
        sprite = game.sprites.add(DOT)
        with pytest.raises(ValueError, match=rf"^{second}: {first} moves the same values"):
            game.tween(sprite, **{first: values[first], second: values[second]}, duration=1)
        game.tween(sprite, x=5, y=6, duration=0.1)
        game.run_ticks(10)
        assert sprite.position == (5, 6)


def test_repetitions_beyond_the_range_of_time_are_refused() -> None:
    bench = Bench()
    target = SimpleNamespace(x=0.0)
    for length, repeat in ((1, 10**400), (1e308, 10)):
        with pytest.raises(ValueError, match=r"^repeat: expected"):
            bench.tween(target, x=1.0, duration=length, repeat=repeat)
    assert not len(bench.tweens)


def test_a_chain_of_any_length_can_be_cancelled() -> None:
    bench = Bench()
    target = SimpleNamespace(x=0.0)
    first = last = bench.tween(target, x=1.0, duration=1)
    for _ in range(3000):
        last = last.then(target, x=1.0, duration=1)
    first.cancel()
    assert last.ended
    assert not len(bench.tweens)


def test_tweens_that_have_not_started_end_with_their_clock() -> None:
    async def waits(game: fw.Game) -> None:
        await late
        ticks.append(game.tick)

    ticks: list[int] = []
    with fw.Game(drawing=False) as game:
        target = SimpleNamespace(x=0.0)
        group = game.schedule.group()
        late = game.tween(target, x=1.0, duration=1, delay=1, group=group)
        after = late.then(target, x=2.0, duration=1)
        game.start(waits(game))
        game.run_ticks(2)
        group.cancel()
        game.run_ticks(3)
        assert (late.ended, after.ended) == (True, True)
        assert ticks == [3]


def test_one_tween_of_rows_equals_many_tweens_of_single_rows() -> None:
    """For rows that start together, one fraction of time is computed for all rows, with the same
    bits."""
    benches = [Bench(20) for _ in range(3)]
    received = []

    def own(shares: np.ndarray) -> np.ndarray:
        received.append(shares.size)
        return shares * shares

    for ease in (own, "in_out_circ", "out_bounce"):
        options = {"ease": ease, "repeat": 3, "ping_pong": True}
        sizes = []
        for number, bench in enumerate(benches):
            bench.table.position[:] = 0
            rows = [slice(0, 9)] if number < 2 else [[row] for row in range(9)]
            for row_groups in rows:
                bench.tween(bench.table, rows=row_groups, position=(3, 1), duration=1, **options)
            bench.run(7)
            if number:
                for row_groups in [slice(9, 20)] if number < 2 else [[row] for row in range(9, 20)]:
                    bench.tween(
                        bench.table, rows=row_groups, position=(9, 9), duration=2, **options
                    )
            bench.run(20)
            sizes.append(received[-1])
        positions = [bench.table.position.tolist() for bench in benches]
        assert positions[0][:9] == positions[1][:9] == positions[2][:9]
        assert positions[1] == positions[2]
        if ease is own:
            assert sizes == [1, 2, 2]  # row numbers, of 9 and of 20 rows
        benches[1].run(160)  # the tweens of the first rows have ended
        assert [track.count for track in benches[1].tweens.tracks] == [11]
        if ease is own:
            assert received[-1] == 1
        for bench in benches:
            bench.run(400)


def test_a_write_of_a_tween_may_start_another_tween_of_the_same_kind(bench: Bench) -> None:
    class Link:
        _n = 0.0

        @property
        def n(self) -> float:
            return self._n

        @n.setter
        def n(self, value: float) -> None:
            self._n = value
            if value == 1.0 and len(links) < 4:  # during the write at its end
                links.append(Link())
                bench.tween(links[-1], n=1.0, duration=5 / 60)

    links = [Link()]
    bench.tween(links[0], n=1.0, duration=3 / 60)
    bench.run(20)
    assert [link.n for link in links] == [1.0] * 4


def test_a_tween_of_one_sprite_has_the_same_bits_as_a_tween_of_rows() -> None:
    random = np.random.default_rng(1)
    games = [fw.Game(drawing=False) for _ in range(2)]
    batches = [game.add(fw.SpriteBatch(np.zeros((2, 2, 4), np.uint8), 6)) for game in games]
    for batch in batches:
        batch.position[:] = np.arange(12).reshape(6, 2) / 7
    values: list[dict[str, Any]] = [
        {"x": 0.1},
        {"y": -3, "angle": 2.5},
        {"position": (1e9, -1.3)},
        {"alpha": 0.3},
        {"scale": 1.7},
        {"color": "#f80"},
        {"color": (0.1, 0.2, 0.3)},
        {"position": [4, np.float32(0.1)]},
        {"x": np.float64(2.1)},
    ]
    options: list[dict[str, Any]] = [
        {},
        {"ease": "out_back"},
        {"repeat": 3, "ping_pong": True},
        {"relative": True},
        {"delay": 0.05},
    ]
    for number in range(60):
        row = int(random.integers(6))
        fields = values[number % len(values)]
        chosen = {**options[int(random.integers(5))], "duration": int(random.integers(1, 9)) / 30}
        if "angle" in fields:
            chosen["shortest"] = True
        games[0].tween(batches[0][row], **fields, **chosen)
        games[1].tween(batches[1], rows=[row], **fields, **chosen)
        for game in games:
            game.run_ticks(1)
        for name in ("position", "angle", "scale", "color"):
            first, second = (batch.transforms.column(name) for batch in batches)
            assert first.tobytes() == second.tobytes(), (number, name)
    assert games[0].state_hash() == games[1].state_hash()
