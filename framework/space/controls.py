"""What the player moves a camera in space with: round a thing, or freely. `follow` has what goes
after something.

A controller is made for a camera and hears of the player in `update`, once a tick. It keeps its own
numbers (angles, a distance, …), blends those between two ticks with the alpha of everything else,
and gives the camera's pose for each frame: while the camera goes round a thing, the thing stays in
the very middle of every frame.

    self.orbit = fw.Orbit(self.world.camera, target=(0, 1, 0), distance=8)

    def update(self, dt):
        self.orbit.update(dt, self.keys, self.mouse)

``camera.controller = None`` takes it off; the camera stays where it is.
"""

from __future__ import annotations

__all__ = ["Fly", "Orbit"]

import math
from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Floats
from ..checks import Sealed, Setting
from ..geometry import exact, quaternions
from ..input.keyboard import Keys
from ..input.mouse import MOUSE_BUTTONS, Mouse
from ..state.latched import Latched, LatchedValue, linear
from .camera3d import Camera3D, Pose

V = TypeVar("V", bound=tuple[object, ...])

# Straight up and down, left and right are not told apart any more.
_STEEPEST = math.radians(89.9)


def _point(name: str, value: object) -> Doubles:
    point = checks.vector(name, value, 3)
    point.flags.writeable = False
    return point


def _steep(name: str, value: object) -> float:
    return max(-_STEEPEST, min(_STEEPEST, checks.number(name, value)))


def _button(name: str, value: object) -> str | None:
    return None if value is None else checks.choice(name, value, MOUSE_BUTTONS)


class _Point(LatchedValue[Doubles]):
    """The first part of the state, a place; what is read is a copy."""

    def __init__(self, doc: str) -> None:
        super().__init__("_state", 0, _point, doc)

    def read(self, thing: object) -> Doubles:
        """A place of the caller's own."""
        return super().read(thing).copy()


class _Blended(Sealed, Generic[V]):
    """A controller whose pose comes from a place and a handful of numbers, all blended between
    ticks.
    """

    __slots__ = ("_state", "camera")

    def __init__(self, camera: Camera3D, state: V) -> None:
        self.camera = checks.instance("camera", camera, Camera3D)
        blend = cast(Callable[[V, V, float], V], linear)
        self._state = Latched(state, blend)

    def begin_tick(self) -> None:
        self._state.begin_tick()

    def end_tick(self, snap: bool) -> None:
        """The tick has ended; with ``snap``, the camera is drawn where this leaves it."""
        self._state.teleported = snap
        self._state.end_tick()

    def notice_writes(self) -> None:
        """While no ticks run: what was written since the last call is shown at once."""
        self._state.notice_writes()


