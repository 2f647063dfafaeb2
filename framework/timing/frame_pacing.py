"""Frame pacing: sleep between frames to space them evenly, if vsync does not wait.

On a virtual screen, or with some driver settings, vsync does not wait for the screen. A game can
also turn vsync off to draw as many frames as possible, or set a limit of frames per second. This
module reads no clock, like the module `timestep`. Callers pass times in nanoseconds.
"""

from __future__ import annotations

import math

_SECOND = 1_000_000_000

# A flip that waits for the screen takes time, but little CPU time.
_MIN_WAIT = _SECOND // 1000  # duration of such a flip, in nanoseconds
_MAX_CPU_SHARE = 0.3  # CPU time of such a flip, as a share of its duration

_WINDOW = 30  # number of recent flips to consider
_MIN_WAITS = 15  # waiting flips among these, if vsync works


class Pacer:
    """Computes the sleep between two frames, to limit the frames per second."""

    __slots__ = ("_due", "_hidden", "_waited", "max_fps", "rate", "vsync")

    def __init__(self, rate: float, vsync: bool = True, max_fps: float | None = None) -> None:
        self.rate = rate
        """How many times per second the screen shows a new image. Set `rate` when the window moves
        to another screen.
        """
        self.vsync = vsync
        """If True, the game draws at most `rate` frames per second, even if flips do not wait for
        the screen.
        """
        self.max_fps = max_fps
        """The maximum number of frames per second, or None if the game sets no limit."""
        self._due = 0
        self._hidden = False  # whether the last frame was not drawn
        self._waited = 0  # one bit per recent flip: whether it waited

    @property
    def vsync_waits(self) -> bool:
        """Whether at least half of the last 30 flips waited for the screen."""
        return self._waited.bit_count() >= _MIN_WAITS

    @property
    def limit(self) -> float:
        """The maximum number of frames per second, or infinity if there is no limit. For a hidden
        window, the limit is the screen's rate, because undrawn frames take almost no time.
        """
        limit = math.inf if self.max_fps is None else self.max_fps
        return min(limit, self.rate) if self.vsync or self._hidden else limit

    def flipped(self, wall: int, cpu: int) -> int:
        """Record a flip (the exchange of the two screen buffers). The flip took ``wall``
        nanoseconds of real time, and ``cpu`` nanoseconds of CPU time.

        Return how many nanoseconds of the flip were certainly work, and not waiting. A software
        driver draws during the flip. A flip waits for at most one refresh of the screen, so any
        longer time was work.
        """
        self._hidden = False
        waited = wall >= _MIN_WAIT and cpu < wall * _MAX_CPU_SHARE
        self._waited = (self._waited << 1 | waited) & ((1 << _WINDOW) - 1)
        return 0 if waited else max(0, wall - round(_SECOND / self.rate))

    def skipped(self) -> None:
        """Record a frame without a flip, for example because the window is hidden.

        After this call, no recorded flip counts as waiting for the screen.
        """
        self._waited = 0
        self._hidden = True

    def delay(self, now: int) -> int:
        """Return how long to sleep before the next frame, in nanoseconds.

        A late frame does not delay later frames: each frame is due one period after the previous
        frame was due. After a much longer frame, the method counts from the current time.
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
