"""Billboards: images in a 3D world that always face the camera, such as smoke and sparks."""

from __future__ import annotations

__all__ = ["Billboards"]

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Floats
from ..assets.images import ImageSource, checked_source
from ..checks import Sealed, choice, flag, number
from ..motion.camera_base import MAX_MAGNITUDE
from ..other_engines.space_names import billboards_names
from ..state.columns import ColumnValues, Table, TableColumn
from ..state.rows import Batch
from .solids import SolidFrontend


class BillboardParts(NamedTuple):
    """The objects that `Billboards` passes to its backend (the object that draws the batch), in
    addition to its table of rows.
    """

    sources: Sequence[ImageSource | None]
    """The images of the billboards. If an image is None, the billboard is a soft round spot."""
    blend: str
    lit: bool
    soft: float


@billboards_names
class Billboards(Batch, SolidFrontend, Sealed):
    """A batch of images that always face the camera. A `World` draws the whole batch in one draw
    call.

        self.add(fw.Billboards("smoke.png"))

    Billboards are drawn after all opaque solids. With ``blend="alpha"``, the world draws the
    billboards in order of distance, with the farthest billboard first. The distances are computed
    from the positions at the end of the last tick. Billboards do not write to the depth buffer, so
    a billboard never hides a solid that is drawn later. If no tick has run since the previous
    frame, nothing is uploaded.

    Parameters
    ----------
    image
        A path, a PIL image, an array, a list of these, or None for a round spot with soft edges. In
        a list of images, the first image has the index 0, the second image has the index 1, and so
        on. The column ``image`` selects the image of each billboard.
    count
        The number of billboards that the new batch contains.
    blend
        How the colors of billboards mix with the background: ``"alpha"`` (default), or ``"add"``
        for glowing images.
    lit
        Whether the lights of the world illuminate the billboards. Only the brightness of the lights
        matters, not their direction. If ``lit`` is False, billboards keep the colors of their
        images.
    soft
        A distance in units, for smoke that touches the ground. Parts of a billboard that are less
        than ``soft`` in front of a solid are partly transparent, so that no hard edge is visible.
        With a ``soft`` of 0 (the default), solids behind a billboard do not change its
        transparency. A world with soft billboards copies the depth of the opaque solids once per
        frame.

    Columns
    -------
    position
        float64 (n, 3): the position in the world in units, interpolated.
    size
        float32 (n, 2): the width and height in units, interpolated.
    angle
        float32 (n,): the angle in radians, counterclockwise, interpolated.
    color
        float32 (n, 4): a linear color that is multiplied with the image, interpolated.
    image
        int32 (n,): the index of the image.
    """

    __slots__ = ("_blend", "_lit", "_soft", "_sources", "_table")

    _transient_attributes = ("_sources",)

    _rows_can_be_saved = True
    _noun = "billboards"
    _backend_in = "framework.space.billboard_drawing"

    position = ColumnValues[Doubles](
        "Positions in the world, in units: float64 (n, 3), interpolated."
    )
    size = ColumnValues[Floats]("Widths and heights in units: float32 (n, 2), interpolated.")
    angle = ColumnValues[Floats](
        "Angles in radians, counter-clockwise: float32 (n,), interpolated."
    )
    color = ColumnValues[Floats](
        "Linear colors that multiply the colors of the image: float32 (n, 4), interpolated."
    )
    image = ColumnValues[NDArray[np.int32]]("The image index of each billboard: int32 (n,).")

    def __init__(
        self,
        image: ImageSource | Sequence[ImageSource] | None = None,
        count: int = 0,
        *,
        blend: str = "alpha",
        lit: bool = False,
        soft: float = 0.0,
        capacity: int = 0,
    ) -> None:
        self._blend = choice("blend", blend, ("alpha", "add"))
        self._lit = flag("lit", lit)
        self._soft = number("soft", soft, least=0, most=MAX_MAGNITUDE)
        sources: Any = image if isinstance(image, (list, tuple)) else [image]
        self._sources: list[ImageSource | None] = list(sources)
        for source in [] if image is None else self._sources:
            checked_source("image", source)
        if not self._sources:
            raise ValueError("image: expected at least one image, got an empty list")
        pose = [
            TableColumn("position", 3, 0.0, dtype=np.float64, interpolated=True),
            TableColumn("size", 2, 1.0, interpolated=True),
            TableColumn("angle", 1, 0.0, interpolated=True),
            TableColumn("color", 4, 1.0, interpolated=True, color_space="linear"),
        ]
        self._table: Table = Table(
            pose, TableColumn("image", 1, 0, dtype=np.int32, interpolated=False)
        )
        self._backend = None
        self._start_with(count, capacity)

    def _check_rows(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Raise `ValueError` if a loaded save contains the index of a missing image."""
        check_images(columns["image"], len(self._sources))

    def _parts(self) -> BillboardParts:
        return BillboardParts(self._sources, self._blend, self._lit, self._soft)


def check_images(image: NDArray[np.int32], count: int) -> None:
    """Raise `ValueError` if ``image`` contains an index below 0 or above ``count`` - 1."""
    if not len(image):
        return
    lowest = int(image.min())
    highest = int(image.max())
    if not 0 <= lowest <= highest < count:
        raise ValueError(
            f"image: expected indices from 0 to {count - 1}, got {lowest} to {highest}"
        )
