"""The base class of 2D and 3D cameras, with their position, controller, teleports and shakes."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Generic, Protocol, TypeVar

from .. import checks
from ..arrays import Doubles
from ..checks import Sealed, Setting
from ..other_engines.other_options import other_options
from ..screen_mapping import ScreenMapping
from ..state.latched import Latched, LatchedValue
from .shake import Shake

T = TypeVar("T")
P_co = TypeVar("P_co", covariant=True)
V = TypeVar("V", bound=tuple[Any, ...])

Place = tuple[float, ...]
Viewport = tuple[int, int, int, int]

MAX_MAGNITUDE = 1e18
"""The largest absolute value of a coordinate. The GPU multiplies coordinates, and the products must
fit into float32.
"""

_set = object.__setattr__


def coordinate(name: str, value: object) -> float:
    """Return a coordinate or an angle as a float.

    Raises `ValueError` for values above 1e18, which are too large for the GPU.
    """
    if type(value) is float and -MAX_MAGNITUDE <= value <= MAX_MAGNITUDE:
        return value
    result = checks.number(name, value)
    if abs(result) > MAX_MAGNITUDE:
        raise checks.wrong_value(
            name, f"a number of at most {MAX_MAGNITUDE:g} either side of 0", value
        )
    return result


def coordinates(name: str, value: object, length: int) -> Doubles:
    """Return the coordinates of a position in a new float64 array. The new array has the shape
    (length,).
    """
    position = checks.vector(name, value, length)
    numbers: list[float] = position.tolist()
    if max(map(abs, numbers)) > MAX_MAGNITUDE:
        expected = f"{length} numbers of at most {MAX_MAGNITUDE:g} either side of 0"
        raise checks.wrong_value(name, expected, value)
    return position


class Controller(Protocol[P_co]):
    """An object that moves a camera, such as `Follow`.

    In each frame, the camera asks the controller for its pose, which consists of a position and a
    direction.

    You can also write your own controller class. If your controller has a method
    ``notice_writes()``, it is called in frames without a tick, before `pose`. If your controller
    has a method ``bounded(position, alpha)``, it limits the position of a shaken camera.
    """

    def begin_tick(self) -> None:
        """Called when a tick begins. Copy the current state to the previous state."""

    def end_tick(self, snap: bool) -> None:
        """Called when a tick of the game ends.

        ``snap`` is True if the game has called `CameraBase.teleport` in this tick. The controller
        must then move the camera to its goal immediately.
        """

    def pose(self, alpha: float) -> P_co:
        """Return the pose of the camera at the time ``alpha`` between two ticks, in the same form
        as ``camera.pose``.
        """


class PoseValue(LatchedValue[T]):
    """An attribute of a camera that is part of its state, such as the position.

    Setting it marks the camera as changed, because ticks skip cameras that have not changed.
    """

    def keep(self, target: Any, value: Any) -> None:
        """Set the current value, and mark the camera as changed."""
        getattr(target, self.holder).write(self.index, value)
        _set(target, "_moved", True)


def _controller(name: str, value: Any) -> Any:
    if value is not None:
        checks.methods(
            name, value, ("begin_tick", "end_tick", "pose"), "an Orbit, a Fly, a Follow, or None"
        )
    return value


class _Controlled(Setting[Any]):
    """The attribute `CameraBase.controller`.

    Setting it marks the camera as changed, because ticks skip cameras that have not changed.
    """

    def keep(self, target: Any, value: Any) -> None:
        """Set the controller, and mark the camera as changed."""
        super().keep(target, value)
        _set(target, "_moved", True)
        _set(target, "_arrives", False)


class CameraBase(Sealed, Generic[V]):
    """The base class of `Camera2D` and `Camera3D`.

    ``V`` is the type of the camera's pose, which is a tuple.
    """

    __slots__ = ("_arrives", "_controller", "_error", "_moved", "_shake", "_state", "_view")

    _transient_attributes = ("_error",)
    _not_hashed = ("_arrives", "_moved", "_view")

    _dimensions: int
    """The number of coordinates: 2 for a `Camera2D`, 3 for a `Camera3D`."""
    _moved: bool
    """Whether ticks must update the camera.

    True if the camera has a controller or is shaken, or if the game changed the camera since the
    last tick began.
    """

    position: Any
    """The position that the game has set, without the effects of the controller and of shakes."""

    controller = _Controlled(
        _controller,
        "The controller that moves the camera, such as a `Follow`. None, the default, for none.",
    )

    def __init__(self, view: ScreenMapping, pose: V, blend: Callable[[V, V, float], V]) -> None:
        self._view = view
        self._state = Latched(pose, blend)
        self._controller: Controller[Any] | None = None
        self._shake: Shake | None = None
        self._arrives = False  # whether `teleport` was called since the last tick
        self._moved = True
        # The error (the difference between the drawn pose and the real pose), and the fraction of
        # the error that the next frame adds to the real pose.
        self._error: tuple[Any, float] | None = None

    def teleport(self) -> None:
        """Move the camera to its new position immediately, without interpolation.

        If the camera has a controller, the camera moves to the controller's goal immediately.
        """
        self._state.teleported = self._arrives = True
        self._moved = True

    def after_load(self) -> None:
        """Called after a save was loaded.

        The camera is then drawn at the loaded position immediately, without interpolation.
        """
        self.teleport()

    @other_options(
        duration="write camera.shake(12, ticks=30), where 60 ticks are a second",
        seconds="write camera.shake(12, ticks=30), where 60 ticks are a second",
        time="write camera.shake(12, ticks=30), where 60 ticks are a second",
    )
    def shake(self, strength: float, ticks: int = 30, *, seed: int = 0) -> None:
        """Shake the view of the camera. At first, the view is displaced by up to ``strength`` world
        units. The shaking becomes weaker in each tick.

        After ``ticks`` ticks, the shake ends. By default, ``ticks`` is 30, which is half a second
        at 60 ticks per second. Shakes with the same ``seed`` move the view in the same way. If
        several shakes are running, their displacements are added. A shake does not change the
        camera's `position`.
        """
        strength = checks.number("strength", strength, least=0, most=MAX_MAGNITUDE)
        ticks = checks.whole("ticks", ticks, 1)
        seed = checks.whole("seed", seed)
        if self._shake is None:
            self._shake = Shake()
        self._shake.add(strength, ticks, seed)
        self._moved = True

    def _displaced(self, position: Place, alpha: float) -> Place:
        """Return the position of a shaken camera, limited by the controller if it has a method
        ``bounded``.
        """
        bounded: Callable[[Place, float], Place] | None
        bounded = getattr(self._controller, "bounded", None)
        return position if bounded is None else bounded(position, alpha)

    # -- for controllers ---------------------------------------------------------------------------

    def _place(self, alpha: float) -> Place:
        """Return the position that the game has set, interpolated at ``alpha`` between two ticks.
        The effects of the controller and of shakes are not included.
        """
        raise NotImplementedError

    def _margins(self, alpha: float) -> Place:
        """Return half the size of the view in units, along each axis of the world. For a
        `Camera3D`, all numbers are 0.
        """
        raise NotImplementedError

    def _pose_at(self, alpha: float, position: Place, direction: Place, up: Place) -> Any:
        """Return the pose of a camera at ``position`` with the view direction ``direction``."""
        raise NotImplementedError

    # -- driven by the game ------------------------------------------------------------------------

    def _begin_tick(self) -> None:
        """Called when a tick begins. Copy the current state to the previous state."""
        if not self._moved:
            return
        if self._arrives:
            # Frames also call `_settle`. Ticks must call it too, so that a game without frames has
            # the same state.
            self._settle()
            self._arrives = False
        self._state.begin_tick()
        if self._controller is not None:
            self._controller.begin_tick()
        if self._shake is not None:
            self._shake.begin_tick()
            if self._shake.over:
                self._shake = None
        _set(self, "_moved", self._controller is not None or self._shake is not None)

    def _end_tick(self) -> None:
        """Called when a tick ends. If the camera has a controller, copy the pose from the
        controller.
        """
        if not self._moved:
            return
        controller = self._controller
        if controller is not None:
            controller.end_tick(self._state.teleported)
            self._state.current = self._kept(controller.pose(1.0))
        if self._shake is not None:
            self._shake.end_tick()
        self._state.end_tick()
        self._arrives = False

    def _frame_block(
        self,
        alpha: float,
        time: float,
        viewport: Viewport | None = None,
        flicks: int = 0,
    ) -> bytes:
        """Return the bytes of the camera's uniform block for one frame. The block contains the
        values that shaders read.

        ``viewport`` is (left, bottom, width, height) in pixels. By default, ``viewport`` is the
        rectangle of the camera's view. ``flicks`` is the time of sprite clips. A flick is the
        internal unit of time. Only a `Camera2D` uses ``flicks``.
        """
        raise NotImplementedError

    def _notice_writes(self) -> None:
        """Called in a frame without a tick, for example during a pause. Values that the game has
        set since the last call are drawn immediately, without interpolation.
        """
        self._state.notice_writes()
        notice_writes: Callable[[], object] | None
        notice_writes = getattr(self._controller, "notice_writes", None)
        if notice_writes is not None:
            notice_writes()

    def _kept(self, pose: Any) -> V:
        """Convert a pose from a controller to the type of this camera's poses."""
        own_pose: V = pose
        return own_pose

    def _difference(self, drawn: V, alpha: float, max_distance: float) -> Any:
        """Return the difference between the pose ``drawn`` and the real pose of the camera at the
        time ``alpha``. If the poses are equal, or more than ``max_distance`` units apart, return
        None.
        """
        raise NotImplementedError

    def _shown(self, alpha: float) -> V:
        """Return the drawn pose: the camera's pose in a frame at ``alpha`` between two ticks. After
        a correction in a network game, the drawn pose differs from the real pose, and approaches it
        gradually.
        """
        raise NotImplementedError

    def _settle(self) -> None:
        """Called after a teleport. Move the camera and its controller to their new positions
        immediately, without interpolation.
        """
        if self._controller is not None and self._arrives:
            self._controller.end_tick(True)
        self._state.settle()


