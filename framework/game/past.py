"""What a game knows of ticks that were run before: whether it stands at one, or runs them again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..input.tick_input import Event


class Past:
    """What the parts of a game tell each other of its past. None of it is state: going back does
    not change it.
    """

    not_state = True

    def __init__(self) -> None:
        self.resimulating = False
        """Ticks are run again that were run before."""
        self.standing = False
        """The game stands at a tick of the past: time does not pass in it."""
        self.disturbed = False
        """Something was changed from outside, which running the ticks again would not bring
        about.
        """
        self.went_back: list[Callable[[int], object]] = []
        """Are told the tick when the game goes on from one of the past: what came after it has not
        been.
        """
        self.effects: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = []
        """Of the tick that is running: what is to be done when it is over, by `deliver`."""
        self.deliver: Callable[[int], object] | None = None
        self.reached = 0
        """The last tick that was run before the game was restored by hand, and no tick of the clock
        has come since.
        """
        self.restored: list[Callable[[], object]] = []
        """Are told that the game is about to be restored by hand."""
        self.replaying = False
        """Ticks latch what a recording has, and nothing else."""
        self.arrived: dict[int, list[Event]] = {}
        """What ticks latched of threads' work: after a restoration by hand, they do so again."""
        self.passes = 0
        """Ticks that were run so far, counting a tick again each time that it is run again."""
        self.again: list[Callable[[], object]] = []
        """Calls that ticks ask for which are run again."""
