"""Draw passes: the interface of one step of drawing a frame, such as the shadows.

The list of passes is made again only when something changes, not in every frame.
"""

from __future__ import annotations

from typing import Protocol


class Pass(Protocol):
    """One step of drawing a frame, such as the shadows or the sky."""

    def draw(self) -> None: ...
