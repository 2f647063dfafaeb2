"""What of a game's own parts is state: few values, in parts that are the same ones as long as the
game is open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .loop import Loop, VirtualClock
    from .painter import Painter
    from .stage import Stage
    from .subsystems import Subsystems


class Backstage:
    """The scenes that are on, the subsystems, the time, the random numbers and the colours around
    them.

    The virtual clock's rounding is restored with the time, so that the same frames bring the same
    ticks again. While the game stands at a tick of the past, the clock goes on by itself.

    A snapshot asks for them here, instead of looking through the parts one by one.
    """

    _captured_attributes = ("_clock", "_loop", "_painter", "_stage", "_subsystems")
    __slots__ = _captured_attributes

    def __init__(
        self,
        stage: Stage,
        painter: Painter,
        loop: Loop,
        subsystems: Subsystems,
        clock: VirtualClock,
    ) -> None:
        self._stage, self._painter, self._loop, self._subsystems = stage, painter, loop, subsystems
        self._clock = clock

    def captured(self) -> tuple[Any, ...]:
        """What `put_back` takes. Raises nothing: what cannot be put back is found in what
        `parts_of` it.
        """
        stage, loop, painter, subsystems = self._stage, self._loop, self._painter, self._subsystems
        return (
            stage.on.copy(),
            stage.random,
            loop.timestep,
            loop.tick,
            painter.background,
            painter.bar_color,
            painter.pixel_art and painter.pixel_art.palette,
            subsystems.begin_tick.copy(),
            subsystems.end_tick.copy(),
            stage.incoming.own.captured(),
            self._clock.rounding,
        )

    def parts_of(self, saved: tuple[Any, ...]) -> list[Any]:
        """What of it is to be looked at."""
        on, random, timestep, _, _, _, _, begin, end, _, _ = saved
        return [*on, *self._stage.devices, timestep, random, *begin, *end]

    def put_back(self, saved: tuple[Any, ...]) -> None:
        """Be as it was when `captured` returned this."""
        stage, loop, painter, subsystems = self._stage, self._loop, self._painter, self._subsystems
        (
            stage.on[:],
            stage._random,
            loop.timestep,
            loop.tick,
            painter.background,
            painter.bar_color,
            palette,
            subsystems.begin_tick[:],
            subsystems.end_tick[:],
            own,
            rounding,
        ) = saved
        stage.incoming.own.put_back(own)
        if not stage.past.standing:
            self._clock.rounding = rounding
        if painter.pixel_art is not None:
            painter.pixel_art.palette = palette

    def after_restore(self) -> None:
        """Everything is back."""
        self._subsystems.after_restore()
