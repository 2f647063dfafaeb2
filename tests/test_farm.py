"""Many runs: the same results on any executor, whoever dies; differences and errors are told with
their seed.
"""

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
    """What comes of each seed, one after the other."""
    found = {}
    for seed in SEEDS:
        with farmed.Walk(headless=True, seed=seed) as game:
            game.run_ticks(5)
            found[seed] = farmed.end_of(game), game.state_hash()
    return found


class Inline:
    """An executor that does what is asked as soon as it is asked; what it was asked, it
    remembers.
    """

    def __init__(
        self,
        workers: int = 2,
        fails: Callable[[int, list[int]], BaseException | None] | None = None,
    ) -> None:
        self._max_workers, self.fails = workers, fails
        self.asked: list[list[int]] = []
        self.names: set[str] = set()

    def submit(self, function: Any, order: Any, seeds: list[int], name: str) -> Future[Any]:
        future: Future[Any] = Future()
        self.asked.append(seeds)
        self.names.add(name)
        error = self.fails(len(self.asked), seeds) if self.fails is not None else None
        if error is None:
            future.set_result(function(order, seeds, name))
        else:
            future.set_exception(error)
        return future


def run(executor: Any, **more: Any) -> list[fw.Run]:
    given: dict[str, Any] = {"ticks": 5, "result": farmed.end_of, "check": 0} | more
    return list(
        fw.run_many(given.pop("game", farmed.Walk), given.pop("seeds", SEEDS), executor, **given)
    )


def of(runs: list[fw.Run]) -> dict[int, tuple[Any, int]]:
    assert [one.seed for one in runs] == SEEDS
    return {one.seed: (one.result, one.state_hash) for one in runs}


# -- what comes of it ------------------------------------------------------------------------------


def test_runs_come_in_the_order_of_their_seeds(expected: dict[int, Any]) -> None:
    runs = run(Inline())
    assert of(runs) == expected
    assert {one.ticks for one in runs} == {5}
    assert all(one.duration > 0 and one.worker.endswith(f":{os.getpid()}") for one in runs)
    assert len({one.state_hash for one in runs}) == len(SEEDS)


def test_threads_come_to_the_same(expected: dict[int, Any]) -> None:
    with ThreadPoolExecutor(3) as executor:
        assert of(run(executor, check=0.3)) == expected


def test_seeds_may_be_any_and_come_one_by_one() -> None:
    def counted() -> Iterator[int]:
        for seed in (5, 3, 3, 8):
            taken.append(seed)
            yield seed

    taken: list[int] = []
    found = fw.run_many(farmed.Walk, counted(), Inline(1), ticks=1, check=0)
    assert taken == []
    assert next(found).seed == 5
    assert [one.seed for one in found] == [3, 3, 8]
    assert run(Inline(), seeds=[]) == []


def test_a_player_plays_and_a_game_may_end_itself() -> None:
    runs = run(Inline(), game=farmed.Short, player=farmed.tap, ticks=50)
    assert [(one.ticks, one.result[1]) for one in runs] == [(4, 1)] * len(SEEDS)


def test_nothing_is_there_to_draw_on_where_games_can_do_without() -> None:
    found = fw.run_many(
        farmed.Silent, [1], Inline(), ticks=1, result=attrgetter("options"), check=0
    )
    assert next(found).result == {"drawing": False, "headless": True}
    found = fw.run_many(
        farmed.Silent, [1], Inline(), ticks=1, result=attrgetter("options"), check=0, drawing=True
    )
    assert next(found).result == {"drawing": True, "headless": True}


class Looks(farmed.Walk):
    """Cannot do without pictures in its third tick."""

    made: ClassVar[list[bool]] = []

    def setup(self) -> None:
        super().setup()
        self.made.append(self.drawing)

    def update(self, dt: float) -> None:
        super().update(dt)
        if self.tick == 3:
            assert self.picture.ctx.version_code >= 330


def test_a_game_that_needs_pictures_has_them() -> None:
    runs = run(Inline(), game=Looks, seeds=[4, 5])
    assert [one.state_hash for one in runs] == [
        one.state_hash for one in run(Inline(), game=Looks, seeds=[4, 5])
    ]
    assert Looks.made == [False, True, True, True, True]
    with pytest.raises(fw.FrameworkError, match=r"made with drawing=False"):
        run(Inline(), game=Looks, seeds=[4], drawing=False)


