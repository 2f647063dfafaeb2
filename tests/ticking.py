"""A tick of transforms by themselves, without a game."""

from __future__ import annotations

from typing import Any


def tick(transforms: Any, dt: float = 1 / 60, *, jump: bool = False, **columns: Any) -> None:
    """Begin a tick, write its columns, teleport all rows if asked to, and end it."""
    transforms.begin_tick(dt)
    for name, value in columns.items():
        getattr(transforms, name)[:] = value
    if jump:
        transforms.teleport(slice(0, len(transforms)))
    transforms.end_tick()
