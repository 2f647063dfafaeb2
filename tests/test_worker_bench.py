"""The benchmark of worker processes: equal work on both sides, bare loops, a table and JSON."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import framework as fw
from framework.bench import worker_bench
from framework.tools import cli


def test_gains_are_compared_with_those_of_bare_loops_in_the_same_round() -> None:
    loops = [2.0, 3.0, 2.0], [1.0, 2.0, 2.0]  # gains of 2, 1.5 and 1
    games = [2.0, 3.0, 4.0], [2.0, 2.0, 2.0]  # gains of 1, 1.5 and 2
    bare, own = worker_bench._rows({"bare loops": loops, "games": games})
    assert (bare.name, bare.ratio, bare.reached) == ("bare loops", 1.5, 1.0)
    assert (own.ratio, own.reached) == (1.5, 1.0)  # the shares are 0.5, 1 and 2
    assert own.one.median == 3e6


def test_both_sides_alternate_and_the_first_rounds_do_not_count() -> None:
    order: list[str] = []
    pair = lambda: order.append("one"), lambda: order.append("many")
    times = worker_bench._in_turn({"games": pair}, 2, False)
    assert (
        order == ["one", "many", "many", "one"] * 2 or order == ["many", "one", "one", "many"] * 2
    )
    assert [len(side) for side in times["games"]] == [2, 2]


def test_loops_games_and_farms_do_equal_work_on_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    turned: list[int] = []
    monkeypatch.setattr(worker_bench, "turn", turned.append)
    monkeypatch.setattr(worker_bench, "RUNS", 2)
    monkeypatch.setattr(worker_bench, "TICKS", 3)
    with ThreadPoolExecutor(1) as pool:
        for loops in worker_bench._loops((pool, pool), 2):
            turned.clear()
            loops()
            assert sum(turned) == worker_bench._TURNS
        runs = [*worker_bench._farm(pool, 1, 2)()]  # type: ignore[misc]
    assert [(run.seed, run.ticks) for run in runs] == [(seed, 3) for seed in range(4)]
    env = fw.vector_env(worker_bench.Thinking, 3, workers=0, **worker_bench._PLAYED)
    turned.clear()
    env.reset(seed=0)
    worker_bench._stepping(env, 2)()
    assert turned == [worker_bench._LOOP] * 6
    env.close()


def test_a_missing_dask_is_an_error_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(fw.FrameworkError, match=r"--dask: .*pip install"), worker_bench._cluster(2):
        pass


def test_the_command_prints_a_table_and_writes_all_figures(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def measure(*arguments: object) -> worker_bench.WorkersReport:
        assert arguments == (8, 3, 4, True, False)
        rows = worker_bench._rows({"bare loops": ([0.002], [0.001]), "games": ([0.009], [0.005])})
        return worker_bench.WorkersReport(4, 8, 3, rows)

    monkeypatch.setattr(worker_bench, "measure_workers", measure)
    path = tmp_path / "figures.json"
    arguments = ["--games", "8", "--rounds", "3", "--workers", "4", "--dask", "--json", str(path)]
    assert cli.main(["bench", "workers", *arguments]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert next(line for line in lines if line.startswith("games")).split()[-2:] == ["1.80", "90%"]
    assert json.loads(path.read_text())["rows"][1]["ratio"] == pytest.approx(1.8)
