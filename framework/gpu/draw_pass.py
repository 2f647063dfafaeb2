"""Draw passes: the interface of one step in drawing a frame.

The list of passes is built when something changes, not in every frame.
"""

from __future__ import annotations

from typing import Protocol


class Pass(Protocol):
    """One step in drawing a frame, in a list that is rebuilt only when something changes."""

    def draw(self) -> None: ...
