"""Many runs of a game, each with a seed of its own, on any executor: processes, threads, or the
machines of a cluster.

Seeds go out in chunks that take some 0.2 seconds, whatever a run takes; or longer, up to a second,
where an executor needs so much for each that it would matter, which is measured on the way. Those
of a worker that died are run again. A share of the runs is run a second time by another worker, and
must end in the same state: so a cluster of unlike machines, or a game that is not the same each
time, is noticed.
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
from typing import Any, NamedTuple

from .. import checks
from ..errors import FrameworkError
from ..game.game import Game
from .errand import GameOfFile, Order, Ran, Report, run_errand

_CHUNK, _LONGEST = 0.2, 1.0  # seconds
_WORTH = (
    128,
    8,
    # times what it costs to send a chunk, that one is to take: as a rule, and at least, towards the end
)
_GROWTH = 8  # times the size of the chunks before
_MOST = 10_000  # seeds of a chunk
_QUEUED = 2  # chunks for each worker: one at work, one that waits
_LIVES = 2  # workers that one run may cost, when it is alone
_TRIES = 2  # to have a run repeated by another worker, where nobody can choose which
_DEATHS = ("KilledWorker", "CommClosedError", "TerminatedWorkerError", "WorkerCrashedError")


class Run(NamedTuple):
    """What came of one seed."""

    seed: int
    result: Any
    """What the function ``result`` returned of the game; None where there is none."""
    state_hash: int
    """Of the state after the last tick."""
    ticks: int
    """Ticks that were run: fewer than asked for where the game has ended itself."""
    seconds: float
    """Of real time, with making the game."""
    worker: str
    """Host and process that ran it."""
    checked: bool
    """Whether another worker came to the same state."""


def run_many(
    game_class: type[Game],
    seeds: Iterable[int],
    executor: Any = None,
    *,
    ticks: int = 600,
    result: Callable[[Any], Any] | None = None,
    player: Callable[[Any, int], object] | None = None,
    check: float = 0.01,
    workers: int | None = None,
    saves: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Iterator[Run]:
    """Run a game for each seed, off screen and without pictures; gives a `Run` for each, in the
    order of the seeds.

    A game that asks for its window or for OpenGL, or ``drawing=True`` among its options, is made
    with pictures.

    A run is ``ticks`` long, or until the game calls `exit`. ``result(game)`` says what is to be
    known of it: numbers, lists, small arrays. ``player(game, tick)`` plays, before each tick;
    ``options`` are the game's.

    ``executor`` is any of `concurrent.futures`: of processes, threads, Dask
    (``client.get_executor()``), mpi4py, loky, …; it is not shut down. None is a pool of processes
    of its own, one for each core, or ``workers`` of them. What is sent to workers must be
    importable there: the game's class and the functions are to be defined in modules. Of other
    executors, ``workers`` says how many chunks are to be under way; by default it is asked for.

    The share ``check`` of the runs is run again by another worker, as far as there is one. What
    comes of a run depends on the seed and the options alone: not on the executor, nor on who ran it
    or died meanwhile.

    Each run begins with an empty folder of saves, which is removed in the end. ``saves`` is an
    empty or new folder that keeps them, those of each run in a folder named by its seed.

    Raises `FrameworkError` for a run that ends in another state the second time, for an exception
    in the game (with its seed and traceback), and for a run that no worker survives.
    """
    if not isinstance(game_class, GameOfFile) and not (
        isinstance(game_class, type) and issubclass(game_class, Game)
    ):
        raise TypeError(f"game_class: expected a subclass of Game, got {checks.shown(game_class)}")
    ticks, check = checks.whole("ticks", ticks, 0), checks.number("check", check, least=0, most=1)
    for name, function in (("result", result), ("player", player)):
        if function is not None:
            checks.function(name, function)
    if executor is not None:
        checks.methods("executor", executor, ("submit",), "an executor, as of concurrent.futures")
    if "seed" in options:
        raise TypeError("seed: run_many has seeds, one for each run; leave it out")
    workers = None if workers is None else checks.whole("workers", workers, 1)
    length = len(seeds) if isinstance(seeds, Sequence) else None
    if (
        isinstance(seeds, str | bytes)
        or not isinstance(seeds, Iterable)
        or getattr(seeds, "ndim", 1) == 0
    ):
        raise checks.wrong_type("seeds", "whole numbers", seeds)
    order = Order(
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
    """Runs that go out together, by their numbers."""

    numbers: list[int]
    seeds: list[int]
    again: bool = False
    """Whether they are run a second time, to be compared."""
    tries: int = 0
    """Times that they were, and by the same worker."""
    alone: bool = False
    """Whether a worker has died of them, or of others that were under way: they go out by
    themselves.
    """
    deaths: int = 0
    sent: float = 0.0
    landed: float = 0.0
    """The moments when it went out and came back, in seconds."""
    place: int = 0
    """Which of the executor's workers has it, where that is known; of runs that are repeated, which
    had them first.
    """


@dataclass
class _Farm:
    """Chunks that go out and come back, until all seeds are through."""

    order: Order
    executor: _Executor
    seeds: Iterator[int]
    left: int | None
    """Seeds that have not gone out, where that is known."""
    check: float
    number: int = 0
    """Of the next seed."""
    next: int = 0
    """The number of the run that is to be given next."""
    seconds: float = 0.0
    """What a run takes."""
    cost: float = 0.0
    """Seconds for which a worker waits between two chunks, though the second one was under way."""
    heard: dict[str, float] = field(default_factory=dict)
    """The moments when the last chunks came back, by the workers."""
    size: int = 1
    flying: dict[Future[Report], _Chunk] = field(default_factory=dict)
    waiting: deque[_Chunk] = field(default_factory=deque)
    suspects: deque[_Chunk] = field(default_factory=deque)
    done: dict[int, tuple[int, Ran, Report]] = field(default_factory=dict)
    unchecked: set[int] = field(default_factory=set)
    checked: set[int] = field(default_factory=set)
    ended: bool = False

    def runs(self) -> Iterator[Run]:
        """All of them, in order."""
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
        """Have as many under way as keep all workers busy."""
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
        """As many as take the time of a chunk; towards the end fewer, so that all workers end
        together.
        """
        if not self.seconds:
            return 1
        usual, least = (times * self.cost / self.seconds for times in _WORTH)
        size = int(min(max(_CHUNK / self.seconds, usual), _LONGEST / self.seconds, _MOST))
        if self.left is not None:
            size = min(size, math.ceil(max(self.left / (_QUEUED * self.executor.workers), least)))
        self.size = max(1, min(size, _GROWTH * self.size))
        return self.size

    def _to_be_checked(self, number: int) -> bool:
        """The first, and then so many that the share is kept to."""
        return self.check > 0 and math.floor(number * self.check) != math.floor(
            (number - 1) * self.check
        )

    def _submit(self, chunk: _Chunk) -> None:
        loads = Counter(other.place for other in self.flying.values())
        chunk.place = self.executor.place(loads, chunk.place if chunk.again else None)
        order = replace(self.order, saves=None) if chunk.again else self.order
        try:
            future = self.executor.submit(
                chunk.place, run_errand, order, chunk.seeds, uuid.uuid4().hex
            )
        except BrokenExecutor:
            self.suspects.append(chunk)
            self._broken(chunk.place)
        else:
            self.flying[future] = chunk
            chunk.sent = time.perf_counter()
            future.add_done_callback(lambda _: setattr(chunk, "landed", time.perf_counter()))

    # -- back --------------------------------------------------------------------------------------

    def _take(self, chunk: _Chunk, future: Future[Report]) -> None:
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
            if ran.error:  # the last of them: it is told when its turn has come
                self.unchecked.discard(number)
            elif number in self.unchecked:
                again.numbers.append(number)
                again.seeds.append(seed)
        if again.numbers:
            self.waiting.append(again)

    def _learn(self, chunk: _Chunk, report: Report) -> None:
        """What a run takes, and what it costs to send some."""
        took = sum(ran.seconds for ran in report.runs)
        each = took / len(report.runs)
        self.seconds = each if not self.seconds else 0.5 * (self.seconds + each)
        before = self.heard.get(report.worker, 0.0)
        self.heard[report.worker] = chunk.landed
        if chunk.sent < before < chunk.landed:  # it lay there, and was begun as soon as could be
            self.cost += 0.25 * (max(chunk.landed - before - took, 0.0) - self.cost)

    def _compare(self, chunk: _Chunk, report: Report) -> None:
        """Runs that were repeated have come to the same state, or that is an error."""
        for number, ran in zip(chunk.numbers, report.runs, strict=False):
            seed, first, before = self.done[number]
            if ran.error:
                raise FrameworkError(
                    f"run_many: seed {seed} ended in an error the second time:\n\n{ran.error}"
                )
            if first.state_hash != ran.state_hash:
                raise FrameworkError(
                    f"run_many: seed {seed} does not come to the same state again: its hash was "
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
        """It is not known what became of a chunk: run it again, where a worker has died."""
        if not isinstance(
            error, BrokenExecutor | CancelledError | ConnectionError
        ) and not _is_death(error):
            raise FrameworkError(
                f"run_many: {type(error).__name__}: {error}; what is sent to workers "
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

    def _broken(self, place: int) -> None:
        """No chunk that is under way there will come back."""
        for future, chunk in [*self.flying.items()]:
            if chunk.place == place:
                del self.flying[future]
                self.suspects.append(chunk)
        self.executor.renew(place)


def _is_death(error: BaseException) -> bool:
    return any(cls.__name__ in _DEATHS for cls in type(error).__mro__)


# -- executors -------------------------------------------------------------------------------------


class _Executor:
    """What chunks are sent to."""

    workers: int

    def place(self, loads: Mapping[int, int], avoided: int | None) -> int:
        """Where the next chunk is to go, where one can say: to who has least to do, but for the one
        ``avoided``.
        """
        return 0

    def submit(self, place: int, *what: Any) -> Future[Report]:
        raise NotImplementedError

    def renew(self, place: int) -> None:
        """It is broken: from now on another takes its place. Raises `FrameworkError` where there is
        none.
        """
        raise NotImplementedError

    def end(self) -> None:
        """No more is to come."""


class _Lent(_Executor):
    """The caller's."""

    def __init__(self, executor: Any, workers: int | None) -> None:
        self._executor = executor
        self.workers = workers or _workers_of(executor)

    def submit(self, place: int, *what: Any) -> Future[Report]:
        try:
            future: Future[Report] = self._executor.submit(*what)
        except BrokenExecutor:
            raise
        except (
            RuntimeError,
            OSError,
        ) as error:  # it was shut down, perhaps meanwhile; or its machines are gone
            raise FrameworkError(f"run_many: the executor takes no more runs: {error}") from error
        return future

    def renew(self, place: int) -> None:
        raise FrameworkError(
            "run_many: a worker of the executor died, and with it the executor, as "
            "that of concurrent.futures does; "
            "with executor=None, processes are replaced and their seeds run again"
        )


