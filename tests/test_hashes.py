"""Hashes of states: values that change them, values that do not, and the first difference of two
states.
"""

from __future__ import annotations

import enum
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from pictures import blob

import framework as fw
from framework.record import hashes

Make = Callable[..., Any]


def hashed(value: Any) -> int:
    number = hashes.state_hash({"x": value})
    by_parts = hashes.hashes(hashes.listing({"x": value}))
    assert all(0 <= part < 1 << 64 for part in (number, *by_parts.values()))
    return number


class Holder:
    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a: Any) -> None:
        self.a = a


# -- hashes that are equal -------------------------------------------------------------------------


def test_signs_of_zero_and_nan_do_not_count() -> None:
    odd = np.array([-np.nan, -0.0, 1.0], np.float32)
    odd.view(np.uint32)[0] = 0x7FC00123
    assert hashed(odd) == hashed(np.array([np.nan, 0.0, 1.0], np.float32))
    assert hashed(-0.0) == hashed(0.0)
    assert hashed(float("-nan")) == hashed(float("nan"))
    assert hashed((1, -0.0)) == hashed((1, 0.0))
    assert hashed(np.float32(-0.0)) == hashed(np.float32(0.0))
    assert np.signbit(odd[1])  # hashing does not change the array


def test_the_order_of_sets_and_attributes_does_not_count() -> None:
    names = [f"name {index}" for index in range(30)]
    assert hashed(set(names)) == hashed({*names[::-1]})
    assert hashed(Holder(a=1, b=2)) == hashed(Holder(b=2, a=1))
    assert hashed({Holder(a=1).a, 2.5, "x"}) == hashed({"x", 2.5, 1})


class Numbered:
    """An object with a chosen Python hash, which decides its order in sets and is not part of its
    state.
    """

    numbers: ClassVar[dict[int, int]] = {}

    def __init__(self, number: int, value: Any) -> None:
        self.numbers[id(self)] = number
        self.value = value

    def __hash__(self) -> int:
        return self.numbers[id(self)]


@pytest.mark.parametrize("values", [(1, 2), (0.5, 1.5), ("a", "b"), (b"a", b"b"), (None, True)])
def test_members_and_keys_count_by_value_and_not_by_order(
    values: tuple[Any, Any],
) -> None:
    orders = [[*map(Numbered, order, values)] for order in ((1, 2), (2, 1))]
    assert [member.value for member in {*orders[0]}] == [member.value for member in {*orders[1]}][
        ::-1
    ]
    assert hashed({*orders[0]}) == hashed({*orders[1]})
    assert hashed(dict.fromkeys(orders[0], 3)) == hashed(dict.fromkeys(orders[1], 3))
    different = [Numbered(1, values[0]), Numbered(2, "other")]
    assert hashed({*orders[0]}) != hashed({*different})
    assert hashed(dict.fromkeys(orders[0], 3)) != hashed(dict.fromkeys(different, 3))


def test_addresses_and_the_hash_seed_of_python_do_not_count() -> None:
    code = (
        "from framework.record import hashes\n"
        "class T: pass\n"
        "t = T(); t.names = {f'name {i}' for i in range(20)}; t.other = T(); t.call = t.names.add\n"
        "t.maker = lambda a=t.other: a; t.f = len\n"
        "print(hashes.state_hash({'t': t}))"
    )
    printed = set()
    for seed in ("1", "2"):
        environment = {
            **os.environ,
            "PYTHONHASHSEED": seed,
            "PYTHONMALLOC": "debug" if seed == "1" else "default",
        }
        command = [sys.executable, "-c", code]
        printed.add(
            subprocess.run(
                command, env=environment, capture_output=True, text=True, check=True
            ).stdout
        )
    assert len(printed) == 1


def test_the_memory_layout_of_arrays_does_not_count() -> None:
    square = np.arange(6, dtype=np.float64).reshape(2, 3)
    assert (
        hashed(square)
        == hashed(np.asfortranarray(square))
        == hashed(np.arange(12.0).reshape(2, 6)[:, ::2] / 2)
    )
    assert hashed(square) == hashed(square.astype(">f8"))


