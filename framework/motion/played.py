"""Rows that play clips: which one, since when, how fast. A tick that starts none writes nothing.

The columns say what a row plays as numbers that a shader multiplies by the time (see `timelines`);
they are written when a clip begins or ends, and stand still while it runs. Within a tick it is the
moment at which the tick began; a picture between two ticks shows the moment that lies as far into
the tick's own length as it is past the tick. So what is played in a tick is seen from its first
frame on, at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Mask, Rows
from ..state.columns import Column
from ..state.motion import Extrapolation
from ..state.transforms2d import PoseTable2D
from ..timing.flicks import FLICKS, TickClock
from ..timing.schedule import Schedule
from .timelines import Timeline, halves, joined, steps_at, turned

NEVER = 2**62
"""Flicks: two hundred years."""

_UNKNOWN = -1

MOST_SPEED = 1000.0
"""At which a clip can run."""

_FREEZE_AFTER = (
    1 << 14
)  # turns: of 2^16, after which the phase of a clip that plays once would begin anew
_WORD, _MOST_COUNT = 0xFFFFFFFF, 0x7FFFFFFF
_END = 0xFFFF  # the last phase of one

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


Each = float | Doubles
"""A number, or one for each of some rows."""

ClipTime = tuple[tuple[int, int, Fraction], float | Fraction, int, bool]
"""The time of a table's clips, as `PlayedPoses2D.captured_time` returns it."""


def _some(each: Each, mask: Mask) -> Each:
    return each[mask] if isinstance(each, np.ndarray) else each


def _column(name: str, default: float, dtype: type[np.generic]) -> Column:
    return Column(name, 1, default, dtype=dtype, interpolated=False)


def _whole(lengths: NDArray[np.float64]) -> NDArray[np.int64]:
    """Whole flicks, at most `NEVER`."""
    whole: NDArray[np.int64] = np.minimum(lengths, float(NEVER)).astype(np.int64)
    return whole


