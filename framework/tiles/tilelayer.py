"""Layers of tiles: an array of numbers, drawn in one or two calls however large it is."""

from __future__ import annotations

__all__ = ["TileLayer"]

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Doubles, Mask
from ..assets.images import ImageSource, checked_source, described
from ..checks import choice, items, number, pair, whole, wrong_type, wrong_value
from ..checks import size as checked_size
from ..geometry.lattice import Lattice
from ..geometry.tilelayout import TileLayout
from ..gpu.graphics import Graphics
from ..state.columns import Column, Table, assign_to
from .placed import Placed, look_at
from .tiledrawing import TileDrawing
from .tilefacts import FLIP_X, FLIP_Y, SWAP, TURN, TileFacts
from .tilesets import NUMBER, Frame, Numbers, TileArt, TileSet, TileSets

MAX_CELLS = 1 << 26
"""Cells in one layer."""

ORDERS = {"right-down": (1, 1), "right-up": (1, -1), "left-down": (-1, 1), "left-up": (-1, -1)}
"""In which order overlapping tiles of an orthogonal layer are drawn, as Tiled names them. It writes
one into other maps too, and does not heed it there."""


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

    __slots__ = (
        *(
            "__weakref__",
            "_art",
            "_drawing",
            "_facts",
            "_graphics",
            "_lattice",
            "_order",
            "_shape",
            "_tiles",
            "calls",
        ),
        *("_table", "layout", "tilesets", "values"),
    )

    not_state: ClassVar[Any] = (
        *(
            "_art",
            "_drawing",
            "_facts",
            "_graphics",
            "_lattice",
            "calls",
            "layout",
            "tilesets",
            "values",
        ),
    )
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
        source: Any = None if given is not None else checked_source("image", image)
        pictures = {place: checked_source("image", one) for place, one in enumerate(given or ())}
        if given == [] or given == ():
            raise wrong_value("image", "an image, or a list of at least one", image)
        one = TileSet(
            1,
            f"tiles of {described(source if given is None else given[0])}",
            source,
            size,
            margin=whole("margin", margin, 0),
            spacing=whole("spacing", spacing, 0),
            pictures=pictures,
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
        self.tilesets, self.layout = sets, layout
        self._order = ORDERS[order if layout.orientation == "orthogonal" else "right-down"]
        self._lattice, self._shape = Lattice(layout), (layout.rows, layout.columns)
        self._tiles = Column("tiles", 1, 0, dtype=np.uint32, interpolated=False)
        self._table = Table((), self._tiles)
        self._table.spawn(tiles.size, {"tiles": tiles.reshape(-1)})
        self._facts: TileFacts | None = None
        self._graphics: Graphics | None = None
        self._art: TileArt | None = None
        self._drawing: TileDrawing | None = None
        self.calls = 0
        """Draw calls of the last picture."""

    def __repr__(self) -> str:
        rows, columns = self._shape
        return f"<TileLayer {self.name!r} of {columns} x {rows} tiles>"

    # -- tiles -------------------------------------------------------------------------------------

    @property
    def tiles(self) -> Numbers:
        """The tiles, uint32 (h, w), row 0 at the top, to be written to: 0 for none, else a number
        and how it lies.
        """
        view: Numbers = self._tiles.values(self._tiles.data.size).reshape(self._shape)
        return view

    @tiles.setter
    def tiles(self, value: ArrayLike) -> None:
        numbers = (
            value if isinstance(value, np.ndarray) and value.base is self._tiles.data else None
        )
        if numbers is None:  # else ``layer.tiles |= …`` has written in place
            assign_to("tiles", self.tiles, checked_numbers("tiles", value))

    @property
    def numbers(self) -> Numbers:
        """The numbers of the tiles alone, without how they lie: uint32 (h, w), a copy."""
        return self._tiles.current(self._tiles.data.size).reshape(self._shape) & NUMBER

    @property
    def solid(self) -> Mask:
        """Which tiles are solid, by what the set says of them: bool (h, w), for reading. It follows
        `tiles`.
        """
        return self._facts_now().solid

    @property
    def one_way(self) -> Mask:
        """Which tiles hold only what comes from above: bool (h, w), for reading."""
        return self._facts_now().one_way

    @property
    def slopes(self) -> Doubles | None:
        """How high the ground is at the left and the right edge of each tile: (h, w, 2), or None
        where all is flat.
        """
        return self._facts_now().slopes

    @property
    def tile_size(self) -> tuple[float, float]:
        """Width and height of a tile in units. Only an orthogonal layer has one: others are no grid
        to collide with.
        """
        if self.layout.orientation != "orthogonal":
            raise AttributeError(f"tile_size: {self.layout.orientation} tiles are no upright grid")
        return self._lattice.tile

    def cell(self, point: tuple[float, float]) -> tuple[int, int]:
        """Row and column of the tile that a point is in; it need not be in the layer."""
        (x, y), (left, bottom) = pair("point", point), self.position
        if (
            self.layout.orientation == "orthogonal"
        ):  # as `TileGrid.cell`: a tile's lower edge is its own
            width, height = self._lattice.tile
            return self.layout.rows - 1 - math.floor((y - bottom) / height), math.floor(
                (x - left) / width
            )
        column, row = self.layout.cells((x - left, y - bottom)).tolist()
        return row, column

    def center(self, cell: tuple[int, int]) -> tuple[float, float]:
        """The middle of the tile of a row and a column, in units."""
        (row, column), (left, bottom) = pair("cell", cell), self.position
        if row != int(row) or column != int(column):
            raise wrong_value("cell", "two whole numbers, row and column", cell)
        x, y = self.layout.centers(int(column), int(row)).tolist()
        return left + x, bottom + y

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the whole layer, in units."""
        return self.layout.size

    def _facts_now(self) -> TileFacts:
        """What follows from the tiles as they are."""
        column = self._tiles
        if self._facts is None:
            self.tilesets.find(() if self._graphics is None else self._graphics.folders)
            self._facts = TileFacts(self.tilesets, self._lattice, self._current())
        elif column.touched or column.uploads.unsent or column.is_viewed():
            self._facts.update(self._current())
        else:
            return self._facts
        column.touched = column.uploads.unsent = (
            column.is_viewed()
        )  # else nobody can write any more
        return self._facts

    def _current(self) -> Numbers:
        now: Numbers = self._tiles.current(self._tiles.data.size).reshape(self._shape)
        return now

    # -- ticks and frames --------------------------------------------------------------------------

    def attach(self, graphics: Graphics) -> None:
        self.attach_unseen(graphics)
        try:
            self._art = self.tilesets.borrow(graphics)
            self._drawing = TileDrawing(graphics, self._art, self._lattice, self._order)
        except BaseException:
            self.release()
            raise

    def attach_unseen(self, graphics: Graphics) -> None:
        if self._graphics is not None:
            raise ValueError("layer: it was added to a game already")
        self.tilesets.find(graphics.folders)
        self._facts_now().forget_news()
        self._graphics = graphics

    def renew(self, files: Set[str]) -> bool:
        """Draw with the pictures of its tiles as they are now, where they come from one of these
        files.
        """
        graphics, art = self._graphics, self.tilesets.art_of(files)
        if graphics is None or art is self._art or art is None or self._drawing is None:
            return False
        self._drawing.release()
        self._art, self._drawing = art, TileDrawing(graphics, art, self._lattice, self._order)
        facts = self._facts_now()
        self._drawing.fill(facts.cells, facts.fitting)
        return True

    @property
    def uploaded_bytes(self) -> int:
        """Bytes of tiles written to the GPU so far."""
        return 0 if self._drawing is None else self._drawing.uploaded

    def hand_over(self) -> None:
        """Upload the tiles that changed since the last time."""
        facts, drawing = self._facts_now(), self._drawing
        anew, changed = facts.news()
        if drawing is None:
            return
        if anew:
            drawing.fill(facts.cells, facts.fitting)
        for rows, columns in changed:
            drawing.patch(facts.cells, rows, columns)

    def draw(self) -> None:
        graphics, drawing = self._graphics, self._drawing
        if graphics is None or drawing is None:
            return
        self.hand_over()
        self.calls = 0
        look = look_at(self, graphics)
        if look is not None:
            self.calls = drawing.draw(look, self._facts_now().reach)

    def release(self) -> None:
        if self._drawing is not None:
            self._drawing.release()
        if self._art is not None:
            self.tilesets.give_back()
        self._drawing = self._art = self._graphics = None

    def release_unseen(self) -> None:
        self.release()


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
    layer._facts_now()
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
