"""Run Python's garbage collector between frames, not during a frame.

Python collects garbage whenever a certain number of new objects exists, even during a frame.
Sometimes, the collector checks all objects in memory, which takes tens of milliseconds in a large
game. Therefore, `GarbageCollector` disables Python's automatic collection, and collects garbage
itself while the loop is waiting for the next frame. If the loop never waits, it collects garbage
when there are very many new objects, because the game could otherwise run out of memory. After the
setup of the game, it calls ``gc.freeze``, so that Python no longer checks the objects that already
exist.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterator, Sized
from contextlib import contextmanager
from typing import Protocol

_YOUNG = 0
_FULL = 2

# A full collection in the free time of a frame is worth its time if at least this many objects have
# survived two collections since the last full collection.
_OLD_WORTH_FULL = 8_000

# Above these numbers of objects, a collection runs even if a frame has no free time. _MAX_YOUNG
# counts new objects. _MAX_MIDDLE counts objects that survived one collection, and _MAX_OLD objects
# that survived two. The limit for old objects is at least a quarter of the live objects, as in
# Python.
_MAX_YOUNG = 7_000
_MAX_MIDDLE = 30_000
_MAX_OLD = 100_000

_SAFETY = 1.25  # a collection is expected to take this many times as long as the last ones
# For each frame without enough time for a collection, the expected duration is multiplied by this
# factor, because the last collection may have been slow by chance.
_COST_DECAY = 0.995
_OVERHEAD = 200  # the fixed cost of a collection, as a count of objects

# Python 3.12 itself freezes some objects when it starts. If more objects than this are frozen, the
# program has frozen some, too.
_FROZEN_BY_PYTHON = 2_000


@contextmanager
def paused_collection() -> Iterator[None]:
    """A context manager that disables garbage collection in a block, for example while a map is
    loading. Use it for code that creates many objects that stay in memory. While such code is
    running, a garbage collection finds no garbage, but can take as long as the code itself. Outside
    the main thread, the context manager does nothing, because it would also disable garbage
    collection for a game in the main thread.
    """
    pauses = gc.isenabled() and threading.current_thread() is threading.main_thread()
    if pauses:
        gc.disable()
    try:
        yield
    finally:
        if pauses:
            gc.enable()


class _Gc(Protocol):
    def isenabled(self) -> bool: ...
    def enable(self) -> None: ...
    def disable(self) -> None: ...
    def freeze(self) -> None: ...
    def unfreeze(self) -> None: ...
    def get_freeze_count(self) -> int: ...
    def get_threshold(self) -> tuple[int, int, int]: ...
    def get_count(self) -> tuple[int, int, int]: ...
    def get_objects(self) -> Sized: ...
    def collect(self, generation: int = 2) -> int: ...


class GarbageCollector:
    """Decides when Python collects garbage, from when `begin` is called until `end` is called.

    `begin` does nothing if Python's automatic collection is disabled, or if another
    `GarbageCollector` is active in this process. If your program has called ``gc.freeze`` itself, a
    `GarbageCollector` does not freeze objects.

    Parameters
    ----------
    clock
        A function that returns a time in integer nanoseconds. It is used to measure how long each
        collection takes.
    collector
        The module ``gc``, or in tests an object with the same functions.
    """

    not_state = True

    def __init__(
        self, clock: Callable[[], int] = time.perf_counter_ns, collector: _Gc = gc
    ) -> None:
        self._clock = clock
        self._gc = collector
        self.active = False
        """Whether this object controls garbage collection: True after `begin` and until `end`."""
        self._freezes = False
        self._thresholds = 700, 10, 10
        # The number of frozen objects, and of objects that survived the last full collection.
        self._alive = 0
        # the numbers of objects that survived one collection, or two, since the last full
        # collection
        self._middle = self._old = 0
        # The number of objects that survived a full collection and are not frozen.
        self._settled = 0
        # for each generation: the time per object in its last collections, in nanoseconds
        self._cost = [0.0, 0.0, 0.0]

    def begin(self) -> None:
        """Collect all garbage, freeze the objects that remain, and disable Python's automatic
        collection.
        """
        thresholds = self._gc.get_threshold()
        if self.active or not self._gc.isenabled() or not thresholds[0]:
            return
        self.active = True
        self._thresholds = thresholds
        self._freezes = self._gc.get_freeze_count() <= _FROZEN_BY_PYTHON
        self._gc.disable()
        self._restart()

    def renew(self) -> None:
        """Collect garbage, and freeze all objects that remain. Call `renew` after the game has
        replaced many objects, for example after a hot reload.
        """
        if self.active:
            if self._freezes:
                self._gc.unfreeze()
            self._restart()

    def end(self) -> None:
        """Enable Python's automatic collection again, with the same settings as before `begin`.
        Calling `end` again does nothing.
        """
        if self.active:
            self.active = False
            if self._freezes:
                self._gc.unfreeze()
            self._gc.enable()

    def use(self, slack: int, before: Callable[[], object] | None = None) -> None:
        """Collect garbage if a collection is due and will probably take at most ``slack``
        nanoseconds. The loop calls `use` while it is waiting for the next frame. ``before()`` is
        called before a collection.
        """
        if not self.active:
            return
        counts = self._gc.get_count()
        if counts[0] < self._thresholds[0]:
            return
        largest = None
        for generation in range(_FULL + 1):
            if not self._due(generation, counts[generation]):
                continue
            if _SAFETY * self._cost[generation] * self._objects(generation, counts[0]) <= slack:
                largest = generation
            else:
                self._cost[generation] *= _COST_DECAY
        if largest is not None:
            if before is not None:
                before()
            self._collect(largest, counts[0])

    def relieve(self) -> None:
        """Collect garbage if there are very many new objects, for a loop that never waits. The loop
        calls `relieve` between two frames.
        """
        if not self.active:
            return
        young = self._gc.get_count()[0]
        if self._old > max(_MAX_OLD, self._alive // 4):
            self._collect(_FULL, young)
        elif self._middle > _MAX_MIDDLE:
            self._collect(1, young)
        elif young > max(_MAX_YOUNG, self._thresholds[0]):
            self._collect(_YOUNG, young)

    def _restart(self) -> None:
        start = self._clock()
        self._gc.collect()
        took = self._clock() - start
        if self._freezes:
            self._gc.freeze()
            self._alive = self._gc.get_freeze_count()
            self._settled = 0
        else:
            self._alive = self._settled = len(self._gc.get_objects())
        self._cost = [took / (self._alive + _OVERHEAD)] * 3
        self._middle = self._old = 0

    def _due(self, generation: int, count: int) -> bool:
        """Return whether a collection of ``generation`` is due (Python groups objects by age into
        generations). A collection of the oldest generation is also due if many objects have
        survived two collections.
        """
        if generation == _FULL and self._old >= _OLD_WORTH_FULL:
            return True
        return count >= max(1, self._thresholds[generation])

    def _objects(self, generation: int, young: int) -> int:
        """Return roughly how many objects a collection must check."""
        count = young + _OVERHEAD
        if generation > _YOUNG:
            count += self._middle
        return count + self._old + self._settled if generation == _FULL else count

    def _collect(self, generation: int, young: int) -> None:
        objects = self._objects(generation, young)
        start = self._clock()
        collected = self._gc.collect(generation)
        took = self._clock() - start
        self._cost[generation] = max(took / objects, 0.75 * self._cost[generation])
        if generation == _YOUNG:
            self._middle += max(0, young - collected)
        elif generation == 1:
            self._old += max(0, young + self._middle - collected)
            self._middle = 0
        else:
            frozen = self._alive - self._settled
            self._settled = max(0, young + self._middle + self._old + self._settled - collected)
            self._alive = frozen + self._settled
            self._middle = self._old = 0
