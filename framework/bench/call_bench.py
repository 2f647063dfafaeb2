"""Measure the time of single function calls, and compare two versions of the framework.

The command is `framework bench calls`. Each row of the result table stands for one kind of call.
The benchmark runs several rounds, and each round measures every row once, in a short loop.
Therefore, if other programs slow down the machine for some time, all rows become slower. Some rows
also measure code that does the same work "by hand", without the framework, directly before or after
the loop with the framework.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..errors import FrameworkError
from .call_rows import ROWS, MeasuredRows, Row
from .machine_info import Machine, this_machine
from .processes import framework_environment
from .progress import progress_bar
from .worker_process import WorkerProcess

LIMIT = 1.10
"""A row counts as slower if its time is more than 1.1 times the time in the older version."""

# Removes PYTHONPATH for the other version, because it may contain the folder of this version.
_OTHER_VERSION: dict[str, str | None] = {"PYTHONPATH": None}
_CONFIRM = 3  # how many times the benchmark measures slow rows again


@dataclass
class CallResult:
    """The measured time of one call, in microseconds."""

    name: str
    group: str
    minimum: float
    median: float
    beside: str = ""
    """The name of the hand-written code that does the same work, or ""."""
    by_hand_minimum: float | None = None
    by_hand_median: float | None = None


@dataclass
class CallsReport:
    """All results of `framework bench calls`."""

    machine: Machine
    rounds: int
    rows: list[CallResult]


@dataclass
class CallChange:
    """The times of one call in two versions of the framework, in microseconds."""

    name: str
    older_minimum: float
    older_median: float
    minimum: float
    median: float
    ratio: float
    """The new time divided by the older time. The ratio is computed from the minima and from the
    medians, and the smaller result is used, so that other programs on the machine rarely make a
    call look slower.
    """

    @property
    def slower(self) -> bool:
        return self.ratio > LIMIT


@dataclass
class CallsComparison:
    """The comparison of two versions of the framework."""

    older: str
    """A description of the older version."""
    changes: list[CallChange]
    notes: list[str] = field(default_factory=list)
    """Sentences about rows that exist in only one version, and about differences between the
    machines.
    """

    @property
    def slower(self) -> list[CallChange]:
        """The rows that are slower in the newer version, the worst row first."""
        return sorted(
            (change for change in self.changes if change.slower), key=lambda row: -row.ratio
        )


def pick_rows(parts: Sequence[str]) -> list[Row]:
    """Return the rows whose name or group contains one of ``parts``, regardless of case. If
    ``parts`` is empty, return all rows. Raises `FrameworkError` if no row matches.
    """
    if not parts:
        return list(ROWS)
    picked: list[Row] = []
    for part in parts:
        matches = [row for row in ROWS if part.lower() in f"{row.group}: {row.name}".lower()]
        if not matches:
            groups = ", ".join(dict.fromkeys(row.group for row in ROWS))
            raise FrameworkError(
                f"calls: expected a part of a row's name, got {part!r}; the groups are {groups}, "
                "and --list prints all rows"
            )
        picked += matches
    return [row for row in ROWS if row in picked]


def measure_calls(
    parts: Sequence[str] = (), rounds: int = 9, progress: bool = False
) -> CallsReport:
    """Run the benchmark of `framework bench calls`, and return the measured times.

    ``parts`` selects the rows to measure: see `pick_rows`. Each row is measured ``rounds`` times.
    """
    rows = pick_rows(parts)
    measured = MeasuredRows([row.name for row in rows])
    try:
        if measured.errors:
            name, error = next(iter(measured.errors.items()))
            raise FrameworkError(f"calls: the row {name!r} cannot run: {error}")
        times: dict[str, list[list[float]]] = {row.name: [] for row in rows}
        with progress_bar(rounds * len(rows), "row", progress, "calls") as bar:
            for _ in range(rounds):
                for name in times:
                    times[name].append(measured.measure(name))
                    bar.update()
        machine = this_machine(measured.games.game)
    finally:
        measured.close()
    return CallsReport(machine, rounds, [_result(row, times[row.name]) for row in rows])


def _result(row: Row, times: list[list[float]]) -> CallResult:
    """Return the minimum and median times of a row, in microseconds. ``times`` contains two times
    in seconds for each round: the time of a call, and the time of the same work by hand.
    """
    columns = [[1e6 * seconds for seconds in column] for column in zip(*times, strict=True)]
    figures = [(min(column), statistics.median(column)) for column in columns]
    if len(figures) == 1:
        return CallResult(row.name, row.group, *figures[0])
    return CallResult(row.name, row.group, *figures[0], row.beside, *figures[1])


# -- comparisons -----------------------------------------------------------------------------------


def read_report(path: Path) -> dict[str, Any]:
    """Read a JSON file that `framework bench calls --json` has written. Raises `FrameworkError` if
    the file cannot be read, or was not written by `framework bench calls`.
    """
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
        rows = {
            row["name"]: (float(row["minimum"]), float(row["median"])) for row in report["rows"]
        }
        if not all(0 < minimum <= median < 1e12 for minimum, median in rows.values()):
            raise ValueError
        return {"rows": rows, "machine": dict(report["machine"])}
    except OSError as error:
        raise FrameworkError(
            f"--against: {str(path)!r} cannot be read: {error.strerror or error}"
        ) from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FrameworkError(
            f"--against: expected a file of `framework bench calls --json`, got {str(path)!r}"
        ) from None


def compare_with_report(report: CallsReport, older: dict[str, Any], name: str) -> CallsComparison:
    """Compare a report with an older report of the same benchmark. ``name`` is the file from which
    `read_report` has read the older report.
    """
    rows: dict[str, tuple[float, float]] = older["rows"]
    changes = [
        _change(row.name, *rows[row.name], row.minimum, row.median)
        for row in report.rows
        if row.name in rows
    ]
    notes = []
    fresh = [row.name for row in report.rows if row.name not in rows]
    if fresh:
        notes.append(f"Not in {name}: {'; '.join(fresh)}.")
    different = _differences(older["machine"], asdict(report.machine))
    if different:
        notes.append(
            f"The machines differ: {', '.join(different)}. So the ratios say nothing about the "
            "versions: measure both on one machine, with --beside."
        )
    if not changes:
        raise FrameworkError(f"--against: {name!r} has none of the measured rows")
    return CallsComparison(name, changes, notes)


def _differences(older: dict[str, Any], machine: dict[str, Any]) -> list[str]:
    """Return the differences between two machines that also change the times of calls."""
    return [
        f"{key} ({older.get(key)!r}, now {machine[key]!r})"
        for key in ("processor", "renderer", "clock", "noop")
        if older.get(key) != machine[key]
    ]


def confirm_slower(
    comparison: CallsComparison, rounds: int = 9, progress: bool = False
) -> CallsComparison:
    """Measure the slower rows of a comparison again, up to three times. Only the rows that are
    slower in every measurement are reported as slower.
    """
    changes = {change.name: change for change in comparison.changes}
    for _ in range(_CONFIRM):
        slower = [change.name for change in changes.values() if change.slower]
        if not slower:
            break
        for row in measure_calls(slower, rounds, progress).rows:
            if row.name in slower:
                old = changes[row.name]
                changes[row.name] = _change(
                    row.name,
                    old.older_minimum,
                    old.older_median,
                    min(row.minimum, old.minimum),
                    min(row.median, old.median),
                )
    return CallsComparison(comparison.older, list(changes.values()), comparison.notes)


def _change(
    name: str, older_minimum: float, older_median: float, minimum: float, median: float
) -> CallChange:
    ratio = min(minimum / older_minimum, median / older_median)
    return CallChange(name, older_minimum, older_median, minimum, median, ratio)


def _interpreter_of(python: str) -> str:
    interpreter = shutil.which(python)
    if interpreter is None:
        raise FrameworkError(
            f"--beside: expected the path of a Python interpreter, got {python!r}; the "
            "environment of the other version has one, such as older/bin/python"
        )
    return interpreter


def compare_versions(
    python: str, parts: Sequence[str] = (), rounds: int = 9, progress: bool = False
) -> CallsComparison:
    """Measure this version of the framework and another version, which the Python interpreter
    ``python`` imports. The two versions run alternately, row by row.

    Rows that seem to be slower are measured again, up to three times, with the same number of
    rounds. A row is reported as slower only if it is slower over all its rounds together.
    """
    names = [row.name for row in pick_rows(parts)]
    interpreter = _interpreter_of(python)
    with ExitStack() as stack:
        ours, theirs = (
            stack.enter_context(WorkerProcess(side, path, "call_worker", names, environment))
            for side, path, environment in (
                ("this version", sys.executable, framework_environment()),
                ("the other version", interpreter, _OTHER_VERSION),
            )
        )
        prepared = ours.call("prepared"), theirs.call("prepared")
        common = [name for name in names if all(name in side["names"] for side in prepared)]
        versions = _TwoVersions(theirs, ours, common)
        again = common
        for _ in range(1 + _CONFIRM):
            with progress_bar(rounds * len(again), "row", progress, "two versions") as bar:
                versions.measure_in_turns(again, rounds, bar.update)
            changes = versions.changes()
            again = [change.name for change in changes if change.slower]
            if not again:
                break
    notes = [
        f"Not in the other version: {name} ({prepared[1]['errors'].get(name, 'no such row')})."
        for name in names
        if name not in common
    ]
    return CallsComparison(f"subtick {prepared[1]['version']} of {python}", changes, notes)


class _TwoVersions:
    """The processes of two versions of the framework, and the times of each row in both versions,
    in microseconds.
    """

    def __init__(self, older: WorkerProcess, newer: WorkerProcess, names: Sequence[str]) -> None:
        self._workers = older, newer
        self._times: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in names}

    def measure(self, name: str, older_first: bool) -> None:
        """Measure a row once in each version."""
        for side in (0, 1) if older_first else (1, 0):
            seconds = self._workers[side].call("measure", name)[0]
            self._times[name][side].append(1e6 * seconds)

    def measure_in_turns(
        self, names: Sequence[str], rounds: int, note_row: Callable[[], object]
    ) -> None:
        """Measure rows for a number of rounds, and call ``note_row`` after each row. Both versions
        take turns to be first in a round.
        """
        for turn in range(rounds):
            for name in names:
                self.measure(name, older_first=bool(turn % 2))
                note_row()

    def changes(self) -> list[CallChange]:
        return [
            _change(
                name, min(older), statistics.median(older), min(newer), statistics.median(newer)
            )
            for name, (older, newer) in self._times.items()
        ]
