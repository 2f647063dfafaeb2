"""Tween starts: the values from which tweens of volumes and other audio settings began."""

from __future__ import annotations

from collections import deque
from typing import Any, Protocol

_MAX_STARTS = 256  # remembered tweens


class _Ticks(Protocol):
    """The attributes of a `Console` that `TweenStarts` uses."""

    @property
    def tick(self) -> int: ...
    @property
    def correcting(self) -> bool: ...


class TweenStarts:
    """Remembers the value from which each tween of an audio setting began.

    Audio settings are not part of the state, so they do not change when the game returns to an
    earlier tick. If that tick then begins a fade again, the fade must begin at the volume from
    before the first run. Otherwise, each correction in a network match would make the fade quieter.
    """

    not_state = True

    def __init__(self, ticks: _Ticks) -> None:
        self._ticks = ticks
        self._starts: deque[tuple[int, object, str, Any]] = deque(maxlen=_MAX_STARTS)

    def start_of(self, target: object, name: str, value: Any) -> Any:
        """Return the value from which a tween of ``target`` begins now. ``value`` is the current
        value of the setting.

        In a tick that runs again, the result is the value from the first run of the tick, and the
        setting gets this value again.
        """
        tick = self._ticks.tick
        if self._ticks.correcting:
            for number, owner, setting, start in reversed(self._starts):
                if number == tick and owner is target and setting == name:
                    setattr(target, name, start)
                    return start
        self._starts.append((tick, target, name, value))
        return value
