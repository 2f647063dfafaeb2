"""Tick effects: run each effect of `Game.emit` only once, even if its tick runs again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import checks

if TYPE_CHECKING:
    from .stage import Stage

_MAX_TICKS = 4096  # ticks whose number of effects is remembered


class TickEffects:
    """The effects that ticks emit (sounds, sparks, prints), and the subscribers of named effects."""

    not_state = True

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._resimulation = stage.resimulation
        self.subscribers: dict[str, list[Callable[..., object]]] = {}
        self._delivered: dict[int, int] = {}  # by tick, the oldest first

    def deliver(self, tick: int) -> None:
        """Run the effects that a finished tick has emitted. If the tick ran before, skip the
        effects that were run in its first run.
        """
        resimulation = self._resimulation
        effects = resimulation.effects
        resimulation.effects = []
        delivered = self._delivered
        first = 0
        if not resimulation.resimulating:
            for later in [later for later in delivered if later >= tick]:
                del delivered[later]
        elif resimulation.at_earlier_tick:
            return
        else:
            first = delivered.get(tick, 0)
        delivered[tick] = max(first, len(effects))
        if len(delivered) > _MAX_TICKS:
            del delivered[next(iter(delivered))]
        for effect, arguments, named in effects[first:]:
            self.do(effect, arguments, named)

    def do(self, effect: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Run an effect: call a function, or all functions that subscribed to the name of an event."""
        for function in (
            tuple(self.subscribers.get(effect, ())) if isinstance(effect, str) else (effect,)
        ):
            function(*arguments, **named)

    def emit(
        self, effect: Callable[..., object] | str, arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> None:
        """Add an effect to the current tick; see `Game.emit`."""
        stage = self._stage
        resimulation = self._resimulation
        stage.live  # noqa: B018 (raises an error if the game was closed)
        if not isinstance(effect, str):
            checks.function("effect", effect, "a function, or the name of an event")
        if stage.latching or (stage.busy and not stage.painting):
            resimulation.effects.append((effect, arguments, named))
            resimulation.deliver = self.deliver
        elif not resimulation.resimulating:
            self.do(effect, arguments, named)

    def subscribe(self, name: str, function: Callable[..., object]) -> None:
        """Add a function that subscribes to an event; see `Game.subscribe`."""
        name = checks.text("name", name)
        self.subscribers.setdefault(name, []).append(checks.function("function", function))

    def unsubscribe(self, name: str, function: Callable[..., object]) -> None:
        """Remove a function that subscribed to an event; see `Game.unsubscribe`."""
        functions = self.subscribers.get(checks.text("name", name), [])
        if function not in functions:
            raise ValueError(f"function: {checks.shown(function)} has not subscribed to {name!r}")
        functions.remove(function)
