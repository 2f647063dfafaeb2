"""What a test of a game's repeatability has found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..state.hashes import apart, worded


@dataclass(frozen=True)
class SyncReport:
    """The outcome of `sync_test`: whether every tick that was run again ended as it had before, or where not."""

    game: str
    """The class of the game."""
    ticks: int
    """Ticks that were played."""
    check_distance: int
    """How many ticks it went back."""
    ok: bool
    """Whether all was the same."""
    tick: int | None = None
    """The first tick that ended differently when it was run again."""
    phase: str | None = None
    """The phase or the system of the tick after which states differ; None where that did not show again."""
    path: str | None = None
    """The first value that differed, as in "game.ships[2].speed"."""
    row: tuple[int, ...] | None = None
    """Where in the array at that path."""
    before: Any = None
    """The value as it was the first time."""
    after: Any = None
    """The value as it was the second time."""
    ulps: int | None = None
    """How far two floats are apart, in units of their last place."""
    reason: str = ""
    """Why no state could be gone back to, where that is so."""

    def __str__(self) -> str:
        played = f"{self.game}: {self.ticks:,} ticks, {self.check_distance} back"
        if self.ok:
            return f"{played}: the same each time"
        if self.reason:
            return f"{played}: tick {self.tick}: {self.reason}"
        row = "" if self.row is None else f"[{', '.join(map(str, self.row))}]"
        where = "" if self.phase is None else f", after {self.phase}"
        return (
            f"{played}: tick {self.tick}{where}: {self.path}{row} was {worded(self.before)}, "
            f"and {worded(self.after)} when the tick was run again{apart(self.ulps)}"
        )

    def check(self) -> SyncReport:
        """Raise `AssertionError`, which says where, unless all was the same; else return the report."""
        if not self.ok:
            raise AssertionError(str(self))
        return self
