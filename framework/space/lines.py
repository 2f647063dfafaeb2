"""Lines, boxes and axes in space, to see what a game computes: hit boxes, paths, normals."""

from __future__ import annotations

__all__ = ["Lines"]

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles
from ..checks import Sealed, Setting
from ..geometry import quaternions
from ..geometry.collide import corners
from .solids import SolidFace

_MOST_SQUARES = 10_000  # of a grid, from its middle to a side

# The twelve edges of a box by the numbers of its corners.
_EDGES = np.array([(a, a | bit) for a in range(8) for bit in (1, 2, 4) if not a & bit])


class LineParts(NamedTuple):
    """The objects that lines share with their works."""

    lines: list[Doubles]
    """(n, 11) each: start, end, color, width."""
    callbacks: list[Callable[[float], object]]
    """Called before each frame with its alpha."""


class Lines(SolidFace, Sealed):
    """Lines in a world: ``self.world.lines.box((-1, 0, -1), (1, 2, 1))``, or a `Lines` of your own
    in ``self.add``.

    What is added in a tick is drawn until the next one begins; with ``keep``, until `clear`. It is
    drawn where it was added, not between two ticks; for what follows things as they are drawn, see
    `each_frame`.

    Parameters
    ----------
    over
        Whether lines are drawn over everything, or hidden by what is before them.
    keep
        Whether they stay.

    Places are (3,) or (n, 3) in the world's units. Colours are three or four numbers 0 to 1, or
    strings, as a screen shows them: neither light nor fog changes them. Widths are in units of the
    picture, a pixel at least.
    """

    __slots__ = ("_callbacks", "_keep", "_lines", "_over")

    _not_hashed = ("_lines",)  # which show what the game computes

    _works_in = "framework.space.line_drawing"

    over = Setting(
        checks.flag, "Whether lines are drawn over everything, or hidden by what is before them."
    )
    keep = Setting(checks.flag, "Whether they stay when a tick begins.")

    def __init__(self, *, over: bool = False, keep: bool = False) -> None:
        self.over, self.keep = over, keep
        self._works = None
        self._lines: list[Doubles] = []  # (n, 11): start, end, color, width
        self._callbacks: list[Callable[[float], object]] = []

    def __len__(self) -> int:
        """Lines to be drawn."""
        return sum(len(part) for part in self._lines)

    def add(
        self,
        start: ArrayLike,
        end: ArrayLike,
        color: ArrayLike = (1.0, 1.0, 1.0),
        width: float = 1.0,
    ) -> None:
        """Lines from ``start`` to ``end``, (3,) or (n, 3) each; a colour for all, or (n, 3) or (n,
        4).
        """
        first, last = checks.vectors("start", start, 3), checks.vectors("end", end, 3)
        colors, width = _colors(color), checks.number("width", width, above=0)
        first, last, colors = _as_many("start, end, color", first, last, colors)
        part = np.empty((len(first), 11))
        part[:, :3], part[:, 3:6], part[:, 6:10], part[:, 10] = first, last, colors, width
        self._lines.append(part)

    def path(
        self, points: ArrayLike, color: ArrayLike = (1.0, 1.0, 1.0), width: float = 1.0
    ) -> None:
        """Through ``points`` (n, 3), one after another."""
        places = checks.vectors("points", points, 3)
        if len(places) > 1:
            self.add(places[:-1], places[1:], color, width)

    def box(
        self,
        low: ArrayLike,
        high: ArrayLike,
        color: ArrayLike = (1.0, 0.8, 0.2),
        width: float = 1.0,
    ) -> None:
        """The edges of upright boxes, from ``low`` to ``high``: (3,) or (n, 3)."""
        first, last = _as_many(
            "low, high", checks.vectors("low", low, 3), checks.vectors("high", high, 3)
        )
        self.turned_box((first + last) / 2, (last - first) / 2, None, color, width)

    def turned_box(
        self,
        middle: ArrayLike,
        half: ArrayLike,
        rotation: ArrayLike | None,
        color: ArrayLike = (1.0, 0.8, 0.2),
        width: float = 1.0,
    ) -> None:
        """The edges of boxes, as `collide.boxes` takes them: their middle, half their size, a
        quaternion.
        """
        middles, halves = checks.vectors("middle", middle, 3), checks.vectors("half", half, 3)
        turns = _turns((0, 0, 0, 1) if rotation is None else rotation)
        ends = corners(*_as_many("middle, half, rotation", middles, halves, turns))
        self.add(
            ends[:, _EDGES[:, 0]].reshape(-1, 3), ends[:, _EDGES[:, 1]].reshape(-1, 3), color, width
        )

    def sphere(
        self,
        center: ArrayLike,
        radius: float,
        color: ArrayLike = (1.0, 0.8, 0.2),
        width: float = 1.0,
    ) -> None:
        """Three circles of ``radius``, about ``center`` (3,) or (n, 3)."""
        middles, radius = (
            checks.vectors("center", center, 3),
            checks.number("radius", radius, above=0),
        )
        angle = np.linspace(0, 2 * np.pi, 33)
        for axis in range(3):
            ring = np.insert(
                radius * np.column_stack([np.cos(angle), np.sin(angle)]), axis, 0.0, axis=1
            )
            places = middles[:, None] + ring
            self.add(places[:, :-1].reshape(-1, 3), places[:, 1:].reshape(-1, 3), color, width)

    def axes(
        self,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike = (0.0, 0.0, 0.0, 1.0),
        size: float = 1.0,
        width: float = 2.0,
    ) -> None:
        """x red, y green, z blue, of one pose or of n: (n, 3) and (n, 4)."""
        places, turns = checks.vectors("position", position, 3), _turns(rotation)
        _as_many("position, rotation", places, turns)
        size = checks.number("size", size, above=0)
        for axis, color in enumerate(((1.0, 0.2, 0.25), (0.3, 0.9, 0.2), (0.25, 0.5, 1.0))):
            arm = np.zeros((len(turns), 3))
            arm[:, axis] = size
            self.add(places, places + quaternions.rotate(turns, arm), color, width)

    def grid(
        self,
        size: float = 10.0,
        step: float = 1.0,
        color: ArrayLike = (0.5, 0.5, 0.5, 0.6),
        width: float = 1.0,
    ) -> None:
        """Squares of ``step`` in x and z about the origin, ``size`` units in each direction."""
        size, step = checks.number("size", size, above=0), checks.number("step", step, above=0)
        if size > _MOST_SQUARES * step:
            raise ValueError(
                f"size: expected at most {_MOST_SQUARES:,} steps of {step:g}, got {size:g}"
            )
        at = np.arange(-size, size + step / 2, step)
        flat, side = np.zeros_like(at), np.full_like(at, size)
        self.add(
            np.column_stack([at, flat, -side]), np.column_stack([at, flat, side]), color, width
        )
        self.add(
            np.column_stack([-side, flat, at]), np.column_stack([side, flat, at]), color, width
        )

    def each_frame(self, function: Callable[[float], object]) -> None:
        """Call ``function(alpha)`` before each drawing: what it adds is drawn in that frame only.

        def boxes(alpha):
            position, rotation, scale = batch.transforms.pose(alpha)
            lines.turned_box(position, scale / 2, rotation)
        """
        self._callbacks.append(checks.function("function", function))

    def clear(self) -> None:
        """Take out all lines."""
        self._lines.clear()

    def _parts(self) -> LineParts:
        return LineParts(self._lines, self._callbacks)


