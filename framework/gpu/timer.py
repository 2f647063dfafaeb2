"""How long the GPU is busy with a frame, told by timer queries: later than asked, and without ever
waiting for it.
"""

from __future__ import annotations

import ctypes
from collections import deque
from typing import Generic, TypeVar

from .gl import opengl

F = TypeVar("F")

# Frames that can be under way at once: drivers queue three at most. Of one more no time is taken.
_FRAMES = 8


class GpuTimer(Generic[F]):
    """Times what is drawn between `begin` and `end`; `finished` tells it once the GPU is through,
    frames later.

    Made, used and released with a game's GL context current. It marks two moments in the GPU's work
    (timestamps), so that a game's own timer queries, of which GL allows one at a time, go on
    working within it. Where the driver has no timestamps (macOS, drivers that draw nothing) there
    is nothing to tell. Mesa's software driver draws in tiles and marks both moments in each: it
    tells next to nothing of a frame.
    """

    def __init__(self) -> None:
        self._gl = opengl()
        self._ids = (ctypes.c_uint * (2 * _FRAMES))()
        self._free: list[tuple[int, int]] = []
        self._waiting: deque[tuple[F, int, int]] = deque()  # frame, first and last query
        self._open: tuple[F, int, int] | None = None
        self._ready, self._moment = ctypes.c_uint(), ctypes.c_uint64()
        bits = ctypes.c_int()
        self._gl.glGetQueryiv(
            self._gl.GL_TIMESTAMP, self._gl.GL_QUERY_COUNTER_BITS, ctypes.byref(bits)
        )
        if bits.value:
            self._gl.glGenQueries(len(self._ids), self._ids)
            self._free = list(zip(self._ids[::2], self._ids[1::2], strict=True))

    def begin(self, frame: F) -> None:
        """What is drawn from here to `end` belongs to this frame, whatever stands for it."""
        if self._open is not None:  # its drawing failed
            self._free.append(self._open[1:])
            self._open = None
        if self._free:
            first, last = self._free.pop()
            self._gl.glQueryCounter(first, self._gl.GL_TIMESTAMP)
            self._open = frame, first, last

    def end(self) -> None:
        """The frame was drawn. Without a `begin` it does nothing."""
        if self._open is not None:
            self._gl.glQueryCounter(self._open[2], self._gl.GL_TIMESTAMP)
            self._waiting.append(self._open)
            self._open = None

    def finished(self) -> list[tuple[F, int]]:
        """Frames that the GPU is through with since the last call, with their nanoseconds."""
        done = []
        while self._waiting and self._is_ready(self._waiting[0][2]):
            frame, first, last = self._waiting.popleft()
            self._free.append((first, last))
            begun, ended = self._read(first), self._read(last)
            if ended:  # the clock of a driver that draws nothing stands at 0
                done.append((frame, ended - begun))
        return done

    def _is_ready(self, query: int) -> bool:
        gl = self._gl
        gl.glGetQueryObjectuiv(query, gl.GL_QUERY_RESULT_AVAILABLE, ctypes.byref(self._ready))
        return bool(self._ready.value)

    def _read(self, query: int) -> int:
        self._gl.glGetQueryObjectui64v(query, self._gl.GL_QUERY_RESULT, ctypes.byref(self._moment))
        return self._moment.value

    def release(self) -> None:
        """Free the queries. A second time does nothing."""
        if self._ids[0]:
            self._gl.glDeleteQueries(len(self._ids), self._ids)
        self._ids = (ctypes.c_uint * (2 * _FRAMES))()
        self._free, self._open = [], None
        self._waiting.clear()
