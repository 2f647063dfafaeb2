"""The tiles that layers are made of: their pictures, and what each of them is.

A tile's number is a whole number above 0, as maps have it: each set counts from its ``first`` on.
Here all tiles that there are have an index too, in the order of their numbers; what is known of
them are columns by that index.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence, Set
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
"""Different tiles in one map."""
MAX_PIXELS = 1 << 26
"""Of the pictures of all its tiles."""

NUMBER = np.uint32(0x0FFFFFFF)
"""The bits of a cell that are the number of its tile; the others say how it lies there."""

# Milliseconds of an animation: a float32 has no more whole numbers. And of all together, until they
# begin anew.
_LONGEST, _MOST = 1 << 24, 1 << 30

_WIDTH = 256  # texels in a row of the tables

Numbers = NDArray[np.uint32]


class Frame(NamedTuple):
    """What an animated tile shows, and for how long."""

    tile: int
    """Counted from 0 in its set."""
    milliseconds: int


@dataclass(eq=False)
class TileImages:
    """Tiles from one image, or from an image each.

    What is known of single tiles goes by their places in the set, counted from 0.
    """

    not_state = True

    first: int
    """The number of its first tile."""
    name: str
    """In errors."""
    image: ImageSource | None = None
    """What they are cut from, row by row; None where ``pictures`` has an image for each."""
    tile: tuple[int, int] = (16, 16)
    """Width and height, in pixels."""
    columns: int | None = None
    """Tiles beside each other in the image; None for as many as fit."""
    count: int | None = None
    margin: int = 0
    spacing: int = 0
    offset: tuple[float, float] = (0.0, 0.0)
    """How far all are moved from where they would be, in pixels, y up."""
    cell: tuple[int, int] | None = None
    """The size that all are drawn in, whatever that of their pictures is; None for that."""
    keeps_shape: bool = False
    """Whether pictures are as large as fits into that, in the middle, and are not stretched."""
    pictures: Mapping[int, ImageSource] = field(default_factory=dict)
    solid: frozenset[int] = frozenset()
    one_way: frozenset[int] = frozenset()
    slopes: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    animations: Mapping[int, Sequence[Frame]] = field(default_factory=dict)

    limit: int = 1 << 28
    """Places from here on are of the next set: an image may have grown since the map was made."""

    def sizes(self, folders: Sequence[Folder]) -> dict[int, tuple[int, int]]:
        """Width and height of the tiles that there are, in pixels, by their places. Raises
        `AssetError` for images that are missing, or too small."""
        if self.image is None:
            places = self.places()
            return dict(
                zip(
                    places,
                    images.sizes([self.pictures[place] for place in places], folders),
                    strict=True,
                )
            )
        self._cut(*images.sizes([self.image], folders)[0])
        return dict.fromkeys(self.places(), self.tile)

    def distinct(self) -> dict[object, list[int]]:
        """Of images for each tile: the places of those that have the same picture, by what that is
        known by.
        """
        found: dict[object, list[int]] = {}
        for place in self.places():
            found.setdefault(_key(self.pictures[place]), []).append(place)
        return found

    def places(self) -> list[int]:
        """The tiles that there are, ascending."""
        there = sorted(self.pictures) if self.image is None else range(self.count or 0)
        return [place for place in there if place < self.limit]

    def drawn(self, sizes: Doubles) -> tuple[Doubles, Doubles]:
        """The sizes and the offsets of tiles, whose pictures have these sizes: (n, 2) each, units,
        y up.
        """
        sizes = sizes.reshape(-1, 2)
        if self.cell is None:
            return sizes, np.broadcast_to(np.array(self.offset, float), sizes.shape)
        factors = np.array(self.cell) / sizes
        if self.keeps_shape:
            factors = np.broadcast_to(factors.min(axis=1, keepdims=True), sizes.shape)
        return sizes * factors, np.array(self.offset) * factors + (self.cell - sizes * factors) / 2

    def _cut(self, width: int, height: int) -> None:
        """Find out how many tiles an image of that size has, or whether it has as many as is
        said.
        """
        (wide, high), around, image = (
            self.tile,
            self.spacing - self.margin,
            "" if self.image is None else self.image,
        )
        across, down = (
            (width + around) // (wide + self.spacing),
            (height + around) // (high + self.spacing),
        )
        self.columns = across if self.columns is None else self.columns
        self.count = self.columns * down if self.count is None else self.count
        if not self.count or self.columns > across or -(-self.count // self.columns) > down:
            asked = f"{self.count} tiles in {self.columns} columns" if self.count else "a tile"
            raise AssetError(
                f"{self.name}: the image {images.described(image)} of {width}×{height} "
                "pixels is too small "
                f"for {asked} of {wide}×{high}; check the tile's size, the margin and the spacing"
            )

    def box(self, place: int) -> tuple[int, int, int, int]:
        """Where a tile is in the image: x, y, width and height, y down."""
        row, column = divmod(place, self.columns or 1)
        (wide, high), spacing = self.tile, self.spacing
        return (
            self.margin + column * (wide + spacing),
            self.margin + row * (high + spacing),
            wide,
            high,
        )

    def picture(self, place: int) -> ImageSource:
        """The picture of one tile, for a `SpriteBatch`."""
        return self.pictures[place] if self.image is None else Region(self.image, self.box(place))

    def cut(self, pixels: Pixels) -> Pixels:
        """All tiles out of the pixels of the image: (n, height, width, 4)."""
        wide, high = self.tile
        lefts: Rows
        tops: Rows
        lefts, tops = np.array([self.box(place)[:2] for place in self.places()]).T
        rows, columns = tops[:, None] + np.arange(high), lefts[:, None] + np.arange(wide)
        cut: Pixels = pixels[rows[:, :, None], columns[:, None, :]]
        return cut


class TileSets:
    """The sets of a map, or of a layer of its own. Layers that share them share their pictures on
    the GPU, too.
    """

    not_state = True

    def __init__(self, sets: Sequence[TileImages], filter: str) -> None:
        self.sets = sorted(sets, key=lambda tiles: tiles.first)
        for tiles, following in pairwise(self.sets):
            tiles.limit = following.first - tiles.first
        self.filter = filter
        self.numbers: Numbers = np.empty(0, np.uint32)
        """Of the tiles that there are, ascending."""
        self.sizes: Doubles = np.empty((0, 2))
        """Width and height as they are drawn, in units, by index; ``offsets`` too, y up."""
        self.offsets: Doubles = np.empty((0, 2))
        self.solid: Mask = np.empty(0, bool)
        self.one_way: Mask = np.empty(0, bool)
        self.slopes: Doubles = np.empty((0, 2))
        self._found = self._regular = False
        self.art: TileArt | None = None
        """The images on the GPU, while any layer is in a game with pictures."""
        self._graphics: Graphics | None = None  # of the game that it is drawn in
        self._users = 0

    def find(self, folders: Sequence[Folder]) -> None:
        """Find out what tiles there are, without OpenGL. Once is enough. Raises `AssetError`."""
        if self._found:
            return
        sizes = [tiles.sizes(folders) for tiles in self.sets]
        count = sum(map(len, sizes))
        if count > MAX_TILES:
            raise AssetError(
                f"{self.sets[0].name}: {count:,} different tiles, a map may have {MAX_TILES:,}"
            )
        pixels = sum(map(_pixels, self.sets, sizes))
        if pixels > MAX_PIXELS:
            raise AssetError(
                f"{self.sets[0].name}: its tiles have {pixels:,} pixels, a map's may "
                f"have {MAX_PIXELS:,}"
            )
        numbers = [
            tiles.first + place
            for tiles, found in zip(self.sets, sizes, strict=True)
            for place in found
        ]
        self.numbers = np.array(numbers, np.uint32)
        self._regular = bool(numbers) and numbers[0] == 1 and numbers[-1] == count
        drawn = [
            tiles.drawn(np.array([*found.values()], float))
            for tiles, found in zip(self.sets, sizes, strict=True)
        ]
        self.sizes = np.concatenate([np.empty((0, 2)), *[sizes for sizes, _ in drawn]])
        self.offsets = np.concatenate([np.empty((0, 2)), *[offsets for _, offsets in drawn]])
        self.solid, self.one_way, self.slopes = (
            np.zeros(count, bool),
            np.zeros(count, bool),
            np.zeros((count, 2)),
        )
        for tiles in self.sets:
            self.solid[self._indices(tiles, tiles.solid)] = True
            self.one_way[self._indices(tiles, tiles.one_way)] = True
            rising = [
                place for place in tiles.slopes if any(tiles.slopes[place]) and place < tiles.limit
            ]
            self.slopes[self._indices(tiles, rising)] = np.array(
                [tiles.slopes[at] for at in rising]
            ).reshape(-1, 2)
        self.solid &= ~self.slopes.any(axis=1)
        self._found = True

    def _indices(self, tiles: TileImages, places: Iterable[int]) -> NDArray[np.intp]:
        numbers = np.array(
            [tiles.first + place for place in places if place < tiles.limit], np.uint32
        )
        indices = self.indices(numbers)
        if (indices < 0).any():
            wrong = int(numbers[np.argmin(indices)]) - tiles.first
            raise AssetError(
                f"{tiles.name}: something is said of tile {wrong}, which it does not have"
            )
        return indices

    def indices(self, numbers: Numbers) -> NDArray[np.intp]:
        """The index of each tile number; -1 where there is no such tile."""
        if self._regular:
            found = numbers.astype(np.intp) - 1
            found[found >= len(self.numbers)] = -1
            return found
        found = np.minimum(np.searchsorted(self.numbers, numbers), max(0, len(self.numbers) - 1))
        if not len(self.numbers):
            return np.full(np.shape(numbers), -1, np.intp)
        missing: Mask = self.numbers[found] != numbers
        found[missing] = -1
        return found

    def has(self, number: int) -> bool:
        """Whether there is a tile of a number."""
        return bool(self.indices(np.array([number], np.uint32))[0] >= 0)

    def picture(self, number: int) -> ImageSource:
        """The picture of a tile, by its number. Raises `ValueError` where there is none."""
        number = whole("number", number, 0) & int(NUMBER)
        for tiles in reversed(self.sets):
            there = tiles.pictures if tiles.image is None else range(tiles.count or 0)
            if number - tiles.first in there and number - tiles.first < tiles.limit:
                return tiles.picture(number - tiles.first)
        raise ValueError(f"number: there is no tile {number}; there are {self.described()}")

    def animation(self, number: int) -> list[tuple[int, int]]:
        """The numbers of the tiles that an animated one shows, and for how many milliseconds each;
        nothing where it stands still. Raises `AssetError`."""
        for tiles in reversed(self.sets):
            if number >= tiles.first:
                return self.frames(tiles, number - tiles.first)
        return []

    def frames(self, tiles: TileImages, place: int) -> list[tuple[int, int]]:
        """The same of a tile of one of the sets."""
        seen = [frame for frame in tiles.animations.get(place, ()) if frame.milliseconds > 0]
        if not seen or max(place, *[frame.tile for frame in seen]) >= tiles.limit:
            return []
        frames = [(tiles.first + frame.tile, min(frame.milliseconds, _LONGEST)) for frame in seen]
        if (
            self.indices(
                np.array([tiles.first + place, *[number for number, _ in frames]], np.uint32)
            )
            < 0
        ).any():
            raise AssetError(
                f"{tiles.name}: the animation of tile {place} shows a tile that it does not have"
            )
        return frames

    def described(self) -> str:
        """The numbers that there are, in words."""
        if not len(self.numbers):
            return "none"
        return f"{self.numbers[0]} to {self.numbers[-1]}" + (
            ", not all of them" if not self._regular else ""
        )

    def borrow(self, graphics: Graphics) -> TileArt:
        """The pictures on the GPU, loaded for the first who asks. Give them back."""
        check_thread(graphics.thread)
        self.find(graphics.folders)
        if self.art is None:
            self.art, self._graphics = TileArt(graphics, self), graphics
        elif self._graphics is not graphics:
            raise ValueError(
                "layer: other layers with its tiles are drawn in another game; load the map "
                "again, or make another TileSet, for this one"
            )
        self._users += 1
        return self.art

    def art_of(self, files: Set[str]) -> TileArt | None:
        """The pictures on the GPU, loaded anew where they come from one of these files."""
        graphics, before = self._graphics, self.art
        if graphics is None or before is None:
            return None
        sources = [
            source
            for one in self.sets
            for source in (one.image, *one.pictures.values())
            if source is not None
        ]
        if any(images.is_among(source, files, graphics.folders) for source in sources):
            self.art = TileArt(graphics, self)
            before.release()
        return self.art

    def give_back(self) -> None:
        """One user is no more; the last one's frees them."""
        self._users -= 1
        if not self._users and self.art is not None:
            self.art.release()
            self.art = self._graphics = None