def is_untouched(lines: Lines) -> bool:
    """Return whether nothing was added to lines, and nothing set."""
    return not (lines._lines or lines._callbacks or lines.over or lines.keep)


def _colors(value: ArrayLike) -> Doubles:
    """A colour, or one for each line, with its alpha: (n, 4)."""
    if isinstance(value, str):
        value = checks.color("color", value)
    array = checks.numbers("color", value, None, finite=False)
    if array.shape[-1:] == (3,):
        colors = checks.vectors("color", value, 3)
        return np.column_stack([colors, np.ones(len(colors))])
    return checks.vectors("color", value, 4)


def _turns(rotation: ArrayLike) -> Doubles:
    """Quaternions: (n, 4)."""
    turns = checks.vectors("rotation", rotation, 4)
    if not turns.any(axis=1).all():
        raise checks.wrong_value("rotation", "quaternions that are not all 0", rotation)
    return turns


def _as_many(names: str, *arrays: Doubles) -> list[Doubles]:
    """Arrays with a row each, or one for all, with as many rows each."""
    try:
        (count,) = np.broadcast_shapes(*[array.shape[:1] for array in arrays])
    except ValueError:
        given = [str(len(array)) for array in arrays]
        raise ValueError(
            f"{names}: expected as many of each, got {', '.join(given[:-1])} and {given[-1]}"
        ) from None
    return [np.broadcast_to(array, (count, *array.shape[1:])) for array in arrays]
