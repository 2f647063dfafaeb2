"""The base class of `Particles` and `Particles3D`, with the methods `emit` and `emitter`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar
from weakref import WeakSet

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
from ..geometry.pairwise import one_row
from ..moved_names import OPTIONS, check_options
from ..other_engines.other_options import other_options
from ..other_engines.particle_names import particle_system_names
from .emitters import Emitter, MovingTarget, SavedEmitter, prewarmed
from .particle_motion import ParticleMotion, alive
from .particle_rows import ParticleRows, SavedBirths
from .particle_simulation import ParticleSimulation
from .spawn_options import SpawnOptions

MAX_PARTICLES = 1 << 22
"""The maximum number of particles in one system. It is limited, because drivers limit the size of
buffers.
"""

# Options of constructors: first the options for all particles of a system, then the options for
# each new particle. The second group has the default None.
_OF_ALL = ("gravity", "damping", "noise", "size", "color", "tumble", "align")
_OF_EACH = ("lifetime", "speed", "scale", "angle", "angular_velocity")
_OPTIONAL = ("direction", "spread", "velocity", "emission_size", "tint")

# Options that had a different name in earlier versions.
_RENAMED_AT_BIRTH = {"life": "lifetime", "area": "emission_size", "spin": "angular_velocity"}
RENAMED = {**_RENAMED_AT_BIRTH, "drag": "damping"}
OPTIONS["Emitter.change"] = _RENAMED_AT_BIRTH
OPTIONS["ParticleSystem.emit"] = _RENAMED_AT_BIRTH
OPTIONS["ParticleSystem.emitter"] = {**_RENAMED_AT_BIRTH, "warm": "prewarm", "on": "emitting"}

# The maximum of damping and noise, because larger values are not precise in float32.
_MAX_RATE = 1e6
# The maximum number of particles that one call of `emit` spawns, because `emit` counts in int32.
_MAX_AT_ONCE = (1 << 31) - 1


_Saved = tuple[SavedBirths, float, tuple[SavedEmitter, ...]]

SYSTEM_SLOTS = ("_flight", "_look", "_simulation", "_spray", "_time_scale")
"""The ``__slots__`` of `Particles` and `Particles3D`. `ParticleSystem` itself has empty
``__slots__``.
"""


_warned: WeakSet[Any] = WeakSet()  # systems for which `emit` has already logged a warning


@particle_system_names
class ParticleSystem(Sealed):
    """The base class of `Particles` and `Particles3D`, which explain the options."""

    __slots__ = ()

    _transient_attributes: ClassVar[Any] = ("_look",)

    _dimensions: ClassVar[int]
    _simulation: ParticleSimulation
    _flight: ParticleMotion
    _spray: SpawnOptions
    saved = ("_held",)
    time_scale = Setting(
        partial(number, least=0, most=_MAX_RATE),
        "The speed of the particles' clock relative to the clock of the scene. 0 pauses the "
        "particles. A new value applies from the next tick. Default: 1.",
    )

    def _set_up(self, options: Mapping[str, object]) -> None:
        """Check and store the options that 2D and 3D particle systems share."""
        self.time_scale = 1.0
        self._flight = self._flight_of(*[options[name] for name in _OF_ALL])
        zero = (0.0,) * self._dimensions
        up = (math.pi / 2,) if self._dimensions == 2 else (0.0, 1.0, 0.0)
        defaults = SpawnOptions(
            self._dimensions,
            whole("seed", options["seed"], 0),
            direction=up,
            spread=math.pi,
            speed=(0, 0),
            velocity=zero,
            emission_size=zero,
            lifetime=(1, 1),
            scale=(1, 1),
            angle=(0, 0),
            angular_velocity=(0, 0),
            tint=((1.0, 1.0, 1.0, 1.0),),
        )
        present = [name for name in _OPTIONAL if options[name] is not None]
        self._spray = defaults.changed({name: options[name] for name in (*_OF_EACH, *present)})
        capacity = whole("capacity", options["capacity"], 1, MAX_PARTICLES)
        self._simulation = ParticleSimulation(ParticleRows(self._dimensions, capacity))

    def _flight_of(
        self,
        gravity: object,
        damping: object,
        noise: object,
        size: object,
        color: object,
        tumble: object,
        align: object,
    ) -> ParticleMotion:
        acceleration = np.zeros(3, np.float32)
        if gravity is not None:
            acceleration[: self._dimensions] = vector("gravity", gravity, self._dimensions)
        distance, frequency = pair("noise", noise) if ndim(noise) else (number("noise", noise), 1.0)
        return ParticleMotion(
            gravity=acceleration,
            damping=number("damping", damping, least=0, most=_MAX_RATE),
            noise=(distance, number("noise", frequency, least=0, most=_MAX_RATE)),
            sizes=numbers_of("size", size, least=0),
            colors=colors_of("color", color, as_light=self._dimensions == 3),
            tumble=number("tumble", tumble, least=0, most=_MAX_RATE),
            align=flag("align", align),
        )

    # -- births ------------------------------------------------------------------------------------

    def emit(self, count: int = 1, position: ArrayLike | None = None, **options: Any) -> None:
        """Spawn ``count`` particles together, for example for an explosion.

        ``position`` is one position, or an array with one position per particle. If ``position`` is
        an array, its shape must be (count, 2) or (count, 3). ``position`` defaults to the origin,
        but a 2D system warns once if you omit it. The new particles are visible in the next frame.
        Other keywords replace options of the system for the new particles: ``direction``,
        ``spread``, ``speed``, ``velocity``, ``emission_size``, ``lifetime``, ``scale``, ``angle``,
        ``angular_velocity`` and ``tint``. ``delay`` is the time from the call to the birth of a
        particle, in simulated seconds. Pass one ``delay`` for all particles, or ``count`` numbers.

        If an option is invalid, `emit` raises `TypeError` or `ValueError` with the name of the
        option, and spawns no particle.
        """
        check_options("ParticleSystem.emit", options)
        count = whole("count", count, 0, _MAX_AT_ONCE)
        delay = options.pop("delay", 0.0)
        spray = self._spray.changed(options)
        positions = self._positions_of(position)
        if len(positions) not in (1, count):
            raise ValueError(f"position: expected one position, or {count}, got {len(positions)}")
        new_count = min(count, self.capacity)
        if len(positions) > 1:
            positions = positions[count - new_count :]
        moments = _delays(delay, count, new_count)
        if position is None and self._dimensions == 2 and self not in _warned:
            _warned.add(self)
            warnings.warn(
                "emit: no position, so the particles are born at (0, 0); write "
                "emit(count, position=(x, y)), or position=(0, 0) if the origin is meant",
                RuntimeWarning,
                stacklevel=2,
            )
        self._simulation.spawn(spray, positions, moments, count, born=new_count)

    def _positions_of(self, position: ArrayLike | None) -> Doubles | list[tuple[float, ...]]:
        """Return the argument ``position`` of `emit` as rows. The default is the origin."""
        if position is None:
            position = np.zeros(self._dimensions)
        else:
            point = one_row(position, self._dimensions)
            if point is not None and math.isfinite(sum(point)):
                return [point]
        return vectors("position", position, self._dimensions)

    @other_options(_="write particles.emitter((x, y), rate=60)")
    def emitter(
        self,
        target: MovingTarget | ArrayLike,
        rate: float,
        *,
        offset: ArrayLike | None = None,
        inherit: float = 0.0,
        prewarm: float = 0.0,
        emitting: bool = True,
        **options: Any,
    ) -> Emitter:
        """Add an emitter and return it. The emitter spawns particles at ``target`` until you remove
        the emitter or the target.

        Parameters
        ----------
        target
            A sprite, an instance, a node, any other object with ``drawn_position(alpha)``, or a
            point. Particles are born at regular times, even between two ticks, along the path of
            the target.
        rate
            The number of new particles per simulated second, at least 0.
        offset
            The position at which particles are born, relative to the target. ``offset`` and
            ``direction`` rotate with the target.
        inherit
            The fraction of the target's velocity that is added to the velocity of new particles. 1
            adds the complete velocity, and -1 adds the opposite velocity. The default is 0.
        prewarm
            The time in simulated seconds for which the emitter seems to have run already when it
            starts. For example, with ``prewarm=10``, snow is already falling in the first tick. The
            default is 0.
        emitting
            Whether the emitter spawns particles. The default is True.
        options
            Options of `emit` that replace those of the system, except for ``delay``.
        """
        check_options("ParticleSystem.emitter", options)
        simulation = self._simulation
        spray = self._spray.changed(options)
        emitter = Emitter(
            simulation, target, rate, spray, offset=offset, inherit=inherit, emitting=emitting
        )
        first_births = prewarmed(emitter, prewarm)
        if first_births is not None:
            simulation.spawn(*first_births)
        simulation.emitters.append(emitter)
        return emitter

    def clear(self) -> None:
        """Remove all particles of the system. Emitters continue to spawn particles."""
        self._simulation.births.clear()

    @property
    def capacity(self) -> int:
        """The maximum number of particles that exist at the same time.

        When this many particles exist, each new particle replaces the oldest one.
        """
        return self._simulation.births.capacity

    def __len__(self) -> int:
        """Return the number of particles that are alive now."""
        births = self._simulation.births
        rows = births.rows()
        return int(np.count_nonzero(alive(rows, births.ages(rows, 1.0))))

    # -- poses -------------------------------------------------------------------------------------

    def pose(self, alpha: float) -> tuple[Floats, Floats, Floats, Floats]:
        """Return four arrays with the positions, sizes, angles and colors of all visible particles.
        ``alpha`` is the interpolation factor between two ticks, from 0 to 1. The particles are in
        the order of their births.

        Positions are in units. Their array has the shape (n, 2) in 2D. In 3D, it is float64 and has
        the shape (n, 3). A size is the longer side in units, an angle is in radians, and a color
        has straight alpha. Their arrays have the shapes (n,), (n,) and (n, 4). The shader computes
        the same numbers as `pose`. In 3D, the angles do not include ``align``, because ``align``
        depends on the camera.
        """
        alpha = number("alpha", alpha)
        births = self._simulation.births
        rows = births.rows()
        age = births.ages(rows, alpha)
        visible = alive(rows, age)
        rows = rows[visible]
        age = age[visible]
        flight = self._flight
        position = rows["position"] + flight.moved(rows, age)
        return position, flight.size(rows, age), flight.angle(rows, age), flight.color(rows, age)

    @property
    def _held(self) -> _Saved:
        """The particles, their clock and the states of emitters, for a save."""
        births, emitters = self._simulation.capture()
        return births, float(self.time_scale), emitters

    @_held.setter
    def _held(self, state: _Saved) -> None:
        births, self.time_scale, emitters = state
        self._simulation.restore(births, emitters)


def simulation_of(system: ParticleSystem) -> ParticleSimulation:
    """Return the `ParticleSimulation` of a particle system."""
    return system._simulation


def _delays(value: object, count: int, last: int) -> Doubles | float:
    """Check the option ``delay`` of ``count`` particles. Return a delay in seconds, from 0 to 1000,
    for each of the ``last`` newest particles. If ``delay`` is a single number, return it.
    """
    if type(value) is float or not ndim(value):
        return number("delay", value, least=0, most=1000.0)
    values: list[object] = items("delay", value)
    if len(values) != count:
        raise ValueError(f"delay: expected {count} numbers, got {len(values)}")
    delays = [number("delay", delay, least=0, most=1000.0) for delay in values]
    return np.array(delays[count - last :], np.float64)
