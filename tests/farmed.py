"""Games for tests of `run_many`, in a module that the workers import."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import framework as fw


class Walk(fw.Game):
    """A game with a random walk."""

    def setup(self) -> None:
        self.x = 0.0
        self.presses = 0

    def update(self, dt: float) -> None:
        self.x += self.random.normal()
        self.presses += self.keys.presses("space")


class Deadly(Walk):
    """A game that kills its worker for one seed, in the first ``times`` attempts.

    Each killed worker leaves a file in ``folder``.
    """

    def __init__(self, *, folder: str, deadly: int, times: int, **options: Any) -> None:
        self.folder = folder
        self.dies = options["seed"] == deadly
        self.times = times
        super().__init__(**options)

    def update(self, dt: float) -> None:
        if self.dies and self.tick == 2 and len(os.listdir(self.folder)) < self.times:
            (Path(self.folder) / str(os.getpid())).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        super().update(dt)


class Unlike(Walk):
    """A game that differs in each process and in each run."""

    runs = 0

    def setup(self) -> None:
        super().setup()
        Unlike.runs += 1
        self.x = os.getpid() + Unlike.runs


class Failing(Walk):
    def __init__(self, *, limit: int, **options: Any) -> None:
        self.fails = options["seed"] >= limit
        super().__init__(**options)

    def update(self, dt: float) -> None:
        super().update(dt)
        if self.tick == 3 and self.fails:
            raise ZeroDivisionError("a planted mistake")


class Silent(Walk):
    """A game that stores the options that it was created with."""

    def __init__(self, *, drawing: bool, headless: bool, **options: Any) -> None:
        self.options = {"drawing": drawing, "headless": headless}
        super().__init__(headless=headless, **options)


class Short(Walk):
    """A game that exits after four ticks."""

    def update(self, dt: float) -> None:
        super().update(dt)
        if self.tick == 4:
            self.exit()


def end_of(game: Any) -> list[float]:
    return [game.x, game.presses]


def tap(game: Any, tick: int) -> None:
    if tick % 3 == 0:
        game.testing.press("space")
        game.testing.release("space")
