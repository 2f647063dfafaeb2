"""The images, collision properties and animations of the tiles in a tile set.

A tile number is a whole number above 0, as in map files, and the numbers of a set start at
``first``. Each existing tile also has an index. Indices start at 0, in the order of the tile
numbers. Arrays of tile properties are in the order of these indices.
"""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Floats, Mask, Pixels, Rows
from ..assets import images
from ..assets.images import ImageSource, Region
from ..checks import whole
from ..errors import AssetError
from ..gpu.atlas import Atlas
from ..gpu.gl import moderngl
from ..gpu.graphics import Graphics, check_thread
from ..resources import Folder

MAX_TILES = 1 << 18
"""The maximum number of different tiles in a map."""
MAX_PIXELS = 1 << 26
"""The maximum number of pixels in all tile images of a map."""

NUMBER = np.uint32(0x0FFFFFFF)
"""The bits of a cell that contain the tile number. The other bits of a cell are flags for flips."""

# If the tile numbers have gaps, a table contains the index of each number. The number is the
# maximum size of the table, in addition to four elements for each tile.
_MAX_TABLE = 1 << 16
# The maximum length of an animation in milliseconds, because float32 skips whole numbers above this
# limit. The second number is the maximum period, in milliseconds, after which all animations repeat
# together.
_MAX_MILLISECONDS = 1 << 24
_MAX_PERIOD = 1 << 30

_WIDTH = 256  # number of texels in a row of the textures `facts` and `frames`

Numbers = NDArray[np.uint32]


class Frame(NamedTuple):
    """One frame of an animated tile: which tile is visible, and for how long."""

    tile: int
    """The index of the visible tile in its tile set."""
    milliseconds: int


