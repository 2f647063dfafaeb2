"""Many runs: every executor has the same results, and errors report the seed."""

from __future__ import annotations

import csv
import logging
import os
import random
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar
from unittest import mock

import farmed
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import framework as fw
from framework.sim import farm
from framework.sim.farm_worker import GameFile, run_games
from framework.tools import cli

SEEDS = [*range(12)]


@pytest.fixture(scope="module")
def expected() -> dict[int, tuple[Any, int]]:
    """The result and the state hash of each seed, from single games."""
    results = {}
    for seed in SEEDS:
        with farmed.Walk(headless=True, seed=seed) as game:
            game.run_ticks(5)
            results[seed] = farmed.end_of(game), game.state_hash()
    return results


class Inline:
    """An executor that runs each chunk at once and records the seeds."""

    def __init__(
        self,
        workers: int = 2,
        fails: Callable[[int, list[int]], BaseException | None] | None = None,
    ) -> None:
        self._max_workers = workers
        self.fails = fails
        self.chunks: list[list[int]] = []
        self.names: set[str] = set()

    def submit(self, function: Any, order: Any, seeds: list[int], name: str) -> Future[Any]:
        future: Future[Any] = Future()
        self.chunks.append(seeds)
        self.names.add(name)
        error = self.fails(len(self.chunks), seeds) if self.fails is not None else None
        if error is None:
            future.set_result(function(order, seeds, name))
        else:
            future.set_exception(error)
        return future


def run_seeds(executor: Any, **changes: Any) -> list[fw.Run]:
    options: dict[str, Any] = {"ticks": 5, "result": farmed.end_of, "check": 0} | changes
    return list(
        fw.run_many(
            options.pop("game", farmed.Walk), options.pop("seeds", SEEDS), executor, **options
        )
    )


def results_of(runs: list[fw.Run]) -> dict[int, tuple[Any, int]]:
    assert [run.seed for run in runs] == SEEDS
    return {run.seed: (run.result, run.state_hash) for run in runs}


# -- results ---------------------------------------------------------------------------------------


def test_runs_come_in_the_order_of_their_seeds(expected: dict[int, Any]) -> None:
    runs = run_seeds(Inline())
    assert results_of(runs) == expected
    assert {run.ticks for run in runs} == {5}
    assert all(run.duration > 0 and run.worker.endswith(f":{os.getpid()}") for run in runs)
    assert len({run.state_hash for run in runs}) == len(SEEDS)


def test_threads_have_the_same_results(expected: dict[int, Any]) -> None:
    with ThreadPoolExecutor(3) as executor:
        assert results_of(run_seeds(executor, check=0.3)) == expected


def test_seeds_may_repeat_and_are_read_one_by_one() -> None:
    def counted() -> Iterator[int]:
        for seed in (5, 3, 3, 8):
            taken.append(seed)
            yield seed

    taken: list[int] = []
    runs = fw.run_many(farmed.Walk, counted(), Inline(1), ticks=1, check=0)
    assert taken == []
    assert next(runs).seed == 5
    assert [run.seed for run in runs] == [3, 3, 8]
    assert run_seeds(Inline(), seeds=[]) == []


def test_a_player_gives_input_and_a_game_may_end_itself() -> None:
    runs = run_seeds(Inline(), game=farmed.Short, player=farmed.tap, ticks=50)
    assert [(run.ticks, run.result[1]) for run in runs] == [(4, 1)] * len(SEEDS)


def test_games_that_do_not_need_drawing_run_without_it() -> None:
    runs = fw.run_many(farmed.Silent, [1], Inline(), ticks=1, result=attrgetter("options"), check=0)
    assert next(runs).result == {"drawing": False, "headless": True}
    runs = fw.run_many(
        farmed.Silent, [1], Inline(), ticks=1, result=attrgetter("options"), check=0, drawing=True
    )
    assert next(runs).result == {"drawing": True, "headless": True}


class Looks(farmed.Walk):
    """A game that needs OpenGL in its third tick."""

    made: ClassVar[list[bool]] = []

    def setup(self) -> None:
        super().setup()
        self.made.append(self.drawing)

    def update(self, dt: float) -> None:
        super().update(dt)
        if self.tick == 3:
            assert self.picture.ctx.version_code >= 330


def test_a_game_that_needs_opengl_runs_with_drawing() -> None:
    runs = run_seeds(Inline(), game=Looks, seeds=[4, 5])
    assert [run.state_hash for run in runs] == [
        run.state_hash for run in run_seeds(Inline(), game=Looks, seeds=[4, 5])
    ]
    assert Looks.made == [False, True, True, True, True]
    with pytest.raises(fw.FrameworkError, match=r"made with drawing=False"):
        run_seeds(Inline(), game=Looks, seeds=[4], drawing=False)


