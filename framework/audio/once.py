"""What ticks begin that may be run again: the first of a kind in a tick is begun once, the second
once, and so on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from weakref import ref

from .voices import Voice

_REMEMBERED = 4096  # ticks


class Once:
    """The voices that ticks began, by tick and by what they are of."""

    def __init__(self) -> None:
        self._begun: dict[int, dict[Hashable, list[ref[Voice]]]] = {}  # by tick, the oldest first
        self._counts: Counter[Hashable] = Counter()

    def end_tick(self) -> None:
        """The tick is over: the next one counts from the beginning."""
        self._counts.clear()

    def again(self, tick: int, key: Hashable) -> tuple[bool, Voice | None]:
        """Whether this one was begun before when the tick was run, and its voice, unless nobody
        knows it any more.
        """
        count = self._counts[key]
        self._counts[key] += 1
        begun = self._begun.get(tick, {}).get(key, ())
        return (True, begun[count]()) if count < len(begun) else (False, None)

    def note(self, tick: int, key: Hashable, voice: Voice) -> None:
        """It was begun."""
        self._begun.setdefault(tick, {}).setdefault(key, []).append(ref(voice))
        if len(self._begun) > _REMEMBERED:
            del self._begun[next(iter(self._begun))]

    def go_back(self, tick: int) -> None:
        """What came after a tick has not been."""
        for later in [later for later in self._begun if later > tick]:
            del self._begun[later]
