"""Map data: a tile map of Tiled or LDtk as plain data, in the units of the file.

Positions and sizes are in pixels of the map file, x to the right and y **down**. Angles in the file
are in degrees clockwise. `TileLayout` converts positions and sizes to world units. Colors are (red,
green, blue, alpha) from 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles
from ..geometry.tilelayout import TileLayout

Gids = NDArray[np.uint32]
"""Tile numbers of a map: 0 for no tile, otherwise `Tileset.first_gid` plus the tile's number in its
tileset.

The four highest bits are flags that flip the tile.
"""

FLIP_X = 0x8000_0000
FLIP_Y = 0x4000_0000
FLIP_DIAGONAL = 0x2000_0000
ROTATED_120 = 0x1000_0000
"""The flags of a tile's flips, as in Tiled. The diagonal flip (x and y are swapped) is first.

In hexagonal maps, the diagonal flag is a turn by 60° clockwise, and the last flag by 120°.
"""
FLAGS = FLIP_X | FLIP_Y | FLIP_DIAGONAL | ROTATED_120
GID = 0xFFFF_FFFF ^ FLAGS
"""The bits of a tile number without the flags."""

Color = tuple[float, float, float, float]
WHITE: Color = (1.0, 1.0, 1.0, 1.0)


@dataclass(eq=False, slots=True)
class ImageFile:
    """An image file that a map uses.

    When the map is read, the framework checks that the file exists and begins like an image file.
    """

    path: Path
    size: tuple[int, int] | None = None
    """(width, height) in pixels, as written in the map. The image itself may have another size."""
    transparent: Color | None = None
    """Pixels of this color are transparent.

    The color is None if the image has no transparent color.
    """


@dataclass(eq=False, slots=True)
class MapText:
    """A text object of a map, with its font and alignment."""

    text: str
    font: str = "sans-serif"
    size: float = 16.0
    """The height of the font in pixels."""
    color: Color = (0.0, 0.0, 0.0, 1.0)
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strikeout: bool = False
    wrap: bool = False
    align: str = "left"
    """The horizontal alignment of lines: left, center, right or justify."""
    valign: str = "top"
    """The vertical alignment in the object: top, center or bottom."""


@dataclass(eq=False, slots=True)
class ObjectData:
    """An object of a map, with the values of the file, or a collision shape of a tile.

    If the file leaves out a value of an object, the object's template gives the value.
    """

    id: int
    name: str
    kind: str
    """The shape of the object: rectangle, ellipse, capsule, point, polygon, polyline, text or tile.
    """
    x: float
    y: float
    """x and y: the top left corner. For a tile object, the point that `Tileset.alignment` names.

    The object is rotated around this point.
    """
    width: float = 0.0
    height: float = 0.0
    rotation: float = 0.0
    """The rotation in degrees, clockwise."""
    class_name: str = ""
    points: Doubles | None = None
    """The points of polygons and polylines before the rotation: (n, 2), relative to (x, y)."""
    gid: int = 0
    """The tile number of a tile object with its flags. The number is 0 for other objects."""
    text: MapText | None = None
    visible: bool = True
    opacity: float = 1.0
    properties: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Layer:
    """The common fields of all layers. The fields already include the values of the groups that
    contain the layer: tint, opacity and parallax of a layer are multiplied by those of its groups.
    Offsets of a layer and its groups are added. A layer is visible only if all groups around the
    layer are visible.
    """

    name: str
    id: int = 0
    class_name: str = ""
    groups: tuple[str, ...] = ()
    """The names of the groups around the layer, the outermost first."""
    visible: bool = True
    opacity: float = 1.0
    tint: Color = WHITE
    offset: tuple[float, float] = (0.0, 0.0)
    parallax: tuple[float, float] = (1.0, 1.0)
    properties: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class TilesLayer(Layer):
    """A layer with a grid of tiles."""

    tiles: Gids = field(default_factory=lambda: np.zeros((0, 0), np.uint32))
    """Tile numbers (h, w), row 0 at the top. Some numbers may belong to no tileset.

    (h, w) is the size of the map, or in LDtk the size of the layer.
    """
    tile_size: tuple[int, int] = (0, 0)
    """(width, height) of a cell in pixels, from the map, or in LDtk from the layer."""
    values: NDArray[np.int32] | None = None
    """The IntGrid of an LDtk layer: (h, w). The array is None for other layers."""
    shifts: NDArray[np.int16] | None = None
    """For LDtk layers with tiles off the grid or translucent tiles: (h, w, 4).

    The shift of each cell in pixels to the right and up, the alpha of its tile from 0 to 255, and 0.
    """


@dataclass(eq=False, slots=True)
class ObjectsLayer(Layer):
    """A layer with objects, in the order of the file."""

    objects: list[ObjectData] = field(default_factory=list)
    draw_order: str = "topdown"
    """With "topdown", objects are drawn in the order of their y.

    With "index", they are drawn in the order of the list.
    """


@dataclass(eq=False, slots=True)
class ImageLayer(Layer):
    """A layer with one image, whose top left corner is at `offset`."""

    image_file: ImageFile | None = None
    repeat: tuple[bool, bool] = (False, False)
    """Whether the image is repeated endlessly along x and y."""
    scale: tuple[float, float] = (1.0, 1.0)
    crop: tuple[float, float, float, float] | None = None
    """The visible part of the image: (x, y, width, height).

    If ``crop`` is None, the layer shows the whole image.
    """


@dataclass(eq=False, slots=True)
class TileInfo:
    """The properties, the image, the animation and the collision shapes of one tile."""

    class_name: str = ""
    properties: dict[str, Any] = field(default_factory=dict)
    image_file: ImageFile | None = None
    """The image of this tile, in a tileset that is a collection of images."""
    box: tuple[int, int, int, int] | None = None
    """The tile's part of the image: (x, y, width, height).

    If ``box`` is None, the tile shows the whole image.
    """
    frames: NDArray[np.int64] | None = None
    """The frames of the animation: (n, 2), the number of a tile in this tileset, and milliseconds.
    """
    shapes: list[ObjectData] = field(default_factory=list)
    """Collision shapes, relative to the tile's top left corner."""
    probability: float = 1.0


