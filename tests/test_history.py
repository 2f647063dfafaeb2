"""Compressed keyframes: arrays are restored exactly, and use less memory if they change evenly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pictures import solid

import framework as fw
from framework.input.tick_input import TickInput
from framework.record import history
from framework.record.history import Blend, History, Keyframe, Patch, blended, patched
from framework.record.snapshots import saves_of
from framework.state.rows import table_of

Make = Callable[..., Any]
FLOATS = arrays(np.float32, 40, elements=st.floats(width=32, allow_nan=True, allow_infinity=True))


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compress small arrays too."""
    monkeypatch.setattr(history, "_LARGE", 1)


def whole(held: Any) -> Any:
    return held.whole() if isinstance(held, Patch | Blend) else held


@settings(max_examples=60)
@given(first=FLOATS, array=FLOATS, second=FLOATS, share=st.floats(0, 1))
def test_any_array_is_restored_exactly(first: Any, array: Any, second: Any, share: float) -> None:
    mixed = first.copy()
    mixed[5:9] = array[5:9]
    for candidate in (array, mixed, first.copy()):
        before = candidate.tobytes()
        assert whole(patched(candidate, first)).tobytes() == before
        assert whole(blended(candidate, first, second, share)).tobytes() == before
        assert candidate.tobytes() == before


def moving(seconds: float, bend: float = 0.0) -> Any:
    chance = np.random.default_rng(3)
    start = chance.uniform(0, 1000, (5000, 2))
    speed = chance.normal(0, 100, (5000, 2))
    return (start + speed * seconds + bend * seconds**2).astype("f4")


def size(held: Any) -> int:
    return sum(array.nbytes for array in held.parts()[2:])


@pytest.mark.parametrize(("bend", "share"), [(0.0, 0.2), (2.0, 0.6)])
def test_even_motion_needs_a_fraction_of_the_bytes(bend: float, share: float) -> None:
    first, array, second = (moving(seconds, bend) for seconds in (0, 0.2, 0.4))
    array[::100] += 50  # some rows bounced
    held = blended(array, first, second, 0.5)
    assert isinstance(held, Blend)
    assert size(held) < share * array.nbytes
    assert held.whole().tobytes() == array.tobytes()


@pytest.mark.parametrize("count", [4000, 4001])
@pytest.mark.parametrize(("most", "bits"), [(8, 4), (128, 8), (30_000, 16)])
@pytest.mark.parametrize("outliers", [0.0, 0.01, 0.15])
def test_steps_take_few_bits_and_large_steps_are_stored_whole(
    count: int, most: int, bits: int, outliers: float
) -> None:
    chance = np.random.default_rng(count)
    first, second = (chance.uniform(1, 2, count).astype("f4") for _ in range(2))
    array = first + (second - first) * np.float32(0.25)
    steps = array.view("i4")
    steps += chance.integers(-most, most, count, dtype=np.int32)
    array[chance.random(count) < outliers] = 5000
    held = blended(array, first, second, 0.25)
    assert held.whole().tobytes() == array.tobytes()
    assert size(held) <= (bits / 8 + 4 * outliers + min(4 * outliers, 1 / 8)) * count * 1.1 + 8
    share = len(held.values) / count
    assert size(held) == pytest.approx(
        history._bytes_each(bits, share) * count, abs=4
    )  # as estimated


def test_marks_are_indices_if_few_and_bits_if_many() -> None:
    first = np.arange(8000)
    sizes = []
    for step in (1000, 40, 20, 4):
        array = first.copy()
        array[::step] += 1
        held = patched(array, first)
        assert held.whole().tobytes() == array.tobytes()
        sizes.append(held.marks.nbytes)
    assert sizes == [8 * 4, 200 * 4, 1000, 1000]


def test_arrays_that_jump_are_stored_whole() -> None:
    chance = np.random.default_rng(1)
    first, array, second = (chance.random((5000, 2), np.float32) for _ in range(3))
    assert blended(array, first, second, 0.5) is array
    assert patched(array, first) is array
    for base in (first[:100].copy(), first.astype("f8"), None):
        assert blended(array, base, second, 0.5) is array
        assert patched(array, base) is array or base is None


def test_equal_values_in_other_rows_are_another_patch() -> None:
    base = np.zeros(1000)
    first = base.copy()
    second = base.copy()
    first[3] = 5.0
    second[7] = 5.0
    before = patched(first, base)
    assert patched(first.copy(), before) is before
    after = patched(second, before)
    assert after is not before
    np.testing.assert_array_equal(after.whole(), second)


