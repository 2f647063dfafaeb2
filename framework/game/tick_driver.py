"""The interface of objects, such as a replay, that decide instead of the clock which ticks run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from ..input.input_source import InputSource
from ..input.tick_input import Event, TickInput
from ..timing.timestep import Timestep, control_of


class TickDriver(InputSource, Protocol):
    """The interface of an object that decides, instead of the clock, which ticks run and with which
    input.
    """

    receive: Callable[[Event], object] | None
    """A function to which window events are passed instead of the game. With None, the game
    receives them in its next tick, as in a game without a driver.
    """

    def due(self, now: int) -> Iterable[object]:
        """Yield once for each tick that is due at the time ``now``. ``now`` is in nanoseconds. The
        loop runs one tick after each ``yield``.
        """


class PausedDriver:
    """A driver that runs no ticks. A game uses this driver while it shows an error, or while it is
    paused at an earlier tick. The function ``each_frame`` is called in each frame with the time in
    nanoseconds.
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
        """Return None, because the tick must not run."""
        return None

    def due(self, now: int) -> tuple[object, ...]:
        """Return an empty tuple because no ticks are due. The timestep skips the time up to
        ``now``.
        """
        self._pass_by(now)
        if self._each_frame is not None:
            self._each_frame(now)
        return ()
