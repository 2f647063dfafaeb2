"""The error messages that say why a coroutine cannot be compiled or restored."""

from __future__ import annotations

from ..errors import FrameworkError


class CannotCompile(FrameworkError):
    """The error for an ``async def`` that the framework cannot compile. Snapshots cannot restore
    the coroutines of this function.

    The error message begins with the file and the line of the cause.
    """

    def __init__(self, path: str, line: int, reason: str) -> None:
        super().__init__(f"{path}:{line}: {reason}")
        self._parts = path, line, reason

    def again(self) -> CannotCompile:
        """Return a new error with the same message, but without traceback and notes."""
        return CannotCompile(*self._parts)


class CannotCapture(Exception):
    """The error for a suspended coroutine that cannot be restored. The error message contains the
    line where the coroutine waits, and the name of the awaited object.
    """
