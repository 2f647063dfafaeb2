"""Store which animation (clip) each sprite is playing, since when, and how fast.

From these columns and the time, a shader computes which image each row shows (see
`clip_timelines`). The columns change only when a clip starts, ends or changes speed. While a clip
is running, ticks do not have to update its row.

Code in a tick reads the state of the clips at the start of the tick. A frame between two ticks
shows the state at the time of the frame. A new clip is already visible in the tick in which it
starts, beginning with its first image.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Mask, Rows
from ..state.columns import Codes, TableColumn
from ..state.interpolation import Extrapolation
from ..state.mapped_poses import MappedPoses2D
from ..timing.flicks import FLICKS, TickClock
from ..timing.schedule import Schedule
from .clip_timelines import Timeline, halves, joined, steps_at, turned

NEVER = 2**62
"""A time in flicks that means "never": two hundred years, which no game reaches."""

_UNKNOWN = -1

MAX_SPEED = 1000.0
"""The highest speed of a clip."""

# The phase of a clip that has ended is frozen after the time of this number of runs. After 2^16
# runs, the 32-bit phase would overflow.
_FREEZE_AFTER = 1 << 14
_WORD = 0xFFFFFFFF
_MAX_COUNT = 0x7FFFFFFF
_END = 0xFFFF  # the last phase of a clip that plays only once

_HIDDEN = (
    "clip",
    "clip_began",
    "clip_due",
    "clip_ended",
    "clip_motion",
    "clip_offset",
    "clip_over",
    "clip_pace",
    "clip_then",
    "clip_tick",
)
_CLIPS = ("clip", "clip_then", "clip_ended")  # columns that contain the indices of clips

PerRow = float | Doubles
"""One number for all rows, or an array with one number per row."""

ClipTime = tuple[tuple[int, int, Fraction], float | Fraction, int, bool]
"""The time of a table's clips, as returned by `PlayedPoses2D.capture_extra`."""


def _selected(per_row: PerRow, mask: Mask) -> PerRow:
    return per_row[mask] if isinstance(per_row, np.ndarray) else per_row


def _column(name: str, default: float, dtype: type[np.generic]) -> TableColumn:
    return TableColumn(name, 1, default, dtype=dtype, interpolated=False)


def _whole(lengths: NDArray[np.float64]) -> NDArray[np.int64]:
    """Round times down to whole flicks. A flick is the internal unit of time. If a time is above
    `NEVER`, the result is `NEVER`.
    """
    whole: NDArray[np.int64] = np.minimum(lengths, float(NEVER)).astype(np.int64)
    return whole


