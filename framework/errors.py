"""Errors: the exceptions that only this framework raises.

    FrameworkError
    ├── AssetError      an image, font or other file that is missing, broken or too large
    ├── ShaderError     a shader that does not load, compile or link
    ├── NetworkError    a port in use, a host that does not exist, a server that does not answer
    └── DisplayError    no display, no off-screen GL, or a GL older than 3.3

Invalid arguments raise ``ValueError`` and ``TypeError`` with the name of the argument. Each error
message says what was expected, what the call got, and how to repair the error.
"""

from __future__ import annotations

__all__ = ["AssetError", "DisplayError", "FrameworkError", "NetworkError", "ShaderError"]


class FrameworkError(Exception):
    """Base class of all errors that only this framework raises."""


class AssetError(FrameworkError):
    """A file of the game cannot be used."""


class ShaderError(FrameworkError):
    """A shader does not load, compile or link.

    ``file`` and ``line`` (from 1) are the position of the error, if the driver reports the
    position. ``log`` is the full error message of the graphics driver.
    """

    def __init__(
        self, message: str, *, file: str | None = None, line: int | None = None, log: str = ""
    ) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.log = log


class DisplayError(FrameworkError):
    """The machine cannot draw, for example because it has no display."""


class NetworkError(FrameworkError):
    """A port, a host or another player's program cannot be used."""
