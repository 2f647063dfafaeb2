"""Detect whether a game is too slow for its display.

This module does not read a clock: the caller passes all times, in nanoseconds. The work of a frame
is the duration of the frame without waiting for the screen.
"""

from __future__ import annotations

import warnings

from ..timing.timestep import NANOSECONDS
from .frame_stats import FrameTimes

FRAMES = 60
"""The number of frames over which the mean work is computed."""

MAX_UNCOUNTED = 120
"""The maximum number of frames in `Workload.uncounted`, the list of frames that are not yet in the
mean.
"""

# Until this frame, the game is never too slow, because the first frames load files.
_MIN_FRAMES = 30
# If the frames took at least _MIN_LONG_FRAMES_TIME in total, _MIN_LONG_FRAMES frames are enough.
_MIN_LONG_FRAMES = 10
_MIN_LONG_FRAMES_TIME = 3 * NANOSECONDS
# The maximum work of one frame in the mean, as a multiple of the budget. So one long frame does not
# make a game slow.
_MAX_BUDGETS = 4
_ON = 1.0  # a game becomes slow above this fraction of the budget
_OFF = 0.85  # a game is no longer slow below this fraction of the budget
_WARN_AFTER = 2 * NANOSECONDS  # warn after a slow game has worked this long, in nanoseconds


class Workload:
    """The mean work of the last 60 frames, and whether the game is too slow.

    A game becomes too slow when the mean work exceeds the budget. It is then considered too slow
    until the mean work is below 85 % of the budget. ``budget`` is the time that a frame may take,
    in nanoseconds. The budget is usually the time between two refreshes of the display.
    """

    not_state = True

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.uncounted: list[FrameTimes] = []
        """The drawn frames that `catch_up` has not yet counted."""
        self._work = [0] * FRAMES  # the work of the last frames, as a ring buffer
        self._at = self._count = self._sum = self._uncapped = 0
        self._slow = False
        self._warned = False
        self._reset_account()

    def _reset_account(self) -> None:
        # Sums since the game became slow: frames, work, update, draw, ticks.
        self._account = [0, 0, 0, 0, 0]

    def catch_up(self) -> None:
        """Count all frames in `uncounted`, in order."""
        uncounted = self.uncounted
        self.uncounted = []
        if len(uncounted) >= FRAMES and not self._slow and max(self._work) <= self.budget:
            work = [frame.worked - frame.start for frame in uncounted]
            # A shortcut that is usually possible. If no frame exceeds the budget, no mean exceeds
            # it.
            if max(work) <= self.budget:
                self._work = work[-FRAMES:]
                self._at = 0
                self._count = FRAMES
                self._sum = sum(self._work)
                return
        for frame in uncounted:
            parts = frame.parts()
            self.frame(
                frame.worked - frame.start,
                parts.get("update", 0),
                parts.get("draw", 0),
                frame.ticks,
            )

    @property
    def mean(self) -> float:
        """The mean work of the last 60 frames, in seconds, or 0.0 before the first frame. A single
        frame counts as at most four budgets, so that one long frame has little influence.
        """
        self.catch_up()
        return self._sum / self._count / NANOSECONDS if self._count else 0.0

    @property
    def running_slowly(self) -> bool:
        """Whether the game is too slow. It becomes True when the mean work exceeds the budget, and
        False again when the mean work is below 85 % of the budget.
        """
        self.catch_up()
        return self._slow

    @property
    def lasting(self) -> bool:
        """Whether the game has been too slow for a long time: for frames with at least two seconds
        of work in total.
        """
        return self.running_slowly and self._account[1] >= _WARN_AFTER

    def frame(self, work: int, update: int = 0, draw: int = 0, ticks: int = 0) -> None:
        """Count a frame that took ``work`` nanoseconds without waiting. ``update`` and ``draw`` are
        the times for updating and drawing in this frame, in nanoseconds. ``ticks`` is the number of
        its ticks.
        """
        budget = self.budget
        at = self._at
        sample = work if work < _MAX_BUDGETS * budget else _MAX_BUDGETS * budget
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
        """Decide whether the game is too slow now. Called when the mean work exceeds the budget,
        and while the game is too slow.
        """
        count = self._count
        if count < _MIN_FRAMES and (
            count < _MIN_LONG_FRAMES or self._uncapped < _MIN_LONG_FRAMES_TIME
        ):
            return
        if not self._slow:
            self._slow = True
        elif self._sum < _OFF * self.budget * count:
            self._slow = False
            self._reset_account()

    def warn(self) -> None:
        """Issue a `RuntimeWarning` if the game has been too slow for a long time, but only once."""
        if not self._warned and self.lasting:
            self._warned = True
            warnings.warn(self.explain(), RuntimeWarning, stacklevel=2)

    def explain(self) -> str:
        """Return one line of text that explains why the game is too slow, and how to make it
        faster. Call `explain` only while `running_slowly` is True.
        """
        frames, work, update, draw, ticks = self._account
        frames = max(1, frames)
        unexplained = max(0, work - update - draw)
        each = f" ({_ms(update, ticks)} each)" if ticks else ""
        parts = {
            "update": f"{ticks / frames:.2f} ticks {_ms(update, frames)}{each}",
            "draw": f"draw {_ms(draw, frames)}",
            "other": f"other work {_ms(unexplained, frames)}",
        }
        advice = {
            "update": "Make update() cheaper (use whole columns instead of single sprites), or lower "
            "tick_rate: motion stays as smooth.",
            "draw": (
                "Draw fewer and smaller objects, put sprites into fewer batches, or lower "
                "render_scale."
            ),
            "other": "Event handlers and scene changes count here: do less in them.",
        }
        largest = max(
            {"update": update, "draw": draw, "other": unexplained}.items(), key=lambda item: item[1]
        )[0]
        return (
            f"The game is running slowly: a frame's work takes {_ms(work, frames)}, "
            f"but the display allows {_ms(self.budget, 1)}. On average of {frames} frames: "
            f"{', '.join(parts.values())}. {advice[largest]} "
            "Press F3 for the times. (Shown once per game; game.display.running_slowly "
            "has the current state.)"
        )


def _ms(nanoseconds: int, count: int) -> str:
    return f"{nanoseconds / max(1, count) / 1e6:.2f} ms"
