"""What the cameras of the plane and of space have in common: two states, a controller, teleports
and shakes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from operator import attrgetter
from typing import Any, Generic, Protocol, TypeVar

from .. import checks
from ..arrays import Doubles
from ..checks import Sealed, Setting
from ..state.latched import Latched, LatchedValue
from ..view import View
from .shake import Shake

T = TypeVar("T")
P_co = TypeVar("P_co", covariant=True)
V = TypeVar("V", bound=tuple[Any, ...])

Place = tuple[float, ...]
Viewport = tuple[int, int, int, int]

LARGEST = 1e18
"""Of numbers that float32 holds together with their products, which is what the GPU is sent."""

_set = object.__setattr__


def coordinate(name: str, value: object) -> float:
    """A number of a place, or an angle: one that the GPU can be sent."""
    if type(value) is float and -LARGEST <= value <= LARGEST:
        return value
    result = checks.number(name, value)
    if abs(result) > LARGEST:
        raise checks.wrong_value(name, f"a number of at most {LARGEST:g} either side of 0", value)
    return result


def coordinates(name: str, value: object, length: int) -> Doubles:
    """The numbers of a place, which the GPU can be sent: float64 (length,), the caller's own."""
    place = checks.vector(name, value, length)
    numbers: list[float] = place.tolist()
    if max(map(abs, numbers)) > LARGEST:
        expected = f"{length} numbers of at most {LARGEST:g} either side of 0"
        raise checks.wrong_value(name, expected, value)
    return place


class Controller(Protocol[P_co]):
    """What moves a camera: it is asked for the pose of every frame. `Follow` is one; one of your
    own will do.

    It may also have ``notice_writes()``, called before `pose` in each frame while no ticks run, and
    ``bounded(place, alpha)``, which returns the nearest place to one that a shake has moved the
    camera to.
    """

    def begin_tick(self) -> None:
        """A tick begins: what was current is previous."""

    def end_tick(self, snap: bool) -> None:
        """The tick has ended; with ``snap``, the camera is drawn where this leaves it."""

    def pose(self, alpha: float) -> P_co:
        """The camera's pose at ``alpha``, as its own `pose` returns it."""


class PoseValue(LatchedValue[T]):
    """A value of a camera's state; once it is written, ticks concern the camera."""

    def keep(self, thing: Any, value: Any) -> None:
        """Exchange the current values, and note that."""
        getattr(thing, self.holder).write(self.index, value)
        _set(thing, "_moved", True)


def _controller(name: str, value: Any) -> Any:
    if value is not None:
        checks.methods(
            name, value, ("begin_tick", "end_tick", "pose"), "an Orbit, a Fly, a Follow, or None"
        )
    return value


class _Controlled(Setting[Any]):
    """The controller, and with it that ticks concern the camera."""

    def keep(self, thing: Any, value: Any) -> None:
        """Exchange the controller, and note that."""
        super().keep(thing, value)
        _set(thing, "_moved", True)
        _set(thing, "_arrives", False)


