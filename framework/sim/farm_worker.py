"""Run games in the worker processes of a farm.

All classes in this module can be pickled, so that the farm can send their objects to worker
processes.
"""

from __future__ import annotations

import functools
import os
import platform
import shutil
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from ..game.driven_game import driven
from ..game.game import Game
from .game_files import NoGameStarted, game_class_of
from .headless import play_headless
from .random_player import RandomPlayer

# Games of one process run one after another, because threads share OpenGL and the module state.
_process_lock = threading.Lock()


@dataclass(frozen=True)
class GameFile:
    """A Python file that starts a game with `fw.run`. To find the game class, a worker process
    executes the file until it calls `fw.run`.
    """

    file: str

    def load(self) -> tuple[type[Game], dict[str, Any]]:
        """Return the game class and the options that the file passes to `fw.run`."""
        return _load(self.file)


@dataclass(frozen=True)
class FarmJob:
    """The job that `run_many` sends to its workers: a game, its options, the number of ticks, and
    the player.
    """

    game: type[Game] | GameFile
    ticks: int
    options: dict[str, Any]
    player: Callable[[Any, int], object] | None
    result: Callable[[Any], Any] | None
    saves: str | None = None
    """The folder for saves. Each run uses a subfolder whose name is the seed. If `saves` is None,
    saves are deleted after each run.
    """


@dataclass(frozen=True)
class AttributeReader:
    """A function for the parameter ``result`` of `run_many`. It returns a list with the values of
    the game's attributes ``names``. A name can be a path, such as "fleet.count".
    """

    names: tuple[str, ...]

    def __call__(self, game: Game) -> list[object]:
        values: list[object] = [attrgetter(name)(game) for name in self.names]
        return [
            value.tolist() if isinstance(value, np.generic | np.ndarray) else value
            for value in values
        ]


class SeededRandomPlayer:
    """A player that presses random keys, for the parameter ``player`` of `run_many`. The seed of
    the game determines which keys the player presses.
    """

    def __call__(self, game: Game, tick: int) -> None:
        seed: Any = game.random.bit_generator.seed_seq
        RandomPlayer(int(seed.entropy))(game, tick)


class RunOutcome(NamedTuple):
    """The result of one run. If an exception ended the run, the outcome contains the error."""

    result: object
    state_hash: int
    ticks: int
    duration: float
    error: str = ""
    """The traceback of an exception in the game, or "" if the run has succeeded."""


class WorkerReport(NamedTuple):
    """The outcomes of all runs in a chunk (the runs of one call), and the worker process that ran
    them.
    """

    runs: list[RunOutcome]
    worker: str
    """The machine and the process of the worker, such as "host:4711"."""
    machine: str
    """The type of the processor, and the versions of Python and NumPy that the worker uses."""


def run_games(job: FarmJob, seeds: Sequence[int], name: str) -> WorkerReport:
    """Run a game once for each seed, without drawing. If a game raises an exception, the remaining
    seeds are not run.

    Pass a different text as ``name`` in each call, because executors such as Dask cache results and
    do not repeat a call with equal arguments.
    """
    runs: list[RunOutcome] = []
    for seed in seeds:
        with _process_lock:
            runs.append(_run(job, seed))
        if runs[-1].error:
            break
    machine = f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}"
    return WorkerReport(runs, f"{platform.node()}:{os.getpid()}", machine)


def _run(job: FarmJob, seed: int) -> RunOutcome:
    begin = time.perf_counter()
    try:
        game_class, own = job.game.load() if isinstance(job.game, GameFile) else (job.game, {})
        options = (
            own
            | {"headless": True, "frame_stats": False, "manage_gc": False}
            | job.options
            | {"seed": seed}
        )
        saves = None if job.saves is None else os.path.join(job.saves, str(seed))
        if saves is not None:
            # Remove the saves of a worker that died in the same run.
            shutil.rmtree(saves, ignore_errors=True)
        result, state_hash, ticks = play_headless(
            game_class, options, lambda game: _play(game, job), saves
        )
        return RunOutcome(result, state_hash, ticks, time.perf_counter() - begin)
    except Exception as error:
        message = str(error) if isinstance(error, NoGameStarted) else traceback.format_exc()
        return RunOutcome(None, 0, 0, time.perf_counter() - begin, message)


def _play(game: Game, job: FarmJob) -> tuple[object, int, int]:
    """Play a game for all ticks, or until the game exits. Return the result of the game, the hash
    of its state, and the number of ticks.
    """
    stage = driven(game).stage
    player = job.player
    for tick in range(1, job.ticks + 1):
        if stage.exiting or not stage.stack:
            break
        if player is not None:
            player(game, tick)
        game.run_ticks(1)
    result = None if job.result is None else job.result(game)
    return result, game.state_hash(), game.tick


@functools.cache
def _load(file: str) -> tuple[type[Game], dict[str, Any]]:
    return game_class_of(file)
