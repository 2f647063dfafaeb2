"""Particle systems: the options, births and emitters that those in the plane and in space share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Doubles, Floats
from ..checks import (
    Sealed,
    Setting,
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
from .births import Births, SavedBirths
from .emitters import Emitter, Followed, SavedEmitter, prewarmed
from .flights import Flight, alive
from .particle_simulation import ParticleSimulation
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


_Held = tuple[SavedBirths, float, tuple[SavedEmitter, ...]]

SYSTEM_SLOTS = ("_flight", "_look", "_simulation", "_spray", "_time_scale")
"""The slots of particle systems, for the classes that derive from `ParticleSystem`."""


class ParticleSystem(Sealed):
    """The base of `Particles` and `Particles3D`, which list their options."""

    __slots__ = ()

    _transient_attributes: ClassVar[Any] = ("_look",)

    _dimensions: ClassVar[int]
    _simulation: ParticleSimulation
    _flight: Flight
    _spray: Spray
    saved = ("_held",)
    time_scale = Setting(
        partial(number, least=0, most=_FASTEST),
        "How much faster than the scene's their time goes by, from the next tick on: 0 "
        "stands still, 1 unless set.",
    )

    def _set_up(self, options: Mapping[str, object]) -> None:
        """Check and keep the options of a constructor that all particle systems have."""
        self.time_scale = 1.0
        self._flight = self._flight_of(*[options[name] for name in _OF_ALL])
        zero = (0.0,) * self._dimensions
        up = (math.pi / 2,) if self._dimensions == 2 else (0.0, 1.0, 0.0)
        known = Spray(
            self._dimensions,
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
        capacity = whole("capacity", options["capacity"], 1, MOST)
        self._simulation = ParticleSimulation(Births(self._dimensions, capacity))

    def _flight_of(
        self,
        gravity: object,
        drag: object,
        noise: object,
        size: object,
        color: object,
        tumble: object,
        align: object,
    ) -> Flight:
        pull = np.zeros(3, np.float32)
        if gravity is not None:
            pull[: self._dimensions] = vector("gravity", gravity, self._dimensions)
        amount, pace = pair("noise", noise) if ndim(noise) else (number("noise", noise), 1.0)
        return Flight(
            gravity=pull,
            drag=number("drag", drag, least=0, most=_FASTEST),
            noise=(amount, number("noise", pace, least=0, most=_FASTEST)),
            sizes=numbers_of("size", size, least=0),
            colors=colors_of("color", color, as_light=self._dimensions == 3),
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
            "position",
            np.zeros(self._dimensions) if position is None else position,
            self._dimensions,
        )
        if len(places) not in (1, count):
            raise ValueError(
                f"position: expected one place, or one for each of {count}, got {len(places)}"
            )
        made = min(count, self.capacity)
        if len(places) > 1:
            places = places[count - made :]
        moments = np.broadcast_to(_delays(delay, count)[-made:] if made else np.zeros(0), (made,))
        made_at = np.broadcast_to(places, (made, self._dimensions))
        self._simulation.give_birth(spray, made_at, moments, count)

    def emitter(
        self,
        target: Followed | ArrayLike,
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
        simulation, spray = self._simulation, self._spray.changed(options)
        emitter = Emitter(simulation, target, rate, spray, offset=offset, inherit=inherit, on=on)
        begun = prewarmed(emitter, warm)
        if begun is not None:
            simulation.give_birth(*begun)
        simulation.emitters.append(emitter)
        return emitter

    def clear(self) -> None:
        """Take out all that are alive. Emitters go on."""
        self._simulation.births.clear()

    @property
    def capacity(self) -> int:
        """The most that there can be; one more replaces the oldest."""
        return self._simulation.births.capacity

    def __len__(self) -> int:
        """Those that are alive now."""
        births = self._simulation.births
        rows = births.rows()
        return int(np.count_nonzero(alive(rows, births.ages(rows, 1.0))))

    # -- where they are ----------------------------------------------------------------------------

    def pose(self, alpha: float) -> tuple[Floats, Floats, Floats, Floats]:
        """Of those that are seen at ``alpha``, in the order of their births: where they are (n,
        dimensions), in space float64; the size of the longer side (n,); the angle (n,), radians;
        the colour (n, 4), straight alpha.

        The numbers that the shader computes. In space, what comes of ``align`` is the camera's, and
        left out.
        """
        alpha = number("alpha", alpha)
        births = self._simulation.births
        rows = births.rows()
        age = births.ages(rows, alpha)
        seen = alive(rows, age)
        rows, age, flight = rows[seen], age[seen], self._flight
        place = rows["place"] + flight.moved(rows, age)
        return place, flight.size(rows, age), flight.angle(rows, age), flight.color(rows, age)

    @property
    def _held(self) -> _Held:
        """The state that is saved."""
        births, emitters = self._simulation.captured()
        return births, float(self.time_scale), emitters

    @_held.setter
    def _held(self, held: _Held) -> None:
        births, self.time_scale, emitters = held
        self._simulation.put_back(births, emitters)


def simulation_of(system: ParticleSystem) -> ParticleSimulation:
    """Return the births and emitters of a particle system."""
    return system._simulation


def _delays(value: object, count: int) -> Doubles:
    """Seconds of at least 0: (count,)."""
    if not ndim(value):
        return np.broadcast_to(number("delay", value, least=0, most=1000.0), (count,))
    given: list[object] = items("delay", value)
    if len(given) != count:
        raise ValueError(f"delay: expected {count}, one for each, got {len(given)}")
    return np.array([number("delay", one, least=0, most=1000.0) for one in given])
