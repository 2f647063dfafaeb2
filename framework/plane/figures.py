"""Shapes in the plane: lines, circles, arcs, boxes, polygons, one a row, all in one draw call.

A shape's pixels are covered by as much as its edge leaves of them, which the fragment shader finds
from the distance to the edge: smooth at any zoom, without triangles.
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
from ..state.columns import Cells, Codes, Column, small_number
from ..state.rows import AlphaCell, Cell, ColorCell, Handle, PlaceCell, handle_of
from ..state.transforms2d import PoseTable2D
from .contours import Contours, contour, joined, ring
from .layered import Layered

# Bits of the column ``look``; shaders/include/outlines.glsl has them too.
KINDS = {"box": 0, "ellipse": 1, "arc": 2, "path": 3, "line": 4, "circle": 5}
KIND_BITS = 7
_JOINS = {"round": 0, "miter": 8, "bevel": 16}
_BUTT, EDGED, _CLOSED, DASHED = 32, 256, 512, 2048
_GRADIENTS = {None: 0, "linear": 64, "radial": 128}

_MITER_LIMIT = 4.0  # as SVG's: sharper corners are cut off

Color = str | Sequence[float]
Pair = tuple[float, float]

_HIDDEN = (0.0, 0.0, 0.0, 0.0)


class LineLook(TypedDict, total=False):
    """The options of each shape; see `Shapes`."""

    color: Color
    layer: int
    visible: bool
    angle: float
    scale: float | Pair
    gradient: str | None
    end_color: Color
    gradient_angle: float
    dash: Pair | None


class AreaLook(LineLook, total=False):
    """The options of a shape that has an area."""

    width: float
    edge_color: Color | None


class JoinedLook(AreaLook, total=False):
    """The options of a shape that has an area and corners."""

    join: str


class ShapeParts(NamedTuple):
    """The objects that `Shapes` share with their works."""

    table: PoseTable2D
    blend: str
    contours: Contours
    """The points of paths and polygons."""


class Shapes(Layered["Shape"]):
    """Lines, circles, arcs, boxes and polygons, drawn in one call: ``self.shapes =
    self.add(fw.Shapes())``.

    ``blend`` is as a `SpriteBatch`'s.

    Each ``add_…`` returns a `Shape`. Lengths are in units, y up; angles in radians,
    counter-clockwise from the right. Every ``add_…`` also takes

    - ``color``, ``layer`` (higher over lower), ``visible``, ``angle``, ``scale``;
    - ``gradient="linear"`` or ``"radial"``, with ``end_color``, the colour at its end (left out: it
      fades away), and ``gradient_angle``, which way a linear one runs;
    - what has an area: ``width``, of its outline, half of it within the edge; 0 fills it. With
      ``edge_color`` it is filled, and has the outline in that colour;
    - what is stroked: ``dash=(dash, gap)`` in units.

    Columns
    ------- ``position`` (n, 2), ``angle`` (n,), ``scale`` (n, 2), ``size`` (n, 2) and ``color`` (n,
    4): float32, interpolated. Scales make a shape larger, its strokes by their mean. ``end_color``
    and ``edge_color`` (n, 4); ``stroke`` (n, 4): width, dash, gap, how far the dashes are shifted;
    ``form`` (n, 4): a box's corner radius, or an arc's start and sweep; last, the gradient's angle.
    ``visible`` (n,) bool and ``layer`` (n,) int32.
    """

    __slots__ = ("_contours",)

    _transient_attributes = ("_contours",)
    _noun = "shapes"
    _works_in = "framework.plane.shape_drawing"

    position = Cells[Floats]("Of its middle, units, y up: float32 (n, 2), interpolated.")
    angle = Cells[Floats]("Radians, counter-clockwise: float32 (n,), interpolated.")
    scale = Cells[Floats]("Factors in x and y: float32 (n, 2), interpolated.")
    size = Cells[Floats]("Width and height without stroke, units: float32 (n, 2), interpolated.")
    color = Cells[Floats]("Red, green, blue, alpha, sRGB in 0..1: float32 (n, 4), interpolated.")
    end_color = Cells[Floats]("That at the end of a gradient: float32 (n, 4).")
    edge_color = Cells[Floats]("That of the outline of what is filled: float32 (n, 4).")
    stroke = Cells[Floats]("Width, dash, gap and shift of the dashes, units: float32 (n, 4).")
    form = Cells[Floats](
        "Corner radius, or start and sweep; the gradient's angle last: float32 (n, 4)."
    )
    visible = Cells[NDArray[np.bool_]]("Whether it is drawn: bool (n,).")
    layer = Cells[NDArray[np.int32]]("Higher is drawn over lower: int32 (n,).")

    def __init__(self, *, blend: str = "alpha", capacity: int = 0) -> None:
        table = _Poses()
        ends = [
            Column(name, 4, 0.0, interpolated=False, color_space="srgb")
            for name in ("end_color", "edge_color")
        ]
        numbers = [Column(name, 4, 0.0, interpolated=False) for name in ("stroke", "form")]
        look, path, layer = (
            Column(name, 1, 0, dtype=np.int32, interpolated=False)
            for name in ("look", "path", "layer")
        )
        visible = Column("visible", 1, True, dtype=np.bool_, interpolated=False)
        table.add_columns(*ends, *numbers, look, visible, path, layer)
        super().__init__(table, blend)
        self._contours = Contours()
        self._table.codes["path"] = Codes(self._contours.paths)
        self._contours.number(np.zeros((1, 2), np.float32))  # that of shapes that are none
        self._start_with(0, capacity)

    # -- shapes ------------------------------------------------------------------------------------

    def add_circle(self, position: Pair, radius: float, **look: Unpack[AreaLook]) -> Shape:
        """A disc, or with a ``width`` a ring, whose middle line has the ``radius``."""
        return self._add(
            "circle", position, (2 * checks.number("radius", radius, above=0),) * 2, look
        )

    def add_ellipse(self, position: Pair, size: Pair, **look: Unpack[AreaLook]) -> Shape:
        """As wide and as high as ``size`` says."""
        return self._add("ellipse", position, checks.pair("size", size, above=0), look)

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
        """A part of a circle's outline: from the angle ``start``, ``sweep`` radians on (negative:
        clockwise).

        ``cap``: its ends, "round" or "butt".
        """
        size = (2 * checks.number("radius", radius, above=0),) * 2
        form = _arc(start, sweep)
        return self._add(
            "arc", position, size, look, width=_wide(width), form=form, bits=_cap(cap), stroked=True
        )

    def add_sector(
        self, position: Pair, radius: float, start: float, sweep: float, **look: Unpack[AreaLook]
    ) -> Shape:
        """A slice of a disc, filled; see `add_arc`. With ``width`` it is an arc."""
        size = (2 * checks.number("radius", radius, above=0),) * 2
        return self._add("arc", position, size, look, form=_arc(start, sweep))

    def add_box(
        self, position: Pair, size: Pair, *, corner: float = 0.0, **look: Unpack[AreaLook]
    ) -> Shape:
        """A box about ``position``, its corners rounded by the radius ``corner``."""
        if look.get("dash") is not None:
            raise ValueError("dash: a box has none; add its corners as a polygon")
        sides = checks.pair("size", size, above=0)
        return self._add(
            "box", position, sides, look, form=(checks.number("corner", corner, least=0), 0.0, 0.0)
        )

    def add_line(
        self,
        start: Pair,
        end: Pair,
        width: float = 1.0,
        *,
        cap: str = "round",
        **look: Unpack[LineLook],
    ) -> Shape:
        """A straight line. ``cap``: its ends, "round" (beyond them, by half the width) or
        "butt".
        """
        position, angle, length = _between(start, end)
        turned: LineLook = {"angle": angle, **look}
        return self._add(
            "line",
            position,
            (length, 0.0),
            turned,
            width=_wide(width),
            bits=_cap(cap),
            stroked=True,
        )

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
        """A line through ``points`` (n, 2), at most 512; ``closed``, also from the last to the
        first.

        ``join``: its corners, "miter" (sharp ones are cut off), "round" or "bevel". ``position`` is
        where the middle of its box is to lie, if not where the points have it.
        """
        closed = checks.flag("closed", closed)
        bits = _cap(cap) | _JOINS[checks.choice("join", join, _JOINS)] | (_CLOSED if closed else 0)
        places = contour("points", points, closed)
        return self._add_points(places, position, look, width=_wide(width), bits=bits, stroked=True)

    def add_polygon(
        self,
        points: ArrayLike,
        *,
        join: str = "miter",
        position: Pair | None = None,
        **look: Unpack[AreaLook],
    ) -> Shape:
        """The area within ``points`` (n, 2), in either direction, at most 512; it must not cross
        itself.
        """
        bits = _CLOSED | _JOINS[checks.choice("join", join, _JOINS)]
        return self._add_points(ring("points", points), position, look, bits=bits)

    def add_star(
        self,
        position: Pair,
        radius: float,
        points: int = 5,
        *,
        inner: float = 0.5,
        **look: Unpack[JoinedLook],
    ) -> Shape:
        """A star; ``inner`` is how far in its inner corners are, as a part of the radius."""
        radius = checks.number("radius", radius, above=0)
        count, part = (
            checks.whole("points", points, 3, 200),
            checks.number("inner", inner, above=0, most=1),
        )
        angle = np.arange(2 * count) * np.pi / count + np.pi / 2
        far = np.where(np.arange(2 * count) % 2, part * radius, radius)
        return self._add_round(_round(far, angle), position, radius, look)

    def add_regular(
        self, position: Pair, radius: float, sides: int, **look: Unpack[JoinedLook]
    ) -> Shape:
        """A polygon of ``sides`` equal sides, one corner up."""
        radius, count = (
            checks.number("radius", radius, above=0),
            checks.whole("sides", sides, 3, 512),
        )
        angle = np.arange(count) * 2 * np.pi / count + np.pi / 2
        return self._add_round(_round(radius, angle), position, radius, look)

    def add(self, **columns: Any) -> Shape:
        """See `extend`; a shape is rather made by ``add_circle``, ``add_line`` and so on."""
        index: int = self.extend(1, **columns).start
        return self._handle(index)

    def extend(  # type: ignore[override]
        self, count: int, kind: str = "circle", **columns: ArrayLike
    ) -> slice:
        """``count`` shapes of a kind at once, "circle", "ellipse", "box", "line" or "arc"; returns
        their rows.

        Keyword arguments are columns: ``extend(500, "box", position=…, size=…, color=…)``.
        """
        kinds = [name for name in KINDS if name != "path"]
        look = np.full(
            self._room_for("count", count), KINDS[checks.choice("kind", kind, kinds)], np.int32
        )
        return super().extend(
            count, **{"stroke": (float(kind == "line"), 0, 0, 0), "look": look, **columns}
        )

    def _add_round(
        self, places: Doubles, position: Pair, radius: float, look: Mapping[str, object]
    ) -> Shape:
        """A polygon about a circle's middle, where it turns and is."""
        bits = _CLOSED | _JOINS[checks.choice("join", look.get("join", "miter"), _JOINS)]
        look = {name: value for name, value in look.items() if name != "join"}
        low = np.full(2, -radius)
        return self._add_points(
            ring("points", places), checks.pair("position", position), look, (low, -low), bits=bits
        )

    def _add_points(
        self,
        places: Doubles,
        position: Pair | None,
        look: Mapping[str, object],
        box: tuple[Doubles, Doubles] | None = None,
        *,
        bits: int,
        width: float = 0.0,
        stroked: bool = False,
    ) -> Shape:
        low: Doubles = places.min(axis=0) if box is None else box[0]
        high: Doubles = places.max(axis=0) if box is None else box[1]
        middle, size = (low + high) / 2, high - low
        if position is not None:
            middle = np.array(checks.pair("position", position))
        parts = (places - (low + high) / 2) / np.where(size > 0, size, 1)
        closed = bool(bits & _CLOSED)
        form = (joined(places, closed, _MITER_LIMIT), 0.0, 0.0)
        number = self._contours.number(np.ascontiguousarray(parts, np.float32))
        return self._add(
            "path",
            (float(middle[0]), float(middle[1])),
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

    def _parts(self) -> ShapeParts:
        return ShapeParts(self._table, self._blend, self._contours)


class _Poses(PoseTable2D):
    """Those of shapes, which have a size and a colour that are interpolated too."""

    __slots__ = ()

    def _further(self) -> tuple[Column, ...]:
        color = Column("color", 4, 1.0, interpolated=True, color_space="srgb")
        return Column("size", 2, 1.0, interpolated=True), color


class _StrokeCell(Cell[float]):
    """One of the numbers of a column of four, by itself."""

    def __init__(
        self,
        column: str,
        place: int,
        doc: str,
        check: Callable[[str, object], float] = small_number,
    ) -> None:
        super().__init__(doc)
        self._column, self._place, self._check = column, place, check

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
class Shape(Handle[Shapes]):
    """One row of `Shapes`, with properties. Made by ``shapes.add_circle(…)`` and so on, or
    ``shapes[row]``.

    After `remove` it is no more: using it is a `ValueError`.
    """

    __slots__ = ()

    _noun = "shape"

    position = Cell[Pair]("Of its middle, units, y up.")
    x, y = PlaceCell(0, "Of its middle, units."), PlaceCell(1, "Of its middle, units, y up.")
    angle = Cell[float]("Radians, counter-clockwise.")
    scale = Cell[Pair]("Factors in x and y; one number sets both.")
    size = Cell[Pair]("Width and height without stroke, units.")
    color = ColorCell(
        "Red, green, blue and alpha, sRGB in 0..1, or '#f80'; where alpha is left out "
        "it stays as it is."
    )
    end_color = ColorCell("That at the end of its gradient.")
    edge_color = ColorCell("That of its outline, where it was added with one.")
    alpha = AlphaCell()
    visible = Cell[bool]("Whether it is drawn.")
    layer = Cell[int]("Higher is drawn over lower.")
    width = _StrokeCell(
        "stroke", 0, "Of its line or outline, units; 0 fills what has an area.", _at_least_0
    )
    dash_shift = _StrokeCell("stroke", 3, "How far its dashes are shifted along it, units.")
    corner = _StrokeCell("form", 0, "A box's corner radius, units.", _at_least_0)
    start = _StrokeCell("form", 0, "Where an arc begins, radians.")
    sweep = _StrokeCell("form", 1, "How far an arc goes, radians; negative: clockwise.")
    gradient_angle = _StrokeCell("form", 3, "Which way a linear gradient runs, radians.")

    def __repr__(self) -> str:
        return "<Shape, removed>" if self.removed else f"<Shape, {self.kind} at {self.position}>"

    @property
    def kind(self) -> str:
        """One of "box", "circle", "ellipse", "arc", "path" (a polygon too) and "line"."""
        number = int(self._table.column("look").data[self._row]) & KIND_BITS
        return next(name for name, kind in KINDS.items() if kind == number)

    @property
    def radius(self) -> float:
        """Half its width; setting it sets its height, too."""
        return self.size[0] / 2

    @radius.setter
    def radius(self, value: float) -> None:
        self.size = (2 * checks.number("radius", value, above=0),) * 2

    def connect(self, start: Pair, end: Pair) -> None:
        """Have a line go from here to there."""
        if self.kind != "line":
            raise ValueError(
                f"connect: it is a shape of kind {self.kind!r}, expected one of add_line"
            )
        self.position, self.angle, length = _between(start, end)
        self.size = length, 0.0


_ROW = ("layer", "visible", "angle", "scale")
_PAINT = ("color", "end_color", "gradient", "gradient_angle", "edge_color", "dash", *_ROW)


def _paint(
    look: Mapping[str, object], width: float, stroked: bool
) -> tuple[int, float, dict[str, object]]:
    """Return what is common to all shapes: bits of the look, the gradient's angle, and columns."""
    known = _PAINT if stroked else (*_PAINT, "width")
    for name in look:
        if name not in known:
            raise TypeError(
                f"{name}: no such argument; the nearest are {checks.nearest(name, known)}"
            )
    row: dict[str, object] = {name: value for name, value in look.items() if name in _ROW}
    color = row["color"] = checks.color("color", look.get("color", (1.0, 1.0, 1.0, 1.0)))
    width = checks.number("width", look.get("width", width), least=0)
    gradient = checks.choice("gradient", look.get("gradient"), _GRADIENTS)
    bits = _GRADIENTS[gradient]
    faded = _HIDDEN if gradient is None else (*color[:3], 0.0)
    row["end_color"] = checks.color("end_color", look.get("end_color", faded))
    gradient_angle = checks.number("gradient_angle", look.get("gradient_angle", 0.0))
    edge = look.get("edge_color")
    if edge is not None:
        if stroked or not width:
            raise ValueError(
                "edge_color: expected with the width of an outline, and of a shape that has an area"
            )
        bits |= EDGED
    row["edge_color"] = _HIDDEN if edge is None else checks.color("edge_color", edge)
    dashes = look.get("dash")
    dash, gap = (0.0, 0.0) if dashes is None else checks.pair("dash", dashes, above=0)
    if dash and not width:
        raise ValueError("dash: expected with a width, of a line or an outline")
    bits |= DASHED if dash else 0
    row["stroke"] = (width, dash, gap, 0.0)
    return bits, gradient_angle, row


def _wide(width: float) -> float:
    return checks.number("width", width, above=0)


def _cap(cap: str) -> int:
    return _BUTT if checks.choice("cap", cap, ("round", "butt")) == "butt" else 0


def _arc(start: float, sweep: float) -> tuple[float, float, float]:
    return checks.number("start", start), checks.number("sweep", sweep), 0.0


def _round(radius: float | Doubles, angle: Doubles) -> Doubles:
    """Points at these angles: (n, 2)."""
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _between(start: Pair, end: Pair) -> tuple[Pair, float, float]:
    """The middle, the angle and the length of a line."""
    (x, y), (u, v) = checks.pair("start", start), checks.pair("end", end)
    return ((x + u) / 2, (y + v) / 2), math.atan2(v - y, u - x), math.hypot(u - x, v - y)
