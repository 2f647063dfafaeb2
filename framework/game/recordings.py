"""Recordings: record the input of a game to a file, and rewind the game."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, cast

from .. import checks
from ..coroutines import adoption
from ..errors import FrameworkError
from ..other_engines.other_names import Hinted
from .driven_game import DrivenGame, PlayedGame, run_ticks
from .reserved_names import kept
from .subsystems import Subsystems
from .tick_effects import TickEffects

if TYPE_CHECKING:
    from .recorder import InputRecorder
    from .rewind import Rewind


@kept
class RecordingControl(Hinted, checks.Sealed):
    """The recording and the rewind of a game: `Game.recording`."""

    __slots__ = ("_effects", "_parts", "_recorder", "_rewind", "_subsystems")
    not_state = True

    def __init__(self, parts: DrivenGame, subsystems: Subsystems, effects: TickEffects) -> None:
        self._parts = parts
        self._effects = effects
        self._subsystems = subsystems
        self._recorder: InputRecorder | None = None
        self._rewind: Rewind | None = None

    # -- recordings --------------------------------------------------------------------------------

    def start(self, path: str | os.PathLike[str], *, hash_every: int = 60) -> None:
        """Start to record the input of the game to a file. `Replay` can play this file.

        Call `start` before the first tick. A recording contains only input. A replay runs all ticks
        again to compute the state. If the game crashes, only the last seconds are lost. After every
        ``hash_every`` ticks, the recording stores a hash of the state. A replay compares this hash
        with the hash of its own state. If ``hash_every`` is 0, no hashes are stored.

        Raises
        ------
        AssetError
            If the file cannot be written.
        FrameworkError
            If ticks have already run, or if a recording is in progress.
        """
        self._parts.stage.live  # noqa: B018
        path = checks.path("path", path)
        hash_every = checks.whole("hash_every", hash_every, 0)
        if self._recorder is not None:
            raise FrameworkError(
                f"recording.start: a recording to {self._recorder.path!r} is in progress already"
            )
        if self._parts.loop.tick or self._parts.stage.busy:
            raise FrameworkError(
                f"recording.start: {self._parts.loop.tick} ticks have run already; call it before the "
                "first tick, or start the game with `framework run FILE --record PATH`"
            )
        from .match_recorder import MatchRecorder  # most games are not recorded
        from .recorder import InputRecorder

        def begin(where: str) -> None:
            stage, loop = self._parts.stage, self._parts.loop
            final_at_once = self._effects.confirmed_tick is None
            kind = InputRecorder if final_at_once else MatchRecorder
            # A restore of a session must not disconnect the recorder.
            add = self._subsystems.add if final_at_once else self._subsystems.add_permanent
            self._recorder = add(kind(stage, loop, where, hash_every))

        self._parts.stage.files.write(path, "file", begin)

    def stop(self) -> None:
        """Stop the recording and close its file, while the game continues. If no recording is in
        progress, nothing happens. `Game.close` also stops the recording.
        """
        recorder = self._recorder
        self._recorder = None
        if recorder is not None:
            self._subsystems.remove(recorder)
            recorder.release()

    @property
    def active(self) -> bool:
        """Whether a recording is in progress."""
        return self._recorder is not None

    # -- rewind --------------------------------------------------------------------------------

    @property
    def rewind(self) -> Rewind | None:
        """The `Rewind` object that stores the last ticks of the game. The default is None: no ticks
        are stored.

        If a `Rewind` is set, the F4 key opens a timeline of the last ticks.
        """
        return self._rewind

    @rewind.setter
    def rewind(self, value: Rewind | None) -> None:
        self._parts.stage.live  # noqa: B018
        from .rewind import Rewind, RewindParts  # few games use it

        if value is not None:
            checks.instance("rewind", value, Rewind, what="a Rewind or None")
        if value is not self._rewind:
            if value is not None:
                stage, loop, events, _, painter, _ = self._parts
                run = partial(run_ticks, cast("PlayedGame", stage.game))
                value.attach(RewindParts(stage.game, stage, loop, events, painter, run))
            before = self._rewind
            self._rewind = value
            if before is not None:
                before.detach()
            if value is not None:
                adoption.expect_restores()
            self._parts.stage.restores_routines = value is not None
            if value is not None:
                value.begin()

    @property
    def resimulating(self) -> bool:
        """Whether the current tick runs a second time, in a rewind or after `Game.restore`.

        When a tick runs again, each effect such as a sound happens only once; see `Game.emit`.
        """
        return self._parts.stage.resimulation.resimulating

    # -- confirmed input ---------------------------------------------------------------------------

    @property
    def confirmed_tick(self) -> int | None:
        """The number of the last tick that has final input. The default is None: the input of every
        tick is final immediately.

        In a game with a session, a tick may run with predicted input of other players. The tick
        runs again when the true input arrives.
        """
        return self._effects.confirmed_tick

    def confirm(self, tick: int | None) -> None:
        """Declare that the input of all ticks up to ``tick`` is final. A session calls `confirm`.

        Call `confirm` after the ticks have run again with their final input. Then the effects of
        these ticks that were emitted with ``when="confirmed"`` run, the oldest first. All other
        effects of these ticks can no longer be withdrawn.

        A lower number than before changes nothing. If ``tick`` is None, the input of every tick is
        final immediately, as in a game without a session.
        """
        self._parts.stage.live  # noqa: B018 (raises an error if the game was closed)
        tick = None if tick is None else checks.whole("tick", tick, 0)
        self._effects.confirm(tick)
        if self._recorder is not None and tick is not None:
            self._recorder.confirm(tick)
