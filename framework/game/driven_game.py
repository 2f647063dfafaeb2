"""Let other code, such as a replay, a server or an AI agent, run the ticks of a game."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from .loop import Drive, Loop, VirtualClock
from .painter import Painter
from .replication import Replication
from .stage import Stage
from .subsystems import Subsystems
from .tick_effects import TickEffects
from .window_events import WindowEvents


class DrivenGame(NamedTuple):
    """The internal parts of a game that a replay, a server or an AI agent needs in order to run
    ticks.
    """

    stage: Stage
    loop: Loop
    events: WindowEvents
    clock: VirtualClock
    painter: Painter
    subsystems: Subsystems


class PlayedEngine(Protocol):
    """The attributes of a game's engine that a replay, a server or an AI agent uses."""

    drive: Drive
    effects: TickEffects

    replication: Replication

    @property
    def driven(self) -> DrivenGame: ...


class PlayedGame(Protocol):
    """A game whose ticks are run by other code, such as a replay or an AI agent."""

    @property
    def _engine(self) -> PlayedEngine: ...


def driven(game: PlayedGame) -> DrivenGame:
    """Return the internal parts of a game that a replay, a server or an AI agent needs in order to
    run ticks.
    """
    return game._engine.driven


def replication_of(game: PlayedGame) -> Replication:
    """Return the `Replication` of a game: the batches and events that a server sends to its
    clients.
    """
    return game._engine.replication


def subscribers_of(game: PlayedGame, name: str) -> list[Callable[..., object]]:
    """Return the functions that have subscribed to the event ``name`` of a game."""
    return game._engine.effects.subscribers(name)


def run_ticks(game: PlayedGame, goes_on: Callable[[], bool]) -> None:
    """Run ticks without drawing. Stop when ``goes_on()`` returns False, or when the input of the
    next tick is missing.

    The next call to `Loop.frame` draws the state after the last tick.
    """
    _, loop, _, _, painter, _ = driven(game)
    painter.mark_unpainted()
    with at_work(game):
        while goes_on() and loop.take_tick(calls=True):
            """The tick has run."""


def observe_effects(game: PlayedGame, observer: Callable[[Hashable, int], object]) -> None:
    """Call ``observer(effect, sign)`` for each effect of the game, such as a sound. ``effect`` is a
    value that identifies the effect. ``sign`` is 1 when the effect happens, and -1 when the effect
    is withdrawn because its tick ran again without it.
    """
    game._engine.effects.observer = observer


@contextmanager
def at_work(game: PlayedGame) -> Iterator[None]:
    """A context manager that marks the game as running. If code in the ``with`` block calls
    `Game.close`, the game is closed at the end of the block.
    """
    drive = game._engine.drive
    with driven(game).stage.live.working():
        before = drive.running
        drive.running = True
        try:
            yield
        finally:
            drive.running = before
