"""Camera controllers with which the player orbits a 3D camera around a point, or flies with it.

To make the camera follow an object, see the module `follow`.

A controller moves one camera. In each tick, call the controller's method `update` with the player's
input. The controller stores only a few numbers: angles, and a distance or a position. These numbers
are interpolated between two ticks, and in each frame, the camera's position and rotation are
computed from them. Therefore, the target of an `Orbit` stays in the middle of the screen in every
frame.

    self.orbit = fw.Orbit(self.world.camera, target=(0, 1, 0), distance=8)

    def update(self, dt):
        self.orbit.update(dt, self.keys, self.mouse)

To remove the controller, write ``camera.controller = None``. A camera without a controller does not
move by itself.
"""

from __future__ import annotations

__all__ = ["Fly", "Orbit"]

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Generic, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Floats
from ..checks import Sealed, Setting
from ..geometry import exact, quaternions
from ..input.keyboard import Keys
from ..input.mouse import MOUSE_BUTTONS, Mouse
from ..moved_names import HasMoved, moved, renamed_options
from ..other_engines.other_options import other_options
from ..state.latched import Latched, LatchedValue, linear
from .camera3d import Camera3D, Pose

V = TypeVar("V", bound=tuple[object, ...])

# If the camera looked straight up or down, left and right would be undefined.
_MAX_PITCH = math.radians(89.9)


def _point(name: str, value: object) -> Doubles:
    if hasattr(value, "position"):
        raise TypeError(
            f"{name}: expected three finite numbers, got {checks.shown(value)}; write orbit.target "
            "= instance.position in update"
        )
    point = checks.vector(name, value, 3)
    point.flags.writeable = False
    return point


def _steep(name: str, value: object) -> float:
    return max(-_MAX_PITCH, min(_MAX_PITCH, checks.number(name, value)))


def _button(name: str, value: object) -> str | None:
    return None if value is None else checks.choice(name, value, MOUSE_BUTTONS)


class _Point(LatchedValue[Doubles]):
    """A controller attribute that stores a position, which is interpolated between ticks.

    Reading the attribute returns a copy of the position.
    """

    def __init__(self, doc: str) -> None:
        super().__init__("_state", 0, _point, doc)

    def read(self, thing: object) -> Doubles:
        """Return a copy of the current position."""
        return super().read(thing).copy()


class _OrbitButton(Setting[str | None]):
    """The setting `Orbit.look_button`. It is part of the game's state only if the game sets it,
    because the default is not stored.
    """

    def read(self, target: Any) -> str | None:
        button: str | None = getattr(target, self.slot, "left")
        return button


class _Blended(Sealed, Generic[V]):
    """The base class of the controllers `Orbit` and `Fly`, which stores a position and angles, and
    interpolates them between ticks.
    """

    __slots__ = ("_state", "camera")

    def __init__(self, camera: Camera3D, state: V) -> None:
        self.camera = checks.instance("camera", camera, Camera3D)
        blend = cast(Callable[[V, V, float], V], linear)
        self._state = Latched(state, blend)

    def begin_tick(self) -> None:
        self._state.begin_tick()

    def end_tick(self, snap: bool) -> None:
        """End a tick. The next frames interpolate from the values before this tick to the current
        values.

        With ``snap=True``, the camera jumps to its new position without interpolation.
        """
        self._state.teleported = snap
        self._state.end_tick()

    def notice_writes(self) -> None:
        """Called in each frame while no ticks are running, for example while the game is paused. If
        the game has set values since the last call, the next frame shows the new values without
        interpolation.
        """
        self._state.notice_writes()


