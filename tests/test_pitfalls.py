"""Classic mistakes of game loops: each test fails if the framework makes the mistake."""

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

# Frame times that no display has. A game must be the same for all of these frame times.
UNEVEN = [Fraction(n, 1000) for n in (3, 17, 40, 1, 8, 9, 25, 16, 16, 5, 60, 7, 13)]


class Ball(fw.Game):
    """A ball that moves 600 units per second to the right, and randomly in y."""

    def setup(self) -> None:
        self.ball = self.sprites.add(blob(), position=(20, 50))
        self.passed_dts: list[float] = []

    def update(self, dt: float) -> None:
        self.passed_dts.append(dt)
        self.ball.x += 600 * dt
        self.ball.y += float(self.random.normal()) * dt


def test_all_functions_of_a_tick_receive_the_same_dt(make: Make) -> None:
    """Every function that a tick calls receives the same dt, whatever the frame times are."""
    game = make(Ball, tick_rate=50)
    for phase in fw.PHASES:
        game.systems.add(phase, game.passed_dts.append)
    game.schedule.interval(game.passed_dts.append, 0.02)
    for frame in UNEVEN * 3:
        game.advance(frame)
    assert set(game.passed_dts) == {0.02}
    assert len(game.passed_dts) == game.tick * (len(fw.PHASES) + 2)


@pytest.mark.parametrize("frame_rate", [50, 75, 144, 240])
def test_the_previous_state_is_stored_each_tick(make: Make, frame_rate: int) -> None:
    """`previous` is stored at the start of each tick, so motion is even."""
    game = make(Ball, tick_rate=100 if frame_rate == 240 else 30)
    drawn = []
    for _ in range(60):
        drawn.append(game.ball.drawn_position(game.advance(Fraction(1, frame_rate)))[0])
    steps = [b - a for a, b in pairwise(drawn[10:])]
    assert steps == pytest.approx([600 / frame_rate] * len(steps), abs=1e-3)


@pytest.mark.filterwarnings("ignore:advance:RuntimeWarning")  # a long frame drops time
@pytest.mark.parametrize("hitch", [1, 60, 3600 * 8])
def test_the_length_of_a_frame_is_limited(make: Make, hitch: float) -> None:
    """After a frame of a second, a minute or a night, only a few ticks run."""
    game = make(Ball)
    game.advance(0.1)
    before = game.tick
    game.advance(hitch)
    assert game.tick - before == 8
    assert game.timestep.dropped_time == pytest.approx(hitch - 8 / 60, abs=1 / 60)
    game.advance(Fraction(1, 60))
    assert game.tick - before == 9  # the dropped time is not caught up


def test_a_slow_update_ends_in_slow_motion_and_not_in_a_spiral(
    make: Make,
) -> None:
    """Every frame takes twice as long as its ticks. The number of ticks per frame does not grow."""
    game = make(Ball)
    frame = Fraction(1, 60)
    counts = []
    for _ in range(50):
        before = game.tick
        game.advance(frame)
        counts.append(game.tick - before)
        frame = max(Fraction(1, 60), Fraction(2, 60) * counts[-1])
    assert counts[-10:] == [8] * 10
    assert game.timestep.dropped_time > 3


WALL_CLOCKS = {
    ("time", "time"),
    ("time", "time_ns"),
    ("datetime", "now"),
    ("datetime", "utcnow"),
    ("date", "today"),
}


def test_the_wall_clock_is_never_read(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wall clock jumps when somebody sets it. Nothing in the framework reads the wall clock."""
    for path in Path(fw.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                assert (node.value.id, node.attr) not in WALL_CLOCKS, f"{path.name}:{node.lineno}"
    game = make(Ball)

    def forbidden() -> float:
        raise AssertionError("somebody reads the wall clock")

    monkeypatch.setattr(time, "time", forbidden)
    monkeypatch.setattr(time, "time_ns", forbidden)
    game.run(10)
    assert game.tick == 10


def test_the_frame_rate_does_not_change_the_game(make: Make) -> None:
    """Two seconds of the same game end in the same bits at every frame rate, and with uneven
    frames."""
    final_states = set()
    for frames in ([Fraction(1, rate)] * (2 * rate) for rate in (15, 30, 60, 144, 240)):
        game = make(Ball)
        for frame in frames:
            game.advance(frame)
        final_states.add((game.tick, np.array(game.ball.position, np.float32).tobytes()))
    uneven = sum(UNEVEN)
    game = make(Ball)
    for frame in UNEVEN * int(2 / uneven):
        game.advance(frame)
    game.advance(2 - int(2 / uneven) * uneven)
    final_states.add((game.tick, np.array(game.ball.position, np.float32).tobytes()))
    assert len(final_states) == 1


def test_a_frame_draws_the_state_after_its_ticks(make: Make) -> None:
    """The changes of a frame's ticks are in the image of the same frame."""

    class Teleports(fw.Game):
        def setup(self) -> None:
            self.ball = self.sprites.add(blob(), position=(30, 50))

        def update(self, dt: float) -> None:
            self.ball.teleport((30 + 40 * self.tick, 50))

    game = make(Teleports)
    for tick in (1, 2, 3):
        game.advance(Fraction(1, 60))
        assert game.tick == tick
        assert centroid(game.pixels()) == pytest.approx((30 + 40 * tick, 50), abs=0.05)
