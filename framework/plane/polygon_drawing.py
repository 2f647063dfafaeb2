"""Draw the textured triangles of each polygon in `Polygons` as one instance."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..gpu.gl import moderngl
from ..gpu.graphics import Graphics
from ..gpu.wrapped import WrappedTexture
from ..state.backend import TableBackend, drives
from .layered_drawing import LayeredDrawing, PointListTexture
from .polygon_meshes import TEXELS
from .polygons import PolygonParts, Polygons

_IMAGE_UNIT = 0
_MESHES_UNIT = 1
_VISIBLE = 1 << 31


@drives(Polygons, unseen=TableBackend)
class PolygonDrawing(LayeredDrawing[Polygons]):
    """The backend that draws `Polygons` in a game with graphics."""

    __slots__ = ("_corners", "_defines", "_image", "_meshes", "_source", "_texture")

    def __init__(self, frontend: Polygons, parts: PolygonParts, graphics: Graphics) -> None:
        self._source = parts.image
        self._image = WrappedTexture(graphics, parts.image, parts.wrap, parts.filter)
        super().__init__(frontend, parts, graphics, ("color",), ("mesh", "visible"))
        self._meshes = parts.meshes
        self._texture = PointListTexture(self.ctx, parts.meshes)
        smooth = parts.smooth and not graphics.pixel_art
        self._defines = {"SMOOTH_EDGES": 1} if smooth else None
        self._corners = 0
        """The number of triangle corners in the largest mesh."""

    def pack(self, rows: slice, *columns: NDArray[Any]) -> NDArray[np.uint32]:
        mesh, visible = columns
        numbers: list[int] = np.unique(mesh).tolist()
        texels = max([len(self._meshes.paths[number]) - 1 for number in numbers], default=0)
        corners = texels // TEXELS
        self._corners = max(corners, self._corners if rows.start else 0)
        info: NDArray[np.uint32] = self._meshes.starts[mesh] + visible * np.uint32(_VISIBLE)
        return info

    def draw_rows(self, count: int) -> None:
        self._texture.use(_MESHES_UNIT)
        self._image.use(_IMAGE_UNIT)
        program = self.programs.get("polygons.vert", "polygons.frag", self._defines)
        program["period"] = self._image.period
        units = {"image": _IMAGE_UNIT, "meshes": _MESHES_UNIT}
        self.run(program, units, moderngl.TRIANGLES, self._corners, count)

    def renew(self, files: Set[str]) -> bool:
        return self._image.renew(files)

    def shows(self, picture: object) -> bool:
        return self._source is picture

    def release(self) -> None:
        super().release()
        self._texture.release()
        self._image.release()
