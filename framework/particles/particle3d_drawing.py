"""The backends of `Particles3D`, with and without graphics."""

from __future__ import annotations

from collections.abc import Set

import numpy as np

from ..gpu.graphics import Graphics
from ..gpu.shaders import set_known
from ..space.billboard_images import BillboardImages
from ..space.solids import SolidBackend
from ..space.surfaces import WorldAssets
from ..state.backend import drives
from .particle_buffer import ParticleBuffer
from .particle_ticks import ParticleTicks
from .particles3d import ParticleParts3D, Particles3D


class Particle3DTicks(SolidBackend[Particles3D], ParticleTicks[Particles3D]):
    """The backend of `Particles3D` in a game without graphics."""

    __slots__ = ()


@drives(Particles3D, unseen=Particle3DTicks)
class Particle3DDrawing(Particle3DTicks):
    """The backend of `Particles3D` in a game with graphics. This backend stores the images and the
    particles on the GPU.
    """

    __slots__ = ("_assets", "_images", "_look", "_program", "buffer")

    def __init__(
        self, frontend: Particles3D, parts: ParticleParts3D, graphics: Graphics, assets: WorldAssets
    ) -> None:
        super().__init__(frontend, parts, graphics)
        look = self._look = parts.look
        self._assets = assets
        conditions = {"LIT": look.lit, "SOFT": look.soft > 0, "ALIGN": parts.flight.align}
        defines = {name: 1 for name, is_set in conditions.items() if is_set}
        self._program = assets.get("particles3d.vert", "billboards.frag", defines)
        self._images = BillboardImages(assets, look.images, look.soft)
        births = parts.simulation.births
        self.buffer = ParticleBuffer(graphics.ctx, self._program, parts.flight, births)

    @property
    def transparent(self) -> bool:
        return True  # transparent objects are drawn after all opaque objects

    @property
    def reads_depth(self) -> bool:
        return self._look.soft > 0

    @property
    def uploaded_bytes(self) -> int:
        """The total number of bytes of particle data that the backend has uploaded to the GPU."""
        return self.buffer.uploaded

    def depth(self) -> float:
        shot = self._assets.shot
        middle = self._simulation.middle()
        if shot is None or middle is None:
            return 0.0
        return float(np.nan_to_num(np.linalg.norm(middle - shot.eye)))

    def draw(self) -> None:
        program = self._program
        images = self._images
        self.buffer.upload()
        images.use(program, self._look.blend)
        set_known(program, "texture_size", images.size)
        set_known(program, "rectangles", images.sixteen)
        self.buffer.draw(len(images.rectangles))

    def renew(self, files: Set[str]) -> bool:
        before = self._images
        self._images = self._images.renewed(files)
        return self._images is not before

    def release(self) -> None:
        self.buffer.release()
        self._images.release()
