"""Draw textured boxes, 9-slices, outlines and triangle meshes in one draw call."""

from __future__ import annotations

__all__ = ["Polygon", "Polygons"]

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles, Floats, Pixels, Rows
from ..assets import images
from ..assets.images import ImageSource
from ..geometry import outlines
from ..models.textures import WRAPS
from ..moved_names import HasMoved, moved
from ..other_engines.other_options import made_by, meant_option
from ..state.columns import Codes, ColumnValues, TableColumn
from ..state.rows import Handle, RowAlpha, RowColor, RowCoordinate, RowValue, handle_of
from ..state.transforms2d import PoseTable2D
from . import polygon_meshes
from .layered_batch import Layered
from .point_lists import PointLists, checked_ring
from .polygon_meshes import PolygonMesh

MAX_TRIANGLES = 4096
"""The maximum number of triangles in one polygon."""

_WHITE: Pixels = np.full((1, 1, 4), 255, np.uint8)

Pair = tuple[float, float]

_ROW = ("angle", "scale", "skew", "scroll", "color", "layer", "visible")


def _wrap(name: str, value: object) -> tuple[str, str]:
    if isinstance(value, tuple | list) and len(value) == 2:
        return checks.choice(name, value[0], WRAPS), checks.choice(name, value[1], WRAPS)
    wrap = checks.choice(name, value, WRAPS)
    return wrap, wrap


class PolygonLook(TypedDict, total=False):
    """The keywords that set columns when you add a polygon, such as ``angle`` and ``color``; see
    `Polygons`.
    """

    angle: float
    scale: float | Pair
    skew: float
    scroll: Pair
    color: str | Sequence[float]
    layer: int
    visible: bool


class PolygonParts(NamedTuple):
    """The objects that a `Polygons` batch passes to its backend, the object that draws the
    polygons.
    """

    table: PoseTable2D
    blend: str
    meshes: PointLists
    """The texels of every polygon's mesh."""
    image: ImageSource
    wrap: tuple[str, str]
    filter: str
    smooth: bool


