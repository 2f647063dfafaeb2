"""Run a game without a window, in real time or as fast as possible."""

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
from ..game.driven_game import at_work, driven
from ..game.game import Game, make_game
from ..game.game_options import Overrides
from ..game.launch import check_game
from ..game.session import Session, checked_session
from ..timing.timestep import NANOSECONDS, Timestep
from ..watch.frame_stats import FrameTimes

RATES = ("real", "max")

# No garbage collection runs during this time before the next tick, in nanoseconds.
_MARGIN = 1_000_000

_AT_A_TIME = 1000  # ticks

# The maximum wait in nanoseconds. The wait must be short, because other threads may call the game.
# Also, the loop drops time if a frame is too long.
_MAX_WAIT = 100_000_000


class HeadlessLoop:
    """A game loop that runs the ticks of a game without drawing. A `HeadlessLoop` replaces the
    window and its clock.

    Parameters
    ----------
    game
        The game to run, usually created with ``drawing=False``.
    rate
        With ``"real"``, the loop runs tick ``k`` at ``k / tick_rate`` seconds, and sleeps between
        ticks. With ``"max"``, the loop runs the ticks as fast as possible.
    clock, sleep
        Two functions that replace the real clock. ``clock()`` returns the time in integer
        nanoseconds, and ``sleep(seconds)`` waits.
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
        self._clock = clock
        self._sleep = sleep
        self._stage, self._loop, _, self._virtual, *_ = driven(game)
        self._period: int = math.ceil(NANOSECONDS / getattr(game.timestep, "rate", 60))
        self._origin = 0
        self._now = 0  # the time of the last frame
        self._last = sys.maxsize

    def run(self, ticks: int | None = None) -> None:
        """Run the game until it calls `Game.exit`, or for ``ticks`` more ticks. The game is not
        closed.
        """
        stage = self._stage
        loop = self._loop
        self._last = sys.maxsize if ticks is None else loop.tick + checks.whole("ticks", ticks, 0)
        with at_work(self._game):
            loop.stops = self._over
            stage.after_frame = stage.collector.begin
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
        stage = self._stage
        loop = self._loop
        self._settle()
        self._now = self._virtual.now(0)
        while not self._over():
            if stage.calls:
                stage.make_calls()
            elif self._stands_still():
                self._frame()
                self._wait(min(self._period, _MAX_WAIT))
            else:
                self._run_some(loop.timestep)
                stage.collector.relieve()

    def _run_some(self, timestep: Timestep) -> None:
        """Run up to 1000 ticks one after another, without frames. Stop earlier if a scheduled call
        is due.
        """
        stage = self._stage
        run = self._loop.run_tick_by_hand
        for _ in range(min(_AT_A_TIME, self._last - self._loop.tick)):
            if not run():  # the tick must wait for its input
                self._frame()
                self._wait(min(self._period, _MAX_WAIT))
                return
            if stage.exiting or stage.calls or timestep.paused:
                return

    def _frame(self) -> None:
        self._loop.frame(self, self)
        self._loop.end_frame(self._clock())
        self._settle()

    def _settle(self) -> None:
        if self._stage.after_frame is not None:  # the time of this call does not count as game time
            before = self._clock()
            self._stage.settle()
            self._origin += self._clock() - before

    # -- time --------------------------------------------------------------------------------------

    def _left(self) -> int:
        """Return how long to wait for the next frame, in nanoseconds: the time until the next tick,
        but at most 0.1 seconds.
        """
        timestep = self._loop.timestep
        left: float = self._period
        if getattr(timestep, "fixed", False) and not self._stands_still():
            left = (1 - timestep.alpha) * self._period / timestep.time_scale
        return math.ceil(min(left, self._period, _MAX_WAIT))

    def _wait(self, left: int) -> None:
        due = self._now + left + self._origin if self._real else self._clock() + left
        slack = due - self._clock()
        if slack > 0:
            self._stage.collector.use(slack - _MARGIN)
            self._sleep(max(0, due - self._clock()) / NANOSECONDS)
        else:
            self._stage.collector.relieve()

    def now(self, stamp: int) -> int:
        """Return the time of the current frame in nanoseconds."""
        if self._real:
            self._now = self._clock() - self._origin
            self._virtual.set(self._now)
        return self._now

    # -- no screen
    # -------------------------------------------------------------------------------------

    def hidden(self) -> bool:
        """Return True, because there is no window."""
        return True

    def show(self, frame: FrameTimes) -> None:
        """Do nothing, because there is no screen. The loop calls this method at the end of a frame
        with a new image.
        """

    def skip(self) -> None:
        """Do nothing, because there is no screen. The loop calls this method at the end of a frame
        without a new image.
        """


def serve(
    game_class: type[Game],
    *,
    rate: str = "real",
    ticks: int | None = None,
    save: str | os.PathLike[str] | None = None,
    session: Session | None = None,
    **options: Any,
) -> None:
    """Create a game with ``drawing=False``, run the game, and close it. ``options`` are keyword
    arguments for the game.

    The game ends when it calls `Game.exit`, after ``ticks`` ticks, or when the process receives
    SIGTERM or SIGINT. After SIGINT (Ctrl+C), `serve` closes the game and then raises
    `KeyboardInterrupt`. If you pass a path as ``save``, `serve` saves the game to this file at the
    end. ``session`` is an object that connects the game to other machines. If clients connect to
    your server, use `Server` instead of ``session``.
    """
    check_game(game_class)
    checks.choice("rate", rate, RATES)
    checked_session(session)
    save = None if save is None else checks.path("save", save)
    with _made(game_class, options, session) as game:
        keep: Any = getattr(game, "save", None)
        if save is not None and not callable(keep):
            raise FrameworkError(f"save: {game_class.__name__} has no method save")
        if save is not None:
            _warn_of_save(game)
        loop = HeadlessLoop(game, rate)
        with _signals(game) as received:
            loop.run(ticks)
        if save is not None:
            keep(path=save)
    if signal.SIGINT in received:
        raise KeyboardInterrupt


def _warn_of_save(game: Game) -> None:
    """Issue a warning at the start of the game if `Game.save` would have nothing to save."""
    from ..record.packing import declared

    if type(game).save is Game.save and not any(
        declared(type(entry.scene)) for entry in driven(game).stage.stack
    ):
        warnings.warn(
            f"save: neither {type(game).__name__} nor a scene that is on declares "
            "anything to be saved, so that there "
            "will be no save in the end; say what: saved = ('score', 'level')",
            RuntimeWarning,
            stacklevel=3,
        )


def _made(game_class: type[Game], options: dict[str, Any], session: Session | None) -> Game:
    """Create a game with ``drawing=False``, even if its ``__init__`` has no parameter ``drawing``."""
    overrides: Overrides = {"drawing": False}
    if session is not None:
        overrides["session"] = session
    game: Game = make_game(game_class, overrides, **options)
    return game


@contextmanager
def _signals(game: Game) -> Iterator[list[int]]:
    """Return a context manager that ends the game when the signal SIGTERM or SIGINT arrives. The
    context manager yields a list of the received signals.
    """
    received: list[int] = []
    # Only the main thread can receive signals.
    if threading.current_thread() is not threading.main_thread():
        yield received
        return

    def end(number: int, frame: object) -> None:
        received.append(number)
        game.exit()

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
