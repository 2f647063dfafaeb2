"""3D cameras, with a perspective or orthographic view of a world."""

from __future__ import annotations

__all__ = ["Camera3D"]

import math
import struct
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Floats, Mask
from ..checks import Setting
from ..geometry import exact, quaternions
from ..geometry.matrices import Matrix44
from ..gpu.handover import in_cells
from ..motion.camera_base import (
    MAX_MAGNITUDE,
    CameraBase,
    Place,
    PoseValue,
    Viewport,
    coordinates,
)
from ..moved_names import HasMoved, moved, renamed_options
from ..other_engines.other_options import other_options
from ..other_engines.space_names import camera3_d_names
from ..screen_mapping import ScreenMapping
from ..state.latched import Latched

# The uniform block of shaders/include/frame3d.glsl, in std140 layout. First come the members of
# frame.glsl, and then the members for 3D.
_FRAME = struct.Struct("=16f2f2f2f2f16f4f4f")


_UPRIGHT = np.array([0, 0, 0, 1], np.float32)


class Shot(NamedTuple):
    """The position, rotation and matrices of a 3D camera in one frame."""

    alpha: float
    eye: Doubles
    """The position of the camera in world units, as an array of three numbers."""
    rotation: Floats
    """The rotation of the camera, as a unit quaternion (x, y, z, w)."""
    view: Doubles
    """The matrix that rotates the world's axes to the axes of the camera, for row vectors. It has
    the shape (4, 4), and applies to positions relative to the camera.
    """
    projection: Doubles
    """The matrix that converts the camera's axes to clip space (the coordinates that OpenGL draws
    in), for row vectors. It has the shape (4, 4).
    """

    def sees(self, centers: Floats, radii: Floats) -> Mask:
        """Return whether a part of each sphere may be visible on the screen. The result is a bool
        array with the shape (n,).

        ``centers`` are the centers of the spheres, relative to the camera's position. ``centers``
        has the shape (n, 3). ``radii`` are the radii in units, with the shape (n,). The method
        tests each sphere against the six planes that enclose the camera's view. For a sphere just
        outside a corner of the view, the result may be True although the sphere is not visible.
        """
        m = self.view @ self.projection
        visible = np.ones(len(centers), bool)
        for axis in range(3):
            for side in (1, -1):
                # The distance to this plane is 0 at the edge of clip space, and positive inside.
                exact_plane = m[:, 3] + side * m[:, axis]
                length = float(np.linalg.norm(exact_plane[:3]))
                plane: Floats = (exact_plane / length).astype(np.float32)
                edge: np.float32 = -plane[3]
                visible &= centers @ plane[:3] + radii >= edge
        return visible


Pose = tuple[Doubles, Floats]
"""The position and rotation of a camera: a float64 array of world units with the shape (3,), and a
unit quaternion (x, y, z, w).
"""

Lens = tuple[float, float]
"""The ``fov`` of a camera in radians, and its ``ortho_height`` in units. The height is 0 in a
perspective view.
"""

# With a smaller `fov` or `ortho_height`, float32 cannot represent the projection.
_MIN_LENS = 1e-9


def _blend(previous: Pose, current: Pose, alpha: float) -> Pose:
    position, rotation = previous
    next_position, turned = current
    return position + (next_position - position) * alpha, quaternions.slerp_one(
        rotation, turned, alpha
    )


def _blend_lens(previous: Lens, current: Lens, alpha: float) -> Lens:
    fov, height = previous
    next_fov, next_height = current
    # A perspective view and an orthographic view cannot be blended.
    start = height if height and next_height else next_height
    return fov + (next_fov - fov) * alpha, start + (next_height - start) * alpha


def _position(name: str, value: object) -> Doubles:
    position = coordinates(name, value, 3)
    position.flags.writeable = False
    return position


def _rotation(name: str, value: object) -> Floats:
    rotation = checks.direction(name, value, 4).astype(np.float32)
    rotation.flags.writeable = False
    return rotation


def _fov(name: str, value: object) -> float:
    fov = checks.number(name, value)
    if not _MIN_LENS <= fov < math.pi:
        raise checks.wrong_value(
            name, "radians above 0 and below pi (60 degrees: math.radians(60))", value
        )
    return fov


def _height(name: str, value: object) -> float:
    return 0.0 if value is None else checks.number(name, value, least=_MIN_LENS, most=MAX_MAGNITUDE)


_depth = partial(checks.number, above=0, most=MAX_MAGNITUDE)


class _Height(PoseValue[float | None]):
    """The attribute ``ortho_height``, the height of an orthographic view. `_Height` stores None (a
    perspective view) as 0.
    """

    def __init__(self, doc: str) -> None:
        super().__init__("_lens", 1, _height, doc)

    def read(self, thing: Any) -> float | None:
        """Return the height of an orthographic view in units, or None for a perspective view."""
        return super().read(thing) or None


