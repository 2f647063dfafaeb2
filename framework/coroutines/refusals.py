"""Refusals: the errors for functions that cannot be compiled and coroutines that cannot be captured."""

from __future__ import annotations

from ..errors import FrameworkError


class CannotCompile(FrameworkError):
    """The error for an ``async def`` that cannot be compiled, so that its coroutines cannot be
    captured and restored. The message begins with the file and the line of the cause.
    """

    def __init__(self, path: str, line: int, reason: str) -> None:
        super().__init__(f"{path}:{line}: {reason}")
        self._parts = path, line, reason

    def again(self) -> CannotCompile:
        """Return a new error with the same message, without traceback and notes."""
        return CannotCompile(*self._parts)


class CannotCapture(Exception):
    """The error for a suspended coroutine that cannot be captured now. The message of the error
    says at which line the coroutine waits, and for which object.
    """