# -- hashes that differ ----------------------------------------------------------------------------


def test_values_of_other_types_differ() -> None:
    values = [
        0,
        0.0,
        False,
        None,
        "",
        b"",
        (),
        [],
        {},
        set(),
        frozenset({1}),
        {1},
        {1: 2},
        {2: 1},
        [1],
        (1,),
        [[1]],
        "1",
        1,
        1.0,
        True,
        Fraction(1),
        complex(1),
        np.float32(1),
        np.float64(1),
        np.zeros(2),
        np.zeros(3),
        np.zeros((1, 2)),
        np.zeros(2, np.float32),
        Holder(),
        Holder(a=1),
        Holder(b=1),
        Slotted(1),
        len,
        print,
        Holder,
        int,
        range(3),
        10**30,
        -(10**30),
        {"a": 1, "b": 2},
        {"b": 2, "a": 1},
        bytearray(b"1"),
        np.random.default_rng(1),
        np.random.default_rng(2),
        np.zeros(2, bool),
        np.array(["a"]),
        np.array(["b"]),
    ]
    numbers = [hashed(value) for value in values]
    same = [
        (a, b)
        for i, a in enumerate(values)
        for j, b in enumerate(values)
        if i < j and numbers[i] == numbers[j]
    ]
    assert same == []


def test_shared_objects_count() -> None:
    first = [1]
    second = [1]
    assert hashed([first, first]) != hashed([first, second])
    assert hashed([first, second]) == hashed([second, first])
    pair = Holder(a=first, b=second, c=first)
    swapped = Holder(a=first, b=second, c=second)
    assert hashed(pair) != hashed(swapped)


def test_two_equal_parts_do_not_cancel_each_other() -> None:
    assert hashed([Holder(a=1), Holder(a=1)]) != hashed([Holder(a=2), Holder(a=2)])
    assert hashed([np.ones(3), np.ones(3)]) != hashed([np.zeros(3), np.zeros(3)])


def test_cycles_can_be_hashed() -> None:
    ring: list[Any] = []
    ring.append(ring)
    holder = Holder()
    holder.me = holder
    assert hashed(ring) != hashed(holder)
    deep: list[Any] = []
    for _ in range(10_000):
        deep = [deep]
    hashed(deep)


@given(
    arrays.arrays(
        np.float32, arrays.array_shapes(max_dims=2, max_side=9), elements=st.floats(width=32)
    ),
    st.data(),
)
def test_one_changed_number_in_an_array_changes_the_hash(
    values: np.ndarray, data: st.DataObject
) -> None:
    row = data.draw(st.integers(0, values.size - 1))
    changed = values.copy()
    changed.reshape(-1)[row] = data.draw(st.floats(width=32))
    equal = np.array_equal(values, changed, equal_nan=True)
    assert (hashed(values) == hashed(changed)) == equal
    difference = hashes.first_difference(
        hashes.listing({"x": values}), hashes.listing({"x": changed})
    )
    assert (difference is None) == equal
    if difference is not None:
        assert difference.path == "x"
        assert np.ravel_multi_index(difference.row, values.shape) == row


