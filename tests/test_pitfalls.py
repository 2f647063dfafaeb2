"""The classic mistakes of game loops, each with a test that fails if the framework made it. See
docs/time.md.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pictures import blob, centroid

import framework as fw

Make = Callable[..., Any]

# Frame times that no display has: a game must be the same for all of them.
UNEVEN = [Fraction(n, 1000) for n in (3, 17, 40, 1, 8, 9, 25, 16, 16, 5, 60, 7, 13)]


class Ball(fw.Game):
    """A ball at 600 units a second that wanders by random numbers in y."""

    def setup(self) -> None:
        self.ball = self.sprites.add(blob(), position=(20, 50))
        self.given: list[float] = []

    def update(self, dt: float) -> None:
        self.given.append(dt)
        self.ball.x += 600 * dt
        self.ball.y += float(self.random.normal()) * dt


def test_mixed_time_steps(make: Make) -> None:
    """Whatever the frames do, all that a tick runs is given the same dt."""
    game = make(Ball, tick_rate=50)
    for phase in fw.PHASES:
        game.systems.add(phase, game.given.append)
    game.schedule.interval(game.given.append, 0.02)
    for frame in UNEVEN * 3:
        game.advance(frame)
    assert set(game.given) == {0.02}
    assert len(game.given) == game.tick * (len(fw.PHASES) + 2)


@pytest.mark.parametrize("frame_rate", [50, 75, 144, 240])
def test_a_missing_previous_state(make: Make, frame_rate: int) -> None:
    """`previous` is taken at the start of each tick (not of each frame, and not never): motion is
    even.
    """
    game, drawn = make(Ball, tick_rate=100 if frame_rate == 240 else 30), []
    for _ in range(60):
        drawn.append(game.ball.drawn_position(game.advance(Fraction(1, frame_rate)))[0])
    steps = [b - a for a, b in pairwise(drawn[10:])]
    assert steps == pytest.approx([600 / frame_rate] * len(steps), abs=1e-3)


@pytest.mark.filterwarnings("ignore:advance:RuntimeWarning")  # a long frame drops time
@pytest.mark.parametrize("hitch", [1, 60, 3600 * 8])
def test_no_cap(make: Make, hitch: float) -> None:
    """A frame of a second, a minute or a night's sleep is a hitch, not a reason to run for ever."""
    game = make(Ball)
    game.advance(0.1)
    before = game.tick
    game.advance(hitch)
    assert game.tick - before == 8
    assert game.timestep.dropped_time == pytest.approx(hitch - 8 / 60, abs=1 / 60)
    game.advance(Fraction(1, 60))
    assert game.tick - before == 9  # and nothing is caught up


def test_an_update_that_is_slower_than_its_tick_ends_in_slow_motion_and_not_in_a_spiral(
    make: Make,
) -> None:
    """Every frame takes as long as the ticks that it had to run, times two: their number does not
    grow.
    """
    game, frame, counts = make(Ball), Fraction(1, 60), []
    for _ in range(50):
        before = game.tick
        game.advance(frame)
        counts.append(game.tick - before)
        frame = max(Fraction(1, 60), Fraction(2, 60) * counts[-1])
    assert counts[-10:] == [8] * 10
    assert game.timestep.dropped_time > 3


WALL = {
    ("time", "time"),
    ("time", "time_ns"),
    ("datetime", "now"),
    ("datetime", "utcnow"),
    ("date", "today"),
}


def test_the_wall_clock(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """It jumps when it is set, or when a leap second comes: nothing in the framework reads it."""
    for path in Path(fw.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                assert (node.value.id, node.attr) not in WALL, f"{path.name}:{node.lineno}"
    game = make(Ball)

    def jumps() -> float:
        raise AssertionError("somebody reads the wall clock")

    monkeypatch.setattr(time, "time", jumps)
    monkeypatch.setattr(time, "time_ns", jumps)
    game.run(10)
    assert game.tick == 10


def test_logic_that_depends_on_the_frame_rate(make: Make) -> None:
    """Two seconds of the same game end in the same bits at every frame rate, and at none."""
    ends = set()
    for frames in ([Fraction(1, rate)] * (2 * rate) for rate in (15, 30, 60, 144, 240)):
        game = make(Ball)
        for frame in frames:
            game.advance(frame)
        ends.add((game.tick, np.array(game.ball.position, np.float32).tobytes()))
    uneven, game = sum(UNEVEN), make(Ball)
    for frame in UNEVEN * int(2 / uneven):
        game.advance(frame)
    game.advance(2 - int(2 / uneven) * uneven)
    ends.add((game.tick, np.array(game.ball.position, np.float32).tobytes()))
    assert len(ends) == 1


def test_drawing_before_updating(make: Make) -> None:
    """What a frame's ticks did is in that frame's picture, not in the next one's."""

    class Jumps(fw.Game):
        def setup(self) -> None:
            self.ball = self.sprites.add(blob(), position=(30, 50))

        def update(self, dt: float) -> None:
            self.ball.teleport((30 + 40 * self.tick, 50))

    game = make(Jumps)
    for tick in (1, 2, 3):
        game.advance(Fraction(1, 60))
        assert game.tick == tick
        assert centroid(game.pixels()) == pytest.approx((30 + 40 * tick, 50), abs=0.05)
