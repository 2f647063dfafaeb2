"""Particles in space: fire, smoke, sparks, rain that face the camera, and fade where they meet what
is solid.
"""

from __future__ import annotations

__all__ = ["Particles3D"]

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING, Any

import numpy as np

from ..assets.images import ImageSource
from ..checks import flag, number
from ..geometry.curves import Curve
from ..gpu.graphics import Graphics
from ..gpu.shaders import set_known
from ..motion.viewpoint import LARGEST
from ..space.facing import FacingDefaults, FacingImages
from .particle_log import DrawnParticles
from .particle_presets import Presets, checked_images

if TYPE_CHECKING:
    from ..space.surfaces import WorldAssets


class Particles3D(DrawnParticles, Presets, FacingDefaults):
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

    __slots__ = ("__weakref__", "_lit", "_soft")

    dimensions = 3
    blends = ("alpha", "add")

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
        self._sources = checked_images(image)
        self._lit, self._soft = flag("lit", lit), number("soft", soft, least=0, most=LARGEST)
        self._set_up(locals())
        self._gpu = None

    # -- driven by the world -----------------------------------------------------------------------

    def depth(self) -> float:
        """How far from the camera the newest were born, in units."""
        shot = None if self._gpu is None else self._gpu.assets.shot
        middle = self.middle()
        if shot is None or middle is None:
            return 0.0
        return float(np.nan_to_num(np.linalg.norm(middle - shot.eye)))

    def attach(self, graphics: Graphics, assets: WorldAssets) -> None:
        self.check_free()
        self._gpu = _Particles3DGpu(graphics, assets, self._sources, self)

    @property
    def look(self) -> tuple[dict[str, int], float]:
        """What shaders/particles3d.vert and billboards.frag are compiled with, and how soft they
        are.
        """
        wanted = {"LIT": self._lit, "SOFT": self._soft > 0, "ALIGN": self._flight.align}
        return {name: 1 for name, on in wanted.items() if on}, self._soft


class _Particles3DGpu:
    """Everything of particles that lives on the GPU."""

    def __init__(
        self,
        graphics: Graphics,
        assets: WorldAssets,
        sources: Sequence[Any],
        particles: Particles3D,
    ) -> None:
        self.assets = assets
        defines, soft = particles.look
        self._program = assets.get("particles3d.vert", "billboards.frag", defines)
        self._images = FacingImages(assets, sources, soft)
        self.log = particles.new_log(graphics.ctx, self._program)

    def draw(self, blend: str) -> None:
        program, pictures = self._program, self._images
        pictures.use(program, blend)
        set_known(program, "texture_size", pictures.size)
        set_known(program, "rectangles", pictures.sixteen)
        self.log.draw(len(pictures.rectangles))

    def renew(self, files: Set[str]) -> bool:
        """Load images anew that come from these files."""
        before, self._images = self._images, self._images.renewed(files)
        return self._images is not before

    def release(self) -> None:
        self.log.release()
        self._images.release()