@moved("polygons", {"add_nine": "add_nine_slice"})
class Polygons(Layered["Polygon"], HasMoved):
    """A batch of polygons that show an image, such as walls, panels, conveyor belts and grass.

        self.walls = self.add(fw.Polygons("brick.png"))

    Parameters
    ----------
    image
        The image of all polygons: a path, a PIL image, an array or a `Region`. If ``image`` is
        None, the polygons show a white image.
    wrap
        How to fill parts of a polygon that the image does not cover. "clamp" repeats the pixels at
        the edge of the image. "repeat" repeats the image. "mirror" repeats the image and mirrors
        every second copy. To set x and y separately, pass a pair such as ``("repeat", "clamp")``.
        ``wrap`` defaults to "clamp".
    filter, blend, smooth_edges
        See `SpriteBatch`.
    capacity
        The number of rows to reserve memory for.
    columns
        Your own columns, as a dict with default values, such as ``{"hp": 3.0}``. See `fw.Column`.
        `add_box` and similar methods do not set these columns: set them on the new `Polygon`.

    Columns
    -------
    ``position`` (n, 2), ``angle`` (n,), ``scale`` (n, 2) and ``size`` (n, 2) are float32 columns.
    All lengths and positions are in units. The framework interpolates the columns position, angle,
    scale, size, ``skew`` and ``scroll`` between ticks. ``skew`` (n,) is the angle in radians by
    which a polygon's upward axis is tilted, without changing the length of the axis. ``scroll``
    (n, 2) moves the image on the polygon. A scroll of 1 moves the image by its own width or height.
    If the image repeats, it moves to its new scroll in whichever direction is shorter.

    The image is multiplied by ``color`` (n, 4). ``color``, ``visible`` (n,) bool and ``layer`` (n,)
    int32 are not interpolated.

    Every polygon of a batch takes as long to draw as the polygon with the most triangles. If a few
    polygons have many triangles, put them into a separate batch.
    """

    __slots__ = ("_filter", "_image", "_meshes", "_smooth", "_wrap")

    _transient_attributes = (
        "_filter",
        "_growth",
        "_image",
        "_may_grow",
        "_meshes",
        "_smooth",
        "_wrap",
    )
    _noun = "polygons"
    _backend_in = "framework.plane.polygon_drawing"

    position = ColumnValues[Floats]("Positions in units, y up: float32 (n, 2), interpolated.")
    angle = ColumnValues[Floats](
        "Angles in radians, counter-clockwise: float32 (n,), interpolated."
    )
    scale = ColumnValues[Floats]("Scale factors in x and y: float32 (n, 2), interpolated.")
    size = ColumnValues[Floats]("Widths and heights in units: float32 (n, 2), interpolated.")
    skew = ColumnValues[Floats](
        "The angle in radians by which each polygon's upward axis is slanted: float32 (n,), "
        "interpolated."
    )
    scroll = ColumnValues[Floats](
        "The offset of the image on each polygon, in widths and heights of the image: float32 (n, "
        "2), interpolated."
    )
    color = ColumnValues[Floats](
        "Colors in sRGB (red, green, blue, alpha) from 0 to 1: float32 (n, 4). You can also set a "
        "string such as '#f80'."
    )
    visible = ColumnValues[NDArray[np.bool_]]("Whether each polygon is drawn: bool (n,).")
    layer = ColumnValues[NDArray[np.int32]](
        "The layer of each polygon: int32 (n,). Higher layers are drawn over lower layers."
    )

    def __init__(
        self,
        image: ImageSource | None = None,
        *,
        wrap: str | tuple[str, str] = "clamp",
        filter: str = "linear",
        blend: str = "alpha",
        smooth_edges: bool | None = None,
        capacity: int = 0,
        columns: Mapping[str, Any] | None = None,
    ) -> None:
        self._image = _WHITE if image is None else images.checked_source("image", image)
        self._wrap = _wrap("wrap", wrap)
        self._filter = checks.choice("filter", filter, ("linear", "nearest"))
        self._smooth = (
            filter == "linear"
            if smooth_edges is None
            else checks.flag("smooth_edges", smooth_edges)
        )
        table = _Poses()
        table.add_columns(
            TableColumn("color", 4, 1.0, interpolated=False, color_space="srgb"),
            TableColumn("visible", 1, True, dtype=np.bool_, interpolated=False),
            *[
                TableColumn(name, 1, 0, dtype=np.int32, interpolated=False)
                for name in ("mesh", "layer")
            ],
        )
        super().__init__(table, blend, columns)
        self._meshes = PointLists()
        table.codes["mesh"] = Codes(self._meshes.paths)
        # the mesh of rows that `extend` adds
        self._mesh_index(polygon_meshes.box((0.5, 0.5), None))
        self._start_with(0, capacity)

    # -- polygons ----------------------------------------------------------------------------------

    def add_box(
        self,
        position: Pair,
        size: Pair,
        *,
        tile: float | Pair | None = None,
        pivot: Pair = (0.5, 0.5),
        **look: Unpack[PolygonLook],
    ) -> Polygon:
        """Add a box that shows the image once or in tiles.

        ``tile`` is the size (width, height) of one tile in units. If you pass a single number, the
        tiles are square. If you change the size of the box, the tiles keep their size. For tiles,
        create the batch with ``wrap="repeat"`` or ``"mirror"``.

        ``pivot`` is the point of the box that is placed at ``position``. A ``pivot`` of (0, 0) is
        the bottom left corner of the box, and a ``pivot`` of (1, 1) is the top right corner. The
        box rotates and scales around the pivot. ``pivot`` defaults to the center of the box. Other
        keywords set columns, such as ``angle`` or ``color``.
        """
        mesh = polygon_meshes.box(checks.pair("pivot", pivot), self._tile(tile))
        return self._add(mesh, position, checks.pair("size", size, least=0), look)

    def add_nine_slice(
        self,
        position: Pair,
        size: Pair,
        slices: float | Sequence[float],
        *,
        pivot: Pair = (0.5, 0.5),
        **look: Unpack[PolygonLook],
    ) -> Polygon:
        """Add a 9-slice: a box whose corners keep their size, such as a frame or a panel.

        ``slices`` are the widths of the left, bottom, right and top strips, in pixels of the image.
        A single number sets all four widths. At scale 1, a strip that is 8 pixels wide in the image
        is 8 units wide. The parts of the image between the strips are stretched. If the box is
        smaller than its strips, the strips shrink. For ``pivot`` and the other keywords, see
        `add_box`.
        """
        widths = _checked_slices(slices)
        mesh = polygon_meshes.sliced(checks.pair("pivot", pivot), widths)
        return self._add(mesh, position, checks.pair("size", size, least=0), look)

    def add_polygon(
        self,
        points: ArrayLike,
        *,
        position: Pair = (0.0, 0.0),
        uvs: ArrayLike | None = None,
        triangles: ArrayLike | None = None,
        tile: float | Pair | None = None,
        colors: ArrayLike | None = None,
        **look: Unpack[PolygonLook],
    ) -> Polygon:
        """Add a polygon. ``points`` are the corners of the polygon in units from ``position``, with
        the shape (n, 2).

        If you change ``angle``, the polygon rotates around ``position``.

        ``uvs`` contains one texture coordinate per point and has the shape (n, 2). A ``uvs`` value
        of (0, 0) is the bottom left corner of the image. A value of (1, 1) is the top right corner.
        If you set neither ``uvs`` nor ``tile``, the image is stretched over the bounding box. With
        ``tile``, the image repeats every ``tile`` units.

        ``triangles`` contains three point indices for each triangle, and has the shape (m, 3).
        Without ``triangles``, ``points`` is the outline of the polygon, in clockwise or
        counter-clockwise order. The outline must not cross itself. ``colors`` contains one color
        per point, by which the image is multiplied. The colors are sRGB from 0 to 1, in an array of
        the shape (n, 4). If you change the column ``size``, the polygon is stretched to the new
        size.
        """
        positions: Doubles = checks.vectors("points", points, 2)
        if uvs is not None and tile is not None:
            raise ValueError("tile: expected no uvs, which set the position of the image already")
        if triangles is None:
            outline = checked_ring("points", positions)
            if not (uvs is colors is None):
                _check_same_points(positions, outline)
            positions = outline
        corners = self._triangles(positions, triangles)
        n = len(positions)
        coordinates = None if uvs is None else checks.numbers("uvs", uvs, (n, 2))
        tints = np.ones((n, 4)) if colors is None else checks.numbers("colors", colors, (n, 4))
        mesh, size = polygon_meshes.polygon(
            positions, corners, coordinates, self._tile(tile), tints
        )
        return self._add(mesh, position, (float(size[0]), float(size[1])), look)

    def add(self, *points: object, **columns: ArrayLike) -> Polygon:
        """Add a box that shows the image once. Keywords such as ``position=`` and ``color=`` set
        columns.

        For a tiled image or a pivot, use `add_box`.
        """
        if points:
            raise TypeError(
                "add: expected columns by their names, as position=; points go to "
                "add_polygon(points)"
            )
        index: int = self.extend(1, **columns).start
        return self._handle(index)

    def _triangles(self, points: Doubles, triangles: ArrayLike | None) -> Rows:
        corners = outlines.triangles(points) if triangles is None else triangles
        checked = checks.whole_numbers("triangles", corners, (None, 3))
        if not 0 < len(checked) <= MAX_TRIANGLES:
            raise ValueError(
                f"triangles: expected 1 to {MAX_TRIANGLES:,}, got {len(checked):,}; use "
                "several polygons"
            )
        wrong = checked[(checked < 0) | (checked >= len(points))]
        if len(wrong):
            raise ValueError(f"triangles: there are {len(points)} points, got index {wrong[0]}")
        return checked

    def _tile(self, tile: float | Pair | None) -> Pair | None:
        if tile is None:
            return None
        if self._wrap == ("clamp", "clamp"):
            raise ValueError(
                'tile: expected a batch that repeats its image: fw.Polygons(image, wrap="repeat")'
            )
        return checks.pair(
            "tile", tile if isinstance(tile, tuple | list) else (tile, tile), above=0
        )

    def _mesh_index(self, mesh: PolygonMesh) -> int:
        return self._meshes.number(polygon_meshes.texels(mesh))

    def _add(self, mesh: PolygonMesh, position: Pair, size: Pair, look: PolygonLook) -> Polygon:
        for name in look:
            if name not in _ROW:
                raise TypeError(
                    meant_option("polygons", name, _ROW)
                    or f"{name}: no such argument; the nearest are {checks.nearest(name, _ROW)}"
                )
        if "color" in look:
            look = {**look, "color": checks.color("color", look["color"])}
        row = {"position": checks.pair("position", position), "size": size, **look}
        values = self._checked_row(row)
        return self._add_row([*values, (self._table.column("mesh"), self._mesh_index(mesh))])

    def _parts(self) -> PolygonParts:
        return PolygonParts(
            self._table,
            self._blend,
            self._meshes,
            self._image,
            self._wrap,
            self._filter,
            self._smooth,
        )


