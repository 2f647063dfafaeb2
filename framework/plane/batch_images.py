"""The images of a sprite batch, with their sizes, anchors and opaque outlines."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Mask, Pixels
from ..assets import images
from ..assets.clips import Clips
from ..assets.images import ImageSource, Region, checked_source
from ..checks import Sealed, number, shown, whole
from ..errors import AssetError
from ..geometry.outlines import opaque_box, pieces
from ..resources import Folder

_set = object.__setattr__

Anchor = tuple[float, float] | None


class ImageLoader(Protocol):
    """The interface of the object that loads images for a sprite batch while the batch is in a
    game.
    """

    @property
    def folders(self) -> Sequence[Folder]:
        """The folders that are searched for image files."""

    def size_of(self, index: int) -> tuple[float, float]:
        """Return the size of one image as (width, height), in pixels."""

    def add_images(self, sources: Sequence[ImageSource]) -> None:
        """Load all images in ``sources``. If one of them cannot be loaded, none is loaded, and the
        method raises `AssetError`.
        """

    def add_letter(self, pixels: Pixels, anchor: tuple[float, float]) -> None:
        """Add a glyph (the image of one letter); see `Atlas.add_letter`."""

    def forget_images(self) -> None:
        """Remove all loaded images."""


class ImageList:
    """The list of images of a sprite batch. The first image has the index 0.

    ``loader`` is the object that reads image files for the list, or None until the batch is added
    to a game. With a ``loader``, `add` also loads the new image.
    """

    __slots__ = ("_boxes", "_index", "_pieces", "anchor", "loader", "sources")

    not_state = True

    def __init__(self, sources: Iterable[object], anchor: Anchor) -> None:
        self.anchor = anchor
        """The anchor of all images that have no anchor of their own, in pixels from the image's
        bottom left corner, or None for the centers of the images.
        """
        self.sources: list[ImageSource] = []
        self.loader: ImageLoader | None = None
        self._index: dict[object, int] = {}
        self._boxes: Doubles = np.empty((0, 4))
        # The convex pieces by the index of the image and the tolerance.
        self._pieces: dict[tuple[int, float], list[Doubles]] = {}
        for value in sources:
            source = checked_source("image", value)
            self.sources.append(source)
            self._index.setdefault(key_of(source), len(self.sources) - 1)

    def __len__(self) -> int:
        return len(self.sources)

    def add(self, name: str, source: ImageSource) -> int:
        """Add an image and return its index. If the image is already in the list, return the
        existing index.

        Error messages contain ``name``, the name of the argument that the game passed. Raises
        `AssetError` if the image cannot be loaded, or if the texture atlas is full. After an error,
        the list of images is unchanged.
        """
        if isinstance(source, Clips):
            raise TypeError(
                f"{name}: expected an image, got {shown(source)}; clips belong to a batch of their "
                "own: write batch = self.add(fw.SpriteBatch(clips)) and "
                "sprite = batch.add(position=(x, y)), then sprite.play('walk')"
            )
        key = key_of(checked_source(name, source))
        index = self._index.get(key)
        if index is not None:
            return index
        if self.loader is not None:
            try:
                self.loader.add_images([source])
            except AssetError as error:
                hint = self._hint_for(source)
                if hint is None:
                    raise
                raise AssetError(f"{error} {hint}") from error.__cause__
        self._index[key] = len(self.sources)
        self.sources.append(source)
        return len(self.sources) - 1

    def _hint_for(self, source: ImageSource) -> str | None:
        """Return the hint for an error message if ``source`` is the name of an image of the batch
        without its folder or its ending, otherwise None.
        """
        if not isinstance(source, str):
            return None
        for index, image in enumerate(self.sources):
            if isinstance(image, str | PurePath):
                path = PurePath(image)
                if source in (path.stem, path.name):
                    return f"The batch has the image {str(image)!r}: write image={index}."
        return None

    def add_letter(self, pixels: Pixels, anchor: tuple[float, float]) -> int:
        """Add a glyph (the image of one letter), and return its index. ``pixels`` is a uint8 array.
        An array of the shape (height, width) contains the opacity of each pixel. An array of the
        shape (height, width, 4) contains colors with straight alpha.

        `add` can also add glyphs, but is several times slower.
        """
        if self.loader is not None:
            self.loader.add_letter(images.premultiplied_letter(pixels), anchor)
        colors = pixels
        if pixels.ndim == 2:
            colors = np.full((*pixels.shape, 4), 255, np.uint8)
            colors[..., 3] = pixels
        self.sources.append(Region(colors, None, anchor))
        return len(self.sources) - 1

    def number_of(self, image: ImageSource | int | None) -> int:
        """Return the index of ``image``. ``image`` may be an image source or an index.

        An image source that is not in the list yet is added. If ``image`` is None, return 0, the
        index of the first image.
        """
        if image is not None and not isinstance(image, (int, np.integer)):
            return self.add("image", image)
        if image is None and not self.sources:
            raise ValueError('image: the batch has no images yet; pass one: add("ship.png", …)')
        index = whole("image", 0 if image is None else image)
        if not 0 <= index < len(self.sources):
            raise ValueError(
                f"image: the batch has {len(self.sources)} images, got index {shown(index)}"
            )
        return index

    def check_numbers(self, numbers: NDArray[np.integer[Any]], start: int = 0) -> None:
        """Raise `ValueError` if ``numbers`` contains an image index that does not exist. ``start``
        is the row of the first number, for error messages.
        """
        count = len(self.sources)
        if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) < count:
            outside: Mask = (numbers < 0) | (numbers >= count)
            row = int(np.argmax(outside))
            raise ValueError(
                f"image: row {start + row} has index {numbers[row]}, the batch has {count} images"
            )

    def size_of(self, index: int) -> tuple[float, float]:
        """Return the size of one image as (width, height), in pixels.

        Raises `AssetError` if the batch is not in a game yet.
        """
        index = whole("index", index, 0, len(self.sources) - 1)
        if self.loader is None:
            raise AssetError(
                "this batch is not in a game yet: its images are loaded by game.add(batch)"
            )
        return self.loader.size_of(index)

    @property
    def anchors(self) -> list[Anchor]:
        """The anchors of all images. An anchor is the point of an image that is drawn at a sprite's
        position, in pixels from the image's bottom left corner.

        If an anchor is None, the center of the image is its anchor.
        """
        return [anchor_of(source, self.anchor) for source in self.sources]

    def boxes(self) -> Doubles:
        """Return a box around the opaque pixels of each image.

        See `BatchImages.boxes`.
        """
        count = len(self._boxes)
        if count < len(self.sources):
            loaded = self._pictures(self.sources[count:])
            boxes = [opaque_box(pixels, anchor) for pixels, anchor in loaded]
            self._boxes = np.concatenate([self._boxes, boxes])
        return self._boxes

    def pieces(self, index: int, tolerance: float) -> list[Doubles]:
        """Return convex polygons that together cover the opaque pixels of one image.

        See `BatchImages.pieces`. The polygons are cached, because tracing the outline of an image
        takes milliseconds.
        """
        key = index, number("tolerance", tolerance, least=0)
        if key not in self._pieces:
            ((pixels, anchor),) = self._pictures(self.sources[index : index + 1])
            self._pieces[key] = pieces(pixels, tolerance, anchor)
        return [corners.copy() for corners in self._pieces[key]]

    def _pictures(self, sources: Sequence[ImageSource]) -> list[tuple[Pixels, Anchor]]:
        folders = () if self.loader is None else self.loader.folders
        pixels = images.load_many(sources, folders, live=True)
        anchors = [anchor_of(source, self.anchor) for source in sources]
        return list(zip(pixels, anchors, strict=True))

    def reloaded_from(self, index: int) -> None:
        """Delete the cached boxes and pieces of the image ``index`` and of all later images. Called
        when image files have changed on disk.
        """
        self._boxes = self._boxes[:index]
        self._pieces = {key: value for key, value in self._pieces.items() if key[0] < index}

    def clear(self) -> None:
        """Remove all images from the list.

        The next image that you add gets the index 0. Before the next frame, the game must write new
        indices to the column ``image``.
        """
        self.sources.clear()
        self._index.clear()
        self._boxes = np.empty((0, 4))
        self._pieces.clear()
        if self.loader is not None:
            self.loader.forget_images()


class BatchImages(Sealed):
    """The images of a sprite batch. Games access this object as ``batch.images``.

    ``len(batch.images)`` is the number of images. The column ``image`` contains the image index of
    each sprite.
    """

    __slots__ = ("_list",)

    _list: ImageList

    _transient_attributes: ClassVar[Any] = ("_list",)

    def __init__(self, images: ImageList) -> None:
        _set(self, "_list", images)  # takes a third of the time of `self._list = images`

    def __len__(self) -> int:
        return len(self._list)

    def add(self, source: ImageSource) -> int:
        """Add an image and return its index. If the same path or object was added before, return
        the index of the existing image.

        To show the image on a sprite, write its index to the column ``image``.

        Raises `AssetError` if the image cannot be loaded, or if the texture atlas is full. After an
        error, the images of the batch are unchanged.
        """
        return self._list.add("source", source)

    def size(self, index: int = 0) -> tuple[float, float]:
        """Return the size of one image as (width, height), in pixels.

        Raises `AssetError` if the batch is not in a game yet.
        """
        return self._list.size_of(index)

    def boxes(self) -> Doubles:
        """Return a box around the opaque pixels of every image. The array of boxes has the shape
        (images, 4). Each row contains the left, bottom, right and top side of a box.

        The sides are measured in pixels from the anchor of the image, y up. A pixel is opaque if
        its alpha is 0.5 or more. The box of an image without opaque pixels is NaN. If the batch is
        not in a game, `boxes` loads the images.
        """
        return self._list.boxes()

    def pieces(self, index: int, tolerance: float = 1.0) -> list[Doubles]:
        """Return convex polygons that together cover the opaque pixels of one image.

        See `collide.pieces`.

        Each polygon is an array of corners. The array of a polygon with k corners has the shape (k,
        2). The corners are in pixels from the image's anchor, y up. ``tolerance`` is the largest
        allowed distance between the polygons and the exact outline, in pixels.
        """
        index = whole("index", index, 0, len(self._list) - 1)
        return self._list.pieces(index, tolerance)


def anchor_of(source: ImageSource, anchor: Anchor) -> Anchor:
    """Return the anchor of ``source`` if it is a `Region` with an anchor. Otherwise, return
    ``anchor``.
    """
    return source.anchor if isinstance(source, Region) and source.anchor else anchor


def key_of(source: ImageSource) -> object:
    """Return the key that identifies an image in a batch: the path of a file, or the ``id()`` of
    any other image source.
    """
    return os.fspath(source) if isinstance(source, (str, os.PathLike)) else id(source)
