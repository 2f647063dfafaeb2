"""Effects: what ticks do outside the game's state (sounds, particles, prints), once, however often
a tick is run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import checks

if TYPE_CHECKING:
    from .stage import Stage

_REMEMBERED = 4096  # ticks of which it is known how many effects they had


class Effects:
    """The effects of a game's ticks, and who subscribed to them."""

    not_state = True

    def __init__(self, stage: Stage) -> None:
        self._stage, self._past = stage, stage.past
        self.subscribers: dict[str, list[Callable[..., object]]] = {}
        self._delivered: dict[int, int] = {}  # by tick, the oldest first

    def deliver(self, tick: int) -> None:
        """The tick is over: deliver its effects, but for those that were when it was run before."""
        past = self._past
        effects, past.effects = past.effects, []
        delivered, first = self._delivered, 0
        if not past.resimulating:
            for later in [later for later in delivered if later >= tick]:
                del delivered[later]
        elif past.standing:
            return
        else:
            first = delivered.get(tick, 0)
        delivered[tick] = max(first, len(effects))
        if len(delivered) > _REMEMBERED:
            del delivered[next(iter(delivered))]
        for effect, arguments, named in effects[first:]:
            self.do(effect, arguments, named)

    def do(self, effect: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Call a function, or those who subscribed to a name."""
        for function in (
            tuple(self.subscribers.get(effect, ())) if isinstance(effect, str) else (effect,)
        ):
            function(*arguments, **named)

    def emit(
        self, effect: Callable[..., object] | str, arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> None:
        """Have an effect at the end of the tick; see `Game.emit`."""
        stage, past = self._stage, self._past
        stage.live  # noqa: B018  (an error if it was closed)
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