class PlayedPoses2D(MappedPoses2D):
    """A table of 2D poses, whose rows can play the clips of a `Timeline`."""

    __slots__ = (
        "_began",
        "_clip",
        "_clock",
        "_due",
        "_ended",
        "_fresh",
        "_motion",
        "_next",
        "_offset",
        "_over",
        "_speed",
        "_then",
        "_tick",
        "group",
        "timeline",
    )

    not_state = (
        "_began",
        "_clip",
        "_due",
        "_ended",
        "_motion",
        "_offset",
        "_over",
        "_speed",
        "_then",
        "_tick",
        "timeline",
    )
    _not_hashed = ("_next",)

    def __init__(self, motion: str | Extrapolation, timeline: Timeline) -> None:
        super().__init__(motion)
        self.timeline = timeline
        self.group: Schedule | None = None
        """The schedule group whose time the clips follow.

        If the group is None, the clips follow the time of ticks. See `go_with`.
        """
        self.tick.alarm = self._clock = TickClock()
        self._next = NEVER  # the time when the next clip ends, or an earlier time
        self._fresh = False  # whether a clip ended in this tick
        self._clip = _column("clip", -1, np.int32)  # the number of the clip, or -1 for none
        self._speed = _column("clip_pace", 1.0, np.float64)
        # A 32-bit number that is subtracted from the phase.
        self._offset = _column("clip_offset", 0, np.int32)
        self._began = _column("clip_began", 0, np.int64)  # the start time in flicks
        # The time when the clip ends, or if it has ended, the time when its phase is frozen.
        self._due = _column("clip_due", NEVER, np.int64)
        # The number of the tick in which the clip started, or of the next tick if it started
        # between two ticks.
        self._tick = _column("clip_tick", -1, np.int64)
        # Whether the clip has ended and is showing its last frame.
        self._over = _column("clip_over", False, np.bool_)
        self._then = _column("clip_then", -1, np.int32)  # the clip to play next, or -1 for none
        # The number of the clip that ended in this tick, or -1 for none.
        self._ended = _column("clip_ended", -1, np.int32)
        self.add_columns(
            *(
                self._clip,
                self._speed,
                self._offset,
                self._began,
                self._due,
                self._tick,
                self._over,
                self._then,
            ),
            self._ended,
            drawn=False,
        )
        none = (0, 0, 0, len(timeline.images), 0)
        self._motion = TableColumn("clip_motion", 5, none, dtype=np.int32, interpolated=False)
        self.add_columns(self._motion, drawn=False)  # the column is uploaded only after a change
        self.derived = ("clip_motion",)

    def _names(self) -> list[str]:
        return [name for name in super()._names() if name not in _HIDDEN]

    read_parts = (("turn", 4), ("steps", 1))
    """The parts of the column that the shader reads, with their widths.

    Each row has five numbers: the low and the high half of the rate (the speed of the clip, see
    `Timeline.rate`), the offset, the index of the first step, and the number of steps.
    """

    @property
    def read_by_shader(self) -> TableColumn:
        """The column from which the shader computes the image of each row.

        It contains all values of a row's clip in one array, because uploading several columns would
        take longer.
        """
        return self._motion

    # -- time --------------------------------------------------------------------------------------

    def fall_due(self) -> None:
        """End the clips whose end time has been reached.

        Called at the start of a tick if clips may end in this tick, or if clips ended in the
        previous tick.
        """
        if self._fresh:
            self._ended.values(self.count)[:] = -1
            self._fresh = False
        if self._clock.now >= self._next:
            self._end_due()
        self._clock.due = 0 if self._fresh or self._needs_upload() else self._next

    def _needs_upload(self) -> bool:
        """Return whether the shader's column may differ from its copy on the GPU.

        The column changes only when a clip starts or ends. To save time, only ticks compare the
        column with its copy on the GPU.
        """
        motion = self._motion
        if motion in self.drawn and not (motion.uploads.unsent or motion.uploads.stale):
            self.drawn.remove(motion)
        # `sent` is 0 if the batch is never drawn.
        return motion in self.drawn and motion.uploads.sent > 0

    def _mark_changed(self) -> None:
        """Mark the shader's column as changed."""
        self._clock.due = 0
        if self._motion not in self.drawn:
            self.drawn.append(self._motion)

    def restore(self, saved: tuple[Any, ...]) -> None:
        """Restore the state that `capture` returned earlier."""
        super().restore(saved)
        self._mark_changed()

    def go_with(self, group: Schedule | None) -> None:
        """Set the schedule group whose time the clips follow.

        If ``group`` is None, the clips follow the time of ticks.
        """
        self.group = self._clock.group = group

    @property
    def clip_clock(self) -> TickClock:
        """The clock that the clips use."""
        return self._clock

    @property
    def clip_time(self) -> tuple[int, int]:
        """The current time of the clips, and the length of the last tick, both in flicks (the
        internal unit of time).
        """
        return self._clock.now, self._clock.length

    def moment(self, alpha: float) -> int:
        """Return the time of the clips in a frame, in flicks (the internal unit of time). ``alpha``
        is the time of the frame between two ticks, from 0 to 1.
        """
        return self._clock.moment(alpha)

    def _end_due(self) -> None:
        """End the clips whose end time has been reached. If a clip has a next clip (``then``),
        start the next clip.
        """
        now = self._clock.now
        n = self.count
        due = self._due.data[:n]
        over = self._over.data[:n]
        rows = np.flatnonzero(due <= now)
        ending = rows[~over[rows]]
        late = rows[over[rows]]
        if len(ending):
            self._ended.data[ending] = self._clip.data[ending]
            self._fresh = True
            then = self._then.data[ending]
            self._show_last_image(ending[then < 0])
            continuing = ending[then >= 0]
            self._start(
                continuing,
                then[then >= 0],
                due[continuing].copy(),
                self._speed.data[continuing],
                -1,
            )
        if len(late):
            due[late] = NEVER
            self._pack(late)
        for column in (self._ended, self._over, self._due):
            column.touch()
        self._next = int(due.min()) if n else NEVER

    def _show_last_image(self, rows: Rows) -> None:
        """Mark the clips on ``rows`` as ended, so that the rows keep showing the last image."""
        clips = self._clip.data[rows]
        lengths = self.timeline.flicks_of(clips, self._speed.data[rows])
        self._over.data[rows] = True
        self._due.data[rows] += _whole(lengths * _FREEZE_AFTER)

    def after_restore(self) -> None:
        """Called after a snapshot or a save was restored.

        If the rows come from a save, compute the columns that are not in the save.
        """
        if self._next == _UNKNOWN:
            n = self.count
            self._next = int(self._due.data[:n].min()) if n else NEVER
            self._fresh = bool((self._ended.data[:n] >= 0).any())
            self._tick.values(n)[:] = -1
            self._pack(np.arange(n))

    # -- saves -------------------------------------------------------------------------------------

    def further_rows(self) -> dict[str, tuple[NDArray[Any], Codes | None]]:
        """Return the names and the times of clips for a save."""
        names = Codes(["", *self.timeline.names])  # code 0 means no clip
        clips = {name: (self.column(name).current(self.count) + 1, names) for name in _CLIPS}
        return clips | {"clip_time": (np.full((self.count, 2), self.clip_time, np.int64), None)}

    def put_further(self, count: int, columns: dict[str, NDArray[Any]]) -> None:
        """Set the time of the clips to the time in a save. Convert the codes of clips in
        ``columns`` to the indices of clips.
        """
        times = columns.pop("clip_time")
        columns |= {name: columns[name] - 1 for name in _CLIPS}
        if count:
            now: int
            step: int
            now, step = times[0].tolist()
            self._clock.set(now)
            self._clock.take(Fraction(step, FLICKS))
            self._clock.due = 0
            self._next = _UNKNOWN

    def capture_extra(self) -> ClipTime:
        """Return the time of the clips, which a save or a snapshot needs in addition to the
        rows.
        """
        return self._clock.state(), self._clock.step, self._next, self._fresh

    def restore_extra(self, captured: ClipTime) -> None:
        """Set the time of the clips to a value that `capture_extra` returned earlier."""
        clock, step, self._next, self._fresh = captured
        self._clock.restore(clock)
        self._clock.take(step)
        self._clock.due = 0

    def check_rows(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Raise `ValueError` if rows from a save contain impossible speeds or times of clips."""
        speeds = columns["clip_pace"]
        if not ((speeds >= 0) & (speeds <= MAX_SPEED)).all():
            raise ValueError(f"clip_pace: expected numbers from 0 to {MAX_SPEED:g}")
        for name in ("clip_began", "clip_due", "clip_time"):
            values = columns[name]
            minimum = 0 if name == "clip_time" else -NEVER
            if len(values) and not minimum <= int(values.min()) <= int(values.max()) <= NEVER:
                raise ValueError(f"{name}: expected flicks, at most {NEVER}")

    # -- playing -----------------------------------------------------------------------------------

    def play(
        self, clip: int, rows: Rows | slice, speeds: PerRow, then: int, restart: bool, skips: PerRow
    ) -> None:
        """Play the clip ``clip`` on ``rows``, but skip its first ``skips`` seconds.

        If a row is already playing the clip ``clip``, the clip continues. With ``restart=True``, a
        clip that is already playing starts again.
        """
        indices = self._indices(rows)
        if not restart:
            fresh: Mask = (self._clip.data[rows] != clip) | self._over.data[rows]
            continuing = ~fresh
            if continuing.any():
                self._continue(indices[continuing], _selected(speeds, continuing), then)
                indices = indices[fresh]
                speeds = _selected(speeds, fresh)
                skips = _selected(skips, fresh)
        if not len(indices):
            return
        skipped = np.floor(skips * float(FLICKS)).astype(np.int64)
        moments = np.full(len(indices), self._clock.now) - skipped
        self._start(
            indices,
            np.full(len(indices), clip, np.int32),
            moments,
            np.full(len(indices), speeds),
            then,
        )
        if np.any(skips):
            self._began.values(self.count)[indices] = self._clock.now
        self._update_next(indices)

    def _continue(self, rows: Rows, speeds: PerRow, then: int) -> None:
        """Set the speed and the next clip of rows that continue their clip."""
        if (self._then.data[rows] != then).any():
            self._then.values(self.count)[rows] = then
        self.pace(rows, speeds)

    def _indices(self, rows: Rows | slice) -> Rows:
        return np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows

    def _start(
        self,
        rows: Rows,
        clips: NDArray[np.int32],
        moments: NDArray[np.int64],
        speeds: NDArray[np.float64],
        then: int,
    ) -> None:
        """Start one clip per row.

        ``moments`` contains the start time of each clip in flicks (the internal unit of time). A
        start time must not be in the future.
        """
        if not len(rows):
            return
        timeline = self.timeline
        ends = moments + _whole(timeline.flicks_of(clips, speeds))
        # A clip that starts exactly now has the phase 1, so it shows its first frame.
        offset = turned(moments, timeline.rate(clips, speeds)) - np.uint32(1)
        for column, values in (
            (self._clip, clips),
            (self._speed, speeds),
            (self._began, moments),
            (self._over, False),
            (self._then, then),
            (self._tick, self._clock.ticks if self.tick.running else self._clock.ticks + 1),
            (self._due, self._due_times(clips, ends)),
            (self._offset, offset.view(np.int32)),
        ):
            column.data[rows] = values
            column.touch()
        self._pack(rows)

    def _due_times(self, clips: NDArray[np.int32], ends: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the times when clips end, or `NEVER` for clips that loop."""
        return np.where(self.timeline.once[clips], np.minimum(ends, NEVER), NEVER)

    def pace(self, rows: Rows | slice, speeds: PerRow) -> None:
        """Set the speed of the clips on ``rows``. A running clip continues from its current image
        at the new speed.
        """
        changed: Mask = self._speed.data[rows] != speeds
        if not changed.any():
            return
        speeds = np.full(int(changed.sum()), _selected(speeds, changed))
        affected = self._indices(rows)[changed]
        clips = self._clip.data[affected]
        running = (clips >= 0) & ~self._over.data[affected]
        live = affected[running]
        faster = speeds[running]
        timeline = self.timeline
        now = self._clock.now
        phases = self._phases(live, now)
        self._speed.values(self.count)[affected] = speeds
        if not len(live):
            return
        clips = clips[running]
        offset = turned(now, timeline.rate(clips, faster)) - phases
        self._offset.data[live] = offset.view(np.int32)
        remaining = np.maximum(1 - phases / (_END + 1), 0)
        # At speed 0, the duration is infinite, and infinity times 0 is NaN.
        lengths = np.where(remaining > 0, timeline.flicks_of(clips, faster), 0)
        ends = now + _whole(lengths * remaining)
        self._due.data[live] = self._due_times(clips, ends)
        self._offset.touch()
        self._due.touch()
        self._pack(live)
        self._update_next(live)

    def stop(self, rows: Rows | slice) -> None:
        """Stop the clips on ``rows``.

        The rows keep their current images.
        """
        rows = self._indices(rows)[self._clip.data[rows] >= 0]
        if len(rows):
            self.column("image").values(self.count)[rows] = self.shown_images(rows)
            for column, value in (
                (self._clip, -1),
                (self._due, NEVER),
                (self._over, False),
                (self._then, -1),
            ):
                column.values(self.count)[rows] = value
            self._pack(rows)

    def _update_next(self, rows: Rows) -> None:
        self._next = min(self._next, int(self._due.data[rows].min()))
        self._clock.due = 0

    def _pack(self, rows: Rows) -> None:
        """Compute the shader's column for ``rows`` from the other clip columns."""
        clips = self._clip.data[rows]
        words = np.empty((len(rows), 5), np.uint32)
        words[:] = np.array(self._motion.default, np.uint32)
        has_clip = clips >= 0
        playing = rows[has_clip]
        clips = clips[has_clip]
        low, high = halves(self.timeline.rate(clips, self._speed.data[playing]))
        offset = self._offset.data[playing].view(np.uint32)
        frozen: Mask = self._over.data[playing] & (self._due.data[playing] >= NEVER)
        if frozen.any():
            low[frozen] = high[frozen] = 0
            offset = np.where(frozen, np.uint32(2**32 - _END), offset)
        words[has_clip] = np.column_stack(
            [low, high, offset, self.timeline.first[clips], self.timeline.counts[clips]]
        )
        self._motion.put_rows(rows, words.view(np.int32))
        self._mark_changed()

    # -- images ------------------------------------------------------------------------------------

    def _phases(self, rows: Rows | slice, now: int) -> NDArray[np.uint32]:
        words = self._motion.data[rows].view(np.uint32)
        return turned(now, joined(words[:, 0], words[:, 1])) - words[:, 2]

    def shown_images(self, rows: Rows | slice, alpha: float = 0.0) -> NDArray[np.int32]:
        """Return the index of the image that each row shows. The shader computes the same images
        when it draws the rows.
        """
        counts: NDArray[np.uint32] = self._motion.data[rows][:, 4].astype(np.uint32)
        if not counts.any():
            return self.column("image").current(self.count)[rows].copy()
        steps = self._motion.data[rows][:, 3] + steps_at(
            self._phases(rows, self.moment(alpha)), counts
        ).view(np.int32)
        # For a row without a clip, the index in `steps` is beyond the end of the array.
        images = self.timeline.images.take(steps, mode="clip")
        return (
            images
            if counts.all()
            else np.where(counts == 0, self.column("image").current(self.count)[rows], images)
        )

    def shown_image(self, row: int) -> int:
        """Return the index of the image that one row shows in this tick.

        The result is the same as that of `shown_images`, but for a single row, Python integers are
        faster than NumPy arrays.
        """
        words: list[int] = self._motion.data[row].tolist()
        low, high, offset, first, counts = words
        if not counts:
            return int(self.column("image").data[row])
        rate = (low & _WORD) | (high & _WORD) << 32
        phase = ((rate * self._clock.now >> 32) - offset) & _WORD
        if counts < 0:
            phase = min(phase, _END) << 16
        return int(self.timeline.images[first + (phase * (counts & _MAX_COUNT) >> 32)])

    def playing(self, clip: int) -> Rows:
        """Return the rows that are playing a clip, or are showing the last image of a clip that has
        ended.
        """
        return np.flatnonzero(self._clip.data[: self.count] == clip)

    def clip_of(self, row: int) -> tuple[str | None, bool, float, str | None]:
        """Return the name of a row's clip, whether the clip has ended, its speed, and the name of
        the next clip.
        """
        clip: int = self._clip.data[row]
        then: int = self._then.data[row]
        names = self.timeline.names
        following = None if then < 0 else names[then]
        return (
            None if clip < 0 else names[clip],
            bool(self._over.data[row]),
            float(self._speed.data[row]),
            following,
        )

    @property
    def speeds(self) -> NDArray[np.float64]:
        """A copy of the clip speed of each row. The float64 array has the shape (n,). The normal
        speed of a clip is 1.
        """
        return self._speed.data[: self.count].copy()

    def ended(self, clip: int | None) -> Rows:
        """Return the rows whose clip ended in this tick.

        If ``clip`` is not None, return only the rows whose clip is ``clip``.
        """
        if not self._fresh:
            return np.empty(0, np.intp)
        ended = self._ended.data[: self.count]
        return np.flatnonzero(ended >= 0 if clip is None else ended == clip)

    def marked(self, name: str) -> Rows:
        """Return the rows whose clip reached the marker ``name`` in this tick."""
        n = self.count
        clips = self._clip.data[: self.count]
        marked = np.zeros(n, bool)
        markers = [
            (clip, phases) for clip, phases in self.timeline.marked(name) if (clips == clip).any()
        ]
        if markers:
            now = self._phases(slice(0, n), self._clock.now)
            before = self._before()
            elapsed = now - before
            for clip, thresholds in markers:
                crossed = self._rounds(clip)
                for threshold in thresholds:
                    crossed |= now - threshold < elapsed
                marked |= crossed & (clips == clip)
        marked[self._over.data[:n] & (self._due.data[:n] >= NEVER)] = False
        return np.flatnonzero(marked)

    def _before(self) -> NDArray[np.uint32]:
        """Return the phase (progress) of each row's clip one tick ago. The uint32 array has the
        shape (n,). For a clip that started in this tick, the phase is just before its first image.
        Therefore a marker at the first image is reached in the tick in which the clip starts.
        """
        n = self.count
        before = self._phases(slice(0, n), self._clock.before)
        new = np.flatnonzero(
            (self._tick.data[:n] == self._clock.ticks) & (self._clip.data[:n] >= 0)
        )
        if len(new):
            words = self._motion.data[new].view(np.uint32)
            began = turned(self._began.data[new], joined(words[:, 0], words[:, 1])) - words[:, 2]
            before[new] = self.timeline.step_phase(self._clip.data[new], began) - np.uint32(1)
        return before

    def _rounds(self, clip: int) -> Mask:
        """Return whether each row has played its whole clip within this tick. Such a row has
        reached all markers of the clip.
        """
        n = self.count
        clock = self._clock
        longest = float(self._speed.data[:n].max()) * (clock.now - clock.before)
        if self.timeline.once[clip] or self.timeline.flicks[clip] > longest:
            return np.zeros(n, bool)
        lengths = self.timeline.flicks_of(np.full(n, clip), self._speed.data[:n])
        rounds: Mask = lengths <= clock.now - np.maximum(self._began.data[:n], clock.before)
        return rounds
