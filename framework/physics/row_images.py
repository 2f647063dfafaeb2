"""Find a sprite's image and scale, which determine the shape of its body."""

from __future__ import annotations

from typing import Protocol, cast

from ..arrays import Doubles
from ..state.columns import Table, Tabular
from ..state.rows import table_of
from .shapes2d import Pieces, RowImage


class _Images(Protocol):
    """The images of a batch, which determine the shapes of its bodies."""

    def boxes(self) -> Doubles: ...

    def pieces(self, image: int, tolerance: float) -> list[Doubles]: ...


class _Pictured(Protocol):
    """A batch with images. This module reads the property `images` of the batch."""

    @property
    def images(self) -> _Images: ...


def look_of(batch: Tabular[Table], row: int) -> RowImage:
    """Return the scale and the image of ``row``, which determine the shape of its body.

    If the batch has no images, return only the scale.
    """
    table = table_of(batch)
    scale: tuple[float, float] = (
        table.column("scale").data[row].tolist() if table.has("scale") else (1.0, 1.0)
    )
    if not hasattr(batch, "shown_images"):
        return RowImage((scale[0], scale[1]), None, 0)
    flip_x, flip_y = table.column("flip").data[row].tolist()
    image = int(table.column("image").data[row])
    mirrored = -scale[0] if flip_x else scale[0], -scale[1] if flip_y else scale[1]
    return RowImage(mirrored, cast(_Pictured, batch).images.boxes()[image], image)


def pieces_of(batch: Tabular[Table]) -> Pieces | None:
    """Return a function that splits the area inside an image's outline into convex pieces. If the
    batch has no images, return None.
    """
    return cast(_Pictured, batch).images.pieces if hasattr(batch, "shown_images") else None
