"""Run a game many times with different seeds, in several processes or on a cluster (a farm).

An executor runs functions in processes, in threads, or on the machines of a cluster. In each call,
it runs a chunk of seeds, which takes about 0.2 seconds. If each call has a large overhead, the
chunks grow until they take up to one second. If a worker process dies, other workers repeat its
runs.

To check the results, another worker repeats some of the runs, which must end in the same state as
the first time. This check detects games that are not deterministic, and machines that compute
different results.
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

_CHUNK = 0.2  # the work in a usual chunk, in seconds
_MAX_CHUNK = 1.0
# The minimum duration of a chunk, as a multiple of the overhead of a chunk. The second value is
# used near the end of all runs.
_MIN_OVERHEADS = (128, 8)
_MAX_GROWTH = 8  # the next chunk has at most this many times as many seeds as the last chunk
_MAX_SEEDS = 10_000  # the maximum number of seeds in a chunk
_CHUNKS_PER_WORKER = 2  # each worker has two chunks: one is running, the other is waiting
_MAX_DEATHS = 2  # the maximum number of workers that one run may kill
# The maximum number of attempts to repeat a run on another worker, if the executor chooses the
# worker.
_MAX_TRIES = 2
_DEATH_ERRORS = ("KilledWorker", "CommClosedError", "TerminatedWorkerError", "WorkerCrashedError")


class HasSubmit(Protocol):
    """An executor that has the method ``submit``, like the executors of `concurrent.futures`."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any: ...


@moved("run", {"seconds": "duration"})
class Run(NamedTuple):
    """The result of running a game once, with one seed."""

    seed: int
    result: Any
    """The value that the function ``result`` returned, or None if `run_many` was called without
    ``result``.
    """
    state_hash: int
    """The hash of the state after the last tick."""
    ticks: int
    """The number of ticks that ran. If the game called `exit`, the number is smaller than
    ``ticks``.
    """
    duration: float
    """How long the run took in real time, in seconds, including the start of the game."""
    worker: str
    """The machine and the process that ran the game, such as "host:4711"."""
    checked: bool
    """Whether another worker repeated the run and got the same state."""


