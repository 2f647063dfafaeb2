"""Snapshots: objects of every kind are restored in place, or refused by name."""

from __future__ import annotations

import array
import asyncio
import collections
import enum
import functools
import hashlib
import io
import random
import socket
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ticking import counter

import framework as fw
from framework.record import hashes
from framework.record.snapshots import Snapshot, restore
from framework.state.rows import table_of


class Owner:
    """An owner of a state."""


def take_snapshot(**objects: Any) -> Snapshot:
    return Snapshot(Owner(), objects, 0)


class Slotted:
    __slots__ = ("__private", "a", "b")

    def __init__(self, a: Any) -> None:
        self.a = a
        self.__private = [a]

    @property
    def private(self) -> Any:
        return self.__private


class Both(Slotted):
    def __init__(self, a: Any) -> None:
        super().__init__(a)
        self.more = a


@dataclass
class Data:
    number: int = 0
    things: list[Any] = field(default_factory=list)


@dataclass(frozen=True)
class Frozen:
    things: list[Any]


class Named(NamedTuple):
    things: list[Any]


class MyList(list):  # type: ignore[type-arg]
    extra = 0


class MyDict(dict):  # type: ignore[type-arg]
    pass


class MySet(set):  # type: ignore[type-arg]
    pass


class Color(enum.Enum):
    RED = [1]  # noqa: RUF012


# -- restored objects ------------------------------------------------------------------------------


def test_containers_are_restored_in_place_and_in_order() -> None:
    inner = [1]
    objects: dict[str, Any] = {
        "list": [inner, 2],
        "dict": {"b": inner, "a": 1},
        "set": {1, 2},
        "deque": collections.deque([1, inner], 5),
        "default": collections.defaultdict(list, a=[1]),
        "counter": collections.Counter("aab"),
        "ordered": collections.OrderedDict(b=1, a=2),
        "bytes": bytearray(b"abc"),
        "array": array.array("d", [1, 2]),
        "tuple": (inner, [3]),
        "named": Named([4]),
        "mylist": MyList([5]),
        "mydict": MyDict(a=6),
        "myset": MySet({7}),
        "frozenset": frozenset({8}),
        "chain": collections.ChainMap({"a": 1}),
    }
    objects["mylist"].extra = [9]
    originals = dict(objects)
    snapshot = take_snapshot(things=objects)
    before = repr(objects)
    inner.append(5)
    for name in ("list", "deque", "mylist"):
        objects[name].append(7)
    for name in ("dict", "default", "mydict"):
        objects[name]["new"] = objects[name].pop("a")
    objects["counter"].update("b")
    objects["ordered"].move_to_end("b")
    for name in ("set", "myset"):
        objects[name].add(99)
    objects["bytes"][:] = b""
    objects["array"][0] = 9
    objects["tuple"][1].clear()
    objects["named"].things.append(1)
    objects["mylist"].extra.append(1)
    objects["chain"]["b"] = 1
    objects["later"] = 1
    restore(snapshot)
    assert repr(objects) == before
    assert objects["mylist"].extra == [9]
    assert all(objects[name] is value for name, value in originals.items())
    assert objects["list"][0] is inner
    assert objects["default"].default_factory is list
    assert objects["deque"].maxlen == 5


@dataclass(unsafe_hash=True)
class Card:
    number: int
    damage: int = field(default=0, compare=False)


def test_members_of_a_set_are_restored_by_identity() -> None:
    card = Card(1)
    cards = {card}
    snapshot = take_snapshot(cards=cards)
    cards.clear()
    cards.add(Card(1, damage=5))
    restore(snapshot)
    assert next(iter(cards)) is card


def test_the_default_factory_of_a_dict_is_restored() -> None:
    values = collections.defaultdict(counter())
    snapshot = take_snapshot(made=values)
    before = hashes.state_hash({"made": values})
    assert [values["a"], values["b"]] == [1, 2]
    values.clear()
    assert hashes.state_hash({"made": values}) != before
    values.default_factory = int
    restore(snapshot)
    assert values["c"] == 1
    lost = collections.defaultdict(iter([1]).__next__)
    with pytest.raises(fw.FrameworkError, match=r"snapshot: lost\.default_factory is an iterator"):
        take_snapshot(lost=lost)


