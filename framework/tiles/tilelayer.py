"""Draw a layer of tiles from an array of tile numbers, in one or two draw calls."""

from __future__ import annotations

__all__ = ["TileLayer", "TileSet"]

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import Any, ClassVar, NamedTuple, Never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Doubles, Mask, Reals
from ..assets import images
from ..assets.images import ImageSource, checked_source, described
from ..checks import Sealed, choice, items, number, pair, whole, wrong_type, wrong_value
from ..checks import size as checked_size
from ..geometry.tilelayout import TileLayout
from ..moved_names import HasMoved, moved
from ..other_engines.other_options import other_options
from ..other_engines.tile_names import tile_layer_names
from ..state.columns import Table, TableColumn, assign_to
from ..state.latched import Latched
from .parallax_layers import ParallaxLayer, State
from .tilecells import TileCells
from .tilefacts import FLIP_X, FLIP_Y, SWAP, TURN, Shifts
from .tilesets import MAX_TILES, NUMBER, Frame, Numbers, TileImages, TileSets

MAX_CELLS = 1 << 26
"""The maximum number of cells in a layer."""

ORDERS = {"right-down": (1, 1), "right-up": (1, -1), "left-down": (-1, 1), "left-up": (-1, -1)}
"""The orders in which overlapping tiles can be drawn, with their names in Tiled. Only orthogonal
and oblique layers have an order: in all other maps, Tiled ignores it.
"""


class TileLayerParts(NamedTuple):
    """The objects that a `TileLayer` shares with its backend: the tiles, and the values that are
    interpolated between ticks.
    """

    state: Latched[State]
    cells: TileCells


