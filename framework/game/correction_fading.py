"""Move sprites and cameras smoothly to their new positions after the game's state was corrected.

A correction is needed when another player's input arrives late, for example in a `Rollback`
session: the game restores a snapshot, and runs the later ticks again with the new input. The state,
its hash and snapshots contain the corrected positions immediately. Only the screen shows positions
between the old and the corrected ones for a few frames.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ..motion import camera_base
from ..state import displacement
from ..state.backend import batches_of
from ..state.nodes import AtNodes
from ..state.rows import table_of
from ..state.transforms import PoseTable

if TYPE_CHECKING:
    from .scene_drawables import Camera
    from .stage import Stage

_MAX_SHARE = 0.25  # a fraction of the screen's width; larger errors are not faded


class CorrectionFading:
    """Draws sprites and cameras between their old and their corrected poses for a short time after
    a correction. A pose is a position and a rotation.
    """

    not_state = True

    def __init__(self, stage: Stage, duration: float) -> None:
        self._stage = stage
        self.duration = duration
        """How long the fading after a correction takes, in seconds of game time. After the fading,
        rows and cameras are drawn at their corrected poses.
        """
        self._began = 0.0  # the time of the last correction
        self._painted = (0, 1.0)  # the tick and the alpha of the last frame
        self._before: _Shown | None = None
        self._tables: WeakKeyDictionary[PoseTable, None] = WeakKeyDictionary()
        self._cameras: dict[Camera, None] = {}
        stage.resimulation.restored.append(self.before_correction)
        stage.resimulation.caught_up.append(self.after_correction)

    def end(self) -> None:
        """Draw sprites and cameras at their corrected poses, and do not fade later corrections."""
        self._stage.resimulation.restored.remove(self.before_correction)
        self._stage.resimulation.caught_up.remove(self.after_correction)
        self._show(0.0)

    def before_correction(self) -> None:
        """Called before a snapshot is restored. Store the poses at which sprites and cameras are
        drawn now.
        """
        # The game may restore another snapshot before all ticks have run again.
        if self._before is None and self._stage.surface.drawing:
            tick = self._stage.game.tick
            painted_tick, alpha = self._painted
            self._before = _Shown(self._stage, tick, alpha if painted_tick == tick else 1.0)

    def after_correction(self) -> None:
        """Called after all ticks of the correction have run again. Compare the corrected poses with
        the stored poses, and start the fading.
        """
        before = self._before
        self._before = None
        if before is None or before.tick != self._stage.game.tick:
            return
        self._began = float(self._stage.game.timestep.time)
        alpha = before.alpha
        max_distance = _MAX_SHARE * max(self._stage.view.size)
        for table, poses in before.tables.items():
            if displacement.can_be_displaced(table) and displacement.displace(
                table, poses, alpha, max_distance
            ):
                self._tables[table] = None
        for camera, pose in before.cameras.items():
            if camera_base.displace(camera, pose, alpha, max_distance):
                self._cameras[camera] = None

    def begin_frame(self, time: float, alpha: float) -> None:
        """Called before each frame. ``time`` is the game time of the frame in seconds."""
        self._painted = self._stage.game.tick, alpha
        self._before = None  # nothing to fade: the frame shows, for example, a loaded save
        if self._tables or self._cameras:
            age = max(0.0, time - self._began)
            remaining = max(0.0, 1.0 - age / self.duration)
            self._show(remaining * remaining * remaining)

    def _show(self, share: float) -> None:
        for table in [*self._tables]:
            if share:
                displacement.show_displacement(table, share)
            else:
                displacement.end_displacement(table)
        for camera in [*self._cameras]:
            camera_base.show_error(camera, share)
        if not share:
            self._tables.clear()
            self._cameras.clear()


class _Shown:
    """The poses at which all rows and cameras are drawn at a certain time."""

    def __init__(self, stage: Stage, tick: int, alpha: float) -> None:
        self.tick = tick
        self.alpha = alpha
        self.tables = {
            table: displacement.ShownPoses(table, alpha)
            for table in _tables(stage)
            if displacement.can_be_displaced(table)
        }
        self.cameras: dict[Camera, Any] = {}
        for entry in stage.stack:
            for camera in entry.drawables.cameras:
                of_any_kind: Any = camera
                self.cameras[camera] = camera_base.shown_pose(of_any_kind, alpha)


def _tables(stage: Stage) -> Iterator[PoseTable]:
    """Yield the table of each batch on the screen. Also yield the tables of nodes that move a
    batch.
    """
    for entry in stage.stack:
        for drawable, _ in entry.drawables.drawn:
            for batch in batches_of(drawable):
                table = table_of(batch)
                if isinstance(table, PoseTable):
                    yield table
                if isinstance(batch, AtNodes):
                    yield table_of(batch.nodes)
