"""Garbage collection between frames: with a simulated collector and clock, then with Python's own."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from framework.watch import garbage
from framework.watch.garbage import GarbageCollector

MS = 1_000_000


class Heap:
    """A fake of the module gc and of a clock. A collection takes 100 ns for each object."""

    def __init__(self, alive: int = 100_000, *, enabled: bool = True, frozen: int = 0) -> None:
        self.now = 0
        self.generations = [0, 0, alive]
        self.frozen = frozen
        self.counts = [0, 0, 0]
        self.garbage = 0.0  # the fraction of young objects that is garbage
        self.on = enabled
        self.threshold = 700, 10, 10
        self.log: list[int] = []
        self.per_object = 100

    def clock(self) -> int:
        return self.now

    def make(self, objects: int) -> None:
        self.generations[0] += objects
        self.counts[0] += objects

    @property
    def alive(self) -> int:
        return sum(self.generations) + self.frozen

    def isenabled(self) -> bool:
        return self.on

    def enable(self) -> None:
        self.on = True

    def disable(self) -> None:
        self.on = False

    def get_threshold(self) -> tuple[int, int, int]:
        return self.threshold

    def get_count(self) -> tuple[int, ...]:
        return tuple(self.counts)

    def get_objects(self) -> list[None]:
        return [None] * sum(self.generations)

    def get_freeze_count(self) -> int:
        return self.frozen

    def freeze(self) -> None:
        self.frozen += sum(self.generations)
        self.generations = [0, 0, 0]

    def unfreeze(self) -> None:
        self.generations[2] += self.frozen
        self.frozen = 0

    def collect(self, generation: int = 2) -> int:
        self.log.append(generation)
        self.now += self.per_object * sum(self.generations[: generation + 1])
        collected = round(self.garbage * self.generations[0])
        left = sum(self.generations[: generation + 1]) - collected
        self.generations[: generation + 1] = [0] * (generation + 1)
        self.generations[min(2, generation + 1)] += left
        if generation < 2:
            self.counts[generation + 1] += 1
        self.counts[: generation + 1] = [0] * (generation + 1)
        return collected


@pytest.fixture
def heap() -> Heap:
    return Heap()


@pytest.fixture
def collector(heap: Heap) -> Iterator[GarbageCollector]:
    collector = GarbageCollector(heap.clock, heap)
    collector.begin()
    heap.log.clear()
    yield collector
    collector.end()
    assert not collector.active


def test_begin_collects_and_freezes_everything_and_disables_automatic_collection() -> None:
    heap = Heap()
    collector = GarbageCollector(heap.clock, heap)
    collector.begin()
    assert (heap.log, heap.frozen, heap.on) == ([2], 100_000, False)
    collector.end()
    assert (heap.frozen, heap.on, heap.threshold) == (0, True, (700, 10, 10))
    heap.on = False
    collector.end()  # a second time
    assert not heap.on


def test_below_the_threshold_nothing_is_collected(heap: Heap, collector: GarbageCollector) -> None:
    heap.make(699)
    collector.use(1000 * MS)
    assert heap.log == []
    heap.make(1)
    collector.use(1000 * MS)
    assert heap.log == [0]


def test_young_objects_are_collected_often_and_old_objects_rarely(
    heap: Heap, collector: GarbageCollector
) -> None:
    heap.garbage = 0.99
    for _ in range(2_000):
        heap.make(700)
        collector.use(10 * MS)
    young, middle, full = (heap.log.count(generation) for generation in range(3))
    assert young + middle + full == 2_000
    assert young == pytest.approx(10 * middle, rel=0.1)
    assert middle == pytest.approx(10 * full, rel=0.15)


def test_a_collection_waits_for_enough_slack(heap: Heap, collector: GarbageCollector) -> None:
    heap.make(1000)  # 100 µs, and a safety margin
    collector.use(100_000)
    assert heap.log == []
    collector.use(160_000)
    assert heap.log == [0]


def test_a_full_collection_needs_enough_slack(heap: Heap, collector: GarbageCollector) -> None:
    for _ in range(100):
        heap.make(700)
        collector.use(4 * MS)
    assert 2 in heap.log
    before = heap.now
    heap.log.clear()
    for _ in range(100):  # 70,000 survivors so far: a full collection takes 7 ms and more
        heap.make(700)
        collector.use(4 * MS)
        assert heap.now - before < 4 * MS
        before = heap.now
    assert 2 not in heap.log


def test_a_collection_that_once_took_long_is_tried_again_later(
    heap: Heap, collector: GarbageCollector
) -> None:
    heap.per_object = 20_000  # another program used the processor
    heap.make(700)
    collector.use(1000 * MS)
    heap.per_object = 100
    frames = 0
    heap.make(700)
    while len(heap.log) < 2:
        collector.use(10 * MS)
        frames += 1
    assert 1 < frames < 600


@pytest.mark.parametrize(
    ("generation", "maximum"), [(0, garbage._MAX_YOUNG), (1, garbage._MAX_MIDDLE)]
)
def test_without_slack_too_many_objects_are_collected_anyway(
    heap: Heap, collector: GarbageCollector, generation: int, maximum: int
) -> None:
    created = 0
    while generation not in heap.log:
        heap.make(100)
        created += 100
        collector.use(0)
        collector.relieve()
        assert heap.generations[0] <= garbage._MAX_YOUNG
        assert created <= maximum + 2 * garbage._MAX_YOUNG


@settings(deadline=None, max_examples=30)
@given(
    st.integers(1, 20_000),
    st.integers(0, 5 * MS),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from([1_000, 100_000, 1_000_000]),
)
def test_garbage_is_bounded_for_any_slack(
    created: int, slack: int, share: float, alive: int
) -> None:
    heap = Heap(alive)
    collector = GarbageCollector(heap.clock, heap)
    collector.begin()
    heap.garbage = share
    try:
        for _ in range(500):
            heap.make(created)
            collector.use(slack)
            collector.relieve()
            survivors = heap.alive - heap.generations[0]
            assert heap.generations[0] <= max(garbage._MAX_YOUNG, created)
            assert heap.generations[1] <= garbage._MAX_MIDDLE + garbage._MAX_YOUNG + created
            pending = heap.generations[2] - collector._settled
            assert (
                pending <= max(garbage._MAX_OLD, survivors // 4) + 2 * garbage._MAX_MIDDLE + created
            )
    finally:
        collector.end()


def test_the_objects_of_a_new_level_are_frozen(heap: Heap, collector: GarbageCollector) -> None:
    heap.make(50_000)
    collector.renew()
    assert (heap.log, heap.frozen) == ([2], 150_000)


def test_nothing_happens_if_the_program_has_disabled_collection() -> None:
    for heap in (Heap(enabled=False), Heap()):
        heap.threshold = (0, 10, 10) if heap.on else heap.threshold
        on = heap.on
        collector = GarbageCollector(heap.clock, heap)
        collector.begin()
        heap.make(1_000_000)
        collector.use(1000 * MS)
        collector.relieve()
        collector.renew()
        collector.end()
        assert (heap.log, heap.frozen, heap.on, collector.active) == ([], 0, on, False)


def test_objects_that_the_program_froze_stay_frozen() -> None:
    heap = Heap(frozen=50_000)
    collector = GarbageCollector(heap.clock, heap)
    collector.begin()
    assert heap.frozen == 50_000
    collector.renew()
    heap.make(700)
    collector.use(1000 * MS)
    collector.end()
    assert (heap.frozen, heap.on) == (50_000, True)


def test_of_two_collectors_only_the_first_is_active(
    heap: Heap, collector: GarbageCollector
) -> None:
    second = GarbageCollector(heap.clock, heap)
    second.begin()
    assert not second.active
    second.end()
    assert collector.active
    assert (heap.on, heap.frozen, heap.log) == (False, 100_000, [])


def test_the_gpu_callback_runs_only_before_a_collection(
    heap: Heap, collector: GarbageCollector
) -> None:
    collections: list[int] = []
    collector.use(1000 * MS, lambda: collections.append(len(heap.log)))
    assert collections == []
    heap.make(700)
    collector.use(1000 * MS, lambda: collections.append(len(heap.log)))
    assert (collections, heap.log) == ([0], [0])


class Node:
    partner: Any = None


def cycle() -> weakref.ref[Node]:
    first = Node()
    second = Node()
    first.partner = second
    second.partner = first
    return weakref.ref(first)


@pytest.mark.usefixtures("unfrozen")
def test_pythons_own_collector_frees_garbage_and_is_restored() -> None:
    before = gc.isenabled(), gc.get_threshold()
    assert gc.get_freeze_count() <= garbage._FROZEN_BY_PYTHON
    collector = GarbageCollector()
    collector.begin()
    try:
        assert not gc.isenabled()
        assert gc.get_freeze_count() > 10_000
        litter = [cycle() for _ in range(2 * gc.get_threshold()[0])]
        assert litter[-1]() is not None
        collector.use(10_000 * MS)
        assert litter[-1]() is None
        litter = [cycle() for _ in range(20_000)]
        collector.relieve()
        assert litter[-1]() is None
    finally:
        collector.end()
    assert (gc.isenabled(), gc.get_threshold()) == before
    assert gc.get_freeze_count() == 0


def test_the_estimate_of_objects_is_close() -> None:
    collector = GarbageCollector()
    collector.begin()
    try:
        references = []
        for _ in range(300):
            references.append([Node() for _ in range(300)])
            collector.use(10_000 * MS)
        estimate = collector._middle + collector._old + collector._settled
        assert estimate == pytest.approx(len(gc.get_objects(1)) + len(gc.get_objects(2)), rel=0.05)
    finally:
        collector.end()
