"""Single calls: their rows, comparisons of two versions, and the exit status of the command."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from framework.bench import call_bench, call_rows, price_tables
from framework.bench.call_bench import CallChange, CallsComparison, CallsReport
from framework.bench.processes import framework_environment
from framework.errors import FrameworkError
from framework.tools import cli

ROW_NAMES = ["batch.add()", "sprite.position = …", "quaternions.from_axis(axis, angle)"]


@pytest.fixture(scope="module")
def report() -> CallsReport:
    return call_bench.measure_calls(ROW_NAMES, rounds=2)


def test_every_row_runs_and_its_name_is_unique() -> None:
    names = [row.name for row in call_rows.ROWS]
    assert len(set(names)) == len(names) > 45
    measured = call_rows.MeasuredRows(names, drawing=False)
    try:
        assert measured.errors == {}
        assert measured.names == names
        for row in call_rows.ROWS:
            assert (measured._works[row.name].by_hand is not None) == bool(row.beside), row.name
    finally:
        measured.close()


def test_the_report_has_minimum_and_median_of_each_row(report: CallsReport) -> None:
    assert sorted(row.name for row in report.rows) == sorted(ROW_NAMES)
    for row in report.rows:
        assert 0 < row.minimum <= row.median
        assert (row.by_hand_minimum is None) == (row.beside == "")
    table = price_tables.calls_table(report)
    assert "CPU time of the thread" in table or sys.platform == "win32"
    assert all(name in table for name in ROW_NAMES)


def test_rows_are_picked_by_parts_of_their_names_and_groups() -> None:
    assert len(call_bench.pick_rows([])) == len(call_rows.ROWS)
    assert [row.name for row in call_bench.pick_rows(["FROM_AXIS", "batch.add()"])] == [
        "batch.add()",
        "quaternions.from_axis(axis, angle)",
    ]
    assert {row.group for row in call_bench.pick_rows(["collisions:"])} == {"collisions"}
    with pytest.raises(FrameworkError, match=r"got 'batch\.ad\('; the groups are sprites, coll"):
        call_bench.pick_rows(["batch.ad("])


def older_report(report: CallsReport, tmp_path: Path, factor: float, **machine: Any) -> Path:
    """Write a report whose calls took ``factor`` times as long."""
    rows = [
        dataclasses.replace(row, minimum=row.minimum * factor, median=row.median * factor)
        for row in report.rows
    ]
    described = dataclasses.replace(report.machine, **machine)
    path = tmp_path / "older.json"
    path.write_text(
        json.dumps(dataclasses.asdict(CallsReport(described, report.rounds, rows))), "utf-8"
    )
    return path


@pytest.mark.parametrize(("factor", "slower"), [(1.0, 0), (0.92, 0), (0.9, 3), (1.3, 0)])
def test_a_row_more_than_a_tenth_slower_is_reported(
    report: CallsReport, tmp_path: Path, factor: float, slower: int
) -> None:
    path = older_report(report, tmp_path, factor)
    comparison = call_bench.compare_with_report(report, call_bench.read_report(path), "older.json")
    assert len(comparison.slower) == slower
    assert comparison.notes == []
    table = price_tables.comparison_table(comparison)
    if slower:
        assert "3 of 3 rows are more than 10 % slower than in older.json" in table
    else:
        assert "No row is more than 10 % slower than in older.json." in table


def test_another_machine_and_new_rows_are_noted(report: CallsReport, tmp_path: Path) -> None:
    path = older_report(report, tmp_path, 1, processor="Z80")
    values = json.loads(path.read_text("utf-8"))
    del values["rows"][0]
    path.write_text(json.dumps(values), "utf-8")
    comparison = call_bench.compare_with_report(report, call_bench.read_report(path), "old")
    assert len(comparison.changes) == 2
    assert comparison.notes[0] == f"Not in old: {report.rows[0].name}."
    assert "The machines differ: processor ('Z80', now" in comparison.notes[1]
    values["rows"] = [{"name": "gone", "minimum": 1, "median": 2}]
    path.write_text(json.dumps(values), "utf-8")
    with pytest.raises(FrameworkError, match="'old' has none of the measured rows"):
        call_bench.compare_with_report(report, call_bench.read_report(path), "old")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"rows": 3, "machine": {}}',
        '{"rows": [{"name": "a", "minimum": NaN, "median": 1}], "machine": {}}',
        '{"rows": [{"name": "a", "minimum": 1, "median": -1}], "machine": {}}',
        '{"rows": [], "machine": 3}',
        "[" * 100_000,
    ],
)
def test_an_invalid_report_file_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "strange.json"
    path.write_text(text, "utf-8")
    with pytest.raises(FrameworkError, match=r"expected a file of `framework bench calls --json`"):
        call_bench.read_report(path)
    with pytest.raises(FrameworkError, match=r"none\.json' cannot be read: No such file"):
        call_bench.read_report(tmp_path / "none.json")


def test_a_slower_row_is_measured_again_before_it_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = CallChange("a", 1.0, 1.0, 2.0, 2.0, 2.0)
    fine = CallChange("b", 1.0, 1.0, 1.0, 1.0, 1.0)
    again: list[list[str]] = []
    times: Iterator[float] = iter([1.5, 1.05])

    def measure(parts: list[str], rounds: int, progress: bool) -> Any:
        again.append(parts)
        seconds = next(times)
        row = call_bench.CallResult("a", "group", seconds, seconds)
        return dataclasses.make_dataclass("Report", ["rows"])([row])

    monkeypatch.setattr(call_bench, "measure_calls", measure)
    confirmed = call_bench.confirm_slower(CallsComparison("old", [slow, fine]), 3)
    assert again == [["a"], ["a"]]
    assert [change.ratio for change in confirmed.changes] == [1.05, 1.0]
    assert confirmed.slower == []


def test_the_command_ends_with_4_if_a_row_is_slower(
    report: CallsReport,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(call_bench, "measure_calls", lambda *arguments: report)
    command = ["bench", "calls", "--json", str(tmp_path / "new.json"), "--against"]
    assert cli.main([*command, str(older_report(report, tmp_path, 0.5))]) == 4
    assert "3 of 3 rows are more than 10 % slower" in capsys.readouterr().out
    assert cli.main([*command, str(tmp_path / "new.json")]) == 0
    assert cli.main([*command, str(tmp_path / "none.json")]) == 2
    assert "--against" in capsys.readouterr().err
    assert cli.main(["bench", "calls", "--list", "3d"]) == 0
    assert "3D: node.position = …" in capsys.readouterr().out
    assert cli.main(["bench", "calls", "nonsense"]) == 2
    assert cli.main(["bench", "calls", "3d", "--write", "page.md"]) == 2
    assert "a page needs all rows" in capsys.readouterr().err


def test_two_versions_are_measured_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    # the version under test may not be installed in this environment
    monkeypatch.setattr(call_bench, "_OTHER_VERSION", framework_environment())
    comparison = call_bench.compare_versions(sys.executable, [ROW_NAMES[2]], rounds=2)
    (change,) = comparison.changes
    assert change.name == ROW_NAMES[2]
    assert 0.2 < change.ratio < 5
    assert comparison.older.startswith("subtick ")
    assert comparison.older.endswith(sys.executable)
    assert comparison.notes == []


def test_a_missing_python_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "calls", ROW_NAMES[2], "--beside", "/no/python"]) == 2
    assert "--beside: expected the path of a Python interpreter" in capsys.readouterr().err
