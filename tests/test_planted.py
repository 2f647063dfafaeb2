"""Thirteen mistakes that make a game another one each time, planted: all are found, and with them
where they are.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from planting import Planted

import framework as fw
from framework.sim.matrix import environments, features, run_matrix

FIRST = (
    "clock",
    "random",
    "class_attribute",
    "closure",
    "generator",
    "set_order",
    "id_order",
    "ties",
)
ALL = (*FIRST, "cube", "draw", "cache", "default", "environ")


def synced(mistake: str) -> Any:
    return fw.sync_test(Planted, ticks=60, mistake=mistake)


@pytest.mark.parametrize(
    "mistake", [*FIRST[:4], "set_order", "id_order", "cache", "default", "environ"]
)
def test_a_sync_test_finds_it_with_tick_path_row_and_both_values(
    mistake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANTED", "0")
    report = synced(mistake)
    assert not report.ok, mistake
    assert (report.path, report.row) == ("game.batch.position", (3, 1))
    assert report.phase == "update" or (
        mistake == "id_order" and report.phase is None
    )  # addresses may come again
    assert 20 <= report.tick <= 60
    assert report.before != report.after


def test_a_generator_is_named() -> None:
    assert synced("generator").path == "game.script"


PROGRAM = """
import sys
sys.path.insert(0, {tests!r})
import framework as fw
from planting import Planted

if __name__ == "__main__":
    fw.run(Planted, mistake={mistake!r})
"""


# Each night; otherwise one for each environment that tells, but for those that `test_matrix` has a
# game for.
TOLD = [
    "generator",
    "ties",
    *(["set_order", "draw", "closure", "cube"] if os.environ.get("NEW_EXAMPLES") else []),
]


@pytest.mark.parametrize("mistake", TOLD)
def test_the_matrix_finds_it(mistake: str, tmp_path: Path) -> None:
    """Those that differ between processes, between frame rates, when a tick is run again, and
    between processors.
    """
    if mistake in ("ties", "cube") and not any(
        "V4" in name or "AVX512" in name for name in features()
    ):
        pytest.skip("this processor has nothing that could be left out")
    finds = {
        "set_order": "other hash seed",
        "draw": "nothing drawn",
        "ties": "no AVX-512",
        "cube": "no AVX-512",
    }
    wanted = ("as it is", finds.get(mistake, "every tick twice"))
    path = tmp_path / "planted.py"
    path.write_text(PROGRAM.format(tests=str(Path(__file__).parent), mistake=mistake))
    among = [each for each in environments() if each.name in wanted]
    if mistake != "draw":  # a process that loads no GL takes half the time
        among = [replace(each, drawing=False) for each in among]
    found = run_matrix(path, ticks=21, among=among)
    assert not found.ok
    row = found.rows[1]
    if mistake == "generator":
        assert "game.script is a generator" in row.error
        return
    assert row.before != row.after
    if mistake == "draw":
        assert (row.tick, row.path, row.row) == (2, "game.drawn", None)
        assert 0 < row.before < 1
        assert row.after == 0
    else:
        assert (row.tick, row.path, row.row) == (20, "game.batch.position", (3, 1))
        assert row.paths == ("game.batch.position",)
        assert row.ulps > 0


def test_a_mistake_in_ten_thousand_ticks_is_found_early() -> None:
    report = fw.sync_test(Planted, ticks=10_000, mistake="random")
    assert report.tick <= 40
