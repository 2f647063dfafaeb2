"""Trails: strips that show where something has been, and fade."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from .. import checks
from ..arrays import Doubles, Mask
from ..assets.images import ImageSource
from ..checks import Setting
from ..state.viewpoint import LARGEST
from .sprites import Sprite
from .strips import MOST_POINTS, Band, Strip

_EXPECTED = "a sprite, or what has drawn_position(alpha), in the plane; or None"

# Of how far a target is from where it was seen last, in parts of its distance from the origin: what rounding makes.
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
    """Where something has been: ``self.add(fw.Trail(self.ship, 0.5, width=(12, 0), color=("#8cf", "#8cf0")))``.

    Parameters
    ----------
    target
        A `Sprite`, or anything in the plane with ``drawn_position(alpha)``. When it is removed, or the target is set to
        None, the trail stays where it is and fades. Where the target is teleported, the trail ends, and another begins.
    length
        Simulated seconds that it goes back.
    width, color
        Two each: at the target, and at the end. Widths are in units, colours sRGB in 0..1 with straight alpha, or
        strings.
    image, repeat
        As of a `Ribbon`. With ``repeat``, in units, the image stays on the ground; else it is stretched, its left edge
        at the target.
    filter, blend
        As of a `SpriteBatch`.

    It goes through the places at which its target was drawn when ticks ended, and ends between two of them, so that
    both ends move on evenly. Add it before its target, and it is drawn below it.
    """

    __slots__ = ("_before", "_clock", "_color", "_far", "_length", "_places", "_sent", "_starts", "_target", "_times",
        "_width")  # fmt: skip

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
        self._places: Doubles = np.zeros((0, 2))
        self._times: Doubles = np.zeros(0)
        self._far: Doubles = np.zeros(0)  # units that the target had gone
        self._starts: Mask = np.zeros(0, bool)  # what is not joined to the one before

    @property
    def points(self) -> Doubles:
        """Where the target was, the oldest first: (n, 2) in units, an array of the caller's own."""
        return self._places.copy()

    # -- ticks -------------------------------------------------------------------------------------------------------

    def begin_tick(self, dt: float) -> None:
        """A tick of ``dt`` simulated seconds begins; 0 in a scene that is paused by one above it."""
        self._before = self._clock
        self._clock += dt

    def end_tick(self) -> None:
        """The tick is over: where the target is now belongs to it."""
        if self._clock == self._before and len(self._times):
            return
        target = self._target
        if target is not None and not getattr(target, "removed", False):
            self._note(target)
        # What comes before the oldest that is seen is where the trail ends, between the two.
        gone = int(np.searchsorted(self._times, self._before - self._length, "right")) - 1
        gone = max(gone, len(self._times) - MOST_POINTS // 4)
        if gone > 0:
            self._keep(slice(gone, None))

    def _note(self, target: Any) -> None:
        x, y = place = target.drawn_position(1.0)
        if not max(abs(x), abs(y)) < LARGEST:  # nor is what is no number
            return
        starts, far = True, 0.0
        if len(self._places):
            last = self._places[-1].tolist()
            starts = not _is_at(last, target)
            far = float(self._far[-1]) + (0.0 if starts else math.dist(last, place))
        self._places = np.concatenate([self._places, [place]])
        self._times = np.append(self._times, self._clock)
        self._far = np.append(self._far, far)
        self._starts = np.append(self._starts, starts)

    def _keep(self, rows: slice) -> None:
        self._places, self._times = self._places[rows].copy(), self._times[rows].copy()
        self._far, self._starts = self._far[rows].copy(), self._starts[rows].copy()

    # -- frames ------------------------------------------------------------------------------------------------------

    def after_restore(self) -> None:
        """A snapshot was put back: all is handed over anew."""
        self._sent = ()

    def bands(self) -> tuple[Band, Band] | None:
        """What it was when the tick began, and what it is; None: as when this was last asked."""
        looks = self._length, self._width, self._color
        key = (self._places, self._before, self._clock, *looks) if len(self._times) else looks
        if len(key) == len(self._sent) and all(a is b for a, b in zip(key, self._sent, strict=True)):
            return None
        self._sent = key
        runs = np.split(np.arange(len(self._times)), np.flatnonzero(self._starts[1:]) + 1)
        old, new = self._at(self._before, runs), self._at(self._clock, runs)
        if not (np.ptp(new.position, axis=0).any() if len(self._times) else False):
            return _NOTHING, _NOTHING
        return old, new

    def _at(self, moment: float, runs: list[Any]) -> Band:
        """Its points as they were at a moment, those of runs that are apart with two of no width between them."""
        parts = []
        for run in runs:
            times = self._times[run]
            shown = np.clip(times, moment - self._length, moment)
            x, y = (np.interp(shown, times, self._places[run, axis]) for axis in (0, 1))
            share = np.clip((moment - shown) / self._length, 0, 1)
            far = np.interp(shown, times, self._far[run])
            part = np.column_stack([x, y, share, far, np.ones(len(run))])
            parts.append(part[[0, *range(len(part)), -1]])
            parts[-1][[0, -1], 4] = 0
        rows = np.concatenate(parts)
        share = rows[:, 2]
        width = (self._width[0] + share * (self._width[1] - self._width[0])) * rows[:, 4]
        first, last = np.array(self._color)
        along = share if self._repeat is None else -rows[:, 3] / self._repeat
        return Band(rows[:, :2], width, first + share[:, None] * (last - first), along)


_NOTHING = Band(np.zeros((0, 2)), np.zeros(0), np.zeros((0, 4)), np.zeros(0))


def _is_at(place: list[float], target: Any) -> bool:
    """Whether a target was drawn there when the tick began; else it was teleported."""
    if isinstance(target, Sprite) and type(target) is Sprite and target.batch.table.motion == "none":
        return True  # it is never drawn where it was
    begin = target.drawn_position(0.0)
    room = _CLOSE * (1 + max(map(abs, place)))
    return all(abs(a - b) <= room for a, b in zip(begin, place, strict=True))
