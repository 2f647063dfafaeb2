"""Hide the jumps of sprites and other rows after a correction in a network game.

In a correction, some ticks run again with new input from the network, so rows may jump to other
positions. To hide the jump, each row moves smoothly to its true pose. The error of a row is its
drawn pose before the correction, minus its true pose. Each frame adds the error to the true pose,
until the error has faded to 0. The columns of the table always contain the true values.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Mask, Rows
from ..geometry import quaternions
from .columns import TableColumn
from .interpolation import turn
from .transforms import PoseTable

_SMALL = 1e-5  # units or radians (smaller errors are not drawn)


class ShownPoses:
    """The poses at which a table's rows were drawn in one frame, and the ids of these rows."""

    __slots__ = ("ids", "orientation", "parents", "position")

    def __init__(self, table: PoseTable, alpha: float) -> None:
        self.position, self.orientation = shown_pose(table, alpha)
        self.ids: NDArray[Any] = table.ids.values(table.count).copy()
        self.parents = _parents_of(table)


class Displacement:
    """The errors of the rows of one column after a correction in a network game. The error of a row
    is its drawn value minus its true value. The attribute `share` is the fraction of the errors
    that is still drawn, from 0 to 1.
    """

    __slots__ = ("_errors", "_ids", "_table", "share")

    def __init__(self, table: PoseTable, ids: NDArray[Any], errors: Floats) -> None:
        self._table = table
        self._ids = ids
        self._errors = errors
        self.share = 1.0
        """The fraction of the errors that is drawn. `share` decreases from 1 to 0."""

    @property
    def width(self) -> int:
        """The number of values in the error of a row."""
        return self._errors.shape[1] if self._errors.ndim > 1 else 1

    def __call__(self, values: NDArray[Any], rows: Rows | slice = slice(None)) -> NDArray[Any]:
        """Return the sum of ``values`` and the errors. ``values`` contains the column's values in
        ``rows``.
        """
        errors = self._errors_of_all()[rows] * np.float32(self.share)
        if values.ndim == 2 and values.shape[1] == 4:  # quaternions
            spins = quaternions.from_vectors(errors)
            turned: Floats = quaternions.multiply(spins, quaternions.normalized(values))
            shown: NDArray[Any] = turned.astype(values.dtype)
            return shown
        moved: NDArray[Any] = values + errors.astype(values.dtype)
        return moved

    def _errors_of_all(self) -> Floats:
        """Return the error of every row of the table, or 0 for a row without an error."""
        count = self._table.count
        errors = np.zeros((count, *self._errors.shape[1:]), np.float32)
        rows = self._table.ids.rows_of(self._ids, count)
        present = rows >= 0
        errors[rows[present]] = self._errors[present]
        return errors


class StateDisplacement:
    """The prediction errors of extrapolated rows, which fade over time. The GPU computes the pose
    of an extrapolated row from its last known state. This class therefore adds the error to the
    position and to the angle or rotation of this state.
    """

    __slots__ = ("_orientation", "_position", "share")

    def __init__(self, position: Displacement, orientation: Displacement) -> None:
        self._position = position
        self._orientation = orientation
        self.share = 1.0
        """The fraction of the errors that is drawn. `share` decreases from 1 to 0."""

    def __call__(self, states: NDArray[Any]) -> NDArray[Any]:
        """Return the last known states of all rows plus their errors. ``states`` contains rows of
        the column that `Predictions` stores.
        """
        self._position.share = self._orientation.share = self.share
        axes = self._position.width
        # a state begins with position, velocity and angle, or with position and rotation
        orientation = slice(4, 5) if axes == 2 else slice(3, 7)
        result: NDArray[Any] = states.copy()
        result[:, :axes] = self._position(states[:, :axes])
        turned = states[:, orientation] if axes == 3 else states[:, 4]
        result[:, orientation] = self._orientation(turned).reshape(len(states), -1)
        return result


