"""Particle simulation: in each tick the emitters of a particle system spawn particles."""

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
    """The rows and emitters of a particle system, shared by the system and its backend."""

    __slots__ = ("births", "emitters")

    def __init__(self, births: ParticleRows) -> None:
        self.births = births
        self.emitters: list[Emitter] = []

    def begin_tick(self, dt: float, time_scale: float = 1.0) -> None:
        """Begin a tick of ``dt`` simulated seconds.

        The particle clock advances by ``dt`` · ``time_scale`` seconds.
        """
        self.births.begin_tick(dt, time_scale)

    def end_tick(self) -> None:
        """End a tick: spawn the particles of all emitters, and forget removed emitters."""
        if not self.emitters:
            return
        all_births = [
            births
            for emitter in self.emitters
            if (births := emitters.births_of_tick(emitter)) is not None
        ]
        # Emitters with equal options spawn in one numpy call, so a hundred cost little more than one.
        for _, alike in groupby(all_births, EmitterBirths.kind):
            self.spawn(*joined([*alike]))
        if any(emitter.removed for emitter in self.emitters):
            self.emitters = [emitter for emitter in self.emitters if not emitter.removed]

    def spawn(
        self,
        spray: SpawnOptions,
        positions: Doubles,
        moments: Doubles,
        total: int,
        turns: Doubles | None = None,
        velocity: Doubles | None = None,
    ) -> None:
        """Spawn particles at ``positions`` (n, dimensions).

        ``moments`` (n,) are the birth times in seconds from the beginning of the tick. ``total`` is
        the number of all births, of which the n particles are the last. Earlier births exceed the
        capacity and are not stored. ``turns`` contains the rotation of the emitter's target at each
        birth. ``velocity`` is the part of the target's velocity that the particles inherit.
        """
        births = self.births
        count = len(positions)
        rows = spray.rows(births.type, births.count + total - count, count, turns)
        rows["position"] += positions
        if velocity is not None:
            rows["velocity"] += velocity
        rows["born"] = np.rint(np.asarray(moments) * UNITS).astype(np.int64).astype(np.uint32)
        births.add(rows, total - count)

    def middle(self) -> Doubles | None:
        """Return the mean position of particles that were born recently (the newest block), or None
        if there are no particles.
        """
        if not self.births.blocks:
            return None
        newest: NDArray[np.void] = self.births.blocks[-1].words.view(self.births.type)
        positions: Reals = newest["position"].reshape(-1, self.births.type["position"].shape[0])
        middle: Doubles = positions.mean(axis=0, dtype=np.float64)
        return middle

    def capture(self) -> tuple[SavedBirths, tuple[SavedEmitter, ...]]:
        """Return the rows and the states of emitters, for a save.

        When the save is loaded, the first saved state belongs to the first emitter, and so on.
        """
        return self.births.capture(), tuple(emitters.capture(emitter) for emitter in self.emitters)

    def restore(self, births: SavedBirths, saved_emitters: Sequence[SavedEmitter]) -> None:
        """Restore the state that `capture` returned.

        Raises `ValueError` for a state that does not fit this particle system.
        """
        self.births.restore(births)
        for emitter, saved in zip(self.emitters, saved_emitters, strict=False):
            emitters.restore(emitter, saved)
