"""Row images: the image and scale of a sprite, from which the shape of its body is computed."""

from __future__ import annotations

from typing import Protocol, cast

from ..arrays import Doubles
from ..state.columns import Table, Tabular
from ..state.rows import table_of
from .shapes2d import Pieces, RowImage


class _Images(Protocol):
    """Methods that make the shapes of bodies from the images of a sprite batch."""

    def boxes(self) -> Doubles: ...

    def pieces(self, image: int, tolerance: float) -> list[Doubles]: ...


class _Pictured(Protocol):
    """The members of a batch with images that this module reads."""

    @property
    def images(self) -> _Images: ...


def look_of(batch: Tabular[Table], row: int) -> RowImage:
    """Return the scale and the image of ``row``.

    If the batch has no images, the result has only the scale.
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
    """Return a function that cuts the outline of an image into convex pieces. If the batch has no
    images, return None.
    """
    return cast(_Pictured, batch).images.pieces if hasattr(batch, "shown_images") else None
