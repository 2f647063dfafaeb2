"""A tick of transforms by themselves, without a game; and how slowly time goes by here."""

from __future__ import annotations

import time
from typing import Any


def tick(transforms: Any, dt: float = 1 / 60, *, jump: bool = False, **columns: Any) -> None:
    """Begin a tick, write its columns, teleport all rows if asked to, and end it."""
    transforms.begin_tick(dt)
    for name, value in columns.items():
        getattr(transforms, name)[:] = value
    if jump:
        transforms.teleport(slice(0, len(transforms)))
    transforms.end_tick()


def slowness() -> float:
    """How many times as long as on an idle machine of the year 2020 this one takes now for a bit of Python, at least 1.

    For limits of seconds: a machine that others use too, or an old one, may take several times as long.
    """
    start = time.process_time()
    sum(number * number for number in range(200_000))
    return max((time.process_time() - start) / 0.012, 1.0)