@moved("camera", {}, settings={"height": "ortho_height"})
@camera3_d_names
class Camera3D(CameraBase[Pose], HasMoved):
    """A camera in a 3D world. The y axis of the world points up.

    A camera that is not rotated points along the -z axis.

    ``position`` is a point in the world: three numbers in units. ``rotation`` is a quaternion with
    four numbers: x y z w. ``position``, ``rotation``, ``fov`` and ``ortho_height`` are interpolated
    between ticks. Assigning an invalid value raises an error that contains the name of the
    attribute.

    Parameters
    ----------
    fov
        The vertical field of view in radians: the angle from the bottom to the top of the screen.
    near, far
        The smallest and the largest distance at which the camera shows solids, in units. ``near``
        must be below ``far``. This is checked only when the camera is used, so you can change the
        two in any order.
    ortho_height
        The height of an orthographic view: the distance from the bottom to the top of the screen in
        units. Unity and glTF files specify half of this height (``orthographicSize``, ``ymag``). By
        default, ``ortho_height`` is None, which gives a perspective view.
    """

    __slots__ = ("_far", "_lens", "_near", "shot")

    not_state = ("shot",)
    saved = ("position", "rotation", "fov", "ortho_height", "near", "far")

    _near: float
    _far: float

    _dimensions = 3

    position: PoseValue[Doubles] = PoseValue(
        "_state",
        0,
        _position,
        "The position of the camera in units: float64 (3,). To move the camera, assign a "
        "new array.",
    )
    rotation = PoseValue(
        "_state",
        1,
        _rotation,
        "The rotation of the camera as a unit quaternion (x, y, z, w). To turn the camera, assign "
        "a new array.",
    )
    fov = PoseValue("_lens", 0, _fov, "The vertical field of view, in radians.")
    ortho_height = _Height(
        "The height of an orthographic view in units, from the bottom to the top of the screen. "
        "None for a perspective view. Unity's orthographic size is half of this height."
    )
    near = Setting(
        _depth, "The smallest distance from the camera at which solids are drawn, in units."
    )
    far = Setting(
        _depth, "The largest distance from the camera at which solids are drawn, in units."
    )
    view = Setting(
        partial(checks.instance, kind=ScreenMapping),
        "The size of the screen in units, and the rectangle of the screen in pixels.",
    )

    @renamed_options("Camera3D", height="ortho_height")
    @other_options(
        **dict.fromkeys(
            ("position", "target", "rotation", "up", "pitch", "yaw"),
            "write self.world.camera.position = (0, 4, 10) and self.world.camera.look_at((0, 0, 0))",
        ),
    )
    def __init__(
        self,
        fov: float = math.radians(60),
        near: float = 0.1,
        far: float = 1000.0,
        *,
        ortho_height: float | None = None,
    ) -> None:
        pose = _position("position", (0, 0, 0)), _rotation("rotation", (0, 0, 0, 1))
        super().__init__(ScreenMapping((1.0, 1.0), (0, 0, 1, 1)), pose, _blend)
        self._lens = Latched((_fov("fov", fov), _height("ortho_height", ortho_height)), _blend_lens)
        self.near = near
        self.far = far
        self._depths()
        self.shot: Shot | None = None
        """The pose and the matrices of the camera in the current frame. None before the first
        frame.
        """

    def _depths(self) -> tuple[float, float]:
        """Return the attributes `near` and `far`, in units.

        Raises `ValueError` if ``near`` is not below ``far``.
        """
        if not self._near < self._far:
            raise ValueError(
                f"near, far: expected near < far, got {self._near!r} and {self._far!r}"
            )
        return self._near, self._far

    def after_load(self) -> None:
        """Called after a save has been loaded. The next frame shows the camera at the loaded
        position, without interpolation.

        Raises `ValueError` if ``near`` is not below ``far``.
        """
        self._depths()
        super().after_load()

    def look_at(self, target: ArrayLike, up: tuple[float, float, float] = (0.0, 1.0, 0.0)) -> None:
        """Rotate the camera so that it points at ``target``, a point in the world.

        ``up`` is the direction in the world that will point up on the screen. Raises `ValueError`
        if the camera is at ``target``.
        """
        away: list[float] = (checks.vector("target", target, 3) - self.position).tolist()
        x, y, z = away
        upwards = checks.direction("up", up)
        if not (x or y or z):
            position: list[float] = self.position.tolist()
            raise ValueError(
                f"target: expected another point than the camera's position {tuple(position)}"
            )
        up_x: float = upwards[0]
        up_y: float = upwards[1]
        up_z: float = upwards[2]
        self.rotation = quaternions.look_rotation((x, y, z), (up_x, up_y, up_z))

    @property
    def forward(self) -> Doubles:
        """The direction from the camera to the middle of the screen, as a vector of length 1."""
        return self._axis((0, 0, -1))

    @property
    def right(self) -> Doubles:
        """The direction in the world that points to the right on the screen, as a vector of length
        1.
        """
        return self._axis((1, 0, 0))

    @property
    def up(self) -> Doubles:
        """The direction in the world that points up on the screen, as a vector of length 1."""
        return self._axis((0, 1, 0))

    def _axis(self, axis: tuple[int, int, int]) -> Doubles:
        turned: Floats = quaternions.rotate(self.rotation[None], np.array([axis], np.float32))[0]
        return turned.astype(np.float64)

    # -- used by controllers -----------------------------------------------------------------------

    def _place(self, alpha: float) -> Place:
        """Return the camera position that the game has set, interpolated for a frame, as three
        numbers in units. ``alpha`` is the time since the last tick, as a fraction of a tick. The
        position does not include motion that a controller or camera shake adds.
        """
        position, _ = self._state.at(alpha)
        numbers: list[float] = position.tolist()
        return tuple(numbers)

    def _margins(self, alpha: float) -> Place:
        """Return a margin of 0 for each axis, because the visible area of a 3D view depends on the
        distance.
        """
        return 0.0, 0.0, 0.0

    def _pose_at(self, alpha: float, place: Place, direction: Place, up: Place) -> Pose:
        """Return the position and rotation of a camera at ``place`` that points in the direction
        ``direction``.

        ``up`` is the direction in the world that points up on the screen.
        """
        x, y, z = direction
        right, upwards, back = up
        return np.array(place), quaternions.look_rotation((x, y, z), (right, upwards, back))

    # -- ticks and frames --------------------------------------------------------------------------

    def teleport(self) -> None:
        """Show the camera at its new position immediately: do not interpolate from the last
        tick.
        """
        super().teleport()
        self._lens.teleported = True

    def _begin_tick(self) -> None:
        """Begin a tick: store the current position, rotation and field of view as the values before
        the tick.
        """
        super()._begin_tick()
        self._lens.begin_tick()

    def _end_tick(self) -> None:
        """End a tick. At the end of a tick, a controller sets the position and rotation of the
        camera.
        """
        super()._end_tick()
        self._lens.end_tick()

    def _notice_writes(self) -> None:
        """Called in each frame while no ticks are running, for example while the game is paused. If
        the game has set values since the last call, the next frame shows the new values without
        interpolation.
        """
        super()._notice_writes()
        self._lens.notice_writes()

    def _kept(self, pose: Pose) -> Pose:
        position = np.array(pose[0], np.float64)
        rotation = np.array(pose[1], np.float32)
        position.flags.writeable = rotation.flags.writeable = False
        return position, rotation

    def pose(self, alpha: float) -> Pose:
        """Return the position and rotation of the camera in a frame, including the motion that the
        controller and camera shake add. ``alpha`` is the time since the last tick, as a fraction of
        a tick.

        The position is a float64 array with the shape (3,), and the rotation is a unit quaternion x
        y z w.
        """
        alpha = checks.number("alpha", alpha)
        state = self._state
        if state.teleported:
            self._settle()
        pose: Pose = (
            self._controller.pose(alpha) if self._controller is not None else state.at(alpha)
        )
        return pose if self._shake is None else self._shaken(pose, alpha)

    def _shaken(self, pose: Pose, alpha: float) -> Pose:
        assert self._shake is not None
        position, rotation = pose
        x, y = self._shake.at(alpha)
        right: Doubles
        up: Doubles
        right, up, _ = quaternions.matrix_one(rotation)
        shaken: list[float] = (position + right * x + up * y).tolist()
        return np.array(self._displaced(tuple(shaken), alpha)), rotation

    def projection(self, alpha: float = 1.0) -> Matrix44:
        """Return the matrix that converts positions relative to the camera to clip space, the
        coordinates that OpenGL draws in. Use the matrix with row vectors: ``vector @ matrix``. The
        matrix has the dtype float64 and the shape (4, 4).

        Raises `ValueError` if ``near`` is not below ``far``.
        """
        if type(alpha) is not float or not math.isfinite(alpha):
            alpha = checks.number("alpha", alpha)
        fov, height = self._lens.at(alpha)
        near, far = self._depths()
        width = self._view.size[0] / self._view.size[1]
        depth = far - near
        m = np.zeros((4, 4))
        if height:
            m[0, 0] = 2 / (height * width)
            m[1, 1] = 2 / height
            m[2, 2] = -2 / depth
            m[3, 2] = -(far + near) / depth
            m[3, 3] = 1
        else:
            sine, cosine = exact.functions().turn(fov / 2)
            m[1, 1] = cosine / sine
            m[0, 0] = cosine / sine / width
            m[2, 2] = -(far + near) / depth
            m[3, 2] = -2 * far * near / depth
            m[2, 3] = -1
        return m.view(Matrix44)

    def view_matrix(self, alpha: float = 1.0) -> Matrix44:
        """Return the matrix that converts world positions to positions relative to the camera. Use
        the matrix with row vectors: ``vector @ matrix``. The matrix has the dtype float64 and the
        shape (4, 4).
        """
        eye, rotation = self.pose(alpha)
        m = _turned(rotation)
        m[3, :3] = exact.functions().matmul(-eye, m[:3, :3])
        return m.view(Matrix44)

    def view_projection(self, alpha: float = 1.0) -> Matrix44:
        """Return the matrix that converts world positions to clip space, the coordinates that
        OpenGL draws in. Use the matrix with row vectors: ``vector @ matrix``. The matrix has the
        dtype float64 and the shape (4, 4).
        """
        view: Doubles = np.asarray(self.view_matrix(alpha))
        projection: Doubles = np.asarray(self.projection(alpha))
        matrix: Doubles = exact.functions().matmul(view, projection)
        return matrix.view(Matrix44)

    # -- screen and world --------------------------------------------------------------------------

    def world_to_screen(self, point: ArrayLike, alpha: float = 1.0) -> tuple[float, float] | None:
        """Convert a world point to the screen position at which the camera shows it, in units from
        the bottom left corner.

        If the point is behind the camera, return None.
        """
        homogeneous = np.array([*checks.vector("point", point, 3), 1.0])
        x: float
        y: float
        w: float
        x, y, _, w = exact.functions().matmul(homogeneous, np.asarray(self.view_projection(alpha)))
        if w <= 0:
            return None
        width, height = self._view.size
        return float((x / w + 1) * width / 2), float((y / w + 1) * height / 2)

    def screen_ray(self, point: tuple[float, float], alpha: float = 1.0) -> tuple[Doubles, Doubles]:
        """Return the ray from the camera through a point on the screen, such as the mouse position.

        ``point`` is in units from the bottom left corner of the screen. The ray is a pair: a start
        position in world units, and a direction as a vector of length 1.
        """
        eye, rotation = self.pose(alpha)
        projection: Doubles = np.asarray(self.projection(alpha))
        width, height = self._view.size
        across, upwards = checks.pair("point", point)
        x: float = (2 * across / width - 1) / projection[0, 0]
        y: float = (2 * upwards / height - 1) / projection[1, 1]
        turn = _turned(rotation)[:3, :3].T
        direction: Doubles
        if self.ortho_height:
            displacement: Doubles = exact.matmul(np.array([x, y, 0.0]), turn)
            direction = exact.matmul(np.array([0.0, 0.0, -1.0]), turn)
            return eye + displacement, direction
        direction = exact.matmul(np.array([x, y, -1.0]), turn)
        length = exact.norm(direction)
        return eye, direction / length

    def _difference(self, drawn: Pose, alpha: float, max_distance: float) -> Pose | None:
        position, rotation = self.pose(alpha)
        moved = drawn[0] - position
        turned = quaternions.multiply(drawn[1], quaternions.conjugate(rotation))
        if np.abs(moved).max() > max_distance or not np.isfinite(moved).all():
            return None
        is_same = not moved.any() and np.array_equal(drawn[1], rotation)
        return None if is_same else (moved, turned)

    def _shown(self, alpha: float) -> Pose:
        pose = self.pose(alpha)
        if self._error is None:
            return pose
        (moved, turned), share = self._error
        spin = quaternions.slerp_one(_UPRIGHT, turned, share)
        rotation = quaternions.normalized(quaternions.multiply(spin, pose[1]))
        return pose[0] + moved * share, rotation.astype(np.float32)

    def _frame_block(
        self,
        alpha: float,
        time: float,
        viewport: Viewport | None = None,
        flicks: int = 0,
    ) -> bytes:
        eye, rotation = self._shown(alpha)
        shot = self.shot = Shot(
            alpha, eye, rotation, _turned(rotation), np.asarray(self.projection(alpha))
        )
        view = self.view
        _, _, width, height = view.viewport if viewport is None else viewport
        cells: list[float] = in_cells(eye[None])[0].tolist()
        return _FRAME.pack(
            *(shot.view @ shot.projection).reshape(-1).tolist(),
            width,
            height,
            width / view.size[0],
            height / view.size[1],
            alpha,
            time,
            0.0,
            0.0,
            *shot.view.reshape(-1).tolist(),
            *cells[:3],
            self.near,
            *cells[3:],
            self.far,
        )


def _turned(rotation: Floats) -> Doubles:
    m = np.zeros((4, 4))
    m[:3, :3] = quaternions.matrix_one(rotation).T
    m[3, 3] = 1
    return m
