"""Advance the animation times of all copies in a crowd, in one NumPy operation per tick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Floats, Mask, Rows
from ..models.baked_animations import BakedModel, NodePoses, Playing, drawn_pose
from ..state.columns import Codes, TableColumn
from ..state.transforms3d import PoseTable3D

ANIMATIONS = 4096
"""The factor by which the number of the older animation is multiplied in the code of a state; see
`CrowdTable`. The shader file crowd.glsl contains the same constant.
"""

REST = 0
"""The animation number of the rest pose, which is the pose without animation. The animations of the
model are numbered 1, 2, 3 and so on.
"""

_HIDDEN = (
    "animation",
    "animation_before",
    "crowd_states",
    "crowd_states_before",
    "animation_fade",
    "animation_faded",
    "animation_loop",
    "animation_loop_before",
    "animation_speed_before",
    "animation_time_before",
)


def _column(name: str, default: float, dtype: type[np.generic], width: int = 1) -> TableColumn:
    return TableColumn(name, width, default, dtype=dtype, interpolated=False)


class _Rows(NamedTuple):
    """Cached values for all rows. The values change only when an animation starts, a speed changes,
    or rows are added.
    """

    dt: float
    code: Floats
    """The code of each row's two animations, always positive; see `CrowdTable`."""
    duration: Doubles
    """The length of each row's newer animation, in seconds."""
    step: Doubles
    """How many seconds each row's animation advances per tick."""
    length: Doubles
    """The time at which the animation of each row restarts. The time is infinite for a row with
    ``loop=False``.
    """
    last: Doubles | None
    """The time at which the animation of each row ends. The time is infinite for a row with
    ``loop=True``. None if all rows have ``loop=True``.
    """
    may_fade: bool
    """Whether the older animation of any row may still be fading out."""
    are_simple: bool
    """Whether every row is playing forwards, and no row plays its whole animation in one tick."""


