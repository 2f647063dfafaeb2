"""Games for agents.

The processes that play these games import this module, so that they need not load pytest.
"""

from __future__ import annotations

import multiprocessing
from typing import Any

import numpy as np
from pictures import solid

import framework as fw


class Catch(fw.Game):
    """A game in which a bat catches a falling ball."""

    made = 0

    def setup(self) -> None:
        Catch.made += 1
        self.bat = self.sprites.add(solid(20, 4), position=(50, 5))
        self.ball = self.sprites.add(solid(4, 4), position=(self.random.uniform(10, 90), 90))
        self.score = 0

    def update(self, dt: float) -> None:
        self.bat.x = min(max(self.bat.x + 3 * self.keys.axis("left", "right"), 10), 90)
        self.ball.y -= 2
        if self.ball.y < 8:
            if abs(self.ball.x - self.bat.x) > 12:
                self.exit()
            else:
                self.score += 1
            self.ball.position = self.random.uniform(10, 90), 90


OBSERVED = ("bat.x", "ball.position", "score")
PLAIN: dict[str, Any] = {
    "actions": [(), "left", "right"],
    "observation": OBSERVED,
    "reward": "score",
    "size": (100, 100),
}


class CatchWithInfo(Catch):
    """A game with an info dict."""

    def info(self) -> dict[str, Any]:
        return {"score": self.score, "where": np.array(self.ball.position)}


class CatchWithLargeInfo(Catch):
    """A game whose info is larger than the buffer of a pipe."""

    def info(self) -> dict[str, Any]:
        return {"log": np.full(1 << 17, self.tick, np.float64)}


class CatchWithUnsendableInfo(Catch):
    """A game whose info cannot be pickled after the first tick."""

    def info(self) -> dict[str, Any]:
        return {"how": (number for number in range(3))} if self.tick else {}


class BrokenInChild(fw.Game):
    """A game whose `setup` fails in a child process."""

    def setup(self) -> None:
        if not multiprocessing.parent_process():
            return
        raise ValueError("no setup")
