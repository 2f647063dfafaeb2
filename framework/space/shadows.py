"""Shadows: draw the depth of the world as seen from the sun.

A surface is lit if the depth textures contain nothing between it and the sun. Shadows near the
camera need a higher resolution than shadows far away. The distance from the camera is therefore
divided into ranges, which are called cascades. Each cascade is drawn into its own area of one large
texture. A cascade covers a sphere around everything that is visible in its range. This sphere has
the same size when the camera turns, and it moves only by whole texels. The edges of shadows
therefore do not flicker when the camera moves.
"""

from __future__ import annotations

__all__ = ["Shadows"]

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .. import checks
from ..arrays import Doubles
from ..gpu.gl import moderngl
from ..gpu.graphics import SHADOW_FRAME_BINDING, driver_limit
from ..motion.camera_base import frame_block_of
from .camera3d import Camera3D, Shot
from .solids import DrivenSolid

MAX_CASCADES = 4
"""The maximum number of cascades. A cascade is a range of distance from the camera."""

# The growth of the cascades with the distance: 0 for equal steps, 1 for equal factors.
_SPLIT = 0.65

# The depth bias of solids that cast shadows: the factor of their slope, and a minimum in the
# smallest steps of depth. The bias prevents that a surface shadows itself.
_BIAS = (2.0, 4.0)

_DEPTH_CLAMP = 0x864F  # GL_DEPTH_CLAMP: solids in front of a cascade still cast a shadow into it
_ALIGNMENT = 256  # alignment of a part of a uniform buffer, the largest that a driver may require


@dataclass(frozen=True, slots=True)
class Shadows:
    """The options for the shadows of the sun: ``world.shadows = Shadows(distance=200)``.

    Parameters
    ----------
    resolution
        The width and height of the shadow texture of each cascade, in texels.
    distance
        The distance from the camera at which shadows end, in units.
    cascades
        The number of cascades, from 1 to `MAX_CASCADES`. A cascade is a range of distance with its
        own shadow texture. All solids that cast shadows are drawn once for each cascade.
    """

    resolution: int = 1024
    distance: float = 60.0
    cascades: int = 3

    def __post_init__(self) -> None:
        checks.whole("resolution", self.resolution, 16, 8192)
        checks.whole("cascades", self.cascades, 1, MAX_CASCADES)
        checks.number("distance", self.distance, above=0)


def cascades(
    settings: Shadows, shot: Shot, sun: Doubles, near: float, far: float
) -> list[tuple[Doubles, float]]:
    """Return the matrix of each cascade, and the size of a texel in this cascade, in units.

    The matrix has the shape (4, 4), for row vectors. The matrix transforms positions relative to
    the camera to the sun's clip space. ``sun`` is a vector of length 1 that points to the sun.
    ``near`` and ``far`` are the limits of the camera, in units.
    """
    end = max(min(settings.distance, far), near * 1.001)
    share = np.arange(settings.cascades + 1) / settings.cascades
    ends = _SPLIT * near * (end / near) ** share + (1 - _SPLIT) * (near + (end - near) * share)
    turn = _sun_axes(sun)
    return [
        _cascade(shot, turn, float(ends[i]), float(ends[i + 1]), settings.resolution, 2 * end)
        for i in range(settings.cascades)
    ]


def _sun_axes(sun: Doubles) -> Doubles:
    """Return the axes of the sun's view: right, up, and towards the sun. The array has the shape
    (3, 3), and each row has the length 1.
    """
    height = float(sun[1])
    right: Doubles
    right = np.cross((0.0, 1.0, 0.0) if abs(height) < 0.999 else (0.0, 0.0, -1.0), sun)
    right /= np.linalg.norm(right)
    return np.array([right, np.cross(sun, right), sun])


