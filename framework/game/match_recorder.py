"""Record a network match to a file. Each tick is written once its input is final."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..input.tick_input import Event
from ..timing.timestep import Tick
from .loop import Loop
from .recorder import InputRecorder
from .stage import Stage


class MatchRecorder(InputRecorder):
    """Writes the input of a match to a recording file. The recorder writes each tick after the
    session has confirmed its input.

    A tick may run several times, first with predicted input of the other players. Until `confirm`
    is called, the recorder keeps the input and the state hash of each tick's last run.
    """

    not_state = True

    def __init__(self, stage: Stage, loop: Loop, path: str, hash_every: int) -> None:
        super().__init__(stage, loop, path, hash_every)
        self._hash_every = hash_every
        self._tick_events: list[Event] = []
        self._runs: dict[int, list[Event]] = {}
        self._run_hashes: dict[int, int] = {}
        self._confirmed = 0
        self._pending_hash = 0
        self._disconnect()
        stage.files.notes.append(self.note_result)
        stage.notes.append(self.note_run)

    def note_run(self, number: int, events: list[Event], still: bool) -> None:
        """Store the input events of the tick ``number``, which is about to run."""
        self._tick_events = [*events]

    def begin_tick(self, tick: Tick) -> None:
        """Store the input of a tick that is about to run. If the tick has run before, the new input
        replaces the old input.
        """
        if not self._stage.resimulation.at_earlier_tick:
            self._runs[tick.number] = self._tick_events
            self._tick_events = []

    def end_tick(self, tick: Tick) -> None:
        """Store the hash of the state, if the recording needs a hash for this tick."""
        every = self._hash_every
        if every and not tick.number % every and not self._stage.resimulation.at_earlier_tick:
            self._run_hashes[tick.number] = self._stage.game.state_hash()

    def note_all(self, ticks: Iterable[tuple[int, Sequence[Event]]]) -> None:
        """Store the input of all ticks that ran before the recording began."""
        self._runs = {number: [*events] for number, events in ticks}

    def confirm(self, tick: int) -> None:
        """Write all ticks up to ``tick`` to the recording file, because their input is final."""
        for number in range(self._confirmed + 1, tick + 1):
            events = self._runs.pop(number, [])
            if events:
                self.note(number, events, False)
            self._pending_hash = self._run_hashes.pop(number, 0)
            if number >= self._due:
                self._write_due(number)
        self._confirmed = max(self._confirmed, tick)

    def _hash_of_state(self) -> int:
        return self._pending_hash

    @property
    def _last_tick(self) -> int:
        return self._confirmed

    def _disconnect(self) -> None:
        super()._disconnect()
        self._stage.notes = [note for note in self._stage.notes if note != self.note_run]


def write_match(
    stage: Stage, loop: Loop, path: str, ticks: Iterable[tuple[int, Sequence[Event]]], last: int
) -> None:
    """Write a recording of a match. The input of all ticks up to ``last`` must be final.

    Raises `AssetError` if the file cannot be written.
    """
    recorder = MatchRecorder(stage, loop, path, 0)
    recorder.note_all(ticks)
    recorder.confirm(last)
    recorder.release()
