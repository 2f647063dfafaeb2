"""CPU time: the clock of the benchmarks, and page faults.

`seconds` reads the CPU time of the calling thread. The time in which other programs use the core
does not count. So a benchmark has nearly the same result on a busy machine. The time in which the
thread waits, for example for the display, does not count either.

Windows updates the CPU time of a thread only about 64 times per second. On Windows, the benchmarks
measure real time instead, and `CLOCK_NAME` has another value.

This module imports only the standard library.
"""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable

_THREAD_TIME = sys.platform != "win32"

seconds: Callable[[], float] = time.thread_time if _THREAD_TIME else time.perf_counter
"""Return the reading of the clock, in seconds."""

CLOCK_NAME = "CPU time of the thread" if _THREAD_TIME else "wall-clock time"
"""The name of the clock, for tables and reports."""

_READINGS = 300


def seconds_since(start: float) -> float:
    """Return the seconds from the reading ``start`` to now, without the time of the reading itself.

    A reading is a system call. On some machines, it takes nearly a microsecond.
    """
    return max(0.0, seconds() - start - reading_seconds())


@functools.cache
def reading_seconds() -> float:
    """Return how many seconds pass between two readings of the clock that follow each other
    directly. The value is the minimum of several hundred pairs.
    """
    shortest = 1.0
    for _ in range(_READINGS):
        start = seconds()
        shortest = min(shortest, seconds() - start)
    return shortest


def page_faults() -> int:
    """Return how many pages of memory the calling thread has received from the operating system so
    far.

    The value is 0 on systems that do not count page faults per thread (all systems except Linux).
    """
    try:
        import resource

        return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
    except (ImportError, AttributeError):
        return 0
