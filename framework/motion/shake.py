"""Shake the camera for a short time, for example after an explosion.

The shaking is random. The random numbers come from a seed, so the displacements are the same in
every run of the game.
"""

from __future__ import annotations

import math
import random

from ..geometry import exact
from ..state.latched import Latched, linear


class Shake:
    """The displacement (x, y) of a shaken camera: the sum of all shocks that are still running.

    Each tick chooses a new random displacement for every shock, and frames between two ticks
    interpolate it. The displacement of a shock is 0 at its start and at its end, so that the camera
    does not jump.
    """

    __slots__ = ("_latched", "_shocks")

    def __init__(self) -> None:
        self._latched: Latched[tuple[float, ...]] = Latched((0.0, 0.0), linear)
        self._latched.teleported = False  # the first blend starts at the displacement 0
        self._shocks: list[_Shock] = []

    def add(self, strength: float, ticks: int, seed: int) -> None:
        """Add a shock, such as an explosion. The shock displaces the camera by at most ``strength``
        units. After ``ticks`` ticks, the displacement is 0.
        """
        self._shocks.append(_Shock(strength, ticks, seed))

    @property
    def over(self) -> bool:
        """Whether all shocks have ended and the displacement is 0."""
        return not self._shocks and self._latched.previous == self._latched.current == (0.0, 0.0)

    def begin_tick(self) -> None:
        self._latched.begin_tick()

    def end_tick(self) -> None:
        displacements = [shock.next() for shock in self._shocks]
        self._shocks = [shock for shock in self._shocks if shock.left]
        self._latched.current = (
            math.fsum(x for x, _ in displacements),
            math.fsum(y for _, y in displacements),
        )
        self._latched.end_tick()

    def at(self, alpha: float) -> tuple[float, float]:
        """Return the displacement at the time ``alpha`` between two ticks. The displacement is in
        world units: to the right and up on the screen.
        """
        x, y = self._latched.at(alpha)
        return x, y


class _Shock:
    __slots__ = ("_random", "_strength", "_ticks", "left")

    def __init__(self, strength: float, ticks: int, seed: int) -> None:
        self._strength = strength
        self._ticks = ticks
        self.left = ticks
        self._random = random.Random(seed)

    def next(self) -> tuple[float, float]:
        """Return the displacement of the shock in the next tick. The direction is random. The
        length becomes smaller in each tick.
        """
        fraction = self.left / self._ticks
        length = self._strength * fraction * fraction
        self.left -= 1
        if not self.left:
            return 0.0, 0.0
        angle = self._random.uniform(0.0, math.tau)
        sine, cosine = exact.sincos(angle)
        return length * cosine, length * sine
