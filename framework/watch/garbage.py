"""Python's garbage collector, kept out of frames.

By itself it runs whenever enough objects were made, in the midst of a frame, and now and then it
looks at everything that is alive: tens of milliseconds in a large game. A `Collector` takes what is
alive after the set-up out of its sight (``gc.freeze``), switches the automatic collections off, and
makes them while the loop would wait anyway; or, where it never waits, when so much has piled up
that memory would grow.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sized
from typing import Protocol

_YOUNG = 0
_FULL = 2

# Of the objects that outlived two collections, so many are worth a full one in slack.
_MANY_OLD = 8_000

# What is collected without slack: so many new objects, so many that outlived one collection, and,
# of those that outlived two, this many or (as Python's own rule has it) a quarter of what is alive.
_MOST_YOUNG = 7_000
_MOST_MIDDLE = 30_000
_MOST_OLD = 100_000

_CARE = 1.25  # a collection is expected to take so much longer than the last ones
# of the last ones' time, at each frame into which it did not fit: it may have been long by chance
_FORGOTTEN = 0.995
_OVERHEAD = 200  # objects that no object at all counts for

# Some objects are frozen when Python 3.12 starts; more than these are somebody's who froze them on
# purpose.
_INTERPRETERS_OWN = 2_000


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


class Collector:
    """Decides when garbage is collected, between `begin` and `end`.

    Nothing is changed when automatic collection is off already (the program sees to it itself), or
    while another collector is at work in this process. Where a program has frozen objects before,
    they stay frozen, and no others are.

    Parameters
    ----------
    clock
        Reads a clock, integer nanoseconds, before and after each collection.
    collector
        The functions of the module ``gc``, or stand-ins for them.
    """

    not_state = True

    def __init__(
        self, clock: Callable[[], int] = time.perf_counter_ns, collector: _Gc = gc
    ) -> None:
        self._clock = clock
        self._gc = collector
        self.active = False
        """Whether it decides now."""
        self._freezes = False
        self._thresholds = 700, 10, 10
        self._alive = 0  # objects frozen, or left over by the last full collection
        self._middle = self._old = (
            0  # objects that outlived one collection, or two, since the last full one
        )
        self._settled = 0  # not frozen, and left over by a full collection
        self._cost = [
            0.0,
            0.0,
            0.0,
        ]  # nanoseconds an object, in the last collections of each generation

    def begin(self) -> None:
        """Collect everything, freeze what is left, and switch automatic collection off."""
        thresholds = self._gc.get_threshold()
        if self.active or not self._gc.isenabled() or not thresholds[0]:
            return
        self.active = True
        self._thresholds = thresholds
        self._freezes = self._gc.get_freeze_count() <= _INTERPRETERS_OWN
        self._gc.disable()
        self._start_afresh()

    def renew(self) -> None:
        """Begin once more: much of what was frozen is gone, and its place was taken by something
        else.
        """
        if self.active:
            if self._freezes:
                self._gc.unfreeze()
            self._start_afresh()

    def end(self) -> None:
        """Leave everything as it was before `begin`. A second time does nothing."""
        if self.active:
            self.active = False
            if self._freezes:
                self._gc.unfreeze()
            self._gc.enable()

    def use(self, slack: int, before: Callable[[], object] | None = None) -> None:
        """There are ``slack`` nanoseconds in which nobody waits: collect what is due, if it fits.

        ``before`` is called only when there is something to collect.
        """
        if not self.active:
            return
        counts = self._gc.get_count()
        if counts[0] < self._thresholds[0]:
            return
        fitting = None
        for generation in range(_FULL + 1):
            if not self._due(generation, counts[generation]):
                continue
            if _CARE * self._cost[generation] * self._objects(generation, counts[0]) <= slack:
                fitting = generation
            else:
                self._cost[generation] *= _FORGOTTEN
        if fitting is not None:
            if before is not None:
                before()
            self._collect(fitting, counts[0])

    def relieve(self) -> None:
        """Collect, slack or not, what would otherwise let memory grow."""
        if not self.active:
            return
        young = self._gc.get_count()[0]
        if self._old > max(_MOST_OLD, self._alive // 4):
            self._collect(_FULL, young)
        elif self._middle > _MOST_MIDDLE:
            self._collect(1, young)
        elif young > max(_MOST_YOUNG, self._thresholds[0]):
            self._collect(_YOUNG, young)

    def _start_afresh(self) -> None:
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
        """Whether Python itself would collect a generation about now; the old one also by what it
        holds.
        """
        if generation == _FULL and self._old >= _MANY_OLD:
            return True
        return count >= max(1, self._thresholds[generation])

    def _objects(self, generation: int, young: int) -> int:
        """About how many objects a collection looks at."""
        seen = young + _OVERHEAD
        if generation > _YOUNG:
            seen += self._middle
        return seen + self._old + self._settled if generation == _FULL else seen

    def _collect(self, generation: int, young: int) -> None:
        objects = self._objects(generation, young)
        start = self._clock()
        found = self._gc.collect(generation)
        took = self._clock() - start
        self._cost[generation] = max(took / objects, 0.75 * self._cost[generation])
        if generation == _YOUNG:
            self._middle += max(0, young - found)
        elif generation == 1:
            self._old += max(0, young + self._middle - found)
            self._middle = 0
        else:
            frozen = self._alive - self._settled
            self._settled = max(0, young + self._middle + self._old + self._settled - found)
            self._alive = frozen + self._settled
            self._middle = self._old = 0
