"""Store many images in one texture (an atlas), so that a sprite batch needs only one draw call."""

from __future__ import annotations

import copy
import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple, Protocol, TypedDict

import numpy as np

from .. import checks
from ..arrays import Floats, Pixels, Rows
from ..assets.images import ImageSource, LateImage, checked_pixels, halved
from ..errors import AssetError
from .gl import OpenGL, moderngl
from .graphics import Graphics, driver_limit, shared_of
from .skyline import Skyline

TABLE_WIDTH = 256
"""The number of texels in a row of ``Atlas.table``. Each region of the atlas needs two texels."""

SPACING = 1
"""The number of unused texels between two regions."""

# New glyphs are uploaded together: they wait while they have at most this number of texels in
# total.
_MAX_WAITING = 1 << 20

_FILTERS = ("linear", "nearest")
_REGIONS_PER_ROW = TABLE_WIDTH // 2
# A game is warned if this number of its batches have the same images.
_WARNED_BATCHES = 1000
_MANY_BATCHES = (
    "{count} sprite batches have the same images. Each takes about 1 µs of "
    "a frame if its neighbors in the drawing order have the same camera and options. "
    "Otherwise, each takes about 10 µs. One batch with all sprites takes a small part "
    "of this time: use batch.add(position=…), with layer= for the drawing order."
)
# Batches share an atlas if the images of each batch have at most this number of bytes in total,
# which is the size of one image of 128×128 pixels.
_MAX_SHARED = 1 << 16


class Packing:
    """Finds free positions for rectangles (images) in a growing area (a texture). If the area is
    full, `place` doubles its width or height. `Packing` does not use OpenGL.

    A placed rectangle never moves. A `Skyline` finds the positions, but its width is fixed.
    Therefore `Packing` adds new skylines for the new part when the area grows. ``width`` and
    ``height`` are the current size of the area in texels.
    """

    def __init__(self, size: int, limit: int) -> None:
        self.limit = limit
        self.width = self.height = min(size, limit)
        self._bins: list[tuple[int, int, Skyline]] = []
        self._add_bin(0, 0, self.width, self.height)
        self.count = 0

    def place(self, width: int, height: int) -> tuple[int, int]:
        """Find a free position for a rectangle. Return its bottom left corner (x, y), in texels.

        If the area cannot grow enough, raise `AssetError` and change nothing.
        """
        if max(width, height) > self.limit:
            raise AssetError(
                f"The image of {width}×{height} pixels is larger than the driver's "
                f"largest texture ({self.limit}×{self.limit}). Scale it down or cut it into pieces."
            )
        while (corner := self._place_in_bins(width, height)) is None:
            self._grow(width, height)
        self.count += 1
        return corner

    def _place_in_bins(self, width: int, height: int) -> tuple[int, int] | None:
        for x, y, skyline in self._bins:
            spot = skyline.place(width + SPACING, height + SPACING)
            if spot is not None:
                return x + spot[0], y + spot[1]
        return None

    def _add_bin(self, x: int, y: int, width: int, height: int) -> None:
        # The spacing is to the right of each rectangle and above it, and may be outside the area.
        # The packing algorithm MaxRects packs 1 % more, but takes minutes for 2,000 images.
        if width > 0 and height > 0:
            self._bins.append((x, y, Skyline(width + SPACING, height + SPACING)))

    def _grow(self, width: int, height: int) -> None:
        """Enlarge the area until the new part has room for a rectangle of ``width`` × ``height``.

        The width and the height may be doubled several times. `_grow` chooses the smallest area
        that has enough room.
        """
        if self.count == 0:
            self._enlarge_empty_area(width, height)
            return
        # The next skyline starts one spacing after the old area, because the spacing of a rectangle
        # may be outside the old area.
        x = self.width + SPACING
        y = self.height + SPACING
        columns = _doublings(self.width, self.limit)
        rows = _doublings(self.height, self.limit)
        areas = sorted(product(columns, rows), key=_size_order)
        for new_width, new_height in areas:
            # the new area to the right of the old area, with the full height
            if height <= new_height and width <= new_width - x:
                self._add_bin(x, 0, new_width - x, new_height)
                self._add_bin(0, y, self.width, new_height - y)
            # the new area above the old area, with the full width
            elif width <= new_width and height <= new_height - y:
                self._add_bin(0, y, new_width, new_height - y)
                self._add_bin(x, 0, new_width - x, self.height)
            else:
                continue
            self.width = new_width
            self.height = new_height
            return
        raise AssetError(
            f"The atlas has no room for an image of {width}×{height} pixels: it holds "
            f"{self.count} images, "
            f"is {self.width}×{self.height} and may be at most {self.limit}×{self.limit}. "
            "Use smaller images, or put some of them in another Atlas."
        )

    def _enlarge_empty_area(self, width: int, height: int) -> None:
        self.width = next(edge for edge in _doublings(self.width, self.limit) if edge >= width)
        self.height = next(edge for edge in _doublings(self.height, self.limit) if edge >= height)
        self._bins.clear()
        self._add_bin(0, 0, self.width, self.height)


