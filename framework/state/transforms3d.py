"""3D transforms: position, rotation and scale, and the drawn pose between two ticks.

The shader ``include/pose3d.glsl`` computes the same poses as `Transforms3D` from the same numbers,
in the same order of operations. A test compares the poses of the shader with the poses of
`Transforms3D`.
"""

from __future__ import annotations

__all__ = ["Transforms3D"]

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays import Floats, Mask, Reals, Rows, row_indices
from ..checks import flag, number
from ..geometry import exact, quaternions
from ..geometry.mesh import Mesh, reach_of
from .columns import ColumnValues, TableColumn
from .interpolation import Extrapolation, Predictions, blend, check_motion
from .own_columns import add_own_columns, checked_columns
from .transforms import Pose, PoseTable, Transforms, checked_out

_TAU = np.float32(2 * math.pi)


class PoseTable3D(PoseTable):
    """The table that stores the rows of `Transforms3D`."""

    __slots__ = ("large_world",)

    _turns_by_angular_velocity = True
    _large_motions: tuple[str, ...] = ("interpolate", "none")

    def __init__(
        self, motion: str | Extrapolation = "interpolate", *, large_world: bool = False
    ) -> None:
        name, limits = check_motion(motion)
        if flag("large_world", large_world) and name not in self._large_motions:
            which = (
                f"{', '.join(map(repr, self._large_motions[:-1]))} or {self._large_motions[-1]!r}"
            )
            raise ValueError(f"large_world: expected the motion {which} with it, got {name!r}")
        position = TableColumn(
            "position", 3, 0.0, dtype=np.float64 if large_world else np.float32, interpolated=True
        )
        rotation = TableColumn("rotation", 4, (0.0, 0.0, 0.0, 1.0), interpolated=True)
        velocity = TableColumn("velocity", 3, 0.0, interpolated=True)
        angular_velocity = TableColumn("angular_velocity", 3, 0.0, interpolated=True)
        extrapolated = name == "extrapolate"
        super().__init__(
            name,
            (position, rotation, TableColumn("scale", 3, 1.0, interpolated=True)),
            (velocity, angular_velocity) if name in ("hermite", "extrapolate") else (),
            _Predictions3D(limits) if extrapolated else None,
            (position, rotation, velocity, angular_velocity) if extrapolated else (),
        )
        self.large_world = large_world
        """True if positions are float64, for worlds that are too large for the precision of
        float32.
        """

    def pose(self, alpha: float, rows: Rows | slice = slice(None)) -> Pose:
        """Return the drawn positions, rotations and scales at ``alpha``. The three arrays have the
        shapes (n, 3), (n, 4) and (n, 3).
        """
        alpha = number("alpha", alpha)
        rows = row_indices(rows, self.count)
        old, new = self.states(rows)
        if self._as_they_are(alpha):
            return new[0].copy(), quaternions.normalized(new[1]), new[2].copy()
        scale = blend(old[2], new[2], alpha)
        if self.observer is not None:
            return *self.observer.pose(alpha, self.predicted(rows)), scale
        before = quaternions.normalized(old[1])
        after = quaternions.normalized(new[1])
        if self.motion == "hermite":
            rotation = spun(before, after, new[4] * np.float32(self.tick.length), alpha)
        else:
            rotation = quaternions.slerp(before, after, alpha)
        return self.position_between(old, new, alpha), rotation, scale

    def plain_pose(self, alpha: float, row: int) -> tuple[list[float], list[float], list[float]]:
        """Return the position, rotation and scale of one row as Python numbers. If ``alpha`` is 1,
        `plain_pose` is faster than `pose`. The method does not check ``row``.
        """
        if not self._as_they_are(alpha):
            pose: list[Reals] = [part[0] for part in self.pose(alpha, slice(row, row + 1))]
        else:
            rotation: Floats = self.column("rotation").data[row]
            x, y, z, w = rotation
            # the same formula as in `quaternions.normalized`
            length = np.sqrt(x * x + y * y + z * z + w * w)
            turn = rotation / max(length, quaternions.TINY)
            pose = [self.column("position").data[row], turn, self.column("scale").data[row]]
        first, second, third = [part.tolist() for part in pose]
        return first, second, third

    def plain_poses(self, alpha: float, rows: Rows) -> Pose:
        """Return the positions, rotations and scales of the rows ``rows``. If ``alpha`` is 1,
        `plain_poses` is faster than `pose`. The method does not check ``rows``.
        """
        if not self._as_they_are(alpha):
            return self.pose(alpha, rows)
        rotation: Floats = self.column("rotation").data[rows]
        squares = rotation * rotation
        length = np.sqrt(squares[:, 0] + squares[:, 1] + squares[:, 2] + squares[:, 3])
        # the same formula as in `quaternions.normalized`
        rotation /= np.maximum(length, quaternions.TINY)[:, None]
        return self.column("position").data[rows], rotation, self.column("scale").data[rows]

    def upright_poses(self, alpha: float, rows: Rows) -> tuple[Reals, Floats] | None:
        """Return the positions and scales of ``rows`` if no row is rotated. Return None if a row is
        rotated, or if the poses must be interpolated. The method does not check ``rows``.
        """
        if not self._as_they_are(alpha):
            return None
        # For a few rows, `take` needs a third of the time of an index.
        rotation: Floats = self.column("rotation").data.take(rows, axis=0)
        if np.count_nonzero(rotation[:, :3]):
            return None
        position = self.column("position").data.take(rows, axis=0)
        return position, self.column("scale").data.take(rows, axis=0)

    def balls(self, alpha: float, mesh: Mesh) -> tuple[Floats, Floats]:
        """Return a bounding sphere for each row. The sphere contains ``mesh``, drawn at the pose of
        the row. The result has the same form as in `spheres`.
        """
        return self.spheres(alpha, reach_of(mesh))

    def spheres(self, alpha: float, reach: float) -> tuple[Floats, Floats]:
        """Return a bounding sphere for each row. Each sphere contains its row as drawn at
        ``alpha``. Before scaling, no vertex is farther than ``reach`` units from the row's
        position. The method returns two arrays: the centers of shape (n, 3) and the radii of shape
        (n,).

        The center of each sphere is the position of the row, so this method does not have to
        compute rotations. Calling `pose` for all rows would take several times as long.
        """
        alpha = number("alpha", alpha)
        if self._as_they_are(alpha):
            position = self.column("position").current(self.count)
            scale = self.column("scale").current(self.count)
        else:
            old, new = self.states(slice(None))
            scale = blend(old[2], new[2], alpha)
            if self.observer is not None:
                position = self.observer.pose(alpha, self.predicted(slice(None)))[0]
            else:
                position = self.position_between(old, new, alpha)
        x, y, z = np.abs(scale.T)  # np.max along rows of three takes ten times as long
        return position, np.maximum(np.maximum(x, y), z) * np.float32(reach * 1.000001)

    def matrices(self, pose: Pose, out: Floats | None) -> Floats:
        return matrices(*pose, out)