class Orbit(_Blended[tuple[Doubles, float, float, float]]):
    """A camera controller that moves the camera around a point.

    The player turns the camera around the point by dragging with the left mouse button, moves the
    point by dragging with the right or middle button, and zooms with the mouse wheel. To follow an
    object, set `target` to its position in each `update`.

    Parameters
    ----------
    target
        The point in the middle of the screen.
    distance
        The distance from the camera to the point, in units.
    yaw, pitch
        The direction from the point to the camera, as two angles in radians. At a ``yaw`` of 0, the
        camera looks along the -z axis. A larger ``yaw`` moves the camera to the right around the
        point, and a larger ``pitch`` moves it up. With ``pitch=0.3``, the camera is above the point
        and looks down.
    min_distance, max_distance
        The smallest and the largest allowed ``distance``, in units.
    look_button
        The mouse button that the player holds to turn the camera around the point. If
        ``look_button`` is None, the mouse turns the camera without any button, as in games in third
        person. Use ``look_button=None`` in windows that capture the mouse.
    """

    __slots__ = ("_limits", "_look_button", "_turn_per_unit", "_zoom_per_step")

    target = _Point(
        "The point in units around which the camera moves: (3,). To move the point, assign a new "
        "array."
    )
    yaw = LatchedValue(
        "_state",
        2,
        checks.number,
        "The angle in radians by which the camera is moved around the point to the right.",
    )
    pitch = LatchedValue(
        "_state",
        3,
        _steep,
        "The angle in radians by which the camera is above the point. The angle is limited to "
        "less than 90 degrees.",
    )
    turn_per_unit = Setting(
        checks.number,
        "The angle in radians by which the camera turns when the player drags the mouse by one "
        "unit of the screen.",
    )
    look_button = _OrbitButton(
        _button,
        "The mouse button that turns the camera while the player holds the button. With None, the "
        "mouse turns the camera without a button.",
    )
    zoom_per_step = Setting(
        partial(checks.number, above=0),
        "The factor by which one step of the mouse wheel multiplies the zoom.",
    )

    @renamed_options("Orbit", nearest="min_distance", farthest="max_distance")
    @other_options(radius="write fw.Orbit(self.world.camera, distance=10)")
    def __init__(
        self,
        camera: Camera3D,
        target: ArrayLike = (0.0, 0.0, 0.0),
        distance: float = 10.0,
        *,
        yaw: float = 0.0,
        pitch: float = math.radians(20),
        min_distance: float = 0.01,
        max_distance: float = math.inf,
        look_button: str | None = "left",
    ) -> None:
        if look_button != "left":
            self.look_button = look_button
        self._limits = _limits(min_distance, max_distance)
        position = _point("target", target)
        yaw = checks.number("yaw", yaw)
        pitch = _steep("pitch", pitch)
        super().__init__(camera, (position, self._logarithm("distance", distance), yaw, pitch))
        # These are attributes, so that a subclass can have its own values.
        self._turn_per_unit = math.radians(0.4)
        self._zoom_per_step = 1.15
        camera.controller = self

    def _logarithm(self, name: str, distance: float) -> float:
        """Limit ``distance`` to the range from ``min_distance`` to ``max_distance``, and return the
        logarithm of the distance.

        The logarithm is interpolated between ticks, so that zooming looks equally fast near and
        far.
        """
        min_distance, max_distance = self._limits
        return float(
            exact.log(min(max(checks.number(name, distance, above=0), min_distance), max_distance))
        )

    @property
    def distance(self) -> float:
        """The distance from the camera to the point, in units. ``distance`` is always between
        ``min_distance`` and ``max_distance``.
        """
        return float(exact.exp(self._state.current[1]))

    @distance.setter
    def distance(self, value: float) -> None:
        self._state.write(1, self._logarithm("distance", value))

    def turn(self, yaw: float, pitch: float) -> None:
        """Move the camera around the point by ``yaw`` radians to the right and ``pitch`` radians
        up. Because the camera still points at the target, its view turns left and down. For a
        mouse, write ``orbit.turn(-0.004 * mouse.dx, -0.004 * mouse.dy)``.
        """
        target, logarithm, right, up = self._state.current
        right = right + checks.number("yaw", yaw)
        up = up + checks.number("pitch", pitch)
        self._state.current = target, logarithm, checks.number("yaw", right), _steep("pitch", up)

    def zoom(self, factor: float) -> None:
        """Zoom in, so that objects appear ``factor`` times as large on the screen. In a perspective
        view, the camera moves closer to the point. In an orthographic view, the camera's
        `ortho_height` becomes smaller.
        """
        factor = checks.number("factor", factor, above=0)
        if self.camera.ortho_height is None:
            self.distance /= factor
        else:
            self.camera.ortho_height /= factor

    def pan(self, x: float, y: float) -> None:
        """Move the image ``x`` units to the right and ``y`` units up on the screen, like a map that
        is dragged.

        To do so, the camera and its target move in the opposite direction.
        """
        x = checks.number("x", x)
        y = checks.number("y", y)
        _, height = self.camera.view.size
        sine: float
        cosine: float
        sine, cosine = exact.sincos(self.camera.fov / 2)
        visible_height = self.camera.ortho_height or 2 * self.distance * sine / cosine
        right: Doubles
        up: Doubles
        right, up, _ = _axes(_yaw_pitch(self.yaw, -self.pitch))
        self.target -= (right * x + up * y) * visible_height / height

    def update(self, dt: float, keys: Keys, mouse: Mouse) -> None:
        """Turn, pan and zoom the camera according to the mouse input of this tick. ``dt`` is the
        length of the tick in simulated seconds.
        """
        _check_tick(dt, keys, mouse)
        look = self.look_button
        if mouse.dx or mouse.dy:
            if look is None or mouse.held(look):
                self.turn(-mouse.dx * self.turn_per_unit, -mouse.dy * self.turn_per_unit)
            if any(mouse.held(button) for button in ("right", "middle") if button != look):
                self.pan(mouse.dx, mouse.dy)
        if mouse.scroll_y:
            factor: float = exact.power(self.zoom_per_step, mouse.scroll_y)
            self.zoom(factor)

    def pose(self, alpha: float) -> Pose:
        """Return the pose of the camera in the current frame: a float64 position with the shape
        (3,), and a float32 rotation with the shape (4,).
        """
        target, logarithm, yaw, pitch = self._state.at(alpha)
        rotation = _yaw_pitch(yaw, -pitch)
        back: Doubles = _axes(rotation)[2]
        distance: float = exact.exp(logarithm)
        return target + back * distance, rotation


