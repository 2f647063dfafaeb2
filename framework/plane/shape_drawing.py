"""Draw `Shapes` with a shader that computes how much of each pixel a shape covers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Rows
from ..gpu.gl import moderngl
from ..gpu.graphics import Graphics, driver_limit
from ..state.backend import TableBackend, drives
from .layered_drawing import LayeredDrawing, PointListTexture
from .point_lists import SHORT
from .shape_batch import DASHED, EDGED, KIND_BITS, KINDS, ShapeParts, Shapes

# The shader's attribute `in_info` contains the column ``look``, the bit "visible", and the index of
# the texel at which the shape's points begin.
_VISIBLE = 1024
_FIRST_BIT = 12

_POINTS_UNIT = 0
_OF_KIND = {"ellipse": "ELLIPSES", "arc": "ARCS", "path": "PATHS"}
_OF_BIT = {EDGED: "EDGES", DASHED: "DASHES", 64: "GRADIENTS", 128: "GRADIENTS"}
_HANDED_ON = {"EDGES": 2, "GRADIENTS": 1, "DASHES": 2, "ARCS": 1}
_ROUND = ("ellipse", "arc", "circle")
_PATH_SIZES = 4, 5, 6, SHORT  # the number of points in the longest path


@drives(Shapes, unseen=TableBackend)
class ShapeDrawing(LayeredDrawing[Shapes]):
    """The backend that draws `Shapes` in a game with graphics."""

    __slots__ = ("_contours", "_feature_columns", "_points", "_room", "features")

    def __init__(self, frontend: Shapes, parts: ShapeParts, graphics: Graphics) -> None:
        single = "gradient_to", "stroke_color", "stroke", "form"
        super().__init__(frontend, parts, graphics, single, ("look", "visible", "path"))
        self._contours = parts.contours
        self._points = PointListTexture(self.ctx, parts.contours)
        self.features: dict[str, int] = {}
        """The macros of the shader program. Each macro turns on one feature of the shader."""
        self._room = driver_limit("GL_MAX_VARYING_COMPONENTS") // 4
        self._feature_columns = [parts.table.column(name) for name in ("look", "path", "stroke")]

    def pack(self, rows: slice, *columns: NDArray[Any]) -> NDArray[np.uint32]:
        look, visible, path = columns
        info: NDArray[np.uint32] = self._contours.starts[path] << np.uint32(_FIRST_BIT)
        info += look.astype(np.uint32)
        info += visible * np.uint32(_VISIBLE)
        return info

    def look_at(self, n: int) -> None:
        """Turn on the shader features that the first ``n`` rows need, such as dashes or gradients.

        A feature that has been turned on stays on, because turning it off would mean compiling
        another shader.
        """
        look, path, stroke = self._feature_columns
        if look.at_rest(n) and path.at_rest(n) and stroke.at_rest(n):
            return
        needed = features(look.data[:n], stroke.data[:n, 0], self._contours.lengths[path.data[:n]])
        names = sorted({*self.features, *needed})
        needed = {name: max(self.features.get(name, 1), needed.get(name, 1)) for name in names}
        self.features = needed | {"LONG_PATHS": 1} if handed_on(needed) > self._room else needed

    def draw_rows(self, count: int) -> None:
        if "PATHS" in self.features:
            self._points.use(_POINTS_UNIT)
        program = self.programs.get("shapes.vert", "shapes.frag", self.features)
        self.run(program, {"points": _POINTS_UNIT}, moderngl.TRIANGLE_STRIP, 4, count)

    def release(self) -> None:
        super().release()
        self._points.release()


def features(look: Rows, width: Floats, points: NDArray[np.uint32]) -> dict[str, int]:
    """Return the shader macros that the rows need.

    Each macro turns on code in the shader, and this code takes time to run. On some drivers, this
    code also slows down rows that do not need it.
    """
    kinds = np.bincount(look, minlength=1).nonzero()[0]
    macros = {
        name: 1 for kind, name in _OF_KIND.items() if (kinds & KIND_BITS == KINDS[kind]).any()
    }
    macros |= {name: 1 for bit, name in _OF_BIT.items() if (kinds & bit).any()}
    dashed = kinds[kinds & DASHED > 0] & KIND_BITS
    if any((dashed == KINDS[kind]).any() for kind in _ROUND):
        macros["AROUND"] = 1
    if "ELLIPSES" in macros:
        stroked = width[look & KIND_BITS == KINDS["ellipse"]].any()
        macros |= {"STROKED_ELLIPSES": 1} if stroked else {}
    if "PATHS" in macros:
        is_path = look & KIND_BITS == KINDS["path"]
        macros |= _path_features(width[is_path], int(points[is_path].max()))
    return macros


def _path_features(width: Floats, max_points: int) -> dict[str, int]:
    """Return the shader macros for paths. ``width`` contains the stroke width of each path, and
    ``max_points`` is the number of points of the longest path.
    """
    macros = {"STROKES": 1} if width.any() else {}
    macros["PATHS"] = next((size for size in _PATH_SIZES if max_points <= size), SHORT)
    macros |= {"LONG_PATHS": 1} if max_points > SHORT else {}
    return macros


def handed_on(macros: dict[str, int]) -> int:
    """Return the number of vectors that the vertex shader passes to the fragment shader. A vector
    contains up to four numbers.

    OpenGL 3.3 guarantees space for 15 vectors, and most drivers have space for 31. With the macro
    ``LONG_PATHS``, the vertex shader passes only the first two points of a path. The fragment
    shader reads all other points of the path from a texture.
    """
    count = 8 + sum(vectors for name, vectors in _HANDED_ON.items() if name in macros)
    if "LONG_PATHS" in macros:
        return count + 1
    return count + (macros.get("PATHS", 0) + 1) // 2 * (1 if "STROKES" in macros else 2)
