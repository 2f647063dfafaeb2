"""The backends of `Particles`, with and without graphics."""

from __future__ import annotations

from collections.abc import Set

from ..assets import images
from ..gpu.atlas import Atlas, Atlases
from ..gpu.gl import moderngl
from ..gpu.graphics import BLEND_MODES, Graphics, programs_of
from ..plane.sprite_drawing import bind_names
from ..state.backend import drives
from .particle_buffer import ParticleBuffer
from .particle_ticks import ParticleTicks
from .particles import ParticleLook, ParticleParts, Particles


class UnseenParticles(ParticleTicks[Particles]):
    """The backend of `Particles` in a game without graphics.

    This backend checks that the images exist, but draws nothing.
    """

    __slots__ = ()

    def __init__(self, frontend: Particles, parts: ParticleParts, graphics: Graphics) -> None:
        super().__init__(frontend, parts, graphics)
        images.sizes(parts.look.images, graphics.folders, live=True)


@drives(Particles, unseen=UnseenParticles)
class ParticleDrawing(ParticleTicks[Particles]):
    """The backend of `Particles` in a game with graphics. This backend stores the images and the
    particles on the GPU.
    """

    __slots__ = (
        "_atlas",
        "_atlases",
        "_count",
        "_ctx",
        "_factors",
        "_folders",
        "_images",
        "buffer",
    )

    def __init__(self, frontend: Particles, parts: ParticleParts, graphics: Graphics) -> None:
        super().__init__(frontend, parts, graphics)
        look = parts.look
        self._ctx = graphics.ctx
        self._folders = graphics.folders
        self._images = look.images
        self._factors = BLEND_MODES[look.blend]
        defines = defines_of(look, parts.flight.align)
        program = programs_of(graphics).get("particles.vert", "sprites.frag", defines)
        bind_names(program)
        loaded = images.load_many(look.images, graphics.folders)
        pixels = [images.premultiply(image) for image in loaded]
        self._atlases = Atlases.of(graphics)
        self._atlas: Atlas = self._atlases.holding(look.filter, pixels, [None] * len(pixels))
        self._count = len(pixels)
        self.buffer = ParticleBuffer(graphics.ctx, program, parts.flight, parts.simulation.births)

    @property
    def uploaded_bytes(self) -> int:
        """The total number of bytes of particle data that the backend has uploaded to the GPU."""
        return self.buffer.uploaded

    def draw(self) -> None:
        ctx = self._ctx
        atlas = self._atlas
        self.buffer.upload()
        ctx.enable_only(moderngl.BLEND)
        ctx.blend_func = self._factors  # type: ignore[assignment]  # the stubs know two factors only
        if atlas.changed:
            atlas.flush()
        atlas.texture.use(0)
        atlas.table.use(1)
        self.buffer.draw(self._count)

    def renew(self, files: Set[str]) -> bool:
        sources = images.images_among(self._images, files, self._folders)
        pixels = map(images.premultiply, images.load_many(list(sources.values()), self._folders))
        if sources:
            self._atlas = self._atlases.replaced(
                self._atlas, dict(zip(sources, pixels, strict=True)), {}
            )
        return bool(sources)

    def release(self) -> None:
        self.buffer.release()
        self._atlases.give_back(self._atlas)


def defines_of(look: ParticleLook, align: bool) -> dict[str, int]:
    """Return the GLSL macros for compiling the particle shaders. The macros depend on the options
    of the particles.
    """
    smooth = look.filter == "linear"
    conditions = {"SMOOTH_EDGES": smooth, "NEAREST": not smooth, "ALIGN": align}
    return {name: 1 for name, is_set in conditions.items() if is_set}