def _checked_slices(slices: float | Sequence[float]) -> tuple[float, float, float, float]:
    four = (slices,) * 4 if checks.ndim(slices) == 0 else slices
    widths = checks.numbers("slices", four, (4,))
    if not (widths >= 0).all():
        raise checks.wrong_value(
            "slices", "pixels, at least 0: one number, or left, bottom, right, top", slices
        )
    left, bottom, right, top = widths.tolist()
    return left, bottom, right, top


def _check_same_points(points: Doubles, outline: Doubles) -> None:
    """Raise `ValueError` if ``outline`` lacks points that are equal to the point before. Their texture
    coordinates and colors would belong to no point.
    """
    if len(outline) != len(points):
        raise ValueError(
            "points: expected points that differ from the one before, with uvs or colors"
        )


class _Poses(PoseTable2D):
    """The table with the rows of a `Polygons` batch. In addition to the columns of its base class,
    the table has the columns size, skew and scroll.

    Like the position, the size, skew and scroll are interpolated between ticks.
    """

    __slots__ = ()

    def _further(self) -> tuple[TableColumn, ...]:
        size = TableColumn("size", 2, 1.0, interpolated=True)
        scroll = TableColumn("scroll", 2, 0.0, interpolated=True)
        return size, TableColumn("skew", 1, 0.0, interpolated=True), scroll


