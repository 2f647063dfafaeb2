"""Draw lines, circles, arcs, boxes and polygons with smooth edges, in one draw call.

For each pixel, the shader computes the distance to the nearest edge of the shape, and from it the
fraction of the pixel that the shape covers. Therefore, the edges of shapes are smooth at any zoom.
"""

from __future__ import annotations

__all__ = ["Shape", "Shapes"]

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Self, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles, Floats
from ..moved_names import HasMoved, moved, renamed_options
from ..other_engines.other_names import words
from ..other_engines.other_options import made_by, meant_option, other_options
from ..other_engines.plane_names import shape_names, shapes_names
from ..state.columns import Codes, ColumnValues, TableColumn, small_number
from ..state.rows import Handle, RowAlpha, RowColor, RowCoordinate, RowValue, handle_of
from ..state.transforms2d import PoseTable2D
from .layered_batch import Layered
from .point_lists import PointLists, checked_path, checked_ring, joined

# Bits of the column ``look``. shaders/include/outlines.glsl has the same numbers.
KINDS = {"box": 0, "ellipse": 1, "arc": 2, "path": 3, "line": 4, "circle": 5}
KIND_BITS = 7
_JOINS = {"round": 0, "miter": 8, "bevel": 16}
_BUTT = 32
EDGED = 256
_CLOSED = 512
DASHED = 2048
_GRADIENTS = {None: 0, "linear": 64, "radial": 128}

_MITER_LIMIT = 4.0  # the same limit as in SVG (sharper corners are cut off)

Color = str | Sequence[float]
Pair = tuple[float, float]

_HIDDEN = (0.0, 0.0, 0.0, 0.0)


_MOVED_COLORS = {"edge_color": "stroke_color", "end_color": "gradient_to"}
_MOVED_OPTIONS = {"width": "stroke_width", **_MOVED_COLORS}


class LineLook(TypedDict, total=False):
    """The keywords of every ``add_…`` method, such as ``color`` and ``angle``; see `Shapes`."""

    color: Color
    layer: int
    visible: bool
    angle: float
    scale: float | Pair
    gradient: str | None
    gradient_to: Color
    gradient_angle: float
    dash: Pair | None


class AreaLook(LineLook, total=False):
    """The keywords for shapes with an area, such as ``stroke_width``. The keywords of `LineLook`
    are included.
    """

    stroke_width: float
    stroke_color: Color | None


class JoinedLook(AreaLook, total=False):
    """The keywords for shapes with an area and corners, such as ``join``. The keywords of
    `AreaLook` are included.
    """

    join: str


class ShapeParts(NamedTuple):
    """The objects that a `Shapes` batch passes to its backend, the object that draws the shapes."""

    table: PoseTable2D
    blend: str
    contours: PointLists
    """The points of all paths and polygons in the batch."""


