"""Draw passes: the interface for one drawing step of a frame, such as the shadows.

The framework creates the list of passes again only after a change, not in every frame.
"""

from __future__ import annotations

from typing import Protocol


class Pass(Protocol):
    """One step in the drawing of a frame, such as the shadows or the sky."""

    def draw(self) -> None: ...