@handle_of(Polygons)
@made_by("write polygons = self.add(fw.Polygons(image)) and polygons.add(…)")
class Polygon(Handle[Polygons]):
    """One polygon of a `Polygons` batch. You can read and write the columns of the batch as
    properties of the polygon.

    A `Polygon` is returned by ``polygons[row]`` and by all ``add_…`` methods, such as
    ``polygons.add_box(…)``. After the polygon has been removed, its properties and methods raise
    `ValueError`.
    """

    __slots__ = ()

    _noun = "polygon"

    position = RowValue[Pair]("The position (x, y) of the polygon in units, y up.")
    x = RowCoordinate(0, "The x coordinate of the polygon in units.")
    y = RowCoordinate(1, "The y coordinate of the polygon in units. Positive y is up.")
    angle = RowValue[float]("The angle of the polygon in radians, counter-clockwise.")
    scale = RowValue[Pair]("The scale factors in x and y. One number sets both factors.")
    size = RowValue[Pair]("The width and height of the polygon in units.")
    skew = RowValue[float]("The angle in radians by which the polygon's upward axis is slanted.")
    scroll = RowValue[Pair](
        "The offset of the image on the polygon, in widths and heights of the image."
    )
    color = RowColor(
        "The color in sRGB (red, green, blue, alpha) from 0 to 1, or a string such as '#f80'. A "
        "color of three numbers does not change alpha."
    )
    alpha = RowAlpha()
    visible = RowValue[bool]("Whether the polygon is drawn.")
    layer = RowValue[int]("The layer of the polygon. Higher layers are drawn over lower layers.")

    def __repr__(self) -> str:
        return "<Polygon, removed>" if self.removed else f"<Polygon at {self.position}>"
