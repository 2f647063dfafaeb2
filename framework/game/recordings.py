"""Record a game's input to a file, and rewind the game: `game.recording`."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, cast

from .. import checks
from ..coroutines import adoption
from ..errors import FrameworkError
from ..other_engines.game_names import recording_advice
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
    """The recording and the rewind of a game. The attribute `Game.recording` is an object of this
    class.
    """

    __slots__ = ("_effects", "_parts", "_recorder", "_rewind", "_subsystems")
    not_state = True
    _advice = recording_advice

    def __init__(self, parts: DrivenGame, subsystems: Subsystems, effects: TickEffects) -> None:
        self._parts = parts
        self._effects = effects
        self._subsystems = subsystems
        self._recorder: InputRecorder | None = None
        self._rewind: Rewind | None = None

    # -- recordings --------------------------------------------------------------------------------

    def start(self, path: str | os.PathLike[str], *, hash_every: int = 60) -> None:
        """Start recording the game's input to a file. You can play the recording with `Replay`.

        Call this method before the first tick. A recording contains only input. A replay computes
        the state of the game by running all ticks again with the recorded input. If the game
        crashes, only the last seconds of the recording are lost. The recording also stores a hash
        of the game's state after every ``hash_every`` ticks. A replay compares these hashes with
        the hashes of its own state, and reports differences. If ``hash_every`` is 0, the recording
        stores no hashes.

        Raises
        ------
        AssetError
            If the file cannot be written.
        FrameworkError
            If ticks have already run, or if the game is already being recorded.
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
        self._parts.stage.files.write(
            path, "file", lambda target: self._add_recorder(target, hash_every)
        )

    def _add_recorder(self, path: str, hash_every: int) -> None:
        # Imported here because most games are not recorded.
        from .match_recorder import MatchRecorder
        from .recorder import InputRecorder

        stage = self._parts.stage
        loop = self._parts.loop
        if self._effects.confirmed_tick is None:  # without a session, all input is final
            self._recorder = self._subsystems.add(InputRecorder(stage, loop, path, hash_every))
        else:
            # A network session restores snapshots. This must not remove the recorder of the match.
            recorder = MatchRecorder(stage, loop, path, hash_every)
            self._recorder = self._subsystems.add_permanent(recorder)

    def stop(self) -> None:
        """End the recording, and close its file. The game continues. If the game is not being
        recorded, this method does nothing. `Game.close` also ends the recording.
        """
        recorder = self._recorder
        self._recorder = None
        if recorder is not None:
            self._subsystems.remove(recorder)
            recorder.release()

    @property
    def active(self) -> bool:
        """Whether the game is being recorded."""
        return self._recorder is not None

    # -- rewind --------------------------------------------------------------------------------

    @property
    def rewind(self) -> Rewind | None:
        """A `Rewind` object that stores the most recent ticks of the game, or None. With the
        default None, you cannot go back to earlier ticks.

        With a `Rewind`, the F4 key opens a timeline of the most recent ticks.
        """
        return self._rewind

    @rewind.setter
    def rewind(self, value: Rewind | None) -> None:
        self._parts.stage.live  # noqa: B018
        from .rewind import Rewind, RewindParts  # imported here because few games use the rewind

        if value is not None:
            checks.instance("rewind", value, Rewind, what="a Rewind or None")
        before = self._rewind
        if value is before:
            return
        stage, loop, events, _, painter, _ = self._parts
        if value is not None:
            run = partial(run_ticks, cast("PlayedGame", stage.game))
            value.attach(RewindParts(stage.game, stage, loop, events, painter, run))
        self._rewind = value
        if before is not None:
            before.detach()
        stage.restores_routines = value is not None
        if value is not None:
            adoption.expect_restores()
            value.begin()

    @property
    def resimulating(self) -> bool:
        """Whether the current tick is running again after a rewind or after `Game.restore`.

        Even if a tick runs again, each of its effects, such as a sound, happens only once. For
        details, see `Game.emit`.
        """
        return self._parts.stage.resimulation.resimulating

    # -- confirmed input ---------------------------------------------------------------------------

    @property
    def confirmed_tick(self) -> int | None:
        """The number of the last tick with final input, or None. With the default None, the input
        of every tick is final immediately.

        In a game with a network session, a tick may first run with predicted input of other
        players. When the real input arrives, the tick runs again.
        """
        return self._effects.confirmed_tick

    def confirm(self, tick: int | None) -> None:
        """Mark the input of all ticks up to ``tick`` as final. The session of a game calls this
        method.

        A session must call `confirm` after the ticks up to ``tick`` have run with their final
        input. `confirm` runs all effects up to ``tick`` that wait for confirmation
        (``when="confirmed"``), the oldest effect first. After that, effects of ticks up to ``tick``
        can no longer be withdrawn.

        If an earlier call has passed a higher ``tick``, the method does nothing. If ``tick`` is
        None, the input of every tick is final immediately, as in a game without a session.
        """
        self._parts.stage.live  # noqa: B018 (raises an error if the game was closed)
        tick = None if tick is None else checks.whole("tick", tick, 0)
        self._effects.confirm(tick)
        if self._recorder is not None and tick is not None:
            self._recorder.confirm(tick)
