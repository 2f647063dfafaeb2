"""The interface of a draw pass, which is one drawing step of a frame, such as the shadows.

The list of passes is not rebuilt in every frame, but only when something has changed.
"""

from __future__ import annotations

from typing import Protocol


class Pass(Protocol):
    """One step of drawing a frame, such as the shadows or the sky."""

    def draw(self) -> None: ...
