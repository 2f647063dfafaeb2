"""Easing: changes the colors of widgets gradually when they get the mouse pointer or the focus.

Each widget has three levels from 0 to 1, for the pointer, for a press and for the focus. The levels
change in the ticks of the scene. The levels are not part of the game's state, because they affect
only colors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

_MIN_SECONDS = 1e-6


class Levels(NamedTuple):
    """The strengths of a widget's hover, press and focus colors. At 0, a color is invisible. At 1,
    it is completely visible.
    """

    hover: float = 0.0
    press: float = 0.0
    focus: float = 0.0


class Ease(NamedTuple):
    """The current levels of a widget and its target levels. ``seconds`` is the time in which a
    level changes from 0 to 1.
    """

    levels: Levels
    target: Levels
    seconds: float


class Eases:
    """The levels of all widgets whose theme has an `ease` above 0."""

    not_state = True

    def __init__(self) -> None:
        self._eases: dict[object, Ease] = {}

    def levels(self, widget: object, target: Levels, seconds: float) -> Levels:
        """Return the current levels of a widget. In the following ticks, the levels of the widget
        move to ``target``. The levels of a new widget are equal to ``target`` from the start.
        """
        ease = self._eases.get(widget)
        if seconds < _MIN_SECONDS:
            self._eases.pop(widget, None)
            return target
        levels = target if ease is None else ease.levels
        self._eases[widget] = Ease(levels, target, seconds)
        return Levels(*(level * level * (3 - 2 * level) for level in levels))

    def advance(self, dt: float, paint: Callable[[object], object]) -> None:
        """Move the levels of all widgets toward their targets, by ``dt`` seconds. Call
        ``paint(widget)`` for each widget with changed levels.
        """
        for widget, (levels, target, seconds) in [*self._eases.items()]:
            if levels == target:
                continue
            step = dt / seconds
            moved = (_moved(level, end, step) for level, end in zip(levels, target, strict=True))
            self._eases[widget] = Ease(Levels(*moved), target, seconds)
            paint(widget)

    def keep(self, widgets: set[object]) -> None:
        """Delete the levels of all widgets that are not in ``widgets``."""
        self._eases = {key: ease for key, ease in self._eases.items() if key in widgets}

    def capture(self) -> dict[object, Ease]:
        """Return a copy of all levels. A snapshot contains the copy."""
        return dict(self._eases)

    def restore(self, saved: dict[object, Ease]) -> None:
        """Set all levels to ``saved``, the return value of `capture`."""
        self._eases = dict(saved)


def _moved(level: float, end: float, step: float) -> float:
    return min(end, level + step) if level < end else max(end, level - step)


def mixed(
    first: tuple[float, float, float, float],
    second: tuple[float, float, float, float],
    share: float,
) -> tuple[float, float, float, float]:
    """Return a mix of two colors. If ``share`` is 0, return ``first``. If ``share`` is 1, return
    ``second``.
    """
    if share == 0.0:
        return first
    if share == 1.0:
        return second
    red, green, blue, alpha = (
        start + (end - start) * share for start, end in zip(first, second, strict=True)
    )
    return red, green, blue, alpha