def _doublings(edge: int, limit: int) -> list[int]:
    """Return ``edge``, twice ``edge`` and so on, up to ``limit``."""
    edges = [edge]
    while edges[-1] < limit:
        edges.append(min(2 * edges[-1], limit))
    return edges


class AtlasOptions(TypedDict):
    """The keyword arguments of the `Atlas` constructor."""

    filter: str
    size: int
    limit: int
    mipmaps: bool


class LateImageWriter(Protocol):
    """Uploads images after background threads have decoded them; see `late_images.LateImages`."""

    def write(self, atlas: Atlas) -> bool: ...
    def add(self, atlas: Atlas, region: int, source: ImageSource, image: LateImage) -> None: ...
    def cancel(self, regions: Iterable[int]) -> None: ...


class Atlas:
    """Many images in one large texture. The shader reads the rectangle of each image from a table.

    The part of the texture that contains one image is called a region. The first region has the
    index 0, the second region has the index 1, and so on. A region moves in the texture only if
    `replace` changes the size of an image. A region is (x, y, width, height) in texels. The y axis
    points up. The bottom left corner of an image is at (x, y), and the top right corner is at (x +
    width, y + height).

    Neighboring regions are separated by one texel, whose color is undefined. The fragment shader
    reads only positions that are at least half a texel inside the region. Therefore the linear
    filter never mixes neighboring images in the texture.

    The texture has no mipmaps, because mipmaps would mix neighboring images. Instead of mipmaps,
    the atlas can store copies of each image at half size, at quarter size and so on. The smaller
    copies are stored side by side above the image, in the same texture. `with_reductions` creates
    the smaller copies, and the shader code in shaders/include/sprite.glsl uses the copies for small
    sprites.

    Parameters
    ----------
    filter
        The texture filter: "linear" (default), or "nearest" for pixel art.
    size
        The initial width and height of the texture, in texels. When the texture is full, its width
        or height doubles.
    limit
        The maximum width and height of the texture, in texels. The default is the driver's limit.
    mipmaps
        Whether to store smaller copies of each image (half size, quarter size and so on). No copies
        are stored if the texture has no room for them. With smaller copies, sprites that are much
        smaller than their image look smooth.
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
        max_limit = driver_limit("GL_MAX_TEXTURE_SIZE")
        limit = max_limit if limit is None else min(checks.whole("limit", limit, 1), max_limit)
        self._ctx = ctx
        self._options: AtlasOptions = {
            "filter": filter,
            "size": size,
            "limit": limit,
            "mipmaps": mipmaps,
        }
        self._filter: int = getattr(moderngl, checks.choice("filter", filter, _FILTERS).upper())
        self._mipmaps = checks.flag("mipmaps", mipmaps)
        self._packing = Packing(checks.whole("size", size, 1), limit)
        self.texture = self._new_texture()
        """The texture with all images: RGBA with premultiplied alpha.

        If the atlas grows, a new texture replaces it, and the old texture is released.
        """
        self._rows = np.zeros((_REGIONS_PER_ROW, 2, 4), np.float32)
        self._count = 0
        self.table = self._new_table()
        """A texture with the rectangles of all regions. Shaders read the texture with
        ``texelFetch``. A texel is 4 floats, and a row has ``TABLE_WIDTH`` texels.

        Texel t is at (t % TABLE_WIDTH, t // TABLE_WIDTH). Region i uses two texels. Texel 2i is (x,
        y, width, height), in texels. Texel 2i + 1 is (anchor x, anchor y, number of smaller copies,
        0). The anchor is in pixels. `flush` updates the table. If the table needs more rows,
        `flush` makes a new texture.
        """
        self.changed = False
        """True if `flush` must write new regions or images."""
        self.late_images: LateImageWriter | None = None
        """The images that threads are still decoding. None if there are no such images."""
        # The glyphs that are not in the texture yet. Each item has the index of the region and its
        # texels.
        self._waiting: list[tuple[int, Pixels]] = []
        self._waiting_area = 0

    def __len__(self) -> int:
        """The number of regions."""
        return self._count

    @property
    def rectangles(self) -> Floats:
        """The rectangle of each region: x, y, width and height in texels, with y pointing up. The
        result is a read-only float32 array with the shape (n, 4).
        """
        self._write_waiting()
        return _read_only(self._rows[: self._count, 0])

    @property
    def sizes(self) -> Floats:
        """The width and height of each region in pixels. The result is a read-only float32 array
        with the shape (n, 2).
        """
        return _read_only(self._rows[: self._count, 0, 2:])

    @property
    def anchors(self) -> Floats:
        """The anchor of each region, in pixels from the region's bottom left corner, with y
        pointing up. The result is a read-only float32 array with the shape (n, 2).
        """
        return _read_only(self._rows[: self._count, 1, :2])

    @property
    def halvings(self) -> Floats:
        """How many smaller copies the atlas has of each image. The result is a read-only float32
        array with the shape (n,).
        """
        return _read_only(self._rows[: self._count, 1, 2])

    def add(self, pixels: Pixels, anchor: tuple[float, float] | None = None) -> int:
        """Add an image and return the index of its region.

        ``pixels`` is a uint8 array with the shape (height, width, 4) and premultiplied alpha. The
        first row of ``pixels`` is the top of the image. ``anchor`` is (x, y) in pixels from the
        image's bottom left corner, with y pointing up. If ``anchor`` is None, the anchor is in the
        center of the image. Raises `ValueError` if an argument is invalid. If the texture has no
        room, raise `AssetError` and change nothing.
        """
        return self.add_many([pixels], [anchor])[0]

    def add_many(
        self,
        images: Sequence[Pixels],
        anchors: Sequence[tuple[float, float] | None] | None = None,
    ) -> list[int]:
        """Add several images. Return the indices of the new regions, in the order of ``images``.

        `add_many` wastes less space than repeated calls to `add`, because it places the tallest
        images first. The texture grows at most once. An array that occurs several times in
        ``images`` is stored only once. ``anchors`` contains one anchor for each image. If
        ``anchors`` is None, the anchor of each image is its center. If an error is raised, the
        atlas does not change.
        """
        anchors = [None] * len(images) if anchors is None else anchors
        if len(anchors) != len(images):
            raise ValueError(
                f"anchors: expected one for each of {len(images)} images, got {len(anchors)}"
            )
        for pixels in images:
            _check_pixels(pixels)
        points = [
            _anchor_point(pixels, anchor) for pixels, anchor in zip(images, anchors, strict=True)
        ]
        self._write_waiting()
        distinct = {id(pixels): pixels for pixels in images}
        corner_list, mipmapped = self._place_all([pixels.shape[:2] for pixels in distinct.values()])
        corners = dict(zip(distinct, corner_list, strict=True))
        self._fit_texture()
        for key, pixels in distinct.items():
            self._write_texels(corners[key], _texels(pixels, mipmapped))
        return [
            self._add_region(pixels, corners[id(pixels)], point, mipmapped)
            for pixels, point in zip(images, points, strict=True)
        ]

    def add_letter(self, pixels: Pixels, anchor: tuple[float, float]) -> int:
        """Add a glyph (the image of one letter), and return the index of its region. All new glyphs
        are uploaded together, at the latest before the next draw call.

        ``pixels`` is a uint8 array. For a white glyph, ``pixels`` contains the opacity and has the
        shape (height, width). For a colored glyph, ``pixels`` contains colors with premultiplied
        alpha and has the shape (height, width, 4). The first row of ``pixels`` is the top of the
        glyph.
        """
        height: int = pixels.shape[0]
        width: int = pixels.shape[1]
        high, wide = _block_shape(height, width) if self._mipmaps else (height, width)
        packing = self._packing
        # Glyphs wait only if the texture can certainly grow. Otherwise, an error would be raised
        # too late.
        is_large = 8 * max(high, wide) > packing.limit
        if is_large or 4 * packing.width * packing.height > packing.limit**2:
            colored = pixels if pixels.ndim == 3 else np.repeat(pixels[:, :, None], 4, axis=2)
            return self.add(colored, anchor)
        area = (high + SPACING) * (wide + SPACING)
        if self._waiting_area + area > min(_MAX_WAITING, (packing.limit // 8) ** 2):
            self._write_waiting()
        self._waiting_area += area
        region = self._add_region(pixels, (0, 0), anchor, self._mipmaps)
        self._waiting.append((region, pixels))
        return region

    def _write_waiting(self) -> None:
        """Upload all new glyphs together, as one rectangle of the texture."""
        if not self._waiting:
            return
        regions = [region for region, _ in self._waiting]
        blocks = [pixels for _, pixels in self._waiting]
        if self._mipmaps:
            blocks = _letters_with_reductions(blocks)
        area = self._waiting_area
        self._waiting = []
        self._waiting_area = 0
        corners, width, height = _shelves([block.shape[:2] for block in blocks], area)
        page_corner = self._packing.place(width, height)
        self._fit_texture()
        self._write_texels(page_corner, _page(blocks, corners, width, height))
        self._rows[regions, 0, :2] = np.array(corners) + page_corner
        self.changed = True

    def replace(
        self, pixels: Mapping[int, Pixels], anchors: Mapping[int, tuple[float, float] | None]
    ) -> None:
        """Replace the images of some regions. The keys of ``pixels`` and ``anchors`` are indices of
        regions.

        A new image of the same size overwrites the old image in the texture. If an image changes
        its size, `replace` rearranges all regions, so that no space is wasted. The index of a
        region does not change. Raises the same errors as `add_many`, under the same conditions. If
        an error is raised, the atlas does not change.
        """
        for image in pixels.values():
            _check_pixels(image)
        points = {i: _anchor_point(image, anchors.get(i)) for i, image in pixels.items()}
        self._write_waiting()
        sizes: list[list[int]] = self._rows[: self._count, 0, 2:].astype(int).tolist()
        if any(tuple(sizes[i]) != image.shape[1::-1] for i, image in pixels.items()):
            self._place_again(pixels)
        for i, image in pixels.items():
            self._write_texels(self._corner(i), _texels(image, bool(self._rows[i, 1, 2])))
            self._rows[i, 1, :2] = points[i]
        self.changed = True

    def _place_again(self, pixels: Mapping[int, Pixels]) -> None:
        """Place all regions in a new texture. The regions in ``pixels`` get their new images and
        sizes.
        """
        blocks, keys = self._blocks_with(pixels)
        corner_list = self._place_in_new_area([block.shape[:2] for block in blocks.values()])
        corners = dict(zip(blocks, corner_list, strict=True))
        old = self.texture
        self.texture = self._new_texture()
        old.release()
        for key, block in blocks.items():
            self._write_texels(corners[key], np.ascontiguousarray(block[::-1]))
        for i, key in enumerate(keys):
            self._rows[i, 0, :2] = corners[key]
        for i, image in pixels.items():
            height, width = image.shape[:2]
            self._rows[i, 0, 2:] = (width, height)
            self._rows[i, 1, 2] = halvings(width, height) * self._mipmaps

    def _blocks_with(
        self, pixels: Mapping[int, Pixels]
    ) -> tuple[dict[object, Pixels], list[object]]:
        """Return the image of each region, with its smaller copies. Images in ``pixels`` replace
        those in the texture. Also return the key of each region's image.

        Regions with the same image have the same key.
        """
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
        return blocks, keys

    def _place_in_new_area(self, shapes: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
        """Replace the packing by a new one, and return the positions of images in it. If there is
        no room, raise `AssetError` and keep the old packing.
        """
        before = self._packing
        self._packing = Packing(self._options["size"], self._options["limit"])
        try:
            return self._place(shapes)
        except AssetError:
            self._packing = before
            raise

    def add_grid(self, images: Pixels, anchor: tuple[float, float]) -> int:
        """Add many images of the same size, and return the index of the first region. ``images`` is
        a uint8 array with the shape (n, height, width, 4).

        The indices of the regions are consecutive, in the order of ``images``. `add_grid` is much
        faster than calling `add` for each image. If the texture has no room, raise `AssetError` and
        change nothing.
        """
        self._write_waiting()
        (x, y), grid, mipmapped = self._place_grid(*images.shape[:3])
        self._fit_texture()
        page = grid.page(_many_with_reductions(images) if mipmapped else images)
        self._write_texels((x, y), page)
        first = self._count
        pixels: Pixels
        for index, pixels in enumerate(images):
            row, column = divmod(index, grid.columns)
            corner = x + column * grid.width, y + row * grid.height
            self._add_region(pixels, corner, anchor, mipmapped)
        return first

    def _place_grid(
        self, count: int, height: int, width: int
    ) -> tuple[tuple[int, int], _BlockGrid, bool]:
        """Find a position for ``count`` images of the same size. Return the bottom left corner of
        the grid, the grid, and whether the texture has room for the smaller copies.
        """
        limit = self._packing.limit
        if self._mipmaps:
            grid = _BlockGrid.nearly_square(count, *_block_shape(height, width), limit)
            try:
                return self._packing.place(*grid.size), grid, True
            except AssetError:
                pass  # place the images without smaller copies
        grid = _BlockGrid.nearly_square(count, height, width, limit)
        return self._packing.place(*grid.size), grid, False

    def live(self, region: int) -> Callable[[OpenGL, int, int], None]:
        """Return a function that copies a view's image to a region, for a `RenderTexture`.

        Call the function as ``copy(gl, width, height)``. Before you call ``copy``, bind the
        framebuffer of the view for reading. `live` removes the smaller copies of the region,
        because they would show the old image.
        """
        self._rows[region, 1, 2] = 0
        self.changed = True

        def copy(gl: OpenGL, width: int, height: int) -> None:
            x, y = self._corner(region)
            self.texture.use(0)
            gl.glCopyTexSubImage2D(gl.GL_TEXTURE_2D, 0, x, y, 0, 0, width, height)

        return copy

    def write_rows(self, region: int, block: Pixels, start: int, stop: int) -> None:
        """Upload the rows of an image from ``start`` (included) to ``stop`` (excluded).

        ``block`` contains the whole image. If the region has smaller copies, ``block`` also
        contains the smaller copies. The alpha of ``block`` is premultiplied, and row 0 is the
        bottom of the image.
        """
        x, y = self._corner(region)
        self.texture.write(block[start:stop], viewport=(x, y + start, block.shape[1], stop - start))

    def _corner(self, region: int) -> tuple[int, int]:
        """Return the bottom left corner of a region, in texels."""
        self._write_waiting()
        corner: tuple[int, int] = tuple(self._rows[region, 0, :2].astype(int).tolist())
        return corner

    def flush(self) -> None:
        """Update `table` if regions have changed. Also upload some of the images that threads have
        decoded.
        """
        if not self.changed:
            return
        self._write_waiting()
        if self.table.height * _REGIONS_PER_ROW != len(self._rows):
            self.table.release()
            self.table = self._new_table()
        self.table.write(self._rows)
        self.changed = self.late_images is not None and self.late_images.write(self)
        if not self.changed:
            self.late_images = None

    def copy(self) -> Atlas:
        """Return a copy of the atlas with the same regions."""
        self._write_waiting()
        copied = Atlas(self._ctx, **self._options)
        copied._packing = copy.deepcopy(self._packing)
        copied._rows = self._rows.copy()
        copied._count = self._count
        copied.changed = True
        copied.texture.release()
        copied.texture = copied._new_texture()
        copied.texture.write(self.texture.read())
        return copied

    def release(self) -> None:
        """Release both textures: the texture with the images, and the table of regions. You cannot
        use the atlas after `release`. Calling `release` again does nothing.
        """
        self._waiting = []
        self.texture.release()
        self.table.release()

    def _place_all(self, shapes: Sequence[tuple[int, ...]]) -> tuple[list[tuple[int, int]], bool]:
        """Find positions for images of the given sizes (height, width). Return the bottom left
        corner of each image. Also return whether the texture has room for the smaller copies.
        """
        if self._mipmaps:
            try:
                return self._place([_block_shape(*shape) for shape in shapes]), True
            # Place the images without reduced images. If this fails, the error message names the
            # image itself.
            except AssetError:
                pass
        return self._place(shapes), False

    def _place(self, shapes: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
        # If a single call of place() fails, it leaves everything unchanged.
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

    def _add_region(
        self, pixels: Pixels, corner: tuple[int, int], anchor: tuple[float, float], mipmapped: bool
    ) -> int:
        """Append a region with the bottom left corner ``corner``, and return its index."""
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

    def _fit_texture(self) -> None:
        if self.texture.size != (self._packing.width, self._packing.height):
            self._grow_texture()

    def _grow_texture(self) -> None:
        # Copy through main memory, because the current scissor rectangle would clip a copy on the
        # GPU.
        old = self.texture
        self.texture = self._new_texture()
        self.texture.write(old.read(), viewport=(0, 0, *old.size))
        old.release()

    def _write_texels(self, corner: tuple[int, int], texels: Pixels) -> None:
        """Upload texels to the texture. Row 0 of ``texels`` is at ``corner``, at the bottom."""
        height, width = texels.shape[:2]
        self.texture.write(texels, viewport=(*corner, width, height))

    def _new_texture(self) -> moderngl.Texture:
        texture = self._ctx.texture((self._packing.width, self._packing.height), 4)
        texture.filter = (self._filter, self._filter)
        texture.repeat_x = texture.repeat_y = False
        return texture

    def _new_table(self) -> moderngl.Texture:
        return self._table_with(self._rows)

    def table_of(self, regions: Rows) -> moderngl.Texture:
        """Return a new texture that has the same format as `table`. The new texture contains
        ``regions`` in the given order.

        ``regions`` may contain an index several times.
        """
        rows = np.zeros(
            (-(-max(1, len(regions)) // _REGIONS_PER_ROW) * _REGIONS_PER_ROW, 2, 4), np.float32
        )
        self._write_waiting()
        rows[: len(regions)] = self._rows[regions]
        return self._table_with(rows)

    def _table_with(self, rows: Floats) -> moderngl.Texture:
        table = self._ctx.texture((TABLE_WIDTH, len(rows) // _REGIONS_PER_ROW), 4, dtype="f4")
        table.filter = (moderngl.NEAREST, moderngl.NEAREST)
        table.repeat_x = table.repeat_y = False
        table.write(rows)
        return table


class Atlases:
    """The texture atlases of all sprite batches in a game. Batches with the same images share one
    atlas if the images are few and small.

    Sharing saves time in games with hundreds of one-sprite batches, because every texture switch
    costs time in the GPU driver. If a batch adds images to a shared atlas, it gets its own copy of
    the atlas.
    """

    not_state = True

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._shared: dict[object, Atlas] = {}
        self._users: Counter[Atlas] = Counter()
        self._warned = False  # whether the game was already warned

    @classmethod
    def of(cls, graphics: Graphics) -> Atlases:
        """Return the `Atlases` object of a game."""
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
        """Return an atlas that contains ``images``. Each image has the same index in ``images`` and
        in the atlas. Call `give_back` when you no longer need the atlas.

        With ``alone=True``, the atlas is not shared with other batches. Raises the same errors as
        `Atlas.add_many`, under the same conditions.
        """
        key = None if alone else _sharing_key(filter, images, anchors)
        atlas = self._shared.get(key)
        if atlas is None:
            atlas = Atlas(self._ctx, filter=filter, mipmaps=filter == "linear")
            self._filled(atlas, images, anchors)
            if key is not None:
                self._shared[key] = atlas
        self._users[atlas] += 1
        if self._users[atlas] == _WARNED_BATCHES and not self._warned:
            self._warned = True
            message = _MANY_BATCHES.format(count=_WARNED_BATCHES)
            warnings.warn(message, RuntimeWarning, stacklevel=2)
        return atlas

    def replaced(
        self,
        atlas: Atlas,
        pixels: Mapping[int, Pixels],
        anchors: Mapping[int, tuple[float, float] | None],
    ) -> Atlas:
        """Replace the images of some regions, and return the atlas. If other batches also use
        ``atlas``, the method changes a copy of the atlas and returns the copy.
        """
        if self._users[atlas] == 1:
            atlas.replace(pixels, anchors)
            self._stop_sharing(atlas)
            return atlas
        own_atlas = atlas.copy()
        try:
            own_atlas.replace(pixels, anchors)
        except BaseException:
            own_atlas.release()
            raise
        self._users[own_atlas] = 1
        self._users[atlas] -= 1
        return own_atlas

    def extended(
        self, atlas: Atlas, images: Sequence[Pixels], anchors: Sequence[tuple[float, float] | None]
    ) -> Atlas:
        """Add images to the atlas, and return the atlas. If other batches also use ``atlas``, the
        method changes a copy of the atlas and returns the copy.
        """
        if self._users[atlas] == 1:
            atlas.add_many(images, anchors)
            self._stop_sharing(atlas)
            return atlas
        own_atlas = self._filled(atlas.copy(), images, anchors)
        self._users[own_atlas] = 1
        self._users[atlas] -= 1
        return own_atlas

    def owned(self, atlas: Atlas) -> Atlas:
        """Return an atlas that only one batch uses, so that the batch may change the atlas. If
        other batches also use ``atlas``, return a copy of the atlas.
        """
        if self._users[atlas] == 1:
            self._stop_sharing(atlas)
            return atlas
        own_atlas = atlas.copy()
        self._users[own_atlas] = 1
        self._users[atlas] -= 1
        return own_atlas

    def give_back(self, atlas: Atlas) -> None:
        """Register that one batch no longer uses an atlas. Release the atlas if no other batch uses
        it.
        """
        self._users[atlas] -= 1
        if not self._users[atlas]:
            self._stop_sharing(atlas)
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

    def _stop_sharing(self, atlas: Atlas) -> None:
        """Remove an atlas from the shared atlases. Batches that are created later do not use this
        atlas.
        """
        for key in [key for key, shared in self._shared.items() if shared is atlas]:
            del self._shared[key]


def _size_order(area: tuple[int, int]) -> tuple[int, int]:
    return area[0] * area[1], max(area)


def _sharing_key(
    filter: str, images: Sequence[Pixels], anchors: Sequence[tuple[float, float] | None]
) -> object:
    """Return a key that is equal for batches with the same images. Return None if the batch does
    not share its atlas: it has no images, or they are too large.
    """
    if not 0 < sum(pixels.size for pixels in images) <= _MAX_SHARED:
        return None
    parts = zip(images, anchors, strict=True)
    return (filter, *[(pixels.shape, pixels.tobytes(), anchor) for pixels, anchor in parts])


def blank(width: int, height: int) -> Pixels:
    """Return a fully transparent image. The array takes up the memory of only one pixel, because
    all its strides are 0.
    """
    return np.broadcast_to(np.zeros((1, 1, 4), np.uint8), (height, width, 4))


def halvings(width: int, height: int) -> int:
    """Return how many times an image can be halved before its size is one pixel."""
    return max(width, height).bit_length() - 1


@lru_cache(maxsize=1024)
def reduced_rectangles(width: int, height: int) -> Sequence[tuple[int, int, int, int]]:
    """Return the rectangles of an image's smaller copies: (x, y, width, height) in texels. x and y
    are measured from the bottom left corner of the region, with y pointing up.

    The first smaller copy is above the image. The second copy is to the right of the first copy,
    and the third copy is above the second copy. The positions alternate: the fourth copy is to the
    right of the third copy, the fifth copy is above the fourth copy, and so on. Together, the
    copies are half as tall as the image. They are at most as wide as the image, except for very
    narrow images. The shader shaders/include/sprite.glsl computes the same rectangles.
    """
    x = 0
    y = height + SPACING
    rectangles = []
    for level in range(1, halvings(width, height) + 1):
        across = max(1, width >> level)
        up = max(1, height >> level)
        rectangles.append((x, y, across, up))
        x, y = (x + across + SPACING, y) if level % 2 else (x, y + up + SPACING)
    return rectangles


def reduced_rectangle(width: int, height: int, level: int) -> tuple[int, int, int, int]:
    """Return the rectangle of one smaller copy of an image; see `reduced_rectangles`. ``level`` 1
    is the copy at half size. ``level`` 0 is the image itself.
    """
    return reduced_rectangles(width, height)[level - 1] if level else (0, 0, width, height)


@lru_cache(maxsize=1024)
def _block_shape(height: int, width: int) -> tuple[int, int]:
    """Return the height and width of the block that contains an image and its smaller copies."""
    rectangles = reduced_rectangles(width, height)
    return max([height, *(y + up for _, y, _, up in rectangles)]), max(
        [width, *(x + across for x, _, across, _ in rectangles)]
    )


def with_reductions(pixels: Pixels) -> Pixels:
    """Return an array that contains an image and its smaller copies at their positions in the
    texture. The first row of the array is the top of the image. ``pixels`` may also be a uint8
    array with only one channel and the shape (height, width).
    """
    height: int = pixels.shape[0]
    width: int = pixels.shape[1]
    block = np.zeros((*_block_shape(height, width), *pixels.shape[2:]), np.uint8)
    block[-height:, :width] = pixels
    rectangles = reduced_rectangles(width, height)
    for (x, y, across, up), small in zip(rectangles, halved(pixels, len(rectangles)), strict=True):
        bottom = len(block) - y
        block[bottom - up : bottom, x : x + across] = small
    return block


def _shelves(
    shapes: Sequence[tuple[int, ...]], area: int
) -> tuple[list[tuple[int, int]], int, int]:
    """Place rectangles in rows. Together, the rows are nearly square. Return the bottom left corner
    of each rectangle, and the total width and height of the rows.

    ``shapes`` contains the height and width of each rectangle. ``area`` is the total area of the
    rectangles, including the spacing around them.
    """
    widest = max(width for _, width in shapes)
    limit = max(widest, math.ceil(math.sqrt(area)))
    corners = [(0, 0)] * len(shapes)
    x = y = shelf = across = 0
    for index in sorted(range(len(shapes)), key=lambda index: shapes[index], reverse=True):
        height, width = shapes[index]
        if x + width > limit:
            x = 0
            y += shelf + SPACING
        if not x:
            shelf = height  # the first rectangle of a row is the highest one
        corners[index] = x, y
        across = max(across, x + width)
        x += width + SPACING
    return corners, across, y + shelf


def _page(
    letters: Sequence[Pixels], corners: Sequence[tuple[int, int]], width: int, height: int
) -> Pixels:
    """Return the texels of a rectangle with several glyphs at the given corners. Row 0 is the
    bottom row.
    """
    page = np.zeros((height, width, 4), np.uint8)
    for letter, (x, y) in zip(letters, corners, strict=True):
        turned = letter[::-1]
        into = page[y : y + len(letter), x : x + letter.shape[1]]
        into[:] = turned if letter.ndim == 3 else turned[:, :, None]
    return page


def _letters_with_reductions(letters: Sequence[Pixels]) -> list[Pixels]:
    """Return each glyph together with its smaller copies; see `with_reductions`. To save time, the
    function stores four glyphs of the same size in the four channels of one image.
    """
    blocks = list(letters)
    of_shape: dict[tuple[int, ...], list[int]] = {}
    for index, pixels in enumerate(letters):
        if pixels.ndim == 2:
            of_shape.setdefault(pixels.shape, []).append(index)
        else:
            blocks[index] = with_reductions(pixels)
    for indices in of_shape.values():
        for start in range(0, len(indices), 4):
            group = indices[start : start + 4]
            reduced = _channels_with_reductions([letters[index] for index in group])
            for index, block in zip(group, reduced, strict=True):
                blocks[index] = block
    return blocks


def _channels_with_reductions(letters: Sequence[Pixels]) -> list[Pixels]:
    """Return one to four white glyphs of the same size together with their smaller copies."""
    if len(letters) == 1:
        return [with_reductions(letters[0])]
    channels = np.zeros((*letters[0].shape, 4), np.uint8)
    for channel, pixels in enumerate(letters):
        channels[..., channel] = pixels
    reduced = with_reductions(channels)
    return [reduced[..., channel] for channel in range(len(letters))]


class _BlockGrid(NamedTuple):
    """A grid of blocks of the same size. A block is an image, with or without its smaller copies.
    ``height`` and ``width`` are the size of a block, including the spacing.
    """

    rows: int
    columns: int
    height: int
    width: int

    @classmethod
    def nearly_square(cls, count: int, height: int, width: int, limit: int) -> _BlockGrid:
        """Return a grid with room for ``count`` blocks of ``height`` × ``width`` texels. The grid
        is at most ``limit`` texels wide.
        """
        high = height + SPACING
        wide = width + SPACING
        max_columns = max(1, (limit + SPACING) // wide)
        columns = min(count, max_columns, max(1, round(math.sqrt(count * high / wide))))
        return cls(-(-count // columns), columns, high, wide)

    @property
    def size(self) -> tuple[int, int]:
        """The width and the height of the grid in texels, without the spacing after the last
        blocks.
        """
        return self.columns * self.width - SPACING, self.rows * self.height - SPACING

    def page(self, blocks: Pixels) -> Pixels:
        """Return the texels of the grid. ``blocks`` has the shape (n, height, width, 4), without
        the spacing. Row 0 is the top row of a block, but the bottom row of the returned array.
        """
        count, height, width = blocks.shape[:3]
        page: Pixels = np.zeros((self.rows * self.columns, self.height, self.width, 4), np.uint8)
        page[:count, :height, :width] = blocks[:, ::-1]
        page = page.reshape(self.rows, self.columns, self.height, self.width, 4).swapaxes(1, 2)
        page = page.reshape(self.rows * self.height, self.columns * self.width, 4)
        return np.ascontiguousarray(page[: -SPACING or None, : -SPACING or None])


def _many_with_reductions(images: Pixels) -> Pixels:
    """Combine each of n images of the same size with its smaller copies; see `with_reductions`."""
    count: int
    height: int
    width: int
    count, height, width = images.shape[:3]
    blocks = np.zeros((count, *_block_shape(height, width), 4), np.uint8)
    blocks[:, -height:, :width] = images
    reduced = images
    for x, y, across, up in reduced_rectangles(width, height):
        if reduced.shape[1] % 2 or reduced.shape[2] % 2:
            reduced = np.stack([halved(pixels, 1)[0] for pixels in reduced])
        else:  # halve all images in one step, as one image with all images on top of each other
            column = reduced.reshape(-1, *reduced.shape[2:])
            reduced = halved(column, 1)[0].reshape(count, up, across, 4)
        bottom = blocks.shape[1] - y
        blocks[:, bottom - up : bottom, x : x + across] = reduced
    return blocks


def _texels(pixels: Pixels, mipmapped: bool) -> Pixels:
    """Return an image as the texture stores it: row 0 is the bottom row. If ``mipmapped`` is True,
    the returned array also contains the smaller copies.
    """
    if not any(pixels.strides[:2]) and not pixels[0, 0].any():  # a `blank`
        shape = pixels.shape[:2]
        return np.zeros((*(_block_shape(*shape) if mipmapped else shape), 4), np.uint8)
    return np.ascontiguousarray((with_reductions(pixels) if mipmapped else pixels)[::-1])


def _anchor_point(pixels: Pixels, anchor: tuple[float, float] | None) -> tuple[float, float]:
    """Return ``anchor``, or the center of the image if ``anchor`` is None."""
    if anchor is None:
        return pixels.shape[1] / 2, pixels.shape[0] / 2
    return checks.pair("anchor", anchor)


def _check_pixels(pixels: Pixels) -> None:
    checked_pixels(pixels)
    if not pixels.size:
        raise checks.wrong_value("pixels", "an image with at least one pixel", pixels)


def _read_only(view: Floats) -> Floats:
    view.flags.writeable = False
    return view
