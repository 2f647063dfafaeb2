"""Between ticks: whether things are only looked at, which must not change a game's state."""

from __future__ import annotations

from collections.abc import Callable


class BetweenTicks:
    """Whether the game at work, or the last one that was made, is between two ticks."""

    find: Callable[[], bool] = staticmethod(lambda: False)
    """Set by `Game`; without a game, everything is part of the rules."""