@dataclass(eq=False, slots=True)
class WangSet:
    """A terrain: tiles that fit together.

    A tile has a color number at each corner, at each edge, or at both. The number 0 means no color.
    """

    name: str
    kind: str
    """The sides that have colors: corner, edge or mixed."""
    colors: list[str]
    """The names of the colors. Color 1 is ``colors[0]``."""
    ids: NDArray[np.int64]
    """The numbers of the tiles in the tileset: (n,)."""
    sides: NDArray[np.uint8]
    """The colors of each tile: (n, 8), from the top clockwise: top, top right, …, top left."""
    color_probabilities: list[float] = field(default_factory=list)
    class_name: str = ""
    properties: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Tileset:
    """A set of tiles. Either all tiles are cut from one image, or each tile has an image of its
    own.
    """

    name: str
    first_gid: int
    tile_size: tuple[int, int]
    """(width, height) in pixels. For a collection of images: the size of the largest image."""
    count: int
    """The count of tiles.

    In a collection of images, tile numbers may have gaps and exceed the count.
    """
    columns: int = 0
    image_file: ImageFile | None = None
    """The image that is cut into tiles, row by row. The image is None in a collection of images."""
    margin: int = 0
    spacing: int = 0
    tile_offset: tuple[int, int] = (0, 0)
    """The offset at which tiles are drawn, in pixels to the right and down."""
    alignment: str = "unspecified"
    """The point of a tile object that lies at (x, y).

    One of topleft, top, topright, left, center, right, bottomleft, bottom, bottomright, and
    unspecified. Unspecified means bottomleft, or bottom in isometric maps.
    """
    render_size: str = "tile"
    """With "tile", tiles are drawn in the size of their image.

    With "grid", tiles are drawn in the size of a cell.
    """
    fill_mode: str = "stretch"
    """How an image fills a cell of another size: stretch, or preserve-aspect-fit."""
    tiles: dict[int, TileInfo] = field(default_factory=dict)
    """The tiles with properties, an image, an animation or shapes, by their numbers."""
    wang_sets: list[WangSet] = field(default_factory=list)
    class_name: str = ""
    properties: dict[str, Any] = field(default_factory=dict)
    path: Path | None = None
    """The tileset's own file. The path is None if the tileset is inside the map."""

    def size_of(self, number: int) -> tuple[int, int]:
        """Return the (width, height) of a tile in pixels, as written in the map."""
        info = self.tiles.get(number)
        if info is None or info.image_file is None:
            return self.tile_size
        return info.box[2:] if info.box is not None else info.image_file.size or self.tile_size

    @property
    def end_gid(self) -> int:
        """The tile number that follows the last tile number of this tileset."""
        return self.first_gid + max(self.count, max(self.tiles, default=-1) + 1)


