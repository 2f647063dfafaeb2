"""The matrix: what depends on surroundings is found, with the tick and the path, and what does not is let through."""

from __future__ import annotations

from pathlib import Path

import pytest

import framework as fw
from framework.sim.matrix import Environment, environments, features, run_matrix
from framework.tools import cli, fingerprint

GAME = """
import zlib
import numpy as np
import framework as fw

class Planted(fw.Game):
    def setup(self):
        self.words = {f"word {number}" for number in range(9)}
        self.order, self.drawn, self.noticed, self.held, self.angle = "", 0, 0, 0, 0.0

    def update(self, dt):
        self.held += self.keys["space"]
        self.angle += fw.exact.sin(self.tick)
        if self.tick == 3:
            self.order = "".join(self.words)
        if self.tick == 5:
            self.noticed = self.drawn

    def draw(self, alpha):
        self.drawn += 1

    def state_hashes(self):  # as games have it
        parts = {"order": self.order, "noticed": self.noticed, "held": self.held, "angle": self.angle.hex()}
        return {f"game.{name}": zlib.crc32(repr(value).encode()) for name, value in parts.items()}

if __name__ == "__main__":
    fw.run(Planted, size=(32, 32), exact=True)
"""

AS_IT_IS = Environment("as it is", {"PYTHONHASHSEED": "0"})
OTHERS = (
    Environment("hash seed", {"PYTHONHASHSEED": "1"}),
    Environment("nothing drawn", {"PYTHONHASHSEED": "0"}, drawing=False, collector="off", padding=9),
)


@pytest.fixture
def game(tmp_path: Path) -> Path:
    path = tmp_path / "planted.py"
    path.write_text(GAME)
    return path


def test_what_depends_on_surroundings_is_told_with_its_tick_and_path(game: Path) -> None:
    same = Environment("once more", {"PYTHONHASHSEED": "0"})
    found = run_matrix(game, ticks=7, among=[AS_IT_IS, *OTHERS, same])
    assert [row.ticks for row in found.rows] == [7, 7, 7, 7]
    first, seed, undrawn, again = found.rows
    assert first.ok
    assert again.ok
    assert (seed.tick, seed.paths) == (3, ("game.order",))
    assert (undrawn.tick, undrawn.paths) == (5, ("game.noticed",))
    assert not found.ok
    assert "hash seed               3  game.order" in str(found)
    assert str(found).endswith("2 of 4 differ, over 7 ticks")


def test_a_game_that_does_not_run_is_an_error_and_another_python_that_is_not_there_a_row(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("import framework as fw\nfw.run(fw.Game, size=(32, 32), tick_rate=0)\n")
    with pytest.raises(fw.FrameworkError, match=r"broken\.py does not run as it is: ValueError: tick_rate"):
        run_matrix(path, ticks=2, among=[AS_IT_IS])
    path.write_text(GAME)
    [_, row] = run_matrix(path, ticks=1, among=[AS_IT_IS, Environment("x", python="/no/such/python")]).rows
    assert "No such file" in row.error


def test_the_environments_are_those_that_this_machine_can_make() -> None:
    names = [environment.name for environment in environments(["/opt/python"])]
    assert {"as it is", "other hash seed", "30 frames a second", "nothing drawn", "/opt/python"} <= {*names}
    assert names[0] == "as it is"
    for environment in environments():
        assert {*environment.variables.get("NPY_DISABLE_CPU_FEATURES", "").split()} <= features()


def test_synctest_asks_for_a_game_and_doctor_prints_a_fingerprint(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["synctest", "no such game", "--matrix"]) == 2
    assert "There is no example" in capsys.readouterr().err
    assert cli.main(["doctor", "--determinism"]) == 0
    said = capsys.readouterr().out
    found = fingerprint.families()
    assert all(f"{name} " in said and value in said for name, value in found.items())
    assert found == fingerprint.families()


def test_the_fingerprint_of_exact_is_the_same_on_every_machine() -> None:
    found = fingerprint.families()
    assert (found["exact float32"], found["exact float64"]) == ("725c4ac892745334", "1561e20e7cdb14ad")
    assert found["+ - * / float64"] == "2abfde73670dd97d"
