"""Errands: a worker of a farm runs some games. Everything sent is plain data."""

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

_turn = (
    threading.Lock()
)  # games of one process take turns: OpenGL and other process state belong to no thread


@dataclass(frozen=True)
class GameFile:
    """The game that a file would run. Each worker loads the file itself."""

    file: str

    def found(self) -> tuple[type[Game], dict[str, Any]]:
        """Return its class, and the options in the file."""
        return _loaded(self.file)


@dataclass(frozen=True)
class FarmJob:
    """The game to run, and how."""

    game: type[Game] | GameFile
    ticks: int
    options: dict[str, Any]
    player: Callable[[Any, int], object] | None
    result: Callable[[Any], Any] | None
    saves: str | None = None
    """The folder with a folder of saves for each run, named by its seed. None if saves are not
    kept.
    """


@dataclass(frozen=True)
class AttributeReader:
    """A ``result`` function: returns attributes of the game by name, as in "fleet.count"."""

    names: tuple[str, ...]

    def __call__(self, game: Game) -> list[object]:
        values: list[object] = [attrgetter(name)(game) for name in self.names]
        return [
            value.tolist() if isinstance(value, np.generic | np.ndarray) else value
            for value in values
        ]


class SeededRandomPlayer:
    """A player that presses keys at random, by the seed of each game."""

    def __call__(self, game: Game, tick: int) -> None:
        seed: Any = game.random.bit_generator.seed_seq
        RandomPlayer(int(seed.entropy))(game, tick)


class RunOutcome(NamedTuple):
    """The result of one run."""

    result: object
    state_hash: int
    ticks: int
    seconds: float
    error: str = ""
    """The traceback of an exception in the game, or ""."""


class WorkerReport(NamedTuple):
    """The result of an errand."""

    runs: list[RunOutcome]
    worker: str
    """Host and process."""
    machine: str
    """Processor and versions."""


def run_games(order: FarmJob, seeds: Sequence[int], name: str) -> WorkerReport:
    """Run a game for each seed with ``drawing=False``. An exception in the game ends the errand.

    Every errand has its own ``name``, so that an executor that caches results, such as Dask, still
    runs it.
    """
    runs: list[RunOutcome] = []
    for seed in seeds:
        with _turn:
            runs.append(_run(order, seed))
        if runs[-1].error:
            break
    machine = f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}"
    return WorkerReport(runs, f"{platform.node()}:{os.getpid()}", machine)


def _run(order: FarmJob, seed: int) -> RunOutcome:
    begin = time.perf_counter()
    try:
        game_class, own = (
            order.game.found() if isinstance(order.game, GameFile) else (order.game, {})
        )
        options = (
            own
            | {"headless": True, "frame_stats": False, "manage_gc": False}
            | order.options
            | {"seed": seed}
        )
        saves = None if order.saves is None else os.path.join(order.saves, str(seed))
        if saves is not None:
            shutil.rmtree(saves, ignore_errors=True)  # left by a worker that died in the same run
        result, state_hash, ticks = play_headless(
            game_class, options, lambda game: _play(game, order), saves
        )
        return RunOutcome(result, state_hash, ticks, time.perf_counter() - begin)
    except Exception as error:
        message = str(error) if isinstance(error, NoGameStarted) else traceback.format_exc()
        return RunOutcome(None, 0, 0, time.perf_counter() - begin, message)


def _play(game: Game, order: FarmJob) -> tuple[object, int, int]:
    """Run all ticks, or until the game exits. Return the result, the hash and the number of
    ticks.
    """
    stage = driven(game).stage
    player = order.player
    for tick in range(1, order.ticks + 1):
        if stage.exiting or not stage.on:
            break
        if player is not None:
            player(game, tick)
        game.run_ticks(1)
    result = None if order.result is None else order.result(game)
    return result, game.state_hash(), game.tick


@functools.cache
def _loaded(file: str) -> tuple[type[Game], dict[str, Any]]:
    return game_class_of(file)
