"""Particles on the GPU: a log of births. Each tick's births are appended.

Dead particles stay at the beginning and are not drawn. When they are more than a third of the log,
the GPU copies the other rows to a new log. So rows are drawn in the order of their births, each row
is uploaded once, and nothing is uploaded between two ticks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..gpu.gl import moderngl
from ..gpu.graphics import MATERIAL_BINDING
from ..gpu.handover import in_cells, read_by
from ..gpu.shaders import set_known
from .particle_motion import ParticleMotion
from .particle_rows import ParticleRows

_MIN_ROWS = 64  # rows of the smallest log


class ParticleBuffer:
    """The rows of a system's particles on the GPU, and the program that draws them."""

    def __init__(
        self,
        ctx: moderngl.Context,
        program: moderngl.Program,
        flight: ParticleMotion,
        births: ParticleRows,
    ) -> None:
        self._ctx, self._program = ctx, program
        self._births, self._replaced = births, births.replaced
        self._in_space = births.type["place"].shape == (3,)
        self._row_bytes = births.type.itemsize
        self._first = self._sent = (
            0  # the indices of the first particle in the log, and of the first particle after it
        )
        self._alive = 0  # the index of the first particle that may be alive
        self._rows = 0  # rows that the log has room for
        self._log: moderngl.Buffer | None = None
        self._array: moderngl.VertexArray | None = None
        self._block = ctx.buffer(flight.packed())
        self.uploaded = 0
        """Bytes of rows written so far."""
        block = program.get("Particles", None)
        if isinstance(block, moderngl.UniformBlock):
            block.binding = MATERIAL_BINDING

    @property
    def memory(self) -> int:
        """Bytes of GPU memory."""
        return self._rows * self._row_bytes

    def bring(self) -> None:
        """Upload the births since the last call, or all rows after a restore."""
        births = self._births
        if births.replaced != self._replaced:
            self._first = self._sent = 0
            self._replaced = births.replaced
        first_stored = births.count - sum(len(block.words) for block in births.blocks)
        alive = self._alive = max(first_stored, births.first)
        if births.count < self._sent or alive > self._sent:  # no row of the log is used any longer
            self._first = self._sent = alive
        if births.count == self._sent:
            return
        if (
            births.count - self._first > self._rows
            or 3 * (alive - self._first) > births.count - self._first > _MIN_ROWS
        ):
            self._renew(max(alive, self._first))
        assert self._log is not None
        rows = np.concatenate([*births.since(self._sent)])
        packed = self._packed(rows)
        staging = self._ctx.buffer(packed)
        offset = (self._sent - self._first) * self._row_bytes
        self._ctx.copy_buffer(self._log, staging, packed.nbytes, write_offset=offset)
        staging.release()
        self.uploaded += packed.nbytes
        self._sent = births.count

    def _packed(self, rows: NDArray[Any]) -> NDArray[np.uint8]:
        """Return rows in the shader's layout, with the same size: (n, row bytes)."""
        packed = np.ascontiguousarray(rows).view(np.uint8).reshape(len(rows), -1)
        if self._in_space:
            packed = packed.copy()
            packed[:, :24] = in_cells(rows["place"]).view(np.uint8).reshape(len(rows), 24)
        return packed

    def _renew(self, first: int) -> None:
        """Start a new log with the particle ``first``, with room for twice the stored rows."""
        copied, old = self._sent - first, self._log
        rows = max(_MIN_ROWS, 2 * (self._births.count - first))
        log = self._ctx.buffer(reserve=rows * self._row_bytes, dynamic=True)
        if old is not None and copied > 0:
            offset = (first - self._first) * self._row_bytes
            self._ctx.copy_buffer(log, old, copied * self._row_bytes, read_offset=offset)
        self._drop()
        self._log, self._rows, self._first = log, rows, first
        form, names = (
            ("3f 3f", ("in_place_cell", "in_place")) if self._in_space else ("2f", ("in_place",))
        )
        velocity = "3f" if self._in_space else "2f"
        names = (
            *names,
            "in_velocity",
            "in_born",
            "in_seed",
            "in_life",
            "in_scale",
            "in_turn",
            "in_tint",
        )
        layout = read_by(self._program, f"{form} {velocity} 1u 1u 1f 1f 2f 4f/i", *names)
        self._array = self._ctx.vertex_array(self._program, [(log, *layout)])

    def draw(self, pictures: int) -> None:
        """Draw all living particles in the order of their births.

        The caller sets the program's other uniforms first.
        """
        births, count = self._births, self._sent - self._first
        if not births.blocks or self._array is None or count <= 0:
            return
        program = self._program
        set_known(program, "clock", births.clock % (1 << 32))
        set_known(program, "tick", float(births.length))
        set_known(program, "gone", max(0, self._alive - self._first))
        set_known(program, "pictures", pictures)
        self._block.bind_to_uniform_block(MATERIAL_BINDING)
        self._array.render(moderngl.TRIANGLE_STRIP, vertices=4, instances=count)

    def _drop(self) -> None:
        for part in (self._array, self._log):
            if part is not None:
                part.release()
        self._array = self._log = None

    def release(self) -> None:
        self._drop()
        self._block.release()
