"""What a game tells while it is being developed, for whoever listens."""

from __future__ import annotations

from collections import deque
from typing import Any

_MOST_LINES = 1000


class Notes:
    """What was told since somebody listens."""

    def __init__(self) -> None:
        self.lines: deque[str] = deque(maxlen=_MOST_LINES)
        self.watched: dict[str, Any] = {}
        self.shapes: list[tuple[Any, ...]] = []
