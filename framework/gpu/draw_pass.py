"""Passes of a picture: the steps that draw it, in a list.

The list is built when something changes, not in every frame.
"""

from __future__ import annotations

from typing import Protocol


class Pass(Protocol):
    """One step of drawing a picture, in a list that is built when something changes."""

    def draw(self) -> None: ...
