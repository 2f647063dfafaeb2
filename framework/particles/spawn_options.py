"""Choose the random directions, speeds, lifetimes and colors of new particles.

The random numbers of a particle depend only on the seed and on the index of the particle.
Therefore, a game spawns the same particles at every tick rate, and saves contain no random state. A
random number is a hash of the particle's index, computed with "lowbias32" by Chris Wellons
(https://nullprogram.com/blog/2018/07/31/).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Floats, Rows
from ..checks import color, direction, ndim, number, pair, vector, wrong_value
from ..geometry import exact, quaternions
from ..other_engines.other_options import meant_option
from .particle_rows import MAX_LIFETIME

Range = tuple[float, float]

# The index of each random number of a particle. The emission box uses three random numbers, from
# the index `_BOX` on.
_SPEED, _AROUND, _ASIDE, _LIFETIME, _SCALE, _ANGLE, _ANGULAR_VELOCITY, _TINT, _SEED, _BOX = range(
    10
)
_BLOCK = 512  # the number of rows to compute in one step if only a few rows are needed
_PER_PARTICLE = 12  # the count of random numbers per particle


class _Bounds(TypedDict, total=False):
    """The smallest and largest value of an option, as `checks.number` takes them."""

    above: float
    least: float
    most: float


_BOUNDS: dict[str, _Bounds] = {
    "lifetime": {"above": 0, "most": MAX_LIFETIME},
    "speed": {"least": 0},
    "scale": {"least": 0},
    "angle": {},
    "angular_velocity": {},
}

_OTHER = {
    **dict.fromkeys(
        ("color", "colour"), "write tint=, which multiplies the colors of the particles"
    ),
    **dict.fromkeys(("amount", "number", "n"), "write particles.emit(20, position=(x, y))"),
    **dict.fromkeys(("size", "start_size"), "write scale=, which multiplies the sizes"),
    "duration": "an emitter emits until emitter.remove(): call it with self.schedule.once",
    "gravity": "it is an option of fw.Particles(…), for all its particles",
}
"""Advice for options that exist in other engines."""
_OPTIONS = (
    *("direction", "spread", "speed", "velocity", "emission_size", "lifetime", "scale", "angle"),
    *("angular_velocity", "tint"),
)


# The constants of the hash function "lowbias32".
_SHIFT_16 = np.uint32(16)
_SHIFT_15 = np.uint32(15)
_FACTOR = np.uint32(0x7FEB352D)
_SECOND_FACTOR = np.uint32(0x846CA68B)
_SHIFT_8 = np.uint32(8)


@lru_cache(maxsize=256)
def _keys(seed: int) -> NDArray[np.uint32]:
    keys = [
        (seed * 0x9E3779B9 + (index + 1) * 0x85EBCA6B) % (1 << 32) for index in range(_PER_PARTICLE)
    ]
    return np.array(keys, np.uint32)[:, None]


def random_numbers(numbers: NDArray[np.uint32], seed: int) -> NDArray[np.uint32]:
    """Return 12 random 32-bit numbers for each particle. The array has the shape (12, n).

    ``numbers`` contains the indices of the particles and has the shape (n,).
    """
    keys = _keys(seed)
    return _mixed(_mixed(numbers ^ keys) + keys)


def _mixed(x: NDArray[np.uint32]) -> NDArray[np.uint32]:
    shifted = x >> _SHIFT_16
    shifted ^= x
    shifted *= _FACTOR
    mixed = shifted >> _SHIFT_15
    mixed ^= shifted
    mixed *= _SECOND_FACTOR
    np.right_shift(mixed, _SHIFT_16, out=shifted)
    mixed ^= shifted
    return mixed


def span(name: str, value: object, **bounds: Unpack[_Bounds]) -> Range:
    """Check a range, and return its lowest and its highest number as a pair.

    A single number becomes both the lowest and the highest number.
    """
    if isinstance(value, str) or not ndim(value):
        low = high = number(name, value, **bounds)
        return low, high
    low, high = pair(name, value)
    number(name, low, **bounds)
    number(name, high, **bounds)
    if low > high:
        raise wrong_value(name, "a number, or the lowest and the highest of several", value)
    return low, high


@dataclasses.dataclass(frozen=True)
class SpawnOptions:
    """The options for new particles, with the ranges of random values.

    For the options, see `Particles`.
    """

    not_state = True  # spawn options never change

    dimensions: int
    seed: int
    direction: tuple[float, ...]
    """The direction: an angle in radians (2D), or a unit vector (3D)."""
    spread: float
    speed: Range
    velocity: tuple[float, ...]
    emission_size: tuple[float, ...]
    lifetime: Range
    scale: Range
    angle: Range
    angular_velocity: Range
    tint: tuple[tuple[float, ...], ...]

    @property
    def spreads(self) -> bool:
        """Whether particles are born in an emission box instead of at a point."""
        return any(self.emission_size)

    def changed(self, changes: Mapping[str, object]) -> SpawnOptions:
        """Return a copy of the options, with the new values in ``changes``.

        Raises `TypeError` if an option is unknown.
        """
        if not changes:
            return self
        checked: dict[str, Any] = {
            name: self._checked(name, value) for name, value in changes.items()
        }
        return dataclasses.replace(self, **checked)

    def _checked(self, name: str, value: object) -> object:
        if name in ("velocity", "emission_size"):
            array = vector(name, value, self.dimensions)
            if name == "emission_size" and (array < 0).any():
                raise wrong_value(name, f"{self.dimensions} numbers of at least 0", value)
            sides: list[float] = array.tolist()
            return tuple(sides)
        if name == "direction":
            return checked_direction(value, self.dimensions)
        if name == "spread":
            return number(name, value, least=0, most=math.pi)
        if name == "tint":
            return _tints(value, self.dimensions)
        if name not in _BOUNDS:
            options = ", ".join(_OPTIONS)
            raise TypeError(
                meant_option("particles", name, _OPTIONS, _OTHER)
                or f"{name}: particles have no such option; options of births are {options}"
            )
        return span(name, value, **_BOUNDS[name])

    def rows(
        self, kind: np.dtype[Any], first: int, count: int, turns: Doubles | None = None
    ) -> NDArray[Any]:
        """Return rows for ``count`` new particles. ``kind`` is the dtype of the returned array.

        ``first`` is the index of the first new particle.

        All returned particles are born at the origin, at the time 0. ``turns`` contains the
        rotations of the emitter's target: angles in radians in 2D, and quaternions in 3D.
        """
        start = first % (1 << 32)
        offset = start % _BLOCK
        if turns is None and offset + count <= _BLOCK:
            block = self._block(kind, start - offset)
            if block is not None:
                words: NDArray[np.uint32] = block[offset : offset + count].copy()
                rows: NDArray[Any] = words.view(kind)[:, 0]
                return rows
        return self._new_rows(kind, start, count, turns)

    def _block(self, kind: np.dtype[Any], start: int) -> NDArray[Any] | None:
        """Return a block of particle rows that begins at the index ``start``. A block has enough
        rows for several ticks or bursts. When these options are used for the first time, return
        None.

        NumPy computes a block in about the same time as a few rows. The rows consist of 32-bit
        words, because NumPy copies words faster than fields.
        """
        cache = self.__dict__  # all other attributes of a frozen dataclass cannot change
        functions = exact.functions()
        cached: tuple[int, object, object, NDArray[Any]] | None = cache.get("_last_block")
        if cached is not None:
            cached_start, cached_kind, cached_functions, words = cached
            same_kind = cached_kind is kind or cached_kind == kind
            if cached_start == start and same_kind and cached_functions is functions:
                return words
        if "_was_used" not in cache:
            cache["_was_used"] = True
            return None
        block = self._new_rows(kind, start, _BLOCK, None).view(np.uint32).reshape(_BLOCK, -1)
        cache["_last_block"] = start, kind, functions, block
        return block

    def _new_rows(
        self, kind: np.dtype[Any], first: int, count: int, turns: Doubles | None
    ) -> NDArray[Any]:
        rows: NDArray[np.void] = np.zeros(count, kind)
        numbers = np.arange(first, first + count).astype(np.uint32)
        drawn = random_numbers(numbers, self.seed)
        chance: Doubles = np.multiply(drawn >> _SHIFT_8, 2.0**-24)
        rows["seed"] = drawn[_SEED]
        rows["lifetime"] = _within(self.lifetime, chance[_LIFETIME])
        rows["scale"] = _within(self.scale, chance[_SCALE])
        if self.angle != (0, 0):
            rows["rotation"][:, 0] = _within(self.angle, chance[_ANGLE])
        if self.angular_velocity != (0, 0):
            rows["rotation"][:, 1] = _within(self.angular_velocity, chance[_ANGULAR_VELOCITY])
        rows["tint"] = self.tint[0] if len(self.tint) == 1 else self._random_tints(chance[_TINT])
        if self.speed[1]:
            directions = turned(self._directions(chance[_AROUND], chance[_ASIDE]), turns)
            speeds = np.asarray(_within(self.speed, chance[_SPEED]))
            rows["velocity"] = directions * speeds[..., None] + self.velocity
        else:
            rows["velocity"] = self.velocity
        if self.spreads:
            within: Doubles = chance[_BOX : _BOX + self.dimensions].T - 0.5
            rows["position"] = turned(np.asarray(within * self.emission_size, np.float64), turns)
        return rows

    def _random_tints(self, chance: Doubles) -> Floats:
        indices: Rows = (chance * len(self.tint)).astype(np.intp)
        tints: Floats = np.array(self.tint, np.float32)[indices]
        return tints

    def _directions(self, around: Doubles, aside: Doubles) -> Doubles:
        """Return random unit vectors. The angle between each vector and `direction` is at most
        `spread`. The array has the shape (n, dimensions).

        ``around`` and ``aside`` are the random numbers for the directions, from 0 to 1.
        """
        if self.dimensions == 2:
            circle: tuple[Doubles, Doubles] = exact.functions().sincos(
                self.direction[0] + self.spread * (2 * around - 1)
            )
            directions = np.empty((len(around), 2))
            directions[:, 1], directions[:, 0] = circle
            return directions
        # Distribute the directions evenly over the part of the unit sphere inside the cone.
        turn: tuple[float, float] = exact.functions().turn(self.spread)
        level: Doubles = 1 - aside * (1 - turn[1])
        ring: tuple[Doubles, Doubles] = exact.functions().sincos(math.tau * around)
        sine, cosine = ring
        off: Doubles = np.sqrt(np.maximum(1 - level * level, 0))
        local = np.column_stack([off * cosine, off * sine, level])
        return np.asarray(exact.functions().matmul(local, _towards(self.direction)))


def turned(vectors: Doubles, turns: Doubles | None) -> Doubles:
    """Rotate vectors. ``turns`` contains angles in radians of shape (n,) in 2D, and quaternions of
    shape (n, 4) in 3D.
    """
    if turns is None:
        return vectors
    if vectors.shape[1] == 3:
        return quaternions.rotate(turns, vectors)
    circle: tuple[Doubles, Doubles] = exact.functions().sincos(turns)
    sine, cosine = circle
    x: Doubles
    y: Doubles
    x, y = vectors.T
    return np.column_stack([cosine * x - sine * y, sine * x + cosine * y])


def checked_direction(value: object, dimensions: int) -> tuple[float, ...]:
    """Check the option ``direction``, and return it. In 2D, the value is a tuple (angle,). In 3D,
    the value is a unit vector.
    """
    if dimensions == 2:
        return (number("direction", value),)
    axes: list[float] = direction("direction", value).tolist()
    return tuple(axes)


def _towards(direction: tuple[float, ...]) -> Doubles:
    """Return a matrix that rotates the z axis to the direction ``direction``. The matrix has the
    shape (3, 3).
    """
    x, y, z = direction
    return quaternions.matrix_one(quaternions.look_rotation((-x, -y, -z)))


def _within(bounds: Range, share: Doubles) -> Doubles | float:
    low, high = bounds
    return low + (high - low) * share if low != high else low


def _tints(value: object, dimensions: int) -> tuple[tuple[float, ...], ...]:
    """Check the option ``tint``, and return a list of colors. Each particle uses one color of the
    list.
    """
    tints: Iterable[object] = [value]
    if isinstance(value, list | tuple | np.ndarray) and len(value) > 0:
        first: object = value[0]
        if isinstance(first, str) or ndim(first):
            tints = value
    return tuple([color("tint", tint, least=0, as_light=dimensions == 3) for tint in tints])
