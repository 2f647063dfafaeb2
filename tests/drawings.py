"""What a frame drives of a batch, for tests that look at it."""

from __future__ import annotations

from typing import Any

import framework as fw
from framework.plane.sprite_drawing import SpriteDrawing, drawing_of
from framework.state.backend import Frontend, backend_of


def drawing(batch: fw.SpriteBatch) -> SpriteDrawing:
    """Return the backend of a batch of sprites that is in a game with pictures."""
    backend = drawing_of(batch)
    assert backend is not None
    return backend


def driven(thing: Any) -> Any:
    """Return the backend of something that is in a game: of one that is no frontend, itself."""
    return backend_of(thing) if isinstance(thing, Frontend) else thing