@dataclass(eq=False, slots=True)
class MapData:
    """A tile map with its layers and tilesets."""

    path: Path
    width: int
    """Number of columns of the map."""
    height: int
    """Number of rows of the map."""
    tile_size: tuple[int, int]
    """(width, height) of a cell in pixels."""
    orientation: str = "orthogonal"
    """The arrangement of cells: orthogonal, isometric, staggered, hexagonal or oblique."""
    stagger_axis: str = "y"
    """For staggered and hexagonal maps: the axis along which every other column (x) or row (y) is
    shifted.
    """
    stagger_index: str = "odd"
    """For staggered and hexagonal maps: whether the odd or the even rows or columns are shifted.

    Rows and columns are numbered as in the file.
    """
    hex_side: int = 0
    """For hexagonal maps: the length of the sides along the stagger axis, in pixels."""
    render_order: str = "right-down"
    """The draw order of tiles: right-down, right-up, left-down or left-up."""
    skew: tuple[int, int] = (0, 0)
    """For oblique maps: the shift of each row to the right and of each column down, in pixels."""
    origin: tuple[int, int] = (0, 0)
    """(column, row) in the file of the tile ``tiles[0, 0]``. In infinite maps, the origin may
    differ from (0, 0).
    """
    infinite: bool = False
    said_rows: int | None = None
    """The count of rows that the file of an infinite map declares.

    In isometric maps the position of images depends on this count.
    """
    layers: list[Layer] = field(default_factory=list)
    """All layers, including those inside groups, the lowest first."""
    tilesets: list[Tileset] = field(default_factory=list)
    """The tilesets, in ascending order of `Tileset.first_gid`."""
    background: Color | None = None
    parallax_origin: tuple[float, float] = (0.0, 0.0)
    class_name: str = ""
    properties: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    """For LDtk: the level's name."""
    levels: list[str] = field(default_factory=list)
    """For LDtk: the names of all levels in the file."""
    world: tuple[float, float] = (0.0, 0.0)
    """For LDtk: the level's top left corner in the world, in pixels."""

    @property
    def layout(self) -> TileLayout:
        """The `TileLayout` that converts cells and pixels of the file to world positions."""
        return TileLayout(
            self.width,
            self.height,
            self.tile_size,
            self.orientation,
            stagger_axis=self.stagger_axis,
            stagger_index=self.stagger_index,
            hex_side=self.hex_side,
            origin=self.origin,
            said_rows=self.said_rows,
            skew=self.skew,
        )

    def tileset_of(self, gid: int) -> tuple[Tileset, int] | None:
        """Return the tileset of a tile, and the tile's number in that tileset.

        Return None for the number 0 (no tile), and for a number that is in no tileset. Flips, which
        are the highest bits of ``gid``, are ignored.
        """
        gid &= GID
        matches = [
            tileset for tileset in self.tilesets if tileset.first_gid <= gid < tileset.end_gid
        ]
        return (matches[-1], gid - matches[-1].first_gid) if matches else None
