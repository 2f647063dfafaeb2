"""Playing a game by program, as agents and other machines do, and recording it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import checks
from ..errors import FrameworkError
from ..input.players import Desk, Player
from ..timing.timestep import Tick
from .events import Events
from .loop import Loop, VirtualClock
from .names import kept
from .painter import Painter
from .stage import Stage
from .subsystems import Subsystems
from .surface import Surface

if TYPE_CHECKING:
    from .recorder import Recorder
    from .rewind import Rewind


class Driven(NamedTuple):
    """What of a game those need that play it by program, from the first tick on."""

    stage: Stage
    loop: Loop
    events: Events
    clock: VirtualClock
    painter: Painter


@kept
class Playing:
    """The part of a `Game` that records it and goes back in time."""

    _home: Stage
    _events: Events
    _clock: VirtualClock
    _live: Any  # a `Surface`, of a game that is open
    _loop: Loop
    _subsystems: Subsystems
    _painter: Painter
    _recorder: Recorder | None = None
    _rewind: Rewind | None = None
    _running: bool

    @property
    def players(self) -> tuple[Player, ...]:
        """Who plays, each with ``keys``, ``mouse`` and ``pads``; the first one's are the game's
        own.
        """
        return self._home.players

    # -- recordings --------------------------------------------------------------------------------

    def record(self, path: str | os.PathLike[str], *, hash_every: int = 60) -> None:
        """Write what is played from here on to a file, for `Replay`: block by block, so that a
        crash loses little.

        It is to be called before the first tick: a recording has what came, and the state follows
        from that. Every ``hash_every`` ticks it notes a hash of the state, where the game has one;
        0 for none. Raises `AssetError` where the file cannot be written, and `FrameworkError` when
        ticks have passed, or a recording is on.
        """
        self._live  # noqa: B018
        path, hash_every = checks.path("path", path), checks.whole("hash_every", hash_every, 0)
        if self._recorder is not None:
            raise FrameworkError(
                f"record: what is played is written to {self._recorder.path!r} already"
            )
        if self._loop.tick or self._home.busy:
            raise FrameworkError(
                f"record: {self._loop.tick} ticks have passed, which a recording would "
                "not have; call it before the "
                "first one, or start the game by `framework run FILE --record PATH`"
            )
        from .recorder import Recorder  # most games are not recorded

        def begin(place: str) -> None:
            self._recorder = self._subsystems.add(
                Recorder(self._home, self._loop, place, hash_every)
            )

        self._home.files.write(path, "file", begin)

    def stop_recording(self) -> None:
        """End the recording; the game goes on. Does nothing when there is none. `close` does it
        too.
        """
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            self._subsystems.remove(recorder)
            recorder.release()

    # -- going back --------------------------------------------------------------------------------

    @property
    def rewind(self) -> Rewind | None:
        """A `Rewind`, with which F4 shows a strip of the last ticks to go back on; None, as a game
        begins, for none.
        """
        return self._rewind

    @rewind.setter
    def rewind(self, value: Rewind | None) -> None:
        self._live  # noqa: B018
        from .rewind import Parts, Rewind  # few games are wound back

        if value is not None:
            checks.instance("rewind", value, Rewind, what="a Rewind or None")
        if value is not self._rewind:
            if value is not None:
                parts = Parts(
                    self,
                    self._home,
                    self._loop,
                    self._events,
                    self._painter,
                    partial(run_ticks, self),
                )
                value.attach(parts)
            before, self._rewind = self._rewind, value
            if before is not None:
                before.detach()
            if value is not None:
                value.begin()

    # -- what drives a game without frames ---------------------------------------------------------

    def _driven(self) -> Driven:
        return Driven(self._home, self._loop, self._events, self._clock, self._painter)


def driven(game: Playing) -> Driven:
    """The parts of a game that is to be played by program."""
    return game._driven()


def _present() -> Desk | None:
    """Who plays the game that is at work, or that was made last."""
    game = Surface.present()
    return None if game is None else driven(game).stage.desk


Desk.find = _present


def run_ticks(game: Playing, ticks: Iterable[Tick]) -> None:
    """Run ticks, each made when it is asked for, and draw nothing. `Loop.frame` draws where this
    has come to.
    """
    stage, loop, *_ = game._driven()
    with at_work(game):
        for tick in ticks:
            if stage.calls and not stage.past.standing:
                stage.make_calls()
            loop.run_tick(tick)


@contextmanager
def at_work(game: Playing) -> Iterator[None]:
    """While a program runs the game's ticks: `Game.close` waits until it is through."""
    with game._live.working():
        before, game._running = game._running, True
        try:
            yield
        finally:
            game._running = before
