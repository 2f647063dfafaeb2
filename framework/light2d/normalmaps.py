"""Normal maps, which make flat sprites look three-dimensional in 2D light."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..arrays import Pixels
from ..assets import images
from ..assets.images import ImageSource, checked_source
from ..checks import items
from ..errors import AssetError
from ..gpu import shaders
from ..gpu.atlas import Atlas, Atlases
from ..gpu.gl import moderngl
from ..gpu.graphics import Graphics
from ..plane.sprite_drawing import bind_names, defines_in, drawing_of
from ..plane.sprites import SpriteBatch, images_of


class _Loaded(NamedTuple):
    """The atlas and the shader program of a `NormalMap` on the GPU."""

    atlases: Atlases
    atlas: Atlas
    program: moderngl.Program


class NormalMap:
    """The normal maps of a sprite batch. Each image of the batch has one normal map."""

    __slots__ = ("_loaded", "batch", "sources")

    not_state = ("_loaded",)

    def __init__(self, batch: SpriteBatch, sources: Sequence[ImageSource]) -> None:
        self.batch = batch
        self.sources = tuple(sources)
        self._loaded: _Loaded | None = None

    def attach(self, graphics: Graphics) -> None:
        """Upload the normal maps of the batch to the GPU. The sprite batch must already be in the
        game.

        Raises `AssetError` if an image and its normal map do not have the same size.
        """
        drawing = drawing_of(self.batch)
        assert drawing is not None
        loaded = images.load_many(list(self.sources), graphics.folders)
        for index, pixels in enumerate(loaded):
            self._check_size(index, pixels)
        defines = defines_in(graphics, drawing.defines)
        program = shaders.program(
            graphics.ctx, "sprites.vert", "normals.frag", folders=graphics.folders, defines=defines
        )
        bind_names(program)
        atlases = Atlases.of(graphics)
        premultiplied = [images.premultiply(pixels) for pixels in loaded]
        atlas = atlases.holding("nearest", premultiplied, images_of(self.batch).anchors)
        self._loaded = _Loaded(atlases, atlas, program)

    def _check_size(self, index: int, pixels: Pixels) -> None:
        height, width = pixels.shape[:2]
        expected = self.batch.images.size(index)
        if (width, height) != expected:
            name = images.described(self.sources[index])
            raise AssetError(
                f"normals: {name} is {width} x {height} pixels, its image "
                f"{expected[0]:g} x {expected[1]:g}"
            )

    def draw(self, graphics: Graphics) -> None:
        """Draw the normals of all sprites at their positions on the screen."""
        drawing = drawing_of(self.batch)
        if drawing is None:
            return
        if len(self.batch.images) != len(self.sources):
            count = len(self.batch.images)
            raise ValueError(
                f"normals: expected {count} normal maps, one for each image of the batch, got "
                f"{len(self.sources)}; images were added after add_normals"
            )
        if self._loaded is None:
            self.attach(graphics)
        assert self._loaded is not None
        drawing.render(self._loaded.program, moderngl.TRIANGLE_STRIP, 4, self._loaded.atlas)

    def release(self) -> None:
        """Release the atlas and the shader program of the normal maps."""
        loaded = self._loaded
        self._loaded = None
        if loaded is not None:
            loaded.atlases.give_back(loaded.atlas)
            loaded.program.release()


def checked_normals(
    batch: SpriteBatch, value: ImageSource | Sequence[ImageSource]
) -> list[ImageSource]:
    """Check the normal maps for all images of a batch, and return them.

    Raises `TypeError` or `ValueError` if the normal maps are invalid.
    """
    several = items("normals", value) if isinstance(value, list | tuple) else [value]
    sources = [checked_source("normals", source) for source in several]
    if len(sources) != len(batch.images):
        raise ValueError(
            f"normals: expected {len(batch.images)}, one for each image of the batch, "
            f"got {len(sources)}"
        )
    return sources