def _check_seeds(seeds: object) -> None:
    is_single_array = getattr(seeds, "ndim", 1) == 0
    if isinstance(seeds, str | bytes) or not isinstance(seeds, Iterable) or is_single_array:
        raise checks.wrong_type("seeds", "whole numbers", seeds)


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
    """Run a game once for each seed, without a window. Yield a `Run` for each seed, in the order of
    the seeds.

    `run_many` creates the game with ``drawing=False``. If the game uses its window or OpenGL,
    `run_many` creates the game again with ``drawing=True``. To draw from the start, pass the option
    ``drawing=True``.

    Each run gets an empty folder for saves, which is deleted at the end of the run (see ``saves``).
    The result of a run depends only on the seed and the options, not on the executor and the
    worker.

    Parameters
    ----------
    executor
        Any executor with the interface of `concurrent.futures`: processes, threads, Dask
        (``client.get_executor()``), mpi4py or loky. `run_many` does not shut down the executor that
        you pass. By default, the executor is a pool of processes. Define the game class and the
        functions in modules, so that the worker processes can import them.
    ticks
        The maximum number of ticks of each run. A run ends earlier if the game calls `exit`.
    result
        A function that `run_many` calls as ``result(game)`` at the end of each run. Its return
        value, such as a number, a list or a small array, becomes `Run.result`.
    player
        A function that `run_many` calls as ``player(game, tick)`` before each tick, for example to
        press keys.
    check
        The fraction of the runs that another worker repeats, from 0 to 1. With only one worker, no
        run is repeated.
    workers
        The number of worker processes. Default: one process per processor core. If you pass an
        executor, ``workers`` is the number of its workers. Default: the number that the executor
        reports.
    saves
        An empty or new folder, which keeps the game's saves after the runs. Each run uses a
        subfolder whose name is the seed. By default, `run_many` deletes the saves.
    options
        Keyword options for the game.

    Raises
    ------
    FrameworkError
        If a repeated run ends in another state, if the game raises an exception, or if a run kills
        its workers. The error message contains the seed of the run.
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
    _check_seeds(seeds)
    length = len(seeds) if isinstance(seeds, Sequence) else None
    order = FarmJob(
        game_class, ticks, options, player, result, None if saves is None else _checked_saves(saves)
    )
    pool: _Executor = (
        _CallersExecutor(executor, workers)
        if executor is not None
        else _ProcessExecutor(order, workers)
    )
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
    """The runs that a worker plays in one call of the executor, with their numbers and seeds."""

    numbers: list[int]
    seeds: list[int]
    again: bool = False
    """Whether the chunk repeats runs, to compare their states."""
    tries: int = 0
    """The number of times that the runs of this chunk were repeated."""
    alone: bool = False
    """True if this chunk may have killed a worker. No other chunk then runs at the same time, so
    that the farm can find the run that kills workers.
    """
    deaths: int = 0
    sent: float = 0.0
    returned: float = 0.0
    """The time at which the result of the chunk arrived, in seconds. ``sent`` is the time at which
    the chunk was sent.
    """
    place: int = 0
    """The index of the worker that runs the chunk, if the executor can choose a worker. For a chunk
    that repeats runs, `place` is the worker of the first runs until the chunk is sent.
    """

    def halves(self) -> list[_Chunk]:
        """Return the runs of this chunk as two chunks."""
        half = len(self.seeds) // 2
        return [
            _Chunk(self.numbers[part], self.seeds[part], self.again, place=self.place)
            for part in (slice(half), slice(half, None))
        ]


@dataclass
class _Farm:
    """The object that sends chunks to an executor and receives the results, until all seeds are
    done.
    """

    job: FarmJob
    executor: _Executor
    seeds: Iterator[int]
    left: int | None
    """The number of seeds that the farm has not sent yet, or None if ``seeds`` has no length."""
    check: float
    number: int = 0
    """The number of runs that the farm has sent so far, which is the number of the next run."""
    next: int = 0
    """The number of the next run that `runs` yields."""
    duration: float = 0.0
    """The average duration of a run in seconds, or 0.0 before the first result."""
    idle: float = 0.0
    """The average time in seconds for which a worker waits between two chunks, although the second
    chunk has already been sent to it.
    """
    returned_at: dict[str, float] = field(default_factory=dict)
    """The time at which the last result of each worker arrived, in seconds."""
    size: int = 1
    pending: dict[Future[WorkerReport], _Chunk] = field(default_factory=dict)
    waiting: deque[_Chunk] = field(default_factory=deque)
    suspects: deque[_Chunk] = field(default_factory=deque)
    done: dict[int, tuple[int, RunOutcome, WorkerReport]] = field(default_factory=dict)
    unchecked: set[int] = field(default_factory=set)
    checked: set[int] = field(default_factory=set)
    ended: bool = False

    def runs(self) -> Iterator[Run]:
        """Yield all runs in the order of their seeds."""
        try:
            while True:
                self._send()
                while self.next in self.done and self.next not in self.unchecked:
                    yield self._next_run()
                if not self.pending:
                    if self.ended and not (self.waiting or self.suspects):
                        return
                    continue
                returned, _ = wait(self.pending, return_when=FIRST_COMPLETED)
                for future in returned:
                    chunk = self.pending.pop(future, None)
                    if chunk is not None:
                        self._receive(chunk, future)
        finally:
            for future in self.pending:
                future.cancel()
            self.executor.end()

    def _next_run(self) -> Run:
        number = self.next
        seed, outcome, report = self.done.pop(number)
        if outcome.error:
            raise FrameworkError(
                f"run_many: the run with seed {seed} ended in an error:\n\n{outcome.error}"
            )
        self.next += 1
        checked = number in self.checked
        self.checked.discard(number)
        return Run(
            seed,
            outcome.result,
            outcome.state_hash,
            outcome.ticks,
            outcome.duration,
            report.worker,
            checked,
        )

    # -- out ---------------------------------------------------------------------------------------

    def _send(self) -> None:
        """Send chunks to the workers until every worker has enough work."""
        if self.suspects:
            if not self.pending:
                self._submit(self.suspects.popleft())
            return
        while len(self.pending) < _CHUNKS_PER_WORKER * self.executor.workers:
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

        The last chunks are smaller, so that all workers finish at about the same time.
        """
        if not self.duration:
            return 1
        usual, at_end = (times * self.idle / self.duration for times in _MIN_OVERHEADS)
        size = int(min(max(_CHUNK / self.duration, usual), _MAX_CHUNK / self.duration, _MAX_SEEDS))
        if self.left is not None:
            size = min(
                size,
                math.ceil(max(self.left / (_CHUNKS_PER_WORKER * self.executor.workers), at_end)),
            )
        self.size = max(1, min(size, _MAX_GROWTH * self.size))
        return self.size

    def _to_be_checked(self, number: int) -> bool:
        """Return whether another worker must repeat a run to check its result. Another worker
        always repeats the first run, unless ``check`` is 0.
        """
        return self.check > 0 and math.floor(number * self.check) != math.floor(
            (number - 1) * self.check
        )

    def _submit(self, chunk: _Chunk) -> None:
        loads = Counter(run.place for run in self.pending.values())
        chunk.place = self.executor.place(loads, chunk.place if chunk.again else None)
        order = replace(self.job, saves=None) if chunk.again else self.job
        try:
            future = self.executor.submit(
                chunk.place, run_games, order, chunk.seeds, uuid.uuid4().hex
            )
        except BrokenExecutor:
            self.suspects.append(chunk)
            self._broken(chunk.place)
        else:
            self.pending[future] = chunk
            chunk.sent = time.perf_counter()
            future.add_done_callback(lambda _: setattr(chunk, "returned", time.perf_counter()))

    # -- back --------------------------------------------------------------------------------------

    def _receive(self, chunk: _Chunk, future: Future[WorkerReport]) -> None:
        try:
            report = future.result()
        except (Exception, CancelledError) as error:
            self._failed(chunk, error)
            return
        self._measure(chunk, report)
        if chunk.again:
            self._compare(chunk, report)
            return
        for number, seed, outcome in zip(chunk.numbers, chunk.seeds, report.runs, strict=False):
            self.done[number] = seed, outcome, report
            if outcome.error:  # `runs` raises the error when it should yield this run
                self.unchecked.discard(number)
        self._repeat_unchecked(chunk)

    def _repeat_unchecked(self, chunk: _Chunk) -> None:
        """Select the runs of a chunk whose results must be checked, and let another worker repeat
        them.
        """
        again = _Chunk([], [], again=True, place=chunk.place)
        for number, seed in zip(chunk.numbers, chunk.seeds, strict=True):
            if number in self.unchecked and number in self.done:
                again.numbers.append(number)
                again.seeds.append(seed)
        if again.numbers:
            self.waiting.append(again)

    def _measure(self, chunk: _Chunk, report: WorkerReport) -> None:
        """Update the measured duration of a run, and the measured overhead of a chunk."""
        took = sum(outcome.duration for outcome in report.runs)
        each = took / len(report.runs)
        self.duration = each if not self.duration else 0.5 * (self.duration + each)
        before = self.returned_at.get(report.worker, 0.0)
        self.returned_at[report.worker] = chunk.returned
        # The worker was still busy when the chunk was sent.
        if chunk.sent < before < chunk.returned:
            self.idle += 0.25 * (max(chunk.returned - before - took, 0.0) - self.idle)

    def _compare(self, chunk: _Chunk, report: WorkerReport) -> None:
        """Compare the states of repeated runs with the states of the first runs. Raise
        `FrameworkError` if two states differ.
        """
        for number, outcome in zip(chunk.numbers, report.runs, strict=False):
            seed, first, before = self.done[number]
            if outcome.error:
                raise FrameworkError(
                    f"run_many: seed {seed} ended in an error the second time:\n\n{outcome.error}"
                )
            if first.state_hash != outcome.state_hash:
                raise FrameworkError(
                    f"run_many: seed {seed} ends in another state when repeated: its hash was "
                    f"{first.state_hash:#018x} on {before.worker} ({before.machine}), "
                    f"and {outcome.state_hash:#018x} on "
                    f"{report.worker} ({report.machine}); fw.sync_test, or `framework "
                    "synctest FILE --matrix`, says why"
                )
        chunk.tries += 1
        same = report.worker == self.done[chunk.numbers[0]][2].worker
        if same and self.executor.workers > 1 and chunk.tries < _MAX_TRIES:
            self.waiting.append(chunk)
            return
        self.unchecked.difference_update(chunk.numbers)
        if not same:
            self.checked.update(chunk.numbers)

    def _failed(self, chunk: _Chunk, error: BaseException) -> None:
        """Handle an error that the executor raised. If a worker process has died, send the chunk
        again. For any other error, raise `FrameworkError`.
        """
        if not _is_death(error):
            raise FrameworkError(
                f"run_many: {type(error).__name__}: {error}; everything sent to workers "
                "and back must be picklable, and "
                "defined in modules that they can import"
            ) from error
        if isinstance(error, BrokenExecutor):
            self._broken(chunk.place)
        chunk.deaths += chunk.alone
        if chunk.alone and len(chunk.seeds) > 1:
            self.suspects += chunk.halves()
        elif chunk.deaths < _MAX_DEATHS:
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
        """Send all chunks of a broken worker to other workers."""
        for future, chunk in [*self.pending.items()]:
            if chunk.place == worker:
                del self.pending[future]
                self.suspects.append(chunk)
        self.executor.renew(worker)


