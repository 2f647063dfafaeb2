"""Change the color of a widget gradually when the mouse pointer or the focus moves to it.

Each widget has three levels from 0 to 1: for the mouse pointer, for a press and for the focus. The
levels change in the ticks of the scene, but do not belong to the game's state, because they only
affect colors.
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
    """The current levels of a widget and its target levels. ``seconds`` is how long a level takes
    to change from 0 to 1.
    """

    levels: Levels
    target: Levels
    seconds: float


class Eases:
    """The current levels (0 to 1) of all widgets whose theme has an ``ease`` above 0. A level is
    the strength of a color. See `Levels`.
    """

    not_state = True

    def __init__(self) -> None:
        self._eases: dict[object, Ease] = {}

    def levels(self, widget: object, target: Levels, seconds: float) -> Levels:
        """Return the current levels of a widget, and set its target levels, which `advance`
        approaches. A new widget starts at its target levels.
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
        ``paint(widget)`` for each widget whose levels (such as hovered or pressed, from 0 to 1)
        have changed.
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
        """Return a copy of all levels, for a snapshot."""
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
    """Return a mix of two colors: ``first`` if ``share`` is 0, and ``second`` if it is 1."""
    if share == 0.0:
        return first
    if share == 1.0:
        return second
    red, green, blue, alpha = (
        start + (end - start) * share for start, end in zip(first, second, strict=True)
    )
    return red, green, blue, alpha
