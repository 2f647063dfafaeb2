"""Reports of sync tests and replays: whether a game repeats, and the first difference."""

from __future__ import annotations

__all__ = ["SyncReport"]

from dataclasses import dataclass
from typing import Self

from ..record.hashes import SCHEME, apart, worded


@dataclass(frozen=True, kw_only=True)
class FirstDifference:
    """The first difference between two runs: tick, path, row and both values."""

    tick: int | None = None
    """The first tick that ended differently, as far as it is known."""
    phase: str | None = None
    """The part of the tick after which the states differ.

    It is "events" (handlers, callbacks of widgets), "tasks", "tweens", "routines", a phase, the
    name of a system, or "update". None if the difference did not occur again.
    """
    path: str | None = None
    """The first value that differs, as in "game.ships[2].speed". None if it is not known."""
    row: tuple[int, ...] | None = None
    """The index in the array at that path."""
    before: object = None
    """The value in the first run."""
    after: object = None
    """The value in the second run."""
    ulps: int | None = None
    """The distance of two floats in units in the last place."""
    reason: str = ""
    """Why no value is named, or ""."""

    @property
    def difference(self) -> str:
        """The difference in words: tick, path, row and both values."""
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
        """The second run in words."""
        return "when the tick was run again"


@dataclass(frozen=True, kw_only=True)
class RepeatReport(FirstDifference):
    """Whether every tick ended as before, or the first difference."""

    game: str
    """The class of the game."""
    ticks: int
    """The number of ticks that were played."""
    ok: bool
    """Whether all states were equal."""

    def check(self) -> Self:
        """Return the report, or raise `AssertionError` with the difference."""
        if not self.ok:
            raise AssertionError(str(self))
        return self


@dataclass(frozen=True, kw_only=True)
class SyncReport(RepeatReport):
    """The result of `sync_test`."""

    check_distance: int
    """The number of ticks that it went back."""

    def __str__(self) -> str:
        outcome = "the same each time" if self.ok else self.difference
        return f"{self.game}: {self.ticks:,} ticks, {self.check_distance} back: {outcome}"


@dataclass(frozen=True, kw_only=True)
class Verification(RepeatReport):
    """The result of `Replay.verify`."""

    agreed: int
    """The last tick whose state is known to equal the recorded one."""
    compared: int
    """The number of compared states."""
    scheme: int = SCHEME
    """The scheme of the recording's hashes. No states are compared if this version has another one.
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
