"""Previous and current of a few values: of a camera, of the sun. `columns` has them for rows.

The rules are those of all that is drawn between two ticks:

- When a tick begins, current becomes previous. What is drawn at alpha lies between the two.
- What is new or teleported is drawn where the tick leaves it, not between there and where it was,
  whichever comes first, the call or the write. Between two ticks it is drawn there at once.
- While no ticks run, `notice_writes` has what was written since its last call drawn where it is
  now.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from ..checks import Setting

T = TypeVar("T")
V = TypeVar("V", bound=tuple[Any, ...])


class Latched(Generic[V]):
    """The values of one thing: ``current`` is a tuple that is exchanged whole, and its parts are
    never written into.

    ``blend(previous, current, alpha)`` says what is drawn in between; see `linear`, `ratio`,
    `short_turn`, and `quaternions.slerp_one`. As long as nothing was written, ``previous is
    current``.
    """

    __slots__ = ("_seen", "blend", "current", "previous", "teleported")

    _not_hashed = ("_seen", "blend", "previous", "teleported")

    def __init__(self, values: V, blend: Callable[[V, V, float], V]) -> None:
        self.current = self.previous = self._seen = values
        self.blend = blend
        self.teleported = True
        """Whether it is drawn where it is: until the tick ends, or between two ticks until the next
        one begins.
        """

    def write(self, index: int, value: object) -> None:
        """Another value in one place of ``current``."""
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
        """Have it drawn where it is, if it was teleported."""
        if self.teleported:
            self.previous = self.current

    def notice_writes(self) -> None:
        """While no ticks run: what was written since the last call is drawn where it is now."""
        if self.current is not self._seen:
            self.previous = self._seen = self.current

    def at(self, alpha: float) -> V:
        """What is drawn."""
        if self.teleported:
            self.previous = self.current
        if self.previous is self.current or alpha == 1:
            return self.current
        return self.blend(self.previous, self.current, alpha)


class LatchedValue(Setting[T]):
    """A setting that is one of the values of a `Latched`: of the attribute ``holder``, the one at
    ``index``.
    """

    def __init__(self, holder: str, index: int, check: Callable[[str, Any], T], doc: str) -> None:
        super().__init__(check, doc)
        self.holder, self.index = holder, index

    def read(self, thing: Any) -> T:
        """The value, as it is current."""
        value: T = getattr(thing, self.holder).current[self.index]
        return value

    def keep(self, thing: Any, value: Any) -> None:
        """Exchange the current values."""
        getattr(thing, self.holder).write(self.index, value)


# -- what lies between two values ------------------------------------------------------------------


def linear(
    previous: tuple[float, ...], current: tuple[float, ...], alpha: float
) -> tuple[float, ...]:
    """Numbers, each on a straight line."""
    return tuple([a + (b - a) * alpha for a, b in zip(previous, current, strict=True)])


def ratio(previous: float, current: float, alpha: float) -> float:
    """A factor, such as a zoom: by the same ratio in equal times, which looks even."""
    factor: float = (current / previous) ** alpha
    return previous * factor


def short_turn(previous: float, current: float, alpha: float) -> float:
    """An angle in radians, through the shorter of the two arcs."""
    return previous + math.remainder(current - previous, math.tau) * alpha
