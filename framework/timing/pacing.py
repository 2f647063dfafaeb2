"""When to draw: as vsync says, or, where it does not wait (a virtual screen, a driver setting), at
the same rate.

Pure arithmetic on nanoseconds, as in `timestep`.
"""

from __future__ import annotations

_SECOND = 1_000_000_000

# A flip that waits for the screen takes a while and uses no CPU meanwhile; one that copies the
# picture uses it.
_LEAST_WAIT = _SECOND // 1000
_IDLE_SHARE = 0.3

_WINDOW = 30  # flips that are looked back on
_ENOUGH = 15  # of these that waited, for vsync to be trusted


class Pacer:
    """Spaces frames at ``rate`` a second while flips do not wait for the screen by themselves."""

    __slots__ = ("_due", "_waited", "rate")

    def __init__(self, rate: float) -> None:
        self.rate = rate
        """Frames a second; set it when the screen is another one."""
        self._due = 0
        self._waited = 0  # one bit for each of the last flips

    @property
    def vsync_waits(self) -> bool:
        """Whether the flips of late have waited for the screen."""
        return self._waited.bit_count() >= _ENOUGH

    def flipped(self, wall: int, cpu: int) -> int:
        """A flip took ``wall`` nanoseconds and the process used ``cpu`` of CPU time in it.

        Returns how many of them were work for certain: a driver that draws in software does it when
        it flips, and what keeps the CPU busy for longer than a refresh of the screen is no wait for
        it.
        """
        waited = wall >= _LEAST_WAIT and cpu < wall * _IDLE_SHARE
        self._waited = (self._waited << 1 | waited) & ((1 << _WINDOW) - 1)
        return 0 if waited else max(0, wall - round(_SECOND / self.rate))

    def skipped(self) -> None:
        """A frame went by without a flip, as the window is hidden: nothing waits for the screen
        now.
        """
        self._waited = 0

    def delay(self, now: int) -> int:
        """Nanoseconds to sleep before the next frame.

        Frames are due one period after another, not one period after they were late: a late one
        does not shift the rest. After a hitch they start anew.
        """
        if self.vsync_waits:
            self._due = now
            return 0
        period = round(_SECOND / self.rate)
        self._due += period
        if self._due < now - period or self._due > now + period:
            self._due = now + period if self._due > now else now
        return max(0, self._due - now)
