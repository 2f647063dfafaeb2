"""What a frame drives of a batch, for tests that look at it."""

from __future__ import annotations

from typing import Any

import framework as fw
from framework.plane.sprite_drawing import SpriteDrawing, drawing_of
from framework.state.works import Face, works_of


def drawing(batch: fw.SpriteBatch) -> SpriteDrawing:
    """Return the works of a batch of sprites that is in a game with pictures."""
    works = drawing_of(batch)
    assert works is not None
    return works


def driven(thing: Any) -> Any:
    """Return the works of something that is in a game: of one that is no face, itself."""
    return works_of(thing) if isinstance(thing, Face) else thing
