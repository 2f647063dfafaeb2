"""Draw passes: the interface of a step in drawing a frame, such as the shadows.

The game builds the list of passes again only when something changes, not in every frame.
"""

from __future__ import annotations

from typing import Protocol


class Pass(Protocol):
    """A step in drawing a frame, such as the shadows or the sky."""

    def draw(self) -> None: ...