# -- functions for ticks, frames and controllers; games do not need them --------------------


def dimensions_of(camera: CameraBase[Any]) -> int:
    """Return the number of coordinates of a camera's position: 2 for a `Camera2D`, and 3 for a
    `Camera3D`.
    """
    return camera._dimensions


# This function is implemented in C, because each tick calls it for each camera.
is_moving: Callable[[CameraBase[Any]], bool] = attrgetter("_moved")
"""Return whether ticks must update the camera.

If not, `begin_tick` and `end_tick` do nothing.
"""


def begin_tick(camera: CameraBase[Any]) -> None:
    """Called when a tick begins. Copy the current state to the previous state."""
    camera._begin_tick()


def end_tick(camera: CameraBase[Any]) -> None:
    """Called when a tick ends. If the camera has a controller, copy the pose from the controller."""
    camera._end_tick()


def start_at_goal(camera: CameraBase[Any]) -> None:
    """Called after the `setup` of a scene. If the camera has a controller, move the camera to the
    controller's goal. The next frame is drawn without interpolation.

    The first frame moves the camera to the goal again, so a controller must compute the same goal
    both times. Otherwise, the state of a game would depend on whether it draws frames.
    """
    camera.teleport()
    camera._settle()


def notice_writes(camera: CameraBase[Any]) -> None:
    """Called in a frame without a tick, for example during a pause. Values that the game has set
    since the last call are drawn immediately, without interpolation.
    """
    camera._notice_writes()


