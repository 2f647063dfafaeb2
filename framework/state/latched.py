"""Latched values: values of a camera or a light, with a copy from the start of the tick.

The module `columns` does the same for the rows of a batch. These rules hold for all interpolated
values, in batches, cameras and lights:

- When a tick begins, the current values become the previous values. A frame draws a value between
  the previous and the current value, by alpha.
- New or teleported values are drawn as they are at the end of the tick, without interpolation. The
  game may write the values before or after it calls `teleport`. New values that are written between
  two ticks are drawn in the next frame, without interpolation.
- While no ticks run, `notice_writes` finds values that were written since its last call, and draws
  them without interpolation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from ..checks import Setting

T = TypeVar("T")
V = TypeVar("V", bound=tuple[Any, ...])


class Latched(Generic[V]):
    """The current and previous values of one object. ``current`` is a tuple of all values. Each
    write replaces the tuple ``current`` by a new tuple.

    ``blend(previous, current, alpha)`` returns the drawn values; see `linear`, `ratio`,
    `short_turn`, and `quaternions.slerp_one`. Until the first write, ``previous`` and ``current``
    are the same object.
    """

    __slots__ = ("_seen", "blend", "current", "previous", "teleported")

    _not_hashed = ("_seen", "blend", "previous", "teleported")

    def __init__(self, values: V, blend: Callable[[V, V, float], V]) -> None:
        self.current = self.previous = self._seen = values
        self.blend = blend
        self.teleported = True
        """Whether the values are drawn without interpolation: until the end of the tick, or between
        two ticks until the next tick begins.
        """

    def write(self, index: int, value: object) -> None:
        """Replace ``current`` by a tuple with ``value`` at ``index``."""
        values = self.current
        self.current = (*values[:index], value, *values[index + 1 :])  # type: ignore[assignment]

    def begin_tick(self) -> None:
        self.previous = self.current
        self.teleported = False

    def end_tick(self) -> None:
        if self.teleported:
            self.previous = self.current
            self.teleported = False
        self._seen = self.current

    def settle(self) -> None:
        """If the object was teleported, draw its values without interpolation."""
        if self.teleported:
            self.previous = self.current

    def notice_writes(self) -> None:
        """Find values that were written since the last call, and draw them without interpolation,
        while no ticks run.
        """
        if self.current is not self._seen:
            self.previous = self._seen = self.current

    def at(self, alpha: float) -> V:
        """Return the interpolated values at ``alpha``, from 0 for the start of the tick to 1 for
        its end.
        """
        if self.teleported:
            self.previous = self.current
        if self.previous is self.current or alpha == 1:
            return self.current
        return self.blend(self.previous, self.current, alpha)


class LatchedValue(Setting[T]):
    """A property of a camera or light whose value is stored in a `Latched`.

    ``holder`` is the name of the owner's attribute that refers to the `Latched`. ``index`` is the
    position of the value in the tuple of the `Latched`.
    """

    def __init__(self, holder: str, index: int, check: Callable[[str, Any], T], doc: str) -> None:
        super().__init__(check, doc)
        self.holder = holder
        self.index = index

    def read(self, owner: Any) -> T:
        """Return the current value for the camera or light ``owner``."""
        value: T = getattr(owner, self.holder).current[self.index]
        return value

    def keep(self, owner: Any, value: Any) -> None:
        """Set the current value for the camera or light ``owner``."""
        getattr(owner, self.holder).write(self.index, value)


# -- blends between two values --------------------------------------------------------------------


def linear(
    previous: tuple[float, ...], current: tuple[float, ...], alpha: float
) -> tuple[float, ...]:
    """Return the linear interpolation of each pair of numbers, at ``alpha`` from 0 to 1."""
    return tuple([a + (b - a) * alpha for a, b in zip(previous, current, strict=True)])


def ratio(previous: float, current: float, alpha: float) -> float:
    """Return the geometric interpolation of two factors, such as zooms, at ``alpha``. Equal steps
    of ``alpha`` multiply the factor by equal ratios, so a zoom seems to have a constant speed.
    """
    factor: float = (current / previous) ** alpha
    return previous * factor


def short_turn(previous: float, current: float, alpha: float) -> float:
    """Return an interpolated angle in radians. The interpolation goes in the shorter of the two
    directions.
    """
    return previous + math.remainder(current - previous, math.tau) * alpha
