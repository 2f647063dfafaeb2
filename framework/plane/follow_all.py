"""The controller that has a camera show several things at once."""

from __future__ import annotations

__all__ = ["FollowAll"]

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

from .. import checks
from ..arrays import Doubles
from ..checks import Sealed, Setting
from ..motion.follow import Followed
from ..motion.viewpoint import LARGEST, Place, margins_of, place_of, pose_at
from .camera2d import Camera2D, Pose

_ZOOM = partial(checks.number, least=1 / LARGEST, most=LARGEST)


def _checked_targets(name: str, value: object) -> list[Followed]:
    found: list[Followed] = checks.items(name, value)
    for target in found:
        checks.methods(
            name, target, ["drawn_position"], "sprites, or what has drawn_position(alpha)"
        )
    if not found:
        raise checks.wrong_value(name, "at least one to follow", value)
    return found


def _box(name: str, value: object) -> tuple[float, ...] | None:
    if value is None:
        return None
    sides: list[float] = checks.vector(name, value, 4).tolist()
    left, bottom, right, top = sides
    if left > right or bottom > top:
        raise checks.wrong_value(name, "left, bottom, right, top", value)
    return left, bottom, right, top


class FollowAll(Sealed):
    """Keeps all ``targets`` in the picture of a `Camera2D`: in the middle of them, zoomed so that
    they fit.

    Targets that are removed, or whose place is no number, are left out; when none is left, the
    camera stays.

    Parameters
    ----------
    camera
        A `Camera2D`, whose ``controller`` this becomes.
    targets
        Sprites, or what has ``drawn_position(alpha)``; may be exchanged.
    margin
        Units of the world that are left free around them.
    closest, farthest
        The largest and the smallest zoom.
    smoothing
        From 0 to below 1: in each tick the camera closes in by the share 1 - smoothing of what is
        missing, in place and in zoom.
    bounds
        A box of the world (left, bottom, right, top) that the picture stays within (in the middle,
        where it is larger).
    """

    __slots__ = ("_bounds", "_closest", "_farthest", "_margin", "_smoothing", "_targets", "camera")

    _targets: list[Followed]
    _margin: float
    _closest: float
    _farthest: float
    _smoothing: float
    _bounds: tuple[float, ...] | None

    targets = Setting(_checked_targets, "What is followed.")
    margin = Setting(
        partial(checks.number, least=0, most=LARGEST),
        "Units that are left free around the targets.",
    )
    closest = Setting(_ZOOM, "The largest zoom.")
    farthest = Setting(_ZOOM, "The smallest zoom.")
    smoothing = Setting(
        partial(checks.number, least=0, below=1), "The share that a tick leaves of what is missing."
    )
    bounds = Setting(
        _box, "The box of the world that is not left: left, bottom, right, top; None for none."
    )

    def __init__(
        self,
        camera: Camera2D,
        targets: Iterable[Followed],
        *,
        margin: float = 0.0,
        closest: float = 1.0,
        farthest: float = 1e-3,
        smoothing: float = 0.0,
        bounds: Sequence[float] | None = None,
    ) -> None:
        self.camera = checks.instance("camera", camera, Camera2D)
        self.targets, self.margin, self.bounds, self.smoothing = targets, margin, bounds, smoothing
        self.closest, self.farthest = closest, farthest
        camera.controller = self
        camera.teleport()
        self.end_tick(True)

    def begin_tick(self) -> None:
        """A tick begins: the camera keeps what was."""

    def end_tick(self, snap: bool) -> None:
        """The targets are where the tick left them; with ``snap`` the camera is at once where they
        are seen.
        """
        places: Doubles = np.array(
            [
                target.drawn_position(1.0)
                for target in self._targets
                if not getattr(target, "removed", False)
            ]
        ).reshape(-1, 2)
        places = places[(np.abs(places) <= LARGEST).all(axis=1)]
        if not len(places):
            return
        camera, share = self.camera, 1.0 if snap else 1.0 - self._smoothing
        low: Doubles = places.min(axis=0)
        high: Doubles = places.max(axis=0)
        extent: list[float] = (high - low).tolist()
        goal: list[float] = ((low + high) / 2).tolist()
        zoom: float = (self._fitting(extent) / camera.zoom) ** share
        camera.zoom *= zoom
        (x, y), (goal_x, goal_y) = camera.position, goal
        x, y = self.bounded((x + (goal_x - x) * share, y + (goal_y - y) * share), 1.0)
        camera.position = x, y

    def _fitting(self, extent: Sequence[float]) -> float:
        """The zoom at which a box of this size and the margin around it fit."""
        camera = self.camera
        across, up = (
            margin * camera.zoom for margin in margins_of(camera, 1.0)
        )  # half the picture, at zoom 1
        needed = [max(side / 2 + self._margin, 1 / LARGEST) for side in extent]
        return max(self._farthest, min(self._closest, across / needed[0], up / needed[1]))

    def pose(self, alpha: float) -> Pose:
        """The camera's pose at ``alpha``."""
        camera = self.camera
        place = self.bounded(place_of(camera, alpha), alpha)
        pose: Pose = pose_at(camera, alpha, place, (), ())
        return pose

    def bounded(self, place: Place, alpha: float) -> Place:
        """The nearest place to ``place`` at which the picture keeps to the bounds."""
        if self._bounds is None:
            return place
        found = []
        low, high = self._bounds[:2], self._bounds[2:]
        for at, a, b, margin in zip(place, low, high, margins_of(self.camera, alpha), strict=True):
            found.append(
                (a + b) / 2 if b - a < 2 * margin else min(max(at, a + margin), b - margin)
            )
        return tuple(found)
