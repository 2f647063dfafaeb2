"""One errand of a farm: some runs of a game, in whatever process or thread a worker is. All of it is plain data."""

from __future__ import annotations

import functools
import inspect
import os
import platform
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from ..game.game import Game
from ..game.playing import driven
from .random_player import RandomPlayer

_turn = threading.Lock()  # games of one process take turns: OpenGL, and what is of the process, is no thread's own


@dataclass(frozen=True)
class GameOfFile:
    """The game that a file would run: each worker loads it by itself."""

    file: str

    def made(self, options: dict[str, Any]) -> Game:
        """The game, with ``options`` beside those in the file."""
        game_class, own = _loaded(self.file)
        return _new(game_class, own | options)


@dataclass(frozen=True)
class Order:
    """What is to be run."""

    game: type[Game] | GameOfFile
    ticks: int
    options: dict[str, Any]
    player: Callable[[Any, int], object] | None
    result: Callable[[Any], Any] | None


@dataclass(frozen=True)
class Values:
    """The result of a run: attributes of the game, by their names, as in "fleet.count"."""

    names: tuple[str, ...]

    def __call__(self, game: Any) -> list[Any]:
        values = [attrgetter(name)(game) for name in self.names]
        return [value.tolist() if isinstance(value, np.generic | np.ndarray) else value for value in values]


class RandomKeys:
    """Plays each game at random, by the seed of the game."""

    def __call__(self, game: Any, tick: int) -> None:
        seed: Any = game.random.bit_generator.seed_seq
        RandomPlayer(int(seed.entropy))(game, tick)


class Ran(NamedTuple):
    """What came of one run."""

    result: Any
    state_hash: int
    ticks: int
    seconds: float
    error: str = ""
    """The traceback of an exception in the game."""


class Report(NamedTuple):
    """What came of an errand."""

    runs: list[Ran]
    worker: str
    """Host and process."""
    machine: str
    """What it computes with."""


def run_errand(order: Order, seeds: Sequence[int], name: str) -> Report:
    """Run a game for each seed, without pictures. An exception in one ends the errand.

    No two errands have the same ``name``: an executor that remembers what it was asked before (as Dask's does) is to
    run them all the same.
    """
    runs: list[Ran] = []
    for seed in seeds:
        with _turn:
            runs.append(_run(order, seed))
        if runs[-1].error:
            break
    machine = f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}"
    return Report(runs, f"{platform.node()}:{os.getpid()}", machine)


def _run(order: Order, seed: int) -> Ran:
    begin = time.perf_counter()
    try:
        options = {"headless": True, "monitor": False, "manage_gc": False} | order.options | {"seed": seed}
        made = order.game
        with made.made(options) if isinstance(made, GameOfFile) else _new(made, options) as game:
            _play(game, order)
            result = None if order.result is None else order.result(game)
            return Ran(result, game.state_hash(), game.tick, time.perf_counter() - begin)
    except Exception:
        return Ran(None, 0, 0, time.perf_counter() - begin, traceback.format_exc())


def _play(game: Game, order: Order) -> None:
    """All ticks, or until the game has had enough."""
    stage, player = driven(game).stage, order.player
    for tick in range(1, order.ticks + 1):
        if stage.exiting or not stage.on:
            break
        if player is not None:
            player(game, tick)
        game.run_ticks(1)


def _new(game_class: type[Game], options: dict[str, Any]) -> Game:
    if _may_draw_nothing():
        options = {"drawing": False} | options
    return game_class(**options)


@functools.cache
def _may_draw_nothing() -> bool:
    """Whether games can do without anything to draw on."""
    return "drawing" in inspect.signature(Game.__init__).parameters


@functools.cache
def _loaded(file: str) -> tuple[type[Game], dict[str, Any]]:
    from .started import game_of

    return game_of(file)
