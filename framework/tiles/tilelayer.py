"""Layers of tiles: arrays of numbers, drawn in one or two calls whatever their size."""

from __future__ import annotations

__all__ = ["TileLayer"]

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Doubles, Mask
from ..assets.images import ImageSource, checked_source, described
from ..checks import choice, items, number, pair, whole, wrong_type, wrong_value
from ..checks import size as checked_size
from ..geometry.tilelayout import TileLayout
from ..state.columns import Column, Table, assign_to
from ..state.latched import Latched
from .placed import Placed, State
from .tilecells import TileCells
from .tilefacts import FLIP_X, FLIP_Y, SWAP, TURN
from .tilesets import NUMBER, Frame, Numbers, TileSet, TileSets

MAX_CELLS = 1 << 26
"""Cells in one layer."""

ORDERS = {"right-down": (1, 1), "right-up": (1, -1), "left-down": (-1, 1), "left-up": (-1, -1)}
"""In which order overlapping tiles of an orthogonal layer are drawn, as Tiled names them. It writes
one into other maps too, and does not heed it there."""


class TileLayerParts(NamedTuple):
    """The objects that a layer shares with its works."""

    state: Latched[State]
    cells: TileCells


class TileLayer(Placed):
    """A layer of tiles: ``self.add(fw.TileLayer("tiles.png", tile=(16, 16), tiles=array))``; see
    `TileMap` for files.

    Parameters
    ----------
    image
        What tiles are cut from, row by row from the top left: number 1 is the first; or a list of
        images, one a tile.
    tile
        Width and height of a tile in pixels; in units, too. Of a list of images: of a cell.
    tiles
        Whole numbers (h, w), row 0 at the top: 0 for no tile. To a number may be added `FLIP_X`,
        `FLIP_Y`, and `SWAP` (first mirrored about the diagonal from the top left), so that a tile
        lies in any of eight ways.
    margin, spacing
        Pixels around all tiles of the image, and between them.
    position
        Where the layer's bottom left corner is, in units, y up.
    solid, one_way
        Numbers of the tiles that are so, for `collide.move` and others: see ``layer.solid``.
    animations
        ``{3: [(3, 0.2), (4, 0.1)]}``: in place of tile 3, show others, each for so many seconds.
    orientation, stagger_axis, stagger_index, hex_side
        "orthogonal", "isometric", "staggered" or "hexagonal"; of the last two, along which axis
        ("x" or "y") every other column or row is shifted, and whether these are the "odd" or the
        "even" ones; of a hexagonal layer, how long the sides along that axis are.
    filter
        "nearest" (hard pixels) or "linear". Drawn smaller, tiles are read from reduced ones, with
        both.
    parallax
        By how much of the camera's motion the layer goes by: 1 as all else, 0 stays in the picture,
        0.5 far away.
    parallax_origin
        Where the camera's middle is when the layer is at its ``position``; None for that of a
        camera that was never moved.

    `tiles` is an array to write to: what changed is uploaded with the next picture, four bytes a
    tile. Raises `TypeError` and `ValueError` for what does not fit, `AssetError` for images, when
    it is added to a game.
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
        image: ImageSource | Sequence[ImageSource],
        tile: tuple[int, int],
        tiles: ArrayLike,
        *,
        margin: int = 0,
        spacing: int = 0,
        position: tuple[float, float] = (0.0, 0.0),
        solid: Iterable[int] = (),
        one_way: Iterable[int] = (),
        animations: Mapping[int, Sequence[tuple[int, float]]] | None = None,
        orientation: str = "orthogonal",
        stagger_axis: str = "y",
        stagger_index: str = "odd",
        hex_side: int = 0,
        filter: str = "nearest",
        parallax: tuple[float, float] = (1.0, 1.0),
        parallax_origin: tuple[float, float] | None = None,
    ) -> None:
        size = checked_size("tile", tile)
        given = image if isinstance(image, list | tuple) else None
        images = [checked_source("image", one) for one in ([image] if given is None else given)]
        if not images:
            raise wrong_value("image", "an image, or a list of at least one", image)
        one = TileSet(
            1,
            f"tiles of {described(images[0])}",
            images[0] if given is None else None,
            size,
            margin=whole("margin", margin, 0),
            spacing=whole("spacing", spacing, 0),
            pictures={} if given is None else dict(enumerate(images)),
            solid=_places("solid", solid),
            one_way=_places("one_way", one_way),
            animations=_animations({} if animations is None else animations),
        )
        numbers = checked_numbers("tiles", tiles)
        layout = TileLayout(
            numbers.shape[1],
            numbers.shape[0],
            size,
            orientation,
            stagger_axis=stagger_axis,
            stagger_index=stagger_index,
            hex_side=hex_side,
        )
        sets = TileSets([one], choice("filter", filter, ("nearest", "linear")))
        super().__init__(position, (1.0, 1.0, 1.0, 1.0), parallax, parallax_origin)
        self._begin(sets, layout, numbers, "right-down")

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
        column, row = layout.cells((x - left, y - bottom)).tolist()
        return row, column

    def center(self, cell: tuple[int, int]) -> tuple[float, float]:
        """The middle of the tile of a row and a column, in units."""
        (row, column), (left, bottom) = pair("cell", cell), self.position
        if row != int(row) or column != int(column):
            raise wrong_value("cell", "two whole numbers, row and column", cell)
        x, y = self._cells.layout.centers(int(column), int(row)).tolist()
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


def checked_numbers(name: str, value: Any) -> Numbers:
    """Tiles as uint32 (h, w): whole numbers of at least 0, and below 2^32."""
    expected = "whole numbers of shape (h, w), 0 for no tile"
    try:
        array: Any = np.asarray(value)
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
    low, high = array.min(), array.max()
    if low < 0 or high > 0xFFFFFFFF:
        raise wrong_value(
            name, "whole numbers from 0 to 4,294,967,295", int(low if low < 0 else high)
        )
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
