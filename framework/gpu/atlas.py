"""Many images in one texture, so that a batch of sprites with different pictures is one draw
call.
"""

from __future__ import annotations

import copy
import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Protocol, TypedDict

import numpy as np

from .. import checks
from ..arrays import Floats, Pixels, Rows
from ..assets.images import ImageSource, LatePicture, checked_pixels, halved
from ..errors import AssetError
from .gl import OpenGL, moderngl
from .graphics import Graphics, driver_limit, shared_of
from .skyline import Skyline

TABLE_WIDTH = 256
"""Texels in a row of ``Atlas.table``; a region takes two of them."""

SPACING = 1
"""Free texels between two regions."""

_FILTERS = ("linear", "nearest")
_REGIONS_PER_ROW = TABLE_WIDTH // 2
_MANY_BATCHES = 100  # of the same images: then their game is told that one would do
_MOST_SHARED = 1 << 16  # bytes of the images of one batch that may share its atlas: 128×128 pixels


class Packing:
    """Rectangles placed one after another in an area that doubles when it is full. No GL: numbers
    only.

    Placed rectangles never move. A skyline cannot grow to the right, so each growth adds bins that
    cover the new part of the area. ``width`` and ``height`` are the area so far, in texels.
    """

    def __init__(self, size: int, limit: int) -> None:
        self.limit = limit
        self.width = self.height = min(size, limit)
        self._bins: list[tuple[int, int, Skyline]] = []
        self._add_bin(0, 0, self.width, self.height)
        self.count = 0

    def place(self, width: int, height: int) -> tuple[int, int]:
        """(x, y) of the place for a rectangle; AssetError, with nothing changed, when there is
        none.
        """
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
        for x, y, skyline in self._bins:
            spot = skyline.place(width + SPACING, height + SPACING)
            if spot is not None:
                return x + spot[0], y + spot[1]
        return None

    def _add_bin(self, x: int, y: int, width: int, height: int) -> None:
        # A rectangle's spacing lies to its right and above it, and may stick out of the area.
        # MaxRects packs 1 % denser, and takes minutes for 2,000 images.
        if width > 0 and height > 0:
            self._bins.append((x, y, Skyline(width + SPACING, height + SPACING)))

    def _grow(self, width: int, height: int) -> None:
        """Double the edges until the new part has room for width × height: the smallest area that
        does.
        """
        if self.count == 0:
            while self.width < width or self.height < height:
                self.width = self.width if self.width >= width else min(2 * self.width, self.limit)
                self.height = (
                    self.height if self.height >= height else min(2 * self.height, self.limit)
                )
            self._bins.clear()
            self._add_bin(0, 0, self.width, self.height)
            return
        # The next bin starts a spacing further on: a rectangle's own spacing may stick out of its
        # bin.
        x, y = self.width + SPACING, self.height + SPACING
        columns, rows = self._doublings(self.width), self._doublings(self.height)
        areas = sorted(product(columns, rows), key=_size_order)
        for new_width, new_height in areas:
            if (
                height <= new_height and width <= new_width - x
            ):  # right of the old area, in full height
                self._add_bin(x, 0, new_width - x, new_height)
                self._add_bin(0, y, self.width, new_height - y)
            elif (
                width <= new_width and height <= new_height - y
            ):  # above the old area, in full width
                self._add_bin(0, y, new_width, new_height - y)
                self._add_bin(x, 0, new_width - x, self.height)
            else:
                continue
            self.width, self.height = new_width, new_height
            return
        raise AssetError(
            f"The atlas has no room for an image of {width}×{height} pixels: it holds "
            f"{self.count} images, "
            f"is {self.width}×{self.height} and may be at most {self.limit}×{self.limit}. "
            "Use smaller images, or put some of them in another Atlas."
        )

    def _doublings(self, edge: int) -> list[int]:
        edges = [edge]
        while edges[-1] < self.limit:
            edges.append(min(2 * edges[-1], self.limit))
        return edges


