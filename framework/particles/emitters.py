"""Emitters, which spawn particles at a constant rate, at exact times within a tick."""

from __future__ import annotations

__all__ = ["Emitter"]

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import chain, groupby
from typing import Any, NamedTuple, Protocol, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Doubles
from ..checks import (
    Sealed,
    Setting,
    decimal,
    exact_number,
    flag,
    number,
    vector,
    wrong_type,
    wrong_value,
)
from ..geometry import exact, quaternions
from ..moved_names import HasMoved, check_options, moved
from ..other_engines.other_options import made_by
from ..other_engines.particle_names import emitter_names
from .particle_rows import MAX_LIFETIME, ParticleRows, exactly
from .spawn_options import SpawnOptions, turned

MAX_PER_SECOND = 1_000_000_000
"""The maximum number of particles that one emitter can spawn per second."""

# The fractions of a tick at which the emitter reads the position of a moving target.
_SAMPLED_FRACTIONS = np.linspace(0, 1, 5)


Point = tuple[float, ...]

# For at most this number of births of one emitter, Python numbers are faster than arrays.
_MAX_FEW = 8


class SpawnSource(Protocol):
    """The part of a particle system that an emitter uses. `ParticleSimulation` implements it."""

    births: ParticleRows


class MovingTarget(Protocol):
    """An object that an emitter can follow: a sprite, an instance, a node, or any object with a
    method ``drawn_position``.
    """

    def drawn_position(self, alpha: float, /) -> ArrayLike:
        """Return the position of the target in a frame at ``alpha`` between two ticks."""


SavedEmitter = tuple[str, bool, str, Point | None, float | None]


class EmitterBirths(NamedTuple):
    """The particles that one emitter spawns in one tick. The fields are the arguments of
    `ParticleSimulation.spawn`.
    """

    spray: SpawnOptions
    positions: Doubles | list[Point]
    moments: Doubles | list[float]
    total: int
    turns: Doubles | list[float] | None
    velocity: Doubles | None

    def kind(self) -> tuple[int, bool, bool]:
        """Return a key for `joined`. Births with equal keys are combined, so that one call spawns
        all their particles.
        """
        whole = len(self.positions) == self.total
        return id(self.spray if whole else self), self.turns is None, self.velocity is None


def joined(all_births: list[EmitterBirths]) -> EmitterBirths:
    """Combine births that have equal keys, keeping their order."""
    first = all_births[0]
    if len(all_births) == 1:
        return first
    positions = [births.positions for births in all_births]
    moments = [births.moments for births in all_births]
    turns = [births.turns for births in all_births if births.turns is not None]
    velocities = [births.velocity for births in all_births if births.velocity is not None]
    are_lists = all(type(part) is list for part in positions)
    join: Callable[[list[Any]], Any] = _joined_lists if are_lists else np.concatenate
    return EmitterBirths(
        first.spray,
        join(positions),
        join(moments),
        sum([births.total for births in all_births]),
        join(turns) if turns else None,
        join(velocities) if velocities else None,
    )


def _joined_lists(lists: list[list[Any]]) -> list[Any]:
    return [*chain.from_iterable(lists)]


def checked_rate(name: str, value: object) -> Fraction:
    """Return the rate, in births per second, as an exact fraction.

    A float is converted with its decimal digits, so 0.1 becomes 1/10.
    """
    rate = decimal(exact_number(name, value, least=0))
    if rate > MAX_PER_SECOND:
        raise wrong_value(name, f"at most {MAX_PER_SECOND:,} a second", value)
    return rate


def checked_target(
    name: str, value: MovingTarget | ArrayLike, dimensions: int
) -> MovingTarget | Point:
    """Check and return a target: a point, or an object with ``drawn_position(alpha)``."""
    if _is_moving(value):
        return value
    if isinstance(value, str | bytes) or not hasattr(value, "__len__"):
        raise wrong_type(
            name, f"a sprite, an instance, a node or a point of {dimensions} numbers", value
        )
    return _point(name, value, dimensions)


def _is_moving(value: object) -> TypeGuard[MovingTarget]:
    return callable(getattr(value, "drawn_position", None)) and not isinstance(value, type)


def _point(name: str, value: ArrayLike | MovingTarget, dimensions: int) -> Point:
    axes: list[float] = vector(name, value, dimensions).tolist()
    return tuple(axes)


