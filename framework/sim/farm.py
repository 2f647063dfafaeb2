"""Farms: many runs of a game, each with its own seed, on any executor.

Executors are processes, threads, or the machines of a cluster. Seeds are sent in chunks of about
0.2 seconds. Chunks are longer, up to a second, if the measured overhead of an executor would matter
otherwise. Runs of a worker that died are repeated. A share of the runs is repeated by another
worker and must end in the same state. This detects unlike machines in a cluster, and games that do
not repeat.
"""

from __future__ import annotations

__all__ = ["Run", "run_many"]

import math
import multiprocessing
import os
import pickle
import sys
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Future,
    ProcessPoolExecutor,
    wait,
)
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple, Protocol

from .. import checks
from ..errors import FrameworkError
from ..game.game import Game
from ..moved_names import moved
from .farm_worker import FarmJob, GameFile, RunOutcome, WorkerReport, run_games

_CHUNK, _MAX_CHUNK = 0.2, 1.0  # seconds
_MIN_OVERHEADS = (
    128,
    8,
    # minimum length of a chunk in multiples of its overhead: usually, and towards the end
)
_GROWTH = 8  # maximum growth from one chunk size to the next
_MAX_SEEDS = 10_000  # maximum seeds of a chunk
_QUEUED = 2  # chunks for each worker: one runs, one waits
_LIVES = 2  # workers that may die of a single run
_TRIES = 2  # attempts to get another worker for a repeated run, if the executor chooses
_DEATHS = ("KilledWorker", "CommClosedError", "TerminatedWorkerError", "WorkerCrashedError")