@shapes_names
@moved("shapes", {"add_regular": "add_ngon"}, settings=_MOVED_COLORS)
class Shapes(Layered["Shape"], HasMoved):
    """A batch of lines, circles, arcs, boxes and polygons with smooth edges.

        self.shapes = self.add(fw.Shapes())

    ``blend`` is the blend mode; see `SpriteBatch`. The batch reserves memory for ``capacity`` rows.
    ``columns`` adds your own columns: a dict from column names to default values, such as
    ``{"hp": 3.0}``. See `fw.Column`. The ``add_…`` methods do not set these columns: set them on
    the new `Shape`.

    Each ``add_…`` method returns a `Shape`. To change the shape later, set the properties of this
    object. Lengths and positions are in units, y up. Angles are in radians, counter-clockwise from
    the direction to the right. Every ``add_…`` method has the following keywords:

    - ``color``, ``layer``, ``visible``, ``angle`` and ``scale``. Shapes of higher layers are drawn
      over shapes of lower layers.
    - ``gradient="linear"`` or ``"radial"``: a gradient from ``color`` to the color ``gradient_to``.
      ``gradient_angle`` is the direction of a linear gradient. ``gradient_to`` defaults to
      ``color`` with alpha 0.
    - ``stroke_width``, for shapes with an area: the width of the outline in units. Half of this
      width lies inside the edge of the shape. With a ``stroke_width`` of 0 (the default), the shape
      is filled with ``color``.
    - ``stroke_color``, for shapes with an area: the color of the outline. A shape with a
      ``stroke_color`` is filled and also has an outline.
    - ``dash=(dash, gap)``, for lines and outlines: the length of each dash and of each gap, in
      units.

    Columns
    -------
    ``position`` (n, 2), ``angle`` (n,), ``scale`` (n, 2), ``size`` (n, 2) and ``color`` (n, 4) are
    float32 columns. The columns position, angle, scale, size and color are interpolated between
    ticks. ``scale`` also scales the line width, by the mean of its x and y factors.

    ``gradient_to`` and ``stroke_color`` (n, 4), ``visible`` (n,) bool and ``layer`` (n,) int32 are
    not interpolated. ``stroke`` (n, 4) contains four lengths in units: the line width, the dash,
    the gap, and the shift of the dashes along the line. ``form`` (n, 4) contains the corner radius
    of a box, or the start angle and the sweep angle of an arc. The last number in ``form`` is the
    angle of the gradient.
    """

    __slots__ = ("_contours",)

    _transient_attributes = ("_contours", "_growth", "_may_grow")
    _noun = "shapes"
    _backend_in = "framework.plane.shape_drawing"

    position = ColumnValues[Floats]("Centers in units, y up: float32 (n, 2), interpolated.")
    angle = ColumnValues[Floats](
        "Angles in radians, counter-clockwise: float32 (n,), interpolated."
    )
    scale = ColumnValues[Floats]("Scale factors in x and y: float32 (n, 2), interpolated.")
    size = ColumnValues[Floats](
        "Widths and heights in units, without the stroke: float32 (n, 2), interpolated."
    )
    color = ColumnValues[Floats](
        "Colors in sRGB (red, green, blue, alpha) from 0 to 1: float32 (n, 4), interpolated."
    )
    gradient_to = ColumnValues[Floats]("The colors at the end of gradients: float32 (n, 4).")
    stroke_color = ColumnValues[Floats]("Colors of the outlines of filled shapes: float32 (n, 4).")
    stroke = ColumnValues[Floats](
        "The line width, the length of dashes, the length of gaps, and the shift of the dashes, "
        "in units. The array is float32 with the shape (n, 4)."
    )
    form = ColumnValues[Floats](
        "The first numbers are the corner radius of a box, or the start and sweep of an arc. The "
        "last number is the angle of the gradient. The array is float32 with the shape (n, 4)."
    )
    visible = ColumnValues[NDArray[np.bool_]]("Whether each shape is drawn: bool (n,).")
    layer = ColumnValues[NDArray[np.int32]](
        "The layer of each shape: int32 (n,). Higher layers are drawn over lower layers."
    )

    def __init__(
        self,
        *,
        blend: str = "alpha",
        capacity: int = 0,
        columns: Mapping[str, Any] | None = None,
    ) -> None:
        table = _Poses()
        gradient_to = TableColumn("gradient_to", 4, 0.0, interpolated=False, color_space="srgb")
        stroke_color = TableColumn("stroke_color", 4, 0.0, interpolated=False, color_space="srgb")
        stroke = TableColumn("stroke", 4, 0.0, interpolated=False)
        form = TableColumn("form", 4, 0.0, interpolated=False)
        look = TableColumn("look", 1, 0, dtype=np.int32, interpolated=False)
        path = TableColumn("path", 1, 0, dtype=np.int32, interpolated=False)
        layer = TableColumn("layer", 1, 0, dtype=np.int32, interpolated=False)
        visible = TableColumn("visible", 1, True, dtype=np.bool_, interpolated=False)
        table.add_columns(gradient_to, stroke_color, stroke, form, look, visible, path, layer)
        super().__init__(table, blend, columns)
        self._contours = PointLists()
        self._table.codes["path"] = Codes(self._contours.paths)
        self._contours.number(np.zeros((1, 2), np.float32))  # list 0 is for shapes without a path
        self._start_with(0, capacity)

    # -- shapes ------------------------------------------------------------------------------------

    @renamed_options("Shapes.add_circle", **_MOVED_OPTIONS)
    @other_options(_="write shapes.add_circle((x, y), 20)")
    def add_circle(self, position: Pair, radius: float, **look: Unpack[AreaLook]) -> Shape:
        """Add a filled circle.

        With ``stroke_width``, the shape is a ring, and ``radius`` is the distance from the center
        to the middle of the line.
        """
        return self._add(
            "circle", position, (2 * checks.number("radius", radius, above=0),) * 2, look
        )

    @renamed_options("Shapes.add_ellipse", **_MOVED_OPTIONS)
    def add_ellipse(self, position: Pair, size: Pair, **look: Unpack[AreaLook]) -> Shape:
        """Add a filled ellipse. ``size`` is the width and height of the ellipse in units."""
        return self._add("ellipse", position, checks.pair("size", size, above=0), look)

    @renamed_options("Shapes.add_arc", **_MOVED_COLORS)
    def add_arc(
        self,
        position: Pair,
        radius: float,
        start: float,
        sweep: float,
        width: float = 1.0,
        *,
        cap: str = "round",
        **look: Unpack[LineLook],
    ) -> Shape:
        """Add an arc, which is a part of a circle's outline. The arc begins at the angle ``start``
        and covers ``sweep`` radians.

        If ``sweep`` is negative, the arc goes clockwise from ``start``. ``cap`` is the shape of the
        two ends: "round", or "butt" for flat ends.
        """
        size = (2 * checks.number("radius", radius, above=0),) * 2
        form = _arc(start, sweep)
        return self._add(
            "arc",
            position,
            size,
            look,
            width=_checked_width(width),
            form=form,
            bits=_cap(cap),
            stroked=True,
        )

    @renamed_options("Shapes.add_sector", **_MOVED_OPTIONS)
    def add_sector(
        self, position: Pair, radius: float, start: float, sweep: float, **look: Unpack[AreaLook]
    ) -> Shape:
        """Add a filled sector of a disc, like a slice of pizza. With a ``stroke_width``, only the
        arc along the outer edge is drawn. For ``start`` and ``sweep``, see `add_arc`.
        """
        size = (2 * checks.number("radius", radius, above=0),) * 2
        return self._add("arc", position, size, look, form=_arc(start, sweep))

    @renamed_options("Shapes.add_box", **_MOVED_OPTIONS)
    @other_options(_="write shapes.add_box((x, y), (40, 20))")
    def add_box(
        self, position: Pair, size: Pair, *, corner: float = 0.0, **look: Unpack[AreaLook]
    ) -> Shape:
        """Add a box with its center at ``position``.

        ``corner`` is the radius of the rounded corners, in units. With a ``corner`` of 0 (the
        default), the corners are sharp.
        """
        if look.get("dash") is not None:
            raise ValueError("dash: a box cannot have dashes; pass its corners to add_polygon")
        sides = checks.pair("size", size, above=0)
        return self._add(
            "box", position, sides, look, form=(checks.number("corner", corner, least=0), 0.0, 0.0)
        )

    @renamed_options("Shapes.add_line", **_MOVED_COLORS)
    @other_options(_="write shapes.add_line((0, 0), (9, 9))")
    def add_line(
        self,
        start: Pair,
        end: Pair,
        width: float = 1.0,
        *,
        cap: str = "round",
        **look: Unpack[LineLook],
    ) -> Shape:
        """Add a straight line from ``start`` to ``end``.

        ``cap`` is the shape of the two ends. A "butt" end is flat, and exactly at the point. A
        "round" end adds a half circle beyond the point.
        """
        position, angle, length = _line_pose(start, end)
        turned: LineLook = {"angle": angle, **look}
        return self._add(
            "line",
            position,
            (length, 0.0),
            turned,
            width=_checked_width(width),
            bits=_cap(cap),
            stroked=True,
        )

    @renamed_options("Shapes.add_path", **_MOVED_COLORS)
    def add_path(
        self,
        points: ArrayLike,
        width: float = 1.0,
        *,
        closed: bool = False,
        join: str = "miter",
        cap: str = "round",
        position: Pair | None = None,
        **look: Unpack[LineLook],
    ) -> Shape:
        """Add a line through ``points``. ``points`` has the shape (n, 2), with at most 512 points.

        With ``closed=True``, a line also connects the last point with the first point.

        ``join`` is the shape of the corners: "round", "bevel" or "miter". A "miter" corner is
        pointed, but the tips of very sharp corners are cut off. ``cap`` is the shape of the two
        ends: "round", or "butt" for flat ends. If ``position`` is set, the center of the path's
        bounding box is at ``position``. If ``position`` is None, ``points`` are positions in the
        world.
        """
        closed = checks.flag("closed", closed)
        bits = _cap(cap) | _JOINS[checks.choice("join", join, _JOINS)] | (_CLOSED if closed else 0)
        checked = checked_path("points", points, closed)
        return self._add_points(
            checked, position, look, width=_checked_width(width), bits=bits, stroked=True
        )

    @renamed_options("Shapes.add_polygon", **_MOVED_OPTIONS)
    @other_options(_="write shapes.add_polygon([(0, 0), (9, 0), (0, 9)])")
    def add_polygon(
        self,
        points: ArrayLike,
        *,
        join: str = "miter",
        position: Pair | None = None,
        **look: Unpack[AreaLook],
    ) -> Shape:
        """Add a filled polygon with the corners ``points``. ``points`` has the shape (n, 2), with
        at most 512 points. The points may be in clockwise or counter-clockwise order.

        The edges of the polygon must not cross each other. For ``join`` and ``position``, see
        `add_path`.
        """
        bits = _CLOSED | _JOINS[checks.choice("join", join, _JOINS)]
        return self._add_points(checked_ring("points", points), position, look, bits=bits)

    @renamed_options("Shapes.add_star", **_MOVED_OPTIONS)
    def add_star(
        self,
        position: Pair,
        radius: float,
        points: int = 5,
        *,
        inner: float = 0.5,
        **look: Unpack[JoinedLook],
    ) -> Shape:
        """Add a star with ``points`` tips. One tip points up.

        ``inner`` is the distance of the inner corners from the center, as a fraction of ``radius``.
        """
        radius = checks.number("radius", radius, above=0)
        count = checks.whole("points", points, 3, 200)
        share = checks.number("inner", inner, above=0, most=1)
        angle = np.arange(2 * count) * np.pi / count + np.pi / 2
        distances = np.where(np.arange(2 * count) % 2, share * radius, radius)
        return self._add_round(_polar_points(distances, angle), position, radius, look)

    @renamed_options("Shapes.add_ngon", **_MOVED_OPTIONS)
    def add_ngon(
        self, position: Pair, radius: float, sides: int, **look: Unpack[JoinedLook]
    ) -> Shape:
        """Add a regular polygon with ``sides`` sides and a corner at the top."""
        radius = checks.number("radius", radius, above=0)
        count = checks.whole("sides", sides, 3, 512)
        angle = np.arange(count) * 2 * np.pi / count + np.pi / 2
        return self._add_round(_polar_points(radius, angle), position, radius, look)

    @renamed_options("Shapes.add", **_MOVED_COLORS)
    def add(self, **columns: Any) -> Shape:
        """Add one shape. The keyword arguments are the same as those of `extend`, except for
        ``count``.

        For a single shape, ``add_circle``, ``add_line`` and similar methods are easier to use than
        `add`.
        """
        index: int = self.extend(1, **columns).start
        return self._handle(index)

    @renamed_options("Shapes.extend", **_MOVED_COLORS)
    def extend(  # type: ignore[override]
        self, count: int, kind: str = "circle", **columns: ArrayLike
    ) -> slice:
        """Add ``count`` shapes of one kind, and return a slice with the rows of the new shapes.

        ``kind`` is "circle", "ellipse", "box", "line" or "arc". Keywords set columns: ``extend(500,
        "box", position=…, size=…, color=…)``.
        """
        kinds = [name for name in KINDS if name != "path"]
        look = np.full(
            self._room_for("count", count), KINDS[checks.choice("kind", kind, kinds)], np.int32
        )
        return super().extend(
            count, **{"stroke": (float(kind == "line"), 0, 0, 0), "look": look, **columns}
        )

    def _add_round(
        self, points: Doubles, position: Pair, radius: float, look: Mapping[str, object]
    ) -> Shape:
        """Add a star or a regular polygon with corners on circles. The shape rotates around the
        center of these circles.
        """
        bits = _CLOSED | _JOINS[checks.choice("join", look.get("join", "miter"), _JOINS)]
        look = {name: value for name, value in look.items() if name != "join"}
        low = np.full(2, -radius)
        return self._add_points(
            checked_ring("points", points),
            checks.pair("position", position),
            look,
            (low, -low),
            bits=bits,
        )

    def _add_points(
        self,
        points: Doubles,
        position: Pair | None,
        look: Mapping[str, object],
        box: tuple[Doubles, Doubles] | None = None,
        *,
        bits: int,
        width: float = 0.0,
        stroked: bool = False,
    ) -> Shape:
        low, high = (points.min(axis=0), points.max(axis=0)) if box is None else box
        middle: Doubles = (low + high) / 2
        size: Doubles = high - low
        if position is None:
            x, y = middle.tolist()
            center: Pair = x, y
        else:
            center = checks.pair("position", position)
        shares = (points - middle) / np.where(size > 0, size, 1)
        closed = bool(bits & _CLOSED)
        form = (joined(points, closed, _MITER_LIMIT), 0.0, 0.0)
        number = self._contours.number(np.ascontiguousarray(shares, np.float32))
        return self._add(
            "path",
            center,
            (float(size[0]), float(size[1])),
            look,
            form=form,
            width=width,
            bits=bits,
            path=number,
            stroked=stroked,
        )

    def _add(
        self,
        kind: str,
        position: Pair,
        size: Pair,
        look: Mapping[str, object],
        *,
        form: Sequence[float] = (0.0, 0.0, 0.0),
        width: float = 0.0,
        bits: int = 0,
        path: int = 0,
        stroked: bool = False,
    ) -> Shape:
        checks.pair("position", position)
        paint, gradient_angle, row = _paint(look, width, stroked)
        row |= {
            "position": position,
            "size": size,
            "path": path,
            "look": KINDS[kind] | bits | paint,
            "form": (*form, gradient_angle),
        }
        return self._add_row(self._checked_row(row))

    def _sizes(self, count: int) -> Floats:
        table = self._table
        sizes: Floats = table.column("size").current(count) * table.column("scale").current(count)
        return sizes

    def _parts(self) -> ShapeParts:
        return ShapeParts(self._table, self._blend, self._contours)


