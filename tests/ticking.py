"""Helpers of tests: one tick of transforms, a counter of calls, and a limit of CPU time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def tick(transforms: Any, dt: float = 1 / 60, *, jump: bool = False, **columns: Any) -> None:
    """Run a tick: write its columns, and teleport all rows if `jump` is true."""
    transforms.begin_tick(dt)
    for name, value in columns.items():
        getattr(transforms, name)[:] = value
    if jump:
        transforms.teleport(slice(0, len(transforms)))
    transforms.end_tick()


def counter() -> Callable[[], int]:
    """Return a function that returns the number of its calls. Only its closure has the count."""
    count = 0

    def step() -> int:
        nonlocal count
        count += 1
        return count

    return step


def in_time(spent: float, limit: float) -> bool:
    """Return whether `spent` seconds of CPU time are below a limit for an idle, current machine.
    An old or busy machine may need several times as long, so its speed is measured if the limit
    is exceeded."""
    if spent < limit:
        return True
    start = time.process_time()
    sum(number * number for number in range(200_000))
    slowness = (time.process_time() - start) / 0.012
    return spent < limit * slowness


class Plain:
    """A custom loop with only the required members."""

    time_scale = 1.0
    paused = False
    alpha = 0.0
    tick = 0
    time = 0.0
    dropped_time = 0.0

    def advance(self, now: int) -> tuple[Any, ...]:
        return ()

    def step(self, n: int = 1) -> None: ...

    def give_back(self, n: int) -> None: ...