def test_the_size_of_chunks_follows_the_cost_of_sending_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Simulated time: the executor needs 5 ms for each chunk, and a run takes 4 ms."""
    executor = Inline(2)
    now = [0.0]
    free = [0.0, 0.0]
    flying: list[tuple[float, Future[Any], int, int]] = []

    def submit(function: Any, order: Any, seeds: list[int], name: str) -> Future[Any]:
        worker = free.index(min(free))
        free[worker] = max(free[worker], now[0]) + 0.005 + 0.004 * len(seeds)
        future: Future[Any] = Future()
        flying.append((free[worker], future, len(seeds), worker))
        executor.chunks.append(seeds)
        return future

    def wait(futures: Any, return_when: Any) -> Any:
        flying.sort(key=lambda run: run[0])
        now[0], future, count, worker = flying.pop(0)
        future.set_result(
            farm.WorkerReport([farm.RunOutcome(None, 1, 5, 0.004)] * count, f"host:{worker}", "")
        )
        return [future], []

    monkeypatch.setattr(executor, "submit", submit)
    monkeypatch.setattr(farm, "wait", wait)
    monkeypatch.setattr("framework.sim.farm.time.perf_counter", lambda: now[0])
    runs = run_seeds(executor, seeds=range(2000))
    assert [run.seed for run in runs] == [*range(2000)]
    assert now[0] < 2000 * 0.004 / 2 / 0.95  # close to the limit of two workers
    sizes = [len(seeds) for seeds in executor.chunks]
    assert 50 < max(sizes) <= 250  # more than 0.2 s, at most 1 s
    assert len(sizes) < 40


def test_chunks_take_the_intended_time(monkeypatch: pytest.MonkeyPatch) -> None:
    executor = Inline(2)

    def submit(function: Any, order: Any, seeds: list[int], name: str) -> Future[Any]:
        executor.chunks.append(seeds)
        future: Future[Any] = Future()
        ran = farm.RunOutcome(None, 1, 5, 0.004)
        future.set_result(farm.WorkerReport([ran] * len(seeds), "host:1", ""))
        return future

    monkeypatch.setattr(executor, "submit", submit)
    runs = run_seeds(executor, seeds=range(2000))
    assert [run.seed for run in runs] == [*range(2000)]
    sizes = [len(seeds) for seeds in executor.chunks]
    assert sizes[:5] == [1, 1, 1, 1, 8]
    assert max(sizes) == 50  # 50 runs take 0.2 s
    assert sizes[-1] == 1
    assert sum(sizes) == 2000


# -- checks: some runs are repeated ----------------------------------------------------------------


def test_some_runs_are_repeated_and_compared(
    expected: dict[int, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    executor = Inline()
    assert results_of(run_seeds(executor, check=0.25, workers=1)) == expected
    counts = Counter(seed for seeds in executor.chunks for seed in seeds)
    assert counts == {seed: 1 + (seed % 4 == 0) for seed in SEEDS}
    assert len(executor.names) == len(
        executor.chunks
    )  # otherwise an executor with a cache would not repeat them
    turn = iter(range(1000))
    monkeypatch.setattr("framework.sim.farm_worker.platform.node", lambda: f"host {next(turn)}")
    runs = run_seeds(Inline(), check=0.25)
    assert [run.checked for run in runs] == [run.seed % 4 == 0 for run in runs]
    assert all(run.checked for run in run_seeds(Inline(), check=1))


def test_a_repeated_run_with_another_state_is_an_error() -> None:
    message = (
        r"seed 0 ends in another state when repeated: its hash was 0x[0-9a-f]{16} on .*, "
        r"and 0x.* on .*NumPy"
    )
    with pytest.raises(fw.FrameworkError, match=message):
        run_seeds(Inline(), game=farmed.Unlike, check=0.01)
    # without checks nothing is compared
    assert len(run_seeds(Inline(), game=farmed.Unlike)) == len(SEEDS)


def test_an_error_in_a_game_is_reported_with_its_seed() -> None:
    runs = fw.run_many(farmed.Failing, SEEDS, Inline(), ticks=5, check=1, limit=4)
    assert [next(runs).seed for _ in range(4)] == [0, 1, 2, 3]
    with pytest.raises(
        fw.FrameworkError, match=r"(?s)the run with seed 4 .*ZeroDivisionError: a planted mistake"
    ):
        next(runs)


# -- workers that die ------------------------------------------------------------------------------


class KilledWorker(Exception):
    """An error with the name of Dask's error for a dead worker."""


