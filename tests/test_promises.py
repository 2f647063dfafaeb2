"""Promises of the framework: the order of a frame, and runs that are equal bit for bit."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pictures import blob
from PIL import Image

import framework as fw
from framework.game.launch import Launch, launching
from framework.plane.sprite_drawing import SpriteDrawing, SpriteSizes
from framework.state.backend import drives

Make = Callable[..., Any]
PACKAGE = Path(fw.__file__).parent


# -- the order of a frame --------------------------------------------------------------------------


def test_a_frame_latches_updates_uploads_and_draws_in_this_order(make: Make) -> None:
    log: list[str] = []

    class Recorded(fw.SpriteBatch):
        pass

    @drives(Recorded, unseen=SpriteSizes)
    class RecordedDrawing(SpriteDrawing):
        def begin_tick(self, dt: float) -> None:
            super().begin_tick(dt)
            log.append("latch")

        def end_tick(self) -> None:
            super().end_tick()
            log.append("tick ends")

        def hand_over(self) -> None:
            before = self.uploaded_bytes
            super().hand_over()
            log.append(f"hand over {self.uploaded_bytes - before}")

        def draw(self) -> None:
            super().draw()
            log.append("batch drawn")

    class Ordered(fw.Game):
        def setup(self) -> None:
            self.batch = self.add(Recorded(blob(), count=2))

        def update(self, dt: float) -> None:
            log.append(f"update, a pressed {self.keys.presses('a')}")
            self.batch.position[:] += 1

        def draw(self, alpha: float) -> None:
            log.append(f"draw {alpha:.2f}")

    game = make(Ordered, tick_rate=40)
    game.advance(0)
    log.clear()
    game.display.window.dispatch_event("on_key_press", 97, 0)
    game.advance(0.06)
    tick = [
        "latch",
        "update, a pressed 1",
        "tick ends",
        "latch",
        "update, a pressed 0",
        "tick ends",
    ]
    assert log[:6] == tick
    assert log[6].startswith("hand over ")
    assert log[6] != "hand over 0"
    assert log[7:] == ["batch drawn", "draw 0.40"]

    log.clear()
    game.advance(0.005)  # between two ticks: no latch, no update and no upload
    assert log == ["hand over 0", "batch drawn", "draw 0.60"]

    log.clear()
    game.advance(
        0.015
    )  # only one state of the changed column is uploaded: two rows of x and y with four bytes each
    assert log == [*tick[3:], "hand over 16", "batch drawn", "draw 0.20"]


def test_update_reads_states_without_interpolation(make: Make) -> None:
    class Reads(fw.Game):
        def setup(self) -> None:
            self.ball = self.sprites.add(blob(), position=(0, 50))
            self.read: list[float] = []

        def update(self, dt: float) -> None:
            self.read.append(self.ball.x)
            self.ball.x += 10

    game = make(Reads, tick_rate=10, frame_rate=37)
    game.run(37)
    assert game.read == [10.0 * tick for tick in range(10)]


# -- the same run, bit for bit ---------------------------------------------------------------------


class Swarm(fw.Game):
    """A game with random numbers, added and removed rows, input, a second scene, and a camera that
    follows."""

    def setup(self) -> None:
        self.swarm = self.add(fw.SpriteBatch([blob(), blob(11)], count=30))
        self.swarm.position[:] = self.random.uniform((0, 0), self.size, (30, 2))
        self.leader = self.sprites.add(blob(), position=(100, 50))
        self.camera.follow(self.leader, smoothing=0.5)
        self.score = self.labels.add("0", (5, 5))

    def update(self, dt: float) -> None:
        self.swarm.position[:] += self.random.normal(0, 90 * dt, (len(self.swarm), 2))
        self.swarm.angle[:] += dt
        self.leader.x += (40 + 80 * self.keys["right"]) * dt
        if self.tick % 7 == 0:
            self.swarm.add(1, position=(self.random.uniform(0, 200), 50))
        if self.tick % 11 == 0:
            self.swarm.remove(int(self.random.integers(len(self.swarm))))
        self.score.text = str(len(self.swarm))
        if self.tick == 20:
            self.push(Cloud())


class Cloud(fw.Scene):
    pauses_below = False

    def setup(self) -> None:
        self.left = 15
        self.cloud = self.sprites.add(
            blob(41, 9), position=self.game.random.uniform((0, 0), (200, 100))
        )

    def update(self, dt: float) -> None:
        self.left -= 1
        if not self.left:
            self.game.pop()


def result_of(make: Make, steps: Callable[[Any], None]) -> tuple[bytes, bytes, tuple[float, float]]:
    game = make(Swarm, seed=3)
    steps(game)
    assert game.tick == 60
    return game.pixels().tobytes(), game.swarm.position.tobytes(), game.camera.position


def test_two_runs_are_equal_bit_for_bit(make: Make) -> None:
    def steps(game: Any) -> None:
        game.run(25)
        game.display.window.dispatch_event("on_key_press", 0xFF53, 0)
        game.run(20)
        game.display.window.dispatch_event("on_key_release", 0xFF53, 0)
        game.run(15)

    first = result_of(make, steps)
    second = result_of(make, steps)
    assert first == second
    assert first != result_of(make, lambda game: game.run(60))  # the key changed the result


_TEN_LINES = """\
import framework as fw


class Rain(fw.Game):
    def setup(self):
        self.drops = self.add(fw.SpriteBatch("drop.png", count=10_000))
        self.drops.position[:] = self.random.uniform((0, 0), self.size, (10_000, 2))

    def update(self, dt):
        self.drops.position[:, 1] -= 300 * dt
        fell = self.drops.position[:, 1] < 0
        self.drops.position[fell, 1] += self.height
        self.drops.teleport(fell)


if __name__ == "__main__":
    fw.run(Rain)
"""

_LAUNCH = """
import runpy, sys
from framework.game.launch import Launch, launching
with launching(Launch(headless=True, frames=2, screenshot=sys.argv[2])):
    runpy.run_path(sys.argv[1], run_name="__main__")
"""


@pytest.fixture
def rain(tmp_path: Path) -> Path:
    """The first program, in the same folder as its image."""
    folder = tmp_path / "somewhere"
    folder.mkdir()
    Image.fromarray(np.full((14, 3, 4), (130, 170, 255, 200), np.uint8)).save(folder / "drop.png")
    (folder / "rain.py").write_text(_TEN_LINES)
    return folder / "rain.py"


def test_the_first_program_draws_the_same_image_twice(
    rain: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [tmp_path / "one.png", tmp_path / "two.png"]
    command = [sys.executable, "-W", "error", "-c", _LAUNCH, str(rain), str(names[0])]
    path = os.pathsep.join([str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")])
    result = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == 0, result.stderr
    with launching(Launch(headless=True, frames=2, screenshot=str(names[1]))):
        # in a process that has already run other code
        runpy.run_path(str(rain), run_name="__main__")
    for output in (result.stdout, capsys.readouterr().out):
        assert "the picture after 2 frames is in" in output
    images = [np.asarray(Image.open(name)) for name in names]
    assert images[0].shape == (720, 1280, 4)
    assert (images[0] == images[1]).all()
    # Ten thousand drops of 42 pixels each, at 4/5 of full blue, over a dark background.
    assert 0.2 < (images[0][..., 2] > 150).mean() < 0.45
