"""Whether a game keeps up: the work of its last frames against the time that a frame has.

Pure arithmetic on nanoseconds, as in `timestep`. Work is what a frame took less its waits: a game
that waits for the screen is not slow, however long it waits.
"""

from __future__ import annotations

import warnings

from ..timing.timestep import NANOSECONDS
from .monitor import Frame

FRAMES = 60
"""The work of so many frames counts."""

MOST_UNSEEN = 120
"""Frames that may wait to be accounted for."""

_LEAST = 30  # frames before anything is said: the first ones load things
_FEWER, _LONG = 10, 3 * NANOSECONDS  # or fewer, when they are this slow
_MOST = 4  # budgets that one frame counts for: a hitch is not slowness
_ON, _OFF = 1.0, 0.85  # of the budget
_LASTING = 2 * NANOSECONDS  # of work while slow


class Load:
    """The mean work of the last 60 frames, and whether it is too much: above the budget, until it
    is below 85 % of it.

    ``budget`` is what a frame has, in nanoseconds: as a rule the display's refresh period.
    """

    not_state = True

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.unseen: list[Frame] = []
        """Frames with a picture that are not accounted for yet: see `catch_up`."""
        self._work = [0] * FRAMES  # a ring
        self._at = self._count = self._sum = self._uncapped = 0
        self._slow = False
        self._warned = False
        self._reset_account()

    def _reset_account(self) -> None:
        # Since it became slow: frames, work, update, draw, ticks.
        self._account = [0, 0, 0, 0, 0]

    def catch_up(self) -> None:
        """Account for the `unseen` frames, in their order. The loop does it now and then, a window
        in each frame.
        """
        unseen, self.unseen = self.unseen, []
        if len(unseen) >= FRAMES and not self._slow and max(self._work) <= self.budget:
            work = [frame.worked - frame.start for frame in unseen]
            if max(work) <= self.budget:  # as a rule, and then their mean is no more at any time
                self._work, self._at, self._count = work[-FRAMES:], 0, FRAMES
                self._sum = sum(self._work)
                return
        for frame in unseen:
            parts = frame.parts()
            self.frame(
                frame.worked - frame.start,
                parts.get("update", 0),
                parts.get("draw", 0),
                frame.ticks,
            )

    @property
    def mean(self) -> float:
        """Mean work in seconds, a hitch counted as four budgets at most; 0.0 before the first
        frame.
        """
        self.catch_up()
        return self._sum / self._count / NANOSECONDS if self._count else 0.0

    @property
    def running_slowly(self) -> bool:
        """Whether the work has been more than the budget, and not yet less than 85 % of it
        since.
        """
        self.catch_up()
        return self._slow

    @property
    def lasting(self) -> bool:
        """Whether it has been so for two seconds of work."""
        return self.running_slowly and self._account[1] >= _LASTING

    def frame(self, work: int, update: int = 0, draw: int = 0, ticks: int = 0) -> None:
        """A frame's work took so many nanoseconds in all, of which updates (so many ticks) and
        drawing took theirs.
        """
        budget, at = self.budget, self._at
        sample = work if work < _MOST * budget else _MOST * budget
        total = self._sum = self._sum + sample - self._work[at]
        self._work[at] = sample
        self._at = at + 1 if at + 1 < FRAMES else 0
        if self._count < FRAMES:
            self._count += 1
            self._uncapped += work
        if self._slow or total > _ON * budget * self._count:
            self._judge()
        if self._slow:
            account = self._account
            for index, value in enumerate((1, work, update, draw, ticks)):
                account[index] += value

    def _judge(self) -> None:
        """The work is above the budget, or it was: is that slow, and is it still?"""
        count = self._count
        if count < _LEAST and (count < _FEWER or self._uncapped < _LONG):
            return
        if not self._slow:
            self._slow = True
        elif self._sum < _OFF * self.budget * count:
            self._slow = False
            self._reset_account()

    def warn(self) -> None:
        """When it has been slow for long, say so and why: once."""
        if not self._warned and self.lasting:
            self._warned = True
            warnings.warn(self.explain(), RuntimeWarning, stacklevel=2)

    def explain(self) -> str:
        """Why it runs slowly and what to do about it, in one line; only while it does."""
        frames, work, update, draw, ticks = self._account
        frames = max(1, frames)
        other = max(0, work - update - draw)
        each = f" ({_ms(update, ticks)} each)" if ticks else ""
        parts = {
            "update": f"{ticks / frames:.2f} ticks {_ms(update, frames)}{each}",
            "draw": f"draw {_ms(draw, frames)}",
            "other": f"all else {_ms(other, frames)}",
        }
        advice = {
            "update": "Make update() cheaper (whole columns at once instead of one sprite after "
            "another), or lower "
            "tick_rate: what is drawn stays as smooth.",
            "draw": (
                "Draw fewer and smaller things, put sprites into fewer batches, or lower "
                "render_scale."
            ),
            "other": "Event handlers and scene changes count here: have them do less.",
        }
        most = max(
            {"update": update, "draw": draw, "other": other}.items(), key=lambda item: item[1]
        )[0]
        return (
            f"The game is running slowly: a frame's work takes {_ms(work, frames)}, "
            "the display leaves "
            f"{_ms(self.budget, 1)} for it. On average of {frames} frames: "
            f"{', '.join(parts.values())}. {advice[most]} "
            "F3 shows where the time goes. (Said once per game; game.display.running_slowly "
            "tells it any time.)"
        )


def _ms(nanoseconds: int, count: int) -> str:
    return f"{nanoseconds / max(1, count) / 1e6:.2f} ms"
