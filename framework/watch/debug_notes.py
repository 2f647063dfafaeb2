"""Store a game's log lines, watched values and debug shapes for the inspector."""

from __future__ import annotations

from collections import deque
from typing import Any

_MAX_LINES = 1000


class DebugNotes:
    """The log lines, watched values and debug shapes that a game has passed to the inspector since
    it was opened.
    """

    def __init__(self) -> None:
        self.lines: deque[str] = deque(maxlen=_MAX_LINES)
        self.watched: dict[str, Any] = {}
        self.shapes: list[tuple[Any, ...]] = []
