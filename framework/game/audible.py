"""The audio of a game: what it is told of the game's ticks and cameras."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:  # a game without sounds loads none of it
    from ..audio.console import Audio
    from ..resources import Folder
    from ..timing.timestep import Timestep
    from .loop import Loop
    from .stage import Stage
    from .subsystems import Subsystems


def new_audio(stage: Stage, loop: Loop, subsystems: Subsystems) -> Audio:
    """Return the audio of a game, which goes along with its ticks from now on."""
    from ..audio.console import Audio

    stage.live  # noqa: B018  (an error if it was closed)
    audio = Audio(_Host(stage, loop))
    subsystems.keep(audio)
    # What the players do is told to the methods before the tick begins for subsystems.
    stage.notes.append(lambda number, events, still: None if still else audio.arrive(number))
    return audio


class Listener(Protocol):
    """A camera that hears."""

    dimensions: int

    def pose(self, alpha: float) -> Any: ...


class _Middle:
    """Hears as a camera that nobody has moved."""

    dimensions = 2

    def __init__(self, size: tuple[float, float]) -> None:
        self._pose = size[0] / 2, size[1] / 2, 1.0, 0.0

    def pose(self, alpha: float) -> tuple[float, float, float, float]:
        """In the middle of the picture."""
        return self._pose


class _Host:
    """What a game's `Audio` asks of it."""

    not_state = True

    def __init__(self, stage: Stage, loop: Loop) -> None:
        self._stage, self._loop = stage, loop
        self.headless: bool = stage.live.headless
        self.folders: Sequence[Folder] = stage.graphics.folders

    @property
    def tick(self) -> int:
        """The tick that is running, or the last one."""
        return self._loop.tick

    @property
    def in_tick(self) -> bool:
        """Whether one is running, or begins."""
        stage = self._stage
        return stage.latching or (stage.busy and not stage.painting)

    @property
    def resimulating(self) -> bool:
        """Whether it was run before."""
        return self._stage.past.resimulating

    @property
    def standing(self) -> bool:
        """Whether the game stands at a tick of the past."""
        return self._stage.past.standing

    @property
    def timestep(self) -> Timestep:
        """The rules by which ticks are due."""
        return self._loop.timestep

    def ear(self, dimensions: int) -> tuple[Listener, float] | None:
        """The camera of the scene on top, and the picture's width."""
        stage = self._stage
        ear = stage.on[-1].scene.ear(dimensions) if stage.on else None
        if ear is None and dimensions == 2:
            ear = _Middle(stage.view.size)
        return None if ear is None else (ear, stage.view.size[0])
