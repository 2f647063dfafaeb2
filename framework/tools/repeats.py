"""`framework synctest`: whether a game can be played again, here, and in other surroundings."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ..game.game import Game
from ..sim.matrix import environments, run_matrix
from ..sim.synctest import sync_test
from .gamefiles import CommandError

DIFFERS = 1
"""The exit status where something was not the same."""


class Test:
    """A `sync_test` of the game that a program hands to `fw.run`."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        if arguments.python:
            raise CommandError("--python: of the matrix only; give --matrix, too")
        self._asked = arguments
        self.status = 0

    def __call__(self, game_class: type[Game], options: dict[str, Any]) -> None:
        """Instead of `fw.run`."""
        asked = self._asked
        options = {**options, "headless": True, "monitor": False} | _chosen(asked)
        with _bar(asked, asked.ticks, "tick") as bar:
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


def matrix(path: Path, arguments: argparse.Namespace) -> int:
    """The table of the matrix; returns the exit status."""
    if arguments.saves is not None:
        raise CommandError(
            "--saves: not of the matrix, whose runs all begin without saves; leave out one of them"
        )
    among = environments(arguments.python)
    with _bar(arguments, len(among), "environment") as bar:
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


def _chosen(arguments: argparse.Namespace) -> dict[str, Any]:
    return {"exact": True} if arguments.exact else {}


def _bar(arguments: argparse.Namespace, total: int, unit: str) -> Any:
    shown = False if arguments.progress else None
    return tqdm(desc="playing", unit=unit, total=total, file=sys.stderr, disable=shown)
