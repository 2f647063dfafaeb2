"""Thirteen mistakes that make a game another one each time, planted: all are found, and with them where they are."""

from __future__ import annotations

import functools
import os
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pictures import blob
from ticking import counter

import framework as fw
from framework.sim.matrix import environments, features, run_matrix

_step = counter()


@functools.cache
def _cached(key: int) -> list[int]:
    return []


def _defaulted(calls: list[int] = []) -> float:  # noqa: B006  (it is the mistake)
    calls.append(1)
    return len(calls)


def _grown() -> float:
    _cached(1).append(1)
    return len(_cached(1))


def _in_the_environment() -> float:
    os.environ["PLANTED"] = str(int(os.environ.get("PLANTED", "0")) + 1)
    return float(os.environ["PLANTED"])


class Planted(fw.Game):
    """Row 3 of the column takes, from tick 20 on, what the mistake says."""

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
        return float(sum(place * int(name.split()[1]) for place, name in enumerate(self.names)))

    def by_id_order(self) -> float:
        things = [[index] for index in range(40)]
        for thing in things[::3]:
            thing.append(object)  # type: ignore[arg-type]
        return float(sorted(things, key=id)[0][0] + 40 * sorted(things, key=id)[7][0])

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


FIRST = ("clock", "random", "class_attribute", "closure", "generator", "set_order", "id_order", "ties")
ALL = (*FIRST, "cube", "draw", "cache", "default", "environ")


def synced(mistake: str) -> Any:
    return fw.sync_test(Planted, ticks=60, mistake=mistake)


@pytest.mark.parametrize("mistake", [*FIRST[:4], "set_order", "id_order", "cache", "default", "environ"])
def test_a_sync_test_finds_it_with_tick_path_row_and_both_values(
    mistake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANTED", "0")
    report = synced(mistake)
    assert not report.ok, mistake
    assert (report.path, report.row, report.phase) == ("game.batch.position", (3, 1), "update")
    assert 20 <= report.tick <= 60
    assert report.before != report.after


def test_a_generator_is_named() -> None:
    assert synced("generator").path == "game.script"



PROGRAM = """
import sys
sys.path.insert(0, {tests!r})
import framework as fw
from test_planted import Planted

if __name__ == "__main__":
    fw.run(Planted, mistake={mistake!r})
"""


@pytest.mark.parametrize("mistake", ["set_order", "draw", "closure", "generator", "ties", "cube"])
def test_the_matrix_finds_it(mistake: str, tmp_path: Path) -> None:
    """Those that differ between processes, between frame rates, when a tick is run again, and between processors."""
    if mistake in ("ties", "cube") and not any("V4" in name or "AVX512" in name for name in features()):
        pytest.skip("this processor has nothing that could be left out")
    finds = {"set_order": "other hash seed", "draw": "nothing drawn", "ties": "no AVX-512", "cube": "no AVX-512"}
    wanted = ("as it is", finds.get(mistake, "every tick twice"))
    path = tmp_path / "planted.py"
    path.write_text(PROGRAM.format(tests=str(Path(__file__).parent), mistake=mistake))
    found = run_matrix(path, ticks=21, among=[each for each in environments() if each.name in wanted])
    assert not found.ok
    row = found.rows[1]
    if mistake == "generator":
        assert "game.script is a generator" in row.error
    elif mistake == "draw":
        assert (row.tick, row.paths[0]) == (2, "game.drawn")
    else:
        assert row.tick == 20
        assert row.paths == ("game.batch.position",)


def test_a_mistake_in_ten_thousand_ticks_is_found_early() -> None:
    report = fw.sync_test(Planted, ticks=10_000, mistake="random")
    assert report.tick <= 40