def test_a_proxy_of_a_deleted_object_is_an_error() -> None:
    target = Owner()
    held = [weakref.proxy(target)]
    take_snapshot(held=held)
    hashes.state_hash({"held": held})
    del target
    for look in (lambda: take_snapshot(held=held), lambda: hashes.state_hash({"held": held})):
        with pytest.raises(fw.FrameworkError, match=r"weakref\.proxy of a deleted object"):
            look()


def test_attributes_and_slots_are_restored() -> None:
    slotted = Slotted([1])
    derived = Both([2])
    data = Data(1, [2])
    frozen = Frozen([3])
    space = SimpleNamespace(a=1)
    snapshot = take_snapshot(things=[slotted, derived, data, frozen, space])
    slotted.b = 5
    slotted.private.append(6)
    slotted.a = None
    del derived.a
    derived.more = derived.later = 7
    data.number = 8
    data.things = []
    frozen.things.append(9)
    space.b = 1
    space.a = 2
    restore(snapshot)
    assert (slotted.a, slotted.private, hasattr(slotted, "b")) == ([1], [[1]], False)
    assert (derived.a, derived.more, hasattr(derived, "later")) == ([2], [2], False)
    assert (data, frozen, space) == (Data(1, [2]), Frozen([3]), SimpleNamespace(a=1))


def test_arrays_and_their_views_are_restored_in_place() -> None:
    whole = np.arange(12.0).reshape(3, 4)
    objects = np.array([[1], [2], None], object)
    view = whole[1:, ::2]
    fixed = np.arange(3)
    fixed.flags.writeable = False
    memory = memoryview(bytearray(b"abcd"))
    from_bytes = np.frombuffer(bytearray(b"abcd"), np.uint8)
    structured = np.zeros(2, [("a", "f4"), ("b", "i4")])
    snapshot = take_snapshot(
        view=view,
        things=objects,
        fixed=fixed,
        memory=memory,
        bytes=from_bytes,
        structured=structured,
    )
    whole += 1
    objects[0].append(5)
    objects[2] = 7
    memory[0] = 0
    from_bytes[:] = 0
    structured["a"] = 3
    restore(snapshot)
    assert whole[1].tolist() == [4, 5, 6, 7]
    assert np.shares_memory(view, whole)
    assert objects.tolist() == [[1], [2], None] or objects.ravel().tolist() == [[1], [2], None]
    assert (bytes(memory), from_bytes.tobytes()) == (b"abcd", b"abcd")
    assert structured["a"].tolist() == [0, 0]


def test_an_array_that_was_resized_in_place_gets_its_shape_back() -> None:
    grown = np.arange(3.0)
    snapshot = take_snapshot(x=[grown])
    grown.resize(6, refcheck=False)
    restore(snapshot)
    assert grown.tolist() == [0, 1, 2]


def test_an_array_that_was_made_read_only_is_restored() -> None:
    array = np.zeros(3)
    snapshot = take_snapshot(array=array)
    array[0] = 1
    array.flags.writeable = False
    restore(snapshot)
    assert array[0] == 0
    array[0] = 1


def test_generators_that_a_generator_spawned_are_spawned_again() -> None:
    random = np.random.default_rng(5)
    snapshot = take_snapshot(random=random)
    before = hashes.state_hash({"random": random})
    (first,) = random.spawn(1)
    assert hashes.state_hash({"random": random}) != before
    restore(snapshot)
    (again,) = random.spawn(1)
    assert first.random() == again.random()


def test_random_generators_continue_from_the_snapshot() -> None:
    class Mine(random.Random):
        extra = 0

    sources: list[Any] = [
        np.random.default_rng(1),
        random.Random(2),
        np.random.RandomState(3),
        Mine(4),
    ]
    bits = np.random.PCG64(5)
    snapshot = take_snapshot(sources=sources, bits=bits, bound=sources[1].random)
    first = [source.random() for source in sources] + [bits.random_raw()]
    restore(snapshot)
    assert [source.random() for source in sources] + [bits.random_raw()] == first


def test_closures_methods_and_partial_functions_are_restored() -> None:
    class Ship:
        def __init__(self) -> None:
            self.speed = 0

        def go(self) -> int:
            self.speed += 1
            return self.speed

    ship = Ship()
    log = [0]
    step = counter()
    go = Ship().go
    part = functools.partial(log.append, 1)
    by_default = lambda ship=ship: ship.go()  # noqa: E731
    step.note = [1]  # type: ignore[attr-defined]
    built_in = [9].append
    snapshot = take_snapshot(calls=[step, go, part, by_default, built_in])
    calls = lambda: [step(), go(), part(), by_default()]  # noqa: E731
    first = calls(), log.copy()
    step.note.append(2)  # type: ignore[attr-defined]
    built_in(1)
    restore(snapshot)
    assert (step.note, built_in.__self__) == ([1], [9])  # type: ignore[attr-defined]
    assert (calls(), log) == first


