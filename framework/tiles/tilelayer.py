"""Layers of tiles: arrays of numbers, drawn in one or two calls whatever their size."""

from __future__ import annotations

__all__ = ["TileLayer", "TileSet"]

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Doubles, Mask, Reals
from ..assets.images import ImageSource, checked_source, described
from ..checks import Sealed, choice, items, number, pair, whole, wrong_type, wrong_value
from ..checks import size as checked_size
from ..geometry.tilelayout import TileLayout
from ..state.columns import Column, Table, assign_to
from ..state.latched import Latched
from .placed import Placed, State
from .tilecells import TileCells
from .tilefacts import FLIP_X, FLIP_Y, SWAP, TURN
from .tilesets import NUMBER, Frame, Numbers, TileImages, TileSets

MAX_CELLS = 1 << 26
"""Cells in one layer."""

ORDERS = {"right-down": (1, 1), "right-up": (1, -1), "left-down": (-1, 1), "left-up": (-1, -1)}
"""In which order overlapping tiles of an orthogonal layer are drawn, as Tiled names them. It writes
one into other maps too, and does not heed it there."""


class TileLayerParts(NamedTuple):
    """The objects that a layer shares with its works."""

    state: Latched[State]
    cells: TileCells


class TileSet(Sealed):
    """Tiles that layers are made of: ``fw.TileSet("tiles.png", (16, 16), solid=[1, 2])``.

    Layers that share a set share its images on the GPU. A set never changes, and is no state.

    Parameters
    ----------
    image
        The image that tiles are cut from, row by row from the top left: number 1 is the first. Or a
        list of images, one for each tile.
    tile
        Width and height of a tile in pixels, and in units. For a list of images: of a cell.
    margin, spacing
        Pixels around all tiles of the image, and between them.
    solid, one_way
        Numbers of the tiles that are solid, or hold only what comes from above, for `collide.move`
        and others.
    animations
        ``{3: [(3, 0.2), (4, 0.1)]}``: in place of tile 3 show others, each for some seconds.
    filter
        ``"nearest"`` (hard pixels) or ``"linear"``. Drawn smaller, tiles are read from reduced
        images, with both.

    Raises `TypeError` or `ValueError` for values that do not fit. A missing or broken image is an
    `AssetError` when a layer is added to a game.
    """

    __slots__ = ("__weakref__", "_sets", "_tile")

    _transient_attributes: ClassVar[Any] = True

    def __init__(
        self,
        image: ImageSource | Sequence[ImageSource],
        tile: tuple[int, int],
        *,
        margin: int = 0,
        spacing: int = 0,
        solid: Iterable[int] = (),
        one_way: Iterable[int] = (),
        animations: Mapping[int, Sequence[tuple[int, float]]] | None = None,
        filter: str = "nearest",
    ) -> None:
        self._tile = checked_size("tile", tile)
        given = image if isinstance(image, list | tuple) else None
        images = [checked_source("image", one) for one in ([image] if given is None else given)]
        if not images:
            raise wrong_value("image", "an image, or a list of at least one", image)
        tiles = TileImages(
            1,
            f"tiles of {described(images[0])}",
            images[0] if given is None else None,
            self._tile,
            margin=whole("margin", margin, 0),
            spacing=whole("spacing", spacing, 0),
            pictures={} if given is None else dict(enumerate(images)),
            solid=_places("solid", solid),
            one_way=_places("one_way", one_way),
            animations=_animations({} if animations is None else animations),
        )
        self._sets = TileSets([tiles], choice("filter", filter, ("nearest", "linear")))

    def __repr__(self) -> str:
        width, height = self._tile
        return f"<TileSet, {self._sets.sets[0].name}, {width} x {height} pixels each>"


