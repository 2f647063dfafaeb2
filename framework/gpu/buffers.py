"""Buffers: write a GPU buffer whole or in part, without a wait for frames that still read it."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from .gl import moderngl


def refill(buffer: moderngl.Buffer, data: NDArray[Any]) -> None:
    """Write ``data`` to the start of a buffer. The other bytes of the buffer are lost.

    The GPU may still read the old content. For a write of the whole buffer the driver allocates new
    memory by itself. Before a shorter write this function requests new memory, because a write of a
    part would wait for the GPU (and crashes Mesa's driver that draws nothing).
    """
    if data.nbytes < buffer.size:
        buffer.orphan()
    buffer.write(data)


def patch(ctx: moderngl.Context, buffer: moderngl.Buffer, data: NDArray[Any], offset: int) -> None:
    """Write ``data`` into a buffer from byte ``offset`` on. The other bytes stay the same.

    The GPU copies the data from a temporary buffer in the order of its commands, so nothing waits.
    """
    staging = ctx.buffer(data)
    ctx.copy_buffer(buffer, staging, data.nbytes, write_offset=offset)
    staging.release()
