"""The drawing of `Particles3D`: the images and the births on the GPU."""

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..assets.images import ImageSource
from ..gpu.graphics import Graphics
from ..gpu.shaders import set_known
from ..space.facing import FacingImages
from .flights import Flight
from .particle_log import ParticleLog
from .particle_simulation import ParticleSimulation

if TYPE_CHECKING:
    from ..space.surfaces import WorldAssets


class ParticleLook3D(NamedTuple):
    """The options of `Particles3D` for drawing."""

    images: list[ImageSource]
    blend: str
    lit: bool
    soft: float


class ParticleParts3D(NamedTuple):
    """The objects that `Particles3D` share with their drawing."""

    simulation: ParticleSimulation
    flight: Flight
    look: ParticleLook3D


class Particle3DDrawing:
    """The images and the births of `Particles3D` on the GPU."""

    __slots__ = ("_assets", "_blend", "_images", "_program", "_simulation", "log")

    def __init__(self, parts: ParticleParts3D, graphics: Graphics, assets: WorldAssets) -> None:
        look = parts.look
        self._assets, self._simulation, self._blend = assets, parts.simulation, look.blend
        wanted = {"LIT": look.lit, "SOFT": look.soft > 0, "ALIGN": parts.flight.align}
        defines = {name: 1 for name, on in wanted.items() if on}
        self._program = assets.get("particles3d.vert", "billboards.frag", defines)
        self._images = FacingImages(assets, look.images, look.soft)
        births = parts.simulation.births
        self.log = ParticleLog(graphics.ctx, self._program, parts.flight, births)

    @property
    def uploaded_bytes(self) -> int:
        """Bytes of rows written to the GPU so far."""
        return self.log.uploaded

    def depth(self) -> float:
        """Return the distance of the newest births from the camera, in units."""
        shot, middle = self._assets.shot, self._simulation.middle()
        if shot is None or middle is None:
            return 0.0
        return float(np.nan_to_num(np.linalg.norm(middle - shot.eye)))

    def draw(self) -> None:
        """Draw all that are alive."""
        program, images = self._program, self._images
        self.log.bring()
        images.use(program, self._blend)
        set_known(program, "texture_size", images.size)
        set_known(program, "rectangles", images.sixteen)
        self.log.draw(len(images.rectangles))

    def renew(self, files: Set[str]) -> bool:
        """Reload images from ``files``. Return whether there are any."""
        before, self._images = self._images, self._images.renewed(files)
        return self._images is not before

    def release(self) -> None:
        """Free it."""
        self.log.release()
        self._images.release()
