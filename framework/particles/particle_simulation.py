"""Particle simulation: the births and the emitters of a system, and its ticks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Reals
from . import emitters
from .emitters import Emitter, EmitterBirths, SavedEmitter, joined
from .particle_rows import UNITS, ParticleRows, SavedBirths
from .spawn_options import SpawnOptions


class ParticleSimulation:
    """The births and emitters of a particle system. The system shares them with its backend."""

    __slots__ = ("births", "emitters")

    def __init__(self, births: ParticleRows) -> None:
        self.births = births
        self.emitters: list[Emitter] = []

    def begin_tick(self, dt: float, time_scale: float = 1.0) -> None:
        """Begin a tick of ``dt`` simulated seconds, times ``time_scale`` for the particles."""
        self.births.begin_tick(dt, time_scale)

    def end_tick(self) -> None:
        """End the tick: add the births of all emitters."""
        if not self.emitters:
            return
        litters = [
            litter
            for emitter in self.emitters
            if (litter := emitters.litter_of_tick(emitter)) is not None
        ]
        # A hundred equal emitters take little longer than a few.
        for _, alike in groupby(litters, EmitterBirths.kind):
            self.give_birth(*joined([*alike]))
        if any(emitter.removed for emitter in self.emitters):
            self.emitters = [emitter for emitter in self.emitters if not emitter.removed]

    def give_birth(
        self,
        spray: SpawnOptions,
        positions: Doubles,
        moments: Doubles,
        total: int,
        turns: Doubles | None = None,
        velocity: Doubles | None = None,
    ) -> None:
        """Add particles at ``positions`` (n, dimensions), ``moments`` (n,) seconds after the tick
        began.

        They are the last n of ``total`` births. There is no room for the earlier ones.
        """
        births, count = self.births, len(positions)
        rows = spray.rows(births.type, births.count + total - count, count, turns)
        rows["place"] += positions
        if velocity is not None:
            rows["velocity"] += velocity
        rows["born"] = np.rint(np.asarray(moments) * UNITS).astype(np.int64).astype(np.uint32)
        births.add(rows, total - count)

    def middle(self) -> Doubles | None:
        """Return the mean position of the newest births, or None if there are none."""
        if not self.births.blocks:
            return None
        newest: NDArray[np.void] = self.births.blocks[-1].words.view(self.births.type)
        positions: Reals = newest["place"].reshape(-1, self.births.type["place"].shape[0])
        middle: Doubles = positions.mean(axis=0, dtype=np.float64)
        return middle

    def capture(self) -> tuple[SavedBirths, tuple[SavedEmitter, ...]]:
        """Return the state for a save. Emitters are identified by their order."""
        return self.births.capture(), tuple(emitters.capture(emitter) for emitter in self.emitters)

    def restore(self, births: SavedBirths, saved_emitters: Sequence[SavedEmitter]) -> None:
        """Restore what `capture` returned. Raises `ValueError` if it does not fit."""
        self.births.restore(births)
        for emitter, saved in zip(self.emitters, saved_emitters, strict=False):
            emitters.restore(emitter, saved)