@moved("emitter", {}, settings={"on": "emitting"})
@emitter_names
@made_by("write particles = self.add(fw.Particles.fire()) and particles.emitter((x, y), rate=60)")
class Emitter(HasMoved, Sealed):
    """Spawns ``rate`` particles per second until you call `remove`.

    Create an emitter with ``particles.emitter(…)``.

    Particles are born at exact times: the particle with the index k is born k / rate seconds after
    the emitter starts. A particle that is born between two ticks starts where the target is drawn
    at that moment.
    """

    __slots__ = (
        *(
            "__weakref__",
            "_angle",
            "_before",
            "_emitting",
            "_inherit",
            "_offset",
            "_owed",
            "_rate",
            "_source",
            "_spray",
        ),
        "_target",
    )

    _emitting: bool
    emitting = Setting(
        flag,
        "Whether particles are born. While False, the emitter's clock stops. Default: True.",
    )

    def __init__(
        self,
        source: SpawnSource,
        target: MovingTarget | ArrayLike,
        rate: float,
        spray: SpawnOptions,
        *,
        offset: ArrayLike | None,
        inherit: float,
        emitting: bool,
    ) -> None:
        self._source: SpawnSource | None = source
        self._spray = spray
        self._target = checked_target("target", target, spray.dimensions)
        self._rate = checked_rate("rate", rate)
        self._inherit = number("inherit", inherit)
        self._offset = None if offset is None else _point("offset", offset, spray.dimensions)
        self.emitting = emitting
        self._owed = Fraction(0)  # how much of the next particle is due, from 0 to below 1
        # The position one tick ago, if the target is a point.
        self._before = self._target if isinstance(self._target, tuple) else None
        self._angle: float | None = None  # the target's angle one tick ago, in 2D

    @property
    def rate(self) -> float:
        """The number of new particles per simulated second, from 0 to a billion."""
        return float(self._rate)

    @rate.setter
    def rate(self, value: float) -> None:
        self._rate = checked_rate("rate", value)

    @property
    def position(self) -> tuple[float, ...]:
        """The current position of the target.

        You can set ``position`` only if the target is a point. The particles of this tick are then
        born along the line from the old to the new position.
        """
        target = self._target
        return target if isinstance(target, tuple) else _position_of(target, 1.0)

    @position.setter
    def position(self, value: ArrayLike) -> None:
        if not isinstance(self._target, tuple):
            raise ValueError(
                "position: this emitter follows a target; move the target, or set emitter.target"
            )
        self._target = _point("position", value, self._spray.dimensions)

    @property
    def target(self) -> MovingTarget | Point:
        """The target that the emitter follows: an object with ``drawn_position(alpha)``, or a
        point.

        After you set a new target, particles are born at its position immediately, and not along
        the line from the old target to the new one.
        """
        return self._target

    @target.setter
    def target(self, value: MovingTarget | ArrayLike) -> None:
        self._target = checked_target("target", value, self._spray.dimensions)
        self.teleport()

    def teleport(self) -> None:
        """Spawn all particles of this tick at the current position.

        Call `teleport` after moving the target a long way in a single step. Otherwise, particles
        are born all along the line from its last position.
        """
        self._before = self._target if isinstance(self._target, tuple) else None
        self._angle = None

    def change(self, **options: Any) -> None:
        """Change options for all particles that are born later, as in ``emitter.change(speed=90)``.

        The options are the same as in `Particles.emit`, except for ``delay``. Existing particles do
        not change.
        """
        check_options("Emitter.change", options)
        self._spray = self._spray.changed(options)

    @property
    def removed(self) -> bool:
        """Whether the emitter has been removed. If an emitter's target is removed, the framework
        removes the emitter at the end of the same tick.
        """
        return self._source is None

    def remove(self) -> None:
        """Remove the emitter, so that it spawns no more particles. Existing particles live until
        the end of their lifetime. Calling `remove` again does nothing.
        """
        self._source = None

    # -- called by the simulation ------------------------------------------------------------------

    def _capture(self) -> SavedEmitter:
        point = self._target if isinstance(self._target, tuple) else None
        return str(self._owed), self.emitting, str(self._rate), point, self._angle

    def _restore(self, saved: SavedEmitter) -> None:
        owed, emitting, rate, point, angle = saved
        due = exactly(owed) % 1
        new_rate = checked_rate("rate", exactly(rate))
        self._owed = due
        self.emitting = emitting
        self._rate = new_rate
        if point is not None and isinstance(self._target, tuple):
            self.target = point
        self._angle = None if angle is None else number("angle", angle)

    def _prewarmed(self, seconds: float) -> EmitterBirths | None:
        span = decimal(number("prewarm", seconds, least=0, most=MAX_LIFETIME))
        total = int(self._rate * span)
        return self._births_of(total, -span, span, still=True) if total else None

    def _births_of_tick(self) -> EmitterBirths | None:
        if getattr(self._target, "removed", False):
            self.remove()
        if self._source is None:
            return None
        length = self._source.births.length
        births = None
        if self._emitting and length:
            owed = self._owed
            rate = self._rate
            total, self._owed, moments = _due(
                owed.numerator,
                owed.denominator,
                rate.numerator,
                rate.denominator,
                length.numerator,
                length.denominator,
            )
            if moments and self._offset is None and not self._inherit:
                births = self._few_births(total, owed, moments)
            elif total:
                births = self._births_of(total, -owed / rate, length)
        if self._before is not None and isinstance(self._target, tuple):
            self._before = self._target
        if self._spray.dimensions == 2 and not isinstance(self._target, tuple):
            self._angle = _angle_of(self._target)
        return births

    def _few_births(
        self, total: int, owed: Fraction, moments: tuple[float, ...]
    ) -> EmitterBirths | None:
        """Return the births if there are only a few. This is faster than `_births_of`, which works
        for any number of births. ``owed`` is the fraction of the first birth that was already due
        when the tick began. ``moments`` contains the times of the births, in seconds after the
        start of the tick. These births have no offset, and their particles inherit no velocity.
        """
        assert self._source is not None
        length = self._source.births.length
        duration = length.numerator / length.denominator
        capacity = self._source.births.capacity
        if total > capacity:
            moments = moments[-capacity:]
        shares = [min(moment / duration, 1.0) for moment in moments]
        target = self._target
        turns = None
        if isinstance(target, tuple):
            assert self._before is not None
            axes = [*zip(self._before, target, strict=True)]
            positions = [
                tuple([start + (end - start) * share for start, end in axes]) for share in shares
            ]
        elif self._spray.dimensions == 2:
            positions = self._few_positions(target, shares)
            angle = _angle_of(target)
            before = angle if self._angle is None else self._angle
            turn = math.remainder(angle - before, math.tau)
            turns = [before + turn * share for share in shares]
        else:
            return self._births_of(total, -owed / self._rate, length)
        if not all([math.isfinite(sum(position)) for position in positions]):  # noqa: C419  (quicker)
            return None
        return EmitterBirths(self._spray, positions, [*moments], total, turns, None)

    def _few_positions(self, target: MovingTarget, shares: list[float]) -> list[Point]:
        """Return the positions of the target at a few births. This is faster than `_path`, which
        works for any number of births.
        """
        last = len(_SAMPLED_FRACTIONS) - 1
        samples: dict[int, Point] = {}
        positions = []
        for share in shares:
            index = int(share * last)
            for sample in (index, min(index + 1, last)):
                if sample not in samples:
                    drawn = _position_of(target, sample / last)[: self._spray.dimensions]
                    samples[sample] = tuple(map(float, drawn))
            positions.append(_between(share, index, last, samples))
        return positions

    def _births_of(
        self, total: int, since: Fraction, length: Fraction, still: bool = False
    ) -> EmitterBirths | None:
        """Return ``total`` births. If the position of the target is not finite, return None.

        The births are evenly spaced. The first is one interval after the time ``since``. ``since``
        is in seconds after the start of the tick. ``length`` is the time during which the particles
        are born, in seconds. If ``still`` is True, all particles are born at the current position.
        """
        assert self._source is not None
        births = self._source.births
        numbers = np.arange(max(0, total - births.capacity), total) + 1
        moments = float(since) + numbers / float(self._rate)
        shares = np.zeros(len(moments)) if still else np.minimum(moments / float(length), 1.0)
        ends, positions = self._path(shares)
        if not np.isfinite(positions).all():
            return None
        turns = self._turns(shares)
        if self._offset is not None:
            positions = positions + turned(np.tile(self._offset, (len(positions), 1)), turns)
        velocity = None
        if self._inherit and not still:
            displacement: Doubles = ends[1] - ends[0]
            velocity = np.broadcast_to(
                displacement * (self._inherit / float(length)), positions.shape
            )
        return EmitterBirths(self._spray, positions, moments, total, turns, velocity)

    def _path(self, shares: Doubles) -> tuple[Doubles, Doubles]:
        """Return the positions of the target in two arrays. The first array contains the positions
        at the start and the end of the tick, and has the shape (2, dimensions). The second array
        contains the position at each birth, and has the shape (n, dimensions). ``shares`` contains
        the times of the births as fractions of the tick, from 0 to 1.

        If `inherit` is 0, the first array is not exact, because only inherited velocities need it.
        """
        target = self._target
        if isinstance(target, tuple):
            ends: Doubles = np.array([self._before, target])
            positions: Doubles = ends[0] + (ends[1] - ends[0]) * shares[:, None]
            return ends, positions
        at = _SAMPLED_FRACTIONS[self._sample_indices(shares)]
        moments: list[float] = at.tolist()
        samples = np.array([target.drawn_position(share) for share in moments], np.float64)
        samples = samples[:, : self._spray.dimensions]
        axes: list[Doubles] = [np.interp(shares, at, along) for along in samples.T]
        return samples[[0, -1]], np.column_stack(axes)

    def _sample_indices(self, shares: Doubles) -> list[int]:
        """Return the times in a tick at which the emitter must read the target's position, as
        indices of `_SAMPLED_FRACTIONS`. These are the times shortly before and shortly after each
        birth and, if `inherit` is not 0, the start and the end of the tick.
        """
        last = len(_SAMPLED_FRACTIONS) - 1
        scaled: list[float] = (shares * last).tolist()
        before = {int(fraction) for fraction in scaled}
        after = {min(number + 1, last) for number in before}
        ends = {0, last} if self._inherit else set[int]()
        return sorted(before | after | ends)

    def _turns(self, shares: Doubles) -> Doubles | None:
        """Return the rotation of the target at each birth, or None if the target is a point. The
        result contains angles (n,) in 2D, and quaternions (n, 4) in 3D.
        """
        target = self._target
        if isinstance(target, tuple):
            return None
        if self._spray.dimensions == 2:
            angle = _angle_of(target)
            before = angle if self._angle is None else self._angle
            return before + math.remainder(angle - before, math.tau) * shares
        if not hasattr(target, "drawn_rotation"):
            return None
        first: Doubles
        last: Doubles
        first, last = (np.array(target.drawn_rotation(alpha), np.float64) for alpha in (0.0, 1.0))
        last = last if first @ last >= 0 else -last
        return quaternions.normalized(first + (last - first) * shares[:, None])


