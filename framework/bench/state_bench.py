"""Measure snapshots, hashes and rewinding on this machine (`framework bench state`).

Each operation of the framework is compared with a simpler operation on the same data: a NumPy copy,
an xxh3 hash, `copy.deepcopy`, or ticks with direct copies of the arrays. The two operations run
alternately, so that other programs on the machine slow down both equally. In each round, an
operation runs a few times, and the shortest time is the result of the round.
"""

from __future__ import annotations

import copy
import gc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import xxhash

from ..game.game import Game
from ..plane.sprites import SpriteBatch
from ..state.rows import table_of
from . import cpu_time
from .bench import Timing
from .machine_info import Machine, this_machine
from .progress import Bar, progress_bar
from .scenarios import SIZE, SPRITE

OBJECTS = 100
"""The number of Python objects, with eight attributes each, in the comparison with `copy.deepcopy`.
"""

REWIND_TICKS = 8
"""The number of ticks that run again after rewinding."""

_IN_A_ROW = 3
_WARM_UP = 3  # ticks

Work = Callable[[], object]


@dataclass
class Compared:
    """The time of one operation of the framework, and the time of a simpler operation on the same
    data.
    """

    name: str
    beside: str
    """The name of the simpler operation."""
    ours: Timing
    bare: Timing
    ratio: float
    """The framework's median divided by the median of the simpler operation."""


@dataclass
class StateReport:
    """All results of `framework bench state`. All times are in microseconds."""

    machine: Machine
    rounds: int
    rows: list[Compared]


class Drifting(Game):
    """A game with sprites that move and rotate."""

    def __init__(self, count: int) -> None:
        self.count = count
        super().__init__(size=SIZE, headless=True, frame_stats=False)

    def setup(self) -> None:
        self.drifting = self.add(SpriteBatch(SPRITE, count=self.count))
        self.drifting.position = self.random.uniform((0, 0), self.size, (self.count, 2))

    def update(self, dt: float) -> None:
        self.drifting.position += np.float32(dt)
        self.drifting.angle += np.float32(dt)


class Drops(Drifting):
    """A game with drops that fall and bounce. The positions and angles of the drops are columns of
    a batch, and the velocities are a separate array. All three arrays change in every tick.
    """

    def setup(self) -> None:
        super().setup()
        self.velocity = self.random.normal(0, 100, (self.count, 2)).astype(np.float32)

    def update(self, dt: float) -> None:
        position = self.drifting.position
        velocity = self.velocity
        step = np.float32(dt)
        velocity[:, 1] -= 9 * step
        position += velocity * step
        low = position[:, 1] < 0
        velocity[low, 1] *= np.float32(-0.9)
        position[low, 1] *= -1
        self.drifting.angle += step


class Body:
    """A Python object with eight attributes: numbers, a string and a bool."""

    def __init__(self, number: int) -> None:
        self.x = 1.5 * number
        self.y = 2.0 * number
        self.speed_x = 1.0
        self.speed_y = -1.0
        self.mass = 3.0
        self.name = f"body {number}"
        self.health = 100
        self.alive = True


class BodiesGame(Game):
    """A game whose state is stored in Python objects."""

    def setup(self) -> None:
        self.bodies = [Body(number) for number in range(OBJECTS)]