class Transforms3D(Transforms):
    """The 3D positions, rotations and scales of rows. The y axis points up. A camera without
    rotation looks along -z.

    ``position`` has the shape (n, 3), ``rotation`` has the shape (n, 4), and ``scale`` has the
    shape (n, 3). Rotations are unit quaternions (x, y, z, w). The columns ``position``,
    ``rotation`` and ``scale`` are float32 arrays. You may write to these arrays. Each rotation is
    normalized to length 1 before the row is drawn. A rotation of length 0 means no rotation. Adding
    or removing rows makes old views invalid: read the property again.

    ``motion`` determines how frames draw rows between two ticks: a name in `MOTIONS`, or an
    `Extrapolation`. The motions "hermite" and "extrapolate" add the columns ``velocity`` and
    ``angular_velocity``, both of shape (n, 3). Velocities are in units per simulated second. The
    direction of an angular velocity is the axis of rotation in the world, and its length is the
    speed of rotation in radians per second. If the axis points at you, the rotation is
    counter-clockwise. With angular velocities, a wheel that turns more than half a turn per tick is
    drawn correctly.

    With ``large_world``, positions are float64, and objects a million units from the origin are
    drawn as precisely as objects near the origin. In float32, positions at this distance can only
    be multiples of 1/16 unit. Only the motions "interpolate" and "none" support ``large_world``:
    for float64 positions, "hermite" and "extrapolate" would need more vertex attributes than OpenGL
    3.3 allows. With these motions, ``large_world`` raises `ValueError`.

    ``columns`` adds your own columns: pass a dict such as ``{"hp": 3.0}``. See `fw.Column`.
    """

    __slots__ = ()

    position = ColumnValues[Any]("Positions in units: float32 (n, 3), or float64 in a large world.")
    rotation = ColumnValues[Floats]("Rotations as unit quaternions (x, y, z, w): float32 (n, 4).")
    scale = ColumnValues[Floats]("Scale factors along x, y and z: float32 (n, 3).")

    _table: PoseTable3D

    def __init__(
        self,
        motion: str | Extrapolation = "interpolate",
        *,
        large_world: bool = False,
        columns: Mapping[str, Any] | None = None,
    ) -> None:
        own = checked_columns("columns", columns)
        self._table = PoseTable3D(motion, large_world=large_world)
        add_own_columns(self, self._table, own)

    @property
    def large_world(self) -> bool:
        """Whether positions are float64. Use it for worlds that are too large for float32."""
        return self._table.large_world


