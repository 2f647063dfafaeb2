"""Match phase: whether this machine waits for the other players, comes back into a match, or plays.

Several parts of a `Rollback` session share one `MatchPhase`. `MatchStart` and `Comeback` change it.
"""

from __future__ import annotations

from .rejoining import CatchUp


class MatchPhase:
    """The phase of a match on this machine.

    At first, this machine waits until all players are connected. If the match already runs on
    another machine, this machine catches up: it runs the ticks that it has missed. Then this machine
    enters: it knows the tick from which on its player takes part. After that, the player plays.
    """

    not_state = True

    def __init__(self) -> None:
        self.begun = False
        """Whether the player of this machine plays."""
        self.catch_up: CatchUp | None = None
        """The final input that this machine receives while it catches up or enters."""
        self.reason = ""
        """A sentence that says why the match cannot run, or ""."""

    @property
    def is_catching_up(self) -> bool:
        """Whether this machine runs ticks that it has missed, and does not know yet from which tick
        on its player takes part.
        """
        return self.catch_up is not None and self.catch_up.enter_tick is None

    @property
    def is_entering(self) -> bool:
        """Whether this machine knows the tick from which on its player takes part, and runs the
        final ticks before this tick.
        """
        return self.catch_up is not None and self.catch_up.enter_tick is not None

    @property
    def takes_part(self) -> bool:
        """Whether the input of this player counts in the match, now or in some ticks."""
        return self.begun or self.is_entering
