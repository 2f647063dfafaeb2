"""The results of determinism tests, with the first difference between two runs."""

from __future__ import annotations

__all__ = ["SyncReport"]

from dataclasses import dataclass
from typing import Self

from ..record.hashes import SCHEME, apart, worded


@dataclass(frozen=True, kw_only=True)
class FirstDifference:
    """The first difference between two runs of a game."""

    tick: int | None = None
    """The first tick after which the states differ, or None if no difference is known."""
    phase: str | None = None
    """The part of the tick that caused the difference. Examples are "events" (event handlers and
    callbacks of widgets), "tasks", "tweens", "routines", "update", and the name of a phase or
    system. None if the difference did not occur again in repeated runs.
    """
    path: str | None = None
    """The path of the first value that differs, such as "game.ships[2].speed". None if this value
    is not known.
    """
    row: tuple[int, ...] | None = None
    """If the value at `path` is an array, the index of the first element that differs. Otherwise
    `row` is None.
    """
    before: object = None
    """The value at `path` in the first run."""
    after: object = None
    """The value at `path` in the second run."""
    ulps: int | None = None
    """The difference in ULPs (units in the last place) if both values are floats, otherwise None. A
    difference of 1 means that no other float is between the two values.
    """
    reason: str = ""
    """The reason for the difference if the path is not known, otherwise ""."""

    @property
    def difference(self) -> str:
        """A text that describes the difference: the tick, the path of the value, the row and the
        two values.
        """
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
        """The words for the second run in the text `difference`, such as "when the tick was run
        again".
        """
        return "when the tick was run again"


@dataclass(frozen=True, kw_only=True)
class RepeatReport(FirstDifference):
    """The result of a test that runs a game twice and compares the states. If the states differ,
    the report contains the first difference.
    """

    game: str
    """The name of the game's class."""
    ticks: int
    """The number of ticks that were played."""
    ok: bool
    """Whether all compared states were equal."""

    def check(self) -> Self:
        """Raise `AssertionError` if the states differ. If all states are equal, return this
        report.
        """
        if not self.ok:
            raise AssertionError(str(self))
        return self


@dataclass(frozen=True, kw_only=True)
class SyncReport(RepeatReport):
    """The result of `sync_test`. `ok` is True if all repeated ticks ended in the same state as
    before.
    """

    check_distance: int
    """The number of ticks by which the test went back each time."""

    def __str__(self) -> str:
        outcome = "the same each time" if self.ok else self.difference
        return f"{self.game}: {self.ticks:,} ticks, {self.check_distance} back: {outcome}"


@dataclass(frozen=True, kw_only=True)
class Verification(RepeatReport):
    """The result of `Replay.verify`. `ok` is True if all compared states have the same hashes as
    the recording.
    """

    agreed: int
    """The last tick whose hash was equal to the recorded hash."""
    compared: int
    """The number of states that were compared."""
    scheme: int = SCHEME
    """The version of the hash algorithm that the recording uses. If the framework now uses another
    version, no states are compared.
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
