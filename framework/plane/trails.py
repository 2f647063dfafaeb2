"""Trails: strips that show where something has been, and fade."""

from __future__ import annotations

__all__ = ["Trail"]

import math
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from .. import checks
from ..arrays import Doubles, Mask
from ..assets.images import ImageSource
from ..checks import Setting
from ..motion.viewpoint import LARGEST
from ..state.rows import table_of
from .sprites import Sprite
from .strips import MOST_POINTS, Band, Strip

_EXPECTED = "a sprite, or what has drawn_position(alpha), in the plane; or None"

# Of how far a target is from where it was seen last, in parts of its distance from the origin: what
# rounding makes.
_CLOSE = 1e-4

_LEAST_SECONDS, _MOST_SECONDS = 1e-3, 600.0


def _target(name: str, value: Any) -> Any:
    if value is None:
        return None
    checks.methods(name, value, ["drawn_position"], _EXPECTED)
    if not getattr(value, "removed", False) and len(value.drawn_position(1.0)) != 2:
        raise checks.wrong_type(name, _EXPECTED, value)
    return value


def _widths(name: str, value: Any) -> tuple[float, float]:
    return checks.pair(name, value, least=0)


def _colors(name: str, value: Any) -> tuple[tuple[float, ...], tuple[float, ...]]:
    if isinstance(value, str) or not isinstance(value, tuple | list) or len(value) != 2:
        raise checks.wrong_value(name, "two colours: at the target, and at the end", value)
    return checks.color(name, value[0]), checks.color(name, value[1])


def _seconds(name: str, value: Any) -> float:
    return checks.number(name, value, least=_LEAST_SECONDS, most=_MOST_SECONDS)


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

    __slots__ = (
        "_before",
        "_clock",
        "_color",
        "_length",
        "_sent",
        "_starts",
        "_target",
        "_track",
        "_width",
    )

    not_state: ClassVar[Any] = (*Strip.not_state, "_sent")

    _target: Any
    _length: float
    _width: tuple[float, float]
    _color: tuple[tuple[float, ...], tuple[float, ...]]
    target = Setting(_target, "What it follows; None: nothing, and it fades.")
    length = Setting(_seconds, "Simulated seconds that it goes back.")
    width = Setting(_widths, "Units, at the target and at the end.")
    color = Setting(_colors, "At the target and at the end: sRGB in 0..1 with alpha, or strings.")

    def __init__(
        self,
        target: Any,
        length: float = 0.5,
        *,
        width: tuple[float, float] = (8.0, 0.0),
        color: tuple[Any, Any] = ("#fff", "#fff0"),
        image: ImageSource | None = None,
        repeat: float | None = None,
        filter: str = "linear",
        blend: str = "alpha",
    ) -> None:
        super().__init__(image, repeat, filter, blend)
        self.target, self.length, self.width, self.color = target, length, width, color
        self._clock = self._before = 0.0
        """Simulated seconds, at the end and at the beginning of the last tick."""
        self._sent: tuple[Any, ...] = ()
        self.clear()

    def clear(self) -> None:
        """Have it begin anew, where its target is."""
        # Where the target was, x and y; how many units it had gone; and at which second. (n, 4)
        self._track: Doubles = np.zeros((0, 4))
        self._starts: Mask = np.zeros(0, bool)  # what is not joined to the one before

    @property
    def points(self) -> Doubles:
        """Where the target was, the oldest first: (n, 2) in units, an array of the caller's own."""
        return self._track[:, :2].copy()

    # -- ticks -------------------------------------------------------------------------------------

    def begin_tick(self, dt: float) -> None:
        """A tick of ``dt`` simulated seconds begins; 0 in a scene that is paused by one above
        it.
        """
        self._before = self._clock
        self._clock += dt

    def end_tick(self) -> None:
        """The tick is over: where the target is now belongs to it."""
        if self._clock == self._before and len(self._track):
            return
        target = self._target
        if target is not None and not getattr(target, "removed", False):
            self._note(target)
        # What comes before the oldest that is seen is where the trail ends, between the two.
        gone = int(self._track[:, 3].searchsorted(self._before - self._length, "right")) - 1
        gone = max(gone, len(self._track) - MOST_POINTS // 4)
        if gone > 0:
            self._track, self._starts = self._track[gone:].copy(), self._starts[gone:].copy()

    def _note(self, target: Any) -> None:
        x, y = target.drawn_position(1.0)
        if not max(abs(x), abs(y)) < LARGEST:  # nor is what is no number
            return
        starts, far = True, 0.0
        if len(self._track):
            last_x, last_y, far, _ = self._track[-1].tolist()
            starts = not _is_at((last_x, last_y), target)
            far += 0.0 if starts else math.hypot(x - last_x, y - last_y)
        self._track = np.concatenate([self._track, [(x, y, far, self._clock)]])
        self._starts = np.append(self._starts, starts)

    # -- frames ------------------------------------------------------------------------------------

    def after_restore(self) -> None:
        """A snapshot was put back: all is handed over anew."""
        self._sent = ()

    def bands(self) -> tuple[Band, Band] | None:
        """What it was when the tick began, and what it is; None: as when this was last asked."""
        looks = self._length, self._width, self._color
        key = (self._track, self._before, self._clock, *looks) if len(self._track) else looks
        if len(key) == len(self._sent) and all(
            a is b for a, b in zip(key, self._sent, strict=True)
        ):
            return None
        self._sent = key
        if not len(self._track):
            return _NOTHING, _NOTHING
        old, new = self._at(self._before), self._at(self._clock)
        return (old, new) if (new.position != new.position[0]).any() else (_NOTHING, _NOTHING)

    def _at(self, moment: float) -> Band:
        """Its points as they were at a moment."""
        ends = [0, *(np.flatnonzero(self._starts[1:]) + 1).tolist(), len(self._track)]
        if len(ends) == 2:
            rows, wide = self._shown(self._track, moment), np.ones(1)
        else:
            rows, wide = self._apart(ends, moment)
        share = (moment - rows[:, 3]) / self._length
        width = (self._width[0] + share * (self._width[1] - self._width[0])) * wide
        first, last = np.array(self._color)
        along = share if self._repeat is None else -rows[:, 2] / self._repeat
        return Band(rows[:, :2], width, first + share[:, None] * (last - first), along)

    def _apart(self, ends: list[int], moment: float) -> tuple[Doubles, Doubles]:
        """Runs that begin and end there, and of which factors their widths are: 0 at two more
        points, at both ends.
        """
        parts = [self._shown(self._track[start:stop], moment) for start, stop in pairwise(ends)]
        wide = [[0, *[1] * len(part), 0] for part in parts]
        return np.concatenate([part[[0, *range(len(part)), -1]] for part in parts]), np.concatenate(
            wide
        )

    def _shown(self, track: Doubles, moment: float) -> Doubles:
        """Rows of a run as they were at a moment: what is too old, or was still to come, where it
        began or ended.
        """
        rows, times = track.copy(), track[:, 3]
        oldest = moment - self._length
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
    before, after = track[max(row - 1, 0)], track[min(row, len(track) - 1)]
    span = after[3] - before[3]
    place: Doubles = (
        before + (after - before) * ((time - before[3]) / span) if span > 0 else before.copy()
    )
    place[3] = time
    return place


_NOTHING = Band(np.zeros((0, 2)), np.zeros(0), np.zeros((0, 4)), np.zeros(0))


def _is_at(place: tuple[float, float], target: Any) -> bool:
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
