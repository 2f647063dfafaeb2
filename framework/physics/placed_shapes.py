"""Turn the shapes that are drawn in a tile map's object layers into walls of `Physics2D`."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..arrays import Doubles
from ..geometry import exact, outlines
from .shapes2d import Capsule, Circle, PlaneShape, PolygonShape

_ELLIPSE_CORNERS = 32

Point = tuple[float, float]


@runtime_checkable
class PlacedShape(Protocol):
    """A shape in the world, such as an object of a `TileMap`."""

    @property
    def kind(self) -> str:
        """The kind of shape: rectangle, ellipse, capsule, polygon, polyline or tile."""

    @property
    def position(self) -> tuple[float, float]:
        """The center of the shape, in units."""

    @property
    def size(self) -> tuple[float, float]:
        """The width and height of the shape in units, before the rotation."""

    @property
    def angle(self) -> float:
        """The rotation in radians, counter-clockwise."""

    @property
    def points(self) -> NDArray[np.floating] | None:
        """The corners of the shape in units, after the rotation. The array has the shape (n, 2).
        For an ellipse, ``points`` is None.
        """


def path_of(placed: PlacedShape) -> Doubles | None:
    """Return the points of a polyline as an array with the shape (k, 2). Return None for filled
    shapes.

    Raises `ValueError` if a polyline does not have two different points.
    """
    if placed.kind != "polyline":
        return None
    points = checks.numbers("tiles", placed.points, (None, 2))
    if len(points) < 2 or not np.ptp(points, axis=0).any():
        raise checks.wrong_value("tiles", "a polyline with points that differ", placed)
    return points


def solid_shapes(placed: PlacedShape) -> list[PlaneShape]:
    """Return the convex parts of a shape that is solid inside, in world coordinates.

    Raises `ValueError` if a shape has no area, such as a point or a text.
    """
    points = placed.points
    if placed.kind in ("rectangle", "tile", "polygon") and points is not None:
        rings: list[object] = [*getattr(placed, "tile_shapes", ())] or [points]
        shapes: list[PlaneShape] = [*_polygons(placed, rings)]
        if not shapes:
            raise checks.wrong_value("tiles", "an object with an area", placed)
        return shapes
    width, height = checks.pair("tiles", placed.size, least=0)
    if placed.kind not in ("ellipse", "capsule") or not width or not height:
        raise checks.wrong_value(
            "tiles", "an object that is a rectangle, ellipse, capsule, polygon or polyline", placed
        )
    center = checks.pair("tiles", placed.position)
    if width == height:
        return [Circle(center, width / 2)]
    sine, cosine = exact.sincos(float(placed.angle))
    rotation = np.array([(cosine, sine), (-sine, cosine)])
    if placed.kind == "capsule":
        return [_capsule(center, (width, height), rotation)]
    return [_ellipse(center, (width, height), rotation)]


def _polygons(placed: PlacedShape, rings: list[object]) -> list[PolygonShape]:
    """Split the polygons ``rings`` into convex parts, and return the parts that have an area.
    ``placed`` is the map object that the polygons come from, for error messages.
    """
    try:
        pieces = [
            piece
            for ring in rings
            for piece in outlines.convex_pieces(checks.numbers("tiles", ring, (None, 2)))
        ]
    except ValueError as error:
        raise ValueError(f"tiles: {placed}: {error}") from None
    return [PolygonShape(piece) for piece in pieces if _area(piece)]


def _capsule(center: Point, size: Point, rotation: Doubles) -> Capsule:
    """Return a rotated capsule. ``size`` is its width and height. ``rotation`` is a matrix with the
    shape (2, 2), by which row vectors are multiplied.
    """
    x, y = center
    width, height = size
    along = np.array([(width - height, 0.0) if width > height else (0.0, height - width)]) / 2
    ((end_x, end_y),) = (along @ rotation).tolist()
    return Capsule((x - end_x, y - end_y), (x + end_x, y + end_y), min(width, height) / 2)


def _ellipse(center: Point, size: Point, rotation: Doubles) -> PolygonShape:
    """Return a rotated ellipse as a polygon, from the same arguments as `_capsule`."""
    width, height = size
    angles = np.arange(_ELLIPSE_CORNERS) * (2 * np.pi / _ELLIPSE_CORNERS)
    corners = np.column_stack([exact.cos(angles) * width / 2, exact.sin(angles) * height / 2])
    return PolygonShape(corners @ rotation + center)


def _area(ring: Doubles) -> float:
    x, y = (ring - ring[0]).T
    return float(abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2)