def _workers_of(executor: Any) -> int:
    """How many runs an executor runs at once."""
    client = getattr(executor, "_client", None)  # Dask's
    found = (
        sum(client.nthreads().values())
        if client is not None
        else getattr(executor, "_max_workers", None)
    )
    found = found or getattr(executor, "num_workers", None)  # MPI's
    return found if isinstance(found, int) and found > 0 else _cores()


class _Own(_Executor):
    """Processes, each a pool of one: so one knows who has died of what, and can choose who is to
    run what.
    """

    def __init__(self, order: Order, workers: int | None) -> None:
        self.workers = workers or _cores()
        try:
            pickle.dumps(order)
        except Exception as error:
            raise FrameworkError(
                f"run_many: {error}; the game's class, result, player and options are "
                "sent to processes: define them "
                "at the top level of a module, or give another executor"
            ) from None
        kind, main = getattr(order.game, "__module__", ""), sys.modules.get("__main__")
        if kind == "__main__" and not hasattr(main, "__file__"):
            raise FrameworkError(
                "run_many: processes cannot import what was typed in; put the game into a file"
            )
        self._pools: dict[int, ProcessPoolExecutor] = {}

    def place(self, loads: Mapping[int, int], avoided: int | None) -> int:
        places = [place for place in range(self.workers) if place != avoided] or [0]
        return min(places, key=lambda place: loads.get(place, 0))

    def submit(self, place: int, *what: Any) -> Future[Report]:
        if place not in self._pools:
            self._pools[place] = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
        return self._pools[place].submit(*what)

    def renew(self, place: int) -> None:
        self._pools.pop(place).shutdown(wait=False, cancel_futures=True)

    def end(self) -> None:
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
        for pool in self._pools.values():
            pool.shutdown(wait=True)


def _cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1
