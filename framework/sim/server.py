"""A game without a screen: its ticks at their own rate, or as fast as they go, until it is told to
end.
"""

from __future__ import annotations

__all__ = ["serve"]

import math
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .. import checks
from ..errors import FrameworkError
from ..game.game import Game, make_game
from ..game.launch import check_game
from ..game.playing import at_work, driven
from ..timing.timestep import NANOSECONDS, Timestep
from ..watch.monitor import Frame

RATES = ("real", "max")

# Nanoseconds before the next tick in which no garbage is collected any more.
_MARGIN = 1_000_000

_AT_A_TIME = 1000  # ticks

# Nanoseconds: something may come in between, and of a longer frame the loop gives some of its time
# up.
_LONGEST_WAIT = 100_000_000


class Server:
    """Runs a game's ticks, and paints nothing. It is the loop's clock, and its screen.

    Parameters
    ----------
    game
        As a rule one made with ``drawing=False``.
    rate
        ``"real"``: each tick when it is due, at ``k / tick_rate`` seconds, with sleep in between;
        ``"max"``: one after the other, whatever the clock says.
    clock, sleep
        Integer nanoseconds; seconds to wait.
    """

    not_state = True

    def __init__(
        self,
        game: Game,
        rate: str = "real",
        *,
        clock: Callable[[], int] = time.perf_counter_ns,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._game = checks.instance("game", game, Game)
        self._real = checks.choice("rate", rate, RATES) == "real"
        self._clock, self._sleep = clock, sleep
        self._stage, self._loop, _, self._virtual, *_ = driven(game)
        self._period: int = math.ceil(NANOSECONDS / getattr(game.timestep, "rate", 60))
        self._origin = 0
        self._now = 0  # the moment of the last frame
        self._last = sys.maxsize

    def run(self, ticks: int | None = None) -> None:
        """Run until `Game.exit` is called, or ``ticks`` more ticks are over. The game stays
        open.
        """
        stage, loop = self._stage, self._loop
        self._last = sys.maxsize if ticks is None else loop.tick + checks.whole("ticks", ticks, 0)
        with at_work(self._game):
            loop.stops, stage.after_frame = self._over, stage.collector.begin
            try:
                if self._real:
                    self._run_in_time()
                else:
                    self._run_flat_out()
            finally:
                loop.stops = stage.after_frame = None
                stage.collector.end()
                stage.exiting = False

    def _over(self) -> bool:
        return self._stage.exiting or self._loop.tick >= self._last

    def _stands_still(self) -> bool:
        timestep = self._loop.timestep
        return timestep.paused or not timestep.time_scale

    def _run_in_time(self) -> None:
        self._origin = self._clock() - self._virtual.now(0)
        while not self._over():
            self._frame()
            if not self._over():
                self._wait(self._left())

    def _run_flat_out(self) -> None:
        stage, loop = self._stage, self._loop
        self._settle()
        self._now = self._virtual.now(0)
        while not self._over():
            if stage.calls:
                stage.make_calls()
            elif self._stands_still():
                self._frame()
                self._wait(min(self._period, _LONGEST_WAIT))
            else:
                self._run_some(loop.timestep)
                stage.collector.relieve()

    def _run_some(self, timestep: Timestep) -> None:
        """Ticks in which nothing else is to be done."""
        stage, run = self._stage, self._loop.run_tick_by_hand
        for _ in range(min(_AT_A_TIME, self._last - self._loop.tick)):
            run()
            if stage.exiting or stage.calls or timestep.paused:
                return

    def _frame(self) -> None:
        self._loop.frame(self, self)
        self._loop.end_frame(self._clock())
        self._settle()

    def _settle(self) -> None:
        if self._stage.after_frame is not None:  # no game time passes in it
            before = self._clock()
            self._stage.settle()
            self._origin += self._clock() - before

    # -- time --------------------------------------------------------------------------------------

    def _left(self) -> int:
        """Nanoseconds from the frame's moment to the next one: to the next tick, or as long as a
        frame may take.
        """
        timestep = self._loop.timestep
        left: float = self._period
        if getattr(timestep, "fixed", False) and not self._stands_still():
            left = (1 - timestep.alpha) * self._period / timestep.time_scale
        return math.ceil(min(left, self._period, _LONGEST_WAIT))

    def _wait(self, left: int) -> None:
        due = self._now + left + self._origin if self._real else self._clock() + left
        slack = due - self._clock()
        if slack > 0:
            self._stage.collector.use(slack - _MARGIN)
            self._sleep(max(0, due - self._clock()) / NANOSECONDS)
        else:
            self._stage.collector.relieve()

    def now(self, stamp: int) -> int:
        """The moment that a frame is computed for."""
        if self._real:
            self._now = self._clock() - self._origin
            self._virtual.set(self._now)
        return self._now

    # -- the screen that there is not --------------------------------------------------------------

    def hidden(self) -> bool:
        """Nobody sees a picture."""
        return True

    def show(self, frame: Frame) -> None:
        """There is none."""

    def skip(self) -> None:
        """There is none."""


def serve(
    game_class: type[Game],
    *,
    rate: str = "real",
    ticks: int | None = None,
    save: str | os.PathLike[str] | None = None,
    **options: Any,
) -> None:
    """Make a game without pictures, run it, and close it. ``options`` are those of `Game`.

    It ends when it calls `Game.exit`, after ``ticks`` ticks, or within a tick of the signals
    SIGTERM and SIGINT, of which the second is raised as `KeyboardInterrupt` in the end. ``save`` is
    then the path of a `Game.save`.
    """
    check_game(game_class)
    checks.choice("rate", rate, RATES)
    save = None if save is None else checks.path("save", save)
    with _made(game_class, options) as game:
        keep: Any = getattr(game, "save", None)
        if save is not None and not callable(keep):
            raise FrameworkError(f"save: {game_class.__name__} has no method save")
        if save is not None:
            _warn_of_save(game)
        server = Server(game, rate)
        with _signals(game) as came:
            server.run(ticks)
        if save is not None:
            keep(save)
    if signal.SIGINT in came:
        raise KeyboardInterrupt


def _warn_of_save(game: Game) -> None:
    """Say now what a save would fail for in the end, when all would be lost."""
    from ..record.packing import declared

    if type(game).save is Game.save and not any(
        declared(type(entry.scene)) for entry in driven(game).stage.on
    ):
        warnings.warn(
            f"save: neither {type(game).__name__} nor a scene that is on declares "
            "anything to be saved, so that there "
            "will be no save in the end; say what: saved = ('score', 'level')",
            RuntimeWarning,
            stacklevel=3,
        )


def _made(game_class: type[Game], options: dict[str, Any]) -> Game:
    """A game without pictures, also where its ``__init__`` has no such option."""
    game: Game = make_game(game_class, {"drawing": False}, **options)
    return game


@contextmanager
def _signals(game: Game) -> Iterator[list[int]]:
    """The signals that came, each of which ends the game within a tick."""
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():  # Python tells no other of them
        yield came
        return

    def end(number: int, frame: object) -> None:
        came.append(number)
        game.exit()

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