class HasSubmit(Protocol):
    """An executor, as of `concurrent.futures`."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any: ...


@moved("run", {"seconds": "duration"})
class Run(NamedTuple):
    """The result of one seed."""

    seed: int
    result: Any
    """The value that the function ``result`` returned for the game. None without a function."""
    state_hash: int
    """The hash of the state after the last tick."""
    ticks: int
    """Ticks that were run: fewer than ``ticks`` if the game exited."""
    duration: float
    """Real seconds that the run took, including the start of the game."""
    worker: str
    """Host and process that ran it."""
    checked: bool
    """Whether another worker got the same state."""


def run_many(
    game_class: type[Game],
    seeds: Iterable[int],
    executor: HasSubmit | None = None,
    *,
    ticks: int = 600,
    result: Callable[[Any], Any] | None = None,
    player: Callable[[Any, int], object] | None = None,
    check: float = 0.01,
    workers: int | None = None,
    saves: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Iterator[Run]:
    """Run a game for each seed without a window, and yield a `Run` for each, in the order of the
    seeds.

    The game is made with ``drawing=False``. If it uses its window or OpenGL, it is made again with
    ``drawing=True``, which you may also set in the options.

    Each run has an empty folder of saves, which is removed at the end. The result of a run depends
    on the seed and the options only, whichever executor and worker runs it.

    Parameters
    ----------
    executor
        Any executor of the `concurrent.futures` kind: processes, threads, Dask
        (``client.get_executor()``), mpi4py, loky, … It is not shut down. Default: a pool of
        processes. Everything sent to workers must be importable there: define the game's class and
        the functions in modules.
    ticks
        Length of a run. It is shorter if the game calls `exit`.
    result
        ``result(game)`` returns the data to keep of a game: numbers, lists, small arrays.
    player
        ``player(game, tick)`` is called before each tick.
    check
        Share of the runs that another worker repeats, if there is one.
    workers
        Number of processes of the default pool; default: one for each core. With another executor,
        the number of its workers; default: the number that the executor reports.
    saves
        An empty or new folder that keeps the saves of each run in a folder named by its seed.
    options
        Options of the game.

    Raises
    ------
    FrameworkError
        If a repeated run ends in another state, if the game raises an exception (with its seed and
        traceback), and if every worker dies of a run.
    """
    if not isinstance(game_class, GameFile) and not (
        isinstance(game_class, type) and issubclass(game_class, Game)
    ):
        raise TypeError(f"game_class: expected a subclass of Game, got {checks.shown(game_class)}")
    ticks = checks.whole("ticks", ticks, 0)
    check = checks.number("check", check, least=0, most=1)
    for name, function in (("result", result), ("player", player)):
        if function is not None:
            checks.function(name, function)
    if executor is not None:
        checks.methods("executor", executor, ("submit",), "an executor, as of concurrent.futures")
    if "seed" in options:
        raise TypeError("seed: run_many sets it for each run from seeds; leave it out")
    workers = None if workers is None else checks.whole("workers", workers, 1)
    length = len(seeds) if isinstance(seeds, Sequence) else None
    if (
        isinstance(seeds, str | bytes)
        or not isinstance(seeds, Iterable)
        or getattr(seeds, "ndim", 1) == 0
    ):
        raise checks.wrong_type("seeds", "whole numbers", seeds)
    order = FarmJob(
        game_class, ticks, options, player, result, None if saves is None else _checked_saves(saves)
    )
    pool: _Executor = _Lent(executor, workers) if executor is not None else _Own(order, workers)
    return _Farm(order, pool, iter(seeds), length, check).runs()


def _checked_saves(saves: str | os.PathLike[str]) -> str:
    folder = os.path.abspath(checks.path("saves", saves))
    if os.path.lexists(folder) and not (os.path.isdir(folder) and not os.listdir(folder)):
        raise FrameworkError(
            f"saves: expected an empty folder or a new one, got {folder!r}; choose another"
        )
    return folder


@dataclass
class _Chunk:
    """Runs that are sent together, by their numbers."""

    numbers: list[int]
    seeds: list[int]
    again: bool = False
    """Whether the runs are repeated, to compare them."""
    tries: int = 0
    """How often they were repeated by the same worker."""
    alone: bool = False
    """Whether a worker died while they were under way.

    They are sent without other chunks then.
    """
    deaths: int = 0
    sent: float = 0.0
    landed: float = 0.0
    """The times when it was sent and returned, in seconds."""
    place: int = 0
    """The index of the worker that has it, if the executor can choose.

    For repeated runs, the worker of the first run.
    """


@dataclass
class _Farm:
    """Sends and receives chunks until all seeds are done."""

    order: FarmJob
    executor: _Executor
    seeds: Iterator[int]
    left: int | None
    """Seeds not yet sent, if the number is known."""
    check: float
    number: int = 0
    """The number of the next seed."""
    next: int = 0
    """The number of the next run to yield."""
    seconds: float = 0.0
    """The length of a run."""
    cost: float = 0.0
    """Seconds in which a worker is idle between two chunks, although the second was sent already.
    """
    heard: dict[str, float] = field(default_factory=dict)
    """The times when the last chunk of each worker returned."""
    size: int = 1
    flying: dict[Future[WorkerReport], _Chunk] = field(default_factory=dict)
    waiting: deque[_Chunk] = field(default_factory=deque)
    suspects: deque[_Chunk] = field(default_factory=deque)
    done: dict[int, tuple[int, RunOutcome, WorkerReport]] = field(default_factory=dict)
    unchecked: set[int] = field(default_factory=set)
    checked: set[int] = field(default_factory=set)
    ended: bool = False

    def runs(self) -> Iterator[Run]:
        """Yield all runs in order."""
        try:
            while True:
                self._send()
                while self.next in self.done and self.next not in self.unchecked:
                    yield self._given()
                if not self.flying:
                    if self.ended and not (self.waiting or self.suspects):
                        return
                    continue
                landed, _ = wait(self.flying, return_when=FIRST_COMPLETED)
                for future in landed:
                    chunk = self.flying.pop(future, None)
                    if chunk is not None:
                        self._take(chunk, future)
        finally:
            for future in self.flying:
                future.cancel()
            self.executor.end()

    def _given(self) -> Run:
        number = self.next
        seed, ran, report = self.done.pop(number)
        if ran.error:
            raise FrameworkError(
                f"run_many: the run with seed {seed} ended in an error:\n\n{ran.error}"
            )
        self.next += 1
        checked = number in self.checked
        self.checked.discard(number)
        return Run(seed, ran.result, ran.state_hash, ran.ticks, ran.seconds, report.worker, checked)

    # -- out ---------------------------------------------------------------------------------------

    def _send(self) -> None:
        """Send enough chunks to keep all workers busy."""
        if self.suspects:
            if not self.flying:
                self._submit(self.suspects.popleft())
            return
        while len(self.flying) < _QUEUED * self.executor.workers:
            chunk = self.waiting.popleft() if self.waiting else self._next_chunk()
            if chunk is None:
                return
            self._submit(chunk)

    def _next_chunk(self) -> _Chunk | None:
        if self.ended:
            return None
        size = self._next_size()
        seeds = [checks.whole("seeds", seed, 0) for seed in islice(self.seeds, size)]
        if self.left is not None:
            self.left -= len(seeds)
        self.ended = len(seeds) < size
        numbers = [*range(self.number, self.number + len(seeds))]
        self.number += len(seeds)
        self.unchecked.update(number for number in numbers if self._to_be_checked(number))
        return _Chunk(numbers, seeds) if seeds else None

    def _next_size(self) -> int:
        """Return the number of seeds for the next chunk.

        Towards the end chunks get smaller, so that all workers end together.
        """
        if not self.seconds:
            return 1
        usual, at_end = (times * self.cost / self.seconds for times in _MIN_OVERHEADS)
        size = int(min(max(_CHUNK / self.seconds, usual), _MAX_CHUNK / self.seconds, _MAX_SEEDS))
        if self.left is not None:
            size = min(size, math.ceil(max(self.left / (_QUEUED * self.executor.workers), at_end)))
        self.size = max(1, min(size, _GROWTH * self.size))
        return self.size

    def _to_be_checked(self, number: int) -> bool:
        """Return whether a run is repeated: the first one, then as many as the share needs."""
        return self.check > 0 and math.floor(number * self.check) != math.floor(
            (number - 1) * self.check
        )

    def _submit(self, chunk: _Chunk) -> None:
        loads = Counter(run.place for run in self.flying.values())
        chunk.place = self.executor.place(loads, chunk.place if chunk.again else None)
        order = replace(self.order, saves=None) if chunk.again else self.order
        try:
            future = self.executor.submit(
                chunk.place, run_games, order, chunk.seeds, uuid.uuid4().hex
            )
        except BrokenExecutor:
            self.suspects.append(chunk)
            self._broken(chunk.place)
        else:
            self.flying[future] = chunk
            chunk.sent = time.perf_counter()
            future.add_done_callback(lambda _: setattr(chunk, "landed", time.perf_counter()))

    # -- back --------------------------------------------------------------------------------------

    def _take(self, chunk: _Chunk, future: Future[WorkerReport]) -> None:
        try:
            report = future.result()
        except (Exception, CancelledError) as error:
            self._failed(chunk, error)
            return
        self._learn(chunk, report)
        if chunk.again:
            self._compare(chunk, report)
            return
        again = _Chunk([], [], again=True, place=chunk.place)
        for number, seed, ran in zip(chunk.numbers, chunk.seeds, report.runs, strict=False):
            self.done[number] = seed, ran, report
            if ran.error:  # its error is raised when it is the next to yield
                self.unchecked.discard(number)
            elif number in self.unchecked:
                again.numbers.append(number)
                again.seeds.append(seed)
        if again.numbers:
            self.waiting.append(again)

    def _learn(self, chunk: _Chunk, report: WorkerReport) -> None:
        """Measure the length of a run, and the overhead of a chunk."""
        took = sum(ran.seconds for ran in report.runs)
        each = took / len(report.runs)
        self.seconds = each if not self.seconds else 0.5 * (self.seconds + each)
        before = self.heard.get(report.worker, 0.0)
        self.heard[report.worker] = chunk.landed
        if chunk.sent < before < chunk.landed:  # it was waiting when the worker became free
            self.cost += 0.25 * (max(chunk.landed - before - took, 0.0) - self.cost)

    def _compare(self, chunk: _Chunk, report: WorkerReport) -> None:
        """Compare the states of repeated runs. A difference is an error."""
        for number, ran in zip(chunk.numbers, report.runs, strict=False):
            seed, first, before = self.done[number]
            if ran.error:
                raise FrameworkError(
                    f"run_many: seed {seed} ended in an error the second time:\n\n{ran.error}"
                )
            if first.state_hash != ran.state_hash:
                raise FrameworkError(
                    f"run_many: seed {seed} ends in another state when repeated: its hash was "
                    f"{first.state_hash:#018x} on {before.worker} ({before.machine}), "
                    f"and {ran.state_hash:#018x} on "
                    f"{report.worker} ({report.machine}); fw.sync_test, or `framework "
                    "synctest FILE --matrix`, says why"
                )
        chunk.tries += 1
        same = report.worker == self.done[chunk.numbers[0]][2].worker
        if same and self.executor.workers > 1 and chunk.tries < _TRIES:
            self.waiting.append(chunk)
            return
        self.unchecked.difference_update(chunk.numbers)
        if not same:
            self.checked.update(chunk.numbers)

    def _failed(self, chunk: _Chunk, error: BaseException) -> None:
        """Repeat a chunk whose worker died. Raise any other error."""
        if not isinstance(
            error, BrokenExecutor | CancelledError | ConnectionError
        ) and not _is_death(error):
            raise FrameworkError(
                f"run_many: {type(error).__name__}: {error}; everything sent to workers "
                "and back must be picklable, and "
                "defined in modules that they can import"
            ) from error
        if isinstance(error, BrokenExecutor):
            self._broken(chunk.place)
        chunk.deaths += chunk.alone
        if chunk.alone and len(chunk.seeds) > 1:
            half = len(chunk.seeds) // 2
            for part in (slice(half), slice(half, None)):
                self.suspects.append(
                    _Chunk(chunk.numbers[part], chunk.seeds[part], chunk.again, place=chunk.place)
                )
        elif chunk.deaths < _LIVES:
            self.suspects.append(chunk)
        else:
            raise FrameworkError(
                f"run_many: seed {chunk.seeds[0]}: the worker died each time that it was run "
                f"({type(error).__name__}: {error}). A game's file begins its runs below "
                'if __name__ == "__main__", and its class can be imported'
            ) from error
        for suspect in self.suspects:
            suspect.alone = True

    def _broken(self, worker: int) -> None:
        """Send again all chunks of a broken worker."""
        for future, chunk in [*self.flying.items()]:
            if chunk.place == worker:
                del self.flying[future]
                self.suspects.append(chunk)
        self.executor.renew(worker)


def _is_death(error: BaseException) -> bool:
    return any(cls.__name__ in _DEATHS for cls in type(error).__mro__)


# -- executors -------------------------------------------------------------------------------------


class _Executor:
    """The receiver of chunks."""

    workers: int

    def place(self, loads: Mapping[int, int], avoided: int | None) -> int:
        """Return the index of a worker for the next chunk: the least busy one, but not
        ``avoided``.
        """
        return 0

    def submit(self, index: int, *call: Any) -> Future[WorkerReport]:
        raise NotImplementedError

    def renew(self, index: int) -> None:
        """Replace a broken worker. Raise `FrameworkError` if that is impossible."""
        raise NotImplementedError

    def end(self) -> None:
        """Stop the workers."""


class _Lent(_Executor):
    """The caller's executor."""

    def __init__(self, executor: HasSubmit, workers: int | None) -> None:
        self._executor = executor
        self.workers = workers or _workers_of(executor)

    def submit(self, index: int, *call: Any) -> Future[WorkerReport]:
        try:
            future: Future[WorkerReport] = self._executor.submit(*call)
        except BrokenExecutor:
            raise
        except (
            RuntimeError,
            OSError,
        ) as error:  # it was shut down, or its machines are lost
            raise FrameworkError(f"run_many: the executor takes no more runs: {error}") from error
        return future

    def renew(self, index: int) -> None:
        raise FrameworkError(
            "run_many: a worker of the executor died, and with it the executor, as "
            "that of concurrent.futures does; "
            "with executor=None, processes are replaced and their seeds run again"
        )