class TileLayer(Placed):
    """A layer of tiles: ``self.add(fw.TileLayer(fw.TileSet("tiles.png", (16, 16)), array))``.

    See `TileMap` for maps from files.

    Parameters
    ----------
    tileset
        The `TileSet` with the images of the tiles. Layers may share one.
    tiles
        Whole numbers (h, w), row 0 at the top: 0 for no tile. `FLIP_X`, `FLIP_Y` and `SWAP` (first
        mirrored about the diagonal from the top left) may be added to a number, so that a tile lies
        in any of eight ways.
    position
        The layer's bottom left corner in units, y up.
    orientation, stagger_axis, stagger_index, hex_side
        "orthogonal", "isometric", "staggered" or "hexagonal". For the last two: along which axis
        ("x" or "y") every other column or row is shifted, and whether these are the "odd" or the
        "even" ones. For a hexagonal layer: the length of the sides along that axis.
    parallax
        Share of the camera's motion that the layer follows: 1 like everything else, 0 stays on the
        screen, 0.5 far away.
    parallax_origin
        Position of the camera's middle when the layer is at its ``position``; None for the middle
        of a camera that was never moved.

    `tiles` is an array to write to: changes are uploaded with the next frame, four bytes a tile.
    Raises `TypeError` and `ValueError` for values that do not fit, `AssetError` for images when it
    is added to a game.
    """

    __slots__ = ("_cells", "_table", "values")

    _transient_attributes: ClassVar[Any] = ("_cells", "values")
    _works_in = "framework.tiles.tiledrawing"
    saved: ClassVar[tuple[str, ...]] = ("tiles",)

    FLIP_X = FLIP_X
    FLIP_Y = FLIP_Y
    SWAP = SWAP
    """Mirrored about the diagonal, before it is flipped; of a hexagonal layer, turned clockwise by
    60°.
    """
    TURN = TURN
    """Of a hexagonal layer: turned clockwise by 120°."""

    def __init__(
        self,
        tileset: TileSet,
        tiles: ArrayLike,
        *moved: Never,
        position: tuple[float, float] = (0.0, 0.0),
        orientation: str = "orthogonal",
        stagger_axis: str = "y",
        stagger_index: str = "odd",
        hex_side: int = 0,
        parallax: tuple[float, float] = (1.0, 1.0),
        parallax_origin: tuple[float, float] | None = None,
    ) -> None:
        if moved or not isinstance(tileset, TileSet):
            hint = "write TileLayer(TileSet(image, tile), tiles)"
            raise wrong_type("tileset", f"a TileSet; {hint}", tileset)
        numbers = checked_numbers("tiles", tiles)
        layout = TileLayout(
            numbers.shape[1],
            numbers.shape[0],
            tileset._tile,
            orientation,
            stagger_axis=stagger_axis,
            stagger_index=stagger_index,
            hex_side=hex_side,
        )
        super().__init__(position, (1.0, 1.0, 1.0, 1.0), parallax, parallax_origin)
        self._begin(tileset._sets, layout, numbers, "right-down")

    def _begin(self, sets: TileSets, layout: TileLayout, tiles: Numbers, order: str) -> None:
        self.values: NDArray[np.int32] | None = None
        """Of a layer of LDtk, its IntGrid: (h, w)."""
        column = Column("tiles", 1, 0, dtype=np.uint32, interpolated=False)
        self._table = Table((), column)
        self._table.spawn(tiles.size, {"tiles": tiles.reshape(-1)})
        drawn_in = ORDERS[order if layout.orientation == "orthogonal" else "right-down"]
        self._cells = TileCells(sets, layout, drawn_in, column)

    def __repr__(self) -> str:
        rows, columns = self._cells.shape
        return f"<TileLayer {self.name!r} of {columns} x {rows} tiles>"

    # -- tiles -------------------------------------------------------------------------------------

    @property
    def tiles(self) -> Numbers:
        """The tiles, uint32 (h, w), row 0 at the top, to be written to: 0 for none, else a number
        and how it lies.
        """
        return self._cells.view()

    @tiles.setter
    def tiles(self, value: ArrayLike) -> None:
        memory = self._cells.column.data
        if not isinstance(value, np.ndarray) or value.base is not memory:
            # Otherwise ``layer.tiles |= …`` has written in place.
            assign_to("tiles", self.tiles, checked_numbers("tiles", value))

    @property
    def numbers(self) -> Numbers:
        """The numbers of the tiles alone, without how they lie: uint32 (h, w), a copy."""
        return self._cells.current() & NUMBER

    @property
    def solid(self) -> Mask:
        """Which tiles are solid, by what the set says of them: bool (h, w), for reading. It follows
        `tiles`.
        """
        return self._cells.facts().solid

    @property
    def one_way(self) -> Mask:
        """Which tiles hold only what comes from above: bool (h, w), for reading."""
        return self._cells.facts().one_way

    @property
    def slopes(self) -> Doubles | None:
        """How high the ground is at the left and the right edge of each tile: (h, w, 2), or None
        where all is flat.
        """
        return self._cells.facts().slopes

    @property
    def tile_size(self) -> tuple[float, float]:
        """Width and height of a tile in units. Only an orthogonal layer has one: others are no grid
        to collide with.
        """
        orientation = self._cells.layout.orientation
        if orientation != "orthogonal":
            raise AttributeError(f"tile_size: {orientation} tiles are no upright grid")
        return self._cells.lattice.tile

    def cell(self, point: tuple[float, float]) -> tuple[int, int]:
        """Row and column of the tile that a point is in; it need not be in the layer."""
        (x, y), (left, bottom) = pair("point", point), self.position
        layout = self._cells.layout
        if layout.orientation == "orthogonal":  # as `TileGrid.cell`: a tile's lower edge is its own
            width, height = self._cells.lattice.tile
            above = math.floor((y - bottom) / height)
            return layout.rows - 1 - above, math.floor((x - left) / width)
        cell: list[int] = layout.cells((x - left, y - bottom)).tolist()
        column, row = cell
        return row, column

    def center(self, cell: tuple[int, int]) -> tuple[float, float]:
        """The middle of the tile of a row and a column, in units."""
        (row, column), (left, bottom) = pair("cell", cell), self.position
        if row != int(row) or column != int(column):
            raise wrong_value("cell", "two whole numbers, row and column", cell)
        middle: list[float] = self._cells.layout.centers(int(column), int(row)).tolist()
        x, y = middle
        return left + x, bottom + y

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the whole layer, in units."""
        return self._cells.layout.size

    def _parts(self) -> TileLayerParts:
        return TileLayerParts(self._state, self._cells)


def layer_of_map(
    tilesets: TileSets,
    layout: TileLayout,
    tiles: Numbers,
    *,
    name: str,
    position: tuple[float, float],
    color: tuple[float, float, float, float],
    order: str,
) -> TileLayer:
    """A layer of a map, which shares its sets of tiles with others. Raises `ValueError` for a tile
    of none.
    """
    layer = TileLayer.__new__(TileLayer)
    Placed.__init__(layer, position, color, (1.0, 1.0), None)
    layer._begin(tilesets, layout, tiles, order)
    layer.name = name
    layer._cells.facts()
    return layer


def checked_numbers(name: str, value: ArrayLike) -> Numbers:
    """Tiles as uint32 (h, w): whole numbers of at least 0, and below 2^32."""
    expected = "whole numbers of shape (h, w), 0 for no tile"
    try:
        array: Reals = np.asarray(value)
    except ValueError:  # ragged
        raise wrong_value(name, expected, value) from None
    if array.dtype.kind not in "iu":
        raise wrong_type(name, expected, value)
    if array.ndim != 2 or not array.size:
        raise wrong_value(name, expected, value)
    if array.size > MAX_CELLS:
        raise ValueError(
            f"{name}: {array.size:,} cells, a layer has at most {MAX_CELLS:,}; use several"
        )
    low, high = int(array.min()), int(array.max())
    if low < 0 or high > 0xFFFFFFFF:
        raise wrong_value(name, "whole numbers from 0 to 4,294,967,295", low if low < 0 else high)
    numbers: Numbers = array.astype(np.uint32)
    return numbers


def _places(name: str, value: Iterable[int]) -> frozenset[int]:
    """Places in the set, of numbers from 1 on."""
    return frozenset(whole(name, one, 1) - 1 for one in items(name, value))


def _animations(value: Mapping[int, Sequence[tuple[int, float]]]) -> dict[int, list[Frame]]:
    if not isinstance(value, Mapping):
        raise wrong_type("animations", "{tile: [(tile, seconds), …]}", value)
    made = {}
    for tile, frames in value.items():
        pairs = [pair("animations", one) for one in items("animations", frames)]
        for shown, seconds in pairs:
            whole("animations", int(shown), 1)
            number("animations", seconds, least=0.001, most=3600)
        if not pairs:
            raise wrong_value("animations", "at least one frame", frames)
        place = whole("animations", tile, 1) - 1
        made[place] = [Frame(int(shown) - 1, round(seconds * 1000)) for shown, seconds in pairs]
    return made