def test_a_chunk_is_worth_what_it_costs_to_send(monkeypatch: pytest.MonkeyPatch) -> None:
    """On an executor that needs 5 ms for each chunk, in invented time: a run takes 4 ms."""
    executor, now = Inline(2), [0.0]
    free = [0.0, 0.0]
    flying: list[tuple[float, Future[Any], int, int]] = []

    def submit(function: Any, order: Any, seeds: list[int], name: str) -> Future[Any]:
        worker = free.index(min(free))
        free[worker] = max(free[worker], now[0]) + 0.005 + 0.004 * len(seeds)
        future: Future[Any] = Future()
        flying.append((free[worker], future, len(seeds), worker))
        executor.asked.append(seeds)
        return future

    def wait(futures: Any, return_when: Any) -> Any:
        flying.sort(key=lambda one: one[0])
        now[0], future, count, worker = flying.pop(0)
        future.set_result(
            farm.WorkerReport([farm.RunOutcome(None, 1, 5, 0.004)] * count, f"host:{worker}", "")
        )
        return [future], []

    monkeypatch.setattr(executor, "submit", submit)
    monkeypatch.setattr(farm, "wait", wait)
    monkeypatch.setattr("framework.sim.farm.time.perf_counter", lambda: now[0])
    runs = run(executor, seeds=range(2000))
    assert [one.seed for one in runs] == [*range(2000)]
    assert now[0] < 2000 * 0.004 / 2 / 0.95  # of what two workers could do
    sizes = [len(seeds) for seeds in executor.asked]
    assert 50 < max(sizes) <= 250  # more than 0.2 s, at most 1 s
    assert len(sizes) < 40


def test_chunks_take_the_time_that_they_should(monkeypatch: pytest.MonkeyPatch) -> None:
    executor = Inline(2)

    def submit(function: Any, order: Any, seeds: list[int], name: str) -> Future[Any]:
        executor.asked.append(seeds)
        future: Future[Any] = Future()
        ran = farm.RunOutcome(None, 1, 5, 0.004)
        future.set_result(farm.WorkerReport([ran] * len(seeds), "host:1", ""))
        return future

    monkeypatch.setattr(executor, "submit", submit)
    runs = run(executor, seeds=range(2000))
    assert [one.seed for one in runs] == [*range(2000)]
    sizes = [len(seeds) for seeds in executor.asked]
    assert sizes[:5] == [1, 1, 1, 1, 8]
    assert max(sizes) == 50  # which take 0.2 s
    assert sizes[-1] == 1
    assert sum(sizes) == 2000


# -- a share is run again --------------------------------------------------------------------------


