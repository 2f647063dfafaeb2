"""Particles in the plane: fire, smoke, sparks, rain, by the hundred thousand, at no cost between
two ticks.
"""

from __future__ import annotations

__all__ = ["Particles"]

from collections.abc import Sequence, Set
from typing import Any

from ..assets import images
from ..assets.images import ImageSource
from ..checks import choice
from ..geometry.curves import Curve
from ..gpu import shaders
from ..gpu.atlas import Atlas, Atlases
from ..gpu.drawable import DrawableDefaults
from ..gpu.gl import moderngl
from ..gpu.graphics import BLEND_MODES, Graphics
from ..plane.sprite_drawing import bind_names
from .particle_log import DrawnParticles
from .particle_presets import Presets, checked_images


class Particles(DrawnParticles, Presets, DrawableDefaults):
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

    __slots__ = ("__weakref__", "_filter")

    dimensions = 2
    blends = tuple(BLEND_MODES)

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
        self._sources = checked_images(image)
        self._filter = choice("filter", filter, ("linear", "nearest"))
        self._set_up(locals())
        self._gpu = None

    # -- frames ------------------------------------------------------------------------------------

    def attach(self, graphics: Graphics) -> None:
        self.check_free()
        self._gpu = _ParticlesGpu(graphics, self._sources, self._filter, self)

    def attach_unseen(self, graphics: Graphics) -> None:
        images.sizes(self._sources, graphics.folders, live=True)

    @property
    def defines(self) -> dict[str, int]:
        """What shaders/particles.vert and sprite.glsl are compiled with."""
        smooth = self._filter == "linear"
        wanted = {"SMOOTH_EDGES": smooth, "NEAREST": not smooth, "ALIGN": self._flight.align}
        return {name: 1 for name, on in wanted.items() if on}


class _ParticlesGpu:
    """Everything of particles that lives on the GPU."""

    def __init__(
        self, graphics: Graphics, sources: Sequence[Any], filter: str, particles: Particles
    ) -> None:
        self._ctx, self._folders, self._sources = graphics.ctx, graphics.folders, sources
        if graphics.programs is None:
            graphics.programs = shaders.Programs(graphics.ctx, graphics.folders)
        program = graphics.programs.get("particles.vert", "sprites.frag", particles.defines)
        bind_names(program)
        pictures = [
            images.premultiply(picture) for picture in images.load_many(sources, graphics.folders)
        ]
        self._atlases = Atlases.of(graphics)
        self._atlas: Atlas = self._atlases.holding(filter, pictures, [None] * len(pictures))
        self._count = len(pictures)
        self.log = particles.new_log(graphics.ctx, program)

    def draw(self, blend: str) -> None:
        ctx, atlas = self._ctx, self._atlas
        ctx.enable_only(moderngl.BLEND)
        ctx.blend_func = BLEND_MODES[blend]  # type: ignore[assignment]  # the stubs know two factors only
        if atlas.changed:
            atlas.flush()
        atlas.texture.use(0)
        atlas.table.use(1)
        self.log.draw(self._count)

    def renew(self, files: Set[str]) -> bool:
        """Load images anew that come from these files."""
        sources = images.those_among(self._sources, files, self._folders)
        found = map(images.premultiply, images.load_many(list(sources.values()), self._folders))
        if sources:
            self._atlas = self._atlases.replaced(
                self._atlas, dict(zip(sources, found, strict=True)), {}
            )
        return bool(sources)

    def release(self) -> None:
        self.log.release()
        self._atlases.give_back(self._atlas)