@moved("fly", {}, settings={"look": "look_button"})
class Fly(_Blended[tuple[Doubles, float, float]], HasMoved):
    """A camera controller for flying with the keyboard and the mouse.

    The keys W, A, S and D move the camera forward, left, backward and right. E moves the camera up,
    and Q moves the camera down. With Shift, the camera moves faster. To turn the camera, the player
    moves the mouse while holding the right button.

    Parameters
    ----------
    position, yaw, pitch
        The initial position in units, and the initial angles in radians. ``yaw`` is the angle from
        the -z axis to the left, and ``pitch`` is the angle upwards. At ``pitch=0.3``, the camera
        looks up. By default, the controller starts with the camera's current position and angles.
    speed
        The speed of the camera in units per simulated second.
    boost
        The factor by which ``speed`` is multiplied while Shift is held.
    look_button
        The mouse button that the player holds to turn the camera. If ``look_button`` is None, the
        mouse turns the camera without any button. Use ``look_button=None`` in windows that capture
        the mouse.
    """

    __slots__ = ("_boost", "_look_button", "_speed", "_turn_per_unit")

    position = _Point(
        "The position of the camera in units: (3,). To move the camera, assign a new array."
    )
    yaw = LatchedValue(
        "_state",
        1,
        checks.number,
        "The angle in radians by which the camera is turned to the left of the -z axis.",
    )
    pitch = LatchedValue(
        "_state",
        2,
        _steep,
        "The angle in radians by which the camera is turned up. The angle is limited to less than "
        "90 degrees.",
    )
    speed = Setting(checks.number, "The speed of the camera in units per second of game time.")
    boost = Setting(
        partial(checks.number, least=0),
        "The factor that multiplies ``speed`` while Shift is down.",
    )
    look_button = Setting(
        _button,
        "The mouse button that turns the camera while the player holds the button. With None, the "
        "mouse turns the camera without a button.",
    )
    turn_per_unit = Setting(
        checks.number,
        "The angle in radians by which the camera turns when the mouse moves by one unit.",
    )

    @renamed_options("Fly", look="look_button")
    def __init__(
        self,
        camera: Camera3D,
        position: ArrayLike | None = None,
        *,
        yaw: float | None = None,
        pitch: float | None = None,
        speed: float = 5.0,
        boost: float = 4.0,
        look_button: str | None = "right",
    ) -> None:
        checks.instance("camera", camera, Camera3D)
        start = _point("position", camera.position if position is None else position)
        forward: list[float] = camera.forward.tolist()
        x, y, z = forward
        yaw = exact.arctan2(-x, -z) if yaw is None else checks.number("yaw", yaw)
        pitch = exact.arctan2(y, exact.hypot(x, z)) if pitch is None else pitch
        super().__init__(camera, (start, yaw, _steep("pitch", pitch)))
        self.speed = speed
        self.boost = boost
        self.look_button = look_button
        # an attribute, so that a subclass can have its own value
        self._turn_per_unit = math.radians(0.2)
        camera.controller = self

    def turn(self, yaw: float, pitch: float) -> None:
        """Turn the camera by ``yaw`` radians to the left and ``pitch`` radians up."""
        position, left, up = self._state.current
        left = left + checks.number("yaw", yaw)
        up = up + checks.number("pitch", pitch)
        self._state.current = position, checks.number("yaw", left), _steep("pitch", up)

    def move(self, right: float, up: float, forward: float) -> None:
        """Move the camera by distances in units. ``right`` is the distance to the right on the
        screen. ``up`` is the distance along the world's y axis, and ``forward`` is the distance in
        the direction of view.
        """
        right = checks.number("right", right)
        up = checks.number("up", up)
        forward = checks.number("forward", forward)
        own_right: Doubles
        back: Doubles
        own_right, _, back = _axes(_yaw_pitch(self.yaw, self.pitch))
        self.position += own_right * right - back * forward + (0.0, up, 0.0)

    def update(self, dt: float, keys: Keys, mouse: Mouse) -> None:
        """Move and turn the camera according to the keyboard and mouse input of this tick. ``dt``
        is the length of the tick in simulated seconds.
        """
        _check_tick(dt, keys, mouse)
        if self.look_button is None or mouse.held(self.look_button):
            self.turn(-mouse.dx * self.turn_per_unit, mouse.dy * self.turn_per_unit)
        directions = keys.axis("a", "d"), keys.axis("q", "e"), keys.axis("s", "w")
        if any(directions):  # diagonal movement must not be faster
            faster = self.boost if keys["lshift"] or keys["rshift"] else 1.0
            length: float = exact.norm(directions)
            step = self.speed * faster * dt / length
            self.move(*[direction * step for direction in directions])

    def pose(self, alpha: float) -> Pose:
        """Return the pose of the camera in the current frame: a float64 position with the shape
        (3,), and a float32 rotation with the shape (4,).
        """
        position, yaw, pitch = self._state.at(alpha)
        return position, _yaw_pitch(yaw, pitch)


