"""Tick drivers: replays and error screens decide which ticks of a game run, and with which input."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from ..input.input_source import InputSource
from ..input.tick_input import Event, TickInput
from ..timing.timestep import Timestep, control_of


class TickDriver(InputSource, Protocol):
    """A source of input that also decides which ticks run, in place of the clock. A recording that
    is played is an example of a driver.
    """

    receive: Callable[[Event], object] | None
    """Called with each event of the window. The game does not receive the event. With None, the
    events wait for the next tick, as in a game without a driver.
    """

    def due(self, now: int) -> Iterable[object]:
        """Yield once for each tick that must run until the time ``now``, in nanoseconds. The loop
        runs a tick each time.
        """


class PausedDriver:
    """A driver with which no tick runs, while a game shows an error or an earlier tick.

    ``each_frame`` is called in each frame with the time in nanoseconds.
    """

    not_state = True

    def __init__(
        self,
        timestep: Timestep,
        receive: Callable[[Event], object] | None = None,
        each_frame: Callable[[int], object] | None = None,
    ) -> None:
        control = control_of(timestep)
        self._pass_by = timestep.advance if control is None else control.pass_by
        self._each_frame = each_frame
        self.receive = receive

    def tick(self, number: int, local: TickInput) -> TickInput | None:
        """Return None, because no tick runs."""
        return None

    def due(self, now: int) -> tuple[object, ...]:
        """Return an empty tuple, and let the clock of the timestep advance to ``now``."""
        self._pass_by(now)
        if self._each_frame is not None:
            self._each_frame(now)
        return ()
