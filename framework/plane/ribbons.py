"""Ribbons: strips of a picture through points that a game moves, such as ropes, roads and
lightning.
"""

from __future__ import annotations

__all__ = ["Ribbon"]

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Floats
from ..assets.images import ImageSource
from ..state.columns import Cells, Column, Table, Tabular
from ..state.latched import Latched, LatchedValue, linear
from ..state.rows import Batch
from .strips import MOST_POINTS, Strip, StripLook


class _Widths(Cells[Floats]):
    """The column of widths, checked where it is set as a whole."""

    def __set__(self, ribbon: Tabular[Table], value: ArrayLike) -> None:
        super().__set__(ribbon, _at_least_0("width", value))


class RibbonParts(NamedTuple):
    """The objects that a ribbon shares with its works."""

    table: Table
    scroll: Latched[tuple[float]]
    look: StripLook
    repeat: float | None


class Ribbon(Batch, Strip):
    """A strip through points: ``self.rope = self.add(fw.Ribbon("rope.png", points, width=6,
    repeat=24))``.

    Parameters
    ----------
    image
        A path, a PIL image, an array or a `Region`; None is white. It lies along the strip, its
        left edge at the first point, its upper edge to the left of the way from there.
    points
        (n, 2) in units, y up.
    width
        Units, at least 0: of the whole strip, or (n,), of each point.
    color
        sRGB in 0..1 with straight alpha, or a string such as "#fc8"; for all, or (n, 4). It
        multiplies the image.
    repeat
        Units of the strip's length in which the image is seen once, again and again; None: once in
        all of it.
    filter, blend
        As of a `SpriteBatch`.

    Columns
    ------- A row each point: ``position`` (n, 2), ``width`` (n,) and ``color`` (n, 4), float32,
    interpolated. A piece of the strip between two points of width 0 is not drawn. Joins have no
    gaps; where a ribbon turns by more than 120 degrees at once, they are cut off.
    """

    __slots__ = ("_scroll", "_table")

    _rows_can_be_saved = True
    _noun = "points"

    position = Cells[Floats]("Units, y up: float32 (n, 2), interpolated.")
    width = _Widths("Units, at least 0: float32 (n,), interpolated.")
    color = Cells[Floats]("Red, green, blue, alpha, sRGB in 0..1: float32 (n, 4), interpolated.")

    scroll = LatchedValue(
        "_scroll", 0, checks.number, "How many images the image is moved on along it; interpolated."
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
                Column("position", 2, 0.0, interpolated=True),
                Column("width", 1, 1.0, interpolated=True),
                Column("color", 4, 1.0, interpolated=True, color_space="srgb"),
            ]
        )
        self._scroll: Latched[tuple[float]] = Latched((0.0,), linear)  # type: ignore[arg-type]  # of one number
        places = _places(points)
        self.extend(len(places), position=places, width=width, color=color)

    @property
    def points(self) -> Floats:
        """Where it goes: the column `position`. Set it to any number of points (n, 2): those that
        are more have the width and colour of the last one, and are drawn where they are."""
        return self.position

    @points.setter
    def points(self, value: ArrayLike) -> None:
        places = _places(value)
        there, wanted = len(self), len(places)
        if wanted > there:
            columns: dict[str, ArrayLike] = {}
            if there:
                columns = {
                    name: self._table.column(name).current(there)[-1] for name in ("width", "color")
                }
            self.extend(wanted - there, position=places[there:], **columns)
        elif wanted < there:
            self.remove(slice(wanted, None))
        self.position = places

    @property
    def repeat(self) -> float | None:
        """Units of its length in which the image is seen once; None: once in all of it."""
        return self._repeat

    def extend(self, count: int, **columns: ArrayLike) -> slice:
        """``count`` more points; keyword arguments are columns."""
        if "width" in columns:
            columns["width"] = _at_least_0("width", columns["width"])
        return super().extend(count, **columns)

    def _room_for(self, name: str, count: int) -> int:
        """``count`` more points, checked against what a ribbon can have."""
        count = super()._room_for(name, count)
        if self._table.count + count > MOST_POINTS:
            points = self._table.count + count
            raise ValueError(
                f"{name}: {points:,} points, a ribbon has at most {MOST_POINTS:,}; use several"
            )
        return count

    def teleport(self, rows: ArrayLike | slice = slice(None)) -> None:
        """Draw points, all unless told, where this tick leaves them, without a displacement."""
        super().teleport(rows)

    def _parts(self) -> RibbonParts:
        return RibbonParts(self._table, self._scroll, self._look, self._repeat)


def _at_least_0(name: str, value: ArrayLike) -> Doubles:
    widths: Doubles = checks.numbers(name, value, None)
    if (widths < 0).any():
        raise ValueError(f"{name}: expected numbers of at least 0, got {widths.min():g}")
    return widths


def _places(points: ArrayLike) -> Doubles:
    if isinstance(points, list | tuple) and not points:
        return np.zeros((0, 2))
    return checks.vectors("points", points, 2)
