"""The audio of a game: what it is told of the game's ticks and cameras."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a game without sounds loads none of it
    from ..audio.audio import Audio
    from ..plane.camera2d import Camera2D
    from ..resources import Folder
    from ..timing.timestep import Timestep
    from .contents import Camera
    from .loop import Loop
    from .stage import Stage
    from .subsystems import Subsystems


def new_audio(stage: Stage, loop: Loop, subsystems: Subsystems) -> Audio:
    """Return the audio of a game, which goes along with its ticks from now on."""
    from ..audio.console import Console

    stage.live  # noqa: B018  (an error if it was closed)
    console = Console(_Host(stage, loop))
    subsystems.keep(console)
    # What the players do is told to the methods before the tick begins for subsystems.
    stage.notes.append(lambda number, events, still: None if still else console.arrive(number))
    return console.face


class _Host:
    """What a game's `Audio` asks of it."""

    not_state = True

    def __init__(self, stage: Stage, loop: Loop) -> None:
        self._stage, self._loop = stage, loop
        self.headless: bool = stage.live.headless
        self.folders: Sequence[Folder] = stage.graphics.folders
        self._unmoved: Camera2D | None = None

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

    def ear(self, dimensions: int) -> tuple[Camera, float] | None:
        """The camera of the scene on top, and the picture's width."""
        stage = self._stage
        ear = stage.on[-1].scene.ear(dimensions) if stage.on else None
        if ear is None and dimensions == 2:
            ear = self._middle(stage.view.size)
        return None if ear is None else (ear, stage.view.size[0])

    def _middle(self, size: tuple[float, float]) -> Camera2D:
        """Return a camera that was never moved."""
        from ..plane.camera2d import Camera2D  # most games have a camera of their own

        if self._unmoved is None or self._unmoved.view.size != size:
            self._unmoved = Camera2D(size)
        return self._unmoved