class TileArt:
    """The pictures of `TileSets` on the GPU, and two tables for ``texelFetch``, 256 texels of 4
    floats a row.

    ``facts``: three texels a tile: where its picture is in the atlas, where its animation begins in
    ``frames`` (or 0), how often it was halved; its offset and its size (units, y up); the texels of
    its picture. ``frames``: of each animation, how many frames it has and the milliseconds of all;
    then of each frame the millisecond before which it is shown, and the tile.
    """

    not_state = True

    def __init__(self, graphics: Graphics, tiles: TileSets) -> None:
        self.atlas = Atlas(graphics.ctx, filter=tiles.filter, mipmaps=True)
        self._ctx = graphics.ctx
        try:
            regions = np.concatenate(
                [np.empty(0), *[self._load(one, graphics.folders) for one in tiles.sets]]
            )
        except BaseException:
            self.atlas.release()
            raise
        starts, frames, self.period = _animations(tiles)
        self.animated = bool(starts.any())
        """Whether any tile is."""
        rows = regions.astype(np.intp)
        rectangles, self.halvings = self.atlas.rectangles[rows], self.atlas.halvings[rows]
        """How often the picture of each tile was halved."""
        self.pictures = rectangles[:, 2:]
        """Width and height of them, in texels: (n, 2)."""
        self.nearest = tiles.filter == "nearest"
        facts = np.zeros((len(rows), 3, 4), np.float32)
        facts[:, 0, :2], facts[:, 0, 2], facts[:, 0, 3] = rectangles[:, :2], starts, self.halvings
        facts[:, 1, :2], facts[:, 1, 2:], facts[:, 2, :2] = (
            tiles.offsets,
            tiles.sizes,
            rectangles[:, 2:],
        )
        self.facts = self._table(facts.reshape(-1, 4))
        self.frames = self._table(frames)

    def _load(self, tiles: TileImages, folders: Sequence[Folder]) -> Floats:
        """Put the pictures of a set into the atlas; returns their regions."""
        try:
            if tiles.image is None:
                groups, places = [*tiles.distinct().values()], tiles.places()
                pixels = images.load_many([tiles.pictures[group[0]] for group in groups], folders)
                added = self.atlas.add_many([images.premultiply(one) for one in pixels])
                region = {
                    place: one for group, one in zip(groups, added, strict=True) for place in group
                }
                return np.array([region[place] for place in places], "f4")
            cut = tiles.cut(images.premultiply(images.load(tiles.image, folders)))
            first = self.atlas.add_grid(cut, (0.0, 0.0))
        except AssetError as error:
            raise AssetError(f"{tiles.name}: {error}") from error
        return np.arange(first, first + len(cut), dtype="f4")

    def _table(self, rows: NDArray[Any]) -> moderngl.Texture:
        padded = np.zeros((max(1, -(-len(rows) // _WIDTH)) * _WIDTH, 4), "f4")
        padded[: len(rows)] = rows
        table = self._ctx.texture((_WIDTH, len(padded) // _WIDTH), 4, padded, dtype="f4")
        table.filter = (moderngl.NEAREST, moderngl.NEAREST)
        return table

    def release(self) -> None:
        """Free all of it."""
        for part in (self.atlas, self.facts, self.frames):
            part.release()


def _key(source: ImageSource) -> object:
    """What makes two pictures the same one."""
    if isinstance(source, Region):
        return _key(source.source), source.box
    return os.fspath(source) if isinstance(source, str | os.PathLike) else id(source)


def _pixels(tiles: TileImages, sizes: Mapping[int, tuple[int, int]]) -> int:
    """Of all pictures of a set."""
    if tiles.image is not None:
        return len(sizes) * tiles.tile[0] * tiles.tile[1]
    return sum(sizes[group[0]][0] * sizes[group[0]][1] for group in tiles.distinct().values())


def _animations(tiles: TileSets) -> tuple[Floats, Floats, int]:
    """Where the animation of each tile begins in the table of frames; the table; milliseconds until
    all begin anew.
    """
    starts, rows, period = np.zeros(len(tiles.numbers), "f4"), [(0.0, 0.0, 0.0, 0.0)], 1
    for one in tiles.sets:
        for place in one.animations:
            frames = tiles.frames(one, place)
            if not frames:
                continue
            numbers = [one.first + place, *[number for number, _ in frames]]
            all_indices: list[int] = tiles.indices(np.array(numbers, np.uint32)).tolist()
            animated, *indices = all_indices
            ends: Rows = np.minimum(np.cumsum([time for _, time in frames]), _LONGEST)
            starts[animated] = len(rows)
            rows += [(len(frames), float(ends[-1]), 0.0, 0.0)]
            rows += [
                (float(end), float(index), 0.0, 0.0)
                for end, index in zip(ends, indices, strict=True)
            ]
            period = math.lcm(period, int(ends[-1]))
    return starts, np.array(rows, "f4"), min(period, _MOST)