def measure_state(
    count: int = 100_000, back: int = 10_000, rounds: int = 100, progress: bool = False
) -> StateReport:
    """Run the benchmark of `framework bench state`, and return the measured times.

    ``count`` is the number of rows in the tests of snapshots and hashes. ``back`` is the number of
    rows in the test of rewinding. The framework and the simpler operations run alternately, for
    ``rounds`` rounds.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        with (
            progress_bar(7 * rounds, "round", progress, "going back") as bar,
            Drifting(count) as many,
            BodiesGame(size=SIZE, headless=True) as bodies,
            Drops(back) as drop_game,
        ):
            machine = this_machine(many)
            rows = _compare_columns(many, rounds, bar)
            rows += _compare_objects(bodies, rounds, bar)
            rows += _compare_rewinding(drop_game, rounds, bar)
            return StateReport(machine, rounds, rows)
    finally:
        (gc.enable if enabled else gc.disable)()


def _compare_columns(game: Drifting, rounds: int, bar: Bar) -> list[Compared]:
    """Measure snapshots and hashes of the two columns "position" and "angle", which are marked as
    changed before each measurement.
    """
    game.run_ticks(_WARM_UP)
    columns = [table_of(game.drifting).column(name) for name in ("position", "angle")]
    copies = [column.data.copy() for column in columns]
    saved = game.snapshot()

    def write() -> None:
        for column in columns:
            column.touch()

    def copy_back() -> None:
        for column, copied in zip(columns, copies, strict=True):
            np.copyto(column.data, copied)

    def compare(name: str, beside: str, ours: Work, bare: Work) -> Compared:
        return _compare(name, beside, ours, bare, write, rounds, bar)

    description = f"{game.count:,} x (position, angle)"
    digest: Callable[[Any], int] = xxhash.xxh3_64_intdigest
    return [
        compare(
            f"snapshot of {description}",
            "a copy",
            game.snapshot,
            lambda: [column.data.copy() for column in columns],
        ),
        compare(f"restore of {description}", "a copy back", lambda: game.restore(saved), copy_back),
        compare(
            f"hash of {description}",
            "xxh3",
            game.state_hash,
            lambda: [digest(column.data) for column in columns],
        ),
    ]


def _compare_objects(game: BodiesGame, rounds: int, bar: Bar) -> list[Compared]:
    bodies = game.bodies
    saved = game.snapshot()

    def compare(name: str, ours: Work) -> Compared:
        return _compare(
            name, "copy.deepcopy", ours, lambda: copy.deepcopy(bodies), lambda: None, rounds, bar
        )

    return [
        compare(f"snapshot of {OBJECTS} Python objects", game.snapshot),
        compare(f"restore of {OBJECTS} Python objects", lambda: game.restore(saved)),
    ]


def _compare_rewinding(game: Drops, rounds: int, bar: Bar) -> list[Compared]:
    """Compare the framework's rewinding with code that copies the same three arrays directly."""
    game.run_ticks(_WARM_UP)
    by_hand = _RewindingByHand(game)
    saved = game.snapshot()
    snapshots = list[Any]()

    def back() -> None:
        game.restore(saved)
        game.run_ticks(REWIND_TICKS)

    def back_saving_each_tick() -> None:
        game.restore(saved)
        snapshots.clear()
        for _ in range(REWIND_TICKS):
            game.run_ticks(1)
            snapshots.append(game.snapshot())

    def compare(name: str, ours: Work, bare: Work) -> Compared:
        return _compare(name, "the same by hand", ours, bare, lambda: None, rounds, bar)

    name = f"{REWIND_TICKS} ticks back, {game.count:,} rows"
    return [
        compare(name, back, by_hand.back),
        compare(f"{name}, each saved", back_saving_each_tick, by_hand.back_saving_each_tick),
    ]


class _RewindingByHand:
    """Rewinding of a `Drops` game without the framework: copies of its three arrays, one set for
    the start and one for each tick.
    """

    def __init__(self, game: Drops) -> None:
        self._game = game
        self._columns = [table_of(game.drifting).column(name) for name in ("position", "angle")]
        self._slots = [
            [np.empty_like(column.data) for column in self._columns] + [game.velocity.copy()]
            for _ in range(REWIND_TICKS + 1)
        ]
        self._save(self._slots[0])

    def back(self) -> None:
        self._restore()
        for _ in range(REWIND_TICKS):
            self._game.run_ticks(1)

    def back_saving_each_tick(self) -> None:
        self._restore()
        for slot in self._slots[1:]:
            self._game.run_ticks(1)
            self._save(slot)

    def _save(self, slot: list[Any]) -> None:
        for index, column in enumerate(self._columns):
            np.copyto(slot[index], column.data)
        np.copyto(slot[-1], self._game.velocity)

    def _restore(self) -> None:
        for index, column in enumerate(self._columns):
            np.copyto(column.data, self._slots[0][index])
            column.touch()
        np.copyto(self._game.velocity, self._slots[0][-1])


def _compare(
    name: str, beside: str, ours: Work, bare: Work, before: Work, rounds: int, bar: Bar
) -> Compared:
    times: dict[Work, list[float]] = {ours: [], bare: []}
    for number in range(rounds):
        # Both take turns to be first in a round.
        for work in (ours, bare) if number % 2 else (bare, ours):
            times[work].append(min(_seconds(work, before) for _ in range(_IN_A_ROW)))
        bar.update()
    our_timing = Timing.of(times[ours])
    bare_timing = Timing.of(times[bare])
    return Compared(name, beside, our_timing, bare_timing, our_timing.median / bare_timing.median)


def _seconds(work: Work, before: Work) -> float:
    before()
    start = cpu_time.seconds()
    work()
    return cpu_time.seconds_since(start)