class Viewpoint(Sealed, Generic[V]):
    """The base of `Camera2D` and `Camera3D`: ``V`` is the pose that they keep."""

    __slots__ = ("_arrives", "_controller", "_moved", "_shake", "_state", "_view")

    _not_hashed = ("_arrives", "_moved", "_view")

    _dimensions: int
    """Numbers of a place: 2 or 3."""
    _moved: bool
    """Whether the camera takes part in ticks.

    True if it was written since the last tick began, is shaken, or has a controller.
    """

    position: Any
    """Where it is, as it was written."""

    controller = _Controlled(
        _controller, "What moves it, if not the game itself: a `Follow`, …; None for nothing."
    )

    def __init__(self, view: View, pose: V, blend: Callable[[V, V, float], V]) -> None:
        self._view = view
        self._state = Latched(pose, blend)
        self._controller: Controller[Any] | None = None
        self._shake: Shake | None = None
        self._arrives = False  # whether `teleport` asks it to be where its controller takes it
        self._moved = True

    def teleport(self) -> None:
        """Show the camera where this tick leaves it, not between there and where it was."""
        self._state.teleported = self._arrives = True
        self._moved = True

    def after_load(self) -> None:
        """A save was loaded: it is shown where that has it."""
        self.teleport()

    def shake(self, strength: float, ticks: int = 30, *, seed: int = 0) -> None:
        """Shake the picture: by at most ``strength`` units of the world at first, less and less, by
        0 after ``ticks``.

        The same ``seed`` shakes in the same manner. Shakes add up; `position` knows nothing of
        them.
        """
        strength = checks.number("strength", strength, least=0, most=LARGEST)
        ticks, seed = checks.whole("ticks", ticks, 1), checks.whole("seed", seed)
        if self._shake is None:
            self._shake = Shake()
        self._shake.add(strength, ticks, seed)
        self._moved = True

    def _displaced(self, place: Place, alpha: float) -> Place:
        """A place that a shake has moved, kept within what the controller allows."""
        bounded: Callable[[Place, float], Place] | None
        bounded = getattr(self._controller, "bounded", None)
        return place if bounded is None else bounded(place, alpha)

    # -- what a controller asks --------------------------------------------------------------------

    def _place(self, alpha: float) -> Place:
        """Where it is at ``alpha`` by what was written, whatever its controller says."""
        raise NotImplementedError

    def _margins(self, alpha: float) -> Place:
        """How far the picture reaches from the camera, along each axis of the world; 0 where it has
        no end.
        """
        raise NotImplementedError

    def _pose_at(self, alpha: float, place: Place, direction: Place, up: Place) -> Any:
        """The pose of a camera that stands at ``place`` and looks in ``direction``."""
        raise NotImplementedError

    # -- driven by the game ------------------------------------------------------------------------

    def _begin_tick(self) -> None:
        """A tick begins: what was current is previous."""
        if not self._moved:
            return
        if self._arrives:
            # as a frame would have: whether there was one before this tick makes no difference
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
        """The tick has ended: what has a controller is where that takes it."""
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

    def _notice_writes(self) -> None:
        """While no ticks run: what was written since the last call is shown at once."""
        self._state.notice_writes()
        notice_writes: Callable[[], object] | None
        notice_writes = getattr(self._controller, "notice_writes", None)
        if notice_writes is not None:
            notice_writes()

    def _kept(self, pose: Any) -> V:
        """A controller's pose, as the camera keeps it."""
        kept: V = pose
        return kept

    def _settle(self) -> None:
        """It was teleported: it is shown where it is, and where its controller takes it."""
        if self._controller is not None and self._arrives:
            self._controller.end_tick(True)
        self._state.settle()


# -- for ticks, frames and controllers; games need none of these -----------------------------------


def dimensions_of(camera: Viewpoint[Any]) -> int:
    """Return the numbers of a place: 2 for a `Camera2D`, 3 for a `Camera3D`."""
    return camera._dimensions


# Each tick asks each camera: by a function in C.
is_moving: Callable[[Viewpoint[Any]], bool] = attrgetter("_moved")
"""Return whether the camera takes part in ticks.

While it does not, `begin_tick` and `end_tick` need not be called.
"""


def begin_tick(camera: Viewpoint[Any]) -> None:
    """Begin a tick: the current state becomes the previous one."""
    camera._begin_tick()


def end_tick(camera: Viewpoint[Any]) -> None:
    """End a tick: a camera with a controller goes where the controller takes it."""
    camera._end_tick()


def notice_writes(camera: Viewpoint[Any]) -> None:
    """While no ticks run, show what was written since the last call without a displacement."""
    camera._notice_writes()


@singledispatch
def frame_block(
    camera: Viewpoint[Any],
    alpha: float,
    time: float,
    viewport: Viewport | None = None,
    flicks: int = 0,
) -> bytes:
    """Return the uniform block of a frame that is seen through ``camera``.

    ``viewport``, in pixels, is that of the camera's view by default. ``flicks`` is the clock of
    clips, which only a `Camera2D` has in its block.
    """
    raise TypeError(f"camera: expected a Camera2D or a Camera3D, got {type(camera).__name__}")


def place_of(camera: Viewpoint[Any], alpha: float) -> Place:
    """Return the place that was written, at ``alpha``, without controller and shake."""
    return camera._place(alpha)


def margins_of(camera: Viewpoint[Any], alpha: float) -> Place:
    """Return the distance from the camera to the edges of its picture, along each axis.

    0 along each axis for a `Camera3D`.
    """
    return camera._margins(alpha)


def pose_at(camera: Viewpoint[Any], alpha: float, place: Place, direction: Place, up: Place) -> Any:
    """Return the pose of the camera if it stood at ``place`` and looked in ``direction``."""
    return camera._pose_at(alpha, place, direction, up)
