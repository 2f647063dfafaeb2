"""What a test of a game's repeatability has found: by going back, or by playing a recording
again.
"""

from __future__ import annotations

__all__ = ["SyncReport"]

from dataclasses import dataclass
from typing import Self

from ..record.hashes import SCHEME, apart, worded


@dataclass(frozen=True, kw_only=True)
class Found:
    """Where two states differ that should not: the tick, the path, the row, both values."""

    tick: int | None = None
    """The first tick that is known to have ended differently."""
    phase: str | None = None
    """The part of the tick after which the states differ: "events" (handlers, callbacks of
    widgets), "tasks", "tweens", "routines", a phase, a system's name or "update"; None if the
    difference did not show again."""
    path: str | None = None
    """The first value that differed, as in "game.ships[2].speed"; None where that is not known."""
    row: tuple[int, ...] | None = None
    """Where in the array at that path."""
    before: object = None
    """The value as it was the first time."""
    after: object = None
    """The value as it was the second time."""
    ulps: int | None = None
    """How far two floats are apart, in units of their last place."""
    reason: str = ""
    """Why no value can be named, where that is so."""

    @property
    def difference(self) -> str:
        """In words: the tick, the path, the row, both values."""
        if self.reason:
            return f"tick {self.tick}: {self.reason}"
        row = "" if self.row is None else f"[{', '.join(map(str, self.row))}]"
        where = "" if self.phase is None else f", after {self.phase}"
        before, after = worded(self.before, self.after)
        return (
            f"tick {self.tick}{where}: {self.path}{row} was {before}, and {after} "
            f"{self.second_time}{apart(self.ulps)}"
        )

    @property
    def second_time(self) -> str:
        """When the second value was met."""
        return "when the tick was run again"


@dataclass(frozen=True, kw_only=True)
class Report(Found):
    """Whether every tick ended as it had before, or where not."""

    game: str
    """The class of the game."""
    ticks: int
    """Ticks that were played."""
    ok: bool
    """Whether all was the same."""

    def check(self) -> Self:
        """Raise `AssertionError`, which says where, unless all was the same; else return the
        report.
        """
        if not self.ok:
            raise AssertionError(str(self))
        return self


@dataclass(frozen=True, kw_only=True)
class SyncReport(Report):
    """The outcome of `sync_test`."""

    check_distance: int
    """How many ticks it went back."""

    def __str__(self) -> str:
        outcome = "the same each time" if self.ok else self.difference
        return f"{self.game}: {self.ticks:,} ticks, {self.check_distance} back: {outcome}"


@dataclass(frozen=True, kw_only=True)
class Verification(Report):
    """The outcome of `Replay.verify`."""

    agreed: int
    """The last tick whose state was known to be the same as in the recording."""
    compared: int
    """States that were compared with the recording's."""
    scheme: int = SCHEME
    """The scheme of the recording's hashes. No states are compared if it is not the one of this version."""

    def __str__(self) -> str:
        if self.ok and self.scheme != SCHEME:
            return (
                f"{self.ticks} ticks were played; the states were not compared, because the recording has hashes of "
                f"scheme {self.scheme}, and this version computes scheme {SCHEME}"
            )
        if self.ok and not self.compared:
            return (
                f"{self.ticks} ticks were played; the recording has no hash of a state to compare"
            )
        if self.ok:
            return (
                f"{self.ticks} ticks were played; all {self.compared} states that were "
                "compared are the same"
            )
        return f"DIVERGED after tick {self.agreed}: {self.difference}"
