"""`framework synctest`: whether a game can be played again, here, and in other surroundings."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from ..bench.progress import progress_bar
from ..game.game import Game
from ..sim.matrix import environments, run_matrix
from ..sim.synctest import sync_test
from .gamefiles import CommandError

DIFFERS = 1
"""The exit status where something was not the same."""


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
    """A `sync_test` of the game that a program hands to `fw.run`."""

    def __init__(self, arguments: SynctestArguments) -> None:
        if arguments.python:
            raise CommandError("--python: of the matrix only; give --matrix, too")
        self._asked = arguments
        self.status = 0

    def __call__(self, game_class: type[Game], options: dict[str, Any]) -> None:
        """Instead of `fw.run`."""
        asked = self._asked
        options = {**options, "headless": True, "monitor": False} | _chosen(asked)
        with progress_bar(asked.ticks, "tick", asked.progress, "playing") as bar:
            report = sync_test(
                game_class,
                asked.ticks,
                asked.distance,
                asked.seed,
                progress=lambda tick: bar.update(tick - bar.n),
                saves=asked.saves,
                **options,
            )
        print(report)
        self.status = 0 if report.ok else DIFFERS


def matrix(path: Path, arguments: SynctestArguments) -> int:
    """The table of the matrix; returns the exit status."""
    if arguments.saves is not None:
        raise CommandError(
            "--saves: not of the matrix, whose runs all begin without saves; leave out one of them"
        )
    among = environments(arguments.python)
    with progress_bar(len(among), "environment", arguments.progress, "playing") as bar:
        found = run_matrix(
            path,
            ticks=arguments.ticks,
            seed=arguments.seed,
            among=among,
            progress=lambda done: bar.update(done - bar.n),
            **_chosen(arguments),
        )
    print(found)
    return 0 if found.ok else DIFFERS


def _chosen(arguments: SynctestArguments) -> dict[str, Any]:
    return {"exact": True} if arguments.exact else {}