def shown_pose(
    table: PoseTable, alpha: float, rows: Rows | slice = slice(None)
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the drawn positions and orientations of ``rows`` at ``alpha``. The drawn poses include
    the errors that have not faded to 0 yet.
    """
    position, orientation, _ = table.pose(alpha, rows)
    columns = _pose_columns(table)
    shown: list[NDArray[Any]] = [
        values if column.displacement is None else column.displacement(values, rows)
        for column, values in zip(columns, (position, orientation), strict=True)
    ]
    return shown[0], shown[1]


def can_be_displaced(table: object) -> bool:
    """Return whether `displace` supports a table. If the poses of a table depend on nodes, the
    framework displaces the nodes instead.
    """
    return isinstance(table, PoseTable) and table.count > 0 and "position" not in table.derived


def displace(table: PoseTable, before: ShownPoses, alpha: float, max_distance: float) -> bool:
    """Store an error for each row: its pose in ``before``, minus its true pose at ``alpha``. Return
    whether any row has an error.

    The pose and the error of a node are relative to the parent of the node. New rows, and nodes
    with a new parent, do not get an error. A row that is drawn farther than ``max_distance`` from
    its true position does not get an error, either: it jumps.
    """
    position, orientation, _ = table.pose(alpha)
    ids: NDArray[Any] = table.ids.values(table.count)
    if np.array_equal(ids, before.ids):
        old = new = np.arange(len(ids))
    else:
        ids, old, new = np.intersect1d(before.ids, ids, assume_unique=True, return_indices=True)
    moved = (before.position[old] - position[new]).astype(np.float32)
    turned = _turn_between(orientation[new], before.orientation[old])
    displaced = _has_drawn_error(moved, turned, max_distance)
    if before.parents is not None:
        displaced &= before.parents[old] == _parents_of(table)[new]
    if not displaced.any():
        end_displacement(table)
        return False
    _set_displacement(table, ids[displaced].copy(), moved[displaced], turned[displaced])
    show_displacement(table, 1.0)
    return True


def _turn_between(true: NDArray[Any], drawn: NDArray[Any]) -> Floats:
    """Return the turn from the true orientation of each row to its drawn orientation: an angle in
    2D, or a rotation vector in 3D.
    """
    if true.ndim == 1:
        return turn(true, drawn)
    inverse = quaternions.conjugate(quaternions.normalized(true))
    vectors: Floats = quaternions.to_vectors(quaternions.multiply(drawn, inverse))
    return vectors


def _has_drawn_error(moved: Floats, turned: Floats, max_distance: float) -> Mask:
    """Return whether the error of each row is large enough to be drawn, but not so large that the
    row jumps.
    """
    distance = np.abs(moved).max(axis=1, initial=0)
    angle = np.abs(turned) if turned.ndim == 1 else np.abs(turned).max(axis=1, initial=0)
    result: Mask = np.isfinite(distance) & np.isfinite(angle) & (distance <= max_distance)
    result &= (distance > _SMALL) | (angle > _SMALL)
    return result


def _set_displacement(table: PoseTable, ids: NDArray[Any], moved: Floats, turned: Floats) -> None:
    """Store the errors of the rows with these ``ids`` in the columns of a table."""
    displacements = [Displacement(table, ids, errors) for errors in (moved, turned)]
    for column, displacement in zip(_pose_columns(table), displacements, strict=True):
        if table.observer is None:
            column.previous(table.count)  # perhaps only the GPU has these values
        column.displacement = displacement
    if table.observer is not None:
        table.observer.column.displacement = StateDisplacement(*displacements)


def _parents_of(table: PoseTable) -> Any:
    """Return the id of each row's parent, or -1 for a row without a parent. Return None if the rows
    of this table have no parents.
    """
    if not table.has("parent"):
        return None
    parents = table.column("parent").current(table.count)
    ids: NDArray[Any] = table.ids.values(table.count)
    return np.where(parents < 0, -1, ids.astype(np.int64)[parents])


def show_displacement(table: PoseTable, share: float) -> None:
    """Set ``share``, the fraction of the errors that the next frame draws."""
    for column in _columns(table):
        if column.displacement is not None:
            column.displacement.share = share
            column.upload_again()


def end_displacement(table: PoseTable) -> None:
    """Remove all errors, so that all rows of a table are drawn at their true poses."""
    for column in _columns(table):
        if column.displacement is not None:
            column.displacement = None
            column.upload_again()


def _columns(table: PoseTable) -> tuple[TableColumn, ...]:
    """Return the columns of a table that can be displaced."""
    columns = _pose_columns(table)
    return columns if table.observer is None else (*columns, table.observer.column)


def _pose_columns(table: PoseTable) -> tuple[TableColumn, TableColumn]:
    name = "angle" if table.has("angle") else "rotation"
    return table.column("position"), table.column(name)
