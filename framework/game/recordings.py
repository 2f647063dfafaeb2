"""Recordings of what is played, and going back in time."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, cast

from .. import checks
from ..errors import FrameworkError
from .names import kept
from .playing import Driven, PlayedGame, run_ticks
from .subsystems import Subsystems

if TYPE_CHECKING:
    from .recorder import Recorder
    from .rewind import Rewind


@kept
class Recording(checks.Sealed):
    """The part of a game that records it and goes back in time: `Game.recording`."""

    __slots__ = ("_parts", "_recorder", "_rewind", "_subsystems")
    not_state = True

    def __init__(self, parts: Driven, subsystems: Subsystems) -> None:
        self._parts, self._subsystems = parts, subsystems
        self._recorder: Recorder | None = None
        self._rewind: Rewind | None = None

    # -- recordings --------------------------------------------------------------------------------

    def start(self, path: str | os.PathLike[str], *, hash_every: int = 60) -> None:
        """Write what is played from here on to a file, for `Replay`: block by block, so that a
        crash loses little.

        It is to be called before the first tick: a recording has what came, and the state follows
        from that. Every ``hash_every`` ticks it notes a hash of the state, where the game has one;
        0 for none. Raises `AssetError` where the file cannot be written, and `FrameworkError` when
        ticks have passed, or a recording is on.
        """
        self._parts.stage.live  # noqa: B018
        path, hash_every = checks.path("path", path), checks.whole("hash_every", hash_every, 0)
        if self._recorder is not None:
            raise FrameworkError(
                f"recording.start: what is played is written to {self._recorder.path!r} already"
            )
        if self._parts.loop.tick or self._parts.stage.busy:
            raise FrameworkError(
                f"recording.start: {self._parts.loop.tick} ticks have passed, which a recording would "
                "not have; call it before the "
                "first one, or start the game by `framework run FILE --record PATH`"
            )
        from .recorder import Recorder  # most games are not recorded

        def begin(place: str) -> None:
            self._recorder = self._subsystems.add(
                Recorder(self._parts.stage, self._parts.loop, place, hash_every)
            )

        self._parts.stage.files.write(path, "file", begin)

    def stop(self) -> None:
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
        self._parts.stage.live  # noqa: B018
        from .rewind import Parts, Rewind  # few games are wound back

        if value is not None:
            checks.instance("rewind", value, Rewind, what="a Rewind or None")
        if value is not self._rewind:
            if value is not None:
                stage, loop, events, _, painter, _ = self._parts
                run = partial(run_ticks, cast("PlayedGame", stage.game))
                value.attach(Parts(stage.game, stage, loop, events, painter, run))
            before, self._rewind = self._rewind, value
            if before is not None:
                before.detach()
            if value is not None:
                value.begin()

    @property
    def resimulating(self) -> bool:
        """Whether the tick that is running was run before: while winding back, or by
        `Game.run_ticks` after a `Game.restore`.

        What it does outside the game's state was done already; see `Game.emit`.
        """
        return self._parts.stage.past.resimulating
