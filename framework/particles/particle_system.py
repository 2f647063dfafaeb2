"""Particles without pictures: what the plane and space have in common, births, flights and
emitters.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from itertools import groupby
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Doubles, Floats
from ..checks import (
    Sealed,
    Setting,
    choice,
    flag,
    items,
    ndim,
    number,
    pair,
    vector,
    vectors,
    whole,
)
from ..geometry.curves import colors_of, numbers_of
from .births import UNITS, Births
from .emitters import Emitter, Litter, joined
from .flights import Flight, alive
from .sprays import Spray

MOST = 1 << 22
"""Particles of one system: with more, the buffers would be larger than drivers give."""

# Options of constructors: what all particles have in common, what each is born with, and what of
# that may be None.
_OF_ALL = ("gravity", "drag", "noise", "size", "color", "tumble", "align")
_OF_EACH = ("life", "speed", "scale", "angle", "spin")
_OPTIONAL = ("direction", "spread", "velocity", "area", "tint")

_FASTEST = 1e6  # of drag and noise: beyond, float32 has nothing to tell
_MOST_AT_ONCE = (1 << 31) - 1  # particles that are born, whose numbers are int32


class ParticleSystem(Sealed):
    """The base of `Particles` and `Particles3D`, which say what their options are."""

    __slots__ = ("_blend", "_emitters", "_flight", "_spray", "_time_scale", "births")

    dimensions: ClassVar[int]
    blends: ClassVar[tuple[str, ...]]
    """The names of the blend modes that there are."""
    saved = ("_held",)
    births: Births
    """The rows, and the clock by which they age."""
    time_scale = Setting(
        partial(number, least=0, most=_FASTEST),
        "How much faster than the scene's their time goes by, from the next tick on: 0 "
        "stands still, 1 unless set.",
    )

    def _set_up(self, options: Mapping[str, Any]) -> None:
        """Have the options of a constructor checked, and kept; those that are not of all particles
        are left alone.
        """
        self.time_scale = 1.0
        self._blend = choice("blend", options["blend"], self.blends)
        self._flight = self._flight_of(*[options[name] for name in _OF_ALL])
        zero = (0.0,) * self.dimensions
        up = (math.pi / 2,) if self.dimensions == 2 else (0.0, 1.0, 0.0)
        known = Spray(
            self.dimensions,
            whole("seed", options["seed"], 0),
            up,
            math.pi,
            (0, 0),
            zero,
            zero,
            (1, 1),
            (1, 1),
            (0, 0),
            (0, 0),
            ((1.0, 1.0, 1.0, 1.0),),
        )
        told = [name for name in _OPTIONAL if options[name] is not None]
        self._spray = known.changed({name: options[name] for name in (*_OF_EACH, *told)})
        self.births = Births(self.dimensions, whole("capacity", options["capacity"], 1, MOST))
        self._emitters: list[Emitter] = []

    def _flight_of(
        self, gravity: Any, drag: Any, noise: Any, size: Any, color: Any, tumble: Any, align: Any
    ) -> Flight:
        pull = np.zeros(3, np.float32)
        if gravity is not None:
            pull[: self.dimensions] = vector("gravity", gravity, self.dimensions)
        amount, pace = pair("noise", noise) if ndim(noise) else (number("noise", noise), 1.0)
        return Flight(
            gravity=pull,
            drag=number("drag", drag, least=0, most=_FASTEST),
            noise=(amount, number("noise", pace, least=0, most=_FASTEST)),
            sizes=numbers_of("size", size, least=0),
            colors=colors_of("color", color, as_light=self.dimensions == 3),
            tumble=number("tumble", tumble, least=0, most=_FASTEST),
            align=flag("align", align),
        )

    # -- births ------------------------------------------------------------------------------------

    def emit(self, count: int = 1, position: ArrayLike | None = None, **options: Any) -> None:
        """``count`` particles at once, at ``position`` (dimensions,), or at a place each: (count,
        dimensions).

        They are there from the next frame on, as rows that are spawned. ``options`` are others than
        the system's for these alone: ``direction``, ``spread``, ``speed``, ``velocity``, ``area``,
        ``life``, ``scale``, ``angle``, ``spin``, ``tint``; and ``delay``, simulated seconds from
        now, a number or (count,) of them.

        Raises `TypeError` or `ValueError` that names what does not fit; then nothing was born.
        """
        count = whole("count", count, 0, _MOST_AT_ONCE)
        delay = options.pop("delay", 0.0)
        spray = self._spray.changed(options)
        places = vectors(
            "position", np.zeros(self.dimensions) if position is None else position, self.dimensions
        )
        if len(places) not in (1, count):
            raise ValueError(
                f"position: expected one place, or one for each of {count}, got {len(places)}"
            )
        made = min(count, self.births.capacity)
        if len(places) > 1:
            places = places[count - made :]
        moments = np.broadcast_to(_delays(delay, count)[-made:] if made else np.zeros(0), (made,))
        self.give_birth(spray, np.broadcast_to(places, (made, self.dimensions)), moments, count)

    def emitter(
        self,
        target: Any,
        rate: float,
        *,
        offset: ArrayLike | None = None,
        inherit: float = 0.0,
        warm: float = 0.0,
        on: bool = True,
        **options: Any,
    ) -> Emitter:
        """Particles that come from ``target`` at a ``rate`` a simulated second, until the emitter
        is removed.

        Parameters
        ----------
        target
            A sprite, an instance, a node, anything else with ``drawn_position(alpha)``, or a point.
            Births come along the way that it is drawn on, at even moments, also within a tick.
        rate
            0 and more; a number as it is written, in exact arithmetic.
        offset
            From the target, turned as it is. So is the ``direction``.
        inherit
            How much of the target's velocity they take along: 1 all, -1 as much backwards.
        warm
            Simulated seconds that it is to have run for already: snow that does not begin at the
            first tick.
        on
            Whether any are born.
        options
            As of `emit`.
        """
        emitter = Emitter(
            self, target, rate, self._spray.changed(options), offset=offset, inherit=inherit, on=on
        )
        begun = emitter.warm(warm)
        if begun is not None:
            self.give_birth(*begun)
        self._emitters.append(emitter)
        return emitter

    def give_birth(
        self,
        spray: Spray,
        places: Doubles,
        moments: Doubles,
        total: int,
        turns: Doubles | None = None,
        velocity: Doubles | None = None,
    ) -> None:
        """Let particles be born at ``places`` (n, dimensions), ``moments`` (n,) seconds after the
        tick's beginning: the last n of a ``total``, of which there is no room for the others."""
        births, count = self.births, len(places)
        rows = spray.rows(births.type, births.count + total - count, count, turns)
        rows["place"] += places
        if velocity is not None:
            rows["velocity"] += velocity
        rows["born"] = np.rint(np.asarray(moments) * UNITS).astype(np.int64).astype(np.uint32)
        births.add(rows, total - count)

    def clear(self) -> None:
        """Take out all that are alive. Emitters go on."""
        self.births.clear()

    @property
    def capacity(self) -> int:
        """The most that there can be; one more replaces the oldest."""
        return self.births.capacity

    def __len__(self) -> int:
        """Those that are alive now."""
        rows = self.births.rows()
        return int(np.count_nonzero(alive(rows, self.births.ages(rows, 1.0))))

    # -- where they are ----------------------------------------------------------------------------

    def pose(self, alpha: float) -> tuple[Floats, Floats, Floats, Floats]:
        """Of those that are seen at ``alpha``, in the order of their births: where they are (n,
        dimensions), in space float64; the size of the longer side (n,); the angle (n,), radians;
        the colour (n, 4), straight alpha.

        The numbers that the shader computes. In space, what comes of ``align`` is the camera's, and
        left out.
        """
        alpha = number("alpha", alpha)
        rows = self.births.rows()
        age = self.births.ages(rows, alpha)
        seen = alive(rows, age)
        rows, age, flight = rows[seen], age[seen], self._flight
        place = rows["place"] + flight.moved(rows, age)
        return place, flight.size(rows, age), flight.angle(rows, age), flight.color(rows, age)

    @property
    def _held(self) -> tuple[Any, ...]:
        """What a save has of it. Emitters are known by their order."""
        return (
            self.births.captured(),
            float(self.time_scale),
            tuple(one.captured() for one in self._emitters),
        )

    @_held.setter
    def _held(self, held: tuple[Any, ...]) -> None:
        births, self.time_scale, emitters = held
        self.births.put_back(births)
        for emitter, saved in zip(self._emitters, emitters, strict=False):
            emitter.put_back(saved)
        self.after_restore()

    def after_restore(self) -> None:
        """The births are others now."""

    # -- ticks -------------------------------------------------------------------------------------

    def begin_tick(self, dt: float) -> None:
        """A tick of ``dt`` simulated seconds begins; 0 in a scene that is paused by one above
        it.
        """
        self.births.begin_tick(dt, self.time_scale)

    def end_tick(self) -> None:
        """The tick is over: emitters do their part of it."""
        if not self._emitters:
            return
        litters = [
            litter for emitter in self._emitters if (litter := emitter.end_tick()) is not None
        ]
        for _, alike in groupby(
            litters, Litter.kind
        ):  # as one: a hundred emitters take little longer than a few
            self.give_birth(*joined([*alike]))
        if any(emitter.removed for emitter in self._emitters):
            self._emitters = [emitter for emitter in self._emitters if not emitter.removed]

    def middle(self) -> Doubles | None:
        """Where the newest were born, more or less; None where there are none."""
        if not self.births.blocks:
            return None
        newest = self.births.blocks[-1].words.view(self.births.type)["place"]
        middle: Doubles = newest.reshape(-1, self.dimensions).mean(axis=0, dtype=np.float64)
        return middle


def _delays(value: Any, count: int) -> Doubles:
    """Seconds of at least 0: (count,)."""
    if not ndim(value):
        return np.broadcast_to(number("delay", value, least=0, most=1000.0), (count,))
    given = items("delay", value)
    if len(given) != count:
        raise ValueError(f"delay: expected {count}, one for each, got {len(given)}")
    return np.array([number("delay", one, least=0, most=1000.0) for one in given])
