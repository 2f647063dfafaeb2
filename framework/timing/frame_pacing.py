"""Frame pacing: sleep between frames so that they are evenly spaced, if vsync does not wait.

On a virtual screen, or with some driver settings, vsync does not wait for the screen. Like the
module `timestep`, this module reads no clock: callers pass times in nanoseconds.
"""

from __future__ import annotations

_SECOND = 1_000_000_000

# A flip that waits for the screen takes time, but little CPU time.
_MIN_WAIT = _SECOND // 1000  # duration of such a flip, in nanoseconds
_MAX_CPU_SHARE = 0.3  # CPU time of such a flip, as a share of its duration

_WINDOW = 30  # number of recent flips to consider
_MIN_WAITS = 15  # waiting flips among these, if vsync works


class Pacer:
    """Computes how long to sleep between frames while flips do not wait for the screen."""

    __slots__ = ("_due", "_waited", "rate")

    def __init__(self, rate: float) -> None:
        self.rate = rate
        """Frames per second. Set `rate` when the window moves to another screen."""
        self._due = 0
        self._waited = 0  # one bit per recent flip: whether it waited

    @property
    def vsync_waits(self) -> bool:
        """Whether at least half of the last 30 flips waited for the screen."""
        return self._waited.bit_count() >= _MIN_WAITS

    def flipped(self, wall: int, cpu: int) -> int:
        """Record a flip that took ``wall`` nanoseconds, and ``cpu`` nanoseconds of CPU time.

        Return how many nanoseconds of the flip were certainly spent on work and not on waiting. A
        software driver draws during the flip. A flip waits for at most one refresh of the screen,
        so any longer time was spent on work.
        """
        waited = wall >= _MIN_WAIT and cpu < wall * _MAX_CPU_SHARE
        self._waited = (self._waited << 1 | waited) & ((1 << _WINDOW) - 1)
        return 0 if waited else max(0, wall - round(_SECOND / self.rate))

    def skipped(self) -> None:
        """Record a frame without a flip, for example because the window is hidden.

        After this call all recorded flips count as not waiting.
        """
        self._waited = 0

    def delay(self, now: int) -> int:
        """Return the nanoseconds to sleep before the next frame.

        A late frame does not delay later frames: each frame is due one period after the due time of
        the frame before. After a hitch, due times are counted from the current time.
        """
        if self.vsync_waits:
            self._due = now
            return 0
        period = round(_SECOND / self.rate)
        self._due += period
        if self._due < now - period or self._due > now + period:
            self._due = now + period if self._due > now else now
        return max(0, self._due - now)
