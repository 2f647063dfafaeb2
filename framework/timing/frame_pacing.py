"""Frame pacing: computes how long to sleep between frames if vsync does not work.

On a virtual screen, or with some driver settings, vsync does not wait for the screen. A game can
also turn vsync off, or limit the number of frames per second. This module does not read a clock.
The caller passes all times, in nanoseconds.
"""

from __future__ import annotations

import math

_SECOND = 1_000_000_000

# A flip that waits for the screen takes time, but little CPU time.
_MIN_WAIT = _SECOND // 1000  # minimum duration of such a flip, in nanoseconds
_MAX_CPU_SHARE = 0.3  # maximum CPU time of such a flip, as a fraction of its duration

_WINDOW = 30  # number of recent flips to consider
_MIN_WAITS = 15  # waiting flips among these, if vsync works


class Pacer:
    """Computes the sleep between two frames, to limit the frames per second."""

    __slots__ = ("_due", "_hidden", "_waited", "max_fps", "rate", "vsync")

    def __init__(self, rate: float, vsync: bool = True, max_fps: float | None = None) -> None:
        self.rate = rate
        """The number of times per second that the screen shows a new image. Set `rate` when the
        window moves to another screen.
        """
        self.vsync = vsync
        """If True, the game draws at most `rate` frames per second."""
        self.max_fps = max_fps
        """The maximum number of frames per second. None means no limit."""
        self._due = 0
        self._hidden = False  # whether the last frame was not drawn
        self._waited = 0  # one bit per recent flip: whether it waited

    @property
    def vsync_waits(self) -> bool:
        """True if at least half of the last 30 flips waited for the screen."""
        return self._waited.bit_count() >= _MIN_WAITS

    @property
    def limit(self) -> float:
        """The maximum number of frames per second, or infinity. For a hidden window, the limit is
        at most the rate of the screen, because frames that are not drawn need almost no time.
        """
        limit = math.inf if self.max_fps is None else self.max_fps
        return min(limit, self.rate) if self.vsync or self._hidden else limit

    def flipped(self, wall: int, cpu: int) -> int:
        """Record a flip. In a flip, the drawn frame is shown on the screen. ``wall`` is the real
        time of the flip in nanoseconds, and ``cpu`` its CPU time.

        Return the part of the flip that was certainly work and not waiting, in nanoseconds. A
        software driver draws the frame during the flip. A flip waits for at most one refresh of the
        screen, so a longer time was work.
        """
        self._hidden = False
        waited = wall >= _MIN_WAIT and cpu < wall * _MAX_CPU_SHARE
        self._waited = (self._waited << 1 | waited) & ((1 << _WINDOW) - 1)
        return 0 if waited else max(0, wall - round(_SECOND / self.rate))

    def skipped(self) -> None:
        """Record a frame without a flip, for example because the window is hidden.

        After that, the pacer no longer knows whether earlier flips have waited.
        """
        self._waited = 0
        self._hidden = True

    def delay(self, now: int) -> int:
        """Return the time to sleep before the next frame, in nanoseconds.

        A late frame does not make later frames late: the times of frames are planned at equal
        distances. After a much longer frame, a new plan starts at the current time.
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
