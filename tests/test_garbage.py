"""When garbage is collected: a collector and a clock that are invented, then Python's own."""

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
    """Stands in for the module gc, and for the clock: a collection takes 100 ns for each object it
    looks at.
    """

    def __init__(self, alive: int = 100_000, *, enabled: bool = True, frozen: int = 0) -> None:
        self.now = 0
        self.generations = [0, 0, alive]
        self.frozen = frozen
        self.counts = [0, 0, 0]
        self.garbage = 0.0  # the share of the young that is
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
        found = round(self.garbage * self.generations[0])
        left = sum(self.generations[: generation + 1]) - found
        self.generations[: generation + 1] = [0] * (generation + 1)
        self.generations[min(2, generation + 1)] += left
        if generation < 2:
            self.counts[generation + 1] += 1
        self.counts[: generation + 1] = [0] * (generation + 1)
        return found


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


def test_it_begins_with_everything_collected_and_frozen_and_automatic_collection_off() -> None:
    heap = Heap()
    collector = GarbageCollector(heap.clock, heap)
    collector.begin()
    assert (heap.log, heap.frozen, heap.on) == ([2], 100_000, False)
    collector.end()
    assert (heap.frozen, heap.on, heap.threshold) == (0, True, (700, 10, 10))
    heap.on = False
    collector.end()  # a second time
    assert not heap.on


def test_below_the_threshold_nothing_is_collected_however_much_slack_there_is(
    heap: Heap, collector: GarbageCollector
) -> None:
    heap.make(699)
    collector.use(1000 * MS)
    assert heap.log == []
    heap.make(1)
    collector.use(1000 * MS)
    assert heap.log == [0]


def test_the_young_are_collected_often_and_the_older_rarely(
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


def test_a_collection_that_does_not_fit_into_the_slack_waits_for_more(
    heap: Heap, collector: GarbageCollector
) -> None:
    heap.make(1000)  # 100 µs, and a little for the care that is taken
    collector.use(100_000)
    assert heap.log == []
    collector.use(160_000)
    assert heap.log == [0]


def test_a_full_collection_is_made_only_in_slack_that_holds_it(
    heap: Heap, collector: GarbageCollector
) -> None:
    for _ in range(100):
        heap.make(700)
        collector.use(4 * MS)
    assert 2 in heap.log
    before = heap.now
    heap.log.clear()
    for _ in range(100):  # 70,000 survivors by now, 7 ms and more for all of them
        heap.make(700)
        collector.use(4 * MS)
        assert heap.now - before < 4 * MS
        before = heap.now
    assert 2 not in heap.log


def test_what_took_long_by_chance_is_tried_again_after_a_while(
    heap: Heap, collector: GarbageCollector
) -> None:
    heap.per_object = 20_000  # something else had the processor
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
    ("generation", "most"), [(0, garbage._MAX_YOUNG), (1, garbage._MAX_MIDDLE)]
)
def test_without_slack_it_is_collected_when_too_much_piles_up(
    heap: Heap, collector: GarbageCollector, generation: int, most: int
) -> None:
    made = 0
    while generation not in heap.log:
        heap.make(100)
        made += 100
        collector.use(0)
        collector.relieve()
        assert heap.generations[0] <= garbage._MAX_YOUNG
        assert made <= most + 2 * garbage._MAX_YOUNG


@settings(deadline=None, max_examples=30)
@given(
    st.integers(1, 20_000),
    st.integers(0, 5 * MS),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from([1_000, 100_000, 1_000_000]),
)
def test_garbage_is_bounded_whatever_the_slack(
    made: int, slack: int, share: float, alive: int
) -> None:
    heap = Heap(alive)
    collector = GarbageCollector(heap.clock, heap)
    collector.begin()
    heap.garbage = share
    try:
        for _ in range(500):
            heap.make(made)
            collector.use(slack)
            collector.relieve()
            survivors = heap.alive - heap.generations[0]
            assert heap.generations[0] <= max(garbage._MAX_YOUNG, made)
            assert heap.generations[1] <= garbage._MAX_MIDDLE + garbage._MAX_YOUNG + made
            pending = heap.generations[2] - collector._settled
            assert pending <= max(garbage._MAX_OLD, survivors // 4) + 2 * garbage._MAX_MIDDLE + made
    finally:
        collector.end()


def test_a_new_level_is_frozen_in_place_of_the_old_one(
    heap: Heap, collector: GarbageCollector
) -> None:
    heap.make(50_000)
    collector.renew()
    assert (heap.log, heap.frozen) == ([2], 150_000)


def test_where_the_program_has_switched_collection_off_nothing_is_done() -> None:
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


def test_what_a_program_froze_itself_stays_frozen() -> None:
    heap = Heap(frozen=50_000)
    collector = GarbageCollector(heap.clock, heap)
    collector.begin()
    assert heap.frozen == 50_000
    collector.renew()
    heap.make(700)
    collector.use(1000 * MS)
    collector.end()
    assert (heap.frozen, heap.on) == (50_000, True)


def test_of_two_at_once_the_first_decides(heap: Heap, collector: GarbageCollector) -> None:
    second = GarbageCollector(heap.clock, heap)
    second.begin()
    assert not second.active
    second.end()
    assert collector.active
    assert (heap.on, heap.frozen, heap.log) == (False, 100_000, [])


def test_the_gpu_is_told_before_a_collection_and_only_then(
    heap: Heap, collector: GarbageCollector
) -> None:
    told: list[int] = []
    collector.use(1000 * MS, lambda: told.append(len(heap.log)))
    assert told == []
    heap.make(700)
    collector.use(1000 * MS, lambda: told.append(len(heap.log)))
    assert (told, heap.log) == ([0], [0])


class Thing:
    other: Any = None


def cycle() -> weakref.ref[Thing]:
    one, two = Thing(), Thing()
    one.other, two.other = two, one
    return weakref.ref(one)


@pytest.mark.usefixtures("unfrozen")
def test_with_pythons_own_collector_garbage_goes_and_all_is_restored() -> None:
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


def test_the_piles_are_estimated_as_they_are() -> None:
    collector = GarbageCollector()
    collector.begin()
    try:
        kept = []
        for _ in range(300):
            kept.append([Thing() for _ in range(300)])
            collector.use(10_000 * MS)
        estimate = collector._middle + collector._old + collector._settled
        assert estimate == pytest.approx(len(gc.get_objects(1)) + len(gc.get_objects(2)), rel=0.05)
    finally:
        collector.end()
