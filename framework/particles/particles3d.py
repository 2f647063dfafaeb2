"""Particles in space: they face the camera, and fade out before solid things."""

from __future__ import annotations

__all__ = ["Particles3D"]

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..assets.images import ImageSource
from ..checks import choice, flag, number
from ..geometry.curves import Curve
from ..motion.viewpoint import LARGEST
from ..space.solids import SolidFace
from .flights import Flight
from .particle_presets import Presets, checked_images
from .particle_simulation import ParticleSimulation
from .particle_system import SYSTEM_SLOTS, ParticleSystem


class ParticleLook3D(NamedTuple):
    """The options of `Particles3D` for drawing."""

    images: list[ImageSource]
    blend: str
    lit: bool
    soft: float


class ParticleParts3D(NamedTuple):
    """The objects that `Particles3D` share with their works."""

    simulation: ParticleSimulation
    flight: Flight
    look: ParticleLook3D


class Particles3D(ParticleSystem, Presets, SolidFace):
    """`Particles` in a `World`: ``self.smoke = self.add(fw.Particles3D("puff.png", life=(0.8,
    1.4)))``.

    All is as there, but: directions are vectors (3,), and ``spread`` is how far they may be off in
    radians, to all sides; ``velocity``, ``area`` and ``gravity`` have three numbers; colours are
    linear, numbers above 1 shine, and strings are meant as a screen shows them. They face the
    camera, are drawn after what is solid, and hide nothing that is drawn later. Among themselves
    they are drawn in the order of their births, whatever is nearer.

    Parameters
    ----------
    blend
        ``"alpha"``, or ``"add"`` for what shines.
    lit
        Whether the world's light falls on them, from all sides alike; else they are as bright as
        their image.
    soft
        Units over which they fade out before what is solid behind them, so that the ground does not
        cut smoke along a line; 0: not at all.
    """

    __slots__ = SYSTEM_SLOTS

    _dimensions = 3
    _works_in = "framework.particles.particle3d_drawing"

    _look: ParticleLook3D

    def __init__(
        self,
        image: ImageSource | Sequence[ImageSource] | None = None,
        capacity: int = 10_000,
        *,
        life: float | tuple[float, float] = 1.0,
        speed: float | tuple[float, float] = 0.0,
        direction: tuple[float, float, float] | None = None,
        spread: float | None = None,
        velocity: tuple[float, float, float] | None = None,
        area: tuple[float, float, float] | None = None,
        gravity: tuple[float, float, float] | None = None,
        drag: float = 0.0,
        noise: float | tuple[float, float] = 0.0,
        size: float | Curve = 0.5,
        color: str | Sequence[float] | Curve = "#ffff",
        tint: str | Sequence[Any] | None = None,
        scale: float | tuple[float, float] = 1.0,
        angle: float | tuple[float, float] = 0.0,
        spin: float | tuple[float, float] = 0.0,
        tumble: float = 0.0,
        align: bool = False,
        blend: str = "alpha",
        lit: bool = False,
        soft: float = 0.0,
        seed: int = 0,
    ) -> None:
        self._works = None
        self._look = ParticleLook3D(
            checked_images(image),
            choice("blend", blend, ("alpha", "add")),
            flag("lit", lit),
            number("soft", soft, least=0, most=LARGEST),
        )
        self._set_up(locals())

    def _parts(self) -> ParticleParts3D:
        return ParticleParts3D(self._simulation, self._flight, self._look)
