"""Draw lines, boxes and axes in a 3D world for debugging, such as hit boxes and paths."""

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
from ..moved_names import HasMoved, moved, renamed_options
from ..other_engines.space_names import lines_names
from .solids import SolidFrontend

_MAX_SQUARES = 10_000  # maximum number of squares between the center of a grid and one side

# The twelve edges of a box, as pairs of indices of corners.
_EDGES = np.array([(a, a | bit) for a in range(8) for bit in (1, 2, 4) if not a & bit])


class LineParts(NamedTuple):
    """The objects that `Lines` passes to its backend, the object that draws the lines."""

    lines: list[Doubles]
    """The lines as float64 arrays with the shape (n, 11). The columns are the start (3), the end
    (3), the color (4) and the width (1).
    """
    callbacks: list[Callable[[float], object]]
    """Functions to call with ``alpha`` before each frame is drawn."""


@lines_names
@moved("lines", {"turned_box": "rotated_box"}, settings={"over": "on_top"})
class Lines(SolidFrontend, HasMoved, Sealed):
    """Debug lines in a 3D world: ``self.world.lines.box((-1, 0, -1), (1, 2, 1))``.

    You can also create a `Lines` object yourself and add it to the game. Lines that you add in a
    tick are drawn until the next tick begins, or with ``keep=True`` until you call `clear`. Lines
    are not interpolated between ticks. To draw lines at interpolated positions, use `each_frame`.

    Parameters
    ----------
    on_top
        Whether lines are drawn in front of all solids. If ``on_top`` is False (the default), solids
        in front of a line hide the line.
    keep
        Whether lines remain until you call `clear`. ``keep`` is False by default.

    A position is three numbers in world units, or an array with the shape (n, 3) for n lines. A
    color is a string, or three or four numbers from 0 to 1. Lights and fog do not change the colors
    of lines. The width of a line is in units of the screen. Lines are at least one pixel wide.
    """

    __slots__ = ("_callbacks", "_keep", "_lines", "_on_top")

    _not_hashed = ("_lines",)  # debug output is not part of the game's state

    _backend_in = "framework.space.line_drawing"

    on_top = Setting(
        checks.flag,
        "Whether lines are drawn over all solids. If False, solids in front hide the lines.",
    )
    keep = Setting(
        checks.flag,
        "Whether lines are still drawn after the next tick begins. If False, each tick removes "
        "the lines.",
    )

    @renamed_options("Lines", over="on_top")
    def __init__(self, *, on_top: bool = False, keep: bool = False) -> None:
        self.on_top = on_top
        self.keep = keep
        self._backend = None
        self._lines: list[Doubles] = []  # columns of (n, 11): start, end, color, width
        self._callbacks: list[Callable[[float], object]] = []

    def __len__(self) -> int:
        """Return the number of lines."""
        return sum(len(part) for part in self._lines)

    def add(
        self,
        start: ArrayLike,
        end: ArrayLike,
        color: ArrayLike = (1.0, 1.0, 1.0),
        width: float = 1.0,
    ) -> None:
        """Add lines from ``start`` to ``end``. ``start`` and ``end`` have the shape (3,) for one
        line, or (n, 3) for n lines.

        ``color`` is one color for all lines. For one color per line, pass an array with the shape
        (n, 3) or (n, 4).
        """
        first = checks.vectors("start", start, 3)
        last = checks.vectors("end", end, 3)
        colors = _colors(color)
        width = checks.number("width", width, above=0)
        first, last, colors = _same_length("start, end, color", first, last, colors)
        part = np.empty((len(first), 11))
        part[:, :3] = first
        part[:, 3:6] = last
        part[:, 6:10] = colors
        part[:, 10] = width
        self._lines.append(part)

    def path(
        self, points: ArrayLike, color: ArrayLike = (1.0, 1.0, 1.0), width: float = 1.0
    ) -> None:
        """Connect consecutive points with lines. ``points`` has the shape (n, 3)."""
        vertices = checks.vectors("points", points, 3)
        if len(vertices) > 1:
            self.add(vertices[:-1], vertices[1:], color, width)

    def box(
        self,
        low: ArrayLike,
        high: ArrayLike,
        color: ArrayLike = (1.0, 0.8, 0.2),
        width: float = 1.0,
    ) -> None:
        """Add the edges of boxes that are parallel to the axes. ``low`` and ``high`` are two
        opposite corners, with the shape (3,) or (n, 3).
        """
        first, last = _same_length(
            "low, high", checks.vectors("low", low, 3), checks.vectors("high", high, 3)
        )
        self.rotated_box((first + last) / 2, (last - first) / 2, None, color, width)

    def rotated_box(
        self,
        center: ArrayLike,
        half: ArrayLike,
        rotation: ArrayLike | None,
        color: ArrayLike = (1.0, 0.8, 0.2),
        width: float = 1.0,
    ) -> None:
        """Add the edges of boxes that may be rotated.

        ``center`` is the center of each box, and ``half`` is half of its size along each axis. Both
        are in units, with the shape (3,) or (n, 3). ``rotation`` is a quaternion x y z w, with the
        shape (4,) or (n, 4). If ``rotation`` is None, the boxes are parallel to the axes of the
        world.
        """
        centers = checks.vectors("center", center, 3)
        halves = checks.vectors("half", half, 3)
        turns = _turns((0, 0, 0, 1) if rotation is None else rotation)
        ends = corners(*_same_length("center, half, rotation", centers, halves, turns))
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
        """Add one or more spheres with the radius ``radius``, in units. ``center`` has the shape
        (3,) or (n, 3). Each sphere is drawn as three circles.
        """
        middles = checks.vectors("center", center, 3)
        radius = checks.number("radius", radius, above=0)
        angle = np.linspace(0, 2 * np.pi, 33)
        for axis in range(3):
            ring = np.insert(
                radius * np.column_stack([np.cos(angle), np.sin(angle)]), axis, 0.0, axis=1
            )
            vertices = middles[:, None] + ring
            self.add(vertices[:, :-1].reshape(-1, 3), vertices[:, 1:].reshape(-1, 3), color, width)

    def axes(
        self,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike = (0.0, 0.0, 0.0, 1.0),
        size: float = 1.0,
        width: float = 2.0,
    ) -> None:
        """Add the axes of one or more objects: x in red, y in green, z in blue.

        ``position`` has the shape (3,) or (n, 3). ``rotation`` is a quaternion with the shape (4,)
        or (n, 4). ``size`` is the length of the lines in units.
        """
        positions = checks.vectors("position", position, 3)
        turns = _turns(rotation)
        _same_length("position, rotation", positions, turns)
        size = checks.number("size", size, above=0)
        for axis, color in enumerate(((1.0, 0.2, 0.25), (0.3, 0.9, 0.2), (0.25, 0.5, 1.0))):
            arm = np.zeros((len(turns), 3))
            arm[:, axis] = size
            self.add(positions, positions + quaternions.rotate(turns, arm), color, width)

    def grid(
        self,
        size: float = 10.0,
        step: float = 1.0,
        color: ArrayLike = (0.5, 0.5, 0.5, 0.6),
        width: float = 1.0,
    ) -> None:
        """Add a grid of squares on the ground, at y = 0. ``step`` is the side length of a square in
        units.

        Along x and z, the grid extends from -``size`` to ``size``, in units.
        """
        size = checks.number("size", size, above=0)
        step = checks.number("step", step, above=0)
        if size > _MAX_SQUARES * step:
            raise ValueError(
                f"size: expected at most {_MAX_SQUARES:,} steps of {step:g}, got {size:g}"
            )
        at = np.arange(-size, size + step / 2, step)
        flat = np.zeros_like(at)
        side = np.full_like(at, size)
        self.add(
            np.column_stack([at, flat, -side]), np.column_stack([at, flat, side]), color, width
        )
        self.add(
            np.column_stack([-side, flat, at]), np.column_stack([side, flat, at]), color, width
        )

    def each_frame(self, function: Callable[[float], object]) -> None:
        """Call ``function(alpha)`` in each frame, before the frame is drawn.

        Lines that ``function`` adds are visible in only one frame.

            def boxes(alpha):
                position, rotation, scale = batch.transforms.pose(alpha)
                lines.rotated_box(position, scale / 2, rotation)
        """
        self._callbacks.append(checks.function("function", function))

    def clear(self) -> None:
        """Remove all lines."""
        self._lines.clear()

    def _parts(self) -> LineParts:
        return LineParts(self._lines, self._callbacks)


