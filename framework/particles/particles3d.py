"""3D fire, smoke and snow, with particles that always face the camera.

Particles can fade near surfaces.
"""

from __future__ import annotations

__all__ = ["Particles3D"]

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..assets.images import ImageSource
from ..checks import choice, flag, number
from ..geometry.curves import Curve
from ..motion.camera_base import MAX_MAGNITUDE
from ..moved_names import renamed_options
from ..space.solids import SolidFrontend
from .particle_motion import ParticleMotion
from .particle_presets import Presets, checked_images
from .particle_simulation import ParticleSimulation
from .particle_system import RENAMED, SYSTEM_SLOTS, ParticleSystem


class ParticleLook3D(NamedTuple):
    """The image and drawing options that `Particles3D` passes to its backend."""

    images: list[ImageSource]
    blend: str
    lit: bool
    soft: float


class ParticleParts3D(NamedTuple):
    """The objects that a `Particles3D` passes to its backend."""

    simulation: ParticleSimulation
    flight: ParticleMotion
    look: ParticleLook3D


class Particles3D(ParticleSystem, Presets, SolidFrontend):
    """A 3D particle system, for a `World`. Most options are the same as those of `Particles`.

        self.smoke = self.add(fw.Particles3D("puff.png", lifetime=(0.8, 1.4)))

    The following options differ from those of `Particles`. ``direction`` is a vector of three
    numbers. A particle's direction differs from ``direction`` by at most ``spread`` radians.
    ``velocity``, ``emission_size`` and ``gravity`` have three numbers each. Color numbers are
    linear values. A particle with a color value above 1 glows. Strings such as "#f80" are sRGB
    colors.

    All particles always face the camera. Particles are drawn after all opaque objects. Particles
    never hide objects that are drawn later. Older particles are drawn before newer ones, whatever
    their distance from the camera.

    Parameters
    ----------
    blend
        ``"alpha"``, or ``"add"`` for glowing particles.
    lit
        Whether the lights of the world illuminate the particles. A light has the same effect from
        every direction. If ``lit`` is False, a particle is as bright as its image.
    soft
        A distance in units. A particle fades where an opaque surface is less than this distance
        behind it. Use ``soft`` for smoke that touches the ground. If ``soft`` is 0 (the default),
        particles do not fade.
    """

    __slots__ = SYSTEM_SLOTS

    _dimensions = 3
    _backend_in = "framework.particles.particle3d_drawing"

    _look: ParticleLook3D

    @renamed_options("Particles3D", **RENAMED)
    def __init__(
        self,
        image: ImageSource | Sequence[ImageSource] | None = None,
        capacity: int = 10_000,
        *,
        lifetime: float | tuple[float, float] = 1.0,
        speed: float | tuple[float, float] = 0.0,
        direction: tuple[float, float, float] | None = None,
        spread: float | None = None,
        velocity: tuple[float, float, float] | None = None,
        emission_size: tuple[float, float, float] | None = None,
        gravity: tuple[float, float, float] | None = None,
        damping: float = 0.0,
        noise: float | tuple[float, float] = 0.0,
        size: float | Curve = 0.5,
        color: str | Sequence[float] | Curve = "#ffff",
        tint: str | Sequence[Any] | None = None,
        scale: float | tuple[float, float] = 1.0,
        angle: float | tuple[float, float] = 0.0,
        angular_velocity: float | tuple[float, float] = 0.0,
        tumble: float = 0.0,
        align: bool = False,
        blend: str = "alpha",
        lit: bool = False,
        soft: float = 0.0,
        seed: int = 0,
    ) -> None:
        self._backend = None
        self._look = ParticleLook3D(
            checked_images(image),
            choice("blend", blend, ("alpha", "add")),
            flag("lit", lit),
            number("soft", soft, least=0, most=MAX_MAGNITUDE),
        )
        self._set_up(locals())

    def _parts(self) -> ParticleParts3D:
        return ParticleParts3D(self._simulation, self._flight, self._look)