@lru_cache(maxsize=4096)
def _due(
    owed: int, owed_unit: int, rate: int, rate_unit: int, length: int, length_unit: int
) -> tuple[int, Fraction, tuple[float, ...]]:
    """Return the number of births in a tick, a fraction, and the times of the births. The fraction
    is the part of the next birth that is due at the end of the tick. The times are in seconds after
    the start of the tick. If the tick has more than `_MAX_FEW` births, no times are returned.

    The arguments are the numerators and denominators of three fractions: the part of the first
    birth that is already due, the births per second, and the length of the tick in seconds.
    """
    unit = rate_unit * length_unit
    denominator = owed_unit * unit
    total, remainder = divmod(owed * unit + rate * length * owed_unit, denominator)
    since = -owed * rate_unit / (owed_unit * rate) if rate else 0.0
    per_second = rate / rate_unit
    count = total if total <= _MAX_FEW else 0
    moments = tuple([since + number / per_second for number in range(1, count + 1)])
    return total, Fraction(remainder, denominator), moments


def _between(share: float, index: int, last: int, samples: dict[int, Point]) -> Point:
    """Interpolate linearly between the samples ``index`` and ``index + 1``, as `numpy.interp` does."""
    start = samples[index]
    if index == last or share == index / last:
        return start
    step = (index + 1) / last - index / last
    return tuple(
        [
            (end - begin) / step * (share - index / last) + begin
            for begin, end in zip(start, samples[index + 1], strict=True)
        ]
    )


