"""Compute how long a game must sleep between frames if vsync is off or does not work.

On a virtual screen, or with some driver settings, the program does not wait for the screen although
vsync is on. A game can also turn vsync off, or set a maximum number of frames per second. This
module does not read a clock: the caller passes all times, in nanoseconds.
"""

from __future__ import annotations

import math

_SECOND = 1_000_000_000

# A flip that waits for the screen takes time but uses little CPU time.
_MIN_WAIT = _SECOND // 1000  # the minimum duration of a waiting flip, in nanoseconds
_MAX_CPU_SHARE = 0.3  # the maximum CPU time of a waiting flip, as a fraction of its duration

_WINDOW = 30  # the number of recent flips to consider
_MIN_WAITS = 15  # if vsync works, at least this many of the recent flips have waited


class Pacer:
    """Computes how long a game must sleep between two frames, so that it draws at most a given
    number of frames per second.
    """

    __slots__ = ("_due", "_hidden", "_waited", "max_fps", "rate", "vsync")

    def __init__(self, rate: float, vsync: bool = True, max_fps: float | None = None) -> None:
        self.rate = rate
        """The refresh rate of the screen: how many new images it shows per second. Set it when the
        window moves to another screen.
        """
        self.vsync = vsync
        """If True, the game draws at most `rate` frames per second."""
        self.max_fps = max_fps
        """The maximum number of frames per second. None means that there is no maximum."""
        self._due = 0
        self._hidden = False  # True if the last frame was not drawn
        self._waited = 0  # one bit per recent flip: 1 if the flip waited

    @property
    def vsync_waits(self) -> bool:
        """True if at least 15 of the last 30 flips waited for the screen. The driver then already
        limits the frame rate to the refresh rate of the screen.
        """
        return self._waited.bit_count() >= _MIN_WAITS

    @property
    def limit(self) -> float:
        """The maximum number of frames per second, or infinity for no limit. For a hidden window,
        the limit is at most the refresh rate of the screen. While a window is hidden, its frames
        take almost no time, so thousands of frames would run per second without a limit.
        """
        limit = math.inf if self.max_fps is None else self.max_fps
        return min(limit, self.rate) if self.vsync or self._hidden else limit

    def flipped(self, wall: int, cpu: int) -> int:
        """Record a flip, which shows the drawn frame on the screen. ``wall`` is the real duration
        of the flip in nanoseconds. ``cpu`` is the CPU time of the flip in nanoseconds.

        Return how much of the flip, in nanoseconds, was certainly spent on drawing and not on
        waiting for the screen. A flip waits for at most one refresh of the screen. If it takes
        longer, the rest of the time was spent on drawing: a software driver draws the frame during
        the flip.
        """
        self._hidden = False
        waited = wall >= _MIN_WAIT and cpu < wall * _MAX_CPU_SHARE
        self._waited = (self._waited << 1 | waited) & ((1 << _WINDOW) - 1)
        return 0 if waited else max(0, wall - round(_SECOND / self.rate))

    def skipped(self) -> None:
        """Record a frame that the display did not show, for example because the window is hidden.

        Afterwards, `vsync_waits` is False until enough new flips have waited.
        """
        self._waited = 0
        self._hidden = True

    def delay(self, now: int) -> int:
        """Return the time to sleep before the next frame, in nanoseconds.

        The frames are planned at equal intervals, so a late frame does not delay later frames.
        After a very long frame, the plan starts again at the current time.
        """
        limit = self.limit
        if limit == math.inf or (self.vsync_waits and limit >= self.rate):
            self._due = now
            return 0
        period = round(_SECOND / limit)
        self._due += period
        if self._due < now - period or self._due > now + period:
            self._due = now + period if self._due > now else now
        return max(0, self._due - now)
