"""Store the current and the previous values of a camera or light, for drawing between two ticks.

The module `columns` does the same for the rows of a batch. In batches, cameras and lights, all
interpolated values follow these rules:

- When a tick begins, the current values become the previous values. A frame is drawn with values
  between the two, at alpha: the time since the last tick as a fraction of a tick.
- New or teleported objects are drawn without interpolation, with their values at the end of the
  tick. The game may write these values before or after it calls `teleport`. Values that the game
  writes between two ticks are drawn in the next frame.
- In a paused game, `notice_writes` finds the values that have changed since its last call. These
  values are drawn without interpolation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from ..checks import Setting

T = TypeVar("T")
V = TypeVar("V", bound=tuple[Any, ...])


class Latched(Generic[V]):
    """The values of one camera or light: the current values, and the values from the start of the
    tick. ``current`` is a tuple with all values of the object. If one value changes, the complete
    tuple is replaced.

    The function ``blend(previous, current, alpha)`` returns the drawn values. See `linear`,
    `ratio`, `short_turn`, and `quaternions.slerp_one`. Until the first write, ``previous`` and
    ``current`` are the same object.
    """

    __slots__ = ("_seen", "blend", "current", "previous", "teleported")

    _not_hashed = ("_seen", "blend", "previous", "teleported")

    def __init__(self, values: V, blend: Callable[[V, V, float], V]) -> None:
        self.current = self.previous = self._seen = values
        self.blend = blend
        self.teleported = True
        """True if the values are drawn without interpolation. Set to False at the end of the tick,
        or at the start of the next tick.
        """

    def write(self, index: int, value: object) -> None:
        """Replace ``current`` with a new tuple that has ``value`` at ``index``."""
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
        """If the camera or light is new or was teleported, set its previous values to its current
        values, so that it is drawn without interpolation.
        """
        if self.teleported:
            self.previous = self.current

    def notice_writes(self) -> None:
        """Find the values that were written since the last call, and draw them without
        interpolation. Called in each frame of a paused game.
        """
        if self.current is not self._seen:
            self.previous = self._seen = self.current

    def at(self, alpha: float) -> V:
        """Return the interpolated values at ``alpha``. At alpha 0, these are the values from the
        start of the tick, and at alpha 1, the values from its end.
        """
        if self.teleported:
            self.previous = self.current
        if self.previous is self.current or alpha == 1:
            return self.current
        return self.blend(self.previous, self.current, alpha)


class LatchedValue(Setting[T]):
    """A property of a camera or light. The value of the property is stored in a `Latched` object.

    ``holder`` is the name of the attribute that contains the `Latched` object. ``index`` is the
    index of the value in `Latched.current`.
    """

    def __init__(self, holder: str, index: int, check: Callable[[str, Any], T], doc: str) -> None:
        super().__init__(check, doc)
        self.holder = holder
        self.index = index

    def read(self, owner: Any) -> T:
        """Return the current value of the camera or light ``owner``."""
        value: T = getattr(owner, self.holder).current[self.index]
        return value

    def keep(self, owner: Any, value: Any) -> None:
        """Set the current value of the camera or light ``owner`` to ``value``."""
        getattr(owner, self.holder).write(self.index, value)


# -- blends between two values --------------------------------------------------------------------


def linear(
    previous: tuple[float, ...], current: tuple[float, ...], alpha: float
) -> tuple[float, ...]:
    """Return the linear interpolation of each pair of numbers. ``alpha`` is between 0 and 1."""
    return tuple([a + (b - a) * alpha for a, b in zip(previous, current, strict=True)])


def ratio(previous: float, current: float, alpha: float) -> float:
    """Return the interpolated factor at ``alpha``, such as the zoom of a camera. The interpolation
    is geometric, so that the camera seems to zoom at a constant speed.
    """
    factor: float = (current / previous) ** alpha
    return previous * factor


def short_turn(previous: float, current: float, alpha: float) -> float:
    """Return an interpolated angle in radians, which turns in the shorter direction."""
    return previous + math.remainder(current - previous, math.tau) * alpha
