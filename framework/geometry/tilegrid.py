"""What moving bodies bump into: a grid of tiles, and boxes that may move themselves.

`sweep.move` takes either, and anything else that has what `Tiles` says: a layer of a map, say.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles, Mask


class Tiles(Protocol):
    """A grid of tiles, of which some are solid. May have ``one_way`` and ``slopes`` too, as
    `TileGrid` has them.
    """

    @property
    def solid(self) -> Mask:
        """Bool (h, w), row 0 at the top."""

    @property
    def tile_size(self) -> tuple[float, float]:
        """Width and height of a tile, in units."""

    @property
    def position(self) -> tuple[float, float]:
        """Where the grid's bottom left corner is, in units, y up."""


_HAS = ("solid", "tile_size", "position")


def is_tiles(value: object) -> bool:
    """Whether it has what `Tiles` says; isinstance with a Protocol takes a third of a
    millisecond.
    """
    return all(hasattr(value, name) for name in _HAS)


def checked_tiles(name: str, value: Tiles) -> Tiles:
    """The tiles themselves. Raises `TypeError` for what is none."""
    if not is_tiles(value):
        raise checks.wrong_type(
            name, "a TileGrid, or what has solid (bool (h, w)), tile_size and position", value
        )
    return value


class TileGrid:
    """Tiles in the plane, of which some are solid.

    Parameters
    ----------
    solid
        Bool (h, w), row 0 at the top, as maps are written. The array is kept, not copied: what is
        written to it later counts from then on.
    size
        A tile's width and height in units, or one number for both.
    position
        Where the bottom left corner of the grid is, in units, y up.
    one_way
        Bool (h, w): tiles that hold only what comes from above.
    slopes
        (h, w, 2): how high the ground is at the left and the right edge of a tile, as shares of its
        height from 0 to 1; ``(0, 1)`` goes up to the right, ``(0, 0)`` is no ground. Such a tile
        may not be solid as well.
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
        shape = self.solid.shape
        self.one_way: Mask | None = None if one_way is None else mask("one_way", one_way, shape)
        self.slopes: Doubles | None = None
        if slopes is not None:
            self.slopes = checks.numbers("slopes", slopes, (*shape, 2))
            if self.slopes.size and not 0 <= self.slopes.min() <= self.slopes.max() <= 1:
                raise checks.wrong_value("slopes", "numbers from 0 to 1", self.slopes)
            if (self.slopes.any(axis=2) & self.solid).any():
                raise ValueError("slopes: a tile that is solid has none; make it one or the other")

    def __repr__(self) -> str:
        height, width = self.solid.shape
        return f"<TileGrid of {width} x {height} tiles at {self.position}>"

    def cell(self, point: tuple[float, float]) -> tuple[int, int]:
        """Row and column of the tile that a point is in; it need not be in the grid."""
        x, y = checks.pair("point", point)
        (left, bottom), (width, height) = self.position, self.tile_size
        return len(self.solid) - 1 - int((y - bottom) // height), int((x - left) // width)

    def center(self, cell: tuple[int, int]) -> tuple[float, float]:
        """The middle of the tile of a row and a column, in units."""
        row, column = cell
        (x, y), (width, height) = self.position, self.tile_size
        return x + (column + 0.5) * width, y + (len(self.solid) - row - 0.5) * height


class Boxes:
    """Upright boxes in the plane that bodies stand on and bump into: platforms, doors, lifts.

    Parameters
    ----------
    position
        Their middles (n, 2) in units, y up, where they are **now**.
    size
        Their widths and heights (n, 2), or (2,) for all.
    displacement
        How far each came since the last tick: (n, 2). What stands on a box goes with it, and what
        is in its way is pushed. Without it, they stand still.
    one_way
        Whether they hold only what comes from above: a bool, or one for each (n,).
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
        self.low, self.high = self.position - half, self.position + half
        self.displacement: Doubles | None = (
            None if displacement is None else rows_of("displacement", displacement, n)
        )
        ways = np.asarray(one_way)
        if ways.shape == () and ways.dtype == bool:
            ways = np.full(n, ways)
        self.one_way: Mask = mask("one_way", ways, (n,))

    def __len__(self) -> int:
        return len(self.position)

    @property
    def furthest(self) -> float:
        """How far any of them came along an axis."""
        return 0.0 if self.displacement is None else float(np.abs(self.displacement).max(initial=0))


def mask(name: str, value: object, shape: tuple[int | None, ...]) -> Mask:
    """Bools of a shape, in which None is any length; the array itself, where it is one."""
    try:
        array: NDArray[Any] = np.asarray(value)
    except ValueError:  # ragged
        array = np.empty(0)
    fits = array.ndim == len(shape) and all(
        wanted in (None, length) for wanted, length in zip(shape, array.shape, strict=True)
    )
    if array.dtype != bool or not fits:
        lengths = (
            "h, w"
            if shape == (None, None)
            else ", ".join("n" if n is None else str(n) for n in shape)
        )
        error = checks.wrong_value if array.dtype == bool else checks.wrong_type
        raise error(name, f"bools of shape ({lengths}{',' * (len(shape) == 1)})", value)
    return array


def rows_of(name: str, value: object, n: int) -> Doubles:
    """Finite numbers (n, 2), or (2,) for all rows, as float64 (n, 2)."""
    array: Doubles = checks.numbers(name, value, None)
    if array.shape == (2,):
        return np.broadcast_to(array, (n, 2))
    checked: Doubles = checks.numbers(name, array, (n, 2))
    return checked


def halves(size: object, n: int) -> Doubles:
    """Half of widths and heights that are (n, 2), or (2,) for all: (n, 2). Raises `ValueError`
    where one is below 0.
    """
    array = np.asarray(rows_of("size", size, n))
    some = array[:1] if checks.ndim(size) == 1 else array  # whatever it is, it was checked
    if (some < 0).any():
        raise checks.wrong_value("size", "numbers of at least 0", size)
    return np.broadcast_to(some / 2, (n, 2))


def pair_above_0(name: str, value: Any) -> tuple[float, float]:
    """Two numbers above 0, or one for both."""
    return checks.pair(name, value if checks.ndim(value) else (value, value), above=0)
