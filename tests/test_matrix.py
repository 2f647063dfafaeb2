"""The matrix: what depends on surroundings is found, with the tick and the path, and what does not
is let through.
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
# But where drawing tells, nothing is drawn: a process that loads no GL takes half the time.
AS_IT_IS, SEED = BY_NAME["as it is"], replace(BY_NAME["other hash seed"], drawing=False)
UNDRAWN = replace(BY_NAME["nothing drawn"], collector="off", padding=9)
PLAIN = replace(AS_IT_IS, drawing=False)


@pytest.fixture
def game(tmp_path: Path) -> Path:
    path = tmp_path / "planted.py"
    path.write_text(GAME)
    return path


def test_what_depends_on_surroundings_is_told_with_its_tick_path_row_and_both_values(
    game: Path,
) -> None:
    found = run_matrix(game, ticks=7, among=[AS_IT_IS, SEED, UNDRAWN])
    assert [row.ticks for row in found.rows] == [7, 7, 7]
    first, seed, undrawn = found.rows
    assert first.ok
    assert (seed.tick, seed.path, seed.paths, seed.row) == (3, "game.order", ("game.order",), None)
    assert sorted(seed.before) == sorted(seed.after)
    assert seed.before != seed.after
    assert (undrawn.tick, undrawn.path, undrawn.row) == (5, "game.noticed", (2, 1))
    assert (undrawn.before, undrawn.after, undrawn.ulps) == (1.0, 1.0000001192092896, 1)
    assert not found.ok
    told = str(found).splitlines()
    assert "other hash seed           3  game.order" in told
    assert (
        "tick 5: game.noticed[2, 1] was 1.0, and 1.0000001192092896 with 'nothing "
        "drawn' (1 ULP apart)" in told
    )
    [line] = [line for line in told if line.startswith("tick 3: game.order was '")]
    assert len(line) < 200
    assert line.endswith("with 'other hash seed'")
    assert told[-1] == "2 of 3 differ, over 7 ticks"


CLOCK = """
import time
import framework as fw

class Clock(fw.Game):
    def update(self, dt):
        self.now = [time.perf_counter_ns()]

fw.run(Clock, size=(32, 32))
"""


def test_what_is_another_each_time_is_told_too(tmp_path: Path) -> None:
    path = tmp_path / "clock.py"
    path.write_text(CLOCK)
    first, row = run_matrix(path, ticks=3, among=[PLAIN, PLAIN]).rows
    assert first.ok
    assert (row.tick, row.path) == (1, "game.now[0]")
    assert row.before != row.after
    assert row.ulps is None


def test_any_value_of_a_listing_goes_from_one_process_to_another() -> None:
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


def test_a_game_that_does_not_run_is_an_error_and_another_python_that_is_not_there_a_row(
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


def test_the_environments_are_those_that_this_machine_can_make() -> None:
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


def test_synctest_asks_for_a_game_and_doctor_prints_a_fingerprint(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["synctest", "no such game", "--matrix"]) == 2
    assert "There is no example" in capsys.readouterr().err
    assert cli.main(["doctor", "--determinism"]) == 0
    said = capsys.readouterr().out
    found = fingerprint.families()
    assert all(f"{name} " in said and value in said for name, value in found.items())
    assert found == fingerprint.families()
    assert f"Physics: pymunk {version('pymunk')}, rapier3d {version('rapier3d')}, on " in said
    assert f", on {sys.platform} {platform.machine()}" in said


def test_without_engines_the_fingerprint_has_empty_lines_for_physics(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fingerprint, "engine_versions", dict)
    found = fingerprint.families()
    names = ("Physics2D", "Physics2D of pymunk", "Physics3D")
    assert {found[name] for name in names} == {fingerprint._hash([])}
    assert "\nPhysics: nothing, on " in fingerprint.as_text(found)


def test_the_physics_of_the_fingerprint_fell_and_collided() -> None:
    for dimensions, kind in ((2, fw.Physics2D), (3, fw.Physics3D)):
        position, turn = fingerprint._fallen(kind, dimensions)
        assert np.isfinite(position).all()
        assert position[:, 1].min() > 0.3  # on the floor, and not in it
        assert position[:, 1].max() < 6.5  # fell
        assert np.ptp(turn) > 0.5


def test_the_fingerprint_of_exact_is_the_same_on_every_machine() -> None:
    found = fingerprint.families()
    assert (found["exact float32"], found["exact float64"]) == (
        "725c4ac892745334",
        "1561e20e7cdb14ad",
    )
    assert found["+ - * / float64"] == "2abfde73670dd97d"