_MODULE_LOG: list[int] = []


def function_of_module(log: list[int] = _MODULE_LOG) -> None:
    log.append(1)


def test_functions_and_classes_of_modules_are_not_restored() -> None:
    class Counts:
        made: list[int] = []  # noqa: RUF012

    snapshot = take_snapshot(x=[function_of_module, Counts, Counts(), random, Color.RED])
    function_of_module()
    Counts.made.append(1)
    Color.RED.value.append(2)
    restore(snapshot)
    assert (_MODULE_LOG[-1:], Counts.made, Color.RED.value[-1]) == ([1], [1], 2)


def test_cycles_and_deep_chains_are_visited() -> None:
    ring: list[Any] = [1]
    ring.append(ring)
    deep: list[Any] = [0]
    for _ in range(50_000):
        deep = [deep]
    last = deep
    snapshot = take_snapshot(ring=ring, deep=deep)
    ring.clear()
    last[0] = None
    restore(snapshot)
    assert ring[1] is ring
    assert last[0] is not None


def test_a_snapshot_can_be_restored_any_number_of_times() -> None:
    objects = [0]
    snapshots = []
    for number in range(4):
        objects[0] = number
        snapshots.append(take_snapshot(things=objects))
    for number in (3, 0, 2, 2, 1):
        restore(snapshots[number])
        assert objects == [number]


def test_views_of_dicts_and_weak_references_are_followed() -> None:
    held = {"a": [1]}
    friends: weakref.WeakSet[Any] = weakref.WeakSet()
    first = Data()
    second = Slotted(1)
    del second
    friends.add(one_friend := SimpleFriend())
    snapshot = take_snapshot(keys=held.values(), friends=friends, one=weakref.ref(one_friend))
    held["a"].append(2)
    friends.clear()
    restore(snapshot)
    assert held == {"a": [1]}
    assert list(friends) == [one_friend]
    assert first == Data()


class SimpleFriend:
    pass


def test_shuffled_sets_have_another_order_and_the_same_members() -> None:
    for attempt in range(20):  # for any hash seed of Python
        names = {f"name {index} of {attempt}" for index in range(30)}
        order = list(names)
        snapshot = take_snapshot(names=names)
        restore(snapshot, shuffle_sets=True)
        assert names == set(order)
        assert list(names) != order
        restore(snapshot)
        assert names == set(order)


_plain = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3)
)


@st.composite
def graphs(draw: st.DrawFn) -> list[Any]:
    """Return random objects that refer to one another."""
    kinds = st.sampled_from([list, dict, Data, SimpleNamespace, collections.deque])
    objects = [draw(kinds)() for _ in range(draw(st.integers(1, 6)))]
    for target in objects:
        for index in range(draw(st.integers(0, 3))):
            fill(target, index, draw(_plain | st.sampled_from(objects)))
    return objects


def fill(target: Any, index: int, value: Any) -> None:
    if isinstance(target, dict):
        target[str(index)] = value
    elif isinstance(target, list | collections.deque):
        target.append(value)
    else:
        setattr(target, f"a{index}", value)


@given(graphs(), st.data())
def test_a_restore_brings_back_the_hash(objects: list[Any], data: st.DataObject) -> None:
    before = hashes.hashes(hashes.listing({"x": objects}))
    snapshot = take_snapshot(x=objects)
    assert hashes.hashes(hashes.listing({"x": objects})) == before
    for _ in range(3):
        fill(data.draw(st.sampled_from(objects)), data.draw(st.integers(0, 4)), data.draw(_plain))
    objects.pop(data.draw(st.integers(0, len(objects) - 1)))
    restore(snapshot)
    assert hashes.hashes(hashes.listing({"x": objects})) == before


# -- objects that cannot be restored ---------------------------------------------------------------