class Options(TypedDict):
    """The arguments of an `Atlas`."""

    filter: str
    size: int
    limit: int
    mipmaps: bool


class Arriving(Protocol):
    """The images that are still to be written into an atlas: `arriving.Arrivals`."""

    def bring(self, atlas: Atlas) -> bool: ...
    def expect(
        self, atlas: Atlas, region: int, source: ImageSource, picture: LatePicture
    ) -> None: ...
    def forget(self, regions: Iterable[int]) -> None: ...


class Atlas:
    """Many images packed into one texture, and a table that tells the shader where each of them
    lies.

    ``filter``: "linear", or "nearest" for pixel art. ``size``: the texture's edge in texels to
    begin with; it doubles when it is full, up to ``limit`` (None: what the driver allows).
    ``mipmaps``: keep each image at its half, quarter, … size too, for drawing it smaller, as far as
    there is room.

    Regions are numbered 0, 1, … and never move. A region is the rectangle (x, y, width, height) in
    texels, with y growing **upwards in the picture**: (x, y) is the corner of the texture that
    shows the picture's bottom left corner, (x + width, y + height) its top right one.

    Between regions lies one texel, of no certain colour. The fragment shader keeps its texture
    coordinates half a texel inside the region; then the linear filter never reads a neighbour's
    texels, and images need no extruded border.

    The texture's own mipmaps would mix neighbours. Reduced images are therefore ordinary texels
    above their region, placed with it: see `with_reductions`, and shaders/include/sprite.glsl,
    which finds them.
    """

    def __init__(
        self,
        ctx: moderngl.Context,
        *,
        filter: str = "linear",
        size: int = 256,
        limit: int | None = None,
        mipmaps: bool = False,
    ) -> None:
        most = driver_limit("GL_MAX_TEXTURE_SIZE")
        limit = most if limit is None else min(checks.whole("limit", limit, 1), most)
        self._ctx = ctx
        self._options: Options = {
            "filter": filter,
            "size": size,
            "limit": limit,
            "mipmaps": mipmaps,
        }
        self._filter: int = getattr(moderngl, checks.choice("filter", filter, _FILTERS).upper())
        self._mipmaps = checks.flag("mipmaps", mipmaps)
        self._packing = Packing(checks.whole("size", size, 1), limit)
        self.texture = self._new_texture()
        """The images, premultiplied RGBA. A new object, and the old one released, whenever the
        atlas has grown.
        """
        self._rows = np.zeros((_REGIONS_PER_ROW, 2, 4), np.float32)
        self._count = 0
        self.table = self._new_table()
        """The regions, as a texture for ``texelFetch``: 4 floats a texel, ``TABLE_WIDTH`` a row.

        Texel t lies at (t % TABLE_WIDTH, t // TABLE_WIDTH). Region i has texel 2i = (x, y, width,
        height) in texels and texel 2i + 1 = (anchor x, anchor y in pixels, how often it was halved,
        0). It is up to date after `flush`, and a new object when it has outgrown its rows.
        """
        self.changed = False
        """Whether regions were added since the last `flush`, or are still to come."""
        self.arriving: Arriving | None = None
        """What is still to come: `arriving.Arrivals`."""

    def __len__(self) -> int:
        """How many regions there are."""
        return self._count

    @property
    def rectangles(self) -> Floats:
        """float32 (n, 4): x, y, width, height of each region in texels, y up. Read only."""
        return _read_only(self._rows[: self._count, 0])

    @property
    def sizes(self) -> Floats:
        """float32 (n, 2): width and height of each region in pixels. Read only."""
        return _read_only(self._rows[: self._count, 0, 2:])

    @property
    def anchors(self) -> Floats:
        """float32 (n, 2): anchor of each region in pixels from its bottom left corner, y up. Read
        only.
        """
        return _read_only(self._rows[: self._count, 1, :2])

    @property
    def halvings(self) -> Floats:
        """float32 (n,): how often each region was halved. Read only."""
        return _read_only(self._rows[: self._count, 1, 2])

    def add(self, pixels: Pixels, anchor: tuple[float, float] | None = None) -> int:
        """Puts an image in and returns its region's index.

        ``pixels``: uint8 (height, width, 4), premultiplied, row 0 at the top. ``anchor``: (x, y) in
        pixels from the image's bottom left corner, y up; None is its centre. ValueError for any
        other array or anchor; AssetError when there is no room, and then the atlas is as it was.
        """
        return self.add_many([pixels], [anchor])[0]

    def add_many(
        self,
        images: Sequence[Pixels],
        anchors: Sequence[tuple[float, float] | None] | None = None,
    ) -> list[int]:
        """Puts many images in and returns their indices, in the order given. All of them, or none.

        As ``add`` for each, but the tallest are placed first, which packs denser, and the texture
        is made anew once at most. The same array several times takes its room once. ``anchors``:
        one for each image, or None for their centres.
        """
        anchors = [None] * len(images) if anchors is None else anchors
        if len(anchors) != len(images):
            raise ValueError(
                f"anchors: expected one for each of {len(images)} images, got {len(anchors)}"
            )
        for pixels in images:
            _check_pixels(pixels)
        points = [
            (pixels.shape[1] / 2, pixels.shape[0] / 2)
            if anchor is None
            else checks.pair("anchor", anchor)
            for pixels, anchor in zip(images, anchors, strict=True)
        ]
        distinct = {id(pixels): pixels for pixels in images}
        places, mipmapped = self._place_all([pixels.shape[:2] for pixels in distinct.values()])
        corners = dict(zip(distinct, places, strict=True))
        if self.texture.size != (self._packing.width, self._packing.height):
            self._grow_texture()
        for key, pixels in distinct.items():
            # Row 0 is the picture's top, and a texture's first row is its bottom.
            if pixels.strides[0]:
                block = np.ascontiguousarray(
                    (with_reductions(pixels) if mipmapped else pixels)[::-1]
                )
            else:  # a blank
                shape = pixels.shape[:2]
                block = np.zeros((*(_block_shape(*shape) if mipmapped else shape), 4), np.uint8)
            height, width = block.shape[:2]
            self.texture.write(block, viewport=(*corners[key], width, height))
        return [
            self._number(pixels, corners[id(pixels)], point, mipmapped)
            for pixels, point in zip(images, points, strict=True)
        ]

    def replace(
        self, pixels: Mapping[int, Pixels], anchors: Mapping[int, tuple[float, float] | None]
    ) -> None:
        """Puts other images in the place of some regions, by their indices. All of them, or none.

        One of the same size takes its place. For another size all regions are placed anew, and keep
        their indices, so that however often that happens the texture is no larger than its images
        need. Raises as `add_many`.
        """
        for one in pixels.values():
            _check_pixels(one)
        points: dict[int, tuple[float, float]] = {}
        for i, one in pixels.items():
            anchor = anchors.get(i)
            width: int = one.shape[1]
            height: int = one.shape[0]
            center = width / 2, height / 2
            points[i] = center if anchor is None else checks.pair("anchor", anchor)
        sizes: list[list[int]] = self._rows[: self._count, 0, 2:].astype(int).tolist()
        if any(tuple(sizes[i]) != one.shape[1::-1] for i, one in pixels.items()):
            self._place_anew(pixels)
        for i, one in pixels.items():
            block = with_reductions(one) if bool(self._rows[i, 1, 2]) else one
            self.texture.write(
                np.ascontiguousarray(block[::-1]),
                viewport=(*self._corner(i), *block.shape[1::-1]),
            )
            self._rows[i, 1, :2] = points[i]
        self.changed = True

    def _place_anew(self, pixels: Mapping[int, Pixels]) -> None:
        """All regions get new places, those of ``pixels`` in their sizes."""
        blocks: dict[object, Pixels] = {}
        keys: list[object] = []
        regions: list[tuple[tuple[int, int, int, int], tuple[int, int, int, int]]]
        regions = self._rows[: self._count].astype(int).tolist()
        texture = np.frombuffer(self.texture.read(), np.uint8).reshape(*self.texture.size[::-1], 4)
        for i, ((x, y, width, height), (_, _, times, _)) in enumerate(regions):
            key: object = id(pixels[i]) if i in pixels else (x, y)
            keys.append(key)
            if i in pixels:
                blocks[key] = with_reductions(pixels[i]) if self._mipmaps else pixels[i]
            else:
                high, wide = _block_shape(height, width) if times else (height, width)
                blocks[key] = texture[y : y + high, x : x + wide][::-1]
        before, self._packing = (
            self._packing,
            Packing(self._options["size"], self._options["limit"]),
        )
        try:
            corners = dict(
                zip(
                    blocks, self._place([block.shape[:2] for block in blocks.values()]), strict=True
                )
            )
        except AssetError:
            self._packing = before
            raise
        old, self.texture = self.texture, self._new_texture()
        old.release()
        for key, block in blocks.items():
            self.texture.write(
                np.ascontiguousarray(block[::-1]), viewport=(*corners[key], *block.shape[1::-1])
            )
        for i, key in enumerate(keys):
            self._rows[i, 0, :2] = corners[key]
            if i in pixels:
                height, width = pixels[i].shape[:2]
                self._rows[i, 0, 2:], self._rows[i, 1, 2] = (
                    (width, height),
                    halvings(width, height) * self._mipmaps,
                )

    def add_grid(self, pictures: Pixels, anchor: tuple[float, float]) -> int:
        """Puts many pictures of one size in, uint8 (n, height, width, 4), side by side; returns the
        index of the first.

        The others follow it. As `add` for each, in a fraction of the time. AssetError when there is
        no room, and then the atlas is as it was.
        """
        count: int
        height: int
        width: int
        count, height, width = pictures.shape[:3]
        shapes = (
            [(height, width)]
            if not self._mipmaps
            else [_block_shape(height, width), (height, width)]
        )
        for high, wide in shapes:
            mipmapped = self._mipmaps and (high, wide) == shapes[0]
            columns = _columns(count, high, wide, self._packing.limit)
            rows = -(-count // columns)
            try:
                x, y = self._packing.place(
                    columns * (wide + SPACING) - SPACING, rows * (high + SPACING) - SPACING
                )
                break
            except AssetError:
                if not mipmapped:
                    raise
        if self.texture.size != (self._packing.width, self._packing.height):
            self._grow_texture()
        blocks = _many_with_reductions(pictures) if mipmapped else pictures
        picture: Pixels = np.zeros((rows * columns, high + SPACING, wide + SPACING, 4), np.uint8)
        picture[:count, :high, :wide] = blocks[:, ::-1]  # a picture's row 0 is its top
        picture = picture.reshape(rows, columns, high + SPACING, wide + SPACING, 4).swapaxes(1, 2)
        picture = picture.reshape(rows * (high + SPACING), columns * (wide + SPACING), 4)
        picture = np.ascontiguousarray(picture[: -SPACING or None, : -SPACING or None])
        self.texture.write(picture, viewport=(x, y, *picture.shape[1::-1]))
        first = self._count
        pixels: Pixels
        for index, pixels in enumerate(pictures):
            row, column = divmod(index, columns)
            corner = x + column * (wide + SPACING), y + row * (high + SPACING)
            self._number(pixels, corner, anchor, mipmapped)
        return first

    def live(self, region: int) -> Callable[[OpenGL, int, int], None]:
        """The region is drawn anew while the game runs. Returns what copies it here, called as
        ``copy(gl, width, height)`` with that picture bound for reading; it has no reductions from
        now on."""
        self._rows[region, 1, 2] = 0
        self.changed = True

        def copy(gl: OpenGL, width: int, height: int) -> None:
            x, y = self._corner(region)
            self.texture.use(0)
            gl.glCopyTexSubImage2D(gl.GL_TEXTURE_2D, 0, x, y, 0, 0, width, height)

        return copy

    def write_rows(self, region: int, block: Pixels, start: int, stop: int) -> None:
        """Writes some rows of a region, from its bottom: ``block`` is the image, with its
        reductions where it has any, premultiplied, row 0 at the bottom."""
        x, y = self._corner(region)
        self.texture.write(block[start:stop], viewport=(x, y + start, block.shape[1], stop - start))

    def _corner(self, region: int) -> tuple[int, int]:
        """Return the x and y of a region in the texture, in texels."""
        corner: tuple[int, int] = tuple(self._rows[region, 0, :2].astype(int).tolist())
        return corner

    def flush(self) -> None:
        """Uploads ``table`` if regions were added since the last time, and some of what is still to
        come.
        """
        if not self.changed:
            return
        if self.table.height * _REGIONS_PER_ROW != len(self._rows):
            self.table.release()
            self.table = self._new_table()
        self.table.write(self._rows)
        self.changed = self.arriving is not None and self.arriving.bring(self)
        if not self.changed:
            self.arriving = None

    def copy(self) -> Atlas:
        """Another one with the same regions."""
        other = Atlas(self._ctx, **self._options)
        other._packing, other._rows = copy.deepcopy(self._packing), self._rows.copy()
        other._count, other.changed = self._count, True
        other.texture.release()
        other.texture = other._new_texture()
        other.texture.write(self.texture.read())
        return other

    def release(self) -> None:
        """Frees the GPU's memory. The atlas cannot be used after that; a second call does
        nothing.
        """
        self.texture.release()
        self.table.release()

    def _place_all(self, shapes: Sequence[tuple[int, ...]]) -> tuple[list[tuple[int, int]], bool]:
        """Corners for images of (height, width), and whether there is room for their reductions
        too.
        """
        if self._mipmaps:
            try:
                return self._place([_block_shape(*shape) for shape in shapes]), True
            except AssetError:  # said of the images alone, if they have no room either
                pass
        return self._place(shapes), False

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

    def _number(
        self, pixels: Pixels, corner: tuple[int, int], anchor: tuple[float, float], mipmapped: bool
    ) -> int:
        """The index of a new region, whose texels lie at ``corner``."""
        height, width = pixels.shape[:2]
        if self._count == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
        self._rows[self._count] = [
            (*corner, width, height),
            (*anchor, halvings(width, height) if mipmapped else 0, 0),
        ]
        self.changed = True
        self._count += 1
        return self._count - 1

    def _grow_texture(self) -> None:
        # By way of main memory: a copy on the GPU would obey whatever scissor is set just now.
        old = self.texture
        self.texture = self._new_texture()
        self.texture.write(old.read(), viewport=(0, 0, *old.size))
        old.release()

    def _new_texture(self) -> moderngl.Texture:
        texture = self._ctx.texture((self._packing.width, self._packing.height), 4)
        texture.filter = (self._filter, self._filter)
        texture.repeat_x = texture.repeat_y = False
        return texture

    def _new_table(self) -> moderngl.Texture:
        return self._table_with(self._rows)

    def table_of(self, regions: Rows) -> moderngl.Texture:
        """A table as `table`, of some regions (n,) in another order, some of them perhaps several
        times.
        """
        rows = np.zeros(
            (-(-max(1, len(regions)) // _REGIONS_PER_ROW) * _REGIONS_PER_ROW, 2, 4), np.float32
        )
        rows[: len(regions)] = self._rows[regions]
        return self._table_with(rows)

    def _table_with(self, rows: Floats) -> moderngl.Texture:
        table = self._ctx.texture((TABLE_WIDTH, len(rows) // _REGIONS_PER_ROW), 4, dtype="f4")
        table.filter = (moderngl.NEAREST, moderngl.NEAREST)
        table.repeat_x = table.repeat_y = False
        table.write(rows)
        return table


class Atlases:
    """Atlases that batches share as long as they have the same few small images, as hundreds of a
    sprite each may: drivers are slow to change textures. One that is given more images then has an
    atlas of its own."""

    not_state = True

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._shared: dict[object, Atlas] = {}
        self._users: Counter[Atlas] = Counter()
        self._told = False  # that there are many

    @classmethod
    def of(cls, graphics: Graphics) -> Atlases:
        """Those of a game."""
        shared = shared_of(graphics)
        if not isinstance(shared.atlases, cls):
            shared.atlases = cls(graphics.ctx)
        return shared.atlases

    def holding(
        self,
        filter: str,
        images: Sequence[Pixels],
        anchors: Sequence[tuple[float, float] | None],
        alone: bool = False,
    ) -> Atlas:
        """An atlas of these images, numbered as they are given; raises as `Atlas.add_many`. Give it
        back. ``alone``: nobody else is to have it."""
        key: object = None
        if not alone and 0 < sum(pixels.size for pixels in images) <= _MOST_SHARED:
            key = (
                filter,
                *[
                    (pixels.shape, pixels.tobytes(), at)
                    for pixels, at in zip(images, anchors, strict=True)
                ],
            )
        atlas = self._shared.get(key)
        if atlas is None:
            atlas = Atlas(self._ctx, filter=filter, mipmaps=filter == "linear")
            self._filled(atlas, images, anchors)
            if key is not None:
                self._shared[key] = atlas
        self._users[atlas] += 1
        if self._users[atlas] == _MANY_BATCHES and not self._told:
            self._told = True
            warnings.warn(
                f"{_MANY_BATCHES} sprite batches have the same images, and each takes "
                "some 10 µs of a frame, however "
                "few sprites it has. One batch with all of them takes as long as one "
                "of these: batch.add(position=…), "
                "with layer= for what is drawn over what.",
                RuntimeWarning,
                stacklevel=2,
            )
        return atlas

    def replaced(
        self,
        atlas: Atlas,
        pixels: Mapping[int, Pixels],
        anchors: Mapping[int, tuple[float, float] | None],
    ) -> Atlas:
        """What holds other images in some regions, in place of the atlas: another one, where that
        is shared.
        """
        if self._users[atlas] == 1:
            atlas.replace(pixels, anchors)
            self._forget(atlas)
            return atlas
        other = atlas.copy()
        try:
            other.replace(pixels, anchors)
        except BaseException:
            other.release()
            raise
        self._users[other] = 1
        self._users[atlas] -= 1
        return other

    def extended(
        self, atlas: Atlas, images: Sequence[Pixels], anchors: Sequence[tuple[float, float] | None]
    ) -> Atlas:
        """What holds these images, too, in place of the atlas: another one, where that is
        shared.
        """
        if self._users[atlas] == 1:
            atlas.add_many(images, anchors)
            self._forget(atlas)
            return atlas
        other = self._filled(atlas.copy(), images, anchors)
        self._users[other] = 1
        self._users[atlas] -= 1
        return other

    def give_back(self, atlas: Atlas) -> None:
        """One user of it is no more; the last one's frees it."""
        self._users[atlas] -= 1
        if not self._users[atlas]:
            self._forget(atlas)
            del self._users[atlas]
            atlas.release()

    def _filled(
        self, atlas: Atlas, images: Sequence[Pixels], anchors: Sequence[tuple[float, float] | None]
    ) -> Atlas:
        try:
            atlas.add_many(images, anchors)
        except BaseException:
            atlas.release()
            raise
        return atlas

    def _forget(self, atlas: Atlas) -> None:
        """Nobody else is to have it: it has other images now, or none."""
        for key in [key for key, shared in self._shared.items() if shared is atlas]:
            del self._shared[key]


def _size_order(area: tuple[int, int]) -> tuple[int, int]:
    return area[0] * area[1], max(area)


def blank(width: int, height: int) -> Pixels:
    """An image of nothing, which takes no memory: a single pixel, with strides of 0."""
    return np.broadcast_to(np.zeros((1, 1, 4), np.uint8), (height, width, 4))


def halvings(width: int, height: int) -> int:
    """How often an image is halved until a pixel of it is left."""
    return max(width, height).bit_length() - 1


def reduced_rectangles(width: int, height: int) -> list[tuple[int, int, int, int]]:
    """Where the reductions of an image lie: (x, y, width, height) from its region's corner, y up.

    The first above the image, then each beside the one before and the next above that: they take
    half the image's height and no more than its width, but for very thin ones.
    shaders/include/sprite.glsl goes the same way.
    """
    x, y = 0, height + SPACING
    rectangles = []
    for level in range(1, halvings(width, height) + 1):
        across, up = max(1, width >> level), max(1, height >> level)
        rectangles.append((x, y, across, up))
        x, y = (x + across + SPACING, y) if level % 2 else (x, y + up + SPACING)
    return rectangles


def reduced_rectangle(width: int, height: int, level: int) -> tuple[int, int, int, int]:
    """The one of `reduced_rectangles` of a level; at level 0 the image itself."""
    return reduced_rectangles(width, height)[level - 1] if level else (0, 0, width, height)


def _block_shape(height: int, width: int) -> tuple[int, int]:
    """Height and width of what an image takes with its reductions."""
    places = reduced_rectangles(width, height)
    return max([height, *(y + up for _, y, _, up in places)]), max(
        [width, *(x + across for x, _, across, _ in places)]
    )


def with_reductions(pixels: Pixels) -> Pixels:
    """An image and its reductions, as they lie in the texture, row 0 at the top."""
    height: int = pixels.shape[0]
    width: int = pixels.shape[1]
    block = np.zeros((*_block_shape(height, width), 4), np.uint8)
    block[-height:, :width] = pixels
    places = reduced_rectangles(width, height)
    for (x, y, across, up), small in zip(places, halved(pixels, len(places)), strict=True):
        bottom = len(block) - y
        block[bottom - up : bottom, x : x + across] = small
    return block


def _columns(count: int, height: int, width: int, limit: int) -> int:
    """Of so many blocks, how many to have side by side: together they are about as wide as high."""
    most = max(1, (limit + SPACING) // (width + SPACING))
    return min(
        count, most, max(1, round(math.sqrt(count * (height + SPACING) / (width + SPACING))))
    )


def _many_with_reductions(pictures: Pixels) -> Pixels:
    """`with_reductions` of each of many pictures of one size: (n, …)."""
    count: int
    height: int
    width: int
    count, height, width = pictures.shape[:3]
    blocks = np.zeros((count, *_block_shape(height, width), 4), np.uint8)
    blocks[:, -height:, :width] = pictures
    reduced = pictures
    for x, y, across, up in reduced_rectangles(width, height):
        if reduced.shape[1] % 2 or reduced.shape[2] % 2:
            reduced = np.stack([halved(pixels, 1)[0] for pixels in reduced])
        else:  # one over the other, they are halved at once
            column = reduced.reshape(-1, *reduced.shape[2:])
            reduced = halved(column, 1)[0].reshape(count, up, across, 4)
        bottom = blocks.shape[1] - y
        blocks[:, bottom - up : bottom, x : x + across] = reduced
    return blocks


def _check_pixels(pixels: Pixels) -> None:
    checked_pixels(pixels)
    if not pixels.size:
        raise checks.wrong_value("pixels", "a picture of at least one pixel", pixels)


def _read_only(view: Floats) -> Floats:
    view.flags.writeable = False
    return view
