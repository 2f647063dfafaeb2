"""Measure how much time the GPU needs for each frame.

The result is available a few frames later, because the timer does not wait for the GPU.
"""

from __future__ import annotations

import ctypes
from collections import deque
from typing import Generic, TypeVar

from .gl import opengl

F = TypeVar("F")

# The maximum number of frames that are measured at the same time. Drivers queue at most three
# frames. If more frames wait for the GPU, new frames are not measured.
_FRAMES = 8


class GpuTimer(Generic[F]):
    """A timer for the GPU time of each frame. `finished` returns the time of a frame after a few
    more frames.

    Create, use and release a `GpuTimer` only while the game's OpenGL context is current. The timer
    uses two OpenGL timestamps for each frame. OpenGL can run only one timer query (GL_TIME_ELAPSED)
    at a time, but timestamps do not have this limit. Therefore a game can run its own timer query
    between `begin` and `end`.

    On macOS and with drivers that draw nothing, timestamps do not exist, and `finished` returns an
    empty list. Mesa's software driver draws the screen in tiles, and sets both timestamps in each
    tile. Therefore the times from Mesa's software driver do not show how long a frame takes.
    """

    def __init__(self) -> None:
        self._gl = opengl()
        self._ids = (ctypes.c_uint * (2 * _FRAMES))()
        self._free: list[tuple[int, int]] = []
        self._waiting: deque[tuple[F, int, int]] = deque()  # items: frame, first query, last query
        self._open: tuple[F, int, int] | None = None
        self._ready = ctypes.c_uint()
        self._moment = ctypes.c_uint64()
        bits = ctypes.c_int()
        self._gl.glGetQueryiv(
            self._gl.GL_TIMESTAMP, self._gl.GL_QUERY_COUNTER_BITS, ctypes.byref(bits)
        )
        if bits.value:
            self._gl.glGenQueries(len(self._ids), self._ids)
            self._free = list(zip(self._ids[::2], self._ids[1::2], strict=True))

    def begin(self, frame: F) -> None:
        """Start measuring a frame. ``frame`` is any object that identifies the frame, such as a
        number.
        """
        if self._open is not None:  # the last frame has ended with an error
            self._free.append(self._open[1:])
            self._open = None
        if self._free:
            first, last = self._free.pop()
            self._gl.glQueryCounter(first, self._gl.GL_TIMESTAMP)
            self._open = frame, first, last

    def end(self) -> None:
        """Stop measuring the frame. If `begin` was not called before, do nothing."""
        if self._open is not None:
            self._gl.glQueryCounter(self._open[2], self._gl.GL_TIMESTAMP)
            self._waiting.append(self._open)
            self._open = None

    def finished(self) -> list[tuple[F, int]]:
        """Return the measured frames that the GPU has finished since the last call to `finished`.
        The result is a list of pairs (frame, GPU time in nanoseconds).
        """
        done = []
        while self._waiting and self._is_ready(self._waiting[0][2]):
            frame, first, last = self._waiting.popleft()
            self._free.append((first, last))
            begun = self._read(first)
            ended = self._read(last)
            if ended:  # a driver that draws nothing always returns the time 0
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
        """Release the timestamp queries of the timer. Calling `release` again does nothing."""
        if self._ids[0]:
            self._gl.glDeleteQueries(len(self._ids), self._ids)
        self._ids = (ctypes.c_uint * (2 * _FRAMES))()
        self._free = []
        self._open = None
        self._waiting.clear()
