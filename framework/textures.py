"""Many images in one texture, so that a batch of sprites with different pictures is one draw call."""

from __future__ import annotations

import copy
import operator
from collections.abc import Sequence
from itertools import product
from typing import Any

import moderngl
import numpy as np
import rectpack
from numpy.typing import NDArray

from framework.errors import AssetError
from framework.images import Pixels, checked_anchor

TABLE_WIDTH = 256
"""Texels in a row of ``Atlas.table``; a region takes two of them."""

SPACING = 1
"""Free texels between two regions."""

_FILTERS = {"linear": moderngl.LINEAR, "nearest": moderngl.NEAREST}
_REGIONS_PER_ROW = TABLE_WIDTH // 2


class Packing:
    """Rectangles placed one after another in an area that doubles when it is full. No GL: numbers only.

    Placed rectangles never move. rectpack's bins cannot grow, so each growth adds bins that cover the new
    part of the area. ``width`` and ``height`` are the area so far, in texels.
    """

    def __init__(self, size: int, limit: int) -> None:
        self.limit = limit
        self.width = self.height = min(size, limit)
        self._bins: list[tuple[int, int, Any]] = []
        self._add_bin(0, 0, self.width, self.height)
        self.count = 0

    def place(self, width: int, height: int) -> tuple[int, int]:
        """(x, y) of the place for a rectangle; AssetError, with nothing changed, when there is none."""
        if max(width, height) > self.limit:
            raise AssetError(
                f"The image of {width}×{height} pixels is larger than a texture may be here "
                f"({self.limit}×{self.limit}). Scale it down or cut it into pieces."
            )
        while (place := self._place_in_bins(width, height)) is None:
            self._grow(width, height)
        self.count += 1
        return place

    def _place_in_bins(self, width: int, height: int) -> tuple[int, int] | None:
        for x, y, packer in self._bins:
            spot = packer.add_rect(width + SPACING, height + SPACING)
            if spot is not None:
                packer.rectangles.clear()  # never asked for, and only dear to copy
                return x + int(spot.x), y + int(spot.y)
        return None

    def _add_bin(self, x: int, y: int, width: int, height: int) -> None:
        # A rectangle's spacing lies to its right and above it, and may stick out of the area.
        # The bottom left skyline: 2,000 images in 0.4 s. MaxRects packs 1 % denser in minutes.
        if width > 0 and height > 0:
            packer = rectpack.SkylineBl(width + SPACING, height + SPACING, rot=False)
            self._bins.append((x, y, packer))

    def _grow(self, width: int, height: int) -> None:
        """Double the edges until the new part has room for width × height: the smallest area that does."""
        if self.count == 0:
            while self.width < width or self.height < height:
                self.width, self.height = min(2 * self.width, self.limit), min(2 * self.height, self.limit)
            self._bins.clear()
            self._add_bin(0, 0, self.width, self.height)
            return
        # The next bin starts a spacing further on: a rectangle's own spacing may stick out of its bin.
        x, y = self.width + SPACING, self.height + SPACING
        columns, rows = self._doublings(self.width), self._doublings(self.height)
        areas = sorted(product(columns, rows), key=lambda area: (area[0] * area[1], max(area)))
        for new_width, new_height in areas:
            if height <= new_height and width <= new_width - x:  # right of the old area, in full height
                self._add_bin(x, 0, new_width - x, new_height)
                self._add_bin(0, y, self.width, new_height - y)
            elif width <= new_width and height <= new_height - y:  # above the old area, in full width
                self._add_bin(0, y, new_width, new_height - y)
                self._add_bin(x, 0, new_width - x, self.height)
            else:
                continue
            self.width, self.height = new_width, new_height
            return
        raise AssetError(
            f"The atlas has no room for an image of {width}×{height} pixels: it holds {self.count} images, "
            f"is {self.width}×{self.height} and may be at most {self.limit}×{self.limit}. "
            "Use smaller images, or put some of them in another Atlas."
        )

    def _doublings(self, edge: int) -> list[int]:
        edges = [edge]
        while edges[-1] < self.limit:
            edges.append(min(2 * edges[-1], self.limit))
        return edges


