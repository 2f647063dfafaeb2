"""Store the particles of a system on the GPU, in the order of their births.

In each tick, new particles are added at the end of the buffer. Dead particles stay in the buffer,
but the shader does not draw them. When more than a third of the particles are dead, the GPU copies
the living ones to a new buffer, so each particle is uploaded only once. If no tick has run since
the last frame, nothing is uploaded.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..gpu.gl import moderngl
from ..gpu.graphics import MATERIAL_BINDING
from ..gpu.handover import in_cells, patch_buffer, read_by
from ..gpu.shaders import set_known
from .particle_motion import ParticleMotion
from .particle_rows import ParticleRows

_MIN_ROWS = 64  # the number of rows in the smallest buffer

_ATTRIBUTES = {
    "in_born": "1u",
    "in_seed": "1u",
    "in_lifetime": "1f",
    "in_scale": "1f",
    "in_rotation": "2f",
    "in_tint": "4f",
}
"""The columns of a particle's row in the buffer, with their formats in moderngl."""
_ATTRIBUTES_2D = {"in_position": "2f", "in_velocity": "2f"} | _ATTRIBUTES
_ATTRIBUTES_3D = {
    "in_position_cell": "3f",
    "in_position": "3f",
    "in_velocity": "3f",
} | _ATTRIBUTES


class ParticleBuffer:
    """The particles of a system on the GPU, and the shader program that draws these particles."""

    def __init__(
        self,
        ctx: moderngl.Context,
        program: moderngl.Program,
        flight: ParticleMotion,
        births: ParticleRows,
    ) -> None:
        self._ctx = ctx
        self._program = program
        self._births = births
        self._replaced = births.replaced
        self._in_space = births.type["position"].shape == (3,)
        self._row_bytes = births.type.itemsize
        # Indices of particles, counted from the first birth of the system:
        self._first = 0  # the first particle in the buffer
        self._sent = 0  # the first particle that was not uploaded yet
        self._alive = 0  # the first particle that may be alive
        self._rows = 0  # the capacity of the buffer in rows
        self._buffer: moderngl.Buffer | None = None
        self._array: moderngl.VertexArray | None = None
        self._block = ctx.buffer(flight.packed())
        self.uploaded = 0
        """The number of bytes uploaded so far."""
        block = program.get("Particles", None)
        if isinstance(block, moderngl.UniformBlock):
            block.binding = MATERIAL_BINDING

    @property
    def memory(self) -> int:
        """The GPU memory of the buffer in bytes."""
        return self._rows * self._row_bytes

    def upload(self) -> None:
        """Upload the particles that were born since the last call.

        If the game has restored a snapshot, upload all particles.
        """
        births = self._births
        if births.replaced != self._replaced:
            self._first = self._sent = 0
            self._replaced = births.replaced
        first_stored = births.count - sum(len(block.words) for block in births.blocks)
        alive = self._alive = max(first_stored, births.first)
        # The next frame draws no row of the buffer.
        if births.count < self._sent or alive > self._sent:
            self._first = self._sent = alive
        if births.count == self._sent:
            return
        stored = births.count - self._first
        dead = alive - self._first
        if stored > self._rows or 3 * dead > stored > _MIN_ROWS:
            self._start_buffer(max(alive, self._first))
        assert self._buffer is not None
        rows = np.concatenate([*births.since(self._sent)])
        packed = self._packed(rows)
        offset = (self._sent - self._first) * self._row_bytes
        patch_buffer(self._ctx, self._buffer, packed, offset)
        self.uploaded += packed.nbytes
        self._sent = births.count

    def _packed(self, rows: NDArray[Any]) -> NDArray[np.uint8]:
        """Convert rows to the memory layout of the shader. The uint8 array has the shape (n, bytes
        per row).
        """
        packed = np.ascontiguousarray(rows).view(np.uint8).reshape(len(rows), -1)
        if self._in_space:
            packed = packed.copy()
            packed[:, :24] = in_cells(rows["position"]).view(np.uint8).reshape(len(rows), 24)
        return packed

    def _start_buffer(self, first: int) -> None:
        """Allocate a new buffer on the GPU. ``first`` is the index of the first particle that the
        new buffer stores.

        The buffer has room for twice as many particles as it stores now.
        """
        copied = self._sent - first
        old = self._buffer
        rows = max(_MIN_ROWS, 2 * (self._births.count - first))
        buffer = self._ctx.buffer(reserve=rows * self._row_bytes, dynamic=True)
        if old is not None and copied > 0:
            offset = (first - self._first) * self._row_bytes
            self._ctx.copy_buffer(buffer, old, copied * self._row_bytes, read_offset=offset)
        self._release_buffer()
        self._buffer = buffer
        self._rows = rows
        self._first = first
        attributes = _ATTRIBUTES_3D if self._in_space else _ATTRIBUTES_2D
        form = " ".join(attributes.values())
        layout = read_by(self._program, f"{form}/i", *attributes)
        self._array = self._ctx.vertex_array(self._program, [(buffer, *layout)])

    def draw(self, image_count: int) -> None:
        """Draw all living particles in one draw call, in the order of their births.

        ``image_count`` is the number of images that the particles use. All other uniforms of the
        shader program must already be set.
        """
        births = self._births
        count = self._sent - self._first
        if not births.blocks or self._array is None or count <= 0:
            return
        program = self._program
        set_known(program, "clock", births.clock % (1 << 32))
        set_known(program, "tick", float(births.length))
        set_known(program, "first_alive", max(0, self._alive - self._first))
        set_known(program, "image_count", image_count)
        self._block.bind_to_uniform_block(MATERIAL_BINDING)
        self._array.render(moderngl.TRIANGLE_STRIP, vertices=4, instances=count)

    def _release_buffer(self) -> None:
        for part in (self._array, self._buffer):
            if part is not None:
                part.release()
        self._array = self._buffer = None

    def release(self) -> None:
        self._release_buffer()
        self._block.release()