_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=4)
    | st.binary(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(_values, _values)
def test_the_hash_and_the_hashes_of_parts_agree(first: Any, second: Any) -> None:
    parts = [hashes.hashes(hashes.listing({"x": value})) for value in (first, second)]
    assert (hashed(first) == hashed(second)) == (parts[0] == parts[1])
    assert hashed(first) == hashed(first)
    difference = hashes.first_difference(
        *[hashes.listing({"x": value}) for value in (first, second)]
    )
    assert (difference is None) == (parts[0] == parts[1])


class Phase(enum.Enum):
    MENU = 1
    PLAY = 2


class Buffs(enum.Flag):
    FAST = 1
    STRONG = 2


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Phase.MENU, Phase.PLAY),
        (Buffs.FAST, Buffs.FAST | Buffs.STRONG),
        (date(2026, 11, 1), date(2026, 11, 2)),
        (time(12, 30), time(12, 31)),
        (datetime(2026, 11, 1, 12), datetime(2026, 11, 1, 13)),
        (timedelta(seconds=1), timedelta(seconds=2)),
        (slice(0, 3), slice(0, 4)),
        ({Phase.MENU}, {Phase.PLAY}),
        ({"a": 1}.keys(), {"b": 1}.keys()),
        (memoryview(b"a"), memoryview(b"b")),
    ],
)
def test_immutable_values_count(first: Any, second: Any) -> None:
    assert hashed(first) == hashed(first)
    assert hashed(Holder(value=first)) != hashed(Holder(value=second))


def test_defaults_of_keyword_arguments_count() -> None:
    def counting(step: int) -> Callable[..., int]:
        def count(*, by: int = step) -> int:
            return by

        return count

    assert hashed(counting(1)) == hashed(counting(1))
    assert hashed(counting(1)) != hashed(counting(2))


# -- games -----------------------------------------------------------------------------------------


class Two(fw.Game):
    def setup(self) -> None:
        self.batch = self.add(fw.SpriteBatch(blob(), count=4))
        self.batch.position[:] = self.random.uniform((0, 0), self.size, (4, 2))
        self.one = Holder(a=1, speed=2.0)
        self.other = Holder(a=1, speed=3.0)
        self.things = [self.one, self.other]


@given(st.integers(0, 3), st.integers(0, 3))
def test_swapped_rows_change_the_hash(first: int, second: int) -> None:
    table = fw.Transforms2D()
    table.extend(4)
    table.position[:] = np.arange(8).reshape(4, 2)
    before = hashed(table)
    table.position[[first, second]] = table.position[[second, first]]
    assert (hashed(table) == before) == (first == second)


def test_swapped_columns_and_objects_change_the_hash(make: Make) -> None:
    game = make(Two)
    batch = game.batch
    batch.angle[:] = 3
    before = game.state_hash()
    game.things.reverse()
    assert game.state_hash() != before
    game.things.reverse()
    assert game.state_hash() == before
    scale = batch.scale.copy()
    angle = batch.angle.copy()
    batch.scale[:, 0], batch.scale[:, 1], batch.angle[:] = angle, angle, scale[:, 0]
    assert game.state_hash() != before
    batch.scale = scale
    batch.angle = angle
    assert game.state_hash() == before


def test_drawing_and_the_size_of_the_window_do_not_count(
    make: Make,
) -> None:
    class Moves(fw.Game):
        def setup(self) -> None:
            self.nodes = fw.Nodes2D()
            ship = self.nodes.add(position=(60, 60))
            self.add(fw.NodeSprites(blob(), self.nodes)).show(ship, 0)
            self.ball = self.sprites.add(blob(), position=(9, 9))
            self.camera.follow(self.ball, smoothing=0.4)
            self.label = self.labels.add("0", (5, 5))

        def update(self, dt: float) -> None:
            self.ball.x += 3
            self.nodes.position[0, 0] += 1
            self.label.text = str(self.tick)
            if self.tick == 3:
                self.sprites.add(blob(5))
                self.camera.teleport()

    options = {"resolution": (200, 100)}
    drawn = make(Moves, **options)
    never = make(Moves, **options)
    larger = make(Moves, size=(400, 200), **options)
    for _ in range(30):
        drawn.advance(1 / 180)
    drawn.advance(1 / 90)
    larger.run(drawn.tick)
    never.run_ticks(drawn.tick)
    assert drawn.tick == 10
    assert drawn.state_hash() == never.state_hash()
    assert larger.tick == 10
    assert larger.state_hash() == never.state_hash()