class TileSet(Sealed):
    """A set of tiles for a `TileLayer`: their images, and how they collide.

        fw.TileSet("tiles.png", (16, 16), solid=[1, 2])

    All layers with the same `TileSet` share one copy of the images on the GPU. A `TileSet` cannot
    be changed. Saves do not contain it, only the tile numbers of layers.

    Parameters
    ----------
    image
        The image from which tiles are cut, row by row from the top left. The first tile has the
        number 1, because 0 means no tile. You can also pass a list with one image per tile.
    tile
        The width and height of a tile, in pixels. In the world, one unit is one pixel of a tile. If
        ``image`` is a list of images, ``tile`` is the size of one cell of the map.
    margin, spacing
        ``margin`` is the number of empty pixels along the edges of the image. ``spacing`` is the
        number of empty pixels between neighboring tiles. Default: 0.
    solid
        The numbers of all solid tiles. Functions such as `collide.move` stop bodies at solid tiles.
    one_way
        The numbers of all tiles that are solid only from above.
    animations
        The frames of animated tiles. For example, ``{3: [(3, 0.2), (4, 0.1)]}`` shows tile 3 for
        0.2 seconds, then tile 4 for 0.1 seconds.
    filter
        ``"nearest"`` for sharp pixels, or ``"linear"`` for smooth pixels. With either filter,
        smaller copies (mipmaps) are used when tiles are drawn small.

    Raises `TypeError` or `ValueError` for invalid values. If an image is missing or broken,
    `AssetError` is raised when you add a layer with this `TileSet` to a game.
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
        several = image if isinstance(image, list | tuple) else None
        sources = [
            checked_source("image", source) for source in ([image] if several is None else several)
        ]
        if not sources:
            raise wrong_value("image", "an image, or a list of at least one", image)
        tiles = TileImages(
            1,
            f"tiles of {described(sources[0])}",
            sources[0] if several is None else None,
            self._tile,
            margin=whole("margin", margin, 0, images.MAX_PIXELS),
            spacing=whole("spacing", spacing, 0, images.MAX_PIXELS),
            tile_images={} if several is None else dict(enumerate(sources)),
            solid=_indices("solid", solid),
            one_way=_indices("one_way", one_way),
            animations=_animations({} if animations is None else animations),
        )
        self._sets = TileSets([tiles], choice("filter", filter, ("nearest", "linear")))

    def __repr__(self) -> str:
        width, height = self._tile
        return f"<TileSet, {self._sets.sets[0].name}, {width} x {height} pixels each>"


@moved("layer", {"cell": "world_to_cell", "center": "cell_center"})
@tile_layer_names
class TileLayer(ParallaxLayer, HasMoved):
    """A layer of tiles from an array of tile numbers.

        self.add(fw.TileLayer(fw.TileSet("tiles.png", (16, 16)), array))

    To load a map from a file, use `TileMap`.

    Parameters
    ----------
    tileset
        The `TileSet` with the images. Several layers can use the same `TileSet`.
    tiles
        The tile numbers: an array (h, w), row 0 at the top. The number 0 means no tile. To flip a
        tile, add `FLIP_X`, `FLIP_Y` and `SWAP` to its number. `SWAP` mirrors the tile along the
        diagonal from its top left corner: it swaps x and y. `FLIP_X` and `FLIP_Y` are applied after
        `SWAP`.
    position
        The bottom left corner of the layer in units, y up.
    orientation
        The shape of the grid: "orthogonal", "isometric", "staggered", "hexagonal" or "oblique".
    stagger_axis, stagger_index
        In a staggered or hexagonal layer, every second column or row is shifted by half a tile.
        ``stagger_axis`` is "x" for shifted columns, or "y" for shifted rows. ``stagger_index`` is
        "odd" or "even", depending on which columns or rows are shifted.
    hex_side
        For a hexagonal layer: the length of the tile side along ``stagger_axis``, in units.
    skew
        For an oblique layer: the shift of each row and the shift of each column, in units. The
        first number moves each row to the right, relative to the row above. The second number moves
        each column down, relative to the column on its left. The default skew is (0, 0). The skew
        moves tiles, but does not distort their images. The bottom left corner of an image is at the
        bottom left corner of its cell.
    parallax
        How fast the layer moves on the screen when the camera moves: a factor for x and one for y.
        At 1, it moves like the sprites of the world. At 0.5, it seems far away. At 0, it does not
        move on the screen.
    parallax_origin
        The camera position for which the layer is drawn at its ``position``. By default, this is
        the position of a new camera.

    To change tiles, write into the array `tiles`. Only changed tiles are uploaded in the next
    frame, with four bytes per tile. Raises `TypeError` or `ValueError` for invalid values. If an
    image is missing or broken, `AssetError` is raised when you add the layer to a game.
    """

    __slots__ = ("_cells", "_table", "values")

    _transient_attributes: ClassVar[Any] = ("_cells", "values")
    _backend_in = "framework.tiles.tiledrawing"
    saved: ClassVar[tuple[str, ...]] = ("tiles",)

    FLIP_X = FLIP_X
    FLIP_Y = FLIP_Y
    SWAP = SWAP
    """A flag in a tile number that mirrors the tile along the diagonal, before all other flips. In
    a hexagonal layer, `SWAP` rotates the tile clockwise by 60°.
    """
    TURN = TURN
    """A flag in a tile number that rotates the tile clockwise by 120°, in hexagonal layers."""

    @other_options(
        **dict.fromkeys(
            ("scale", "scaling"), "write self.camera.zoom = 2, or Game(resolution=(320, 180))"
        ),
        **dict.fromkeys(("tile_size", "size"), "write fw.TileSet(image, (16, 16))"),
    )
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
        skew: tuple[int, int] = (0, 0),
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
            skew=_whole_pair("skew", skew),
        )
        super().__init__(position, (1.0, 1.0, 1.0, 1.0), parallax, parallax_origin)
        self._begin(tileset._sets, layout, numbers, "right-down")

    def _begin(
        self,
        sets: TileSets,
        layout: TileLayout,
        tiles: Numbers,
        order: str,
        shifts: Shifts | None = None,
        scale: float = 1.0,
    ) -> None:
        self.values: NDArray[np.int32] | None = None
        """The IntGrid of an LDtk layer: an int32 array (h, w), with 0 for empty cells. For layers
        without an IntGrid, `values` is None.
        """
        column = TableColumn("tiles", 1, 0, dtype=np.uint32, interpolated=False)
        self._table = Table((), column)
        self._table.spawn(tiles.size, {"tiles": tiles.reshape(-1)})
        is_ordered = layout.orientation in ("orthogonal", "oblique")
        drawn_in = ORDERS[order if is_ordered else "right-down"]
        self._cells = TileCells(sets, layout, drawn_in, column, shifts, scale)

    def __repr__(self) -> str:
        rows, columns = self._cells.shape
        return f"<TileLayer {self.name!r} of {columns} x {rows} tiles>"

    def _warn_of_collision(self, stacklevel: int) -> None:
        """Called when you pass the layer to `collide.move`. Warn once if the map has no solid
        tiles.
        """
        tilesets = self._cells.tilesets
        if tilesets.collision_remark:
            remark = tilesets.collision_remark
            tilesets.collision_remark = ""
            warnings.warn(remark, RuntimeWarning, stacklevel=stacklevel + 1)

    def after_load(self) -> None:
        """Called after a save has been loaded. Raise `ValueError` if the save contains a tile
        number that is not in the layer's tile sets. The game then rejects the save.
        """
        super().after_load()
        self._cells.check()

    # -- tiles -------------------------------------------------------------------------------------

    @property
    def tiles(self) -> Numbers:
        """The tile numbers of the layer: a uint32 array (h, w), row 0 at the top. You can write
        into this array. The number 0 means no tile. A value above 0 is a tile number combined with
        flags for flips.
        """
        return self._cells.view()

    @tiles.setter
    def tiles(self, value: ArrayLike) -> None:
        memory = self._cells.column.data
        if not isinstance(value, np.ndarray) or value.base is not memory:
            # If the value is this very array, ``layer.tiles |= …`` has already written to it in
            # place.
            assign_to("tiles", self.tiles, checked_numbers("tiles", value))

    @property
    def numbers(self) -> Numbers:
        """A copy of the tile numbers, without the flags for flips: a uint32 array (h, w)."""
        return self._cells.current() & NUMBER

    @property
    def solid(self) -> Mask:
        """Whether each tile is solid: an array of bools (h, w). The array is read-only.

        After you have changed `tiles`, read `solid` again.
        """
        return self._cells.facts().solid

    @property
    def one_way(self) -> Mask:
        """Whether each tile is solid only from above: an array of bools (h, w). The array is
        read-only.
        """
        return self._cells.facts().one_way

    @property
    def slopes(self) -> Doubles | None:
        """The heights of the ground at the left and right edge of each tile: an array (h, w, 2).

        The heights are fractions of the tile's height. `slopes` is None if no tile is a slope.
        """
        return self._cells.facts().slopes

    @property
    def part_solid(self) -> Mask:
        """Whether only a part of each tile is solid, such as the lower half: an array of bools (h,
        w).

        A tile is partly solid if its collision shapes in Tiled do not cover the whole tile. Tiles
        with the property ``solid``, one-way tiles and slopes are never partly solid. `tile_shapes`
        contains the collision shapes of the partly solid tiles, and `solid` is False for them. The
        array is read-only.
        """
        return self._cells.facts().part_solid

    @property
    def tile_shapes(self) -> list[Doubles]:
        """The collision shapes of all partly solid tiles: a list of polygons (k, 2) in world units.

        Each shape is flipped and rotated like its tile.
        """
        corner = np.array(self.position)
        scale = np.array(self.tile_size)
        return [corner + polygon * scale for polygon in self._cells.facts().shapes()]

    def _shape_boxes(self) -> Doubles:
        """Return the bounding boxes of `tile_shapes`, for `tilegrid.shape_boxes`."""
        boxes = self._cells.facts().shape_boxes()
        placed: Doubles = np.tile(self.position, 2) + boxes * np.tile(self.tile_size, 2)
        return placed

    @property
    def tile_size(self) -> tuple[float, float]:
        """The width and height of a tile in units.

        Raises `AttributeError` if the layer is not orthogonal, because collisions need a
        rectangular grid.
        """
        orientation = self._cells.layout.orientation
        if orientation != "orthogonal":
            raise AttributeError(f"tile_size: {orientation} tiles have no upright grid")
        return self._cells.tile_size

    @other_options(_="write row, column = layer.world_to_cell((x, y))")
    def world_to_cell(self, point: tuple[float, float]) -> tuple[int, int]:
        """Return the row and the column of the tile at the position ``point``. ``point`` is in
        world units. Row 0 is the top row of the layer. If ``point`` is outside the layer, the row
        or the column is negative or too large.
        """
        x, y = pair("point", point)
        left, bottom = self.position
        layout = self._cells.layout
        # A point on the edge between two tiles belongs to the upper tile, as in
        # `TileGrid.world_to_cell`.
        if layout.orientation == "orthogonal":
            width, height = self._cells.tile_size
            above = math.floor((y - bottom) / height)
            return layout.rows - 1 - above, math.floor((x - left) / width)
        cell: list[int] = layout.cells((x - left, y - bottom)).tolist()
        column, row = cell
        return row, column

    @other_options(_="write layer.cell_center((row, column))")
    def cell_center(self, cell: tuple[int, int]) -> tuple[float, float]:
        """Return the center of a tile in world units. ``cell`` is the tuple (row, column)."""
        row, column = pair("cell", cell)
        left, bottom = self.position
        if row != int(row) or column != int(column):
            raise wrong_value("cell", "two whole numbers, row and column", cell)
        middle: Doubles = self._cells.layout.centers(int(column), int(row)) * self._cells.scale
        x, y = middle.tolist()
        return left + x, bottom + y

    @property
    def size(self) -> tuple[float, float]:
        """The width and height of the layer in units."""
        width, height = self._cells.layout.size
        return width * self._cells.scale, height * self._cells.scale

    @property
    def blend(self) -> str:
        return self._cells.blend

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
    shifts: Shifts | None = None,
    scale: float = 1.0,
) -> TileLayer:
    """Return a `TileLayer` for one layer of a map. ``tilesets`` are the tile sets of the map. All
    layers of the map share them. The layer keeps the array ``tiles`` as its own copy of the tile
    numbers, and writes into it.

    ``shifts`` is an array with the shift and the alpha of each cell, as in `TileCells.shifts`.
    ``scale`` is the size of a pixel of the tiles, in units. Only orthogonal layers have a scale
    other than 1.

    Raises `ValueError` if ``tiles`` contains a number that is in no tile set.
    """
    layer = TileLayer.__new__(TileLayer)
    ParallaxLayer.__init__(layer, position, color, (1.0, 1.0), None)
    layer._begin(tilesets, layout, tiles, order, shifts, scale)
    layer.name = name
    layer._cells.facts(tiles)
    return layer


def checked_numbers(name: str, value: ArrayLike) -> Numbers:
    """Check an array of tile numbers, and return it as uint32 (h, w).

    Tile numbers must be whole numbers from 0 to 2^32 - 1.
    """
    expected = "whole numbers of shape (h, w), 0 for no tile"
    try:
        array: Reals = np.asarray(value)
    except ValueError:  # NumPy raises this error for rows of different lengths
        raise wrong_value(name, expected, value) from None
    if array.dtype.kind in "US":
        error = wrong_type(name, expected, value)
        hint = "for a level of text, write fw.TileLayer(kit, kit.from_text(rows, legend))"
        raise TypeError(f"{error}; {hint}, where kit is a TileKit such as fw.art.platformer")
    if array.dtype.kind not in "iu":
        raise wrong_type(name, expected, value)
    if array.ndim != 2 or not array.size:
        raise wrong_value(name, expected, value)
    if array.size > MAX_CELLS:
        raise ValueError(
            f"{name}: {array.size:,} cells, a layer has at most {MAX_CELLS:,}; use several"
        )
    low = int(array.min())
    high = int(array.max())
    if low < 0 or high > 0xFFFFFFFF:
        raise wrong_value(name, "whole numbers from 0 to 4,294,967,295", low if low < 0 else high)
    numbers: Numbers = array.astype(np.uint32)
    return numbers


def _whole_pair(name: str, value: object) -> tuple[int, int]:
    x, y = pair(name, value)
    if x != int(x) or y != int(y):
        raise wrong_value(name, "two whole numbers", value)
    return int(x), int(y)


def _indices(name: str, value: Iterable[int]) -> frozenset[int]:
    """Convert tile numbers to indices in their tile set. Tile numbers start at 1, and indices start
    at 0.
    """
    if isinstance(value, Sized) and len(value) > MAX_TILES:
        raise ValueError(
            f"{name}: expected at most {MAX_TILES:,} tile numbers, got {len(value):,}; "
            "a tile that is listed must exist"
        )
    return frozenset(whole(name, tile, 1, int(NUMBER)) - 1 for tile in items(name, value))


def _animations(value: Mapping[int, Sequence[tuple[int, float]]]) -> dict[int, list[Frame]]:
    if not isinstance(value, Mapping):
        raise wrong_type("animations", "{tile: [(tile, seconds), …]}", value)
    result = {}
    for tile, listed in value.items():
        frames = _frames(listed)
        result[whole("animations", tile, 1, int(NUMBER)) - 1] = frames
    return result


def _frames(value: Sequence[tuple[int, float]]) -> list[Frame]:
    pairs = [pair("animations", frame) for frame in items("animations", value)]
    for tile, seconds in pairs:
        whole("animations", int(tile), 1, int(NUMBER))
        number("animations", seconds, least=0.001, most=3600)
    if not pairs:
        raise wrong_value("animations", "at least one frame", value)
    return [Frame(int(tile) - 1, round(seconds * 1000)) for tile, seconds in pairs]
