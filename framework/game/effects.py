"""Effects: what ticks do outside the game's state (sounds, particles, prints), once, however often
a tick is run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import checks
from .names import kept

if TYPE_CHECKING:
    from .past import Past
    from .stage import Stage

_REMEMBERED = 4096  # ticks of which it is known how many effects they had


class Effects:
    """The effects of a game's ticks, and who subscribed to them."""

    not_state = True

    def __init__(self, past: Past) -> None:
        self._past = past
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


@kept
class Emitting:
    """The part of a `Game` that deals with effects."""

    _home: Stage
    _live: Any  # a `Surface`, of a game that is open
    _effects: Effects | None = None

    def emit(self, effect: Callable[..., object] | str, *arguments: Any, **named: Any) -> None:
        """Do something that is no state of the game (a sound, sparks, a print) once, when the tick
        is over.

        ``effect`` is called with the arguments; a string is a name to which others `subscribe`.
        When a tick is run again, effects that it has had are left out: of each tick, the first is
        delivered once, the second once, …. When the game goes on from a tick of the past, the next
        ticks are new ones. Between ticks, it is done at once.
        """
        self._live  # noqa: B018  (an error if it was closed)
        if not isinstance(effect, str):
            checks.function("effect", effect, "a function, or the name of an event")
        stage = self._home
        if stage.latching or (stage.busy and not stage.painting):
            stage.past.effects.append((effect, arguments, named))
            stage.past.deliver = self._made_effects().deliver
        elif not stage.past.resimulating:
            self._made_effects().do(effect, arguments, named)

    def subscribe(self, name: str, function: Callable[..., object]) -> None:
        """Have a function called with the arguments of each ``emit(name, …)``, after those that
        subscribed before.

        Who has subscribed is no state of the game: going back does not change it.
        """
        name, effects = checks.text("name", name), self._made_effects()
        effects.subscribers.setdefault(name, []).append(checks.function("function", function))

    def unsubscribe(self, name: str, function: Callable[..., object]) -> None:
        """Have it called no longer. Raises `ValueError` when it has not subscribed."""
        functions = self._made_effects().subscribers.get(checks.text("name", name), [])
        if function not in functions:
            raise ValueError(f"function: {checks.shown(function)} has not subscribed to {name!r}")
        functions.remove(function)

    def _made_effects(self) -> Effects:
        if self._effects is None:
            self._effects = Effects(self._home.past)
        return self._effects
