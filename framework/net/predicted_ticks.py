"""Run the ticks of a match with predicted input, and correct wrong predictions.

A tick does not wait for the input of the other players. While their input is missing, the machine
predicts that they keep holding the same keys. If the real input turns out to be different,
`PredictedTicks.correct` restores an earlier snapshot and runs all later ticks again. A tick is
*confirmed* once the input of all players for this tick has arrived.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..game.driven_game import driven, run_ticks
from ..game.session import SessionStats
from ..input.tick_input import Event, HeldInput, TickInput
from .desync import INTERVAL, StateChecks
from .match_input import Events, LocalEvents, PlayerInput, combined, held_at_start
from .match_players import NO_END, RemotePlayer, Remotes
from .pacing import InputDelay
from .saved_ticks import SavedTicks

if TYPE_CHECKING:
    from ..game.game import Game
    from ..record.snapshots import Snapshot

MAX_HELD = 200
"""The maximum number of keys and buttons that one player holds. A keyboard has about a hundred
keys.
"""


class PredictedTicks:
    """The ticks of a match on this machine, with the input of all players.

    Parameters
    ----------
    player
        The index of the player on this machine.
    remotes
        The other players of the match. `RemotePlayer.input` contains the input of each player.
    delay
        The number of ticks between a key press and its effect.
    max_prediction
        The maximum number of ticks that run with predicted input.
    note_final
        A function ``note_final(tick, input)``, which is called once for each tick, in order, as
        soon as the tick's input is final.
    stats
        The session's statistics, in which `PredictedTicks` counts corrections and waiting ticks.
    """

    not_state = True

    def __init__(
        self,
        player: int,
        remotes: Remotes,
        delay: InputDelay,
        max_prediction: int,
        note_final: Callable[[int, TickInput], object],
        stats: SessionStats,
    ) -> None:
        self.tick = 0
        """The last tick that ran."""
        self.first_tick = 1
        """The first tick in which this player takes part."""
        self.confirmed = 0
        """The last tick whose input is final."""
        self.own = PlayerInput()
        """The input of the player on this machine."""
        self.delay = delay
        self.max_prediction = max_prediction
        self.waits_ns: int | None = None
        """The time when the next tick began to wait for input, in nanoseconds, or None."""
        self.exits = False
        """Whether the game has called `Game.exit` in a tick with final input."""
        self._player = player
        self._remotes = remotes
        self._note_final = note_final
        self._stats = stats
        self._local = LocalEvents(player)
        self._used: dict[int, list[Events]] = {}
        self._saved = SavedTicks(max_prediction)
        # The last tick for which `_note_state` was called.
        self._noted = 0
        # The first tick that ran with a wrong prediction of the input.
        self._redo: int | None = None
        self._exit_tick: int | None = None  # the tick in which the game called `Game.exit`
        self._has_warned = False  # True once the warning about a pause has been shown

    def start(self, game: Game) -> Snapshot:
        """Take and return a snapshot of the current state, which is the state before the first
        tick. Raise `SnapshotError` if the game cannot be restored from a snapshot.
        """
        self._game = game
        snapshot = self._saved.save(game, 0)
        self.states = StateChecks([*self._remotes], snapshot, self._run_again, player=self._player)
        return snapshot

    # -- input -------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Add empty input for the first ticks. Because of the input delay, key presses have no
        effect in the first ticks.
        """
        for tick in range(1, self.delay.ticks + 1):
            self.own.add(tick, ())

    def must_wait(self, number: int, now_ns: int) -> bool:
        """Return whether the tick ``number`` must wait, because another player's input has been
        missing for too many ticks.
        """
        last = min(remote.input.known for remote in self._remotes.values())
        if number - last > self.max_prediction:
            self._stats.stalls += 1
            if self.waits_ns is None:
                self.waits_ns = now_ns
            return True
        self.waits_ns = None
        return False

    def begin_tick(self, number: int, local: TickInput, one_way: float) -> TickInput:
        """Return the input of all players for a tick that runs for the first time. ``local`` is the
        new input of this machine. ``one_way`` is the number of ticks that a packet takes to reach
        the slowest player.
        """
        self._add_own(number, local)
        self.tick = number
        self._saved.note_tick()
        self.delay.note_tick(one_way)
        return self.input_of(number)

    def input_of(self, number: int) -> TickInput:
        """Return the input of all players for a tick, and predict input that has not arrived yet.
        The returned input is stored, so that it can be compared with the final input later.
        """
        inputs = self._inputs_of(number)
        self._used[number] = inputs
        return combined(inputs)

    def add_known(self, remote: RemotePlayer, tick: int, events: Events) -> None:
        """Add another player's input for the next tick. If the tick ``tick`` has already run with
        different input, `correct` will run it again.
        """
        remote.input.add(tick, events)
        if events:
            remote.held = TickInput(events).held(remote.held)
        used = self._used.get(tick)
        if used is not None and used[remote.player] != events:
            self._redo = tick if self._redo is None else min(self._redo, tick)

    def release_keys(self, remote: RemotePlayer) -> None:
        """Release all keys of a player who has left, and no longer expect input from this
        player.
        """
        self.add_known(remote, remote.input.known + 1, released(remote.held))
        remote.input.known = NO_END

    def known(self) -> int:
        """Return the last tick for which the input of all players has arrived."""
        last_ticks = [remote.input.known for remote in self._remotes.values()]
        return min([self.own.known, *last_ticks])

    def _add_own(self, number: int, local: TickInput) -> None:
        """Add the new input of this player. The input takes effect in the tick ``number`` plus the
        input delay.
        """
        self._local.add(held_at_start(local) if number == self.first_tick else local)
        target = number + self.delay.ticks
        while self.own.known < target - 1:  # the delay has grown, so ticks without input are added
            self.own.add(self.own.known + 1, ())
        # If the delay has become shorter, the events wait for the next tick.
        if self.own.known < target:
            self.own.add(target, self._local.take())

    def _inputs_of(self, number: int) -> list[Events]:
        inputs: list[Events] = [()] * (len(self._remotes) + 1)
        inputs[self._player] = self.own.at(number)
        for remote in self._remotes.values():
            inputs[remote.player] = remote.input.at(number)
        return inputs

    # -- after a tick ------------------------------------------------------------------------------

    def note_first_run(self, game: Game) -> None:
        """When a tick has run for the first time, store the hash and the snapshot of its state if
        they are needed.
        """
        if self.tick != game.tick or self._noted >= self.tick:
            return
        self._note_exit(driven(game).stage)
        self._end_pause(game)
        self._note_state(game, self.tick)

    def _end_pause(self, game: Game) -> None:
        """If the game's own code has paused the game, end the pause. No ticks run during a pause,
        so the machines could not end it in the same tick.
        """
        if game.timestep.paused:
            game.timestep.paused = False
            if not self._has_warned:
                self._has_warned = True
                warnings.warn(
                    f"Rollback: tick {game.tick} set timestep.paused, which a match ignores; push a "
                    "scene with pauses_below = True",
                    RuntimeWarning,
                    stacklevel=2,
                )

    def _note_exit(self, stage: Any) -> None:
        """If the game has called `Game.exit` because of predicted input, wait for the final input
        before the game ends.
        """
        if stage.exiting and not self.exits and self.tick > self.known():
            stage.exiting = False
            self._exit_tick = self._exit_tick or self.tick

    def _note_state(self, game: Game, tick: int) -> None:
        self._noted = tick
        if tick % INTERVAL == 0:
            self.states.note(tick, game.state_hash(), self._saved.save(game, tick))

    # -- corrections -------------------------------------------------------------------------------

    def correct(self, game: Game) -> None:
        """If a tick has run with wrong input, run it and all later ticks again with the correct
        input.
        """
        tick = self.tick
        first = self._redo
        self._redo = None
        if first is None or first > tick:
            self._saved.save_if_due(game, tick, False)
            return
        stage = driven(game).stage
        base, snapshot = self._saved.before(first)
        if self._exit_tick is not None and self._exit_tick > base:
            self._exit_tick = None
        exiting = stage.exiting
        stage.exiting = False
        start = time.perf_counter()
        game.restore(snapshot)
        self._run_ticks_again(game, base + 1)
        stage.exiting = exiting
        stage.resimulation.again.clear()
        self._saved.note_correction(tick - base, time.perf_counter() - start)
        self._saved.save_if_due(game, tick, False)
        self._stats.corrections += 1
        self._stats.resimulated += tick - base

    def _run_ticks_again(self, game: Game, first: int) -> None:
        """Run all ticks from ``first`` on again, and store their states."""
        stage = driven(game).stage
        last_known = self.known()
        for number in range(first, self.tick + 1):
            game.run_ticks(1)
            if stage.exiting:
                stage.exiting = False
                self._exit_tick = self._exit_tick or number
            self._end_pause(game)
            self._note_state(game, number)
            if number < self.tick:
                self._saved.save_if_due(game, number, number == last_known)

    def confirm(self, game: Game) -> list[bytes]:
        """Confirm each tick for which the input of all players has arrived. Return messages to all
        other players, with the state hashes of the confirmed ticks.
        """
        confirmed = min(self.known(), self.tick)
        if confirmed <= self.confirmed:
            return []
        for tick in range(self.confirmed + 1, confirmed + 1):
            self._note_final(tick, combined(self._used.pop(tick)))
        self.confirmed = confirmed
        self._saved.confirm(confirmed)
        for remote in self._remotes.values():
            remote.input.forget(confirmed)
        self.own.forget(confirmed)
        game.recording.confirm(confirmed)
        if self._exit_tick is not None and self._exit_tick <= confirmed:
            self.exits = True
            game.exit()
        return self.states.confirm(confirmed)

    def confirm_final(self, game: Game, final: TickInput) -> None:
        """Confirm the last tick, which has already run with its final input."""
        self.confirmed = self.tick
        self._end_pause(game)
        self._note_final(self.tick, final)
        game.recording.confirm(self.tick)

    def _run_again(
        self, snapshot: Snapshot, first: int, last: int, each: Callable[[Any, int], object]
    ) -> None:
        """Run the ticks ``first`` to ``last`` again with final input, to find the tick after which
        two machines differ, and then restore the current state. Sounds and other effects do not
        start again.
        """
        game = self._game
        stage = driven(game).stage
        resimulation = stage.resimulation
        present = game.snapshot()
        flags = resimulation.at_earlier_tick, resimulation.resimulating
        notes = stage.notes
        resimulation.at_earlier_tick = resimulation.resimulating = True
        stage.notes = []
        stage.driver = _FinalInput(lambda number: combined(self._inputs_of(number)))
        try:
            game.restore(snapshot)
            for tick in range(first, last + 1):
                run_ticks(game, lambda: game.tick < tick)  # noqa: B023
                each(game, tick)
            game.restore(present)
        finally:
            stage.driver = None
            stage.notes = notes
            resimulation.at_earlier_tick, resimulation.resimulating = flags

    # -- coming back -------------------------------------------------------------------------------

    def go_back(self, game: Game, tick: int, snapshot: Snapshot) -> None:
        """Restore the state after an earlier tick. Later ticks then run again with different input,
        as if they were new.
        """
        game.restore(snapshot)
        driven(game).stage.resimulation.again.clear()
        self.tick = self._noted = self.confirmed = tick
        self._used.clear()
        self._redo = self._exit_tick = self.waits_ns = None

    def forget_snapshots(self) -> None:
        """Delete the snapshots of ticks that will not run again."""
        self._saved = SavedTicks(self.max_prediction)

    def take_part(self, game: Game, early: TickInput) -> Snapshot:
        """Take part in the match from the next tick on, and return a snapshot of the current state.
        ``early`` contains the keys and buttons that the player is holding on this machine.
        """
        self.first_tick = self.tick + 1
        self._local = LocalEvents(self._player)
        self._local.add(early)
        self._noted = self.tick
        self._saved = SavedTicks(self.max_prediction)
        return self._saved.save(game, self.tick)


class _FinalInput:
    """A tick driver that runs ticks with their final input."""

    not_state = True
    receive: Callable[[Event], object] | None = None

    def __init__(self, input_of: Callable[[int], TickInput]) -> None:
        self._input_of = input_of

    def tick(self, number: int, local: TickInput) -> TickInput:
        """Return the final input of the tick ``number``."""
        return self._input_of(number)

    def due(self, now: int) -> tuple[object, ...]:
        """Return an empty tuple, because frames do not run ticks with this driver."""
        return ()


def released(held: HeldInput) -> Events:
    """Return events that release all keys and buttons in ``held``, but at most `MAX_HELD` events,
    the maximum for one tick.
    """
    return HeldInput(position=held.position).since(held).events[:MAX_HELD]
