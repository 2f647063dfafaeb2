"""A game with one of thirteen mistakes, each of which makes every run different."""

from __future__ import annotations

import functools
import os
import random
import time
import zlib
from typing import Any

import numpy as np
from pictures import blob
from ticking import counter

import framework as fw

_step = counter()


@functools.cache
def _cached(key: int) -> list[int]:
    return []


def _defaulted(calls: list[int] = []) -> float:  # noqa: B006  (this default is the mistake)
    calls.append(1)
    return len(calls)


def _grown() -> float:
    _cached(1).append(1)
    return len(_cached(1))


def _in_the_environment() -> float:
    os.environ["PLANTED"] = str(int(os.environ.get("PLANTED", "0")) + 1)
    return float(os.environ["PLANTED"])


class Planted(fw.Game):
    """A game that sets a position from tick 20 on, to a value that depends on the mistake."""

    made = 0

    def __init__(self, mistake: str, **options: Any) -> None:
        self.mistake = mistake
        super().__init__(size=(64, 48), **options)

    def setup(self) -> None:
        self.batch = self.add(fw.SpriteBatch(blob(), count=5))
        self.names = {f"name {number}" for number in range(40)}
        self.x = self.random.normal(size=2000)
        self.drawn = 0.0
        if self.mistake == "generator":
            self.script = (number for number in range(10**9))

    def update(self, dt: float) -> None:
        self.batch.position[:, 0] += 1
        if self.tick >= 20:
            self.batch.position[3, 1] = getattr(self, f"by_{self.mistake}")()

    def draw(self, alpha: float) -> None:
        self.drawn = self.random.random() if self.mistake == "draw" else 0.0

    def by_clock(self) -> float:
        return time.perf_counter() % 1

    def by_random(self) -> float:
        return random.random()

    def by_class_attribute(self) -> float:
        Planted.made += 1
        return Planted.made

    def by_closure(self) -> float:
        return _step()  # type: ignore[no-any-return]

    def by_generator(self) -> float:
        return next(self.script)

    def by_set_order(self) -> float:
        return float(zlib.crc32(" ".join(self.names).encode()) % 1_000_003)

    def by_id_order(self) -> float:
        lists = [[index] for index in range(40)]
        for entry in lists[::3]:
            entry.append(object)  # type: ignore[arg-type]
        return float(sorted(lists, key=id)[0][0] + 40 * sorted(lists, key=id)[7][0])

    def by_ties(self) -> float:
        return float(np.dot(np.argsort(np.arange(1000) % 3), np.arange(1000) % 89))

    def by_cube(self) -> float:
        return float((self.x**3).view(np.int64).sum() % 1_000_003)

    def by_draw(self) -> float:
        return self.random.random()

    def by_cache(self) -> float:
        return _grown()

    def by_default(self) -> float:
        return _defaulted()

    def by_environ(self) -> float:
        return _in_the_environment()
