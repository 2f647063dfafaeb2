"""Measure how much faster several processes are than one (`framework bench workers`).

Two processor cores rarely do twice the work of one core. Other programs may be using the cores, or
the cores may be slow because they are hot or because other virtual machines share them. In many
short rounds, the benchmark does the same work first in one process, then in several processes. For
comparison, it also measures the speedup of a simple Python loop, which never waits.

The other benchmarks measure CPU time. This benchmark measures real time, because several processes
together use the same CPU time as one process.
"""

from __future__ import annotations

import gc
import multiprocessing
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import FrameworkError
from ..game.game import Game
from ..learn.vector_env import vector_env
from ..sim.farm import run_many
from .bench import Timing
from .progress import with_progress

STEPS = 4
"""The number of steps of a vector environment in one block of work."""
RUNS = 40
"""The number of games that each worker runs with `run_many` in one block of work."""
TICKS = 380
"""The number of ticks in a run, which takes about 3 ms."""

_LOOP = 4000  # iterations of a loop that takes about 0.25 ms
# In a block. Compared with this amount of work, distributing the work takes little time.
_TURNS = 256 * _LOOP
_WARM_UP = 2  # blocks of each kind that are not measured

Block = Callable[[], object]


@dataclass
class Scaling:
    """The times of the same work in one process and in several processes."""

    name: str
    one: Timing
    many: Timing
    ratio: float
    """The speedup: the time with one process divided by the time with several processes (median of
    all rounds).
    """
    reached: float
    """The speedup divided by the speedup of a simple loop in the same round (median of all rounds).
    """


@dataclass
class WorkersReport:
    """All results of `framework bench workers`. All times are in microseconds, for one block of
    work.
    """

    workers: int
    games: int
    rounds: int
    rows: list[Scaling]


class Light(Game):
    """A game with steps that take almost no time."""

    def setup(self) -> None:
        self.x = self.speed = 0.0

    def update(self, dt: float) -> None:
        self.speed += self.keys.axis("left", "right") - 0.1 * self.speed
        self.x += self.speed * dt


class Thinking(Light):
    """A game with steps that take about 0.25 ms in Python."""

    def update(self, dt: float) -> None:
        super().update(dt)
        turn(_LOOP)


class Wandering(Game):
    """A game in which objects move randomly."""

    def setup(self) -> None:
        self.x = 0.0

    def update(self, dt: float) -> None:
        self.x += self.random.normal()


def turn(turns: int) -> int:
    """Run a simple Python loop with ``turns`` iterations."""
    total = 0
    for index in range(turns):
        total += index * index
    return total


def _new_env(stack: ExitStack, game_class: type[Game], games: int, workers: int) -> Any:
    """Create and reset a vector environment, which ``stack`` closes at the end."""
    env = vector_env(game_class, games, workers=workers, **_PLAYED)
    stack.callback(env.close)
    env.reset(seed=0)
    return env


def measure_workers(
    games: int = 64, rounds: int = 25, workers: int = 2, dask: bool = False, progress: bool = False
) -> WorkersReport:
    """Run the benchmark of `framework bench workers` for ``rounds`` rounds, and return the measured
    times.

    Raises `FrameworkError` if ``dask`` is True and Dask is not installed.
    """
    enabled = gc.isenabled()
    with ExitStack() as stack:
        stack.callback(gc.enable if enabled else gc.disable)
        pools = tuple(stack.enter_context(_pool(count)) for count in (1, workers))
        blocks: dict[str, tuple[Block, Block]] = {"bare loops": _loops(pools, workers)}
        for game_class, work, steps in (
            (Thinking, "0.25 ms a step", STEPS),
            (Light, "light steps", 8 * STEPS),
        ):
            single = _new_env(stack, game_class, games, 1)
            several = _new_env(stack, game_class, games, workers)
            blocks[f"{games} games, {work}"] = _stepping(single, steps), _stepping(several, steps)
        farm = _farm(pools[0], 1, workers)
        blocks["farm of 3 ms runs, processes"] = farm, _farm(pools[1], workers, workers)
        if dask:
            cluster = stack.enter_context(_cluster(workers))
            blocks["farm of 3 ms runs, Dask"] = farm, _farm(cluster, workers, workers)
        gc.disable()
        times = _in_turn(blocks, rounds, progress)
    return WorkersReport(workers, games, rounds, _rows(times))


_PLAYED: dict[str, Any] = {
    "actions": [(), "left", "right"],
    "observation": ("x", "speed"),
    "reward": "x",
}


def _pool(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"))


@contextmanager
def _cluster(workers: int) -> Iterator[Executor]:
    try:
        from dask import distributed
    except ImportError:
        missing = "--dask: dask.distributed is not installed; try: pip install 'dask[distributed]'"
        raise FrameworkError(missing) from None
    import logging

    options: Any = {
        "threads_per_worker": 1,
        "dashboard_address": ":0",
        "silence_logs": logging.ERROR,
    }
    dask: Any = distributed
    with dask.LocalCluster(n_workers=workers, **options) as cluster, dask.Client(cluster) as client:
        yield client.get_executor()


def _loops(pools: tuple[Executor, ...], workers: int) -> tuple[Block, Block]:
    """Return two functions that run the same number of loop iterations, in one process and in
    several processes.
    """

    def looping(pool: Executor, parts: int) -> Block:
        return lambda: [*pool.map(turn, [_TURNS // parts] * parts)]

    return looping(pools[0], 1), looping(pools[1], workers)


def _stepping(env: Any, steps: int) -> Block:
    actions = np.arange(env.num_envs) % 3

    def run() -> None:
        for _ in range(steps):
            env.step(actions)

    return run


def _farm(executor: Any, workers: int, parts: int) -> Block:
    options: dict[str, Any] = {"ticks": TICKS, "check": 0, "workers": workers}
    return lambda: [*run_many(Wandering, range(RUNS * parts), executor, **options)]


def _in_turn(
    blocks: dict[str, tuple[Block, Block]], rounds: int, progress: bool
) -> dict[str, tuple[list[float], list[float]]]:
    times: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in blocks}
    numbers = range(-_WARM_UP, rounds)
    for number in with_progress(numbers, len(numbers), "round", progress, "spreading"):
        for name, pair in blocks.items():
            # Both sides take turns to be first in a round.
            for side in (0, 1) if number % 2 else (1, 0):
                start = time.perf_counter()
                pair[side]()
                if number >= 0:
                    times[name][side].append(time.perf_counter() - start)
    return times


def _rows(times: dict[str, tuple[list[float], list[float]]]) -> list[Scaling]:
    """Return a `Scaling` for each type of work. ``times`` contains the times for each type. The
    first type must be the simple loop.
    """
    gains = {
        name: [single / many for single, many in zip(*sides, strict=True)]
        for name, sides in times.items()
    }
    bare = next(iter(gains.values()))
    return [
        Scaling(
            name,
            Timing.of(times[name][0]),
            Timing.of(times[name][1]),
            statistics.median(gain),
            statistics.median([gained / loops for gained, loops in zip(gain, bare, strict=True)]),
        )
        for name, gain in gains.items()
    ]
