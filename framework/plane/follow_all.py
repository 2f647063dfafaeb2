"""A camera controller that moves and zooms so that all targets are visible."""

from __future__ import annotations

__all__ = ["FollowAll"]

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

from .. import checks
from ..arrays import Doubles
from ..checks import Sealed, Setting
from ..motion.camera_base import MAX_MAGNITUDE, Place, margins_of, place_of, pose_at
from ..motion.follow import Followed
from ..moved_names import HasMoved, moved, renamed_options
from .camera2d import Camera2D, Pose

_ZOOM = partial(checks.number, least=1 / MAX_MAGNITUDE, most=MAX_MAGNITUDE)


def _checked_targets(name: str, value: object) -> list[Followed]:
    targets: list[Followed] = checks.items(name, value)
    for target in targets:
        checks.methods(
            name,
            target,
            ["drawn_position"],
            "sprites, or objects with drawn_position(alpha)",
        )
    if not targets:
        raise checks.wrong_value(name, "at least one target", value)
    return targets


def _box(name: str, value: object) -> tuple[float, ...] | None:
    if value is None:
        return None
    sides: list[float] = checks.vector(name, value, 4).tolist()
    left, bottom, right, top = sides
    if left > right or bottom > top:
        raise checks.wrong_value(name, "left, bottom, right, top", value)
    return left, bottom, right, top


@moved("follow", {}, settings={"closest": "max_zoom", "farthest": "min_zoom"})
class FollowAll(HasMoved, Sealed):
    """A camera controller that keeps all ``targets`` visible.

    The camera moves to the middle of the targets, and zooms so that all of them fit on the screen.

    Removed targets, and targets whose position is NaN, are ignored. If no target is left, the
    camera does not move.

    Parameters
    ----------
    camera
        A `Camera2D`. The constructor sets the camera's ``controller`` to the new `FollowAll`.
    targets
        The objects to show: sprites, or objects with a method ``drawn_position(alpha)``. You can
        assign other targets to the attribute ``targets``.
    margin
        The free space around the targets, in world units.
    max_zoom, min_zoom
        The largest and the smallest allowed zoom of the camera. The defaults are 1 and 0.001.
    smoothing
        How slowly the camera moves and zooms. ``smoothing`` is at least 0 and less than 1. In each
        tick, the distance from the camera to its goal is multiplied by ``smoothing``. At 0, the
        default, the camera follows without delay.
    bounds
        A box in the world: (left, bottom, right, top). The camera never shows anything outside
        ``bounds``. If the screen shows more than ``bounds``, the middle of ``bounds`` is in the
        middle of the screen.
    """

    __slots__ = ("_bounds", "_margin", "_max_zoom", "_min_zoom", "_smoothing", "_targets", "camera")

    _targets: list[Followed]
    _margin: float
    _max_zoom: float
    _min_zoom: float
    _smoothing: float
    _bounds: tuple[float, ...] | None

    targets = Setting(
        _checked_targets,
        "The targets of the camera: sprites, or objects with ``drawn_position(alpha)``.",
    )
    margin = Setting(
        partial(checks.number, least=0, most=MAX_MAGNITUDE),
        "The free space around the targets in world units. The default is 0.",
    )
    max_zoom = Setting(_ZOOM, "The largest zoom of the camera. The default is 1.")
    min_zoom = Setting(_ZOOM, "The smallest zoom of the camera. The default is 0.001.")
    smoothing = Setting(
        partial(checks.number, least=0, below=1),
        "The smoothing of the camera's motion, at least 0 (the default) and less than 1. Each "
        "tick multiplies the remaining distance by this factor.",
    )
    bounds = Setting(
        _box,
        "A box (left, bottom, right, top). The screen never shows anything outside the box. The "
        "default is None, no limit.",
    )

    @renamed_options("FollowAll", closest="max_zoom", farthest="min_zoom")
    def __init__(
        self,
        camera: Camera2D,
        targets: Iterable[Followed],
        *,
        margin: float = 0.0,
        max_zoom: float = 1.0,
        min_zoom: float = 1e-3,
        smoothing: float = 0.0,
        bounds: Sequence[float] | None = None,
    ) -> None:
        self.camera = checks.instance("camera", camera, Camera2D)
        self.targets = targets
        self.margin = margin
        self.bounds = bounds
        self.smoothing = smoothing
        self.max_zoom = max_zoom
        self.min_zoom = min_zoom
        camera.controller = self
        camera.teleport()
        self.end_tick(True)

    def begin_tick(self) -> None:
        """Do nothing: the camera moves at the end of a tick, after its targets."""

    def end_tick(self, snap: bool) -> None:
        """Move and zoom the camera at the end of a tick, after the targets have moved.

        With ``snap=True``, the camera moves to its goal immediately, without smoothing.
        """
        positions = self._target_positions()
        if not len(positions):
            return
        camera = self.camera
        low: Doubles = positions.min(axis=0)
        high: Doubles = positions.max(axis=0)
        extent: list[float] = (high - low).tolist()
        goal: list[float] = ((low + high) / 2).tolist()
        if snap:
            # A frame may repeat this call. The result must then be exactly the same, so it must not
            # depend on the camera's current zoom and position.
            camera.zoom = 1.0
            camera.zoom = self._fitting_zoom(extent)
            x, y = goal
        else:
            share = 1.0 - self._smoothing
            zoom: float = (self._fitting_zoom(extent) / camera.zoom) ** share
            camera.zoom *= zoom
            x, y = camera.position
            x += (goal[0] - x) * share
            y += (goal[1] - y) * share
        x, y = self.bounded((x, y), 1.0)
        camera.position = x, y

    def _target_positions(self) -> Doubles:
        """Return the positions of all targets, without NaN and extremely large numbers. The array has
        the shape (n, 2).
        """
        positions: Doubles = np.array(
            [
                target.drawn_position(1.0)
                for target in self._targets
                if not getattr(target, "removed", False)
            ]
        ).reshape(-1, 2)
        return positions[(np.abs(positions) <= MAX_MAGNITUDE).all(axis=1)]

    def _fitting_zoom(self, extent: Sequence[float]) -> float:
        """Return the zoom that fits a box of the size ``extent`` and its margin on the screen."""
        camera = self.camera
        # half of the screen's width and height at zoom 1
        across, up = (margin * camera.zoom for margin in margins_of(camera, 1.0))
        needed = [max(side / 2 + self._margin, 1 / MAX_MAGNITUDE) for side in extent]
        return max(self._min_zoom, min(self._max_zoom, across / needed[0], up / needed[1]))

    def pose(self, alpha: float) -> Pose:
        """Return the camera's pose in a frame: x, y, zoom and angle. ``alpha`` is the time since
        the last tick, as a fraction of a tick.
        """
        camera = self.camera
        position = self.bounded(place_of(camera, alpha), alpha)
        pose: Pose = pose_at(camera, alpha, position, (), ())
        return pose

    def bounded(self, position: Place, alpha: float) -> Place:
        """Move a camera position as little as possible, so that the camera shows nothing outside
        ``bounds``, and return the new position.
        """
        if self._bounds is None:
            return position
        axes = []
        low = self._bounds[:2]
        high = self._bounds[2:]
        for at, a, b, margin in zip(
            position, low, high, margins_of(self.camera, alpha), strict=True
        ):
            axes.append((a + b) / 2 if b - a < 2 * margin else min(max(at, a + margin), b - margin))
        return tuple(axes)
