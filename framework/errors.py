"""The exceptions of this framework.

    FrameworkError
    ├── AssetError      an image, font or other file that is missing, broken or too large
    ├── ShaderError     a shader that does not load, compile or link
    ├── NetworkError    a port in use, a host that does not exist, a server that does not answer
    └── DisplayError    no display, no off-screen GL, or a GL older than 3.3

Invalid arguments raise ``ValueError`` or ``TypeError``, with the name of the argument in the
message. Each error message says what was expected, what was passed, and how to correct it.
"""

from __future__ import annotations

__all__ = ["AssetError", "DisplayError", "FrameworkError", "NetworkError", "ShaderError"]


class FrameworkError(Exception):
    """The base class of the framework's own errors, such as `AssetError`."""


class AssetError(FrameworkError):
    """Raised if one of the game's files is missing or cannot be used."""


class ShaderError(FrameworkError):
    """Raised if a shader cannot be loaded, compiled or linked.

    If the graphics driver reports where the error is, ``file`` and ``line`` are set. The first line
    is line 1. ``log`` is the full error message of the graphics driver.
    """

    def __init__(
        self, message: str, *, file: str | None = None, line: int | None = None, log: str = ""
    ) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.log = log


class DisplayError(FrameworkError):
    """Raised if the machine cannot draw, for example because it has no display."""


class NetworkError(FrameworkError):
    """Raised if a port cannot be used, or if a host or the program of another player cannot be
    reached.
    """
