"""Solid tiles and moving boxes, which are the obstacles for `collide.move`.

`collide.move` accepts any object with the attributes of `Tiles`, such as a `TileGrid` or a
`TileLayer`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles, Mask
from ..moved_names import HasMoved, moved


class Tiles(Protocol):
    """The interface of a grid with solid tiles, for `collide.move` and `paths`.

    A grid can also have the attributes ``one_way`` and ``slopes`` of a `TileGrid`, or the
    attributes ``part_solid`` and ``tile_shapes`` of a `TileLayer`.
    """

    @property
    def solid(self) -> Mask:
        """Whether each tile is solid, as a bool array of shape (h, w). Row 0 is the top row."""

    @property
    def tile_size(self) -> tuple[float, float]:
        """The width and height of a tile, in units."""

    @property
    def position(self) -> tuple[float, float]:
        """The bottom left corner of the grid, in units. The y axis points up."""


_HAS = ("solid", "tile_size", "position")


def is_tiles(value: object) -> bool:
    """Return whether ``value`` has the attributes of `Tiles`.

    The function does not use `isinstance`, which takes a third of a millisecond for a Protocol.
    """
    return all(hasattr(value, name) for name in _HAS)


def checked_tiles(name: str, value: Tiles) -> Tiles:
    """Return ``value`` if it has the attributes of `Tiles`, otherwise raise `TypeError`."""
    if not is_tiles(value):
        raise checks.wrong_type(
            name, "a TileGrid, or an object with solid (bool (h, w)), tile_size and position", value
        )
    return value


def blocked(tiles: Tiles) -> Mask:
    """Return whether each tile is at least partly solid, as a bool array of shape (h, w)."""
    part_solid: Mask | None = getattr(tiles, "part_solid", None)
    return tiles.solid if part_solid is None else tiles.solid | part_solid


def shapes_of(tiles: Tiles) -> list[Doubles]:
    """Return the shapes of tiles that are only partly solid, as polygons of shape (k, 2), in units."""
    shapes: list[Doubles] = getattr(tiles, "tile_shapes", [])
    return shapes


def shape_boxes(tiles: Tiles) -> Doubles:
    """Return the bounding boxes of the shapes from `shapes_of`. The returned array has the shape
    (m, 4), with the columns left, bottom, right and top.
    """
    cached: Callable[[], Doubles] | None = getattr(tiles, "_shape_boxes", None)
    if cached is not None:
        return cached()
    boxes = [np.concatenate([shape.min(axis=0), shape.max(axis=0)]) for shape in shapes_of(tiles)]
    return np.array(boxes, np.float64).reshape(-1, 4)


@moved("grid", {"cell": "world_to_cell", "center": "cell_center"})
class TileGrid(HasMoved):
    """A 2D grid of solid and free tiles, the ground and the walls of a level.

    Parameters
    ----------
    solid
        Whether each tile is solid: a bool array of shape (h, w). Row 0 is the top row, as in a map
        that you write as text. The grid uses your array without copying it, so if you change the
        array, the grid changes too.
    size
        The width and height of a tile in units, or one number for both.
    position
        The bottom left corner of the grid, in units. The y axis points up. The default is (0, 0).
    one_way
        Whether each tile stops only bodies that come from above: a bool array of shape (h, w). By
        default, no tile is one-way.
    slopes
        The height of the ground at the left edge and the right edge of each tile: an array of shape
        (h, w, 2). A height is a fraction of the tile height, from 0 to 1. For example, a tile with
        ``(0, 1)`` rises to the right. A tile with ``(0, 0)`` is not sloped. The same tile cannot be
        solid and sloped. By default, no tile is sloped.
    """

    def __init__(
        self,
        solid: ArrayLike,
        size: float | tuple[float, float] = 16.0,
        position: tuple[float, float] = (0.0, 0.0),
        *,
        one_way: ArrayLike | None = None,
        slopes: ArrayLike | None = None,
    ) -> None:
        self.solid: Mask = mask("solid", solid, (None, None))
        self.tile_size = pair_above_0("size", size)
        self.position = checks.pair("position", position)
        self.one_way: Mask | None = (
            None if one_way is None else mask("one_way", one_way, self.solid.shape)
        )
        self.slopes: Doubles | None = (
            None if slopes is None else _checked_slopes(slopes, self.solid)
        )

    def __repr__(self) -> str:
        height, width = self.solid.shape
        return f"<TileGrid of {width} x {height} tiles at {self.position}>"

    def world_to_cell(self, point: tuple[float, float]) -> tuple[int, int]:
        """Return the row and the column of the tile that contains a point. The point is in units.

        For a point outside the grid, the row or the column is below 0, or too large.
        """
        x, y = checks.pair("point", point)
        left, bottom = self.position
        width, height = self.tile_size
        return len(self.solid) - 1 - int((y - bottom) // height), int((x - left) // width)

    def cell_center(self, cell: tuple[int, int]) -> tuple[float, float]:
        """Return the center of a tile in units. ``cell`` is a tuple: the row and the column of the
        tile.
        """
        row, column = cell
        x, y = self.position
        width, height = self.tile_size
        return x + (column + 0.5) * width, y + (len(self.solid) - row - 0.5) * height


def _checked_slopes(slopes: ArrayLike, solid: Mask) -> Doubles:
    checked: Doubles = checks.numbers("slopes", slopes, (*solid.shape, 2))
    if checked.size and not 0 <= checked.min() <= checked.max() <= 1:
        raise checks.wrong_value("slopes", "numbers from 0 to 1", checked)
    if (checked.any(axis=2) & solid).any():
        raise ValueError("slopes: a tile cannot be both solid and sloped")
    return checked


class Boxes:
    """Upright boxes that stop and carry bodies, such as platforms, doors and lifts. Pass the boxes
    to `collide.move` as obstacles.

    Parameters
    ----------
    position
        The **current** centers of the boxes, in units: an array of shape (n, 2). The y axis points
        up.
    size
        The widths and heights of the boxes, in units: an array of shape (n, 2), or one row of shape
        (2,) for all boxes.
    displacement
        The movement of each box since the last tick, in units: an array of shape (n, 2). A moving
        box carries bodies that stand on it, and pushes bodies out of its way. By default, the boxes
        do not move.
    one_way
        Whether each box stops only bodies that come from above: one bool, or a bool array of shape
        (n,). Default: False.
    """

    def __init__(
        self,
        position: ArrayLike,
        size: ArrayLike,
        displacement: ArrayLike | None = None,
        one_way: bool | ArrayLike = False,
    ) -> None:
        self.position: Doubles = checks.numbers("position", position, (None, 2))
        n = len(self.position)
        half = halves(size, n)
        self.low = self.position - half
        self.high = self.position + half
        self.displacement: Doubles | None = (
            None if displacement is None else rows_of("displacement", displacement, n)
        )
        one_ways = np.asarray(one_way)
        if one_ways.shape == () and one_ways.dtype == bool:
            one_ways = np.full(n, one_ways)
        self.one_way: Mask = mask("one_way", one_ways, (n,))

    @classmethod
    def between(cls, low: Doubles, high: Doubles) -> Boxes:
        """Return boxes with exactly the corners ``low`` and ``high``, without rounding. ``low`` and
        ``high`` are arrays of shape (n, 2).
        """
        boxes = cls((low + high) / 2, high - low)
        # Use the exact edges, because half of a size may be rounded. A body must stop exactly at
        # the edges of a tile.
        boxes.low = low
        boxes.high = high
        return boxes

    def __len__(self) -> int:
        return len(self.position)

    @property
    def furthest(self) -> float:
        """The largest displacement of any box along x or y, in units."""
        return 0.0 if self.displacement is None else float(np.abs(self.displacement).max(initial=0))


def mask(name: str, value: object, shape: tuple[int | None, ...]) -> Mask:
    """Convert ``value`` to a bool array, and check that it has the shape ``shape``. A None in
    ``shape`` allows any length.

    A bool array is returned without a copy. Raises `TypeError` if the type is wrong, and
    `ValueError` if the shape is wrong.
    """
    try:
        array: NDArray[Any] = np.asarray(value)
    except ValueError:  # ragged
        array = np.empty(0)
    fits = array.ndim == len(shape) and all(
        expected_length in (None, length)
        for expected_length, length in zip(shape, array.shape, strict=True)
    )
    if array.dtype == bool and fits:
        return array
    letters = "hw" if shape == (None, None) else "n" * len(shape)
    lengths = [letter if n is None else str(n) for letter, n in zip(letters, shape, strict=True)]
    ending = "," if len(shape) == 1 else ""
    error = checks.wrong_value if array.dtype == bool else checks.wrong_type
    raise error(name, f"bools of shape ({', '.join(lengths)}{ending})", value)


def rows_of(name: str, value: object, n: int) -> Doubles:
    """Convert ``value`` to a float64 array of shape (n, 2) with finite numbers. A single row of
    shape (2,) is repeated n times.
    """
    array: Doubles = checks.numbers(name, value, None)
    if array.shape == (2,):
        return np.broadcast_to(array, (n, 2))
    checked: Doubles = checks.numbers(name, array, (n, 2))
    return checked


def halves(size: object, n: int) -> Doubles:
    """Return half the width and half the height of each box, as an array of shape (n, 2). A single
    ``size`` of shape (2,) is used for all boxes.

    Raises `ValueError` if a number is below 0.
    """
    array = np.asarray(rows_of("size", size, n))
    # One row is enough, because all rows are equal.
    checked_rows = array[:1] if checks.ndim(size) == 1 else array
    if (checked_rows < 0).any():
        raise checks.wrong_value("size", "numbers of at least 0", size)
    return np.broadcast_to(checked_rows / 2, (n, 2))


def pair_above_0(name: str, value: Any) -> tuple[float, float]:
    """Return ``value`` as two numbers above 0, for example a width and a height. If ``value`` is a
    single number, both returned numbers are equal.
    """
    return checks.pair(name, value if checks.ndim(value) else (value, value), above=0)
