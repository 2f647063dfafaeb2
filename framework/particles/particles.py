"""2D particles: fire, smoke, sparks and rain, up to hundreds of thousands of them."""

from __future__ import annotations

__all__ = ["Particles"]

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..assets.images import ImageSource
from ..checks import choice
from ..geometry.curves import Curve
from ..gpu.graphics import BLEND_MODES
from ..moved_names import renamed_options
from ..other_options import other_options
from ..state.backend import Frontend
from .particle_motion import ParticleMotion
from .particle_presets import Presets, checked_images
from .particle_simulation import ParticleSimulation
from .particle_system import RENAMED, SYSTEM_SLOTS, ParticleSystem


class ParticleLook(NamedTuple):
    """The images and drawing options of `Particles`."""

    images: list[ImageSource]
    blend: str
    filter: str


class ParticleParts(NamedTuple):
    """The simulation, motion options and images of `Particles`, for the drawing backend."""

    simulation: ParticleSimulation
    flight: ParticleMotion
    look: ParticleLook


class Particles(ParticleSystem, Presets, Frontend):
    """A 2D particle system: many images with a short lifetime, whose motion is computed by
    formulas.

        self.add(fw.Particles("puff.png", lifetime=(0.8, 1.4)))

    The vertex shader computes a particle's position, size, angle and color from the values at its
    birth and its age. The motion is therefore exact at every frame rate and in slow motion. A tick
    computes nothing for living particles, and uploads only new particles. Particles are drawn in
    the order of their births. If as many particles as ``capacity`` are alive, each new particle
    replaces the oldest particle.

    Parameters
    ----------
    image
        A path, a PIL image, an array, a `Region`, or a list of up to 16 of these. Every particle
        gets one image of the list. The default image is a soft round spot.
    capacity
        The maximum number of particles at once, up to 4 million.
    lifetime, speed, scale, angle, angular_velocity
        A number, or a pair (lowest, highest) between which each particle gets a random number.
        ``lifetime`` is the lifetime in seconds, up to 1,000. ``speed`` is the speed at birth in
        units per second. ``scale`` multiplies the ``size`` of the particle. ``angle`` is the angle
        at birth in radians, and ``angular_velocity`` is in radians per second, both
        counter-clockwise.
    direction, spread
        Direction of flight in radians counter-clockwise from the x axis, and the largest deviation
        to both sides. By default particles fly in all directions.
    velocity
        A velocity (x, y) in units per second, which is added to the velocity from ``speed`` and
        ``direction``.
    emission_size
        Width and height of the box around the emitter in which particles are born.
    gravity
        The acceleration (x, y) of all particles in units per second squared.
    damping
        How fast particles lose their velocity, in 1/s: v' = gravity - damping · v. Default: 0.
    noise
        The distance in units by which particles sway to both sides of their path. Pass (distance,
        swings per second) to set the speed of swaying, too. Default: 0.
    size
        The length of the longer side in units: a number, or a `Curve` over the lifetime.
    color
        A color in sRGB that multiplies the image, or a `Curve` of colors.
    tint
        A color that multiplies ``color``, or a list of colors: each particle gets one color of the
        list.
    tumble
        The number of turns per second around the particle's own vertical axis. Confetti that
        tumbles looks wide and thin by turns.
    align
        Whether angles are relative to the direction of flight, so that particles point forward.
    blend, filter
        The options of `SpriteBatch` with these names.
    seed
        The seed of all random numbers of the system. Random numbers depend only on the seed and on
        the index of the particle, so every run spawns the same particles.

    Raises `TypeError` or `ValueError` for an invalid option. The error message names the option.
    """

    __slots__ = SYSTEM_SLOTS

    _dimensions = 2
    _backend_in = "framework.particles.particle_drawing"

    _look: ParticleLook

    @renamed_options("Particles", **RENAMED)
    @other_options(
        **dict.fromkeys(
            ("amount", "count", "one_shot", "emitting", "rate", "position", "explosiveness"),
            "write particles.emit(20, position=(x, y)), or particles.emitter((x, y), rate=60)",
        ),
    )
    def __init__(
        self,
        image: ImageSource | Sequence[ImageSource] | None = None,
        capacity: int = 10_000,
        *,
        lifetime: float | tuple[float, float] = 1.0,
        speed: float | tuple[float, float] = 0.0,
        direction: float | None = None,
        spread: float | None = None,
        velocity: tuple[float, float] | None = None,
        emission_size: tuple[float, float] | None = None,
        gravity: tuple[float, float] | None = None,
        damping: float = 0.0,
        noise: float | tuple[float, float] = 0.0,
        size: float | Curve = 16.0,
        color: str | Sequence[float] | Curve = "#ffff",
        tint: str | Sequence[Any] | None = None,
        scale: float | tuple[float, float] = 1.0,
        angle: float | tuple[float, float] = 0.0,
        angular_velocity: float | tuple[float, float] = 0.0,
        tumble: float = 0.0,
        align: bool = False,
        blend: str = "alpha",
        filter: str = "linear",
        seed: int = 0,
    ) -> None:
        self._backend = None
        self._look = ParticleLook(
            checked_images(image),
            choice("blend", blend, BLEND_MODES),
            choice("filter", filter, ("linear", "nearest")),
        )
        self._set_up(locals())

    def _parts(self) -> ParticleParts:
        return ParticleParts(self._simulation, self._flight, self._look)