class _Poses(PoseTable2D):
    """The table with the rows of a `Shapes` batch. In addition to the columns of its base class,
    the table has the columns size and color.

    Like the position, the size and color are interpolated between ticks.
    """

    __slots__ = ()

    def _further(self) -> tuple[TableColumn, ...]:
        color = TableColumn("color", 4, 1.0, interpolated=True, color_space="srgb")
        return TableColumn("size", 2, 1.0, interpolated=True), color


class _StrokeCell(RowValue[float]):
    """A property of a `Shape` that reads and writes one number in the column ``stroke`` or
    ``form``.
    """

    def __init__(
        self,
        column: str,
        index: int,
        doc: str,
        check: Callable[[str, object], float] = small_number,
    ) -> None:
        super().__init__(doc)
        self._column = column
        self._place = index
        self._check = check

    @overload
    def __get__(self, handle: None, owner: type) -> Self: ...
    @overload
    def __get__(self, handle: Handle[Any], owner: type) -> float: ...
    def __get__(self, handle: Handle[Any] | None, owner: type) -> Self | float:
        return (
            self
            if handle is None
            else float(handle._table.column(self._column).data[handle._row][self._place])
        )

    def __set__(self, handle: Handle[Any], value: object) -> None:
        number = self._check(self.name, value)
        column = handle._table.column(self._column)
        column.data[handle._row, self._place] = number
        column.touch()


