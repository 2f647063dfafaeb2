"""Make sure that an effect, such as a sound, happens only once even if its tick runs twice.

A tick runs again if, for example, the input of another player has arrived late. Running ticks again
is called a *correction*. The log compares the effects of the first run with the effects of the
second run. An effect that is in both runs does not happen again. An effect that is only in the
second run happens then, a little late. An effect that is only in the first run is *withdrawn*: a
sound, for example, is stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")

MAX_TICKS = 4096
"""The maximum number of ticks whose effects are stored."""


class Withdrawable:
    """The base class of objects that belong to an effect, such as a playing sound. If a correction
    shows that the effect should not have happened, the log withdraws the object: it stops the
    sound, for example.
    """

    __slots__ = ()

    def _withdraw(self) -> None:
        """Called if the tick of this object has run again, but has not created the object again."""
        raise NotImplementedError


class _Logged(NamedTuple, Generic[T]):
    tick: int
    identity: Hashable
    effect: T


LATER = object()
"""A placeholder for the identity of an effect that is computed only when it is needed: if the tick
of the effect runs again.
"""


class EffectLog(Generic[T]):
    """The effects of the most recent ticks, such as sounds that have started. Each effect has an
    identity, a hashable value. If a tick runs twice, equal effects of both runs have the same
    identity.

    For an effect with the identity `LATER`, the log calls ``identify(effect)`` to get the identity
    when it is needed.
    """

    __slots__ = ("_by_tick", "_identify", "_unrepeated")

    def __init__(self, identify: Callable[[T], Hashable] | None = None) -> None:
        self._identify = identify
        # from tick numbers to effects, the oldest tick first
        self._by_tick: dict[int, list[_Logged[T]]] = {}
        # the effects of a tick's first run that its second run has not repeated yet
        self._unrepeated: dict[Hashable, list[_Logged[T]]] = {}

    @property
    def correcting(self) -> bool:
        """True from the first tick that runs again until every effect of the first run has happened
        again, or `end_correction` is called.
        """
        return bool(self._unrepeated)

    def add(self, tick: int, identity: Hashable, effect: T) -> None:
        """Add an effect to the log."""
        by_tick = self._by_tick
        logged_effects = by_tick.get(tick)
        if logged_effects is None:
            is_late = bool(by_tick) and tick < next(reversed(by_tick))
            logged_effects = by_tick[tick] = []
            if is_late:  # this effect has waited until the input of its tick was final
                self._by_tick = by_tick = dict(sorted(by_tick.items()))
            if len(by_tick) > MAX_TICKS:
                del by_tick[next(iter(by_tick))]
        logged_effects.append(_Logged(tick, identity, effect))

    def begin_again(self, tick: int) -> None:
        """Prepare the log for the second run of a tick, in which it expects the effects of the
        first run. Call `begin_again` just before the tick runs again. Calling it again for the same
        tick does nothing.
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
        """Return the effect of the first run with this identity, or None if the first run had no
        such effect.

        Each effect is returned only once. If several effects have the same identity, the method
        returns the first effect for which ``fits(effect)`` is True. If there is none, it returns
        the first effect.
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
        """Return the effect with this identity in a tick, or None if the tick has no such effect.
        If several effects have this identity, ``index`` selects one. The method does not change the
        log.
        """
        same = [logged for logged in self._by_tick.get(tick, ()) if logged.identity == identity]
        return same[index].effect if index < len(same) else None

    def end_correction(self, tick: int) -> list[T]:
        """End the correction. Return the effects of the first run, up to the tick ``tick``, that
        have not happened again. The effects are sorted by tick. All other effects of the first run
        are removed from the log.
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
        """Remove the effects of all ticks after ``tick``. Called when the game goes back to
        ``tick``.
        """
        for _ in self._pop_after(tick):
            pass

    def _pop_after(self, tick: int) -> Iterator[tuple[int, list[_Logged[T]]]]:
        """Remove the effects of all ticks after ``tick``, and yield them, starting with the newest
        tick.
        """
        by_tick = self._by_tick
        while by_tick and next(reversed(by_tick)) > tick:
            yield by_tick.popitem()


def _tick_of(logged: _Logged[Any]) -> int:
    return logged.tick
