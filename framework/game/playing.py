"""Playing a game by program, as agents and other machines do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..timing.timestep import Tick
from .events import Events
from .loop import Loop, VirtualClock
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


def driven(game: Any) -> Driven:
    """The parts of a game that is to be played by program."""
    parts: Driven = game._engine.driven
    return parts


def run_ticks(game: Any, ticks: Iterable[Tick]) -> None:
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
def at_work(game: Any) -> Iterator[None]:
    """While a program runs the game's ticks: `Game.close` waits until it is through."""
    drive = game._engine.drive
    with driven(game).stage.live.working():
        before, drive.running = drive.running, True
        try:
            yield
        finally:
            drive.running = before
