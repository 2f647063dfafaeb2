"""The values of a game's internal parts that belong to its state, such as the scene stack.

Snapshots and state hashes contain an attribute of the engine only if `EngineState` lists it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .loop import Loop, VirtualClock
    from .painter import Painter
    from .stage import Stage
    from .subsystems import Subsystems


class EngineState:
    """The scene stack, subsystems, time, random numbers and colors of a game.

    Restoring a state also sets the rounding error of the virtual clock, so that the same frames run
    the same ticks again. The clock is not changed while the game is paused at an earlier tick, or
    while a session is correcting ticks.
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
        self._stage = stage
        self._painter = painter
        self._loop = loop
        self._subsystems = subsystems
        self._clock = clock

    def capture(self) -> tuple[Any, ...]:
        """Return the values of the engine that belong to the game's state. Pass them to `restore`
        later. This method never raises an error. To get the objects in the state, for example to
        check whether they can be restored, call `parts_of`.
        """
        stage = self._stage
        loop = self._loop
        painter = self._painter
        subsystems = self._subsystems
        return (
            stage.stack.copy(),
            stage._random or stage.random,
            loop.timestep,
            loop.tick,
            painter.background,
            painter.letterbox_color,
            painter.pixel_art and painter.pixel_art.palette,
            subsystems.begin_tick.copy(),
            subsystems.end_tick.copy(),
            stage.incoming.own.capture(),
            self._clock.rounding,
        )

    def parts_of(self, saved: tuple[Any, ...]) -> list[Any]:
        """Return the objects in a state that `capture` has returned."""
        on, random, timestep, _, _, _, _, begin, end, _, _ = saved
        parts = [*self._stage.devices, timestep, random, *begin, *end]
        for scene, _, backend in on:
            parts += scene, backend  # the backend refers to its drawables, so they are not added
        return parts

    def restore(self, saved: tuple[Any, ...]) -> None:
        """Restore a state that `capture` has returned."""
        stage = self._stage
        loop = self._loop
        painter = self._painter
        subsystems = self._subsystems
        (
            stage.stack[:],
            stage._random,
            loop.timestep,
            loop.tick,
            painter.background,
            painter.letterbox_color,
            palette,
            subsystems.begin_tick[:],
            subsystems.end_tick[:],
            own,
            rounding,
        ) = saved
        if own or stage.incoming.own.events:
            stage.incoming.own.restore(own)
        resimulation = stage.resimulation
        if not (resimulation.at_earlier_tick or resimulation.in_session):
            self._clock.rounding = rounding
        if painter.pixel_art is not None:
            painter.pixel_art.palette = palette

    def after_restore(self) -> None:
        """Called after the whole state of the game has been restored."""
        self._subsystems.after_restore()
