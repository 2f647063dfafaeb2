"""2D transforms: position, angle and scale, and the drawn pose between two ticks."""

from __future__ import annotations

__all__ = ["Transforms2D"]

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays import Floats, Rows, row_indices
from ..checks import number
from ..geometry import exact
from .columns import ColumnValues, TableColumn
from .interpolation import Extrapolation, Predictions, blend, blend_angle, check_motion, turn
from .own_columns import add_own_columns, checked_columns
from .transforms import Pose, PoseTable, Transforms, checked_out

_set = object.__setattr__


class PoseTable2D(PoseTable):
    """The table that stores the rows of `Transforms2D`."""

    __slots__ = ()

    _may_be_told = True

    def __init__(self, motion: str | Extrapolation = "interpolate") -> None:
        name, limits = check_motion(motion)
        position = TableColumn("position", 2, 0.0, interpolated=True)
        angle = TableColumn("angle", 1, 0.0, interpolated=True)
        velocity = TableColumn("velocity", 2, 0.0, interpolated=True)
        angular_velocity = TableColumn("angular_velocity", 1, 0.0, interpolated=True)
        extrapolated = name == "extrapolate"
        super().__init__(
            name,
            (position, angle, TableColumn("scale", 2, 1.0, interpolated=True), *self._further()),
            {"hermite": (velocity,), "extrapolate": (velocity, angular_velocity)}.get(name, ()),
            _Predictions2D(limits) if extrapolated else None,
            (position, velocity, angle, angular_velocity) if extrapolated else (),
        )

    def _further(self) -> tuple[TableColumn, ...]:
        """Return the interpolated columns of a subclass, without position, angle and scale. The
        motion "hermite" does not support such columns, and raises an error if there are any.
        """
        return ()

    def pose(self, alpha: float, rows: Rows | slice = slice(None)) -> Pose:
        """Return the drawn positions, angles and scales at ``alpha``. The three float32 arrays have
        the shapes (n, 2), (n,) and (n, 2).
        """
        alpha = number("alpha", alpha)
        rows = row_indices(rows, self.count)
        old, new = self.states(rows)
        if self._as_they_are(alpha):
            return new[0].copy(), new[1].copy(), new[2].copy()
        scale = blend(old[2], new[2], alpha)
        if self.observer is not None:
            return *self.observer.pose(alpha, self.predicted(rows)), scale
        position = self.position_between(old, new, alpha)
        return position, blend_angle(old[1], new[1], alpha), scale

    def matrices(self, pose: Pose, out: Floats | None) -> Floats:
        return matrices2d(*pose, out)


class Transforms2D(Transforms):
    """The 2D positions, angles and scales of rows. The y axis points up.

    ``position`` has the shape (n, 2), ``angle`` has the shape (n,), and ``scale`` has the shape (n,
    2). Angles are in radians, and increase counter-clockwise. The columns ``position``, ``angle``
    and ``scale`` are float32 arrays. You may write to the arrays of all columns. Adding or removing
    rows makes old views invalid: read the property again.

    ``motion`` determines how frames draw rows between two ticks: a name in `MOTIONS`, or an
    `Extrapolation`. The motions "hermite" and "extrapolate" add the column ``velocity`` of shape
    (n, 2), in units per simulated second. The motion "extrapolate" also adds ``angular_velocity``
    of shape (n,), in radians per second. The game must write the velocities together with the
    poses.

    ``columns`` adds your own columns: pass a dict such as ``{"hp": 3.0}``. See `fw.Column`.
    """

    __slots__ = ()

    position = ColumnValues[Floats]("Positions in units, y up: float32 (n, 2).")
    angle = ColumnValues[Floats]("Angles in radians, counter-clockwise: float32 (n,).")
    scale = ColumnValues[Floats]("Scale factors in x and y: float32 (n, 2).")

    def __init__(
        self,
        motion: str | Extrapolation = "interpolate",
        *,
        columns: Mapping[str, Any] | None = None,
    ) -> None:
        own = checked_columns("columns", columns)
        self._table = PoseTable2D(motion)
        add_own_columns(self, self._table, own)


def transforms2d_of(table: PoseTable2D) -> Transforms2D:
    """Return the `Transforms2D` object that stores its rows in ``table``."""
    transforms = Transforms2D.__new__(Transforms2D)
    _set(transforms, "_table", table)  # takes a third of the time of `transforms._table = table`
    return transforms


def matrices2d(position: Floats, angle: Floats, scale: Floats, out: Floats | None = None) -> Floats:
    """Return the model matrices of 2D poses. The order of the transforms is scale, rotation,
    translation. The float32 array has the shape (n, 4, 4).
    """
    out = checked_out(out, len(position))
    turns: tuple[Floats, Floats] = exact.functions().sincos(angle)
    sin, cos = turns
    out[:] = 0
    out[:, 0, 0] = cos * scale[:, 0]
    out[:, 0, 1] = sin * scale[:, 0]
    out[:, 1, 0] = -sin * scale[:, 1]
    out[:, 1, 1] = cos * scale[:, 1]
    out[:, 2, 2] = out[:, 3, 3] = 1
    out[:, 3, :2] = position
    return out


class _Predictions2D(Predictions):
    """The `Predictions` of 2D poses.

    A known state consists of position, velocity, angle and angular velocity. The prediction error
    of a row consists of a difference in position and a difference in angle.
    """

    parts = (("position", 2), ("velocity", 2), ("angle", 2), ("error", 4))

    def __init__(self, limits: Extrapolation) -> None:
        super().__init__(limits, known=6, error=3)

    def pose(self, alpha: float, state: Floats) -> tuple[Floats, Floats]:
        reach, fade = self.reach_and_fade(alpha, state)
        position: Floats = (
            state[:, 0:2] + state[:, 2:4] * reach[:, None] + state[:, 6:8] * fade[:, None]
        )
        angle: Floats = state[:, 4] + state[:, 5] * reach + state[:, 8] * fade
        return position, angle

    def error(self, drawn: tuple[Floats, Floats], known: Floats) -> Floats:
        position, angle = drawn
        return np.column_stack([position - known[:, :2], turn(known[:, 4], angle)])
