"""Emitters: sources of particles with a rate, whose births lie at moments within the tick."""

from __future__ import annotations

__all__ = ["Emitter"]

import math
from fractions import Fraction
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
from .births import LONGEST, Births, exactly
from .sprays import Spray, turned

MOST_A_SECOND = 1_000_000_000
"""Births of one emitter."""

_SHARES = np.linspace(0, 1, 5)  # of the tick: what moves on a curve is asked where it is then


class Source(Protocol):
    """The owner of an emitter: a `ParticleSimulation`."""

    births: Births


class Followed(Protocol):
    """A target that moves: a sprite, an instance, a node, or an object of your own."""

    def drawn_position(self, alpha: float, /) -> ArrayLike:
        """Return the position at ``alpha``."""


Point = tuple[float, ...]

SavedEmitter = tuple[str, bool, str, Point | None, float | None]


class Litter(NamedTuple):
    """The births of one emitter in one tick: see `ParticleSimulation.give_birth`."""

    spray: Spray
    places: Doubles
    moments: Doubles
    total: int
    turns: Doubles | None
    velocity: Doubles | None

    def kind(self) -> tuple[int, bool, bool]:
        """What is alike of those that can be made in one go."""
        whole = len(self.places) == self.total
        return id(self.spray if whole else self), self.turns is None, self.velocity is None


def joined(litters: list[Litter]) -> Litter:
    """Some of a kind as one, in their order."""
    if len(litters) == 1:
        return litters[0]
    turns = [litter.turns for litter in litters if litter.turns is not None]
    velocities = [litter.velocity for litter in litters if litter.velocity is not None]
    return Litter(
        litters[0].spray,
        np.concatenate([litter.places for litter in litters]),
        np.concatenate([litter.moments for litter in litters]),
        sum(litter.total for litter in litters),
        np.concatenate(turns) if turns else None,
        np.concatenate(velocities) if velocities else None,
    )


def checked_rate(name: str, value: object) -> Fraction:
    """Births a second, as it is written."""
    rate = decimal(exact_number(name, value, least=0))
    if rate > MOST_A_SECOND:
        raise wrong_value(name, f"at most {MOST_A_SECOND:,} a second", value)
    return rate


def checked_target(name: str, value: Followed | ArrayLike, dimensions: int) -> Followed | Point:
    """Return a point, or an object with ``drawn_position(alpha)``."""
    if _is_followed(value):
        return value
    if isinstance(value, str | bytes) or not hasattr(value, "__len__"):
        raise wrong_type(
            name, f"a sprite, an instance, a node or a point of {dimensions} numbers", value
        )
    return _point(name, value, dimensions)


def _is_followed(value: object) -> TypeGuard[Followed]:
    return callable(getattr(value, "drawn_position", None)) and not isinstance(value, type)


def _point(name: str, value: ArrayLike | Followed, dimensions: int) -> Point:
    axes: list[float] = vector(name, value, dimensions).tolist()
    return tuple(axes)


