"""Late images: images that a thread decodes while the game is running. Each frame writes some rows
of these images to an atlas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from ..arrays import Pixels
from ..assets import images
from ..assets.images import ImageSource, LateImage, Region, premultiply
from ..resources import Folder
from .atlas import Atlas, blank, with_reductions

if TYPE_CHECKING:  # few games load images in a thread
    from concurrent.futures import Future

MAX_BYTES_PER_FRAME = 1 << 22
"""The maximum number of bytes that a frame writes. The maximum is 1024×1024 pixels, which take
about 1 ms.
"""


class LateImages:
    """The images of an atlas that are not decoded yet, or not completely written yet."""

    not_state = True

    def __init__(self) -> None:
        # By region: the decoded image to come, and whether a frame must wait for it.
        self._pending: dict[int, tuple[Future[Pixels], bool]] = {}
        self._written: dict[int, int] = {}  # rows written so far, by region

    def add(self, atlas: Atlas, region: int, source: ImageSource, image: LateImage) -> None:
        """Add a region. A thread is still decoding its image."""
        atlas.changed = True
        part = source if isinstance(source, Region) else None
        self._pending[region] = (
            image.then(_block(part, bool(atlas.halvings[region]))),
            image.patient,
        )

    def cancel(self, regions: Iterable[int]) -> None:
        """Do not write the images of ``regions``, because the batch has replaced them."""
        for region in regions:
            self._pending.pop(region, None)

    def write(self, atlas: Atlas) -> bool:
        """Write decoded images to the atlas, at most `MAX_BYTES_PER_FRAME`. Return whether some
        images are still missing.

        Raises `AssetError` if an image could not be decoded.
        """
        budget = MAX_BYTES_PER_FRAME
        for region, (job, patient) in list(self._pending.items()):
            if budget <= 0:
                break
            if not (job.done() or patient):
                continue
            block = job.result()
            start = self._written.get(region, 0)
            rows = max(1, budget // block.strides[0]) if not patient else len(block)
            stop = min(start + rows, len(block))
            atlas.write_rows(region, block, start, stop)
            budget -= (stop - start) * block.strides[0]
            self._written[region] = stop
            if stop == len(block):
                del self._pending[region], self._written[region]
        return bool(self._pending)


def load_many(
    sources: Sequence[ImageSource],
    late_images: Sequence[LateImage | None],
    folders: Sequence[Folder],
) -> list[Pixels]:
    """Load images with premultiplied alpha; see `images.load_many`.

    An image that a thread is still decoding is replaced by a transparent image (`blank`).
    """
    pairs = list(zip(sources, late_images, strict=True))
    loaded = iter(
        images.load_many([source for source, late in pairs if late is None], folders, live=True)
    )
    sizes = images.sizes([source for source, late in pairs if late is not None], folders)
    blanks = iter([blank(width, height) for width, height in sizes])
    return [premultiply(next(loaded)) if late is None else next(blanks) for late in late_images]


def _block(part: Region | None, mipmapped: bool) -> Callable[[Pixels], Pixels]:
    """Return a function that converts a decoded image to texels of the atlas. Row 0 is at the
    bottom.

    If ``part`` is a `Region`, only this part of the image is used. If ``mipmapped`` is True,
    smaller copies of the image are added.
    """

    def made(pixels: Pixels) -> Pixels:
        image = premultiply(pixels if part is None else images.cut_region(pixels, part))
        block: Pixels = (with_reductions(image) if mipmapped else image)[::-1].copy()
        return block

    return made
