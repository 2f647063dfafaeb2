"""Resimulation: flags and lists for ticks that run again, after a restore or during a rewind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..input.tick_input import Event


class Resimulation:
    """The state of ticks that run again after a restore or during a rewind, as flags and lists.
    Several internal objects of a game share this object.

    The attributes of this object do not belong to the state: a restore does not change these
    attributes.
    """

    not_state = True

    def __init__(self) -> None:
        self.resimulating = False
        """True while a tick runs that was run before."""
        self.at_earlier_tick = False
        """True while the game is paused at an earlier tick. During this pause, no game time passes.
        """
        self.in_session = False
        """True while `Session.before_tick` runs, which may restore a snapshot and run ticks again.
        Real time continues.
        """
        self.disturbed = False
        """True if code outside the ticks may have changed the game. A tick that runs again would
        not make this change again.
        """
        self.went_back: list[Callable[[int], object]] = []
        """Functions that are called with the tick's number when the game continues from an earlier
        tick. The ticks after this number are deleted.
        """
        self.effects: list[Any] = []
        """The effects of the current tick, as `TickEffects` stores them. When the tick is over,
        `deliver` runs the effects.
        """
        self.deliver: Callable[[int], object] | None = None
        """Called with the tick's number after a tick that has effects. After the first effect of
        the game, `deliver` is also called after each tick that runs again.
        """
        self.delivers_always = False
        """Whether `deliver` is called after each tick, because effects of earlier ticks wait for
        confirmed input, or may be withdrawn.
        """
        self.reached = 0
        """The number of the last tick that was run before `Game.restore`. The next tick that the
        clock runs sets it to 0.
        """
        self.restored: list[Callable[[], object]] = []
        """Functions that are called before `Game.restore` restores a snapshot."""
        self.caught_up: list[Callable[[], object]] = []
        """Functions that are called when all ticks before a restore have run again."""
        self.replaying = False
        """True while a replay runs: ticks read only the recorded input."""
        self.arrived: dict[int, list[Event]] = {}
        """The events of finished background work, by the number of the tick that received them. A
        tick that runs again after `Game.restore` receives the same events.
        """
        self.passes = 0
        """The number of ticks that were run. A tick that runs twice is counted twice."""
        self.again: list[Callable[[], object]] = []
        """Functions that were passed to `Game.call_soon` in ticks that ran again."""
