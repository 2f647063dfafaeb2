"""`framework synctest`: test whether a game reaches the same states with the same input."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from ..bench.progress import progress_bar
from ..game.game import Game
from ..sim.matrix import environments, run_matrix
from ..sim.synctest import sync_test
from .gamefiles import CommandError

DIFFERS = 1
"""The exit status of the command if states differ."""


class SynctestArguments(Protocol):
    """The arguments of `framework synctest`."""

    game: str
    matrix: bool
    ticks: int
    distance: int
    seed: int
    exact: bool
    python: list[str]
    saves: str | None
    progress: bool


class Test:
    """The test of `framework synctest`, which calls `sync_test` with the game class of a program."""

    def __init__(self, arguments: SynctestArguments) -> None:
        if arguments.python:
            raise CommandError("--python: only with --matrix; add --matrix")
        self._arguments = arguments
        self.status = 0

    def __call__(self, game_class: type[Game], options: dict[str, Any]) -> None:
        """Test the game class ``game_class``. `fw.run` in the program calls this method with the
        class and the options from the program, instead of starting the game.
        """
        arguments = self._arguments
        options = {**options, "headless": True, "frame_stats": False} | _game_options(arguments)
        with progress_bar(arguments.ticks, "tick", arguments.progress, "playing") as bar:
            report = sync_test(
                game_class,
                arguments.ticks,
                arguments.distance,
                arguments.seed,
                progress=lambda tick: bar.update(tick - bar.n),
                saves=arguments.saves,
                **options,
            )
        print(report)
        self.status = 0 if report.ok else DIFFERS


def matrix(path: Path, arguments: SynctestArguments) -> int:
    """Test a game in several environments, for example with other Python versions. Print a table of
    the results, and return the exit status of the command.
    """
    if arguments.saves is not None:
        raise CommandError(
            "--saves: not with --matrix, whose runs all start without saves; leave out one of them"
        )
    surroundings = environments(arguments.python)
    with progress_bar(len(surroundings), "environment", arguments.progress, "playing") as bar:
        report = run_matrix(
            path,
            ticks=arguments.ticks,
            seed=arguments.seed,
            among=surroundings,
            progress=lambda done: bar.update(done - bar.n),
            **_game_options(arguments),
        )
    print(report)
    return 0 if report.ok else DIFFERS


def _game_options(arguments: SynctestArguments) -> dict[str, Any]:
    return {"exact": True} if arguments.exact else {}