class PlayedPoses2D(PoseTable2D):
    """The table of poses in the plane whose rows play the clips of a `Timeline`."""

    __slots__ = (
        *(
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
        ),
        *("_then", "_tick", "group", "timeline"),
    )

    not_state = (
        *(
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
        ),
        "timeline",
    )
    _not_hashed = ("_next",)

    def __init__(self, motion: str | Extrapolation, timeline: Timeline) -> None:
        super().__init__(motion)
        self.timeline = timeline
        self.group: Schedule | None = None
        """In whose time clips run; None for the ticks' own. Set by `go_with`."""
        self.tick.alarm = self._clock = TickClock()
        self._next = NEVER  # when a row's clip is due next, or earlier
        self._fresh = False  # whether clips ended in this tick
        self._clip = _column("clip", -1, np.int32)  # its number, -1 for none
        self._speed = _column("clip_pace", 1.0, np.float64)
        self._offset = _column("clip_offset", 0, np.int32)  # what is taken off the phase: 32 bits
        self._began = _column("clip_began", 0, np.int64)  # flicks
        self._due = _column(
            "clip_due", NEVER, np.int64
        )  # when it ends; of one that is over, when it is frozen
        self._tick = _column(
            "clip_tick", -1, np.int64
        )  # in which it began; played between two, the next one
        self._over = _column(
            "clip_over", False, np.bool_
        )  # whether it has ended, and shows its last frame
        self._then = _column("clip_then", -1, np.int32)  # the clip that comes after it, -1 for none
        self._ended = _column(
            "clip_ended", -1, np.int32
        )  # the clip that ended in this tick, -1 for none
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
        self._motion = Column("clip_motion", 5, none, dtype=np.int32, interpolated=False)
        self.add_columns(self._motion, drawn=False)  # but for while it has news
        self.derived = ("clip_motion",)

    def _names(self) -> list[str]:
        return [name for name in super()._names() if name not in _HIDDEN]

    read_parts = (("turn", 4), ("steps", 1))
    """What the numbers are of the column that the shader reads: the rate (low half, high half),
    what is taken off, the first step; and how many steps."""

    @property
    def read_by_shader(self) -> Column:
        """The column from which frames are chosen: one alone, as each costs time in each frame."""
        return self._motion

    # -- time --------------------------------------------------------------------------------------

    def fall_due(self) -> None:
        """A tick begins in which clips may have ended, or after one in which some did."""
        if self._fresh:
            self._ended.values(self.count)[:] = -1
            self._fresh = False
        if self._clock.now >= self._next:
            self._look()
        self._clock.due = 0 if self._fresh or self._brings() else self._next

    def _brings(self) -> bool:
        """Whether what the shader reads is to be handed over, or may be. It is written here alone,
        as clips begin and end; it would cost time to ask for it in each frame."""
        motion = self._motion
        if motion in self.drawn and not (motion.uploads.unsent or motion.uploads.stale):
            self.drawn.remove(motion)
        return motion in self.drawn and motion.uploads.sent > 0  # or nobody draws

    def _bring(self) -> None:
        """What the shader reads was written."""
        self._clock.due = 0
        if self._motion not in self.drawn:
            self.drawn.append(self._motion)

    def put_back(self, saved: tuple[Any, ...]) -> None:
        """Be as it was when `captured` returned this."""
        super().put_back(saved)
        self._bring()

    def go_with(self, group: Schedule | None) -> None:
        """Have clips run in the time of a group, or in the ticks' own."""
        self.group = self._clock.group = group

    @property
    def clip_clock(self) -> TickClock:
        """The clips' time."""
        return self._clock

    @property
    def clip_time(self) -> tuple[int, int]:
        """Flicks of the clips' time so far, and those that pass with the tick that was the last."""
        return self._clock.now, self._clock.length

    def moment(self, alpha: float) -> int:
        """The moment of a picture, in flicks."""
        return self._clock.moment(alpha)

    def _look(self) -> None:
        """Some clips may have ended: of those, the next ones begin."""
        now, n = self._clock.now, self.count
        due, over = self._due.data[:n], self._over.data[:n]
        rows = np.flatnonzero(due <= now)
        ending, late = rows[~over[rows]], rows[over[rows]]
        if len(ending):
            self._ended.data[ending] = self._clip.data[ending]
            self._fresh = True
            then = self._then.data[ending]
            held, going = ending[then < 0], ending[then >= 0]
            clips, speeds = self._clip.data[held], self._speed.data[held]
            over[held] = True
            due[held] += _whole(self.timeline.flicks_of(clips, speeds) * _FREEZE_AFTER)
            self._start(going, then[then >= 0], due[going].copy(), self._speed.data[going], -1)
        if len(late):
            due[late] = NEVER
            self._pack(late)
        for column in (self._ended, self._over, self._due):
            column.touch()
        self._next = int(due.min()) if n else NEVER

    def after_restore(self) -> None:
        """Compute what follows from the rows, if these were brought from a save."""
        if self._next == _UNKNOWN:
            n = self.count
            self._next = int(self._due.data[:n].min()) if n else NEVER
            self._fresh = bool((self._ended.data[:n] >= 0).any())
            self._tick.values(n)[:] = -1
            self._pack(np.arange(n))

    def bring_time(self, now: int, step: int) -> None:
        """Rows are brought from a save of this `clip_time`."""
        self._clock.set(now)
        self._clock.take(Fraction(step, FLICKS))
        self._clock.due, self._next = 0, _UNKNOWN

    def captured_time(self) -> ClipTime:
        """The time, for `put_back_time`."""
        return self._clock.state(), self._clock.step, self._next, self._fresh

    def put_back_time(self, held: ClipTime) -> None:
        """Have it again."""
        clock, step, self._next, self._fresh = held
        self._clock.put_back(clock)
        self._clock.take(step)
        self._clock.due = 0

    # -- playing -----------------------------------------------------------------------------------

    def play(
        self, clip: int, rows: Rows | slice, speeds: Each, then: int, restart: bool, skips: Each
    ) -> None:
        """Have rows play a clip from so many seconds on. Unless told to ``restart``, those that
        play it go on.
        """
        indices = self._indices(rows)
        if not restart:
            fresh: Mask = (self._clip.data[rows] != clip) | self._over.data[rows]
            kept = ~fresh
            if kept.any():
                if (self._then.data[rows] != then)[kept].any():
                    self._then.values(self.count)[indices[kept]] = then
                if (self._speed.data[rows] != speeds)[kept].any():
                    self.pace(indices[kept], _some(speeds, kept))
                indices, speeds, skips = indices[fresh], _some(speeds, fresh), _some(skips, fresh)
        if not len(indices):
            return
        moments = np.full(len(indices), self._clock.now) - np.floor(skips * float(FLICKS)).astype(
            np.int64
        )
        self._start(
            indices,
            np.full(len(indices), clip, np.int32),
            moments,
            np.full(len(indices), speeds),
            then,
        )
        if np.any(skips):
            self._began.values(self.count)[indices] = self._clock.now
        self._look_from(indices)

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
        """Clips begin at these moments, now or before it."""
        if not len(rows):
            return
        timeline = self.timeline
        ends = moments + _whole(timeline.flicks_of(clips, speeds))
        for column, values in (
            (self._clip, clips),
            (self._speed, speeds),
            (self._began, moments),
            (self._over, False),
            (self._then, then),
            (self._tick, self._clock.ticks if self.tick.running else self._clock.ticks + 1),
            (self._due, np.where(timeline.once[clips], np.minimum(ends, NEVER), NEVER)),
            # Of what was begun at the very moment, the phase is 1: just beyond where its first
            # frame begins.
            (
                self._offset,
                (turned(moments, timeline.rate(clips, speeds)) - np.uint32(1)).view(np.int32),
            ),
        ):
            column.data[rows] = values
            column.touch()
        self._pack(rows)

    def pace(self, rows: Rows | slice, speeds: Each) -> None:
        """Have rows go on from where they are at other speeds."""
        changed: Mask = self._speed.data[rows] != speeds
        if not changed.any():
            return
        speeds = np.full(int(changed.sum()), _some(speeds, changed))
        some = self._indices(rows)[changed]
        clips = self._clip.data[some]
        running = (clips >= 0) & ~self._over.data[some]
        live, faster, timeline, now = some[running], speeds[running], self.timeline, self._clock.now
        phases = self._phases(live, now)
        self._speed.values(self.count)[some] = speeds
        if not len(live):
            return
        clips = clips[running]
        self._offset.data[live] = (turned(now, timeline.rate(clips, faster)) - phases).view(
            np.int32
        )
        left = np.maximum(1 - phases / (_END + 1), 0)
        ends = now + _whole(
            np.where(left > 0, timeline.flicks_of(clips, faster), 0) * np.where(left > 0, left, 1)
        )
        self._due.data[live] = np.where(timeline.once[clips], np.minimum(ends, NEVER), NEVER)
        self._offset.touch()
        self._due.touch()
        self._pack(live)
        self._look_from(live)

    def stop(self, rows: Rows | slice) -> None:
        """Have rows play no clip, and show the image that they show now."""
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

    def _look_from(self, rows: Rows) -> None:
        self._next = min(self._next, int(self._due.data[rows].min()))
        self._clock.due = 0

    def _pack(self, rows: Rows) -> None:
        """Tell the shader what rows play."""
        clips = self._clip.data[rows]
        words = np.empty((len(rows), 5), np.uint32)
        words[:] = np.array(self._motion.default, np.uint32)
        on = clips >= 0
        playing, clips = rows[on], clips[on]
        low, high = halves(self.timeline.rate(clips, self._speed.data[playing]))
        offset = self._offset.data[playing].view(np.uint32)
        frozen: Mask = self._over.data[playing] & (self._due.data[playing] >= NEVER)
        if frozen.any():
            low[frozen] = high[frozen] = 0
            offset = np.where(frozen, np.uint32(2**32 - _END), offset)
        words[on] = np.column_stack(
            [low, high, offset, self.timeline.first[clips], self.timeline.counts[clips]]
        )
        self._motion.put_rows(rows, words.view(np.int32))
        self._bring()

    # -- what is seen ------------------------------------------------------------------------------

    def _phases(self, rows: Rows | slice, now: int) -> NDArray[np.uint32]:
        words = self._motion.data[rows].view(np.uint32)
        return turned(now, joined(words[:, 0], words[:, 1])) - words[:, 2]

    def shown_images(self, rows: Rows | slice, alpha: float = 0.0) -> NDArray[np.int32]:
        """The images that rows show, by the numbers that the shader reads."""
        counts: NDArray[np.uint32] = self._motion.data[rows][:, 4].astype(np.uint32)
        if not counts.any():
            return self.column("image").current(self.count)[rows].copy()
        places = self._motion.data[rows][:, 3] + steps_at(
            self._phases(rows, self.moment(alpha)), counts
        ).view(np.int32)
        images = self.timeline.images.take(
            places, mode="clip"
        )  # beyond the end, of rows that play nothing
        return (
            images
            if counts.all()
            else np.where(counts == 0, self.column("image").current(self.count)[rows], images)
        )

    def shown_image(self, row: int) -> int:
        """The image that a row shows in this tick: the same, in Python's numbers."""
        words: list[int] = self._motion.data[row].tolist()
        low, high, offset, first, counts = words
        if not counts:
            return int(self.column("image").data[row])
        rate = (low & _WORD) | (high & _WORD) << 32
        phase = ((rate * self._clock.now >> 32) - offset) & _WORD
        if counts < 0:
            phase = min(phase, _END) << 16
        return int(self.timeline.images[first + (phase * (counts & _MOST_COUNT) >> 32)])

    def playing(self, clip: int) -> Rows:
        """The rows that play a clip, or show its last frame."""
        return np.flatnonzero(self._clip.data[: self.count] == clip)

    def clip_of(self, row: int) -> tuple[str | None, bool, float, str | None]:
        """The clip that a row plays, whether it has ended, at which speed it runs, and the clip
        that follows.
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
        """At which speeds clips run: (n,), for reading only."""
        return self._speed.data[: self.count].copy()

    def check_rows(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Raise `ValueError` for what no clips have, among rows that somebody brings."""
        speeds = columns["clip_pace"]
        if not ((speeds >= 0) & (speeds <= MOST_SPEED)).all():
            raise ValueError(f"clip_pace: expected numbers from 0 to {MOST_SPEED:g}")
        for name in ("clip_began", "clip_due", "clip_time"):
            given = columns[name]
            least = 0 if name == "clip_time" else -NEVER
            if len(given) and not least <= int(given.min()) <= int(given.max()) <= NEVER:
                raise ValueError(f"{name}: expected flicks, at most {NEVER}")

    def ended(self, clip: int | None) -> Rows:
        """The rows whose clip, or any, ended in this tick."""
        if not self._fresh:
            return np.empty(0, np.intp)
        ended = self._ended.data[: self.count]
        return np.flatnonzero(ended >= 0 if clip is None else ended == clip)

    def marked(self, name: str) -> Rows:
        """The rows whose clips have come to a mark in this tick."""
        n, clips = self.count, self._clip.data[: self.count]
        found = np.zeros(n, bool)
        places = [
            (clip, phases) for clip, phases in self.timeline.marked(name) if (clips == clip).any()
        ]
        if places:
            now, before = self._phases(slice(0, n), self._clock.now), self._before()
            gone = now - before
            for clip, thresholds in places:
                crossed = self._rounds(clip)
                for threshold in thresholds:
                    crossed |= now - threshold < gone
                found |= crossed & (clips == clip)
        found[self._over.data[:n] & (self._due.data[:n] >= NEVER)] = False
        return np.flatnonzero(found)

    def _before(self) -> NDArray[np.uint32]:
        """The phases of all rows at the last tick; of those that began in this one, just before
        their first frame.
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
        """Which rows would have come round a clip in this tick: its marks must not be missed."""
        n, clock = self.count, self._clock
        longest = float(self._speed.data[:n].max()) * (clock.now - clock.before)
        if self.timeline.once[clip] or self.timeline.flicks[clip] > longest:
            return np.zeros(n, bool)
        lengths = self.timeline.flicks_of(np.full(n, clip), self._speed.data[:n])
        rounds: Mask = lengths <= clock.now - np.maximum(self._began.data[:n], clock.before)
        return rounds
