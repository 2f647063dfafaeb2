"""Change the graphics quality automatically, so that each frame takes about the target time.

`Quality` does not use a clock. For each frame, the game passes the work of the frame to `Quality`:
its duration without waiting, in nanoseconds. The level depends on the mean work of the last 60
frames. It goes down if the mean work is more than 1.25 times the target, and goes up if the mean
work is close to the target or below it.

If the level depended only on the mean work, it could go down and up endlessly. Therefore, when the
level goes down, `Quality` measures how much more work the higher level needs than the lower level.
The level goes up again if the estimated work of the higher level is below the target, or after a
long time.
"""

from __future__ import annotations

__all__ = ["Quality"]

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ..checks import Sealed, function, positive_fraction, whole, wrong_type
from ..screen_mapping import check_render_scale, check_samples
from ..timing.timestep import NANOSECONDS

_FRAMES = 60  # the number of frames whose mean work is compared with the target
_DECIDE_EVERY = 15  # the number of frames between two decisions about the level
# In the mean, the work of this many slowest frames is replaced with the work of the next slowest
# frame.
_HITCHES = 3
_MAX_BUDGETS = 4  # the maximum work of one frame in the mean, as a multiple of the budget
_DOWN = 0.80  # the level goes down if the performance (target / mean work) is below this value
_UP = 0.95  # the level may go up if the performance is above this value
_UNPLAYABLE = 10  # a frame is unplayable if its work is more than this multiple of the target
# After this many unplayable frames in a row, the level goes down immediately.
_UNPLAYABLE_FRAMES = 4
# The default target, as a fraction of the budget. At a performance of 80 %, the work is then just
# below the budget.
_TARGET = 0.75

_LIGHTER = 0.85  # a load is clearly lighter if it is below this fraction of the earlier load
# A level that was too slow is tried again if its estimated work is at most this fraction of the
# target.
_FITS = 0.85
_STRICTER = 0.7  # each time the load soon grows again, `_FITS` is multiplied by this
# The load rose suddenly if the previous mean is below this fraction of the current mean.
_SUDDEN = 0.65
# If a level lasts less than this time, the load is assumed to be the same as on the lower level.
_AT_ONCE = 5 * NANOSECONDS
_FAILED = 300 * NANOSECONDS  # a level that lasts less than this time has failed
# If a level was left because of a sudden load, it is tried again after this time. The time doubles
# with each failure.
_SOON = 15 * NANOSECONDS
_LATE = 900 * NANOSECONDS  # the same time for a level that was left because of a lasting load


