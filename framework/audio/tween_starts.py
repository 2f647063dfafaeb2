"""Remember the value from which each fade or other tween of an audio setting started.

Audio settings are not restored with the game's state. Therefore, if a tick runs again, its tween
must start from the value of the first run.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Protocol

_MAX_STARTS = 256  # remembered tweens


class _Ticks(Protocol):
    """The attributes and methods of a `Console` that `TweenStarts` uses."""

    @property
    def tick(self) -> int: ...
    @property
    def correcting(self) -> bool: ...


class TweenStarts:
    """Stores the value from which each tween of an audio setting started.

    Audio settings are not part of the game's state. So audio settings do not change when the game
    returns to an earlier tick. If that tick starts a fade again, the fade must start from the same
    volume as in the first run. Otherwise, each correction in a network game would make a fade
    quieter.
    """

    not_state = True

    def __init__(self, ticks: _Ticks) -> None:
        self._ticks = ticks
        self._starts: deque[tuple[int, object, str, Any]] = deque(maxlen=_MAX_STARTS)

    def start_of(self, target: object, name: str, value: Any) -> Any:
        """Return the value from which a tween of ``target`` starts now. ``value`` is the current
        value of the setting.

        If the tick is running again, return the value from the first run, and set the setting to
        this value.
        """
        tick = self._ticks.tick
        if self._ticks.correcting:
            for number, owner, setting, start in reversed(self._starts):
                if number == tick and owner is target and setting == name:
                    setattr(target, name, start)
                    return start
        self._starts.append((tick, target, name, value))
        return value
