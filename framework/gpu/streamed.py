"""Upload a whole array to the GPU if any of its rows has changed.

For example, lines, billboards and interpolated poses are uploaded in this way.
"""

from __future__ import annotations

from typing import Any

from ..arrays import Floats
from .gl import moderngl
from .handover import Part, refill_buffer

_MIN_STAGING = 4096  # bytes


class Streamed:
    """A GPU buffer that contains rows, and the vertex array that a shader needs to read the rows.
    If the buffer is too small for the rows, `write` creates a larger buffer and a new vertex array.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._buffer: moderngl.Buffer | None = None
        # `rewrite` copies rows through this buffer, so that the CPU does not have to wait for the
        # GPU. A new buffer for each call would take twice as long.
        self._staging: moderngl.Buffer | None = None
        self.array: moderngl.VertexArray | None = None
        """The vertex array for the rows of the last `write`. None before the first `write`."""
        self.count = 0
        """The number of rows in the last `write`."""
        self.uploaded = 0
        """The number of bytes uploaded so far."""

    def write(
        self,
        rows: Floats,
        program: moderngl.Program,
        layout: Part,
        *more: Part,
        index_buffer: Any = None,
    ) -> moderngl.VertexArray | None:
        """Upload ``rows`` to the GPU, and return the vertex array. If ``rows`` is empty, return
        None. ``rows`` is a float32 array with the shape (n, …).

        ``layout`` contains the format of the rows and the names of the shader attributes. ``more``
        contains additional buffers for the vertex array.
        """
        self.count = len(rows)
        if not self.count:
            return None
        if self._buffer is None or self.array is None or self._buffer.size < rows.nbytes:
            self.release()
            self._buffer = self._ctx.buffer(reserve=2 * rows.nbytes, dynamic=True)
            self.array = self._ctx.vertex_array(
                program, [(self._buffer, *layout), *more], index_buffer=index_buffer
            )
        refill_buffer(self._buffer, rows)
        self.uploaded += rows.nbytes
        return self.array

    def rewrite(self, rows: Floats, start: int, stop: int) -> None:
        """Upload only the rows from ``start`` to ``stop`` (excluded) again.

        ``rows`` must contain the same number of rows as in the last call to `write`.
        """
        part = rows[start:stop]
        size = part.nbytes
        if self._buffer is None or not size:
            return
        staging = self._staging
        if staging is None or staging.size < size:
            if staging is not None:
                staging.release()
            reserve = max(2 * size, _MIN_STAGING)
            staging = self._staging = self._ctx.buffer(reserve=reserve, dynamic=True)
        refill_buffer(staging, part)
        self._ctx.copy_buffer(self._buffer, staging, size, write_offset=start * rows.strides[0])
        self.uploaded += size

    def release(self) -> None:
        """Release the buffers and the vertex array. Calling `write` again creates a new buffer and a
        new vertex array. For example, call `release` before you use another shader program.

        Calling `release` again does nothing.
        """
        for part in (self.array, self._buffer, self._staging):
            if part is not None:
                part.release()
        self.array = self._buffer = self._staging = None
