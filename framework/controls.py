"""What moves a camera in space: round a thing, freely, or after something.

A controller is made for a camera and is told of the player in `update`, once a tick. It keeps its own numbers (angles,
a distance, …), blends those between two ticks with the alpha of everything else, and gives the camera's pose for each
frame: while the camera goes round a thing, the thing stays in the very middle of every frame.

    self.orbit = fw.Orbit(self.world.camera, target=(0, 1, 0), distance=8)

    def update(self, dt):
        self.orbit.update(dt, self.keys, self.mouse)

``camera.controller = None`` takes it off; the camera stays where it is.
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import quaternions
from .camera3d import Camera3D, Vector, checked_vector
from .input import Keys, Mouse

# Straight up and down, left and right are not told apart any more.
_STEEPEST = math.radians(89.9)

Pose = tuple[Vector, NDArray[np.float32]]


class Target(Protocol):
    """What a camera can follow: an `Instance`, or anything that says where it is drawn."""

    def drawn_position(self, alpha: float) -> tuple[float, float, float]: ...


class _Blended:
    """A controller whose pose comes from a handful of numbers, ``state``, that are blended between ticks."""

    def __init__(self, camera: Camera3D, state: list[float]) -> None:
        self.camera = camera
        self._state = self._previous = np.array(state)
        self._in_tick = False
        camera.controller = self

    def begin_tick(self) -> None:
        self._previous = self._state.copy()

    def end_tick(self, snap: bool) -> None:
        if snap:
            self._previous = self._state.copy()

    def _blend(self, alpha: float) -> Vector:
        blended: Vector = self._previous + (self._state - self._previous) * alpha
        return blended

    def pose(self, alpha: float) -> Pose:
        """Position float64 (3,) and rotation (4,) at ``alpha``."""
        raise NotImplementedError


class Orbit(_Blended):
    """Round a point: drag with the left button to turn, with the right to move the point, the wheel to come nearer.

    Parameters
    ----------
    target
        The point, which is always in the middle of the picture.
    distance
        Of the camera from it, in units.
    yaw, pitch
        Radians: how far it went round to the right of +z, where it looks along -z, and up.
    nearest, farthest
        The limits of ``distance``.
    """

    turn_per_unit = math.radians(0.4)
    """Radians that a drag of a unit of the picture turns by."""
    zoom_per_step = 1.15
    """The factor by which a step of the wheel comes nearer."""

    def __init__(
        self,
        camera: Camera3D,
        target: ArrayLike = (0.0, 0.0, 0.0),
        distance: float = 10.0,
        *,
        yaw: float = 0.0,
        pitch: float = math.radians(20),
        nearest: float = 0.01,
        farthest: float = math.inf,
    ) -> None:
        if not 0 < nearest <= farthest:
            raise ValueError(f"nearest, farthest: expected 0 < nearest <= farthest, got {nearest!r} and {farthest!r}")
        self._limits = nearest, farthest
        place = checked_vector("target", target, 3)
        super().__init__(camera, [*place, 0.0, _finite("yaw", yaw), 0.0])
        self.distance, self.pitch = distance, pitch
        self.end_tick(True)

    @property
    def target(self) -> Vector:
        """The point it goes round: (3,), to be written whole."""
        return self._state[:3].copy()

    @target.setter
    def target(self, value: ArrayLike) -> None:
        self._state[:3] = checked_vector("target", value, 3)

    @property
    def distance(self) -> float:
        """Units from the point, kept within the limits."""
        return math.exp(self._state[3])

    @distance.setter
    def distance(self, value: float) -> None:
        if not _finite("distance", value) > 0:
            raise ValueError(f"distance: expected a number above 0, got {value!r}")
        self._state[3] = math.log(min(max(value, self._limits[0]), self._limits[1]))  # blended as a ratio

    @property
    def yaw(self) -> float:
        """Radians that it went round to the right."""
        return float(self._state[4])

    @yaw.setter
    def yaw(self, value: float) -> None:
        self._state[4] = _finite("yaw", value)

    @property
    def pitch(self) -> float:
        """Radians above the point, kept below straight up."""
        return float(self._state[5])

    @pitch.setter
    def pitch(self, value: float) -> None:
        self._state[5] = _steep("pitch", value)

    def turn(self, yaw: float, pitch: float) -> None:
        """Go round by so many radians, to the right and up."""
        self.yaw += yaw
        self.pitch += pitch

    def zoom(self, factor: float) -> None:
        """Show what is there ``factor`` times as large: come nearer, or with an orthographic camera, see less."""
        if not _finite("factor", factor) > 0:
            raise ValueError(f"factor: expected a number above 0, got {factor!r}")
        if self.camera.height is None:
            self.distance /= factor
        else:
            self.camera.height /= factor

    def pan(self, x: float, y: float) -> None:
        """Move the point by so many units of the picture, along the picture: what lies there comes with the hand."""
        _, height = self.camera.view.size
        seen = self.camera.height or 2 * self.distance * math.tan(self.camera.fov / 2)
        right, up, _ = _axes(self._rotation(self._state))
        self._state[:3] -= (right * x + up * y) * seen / height

    def update(self, dt: float, keys: Keys, mouse: Mouse) -> None:
        """What the player did in this tick."""
        if mouse.held("left") and (mouse.dx or mouse.dy):
            self.turn(-mouse.dx * self.turn_per_unit, -mouse.dy * self.turn_per_unit)
        if (mouse.held("right") or mouse.held("middle")) and (mouse.dx or mouse.dy):
            self.pan(mouse.dx, mouse.dy)
        if mouse.scroll_y:
            self.zoom(self.zoom_per_step**mouse.scroll_y)

    def _rotation(self, state: Vector) -> NDArray[np.float32]:
        return _yaw_pitch(state[4], -state[5])

    def pose(self, alpha: float) -> Pose:
        state = self._blend(alpha)
        rotation = self._rotation(state)
        return state[:3] + _axes(rotation)[2] * math.exp(state[3]), rotation


class Fly(_Blended):
    """Freely: W and S forwards and backwards, A and D to the sides, E and Q up and down, Shift faster, and the mouse.

    Parameters
    ----------
    position, yaw, pitch
        Where it starts, and how it is turned in radians: to the left of -z, and up. Default: as the camera is.
    speed
        Units a simulated second; ``boost`` times that with Shift.
    look
        The mouse button to hold while looking round; None for none (with the window's exclusive mouse).
    """

    turn_per_unit = math.radians(0.2)
    """Radians that a mouse motion of a unit of the picture turns by."""

    def __init__(
        self,
        camera: Camera3D,
        position: ArrayLike | None = None,
        *,
        yaw: float | None = None,
        pitch: float | None = None,
        speed: float = 5.0,
        boost: float = 4.0,
        look: str | None = "right",
    ) -> None:
        place = checked_vector("position", camera.position if position is None else position, 3)
        x, y, z = camera.forward.tolist()
        self.speed, self.boost, self.look = speed, boost, look
        yaw = math.atan2(-x, -z) if yaw is None else _finite("yaw", yaw)
        pitch = math.asin(max(-1.0, min(1.0, y))) if pitch is None else pitch
        super().__init__(camera, [*place, yaw, _steep("pitch", pitch)])

    @property
    def position(self) -> Vector:
        """Where it is: (3,), to be written whole."""
        return self._state[:3].copy()

    @position.setter
    def position(self, value: ArrayLike) -> None:
        self._state[:3] = checked_vector("position", value, 3)

    @property
    def yaw(self) -> float:
        """Radians to the left of -z."""
        return float(self._state[3])

    @property
    def pitch(self) -> float:
        """Radians up, kept below straight up."""
        return float(self._state[4])

    def turn(self, yaw: float, pitch: float) -> None:
        """Turn by so many radians, to the left and up."""
        self._state[3] += _finite("yaw", yaw)
        self._state[4] = _steep("pitch", self._state[4] + pitch)

    def move(self, right: float, up: float, forward: float) -> None:
        """Go so many units: to its right, up in the world, and where it looks."""
        own_right, _, back = _axes(_yaw_pitch(self._state[3], self._state[4]))
        self._state[:3] += own_right * right - back * forward
        self._state[1] += up

    def update(self, dt: float, keys: Keys, mouse: Mouse) -> None:
        """What the player did in this tick of ``dt`` simulated seconds."""
        if self.look is None or mouse.held(self.look):
            self.turn(-mouse.dx * self.turn_per_unit, mouse.dy * self.turn_per_unit)
        ways = keys.axis("a", "d"), keys.axis("q", "e"), keys.axis("s", "w")
        if any(ways):  # as fast across as straight ahead
            faster = self.boost if keys["lshift"] or keys["rshift"] else 1.0
            step = self.speed * faster * dt / math.sqrt(sum(way * way for way in ways))
            self.move(*[way * step for way in ways])

    def pose(self, alpha: float) -> Pose:
        state = self._blend(alpha)
        return state[:3], _yaw_pitch(state[3], state[4])


class Follow:
    """After ``target``: an `Instance`, or anything with ``drawn_position(alpha)``.

    The camera stands ``offset`` from it and looks at the place ``look`` from it, both in units along the world's axes;
    with ``turning`` along the target's own, as behind a car (it then needs ``drawn_rotation(alpha)`` too); with
    ``rolling`` too, what is up for the target is up in the picture, as behind an aeroplane.

    Without ``smoothing`` the camera goes out from where the target is drawn in every frame: the target does not
    shimmer. With it, the camera closes in each tick by the share 1 - smoothing of the way, and still looks at the
    target as it is drawn. A target that is removed is followed no longer: the camera stays where it is.
    """

    def __init__(
        self,
        camera: Camera3D,
        target: Target,
        offset: ArrayLike = (0.0, 3.0, 8.0),
        *,
        look: ArrayLike = (0.0, 0.0, 0.0),
        smoothing: float = 0.0,
        turning: bool = False,
        rolling: bool = False,
    ) -> None:
        if rolling and not turning:
            raise ValueError("rolling: a camera that does not turn with its target cannot roll with it")
        if not 0 <= smoothing < 1:
            raise ValueError(f"smoothing: expected a number from 0 to below 1, got {smoothing!r}")
        needed = ["drawn_position", *(["drawn_rotation"] if turning else [])]
        for name in needed:
            if not callable(getattr(target, name, None)):
                raise TypeError(f"target: expected an instance, or what has {name}(alpha), got {target!r}")
        self.camera, self.target, self.smoothing = camera, target, smoothing
        self.turning, self.rolling = turning, rolling
        self.offset, self.look = checked_vector("offset", offset, 3), checked_vector("look", look, 3)
        if not (self.offset - self.look).any():
            raise ValueError(f"offset: the camera would stand where it looks, at {self.offset.tolist()}")
        self._last = self._goal(1.0)
        self._last_up = 0.0, 1.0, 0.0
        self._eye = self._previous = self._last[0]
        camera.controller = self

    def _goal(self, alpha: float) -> tuple[Vector, Vector]:
        """Where the camera belongs at ``alpha``, and where it is to look."""
        if getattr(self.target, "removed", False):
            return self._last
        place = np.array(self.target.drawn_position(alpha), np.float64)
        offset, look = self.offset, self.look
        if self.turning:
            turn: Vector = np.array([self.target.drawn_rotation(alpha)])  # type: ignore[attr-defined]
            offset, look = quaternions.rotate(turn, np.array([offset, look]))
        return place + offset, place + look

    def begin_tick(self) -> None:
        self._previous = self._eye

    def end_tick(self, snap: bool) -> None:
        self._last = goal, _ = self._goal(1.0)
        self._eye = self._eye + (goal - self._eye) * (1.0 if snap else 1.0 - self.smoothing)
        if snap:
            self._previous = self._eye

    def pose(self, alpha: float) -> Pose:
        """Position float64 (3,) and rotation (4,) at ``alpha``."""
        eye, look = self._goal(alpha)
        if self.smoothing:
            eye = self._previous + (self._eye - self._previous) * alpha
        x, y, z = look - eye if (look != eye).any() else self.look - self.offset
        return eye, quaternions.looking((x, y, z), self._up(alpha))

    def _up(self, alpha: float) -> tuple[float, float, float]:
        if not self.rolling or getattr(self.target, "removed", False):
            return self._last_up
        turn: Vector = np.array([self.target.drawn_rotation(alpha)])  # type: ignore[attr-defined]
        x, y, z = quaternions.rotate(turn, np.array([[0.0, 1.0, 0.0]]))[0].tolist()
        self._last_up = x, y, z
        return self._last_up


def _yaw_pitch(yaw: float, pitch: float) -> NDArray[np.float32]:
    """Turned up by ``pitch``, then to the left by ``yaw``."""
    a, b = yaw / 2, pitch / 2
    return np.array([math.cos(a) * math.sin(b), math.sin(a) * math.cos(b), -math.sin(a) * math.sin(b),
                     math.cos(a) * math.cos(b)], np.float32)  # fmt: skip


def _axes(rotation: NDArray[np.float32]) -> Vector:
    """To the right, up and back, as a camera is turned: float64 (3, 3)."""
    axes: Vector = quaternions.matrices(rotation[None].astype(np.float64))[0].astype(np.float64)
    return axes


def _finite(name: str, value: float) -> float:
    if not isinstance(value, (int, float, np.number)) or not math.isfinite(value):
        raise ValueError(f"{name}: expected a finite number, got {value!r}")
    return float(value)


def _steep(name: str, value: float) -> float:
    return max(-_STEEPEST, min(_STEEPEST, _finite(name, value)))