async def nothing() -> None: ...


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: (x for x in "ab"), "a generator"),
        (lambda: iter([1]), "an iterator"),
        (lambda: map(len, "ab"), "an iterator"),
        (lambda: io.StringIO(), "a file"),
        (lambda: hashlib.sha256(), "a running hash"),
        (lambda: open(__file__), "a file"),  # noqa: SIM115
        (lambda: socket.socket(), "a socket"),
        (lambda: threading.Thread(), "a thread"),
        (lambda: threading.Lock(), "a lock"),
        (lambda: ThreadPoolExecutor(1), "a pool of workers"),
        (lambda: nothing(), "a coroutine"),
        (lambda: asyncio.new_event_loop(), "an event loop"),
    ],
)
def test_objects_that_cannot_be_restored_are_named_by_their_path(
    make: Callable[[], Any], problem: str
) -> None:
    lost = make()
    ship = SimpleNamespace(script=lost)
    try:
        with pytest.raises(
            fw.FrameworkError,
            match=rf"snapshot: game\.ships\[1\]\.script is {problem}, which cannot",
        ):
            take_snapshot(game=SimpleNamespace(ships=[None, ship]))
        with pytest.raises(
            fw.FrameworkError, match=r"not_state = \('script',\) in the class of game\.ship"
        ):
            take_snapshot(game=SimpleNamespace(ship=ship))
    finally:
        close = getattr(lost, "close", None) or getattr(lost, "shutdown", None)
        if close is not None:
            close()


class Dice(np.random.Generator):
    """A random generator with a subclass of the game."""


class Bits(array.array):  # type: ignore[type-arg]
    """An array with a subclass of the game."""


def test_subclasses_of_generators_and_arrays_are_restored() -> None:
    dice = Dice(np.random.PCG64(1))
    bits = Bits("i", [1, 2])
    snapshot = take_snapshot(dice=dice, bits=bits)
    before = hashes.state_hash({"d": dice, "b": bits})
    first = dice.integers(1 << 30)
    bits[0] = 5
    assert hashes.state_hash({"d": dice, "b": bits}) != before
    restore(snapshot)
    assert hashes.state_hash({"d": dice, "b": bits}) == before
    assert (dice.integers(1 << 30), bits[0]) == (first, 1)


def test_paths_go_through_closures_dicts_and_slots() -> None:
    lines = (line for line in "ab")

    def read() -> str:
        return next(lines)

    def default(lines: Any = lines) -> str:
        return next(lines)

    def keyword(*, lines: Any = lines) -> str:
        return next(lines)

    for target, path in (
        (default, r"x\.__defaults__\[0\]"),
        (keyword, r"x\.__kwdefaults__\['lines'\]"),
        ({"a b": [lines]}, r"x\['a b'\]\[0\]"),
        (Slotted(lines), r"x\.a"),
        (read, r"x\.lines"),
        (functools.partial(len, lines), r"x\.args\[0\]"),
        (collections.deque([{1: lines}]), r"x\[0\]\[1\]"),
    ):
        with pytest.raises(fw.FrameworkError, match=f"snapshot: {path} is a generator"):
            take_snapshot(x=target)


def test_declarations_are_checked() -> None:
    class Word:
        not_state = "fps"

    class Number:
        not_state = (3,)

    for kind in (Word, Number):
        with pytest.raises(
            TypeError,
            match=f"not_state: expected a tuple of names of attributes in .*{kind.__name__}",
        ):
            take_snapshot(x=kind())


def test_declarations_of_base_classes_count() -> None:
    class Base:
        not_state = ("a",)

    class Derived(Base):
        not_state = ("b",)

        def __init__(self) -> None:
            self.a = self.b = self.c = 1

    target = Derived()
    snapshot = take_snapshot(x=target)
    target.a = target.b = target.c = 2
    restore(snapshot)
    assert (target.a, target.b, target.c) == (2, 2, 1)


def test_the_repr_of_a_snapshot_has_its_tick() -> None:
    assert repr(Snapshot(Owner(), {}, 7)) == "<Snapshot of tick 7>"


@pytest.mark.parametrize("snapshots", [False, True])
def test_a_snapshot_after_each_tick_leaves_moving_rows_interpolated(snapshots: bool) -> None:
    class Moves(fw.Game):
        def setup(self) -> None:
            self.dots = self.add(fw.SpriteBatch(np.full((4, 4, 4), 255, np.uint8), 3))

        def update(self, dt: float) -> None:
            self.dots.position[1] += (8, 0)

    with Moves(drawing=False) as game:
        kept = []
        for _ in range(4):
            game.run_ticks(1)
            if snapshots:
                kept.append(game.snapshot())
            previous = table_of(game.dots).column("position").previous(3)
            assert previous[1].tolist() == [8 * (game.tick - 1), 0]
