"""Record whether a tick is running for the first time, or again after a restore or a rewind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..input.tick_input import Event


class Resimulation:
    """Information about ticks that run again after a restore or during a rewind. Several internal
    objects of a game share one `Resimulation`.

    The attributes of a `Resimulation` are not part of the game's state, so a restore does not
    change them.
    """

    not_state = True

    def __init__(self) -> None:
        self.resimulating = False
        """True while a tick is running again."""
        self.at_earlier_tick = False
        """True while the game is paused at an earlier tick."""
        self.in_session = False
        """True while `Session.before_tick` is running, which may restore a snapshot and run ticks
        again.
        """
        self.disturbed = False
        """True if code outside of ticks may have changed the game. Such changes are lost if ticks
        run again.
        """
        self.went_back: list[Callable[[int], object]] = []
        """Functions that are called with the number of an earlier tick when the game continues from
        that tick. All ticks after it are deleted.
        """
        self.effects: list[Any] = []
        """The effects of the current tick, in the form that `TickEffects` uses. `deliver` runs them
        after the tick.
        """
        self.deliver: Callable[[int], object] | None = None
        """A function that is called with the tick number after each tick that has effects. Once a
        game has had its first effect, the function is also called after each tick that runs again.
        """
        self.delivers_always = False
        """Whether `deliver` is called after every tick. True while some effects are waiting for
        confirmed input or may be withdrawn.
        """
        self.reached = 0
        """The number of the last tick before `Game.restore` was called. It becomes 0 again when the
        game's clock runs the next tick.
        """
        self.restored: list[Callable[[], object]] = []
        """Functions that are called before `Game.restore` restores a snapshot."""
        self.caught_up: list[Callable[[], object]] = []
        """Functions that are called when all ticks up to `reached` have run again."""
        self.replaying = False
        """True while a replay is running. In a replay, ticks receive only the recorded input."""
        self.arrived: dict[int, list[Event]] = {}
        """The events about finished background work, by the tick number at which they were
        received. If a tick runs again, it receives the same events as in its first run.
        """
        self.passes = 0
        """The number of ticks that have run. A tick that runs twice counts twice."""
        self.again: list[Callable[[], object]] = []
        """Functions that were passed to `Game.call_soon` while ticks were running again."""