def _cascade(
    shot: Shot, turn: Doubles, start: float, end: float, texels: int, behind: float
) -> tuple[Doubles, float]:
    middle, radius = _sphere(shot.projection, start, end)
    radius *= 1 + 16 / texels  # texels for the filter, and for moves in whole texels
    texel = 2 * radius / texels
    # Texels are aligned to the world and not to the camera, so that shadows do not move with the
    # camera.
    center = turn @ (shot.eye - shot.view[:3, 2] * middle)
    x: float
    y: float
    z: float
    x, y, z = np.floor(center / texel) * texel - turn @ shot.eye
    right: Doubles
    up: Doubles
    back: Doubles
    right, up, back = turn
    depth = 2 * radius + behind
    m = np.zeros((4, 4))
    m[:3, 0] = right / radius
    m[3, 0] = -x / radius
    m[:3, 1] = up / radius
    m[3, 1] = -y / radius
    m[:3, 2] = -2 * back / depth
    m[3, 2] = 2 * (z + radius + behind) / depth - 1
    m[3, 3] = 1
    return m, texel


def _sphere(projection: Doubles, start: float, end: float) -> tuple[float, float]:
    """Return the smallest sphere around the part of the view between two depths.

    The result is the depth of the sphere's center and its radius, in units.
    """
    in_perspective: bool = projection[3, 3] == 0
    a, b = (start, end) if in_perspective else (1.0, 1.0)
    width: float = projection[0, 0]
    height: float = projection[1, 1]
    corner = math.hypot(1 / width, 1 / height)
    middle = 0.5 * (start + end) + 0.5 * corner**2 * (b * b - a * a) / (end - start)
    middle = min(middle, end)
    return middle, math.hypot(end - middle, corner * b)


class ShadowMap:
    """The texture with the shadow depths, and the uniform blocks of the cascades."""

    def __init__(self, ctx: moderngl.Context, settings: Shadows) -> None:
        self.settings = settings
        self._ctx = ctx
        limit = driver_limit("GL_MAX_TEXTURE_SIZE")
        texels = min(settings.resolution, limit // settings.cascades)
        self._possible = replace(settings, resolution=texels)
        self.texture = ctx.depth_texture((texels * settings.cascades, texels))
        self.texture.compare_func = "<="
        self.texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
        self.texture.repeat_x = self.texture.repeat_y = False
        self._framebuffer = ctx.framebuffer([], self.texture)
        self._frames = ctx.buffer(reserve=1024 * settings.cascades, dynamic=True)

    def draw(
        self, camera: Camera3D, sun: Doubles, casters: Sequence[DrivenSolid]
    ) -> list[tuple[Doubles, float]]:
        """Draw the depth of ``casters`` as seen from the sun, and return the `cascades`.

        After the call, the same framebuffer as before is bound.
        """
        ctx = self._ctx
        shot = camera.shot
        assert shot is not None
        fitted = cascades(self._possible, shot, sun, camera.near, camera.far)
        # The uniform block of frame3d.glsl, in which the sun's matrix replaces the camera's matrix.
        frame = frame_block_of(camera)(shot.alpha, 0.0)
        camera.shot = shot  # one object for the whole frame
        stride = -(-len(frame) // _ALIGNMENT) * _ALIGNMENT
        blocks = [
            (m.astype(np.float32).tobytes() + frame[64:]).ljust(stride, b"\0") for m, _ in fitted
        ]
        self._frames.write(b"".join(blocks).ljust(self._frames.size, b"\0"))
        target = ctx.fbo
        texels = self._possible.resolution
        self._framebuffer.viewport = (0, 0, *self.texture.size)
        self._framebuffer.use()
        self._framebuffer.clear()
        ctx.enable_only(moderngl.DEPTH_TEST)
        ctx.enable_direct(_DEPTH_CLAMP)
        ctx.polygon_offset = _BIAS
        try:
            for index in range(len(fitted)):
                self._framebuffer.viewport = (index * texels, 0, texels, texels)
                self._frames.bind_to_uniform_block(SHADOW_FRAME_BINDING, index * stride, len(frame))
                for caster in casters:
                    caster.draw_shadow()
        finally:
            ctx.polygon_offset = (0.0, 0.0)
            ctx.disable_direct(_DEPTH_CLAMP)
            target.use()
        return fitted

    def release(self) -> None:
        for part in (self._framebuffer, self.texture, self._frames):
            part.release()