class Orbit(_Blended[tuple[Doubles, float, float, float]]):
    """Round a point: drag with the left button to turn, with the right to move the point, the wheel
    to come nearer.

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

    __slots__ = ("_limits", "_turn_per_unit", "_zoom_per_step")

    target = _Point("The point it goes round: (3,), to be written whole.")
    yaw = LatchedValue("_state", 2, checks.number, "Radians that it went round to the right.")
    pitch = LatchedValue("_state", 3, _steep, "Radians above the point, kept below straight up.")
    turn_per_unit = Setting(checks.number, "Radians that a drag of a unit of the picture turns by.")
    zoom_per_step = Setting(
        partial(checks.number, above=0), "The factor by which a step of the wheel comes nearer."
    )

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
        self._limits = _limits(nearest, farthest)
        place, yaw, pitch = (
            _point("target", target),
            checks.number("yaw", yaw),
            _steep("pitch", pitch),
        )
        super().__init__(camera, (place, self._logarithm("distance", distance), yaw, pitch))
        self._turn_per_unit, self._zoom_per_step = (
            math.radians(0.4),
            1.15,
        )  # a subclass may have its own
        camera.controller = self

    def _logarithm(self, name: str, distance: float) -> float:
        """Of a distance within the limits: it is blended as a ratio."""
        nearest, farthest = self._limits
        return float(exact.log(min(max(checks.number(name, distance, above=0), nearest), farthest)))

    @property
    def distance(self) -> float:
        """Units from the point, kept within the limits."""
        return float(exact.exp(self._state.current[1]))

    @distance.setter
    def distance(self, value: float) -> None:
        self._state.write(1, self._logarithm("distance", value))

    def turn(self, yaw: float, pitch: float) -> None:
        """Go round by so many radians, to the right and up."""
        target, logarithm, right, up = self._state.current
        right, up = right + checks.number("yaw", yaw), up + checks.number("pitch", pitch)
        self._state.current = target, logarithm, checks.number("yaw", right), _steep("pitch", up)

    def zoom(self, factor: float) -> None:
        """Show what is there ``factor`` times as large: come nearer, or with an orthographic
        camera, see less.
        """
        factor = checks.number("factor", factor, above=0)
        if self.camera.height is None:
            self.distance /= factor
        else:
            self.camera.height /= factor

    def pan(self, x: float, y: float) -> None:
        """Move the point by so many units of the picture, along the picture: what lies there comes
        with the hand.
        """
        x, y = checks.number("x", x), checks.number("y", y)
        _, height = self.camera.view.size
        sine: float
        cosine: float
        sine, cosine = exact.sincos(self.camera.fov / 2)
        seen = self.camera.height or 2 * self.distance * sine / cosine
        right: Doubles
        up: Doubles
        right, up, _ = _axes(_yaw_pitch(self.yaw, -self.pitch))
        self.target -= (right * x + up * y) * seen / height

    def update(self, dt: float, keys: Keys, mouse: Mouse) -> None:
        """What the player did in this tick."""
        _check_tick(dt, keys, mouse)
        if mouse.held("left") and (mouse.dx or mouse.dy):
            self.turn(-mouse.dx * self.turn_per_unit, -mouse.dy * self.turn_per_unit)
        if (mouse.held("right") or mouse.held("middle")) and (mouse.dx or mouse.dy):
            self.pan(mouse.dx, mouse.dy)
        if mouse.scroll_y:
            factor: float = exact.power(self.zoom_per_step, mouse.scroll_y)
            self.zoom(factor)

    def pose(self, alpha: float) -> Pose:
        """Position float64 (3,) and rotation (4,) at ``alpha``."""
        target, logarithm, yaw, pitch = self._state.at(alpha)
        rotation = _yaw_pitch(yaw, -pitch)
        back: Doubles = _axes(rotation)[2]
        distance: float = exact.exp(logarithm)
        return target + back * distance, rotation


class Fly(_Blended[tuple[Doubles, float, float]]):
    """Freely: W and S forwards and backwards, A and D to the sides, E and Q up and down, Shift
    faster, and the mouse.

    Parameters
    ----------
    position, yaw, pitch
        Where it starts, and how it is turned in radians: to the left of -z, and up. Default: as the
        camera is.
    speed
        Units a simulated second; ``boost`` times that with Shift.
    look
        The mouse button to hold while looking round; None for none (with the window's exclusive
        mouse).
    """

    __slots__ = ("_boost", "_look", "_speed", "_turn_per_unit")

    position = _Point("Where it is: (3,), to be written whole.")
    yaw = LatchedValue("_state", 1, checks.number, "Radians to the left of -z.")
    pitch = LatchedValue("_state", 2, _steep, "Radians up, kept below straight up.")
    speed = Setting(checks.number, "Units a simulated second.")
    boost = Setting(partial(checks.number, least=0), "How many times as fast it is with Shift.")
    look = Setting(_button, "The mouse button to hold while looking round, or None.")
    turn_per_unit = Setting(
        checks.number, "Radians that a mouse motion of a unit of the picture turns by."
    )

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
        checks.instance("camera", camera, Camera3D)
        place = _point("position", camera.position if position is None else position)
        forward: list[float] = camera.forward.tolist()
        x, y, z = forward
        yaw = exact.arctan2(-x, -z) if yaw is None else checks.number("yaw", yaw)
        pitch = exact.arctan2(y, exact.hypot(x, z)) if pitch is None else pitch
        super().__init__(camera, (place, yaw, _steep("pitch", pitch)))
        self.speed, self.boost, self.look = speed, boost, look
        self._turn_per_unit = math.radians(0.2)  # a subclass may have its own
        camera.controller = self

    def turn(self, yaw: float, pitch: float) -> None:
        """Turn by so many radians, to the left and up."""
        position, left, up = self._state.current
        left, up = left + checks.number("yaw", yaw), up + checks.number("pitch", pitch)
        self._state.current = position, checks.number("yaw", left), _steep("pitch", up)

    def move(self, right: float, up: float, forward: float) -> None:
        """Go so many units: to its right, up in the world, and where it looks."""
        right, up = checks.number("right", right), checks.number("up", up)
        forward = checks.number("forward", forward)
        own_right: Doubles
        back: Doubles
        own_right, _, back = _axes(_yaw_pitch(self.yaw, self.pitch))
        self.position += own_right * right - back * forward + (0.0, up, 0.0)

    def update(self, dt: float, keys: Keys, mouse: Mouse) -> None:
        """What the player did in this tick of ``dt`` simulated seconds."""
        _check_tick(dt, keys, mouse)
        if self.look is None or mouse.held(self.look):
            self.turn(-mouse.dx * self.turn_per_unit, mouse.dy * self.turn_per_unit)
        directions = keys.axis("a", "d"), keys.axis("q", "e"), keys.axis("s", "w")
        if any(directions):  # as fast across as straight ahead
            faster = self.boost if keys["lshift"] or keys["rshift"] else 1.0
            length: float = exact.norm(directions)
            step = self.speed * faster * dt / length
            self.move(*[direction * step for direction in directions])

    def pose(self, alpha: float) -> Pose:
        """Position float64 (3,) and rotation (4,) at ``alpha``."""
        position, yaw, pitch = self._state.at(alpha)
        return position, _yaw_pitch(yaw, pitch)


def _limits(nearest: float, farthest: float) -> tuple[float, float]:
    nearest = checks.number("nearest", nearest, above=0)
    if farthest != math.inf:
        farthest = checks.number("farthest", farthest, above=0)
    if nearest > farthest:
        raise ValueError(
            f"nearest, farthest: expected nearest <= farthest, got {nearest!r} and {farthest!r}"
        )
    return nearest, farthest


def _check_tick(dt: object, keys: object, mouse: object) -> None:
    checks.number("dt", dt, least=0)
    checks.instance("keys", keys, Keys)
    checks.instance("mouse", mouse, Mouse)


def _yaw_pitch(yaw: float, pitch: float) -> Floats:
    """Turned up by ``pitch``, then to the left by ``yaw``."""
    turn = exact.functions().turn
    left, ahead = turn(yaw / 2)  # sine and cosine
    up, level = turn(pitch / 2)
    return np.array([ahead * up, left * level, -left * up, ahead * level], np.float32)


def _axes(rotation: Floats) -> Doubles:
    """To the right, up and back, as a camera is turned: float64 (3, 3)."""
    axes: Doubles = quaternions.matrices(rotation[None].astype(np.float64))[0]
    return axes.astype(np.float64)