def transforms3d_of(table: PoseTable3D) -> Transforms3D:
    """Return the `Transforms3D` object that stores its rows in ``table``."""
    transforms = Transforms3D.__new__(Transforms3D)
    transforms._table = table
    return transforms


def matrices(
    position: Floats,
    rotation: Floats,
    scale: Floats,
    out: Floats | None = None,
    *,
    exact: bool = False,
) -> Floats:
    """Return the model matrices of 3D poses. The order of the transforms is scale, rotation,
    translation.

    The array has the shape (n, 4, 4), and the matrices are for row vectors. The dtype is float32,
    or float64 with ``exact=True``.
    """
    result: Reals = np.empty((len(position), 4, 4)) if exact else checked_out(out, len(position))
    np.multiply(quaternions.matrices(rotation), scale[:, :, None], out=result[:, :3, :3])
    result[:, :3, 3] = 0
    result[:, 3, :3] = position
    result[:, 3, 3] = 1
    return result


def spun(previous: Floats, current: Floats, turned_by: Floats, alpha: float) -> Floats:
    """Return the rotations at ``alpha`` between two rotations, including full turns. The returned
    array contains unit quaternions, and has the shape (n, 4). ``turned_by`` is the angular velocity
    times the length of the tick, and has the shape (n, 3). The function splits the turn between the
    two rotations into two parts: a twist about the axis of ``turned_by``, and a remainder. The
    function adds full turns to the twist, so that it is as close to ``turned_by`` as possible. The
    remainder is interpolated along the shorter arc. If a row has no angular velocity, the whole
    rotation is interpolated along the shorter arc.
    """
    t = np.float32(alpha)
    expected: Floats = exact.norm(turned_by)
    short: Mask = (expected == 0) | (previous == current).all(axis=1)
    if short.all():
        return quaternions.slerp(previous, current, alpha)
    axis = turned_by / np.maximum(expected, np.float32(1e-30))[:, None]
    turned = quaternions.multiply(current, quaternions.conjugate(previous))
    twist = _nearest_twist(turned, axis, expected)
    remainder = quaternions.multiply(quaternions.from_vectors(axis * -twist[:, None]), turned)
    same = np.zeros_like(remainder)
    same[:, 3] = 1
    part = quaternions.slerp(same, remainder, alpha)
    whole = quaternions.multiply(quaternions.from_vectors(axis * (twist * t)[:, None]), part)
    full = quaternions.multiply(whole, previous)
    if not short.any():
        return full
    return np.where(short[:, None], quaternions.slerp(previous, current, alpha), full)


def _nearest_twist(rotation: Floats, axis: Reals, expected: Floats) -> Floats:
    """Return the angles by which the rotations turn about ``axis``, in radians. Full turns are
    added, so that the angles are as close to ``expected`` as possible.
    """
    twist: Floats = 2 * exact.functions().arctan2(exact.dot(rotation[:, :3], axis), rotation[:, 3])
    twist += _TAU * np.rint((expected - twist) / _TAU)
    return twist


class _Predictions3D(Predictions):
    """The `Predictions` of 3D poses.

    A known state consists of position, rotation, velocity and angular velocity. The prediction
    error of a row consists of a difference in position and a rotation vector.
    """

    parts = (
        ("position", 3),
        ("rotation", 4),
        ("velocity", 3),
        ("angular_velocity", 3),
        ("off", 3),
        ("turned", 3),
        ("since", 1),
    )

    def __init__(self, limits: Extrapolation) -> None:
        super().__init__(limits, known=13, error=6)

    def pose(self, alpha: float, state: Floats) -> tuple[Floats, Floats]:
        reach, fade = self.reach_and_fade(alpha, state)
        position: Floats = (
            state[:, 0:3] + state[:, 7:10] * reach[:, None] + state[:, 13:16] * fade[:, None]
        )
        spun = quaternions.from_vectors(state[:, 10:13] * reach[:, None])
        off = quaternions.from_vectors(state[:, 16:19] * fade[:, None])
        normalized = quaternions.normalized(state[:, 3:7])
        return position, quaternions.multiply(off, quaternions.multiply(spun, normalized))

    def error(self, drawn: tuple[Floats, Floats], known: Floats) -> Floats:
        position, rotation = drawn
        unit = quaternions.normalized(known[:, 3:7])
        off = quaternions.to_vectors(quaternions.multiply(rotation, quaternions.conjugate(unit)))
        return np.column_stack([position - known[:, :3], off])