def is_untouched(lines: Lines) -> bool:
    """Return True if the game has never added a line or set an option. Such an unused `Lines`
    object is not drawn.
    """
    return not (lines._lines or lines._callbacks or lines.on_top or lines.keep)


def _colors(value: ArrayLike) -> Doubles:
    """Return one or more colors with alpha, as an array. The array has the shape (1, 4) for one
    color, or (n, 4) for n colors.
    """
    if isinstance(value, str):
        value = checks.color("color", value)
    array = checks.numbers("color", value, None, finite=False)
    if array.shape[-1:] == (3,):
        colors = checks.vectors("color", value, 3)
        return np.column_stack([colors, np.ones(len(colors))])
    return checks.vectors("color", value, 4)


def _turns(rotation: ArrayLike) -> Doubles:
    """Check one or more quaternions, and return them as an array with the shape (n, 4)."""
    turns = checks.vectors("rotation", rotation, 4)
    if not turns.any(axis=1).all():
        raise checks.wrong_value("rotation", "quaternions that are not all 0", rotation)
    return turns


def _same_length(names: str, *arrays: Doubles) -> list[Doubles]:
    """Return arrays with equal numbers of rows.

    If an array has only one row, this row is repeated to match the other arrays.
    """
    try:
        (count,) = np.broadcast_shapes(*[array.shape[:1] for array in arrays])
    except ValueError:
        lengths = [str(len(array)) for array in arrays]
        raise ValueError(
            f"{names}: expected the same number of each, "
            f"got {', '.join(lengths[:-1])} and {lengths[-1]}"
        ) from None
    return [np.broadcast_to(array, (count, *array.shape[1:])) for array in arrays]
