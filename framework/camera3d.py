"""Cameras in space."""

from __future__ import annotations

import math
import struct
from typing import NamedTuple, Protocol

import numpy as np
import pyrr
from numpy.typing import ArrayLike, NDArray

from . import quaternions
from .camera import View
from .columns import in_cells

# The uniform block of shaders/include/frame3d.glsl, std140: what frame.glsl has, then what only space needs.
_FRAME = struct.Struct("=16f2f2f2f2f16f4f4f")

Vector = NDArray[np.float64]


class Shot(NamedTuple):
    """What a camera showed in a frame."""

    alpha: float
    eye: Vector
    """Where it stood: (3,)."""
    rotation: NDArray[np.float32]
    """How it was turned: a quaternion (4,)."""
    view: Vector
    """World units, less the eye, to the camera's: a rotation (4, 4) for row vectors."""
    projection: Vector
    """The camera's units to clip space: (4, 4) for row vectors."""

    def sees(self, centers: NDArray[np.float32], radii: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Whether balls may be in the picture: ``centers`` (n, 3) from the eye, in the world's axes, ``radii`` (n,).

        Against the six planes of the picture: some that are beside a corner of it are taken to be in it.
        """
        m = self.view @ self.projection
        seen = np.ones(len(centers), bool)
        for axis in range(3):
            for side in (1, -1):
                plane = m[:, 3] + side * m[:, axis]  # 0 at the edge of clip space, above it within
                plane = (plane / np.linalg.norm(plane[:3])).astype(np.float32)
                seen &= centers @ plane[:3] + radii >= -plane[3]
        return seen


class Controller(Protocol):
    """What moves a camera: it is asked for the pose of every frame. `controls` has some; one of your own will do."""

    def begin_tick(self) -> None:
        """A tick begins: what was current is previous."""

    def end_tick(self, snap: bool) -> None:
        """The tick has ended; with ``snap``, the camera is drawn where this leaves it, without a way there."""

    def pose(self, alpha: float) -> tuple[Vector, NDArray[np.float32]]:
        """Position float64 (3,) and rotation, a unit quaternion (4,), at ``alpha``."""


class Camera3D:
    """A camera in space, y up. Not turned, it looks along -z.

    ``position`` (three numbers, units) and ``rotation`` (a quaternion x y z w) are interpolated between ticks with the
    alpha of everything else; so are ``fov`` and ``height``.

    Parameters
    ----------
    fov
        Radians from the lower to the upper edge of the picture.
    near, far
        Units from the camera that things are drawn between.
    height
        Units from the lower to the upper edge of the picture: the camera is orthographic then. None for perspective.
    """

    def __init__(
        self, fov: float = math.radians(60), near: float = 0.1, far: float = 1000.0, *, height: float | None = None
    ) -> None:
        self._view = View((1.0, 1.0), (0, 0, 1, 1))
        self._lens: tuple[float, float] = (fov, 0.0)
        self.fov, self.height = fov, height
        self._near, self._far = _depths(near, far)
        self._position: Vector = np.zeros(3)
        self._rotation = np.array([0, 0, 0, 1], np.float32)
        self._snapping = self._in_tick = False
        self._previous = self._state()
        self.controller: Controller | None = None
        """What moves it, if not the game itself: an `Orbit`, a `Fly`, a `Follow`."""
        self.shot: Shot | None = None
        """What the frame that is drawn shows; None before the first."""

    def _state(self) -> tuple[Vector, NDArray[np.float32], tuple[float, float]]:
        return self._position.copy(), self._rotation.copy(), self._lens

    # -- what to set -----------------------------------------------------------------------------------------------

    @property
    def view(self) -> View:
        """The size of the picture in units of the HUD, and its place on the framebuffer."""
        return self._view

    @view.setter
    def view(self, view: View) -> None:
        self._view = view

    @property
    def position(self) -> Vector:
        """Where it is: float64 (3,), to be written whole, not number by number."""
        position = self._position.view()
        position.flags.writeable = False
        return position

    @position.setter
    def position(self, value: ArrayLike) -> None:
        self._position = checked_vector("position", value, 3)

    @property
    def rotation(self) -> NDArray[np.float32]:
        """How it is turned: a unit quaternion (4,), to be written whole."""
        rotation = self._rotation.view()
        rotation.flags.writeable = False
        return rotation

    @rotation.setter
    def rotation(self, value: ArrayLike) -> None:
        rotation = checked_vector("rotation", value, 4)
        length = float(np.linalg.norm(rotation))
        if not length:
            raise ValueError(f"rotation: expected a quaternion of some length, got {value!r}")
        self._rotation = (rotation / length).astype(np.float32)

    @property
    def fov(self) -> float:
        return self._lens[0]

    @fov.setter
    def fov(self, value: float) -> None:
        if not 0 < value < math.pi:
            raise ValueError(
                f"fov: expected radians above 0 and below pi (60 degrees: math.radians(60)), got {value!r}"
            )
        self._lens = float(value), self._lens[1]

    @property
    def height(self) -> float | None:
        return self._lens[1] or None

    @height.setter
    def height(self, value: float | None) -> None:
        if value is not None and not (math.isfinite(value) and value > 0):
            raise ValueError(f"height: expected a finite number above 0 or None, got {value!r}")
        self._lens = self._lens[0], float(value or 0.0)

    @property
    def near(self) -> float:
        return self._near

    @near.setter
    def near(self, value: float) -> None:
        self._near, self._far = _depths(value, self._far)

    @property
    def far(self) -> float:
        return self._far

    @far.setter
    def far(self, value: float) -> None:
        self._near, self._far = _depths(self._near, value)

    def look_at(self, target: ArrayLike, up: tuple[float, float, float] = (0.0, 1.0, 0.0)) -> None:
        """Turn to a point of the world, ``up`` being up in the picture. Raises `ValueError` for its own position."""
        way = checked_vector("target", target, 3) - self._position
        if not way.any():
            raise ValueError(f"target: the camera is at {tuple(self._position.tolist())} itself")
        self._rotation = quaternions.looking((way[0], way[1], way[2]), up)

    def teleport(self) -> None:
        """Show the camera where this tick leaves it, without a way there."""
        self._snapping = True

    @property
    def forward(self) -> Vector:
        """The way in which it looks, of length 1."""
        return self._axis((0, 0, -1))

    @property
    def right(self) -> Vector:
        """To the right of its picture, of length 1."""
        return self._axis((1, 0, 0))

    @property
    def up(self) -> Vector:
        """Up in its picture, of length 1."""
        return self._axis((0, 1, 0))

    def _axis(self, axis: tuple[int, int, int]) -> Vector:
        way: Vector = quaternions.rotate(self._rotation[None], np.array([axis], np.float32))[0].astype(np.float64)
        return way

    # -- ticks and frames ------------------------------------------------------------------------------------------

    def begin_tick(self) -> None:
        self._previous = self._state()
        self._snapping = False
        self._in_tick = True
        if self.controller is not None:
            self.controller.begin_tick()

    def end_tick(self) -> None:
        self._in_tick = False
        if self.controller is not None:
            self.controller.end_tick(self._snapping)
            self._position, self._rotation = self.controller.pose(1.0)
        if self._snapping:
            self._previous = self._state()
            self._snapping = False

    def pose(self, alpha: float) -> tuple[Vector, NDArray[np.float32]]:
        """Where it is shown from at ``alpha``: position float64 (3,) and rotation (4,)."""
        if self._snapping and not self._in_tick:
            self._previous = self._state()
            if self.controller is not None:
                self.controller.end_tick(True)
        if self.controller is not None:
            return self.controller.pose(alpha)
        position, rotation, _ = self._previous
        turned = quaternions.slerp_one(rotation, self._rotation, alpha)
        return position + (self._position - position) * alpha, turned

    def projection(self, alpha: float = 1.0) -> pyrr.Matrix44:
        """The camera's units to clip space, float64, for row vectors."""
        fov, height = self._previous[2]
        height = height or self._lens[1]  # from perspective to orthographic there is no way between
        fov, height = fov + (self._lens[0] - fov) * alpha, height + (self._lens[1] - height) * alpha
        width, depth = self._view.size[0] / self._view.size[1], self._far - self._near
        m = np.zeros((4, 4))
        if self._lens[1]:
            m[0, 0], m[1, 1] = 2 / (height * width), 2 / height
            m[2, 2], m[3, 2], m[3, 3] = -2 / depth, -(self._far + self._near) / depth, 1
        else:
            m[1, 1] = 1 / math.tan(fov / 2)
            m[0, 0] = m[1, 1] / width
            m[2, 2], m[3, 2], m[2, 3] = -(self._far + self._near) / depth, -2 * self._far * self._near / depth, -1
        return m.view(pyrr.Matrix44)

    def view_matrix(self, alpha: float = 1.0) -> pyrr.Matrix44:
        """World units to the camera's, float64, for row vectors."""
        eye, rotation = self.pose(alpha)
        m = _turned(rotation)
        m[3, :3] = -eye @ m[:3, :3]
        return m.view(pyrr.Matrix44)

    def view_projection(self, alpha: float = 1.0) -> pyrr.Matrix44:
        """World units to clip space, float64, for row vectors."""
        return (np.asarray(self.view_matrix(alpha)) @ np.asarray(self.projection(alpha))).view(pyrr.Matrix44)

    def pack_frame(self, alpha: float, time: float, viewport: tuple[int, int, int, int] | None = None) -> bytes:
        """The frame's uniform block for this camera; ``viewport`` where it is not the view's, in pixels."""
        eye, rotation = self.pose(alpha)
        shot = self.shot = Shot(alpha, eye, rotation, _turned(rotation), np.asarray(self.projection(alpha)))
        _, _, width, height = self._view.viewport if viewport is None else viewport
        place = in_cells(eye[None])[0].tolist()
        return _FRAME.pack(
            *(shot.view @ shot.projection).reshape(-1).tolist(),
            width, height, width / self._view.size[0], height / self._view.size[1], alpha, time, 0.0, 0.0,
            *shot.view.reshape(-1).tolist(), *place[:3], self._near, *place[3:], self._far,
        )  # fmt: skip

    # -- picture and world -----------------------------------------------------------------------------------------

    def world_to_screen(self, point: ArrayLike, alpha: float = 1.0) -> tuple[float, float] | None:
        """Where a point of the world is in the picture, in units from its bottom left; None behind the camera."""
        x, y, _, w = np.array([*checked_vector("point", point, 3), 1.0]) @ np.asarray(self.view_projection(alpha))
        if w <= 0:
            return None
        width, height = self._view.size
        return float((x / w + 1) * width / 2), float((y / w + 1) * height / 2)

    def screen_ray(self, point: tuple[float, float], alpha: float = 1.0) -> tuple[Vector, Vector]:
        """Where a place in the picture (as the mouse reports it) looks: from (3,), and a direction (3,) of length 1."""
        eye, rotation = self.pose(alpha)
        projection = np.asarray(self.projection(alpha))
        width, height = self._view.size
        x, y = (2 * point[0] / width - 1) / projection[0, 0], (2 * point[1] / height - 1) / projection[1, 1]
        turn = _turned(rotation)[:3, :3].T
        if self._lens[1]:
            return eye + np.array([x, y, 0.0]) @ turn, np.array([0.0, 0.0, -1.0]) @ turn
        way = np.array([x, y, -1.0]) @ turn
        return eye, way / np.linalg.norm(way)


def _turned(rotation: NDArray[np.float32]) -> Vector:
    m = np.zeros((4, 4))
    m[:3, :3] = quaternions.matrix_one(rotation).T
    m[3, 3] = 1
    return m


def checked_vector(name: str, value: ArrayLike, length: int) -> Vector:
    """``value`` as float64 (length,). Raises `ValueError`, by name, where it is not so many finite numbers."""
    try:
        vector = np.array(value, np.float64)
    except (TypeError, ValueError):
        vector = np.zeros(0)
    if vector.shape != (length,) or not np.isfinite(vector).all():
        raise ValueError(f"{name}: expected {length} finite numbers, got {value!r}")
    return vector


def _depths(near: float, far: float) -> tuple[float, float]:
    if not (math.isfinite(near) and math.isfinite(far) and 0 < near < far):
        raise ValueError(f"near, far: expected 0 < near < far, both finite, got {near!r} and {far!r}")
    return float(near), float(far)