class CrowdTable(PoseTable3D):
    """The table of rows of a `Crowd`, which contains 3D poses and the animation of each row.

    Each row plays one animation. After `play`, the older animation fades out while the newer
    animation is already playing. Each row has two states, one from the start and one from the end
    of the last tick. Frames between two ticks show a mix of the two. A state consists of four
    numbers: a code for the newer and the older animation, the time of the newer animation in
    seconds, the time of the older animation in seconds, and the weight of the newer animation, from
    0 to 1. The code is 1 + ``newer`` + `ANIMATIONS` × ``older``, where ``newer`` and ``older`` are
    the numbers of the animations. If the code of a state is positive, both states have the same
    animations, and frames show these animations at a time between the times of the two states. If
    the code is negative, frames show a mix of the poses of the two states.
    """

    __slots__ = (
        "_fade",
        "_faded",
        "_known_rows",
        "_loop",
        "_loop_before",
        "_newer",
        "_older",
        "_speed",
        "_speed_before",
        "_time",
        "_time_before",
        "baked",
        "is_loading",
        "states_after",
        "states_before",
        "version",
    )

    not_state = __slots__

    def __init__(self, baked: BakedModel, *, large_world: bool) -> None:
        super().__init__("interpolate", large_world=large_world)
        self.baked = baked
        self._newer = _column("animation", REST, np.int32)
        self._older = _column("animation_before", REST, np.int32)
        self._time = _column("time", 0.0, np.float64)
        self._time_before = _column("animation_time_before", 0.0, np.float64)
        self._speed = _column("animation_speed", 1.0, np.float64)
        self._speed_before = _column("animation_speed_before", 1.0, np.float64)
        self._loop = _column("animation_loop", True, np.bool_)
        self._loop_before = _column("animation_loop_before", True, np.bool_)
        # The duration of the fade-out of the older animation, and the time since `play`, in
        # seconds.
        self._fade = _column("animation_fade", 0.0, np.float64)
        self._faded = _column("animation_faded", 0.0, np.float64)
        at_rest = (1.0, 0.0, 0.0, 1.0)
        self.states_before = TableColumn("crowd_states_before", 4, at_rest, interpolated=False)
        self.states_after = TableColumn("crowd_states", 4, at_rest, interpolated=False)
        self._known_rows: _Rows | None = None
        self.is_loading = False
        """True while rows are being loaded from a save. In this case, `after_restore` computes the
        states of the rows.
        """
        self.version = 0
        """The number of ticks that have changed the states. `version` is not part of the game's
        state.
        """
        names = Codes(["", *baked.model.animations])
        self.codes["animation"] = names
        self.codes["animation_before"] = names
        self.derived = ("crowd_states", "crowd_states_before")
        self.add_columns(
            self._newer,
            self._older,
            self._time,
            self._time_before,
            self._speed,
            self._speed_before,
            self._loop,
            self._loop_before,
            self._fade,
            self._faded,
            self.states_before,
            self.states_after,
            drawn=False,
        )

    def _names(self) -> list[str]:
        return [name for name in super()._names() if name not in _HIDDEN]

    # -- playing -----------------------------------------------------------------------------------

    def play(
        self,
        rows: Rows | slice,
        animation: int,
        loop: bool,
        speed: float | Doubles,
        fade: float | Doubles,
        start: float | Doubles,
    ) -> None:
        """Start an animation on ``rows``. The older animation of each row fades out.

        If a row was in the rest pose, it shows the new animation immediately, as in a `ModelBatch`.
        """
        self._known_rows = None
        older = self._newer.data[rows].copy()
        duration = float(self.baked.durations[animation])
        if animation == REST:
            start = 0.0
        backwards = np.less(speed, 0) & np.equal(start, 0)
        for column, values in (
            (self._older, older),
            (self._time_before, self._time.data[rows]),
            (self._speed_before, self._speed.data[rows]),
            (self._loop_before, self._loop.data[rows]),
            (self._newer, animation),
            (self._time, np.where(backwards, duration, start)),
            (self._speed, speed),
            (self._loop, loop),
            (self._fade, np.where(older == REST, 0.0, fade)),
            (self._faded, 0.0),
        ):
            column.data[rows] = values
            column.touch()

    def playing(self, animation: int) -> Rows:
        """Return the indices of the rows that are playing an animation."""
        return np.flatnonzero(self._newer.data[: self.count] == animation)

    def animation_of(self, row: int) -> int:
        """Return the number of the animation that a row is playing."""
        return int(self._newer.data[row])

    def finished(self, rows: Rows | slice = slice(None)) -> Mask:
        """Return whether the animation of each row has ended, as a bool array. For a row in the
        rest pose, the value is True.
        """
        newer = self._newer.current(self.count)[rows]
        speed = self._speed.current(self.count)[rows]
        end = np.where(speed >= 0, self.baked.durations[newer], 0.0)
        ended = ~self._loop.current(self.count)[rows] & (
            self._time.current(self.count)[rows] == end
        )
        finished: Mask = ended | (newer == REST)
        return finished

    # -- ticks -------------------------------------------------------------------------------------

    def advance(self, dt: float) -> None:
        """Advance all animations by ``dt`` simulated seconds.

        ``dt`` is 0 while the scene is paused. Frames then show the newest state.
        """
        n = self.count
        if not n:
            return
        if not dt:
            self._rest_states(n)
            return
        before = self.states_before
        after = self.states_after
        before.data, after.data = after.data, before.data
        old = before.data[:n]
        new = after.data[:n]
        speed = self._speed
        rows = self._known_rows
        # this line must be before `time`, because `time` is also a view
        was_written = self._time.has_writes()
        time: Doubles = self._time.data[:n]
        if rows is None or rows.dt != dt or speed.has_writes():
            rows = self._known_rows = self._rows_now(n, dt)
            was_written = True
        if was_written or not rows.are_simple:
            is_apart = (np.abs(old[:, 0]) != rows.code) | (old[:, 1] != time.astype(np.float32))
            loop = self._loop.data[:n]
            is_apart[_advance_times(time, rows.step, rows.duration, loop)] = True
        else:
            np.add(time, rows.step, out=time)
            if rows.last is not None:
                np.minimum(time, rows.last, out=time)
            is_apart = time >= rows.length
        new[:, 0] = rows.code
        if is_apart.any():
            if not was_written and rows.are_simple:
                # Each time is less than twice the length of its animation. So time minus length is
                # the exact remainder.
                np.subtract(time, rows.length, out=time, where=is_apart)
            np.negative(rows.code, out=new[:, 0], where=is_apart)
        new[:, 1] = time
        new[:, 3] = 1
        if rows.may_fade:
            self._advance_fading(new, dt)
        before.frozen = after.frozen = self._time.frozen = None
        self._time.forget_writes()
        speed.forget_writes()
        self.version += 1

    def _rows_now(self, n: int, dt: float) -> _Rows:
        newer = self._newer.data[:n]
        code = (newer + ANIMATIONS * self._older.data[:n] + 1).astype(np.float32)
        duration: Doubles = self.baked.durations.take(newer)
        with np.errstate(invalid="ignore", over="ignore"):  # the game may write infinite speeds
            moves = duration > 0
            step = np.where(moves, self._speed.data[:n] * dt, 0.0)
        loop = self._loop.data[:n]
        length = np.where(loop & moves, duration, np.inf)
        last = np.where(loop | ~moves, np.inf, duration)
        may_fade = bool((self._faded.data[:n] < self._fade.data[:n]).any())
        simple = bool(((step >= 0) & (step < length)).all())
        return _Rows(
            dt, code, duration, step, length, None if loop.all() else last, may_fade, simple
        )

    def _rest_states(self, n: int) -> None:
        """Copy the newest state of each row to the older state, so that frames show only the newest
        state. The newest state includes values that the game has set since the last tick with time.
        """
        new = self.states_after.data[:n]
        old = self.states_before.data[:n]
        shown = self._states_now(n) if self._time.has_writes() else np.array(new)
        np.abs(shown[:, 0], out=shown[:, 0])
        if np.array_equal(shown, new) and np.array_equal(shown, old):
            return
        new[:] = shown
        old[:] = shown
        self._upload_states_again()

    def _upload_states_again(self) -> None:
        for column in (self.states_before, self.states_after):
            column.touch()
            column.uploads.stale = True

    def _advance_fading(self, new: NDArray[Any], dt: float) -> None:
        """Advance the older animations that are fading out. Write the times and weights of the
        older animations into the states ``new``.
        """
        n = self.count
        rows = np.flatnonzero(self._faded.data[:n] < self._fade.data[:n])
        if not len(rows):
            self._known_rows = None
            return
        time = self._time_before.data[rows]
        duration: Doubles = self.baked.durations.take(self._older.data[rows])
        step = self._speed_before.data[rows] * dt
        _advance_times(time, step, duration, self._loop_before.data[rows])
        self._time_before.data[rows] = time
        faded = self._faded.data[rows] + dt
        fade = self._fade.data[rows]
        self._faded.data[rows] = np.minimum(faded, fade)
        # Frames must blend the poses of both states, because a blend of the two times would show
        # another pose.
        new[rows, 0] = -np.abs(new[rows, 0])
        new[rows, 2] = time
        new[rows, 3] = np.minimum(faded / fade, 1)
        self._time_before.frozen = self._faded.frozen = None

    # -- rows --------------------------------------------------------------------------------------

    def spawn(self, count: int, values: Mapping[str, NDArray[Any]] = MappingProxyType({})) -> slice:
        self._known_rows = None
        return super().spawn(count, values)

    def keep(self, rows: Rows) -> None:
        self._known_rows = None
        super().keep(rows)

    def restore(self, saved: Any) -> None:
        self._known_rows = None
        super().restore(saved)
        self._time.touched = True
        self._upload_states_again()

    def check_rows(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Raise `ValueError` if a save contains impossible animation times."""
        for name in (
            "time",
            "animation_time_before",
            "animation_speed",
            "animation_speed_before",
            "animation_fade",
            "animation_faded",
        ):
            values = columns[name]
            if not np.isfinite(values).all() or (
                name.startswith("animation_f") and (values < 0).any()
            ):
                raise ValueError(f"{name}: expected finite numbers, and no fade below 0")

    def put_further(self, count: int, columns: dict[str, NDArray[Any]]) -> None:
        """Called before rows are loaded from a save. A save of a `Crowd` contains only the columns,
        and not the animation states.
        """
        self.is_loading = True

    def after_restore(self) -> None:
        """Called after a snapshot has been restored or a save has been loaded. For rows from a
        save, compute the animation states, which a save does not contain.
        """
        if not self.is_loading:
            return
        self.is_loading = False
        self._known_rows = None
        n = self.count
        states = self._states_now(n)
        self.states_after.data[:n] = states
        self.states_before.data[:n] = states
        self._upload_states_again()

    def _states_now(self, n: int) -> Floats:
        """Return the states of the first ``n`` rows, computed from their animations and times."""
        fade = self._fade.data[:n]
        states: Floats = np.empty((n, 4), np.float32)
        states[:, 0] = self._newer.data[:n] + ANIMATIONS * self._older.data[:n] + 1
        states[:, 1] = self._time.data[:n]
        states[:, 2] = self._time_before.data[:n]
        states[:, 3] = np.where(fade > 0, self._faded.data[:n] / np.where(fade > 0, fade, 1), 1)
        return states

    def drawn_pose(self, row: int, alpha: float) -> tuple[NodePoses, Floats]:
        """Return the pose of a row's nodes, and its morph weights, as they are drawn in a frame.
        ``alpha`` is the time since the last tick, as a fraction of a tick.
        """
        before: list[float] = self.states_before.current(self.count)[row].tolist()
        after: list[float] = self.states_after.current(self.count)[row].tolist()
        playing = _playing(before[0], before), _playing(after[0], after)
        return drawn_pose(self.baked, *playing, alpha, apart=after[0] <= 0)


def _playing(code: float, state: Sequence[float]) -> Playing:
    older, newer = divmod(round(abs(code)) - 1, ANIMATIONS)
    _, time, older_time, share = state
    return Playing(newer, older, time, older_time, share)


def _advance_times(time: Doubles, step: Doubles, duration: Doubles, loop: Mask) -> Rows:
    """Add ``step`` to the animation time of each row. If ``loop`` is True, a time that passes the
    end of the animation continues at the beginning. If ``loop`` is False, the time stops at the end
    of the animation. Return the indices of the rows that started their animation again.
    """
    with np.errstate(invalid="ignore"):  # the game may write infinite times and speeds
        time += step
        inside: Mask = time < duration
        inside &= time >= 0
        beyond = np.flatnonzero(~inside)
        if not len(beyond):
            return beyond
        moved = time[beyond]
        end = duration[beyond]
        loops = loop[beyond] & (end > 0)
        again = np.remainder(moved, np.where(loops, end, 1))
    moved = np.where(loops, again, np.clip(moved, 0, end))
    moved[np.isnan(moved)] = 0
    time[beyond] = moved
    return beyond[loops]
