"""A controller that makes a 2D or 3D camera follow a target."""

from __future__ import annotations

__all__ = ["Follow"]

import warnings
from collections.abc import Sequence
from functools import partial
from operator import add, gt, mul, sub
from typing import Any, Protocol

import numpy as np

from .. import checks
from ..arrays import Doubles
from ..checks import Sealed, Setting
from ..geometry import quaternions
from ..state.latched import Latched, linear
from .camera_base import (
    MAX_MAGNITUDE,
    CameraBase,
    Place,
    coordinates,
    dimensions_of,
    margins_of,
    place_of,
    pose_at,
)

_UP: Place = (0.0, 1.0, 0.0)

# The default offset in 3D: above the target, and behind a target that looks along -z.
_BEHIND = (0.0, 3.0, 8.0)


class Followed(Protocol):
    """The target of a camera: a `Sprite`, an `Instance`, or any object with the method
    ``drawn_position(alpha)``.

    If the target's attribute ``removed`` is True, the camera no longer follows the target.
    """

    def drawn_position(self, alpha: float) -> tuple[float, ...]: ...


class _Turning(Followed, Protocol):
    """A target that has a rotation, as `Follow.turning` requires."""

    def drawn_rotation(self, alpha: float) -> tuple[float, ...]: ...


class _PerAxis(Setting[Doubles]):
    """A setting with one number per axis: two numbers for a `Camera2D`, and three for a `Camera3D`."""

    def __init__(self, doc: str) -> None:
        super().__init__(lambda name, value: np.asarray(value), doc)

    def __set__(self, follow: object, value: object) -> None:
        assert isinstance(follow, Follow)
        vector = _numbers(self.name, value, follow._dimensions)
        if follow._dimensions == 3 and vector == getattr(
            follow, "_look" if self.name == "offset" else "_offset", None
        ):
            raise ValueError(
                f"{self.name}: offset and look are both {list(vector)}; the camera needs a point to "
                "look at away from its position"
            )
        self.keep(follow, vector)

    def read(self, follow: Any) -> Doubles:
        """Return a copy of the numbers. The float64 array has the shape (2,) or (3,)."""
        return np.array(super().read(follow))


_TURNS = "an instance, or any object with drawn_rotation(alpha)"


class _WithTarget(Setting[bool]):
    """A setting that is True or False, such as `Follow.turning` or `Follow.rolling`. If the setting
    is True, the target must have a rotation.
    """

    def __init__(self, doc: str) -> None:
        super().__init__(checks.flag, doc)

    def __set__(self, follow: object, value: object) -> None:
        assert isinstance(follow, Follow)
        turns = checks.flag(self.name, value)
        if turns and follow._dimensions == 2:
            raise ValueError(f"{self.name}: only a camera in space turns with its target")
        if turns:
            checks.methods("target", follow.target, ["drawn_rotation"], _TURNS)
        if turns and self.name == "rolling" and not follow.turning:
            raise ValueError(
                "rolling: a camera that does not turn with its target cannot roll with it"
            )
        self.keep(follow, turns)


def _check_target(name: str, value: Followed) -> Followed:
    checks.methods(
        name,
        value,
        ["drawn_position"],
        "a sprite, an instance, or any object with drawn_position(alpha)",
    )
    return value


class _Target(Setting[Followed]):
    """The setting `Follow.target`. If `Follow.turning` is True, the target must have a rotation."""

    def __set__(self, follow: object, value: Any) -> None:
        followed = self.check(self.name, value)
        if getattr(follow, "_turning", False):
            checks.methods(self.name, followed, ["drawn_rotation"], _TURNS)
        self.keep(follow, followed)


def _numbers(name: str, value: object, count: int) -> Place:
    numbers: list[float] = coordinates(name, value, count).tolist()
    return tuple(numbers)


def _sizes(name: str, value: object, axes: int) -> Place:
    sizes = (value,) * axes if checks.ndim(value) == 0 else value
    return tuple([checks.number(name, size, least=0) for size in _numbers(name, sizes, axes)])


def _box(name: str, value: object, axes: int) -> tuple[Place, Place] | None:
    """Check a box, and return its lowest and its highest corner. If ``value`` is None, return None."""
    if value is None:
        return None
    numbers = _numbers(name, value, 2 * axes)
    low = numbers[:axes]
    high = numbers[axes:]
    if any(map(gt, low, high)):
        raise checks.wrong_value(name, "the lowest corner, then the highest", value)
    return low, high


