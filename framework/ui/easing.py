"""Easing: widgets change their colors gradually when the pointer or the focus reaches them.

The levels of a widget are numbers from 0 to 1, and they move in the ticks of the scene. They are not
part of the game's state, because they change nothing but colors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

_MIN_SECONDS = 1e-6


class Levels(NamedTuple):
    """How far a widget shows each of its states: 0 is not at all, 1 is completely."""

    hover: float = 0.0
    press: float = 0.0
    focus: float = 0.0


class Ease(NamedTuple):
    """The current levels of a widget, and the levels to which they move in ``seconds``."""

    levels: Levels
    target: Levels
    seconds: float


class Eases:
    """The levels of all widgets of a canvas whose theme has an `ease` above 0."""

    not_state = True

    def __init__(self) -> None:
        self._eases: dict[object, Ease] = {}

    def levels(self, widget: object, target: Levels, seconds: float) -> Levels:
        """Return the levels at which a widget must be painted. From now on, the levels move to
        ``target``. A widget that is painted for the first time has the levels of ``target``.
        """
        ease = self._eases.get(widget)
        if seconds < _MIN_SECONDS:
            self._eases.pop(widget, None)
            return target
        levels = target if ease is None else ease.levels
        self._eases[widget] = Ease(levels, target, seconds)
        return Levels(*(level * level * (3 - 2 * level) for level in levels))

    def advance(self, dt: float, paint: Callable[[object], object]) -> None:
        """Move the levels of all widgets by ``dt`` seconds. Call ``paint`` with each widget whose
        levels have changed.
        """
        for widget, (levels, target, seconds) in [*self._eases.items()]:
            if levels == target:
                continue
            step = dt / seconds
            moved = (_moved(level, end, step) for level, end in zip(levels, target, strict=True))
            self._eases[widget] = Ease(Levels(*moved), target, seconds)
            paint(widget)

    def keep(self, widgets: set[object]) -> None:
        """Forget all widgets that are not in ``widgets``."""
        self._eases = {key: ease for key, ease in self._eases.items() if key in widgets}

    def capture(self) -> dict[object, Ease]:
        """Return all levels, for a snapshot."""
        return dict(self._eases)

    def restore(self, saved: dict[object, Ease]) -> None:
        """Set all levels to the return value of `capture`."""
        self._eases = dict(saved)


def _moved(level: float, end: float, step: float) -> float:
    return min(end, level + step) if level < end else max(end, level - step)


def mixed(
    first: tuple[float, float, float, float],
    second: tuple[float, float, float, float],
    share: float,
) -> tuple[float, float, float, float]:
    """Return the color between two colors: ``first`` for a share of 0, ``second`` for 1."""
    if share == 0.0:
        return first
    if share == 1.0:
        return second
    red, green, blue, alpha = (
        start + (end - start) * share for start, end in zip(first, second, strict=True)
    )
    return red, green, blue, alpha
