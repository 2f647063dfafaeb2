"""Particles in the plane: fire, smoke, sparks and rain, by the hundred thousand."""

from __future__ import annotations

__all__ = ["Particles"]

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..assets.images import ImageSource
from ..checks import choice
from ..geometry.curves import Curve
from ..gpu.graphics import BLEND_MODES
from ..state.works import Face
from .flights import Flight
from .particle_presets import Presets, checked_images
from .particle_simulation import ParticleSimulation
from .particle_system import SYSTEM_SLOTS, ParticleSystem


class ParticleLook(NamedTuple):
    """The options of `Particles` for drawing."""

    images: list[ImageSource]
    blend: str
    filter: str


class ParticleParts(NamedTuple):
    """The objects that `Particles` share with their works."""

    simulation: ParticleSimulation
    flight: Flight
    look: ParticleLook


class Particles(ParticleSystem, Presets, Face):
    """Many short-lived images that fly by formulas: ``self.add(fw.Particles("puff.png", life=(0.8,
    1.4)))``.

    A particle's place, size, angle and colour follow from how it was born and from its age, in the
    vertex shader: they are exact at every frame rate and move in slow motion, nothing is computed
    for them in a tick, and nothing is uploaded but births. They are drawn in the order of their
    births. Where ``capacity`` are alive, another birth replaces the oldest.

    Parameters
    ----------
    image
        A path, a PIL image, an array, a `Region`, or a list of up to 16 of these, from which each
        has one; None for a soft spot.
    capacity
        The most that there can be at once, up to 4 million.
    life, speed, scale, angle, spin
        A number, or the lowest and the highest from which each particle has its own: seconds that
        it lives (up to 1,000); units a second at its birth; what its size is multiplied with; its
        angle at birth and radians a second, counter-clockwise.
    direction, spread
        Radians counter-clockwise from the x axis, and how far it may be off to both sides: all
        around unless told.
    velocity
        (x, y), units a second, added to that.
    area
        Width and height of the box about the place of birth in which they are born.
    gravity
        (x, y), units a second squared.
    drag
        By which share their velocity, and what gravity gives it, goes down in a second: v' =
        gravity - drag · v.
    noise
        How far they swing from their way, in units; or that and how often a second.
    size
        Units of the longer side, a number or a `Curve` over the life.
    color
        Multiplies the image: a colour in sRGB, or a `Curve` of them.
    tint
        Multiplies that: a colour, or a list of colours of which each particle has one.
    tumble
        How often a second they turn about their own upright axis, as confetti does.
    align
        Whether angles count from the direction of flight.
    blend, filter
        As of `SpriteBatch`.
    seed
        What is drawn by lot depends on it, and on how many were born before.

    Raises `TypeError` or `ValueError`, which names it, for an option that will not do.
    """

    __slots__ = SYSTEM_SLOTS

    _dimensions = 2
    _works_in = "framework.particles.particle_drawing"

    _look: ParticleLook

    def __init__(
        self,
        image: ImageSource | Sequence[ImageSource] | None = None,
        capacity: int = 10_000,
        *,
        life: float | tuple[float, float] = 1.0,
        speed: float | tuple[float, float] = 0.0,
        direction: float | None = None,
        spread: float | None = None,
        velocity: tuple[float, float] | None = None,
        area: tuple[float, float] | None = None,
        gravity: tuple[float, float] | None = None,
        drag: float = 0.0,
        noise: float | tuple[float, float] = 0.0,
        size: float | Curve = 16.0,
        color: str | Sequence[float] | Curve = "#ffff",
        tint: str | Sequence[Any] | None = None,
        scale: float | tuple[float, float] = 1.0,
        angle: float | tuple[float, float] = 0.0,
        spin: float | tuple[float, float] = 0.0,
        tumble: float = 0.0,
        align: bool = False,
        blend: str = "alpha",
        filter: str = "linear",
        seed: int = 0,
    ) -> None:
        self._works = None
        self._look = ParticleLook(
            checked_images(image),
            choice("blend", blend, BLEND_MODES),
            choice("filter", filter, ("linear", "nearest")),
        )
        self._set_up(locals())

    def _parts(self) -> ParticleParts:
        return ParticleParts(self._simulation, self._flight, self._look)