@pytest.mark.parametrize("error", [KilledWorker("lost"), CancelledError(), ConnectionResetError()])
def test_runs_of_a_dead_worker_are_repeated(expected: dict[int, Any], error: BaseException) -> None:
    executor = Inline(fails=lambda count, seeds: error if count in (2, 3, 9) else None)
    assert results_of(run_seeds(executor, check=0.2)) == expected


class Chancy:
    """An executor that completes chunks in random order, and whose workers sometimes die.

    No game is run.
    """

    def __init__(self, chance: random.Random, deadly: float) -> None:
        self.chance = chance
        self.deadly = deadly
        self._max_workers = chance.randrange(1, 5)
        self.times: Counter[int] = Counter()

    def submit(self, function: Any, order: Any, seeds: list[int], name: str) -> Future[Any]:
        future: Future[Any] = Future()
        vars(future)["work"] = seeds
        return future

    def wait(
        self, flying: dict[Future[Any], Any], return_when: str
    ) -> tuple[set[Future[Any]], None]:
        landed = set(self.chance.sample([*flying], self.chance.randrange(1, len(flying) + 1)))
        for future in landed:
            seeds = vars(future)["work"]
            if self.chance.random() < self.deadly:
                future.set_exception(KilledWorker("by chance"))
                continue
            self.times.update(seeds)
            runs = [
                farm.RunOutcome(seed * seed, seed + 1, 5, self.chance.choice((1e-3, 0.03, 1.0)))
                for seed in seeds
            ]
            future.set_result(
                farm.WorkerReport(runs, f"host:{self.chance.randrange(self._max_workers)}", "")
            )
        return landed, None


