"""The determinism matrix: state that depends on the environment is reported with its tick and
path.
"""

from __future__ import annotations

import platform
import sys
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

import framework as fw
from framework.record.hashes import SameObject, digest_of
from framework.sim import fingerprint
from framework.sim.matrix import Environment, environments, features, run_matrix
from framework.sim.matrix_protocol import decode, encode
from framework.tools import cli

GAME = """
import numpy as np
import framework as fw

class Planted(fw.Game):
    not_state = ("words", "drawn")

    def setup(self):
        self.words = {f"word {number}" for number in range(9)}
        self.order, self.drawn, self.held, self.angle = "", 0, 0, 0.0
        self.noticed = np.zeros((3, 2), np.float32)

    def update(self, dt):
        self.held += self.keys["space"]
        self.angle += fw.exact.sin(self.tick)
        if self.tick == 3:
            self.order = "".join(self.words)
        if self.tick == 5:
            self.noticed[2, 1] = 1 if self.drawn else np.nextafter(np.float32(1), np.float32(2))

    def draw(self, alpha):
        self.drawn += 1

if __name__ == "__main__":
    fw.run(Planted, size=(32, 32), exact=True)
"""

BY_NAME = {environment.name: environment for environment in environments()}
# Drawing is enabled only if the comparison needs drawing: a process without OpenGL takes half the
# time.
DEFAULT = BY_NAME["as it is"]
SEED = replace(BY_NAME["other hash seed"], drawing=False)
UNDRAWN = replace(BY_NAME["nothing drawn"], collector="off", padding=9)
PLAIN = replace(DEFAULT, drawing=False)


@pytest.fixture
def game(tmp_path: Path) -> Path:
    path = tmp_path / "planted.py"
    path.write_text(GAME)
    return path


def test_a_dependence_on_the_environment_is_reported_with_tick_path_row_and_values(
    game: Path,
) -> None:
    matrix = run_matrix(game, ticks=7, among=[DEFAULT, SEED, UNDRAWN])
    assert [row.ticks for row in matrix.rows] == [7, 7, 7]
    first, seed, undrawn = matrix.rows
    assert first.ok
    assert (seed.tick, seed.path, seed.paths, seed.row) == (3, "game.order", ("game.order",), None)
    assert sorted(seed.before) == sorted(seed.after)
    assert seed.before != seed.after
    assert (undrawn.tick, undrawn.path, undrawn.row) == (5, "game.noticed", (2, 1))
    assert (undrawn.before, undrawn.after, undrawn.ulps) == (1.0, 1.0000001192092896, 1)
    assert not matrix.ok
    lines = str(matrix).splitlines()
    assert "other hash seed           3  game.order" in lines
    assert (
        "tick 5: game.noticed[2, 1] was 1.0, and 1.0000001192092896 with 'nothing "
        "drawn' (1 ULP apart)" in lines
    )
    [line] = [line for line in lines if line.startswith("tick 3: game.order was '")]
    assert len(line) < 200
    assert line.endswith("with 'other hash seed'")
    assert lines[-1] == "2 of 3 differ, over 7 ticks"


CLOCK = """
import time
import framework as fw

class Clock(fw.Game):
    def update(self, dt):
        self.now = [time.perf_counter_ns()]

fw.run(Clock, size=(32, 32))
"""


def test_state_that_differs_in_every_run_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "clock.py"
    path.write_text(CLOCK)
    first, row = run_matrix(path, ticks=3, among=[PLAIN, PLAIN]).rows
    assert first.ok
    assert (row.tick, row.path) == (1, "game.now[0]")
    assert row.before != row.after
    assert row.ulps is None


def test_every_kind_of_value_can_be_sent_between_processes() -> None:
    plain = [
        None,
        True,
        3,
        1 << 80,
        -0.0,
        "x",
        b"y",
        (("list", 2), 3),
        ("<f4", 1.5),
        SameObject("game.ship"),
    ]
    arrays = [
        np.arange(6.0).reshape(2, 3)[:, ::2],
        np.array(["a", "bc"]),
        np.zeros(3, [("x", "f4")]),
    ]
    for value in [*plain, *arrays]:
        again = decode(encode(value))
        assert digest_of(again) == digest_of(value)
        assert type(again) is type(value)


def test_a_broken_game_is_an_error_and_a_missing_python_is_a_row(
    tmp_path: Path,
) -> None:
    path = tmp_path / "broken.py"
    path.write_text("import framework as fw\nfw.run(fw.Game, size=(32, 32), tick_rate=0)\n")
    with pytest.raises(
        fw.FrameworkError, match=r"broken\.py does not run as it is: ValueError: tick_rate"
    ):
        run_matrix(path, ticks=2, among=[PLAIN])
    path.write_text(GAME)
    nowhere = Environment("x", python="/no/such/python")
    [_, again, row] = run_matrix(path, ticks=7, among=[PLAIN, PLAIN, nowhere]).rows
    assert again.ok
    assert "No such file" in row.error


def test_the_environments_are_possible_on_this_machine() -> None:
    names = [environment.name for environment in environments(["/opt/python"])]
    assert {
        "as it is",
        "other hash seed",
        "30 frames a second",
        "nothing drawn",
        "/opt/python",
    } <= {*names}
    assert names[0] == "as it is"
    for environment in environments():
        assert {*environment.variables.get("NPY_DISABLE_CPU_FEATURES", "").split()} <= features()


def test_synctest_requires_a_game_and_doctor_prints_a_fingerprint(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["synctest", "no such game", "--matrix"]) == 2
    assert "There is no example" in capsys.readouterr().err
    assert cli.main(["doctor", "--determinism"]) == 0
    output = capsys.readouterr().out
    families = fingerprint.families()
    assert all(f"{name} " in output and value in output for name, value in families.items())
    assert families == fingerprint.families()
    assert f"Physics: pymunk {version('pymunk')}, rapier3d {version('rapier3d')}, on " in output
    assert f", on {sys.platform} {platform.machine()}" in output


def test_without_physics_libraries_the_fingerprint_has_empty_physics_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fingerprint, "engine_versions", dict)
    families = fingerprint.families()
    names = ("Physics2D", "Physics2D of pymunk", "Physics3D")
    assert {families[name] for name in names} == {fingerprint._hash([])}
    assert "\nPhysics: nothing, on " in fingerprint.as_text(families)


def test_the_physics_of_the_fingerprint_falls_and_collides() -> None:
    for dimensions, kind in ((2, fw.Physics2D), (3, fw.Physics3D)):
        position, turn = fingerprint._fallen(kind, dimensions)
        assert np.isfinite(position).all()
        assert position[:, 1].min() > 0.3  # the bodies are on the floor, not below its surface
        assert position[:, 1].max() < 6.5  # the bodies fell
        assert np.ptp(turn) > 0.5


def test_the_exact_fingerprint_is_the_same_on_every_machine() -> None:
    families = fingerprint.families()
    assert (families["exact float32"], families["exact float64"]) == (
        "725c4ac892745334",
        "1561e20e7cdb14ad",
    )
    assert families["+ - * / float64"] == "2abfde73670dd97d"
