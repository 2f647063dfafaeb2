"""Farm worker: runs games in the worker processes of a farm.

All classes of this module support pickle.
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
    """A Python file that starts a game with `fw.run`. A worker process runs the file up to this
    call to get the game class.
    """

    file: str

    def load(self) -> tuple[type[Game], dict[str, Any]]:
        """Return the game class and the options that the file passes to `fw.run`."""
        return _load(self.file)


@dataclass(frozen=True)
class FarmJob:
    """The work that a farm sends to its workers: the game to run, its options, the number of ticks,
    and the player.
    """

    game: type[Game] | GameFile
    ticks: int
    options: dict[str, Any]
    player: Callable[[Any, int], object] | None
    result: Callable[[Any], Any] | None
    saves: str | None = None
    """The folder for saves. Each run has a subfolder with the seed as its name. If `saves` is None,
    saves are deleted after each run.
    """


@dataclass(frozen=True)
class AttributeReader:
    """A function for the option ``result`` of `run_many`. The function returns a list with the
    values of some attributes of the game. ``names`` are the names of the attributes, such as
    "fleet.count".
    """

    names: tuple[str, ...]

    def __call__(self, game: Game) -> list[object]:
        values: list[object] = [attrgetter(name)(game) for name in self.names]
        return [
            value.tolist() if isinstance(value, np.generic | np.ndarray) else value
            for value in values
        ]


class SeededRandomPlayer:
    """A player that presses random keys. The keys depend only on the seed of the game."""

    def __call__(self, game: Game, tick: int) -> None:
        seed: Any = game.random.bit_generator.seed_seq
        RandomPlayer(int(seed.entropy))(game, tick)


class RunOutcome(NamedTuple):
    """The result of one run, or the error that ended the run."""

    result: object
    state_hash: int
    ticks: int
    duration: float
    error: str = ""
    """The traceback of an exception in the game, or "" if the run has succeeded."""


class WorkerReport(NamedTuple):
    """The outcomes of the runs in a chunk, and the worker process that ran them."""

    runs: list[RunOutcome]
    worker: str
    """The machine and the process of the worker, such as "host:4711"."""
    machine: str
    """The type of the processor, and the versions of Python and NumPy that the worker uses."""


def run_games(job: FarmJob, seeds: Sequence[int], name: str) -> WorkerReport:
    """Run a game for each seed, without drawing. After an exception in a game, the remaining seeds
    are not run.

    Each call must have a different ``name``. Some executors, such as Dask, cache results and would
    not run an equal call again.
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
            shutil.rmtree(saves, ignore_errors=True)  # saves of a worker that died in the same run
        result, state_hash, ticks = play_headless(
            game_class, options, lambda game: _play(game, job), saves
        )
        return RunOutcome(result, state_hash, ticks, time.perf_counter() - begin)
    except Exception as error:
        message = str(error) if isinstance(error, NoGameStarted) else traceback.format_exc()
        return RunOutcome(None, 0, 0, time.perf_counter() - begin, message)


def _play(game: Game, job: FarmJob) -> tuple[object, int, int]:
    """Run a game for all ticks, or until the game exits. Return the result, the hash of the state
    and the number of ticks.
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