@given(
    st.integers(0, 2**32),
    st.integers(0, 120),
    st.sampled_from([0, 0.01, 0.3, 1]),
    st.sampled_from([0, 0.02, 0.1]),
)
def test_every_run_has_one_result_in_any_order_of_completion(
    seed: int, count: int, check: float, deadly: float
) -> None:
    executor = Chancy(random.Random(seed), deadly)
    seeds = [number % 50 for number in range(count)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(farm, "wait", executor.wait)
        patch.setattr(farm, "_MAX_DEATHS", 99)
        runs = run_seeds(executor, seeds=seeds, check=check)
    assert [(run.seed, run.result, run.state_hash) for run in runs] == [
        (n, n * n, n + 1) for n in seeds
    ]
    expected = Counter(seeds)
    assert all(executor.times[number] >= expected[number] for number in expected)
    if not deadly and not check:
        assert executor.times == expected


def test_a_run_that_kills_workers_is_reported() -> None:
    with pytest.raises(
        fw.FrameworkError, match=r"seed 7: the worker died each time .*KilledWorker: 7"
    ):
        run_seeds(Inline(fails=lambda count, seeds: KilledWorker("7") if 7 in seeds else None))


class Pool(Inline):
    """A pool that is broken after a worker has died, as in `concurrent.futures`."""

    made: list[Pool]
    deadly: list[int]

    def __init__(self, workers: int, context: Any) -> None:
        super().__init__(workers)
        self.broken = False
        self.made.append(self)

    def submit(self, function: Any, order: Any, seeds: list[int], name: str) -> Future[Any]:
        if self.broken:
            raise BrokenProcessPool("a process ended")
        if self.deadly and self.deadly[0] in seeds:
            self.deadly.pop(0)
            self.broken = True
            self.fails = lambda count, seeds: BrokenProcessPool("a process ended")
        return super().submit(function, order, seeds, name)

    def shutdown(self, **how: Any) -> None:
        self.broken = True


def test_a_broken_pool_of_the_framework_is_replaced(
    expected: dict[int, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(farm, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr(Pool, "made", [], raising=False)
    monkeypatch.setattr(Pool, "deadly", [4, 9], raising=False)
    assert results_of(run_seeds(None, workers=2, check=0.2)) == expected
    assert len(Pool.made) == 4  # two at first, and a new one for each worker that died
    assert all(pool.broken for pool in Pool.made)
    monkeypatch.setattr(Pool, "deadly", [6] * 9)
    with pytest.raises(
        fw.FrameworkError, match=r'seed 6: the worker died each .* below if __name__ == "__main__"'
    ):
        run_seeds(None, workers=2)
    with pytest.raises(
        fw.FrameworkError, match=r"as that of concurrent.futures does; with executor=None"
    ):
        run_seeds(Inline(fails=lambda count, seeds: BrokenExecutor()))


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_processes_have_the_same_results_after_one_is_killed(
    expected: dict[int, Any], tmp_path: Path
) -> None:
    """Two real processes: one is killed, and another process repeats its seeds."""
    options = {"folder": str(tmp_path), "deadly": 7, "times": 1}
    runs = run_seeds(None, game=farmed.Deadly, workers=2, check=0.5, **options)
    assert len(os.listdir(tmp_path)) == 1
    assert {run.seed: run.result for run in runs} == {
        seed: result for seed, (result, _) in expected.items()
    }
    assert len({run.worker for run in runs} | {f":{os.getpid()}"}) >= 3
    assert [run.checked for run in runs] == [run.seed % 2 == 0 for run in runs]


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_dask_loses_nothing_when_a_worker_is_killed(expected: dict[int, Any]) -> None:
    """A real cluster of two processes, one of which is killed during the runs."""
    dask = pytest.importorskip("dask")
    distributed = pytest.importorskip("distributed")
    sys.path.insert(0, str(Path(__file__).parent))
    # forkserver starts in half the time
    method = "spawn" if sys.platform == "win32" else "forkserver"
    options = {
        "n_workers": 2,
        "threads_per_worker": 1,
        "processes": True,
        "dashboard_address": None,
    }
    try:
        with (
            mock.patch.dict(os.environ),  # Dask adds settings for its workers
            dask.config.set({"distributed.worker.multiprocessing-method": method}),
            distributed.LocalCluster(**options, silence_logs=logging.CRITICAL) as cluster,
            distributed.Client(cluster) as client,
        ):
            for nanny in cluster.workers.values():
                nanny.auto_restart = False  # the other worker runs the rest
            workers = list(client.run(os.getpid).values())
            runs = []
            for run in fw.run_many(
                farmed.Walk,
                SEEDS * 2,
                client.get_executor(),
                ticks=5,
                result=farmed.end_of,
                check=0.1,
            ):
                runs.append(run)
                if len(runs) == 8:
                    os.kill(workers[0], signal.SIGKILL)
    finally:
        sys.path.remove(str(Path(__file__).parent))
    assert [run.seed for run in runs] == SEEDS * 2
    for part in range(2):
        assert results_of(runs[part * len(SEEDS) : (part + 1) * len(SEEDS)]) == expected
    assert len({run.worker for run in runs}) >= 2


# -- arguments -------------------------------------------------------------------------------------


def test_invalid_arguments_are_refused() -> None:
    for options, error, message in (
        ({"game": fw.Scene}, TypeError, "game_class: expected a subclass of Game"),
        ({"seeds": 5}, TypeError, "seeds: expected whole numbers"),
        ({"seeds": ["a"]}, TypeError, "seeds: expected a whole number"),
        ({"seeds": [-1]}, ValueError, "seeds: expected a whole number of at least 0"),
        ({"ticks": -1}, ValueError, "ticks"),
        ({"seed": 3}, TypeError, "seed: run_many sets it for each run"),
        ({"check": 2}, ValueError, "check"),
        ({"result": 3}, TypeError, "result: expected a function"),
        ({"player": 3}, TypeError, "player: expected a function"),
        ({"workers": 0}, ValueError, "workers"),
    ):
        with pytest.raises(error, match=message):
            run_seeds(Inline(), **options)
    with pytest.raises(
        TypeError, match=r"executor: expected an executor, as of concurrent.futures"
    ):
        run_seeds(3)


def test_games_and_functions_that_cannot_be_pickled_are_refused() -> None:
    class Local(farmed.Walk):
        pass

    for options in ({"game": Local}, {"result": lambda game: 1}, {"player": lambda game, tick: 1}):
        with pytest.raises(
            fw.FrameworkError, match=r"run_many: .*define them at the top level of a module"
        ):
            run_seeds(None, **options)
    with pytest.raises(
        fw.FrameworkError, match="run_many: TypeError: cannot pickle; everything sent"
    ):
        run_seeds(Inline(fails=lambda count, seeds: TypeError("cannot pickle")))


def test_runs_that_are_no_longer_needed_are_cancelled() -> None:
    executor = Inline()
    flying: list[Future[Any]] = []

    def submit(function: Any, order: Any, seeds: list[int], name: str) -> Future[Any]:
        future: Future[Any] = Future()
        flying.append(future)
        if len(flying) == 1:
            future.set_result(run_games(order, seeds, name))
        return future

    executor.submit = submit  # type: ignore[method-assign]
    runs = fw.run_many(farmed.Walk, SEEDS, executor, ticks=1, check=0)
    assert next(runs).seed == 0
    runs.close()  # type: ignore[attr-defined]
    assert [future.cancelled() for future in flying] == [False, *[True] * (len(flying) - 1)]


# -- the command line ------------------------------------------------------------------------------


GAME = """
import framework as fw

class Count(fw.Game):
    def setup(self):
        self.sum, self.most = 0, [0.0]

    def update(self, dt):
        self.sum += int(self.random.integers(10)) + 100 * self.keys.presses("space")
        self.most[0] = max(self.most[0], self.random.normal())

if __name__ == "__main__":
    fw.run(Count, size=(64, 64))
"""


def test_the_command_writes_a_table_and_a_plot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(farm, "ProcessPoolExecutor", lambda workers, context: ThreadPoolExecutor(1))
    main = sys.modules["__main__"]
    (tmp_path / "count.py").write_text(GAME)
    command = [
        "farm",
        str(tmp_path / "count.py"),
        "--seeds",
        "9",
        "--first",
        "3",
        "--ticks",
        "20",
        "--value",
        "sum",
    ]
    command += [
        "--value",
        "most",
        "--csv",
        str(tmp_path / "c.csv"),
        "--plot",
        str(tmp_path / "c.png"),
        "--progress",
    ]
    path = sys.path[:]
    argv = sys.argv
    try:
        assert cli.main([*command, "--random"]) == 0
    finally:
        sys.modules["__main__"] = main
        sys.path[:] = path
        sys.argv = argv
    printed = capsys.readouterr()
    with (tmp_path / "c.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["seed"]) for row in rows] == [*range(3, 12)]
    assert [*rows[0]] == ["seed", "ticks", "seconds", "state_hash", "worker", "sum", "most"]
    assert len({row["state_hash"] for row in rows}) == 9
    sums = [int(row["sum"]) for row in rows]
    assert any(value > 200 for value in sums)  # the random player pressed keys
    assert "count: 9 runs in " in printed.out
    assert f"{min(sums):>12}" in printed.out
    assert "most" not in printed.out.splitlines()[2]  # a column without numbers
    assert "running" in printed.err
    with Image.open(tmp_path / "c.png") as plot:
        assert plot.size[0] > 600


def test_the_command_reports_wrong_paths(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["farm", "nothing.py"]) == 2
    assert "There is no file 'nothing.py'" in capsys.readouterr().err
    (tmp_path / "count.py").write_text(GAME)
    assert (
        cli.main(["farm", str(tmp_path / "count.py"), "--csv", str(tmp_path / "no" / "c.csv")]) == 2
    )
    assert "there is no folder" in capsys.readouterr().err


def test_a_file_that_starts_no_game_is_reported_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "none.py").write_text("import framework as fw\n")
    for name in ("argv", "path"):
        monkeypatch.setattr(sys, name, getattr(sys, name)[:])
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    none: Any = GameFile(str(tmp_path / "none.py"))
    with pytest.raises(fw.FrameworkError) as error:
        [*fw.run_many(none, [1], executor=ThreadPoolExecutor(1))]
    assert "none.py has run and started no game; its last line should be fw.run(…)" in str(
        error.value
    )
    assert "Traceback" not in str(error.value)


def test_the_ray_example_of_the_docs_works(
    expected: dict[int, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (Path(__file__).parent.parent / "docs" / "many_runs.md").read_text(encoding="utf-8")
    ray = ModuleType("ray")
    vars(ray).update(
        init=lambda **options: None, cluster_resources=lambda: {"CPU": 2.0}, remote=Remote
    )
    monkeypatch.setitem(sys.modules, "ray", ray)
    block = next(block for block in page.split("```python\n") if "import ray" in block).partition(
        "```"
    )[0]
    names: dict[str, Any] = {"fw": fw, "Duel": farmed.Walk, "outcome": farmed.end_of}
    exec(block.replace("1000", "12").replace("3600", "5"), names)
    assert results_of(names["runs"]) == expected


class Remote:
    """A fake of Ray's remote functions: ``remote(…)`` returns an object with a future."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def remote(self, *arguments: Any) -> Any:
        self.arguments = arguments
        return self

    def future(self) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(self.function(*self.arguments))
        return future


def test_an_executor_that_was_shut_down_is_an_error() -> None:
    with ThreadPoolExecutor(1) as executor:
        pass
    with pytest.raises(fw.FrameworkError, match="run_many: the executor takes no more runs"):
        run_seeds(executor)


def test_an_executor_without_machines_is_an_error() -> None:
    class Unreachable(Executor):
        def submit(self, *arguments: Any, **options: Any) -> Any:
            raise ConnectionError("nobody answers")

    with pytest.raises(
        fw.FrameworkError, match="run_many: the executor takes no more runs: nobody answers"
    ):
        list(fw.run_many(fw.Game, [1], Unreachable(), ticks=1))
