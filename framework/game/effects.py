"""Effects: run sounds, particles and prints of a tick once, even if the tick runs again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import checks

if TYPE_CHECKING:
    from .stage import Stage

_REMEMBERED = 4096  # ticks whose number of effects is remembered


class Effects:
    """The effects of a game's ticks, and their subscribers."""

    not_state = True

    def __init__(self, stage: Stage) -> None:
        self._stage, self._past = stage, stage.past
        self.subscribers: dict[str, list[Callable[..., object]]] = {}
        self._delivered: dict[int, int] = {}  # by tick, the oldest first

    def deliver(self, tick: int) -> None:
        """Run the effects of a finished tick, except those of an earlier run of the tick."""
        past = self._past
        effects, past.effects = past.effects, []
        delivered, first = self._delivered, 0
        if not past.resimulating:
            for later in [later for later in delivered if later >= tick]:
                del delivered[later]
        elif past.at_earlier_tick:
            return
        else:
            first = delivered.get(tick, 0)
        delivered[tick] = max(first, len(effects))
        if len(delivered) > _REMEMBERED:
            del delivered[next(iter(delivered))]
        for effect, arguments, named in effects[first:]:
            self.do(effect, arguments, named)

    def do(self, effect: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Call a function, or the subscribers of a name."""
        for function in (
            tuple(self.subscribers.get(effect, ())) if isinstance(effect, str) else (effect,)
        ):
            function(*arguments, **named)

    def emit(
        self, effect: Callable[..., object] | str, arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> None:
        """Add an effect to the current tick; see `Game.emit`."""
        stage, past = self._stage, self._past
        stage.live  # noqa: B018 (raises an error if the game was closed)
        if not isinstance(effect, str):
            checks.function("effect", effect, "a function, or the name of an event")
        if stage.latching or (stage.busy and not stage.painting):
            past.effects.append((effect, arguments, named))
            past.deliver = self.deliver
        elif not past.resimulating:
            self.do(effect, arguments, named)

    def subscribe(self, name: str, function: Callable[..., object]) -> None:
        """Add a subscriber; see `Game.subscribe`."""
        name = checks.text("name", name)
        self.subscribers.setdefault(name, []).append(checks.function("function", function))

    def unsubscribe(self, name: str, function: Callable[..., object]) -> None:
        """Remove a subscriber; see `Game.unsubscribe`."""
        functions = self.subscribers.get(checks.text("name", name), [])
        if function not in functions:
            raise ValueError(f"function: {checks.shown(function)} has not subscribed to {name!r}")
        functions.remove(function)