def test_a_share_is_run_again_and_compared(
    expected: dict[int, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    executor = Inline()
    assert of(run(executor, check=0.25, workers=1)) == expected
    asked = Counter(seed for seeds in executor.asked for seed in seeds)
    assert asked == {seed: 1 + (seed % 4 == 0) for seed in SEEDS}
    assert len(executor.names) == len(
        executor.asked
    )  # or an executor that remembers would not run them again
    turn = iter(range(1000))
    monkeypatch.setattr("framework.sim.farm_worker.platform.node", lambda: f"host {next(turn)}")
    runs = run(Inline(), check=0.25)
    assert [one.checked for one in runs] == [one.seed % 4 == 0 for one in runs]
    assert all(one.checked for one in run(Inline(), check=1))


def test_a_run_that_is_another_the_second_time_is_told() -> None:
    says = (
        r"seed 0 ends in another state when repeated: its hash was 0x[0-9a-f]{16} on .*, "
        r"and 0x.* on .*NumPy"
    )
    with pytest.raises(fw.FrameworkError, match=says):
        run(Inline(), game=farmed.Unlike, check=0.01)
    assert len(run(Inline(), game=farmed.Unlike)) == len(SEEDS)  # nobody looked


def test_an_error_in_a_game_is_told_with_its_seed() -> None:
    found = fw.run_many(farmed.Failing, SEEDS, Inline(), ticks=5, check=1, limit=4)
    assert [next(found).seed for _ in range(4)] == [0, 1, 2, 3]
    with pytest.raises(
        fw.FrameworkError, match=r"(?s)the run with seed 4 .*ZeroDivisionError: a planted mistake"
    ):
        next(found)


# -- workers that die ------------------------------------------------------------------------------


class KilledWorker(Exception):
    """As Dask says it."""


@pytest.mark.parametrize("error", [KilledWorker("lost"), CancelledError(), ConnectionResetError()])
def test_what_a_dead_worker_had_is_run_again(
    expected: dict[int, Any], error: BaseException
) -> None:
    executor = Inline(fails=lambda count, seeds: error if count in (2, 3, 9) else None)
    assert of(run(executor, check=0.2)) == expected


class Chancy:
    """An executor whose work is done in any order, and whose workers die now and then; nothing is
    really run.
    """

    def __init__(self, chance: random.Random, deadly: float) -> None:
        self.chance, self.deadly = chance, deadly
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
def test_nothing_is_lost_nor_doubled_in_whatever_order_work_is_done(
    seed: int, count: int, check: float, deadly: float
) -> None:
    executor = Chancy(random.Random(seed), deadly)
    seeds = [number % 50 for number in range(count)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(farm, "wait", executor.wait)
        patch.setattr(farm, "_MAX_DEATHS", 99)
        runs = run(executor, seeds=seeds, check=check)
    assert [(one.seed, one.result, one.state_hash) for one in runs] == [
        (n, n * n, n + 1) for n in seeds
    ]
    wanted = Counter(seeds)
    assert all(executor.times[number] >= wanted[number] for number in wanted)
    if not deadly and not check:
        assert executor.times == wanted


def test_a_run_that_kills_is_found_and_told() -> None:
    with pytest.raises(
        fw.FrameworkError, match=r"seed 7: the worker died each time .*KilledWorker: 7"
    ):
        run(Inline(fails=lambda count, seeds: KilledWorker("7") if 7 in seeds else None))


class Pool(Inline):
    """As `concurrent.futures` has it: once a worker has died, it is broken."""

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


def test_a_pool_of_its_own_is_replaced(
    expected: dict[int, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(farm, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr(Pool, "made", [], raising=False)
    monkeypatch.setattr(Pool, "deadly", [4, 9], raising=False)
    assert of(run(None, workers=2, check=0.2)) == expected
    assert len(Pool.made) == 4  # one for each of two workers, and for each that died
    assert all(pool.broken for pool in Pool.made)
    monkeypatch.setattr(Pool, "deadly", [6] * 9)
    with pytest.raises(
        fw.FrameworkError, match=r'seed 6: the worker died each .* below if __name__ == "__main__"'
    ):
        run(None, workers=2)
    with pytest.raises(
        fw.FrameworkError, match=r"as that of concurrent.futures does; with executor=None"
    ):
        run(Inline(fails=lambda count, seeds: BrokenExecutor()))


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_processes_come_to_the_same_though_one_is_killed(
    expected: dict[int, Any], tmp_path: Path
) -> None:
    """For real: two processes, one of which dies, and the seeds that it had."""
    more = {"folder": str(tmp_path), "deadly": 7, "times": 1}
    runs = run(None, game=farmed.Deadly, workers=2, check=0.5, **more)
    assert len(os.listdir(tmp_path)) == 1
    assert {one.seed: one.result for one in runs} == {
        seed: result for seed, (result, _) in expected.items()
    }
    assert len({one.worker for one in runs} | {f":{os.getpid()}"}) >= 3
    assert [one.checked for one in runs] == [one.seed % 2 == 0 for one in runs]


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_dask_loses_nothing_when_a_worker_is_killed(expected: dict[int, Any]) -> None:
    """For real: a cluster of two processes, one of which is killed in the middle."""
    dask, distributed = pytest.importorskip("dask"), pytest.importorskip("distributed")
    sys.path.insert(0, str(Path(__file__).parent))
    method = "spawn" if sys.platform == "win32" else "forkserver"  # which starts in half the time
    options = {
        "n_workers": 2,
        "threads_per_worker": 1,
        "processes": True,
        "dashboard_address": None,
    }
    try:
        with (
            mock.patch.dict(os.environ),  # to which Dask adds settings for its workers
            dask.config.set({"distributed.worker.multiprocessing-method": method}),
            distributed.LocalCluster(**options, silence_logs=logging.CRITICAL) as cluster,
            distributed.Client(cluster) as client,
        ):
            for nanny in cluster.workers.values():
                nanny.auto_restart = False  # the other one does the rest
            workers = list(client.run(os.getpid).values())
            runs = []
            for one in fw.run_many(
                farmed.Walk,
                SEEDS * 2,
                client.get_executor(),
                ticks=5,
                result=farmed.end_of,
                check=0.1,
            ):
                runs.append(one)
                if len(runs) == 8:
                    os.kill(workers[0], signal.SIGKILL)
    finally:
        sys.path.remove(str(Path(__file__).parent))
    assert [one.seed for one in runs] == SEEDS * 2
    for part in range(2):
        assert of(runs[part * len(SEEDS) : (part + 1) * len(SEEDS)]) == expected
    assert len({one.worker for one in runs}) >= 2


# -- what is asked for -----------------------------------------------------------------------------


def test_bad_arguments() -> None:
    for asked, error, says in (
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
        with pytest.raises(error, match=says):
            run(Inline(), **asked)
    with pytest.raises(
        TypeError, match=r"executor: expected an executor, as of concurrent.futures"
    ):
        run(3)


def test_what_cannot_be_sent_is_told() -> None:
    class Local(farmed.Walk):
        pass

    for asked in ({"game": Local}, {"result": lambda game: 1}, {"player": lambda game, tick: 1}):
        with pytest.raises(
            fw.FrameworkError, match=r"run_many: .*define them at the top level of a module"
        ):
            run(None, **asked)
    with pytest.raises(
        fw.FrameworkError, match="run_many: TypeError: cannot pickle; everything sent"
    ):
        run(Inline(fails=lambda count, seeds: TypeError("cannot pickle")))


def test_what_is_not_asked_for_any_more_is_cancelled() -> None:
    executor = Inline()
    flying: list[Future[Any]] = []

    def submit(function: Any, order: Any, seeds: list[int], name: str) -> Future[Any]:
        future: Future[Any] = Future()
        flying.append(future)
        if len(flying) == 1:
            future.set_result(run_games(order, seeds, name))
        return future

    executor.submit = submit  # type: ignore[method-assign]
    found = fw.run_many(farmed.Walk, SEEDS, executor, ticks=1, check=0)
    assert next(found).seed == 0
    found.close()  # type: ignore[attr-defined]
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
    path, argv = sys.path[:], sys.argv
    try:
        assert cli.main([*command, "--random"]) == 0
    finally:
        sys.modules["__main__"], sys.path[:], sys.argv = main, path, argv
    printed = capsys.readouterr()
    with (tmp_path / "c.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["seed"]) for row in rows] == [*range(3, 12)]
    assert [*rows[0]] == ["seed", "ticks", "seconds", "state_hash", "worker", "sum", "most"]
    assert len({row["state_hash"] for row in rows}) == 9
    sums = [int(row["sum"]) for row in rows]
    assert any(value > 200 for value in sums)  # keys were pressed
    assert "count: 9 runs in " in printed.out
    assert f"{min(sums):>12}" in printed.out
    assert "most" not in printed.out.splitlines()[2]  # no number
    assert "running" in printed.err
    with Image.open(tmp_path / "c.png") as plot:
        assert plot.size[0] > 600


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["farm", "nothing.py"]) == 2
    assert "There is no file 'nothing.py'" in capsys.readouterr().err
    (tmp_path / "count.py").write_text(GAME)
    assert (
        cli.main(["farm", str(tmp_path / "count.py"), "--csv", str(tmp_path / "no" / "c.csv")]) == 2
    )
    assert "there is no folder" in capsys.readouterr().err


def test_a_file_that_starts_no_game_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "none.py").write_text("import framework as fw\n")
    for name in ("argv", "path"):
        monkeypatch.setattr(sys, name, getattr(sys, name)[:])
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    none: Any = GameFile(str(tmp_path / "none.py"))
    with pytest.raises(fw.FrameworkError) as told:
        [*fw.run_many(none, [1], executor=ThreadPoolExecutor(1))]
    assert "none.py has run and started no game; its last line should be fw.run(…)" in str(
        told.value
    )
    assert "Traceback" not in str(told.value)


def test_the_adapter_of_the_page_for_ray(
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
    assert of(names["runs"]) == expected


class Remote:
    """What Ray makes of a function: ``remote(…)`` of it has a future."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def remote(self, *given: Any) -> Any:
        self.given = given
        return self

    def future(self) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(self.function(*self.given))
        return future


def test_an_executor_that_was_shut_down_is_told() -> None:
    with ThreadPoolExecutor(1) as executor:
        pass
    with pytest.raises(fw.FrameworkError, match="run_many: the executor takes no more runs"):
        run(executor)


def test_an_executor_whose_machines_are_gone_is_told() -> None:
    class Gone(Executor):
        def submit(self, *given: Any, **named: Any) -> Any:
            raise ConnectionError("nobody answers")

    with pytest.raises(
        fw.FrameworkError, match="run_many: the executor takes no more runs: nobody answers"
    ):
        list(fw.run_many(fw.Game, [1], Gone(), ticks=1))