def births_of_tick(all_emitters: list[Emitter]) -> list[EmitterBirths]:
    """Return the births of several emitters in the tick that is ending, in the order of the
    emitters. Births of emitters with equal options are combined.
    """
    all_births: list[EmitterBirths] = []
    still = _StillEmitters(all_births)
    for emitter in all_emitters:
        if still.add(emitter):
            continue
        births = emitter._births_of_tick()
        if births is not None:
            still.flush()
            all_births.append(births)
    still.flush()
    # Emitters with equal options spawn in one NumPy call. Therefore a hundred emitters take little
    # more time than a single emitter.
    return [joined([*alike]) for _, alike in groupby(all_births, EmitterBirths.kind)]


class _StillEmitters:
    """Collects the births of emitters that have not moved and whose targets are points, as most
    emitters in a game. If they have the same rate, their births usually have the same times, which
    are computed only once.
    """

    __slots__ = (
        "_all_births",
        "_moments",
        "_next_owed",
        "_owed",
        "_positions",
        "_rate",
        "_spray",
        "_times",
    )

    def __init__(self, all_births: list[EmitterBirths]) -> None:
        self._all_births = all_births
        self._spray: SpawnOptions | None = None
        self._positions: list[Point] = []
        self._times: list[float] = []
        self._owed: Fraction | None = None
        self._rate: Fraction | None = None
        self._next_owed = Fraction()
        self._moments: tuple[float, ...] = ()

    def add(self, emitter: Emitter) -> bool:
        """Add the births of an emitter, and return True. If the emitter is moving or has an unusual
        number of births, add nothing and return False.
        """
        target = emitter._target
        source = emitter._source
        if (
            target is not emitter._before
            or type(target) is not tuple
            or source is None
            or not emitter._emitting
            or emitter._offset is not None
            or emitter._inherit
        ):
            return False
        owed = emitter._owed
        rate = emitter._rate
        if owed is not self._owed or rate is not self._rate:
            length = source.births.length
            if not length:
                return False
            total, next_owed, moments = _due(
                owed.numerator,
                owed.denominator,
                rate.numerator,
                rate.denominator,
                length.numerator,
                length.denominator,
            )
            if total > min(_MAX_FEW, source.births.capacity):
                return False
            self._owed = owed
            self._rate = rate
            self._next_owed = next_owed
            self._moments = moments
        if not self._moments:
            emitter._owed = self._next_owed
            return True
        if not math.isfinite(sum(target)):
            return False
        emitter._owed = self._next_owed
        if emitter._spray is not self._spray:
            self.flush()
            self._spray = emitter._spray
        if 0.0 in target:
            # -0.0 becomes 0.0, as for a moving target.
            target = tuple([part + 0.0 for part in target])
        moments = self._moments
        if len(moments) == 1:
            self._positions.append(target)
            self._times.append(moments[0])
        else:
            self._positions += [target] * len(moments)
            self._times += moments
        return True

    def flush(self) -> None:
        """Append the collected births to the list of all births in this tick."""
        if self._spray is not None and self._positions:
            self._all_births.append(
                EmitterBirths(
                    self._spray, self._positions, self._times, len(self._positions), None, None
                )
            )
            self._positions = []
            self._times = []
        self._spray = None


