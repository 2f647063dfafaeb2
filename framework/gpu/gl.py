"""Import the OpenGL library moderngl only when a game uses it.

Games without graphics never import moderngl, and run without OpenGL.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    import moderngl as moderngl
else:

    class _LazyModule:
        """A proxy for the module moderngl. The proxy imports moderngl when you first use one of its
        attributes.
        """

        def __getattr__(self, name: str) -> Any:
            value = getattr(importlib.import_module("moderngl"), name)
            setattr(self, name, value)
            return value

    moderngl = _LazyModule()


class Releasable(Protocol):
    """An object on the GPU that has a method ``release``, such as a buffer."""

    def release(self) -> object: ...


class OpenGL(Protocol):
    """The functions and constants of ``pyglet.gl`` that the framework uses."""

    GL_COLOR_BUFFER_BIT: int
    GL_DEPTH_BUFFER_BIT: int
    GL_DRAW_FRAMEBUFFER: int
    GL_NEAREST: int
    GL_QUERY_COUNTER_BITS: int
    GL_QUERY_RESULT: int
    GL_QUERY_RESULT_AVAILABLE: int
    GL_READ_FRAMEBUFFER: int
    GL_RGBA: int
    GL_RGBA8: int
    GL_TEXTURE_2D: int
    GL_TEXTURE_WRAP_S: int
    GL_TEXTURE_WRAP_T: int
    GL_TIMESTAMP: int
    GL_UNPACK_ALIGNMENT: int
    GL_UNSIGNED_BYTE: int

    def glBindFramebuffer(self, target: int, framebuffer: int) -> None: ...
    def glBlitFramebuffer(self, *corners_mask_filter: int) -> None: ...
    def glCopyTexSubImage2D(self, target: int, level: int, *corners_and_size: int) -> None: ...
    def glDeleteQueries(self, count: int, queries: object) -> None: ...
    def glGenQueries(self, count: int, queries: object) -> None: ...
    def glGenerateMipmap(self, target: int) -> None: ...
    def glGetIntegerv(self, name: int, result: object) -> None: ...
    def glGetQueryObjectui64v(self, query: int, name: int, result: object) -> None: ...
    def glGetQueryObjectuiv(self, query: int, name: int, result: object) -> None: ...
    def glGetQueryiv(self, target: int, name: int, result: object) -> None: ...
    def glPixelStorei(self, name: int, value: int) -> None: ...
    def glQueryCounter(self, query: int, target: int) -> None: ...
    def glTexImage2D(self, target: int, level: int, *format_size_data: int) -> None: ...
    def glTexParameteri(self, target: int, name: int, value: int) -> None: ...


def opengl() -> OpenGL:
    """Return the module ``pyglet.gl``. Importing it takes no time, because the game's window has
    already imported the module.
    """
    return cast(OpenGL, sys.modules["pyglet.gl"])
