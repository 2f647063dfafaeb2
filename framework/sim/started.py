"""Which game a file would start, with which options: it is run as far as that."""

from __future__ import annotations

import runpy
import sys
from typing import Any

import framework

from ..errors import FrameworkError
from ..game.game import Game


class _Started(Exception):
    """The file has come to `run`: of which game, with which options."""


def game_of(file: str) -> tuple[type[Game], dict[str, Any]]:
    """The game that a file would run, and the options that it would run it with."""

    def run(game_class: type[Game], *, frames: object = None, screenshot: object = None, **options: Any) -> None:
        raise _Started(game_class, options)

    before, argv = framework.run, sys.argv
    framework.run, sys.argv = run, [file]
    try:
        runpy.run_path(file, run_name="__main__")
    except _Started as started:
        game_class, options = started.args
        return game_class, options
    finally:
        framework.run, sys.argv = before, argv
    raise FrameworkError(f"{file} has run and started no game")