class Follow(Sealed):
    """A controller that makes a camera follow a target.

        fw.Follow(self.camera, self.hero, smoothing=0.9)

    The target is a `Sprite`, an `Instance`, or any object with the method
    ``drawn_position(alpha)``. Without ``smoothing`` and ``dead_zone``, the camera uses the drawn
    position of the target in each frame, so the target does not shake on the screen. If the target
    is removed, the camera stays at its last position.

    If a coordinate of the target is NaN, infinite or above 1e18, the camera uses the last valid
    position. When this happens for the first time, `Follow` issues a `RuntimeWarning`. If you set
    the camera's ``position``, the camera continues to move from there. To move the camera to its
    goal immediately, call its method `teleport`.

    Parameters
    ----------
    camera
        A `Camera2D` or a `Camera3D`. The new `Follow` becomes the ``controller`` of the camera.
    offset
        The camera's position relative to the target, in units along the axes of the world. By
        default, ``offset`` is (0, 0) for a `Camera2D` and (0, 3, 8) for a `Camera3D`.
    look
        The point that a `Camera3D` looks at, relative to the target. ``look`` is in units along the
        axes of the world.
    smoothing
        How slowly the camera moves toward its goal, from 0 (immediately) to less than 1. In each
        tick, the camera covers the fraction 1 - ``smoothing`` of the remaining distance. By
        default, ``smoothing`` is 0, and the camera reaches its goal in each tick.
    dead_zone
        The size of a box around the goal of the camera, in units. Pass one number, or one number
        per axis. While the camera is inside this box, it does not move.
    look_ahead
        How far the camera looks ahead, in ticks. The goal of the camera is ahead of the target by
        the distance that the target moves in ``look_ahead`` ticks.
    look_ahead_smoothing
        How slowly the look-ahead adapts when the target changes its speed or direction, from 0
        (immediately) to less than 1. In each tick, the look-ahead changes by the fraction 1 -
        ``look_ahead_smoothing`` of the remaining difference.
    bounds
        A box in the world that limits the camera: (left, bottom, right, top) for a `Camera2D`. For
        a `Camera3D`, pass the lowest x, y and z, and then the highest x, y and z. A `Camera2D`
        shows nothing outside its bounds. If the view is larger than the bounds, the bounds are
        centered in the view. The position of a `Camera3D` never leaves its bounds.
    turning
        Whether ``offset`` and ``look`` rotate with the target. Use ``turning=True`` for a camera
        behind a car. Only a `Camera3D` can have ``turning=True``, and the target must then have the
        method ``drawn_rotation(alpha)``.
    rolling
        Whether the camera also rolls with the target. Use ``rolling=True`` for a camera behind an
        airplane. With ``rolling=True``, the target's own up direction points up on the screen.
    glide
        Whether the camera starts at its current position and then moves to its goal. By default,
        the camera jumps to its goal when the `Follow` is created. The goal is the target's position
        plus ``offset``.
    """

    __slots__ = (
        *(
            "_ahead",
            "_bounds",
            "_dead_zone",
            "_dimensions",
            "_last",
            "_leading",
            "_look",
            "_look_ahead",
            "_look_ahead_smoothing",
        ),
        *(
            "_offset",
            "_rolling",
            "_smoothing",
            "_target",
            "_turned",
            "_turning",
            "_up",
            "camera",
        ),
        "_warned",
    )

    _offset: Place
    _look: Place
    _target: _Turning
    _smoothing: float
    _look_ahead: float
    _look_ahead_smoothing: float
    _turning: bool
    _rolling: bool

    target = _Target(_check_target, "The target to follow.")
    turning = _WithTarget("Whether `offset` and `look` are along the target's own axes.")
    rolling = _WithTarget("Whether the target's up direction is up on the screen.")
    offset = _PerAxis("The camera's position relative to the target, in units.")
    look = _PerAxis("For a `Camera3D`, the point to look at, relative to the target, in units.")
    smoothing = Setting(
        partial(checks.number, least=0, below=1),
        "The fraction of the distance to the goal that remains after a tick.",
    )
    look_ahead = Setting(
        partial(checks.number, least=0, most=MAX_MAGNITUDE),
        "How far the camera is ahead, in ticks of the target's motion.",
    )
    look_ahead_smoothing = Setting(
        partial(checks.number, least=0, below=1),
        "The fraction of the difference in look-ahead that remains after a tick.",
    )

    def __init__(
        self,
        camera: CameraBase[Any],
        target: Followed,
        offset: Any = None,
        *,
        look: Any = None,
        smoothing: float = 0.0,
        dead_zone: float | Sequence[float] = 0.0,
        look_ahead: float = 0.0,
        look_ahead_smoothing: float = 0.9,
        bounds: Sequence[float] | None = None,
        turning: bool = False,
        rolling: bool = False,
        glide: bool = False,
    ) -> None:
        self.camera = checks.instance("camera", camera, CameraBase, what="a Camera2D or a Camera3D")
        self._dimensions = dimensions_of(camera)
        self.target = target
        self.turning = turning
        self.rolling = rolling
        self.look = (0.0,) * self._dimensions if look is None else look
        if offset is None:
            offset = _BEHIND if self._dimensions == 3 else (0.0, 0.0)
        self.offset = offset
        self.smoothing = smoothing
        self.dead_zone = dead_zone
        self.look_ahead = look_ahead
        self.look_ahead_smoothing = look_ahead_smoothing
        self.bounds = bounds
        glide = checks.flag("glide", glide)
        self._turned = (self._offset, self._look)
        self._up = _UP
        self._leading = False
        self._ahead: Latched[Place] = Latched((0.0,) * self._dimensions, linear)
        start = tuple(target.drawn_position(1.0))
        if not _is_valid(start):  # assume that the camera is already at its goal
            start = tuple(map(sub, place_of(camera, 1.0), self._offset))
        self._last: Latched[Place] = Latched(start, linear)
        self._warned = False
        if not glide:
            camera.teleport()
            camera.position = self.bounded(self._goal(1.0), 1.0)
        camera.controller = self

    @property
    def dead_zone(self) -> Place:
        """The size of the dead zone along each axis, in units.

        The dead zone is a box around the goal of the camera. While the camera is inside this box,
        it does not move.
        """
        return tuple([2 * half for half in self._dead_zone]) or (0.0,) * self._dimensions

    @dead_zone.setter
    def dead_zone(self, value: float | Sequence[float]) -> None:
        sizes = _sizes("dead_zone", value, self._dimensions)
        self._dead_zone: Place = tuple([size / 2 for size in sizes]) if any(sizes) else ()

    @property
    def bounds(self) -> Place | None:
        """The box that limits the camera, in world units. `bounds` contains the lowest coordinates
        of the box, then the highest coordinates.

        By default, ``bounds`` is None, and the camera has no limits.
        """
        return None if self._bounds is None else (*self._bounds[0], *self._bounds[1])

    @bounds.setter
    def bounds(self, value: Sequence[float] | None) -> None:
        self._bounds: tuple[Place, Place] | None = _box("bounds", value, self._dimensions)

    # -- driven by the camera ----------------------------------------------------------------------

    def begin_tick(self) -> None:
        if self._leading:
            self._ahead.begin_tick()
        self._last.begin_tick()

    def end_tick(self, snap: bool) -> None:
        """Called when a tick ends. Move the camera toward its goal.

        If ``snap`` is True, move the camera to its goal immediately.
        """
        if self._lost:
            return
        if self._look_ahead or self._leading:
            self._update_lead(snap)
        if not (self._smoothing or self._dead_zone):
            return  # the position is computed for each frame, in `pose`
        goal = self._goal(1.0)
        position = place_of(self.camera, 1.0)
        if not snap:
            if self._dead_zone:
                goal = _nearest(position, goal, self._dead_zone)
            fraction = 1.0 - self._smoothing
            if fraction < 1.0:
                goal = _part_of_way(position, goal, fraction)
        self.camera.position = self.bounded(goal, 1.0)

    def _update_lead(self, snap: bool) -> None:
        """Update the look-ahead from the target's motion in this tick.

        A teleport of the target does not count as motion.
        """
        ahead = self._ahead
        motion: Place = tuple(
            map(sub, self._target.drawn_position(1.0), self._target.drawn_position(0.0))
        )
        goal = ahead.current
        if _is_valid(motion):
            goal = tuple([self._look_ahead * part for part in motion])
        if not snap:
            goal = _part_of_way(ahead.current, goal, 1.0 - self._look_ahead_smoothing)
        ahead.current = goal
        ahead.teleported = snap
        ahead.settle()
        self._leading = any(ahead.current) or any(ahead.previous)

    def pose(self, alpha: float) -> Any:
        """Return the camera's pose (position and direction) at the time ``alpha`` between two
        ticks.
        """
        camera = self.camera
        stays = self._smoothing or self._lost
        if self._dimensions == 2:
            position = place_of(camera, alpha) if stays else self._with_dead_zone(self._goal(alpha))
            return pose_at(camera, alpha, self.bounded(position, alpha), (), ())
        target = self._place(alpha)
        offset, look = self._offsets(alpha)
        if stays:
            position = place_of(camera, alpha)
        else:
            position = self._with_dead_zone(tuple(map(add, target, offset)))
        position = self.bounded(position, alpha)
        direction: Place = tuple(map(sub, map(add, target, look), position))
        if not sum(map(mul, direction, direction)):  # the camera is exactly at the point to look at
            direction = tuple(map(sub, look, offset))
        return pose_at(camera, alpha, position, direction, self._upwards(alpha))

    def _with_dead_zone(self, goal: Place) -> Place:
        """Return the point in the dead zone that is nearest to the camera. Without a dead zone,
        return ``goal``.

        The dead zone is a box around ``goal``.
        """
        return (
            _nearest(place_of(self.camera, 0.0), goal, self._dead_zone) if self._dead_zone else goal
        )

    def bounded(self, place: Place, alpha: float) -> Place:
        """Return the position inside the bounds that is nearest to ``place``."""
        if self._bounds is None:
            return place
        low, high = self._bounds
        margins = margins_of(self.camera, alpha)
        lowest: Place = tuple(map(add, low, margins))
        highest: Place = tuple(map(sub, high, margins))
        return tuple(
            [
                (a + b) / 2 if a > b else min(max(value, a), b)
                for value, a, b in zip(place, lowest, highest, strict=True)
            ]
        )

    # -- the target --------------------------------------------------------------------------------

    @property
    def _lost(self) -> bool:
        return bool(getattr(self._target, "removed", False))

    def _place(self, alpha: float) -> Place:
        """Return the drawn position of the target plus the look-ahead.

        If the target was removed, use its last position.
        """
        if self._lost:
            position = self._last.at(alpha)
        else:
            position = self._target.drawn_position(alpha)
            if not _is_valid(position):
                position = self._last_good(position, alpha)
            elif alpha == 1.0:  # 1.0 means the end of a tick
                self._last.current = position
        return tuple(map(add, position, self._ahead.at(alpha))) if self._leading else position

    def _last_good(self, bad: Any, alpha: float) -> Place:
        """Return the target's last valid position.

        The first call also warns that the current position is not valid.
        """
        if not self._warned:
            self._warned = True
            warnings.warn(
                f"target: its drawn position is {checks.shown(bad)}; the camera stays at the "
                "last valid position. Look for a "
                "division by zero or a normalized zero vector in update(). (Shown once "
                "for each Follow.)",
                RuntimeWarning,
                stacklevel=2,
            )
        return self._last.at(alpha)

    def _goal(self, alpha: float) -> Place:
        return tuple(map(add, self._place(alpha), self._offsets(alpha)[0]))

    def _offsets(self, alpha: float) -> tuple[Place, Place]:
        """Return `offset` and `look` as vectors along the axes of the world.

        If `turning` is True, `offset` and `look` rotate with the target.
        """
        if not self._turning:
            return self._offset, self._look
        if not self._lost:
            offset, look = self._along(alpha, self._offset, self._look) or self._turned
            self._turned = offset, look
        return self._turned

    def _upwards(self, alpha: float) -> Place:
        if self._rolling and not self._lost:
            (self._up,) = self._along(alpha, _UP) or (self._up,)
        return self._up

    def _along(self, alpha: float, *vectors: Place) -> list[Place]:
        """Convert vectors from the axes of the target to the axes of the world.

        If the target's rotation contains NaN or infinity, return an empty list.
        """
        turn = np.array([self._target.drawn_rotation(alpha)])
        if not np.isfinite(turn).all():
            return []
        turned: list[list[float]] = quaternions.rotate(turn, np.array(vectors)).tolist()
        return [tuple(vector) for vector in turned]


def _is_valid(position: Place) -> bool:
    """Return whether all coordinates of a position are finite and at most 1e18.

    A position with NaN is not valid, because comparisons with NaN are False.
    """
    for number in position:  # noqa: SIM110  # called in each frame, and all() takes twice as long
        if not -MAX_MAGNITUDE <= number <= MAX_MAGNITUDE:
            return False
    return True


def _part_of_way(start: Place, goal: Place, fraction: float) -> Place:
    return tuple([a + (b - a) * fraction for a, b in zip(start, goal, strict=True)])


def _nearest(position: Place, goal: Place, half: Place) -> Place:
    """Return the point that is nearest to ``position`` in a box around ``goal``.

    ``half`` is half the size of the box.
    """
    return tuple([min(max(a, g - h), g + h) for a, g, h in zip(position, goal, half, strict=True)])
