"""2D fire, smoke, sparks and rain, with up to hundreds of thousands of particles."""

from __future__ import annotations

__all__ = ["Particles"]

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..assets.images import ImageSource
from ..checks import choice
from ..geometry.curves import Curve
from ..gpu.graphics import BLEND_MODES
from ..moved_names import renamed_options
from ..other_engines.other_options import other_options
from ..state.backend import Frontend
from .particle_motion import ParticleMotion
from .particle_presets import Presets, checked_images
from .particle_simulation import ParticleSimulation
from .particle_system import RENAMED, SYSTEM_SLOTS, ParticleSystem


class ParticleLook(NamedTuple):
    """The image and drawing options that `Particles` passes to its backend."""

    images: list[ImageSource]
    blend: str
    filter: str


class ParticleParts(NamedTuple):
    """The objects that a `Particles` system passes to its backend."""

    simulation: ParticleSimulation
    flight: ParticleMotion
    look: ParticleLook


class Particles(ParticleSystem, Presets, Frontend):
    """A 2D particle system: many small images that exist only for a short time.

        self.add(fw.Particles("puff.png", lifetime=(0.8, 1.4)))

    The vertex shader computes the position, size, angle and color of each particle from its age and
    its values at birth. Therefore the motion is exact at every frame rate and in slow motion.
    Existing particles cost no time in ticks, and only new particles are uploaded. Older particles
    are drawn before newer particles. When ``capacity`` particles exist, each new particle replaces
    the oldest one.

    Parameters
    ----------
    image
        A path, a PIL image, an array, a `Region`, or a list of up to 16 of these. From a list, each
        particle uses one image. The default is a soft round spot.
    capacity
        The maximum number of particles that exist at the same time, up to 4 million.
    lifetime, speed, scale, angle, angular_velocity
        A number, or a pair (lowest, highest). Each particle gets a random number between the lowest
        and the highest number. ``lifetime`` is in seconds, at most 1,000. ``speed`` is the speed at
        birth, in units per second. The longer side of a particle is its ``size`` multiplied by
        ``scale``. ``angle`` is the angle at birth in radians. ``angular_velocity`` is in radians
        per second. Positive angles and angular velocities are counter-clockwise.
    direction, spread
        ``direction`` is the direction of flight in radians, counter-clockwise from the x axis. Each
        particle flies in a random direction, at most ``spread`` radians to either side of
        ``direction``. By default, particles fly in all directions.
    velocity
        A velocity (x, y) in units per second that is added to the velocity from ``speed`` and
        ``direction``.
    emission_size
        The width and height of the box in which particles are born, in units. The box is centered
        on the position of the emitter, or on the position that you pass to `emit`.
    gravity
        The acceleration (x, y) of all particles, in units per second squared.
    damping
        How fast particles lose their velocity, in 1/s. The equation of motion is v' = gravity -
        damping · v. The default is 0: particles keep their velocity.
    noise
        How far a particle sways along each axis, in units, as a snowflake does. The swaying is a
        sum of sine waves whose amplitudes add up to ``noise``. A particle is born exactly on its
        path. Later, it is at most twice ``noise`` away from its path along each axis. To also set
        how often a particle sways, pass a pair (distance, swings per second). One swing goes from
        one side to the other and back. The default is 0.
    size
        The longer side of a particle in units: a number, or a `Curve` over its lifetime.
    color
        A color in sRGB by which the image is multiplied, or a `Curve` of colors over the lifetime.
    tint
        A color by which ``color`` is multiplied. From a list, each particle uses one color.
    tumble
        The number of turns per second around the particle's own vertical axis, as for confetti. The
        image becomes narrow and then wide again in each half turn.
    align
        Whether particles point in the direction of flight. Angles are then relative to this
        direction.
    blend, filter
        The blend mode and the filter, as in `SpriteBatch`.
    seed
        The seed of all random numbers.

    Random numbers depend only on the seed and on the index of a particle. Therefore every run
    spawns the same particles.
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