def test_image_numbers_count_as_their_images(make: Make, tmp_path: Any) -> None:
    first = make()
    second = make()
    small = blob(5)
    large = blob(9)
    first.sprites.add(small)
    first.sprites.add(large)
    second.sprites.images.add(large.copy())
    second.sprites.add(small.copy())
    second.sprites.add(large.copy())
    assert first.sprites.image.tolist() != second.sprites.image.tolist()
    assert first.state_hash() == second.state_hash()


def test_removed_rows_do_not_count(make: Make) -> None:
    first = make()
    second = make()
    for game in (first, second):
        game.balls = [
            game.sprites.add(0 if len(game.sprites.images) else blob(), position=(x, 0))
            for x in range(5)
        ]
        game.balls.pop(1).remove()
    assert second.sprites.position.shape == (4, 2)  # the rows are compacted
    assert first.state_hash() == second.state_hash()


def test_a_hash_reads_and_changes_nothing(make: Make) -> None:
    game = make(Two)
    game.advance(1 / 60)
    before = game.pixels()
    first = game.debug.state_hashes()
    assert game.state_hash() == game.state_hash()
    assert game.debug.state_hashes() == first
    game.advance(0)
    np.testing.assert_array_equal(game.pixels(), before)


# -- the first difference --------------------------------------------------------------------------


def test_the_first_difference_names_path_row_both_values_and_ulps(make: Make) -> None:
    first = make(Two)
    second = make(Two)
    value = first.batch.position[2, 1]
    second.batch.position[2, 1] = np.nextafter(value, np.float32(np.inf))
    difference = fw.first_difference(first.debug.state_values(), second.debug.state_values())
    assert (difference.path, difference.row, difference.ulps) == ("game.batch.position", (2, 1), 1)
    assert (difference.before, difference.after) == (
        float(value),
        float(second.batch.position[2, 1]),
    )
    assert (
        str(difference)
        == f"game.batch.position[2, 1]: {difference.before!r} and {difference.after!r} (1 ULP apart)"
    )
    assert fw.first_difference(first.debug.state_values(), first.debug.state_values()) is None


def test_differences_of_other_types(make: Make) -> None:
    first = make(Two)
    second = make(Two)

    def difference() -> Any:
        return fw.first_difference(first.debug.state_values(), second.debug.state_values())

    second.one.speed = 2.5
    result = difference()
    assert (result.path, result.before, result.after, result.row) == (
        "game.one.speed",
        2.0,
        2.5,
        None,
    )
    second.one.speed = 2.0
    second.things[1] = second.one
    assert (
        str(difference()) == "game.things[1]: 'the same as game.other' and 'the same as game.one'"
    )
    second.things[1] = second.other
    assert difference() is None
    second.extra = 3
    assert difference().path == "game"
    del second.extra
    second.batch.add(0)
    assert difference().path.startswith("game.batch")
    second = make(Two)
    second.random.random()
    assert difference().path == "game.random"


@pytest.mark.parametrize(
    ("first", "second", "ulps"),
    [
        (1.0, np.nextafter(1.0, 2), 1),
        (0.0, 5e-324, 1),
        (-5e-324, 5e-324, 2),
        (1.0, 1, None),
        (np.nan, 1.0, None),
    ],
)
def test_the_difference_of_floats_is_in_ulps(first: float, second: float, ulps: int | None) -> None:
    difference = hashes.first_difference(
        {"x": float(first)}, {"x": second if isinstance(second, int) else float(second)}
    )
    assert difference is not None
    assert difference.ulps == ulps


def test_long_values_are_shown_around_their_first_difference() -> None:
    before = "a" * 1000 + "b" * 1000
    after = "a" * 1000 + "c" * 1000
    text = str(fw.first_difference({"game.text": before}, {"game.text": after}))
    assert text == f"game.text: …{'a' * 19}{'b' * 39}… and …{'a' * 19}{'c' * 39}…"
    assert str(fw.first_difference({"game.text": "a"}, {})) == "game.text: 'a' and nothing"
