"""Match phase: whether this machine waits for other players, returns to a match, or plays.

Several parts of a `Rollback` session share one `MatchPhase`. `MatchStart` and `Comeback` change it.
"""

from __future__ import annotations

from .rejoining import CatchUp


class MatchPhase:
    """Whether this machine waits for other players, catches up, enters, or plays.

    At first, this machine waits until all players are connected. If the match already runs on
    another machine, this machine catches up: it runs the ticks that it has missed. Then this
    machine enters: it has received the number of the first tick in which its player takes part.
    From this tick on, the player plays.
    """

    not_state = True

    def __init__(self) -> None:
        self.begun = False
        """True while the player of this machine takes part in the match."""
        self.catch_up: CatchUp | None = None
        """The final input that this machine receives while it catches up or enters."""
        self.reason = ""
        """A sentence that says why the match cannot run, or ""."""

    @property
    def is_catching_up(self) -> bool:
        """Whether this machine runs ticks that it has missed, and has not received the first tick
        in which its player takes part.
        """
        return self.catch_up is not None and self.catch_up.enter_tick is None

    @property
    def is_entering(self) -> bool:
        """Whether this machine runs the last ticks before the first tick in which its player takes
        part.
        """
        return self.catch_up is not None and self.catch_up.enter_tick is not None

    @property
    def takes_part(self) -> bool:
        """Whether the input of this player is used in the match, now or a few ticks later."""
        return self.begun or self.is_entering