def _at_least_0(name: str, value: object) -> float:
    return checks.number(name, small_number(name, value), least=0)


@handle_of(Shapes)
@shape_names
@moved("shape", {}, settings={**_MOVED_COLORS, "width": "stroke_width"})
@made_by("write shapes = self.add(fw.Shapes()) and shapes.add_circle((x, y), 20)")
class Shape(Handle[Shapes], HasMoved):
    """One shape of a `Shapes` batch. You can read and write the columns of the batch as properties
    of the shape.

    A `Shape` is returned by ``shapes[row]`` and by all ``add_…`` methods, such as
    ``shapes.add_circle(…)``. After the shape has been removed, its properties and methods raise
    `ValueError`.
    """

    __slots__ = ()

    _noun = "shape"

    position = RowValue[Pair]("The center (x, y) of the shape in units, y up.")
    x = RowCoordinate(0, "The x coordinate of the shape's center, in units.")
    y = RowCoordinate(1, "The y coordinate of the shape's center, in units. Positive y is up.")
    angle = RowValue[float]("The angle of the shape in radians, counter-clockwise.")
    scale = RowValue[Pair]("The scale factors in x and y. One number sets both factors.")
    size = RowValue[Pair]("The width and height of the shape in units, without the stroke.")
    color = RowColor(
        "The color in sRGB (red, green, blue, alpha) from 0 to 1, or a string such as '#f80'. A "
        "color of three numbers does not change alpha."
    )
    gradient_to = RowColor("The color at the end of the shape's gradient.")
    stroke_color = RowColor(
        "The color of the outline, if the shape was added with a ``stroke_color``."
    )
    alpha = RowAlpha()
    visible = RowValue[bool]("Whether the shape is drawn.")
    layer = RowValue[int]("The layer of the shape. Higher layers are drawn over lower layers.")
    stroke_width = _StrokeCell(
        "stroke",
        0,
        "The width of the line or outline, in units. If the width is 0, a shape with an area is "
        "filled.",
        _at_least_0,
    )
    dash_shift = _StrokeCell(
        "stroke", 3, "The distance in units by which the dashes are moved along the line."
    )
    corner = _StrokeCell("form", 0, "The radius of a box's round corners, in units.", _at_least_0)
    start = _StrokeCell("form", 0, "The angle where an arc begins, in radians.")
    sweep = _StrokeCell(
        "form", 1, "The angle that an arc covers, in radians. A negative sweep is clockwise."
    )
    gradient_angle = _StrokeCell("form", 3, "The direction of a linear gradient, in radians.")

    def __repr__(self) -> str:
        return "<Shape, removed>" if self.removed else f"<Shape, {self.kind} at {self.position}>"

    @property
    def kind(self) -> str:
        """The kind of the shape: "box", "circle", "ellipse", "arc", "line" or "path". Polygons and
        stars have the kind "path".
        """
        number = int(self._table.column("look").data[self._row]) & KIND_BITS
        return next(name for name, kind in KINDS.items() if kind == number)

    @property
    def radius(self) -> float:
        """Half the width of the shape, in units.

        Setting ``radius`` sets both the width and the height to twice its value.
        """
        return self.size[0] / 2

    @radius.setter
    def radius(self, value: float) -> None:
        self.size = (2 * checks.number("radius", value, above=0),) * 2

    def connect(self, start: Pair, end: Pair) -> None:
        """Move a line so that it goes from ``start`` to ``end``, in units.

        Raises `ValueError` if the shape is not a line.
        """
        if self.kind != "line":
            raise ValueError(
                f"connect: expected a shape of add_line, got one of kind {self.kind!r}"
            )
        self.position, self.angle, length = _line_pose(start, end)
        self.size = length, 0.0


