"""Drawing of `Particles`: their backend, in games with and without graphics."""

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
    """The backend of `Particles` in a game without graphics: check that their images exist."""

    __slots__ = ()

    def __init__(self, frontend: Particles, parts: ParticleParts, graphics: Graphics) -> None:
        super().__init__(frontend, parts, graphics)
        images.sizes(parts.look.images, graphics.folders, live=True)


@drives(Particles, unseen=UnseenParticles)
class ParticleDrawing(ParticleTicks[Particles]):
    """The backend of `Particles`."""

    __slots__ = ("_atlas", "_atlases", "_count", "_ctx", "_factors", "_folders", "_images", "log")

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
        pictures = [images.premultiply(picture) for picture in loaded]
        self._atlases = Atlases.of(graphics)
        self._atlas: Atlas = self._atlases.holding(look.filter, pictures, [None] * len(pictures))
        self._count = len(pictures)
        self.log = ParticleBuffer(graphics.ctx, program, parts.flight, parts.simulation.births)

    @property
    def uploaded_bytes(self) -> int:
        """Bytes of rows written to the GPU so far."""
        return self.log.uploaded

    def draw(self) -> None:
        ctx, atlas = self._ctx, self._atlas
        self.log.bring()
        ctx.enable_only(moderngl.BLEND)
        ctx.blend_func = self._factors  # type: ignore[assignment]  # the stubs know two factors only
        if atlas.changed:
            atlas.flush()
        atlas.texture.use(0)
        atlas.table.use(1)
        self.log.draw(self._count)

    def renew(self, files: Set[str]) -> bool:
        sources = images.those_among(self._images, files, self._folders)
        pictures = map(images.premultiply, images.load_many(list(sources.values()), self._folders))
        if sources:
            self._atlas = self._atlases.replaced(
                self._atlas, dict(zip(sources, pictures, strict=True)), {}
            )
        return bool(sources)

    def release(self) -> None:
        self.log.release()
        self._atlases.give_back(self._atlas)


def defines_of(look: ParticleLook, align: bool) -> dict[str, int]:
    """Return the macros for shaders/particles.vert and sprite.glsl."""
    smooth = look.filter == "linear"
    conditions = {"SMOOTH_EDGES": smooth, "NEAREST": not smooth, "ALIGN": align}
    return {name: 1 for name, on in conditions.items() if on}
