"""Trails: fading strips behind moving sprites, such as a comet's tail or a sword's arc."""

from __future__ import annotations

__all__ = ["Trail"]

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .. import checks
from ..arrays import Doubles, Mask
from ..assets.images import ImageSource
from ..checks import Setting
from ..motion.camera_base import MAX_MAGNITUDE
from ..motion.follow import Followed
from ..moved_names import HasMoved, moved, renamed_options
from ..state.rows import table_of
from .sprites import Sprite
from .strips import MAX_POINTS, Band, Strip, StripLook

_EXPECTED = "a sprite, or an object with drawn_position(alpha), in the plane; or None"

# Two positions are treated as equal if their difference is less than this fraction of their
# distance from the origin. Such a small difference is only a rounding error.
_CLOSE = 1e-4

_MIN_SECONDS = 1e-3
_MAX_SECONDS = 600.0


Widths = tuple[float, float]
"""Two widths in units: the first at the target, the second at the end of the trail."""

Colors = tuple[tuple[float, ...], tuple[float, ...]]
"""Two sRGB colors with alpha, from 0 to 1: the first at the target, the second at the end of the
trail.
"""


def _checked_target(name: str, value: Followed | None) -> Followed | None:
    if value is None:
        return None
    checks.methods(name, value, ["drawn_position"], _EXPECTED)
    if not getattr(value, "removed", False) and len(value.drawn_position(1.0)) != 2:
        raise checks.wrong_type(name, _EXPECTED, value)
    return value


def _checked_widths(name: str, value: object) -> Widths:
    return checks.pair(name, value, least=0)


def _checked_colors(name: str, value: object) -> Colors:
    if isinstance(value, str) or not isinstance(value, tuple | list) or len(value) != 2:
        raise checks.wrong_value(name, "two colors: at the target, and at the end", value)
    return checks.color(name, value[0]), checks.color(name, value[1])


def _checked_seconds(name: str, value: object) -> float:
    return checks.number(name, value, least=_MIN_SECONDS, most=_MAX_SECONDS)