class Atlas:
    """Many images packed into one texture, and a table that tells the shader where each of them lies.

    ``filter``: "linear", or "nearest" for pixel art. ``size``: the texture's edge in texels to begin with;
    it doubles when it is full, up to ``limit`` (None: what the driver allows).

    Regions are numbered 0, 1, … and never move. A region is the rectangle (x, y, width, height) in texels,
    with y growing **upwards in the picture**: (x, y) is the corner of the texture that shows the picture's
    bottom left corner, (x + width, y + height) its top right one.

    Between regions lies one texel, of no certain colour. The fragment shader keeps its texture coordinates
    half a texel inside the region; then the linear filter never reads a neighbour's texels, and images need
    no extruded border.
    """

    def __init__(
        self, ctx: moderngl.Context, *, filter: str = "linear", size: int = 256, limit: int | None = None
    ) -> None:
        if filter not in _FILTERS:
            raise ValueError(f"filter must be 'linear' or 'nearest', and not {filter!r}.")
        driver_limit = int(ctx.info["GL_MAX_TEXTURE_SIZE"])
        limit = driver_limit if limit is None else min(_positive("limit", limit), driver_limit)
        self._ctx = ctx
        self._filter = _FILTERS[filter]
        self._packing = Packing(_positive("size", size), limit)
        self._texture = self._new_texture()
        self._rows = np.zeros((_REGIONS_PER_ROW, 2, 4), np.float32)
        self._count = 0
        self._table = self._new_table()
        self._changed = False

    def __len__(self) -> int:
        """How many regions there are."""
        return self._count

    @property
    def texture(self) -> moderngl.Texture:
        """The texture with the images, premultiplied RGBA. A new object, and the old one released, whenever
        the atlas has grown: ask again for each frame, or call ``use``."""
        return self._texture

    @property
    def table(self) -> moderngl.Texture:
        """The table of regions, as a texture for ``texelFetch``: 4 floats a texel, ``TABLE_WIDTH`` a row.

        Texel t lies at (t % TABLE_WIDTH, t // TABLE_WIDTH). Region i has texel 2i = (x, y, width, height) in
        texels and texel 2i + 1 = (anchor x, anchor y, 0, 0) in pixels. It is up to date after ``flush``, and
        a new object when it has outgrown its rows.
        """
        return self._table

    @property
    def rectangles(self) -> NDArray[np.float32]:
        """float32 (n, 4): x, y, width, height of each region in texels, y up. Read only."""
        return _read_only(self._rows[: self._count, 0])

    @property
    def sizes(self) -> NDArray[np.float32]:
        """float32 (n, 2): width and height of each region in pixels. Read only."""
        return _read_only(self._rows[: self._count, 0, 2:])

    @property
    def anchors(self) -> NDArray[np.float32]:
        """float32 (n, 2): anchor of each region in pixels from its bottom left corner, y up. Read only."""
        return _read_only(self._rows[: self._count, 1, :2])

    def add(self, pixels: Pixels, anchor: tuple[float, float] | None = None) -> int:
        """Puts an image in and returns its region's index.

        ``pixels``: uint8 (height, width, 4), premultiplied, row 0 at the top. ``anchor``: (x, y) in pixels
        from the image's bottom left corner, y up; None is its centre. ValueError for any other array or
        anchor; AssetError when there is no room, and then the atlas is as it was.
        """
        return self.add_many([pixels], [anchor])[0]

    def add_many(
        self,
        images: Sequence[Pixels],
        anchors: Sequence[tuple[float, float] | None] | None = None,
    ) -> list[int]:
        """Puts many images in and returns their indices, in the order given. All of them, or none.

        As ``add`` for each, but the tallest are placed first, which packs denser, and the texture is made
        anew once at most. ``anchors``: one for each image, or None for their centres.
        """
        anchors = [None] * len(images) if anchors is None else anchors
        if len(anchors) != len(images):
            raise ValueError(f"There are {len(images)} images, but {len(anchors)} anchors.")
        for pixels in images:
            _check_pixels(pixels)
        points = [
            (pixels.shape[1] / 2, pixels.shape[0] / 2) if anchor is None else checked_anchor(anchor)
            for pixels, anchor in zip(images, anchors, strict=True)
        ]
        corners = self._place([pixels.shape[:2] for pixels in images])
        if self._texture.size != (self._packing.width, self._packing.height):
            self._grow_texture()
        return [self._store(*item) for item in zip(images, corners, points, strict=True)]

    def flush(self) -> None:
        """Uploads ``table`` if regions were added since the last time."""
        if not self._changed:
            return
        if self._table.height * _REGIONS_PER_ROW != len(self._rows):
            self._table.release()
            self._table = self._new_table()
        self._table.write(self._rows)
        self._changed = False

    def use(self, image_unit: int, table_unit: int) -> None:
        """Binds ``texture`` and ``table``, both up to date, to these texture units."""
        self.flush()
        self._texture.use(image_unit)
        self._table.use(table_unit)

    def release(self) -> None:
        """Frees the GPU's memory. The atlas cannot be used after that; a second call does nothing."""
        self._texture.release()
        self._table.release()

    def _place(self, shapes: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
        # A single place() that fails changes nothing by itself.
        before = copy.deepcopy(self._packing) if len(shapes) > 1 else self._packing
        corners = [(0, 0)] * len(shapes)
        try:
            for i in sorted(range(len(shapes)), key=lambda i: shapes[i], reverse=True):
                height, width = shapes[i]
                corners[i] = self._packing.place(width, height)
        except AssetError:
            self._packing = before
            raise
        return corners

    def _store(self, pixels: Pixels, corner: tuple[int, int], anchor: tuple[float, float]) -> int:
        height, width = pixels.shape[:2]
        # Row 0 is the picture's top, and a texture's first row is its bottom.
        self._texture.write(np.ascontiguousarray(pixels[::-1]), viewport=(*corner, width, height))
        if self._count == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
        self._rows[self._count] = [(*corner, width, height), (*anchor, 0, 0)]
        self._changed = True
        self._count += 1
        return self._count - 1

    def _grow_texture(self) -> None:
        # By way of main memory: a copy on the GPU would obey whatever scissor is set just now.
        old = self._texture
        self._texture = self._new_texture()
        self._texture.write(old.read(), viewport=(0, 0, *old.size))
        old.release()

    def _new_texture(self) -> moderngl.Texture:
        texture = self._ctx.texture((self._packing.width, self._packing.height), 4)
        texture.filter = (self._filter, self._filter)
        texture.repeat_x = texture.repeat_y = False
        return texture

    def _new_table(self) -> moderngl.Texture:
        table = self._ctx.texture((TABLE_WIDTH, len(self._rows) // _REGIONS_PER_ROW), 4, dtype="f4")
        table.filter = (moderngl.NEAREST, moderngl.NEAREST)
        table.repeat_x = table.repeat_y = False
        table.write(self._rows)
        return table


def _positive(name: str, value: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = 0
    if number < 1:
        raise ValueError(f"{name} must be a positive whole number of texels, and not {value!r}.")
    return number


def _check_pixels(pixels: Pixels) -> None:
    if not isinstance(pixels, np.ndarray):
        raise TypeError(f"pixels must be a numpy array (see images.load), and not {type(pixels).__name__}.")
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 4 or pixels.size == 0:
        raise ValueError(f"pixels must be uint8 (height, width, 4), and not {pixels.dtype} {pixels.shape}.")


def _read_only(view: NDArray[np.float32]) -> NDArray[np.float32]:
    view.flags.writeable = False
    return view