@dataclass(eq=False)
class TileImages:
    """One tile set of a map or of a single layer. The tiles are either parts of one image, or each
    tile has its own image.

    The dicts and methods of `TileImages` use the index of a tile inside this set.
    """

    not_state = True

    first: int
    """The number of the first tile."""
    name: str
    """The name of the set, for error messages."""
    image: ImageSource | None = None
    """The image that contains all tiles, row by row. If each tile has its own image in
    ``tile_images``, `image` is None.
    """
    tile: tuple[int, int] = (16, 16)
    """The width and height of a tile in pixels."""
    columns: int | None = None
    """The number of tiles in a row of the image. None means the number of tiles that fit into the
    width of the image.
    """
    count: int | None = None
    """The number of tiles in the image. None means the number of tiles that fit into the image."""
    margin: int = 0
    spacing: int = 0
    offset: tuple[float, float] = (0.0, 0.0)
    """How far all tiles are shifted when they are drawn, in pixels, y up."""
    cell: tuple[int, int] | None = None
    """The drawn width and height of all tiles, in pixels. If `cell` is None, tiles are drawn at the
    size of their images.
    """
    keeps_shape: bool = False
    """Whether an image that is scaled to the size of a cell keeps its aspect ratio. If
    `keeps_shape` is False, the image is stretched to the cell.
    """
    tile_images: Mapping[int, ImageSource] = field(default_factory=dict)
    solid: frozenset[int] = frozenset()
    one_way: frozenset[int] = frozenset()
    slopes: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    shapes: Mapping[int, Callable[[], list[Doubles]]] = field(default_factory=dict)
    """Functions that return the collision shapes of partly solid tiles. A shape is a polygon (k, 2)
    in fractions of the tile, from the top left corner, y down.
    """
    animations: Mapping[int, Sequence[Frame]] = field(default_factory=dict)

    follows_image: bool = False
    """Whether the set gets more tiles if its image has become larger since the map was saved, as in
    Tiled.

    If the image has become larger, ``columns`` and ``count`` are computed from the image again.
    """
    may_end_outside: bool = False
    """Whether the tiles of the last column and of the last row may end outside the image, as in
    LDtk. The part of a tile outside the image is transparent.
    """
    limit: int = 1 << 28
    """Tiles with this index or a higher index are ignored, because their numbers belong to the next
    set. A set can have too many tiles if its image has become larger since the map was saved.
    """

    def sizes(self, folders: Sequence[Folder]) -> dict[int, tuple[int, int]]:
        """Return a dict from tile indices to the widths and heights of the tiles, in pixels.

        Raises `AssetError` if an image is missing or too small.
        """
        if self.image is None:
            indices = self.existing()
            return dict(
                zip(
                    indices,
                    images.sizes([self.tile_images[index] for index in indices], folders),
                    strict=True,
                )
            )
        self._cut(*images.sizes([self.image], folders)[0])
        return dict.fromkeys(self.existing(), self.tile)

    def distinct(self) -> dict[object, list[int]]:
        """Group all tiles that have the same image. Return a dict from image keys to lists of tile
        indices.

        Only for sets in which each tile has its own image.
        """
        groups: dict[object, list[int]] = {}
        for index in self.existing():
            groups.setdefault(_key(self.tile_images[index]), []).append(index)
        return groups

    def existing(self) -> list[int]:
        """Return the indices of the tiles that exist, in ascending order."""
        if self.image is None:
            return [index for index in sorted(self.tile_images) if index < self.limit]
        return [*range(min(self.count or 0, self.limit))]

    def drawn_boxes(self, sizes: Doubles) -> tuple[Doubles, Doubles, Doubles]:
        """Return the drawn sizes and the offsets of tiles. ``sizes`` contains the sizes of the tile
        images in pixels.

        Return the drawn sizes, the offsets, and the margins as three arrays (n, 2), in units, y up.
        A tile that keeps its shape is centered in its cell. Its margin is the free space on its
        left and below it. The offset includes the margin.
        """
        sizes = sizes.reshape(-1, 2)
        if self.cell is None:
            offsets = np.broadcast_to(np.array(self.offset, float), sizes.shape)
            return sizes, offsets, np.zeros(sizes.shape)
        factors = np.array(self.cell) / sizes
        if self.keeps_shape:
            factors = np.broadcast_to(factors.min(axis=1, keepdims=True), sizes.shape)
        margins = (self.cell - sizes * factors) / 2
        return sizes * factors, np.array(self.offset) * factors + margins, margins

    def _cut(self, width: int, height: int) -> None:
        """Set `columns` and `count` for an image of this width and height.

        If `columns` and `count` come from the map file, check that the image has enough tiles.
        """
        across, down = self._tiles_that_fit(width, height)
        if self.follows_image and (self.count or 0) <= across * down <= MAX_TILES:
            # In Tiled, tile numbers depend on the image, which may have become larger since the map
            # was saved.
            self.columns = across
            self.count = across * down
        self.columns = across if self.columns is None else self.columns
        self.count = self.columns * down if self.count is None else self.count
        if min(self.count, self.limit) > MAX_TILES:
            raise AssetError(
                f"{self.name}: {self.count:,} different tiles, a map may have {MAX_TILES:,}"
            )
        if not self.count or self.columns > across or -(-self.count // self.columns) > down:
            image = "" if self.image is None else self.image
            wanted_tiles = (
                f"{self.count} tiles in {self.columns} columns" if self.count else "a tile"
            )
            raise AssetError(
                f"{self.name}: the image {images.described(image)} of {width}×{height} "
                f"pixels is too small for {wanted_tiles} of {self.tile[0]}×{self.tile[1]}; "
                "check the tile's size, the margin and the spacing"
            )

    def _tiles_that_fit(self, width: int, height: int) -> tuple[int, int]:
        """Return how many columns and rows of tiles an image has."""
        wide, high = self.tile
        if self.may_end_outside:  # a single pixel of a tile inside the image is enough
            width += wide - 1
            height += high - 1
        around = self.spacing - self.margin
        return (
            max(width + around, 0) // (wide + self.spacing),
            max(height + around, 0) // (high + self.spacing),
        )

    def box(self, index: int) -> tuple[int, int, int, int]:
        """Return the box of a tile in the image of the set: x, y, width and height, y down."""
        row, column = divmod(index, self.columns or 1)
        wide, high = self.tile
        spacing = self.spacing
        return (
            self.margin + column * (wide + spacing),
            self.margin + row * (high + spacing),
            wide,
            high,
        )

    def image_of(self, index: int) -> ImageSource:
        """Return the image of one tile, in a form that a `SpriteBatch` accepts."""
        return (
            self.tile_images[index] if self.image is None else Region(self.image, self.box(index))
        )

    def cut(self, pixels: Pixels) -> Pixels:
        """Cut the pixels of the set's image into tiles, and return them as an array of shape (n,
        height, width, 4).
        """
        wide, high = self.tile
        boxes: Rows = np.array([self.box(index) for index in self.existing()], np.intp)
        lefts, tops = boxes.reshape(-1, 4)[:, :2].T
        if self.may_end_outside:
            width = int(lefts.max(initial=0)) + wide
            height = int(tops.max(initial=0)) + high
            pixels = _padded(pixels, width, height)
        rows = tops[:, None] + np.arange(high)
        columns = lefts[:, None] + np.arange(wide)
        cut: Pixels = pixels[rows[:, :, None], columns[:, None, :]]
        return cut


class TileSets:
    """The tile sets of a map or of a single layer.

    All layers with the same `TileSets` object share one copy of the textures.
    """

    not_state = True

    def __init__(self, sets: Sequence[TileImages], filter: str) -> None:
        self.sets = sorted(sets, key=lambda tiles: tiles.first)
        for tiles, following in pairwise(self.sets):
            tiles.limit = following.first - tiles.first
        self.filter = filter
        self.numbers: Numbers = np.empty(0, np.uint32)
        """The numbers of all tiles that exist, in ascending order."""
        self.sizes: Doubles = np.empty((0, 2))
        """The width and height of each drawn tile in units, as an array (n, 2)."""
        self.offsets: Doubles = np.empty((0, 2))
        """The offset of each tile from the bottom left corner of its cell in units (y up), as an
        array (n, 2).
        """
        self.margins: Doubles = np.empty((0, 2))
        """The part of each offset that is free space in the cell, for a tile that keeps its shape,
        as an array (n, 2). If a flip swaps x and y of a tile, it also swaps them in the margin.
        """
        self.solid: Mask = np.empty(0, bool)
        self.one_way: Mask = np.empty(0, bool)
        self.slopes: Doubles = np.empty((0, 2))
        self.part_solid: Mask = np.empty(0, bool)
        """True for each partly solid tile, except slopes."""
        self._shapes: dict[int, Callable[[], list[Doubles]]] = {}
        self.is_loaded = False
        """Whether `load` has read the images."""
        self.collision_remark = ""
        """A warning that is shown when bodies collide with a layer for the first time, or "" for no
        warning.
        """
        self.regular = False
        """Whether the tile numbers are 1, 2, 3, … without gaps."""
        self.uniform = False
        """Whether all tiles have the same size and offset. If there are no tiles, `uniform` is
        False.
        """
        # the index for each tile number, and -1 at the end
        self._table: NDArray[np.intp] | None = None
        self.art: TileArt | None = None
        """The textures. If no layer with these tile sets is in a game with graphics, `art` is None.
        """
        # the `Graphics` object of the game that draws the tiles
        self._graphics: Graphics | None = None
        self._users = 0

    def load(self, folders: Sequence[Folder]) -> None:
        """Read the size of every image, and compute the arrays of tile properties.

        This works without OpenGL. Calling `load` again does nothing. Raises `AssetError` if an
        image is missing or too small.
        """
        if self.is_loaded:
            return
        sizes = self._image_sizes(folders)
        numbers = [
            tiles.first + index
            for tiles, sizes_by_index in zip(self.sets, sizes, strict=True)
            for index in sizes_by_index
        ]
        self.numbers = np.array(numbers, np.uint32)
        self.regular = bool(numbers) and numbers[0] == 1 and numbers[-1] == len(numbers)
        self._table = None if self.regular else _index_table(self.numbers)
        drawn = [
            tiles.drawn_boxes(np.array([*sizes_by_index.values()], float))
            for tiles, sizes_by_index in zip(self.sets, sizes, strict=True)
        ]
        self.sizes, self.offsets, self.margins = (
            np.concatenate([np.empty((0, 2)), *[boxes[kind] for boxes in drawn]])
            for kind in range(3)
        )
        self.uniform = bool(
            numbers
            and (self.sizes == self.sizes[:1]).all()
            and (self.offsets == self.offsets[:1]).all()
        )
        self._load_collisions()
        self.is_loaded = True

    def _image_sizes(self, folders: Sequence[Folder]) -> list[dict[int, tuple[int, int]]]:
        """Return the sizes of the tile images of each set, in pixels, by the indices of the tiles
        in the set. Raises `AssetError` if there are too many tiles or pixels.
        """
        sizes = list[dict[int, tuple[int, int]]]()
        count = 0
        for tiles in self.sets:
            sizes.append(tiles.sizes(folders))
            count += len(sizes[-1])
            if count > MAX_TILES:
                raise AssetError(
                    f"{tiles.name}: more than {MAX_TILES:,} different tiles in one map; use larger "
                    "tiles or fewer images"
                )
        pixels = sum(map(_pixels, self.sets, sizes))
        if pixels > MAX_PIXELS:
            raise AssetError(
                f"{self.sets[0].name}: its tiles have {pixels:,} pixels, a map's may "
                f"have {MAX_PIXELS:,}"
            )
        return sizes

    def _load_collisions(self) -> None:
        """Convert the collision properties of the sets to arrays in the order of the tiles."""
        count = len(self.numbers)
        self.solid = np.zeros(count, bool)
        self.one_way = np.zeros(count, bool)
        self.slopes = np.zeros((count, 2))
        self.part_solid = np.zeros(count, bool)
        self._shapes = {}
        for tiles in self.sets:
            self.solid[self._indices(tiles, tiles.solid)] = True
            self.one_way[self._indices(tiles, tiles.one_way)] = True
            slopes = {
                index: heights
                for index, heights in tiles.slopes.items()
                if any(heights) and index < tiles.limit
            }
            self.slopes[self._indices(tiles, slopes)] = np.array([*slopes.values()]).reshape(-1, 2)
            shapes = {index: shape for index, shape in tiles.shapes.items() if index < tiles.limit}
            indices = self._indices(tiles, shapes)
            self.part_solid[indices] = True
            for index, shape in zip(indices.tolist(), shapes.values(), strict=True):
                self._shapes[index] = functools.cache(shape)
        self.solid &= ~self.slopes.any(axis=1)

    def shapes_of(self, index: int) -> list[Doubles]:
        """Return the collision shapes of a partly solid tile, as a list of polygons (k, 2). The
        polygons are in fractions of the tile from its top left corner, y down.
        """
        return self._shapes[index]()

    @property
    def stops_bodies(self) -> bool:
        """Whether any tile can stop bodies: a solid, partly solid or one-way tile, or a slope."""
        facts = (self.solid, self.part_solid, self.one_way, self.slopes)
        return any(bool(fact.any()) for fact in facts)

    def _indices(self, tiles: TileImages, tile_indices: Iterable[int]) -> NDArray[np.intp]:
        numbers = np.array(
            [tiles.first + index for index in tile_indices if index < tiles.limit], np.uint32
        )
        indices = self.indices(numbers)
        if (indices < 0).any():
            wrong = int(numbers[np.argmin(indices)]) - tiles.first
            raise AssetError(f"{tiles.name}: it has data for tile {wrong}, which it does not have")
        return indices

    def indices(self, numbers: Numbers) -> NDArray[np.intp]:
        """Return the index of each tile number in ``numbers``. The index is -1 if there is no tile
        with this number.
        """
        if self._table is not None:
            return self._table.take(numbers, mode="clip")
        if self.regular:
            indices: NDArray[np.intp] = numbers.astype(np.intp)
            indices -= 1
            if len(indices) and int(indices.max()) >= len(self.numbers):
                indices[indices >= len(self.numbers)] = -1
            return indices
        result = np.minimum(np.searchsorted(self.numbers, numbers), max(0, len(self.numbers) - 1))
        if not len(self.numbers):
            return np.full(np.shape(numbers), -1, np.intp)
        missing: Mask = self.numbers[result] != numbers
        result[missing] = -1
        return result

    def has(self, number: int) -> bool:
        """Return whether there is a tile with this number."""
        return bool(self.indices(np.array([number], np.uint32))[0] >= 0)

    def image_of(self, number: int) -> ImageSource:
        """Return the image of the tile with this number.

        Raises `ValueError` if there is no tile with this number.
        """
        number = whole("number", number, 0) & int(NUMBER)
        for tiles in reversed(self.sets):
            existing = tiles.tile_images if tiles.image is None else range(tiles.count or 0)
            if number - tiles.first in existing and number - tiles.first < tiles.limit:
                return tiles.image_of(number - tiles.first)
        raise ValueError(f"number: there is no tile {number}; there are {self.described()}")

    def animation(self, number: int) -> list[tuple[int, int]]:
        """Return the animation of a tile: for each frame, the tile number and the duration in
        milliseconds.

        The list is empty if the tile is not animated. Raises `AssetError` if a frame uses a tile
        that does not exist.
        """
        for tiles in reversed(self.sets):
            if number >= tiles.first:
                return self.frames(tiles, number - tiles.first)
        return []

    def frames(self, tiles: TileImages, index: int) -> list[tuple[int, int]]:
        """Return the animation of a tile. ``index`` is the index of the tile in the set ``tiles``.
        For the items of the returned list, see `animation`.
        """
        frames = [
            (tiles.first + frame.tile, min(frame.milliseconds, _MAX_MILLISECONDS))
            for frame in tiles.animations.get(index, ())
            if frame.milliseconds > 0
        ]
        numbers = np.array([tiles.first + index, *[number for number, _ in frames]], np.int64)
        if not frames or numbers.max() >= tiles.first + tiles.limit:
            return []
        if (self.indices(numbers.astype(np.uint32)) < 0).any():
            raise AssetError(
                f"{tiles.name}: the animation of tile {index} shows a tile that it does not have"
            )
        return frames

    def tiles_with_other_frames(self) -> list[tuple[TileImages, int, int]]:
        """Return all animated tiles that have a frame with another size than the tile itself. For
        each of them, return the set, the index of the tile, and the index of the first such frame.

        Tiles that are drawn at the size of their cells are not in the list.
        """
        # In a set with one image, or with a cell size, all tiles have the same size.
        sets = [tiles for tiles in self.sets if tiles.image is None and tiles.cell is None]
        return [
            (tiles, index, frame) for tiles in sets for index, frame in self._other_frames(tiles)
        ]

    def _other_frames(self, tiles: TileImages) -> list[tuple[int, int]]:
        """Return pairs of the index of an animated tile, and the index of its first frame of
        another size.
        """
        shown = [
            (index, frame.tile)
            for index, frames in tiles.animations.items()
            for frame in frames
            if frame.milliseconds > 0 and max(index, frame.tile) < tiles.limit
        ]
        pairs = np.array(shown, np.int64).reshape(-1, 2)
        indices = self.indices((pairs + tiles.first).astype(np.uint32))
        exist = np.flatnonzero((indices >= 0).all(axis=1))
        pairs = pairs[exist]
        indices = indices[exist]
        other_sizes = self.sizes[indices[:, 0]] != self.sizes[indices[:, 1]]
        pairs = pairs[other_sizes.any(axis=1)]
        owners, first = np.unique(pairs[:, 0], return_index=True)
        return [*zip(owners.tolist(), pairs[first, 1].tolist(), strict=True)]

    def described(self) -> str:
        """Return the range of the tile numbers as text, for error messages."""
        if not len(self.numbers):
            return "none"
        return f"{self.numbers[0]} to {self.numbers[-1]}" + (
            ", not all of them" if not self.regular else ""
        )

    def borrow(self, graphics: Graphics) -> TileArt:
        """Return the textures of the tiles for a layer, and count it as their user. The first call
        loads the textures.

        When the layer no longer needs them, it must call `release` once.
        """
        check_thread(graphics.thread)
        self.load(graphics.folders)
        if self.art is None:
            self.art = TileArt(graphics, self)
            self._graphics = graphics
        elif self._graphics is not graphics:
            raise ValueError(
                "layer: its tiles are in use in another game; load the map again, or make "
                "another TileSet, for this game"
            )
        self._users += 1
        return self.art

    def art_of(self, files: Set[str]) -> TileArt | None:
        """Return the textures of the tiles.

        If ``files`` contains an image of a tile, the textures are loaded again first.
        """
        graphics = self._graphics
        before = self.art
        if graphics is None or before is None:
            return None
        sources = [
            source
            for tile_set in self.sets
            for source in (tile_set.image, *tile_set.tile_images.values())
            if source is not None
        ]
        if any(images.is_among(source, files, graphics.folders) for source in sources):
            self.art = TileArt(graphics, self)
            before.release()
        return self.art

    def release(self) -> None:
        """Called when a layer no longer needs the textures. If no other layer needs the textures,
        free their GPU memory.
        """
        self._users -= 1
        if not self._users and self.art is not None:
            self.art.release()
            self.art = self._graphics = None


class TileArt:
    """The textures of `TileSets`: an atlas with the images of all tiles, and two tables of numbers.
    Shaders read the tables with ``texelFetch``.

    Each row of a table consists of 256 texels with 4 floats each. The table ``facts`` has three
    texels for each tile:

    - the position of the image in the atlas, the start of the animation in ``frames`` (0 for none),
      and how often the image is halved for mipmaps;
    - the offset and the size of the tile in units, y up;
    - the width and height of the image in texels, and the margin of the tile in units, y up.

    In the table ``frames``, each animation starts with a texel for the number of frames and the
    duration in milliseconds. Then each frame has one texel: the end time of the frame in
    milliseconds, and the index of its tile.
    """

    not_state = True

    def __init__(self, graphics: Graphics, tiles: TileSets) -> None:
        self.atlas = Atlas(graphics.ctx, filter=tiles.filter, mipmaps=True)
        self._ctx = graphics.ctx
        try:
            regions = [self._load(tile_set, graphics.folders) for tile_set in tiles.sets]
        except BaseException:
            self.atlas.release()
            raise
        starts, frames, self.period = _animations(tiles)
        self.animated = bool(starts.any())
        """Whether any tile is animated."""
        rows = np.concatenate([np.empty(0, np.intp), *regions])
        rectangles = self.atlas.rectangles[rows]
        self.halvings = self.atlas.halvings[rows]
        """The number of times that the image of each tile is halved for mipmaps, as an array (n,).
        """
        self.image_sizes = rectangles[:, 2:]
        """The width and height of each image in texels, as an array (n, 2)."""
        self.nearest = tiles.filter == "nearest"
        facts = [
            np.column_stack([rectangles[:, :2], starts, self.halvings]),
            np.column_stack([tiles.offsets, tiles.sizes]),
            np.column_stack([self.image_sizes, tiles.margins]),
        ]
        self.facts = self._table(np.stack(facts, axis=1).reshape(-1, 4))
        self.frames = self._table(frames)

    def _load(self, tiles: TileImages, folders: Sequence[Folder]) -> Rows:
        """Add the images of a tile set to the atlas. For each tile, return the index of its
        rectangle (region) in the atlas: an array (n,).
        """
        try:
            if tiles.image is None:
                return self._load_each(tiles, folders)
            cut = tiles.cut(images.premultiply(images.load(tiles.image, folders)))
            first = self.atlas.add_grid(cut, (0.0, 0.0))
        except AssetError as error:
            raise AssetError(f"{tiles.name}: {error}") from error
        return np.arange(first, first + len(cut))

    def _load_each(self, tiles: TileImages, folders: Sequence[Folder]) -> Rows:
        """Add the images of a set in which each tile has its own image. Equal images are added
        only once.
        """
        groups = [*tiles.distinct().values()]
        pixels = images.load_many([tiles.tile_images[group[0]] for group in groups], folders)
        regions = self.atlas.add_many([images.premultiply(item) for item in pixels])
        region_of = {
            index: region for group, region in zip(groups, regions, strict=True) for index in group
        }
        return np.array([region_of[index] for index in tiles.existing()], np.intp)

    def _table(self, rows: NDArray[Any]) -> moderngl.Texture:
        padded = np.zeros((max(1, -(-len(rows) // _WIDTH)) * _WIDTH, 4), "f4")
        padded[: len(rows)] = rows
        table = self._ctx.texture((_WIDTH, len(padded) // _WIDTH), 4, padded, dtype="f4")
        table.filter = (moderngl.NEAREST, moderngl.NEAREST)
        return table

    def release(self) -> None:
        """Release the atlas and the tables."""
        for part in (self.atlas, self.facts, self.frames):
            part.release()


def _padded(pixels: Pixels, width: int, height: int) -> Pixels:
    """Return an image of at least this width and height, with transparent pixels on the right and
    at the bottom.
    """
    missing_columns = max(width - pixels.shape[1], 0)
    missing_rows = max(height - pixels.shape[0], 0)
    if not missing_columns and not missing_rows:
        return pixels
    return np.pad(pixels, ((0, missing_rows), (0, missing_columns), (0, 0)))


def _key(source: ImageSource) -> object:
    """Return a dict key for an image. Equal images have equal keys."""
    if isinstance(source, Region):
        return _key(source.source), source.box
    return os.fspath(source) if isinstance(source, str | os.PathLike) else id(source)


def _index_table(numbers: Numbers) -> NDArray[np.intp] | None:
    """Return a table with the index of each tile number, and -1 at its end. Return None if there
    are no numbers, or if the table would be too large.
    """
    if not len(numbers) or numbers[-1] >= _MAX_TABLE + 4 * len(numbers):
        return None
    table = np.full(int(numbers[-1]) + 2, -1, np.intp)
    table[numbers] = np.arange(len(numbers))
    return table


def _pixels(tiles: TileImages, sizes: Mapping[int, tuple[int, int]]) -> int:
    """Return the number of pixels in all images of a tile set."""
    if tiles.image is not None:
        return len(sizes) * tiles.tile[0] * tiles.tile[1]
    return sum(sizes[group[0]][0] * sizes[group[0]][1] for group in tiles.distinct().values())


def _animations(tiles: TileSets) -> tuple[Floats, Floats, int]:
    """Return two arrays and a time. The first array contains one number per tile: the index of the
    texel at which its animation starts, or 0 if it has none. The second array contains the texels
    of the table ``frames``. The time is the period in milliseconds after which all animations are
    at their start at the same time.
    """
    starts = np.zeros(len(tiles.numbers), "f4")
    texels = [(0.0, 0.0, 0.0, 0.0)]
    period = 1
    animations = [
        (tile_set.first + index, frames)
        for tile_set in tiles.sets
        for index in tile_set.animations
        if (frames := tiles.frames(tile_set, index))
    ]
    for animated, frames in animations:
        numbers = np.array([animated, *[number for number, _ in frames]], np.uint32)
        owner, *indices = tiles.indices(numbers).tolist()
        durations = [milliseconds for _, milliseconds in frames]
        ends = np.minimum(np.cumsum(durations), _MAX_MILLISECONDS).tolist()
        starts[owner] = len(texels)
        texels.append((len(frames), ends[-1], 0.0, 0.0))
        texels += [(end, index, 0.0, 0.0) for end, index in zip(ends, indices, strict=True)]
        period = math.lcm(period, ends[-1])
    return starts, np.array(texels, "f4"), min(period, _MAX_PERIOD)
