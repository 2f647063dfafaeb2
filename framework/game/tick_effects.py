"""Run each effect of `Game.emit`, such as a sound, only once, even if its tick runs again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import checks
from ..record.content_keys import content_key
from ..record.effect_log import LATER, EffectLog, Withdrawable

if TYPE_CHECKING:
    from .stage import Stage

WHEN = ("predicted", "confirmed")
"""The allowed values of the argument ``when`` of `Game.emit`."""

_MAX_UNDOABLE = 1024
"""The maximum number of effects that can be withdrawn. If there are more, the oldest can no longer
be withdrawn.
"""

_LASTING = frozenset([int, float, bool, type(None)])
"""Classes whose objects never change their content."""

_MAX_TEXT = 256
"""The log stores strings up to this length, and only a hash of longer strings."""

_MAX_RESULTS = 64
"""The maximum length of a list of voices that an effect returns. A voice in a longer list is not
stopped if the effect is withdrawn.
"""


class _Effect:
    """An effect that a tick has emitted."""

    __slots__ = (
        "_identity",
        "arguments",
        "effect",
        "final",
        "key",
        "named",
        "tick",
        "undo",
        "withdrawn",
    )

    def __init__(
        self,
        effect: Callable[..., object] | str,
        arguments: tuple[Any, ...],
        named: dict[str, Any],
        key: Hashable,
        final: bool,
        withdrawn: Callable[..., object] | None,
    ) -> None:
        self.effect = effect
        self.arguments = arguments
        self.named = named
        self.key = key
        self.final = final
        """Whether the effect runs only after the input of its tick is final."""
        self.withdrawn = withdrawn
        self.undo: list[Callable[[], object]] = []
        """The functions that are called if the effect is withdrawn."""
        self.tick = 0
        self._identity: Hashable = LATER

    @property
    def identity(self) -> Hashable:
        """A value that identifies the effect among the effects of its tick. If the tick runs again
        and emits the same effect, the effect has the same identity.
        """
        if self._identity is LATER:
            self._identity = self._computed()
        return self._identity

    def identify_now(self) -> None:
        """Compute the identity now if the content of the effect's arguments can change later.
        Otherwise compute it later, and only if the tick runs again.
        """
        if (
            self.effect.__class__ is not str
            or (self.arguments and not _lasts(self.arguments))
            or (self.named and not _lasts(self.named.values()))
        ):
            self._identity = self._computed()

    def drop_arguments(self) -> None:
        """Delete the references to the effect's arguments after the effect has run, so that the log
        keeps no objects of the game in memory.

        If the identity of the effect has not been computed yet, keep the arguments, because they
        are still needed. In this case, they are only numbers and strings.
        """
        self.withdrawn = None
        if self._identity is not LATER:
            self.effect = ""
            self.arguments = ()
            self.named = {}

    def _computed(self) -> Hashable:
        effect = self.effect if isinstance(self.effect, str) else content_key(self.effect)
        if self.key is not None:
            return "key", effect, self.key, self.final
        arguments = content_key(self.arguments) if self.arguments else ()
        named = content_key(self.named) if self.named else ()
        return self.tick, effect, arguments, named, self.final


def _lasts(values: Iterable[Any], depth: int = 2) -> bool:
    """Return whether all values are small and immutable."""
    for value in values:
        kind = value.__class__
        if kind not in _LASTING and not (
            (kind is str and len(value) <= _MAX_TEXT)
            or (kind is tuple and len(value) <= _MAX_TEXT and depth and _lasts(value, depth - 1))
        ):
            return False
    return True


def _identity_of(effect: _Effect) -> Hashable:
    return effect.identity


class _Subscriber(NamedTuple):
    function: Callable[..., object]
    withdrawn: Callable[..., object] | None


class TickEffects:
    """The effects that ticks emit, such as sounds, and the functions that subscribe to named
    effects.
    """

    not_state = True

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._resimulation = stage.resimulation
        self._subscribers: dict[str, list[_Subscriber]] = {}
        self._log: EffectLog[_Effect] = EffectLog(_identity_of)
        # Effects that are waiting for confirmed input, by tick.
        self._waiting: dict[int, list[_Effect]] = {}
        self._confirmed: int | None = None
        self._undoable: deque[tuple[int, _Effect]] = deque()  # from the oldest to the newest effect
        self.send_effect: Callable[[Any, tuple[Any, ...], dict[str, Any]], object] | None = None
        """If effects must run in another process, each effect is passed to this function instead of
        the subscribers. None if effects run in this process.
        """
        self.observer: Callable[[Hashable, int], object] | None = None
        """A function for tests, called with the identity of each effect and a number: 1 when the
        effect runs, or -1 when the effect is withdrawn.
        """

    # -- ticks -------------------------------------------------------------------------------------

    def deliver(self, tick: int) -> None:
        """Run the effects that a tick has emitted, after the tick has ended. If the tick has run
        again, run only the effects that its first run did not emit.
        """
        resimulation = self._resimulation
        effects: list[_Effect] = resimulation.effects
        resimulation.effects = []
        if resimulation.resimulating:
            if not resimulation.at_earlier_tick:
                self._deliver_again(tick, effects)
            return
        if self._log.correcting:  # the game continues before all ticks have run again
            self._end_correction(tick - 1)
        self._log.remove_after(tick - 1)
        self._remove_waiting(tick)
        for effect in effects:
            self._run_or_wait(tick, effect)
        resimulation.delivers_always = bool(self._waiting)

    def _deliver_again(self, tick: int, effects: list[_Effect]) -> None:
        resimulation = self._resimulation
        log = self._log
        log.begin_again(tick)
        self._remove_waiting(tick)
        # An effect that the first run did not have runs now, as in a first run.
        resimulation.resimulating = False
        try:
            for effect in effects:
                effect.tick = tick
                identity = effect.identity
                delivered = log.repeat(identity)
                if delivered is None:
                    self._run_or_wait(tick, effect)
                else:
                    log.add(tick, identity, delivered)
            if tick >= resimulation.reached:
                self._end_correction(tick)
        finally:
            resimulation.resimulating = True
            resimulation.delivers_always = log.correcting or bool(self._waiting)

    def _remove_waiting(self, tick: int) -> None:
        """Remove effects that are waiting for confirmed input.

        Remove only effects of the tick ``tick`` and of later ticks, because these ticks will run
        again.
        """
        for later in [later for later in self._waiting if later >= tick]:
            del self._waiting[later]

    def _end_correction(self, tick: int) -> None:
        """Withdraw the effects of ticks up to ``tick`` that were emitted in the first run, but not
        in the second.
        """
        for delivered in self._log.end_correction(tick):
            if not delivered.final:
                if self.observer is not None:
                    self.observer(delivered.identity, -1)
                for undo in delivered.undo:
                    undo()

    # -- effects -----------------------------------------------------------------------------------

    def _run_or_wait(self, tick: int, effect: _Effect) -> None:
        if effect.final and self._confirmed is not None and tick > self._confirmed:
            self._waiting.setdefault(tick, []).append(effect)
        else:
            self._run_logged(tick, effect)

    def _run_logged(self, tick: int, effect: _Effect) -> None:
        effect.tick = tick
        effect.identify_now()
        self._log.add(tick, LATER, effect)
        if self.observer is not None:
            self.observer(effect.identity, 1)
        is_final = effect.final or (self._confirmed is not None and tick <= self._confirmed)
        try:
            self._run(effect, None if is_final else effect.undo)
        finally:
            effect.drop_arguments()
        if effect.undo:
            self._undoable.append((tick, effect))
            if len(self._undoable) > _MAX_UNDOABLE:
                self._undoable.popleft()[1].undo = []

    def _run(self, effect: _Effect, undo: list[Callable[[], object]] | None = None) -> None:
        """Run an effect: call its function, or all functions that subscribe to its event. Append to
        the list ``undo`` the functions that withdraw the effect.
        """
        arguments = effect.arguments
        named = effect.named
        if self.send_effect is not None:
            self.send_effect(effect.effect, arguments, named)
            return
        subscribers = (
            tuple(self._subscribers.get(effect.effect, ()))
            if isinstance(effect.effect, str)
            else (_Subscriber(effect.effect, None),)
        )
        if undo is not None and effect.withdrawn is not None:
            undo.append(_call(effect.withdrawn, arguments, named))
        for subscriber in subscribers:
            result = subscriber.function(*arguments, **named)
            if undo is None:
                continue
            if result is not None:
                undo += [voice._withdraw for voice in _withdrawable(result)]
            if subscriber.withdrawn is not None:
                name = str(effect.effect)
                undo.append(self._call_if_subscribed(name, subscriber, arguments, named))

    def _call_if_subscribed(
        self, name: str, subscriber: _Subscriber, arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> Callable[[], object]:
        def withdraw() -> None:
            if subscriber.withdrawn is not None and subscriber in self._subscribers.get(name, ()):
                subscriber.withdrawn(*arguments, **named)

        return withdraw

    def emit(
        self,
        effect: Callable[..., object] | str,
        arguments: tuple[Any, ...],
        named: dict[str, Any],
        key: Any = None,
        when: str = "predicted",
        withdrawn: Callable[..., object] | None = None,
    ) -> None:
        """Add an effect to the current tick. For details, see `Game.emit`."""
        stage = self._stage
        resimulation = self._resimulation
        stage.live  # noqa: B018 (raises an error if the game was closed)
        if effect.__class__ is not str and not isinstance(effect, str):
            checks.function("effect", effect, "a function, or the name of an event")
        final = when != "predicted" and checks.choice("when", when, WHEN) == "confirmed"
        if withdrawn is not None:
            checks.function("withdrawn", withdrawn)
        emitted = _Effect(
            effect, arguments, named, None if key is None else content_key(key), final, withdrawn
        )
        if stage.handling_input or (stage.busy and not stage.painting):
            resimulation.effects.append(emitted)
            resimulation.deliver = self.deliver
        elif not resimulation.resimulating:
            self._run(emitted)

    # -- confirmed input ---------------------------------------------------------------------------

    @property
    def confirmed_tick(self) -> int | None:
        """The number of the last tick with final input. For details, see
        `RecordingControl.confirmed_tick`.
        """
        return self._confirmed

    def confirm(self, tick: int | None) -> None:
        """Mark the input of all ticks up to ``tick`` as final. For details, see
        `RecordingControl.confirm`.
        """
        if tick is None:
            self._confirmed = None
            last = max(self._waiting, default=0)
        else:
            self._confirmed = last = max(tick, self._confirmed or 0)
        undoable = [*self._undoable]
        self._undoable.clear()
        for number, delivered in undoable:
            if number <= last:
                delivered.undo = []
            else:
                self._undoable.append((number, delivered))
        for number in sorted(number for number in self._waiting if number <= last):
            for effect in self._waiting.pop(number):
                self._run_logged(number, effect)

    # -- subscribers -------------------------------------------------------------------------------

    def subscribe(
        self,
        name: str,
        function: Callable[..., object],
        withdrawn: Callable[..., object] | None = None,
    ) -> None:
        """Add a function that subscribes to an event. For details, see `Game.subscribe`."""
        name = checks.text("name", name)
        checks.function("function", function)
        if withdrawn is not None:
            checks.function("withdrawn", withdrawn)
        self._subscribers.setdefault(name, []).append(_Subscriber(function, withdrawn))

    def unsubscribe(self, name: str, function: Callable[..., object]) -> None:
        """Remove a function that subscribes to an event. For details, see `Game.unsubscribe`."""
        subscribers = self._subscribers.get(checks.text("name", name), [])
        for subscriber in subscribers:
            if subscriber.function == function:
                subscribers.remove(subscriber)
                return
        raise ValueError(f"function: {checks.shown(function)} has not subscribed to {name!r}")

    def subscribers(self, name: str) -> list[Callable[..., object]]:
        """Return the functions that have subscribed to the event ``name``."""
        return [subscriber.function for subscriber in self._subscribers.get(name, ())]


def _call(
    function: Callable[..., object], arguments: tuple[Any, ...], named: dict[str, Any]
) -> Callable[[], object]:
    return lambda: function(*arguments, **named)


def _withdrawable(result: object) -> Iterator[Withdrawable]:
    """Yield the voices (playing sounds) in the result of an effect.

    The result may be a voice, or a list or tuple of voices.
    """
    if isinstance(result, Withdrawable):
        yield result
    elif isinstance(result, list | tuple | deque) and len(result) <= _MAX_RESULTS:
        yield from [item for item in result if isinstance(item, Withdrawable)]
