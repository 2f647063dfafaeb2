"""Upload images that a background thread decodes while the game is already running.

In each frame, some rows of such an image are uploaded to a texture atlas.
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
"""The maximum number of bytes that are written to textures in one frame. This is the size of an
image of 1024×1024 pixels, which takes about 1 ms to write.
"""


class LateImages:
    """The images of an atlas that are not yet decoded, or not yet completely uploaded."""

    not_state = True

    def __init__(self) -> None:
        # A dict from regions to the future with the decoded image, and whether a frame must wait
        # for the image.
        self._pending: dict[int, tuple[Future[Pixels], bool]] = {}
        # a dict from regions to the number of rows that are already written
        self._written: dict[int, int] = {}

    def add(self, atlas: Atlas, region: int, source: ImageSource, image: LateImage) -> None:
        """Register a region whose image a thread is still decoding."""
        atlas.changed = True
        part = source if isinstance(source, Region) else None
        self._pending[region] = (
            image.then(_block(part, bool(atlas.halvings[region]))),
            image.patient,
        )

    def cancel(self, regions: Iterable[int]) -> None:
        """Stop uploading the images of ``regions``, because the batch has replaced them."""
        for region in regions:
            self._pending.pop(region, None)

    def write(self, atlas: Atlas) -> bool:
        """Upload decoded images to the atlas, about `MAX_BYTES_PER_FRAME` bytes per call. If the
        frame must wait for an image, `write` uploads the whole image in one call. Return whether
        some images are still missing from the atlas.

        Raises `AssetError` if a thread could not decode an image.
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

    While a thread is still decoding an image, `load_many` returns a transparent image of the same
    size; see `blank`.
    """
    pairs = list(zip(sources, late_images, strict=True))
    loaded = iter(
        images.load_many([source for source, late in pairs if late is None], folders, live=True)
    )
    sizes = images.sizes([source for source, late in pairs if late is not None], folders)
    blanks = iter([blank(width, height) for width, height in sizes])
    return [premultiply(next(loaded)) if late is None else next(blanks) for late in late_images]


def _block(part: Region | None, mipmapped: bool) -> Callable[[Pixels], Pixels]:
    """Return a function that converts a decoded image to the texels of an atlas region. Row 0 of
    the texels is at the bottom.

    If ``part`` is a `Region`, the function uses only the box of the region. If ``mipmapped`` is
    True, the function adds smaller copies of the image.
    """

    def made(pixels: Pixels) -> Pixels:
        image = premultiply(pixels if part is None else images.cut_region(pixels, part))
        block: Pixels = (with_reductions(image) if mipmapped else image)[::-1].copy()
        return block

    return made
