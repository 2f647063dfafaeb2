"""Play the sounds of a game, with a volume and pan that depend on the camera."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # imported only by type checkers, so that games without sounds do not load it
    from ..audio.audio import Audio
    from ..plane.camera2d import Camera2D
    from ..resources import Folder
    from ..timing.timestep import Timestep
    from .loop import Loop
    from .scene_drawables import Camera
    from .stage import Stage
    from .subsystems import Subsystems


def new_audio(stage: Stage, loop: Loop, subsystems: Subsystems) -> Audio:
    """Create the `Audio` object of a game. Each tick of the game updates the audio."""
    from ..audio.console import Console

    stage.live  # noqa: B018 (raises an error if the game was closed)
    console = Console(_Host(stage, loop))
    subsystems.add_permanent(console)
    # The framework calls event handlers before `begin_tick`. The console already needs the tick
    # number in the event handlers.
    stage.notes.append(lambda number, events, still: None if still else console.begin_input(number))
    return console.frontend


class _Host:
    """The attributes of a game that its `Audio` object reads, such as the ticks, the time and the
    cameras.
    """

    not_state = True

    def __init__(self, stage: Stage, loop: Loop) -> None:
        self._stage = stage
        self._loop = loop
        self.headless: bool = stage.live.headless
        self.folders: Sequence[Folder] = stage.graphics.folders
        self._unmoved: Camera2D | None = None

    @property
    def tick(self) -> int:
        """The number of the current tick, or of the last tick if no tick is running."""
        return self._loop.tick

    @property
    def in_tick(self) -> bool:
        """Whether a tick of the game is running. The value is also True while event handlers run."""
        stage = self._stage
        return stage.handling_input or (stage.busy and not stage.painting)

    @property
    def resimulating(self) -> bool:
        """Whether a tick is running again, for example after a rollback."""
        return self._stage.resimulation.resimulating

    @property
    def standing(self) -> bool:
        """Whether the game is paused at an earlier tick, for example because the player moved the
        timeline.
        """
        return self._stage.resimulation.at_earlier_tick

    @property
    def caught_up(self) -> bool:
        """False while ticks after the current tick must run again, for example after a rollback."""
        return self._stage.resimulation.reached <= self._loop.tick

    @property
    def timestep(self) -> Timestep:
        """The timestep of the game, which decides when ticks run."""
        return self._loop.timestep

    def default_listener(self, dimensions: int) -> tuple[Camera, float] | None:
        """Return the camera from which the player hears sounds (the listener), and the width of the
        screen in units.

        The method uses the camera of the top scene. If the top scene has no camera and
        ``dimensions`` is 2, return a camera at the center of the screen. If the top scene has no
        camera and ``dimensions`` is 3, return None.
        """
        stage = self._stage
        camera = stage.stack[-1].scene.default_listener(dimensions) if stage.stack else None
        if camera is None and dimensions == 2:
            camera = self._middle(stage.view.size)
        return None if camera is None else (camera, stage.view.size[0])

    def _middle(self, size: tuple[float, float]) -> Camera2D:
        """Return a camera at the center of the screen, for scenes without a camera."""
        # Imported here because most games have their own camera.
        from ..plane.camera2d import Camera2D

        if self._unmoved is None or self._unmoved.view.size != size:
            self._unmoved = Camera2D(size)
        return self._unmoved