def _limits(min_distance: float, max_distance: float) -> tuple[float, float]:
    min_distance = checks.number("min_distance", min_distance, above=0)
    if max_distance != math.inf:
        max_distance = checks.number("max_distance", max_distance, above=0)
    if min_distance > max_distance:
        raise ValueError(
            "min_distance, max_distance: expected min_distance <= max_distance, "
            f"got {min_distance!r} and {max_distance!r}"
        )
    return min_distance, max_distance


def _check_tick(dt: object, keys: object, mouse: object) -> None:
    checks.number("dt", dt, least=0)
    checks.instance("keys", keys, Keys)
    checks.instance("mouse", mouse, Mouse)


def _yaw_pitch(yaw: float, pitch: float) -> Floats:
    """Return the rotation of a camera as a quaternion. ``yaw`` is the angle to the left and
    ``pitch`` the angle up, in radians.
    """
    turn = exact.functions().turn
    left, ahead = turn(yaw / 2)  # the sine and the cosine of half the yaw
    up, level = turn(pitch / 2)
    return np.array([ahead * up, left * level, -left * up, ahead * level], np.float32)


def _axes(rotation: Floats) -> Doubles:
    """Return the three axes of a camera with the rotation ``rotation``: right, up and back. The
    array has the dtype float64 and the shape (3, 3).
    """
    axes: Doubles = quaternions.matrices(rotation[None].astype(np.float64))[0]
    return axes.astype(np.float64)