def _is_death(error: BaseException) -> bool:
    """Return whether an error of the executor means that a worker process has died."""
    return isinstance(error, BrokenExecutor | CancelledError | ConnectionError) or any(
        cls.__name__ in _DEATH_ERRORS for cls in type(error).__mro__
    )


# -- executors -------------------------------------------------------------------------------------


class _Executor:
    """The base class of the two kinds of executors. An executor sends chunks to workers, and
    replaces broken workers.
    """

    workers: int

    def place(self, loads: Mapping[int, int], avoided: int | None) -> int:
        """Return the index of the worker for the next chunk. The method chooses the worker with the
        fewest chunks, but never the worker ``avoided``.
        """
        return 0

    def submit(self, index: int, *call: Any) -> Future[WorkerReport]:
        raise NotImplementedError

    def renew(self, index: int) -> None:
        """Replace a broken worker with a new worker. Raise `FrameworkError` if the executor cannot
        replace workers.
        """
        raise NotImplementedError

    def end(self) -> None:
        """Stop all workers that this executor has started."""


class _CallersExecutor(_Executor):
    """An executor that the caller passed to `run_many`."""

    def __init__(self, executor: HasSubmit, workers: int | None) -> None:
        self._executor = executor
        self.workers = workers or _workers_of(executor)

    def submit(self, index: int, *call: Any) -> Future[WorkerReport]:
        try:
            future: Future[WorkerReport] = self._executor.submit(*call)
        except BrokenExecutor:
            raise
        except (RuntimeError, OSError) as error:
            # The executor was shut down, or the connection to its machines is lost.
            raise FrameworkError(f"run_many: the executor takes no more runs: {error}") from error
        return future

    def renew(self, index: int) -> None:
        raise FrameworkError(
            "run_many: a worker of the executor died, and with it the executor, as "
            "that of concurrent.futures does; "
            "with executor=None, processes are replaced and their seeds run again"
        )


def _workers_of(executor: object) -> int:
    """Return the number of workers of an executor. If the executor does not report this number,
    return the number of processor cores.
    """
    client = getattr(executor, "_client", None)  # an attribute of Dask's executor
    count = (
        sum(client.nthreads().values())
        if client is not None
        else getattr(executor, "_max_workers", None)
    )
    count = count or getattr(executor, "num_workers", None)  # an attribute of MPI's executor
    return count if isinstance(count, int) and count > 0 else _cores()


class _ProcessExecutor(_Executor):
    """The default executor: several worker processes on this machine. Each worker process has its
    own process pool, so that the farm can choose a process for each chunk, and can identify a chunk
    that has killed its process.
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
    """Return the number of processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1
