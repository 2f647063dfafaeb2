"""A quality governor: levels that a game defines, chosen by how much work its frames are.

Pure arithmetic: a `Quality` is told what each frame's work took, and reads no clock. The rule is
old: the mean of 60 frames' work, a level down when the target is missed by a fifth, one up when it
is nearly reached. Alone it would swing for ever between a level that is too much and one that
leaves room. So what a level costs over the one below is learned when it is left, and it is tried
again only when that cost fits, or after a long time.
"""

from __future__ import annotations

__all__ = ["Quality"]

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ..checks import Sealed, function, positive_fraction, whole, wrong_type
from ..timing.timestep import NANOSECONDS
from ..view import check_render_scale, check_samples

_FRAMES = 60  # whose mean work counts
_LOOK = 15  # frames from one look at it to the next
_HITCHES = 3  # frames in the window that count as much as the next slowest
_MOST = 4  # budgets that one frame counts for
_DOWN, _UP = 0.80, 0.95  # performance: target / mean work
_CRAWL = 10  # targets that a frame's work takes where nobody can play,
_CRAWLING = 4  # frames of that, one after the other: then no 60 are waited for
# of a frame's time, unless told: at 80 % performance, a frame's work is just below the frame
_TARGET = 0.75

_LIGHTER = 0.85  # load that is clearly lighter than another
# of the target: what a level that was too much may cost, by what is known of it, to be tried again
_FITS = 0.85
_STRICTER = 0.7  # each time that the load grows again soon, it may cost so much less
_SUDDEN = (
    0.65  # mean work of the window before: below this part of the present, the load rose at once
)
_AT_ONCE = 5 * NANOSECONDS  # after being raised: the load below was the same then
_FAILED = 300 * NANOSECONDS  # a level that lasted no longer has failed
_SOON = (
    15 * NANOSECONDS
)  # until a level that was left for a sudden load is tried again; doubles with each failure
_LATE = 900 * NANOSECONDS  # the same for one that was left for a load that was there to stay


class Quality(Sealed):
    """Levels of quality, the cheapest first, and which of them is on.

        self.picture.quality = fw.Quality(
            [dict(particles=200, render_scale=0.5), dict(particles=5000, render_scale=1.0)],
            on_change=lambda quality: self.resize(quality["particles"]),
        )

    The settings are the game's own. Two are the framework's: ``render_scale`` and ``samples`` are
    set on the game. The highest level is on first. It goes down by the mean of 60 frames; of frames
    that crawl, at ten targets and more, four are enough. Where the highest may be far too much (on
    a machine without a GPU), begin with ``level=0``. A game in a window tells it the work of each
    frame; off screen, where every run is to be the same, only `level` changes it.

    Parameters
    ----------
    levels
        Settings by name, the cheapest level first; the same names in each.
    level
        The index of the first one to be on; default: the last.
    target
        Seconds of work a frame that it aims at; default: three quarters of the frame's time on the
        display.
    on_change
        Called with the quality after each change, between two frames: ``quality["particles"]``.

    Raises
    ------
    ValueError, TypeError
        There is no level, levels name different settings, or a setting of the framework's is out of
        its range.
    """

    __slots__ = (
        *(
            "_before",
            "_crawled",
            "_level",
            "_levels",
            "_now",
            "_on_change",
            "_target",
            "_trials",
            "_window",
        ),
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
        """Whether it changes the level by itself; false keeps the one that is on (an options menu,
        say).
        """
        self._window: list[int] = []
        self._trials = [_Trial() for _ in self._levels]
        self._now = 0  # nanoseconds of frames so far
        self._before = 0.0  # mean work of the window before this one, 0.0 after a change
        self._crawled = 0  # frames until now, one after the other, that took far too long

    @property
    def levels(self) -> tuple[Mapping[str, Any], ...]:
        """The settings of each level, the cheapest first."""
        return self._levels

    @property
    def level(self) -> int:
        """The index of the level that is on. Set by hand, it is tried as if nothing were known of
        it.
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
        """The settings of the level that is on."""
        return self._levels[self._level]

    def __getitem__(self, name: str) -> Any:
        """One setting of the level that is on. `KeyError` for a name that no level has."""
        if name not in self.settings:
            raise KeyError(
                f"{name!r} is no setting of these levels: "
                f"{', '.join(map(repr, self.settings)) or 'none'}"
            )
        return self.settings[name]

    def add(self, work: int, budget: int) -> bool:
        """A frame's work took ``work`` nanoseconds, and there were ``budget`` for it. Whether the
        level changed.
        """
        self._now += work if work > budget else budget
        if not self.automatic:
            return False
        target = _TARGET * budget if self._target is None else self._target
        if work > _CRAWL * target:
            self._crawled += 1
            if self._crawled >= _CRAWLING and self._level > 0:
                self._lower(float(work))
                return True
        elif self._crawled:
            self._crawled = 0
        window, most = self._window, _MOST * budget
        window.append(work if work < most else most)
        if len(window) % _LOOK or len(window) < _FRAMES:
            return False
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
            above.raised_from, above.raised_at = max(mean, 1.0), self._now
            self._change(self._level + 1)
        else:
            return False
        return True

    def _lower(self, mean: float) -> None:
        """The level is too much: note why, so that it is not tried again for nothing."""
        trial = self._trials[self._level]
        lasted = self._now - trial.raised_at if trial.raised_from else _FAILED
        trial.failures = trial.failures + 1 if lasted < _FAILED else 0
        trial.load = trial.ratio = 0.0
        if lasted < _AT_ONCE:
            trial.load, trial.ratio = trial.raised_from, mean / trial.raised_from
        elif lasted < _FAILED:
            trial.swings += 1
        else:
            trial.swings = 0
        # A burst may be over when it is noticed: then what follows says nothing of what the level
        # costs.
        trial.sudden = not trial.load and 0 < self._before < _SUDDEN * mean
        trial.again_at = self._now + ((_SOON if trial.sudden else _LATE) << trial.failures)
        trial.raised_from, trial.work = 0.0, mean
        self._change(self._level - 1)

    def _learn(self, trial: _Trial, mean: float) -> None:
        """The first mean on a level, after the one above it was left: how much less is it?"""
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
        self._before, self._crawled = 0.0, 0
        if self._on_change is not None:
            self._on_change(self)

    def _index(self, level: int) -> int:
        return whole("level", level, 0, len(self._levels) - 1)


class _Trial:
    """What is known of a level that was tried, or left because it was too much. Work is in
    nanoseconds a frame.
    """

    def __init__(self) -> None:
        self.raised_from = 0.0  # work on the level below when it was tried; 0.0: it was not
        self.raised_at = 0
        self.work = 0.0  # on it when it was left, until the work on the level below is known
        # on the level below: when it was tried, or just after it was left; 0.0: it was never left
        self.load = 0.0
        self.ratio = 0.0  # work on it over work on the level below
        self.sudden = False  # it was left for a load that came at once
        self.failures = 0  # one after the other
        self.swings = 0  # of the failures, those of a load that grew again
        self.again_at = 0  # when it is tried in any case


def _robust_mean(work: list[int]) -> float:
    """The mean, but of the slowest frames as much as of the next slowest: a hitch is no load."""
    ordered = sorted(work)
    kept = ordered[: -_HITCHES or None]
    return (sum(kept) + _HITCHES * kept[-1]) / len(work)


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
