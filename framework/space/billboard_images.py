"""Store the images of billboards or 3D particles in one texture."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Floats
from ..assets import images
from ..assets.images import ImageSource
from ..gpu.atlas import Atlas
from ..gpu.gl import moderngl
from ..gpu.graphics import BLEND_MODES
from ..gpu.shaders import set_known

if TYPE_CHECKING:
    from .surfaces import WorldAssets

_MAX_RECTANGLES = 16  # the length of the array in shaders/billboards.frag


class BillboardImages:
    """One texture that contains all images of billboards or 3D particles. The shader
    shaders/billboards.frag reads the texture.
    """

    def __init__(self, assets: WorldAssets, sources: Sequence[ImageSource], soft: float) -> None:
        self._ctx = assets.graphics.ctx
        self._assets = assets
        self._soft = soft
        self._sources = sources
        loaded = images.load_many(sources, assets.graphics.folders)
        self._atlas = Atlas(self._ctx)
        self._atlas.add_many([images.premultiply(pixels) for pixels in loaded])
        self._atlas.flush()
        # The edges are half a texel inside the image, so that the linear filter does not read a
        # neighboring image.
        corner = self._atlas.rectangles[:, :2]
        size = self._atlas.rectangles[:, 2:]
        edge = np.array(self._atlas.texture.size, np.float32)
        self.rectangles: Floats = np.concatenate(
            [(corner + 0.5) / edge, (corner + size - 0.5) / edge], axis=1
        )
        """The rectangle of each image in the texture: left, bottom, right and top, from 0 to 1. The
        array has the dtype float32 and the shape (n, 4).
        """
        self.size: tuple[int, int] = self._atlas.texture.size
        """The size of the texture in texels."""

    @property
    def sixteen(self) -> list[tuple[float, ...]]:
        """Return the rectangles that the first 16 images cover in the texture.

        If the texture has fewer than 16 images, the returned list repeats the last rectangle.
        """
        rows = np.minimum(np.arange(_MAX_RECTANGLES), len(self.rectangles) - 1)
        return [tuple(row) for row in self.rectangles[rows].tolist()]

    def use(self, program: moderngl.Program, blend: str) -> None:
        """Before a draw call, bind the texture and set the uniforms of ``program``."""
        ctx = self._ctx
        ctx.enable_only(moderngl.BLEND | moderngl.DEPTH_TEST)
        ctx.blend_func = BLEND_MODES["alpha"]  # type: ignore[assignment]  # the stubs know two factors only
        self._atlas.texture.use(0)
        set_known(program, "image", 0)
        set_known(program, "additive", float(blend == "add"))
        if self._soft:
            assert self._assets.depth is not None
            self._assets.depth.use(1)
            set_known(program, "scene_depth", 1)
            set_known(program, "softness", self._soft)

    def renewed(self, files: Set[str]) -> BillboardImages:
        """If ``files`` contains the file of an image, reload this image and return a new object.
        Otherwise, return this object. ``files`` contains paths without symbolic links.

        If images were reloaded, this method releases the old texture.
        """
        changed = images.images_among(self._sources, files, self._assets.graphics.folders)
        if not changed:
            return self
        sources = [changed.get(i, source) for i, source in enumerate(self._sources)]
        reloaded = BillboardImages(self._assets, sources, self._soft)
        self.release()
        return reloaded

    def release(self) -> None:
        self._atlas.release()
