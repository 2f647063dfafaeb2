"""The least that a moderngl program can do for moving sprites: what `framework bench sprites` measures against.

It knows its sprites' number, image and columns beforehand, and does nothing that is not needed for the picture: a
tick writes three contiguous columns (x, y, angle), each into the older of its two buffers; a frame sets alpha and
draws. Sizes, texture coordinates and colours are written once.
"""

from __future__ import annotations

from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float32]

_VERTEX = """
#version 330 core
in float previous_x, x, previous_y, y, previous_angle, angle;
in vec2 size;
in vec4 uv;
in vec4 color;
uniform float alpha;
uniform mat4 view_projection;
out vec2 v_uv;
out vec4 v_color;
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 place = mix(vec2(previous_x, previous_y), vec2(x, y), alpha);
    float turned = mix(previous_angle, angle, alpha);
    float c = cos(turned), s = sin(turned);
    gl_Position = view_projection * vec4(place + mat2(c, s, -s, c) * ((corner - 0.5) * size), 0.0, 1.0);
    v_uv = mix(uv.xy, uv.zw, corner);
    v_color = color;
}
"""

_FRAGMENT = """
#version 330 core
in vec2 v_uv;
in vec4 v_color;
uniform sampler2D image;
out vec4 pixel;
void main() { pixel = texture(image, v_uv) * v_color; }
"""


class HandWritten:
    """Sprites of one opaque image in the plane, ``size`` (width, height) units large.

    ``columns`` are x, y and angle, float32 (n,) and contiguous; the caller moves them in place.
    """

    def __init__(
        self, ctx: moderngl.Context, image: NDArray[np.uint8], columns: tuple[Column, Column, Column], size: Any
    ) -> None:
        count = len(columns[0])
        self._ctx = ctx
        self._columns = columns
        self._program = ctx.program(vertex_shader=_VERTEX, fragment_shader=_FRAGMENT)
        self._program["view_projection"].write(_pixels_to_clip(*size))  # type: ignore[union-attr]
        self._alpha: Any = self._program["alpha"]
        height, width = image.shape[:2]
        self._image = ctx.texture((width, height), 4, image.tobytes())
        self._image.filter = (moderngl.NEAREST, moderngl.NEAREST)
        self._buffers = [[ctx.buffer(column, dynamic=True) for _ in range(2)] for column in columns]
        self._static = [
            ctx.buffer(np.full((count, 2), (width, height), np.float32)),
            ctx.buffer(np.full((count, 4), (0, 0, 1, 1), np.float32)),
            ctx.buffer(np.full((count, 4), 255, np.uint8)),
        ]
        self._arrays = [self._array(current) for current in (0, 1)]
        self._current = 0
        self._count = count

    def _array(self, current: int) -> moderngl.VertexArray:
        content = []
        for name, pair in zip(("x", "y", "angle"), self._buffers, strict=True):
            content += [(pair[1 - current], "1f/i", f"previous_{name}"), (pair[current], "1f/i", name)]
        for name, form, buffer in zip(("size", "uv", "color"), ("2f", "4f", "4f1"), self._static, strict=True):
            content.append((buffer, f"{form}/i", name))
        return self._ctx.vertex_array(self._program, content)

    def prepare(self) -> None:
        """Set what no other drawing would have disturbed in a program of its own; not part of what is measured."""
        self._ctx.enable_only(moderngl.BLEND)
        self._ctx.blend_func = moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA
        self._image.use(0)

    def hand_over(self) -> None:
        """A tick has moved the columns."""
        self._current = current = 1 - self._current
        for pair, column in zip(self._buffers, self._columns, strict=True):
            pair[current].write(column)

    def draw(self, alpha: float) -> None:
        self._alpha.value = alpha
        self._arrays[self._current].render(moderngl.TRIANGLE_STRIP, vertices=4, instances=self._count)

    def release(self) -> None:
        buffers = [buffer for pair in self._buffers for buffer in pair]
        parts: list[Any] = [*self._arrays, *buffers, *self._static, self._image, self._program]
        for part in parts:
            part.release()


def _pixels_to_clip(width: float, height: float) -> NDArray[np.float32]:
    """From pixels, y up, to OpenGL's -1..1: float32 (4, 4), row vectors."""
    matrix = np.eye(4, dtype=np.float32)
    matrix[0, 0], matrix[1, 1] = 2 / width, 2 / height
    matrix[3, :2] = -1
    return matrix
