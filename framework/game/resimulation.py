"""Resimulation: flags and queues about ticks that run again, after a restore or during a rewind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..input.tick_input import Event


class Resimulation:
    """Flags and queues that the parts of a game share about ticks that run again.

    None of these attributes is state: a restore does not change them.
    """

    not_state = True

    def __init__(self) -> None:
        self.resimulating = False
        """True while a tick runs that was run before."""
        self.at_earlier_tick = False
        """True while the game is paused at an earlier tick. No time passes."""
        self.disturbed = False
        """True if code outside the ticks has changed the game. Ticks that run again would not
        repeat that change.
        """
        self.went_back: list[Callable[[int], object]] = []
        """Functions that are called with the tick when the game continues from an earlier tick and
        the later ticks are deleted.
        """
        self.effects: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = []
        """The effects of the current tick: function or name, arguments, keyword arguments.
        `deliver` runs them when the tick is over.
        """
        self.deliver: Callable[[int], object] | None = None
        self.reached = 0
        """The last tick that was run before `Game.restore`. 0 after the clock's next tick."""
        self.restored: list[Callable[[], object]] = []
        """Functions that are called before `Game.restore` restores a snapshot."""
        self.replaying = False
        """True while a replay runs: ticks read only the recorded input."""
        self.arrived: dict[int, list[Event]] = {}
        """By tick, the events of finished background work. A tick that runs again after
        `Game.restore` receives the same events.
        """
        self.passes = 0
        """The number of ticks that were run. A tick that runs twice counts twice."""
        self.again: list[Callable[[], object]] = []
        """Functions that ticks passed to `Game.call_soon` while they ran again."""
