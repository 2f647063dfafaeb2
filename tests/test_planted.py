"""Planted mistakes: the checks find and locate thirteen mistakes that break determinism."""

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


def sync_report(mistake: str) -> Any:
    return fw.sync_test(Planted, ticks=60, mistake=mistake)


@pytest.mark.parametrize(
    "mistake", [*FIRST[:4], "set_order", "id_order", "cache", "default", "environ"]
)
def test_a_sync_test_finds_the_tick_path_row_and_values_of_a_mistake(
    mistake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANTED", "0")
    report = sync_report(mistake)
    assert not report.ok, mistake
    assert (report.path, report.row) == ("game.batch.position", (3, 1))
    assert report.phase == "update" or (
        mistake == "id_order" and report.phase is None
    )  # addresses may repeat
    assert 20 <= report.tick <= 60
    assert report.before != report.after


def test_a_sync_test_names_a_generator() -> None:
    assert sync_report("generator").path == "game.script"


PROGRAM = """
import sys
sys.path.insert(0, {tests!r})
import framework as fw
from planting import Planted

if __name__ == "__main__":
    fw.run(Planted, mistake={mistake!r})
"""


# All of them each night. Otherwise one mistake per environment, except those that `test_matrix` has
# a game for.
IN_MATRIX = [
    "generator",
    "ties",
    *(["set_order", "draw", "closure", "cube"] if os.environ.get("NEW_EXAMPLES") else []),
]


@pytest.mark.parametrize("mistake", IN_MATRIX)
def test_the_matrix_finds_the_mistake(mistake: str, tmp_path: Path) -> None:
    """The matrix finds mistakes that differ between processes, frame rates, repeated ticks and
    processors."""
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
    environment_names = ("as it is", finds.get(mistake, "every tick twice"))
    path = tmp_path / "planted.py"
    path.write_text(PROGRAM.format(tests=str(Path(__file__).parent), mistake=mistake))
    chosen = [
        environment for environment in environments() if environment.name in environment_names
    ]
    if mistake != "draw":  # a process without OpenGL takes half the time
        chosen = [replace(environment, drawing=False) for environment in chosen]
    report = run_matrix(path, ticks=21, among=chosen)
    assert not report.ok
    row = report.rows[1]
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
