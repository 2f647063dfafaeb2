"""Playing a game by program, as agents and other machines do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from ..timing.timestep import Tick
from .events import Events
from .loop import Drive, Loop, VirtualClock
from .painter import Painter
from .stage import Stage
from .subsystems import Subsystems


class Driven(NamedTuple):
    """What of a game those need that play it by program, from the first tick on."""

    stage: Stage
    loop: Loop
    events: Events
    clock: VirtualClock
    painter: Painter
    subsystems: Subsystems


class PlayedEngine(Protocol):
    """The engine of a game that a program plays."""

    drive: Drive

    @property
    def driven(self) -> Driven: ...


class PlayedGame(Protocol):
    """A game that a program plays."""

    @property
    def _engine(self) -> PlayedEngine: ...


def driven(game: PlayedGame) -> Driven:
    """The parts of a game that is to be played by program."""
    return game._engine.driven


def run_ticks(game: PlayedGame, ticks: Iterable[Tick]) -> None:
    """Run ticks, each made when it is asked for, and draw nothing. `Loop.frame` draws where this
    has come to.
    """
    stage, loop, *_ = driven(game)
    with at_work(game):
        for tick in ticks:
            if stage.calls and not stage.past.standing:
                stage.make_calls()
            loop.run_tick(tick)


@contextmanager
def at_work(game: PlayedGame) -> Iterator[None]:
    """While a program runs the game's ticks: `Game.close` waits until it is through."""
    drive = game._engine.drive
    with driven(game).stage.live.working():
        before, drive.running = drive.running, True
        try:
            yield
        finally:
            drive.running = before