class TrailPositions:
    """The positions of a trail's target in the most recent ticks, with one row per tick."""

    def __init__(self) -> None:
        self.clock = 0.0
        """The game time at the end of the last tick, in seconds."""
        self.before = 0.0
        """The game time at the beginning of the last tick, in seconds."""
        self.clear()

    def clear(self) -> None:
        """Remove all recorded positions."""
        self.rows: Doubles = np.zeros((0, 4))
        """One row per recorded position, with the shape (n, 4). The columns are x, y, the distance
        that the target has traveled in units, and the time.
        """
        self._starts: Mask = np.zeros(0, bool)  # True for rows that begin a new piece

    def begin_tick(self, dt: float) -> None:
        """Start a tick and advance the clock by ``dt``. ``dt`` is the length of the tick in
        simulated seconds, or 0 in a paused scene.
        """
        self.before = self.clock
        self.clock += dt

    def end_tick(self, target: Followed | None, duration: float) -> None:
        """Record the position of ``target``. Remove positions that are older than ``duration``
        seconds.
        """
        if self.clock == self.before and len(self.rows):
            return
        if target is not None and not getattr(target, "removed", False):
            self._record(target)
        # Keep the last row before the visible part. The trail ends between this row and the next
        # row.
        gone = int(self.rows[:, 3].searchsorted(self.before - duration, "right")) - 1
        gone = max(gone, len(self.rows) - MAX_POINTS // 4)
        if gone > 0:
            self.rows, self._starts = self.rows[gone:].copy(), self._starts[gone:].copy()

    def _record(self, target: Followed) -> None:
        x, y = target.drawn_position(1.0)
        # NaN is ignored, like positions that are too large
        if not max(abs(x), abs(y)) < MAX_MAGNITUDE:
            return
        starts = True
        distance = 0.0
        if len(self.rows):
            last: list[float] = self.rows[-1].tolist()
            last_x, last_y, distance, _ = last
            starts = not _was_drawn_at((last_x, last_y), target)
            distance += 0.0 if starts else math.hypot(x - last_x, y - last_y)
        self.rows = np.concatenate([self.rows, [(x, y, distance, self.clock)]])
        self._starts = np.append(self._starts, starts)

    def bands(
        self, duration: float, width: Widths, color: Colors, repeat: float | None
    ) -> tuple[Band, Band]:
        """Return the points of the trail before and after the last tick."""
        if not len(self.rows):
            return _NOTHING, _NOTHING
        old, new = (
            self._band_at(moment, duration, width, color, repeat)
            for moment in (self.before, self.clock)
        )
        return (old, new) if (new.position != new.position[0]).any() else (_NOTHING, _NOTHING)

    def _band_at(
        self, moment: float, duration: float, width: Widths, color: Colors, repeat: float | None
    ) -> Band:
        """Return the points of the trail at the simulated time ``moment``, in seconds."""
        rows, factors = self._rows_at(moment, duration)
        share = (moment - rows[:, 3]) / duration
        widths = (width[0] + share * (width[1] - width[0])) * factors
        first: Doubles
        last: Doubles
        first, last = np.array(color)
        along = share if repeat is None else -rows[:, 2] / repeat
        return Band(rows[:, :2], widths, first + share[:, None] * (last - first), along)

    def _rows_at(self, moment: float, duration: float) -> tuple[Doubles, Doubles]:
        """Return the rows that are visible at ``moment``, and a width factor for each row.

        A gap divides a trail into two pieces. In a trail with gaps, each piece gets an extra row at
        its beginning and at its end. The factor of an extra row is 0, so that nothing is drawn in
        the gaps.
        """
        ends = [0, *(np.flatnonzero(self._starts[1:]) + 1).tolist(), len(self.rows)]
        if len(ends) == 2:  # without gaps
            return _visible_rows(self.rows, moment, duration), np.ones(1)
        pieces = [
            _visible_rows(self.rows[start:stop], moment, duration) for start, stop in pairwise(ends)
        ]
        factors = [[0, *[1] * len(piece), 0] for piece in pieces]
        rows = [piece[[0, *range(len(piece)), -1]] for piece in pieces]
        return np.concatenate(rows), np.concatenate(factors)


class TrailParts(NamedTuple):
    """The objects that a trail passes to its backend, the object that draws the trail."""

    track: TrailPositions
    look: StripLook
    repeat: float | None


@moved("trail", {}, settings={"length": "duration"})
class Trail(Strip, HasMoved):
    """A fading strip behind a moving target, such as a comet's tail.

        self.add(fw.Trail(self.ship, 0.5, width=(12, 0), color=("#8cf", "#8cf0")))

    Parameters
    ----------
    target
        A `Sprite`, or any 2D object with ``drawn_position(alpha)``. If the target is removed, or if
        you set ``target`` to None, the trail fades out. If the target teleports, the trail has a
        gap between the old and the new position.
    duration
        How long each point of the trail stays visible, in simulated seconds.
    width, color
        Pairs of two values: the value at the target, and the value at the end of the trail.
        ``width`` is in units. ``color`` is sRGB from 0 to 1 with straight alpha. A color can also
        be a string, such as "#8cf".
    image, repeat
        See `Ribbon`. With ``repeat``, the image stays in place while the target moves, like tire
        marks on a road. Without ``repeat``, one copy of the image is stretched over the whole
        trail. The left edge of the image is drawn at the target.
    filter, blend
        See `SpriteBatch`.

    The trail goes through the target's positions at the ends of ticks. Between ticks, the end of
    the trail moves smoothly. To draw the trail below its target, add the trail to the scene before
    the target.
    """

    __slots__ = ("_color", "_duration", "_target", "_track", "_width")

    _target: Followed | None
    _duration: float
    _width: Widths
    _color: Colors
    target = Setting(
        _checked_target,
        "The target that the trail follows. If the target is None, the trail fades out.",
    )
    duration = Setting(
        _checked_seconds,
        "The time in seconds of game time during which each point of the trail is visible. "
        "Default: 0.5.",
    )
    width = Setting(
        _checked_widths,
        "Two widths in units: the first at the target, the second at the end of the trail.",
    )
    color = Setting(
        _checked_colors,
        "Two colors: the first at the target, the second at the end of the trail. A color is a "
        "string, or sRGB numbers from 0 to 1 with alpha.",
    )

    @renamed_options("Trail", length="duration")
    def __init__(
        self,
        target: Followed | None,
        duration: float = 0.5,
        *,
        width: tuple[float, float] = (8.0, 0.0),
        color: tuple[str | Sequence[float], str | Sequence[float]] = ("#fff", "#fff0"),
        image: ImageSource | None = None,
        repeat: float | None = None,
        filter: str = "linear",
        blend: str = "alpha",
    ) -> None:
        super().__init__(image, repeat, filter, blend)
        self.target = target
        self.duration = duration
        self.width = width
        self.color = color
        self._track = TrailPositions()

    def clear(self) -> None:
        """Remove the visible trail. A new trail then starts at the target."""
        self._track.clear()

    @property
    def points(self) -> Doubles:
        """A copy of the target's recorded positions in units, with the oldest position first. The
        array has the shape (n, 2).
        """
        return self._track.rows[:, :2].copy()

    def _parts(self) -> TrailParts:
        return TrailParts(self._track, self._look, self._repeat)


def _visible_rows(track: Doubles, moment: float, duration: float) -> Doubles:
    """Return the rows of one piece of a trail at the simulated time ``moment``, in seconds.

    Rows that are older than ``duration`` at this time are moved to the point where the trail ends.
    Rows that are later than ``moment`` are moved to the point where the trail begins.
    """
    rows = track.copy()
    times = track[:, 3]
    oldest = moment - duration
    gone = int(times.searchsorted(oldest, "right"))
    present = int(times.searchsorted(moment, "right"))
    if gone:
        rows[:gone] = _row_at(track, gone, oldest)
    if present < len(track):
        rows[present:] = _row_at(track, present, moment)
    return rows


def _row_at(track: Doubles, row: int, time: float) -> Doubles:
    """Return the values of a trail at ``time``, interpolated between the row ``row`` and the
    previous row.

    If ``time`` is outside the recorded times, return the first or the last row.
    """
    before: Doubles = track[max(row - 1, 0)]
    after: Doubles = track[min(row, len(track) - 1)]
    span: float = after[3] - before[3]
    position: Doubles = (
        before + (after - before) * ((time - before[3]) / span) if span > 0 else before.copy()
    )
    position[3] = time
    return position


_NOTHING = Band(np.zeros((0, 2)), np.zeros(0), np.zeros((0, 4)), np.zeros(0))


def _was_drawn_at(position: tuple[float, float], target: Followed) -> bool:
    """Return whether the target was at ``position`` at the beginning of the tick. If it was
    elsewhere, the game has teleported it.
    """
    if (
        isinstance(target, Sprite)
        and type(target) is Sprite
        and table_of(target.batch).motion == "none"
    ):
        return True  # the sprite is always drawn at its current position
    begin = target.drawn_position(0.0)
    room = _CLOSE * (1 + max(map(abs, position)))
    return all(abs(a - b) <= room for a, b in zip(begin, position, strict=True))
