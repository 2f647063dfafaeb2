"""Helpers that return the backend of a batch or of another object in a game."""

from __future__ import annotations

from typing import Any

import framework as fw
from framework.plane.sprite_drawing import SpriteDrawing, drawing_of
from framework.state.backend import Frontend, backend_of


def drawing(batch: fw.SpriteBatch) -> SpriteDrawing:
    """Return the backend of a sprite batch that is in a game with drawing."""
    backend = drawing_of(batch)
    assert backend is not None
    return backend


def driven(member: Any) -> Any:
    """Return the backend of an object in a game, or the object itself if it is no frontend."""
    return backend_of(member) if isinstance(member, Frontend) else member
