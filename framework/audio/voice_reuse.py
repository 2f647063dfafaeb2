"""Voice reuse: a tick that runs again does not start its sounds a second time.

When a tick runs again, `sound.play` returns the voices of the tick's first run, in the same order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from weakref import ref

from .voices import Voice

_MAX_TICKS = 4096


class VoiceReuse:
    """Stores the voices that ticks began, by the number of the tick and by a key for the sound."""

    def __init__(self) -> None:
        self._begun: dict[int, dict[Hashable, list[ref[Voice]]]] = {}  # by tick, oldest first
        self._counts: Counter[Hashable] = Counter()

    def end_tick(self) -> None:
        """Called at the end of a tick: the next tick counts its voices from 0."""
        self._counts.clear()

    def again(self, tick: int, key: Hashable) -> tuple[bool, Voice | None]:
        """Return two values: whether an earlier run of the tick began the voice, and the voice, or
        None if Python has already deleted the voice.
        """
        count = self._counts[key]
        self._counts[key] += 1
        begun = self._begun.get(tick, {}).get(key, ())
        return (True, begun[count]()) if count < len(begun) else (False, None)

    def note(self, tick: int, key: Hashable, voice: Voice) -> None:
        """Store a voice that the tick has begun, so that `again` can return the voice."""
        self._begun.setdefault(tick, {}).setdefault(key, []).append(ref(voice))
        if len(self._begun) > _MAX_TICKS:
            del self._begun[next(iter(self._begun))]

    def go_back(self, tick: int) -> None:
        """Called when the game returns to ``tick``: delete the voices of all later ticks."""
        for later in [later for later in self._begun if later > tick]:
            del self._begun[later]
