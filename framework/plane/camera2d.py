"""2D cameras, whose position, zoom and angle determine which part of the world the player sees.

A camera also converts points between the screen and the world.
"""

from __future__ import annotations

__all__ = ["Camera2D"]

import math
import struct
from functools import singledispatch
from typing import TYPE_CHECKING

import numpy as np

from .. import checks
from ..geometry import exact
from ..motion.camera_base import (
    MAX_MAGNITUDE,
    CameraBase,
    Place,
    PoseValue,
    Viewport,
    coordinate,
)
from ..moved_names import HasMoved, moved
from ..other_engines.other_options import other_options
from ..other_engines.plane_names import camera2_d_names
from ..screen_mapping import ScreenMapping
from ..state.latched import ratio, short_turn

if TYPE_CHECKING:
    from ..geometry.matrices import Matrix44
    from ..motion.follow import Follow, Followed

# The uniform block of shaders/include/frame.glsl, in std140 layout.
_FRAME = struct.Struct("=16f2f2f2f2fQf4x")
FRAME_BYTES = _FRAME.size

Pose = tuple[float, float, float, float]
"""The pose of a 2D camera: x and y in units, zoom, and angle in radians."""


_set = object.__setattr__


def _zoom(name: str, value: object) -> float:
    zoom = checks.number(name, value, above=0, most=MAX_MAGNITUDE)
    return checks.number(name, zoom, least=1 / MAX_MAGNITUDE)


def _blend(previous: Pose, current: Pose, alpha: float) -> Pose:
    x, y, zoom, angle = previous
    return (
        x + (current[0] - x) * alpha,
        y + (current[1] - y) * alpha,
        ratio(zoom, current[2], alpha),
        short_turn(angle, current[3], alpha),
    )


