"""Rows that are written whole whenever they change, and drawn from there: lines, billboards, what
blends.
"""

from __future__ import annotations

from typing import Any

from ..arrays import Floats
from .gl import moderngl
from .handover import Part


class Streamed:
    """One buffer with the rows to be drawn, and the vertex array over it; both grow as they have
    to.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._buffer: moderngl.Buffer | None = None
        self.array: moderngl.VertexArray | None = None
        """Over the rows last written, None before the first."""
        self.count = 0
        """Rows last written."""
        self.uploaded = 0
        """Bytes written so far."""

    def write(
        self,
        rows: Floats,
        program: moderngl.Program,
        layout: Part,
        *more: Part,
        index_buffer: Any = None,
    ) -> moderngl.VertexArray | None:
        """Have ``rows``, float32 (n, …), drawn. ``layout`` is their format and names, ``more``
        other buffers' parts.

        Returns the vertex array, None for no rows.
        """
        self.count = len(rows)
        if not self.count:
            return None
        if self._buffer is None or self.array is None or self._buffer.size < rows.nbytes:
            self.drop()
            self._buffer = self._ctx.buffer(reserve=2 * rows.nbytes, dynamic=True)
            self.array = self._ctx.vertex_array(
                program, [(self._buffer, *layout), *more], index_buffer=index_buffer
            )
        self._buffer.orphan()  # the GPU may still read the old rows
        self._buffer.write(rows)
        self.uploaded += rows.nbytes
        return self.array

    def rewrite(self, rows: Floats, start: int, stop: int) -> None:
        """As many ``rows`` as were last written are there, of which those from ``start`` to
        ``stop`` are others.
        """
        part = rows[start:stop]
        if self._buffer is not None and part.nbytes:
            self._buffer.write(part, offset=start * rows.strides[0])
            self.uploaded += part.nbytes

    def drop(self) -> None:
        """Both are made anew at the next `write`, for another program say. A second time does
        nothing.
        """
        for part in (self.array, self._buffer):
            if part is not None:
                part.release()
        self.array = self._buffer = None
