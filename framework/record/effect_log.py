"""Effect log: stores the effects of the last ticks. If a tick runs again, no effect happens twice.

A tick may run again with other input, for example when the input of another player arrives late.
The second run of a tick is called a *correction*. The log compares the effects of both runs. An
effect in both runs happens only once. An effect only in the second run happens late. An effect only
in the first run is *withdrawn*.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")

MAX_TICKS = 4096
"""The effects of the last `MAX_TICKS` ticks are stored."""


class Withdrawable:
    """The base class of objects that an effect creates and that can be withdrawn, such as a playing
    sound.
    """

    __slots__ = ()

    def _withdraw(self) -> None:
        """Called if the tick has run again and has not created this object again."""
        raise NotImplementedError


class _Logged(NamedTuple, Generic[T]):
    tick: int
    identity: Hashable
    effect: T


LATER = object()
"""The identity of an effect whose identity is computed only if its tick runs again."""


class EffectLog(Generic[T]):
    """The effects of the last ticks. Each effect has an identity: a hashable value that says which
    effect it is.

    If an effect was added with the identity `LATER`, ``identify(effect)`` returns its identity.
    """

    __slots__ = ("_by_tick", "_identify", "_unrepeated")

    def __init__(self, identify: Callable[[T], Hashable] | None = None) -> None:
        self._identify = identify
        self._by_tick: dict[int, list[_Logged[T]]] = {}  # the oldest tick first
        # effects of the first run that the second run has not repeated so far
        self._unrepeated: dict[Hashable, list[_Logged[T]]] = {}

    @property
    def correcting(self) -> bool:
        """True while ticks run again and some effects of the first run have not happened again
        yet.
        """
        return bool(self._unrepeated)

    def add(self, tick: int, identity: Hashable, effect: T) -> None:
        """Add an effect to the log."""
        by_tick = self._by_tick
        logged_effects = by_tick.get(tick)
        if logged_effects is None:
            is_late = bool(by_tick) and tick < next(reversed(by_tick))
            logged_effects = by_tick[tick] = []
            if is_late:  # an effect that waited until the input of its tick was final
                self._by_tick = by_tick = dict(sorted(by_tick.items()))
            if len(by_tick) > MAX_TICKS:
                del by_tick[next(iter(by_tick))]
        logged_effects.append(_Logged(tick, identity, effect))

    def begin_again(self, tick: int) -> None:
        """Call this before a tick runs again. After this call, the log expects the effects of the
        first run. A second call for the same tick does nothing.
        """
        again: list[_Logged[T]] = []
        for _, logged_effects in self._pop_after(tick - 1):
            again[:0] = logged_effects
        for logged in again:
            identity = logged.identity
            if identity is LATER and self._identify is not None:
                identity = self._identify(logged.effect)
            self._unrepeated.setdefault(identity, []).append(logged)

    def repeat(self, identity: Hashable, fits: Callable[[T], bool] | None = None) -> T | None:
        """Return the effect of the first run with this identity, or None if there is none.

        Each effect is returned only once. If several effects have the same identity, the first
        effect for which ``fits(effect)`` is True is returned. If there is no such effect, the first
        effect is returned.
        """
        candidates = self._unrepeated.get(identity)
        if not candidates:
            return None
        index = 0
        if fits is not None and len(candidates) > 1:
            fitting = [number for number, logged in enumerate(candidates) if fits(logged.effect)]
            index = fitting[0] if fitting else 0
        logged = candidates.pop(index)
        if not candidates:
            del self._unrepeated[identity]
        return logged.effect

    def find(self, tick: int, identity: Hashable, index: int) -> T | None:
        """Return an effect of a tick with this identity, or None if there is none. If several
        effects have this identity, ``index`` chooses one. The log does not change.
        """
        same = [logged for logged in self._by_tick.get(tick, ()) if logged.identity == identity]
        return same[index].effect if index < len(same) else None

    def end_correction(self, tick: int) -> list[T]:
        """End the correction. Return the effects that have not happened again, up to the tick
        ``tick``, sorted by tick. Other effects of the first run are removed from the log.
        """
        withdrawn = [
            logged
            for logged_effects in self._unrepeated.values()
            for logged in logged_effects
            if logged.tick <= tick
        ]
        self._unrepeated.clear()
        return [logged.effect for logged in sorted(withdrawn, key=_tick_of)]

    def remove_after(self, tick: int) -> None:
        """Remove the effects of all ticks after ``tick``, because the game goes back to this
        tick.
        """
        for _ in self._pop_after(tick):
            pass

    def _pop_after(self, tick: int) -> Iterator[tuple[int, list[_Logged[T]]]]:
        """Remove the effects of all ticks after ``tick``, and yield them. The newest tick comes
        first.
        """
        by_tick = self._by_tick
        while by_tick and next(reversed(by_tick)) > tick:
            yield by_tick.popitem()


def _tick_of(logged: _Logged[Any]) -> int:
    return logged.tick
