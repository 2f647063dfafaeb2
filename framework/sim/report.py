"""Reports: whether a game is deterministic, and the first difference between two runs."""

from __future__ import annotations

__all__ = ["SyncReport"]

from dataclasses import dataclass
from typing import Self

from ..record.hashes import SCHEME, apart, worded


@dataclass(frozen=True, kw_only=True)
class FirstDifference:
    """The first difference between two runs: the tick, the path of the value, the row and the two
    values.
    """

    tick: int | None = None
    """The first tick after which the states differ, or None if no difference is known."""
    phase: str | None = None
    """The phase of the tick that caused the difference.  The phase is "events" (handlers, callbacks
    of widgets), "tasks", "tweens", "routines", a phase, the name of a system, or "update". `phase`
    is None if the difference did not occur again.
    """
    path: str | None = None
    """The first value that differs, as in "game.ships[2].speed". `path` is None if no value is
    known.
    """
    row: tuple[int, ...] | None = None
    """The index in the array at `path`. `row` is None if the value is no array."""
    before: object = None
    """The value at `path` in the first run."""
    after: object = None
    """The value at `path` in the second run."""
    ulps: int | None = None
    """The difference of two floats in ULPs. 1 means that there is no float between them. None for
    other values.
    """
    reason: str = ""
    """The reason why no path is known, or ""."""

    @property
    def difference(self) -> str:
        """The difference as text, with the tick, path, row and the two values."""
        if self.reason:
            return f"tick {self.tick}: {self.reason}"
        row = "" if self.row is None else f"[{', '.join(map(str, self.row))}]"
        phase = "" if self.phase is None else f", after {self.phase}"
        before, after = worded(self.before, self.after)
        return (
            f"tick {self.tick}{phase}: {self.path}{row} was {before}, and {after} "
            f"{self.second_time}{apart(self.ulps)}"
        )

    @property
    def second_time(self) -> str:
        """The name of the second run in the text `difference`."""
        return "when the tick was run again"


@dataclass(frozen=True, kw_only=True)
class RepeatReport(FirstDifference):
    """Whether a repeated run had the same states as the first run. If the states differ, the report
    has the first difference.
    """

    game: str
    """The name of the game's class."""
    ticks: int
    """The number of ticks that were played."""
    ok: bool
    """Whether all compared states were equal."""

    def check(self) -> Self:
        """Raise `AssertionError` with the first difference if the runs differ, otherwise return the
        report.
        """
        if not self.ok:
            raise AssertionError(str(self))
        return self


@dataclass(frozen=True, kw_only=True)
class SyncReport(RepeatReport):
    """The result of `sync_test`: whether all repeated ticks ended in the same state."""

    check_distance: int
    """The number of ticks that the test went back each time."""

    def __str__(self) -> str:
        outcome = "the same each time" if self.ok else self.difference
        return f"{self.game}: {self.ticks:,} ticks, {self.check_distance} back: {outcome}"


@dataclass(frozen=True, kw_only=True)
class Verification(RepeatReport):
    """The result of `Replay.verify`: whether all states have the recorded hashes."""

    agreed: int
    """The last tick with the same hash as in the recording."""
    compared: int
    """The number of compared states."""
    scheme: int = SCHEME
    """The version of the hash function of the recording. If this version of the framework uses
    another hash function, no states are compared.
    """

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