def prewarmed(emitter: Emitter, seconds: float) -> EmitterBirths | None:
    """Return the births of the past ``seconds``, all at the current position, or None if no
    particle was born in this time.
    """
    return emitter._prewarmed(seconds)


def capture(emitter: Emitter) -> SavedEmitter:
    """Return the state of an emitter for a save.

    The state consists of five values: the fraction of the time between two births that has passed
    since the last birth, `Emitter.emitting`, `Emitter.rate`, the position if the target is a point,
    and the angle.
    """
    return emitter._capture()


def restore(emitter: Emitter, saved: SavedEmitter) -> None:
    """Restore the state of an emitter that `capture` returned.

    Raises `ValueError` if the state does not fit this emitter.
    """
    emitter._restore(saved)


def _position_of(target: MovingTarget, alpha: float) -> Point:
    return tuple(target.drawn_position(alpha))  # type: ignore[arg-type]  # a position has few numbers


def _angle_of(target: MovingTarget) -> float:
    """Return the current angle of a 2D target, in radians."""
    if hasattr(target, "drawn_matrix"):
        matrix: Doubles = target.drawn_matrix(1.0)
        return float(exact.functions().arctan2(float(matrix[0, 1]), float(matrix[0, 0])))
    return float(getattr(target, "angle", 0.0))
