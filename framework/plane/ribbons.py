"""Draw an image along a line of points (a ribbon), such as a rope, a road or lightning."""

from __future__ import annotations

__all__ = ["Ribbon"]

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Floats
from ..assets.images import ImageSource
from ..state.columns import ColumnValues, Table, TableColumn, Tabular
from ..state.latched import Latched, LatchedValue, linear
from ..state.rows import Batch
from .strips import MAX_POINTS, Strip, StripLook


class _Widths(ColumnValues[Floats]):
    """The column ``width``, which raises an error if the game assigns a negative width."""

    def __set__(self, ribbon: Tabular[Table], value: ArrayLike) -> None:
        super().__set__(ribbon, _at_least_0("width", value))


class RibbonParts(NamedTuple):
    """The objects that a ribbon passes to its backend, the object that draws the ribbon."""

    table: Table
    scroll: Latched[tuple[float]]
    look: StripLook
    repeat: float | None


class Ribbon(Batch, Strip):
    """An image along a line of points, such as a rope, a road or lightning.

    Set the points of the ribbon in ``update``. In frames between two ticks, the points are
    interpolated.

        self.rope = self.add(fw.Ribbon("rope.png", points, width=6, repeat=24))

    Parameters
    ----------
    image
        A path, a PIL image, an array or a `Region`. If ``image`` is None, the ribbon shows a white
        image. The left edge of the image is at the first point. If you look from the first point
        along the ribbon, the top of the image is on your left.
    points
        The points of the ribbon in units, y up. The array has the shape (n, 2).
    width
        The width in units, at least 0. Pass one number for the whole ribbon, or one number per
        point.
    color
        A color by which the image is multiplied. Pass sRGB numbers from 0 to 1 with straight alpha,
        or a string such as "#fc8". Pass one color for the whole ribbon, or an array of the shape
        (n, 4) with one color per point.
    repeat
        The length of one copy of the image along the ribbon, in units. If ``repeat`` is None, the
        default, the image is stretched over the whole ribbon.
    filter, blend
        See `SpriteBatch`.

    Columns
    -------
    The ribbon has one row per point. The columns are ``position`` (n, 2), ``width`` (n,) and
    ``color`` (n, 4). The columns ``position``, ``width`` and ``color`` are float32 and are
    interpolated between ticks. Nothing is drawn between two neighboring points with the width 0.
    The ribbon has no gaps at its corners. If the ribbon turns by more than 120 degrees at a corner,
    the tip of the corner is cut off.
    """

    __slots__ = ("_scroll", "_table")

    _rows_can_be_saved = True
    _noun = "points"

    position = ColumnValues[Floats]("Positions in units, y up: float32 (n, 2), interpolated.")
    width = _Widths("Widths in units, which are 0 or larger: float32 (n,), interpolated.")
    color = ColumnValues[Floats](
        "Colors in sRGB (red, green, blue, alpha) from 0 to 1: float32 (n, 4), interpolated."
    )

    scroll = LatchedValue(
        "_scroll",
        0,
        checks.number,
        "The offset of the image along the ribbon, in lengths of the image. The offset is "
        "interpolated. The default is 0.",
    )

    def __init__(
        self,
        image: ImageSource | None = None,
        points: ArrayLike = (),
        *,
        width: ArrayLike = 1.0,
        color: str | ArrayLike = (1.0, 1.0, 1.0, 1.0),
        repeat: float | None = None,
        filter: str = "linear",
        blend: str = "alpha",
    ) -> None:
        super().__init__(image, repeat, filter, blend)
        self._table: Table = Table(
            [
                TableColumn("position", 2, 0.0, interpolated=True),
                TableColumn("width", 1, 1.0, interpolated=True),
                TableColumn("color", 4, 1.0, interpolated=True, color_space="srgb"),
            ]
        )
        self._scroll: Latched[tuple[float]] = Latched((0.0,), linear)  # type: ignore[arg-type]  # of one number
        positions = _checked_points(points)
        self.extend(len(positions), position=positions, width=width, color=color)

    @property
    def points(self) -> Floats:
        """The points of the ribbon. `points` and `position` are the same array.

        To replace the points, assign an array of the shape (n, 2), with any number of points.
        Additional points get the width and color of the previous last point. New points appear
        immediately, without interpolation.
        """
        return self.position

    @points.setter
    def points(self, value: ArrayLike) -> None:
        positions = _checked_points(value)
        count = len(self)
        new_count = len(positions)
        if new_count > count:
            columns: dict[str, ArrayLike] = {}
            if count:
                columns = {
                    name: self._table.column(name).current(count)[-1] for name in ("width", "color")
                }
            self.extend(new_count - count, position=positions[count:], **columns)
        elif new_count < count:
            self.remove(slice(new_count, None))
        self.position = positions

    @property
    def repeat(self) -> float | None:
        """The length of one copy of the image along the ribbon, in units.

        If `repeat` is None, the image is stretched over the whole ribbon.
        """
        return self._repeat

    def extend(self, count: int, **columns: ArrayLike) -> slice:
        """Add ``count`` points at the end of the ribbon, and return a slice with the new rows.

        Keywords set columns of the new points, such as ``position`` and ``width``.
        """
        if "width" in columns:
            columns["width"] = _at_least_0("width", columns["width"])
        return super().extend(count, **columns)

    def _room_for(self, name: str, count: int) -> int:
        """Return ``count`` if the ribbon has room for ``count`` more points. Raise `ValueError` if
        it would have more than 65,536 points.
        """
        count = super()._room_for(name, count)
        if self._table.count + count > MAX_POINTS:
            points = self._table.count + count
            raise ValueError(
                f"{name}: {points:,} points, a ribbon has at most {MAX_POINTS:,}; use several"
            )
        return count

    def teleport(self, rows: ArrayLike | slice = slice(None)) -> None:
        """Draw ``rows`` at their new positions, without interpolation from the last tick.

        ``rows`` defaults to all points.
        """
        super().teleport(rows)

    def _parts(self) -> RibbonParts:
        return RibbonParts(self._table, self._scroll, self._look, self._repeat)


def _at_least_0(name: str, value: ArrayLike) -> Doubles:
    widths: Doubles = checks.numbers(name, value, None)
    if (widths < 0).any():
        raise ValueError(f"{name}: expected numbers of at least 0, got {widths.min():g}")
    return widths


def _checked_points(points: ArrayLike) -> Doubles:
    if isinstance(points, list | tuple) and not points:
        return np.zeros((0, 2))
    return checks.vectors("points", points, 2)
