"""Measure how long a thread uses the CPU, and count its page faults, for benchmarks.

`seconds` reads the CPU time of the calling thread. CPU time does not include the time in which
other programs use the processor core, so a benchmark gives nearly the same result on a busy machine
as on an idle one. It does not include the time in which the thread is waiting either, for example
for the display.

Windows updates the CPU time of a thread only about 64 times per second. On Windows, the benchmarks
therefore measure real time, and `CLOCK_NAME` is "wall-clock time".

This module imports only the standard library.
"""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable

_THREAD_TIME = sys.platform != "win32"

seconds: Callable[[], float] = time.thread_time if _THREAD_TIME else time.perf_counter
"""Return the reading of the clock (see `CLOCK_NAME`), in seconds."""

CLOCK_NAME = "CPU time of the thread" if _THREAD_TIME else "wall-clock time"
"""The name of the clock that `seconds` reads, for tables and reports."""

_READINGS = 300


def seconds_since(start: float) -> float:
    """Return the seconds since the clock reading ``start``, minus the time that it takes to read
    the clock.

    Reading the clock is a system call, which takes nearly a microsecond on some machines.
    """
    return max(0.0, seconds() - start - reading_seconds())


@functools.cache
def reading_seconds() -> float:
    """Return the time between two consecutive clock readings, in seconds: the minimum of several
    hundred measurements.
    """
    shortest = 1.0
    for _ in range(_READINGS):
        start = seconds()
        shortest = min(shortest, seconds() - start)
    return shortest


def page_faults() -> int:
    """Return the number of memory pages that the calling thread has received from the operating
    system so far.

    The result is 0 on all systems except Linux, because the other systems do not count page faults
    per thread.
    """
    try:
        import resource

        return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
    except (ImportError, AttributeError):
        return 0
