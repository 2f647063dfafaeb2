"""Compute a particle's position, size, angle and color from its row and its age.

A particle has damping k, gravity g and initial velocity v. In t seconds, it moves by v t a(kt) + g
t² b(kt), with a(x) = (1 - e^-x) / x and b(x) = (x - 1 + e^-x) / x². This is the exact solution of
the equation of motion v' = g - k v. Noise is a sum of sine waves, whose phases depend on the seed
of the particle.

The shader `include/particle_motion.glsl` performs the same calculations in the same order, and a
test compares the results.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Mask
from ..geometry import exact
from ..geometry.curves import CELLS

MAX_IMAGES = 16
"""The maximum number of images in one particle system."""

_TAU = np.float32(2 * np.pi)
# For a smaller x, a(x) and b(x) would not be precise, so a series replaces them.
_SMALL = np.float32(0.5)
# The octaves of the noise. Each octave has a frequency, a fraction of the amplitude, and the first
# bit of its seed.
_OCTAVES = ((1.0, 0.6667, 0), (2.17, 0.3333, 13))


@dataclasses.dataclass(frozen=True, eq=False)
class ParticleMotion:
    """The motion options of a particle system, and the formulas for the motion of its particles.

    Its methods take the rows of n particles, and their ages in seconds.
    """

    not_state = True  # a motion never changes

    gravity: Floats
    """The acceleration in units per second squared. The array has the shape (3,). In 2D, z is 0."""
    damping: float
    """The damping of the velocity in 1/s. After 1 / ``damping`` seconds, 37 % of the velocity is
    left.
    """
    noise: tuple[float, float]
    """Two numbers: how far particles sway along each axis (the amplitude, in units), and the number
    of sways per second.
    """
    sizes: Floats
    """The longer side of a particle in units, at 65 equally spaced times of its life. The array has
    the shape (65,).
    """
    colors: Floats
    """The color of a particle at the times of `sizes`, with straight alpha. The array has the shape
    (65, 4).
    """
    tumble: float
    """The number of turns per second around the particle's vertical axis, as for falling paper."""
    align: bool
    """Whether angles are relative to the direction of motion."""

    def moved(self, rows: NDArray[Any], age: Floats) -> Floats:
        """Return the displacement of each particle since its birth, in units. The array has the
        shape (n, dimensions).
        """
        a, b = _damping_factors(np.float32(self.damping) * age)
        velocity = rows["velocity"]
        gravity = self.gravity[: velocity.shape[1]]
        path: Floats = velocity * (age * a)[:, None] + gravity * (age * age * b)[:, None]
        if self.noise[0]:
            path += self._noise(rows["seed"], age, velocity.shape[1])
        return path

    def velocity(self, rows: NDArray[Any], age: Floats) -> Floats:
        """Return the velocity of each particle in units per second, without noise. The array has
        the shape (n, dimensions).
        """
        x = np.float32(self.damping) * age
        gravity = self.gravity[: rows["velocity"].shape[1]]
        result: Floats = (
            rows["velocity"] * np.exp(-x)[:, None]
            + gravity * (age * _damping_factors(x)[0])[:, None]
        )
        return result

    def _noise(self, seed: NDArray[np.uint32], age: Floats, dimensions: int) -> Floats:
        amount = np.float32(self.noise[0])
        pace = np.float32(self.noise[1])
        result = np.zeros((len(seed), dimensions), np.float32)
        for axis in range(dimensions):
            for frequency, share, bits in _OCTAVES:
                random_bits = seed >> np.uint32(bits + 5 * axis) & np.uint32(255)
                phase = random_bits.astype(np.float32) * np.float32(1 / 256)
                turns = _fraction(age * (pace * np.float32(frequency)) + phase)
                swing = np.sin(_TAU * turns) - np.sin(_TAU * phase)
                result[:, axis] += np.float32(share) * swing
        result *= amount
        return result

    def size(self, rows: NDArray[Any], age: Floats) -> Floats:
        """Return the length of the longer side of each particle, in units. The array has the shape
        (n,).
        """
        size: Floats = _sampled(self.sizes, age / rows["lifetime"]) * rows["scale"]
        return size

    def angle(self, rows: NDArray[Any], age: Floats) -> Floats:
        """Return the angle of each particle in radians, counter-clockwise. The array has the shape
        (n,).

        In 3D, the angles do not include `align`, which depends on the camera and is computed only
        in the shader.
        """
        angle: Floats = rows["rotation"][:, 0] + rows["rotation"][:, 1] * age
        if self.align and rows["velocity"].shape[1] == 2:
            velocity = self.velocity(rows, age)
            angle = angle + exact.functions().arctan2(velocity[:, 1], velocity[:, 0])
        return angle

    def color(self, rows: NDArray[Any], age: Floats) -> Floats:
        """Return the color of each particle, with straight alpha. In 2D, all numbers of a color are
        from 0 to 1. In 3D, red, green and blue may be above 1. The array has the shape (n, 4).
        """
        color: Floats = _sampled(self.colors, age / rows["lifetime"]) * rows["tint"]
        return color

    def packed(self) -> Floats:
        """Return the data for the uniform block of include/particle_motion.glsl, in std140 layout."""
        block = np.zeros((2 + 2 * (CELLS + 1), 4), np.float32)
        block[0] = *self.gravity, self.damping
        block[1, :3] = *self.noise, self.tumble
        block[2 : 3 + CELLS] = self.colors
        block[3 + CELLS :, 0] = self.sizes
        return block


def alive(rows: NDArray[Any], age: Floats) -> Mask:
    """Return a mask that is True for each particle that has been born and has not yet died. The
    mask has the shape (n,).
    """
    return np.asarray((age >= 0) & (age < rows["lifetime"]))


def _fraction(x: Floats) -> Floats:
    return x - np.floor(x)


def _damping_factors(x: Floats) -> tuple[Floats, Floats]:
    """Return the factors a(x) and b(x) of the formula in this module's docstring, for x = damping ·
    age.
    """
    safe = np.maximum(x, _SMALL)
    lost = 1 - np.exp(-safe)  # the lost fraction of the velocity
    unit = np.float32(1)
    half = np.float32(0.5)
    a = unit - x * half * (
        unit - x / 3 * (unit - x / 4 * (unit - x / 5 * (unit - x / 6 * (unit - x / 7))))
    )
    b = half * (unit - x / 3 * (unit - x / 4 * (unit - x / 5 * (unit - x / 6 * (unit - x / 7)))))
    small = x < _SMALL
    return np.where(small, a, lost / safe), np.where(small, b, (safe - lost) / (safe * safe))


def _sampled(samples: Floats, share: Floats) -> Floats:
    position = np.clip(share, 0, 1) * np.float32(CELLS)
    cell = np.minimum(position.astype(np.intp), CELLS - 1)
    within = position - cell.astype(np.float32)
    within = within[:, None] if samples.ndim == 2 else within
    result: Floats = samples[cell] + (samples[cell + 1] - samples[cell]) * within
    return result
