"""3D particles: fire, smoke and snow that face the camera and fade near solid surfaces."""

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
    """The images and drawing options of `Particles3D`."""

    images: list[ImageSource]
    blend: str
    lit: bool
    soft: float


class ParticleParts3D(NamedTuple):
    """The simulation, motion options and images of `Particles3D`, for the drawing backend."""

    simulation: ParticleSimulation
    flight: ParticleMotion
    look: ParticleLook3D


class Particles3D(ParticleSystem, Presets, SolidFrontend):
    """A 3D particle system: `Particles` in a `World`.

        self.smoke = self.add(fw.Particles3D("puff.png", lifetime=(0.8, 1.4)))

    Several options have other forms than in `Particles`. The ``direction`` is a vector (3,), and
    ``spread`` is the largest deviation from this direction in radians. ``velocity``,
    ``emission_size`` and ``gravity`` have three numbers. Color numbers are linear, and numbers
    above 1 glow. Color strings are sRGB.

    All particles face the camera. Particles are drawn after opaque objects, and never hide objects
    that are drawn later. Particles are drawn in the order of their births, and not by distance.

    Parameters
    ----------
    blend
        ``"alpha"``, or ``"add"`` for glowing particles.
    lit
        Whether the world's lights illuminate the particles, equally from all sides. Without
        ``lit``, particles are as bright as their image.
    soft
        The distance in units over which particles fade out in front of opaque surfaces. With
        ``soft`` above 0, the ground does not cut smoke along a sharp line. With the default of 0,
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
