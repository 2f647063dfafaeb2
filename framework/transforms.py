"""Where things are: columns of previous and current poses, and what is drawn between the two.

Interpolated columns keep two states: ``current``, which the game writes, and ``previous``, a copy taken at the start
of each tick. What is drawn is their blend by alpha, or another of the ways in `motion`. The shader
``include/pose2d.glsl`` computes the same from the same numbers; `Transforms2D.model_matrices` is its CPU side.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .columns import Column, Floats, Rows, assign
from .motion import Extrapolation, Predictions, blend, blend_angle, check_motion, hermite, turn

# Spawns and teleports that are settled one by one; more of them are gathered into one array of rows first.
_MOST_SNAPS = 4

_ALL = slice(None)


class Transforms:
    """What poses in the plane and in space have in common: rows that come and go, and two states of each.

    ``pose`` are the columns of a pose, ``speeds`` those of its velocities by motion, ``told`` those that an
    extrapolation goes out from. More columns can live beside them (``columns``): they grow and shrink with the rows.
    """

    _position: Column
    _scale: Column

    def __init__(
        self,
        motion: str,
        pose: tuple[Column, ...],
        speeds: dict[str, tuple[Column, ...]],
        told: tuple[Column, ...],
        predictions: Predictions,
    ) -> None:
        self.motion = motion
        self._poses = pose + speeds.get(motion, ())
        self._speeds = self._poses[len(pose) :]
        self.columns: list[Column] = list(self._poses)
        self._told = told
        self._predictions: Predictions | None = None
        if motion == "extrapolate":
            self._predictions = predictions
            self.columns.append(predictions.column)
        self._tick_time = 0.0
        self._n = 0
        self._capacity = 0
        self._in_tick = False
        self._noticed: list[Floats] | None = None  # the poses as `notice_writes` last saw them
        self._snapping: list[Rows | slice] = []  # rows whose previous is to become their current
        self.ticked = False  # whether a tick began since the last hand-over

    def __len__(self) -> int:
        return self._n

    @property
    def capacity(self) -> int:
        return self._capacity

    @property
    def position(self) -> Floats:
        return self._position.values(self._n)

    @position.setter
    def position(self, value: ArrayLike) -> None:
        assign(self._position, self._n, value)

    @property
    def scale(self) -> Floats:
        return self._scale.values(self._n)

    @scale.setter
    def scale(self, value: ArrayLike) -> None:
        assign(self._scale, self._n, value)

    @property
    def velocity(self) -> Floats:
        return self.speed("velocity").values(self._n)

    @velocity.setter
    def velocity(self, value: ArrayLike) -> None:
        assign(self.speed("velocity"), self._n, value)

    @property
    def spin(self) -> Floats:
        return self.speed("spin").values(self._n)

    @spin.setter
    def spin(self, value: ArrayLike) -> None:
        assign(self.speed("spin"), self._n, value)

    def speed(self, name: str) -> Column:
        """The column ``"velocity"`` or ``"spin"``. Raises `AttributeError` where the motion knows of none."""
        for column in self._speeds:
            if column.name == name:
                return column
        which = "'hermite' or 'extrapolate'" if name == "velocity" else "'extrapolate'"
        raise AttributeError(f"{name}: things drawn by motion={self.motion!r} have none; make them with motion={which}")

    @property
    def blended(self) -> tuple[Column, ...]:
        """The columns of which both states are drawn from."""
        return self._poses if self._predictions is None else tuple([c for c in self._poses if c not in self._told])

    @property
    def predicted(self) -> Column | None:
        """With extrapolation, the column that is drawn from in place of `unsent`; see `motion.Predictions`."""
        return None if self._predictions is None else self._predictions.column

    @property
    def unsent(self) -> tuple[Column, ...]:
        """The columns that the GPU need not know."""
        return () if self._predictions is None else self._told

    @property
    def motion_uniform(self) -> tuple[float, float, float, float] | None:
        """What the shader needs, seconds: the clock at alpha 0, from there to alpha 1, the limit, the blend time."""
        if self._predictions is not None:
            limits = self._predictions.limits
            return self._predictions.clock, self._predictions.tick_time, limits.limit, limits.blend_time
        return (0.0, self._tick_time, 0.0, 0.0) if self.motion == "hermite" else None

    def reserve(self, capacity: int) -> None:
        """Room for ``capacity`` rows without moving the columns."""
        if capacity <= self._capacity:
            return
        for column in self.columns:
            column.reserve(capacity, self._n)
        self._capacity = capacity

    def checked(self, count: int, columns: Mapping[str, ArrayLike]) -> dict[str, NDArray[Any]]:
        """Values by column for ``count`` new rows, each in its column's shape and dtype, before any row is made.

        Raises `TypeError` for a name that is no column of the game's, `ValueError` for values that do not fit.
        """
        known = {column.name: column for column in self.columns if column is not self.predicted}
        values = {}
        for name, value in columns.items():
            if name not in known:
                raise TypeError(f"{name}: not a column; there are {', '.join(known)}")
            column = known[name]
            scratch = Column(name, column.width, column.default, dtype=column._current.dtype, interpolated=False)
            scratch.reserve(count, 0)
            assign(scratch, count, value)
            values[name] = scratch._current
        return values

    def spawn(self, count: int, values: Mapping[str, NDArray[Any]] = MappingProxyType({})) -> slice:
        """``count`` new rows at the end, with values that were `checked`, elsewhere at their defaults.

        They are drawn first where this tick leaves them.
        """
        start, stop = self._n, self._n + count
        if stop > self._capacity:
            self.reserve(max(stop, 2 * self._capacity, 16) if start else max(stop, 1))
        for column in self.columns:
            column.spawn(start, stop)
            if column.name in values:
                column._current[start:stop] = values[column.name]
        self._n = stop
        self._snap_later(start, stop)
        return slice(start, stop)

    def _snap_later(self, start: int, stop: int) -> None:
        last = self._snapping[-1] if self._snapping else None
        if isinstance(last, slice) and last.stop == start:  # one after another: kept as one
            self._snapping[-1] = slice(last.start, stop)
        else:
            self._snapping.append(slice(start, stop))

    def keep(self, rows: Rows) -> None:
        """Drop all rows but ``rows`` (ascending indices); their order stays."""
        if self._snapping:
            snapping = _marks(self._snapping, self._n)[rows]
            self._snapping = [np.flatnonzero(snapping)]
        for column in self.columns:
            column.keep(rows)
        self._n = len(rows)

    def teleport(self, rows: Rows | slice) -> None:
        """Draw ``rows`` where they are when this tick ends, without a way there.

        The order of the calls does not matter: before or after the write is the same.
        """
        self._snapping.append(rows)

    def notice_writes(self) -> None:
        """While no ticks run: rows written since the last call are drawn where they are, without a way there.

        The first call after a tick only remembers where everything is.
        """
        before = self._noticed
        if before is not None and not any(column.may_be_written for column in self._poses):
            return
        now = self._noticed = [column.current(self._n).copy() for column in self._poses]
        if before is None or len(before[0]) != self._n:
            return
        written = np.zeros(self._n, bool)
        for old, new in zip(before, now, strict=True):
            written |= (old != new).reshape(self._n, -1).any(axis=1)
        if written.any():
            for column in self._poses:
                column.touch()
            self.teleport(np.flatnonzero(written))

    def begin_tick(self, dt: float) -> None:
        """A tick of ``dt`` simulated seconds begins: previous ◄ current, for every row."""
        self._noticed = None
        self._settle_snaps()
        for column in self._poses:
            column.latch(self._n)
        self._tick_time = dt
        if self._predictions is not None:
            self._predictions.begin_tick(dt, self._n)
        self._in_tick = self.ticked = True

    def end_tick(self) -> None:
        """Rows that were spawned or teleported in this tick get previous = current."""
        if self._predictions is not None:
            self._predictions.take(self._known(_ALL))
        self._settle_snaps()
        self._in_tick = False

    def _known(self, rows: Rows | slice) -> Floats:
        """The states of rows that are extrapolated from, the columns side by side."""
        return np.column_stack([column.current(self._n)[rows] for column in self._told])

    def _settle_snaps(self) -> None:
        if not self._snapping:
            return
        for rows in self._few_snaps():
            for column in self._poses:
                column.snap(rows)
            if self._predictions is not None:
                self._predictions.snap(rows, self._known(rows))
        self._snapping.clear()

    def _few_snaps(self) -> list[Rows | slice]:
        if len(self._snapping) <= _MOST_SNAPS:
            return self._snapping
        return [np.flatnonzero(_marks(self._snapping, self._n))]

    def settle(self) -> None:
        """Before poses are read: what was spawned or teleported since the last tick is drawn where it is."""
        if not self._snapping:
            return
        snapping = list(self._snapping) if self._in_tick else []  # in a tick they may still be written to
        self._settle_snaps()
        self._snapping += snapping

    def _states(self, rows: Rows | slice) -> tuple[list[Floats], list[Floats]]:
        """Previous and current of the columns of a pose and its speeds."""
        self.settle()
        old = [column.previous(self._n)[rows] for column in self._poses]
        return old, [column.current(self._n)[rows] for column in self._poses]


class Transforms2D(Transforms):
    """Poses in the plane: ``position`` (n, 2), ``angle`` (n,) in radians counter-clockwise, ``scale`` (n, 2).

    All are float32, y up, and writable in place. Views are valid until rows are added or removed: fetch them anew.

    ``motion`` says how they are drawn between ticks: one of the `MOTIONS`, or an `Extrapolation`. With "hermite" and
    "extrapolate" there is ``velocity`` (n, 2), units a simulated second, with "extrapolate" also ``spin`` (n,),
    radians a second: the game writes them beside the poses.
    """

    def __init__(self, motion: str | Extrapolation = "interpolate") -> None:
        name, limits = check_motion(motion)
        self._position = Column("position", 2, 0.0, interpolated=True)
        self._angle = Column("angle", 1, 0.0, interpolated=True)
        self._scale = Column("scale", 2, 1.0, interpolated=True)
        velocity, spin = Column("velocity", 2, 0.0, interpolated=True), Column("spin", 1, 0.0, interpolated=True)
        super().__init__(
            name,
            (self._position, self._angle, self._scale),
            {"hermite": (velocity,), "extrapolate": (velocity, spin)},
            (self._position, velocity, self._angle, spin),
            _Predictions2D(limits),
        )

    @property
    def angle(self) -> Floats:
        return self._angle.values(self._n)

    @angle.setter
    def angle(self, value: ArrayLike) -> None:
        assign(self._angle, self._n, value)

    def pose(self, alpha: float, rows: Rows | slice = _ALL) -> tuple[Floats, Floats, Floats]:
        """Position (n, 2), angle (n,) and scale (n, 2) as they are drawn at ``alpha``, float32; of ``rows``, or all."""
        old, new = self._states(rows)
        if self.motion == "none":
            return new[0].copy(), new[1].copy(), new[2].copy()
        if self._predictions is not None:
            state = self._predictions.column.current(self._n)[rows]
            return *self._predictions.pose(alpha, state), blend(old[2], new[2], alpha)
        if self.motion == "hermite":
            time = np.float32(self._tick_time)
            position = hermite(old[0], new[0], old[3] * time, new[3] * time, alpha)
        else:
            position = blend(old[0], new[0], alpha)
        return position, blend_angle(old[1], new[1], alpha), blend(old[2], new[2], alpha)

    def model_matrices(self, alpha: float, out: Floats | None = None) -> Floats:
        """The model matrices that the shader computes at ``alpha``: scale, then rotation, then translation.

        Returns float32 (n, 4, 4) in pyrr's layout (row vectors: ``v @ m``, the translation in the last row), which
        in memory is what GLSL's column-major ``mat4`` expects. ``out`` is filled and returned when given.
        """
        n = self._n
        if out is None:
            out = np.empty((n, 4, 4), np.float32)
        elif out.shape != (n, 4, 4) or out.dtype != np.float32:
            raise ValueError(f"out: expected float32 of shape {(n, 4, 4)}, got {out.dtype} of shape {out.shape}")
        position, angle, scale = self.pose(alpha)
        cos, sin = np.cos(angle), np.sin(angle)
        out[:] = 0
        out[:, 0, 0] = cos * scale[:, 0]
        out[:, 0, 1] = sin * scale[:, 0]
        out[:, 1, 0] = -sin * scale[:, 1]
        out[:, 1, 1] = cos * scale[:, 1]
        out[:, 2, 2] = out[:, 3, 3] = 1
        out[:, 3, :2] = position
        return out


class _Predictions2D(Predictions):
    """Known are position, velocity, angle and spin; the error is one of position and angle."""

    def __init__(self, limits: Extrapolation) -> None:
        super().__init__(limits, known=6, error=3)

    def pose(self, alpha: float, state: Floats) -> tuple[Floats, Floats]:
        reach, fade = self.reach_and_fade(alpha, state)
        position: Floats = state[:, 0:2] + state[:, 2:4] * reach[:, None] + state[:, 6:8] * fade[:, None]
        angle: Floats = state[:, 4] + state[:, 5] * reach + state[:, 8] * fade
        return position, angle

    def error(self, drawn: tuple[Floats, Floats], known: Floats) -> Floats:
        position, angle = drawn
        return np.column_stack([position - known[:, :2], turn(known[:, 4], angle)])


def _marks(several: list[Rows | slice], n: int) -> NDArray[np.bool_]:
    """A mask of ``n`` rows, true for those in any of ``several``."""
    mask = np.zeros(n, bool)
    for rows in several:
        mask[rows] = True
    return mask
