"""Check the shape options of `Physics2D.add`, and compute the shape of each sprite's body."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles
from ..geometry import outlines

SHAPES = ("box", "circle", "capsule", "polygon", "outline")


class ShapeSpec(NamedTuple):
    """The checked options of `Physics2D.add` for a shape, not yet multiplied by the scale of a row."""

    kind: str
    size: tuple[float, float] | None
    radius: float | None
    rings: list[Doubles] | None
    tolerance: float


class RowImage(NamedTuple):
    """The scale and the image of a row, which determine the shape of its body."""

    scale: tuple[float, float]
    """The scale along x and y. A scale is negative if the image is mirrored."""
    box: Doubles | None
    """The opaque bounds of the image, relative to its anchor: left, bottom, right and top, in
    pixels.
    """
    image: int
    """The index of the image in its batch."""


class Circle(NamedTuple):
    """A circle. Its center is relative to the position of the body."""

    center: tuple[float, float]
    radius: float


class BoxShape(NamedTuple):
    """A rectangle whose sides are parallel to the axes of the body."""

    center: tuple[float, float]
    size: tuple[float, float]


class Capsule(NamedTuple):
    """A line from ``start`` to ``end`` with round ends, as a 2D shape. The thickness of the line is
    ``2 * radius``.
    """

    start: tuple[float, float]
    end: tuple[float, float]
    radius: float


class PolygonShape(NamedTuple):
    """A convex polygon. The array of its corners has the shape (k, 2)."""

    corners: Doubles


PlaneShape: TypeAlias = Circle | BoxShape | Capsule | PolygonShape
"""A shape in the coordinates of its body: x to the right and y up, in units."""

Pieces: TypeAlias = Callable[[int, float], list[Doubles]]
"""The type of the function ``pieces(image, tolerance)``. The function returns the convex pieces of
an image's outline.
"""


def checked_shape(
    shape: str,
    size: tuple[float, float] | None,
    radius: float | None,
    points: ArrayLike | Sequence[ArrayLike] | None,
    tolerance: float,
) -> ShapeSpec:
    """Check the shape options of `Physics2D.add`, and return a `ShapeSpec`.

    Raises `TypeError` or `ValueError` if an option is invalid. The error message begins with the
    name of this option.
    """
    kind = checks.choice("shape", shape, SHAPES)
    checked_size = None if size is None else checks.pair("size", size, above=0)
    checked_radius = None if radius is None else checks.number("radius", radius, above=0)
    rings = None
    if kind == "polygon":
        if points is None:
            raise ValueError(
                "points: a polygon needs its corners, (k, 2), or a list of such arrays"
            )
        rings = [piece for ring in _rings(points) for piece in _convex(ring)]
    elif points is not None:
        raise ValueError(f"points: only shape='polygon' has points, not {kind!r}")
    if checked_size is not None and kind not in ("box", "capsule"):
        raise ValueError(f"size: only 'box' and 'capsule' have a size, not {kind!r}")
    if checked_radius is not None and kind not in ("circle", "capsule"):
        raise ValueError(f"radius: only 'circle' and 'capsule' have a radius, not {kind!r}")
    if kind == "capsule" and checked_size is None and checked_radius is not None:
        raise ValueError(
            "size: a capsule with radius= also needs size=, its total width and height"
        )
    return ShapeSpec(
        kind, checked_size, checked_radius, rings, checks.number("tolerance", tolerance, least=0)
    )


QUERY_SHAPES = ("box", "circle", "capsule", "polygon")

MAX_LENGTH = 1e12
"""The largest coordinate and length allowed in a query, in units. With much larger numbers, such as
1e20, Rapier stops with an error.
"""


def check_lengths(**values: ArrayLike | None) -> None:
    """Raise `ValueError` if a number in the arguments of a query is larger than `MAX_LENGTH`."""
    for name, value in values.items():
        if value is not None and np.abs(np.asarray(value, np.float64)).max(initial=0) > MAX_LENGTH:
            raise checks.wrong_value(name, f"numbers from -{MAX_LENGTH:g} to {MAX_LENGTH:g}", value)


def query_shapes(
    shape: str,
    size: tuple[float, float] | None,
    radius: float | None,
    points: ArrayLike | Sequence[ArrayLike] | None,
) -> list[PlaneShape]:
    """Check the shape options of a query, and return the convex parts of the shape.

    Raises `TypeError` or `ValueError` if an option is invalid. The error message begins with the
    name of this option.
    """
    kind = checks.choice("shape", shape, QUERY_SHAPES)
    if kind in ("box", "capsule") and size is None:
        raise ValueError(f"size: expected the width and height of the {kind}, got None")
    if kind == "circle" and radius is None:
        raise ValueError("radius: expected the radius of the circle, got None")
    spec = checked_shape(kind, size, radius, points, 0.0)
    check_lengths(size=size, radius=radius)
    for ring in spec.rings or ():
        check_lengths(points=ring)
    return make_shapes(spec, RowImage((1.0, 1.0), None, 0), 0, None)


def _rings(points: object) -> list[Doubles]:
    rings: Sequence[object] = [points]
    if isinstance(points, list | tuple) and len(points) > 0 and checks.ndim(points[0]) == 2:
        rings = points
    return [checks.numbers("points", ring, (None, 2)) for ring in rings]


def _convex(ring: Doubles) -> list[Doubles]:
    try:
        return outlines.convex_pieces(ring)
    except ValueError as error:
        raise ValueError(f"points: {error}") from None


def check_area(row: int, *lengths: float) -> None:
    """Raise `ValueError` if a number in ``lengths`` is 0, negative, NaN or infinite. ``lengths``
    are dimensions of the shape of ``row``, such as its width.
    """
    if not all(np.isfinite(lengths)) or min(lengths) <= 0:
        size = " x ".join(f"{length:g}" for length in lengths)
        repair = "scale it, or use size=, radius= or points="
        raise ValueError(f"shape: the shape of row {row} would be {size} in size; {repair}")


def make_shapes(
    spec: ShapeSpec, look: RowImage, row: int, pieces: Pieces | None
) -> list[PlaneShape]:
    """Return the shapes for the body of ``row``.

    Raises `ValueError` if the shape has no area. The error message contains the index of the row.
    """
    if spec.kind in ("polygon", "outline"):
        return [*_polygons(spec, look, row, pieces)]
    x, y = look.scale
    left, bottom, right, top = _box(spec, look, row)
    center = (left + right) / 2 * x, (bottom + top) / 2 * y
    width = (right - left) * abs(x)
    height = (top - bottom) * abs(y)
    if spec.kind == "circle":
        radius = (
            max(width, height) / 2 if spec.radius is None else spec.radius * max(abs(x), abs(y))
        )
        check_area(row, radius)
        return [Circle(center, radius)]
    check_area(row, width, height)
    if spec.kind == "box":
        return [BoxShape(center, (width, height))]
    radius = min(width, height) / 2
    if spec.radius is not None:
        radius = min(radius, spec.radius * min(abs(x), abs(y)))
    return [_capsule(center, (width, height), radius)]


def _polygons(
    spec: ShapeSpec, look: RowImage, row: int, pieces: Pieces | None
) -> list[PolygonShape]:
    """Return the shapes of a "polygon" or an "outline", from the arguments of `make_shapes`."""
    rings = spec.rings
    if rings is None:
        assert pieces is not None  # `Physics2D.add` has checked the argument
        rings = pieces(look.image, spec.tolerance)
    if not rings:
        raise ValueError(f"shape: the image of row {row} is transparent, so it has no outline")
    scaled = [ring * look.scale for ring in rings]
    for ring in scaled:
        extent: Doubles = np.ptp(ring, axis=0)
        check_area(row, *extent.tolist())
    return [PolygonShape(ring) for ring in scaled]


def _capsule(center: tuple[float, float], size: tuple[float, float], radius: float) -> Capsule:
    """Return a capsule that is parallel to its longer side. ``size`` is its total width and height."""
    width, height = size
    along = (width / 2 - radius, 0.0) if width >= height else (0.0, height / 2 - radius)
    start, end = [(center[0] + sign * along[0], center[1] + sign * along[1]) for sign in (-1, 1)]
    return Capsule(start, end, radius)


def corners_of(box: BoxShape) -> list[tuple[float, float]]:
    """Return the four corners of a box, counter-clockwise from the bottom left corner."""
    (x, y), (width, height) = box
    return [
        (x + a * width / 2, y + b * height / 2) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ]


def _box(spec: ShapeSpec, look: RowImage, row: int) -> tuple[float, float, float, float]:
    if spec.size is not None:
        width, height = spec.size
        return -width / 2, -height / 2, width / 2, height / 2
    if spec.radius is not None:
        return -spec.radius, -spec.radius, spec.radius, spec.radius
    if look.box is None:
        raise ValueError(
            "shape: the batch has no images to take the shape from; use size= or radius="
        )
    box: tuple[float, float, float, float] = look.box.tolist()
    left, bottom, right, top = box
    if not np.isfinite(left):
        raise ValueError(f"shape: the image of row {row} is transparent; use size= or radius=")
    return left, bottom, right, top
