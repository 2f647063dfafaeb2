"""How much of a machine's cores games in several processes get: `framework bench workers`.

Two cores of a virtual machine, of a processor that is hot, or that others use too, rarely do twice
what one does. So the same work in one process and in several is done in turn, in many short rounds,
and so is a bare Python loop, which has nothing to wait for: what games get is told as the share of
that, too.
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
"""Of a vector environment's games, in a block that is timed."""
RUNS = 40
"""Of a farm, for each worker."""
TICKS = 380
"""Of a run, which takes some 3 ms."""

_LOOP = 4000  # turns of a loop that takes some 0.25 ms
_TURNS = 256 * _LOOP  # in a block: what it takes to hand them out does not show
_WARM_UP = 2  # blocks of each, which are not counted

Block = Callable[[], object]


@dataclass
class Scaling:
    """The same work in one process and in several."""

    name: str
    one: Timing
    many: Timing
    ratio: float
    """How many times as fast the processes are: the median of the rounds."""
    reached: float
    """The share of what bare loops gain in the same round: the median of the rounds."""


@dataclass
class WorkersReport:
    """All figures of `framework bench workers`; times in microseconds, of a block of work."""

    workers: int
    games: int
    rounds: int
    rows: list[Scaling]


class Light(Game):
    """A step of it takes no time worth mentioning."""

    def setup(self) -> None:
        self.x = self.speed = 0.0

    def update(self, dt: float) -> None:
        self.speed += self.keys.axis("left", "right") - 0.1 * self.speed
        self.x += self.speed * dt


class Thinking(Light):
    """A step of it takes some 0.25 ms, in Python."""

    def update(self, dt: float) -> None:
        super().update(dt)
        turn(_LOOP)


class Wandering(Game):
    """Goes at random."""

    def setup(self) -> None:
        self.x = 0.0

    def update(self, dt: float) -> None:
        self.x += self.random.normal()


def turn(turns: int) -> int:
    """A bare loop."""
    total = 0
    for number in range(turns):
        total += number * number
    return total


def measure_workers(
    games: int = 64, rounds: int = 25, workers: int = 2, dask: bool = False, progress: bool = False
) -> WorkersReport:
    """All figures, each of so many rounds. Raises `FrameworkError` where Dask is asked for and is
    not installed.
    """
    enabled = gc.isenabled()
    with ExitStack() as stack:
        stack.callback(gc.enable if enabled else gc.disable)
        pools = tuple(stack.enter_context(_pool(count)) for count in (1, workers))
        blocks: dict[str, tuple[Block, Block]] = {"bare loops": _loops(pools, workers)}
        for game_class in (Thinking, Light):
            envs = [
                vector_env(game_class, games, workers=count, **_PLAYED) for count in (1, workers)
            ]
            for env in envs:
                stack.callback(env.close)
                env.reset(seed=0)
            many = 1 if game_class is Thinking else 8
            one, several = (_stepping(env, many * STEPS) for env in envs)
            blocks[f"{games} games, {'0.25 ms a step' if many == 1 else 'light steps'}"] = (
                one,
                several,
            )
        blocks["farm of 3 ms runs, processes"] = (
            _farm(pools[0], 1, workers),
            _farm(pools[1], workers, workers),
        )
        if dask:
            cluster = stack.enter_context(_cluster(workers))
            blocks["farm of 3 ms runs, Dask"] = (
                _farm(pools[0], 1, workers),
                _farm(cluster, workers, workers),
            )
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
    """In equal parts."""

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
            for side in (0, 1) if number % 2 else (1, 0):  # neither always goes first
                start = time.perf_counter()
                pair[side]()
                if number >= 0:
                    times[name][side].append(time.perf_counter() - start)
    return times


def _rows(times: dict[str, tuple[list[float], list[float]]]) -> list[Scaling]:
    """The first one is that of bare loops."""
    gains = {
        name: [one / many for one, many in zip(*sides, strict=True)]
        for name, sides in times.items()
    }
    bare = next(iter(gains.values()))
    return [
        Scaling(
            name,
            Timing.of(times[name][0]),
            Timing.of(times[name][1]),
            statistics.median(gain),
            statistics.median([own / loops for own, loops in zip(gain, bare, strict=True)]),
        )
        for name, gain in gains.items()
    ]