@moved("camera", {}, settings={"rotation": "angle"})
@camera2_d_names
class Camera2D(CameraBase[Pose], HasMoved):
    """A camera for 2D games. The camera determines which part of the world is visible on the
    screen.

    ``position`` is the world point in the middle of the screen, in units, y up. ``zoom`` magnifies
    the world. At zoom 2, everything looks twice as large, and the screen shows half the width and
    half the height of the world that it shows at zoom 1. ``angle`` is the rotation of the camera in
    radians, counter-clockwise.

    In frames between two ticks, the camera's position, zoom and angle are interpolated. A new
    camera shows the world point (0, 0) in the bottom left corner of the screen. Raises `ValueError`
    if a number is not finite or exceeds 1e18, or if the zoom is 0 or less.
    """

    __slots__ = ()

    saved = ("position", "zoom", "angle")

    _dimensions = 2

    x = PoseValue(
        "_state",
        0,
        coordinate,
        "The x coordinate of the world at the center of the screen, in units.",
    )
    y = PoseValue(
        "_state",
        1,
        coordinate,
        "The y coordinate of the world at the center of the screen, in units.",
    )
    zoom = PoseValue(
        "_state",
        2,
        _zoom,
        "The scale of the world on the screen. The default is 1. With 2, the screen shows half of "
        "the width and height.",
    )
    angle = PoseValue(
        "_state",
        3,
        coordinate,
        "The angle of the camera in radians, counter-clockwise. The default is 0.",
    )

    @other_options(
        **dict.fromkeys(
            ("zoom", "position", "angle", "offset", "target", "limits", "limit_left", "bounds"),
            "write self.camera.zoom = 2 and self.camera.position = (x, y)",
        ),
    )
    def __init__(self, size: tuple[float, float]) -> None:
        width, height = checks.pair("size", size, above=0)
        view = ScreenMapping((width, height), (0, 0, round(width), round(height)))
        super().__init__(view, _home(view), _blend)

    @property
    def view(self) -> ScreenMapping:
        """The visible area: its size in units, and its rectangle in the framebuffer in pixels."""
        return self._view

    @view.setter
    def view(self, view: ScreenMapping) -> None:
        before = _home(self._view)
        self._view = checks.instance("view", view, ScreenMapping)
        state = self._state
        home = _home(view)
        if state.current == before != home:
            state.current = state.previous = home

    @property
    def position(self) -> tuple[float, float]:
        """The world point (x, y) in the middle of the screen, in units."""
        x, y, _, _ = self._state.current
        return x, y

    @position.setter
    def position(self, value: tuple[float, float]) -> None:
        try:
            x, y = value
        except (TypeError, ValueError):
            x, y = checks.pair("position", value)
        _, _, zoom, angle = self._state.current
        self._state.current = coordinate("position", x), coordinate("position", y), zoom, angle
        _set(self, "_moved", True)

    @other_options(
        **dict.fromkeys(
            ("bounds", "limits", "dead_zone", "look_ahead"),
            "write fw.Follow(self.camera, sprite, bounds=(0, 0, 2000, 1000), smoothing=0.8)",
        ),
    )
    def follow(
        self,
        target: Followed | None,
        *,
        offset: tuple[float, float] = (0.0, 0.0),
        smoothing: float = 0.0,
    ) -> Follow | None:
        """Keep ``target``, such as a sprite, in the middle of the screen.

        If ``target`` is None, the camera stops following.

        ``offset`` (x, y) is added to the target's position, in units. ``smoothing`` is at least 0
        and less than 1. In each tick, the distance from the camera to the target is multiplied by
        ``smoothing``, so with 0 the camera follows without delay. Return the new controller, or
        None if ``target`` is None. The controller is the same as
        ``fw.Follow(camera, target, offset, smoothing=…, glide=True)``.
        """
        if target is None:
            checks.vector("offset", offset, 2)
            checks.number("smoothing", smoothing, least=0, below=1)
            self.controller = None
            return None
        # imported here, because most cameras do not follow an object
        from ..motion.follow import Follow

        return Follow(self, target, offset, smoothing=smoothing, glide=True)

    # -- for controllers ---------------------------------------------------------------------------

    def _place(self, alpha: float) -> Place:
        """Return the camera position (x, y) that the game has set, interpolated for a frame.
        ``alpha`` is the time since the last tick, as a fraction of a tick. The position does not
        include any motion that a controller such as `Follow` adds.
        """
        return self._state.at(alpha)[:2]

    def _margins(self, alpha: float) -> Place:
        """Return half the width and half the height of the visible bounds, in world units."""
        _, _, zoom, angle = self._state.at(alpha)
        width, height = self._view.size
        sin, cos = map(abs, exact.functions().turn(angle))
        return (width * cos + height * sin) / (2 * zoom), (width * sin + height * cos) / (2 * zoom)

    def _pose_at(self, alpha: float, place: Place, direction: Place, up: Place) -> Pose:
        """Return the pose (x, y, zoom, angle) of a camera at the point ``place``."""
        x, y = place
        _, _, zoom, angle = self._state.at(alpha)
        return x, y, zoom, angle

    # -- ticks and frames --------------------------------------------------------------------------

    def pose(self, alpha: float) -> Pose:
        """Return the pose of the camera in a frame: x, y, zoom and angle, including the motion that
        the controller and camera shake add. ``alpha`` is the time since the last tick, as a
        fraction of a tick.

        The zoom is interpolated geometrically: in equal times it is multiplied by the same factor.
        Zooming therefore looks equally fast at every zoom level. The angle turns in whichever
        direction is shorter.
        """
        if type(alpha) is not float or not math.isfinite(alpha):
            alpha = checks.number("alpha", alpha)
        state = self._state
        if state.teleported:
            self._settle()
        if self._controller is not None:
            pose: Pose = self._controller.pose(alpha)
        elif state.previous is state.current or alpha == 1:
            pose = state.current
        else:
            pose = _blend(state.previous, state.current, alpha)
        return pose if self._shake is None else self._shaken(pose, alpha)

    def _shaken(self, pose: Pose, alpha: float) -> Pose:
        assert self._shake is not None
        x, y, zoom, angle = pose
        right, up = self._shake.at(alpha)
        cos = math.cos(angle)
        sin = math.sin(angle)
        x, y = self._displaced((x + right * cos - up * sin, y + right * sin + up * cos), alpha)
        return x, y, zoom, angle

    def view_projection(self, alpha: float = 1.0) -> Matrix44:
        """Return the matrix that converts world coordinates to clip space, the coordinates in which
        OpenGL draws. The matrix is float64 with the shape (4, 4). Use the matrix with row vectors:
        ``vector @ matrix``.
        """
        # imported here, because frames do not need this module
        from ..geometry.matrices import Matrix44

        a, b, c, d, tx, ty = self._seen(alpha)
        rows = np.array(
            [[a, b, 0.0, 0.0], [c, d, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [tx, ty, 0.0, 1.0]]
        )
        # pyrr's own constructor sets the attribute `shape`, which NumPy 2.5 deprecates
        return rows.view(Matrix44)

    def _seen(self, alpha: float) -> tuple[float, float, float, float, float, float]:
        pose = self.pose(alpha)
        return self._affine(pose, *exact.functions().turn(pose[3]))

    def _affine(
        self, pose: Pose, sin: float, cos: float
    ) -> tuple[float, float, float, float, float, float]:
        x, y, zoom, _ = pose
        width, height = self._view.size
        kx = 2 * zoom / width
        ky = 2 * zoom / height
        a = cos * kx
        b = -sin * ky
        c = sin * kx
        d = cos * ky
        return a, b, c, d, -(x * a + y * c), -(x * b + y * d)

    def world_to_screen(
        self, point: tuple[float, float], alpha: float = 1.0
    ) -> tuple[float, float]:
        """Convert a world point to the screen position at which the camera shows it. The position
        is in units from the bottom left corner of the screen.
        """
        a, b, c, d, tx, ty = self._seen(alpha)
        x, y = checks.pair("point", point)
        width, height = self._view.size
        return (x * a + y * c + tx + 1) * width / 2, (x * b + y * d + ty + 1) * height / 2

    def screen_to_world(
        self, point: tuple[float, float], alpha: float = 1.0
    ) -> tuple[float, float]:
        """Convert a screen position, such as ``self.mouse.position``, to a point in the world.

        ``point`` is in units from the bottom left corner of the screen.
        """
        x, y, zoom, angle = self.pose(alpha)
        across, upwards = checks.pair("point", point)
        width, height = self._view.size
        dx = (across - width / 2) / zoom
        dy = (upwards - height / 2) / zoom
        sin, cos = exact.functions().turn(angle)
        return x + dx * cos - dy * sin, y + dx * sin + dy * cos

    def visible_bounds(self, alpha: float = 1.0) -> tuple[float, float, float, float]:
        """Return a box around the visible part of the world. If the camera is rotated, the box is
        larger than the visible part.

        The box is a tuple (left, bottom, right, top) in world units.
        """
        width, height = self._view.size
        corners = [
            self.screen_to_world(corner, alpha)
            for corner in ((0, 0), (width, 0), (0, height), (width, height))
        ]
        xs, ys = zip(*corners, strict=True)
        return min(xs), min(ys), max(xs), max(ys)

    def _difference(self, drawn: Pose, alpha: float, max_distance: float) -> Pose | None:
        x, y, zoom, angle = self.pose(alpha)
        moved = drawn[0] - x, drawn[1] - y
        difference = *moved, drawn[2] / zoom, math.remainder(drawn[3] - angle, math.tau)
        is_near = max(map(abs, moved)) <= max_distance
        return difference if is_near and difference != (0, 0, 1, 0) else None

    def _shown(self, alpha: float) -> Pose:
        pose = self.pose(alpha)
        if self._error is None:
            return pose
        (x, y, factor, angle), share = self._error
        return (
            pose[0] + x * share,
            pose[1] + y * share,
            pose[2] * factor**share,
            pose[3] + angle * share,
        )

    def _frame_block(
        self,
        alpha: float,
        time: float,
        viewport: Viewport | None = None,
        flicks: int = 0,
    ) -> bytes:
        x, y, zoom, angle = pose = self._shown(alpha)
        view = self.view
        a, b, c, d, tx, ty = self._affine(pose, math.sin(angle), math.cos(angle))
        _, _, width, height = view.viewport if viewport is None else viewport
        ratio_x = width / view.size[0]
        ratio_y = height / view.size[1]
        matrix = a, b, 0, 0, c, d, 0, 0, 0, 0, -1, 0, tx, ty, 0, 1
        pixels_per_unit = ratio_x * zoom, ratio_y * zoom
        still = pose == self._state.current == self._state.previous
        return _FRAME.pack(
            *matrix, width, height, *pixels_per_unit, alpha, time, x, y, flicks, still
        )


@singledispatch
def parallax_center(
    camera: Camera2D,
    alpha: float,
    parallax: tuple[float, float],
    origin: tuple[float, float] | None,
) -> tuple[float, float]:
    """Return the camera position for a drawable that has ``parallax``, such as a distant
    background.

    ``parallax`` contains one factor for x and one for y, by which the camera's motion is multiplied
    for this drawable. While the camera is at ``origin``, the drawable appears where it would appear
    without parallax. The default for ``origin`` is the position of a new camera.
    """
    x, y, _, _ = camera.pose(alpha)
    first_x, first_y = origin or (camera.view.size[0] / 2, camera.view.size[1] / 2)
    return x - (x - first_x) * (1 - parallax[0]), y - (y - first_y) * (1 - parallax[1])


def _home(view: ScreenMapping) -> Pose:
    return view.size[0] / 2, view.size[1] / 2, 1.0, 0.0
