"""Draw the shadows of the sun, with cascaded shadow maps.

The depth of the world is drawn from the direction of the sun into a texture. A surface is in
sunlight if this texture shows that nothing is between the surface and the sun. Shadows near the
camera need a higher resolution than shadows far away. Therefore, the distances from the camera are
divided into ranges, which are called cascades, and each cascade is drawn into a separate part of
one large texture. The part for a cascade covers a sphere that contains everything that is visible
in the range of the cascade. When the camera turns, the size of the sphere does not change, and when
the camera moves, the sphere moves only by whole texels. This way, the edges of shadows do not
flicker.
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
"""The maximum number of cascades. A cascade is a range of distances from the camera with its own
shadow texture.
"""

# How the lengths of cascades grow with the distance. With 0, all cascades have the same length.
# With 1, the lengths grow by the same factor from each cascade to the next.
_SPLIT = 0.65

# The depth bias of solids that cast shadows: the factor of their slope, and a minimum in the
# smallest steps of depth. The bias prevents surfaces from casting shadows on themselves.
_BIAS = (2.0, 4.0)

# GL_DEPTH_CLAMP, so that solids in front of a cascade still cast a shadow into the cascade
_DEPTH_CLAMP = 0x864F
# alignment of parts of a uniform buffer, in bytes; drivers may require at most this value
_ALIGNMENT = 256


@dataclass(frozen=True, slots=True)
class Shadows:
    """The options for shadows in sunlight: ``world.shadows = Shadows(distance=200)``.

    Parameters
    ----------
    resolution
        The width and height of the shadow texture of each cascade, in texels.
    distance
        The largest distance from the camera at which shadows are drawn, in units.
    cascades
        The number of cascades, from 1 to `MAX_CASCADES`. A cascade is a range of distances from the
        camera that has its own shadow texture. All solids that cast shadows are drawn once for each
        cascade.
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
    """Return a list with one pair for each cascade: a matrix, and the size of a texel in units.

    Each matrix has the shape (4, 4). Use the matrix with row vectors: ``vector @ matrix``. The
    matrix converts positions relative to the camera to the clip space of the sun's view. ``sun`` is
    the direction to the sun, a vector of length 1. ``near`` and ``far`` are the smallest and
    largest distance that the camera shows, in units.
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
    """Return the axes of the view from the sun: right, up, and towards the sun. The array has the
    shape (3, 3), and each row is a vector of length 1.
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
    radius *= 1 + 16 / texels  # additional texels for the filter and for moves by whole texels
    texel = 2 * radius / texels
    # Texels are aligned to the world, not to the camera, so that shadows do not move with the
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
    """Return the smallest sphere around the part of the camera's view between the depths ``start``
    and ``end``.

    Return two numbers in units: the depth of the sphere's center, and the radius of the sphere.
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
    """The shadow textures: a texture with the depths of all cascades, and the uniform blocks for
    drawing these depths.
    """

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
        """Draw the depth of ``casters`` from the direction of the sun, and return the list from
        `cascades`.

        `draw` does not change the bound framebuffer.
        """
        ctx = self._ctx
        shot = camera.shot
        assert shot is not None
        fitted = cascades(self._possible, shot, sun, camera.near, camera.far)
        frame = frame_block_of(camera)(shot.alpha, 0.0)
        camera.shot = shot  # all passes of the frame use the same object
        stride = self._write_frames([matrix for matrix, _ in fitted], frame)
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

    def _write_frames(self, matrices: list[Doubles], frame: bytes) -> int:
        """Upload the uniform block of frame3d.glsl for each cascade, and return the distance between
        two blocks in bytes. ``frame`` is the block of the camera. Its matrix is replaced by a
        matrix of the sun.
        """
        stride = -(-len(frame) // _ALIGNMENT) * _ALIGNMENT
        blocks = [
            (matrix.astype(np.float32).tobytes() + frame[64:]).ljust(stride, b"\0")
            for matrix in matrices
        ]
        self._frames.write(b"".join(blocks).ljust(self._frames.size, b"\0"))
        return stride

    def release(self) -> None:
        for part in (self._framebuffer, self.texture, self._frames):
            part.release()
