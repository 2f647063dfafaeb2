"""The benchmark of snapshots: equal work on both sides, a table and JSON."""

from __future__ import annotations

import gc
import json
from pathlib import Path

import numpy as np
import pytest

from framework.bench import state_bench, tables
from framework.tools import cli


@pytest.fixture(scope="module")
def report() -> state_bench.StateReport:
    return state_bench.measure_state(count=50, back=20, rounds=2)


def test_each_figure_is_compared_with_the_cheapest_alternative(
    report: state_bench.StateReport,
) -> None:
    assert [row.beside for row in report.rows] == [
        *(
            "a copy",
            "a copy back",
            "xxh3",
            "copy.deepcopy",
            "copy.deepcopy",
            "the same by hand",
            "the same by hand",
        ),
    ]
    for row in report.rows:
        assert row.ours.median > 0
        assert row.ratio == pytest.approx(row.ours.median / row.bare.median)
    assert report.rounds == 2


def test_garbage_is_collected_again_afterwards(report: state_bench.StateReport) -> None:
    assert gc.isenabled()


def test_ticks_by_hand_and_restored_ticks_have_the_same_states(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    states = []
    for number in (0, 1):
        ran = []
        with state_bench.Drops(20) as game:
            monkeypatch.setattr(
                state_bench, "_compare", lambda *arguments, ran=ran: ran.append(arguments[2:4])
            )
            state_bench._compare_rewinding(game, 1, None)
            for pair in ran:
                pair[number]()
                states.append(
                    (
                        game.drifting.position.copy(),
                        game.drifting.angle.copy(),
                        game.velocity.copy(),
                    )
                )
    for state in states[1:]:
        for first, second in zip(state, states[0], strict=True):
            np.testing.assert_array_equal(first, second)


def test_the_table_has_a_line_for_each_figure(report: state_bench.StateReport) -> None:
    lines = tables.state_table(report).splitlines()
    assert report.machine.renderer in lines[0]
    for row in report.rows:
        line = next(line for line in lines if line.startswith(f"{row.name}  "))
        assert line.endswith(f"{row.ratio:.2f}")


def test_the_command_writes_all_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "figures.json"
    arguments = [
        "bench",
        "state",
        "--count",
        "30",
        "--back",
        "30",
        "--rounds",
        "1",
        "--json",
        str(path),
    ]
    assert cli.main(arguments) == 0
    assert "snapshot of 30 x (position, angle)" in capsys.readouterr().out
    figures = json.loads(path.read_text())
    assert len(figures["rows"]) == 7
    assert figures["rows"][0]["bare"]["median"] > 0
    assert cli.main(["bench", "state", "--count", "99999999999"]) == 2
    assert "--count" in capsys.readouterr().err