class Emitter(Sealed):
    """Particles come from it at a ``rate``, until `remove`. Made by ``particles.emitter(…)``, never
    directly.

    What was born by a time is ``rate`` × that time, to the particle: birth k is due k / rate
    seconds after the emitter began, in exact numbers. Between two ticks the target is where it is
    drawn, and so are the births.
    """

    __slots__ = (
        *(
            "__weakref__",
            "_angle",
            "_before",
            "_inherit",
            "_offset",
            "_on",
            "_owed",
            "_rate",
            "_source",
            "_spray",
        ),
        "_target",
    )

    _on: bool
    on = Setting(flag, "Whether any are born. While it is off, no time passes for it.")

    def __init__(
        self,
        source: Source,
        target: Followed | ArrayLike,
        rate: float,
        spray: Spray,
        *,
        offset: ArrayLike | None,
        inherit: float,
        on: bool,
    ) -> None:
        self._source: Source | None = source
        self._spray = spray
        self._target = checked_target("target", target, spray.dimensions)
        self._rate = checked_rate("rate", rate)
        self._inherit = number("inherit", inherit)
        self._offset = None if offset is None else _point("offset", offset, spray.dimensions)
        self.on = on
        self._owed = Fraction(0)  # of the next birth, how much is due
        # Its position a tick ago, if it stands at a point.
        self._before = self._target if isinstance(self._target, tuple) else None
        self._angle: float | None = None  # in the plane, a tick ago

    @property
    def rate(self) -> float:
        """Births a simulated second."""
        return float(self._rate)

    @rate.setter
    def rate(self, value: float) -> None:
        self._rate = checked_rate("rate", value)

    @property
    def position(self) -> tuple[float, ...]:
        """Where it is now. One that stands at a point may be set elsewhere: births come along the
        way there.
        """
        target = self._target
        return target if isinstance(target, tuple) else _position_of(target, 1.0)

    @position.setter
    def position(self, value: ArrayLike) -> None:
        if not isinstance(self._target, tuple):
            raise ValueError(
                "position: this emitter follows a target; move that, or set emitter.target"
            )
        self._target = _point("position", value, self._spray.dimensions)

    @property
    def target(self) -> Followed | Point:
        """What it follows; another may be set, at whose place births go on at once."""
        return self._target

    @target.setter
    def target(self, value: Followed | ArrayLike) -> None:
        self._target = checked_target("target", value, self._spray.dimensions)
        self.teleport()

    def teleport(self) -> None:
        """What was set in this tick is no way that it went: births come from where it is now."""
        self._before = self._target if isinstance(self._target, tuple) else None
        self._angle = None

    def change(self, **options: Any) -> None:
        """Other options for what is born from now on, as of `ParticleSystem.emit`:
        ``emitter.change(speed=90)``.
        """
        self._spray = self._spray.changed(options)

    @property
    def removed(self) -> bool:
        """Whether it is no more: `remove` was called, or its target was removed."""
        return self._source is None

    def remove(self) -> None:
        """No more births. What was born lives on. A second time does nothing."""
        self._source = None

    # -- driven by the simulation ------------------------------------------------------------------

    def _captured(self) -> SavedEmitter:
        point = self._target if isinstance(self._target, tuple) else None
        return str(self._owed), self.on, str(self._rate), point, self._angle

    def _put_back(self, saved: SavedEmitter) -> None:
        owed, on, rate, point, angle = saved
        self._owed, self.on, self._rate = exactly(owed) % 1, on, checked_rate("rate", exactly(rate))
        if point is not None and isinstance(self._target, tuple):
            self.target = point
        self._angle = None if angle is None else number("angle", angle)

    def _prewarmed(self, seconds: float) -> Litter | None:
        span = decimal(number("warm", seconds, least=0, most=LONGEST))
        total = int(self._rate * span)
        return self._litter(total, -span, span, still=True) if total else None

    def _litter_of_tick(self) -> Litter | None:
        if getattr(self._target, "removed", False):
            self.remove()
        if self._source is None:
            return None
        length, litter = self._source.births.length, None
        if self.on and length:
            owed, self._owed = self._owed, self._owed + self._rate * length
            total = int(self._owed)
            self._owed -= total
            if total:
                litter = self._litter(total, -owed / self._rate, length)
        if self._before is not None and isinstance(self._target, tuple):
            self._before = self._target
        if self._spray.dimensions == 2 and not isinstance(self._target, tuple):
            self._angle = _angle_of(self._target)
        return litter

    def _litter(
        self, total: int, since: Fraction, length: Fraction, still: bool = False
    ) -> Litter | None:
        """``total`` that are born: the first a whole interval after ``since``, in seconds from the
        tick's beginning.
        """
        assert self._source is not None
        births = self._source.births
        numbers = np.arange(max(0, total - births.capacity), total) + 1
        moments = float(since) + numbers / float(self._rate)
        shares = np.zeros(len(moments)) if still else np.minimum(moments / float(length), 1.0)
        ends, places = self._path(shares)
        if not np.isfinite(places).all():
            return None
        turns = self._turns(shares)
        if self._offset is not None:
            places = places + turned(np.tile(self._offset, (len(places), 1)), turns)
        velocity = None
        if self._inherit and not still:
            displacement: Doubles = ends[1] - ends[0]
            velocity = np.broadcast_to(displacement * (self._inherit / float(length)), places.shape)
        return Litter(self._spray, places, moments, total, turns, velocity)

    def _path(self, shares: Doubles) -> tuple[Doubles, Doubles]:
        """Where it is at the tick's ends (2, dimensions), which are right where `inherit` asks for
        them; and at shares of the tick (n, dimensions)."""
        target = self._target
        if isinstance(target, tuple):
            ends: Doubles = np.array([self._before, target])
            places: Doubles = ends[0] + (ends[1] - ends[0]) * shares[:, None]
            return ends, places
        at = _SHARES[self._asked(shares)]
        moments: list[float] = at.tolist()
        known = np.array([target.drawn_position(share) for share in moments], np.float64)
        known = known[:, : self._spray.dimensions]
        axes: list[Doubles] = [np.interp(shares, at, along) for along in known.T]
        return known[[0, -1]], np.column_stack(axes)

    def _asked(self, shares: Doubles) -> list[int]:
        """Which of `_SHARES` to ask for: those next to what is born, and both ends where they say
        how fast it goes.
        """
        parts: list[float] = (shares * (len(_SHARES) - 1)).tolist()
        before = {int(part) for part in parts}
        after = {min(number + 1, len(_SHARES) - 1) for number in before}
        return sorted(before | after | ({0, len(_SHARES) - 1} if self._inherit else set()))

    def _turns(self, shares: Doubles) -> Doubles | None:
        """How it is turned then: angles in the plane, quaternions in space; None for a point."""
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


def litter_of_tick(emitter: Emitter) -> Litter | None:
    """Return the births of the tick that ends, or None if there are none."""
    return emitter._litter_of_tick()


def prewarmed(emitter: Emitter, seconds: float) -> Litter | None:
    """Return the births of the last ``seconds``, all at its place, or None if there are none."""
    return emitter._prewarmed(seconds)


def captured(emitter: Emitter) -> SavedEmitter:
    """Return what a save has of an emitter.

    These are the share of the next birth that is due, whether it is on, its rate, its position if
    it stands at a point, and its angle.
    """
    return emitter._captured()


def put_back(emitter: Emitter, saved: SavedEmitter) -> None:
    """Restore what `captured` returned. Raises `ValueError` if it does not fit."""
    emitter._put_back(saved)


def _position_of(target: Followed, alpha: float) -> Point:
    return tuple(target.drawn_position(alpha))  # type: ignore[arg-type]  # one of a place


def _angle_of(target: Followed) -> float:
    """Return the angle of a target in the plane now, in radians."""
    if hasattr(target, "drawn_matrix"):
        matrix: Doubles = target.drawn_matrix(1.0)
        return float(exact.functions().arctan2(float(matrix[0, 1]), float(matrix[0, 0])))
    return float(getattr(target, "angle", 0.0))