def test_a_small_change_is_a_patch_and_no_change_is_the_same_array() -> None:
    first = np.arange(5000)
    assert patched(first.copy(), first) is first
    array = first.copy()
    array[7:900:3] = -1
    held = patched(array, first)
    assert held.base is first
    assert held.marks.nbytes + held.values.nbytes < 0.1 * array.nbytes
    assert held.whole().tobytes() == array.tobytes()
    assert patched(array.copy(), held) is held
    again = array.copy()
    again[3] = 9
    assert patched(again, held).base is first
    grid = np.asfortranarray(np.arange(6000).reshape(60, 100))
    changed_grid = grid.copy(order="F")
    changed_grid[7, ::9] = -1
    for base, changed in (
        (grid, changed_grid),
        (grid, changed_grid.copy()),
        (grid.copy(), changed_grid),
    ):
        held = patched(changed, base)
        assert isinstance(held, Patch)
        assert (held.whole() == changed_grid).all()


# -- keyframes -------------------------------------------------------------------------------------


class Drifting(fw.Game):
    """A game with even motion, small changes, constant values, and rows that are added and
    removed.
    """

    def setup(self) -> None:
        self.heights = np.linspace(1, 2, 600, dtype="f4")
        self.slopes = np.linspace(-1, 1, 600, dtype="f4") / 64
        self.ground = np.zeros(3000, np.int16)
        self.flock = self.add(fw.SpriteBatch(solid(1, 1), count=300))
        self.flock.position[:] = np.linspace(1, 100, 600).reshape(300, 2)

    def update(self, dt: float) -> None:
        self.heights += self.slopes
        self.ground[self.tick] += 1
        self.flock.position[:] += (1, 0.5)
        self.flock.color[self.tick] = (1, 0, 0, 1)
        if self.tick % 25 == 24:
            self.flock.remove(0)


def state_of(game: Any) -> list[bytes]:
    """Return the state of a `Drifting`."""
    columns = game.flock.position, game.flock.color
    return [values.tobytes() for values in (game.heights, game.slopes, game.ground, *columns)]


def add_keyframe(game: Any, past: History) -> None:
    """Add a keyframe of the game to the history."""
    before = past.keyframes[-1] if past.keyframes else None
    past.add(Keyframe(game.snapshot(), 0, (200, 100), [table_of(game.flock)], before))
    past.last = game.tick


def arrays_of(keyframe: Keyframe) -> Iterator[Any]:
    """Yield the arrays in a keyframe, also those of tables."""
    for put, _, held in saves_of(keyframe.snapshot):
        if put in history._OF_TABLES:
            yield from [
                state.rows for _, *states in held[1] for state in states if state is not None
            ]
        elif isinstance(held, np.ndarray | Patch | Blend):
            yield held


def counted_bytes(past: History) -> int:
    """Count the bytes of a history again. An array that several keyframes share counts once."""
    held = [each for keyframe in past.keyframes for each in arrays_of(keyframe)]
    each = {
        id(array): array
        for array_or_blend in held
        for array in (
            [array_or_blend] if isinstance(array_or_blend, np.ndarray) else array_or_blend.parts()
        )
    }
    own = sum(keyframe.own for keyframe in past.keyframes)
    for _, tick_input in past.inputs():
        letters = sum(len(event[1]) for event in tick_input.events if event[0] == "on_text")
        own += history._ENTRY + history._EVENT * len(tick_input.events) + letters
    return own + sum(array.nbytes + history._ENTRY for array in each.values())


def test_between_whole_keyframes_even_motion_is_stored_as_blends(
    make: Make,
) -> None:
    game = make(Drifting)
    past = History(1000, 1 << 30)
    for _ in range(9):
        game.run_ticks(2)
        add_keyframe(game, past)
        assert past.bytes == counted_bytes(past)
        past.tidy()
        assert past.bytes == counted_bytes(past)
    for _ in range(9):
        past.tidy()
    assert past.bytes == counted_bytes(past)
    blends = [
        sum(isinstance(held, Blend) for held in arrays_of(keyframe)) for keyframe in past.keyframes
    ]
    assert blends == [0, 2, 2, 2, 0, 2, 2, 2, 0]  # blends of heights and positions


