"""Record whether this machine is waiting for a match to start, rejoining a match, or playing.

The parts of a `Rollback` session share one `MatchPhase`. Only `MatchStart`, `Comeback` and
`LostPlayers` change it.
"""

from __future__ import annotations

from .rejoining import CatchUp


class MatchPhase:
    """The phase of this machine in a match: waiting for players, catching up, entering, or playing.

    At first, this machine waits until all players are connected. If another machine is already
    running the match, this machine catches up: it runs the ticks that it has missed. After it has
    received the number of the tick in which its player takes part again, it enters the match: it
    runs all ticks before that tick. From that tick on, it plays.
    """

    not_state = True

    def __init__(self) -> None:
        self.begun = False
        """True while the player of this machine takes part in the match."""
        self.catch_up: CatchUp | None = None
        """The final input that this machine receives while it is catching up or entering."""
        self.reason = ""
        """A sentence that explains why the match cannot run, or ""."""

    @property
    def is_catching_up(self) -> bool:
        """Whether this machine is running missed ticks, but has not yet received the number of the
        tick in which its player takes part again.
        """
        return self.catch_up is not None and self.catch_up.enter_tick is None

    @property
    def is_entering(self) -> bool:
        """Whether this machine has received the number of the tick in which its player takes part
        again, and is running the ticks before that tick.
        """
        return self.catch_up is not None and self.catch_up.enter_tick is not None

    @property
    def takes_part(self) -> bool:
        """Whether the match uses the input of this player, now or within a few ticks."""
        return self.begun or self.is_entering
