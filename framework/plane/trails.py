"""Trails: strips that show where something has been, and fade."""

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
from ..motion.follow import Followed
from ..motion.viewpoint import LARGEST
from ..state.rows import table_of
from .sprites import Sprite
from .strips import MOST_POINTS, Band, Strip, StripLook

_EXPECTED = "a sprite, or what has drawn_position(alpha), in the plane; or None"

# Of how far a target is from where it was seen last, in parts of its distance from the origin: what
# rounding makes.
_CLOSE = 1e-4

_LEAST_SECONDS, _MOST_SECONDS = 1e-3, 600.0


Widths = tuple[float, float]
"""Units, at the target and at the end."""

Colors = tuple[tuple[float, ...], tuple[float, ...]]
"""sRGB in 0..1 with alpha, at the target and at the end."""


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
        raise checks.wrong_value(name, "two colours: at the target, and at the end", value)
    return checks.color(name, value[0]), checks.color(name, value[1])


def _checked_seconds(name: str, value: object) -> float:
    return checks.number(name, value, least=_LEAST_SECONDS, most=_MOST_SECONDS)


class Track:
    """The places where the target of a trail was drawn when ticks ended."""

    def __init__(self) -> None:
        self.clock = 0.0
        """Simulated seconds at the end of the last tick."""
        self.before = 0.0
        """Simulated seconds at the beginning of the last tick."""
        self.clear()

    def clear(self) -> None:
        """Begin again."""
        self.rows: Doubles = np.zeros((0, 4))
        """The target's x and y, the units that it had gone, and the second: (n, 4)."""
        self._starts: Mask = np.zeros(0, bool)  # rows that are not joined to the one before

    def begin_tick(self, dt: float) -> None:
        """Begin a tick of ``dt`` simulated seconds; 0 in a scene that is paused."""
        self.before = self.clock
        self.clock += dt

    def end_tick(self, target: Followed | None, length: float) -> None:
        """End a tick: add the place of ``target``, and drop rows older than ``length`` seconds."""
        if self.clock == self.before and len(self.rows):
            return
        if target is not None and not getattr(target, "removed", False):
            self._note(target)
        # The row before the oldest that is seen is kept: the trail ends between the two.
        gone = int(self.rows[:, 3].searchsorted(self.before - length, "right")) - 1
        gone = max(gone, len(self.rows) - MOST_POINTS // 4)
        if gone > 0:
            self.rows, self._starts = self.rows[gone:].copy(), self._starts[gone:].copy()

    def _note(self, target: Followed) -> None:
        x, y = target.drawn_position(1.0)
        if not max(abs(x), abs(y)) < LARGEST:  # NaN is left out, too
            return
        starts, distance = True, 0.0
        if len(self.rows):
            last: list[float] = self.rows[-1].tolist()
            last_x, last_y, distance, _ = last
            starts = not _is_at((last_x, last_y), target)
            distance += 0.0 if starts else math.hypot(x - last_x, y - last_y)
        self.rows = np.concatenate([self.rows, [(x, y, distance, self.clock)]])
        self._starts = np.append(self._starts, starts)

    def bands(
        self, length: float, width: Widths, color: Colors, repeat: float | None
    ) -> tuple[Band, Band]:
        """Return the trail at the beginning and at the end of the last tick."""
        if not len(self.rows):
            return _NOTHING, _NOTHING
        old, new = (
            self._at(moment, length, width, color, repeat) for moment in (self.before, self.clock)
        )
        return (old, new) if (new.position != new.position[0]).any() else (_NOTHING, _NOTHING)

    def _at(
        self, moment: float, length: float, width: Widths, color: Colors, repeat: float | None
    ) -> Band:
        """Return the trail as it was at ``moment``."""
        ends = [0, *(np.flatnonzero(self._starts[1:]) + 1).tolist(), len(self.rows)]
        if len(ends) == 2:
            rows, factors = _shown(self.rows, moment, length), np.ones(1)
        else:
            rows, factors = self._pieces(ends, moment, length)
        share = (moment - rows[:, 3]) / length
        widths = (width[0] + share * (width[1] - width[0])) * factors
        first: Doubles
        last: Doubles
        first, last = np.array(color)
        along = share if repeat is None else -rows[:, 2] / repeat
        return Band(rows[:, :2], widths, first + share[:, None] * (last - first), along)

    def _pieces(self, ends: list[int], moment: float, length: float) -> tuple[Doubles, Doubles]:
        """Return the rows of pieces that begin and end at ``ends``, and factors of their widths.

        Each piece has two more rows, one at each end, with the factor 0.
        """
        pieces = [_shown(self.rows[start:stop], moment, length) for start, stop in pairwise(ends)]
        factors = [[0, *[1] * len(piece), 0] for piece in pieces]
        rows = [piece[[0, *range(len(piece)), -1]] for piece in pieces]
        return np.concatenate(rows), np.concatenate(factors)


class TrailParts(NamedTuple):
    """The objects that a trail shares with its works."""

    track: Track
    look: StripLook
    repeat: float | None


class Trail(Strip):
    """Where something has been: ``self.add(fw.Trail(self.ship, 0.5, width=(12, 0), color=("#8cf",
    "#8cf0")))``.

    Parameters
    ----------
    target
        A `Sprite`, or anything in the plane with ``drawn_position(alpha)``. When it is removed, or
        the target is set to None, the trail stays where it is and fades. Where the target is
        teleported, the trail ends, and another begins.
    length
        Simulated seconds that it goes back.
    width, color
        Two each: at the target, and at the end. Widths are in units, colours sRGB in 0..1 with
        straight alpha, or strings.
    image, repeat
        As of a `Ribbon`. With ``repeat``, in units, the image stays on the ground; else it is
        stretched, its left edge at the target.
    filter, blend
        As of a `SpriteBatch`.

    It goes through the places at which its target was drawn when ticks ended, and ends between two
    of them, so that both ends move on evenly. Add it before its target, and it is drawn below it.
    """

    __slots__ = ("_color", "_length", "_target", "_track", "_width")

    _target: Followed | None
    _length: float
    _width: Widths
    _color: Colors
    target = Setting(_checked_target, "What it follows; None: nothing, and it fades.")
    length = Setting(_checked_seconds, "Simulated seconds that it goes back.")
    width = Setting(_checked_widths, "Units, at the target and at the end.")
    color = Setting(
        _checked_colors, "At the target and at the end: sRGB in 0..1 with alpha, or strings."
    )

    def __init__(
        self,
        target: Followed | None,
        length: float = 0.5,
        *,
        width: tuple[float, float] = (8.0, 0.0),
        color: tuple[str | Sequence[float], str | Sequence[float]] = ("#fff", "#fff0"),
        image: ImageSource | None = None,
        repeat: float | None = None,
        filter: str = "linear",
        blend: str = "alpha",
    ) -> None:
        super().__init__(image, repeat, filter, blend)
        self.target, self.length, self.width, self.color = target, length, width, color
        self._track = Track()

    def clear(self) -> None:
        """Begin the trail again, at its target."""
        self._track.clear()

    @property
    def points(self) -> Doubles:
        """Where the target was, the oldest first: (n, 2) in units, an array of the caller's own."""
        return self._track.rows[:, :2].copy()

    def _parts(self) -> TrailParts:
        return TrailParts(self._track, self._look, self._repeat)


def _shown(track: Doubles, moment: float, length: float) -> Doubles:
    """Return the rows of a piece as they were at ``moment``.

    Rows that are too old lie at its end, rows of later ticks at its beginning.
    """
    rows, times = track.copy(), track[:, 3]
    oldest = moment - length
    gone = int(times.searchsorted(oldest, "right"))
    there = int(times.searchsorted(moment, "right"))
    if gone:
        rows[:gone] = _between(track, gone, oldest)
    if there < len(track):
        rows[there:] = _between(track, there, moment)
    return rows


def _between(track: Doubles, row: int, time: float) -> Doubles:
    """Where it was at a time between a row and the one before; before the first one and after the
    last one, there.
    """
    before: Doubles = track[max(row - 1, 0)]
    after: Doubles = track[min(row, len(track) - 1)]
    span: float = after[3] - before[3]
    place: Doubles = (
        before + (after - before) * ((time - before[3]) / span) if span > 0 else before.copy()
    )
    place[3] = time
    return place


_NOTHING = Band(np.zeros((0, 2)), np.zeros(0), np.zeros((0, 4)), np.zeros(0))


def _is_at(place: tuple[float, float], target: Followed) -> bool:
    """Whether a target was drawn there when the tick began; else it was teleported."""
    if (
        isinstance(target, Sprite)
        and type(target) is Sprite
        and table_of(target.batch).motion == "none"
    ):
        return True  # it is never drawn where it was
    begin = target.drawn_position(0.0)
    room = _CLOSE * (1 + max(map(abs, place)))
    return all(abs(a - b) <= room for a, b in zip(begin, place, strict=True))