class Quality(Sealed):
    """The quality levels of a game, from which a level is selected automatically.

        self.picture.quality = fw.Quality(
            [dict(particles=200, render_scale=0.5), dict(particles=5000, render_scale=1.0)],
            on_change=lambda quality: self.resize(quality["particles"]),
        )

    You choose the names of the settings, and your game reads and uses their values. The framework
    itself uses only two settings: ``render_scale`` and ``samples``. The game starts with the
    highest level. The level changes if the mean work of the last 60 frames is too high or too low.
    If four consecutive frames take more than ten times the target, the level goes down immediately.
    On a computer without a GPU, the highest level may be much too slow, so pass ``level=0`` in this
    case.

    A game in a window changes its level automatically. In a game without a window, the level never
    changes automatically, so that all runs are equal. Set `level` yourself in such a game.

    Parameters
    ----------
    levels
        A dict of settings for each level, cheapest level first. The settings must have the same
        names in all levels.
    level
        The index of the initial level. The default is the last level, which is the highest level.
    target
        The desired work of a frame, in seconds. The default is three quarters of the time between
        two frames of the display.
    on_change
        Called between two frames, with the `Quality` object, each time the level has changed. The
        function can read the new settings, for example ``quality["particles"]``.

    Raises
    ------
    ValueError, TypeError
        If ``levels`` is empty, if two levels have different settings, or if ``render_scale`` or
        ``samples`` is out of range.
    """

    __slots__ = (
        "_before",
        "_crawled",
        "_level",
        "_levels",
        "_now",
        "_on_change",
        "_target",
        "_trials",
        "_window",
        "automatic",
    )

    not_state = True

    def __init__(
        self,
        levels: Sequence[Mapping[str, Any]],
        *,
        level: int | None = None,
        target: float | None = None,
        on_change: Callable[[Quality], object] | None = None,
    ) -> None:
        self._levels = _checked(levels)
        self._level = len(self._levels) - 1 if level is None else self._index(level)
        self._target = (
            None if target is None else float(positive_fraction("target", target)) * NANOSECONDS
        )
        self._on_change = (
            None
            if on_change is None
            else function("on_change", on_change, "a function of the quality")
        )
        self.automatic = True
        """Whether the level changes automatically. Set `automatic` to False if the player chooses a
        level in an options menu.
        """
        self._window: list[int] = []
        self._trials = [_Trial() for _ in self._levels]
        self._now = 0  # the total time of all frames in nanoseconds
        self._before = 0.0  # the mean work of the previous window, 0.0 after the level has changed
        self._crawled = 0  # the current number of unplayable frames in a row

    @property
    def levels(self) -> tuple[Mapping[str, Any], ...]:
        """The settings of each level, starting with the cheapest level."""
        return self._levels

    @property
    def level(self) -> int:
        """The index of the current level. If you set it, the measurements of all levels are
        deleted, and measuring starts again.
        """
        return self._level

    @level.setter
    def level(self, value: int) -> None:
        level = self._index(value)
        self._trials = [_Trial() for _ in self._levels]
        if level != self._level:
            self._change(level)

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings of the current level."""
        return self._levels[self._level]

    def __getitem__(self, name: str) -> Any:
        """Return the value of a setting in the current level. Raise `KeyError` if no level has a
        setting with this name.
        """
        if name not in self.settings:
            raise KeyError(
                f"{name!r} is not a setting of these levels: "
                f"{', '.join(map(repr, self.settings)) or 'none'}"
            )
        return self.settings[name]

    def add(self, work: int, budget: int) -> bool:
        """Count a frame that took ``work`` nanoseconds without waiting, and return whether the
        level has changed. ``budget`` is the time that a frame may take, in nanoseconds.
        """
        self._now += work if work > budget else budget
        if not self.automatic:
            return False
        target = _TARGET * budget if self._target is None else self._target
        if work > _UNPLAYABLE * target:
            self._crawled += 1
            if self._crawled >= _UNPLAYABLE_FRAMES and self._level > 0:
                self._lower(float(work))
                return True
        elif self._crawled:
            self._crawled = 0
        window = self._window
        limit = _MAX_BUDGETS * budget
        window.append(work if work < limit else limit)
        if len(window) % _DECIDE_EVERY or len(window) < _FRAMES:
            return False
        return self._decide(target)

    def _decide(self, target: float) -> bool:
        """Compare the mean work of the last frames with ``target``, and change the level if the
        mean is too high or low. Return whether the level has changed.
        """
        window = self._window
        if len(window) == 2 * _FRAMES:
            self._before = _robust_mean(window[:_FRAMES])
            del window[:_FRAMES]
        mean = _robust_mean(window[-_FRAMES:])
        above = self._trials[self._level + 1] if self._level + 1 < len(self._levels) else None
        if above is not None and above.work and mean:
            self._learn(above, mean)
        if target < _DOWN * mean and self._level > 0:
            self._lower(mean)
        elif above is not None and target > _UP * mean and self._worth_a_try(above, mean, target):
            above.raised_from = max(mean, 1.0)
            above.raised_at = self._now
            self._change(self._level + 1)
        else:
            return False
        return True

    def _lower(self, mean: float) -> None:
        """Switch to the next lower level, because the current level takes too long. Store the
        measurements of the current level, so that `Quality` does not return to this level too soon.
        """
        trial = self._trials[self._level]
        lasted = self._now - trial.raised_at if trial.raised_from else _FAILED
        trial.failures = trial.failures + 1 if lasted < _FAILED else 0
        trial.load = trial.ratio = 0.0
        if lasted < _AT_ONCE:
            trial.load = trial.raised_from
            trial.ratio = mean / trial.raised_from
        elif lasted < _FAILED:
            trial.swings += 1
        else:
            trial.swings = 0
        # A short rise of the load may end before it is detected. The next means then do not show
        # the cost of this level.
        trial.sudden = not trial.load and 0 < self._before < _SUDDEN * mean
        trial.again_at = self._now + ((_SOON if trial.sudden else _LATE) << trial.failures)
        trial.raised_from = 0.0
        trial.work = mean
        self._change(self._level - 1)

    def _learn(self, trial: _Trial, mean: float) -> None:
        """Store how much more work the higher level ``trial`` needs than the current level.
        ``mean`` is the first mean work measured after the level went down.
        """
        trial.load = mean
        trial.ratio = max(1.0, trial.work / mean)
        trial.work = 0.0

    def _worth_a_try(self, trial: _Trial, mean: float, target: float) -> bool:
        if not trial.load or self._now >= trial.again_at:
            return True
        if mean > _LIGHTER * trial.load:
            return False
        return trial.sudden or mean * trial.ratio <= _FITS * _STRICTER**trial.swings * target

    def _change(self, level: int) -> None:
        self._level = level
        self._window.clear()
        self._before = 0.0
        self._crawled = 0
        if self._on_change is not None:
            self._on_change(self)

    def _index(self, level: int) -> int:
        return whole("level", level, 0, len(self._levels) - 1)


class _Trial:
    """The measurements of one level, from the last time that this level was in use."""

    def __init__(self) -> None:
        # The mean work on the lower level when this level was tried, or 0.0 if it was not tried.
        self.raised_from = 0.0
        self.raised_at = 0
        # The mean work on this level when it was left, or 0.0 as soon as the work on the lower
        # level is known.
        self.work = 0.0
        # The mean work on the lower level, before this level was tried or just after it was left.
        # 0.0 if `Quality` never left this level.
        self.load = 0.0
        self.ratio = 0.0  # the work on this level divided by the work on the lower level
        self.sudden = False  # True if the level was left because of a sudden load
        self.failures = 0  # the number of failures in a row
        self.swings = 0  # the number of failures because the load grew again
        self.again_at = 0  # from this time on, the level is tried with any load


def _robust_mean(work: list[int]) -> float:
    """Return the mean work per frame, with less weight for single slow frames. The work of the
    three slowest frames is replaced with the work of the fourth slowest frame.
    """
    ordered = sorted(work)
    usual = ordered[: -_HITCHES or None]
    return (sum(usual) + _HITCHES * usual[-1]) / len(work)


def _checked(levels: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    if isinstance(levels, (str, bytes, Mapping)) or not isinstance(levels, Sequence):
        raise wrong_type("levels", "a sequence of settings by name", levels)
    if not levels:
        raise ValueError("levels: expected at least one")
    for index, settings in enumerate(levels):
        if not isinstance(settings, Mapping):
            raise TypeError(f"levels: expected settings by name, level {index} is {settings!r}")
        differing = set(settings) ^ set(levels[0])
        if differing:
            names = ", ".join(sorted(map(repr, differing)))
            raise ValueError(
                f"levels: each must name the same settings; levels 0 and {index} differ in {names}"
            )
        if "render_scale" in settings:
            check_render_scale("levels: render_scale", settings["render_scale"])
        if "samples" in settings:
            check_samples("levels: samples", settings["samples"])
    return tuple(MappingProxyType(dict(settings)) for settings in levels)
