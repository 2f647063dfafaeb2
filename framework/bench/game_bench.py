"""Measure the frames of a game with many kinds of objects (`framework bench game`).

The game is typical of many small games. It has 1,500 Python objects that move sprites, 3,000
particles, 60 labels (10 of which change their text), a map that scrolls, and 8 sounds. `framework
bench game --vs` draws the same scene with other engines.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from ..watch.garbage import GarbageCollector
from . import cpu_time
from .bench import FAULTS, microseconds_at
from .machine_info import Machine, this_machine
from .peer_scene import CHANGED_LABELS, LABELS, OBJECTS, SOUNDS, SPARKS, bodies
from .peer_subtick import MixedGame
from .progress import with_progress

_TICK = Fraction(1, 60)
_WARM_UP = 90  # in frames; after this time, the number of particles stays constant


@dataclass
class FrameTimes:
    """The minimum and the percentiles of the frame time, in microseconds."""

    minimum: float
    p50: float
    p99: float
    p999: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> FrameTimes:
        return cls(*microseconds_at(seconds, (0, 50, 99, 99.9)))


@dataclass
class GameReport:
    """All results of `framework bench game`."""

    machine: Machine
    frames: int
    faulted: int
    """The number of frames that are left out because they had too many page faults: see
    `bench.FAULTS`.
    """
    frame: FrameTimes
    """The times of whole frames with one tick."""
    update: FrameTimes
    """The times of the game's own `update`, which is a part of each frame."""
    by_hand: FrameTimes
    """The times to move the same objects without sprites. With any engine, a game must run this
    Python code.
    """


class _TimedGame(MixedGame):
    """The benchmark's game, which measures the time of its own `update`."""

    updating = 0.0

    def update(self, dt: float) -> None:
        start = cpu_time.seconds()
        super().update(dt)
        self.updating = cpu_time.seconds_since(start)


def description() -> str:
    """Return one sentence that lists the parts of the benchmark's game."""
    return (
        f"{OBJECTS:,} objects in Python that move sprites, {SPARKS:,} particles, {LABELS} labels of "
        f"which {CHANGED_LABELS} change in each tick, a map that scrolls, and {SOUNDS} sounds"
    )


def measure_game(frames: int = 1200, progress: bool = False) -> GameReport:
    """Run the benchmark of `framework bench game`, and return the measured times.

    The garbage collector runs between the frames, as in a game with a window. The time of the
    collector is not included.
    """
    times: list[_Frame] = []
    alone = bodies(OBJECTS)
    collector = GarbageCollector()
    enabled = gc.isenabled()
    with _TimedGame(headless=True) as game:
        machine = this_machine(game)
        for _ in range(_WARM_UP):
            game.advance(_TICK)
        gc.enable()
        gc.collect()
        collector.begin()
        try:
            for _ in with_progress(range(frames), frames, "frame", progress, "mixed game"):
                times.append(_frame(game, collector, alone))
        finally:
            collector.end()
            (gc.enable if enabled else gc.disable)()
    steady = [frame for frame in times if not (machine.noop and frame.faults > FAULTS)] or times
    return GameReport(
        machine=machine,
        frames=len(steady),
        faulted=len(times) - len(steady),
        frame=FrameTimes.of([frame.whole for frame in steady]),
        update=FrameTimes.of([frame.update for frame in steady]),
        by_hand=FrameTimes.of([frame.by_hand for frame in steady]),
    )


class _Frame(NamedTuple):
    """The measurements of one frame: times in seconds, and the number of page faults."""

    whole: float
    update: float
    by_hand: float
    """The time of an update of the same objects without sprites."""
    faults: float


def _frame(game: _TimedGame, collector: GarbageCollector, alone: list[Any]) -> _Frame:
    """Run a frame of the game, and measure it."""
    faults = cpu_time.page_faults()
    start = cpu_time.seconds()
    game.advance(_TICK)
    collector.relieve()
    # `update` reads the clock twice.
    frame = cpu_time.seconds_since(start) - 2 * cpu_time.reading_seconds()
    faults = cpu_time.page_faults() - faults
    game.picture.ctx.finish()
    start = cpu_time.seconds()
    for body in alone:
        body.move()
    by_hand = cpu_time.seconds_since(start)
    collector.use(round((float(_TICK) - frame) * 1e9))
    return _Frame(frame, game.updating, by_hand, faults)