def test_removed_keyframes_leave_the_blends_of_others_intact(make: Make) -> None:
    game = make(Drifting)
    past = History(1000, 1 << 30)

    def more(count: int) -> None:
        for _ in range(count):
            game.run_ticks(2)
            add_keyframe(game, past)

    more(4)
    past.remove(past.keyframes[2])  # Without this removal, the keyframe would have become a blend.
    more(2)
    past.remove(past.keyframes[-1])  # a whole keyframe: the next keyframe is whole instead
    more(1)
    assert [keyframe.whole for keyframe in past.keyframes] == [True, False, False, False, True]
    past.remove(past.keyframes[2])  # a keyframe between two whole ones
    for _ in range(3):
        past.tidy()
    blends = [
        sum(isinstance(held, Blend) for held in arrays_of(keyframe)) for keyframe in past.keyframes
    ]
    assert blends == [0, 2, 2, 0]
    assert past.bytes == counted_bytes(past)


@pytest.mark.parametrize("ticking", [False, True])
def test_previous_states_are_omitted_only_if_each_tick_computes_them(
    make: Make, monkeypatch: pytest.MonkeyPatch, ticking: bool
) -> None:
    monkeypatch.setattr(history, "_WORTH_LEAVING", 1)
    game = make(Drifting)
    game.run_ticks(2)
    drawn = game.flock[5].drawn_position(0.5)
    keyframe = Keyframe(
        game.snapshot(), 0, (200, 100), [table_of(game.flock)] if ticking else [], None
    )
    assert keyframe.complete is not ticking
    game.run_ticks(3)
    game.restore(keyframe.snapshot)
    assert (game.flock[5].drawn_position(0.5) == drawn) is not ticking
    game.run_ticks(1)
    assert game.flock[5].drawn_position(0.0) == pytest.approx((drawn[0] + 0.5, drawn[1] + 0.25))


def test_full_memory_removes_keyframes_with_the_smallest_gap_first(
    make: Make,
) -> None:
    game = make(Drifting)
    past = History(1000, 1 << 30)
    for ticks in (2, 10, 2, 3, 8, 1):
        game.run_ticks(ticks)
        add_keyframe(game, past)
    assert [keyframe.tick for keyframe in past.keyframes] == [2, 12, 14, 17, 25, 26]
    assert [keyframe.whole for keyframe in past.keyframes] == [
        True,
        False,
        False,
        False,
        True,
        False,
    ]
    for left in ([2, 12, 17, 25, 26], [2, 12, 25, 26], [2, 25, 26], [2, 26], [26], [26]):
        past.memory = past.bytes - 1
        past.trim()
        assert [keyframe.tick for keyframe in past.keyframes] == left


@pytest.mark.parametrize("seed", range(3))
def test_random_removals_keep_the_byte_count_and_the_states_right(
    make: Make, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    if seed:  # omit previous states
        monkeypatch.setattr(history, "_WORTH_LEAVING", 1)
    chance = np.random.default_rng(seed)
    game = make(Drifting)
    past = History(40, 110_000)
    states = {}
    inputs = {}
    for _ in range(60):
        game.run_ticks(int(chance.integers(1, 5)))
        add_keyframe(game, past)
        states[game.tick] = state_of(game)
        inputs[game.tick] = TickInput((("on_text", "abc"), ("on_hide",))[: game.tick % 3])
        past.note(game.tick, inputs[game.tick])
        for action in chance.integers(0, 7, 2):
            if action < 3:
                past.tidy()
            elif action == 3:
                past.trim()
                first = past.keyframes[0].tick
                assert past.bytes <= past.memory
                assert [tick for tick, _ in past.inputs()] == [
                    tick for tick in states if first < tick <= past.last
                ]
                assert past.ticks == range(
                    max(first + (not past.keyframes[0].complete), past.last - 40), past.last + 1
                )
            elif action == 4 and len(past.keyframes) > 2:
                past.remove(past.keyframes[int(chance.integers(1, len(past.keyframes)))])
            elif action == 5:
                keyframe = past.keyframes[
                    int(chance.integers(len(past.keyframes) // 2, len(past.keyframes)))
                ]
                past.cut(keyframe.tick)
                game.restore(keyframe.snapshot)
                assert (past.last, past.keyframes[-1], state_of(game)) == (
                    game.tick,
                    keyframe,
                    states[game.tick],
                )
                assert past.input(game.tick + 1) == TickInput()
                states = {tick: state for tick, state in states.items() if tick <= game.tick}
            assert past.bytes == counted_bytes(past)
    assert all(tick_input == inputs[tick] == past.input(tick) for tick, tick_input in past.inputs())
    for keyframe in past.keyframes:
        game.restore(keyframe.snapshot)
        assert state_of(game) == states[keyframe.tick]