def _workers_of(executor: object) -> int:
    """Return the number of runs that an executor runs at once."""
    client = getattr(executor, "_client", None)  # Dask's
    count = (
        sum(client.nthreads().values())
        if client is not None
        else getattr(executor, "_max_workers", None)
    )
    count = count or getattr(executor, "num_workers", None)  # MPI's
    return count if isinstance(count, int) and count > 0 else _cores()


class _Own(_Executor):
    """Processes, each in its own pool of one.

    So the farm knows which chunk killed a process, and can choose a process for a chunk.
    """

    def __init__(self, order: FarmJob, workers: int | None) -> None:
        self.workers = workers or _cores()
        try:
            pickle.dumps(order)
        except Exception as error:
            raise FrameworkError(
                f"run_many: {error}; the game's class, result, player and options are "
                "sent to processes: define them "
                "at the top level of a module, or use another executor"
            ) from None
        kind = getattr(order.game, "__module__", "")
        main = sys.modules.get("__main__")
        if kind == "__main__" and not hasattr(main, "__file__"):
            raise FrameworkError(
                "run_many: processes cannot import code typed into an interpreter; put the game into a file"
            )
        self._pools: dict[int, ProcessPoolExecutor] = {}

    def place(self, loads: Mapping[int, int], avoided: int | None) -> int:
        indices = [index for index in range(self.workers) if index != avoided] or [0]
        return min(indices, key=lambda index: loads.get(index, 0))

    def submit(self, index: int, *call: Any) -> Future[WorkerReport]:
        if index not in self._pools:
            self._pools[index] = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
        return self._pools[index].submit(*call)

    def renew(self, index: int) -> None:
        self._pools.pop(index).shutdown(wait=False, cancel_futures=True)

    def end(self) -> None:
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
        for pool in self._pools.values():
            pool.shutdown(wait=True)


def _cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1