vars(Shape)["width"].message += "; the width of the shape itself is in shape.size = (40, 20)"

_OTHER_OPTIONS = {
    **dict.fromkeys(
        ("filled", "fill"), "a shape is filled; for an outline, write color=(0, 0, 0, 0)"
    ),
    **dict.fromkeys(("thickness", "line_width", "border_width"), "did you mean stroke_width?"),
    **words(
        "corner_radius rounding border_radius", "write shapes.add_box((x, y), (40, 20), corner=5)"
    ),
    "opacity": "the fourth number of color= is the opacity",
    "alpha": "the fourth number of color= is the opacity",
}
"""For options of other engines that users may try, the advice that the error message gives."""
_ROW = ("layer", "visible", "angle", "scale")
_PAINT = ("color", "gradient_to", "gradient", "gradient_angle", "stroke_color", "dash", *_ROW)


def _paint(
    look: Mapping[str, object], width: float, stroked: bool
) -> tuple[int, float, dict[str, object]]:
    """Check the options of a new shape, and return a tuple of three values. The tuple contains the
    bits of the column ``look``, the angle of the gradient, and a dict with the values of other
    columns.
    """
    _check_names(look, _PAINT if stroked else (*_PAINT, "stroke_width"))
    row: dict[str, object] = {name: value for name, value in look.items() if name in _ROW}
    color = row["color"] = checks.color("color", look.get("color", (1.0, 1.0, 1.0, 1.0)))
    width = checks.number("stroke_width", look.get("stroke_width", width), least=0)
    gradient = checks.choice("gradient", look.get("gradient"), _GRADIENTS)
    bits = _GRADIENTS[gradient]
    faded = _HIDDEN if gradient is None else (*color[:3], 0.0)
    row["gradient_to"] = checks.color("gradient_to", look.get("gradient_to", faded))
    gradient_angle = checks.number("gradient_angle", look.get("gradient_angle", 0.0))
    edge = look.get("stroke_color")
    if edge is not None:
        if stroked or not width:
            raise ValueError(
                "stroke_color: expected with a stroke_width, for a shape that has an area"
            )
        bits |= EDGED
    row["stroke_color"] = _HIDDEN if edge is None else checks.color("stroke_color", edge)
    dash, gap = _checked_dash(look.get("dash"), width)
    bits |= DASHED if dash else 0
    row["stroke"] = (width, dash, gap, 0.0)
    return bits, gradient_angle, row


