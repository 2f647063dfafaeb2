"""Effect log: the effects of the latest ticks, so that a tick that runs again has each effect once.

A tick may run again with other input, for example when the input of another player arrives late.
The second run of a tick is a *correction* of the first run. The log compares the effects of both
runs: an effect of both runs happens once, an effect of the second run alone happens late, and an
effect of the first run alone is *withdrawn*.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")

_MAX_TICKS = 4096
"""The number of ticks whose effects are remembered."""


class Withdrawable:
    """The base class of objects that an effect begins and that can be withdrawn, such as voices."""

    __slots__ = ()

    def _withdraw(self) -> None:
        """Called when the tick that began the object has run again, and no longer begins it."""
        raise NotImplementedError


class _Logged(NamedTuple, Generic[T]):
    tick: int
    identity: Hashable
    effect: T


LATER = object()
"""The identity of an effect whose identity is computed only if its tick runs again."""


class EffectLog(Generic[T]):
    """The effects of the latest ticks. Each effect has an identity, which is any hashable value.

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
        """Whether ticks run again, and have not repeated all effects of their first run so far."""
        return bool(self._unrepeated)

    def add(self, tick: int, identity: Hashable, effect: T) -> None:
        """Add an effect of the tick ``tick``."""
        by_tick = self._by_tick
        logged_effects = by_tick.get(tick)
        if logged_effects is None:
            is_late = bool(by_tick) and tick < next(reversed(by_tick))
            logged_effects = by_tick[tick] = []
            if is_late:  # an effect that waited until the input of its tick was final
                self._by_tick = by_tick = dict(sorted(by_tick.items()))
            if len(by_tick) > _MAX_TICKS:
                del by_tick[next(iter(by_tick))]
        logged_effects.append(_Logged(tick, identity, effect))

    def begin_again(self, tick: int) -> None:
        """Note that the tick ``tick`` runs again. If `begin_again` is called twice for a tick, the
        second call does nothing.
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
        """Return the effect of the first run that has the identity ``identity``, or None.

        `repeat` returns an effect only once. If several effects have the same identity, an effect
        for which ``fits`` returns True comes first.
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
        """Return the effect of the tick ``tick`` that has the identity ``identity``, or None. If
        several effects have this identity, ``index`` selects one. `find` does not change the log.
        """
        same = [logged for logged in self._by_tick.get(tick, ()) if logged.identity == identity]
        return same[index].effect if index < len(same) else None

    def end_correction(self, tick: int) -> list[T]:
        """Return the effects of the ticks up to ``tick`` that the second run did not repeat, in the
        order of their ticks. Later effects that were not repeated are forgotten.
        """
        withdrawn = [
            logged
            for logged_effects in self._unrepeated.values()
            for logged in logged_effects
            if logged.tick <= tick
        ]
        self._unrepeated.clear()
        return [logged.effect for logged in sorted(withdrawn, key=_tick_of)]

    def forget_after(self, tick: int) -> None:
        """Forget the effects of all ticks after ``tick``, because the game took back these
        ticks.
        """
        for _ in self._pop_after(tick):
            pass

    def _pop_after(self, tick: int) -> Iterator[tuple[int, list[_Logged[T]]]]:
        """Remove and yield the effects of each tick after ``tick``, the newest tick first."""
        by_tick = self._by_tick
        while by_tick and next(reversed(by_tick)) > tick:
            yield by_tick.popitem()


def _tick_of(logged: _Logged[Any]) -> int:
    return logged.tick
