"""A tick of transforms by themselves, without a game; a count of calls; and how slowly time goes by
here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def tick(transforms: Any, dt: float = 1 / 60, *, jump: bool = False, **columns: Any) -> None:
    """Begin a tick, write its columns, teleport all rows if asked to, and end it."""
    transforms.begin_tick(dt)
    for name, value in columns.items():
        getattr(transforms, name)[:] = value
    if jump:
        transforms.teleport(slice(0, len(transforms)))
    transforms.end_tick()


def counter() -> Callable[[], int]:
    """A function that says how often it was called; the number is state that only its closure
    holds.
    """
    count = 0

    def step() -> int:
        nonlocal count
        count += 1
        return count

    return step


def in_time(spent: float, limit: float) -> bool:
    """Whether so many seconds of the process's time are below a limit that is meant for an idle
    machine of these years.

    Where they are not, the machine is looked at: one that others use too, or an old one, may take
    several times that.
    """
    if spent < limit:
        return True
    start = time.process_time()
    sum(number * number for number in range(200_000))
    slowness = (time.process_time() - start) / 0.012
    return spent < limit * slowness


class Plain:
    """A loop of a game's own that has no more than is asked for."""

    time_scale, paused, alpha, tick, time, dropped_time = 1.0, False, 0.0, 0, 0.0, 0.0

    def advance(self, now: int) -> tuple[Any, ...]:
        return ()

    def step(self, n: int = 1) -> None: ...

    def give_back(self, n: int) -> None: ...