def shown_pose(camera: CameraBase[V], alpha: float) -> V:
    """Return the drawn pose: the camera's pose in a frame at ``alpha`` between two ticks. After a
    correction, the drawn pose differs from the real pose, and approaches it gradually.
    """
    return camera._shown(alpha)


def displace(camera: CameraBase[V], drawn: V, alpha: float, max_distance: float) -> bool:
    """Draw the camera at the pose ``drawn`` instead of its real pose. The difference between the
    two poses is called the error, and each later call to `show_error` reduces the error. If the
    poses are equal, or more than ``max_distance`` units apart, draw the camera at its real pose,
    and return False. Otherwise, return True.
    """
    difference = camera._difference(drawn, alpha, max_distance)
    _set(camera, "_error", None if difference is None else (difference, 1.0))
    return difference is not None


def show_error(camera: CameraBase[Any], share: float) -> None:
    """Draw the next frame at the real pose plus the fraction ``share`` of the camera's error."""
    error = camera._error
    if error is not None:
        _set(camera, "_error", (error[0], share) if share else None)


# This function is implemented in C, because each frame calls it for each camera.
frame_block_of: Callable[[CameraBase[Any]], Callable[..., bytes]] = attrgetter("_frame_block")
"""Return the function that computes the uniform block of a camera. Call this function with
``(alpha, time, viewport, flicks)``.
"""


def place_of(camera: CameraBase[Any], alpha: float) -> Place:
    """Return the position that the game has set, interpolated at ``alpha`` between two ticks. The
    effects of the controller and of shakes are not included.
    """
    return camera._place(alpha)


def margins_of(camera: CameraBase[Any], alpha: float) -> Place:
    """Return half the size of the camera's view in units, along each axis of the world.

    For a `Camera3D`, all numbers are 0.
    """
    return camera._margins(alpha)


def pose_at(
    camera: CameraBase[Any], alpha: float, position: Place, direction: Place, up: Place
) -> Any:
    """Return the pose of a camera with this position, view direction and up direction."""
    return camera._pose_at(alpha, position, direction, up)
