"""The framework's own errors.

    FrameworkError
    ├── AssetError      an image, font or other file that is missing, broken or too large
    ├── ShaderError     a shader that does not load, compile or link
    └── DisplayError    no display, no off-screen GL, or a GL older than 3.3

Bad arguments are plain ``ValueError`` and ``TypeError`` that name the argument.
Every message says what was asked, what is there, and what to try.
"""

from __future__ import annotations

__all__ = ["AssetError", "DisplayError", "FrameworkError", "ShaderError"]


class FrameworkError(Exception):
    """Base of the errors that only this framework raises."""


class AssetError(FrameworkError):
    """A file that the game asked for cannot be used."""


class ShaderError(FrameworkError):
    """A shader does not load, compile or link.

    ``file`` and ``line`` (from 1) say where, when the driver's words allow it; ``log`` is what the
    driver said.
    """

    def __init__(
        self, message: str, *, file: str | None = None, line: int | None = None, log: str = ""
    ) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.log = log


class DisplayError(FrameworkError):
    """No picture can be made on this machine as it is set up."""
