"""Images that come into an atlas while the game runs: made ready in a thread, and written some rows
a frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from ..arrays import Pixels
from ..assets import images
from ..assets.images import ImageSource, LatePicture, Region, premultiply
from ..resources import Folder
from .atlas import Atlas, blank, with_reductions

if TYPE_CHECKING:  # which few games need
    from concurrent.futures import Future

MOST_BYTES = 1 << 22
"""Written in a frame: 1024×1024 pixels, some 1 ms."""


class Arrivals:
    """What is still to come into one atlas."""

    not_state = True

    def __init__(self) -> None:
        self._coming: dict[
            int, tuple[Future[Pixels], bool]
        ] = {}  # by region; and whether a frame waits for it
        self._written: dict[int, int] = {}  # rows that are there

    def expect(self, atlas: Atlas, region: int, source: ImageSource, picture: LatePicture) -> None:
        """A region is there, and its image is still to come from a picture."""
        atlas.changed = True
        part = source if isinstance(source, Region) else None
        self._coming[region] = (
            picture.then(_block(part, bool(atlas.halvings[region]))),
            picture.patient,
        )

    def forget(self, regions: Iterable[int]) -> None:
        """They are there already."""
        for region in regions:
            self._coming.pop(region, None)

    def bring(self, atlas: Atlas) -> bool:
        """Write what is ready, up to `MOST_BYTES`; whether more is to come. Raises what the thread
        raised: `AssetError`."""
        left = MOST_BYTES
        for region, (job, patient) in list(self._coming.items()):
            if left <= 0:
                break
            if not (job.done() or patient):
                continue
            block, start = job.result(), self._written.get(region, 0)
            rows = max(1, left // block.strides[0]) if not patient else len(block)
            stop = min(start + rows, len(block))
            atlas.write_rows(region, block, start, stop)
            left -= (stop - start) * block.strides[0]
            self._written[region] = stop
            if stop == len(block):
                del self._coming[region], self._written[region]
        return bool(self._coming)


def load_many(
    sources: Sequence[ImageSource],
    pictures: Sequence[LatePicture | None],
    folders: Sequence[Folder],
) -> list[Pixels]:
    """`images.load_many`, premultiplied, with a `blank` in place of what is still to come from a
    picture.
    """
    pairs = list(zip(sources, pictures, strict=True))
    there = iter(
        images.load_many(
            [source for source, picture in pairs if picture is None], folders, live=True
        )
    )
    sizes = images.sizes([source for source, picture in pairs if picture is not None], folders)
    blanks = iter([blank(width, height) for width, height in sizes])
    return [premultiply(next(there)) if picture is None else next(blanks) for picture in pictures]


def _block(part: Region | None, mipmapped: bool) -> Callable[[Pixels], Pixels]:
    """What makes an image ready as it lies in the atlas, row 0 at the bottom."""

    def made(pixels: Pixels) -> Pixels:
        picture = premultiply(pixels if part is None else images.cut_region(pixels, part))
        block: Pixels = (with_reductions(picture) if mipmapped else picture)[::-1].copy()
        return block

    return made
