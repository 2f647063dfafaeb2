"""Spawn the particles of all emitters in each tick."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Reals
from . import emitters
from .emitters import Emitter, SavedEmitter
from .particle_rows import UNITS, ParticleRows, SavedBirths
from .spawn_options import SpawnOptions

# For more particles than this, NumPy takes less time to add an array with a row per particle than
# to add a single row.
_MAX_BROADCAST = 64

# For at most this number of births, Python numbers are faster than arrays.
_MAX_FEW = 16

# The times of births are whole numbers below this number.
_CYCLE = 1 << 32


class ParticleSimulation:
    """The particles and emitters of a particle system, which the system and its backend share."""

    __slots__ = ("births", "emitters")

    def __init__(self, births: ParticleRows) -> None:
        self.births = births
        self.emitters: list[Emitter] = []

    def begin_tick(self, dt: float, time_scale: float = 1.0) -> None:
        """Begin a tick of ``dt`` simulated seconds.

        The clock of the particles advances by ``dt`` · ``time_scale`` seconds.
        """
        self.births.begin_tick(dt, time_scale)

    def end_tick(self) -> None:
        """End a tick: spawn the particles of all emitters, and then drop the emitters that have
        been removed.
        """
        if not self.emitters:
            return
        for births in emitters.births_of_tick(self.emitters):
            self.spawn(*births)
        if any([emitter.removed for emitter in self.emitters]):  # noqa: C419  (quicker)
            self.emitters = [emitter for emitter in self.emitters if not emitter.removed]

    def spawn(
        self,
        spray: SpawnOptions,
        positions: Doubles | list[tuple[float, ...]],
        moments: Doubles | list[float] | float,
        total: int,
        turns: Doubles | list[float] | None = None,
        velocity: Doubles | None = None,
        *,
        born: int | None = None,
    ) -> None:
        """Spawn n particles.

        ``positions`` contains their positions and has the shape (n, dimensions), or (1, dimensions)
        if all positions are equal. ``moments`` contains the times of the births, in seconds after
        the start of the tick. It has the shape (n,), or is one number if all times are equal.
        ``turns`` contains the rotation of the emitter's target at each birth. ``velocity`` is the
        velocity that the particles inherit from the target.

        ``total`` is the number of births, including earlier ones that exceed the capacity. They are
        counted, but not stored, and the arrays do not contain them. ``born`` is the number n, and
        defaults to the number of rows in ``positions``.
        """
        births = self.births
        count = len(positions) if born is None else born
        if not count:
            return
        turned = None if turns is None else np.asarray(turns, np.float64)
        rows = spray.rows(births.type, births.count + total - count, count, turned)
        if not spray.spreads and len(positions) == 1:
            # -0.0 becomes 0.0, as for particles in an emission box.
            point = positions[0] if isinstance(positions, list) else positions[0].tolist()
            rows["position"] = [part + 0.0 for part in point]
        elif len(positions) < count > _MAX_BROADCAST:
            rows["position"] += np.repeat(positions, count, axis=0)
        else:
            rows["position"] += positions
        if velocity is not None:
            rows["velocity"] += velocity
        clock = births.clock
        if isinstance(moments, float):
            first = last = round(moments * UNITS)
            rows["born"] = (clock + first) % _CYCLE
        else:
            first, last = _write_birth_times(rows, moments, clock)
        births.add(rows, clock, first, last, total - count)

    def middle(self) -> Doubles | None:
        """Return the mean position of the particles in the newest block. If the system has no
        particles, return None.
        """
        if not self.births.blocks:
            return None
        newest: NDArray[np.void] = self.births.blocks[-1].words.view(self.births.type)
        positions: Reals = newest["position"].reshape(-1, self.births.type["position"].shape[0])
        middle: Doubles = positions.mean(axis=0, dtype=np.float64)
        return middle

    def capture(self) -> tuple[SavedBirths, tuple[SavedEmitter, ...]]:
        """Return the particles and the states of the emitters, for a save.

        The states are in the same order as the emitters.
        """
        return self.births.capture(), tuple(emitters.capture(emitter) for emitter in self.emitters)

    def restore(self, births: SavedBirths, saved_emitters: Sequence[SavedEmitter]) -> None:
        """Restore the state of the particle system that `capture` returned.

        Raises `ValueError` if the state does not fit this particle system.
        """
        self.births.restore(births)
        for emitter, saved in zip(self.emitters, saved_emitters, strict=False):
            emitters.restore(emitter, saved)


def _write_birth_times(
    rows: NDArray[Any], moments: Doubles | list[float], clock: int
) -> tuple[int, int]:
    """Write the birth times of new particles to their rows. ``moments`` are in seconds after the
    start of the tick. Return the first and the last birth time in `UNITS` after ``clock``.
    """
    if len(rows) <= _MAX_FEW:
        offsets = [round(float(moment) * UNITS) for moment in moments]
        first = min(offsets)
        last = max(offsets)
        rows["born"] = [(clock + offset) % _CYCLE for offset in offsets]
    else:
        times: Doubles = np.multiply(moments, UNITS)
        whole = np.rint(times, out=times).astype(np.int64)
        first = int(whole.min())
        last = int(whole.max())
        whole += clock % _CYCLE
        rows["born"] = whole.astype(np.uint32)
    return first, last
