"""How particles fly: where one is at an age, how large, how turned, in which colour, by formulas of
its row alone.

With drag k and gravity g, a particle that left with the velocity v has moved by v t a(kt) + g t²
b(kt) after t seconds, where a(x) = (1 - e^-x) / x and b(x) = (x - 1 + e^-x) / x²: the solution of
v' = g - k v. Noise is added as sums of sines, whose phases are bytes of the row's seed.
`include/flight.glsl` computes the same from the same numbers, in the same order of operations; a
test holds the two equal.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Mask
from ..geometry import exact
from ..geometry.curves import CELLS

MOST_IMAGES = 16
"""Pictures that the particles of a system choose from."""

_TAU = np.float32(2 * np.pi)
_SMALL = np.float32(0.5)  # below it the quotients lose their digits, and their series have them
_OCTAVES = (
    (1.0, 0.6667, 0),
    (2.17, 0.3333, 13),
)  # of noise: its pace, its share, which bits of the seed


@dataclasses.dataclass(frozen=True, eq=False)
class Flight:
    """What all particles of a system have in common."""

    not_state = True  # it never changes

    gravity: Floats
    """(3,), units a second squared."""
    drag: float
    noise: tuple[float, float]
    """Units, and swings a second."""
    sizes: Floats
    """At even shares of the life: (65,)."""
    colors: Floats
    """The same, straight alpha: (65, 4)."""
    tumble: float
    """Turns a second about its own upright axis."""
    align: bool
    """Whether angles count from the direction of flight."""

    def moved(self, rows: NDArray[Any], age: Floats) -> Floats:
        """From the places of birth of ``rows`` to where they are: (n, dimensions)."""
        a, b = _drags(np.float32(self.drag) * age)
        velocity = rows["velocity"]
        gravity = self.gravity[: velocity.shape[1]]
        path: Floats = velocity * (age * a)[:, None] + gravity * (age * age * b)[:, None]
        if self.noise[0]:
            path += self._noise(rows["seed"], age, velocity.shape[1])
        return path

    def velocity(self, rows: NDArray[Any], age: Floats) -> Floats:
        """Without that of noise: (n, dimensions)."""
        x = np.float32(self.drag) * age
        gravity = self.gravity[: rows["velocity"].shape[1]]
        found: Floats = (
            rows["velocity"] * np.exp(-x)[:, None] + gravity * (age * _drags(x)[0])[:, None]
        )
        return found

    def _noise(self, seed: NDArray[np.uint32], age: Floats, dimensions: int) -> Floats:
        amount, pace = np.float32(self.noise[0]), np.float32(self.noise[1])
        found = np.zeros((len(seed), dimensions), np.float32)
        for axis in range(dimensions):
            for faster, share, bits in _OCTAVES:
                phase = (seed >> np.uint32(bits + 5 * axis) & np.uint32(255)).astype(
                    np.float32
                ) * np.float32(1 / 256)
                swing = np.sin(
                    _TAU * _fraction(age * (pace * np.float32(faster)) + phase)
                ) - np.sin(_TAU * phase)
                found[:, axis] += np.float32(share) * swing
        found *= amount
        return found

    def size(self, rows: NDArray[Any], age: Floats) -> Floats:
        """Of the longer side: (n,)."""
        size: Floats = _at(self.sizes, age / rows["life"]) * rows["scale"]
        return size

    def angle(self, rows: NDArray[Any], age: Floats) -> Floats:
        """Radians counter-clockwise: (n,). In space, without what comes of `align`, which the
        camera decides.
        """
        angle: Floats = rows["turn"][:, 0] + rows["turn"][:, 1] * age
        if self.align and rows["velocity"].shape[1] == 2:
            velocity = self.velocity(rows, age)
            angle = angle + exact.functions().arctan2(velocity[:, 1], velocity[:, 0])
        return angle

    def color(self, rows: NDArray[Any], age: Floats) -> Floats:
        """Straight alpha: (n, 4)."""
        color: Floats = _at(self.colors, age / rows["life"]) * rows["tint"]
        return color

    def packed(self) -> Floats:
        """The uniform block of include/flight.glsl, std140."""
        block = np.zeros((2 + 2 * (CELLS + 1), 4), np.float32)
        block[0] = *self.gravity, self.drag
        block[1, :3] = *self.noise, self.tumble
        block[2 : 3 + CELLS] = self.colors
        block[3 + CELLS :, 0] = self.sizes
        return block


def alive(rows: NDArray[Any], age: Floats) -> Mask:
    """Whether they are born, and not dead."""
    return np.asarray((age >= 0) & (age < rows["life"]))


def _fraction(x: Floats) -> Floats:
    return x - np.floor(x)


def _drags(x: Floats) -> tuple[Floats, Floats]:
    """a(x) and b(x), as above."""
    safe = np.maximum(x, _SMALL)
    gone = 1 - np.exp(-safe)
    one, half = np.float32(1), np.float32(0.5)
    a = one - x * half * (
        one - x / 3 * (one - x / 4 * (one - x / 5 * (one - x / 6 * (one - x / 7))))
    )
    b = half * (one - x / 3 * (one - x / 4 * (one - x / 5 * (one - x / 6 * (one - x / 7)))))
    small = x < _SMALL
    return np.where(small, a, gone / safe), np.where(small, b, (safe - gone) / (safe * safe))


def _at(samples: Floats, share: Floats) -> Floats:
    place = np.clip(share, 0, 1) * np.float32(CELLS)
    cell = np.minimum(place.astype(np.intp), CELLS - 1)
    within = place - cell.astype(np.float32)
    within = within[:, None] if samples.ndim == 2 else within
    found: Floats = samples[cell] + (samples[cell + 1] - samples[cell]) * within
    return found
