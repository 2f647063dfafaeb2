"""Programs that draw with moderngl directly, with which `framework bench` compares the framework.

In these programs, the image and the number of sprites never change. The columns are x, y and angle
for sprites, or position and rotation for meshes. Each column has two buffers: for the previous
state and for the current state. In every tick, the program writes each column into the buffer with
the older state. In every frame, the program sets alpha (the fraction of a tick) and draws all
sprites in one call. Sizes, texture coordinates and colors are written only once.
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


class _TwoStates:
    """Columns with two buffers each: one for the previous state, and one for the current state.

    The buffers are swapped in every tick. There are two vertex arrays, one for each order of the
    buffers.
    """

    def __init__(
        self, ctx: moderngl.Context, program: moderngl.Program, columns: tuple[Column, ...]
    ) -> None:
        self._ctx = ctx
        self._program = program
        self._alpha: Any = program["alpha"]
        self._columns = columns
        self._count = len(columns[0])
        self._buffers = [[ctx.buffer(column, dynamic=True) for _ in range(2)] for column in columns]
        self._arrays: list[moderngl.VertexArray] = []
        self._current = 0

    def hand_over(self) -> None:
        """Upload the columns after a tick, as the framework does."""
        self._current = current = 1 - self._current
        for pair, column in zip(self._buffers, self._columns, strict=True):
            pair[current].write(column)

    def _release(self, *parts: Any) -> None:
        buffers = [buffer for pair in self._buffers for buffer in pair]
        for part in (*self._arrays, *buffers, *parts, self._program):
            part.release()


class HandWritten(_TwoStates):
    """A moderngl program that draws 2D sprites with one opaque image.

    ``size`` is the width and height of each sprite, in units. ``columns`` contains three arrays: x,
    y and angle. Each array is float32, contiguous, and has one element per sprite. The benchmark
    writes new values into these arrays.
    """

    def __init__(
        self,
        ctx: moderngl.Context,
        image: NDArray[np.uint8],
        columns: tuple[Column, Column, Column],
        size: Any,
    ) -> None:
        super().__init__(
            ctx, ctx.program(vertex_shader=_VERTEX, fragment_shader=_FRAGMENT), columns
        )
        self._program["view_projection"].write(_pixels_to_clip(*size))  # type: ignore[union-attr]
        count = self._count
        height, width = image.shape[:2]
        self._image = ctx.texture((width, height), 4, image.tobytes())
        self._image.filter = (moderngl.NEAREST, moderngl.NEAREST)
        self._static = [
            ctx.buffer(np.full((count, 2), (width, height), np.float32)),
            ctx.buffer(np.full((count, 4), (0, 0, 1, 1), np.float32)),
            ctx.buffer(np.full((count, 4), 255, np.uint8)),
        ]
        self._arrays = [self._array(current) for current in (0, 1)]

    def _array(self, current: int) -> moderngl.VertexArray:
        content = []
        for name, pair in zip(("x", "y", "angle"), self._buffers, strict=True):
            content += [
                (pair[1 - current], "1f/i", f"previous_{name}"),
                (pair[current], "1f/i", name),
            ]
        for name, form, buffer in zip(
            ("size", "uv", "color"), ("2f", "4f", "4f1"), self._static, strict=True
        ):
            content.append((buffer, f"{form}/i", name))
        return self._ctx.vertex_array(self._program, content)

    def prepare(self) -> None:
        """Set the OpenGL state. The time of `prepare` is not measured, because a program that draws
        only these sprites would set the state only once.
        """
        self._ctx.enable_only(moderngl.BLEND)
        self._ctx.blend_func = moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA
        self._image.use(0)

    def draw(self, alpha: float) -> None:
        self._alpha.value = alpha
        self._arrays[self._current].render(
            moderngl.TRIANGLE_STRIP, vertices=4, instances=self._count
        )

    def release(self) -> None:
        self._release(*self._static, self._image)


_CUBE_VERTEX = """
#version 330 core
in vec3 vertex, normal;
in vec3 previous_position, position;
in vec4 previous_rotation, rotation;
in vec4 color;
uniform float alpha;
uniform mat4 view_projection;
out vec4 v_color;
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
void main() {
    vec4 near = dot(previous_rotation, rotation) < 0.0 ? -rotation : rotation;
    vec4 q = normalize(mix(previous_rotation, near, alpha));
    vec3 place = mix(previous_position, position, alpha) + turned(q, vertex);
    gl_Position = view_projection * vec4(place, 1.0);
    v_color = vec4(color.rgb * (0.3 + 0.7 * max(dot(turned(q, normal), vec3(0.4, 0.8, 0.45)), 0.0)), color.a);
}
"""

_CUBE_FRAGMENT = """
#version 330 core
in vec4 v_color;
out vec4 pixel;
void main() { pixel = v_color; }
"""


class HandWrittenCubes(_TwoStates):
    """A moderngl program that draws many copies of one mesh.

    ``mesh`` is a pair of arrays: the vertices and the normals. ``columns`` contains two arrays: the
    positions with the shape (n, 3), and the rotations with the shape (n, 4). Both arrays are
    float32 and contiguous. The benchmark writes new values into these arrays.
    """

    def __init__(
        self,
        ctx: moderngl.Context,
        mesh: tuple[Column, Column],
        indices: Any,
        columns: tuple[Column, Column],
    ) -> None:
        super().__init__(
            ctx, ctx.program(vertex_shader=_CUBE_VERTEX, fragment_shader=_CUBE_FRAGMENT), columns
        )
        self._mesh = [
            ctx.buffer(np.concatenate(mesh, axis=1)),
            ctx.buffer(np.ascontiguousarray(indices, np.uint32)),
        ]
        self._colors = ctx.buffer(np.ones((self._count, 4), np.float32))
        self._arrays = [self._array(current) for current in (0, 1)]

    def _array(self, current: int) -> moderngl.VertexArray:
        content: list[Any] = [
            (self._mesh[0], "3f 3f", "vertex", "normal"),
            (self._colors, "4f/i", "color"),
        ]
        for name, form, pair in zip(
            ("position", "rotation"), ("3f/i", "4f/i"), self._buffers, strict=True
        ):
            content += [(pair[1 - current], form, f"previous_{name}"), (pair[current], form, name)]
        return self._ctx.vertex_array(self._program, content, index_buffer=self._mesh[1])

    def look(self, view_projection: NDArray[np.float32]) -> None:
        """Set the 4x4 matrix of the camera, for row vectors, which are multiplied from the left."""
        self._program["view_projection"].write(np.ascontiguousarray(view_projection))  # type: ignore[union-attr]

    def prepare(self) -> None:
        """Set the OpenGL state. The time of `prepare` is not measured, because a program that draws
        only these cubes would set the state only once.
        """
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)

    def draw(self, alpha: float) -> None:
        self._alpha.value = alpha
        self._arrays[self._current].render(moderngl.TRIANGLES, instances=self._count)

    def release(self) -> None:
        self._release(*self._mesh, self._colors)


def _pixels_to_clip(width: float, height: float) -> NDArray[np.float32]:
    """Return the 4x4 matrix that converts pixels to OpenGL's clip coordinates, from -1 to 1. In
    pixels, the y axis points up. The matrix is for row vectors, which are multiplied from the left.
    """
    matrix = np.eye(4, dtype=np.float32)
    matrix[0, 0] = 2 / width
    matrix[1, 1] = 2 / height
    matrix[3, :2] = -1
    return matrix