def _check_names(look: Mapping[str, object], allowed: Sequence[str]) -> None:
    """Raise `TypeError` if an option of a new shape is not allowed."""
    for name in look:
        if name not in allowed:
            raise TypeError(
                meant_option("shapes", name, allowed, _OTHER_OPTIONS)
                or f"{name}: no such argument; the nearest are {checks.nearest(name, allowed)}"
            )


def _checked_dash(dash: object, width: float) -> tuple[float, float]:
    """Return the length of the dashes and of the gaps between them, in units. Without dashes, both
    are 0.
    """
    if dash is None:
        return 0.0, 0.0
    lengths = checks.pair("dash", dash, above=0)
    if not width:
        raise ValueError("dash: expected with a width, of a line or an outline")
    return lengths


def _checked_width(width: float) -> float:
    return checks.number("width", width, above=0)


def _cap(cap: str) -> int:
    return _BUTT if checks.choice("cap", cap, ("round", "butt")) == "butt" else 0


def _arc(start: float, sweep: float) -> tuple[float, float, float]:
    return checks.number("start", start), checks.number("sweep", sweep), 0.0


def _polar_points(radius: float | Doubles, angle: Doubles) -> Doubles:
    """Convert polar coordinates around (0, 0) to points. The array has the shape (n, 2)."""
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _line_pose(start: Pair, end: Pair) -> tuple[Pair, float, float]:
    """Return the center of a line in units, its angle in radians, and its length in units."""
    x, y = checks.pair("start", start)
    u, v = checks.pair("end", end)
    return ((x + u) / 2, (y + v) / 2), math.atan2(v - y, u - x), math.hypot(u - x, v - y)
