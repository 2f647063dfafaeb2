"""The positions, angles and scales of rows, interpolated between two ticks.

Games use the class `Transforms`. Its rows are stored in a `PoseTable`, which only the framework
uses. An interpolated column stores two states: ``current``, which the game writes, and
``previous``, a copy from the start of the tick. Each frame draws a row at a pose between the two,
which a formula of the module `interpolation` computes from alpha. The shaders
``include/pose2d.glsl`` and ``include/pose3d.glsl`` compute the same poses from the same numbers.
`model_matrices` computes the drawn poses on the CPU, without a shader.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Rows
from ..checks import Sealed, instance, number, text
from ..moved_names import HasMoved, moved
from .columns import ColumnValues, Table, TableColumn
from .interpolation import Predictions, blend, hermite
from .received_columns import (
    checked_received,
    receive_over_time,
    receive_rows,
    stop_receiving,
)
from .rows import Batch

Pose = tuple[Floats, Floats, Floats]
"""Three arrays: positions (n, 2 or 3), angles (n,) or rotations (n, 4), and scales (n, 2 or 3)."""

_ALL = slice(None)


class PoseTable(Table):
    """A table of 2D or 3D poses. The table's ``motion`` determines how frames draw the rows between
    two ticks.

    ``pose`` contains the columns of position, rotation and scale. ``speeds`` contains the velocity
    columns, if the motion needs them. If you pass ``predictions``, frames extrapolate the columns
    in ``observed``.
    """

    __slots__ = ("motion", "timed")

    observer: Predictions | None

    def __init__(
        self,
        motion: str,
        pose: tuple[TableColumn, ...],
        speeds: tuple[TableColumn, ...],
        predictions: Predictions | None,
        observed: tuple[TableColumn, ...],
    ) -> None:
        super().__init__((*pose, *speeds), observer=predictions, observed=observed)
        self.motion = motion
        """The name of the motion between ticks, such as "interpolate"."""
        self.timed = motion in ("hermite", "extrapolate")
        """Whether the motion depends on time, so that the shader needs `motion_uniform`."""

    @property
    def motion_uniform(self) -> tuple[float, float, float, float]:
        """The four times that the shader needs for extrapolation, in seconds: the clock at alpha 0,
        the time from alpha 0 to alpha 1, and the limit and the blend duration of the
        `Extrapolation`.
        """
        if self.observer is not None:
            limits = self.observer.limits
            return self.observer.clock, self.observer.tick_time, limits.limit, limits.blend_duration
        return 0.0, self.tick.length, 0.0, 0.0

    def missing(self, name: str) -> str:
        """Return the error message for a column name that does not exist."""
        if name not in ("velocity", "angular_velocity"):
            return super().missing(name)
        which = (
            "'hermite' or 'extrapolate'"
            if name == "velocity" or self._turns_by_angular_velocity
            else "'extrapolate'"
        )
        if not self._may_be_told:
            return (
                f"{name}: the batch has no such column with motion={self.motion!r}; make the batch "
                f"with motion={which}. Rows with a body have the {name} of the body: write "
                f"bodies.{name}, where bodies = physics.add(batch)"
            )
        return (
            f'{name}: the batch has no such column; write fw.SpriteBatch(image, columns="{name}"), '
            f"and batch.move(dt) in update. Batches with motion={which} have the column too"
        )

    # whether the motion "hermite" also uses the angular velocity
    _turns_by_angular_velocity = False
    _may_be_told = False  # whether the game may add the angular velocity as a column

    def pose(self, alpha: float, rows: Rows | slice = _ALL) -> Pose:
        """Return the drawn poses of ``rows`` at ``alpha``: positions, angles or rotations, and
        scales.
        """
        raise NotImplementedError

    def matrices(self, pose: Pose, out: Floats | None) -> Floats:
        """Return the model matrix of each row of ``pose``. If you pass the array ``out``, the
        matrices are written into it.
        """
        raise NotImplementedError

    def _as_they_are(self, alpha: float) -> bool:
        """Return whether the drawn poses are equal to the current poses, so that no interpolation
        is necessary.
        """
        return self.motion == "none" or (alpha == 1 and self.observer is None)

    def predicted(self, rows: Rows | slice) -> Floats:
        """Return the last known states of ``rows``, from which frames are extrapolated. The column
        of the `Predictions` stores them.
        """
        assert self.observer is not None
        states: Floats = self.observer.column.current(self.count)[rows]
        return states

    def curve(self, old: list[Any], new: list[Any], velocity: int, alpha: float) -> Floats:
        """Return the positions at ``alpha`` on the Hermite curves from the previous positions to
        the current positions. ``velocity`` is the index of the velocity column.
        """
        time = np.float32(self.tick.length)
        return hermite(old[0], new[0], old[velocity] * time, new[velocity] * time, alpha)

    def position_between(self, old: list[Any], new: list[Any], alpha: float) -> Any:
        """Return the drawn positions at ``alpha`` between two states, unless the motion is
        "extrapolate".
        """
        if self.motion == "hermite":
            return self.curve(old, new, 3, alpha)
        return blend(old[0], new[0], alpha)


@moved(
    "transforms",
    {"spawn": "extend", "drop": "remove", "count": "len(transforms)"},
    {"spin": "angular_velocity"},
)
class Transforms(Batch, HasMoved, Sealed):
    """2D or 3D poses, one per row. The game moves the rows in each tick.

    If a batch belongs to a scene, the scene calls `begin_tick` and `end_tick` in each tick. If the
    batch does not belong to a scene, call `begin_tick` before you write the rows, and `end_tick`
    afterwards:

        poses = fw.Transforms2D()
        poses.extend(100)
        poses.begin_tick(1 / 60)
        poses.position[:] += 1
        poses.end_tick()
        position, angle, scale = poses.pose(0.5)  # halfway between the two ticks
    """

    __slots__ = ("__weakref__", "_table")

    _rows_can_be_saved: ClassVar[bool] = True
    _takes_columns: ClassVar[bool] = True
    _table: PoseTable

    velocity = ColumnValues[Floats](
        "Velocities in units per second of game time, for motions that use velocities. The array "
        "is float32 with the shape (n, 2) or (n, 3)."
    )
    angular_velocity = ColumnValues[Floats](
        "Angular velocities in radians per second of game time, for motions that use them. The "
        "array is float32 with the shape (n,) or (n, 3)."
    )

    @property
    def motion(self) -> str:
        """The name of the motion, such as "interpolate". It determines how frames draw rows between
        two ticks.
        """
        return self._table.motion

    def column(self, name: str) -> NDArray[Any]:
        """Return a read-only view of the current values of a column.

        After you read a property such as ``poses.position``, the next tick must compare the array
        with a copy, because you may have written to it. `column` avoids this comparison, because
        you cannot write into its result. Raises `ValueError` if the batch has no column ``name``.
        """
        table = self._table
        try:
            view = table.column(name).data[: table.count]
        except (AttributeError, TypeError):
            raise ValueError(f"name: {table.missing(text('name', name))}") from None
        view.setflags(write=False)
        return view

    def _arrays(self, *names: str) -> list[NDArray[Any]]:
        """Return the current arrays of columns. For the framework itself: the arrays must not be
        written or kept. This takes half the time of `column`.
        """
        table = self._table
        count = table.count
        return [table.column(name).data[:count] for name in names]

    def begin_tick(self, dt: float) -> None:
        """Begin a tick of ``dt`` seconds of game time. The current state becomes the previous
        state.

        Scenes call `begin_tick` for their batches.
        """
        self._table.begin_tick(dt)

    def end_tick(self) -> None:
        """End the tick. Until the next tick, frames interpolate from the previous poses to the
        current poses. Rows that were added or teleported during the tick are drawn without
        interpolation.
        """
        self._table.end_tick()

    def receive(
        self,
        *,
        current: Mapping[str, NDArray[Any]],
        previous: Mapping[str, NDArray[Any]] | None = None,
        ids: NDArray[np.integer[Any]] | None = None,
        at: float | None = None,
    ) -> None:
        """Draw rows from arrays that belong to other code, such as the memory of another process.
        The batch neither copies nor compares the arrays that you pass.

        Call `receive` in `update`, in each tick that has new rows. Frames interpolate from
        ``previous`` to ``current``. The game cannot write the rows of the batch until you call
        `stop_receiving`.

        Parameters
        ----------
        current
            A dict from names of columns to arrays, such as ``{"position": positions}``. Each array
            must be contiguous, and must have the dtype and the shape of its column. Do not change a
            passed array before the next call of `receive`. If you pass the same array object again,
            it is not uploaded again.
        previous
            The arrays of interpolated columns at the start of the tick. If a column is not in
            ``previous``, frames interpolate from the ``current`` rows of the last call. If rows
            were added or removed, such a column is drawn without interpolation.
        ids
            The ids of the rows, if rows may have been added or removed. A handle, such as a
            `Sprite`, refers to the row with the same id. Without ``ids``, the number of rows must
            not change.
        at
            The time when the rows have the values in ``current``, in simulated seconds from the
            start of this tick. Default: the end of the tick. If ``at`` is later than the end of the
            tick, the rows move at a constant speed for several ticks. Use ``at`` for states that
            arrive rarely, such as 20 times per second. With ``at``, the batch computes new arrays
            in each tick.

        Raises `TypeError` or `ValueError` if an array does not fit. The batch then stays unchanged.
        """
        table = self._table
        duration = None if at is None else number("at", at, least=0)
        received, count, new_ids = checked_received(
            table, current, previous, ids, duration is not None
        )
        next_id = table.ids.next(table.count)
        if duration is None:
            receive_rows(table, received, count, new_ids, next_id)
        else:
            receive_over_time(table, received, count, new_ids, next_id, duration)

    def stop_receiving(self) -> None:
        """Copy the received rows into the memory of the batch. After this call, the game can write
        the rows again.
        """
        stop_receiving(self._table)

    def pose(self, alpha: float, rows: Rows | slice = _ALL) -> Pose:
        """Return the drawn positions, angles or rotations, and scales at ``alpha``.

        Alpha is 0 at the previous tick, and 1 at the current tick. ``rows`` contains the indices of
        the rows. By default, all rows are returned.
        """
        return self._table.pose(alpha, rows)

    def model_matrices(self, alpha: float, out: Floats | None = None) -> Floats:
        """Return the model matrices that the shader computes at ``alpha``. The order of the
        transforms is scale, rotation, translation.

        The float32 array has the shape (n, 4, 4). The matrices are for row vectors (``v @ m``),
        with the translation in the last row, as in pyrr. In memory, a matrix is equal to a ``mat4``
        in GLSL. If you pass the array ``out``, the matrices are written into it.
        """
        return self._table.matrices(self._table.pose(alpha), out)


def checked_out(out: Floats | None, n: int) -> Floats:
    """Return an array for ``n`` model matrices: ``out``, or a new array if ``out`` is None. Raises
    `ValueError` if ``out`` has a wrong shape or dtype.
    """
    if out is None:
        return np.empty((n, 4, 4), np.float32)
    instance("out", out, np.ndarray, what=f"float32 of shape {(n, 4, 4)}")
    if out.shape != (n, 4, 4) or out.dtype != np.float32:
        raise ValueError(
            f"out: expected float32 of shape {(n, 4, 4)}, got {out.dtype} of shape {out.shape}"
        )
    return out
