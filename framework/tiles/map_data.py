"""The contents of a Tiled or LDtk map as dataclasses, in the units of the file.

Positions and sizes are in pixels of the map. x points to the right and y points **down**. Angles
are in degrees, clockwise. Colors are tuples (red, green, blue, alpha), from 0 to 1. `TileLayout`
converts positions in the map to world units.
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
"""The tile numbers of a map. The number 0 means no tile. A tile number is `Tileset.first_gid` plus
the tile's number in its tileset.

The four highest bits of a tile number are flags for flips.
"""

FLIP_X = 0x8000_0000
FLIP_Y = 0x4000_0000
FLIP_DIAGONAL = 0x2000_0000
ROTATED_120 = 0x1000_0000
"""The flags for flips in a tile number, as in Tiled. The diagonal flip swaps x and y, before the
other flips.

In hexagonal maps, the diagonal flag rotates a tile by 60° clockwise, and the last flag rotates a
tile by 120°.
"""
FLAGS = FLIP_X | FLIP_Y | FLIP_DIAGONAL | ROTATED_120
GID = 0xFFFF_FFFF ^ FLAGS
"""The bits of a tile number that are not flags."""

Color = tuple[float, float, float, float]
WHITE: Color = (1.0, 1.0, 1.0, 1.0)


@dataclass(eq=False, slots=True)
class ImageFile:
    """An image file of a map. When a map is read, the framework checks that each image file exists
    and begins with the header of an image.
    """

    path: Path
    size: tuple[int, int] | None = None
    """The width and height of the image in pixels, as in the map file. The image in the file may
    have a different size.
    """
    transparent: Color | None = None
    """A color of the image that becomes transparent, or None."""


# The blend modes of Tiled that OpenGL's blend functions compute exactly. The other modes need the
# smaller or the larger of two colors, or other formulas.
_BLENDS = {
    "normal": "alpha",
    "add": "add",
    "multiply": "multiply",
    "screen": "screen",
    "exclusion": "exclusion",
}


@dataclass(eq=False, slots=True)
class MapText:
    """A text object of a map, with its font and alignment."""

    text: str
    font: str = "sans-serif"
    size: float = 16.0
    """The font size in pixels."""
    color: Color = (0.0, 0.0, 0.0, 1.0)
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strikeout: bool = False
    wrap: bool = False
    align: str = "left"
    """The alignment of lines: left, center, right or justify."""
    valign: str = "top"
    """The vertical position of the text in the object: top, center or bottom."""


@dataclass(eq=False, slots=True)
class ObjectData:
    """An object of a map, or a collision shape of a tile. The fields contain the values from the
    map file.

    Values that the map file does not contain come from the object's template.
    """

    id: int
    name: str
    kind: str
    """The kind of object: rectangle, ellipse, capsule, point, polygon, polyline, text or tile."""
    x: float
    y: float
    """The position (x, y) of the object. For most objects, (x, y) is the top left corner of the
    object. For a tile object, `Tileset.alignment` determines which point of the object is at (x,
    y).

    The object is rotated around its position.
    """
    width: float = 0.0
    height: float = 0.0
    rotation: float = 0.0
    """The rotation in degrees, clockwise."""
    class_name: str = ""
    points: Doubles | None = None
    """The points of a polygon or polyline before the rotation, relative to (x, y). The array has
    the shape (n, 2).
    """
    gid: int = 0
    """The tile number of a tile object, with flags for flips. For all other objects, the tile
    number is 0.
    """
    text: MapText | None = None
    visible: bool = True
    opacity: float = 1.0
    properties: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Layer:
    """The fields that all kinds of layers have. The values already include those of the groups that
    contain the layer. The tint, the opacity and the parallax are multiplied by the values of the
    groups, and the offsets of the groups are added to the offset. A layer is visible only if all
    its groups are visible.
    """

    name: str
    id: int = 0
    class_name: str = ""
    groups: tuple[str, ...] = ()
    """The names of the layer's groups. The outermost group is first."""
    visible: bool = True
    opacity: float = 1.0
    tint: Color = WHITE
    offset: tuple[float, float] = (0.0, 0.0)
    parallax: tuple[float, float] = (1.0, 1.0)
    properties: dict[str, Any] = field(default_factory=dict)
    blend_mode: str = "normal"
    """The blend mode of the layer in Tiled. The modes of its groups are ignored, as in Tiled. `blend`
    is the mode with which the framework draws the layer.
    """
    parallax_origin: tuple[float, float] | None = None
    """The position of the camera at which the layer is not shifted by its parallax, in pixels of
    the map, y down. With None, `MapData.parallax_origin` applies.
    """

    @property
    def blend(self) -> str | None:
        """The framework's name for the blend mode of the layer. `blend` is None for modes that
        OpenGL's blend functions cannot compute.
        """
        return _BLENDS.get(self.blend_mode)


@dataclass(eq=False, slots=True)
class TilesLayer(Layer):
    """A layer with a grid of tiles."""

    tiles: Gids = field(default_factory=lambda: np.zeros((0, 0), np.uint32))
    """The tile numbers, as an array (h, w). Row 0 is the top row. The array may contain tile
    numbers that are in no tileset.

    In Tiled, (h, w) is the size of the map. In LDtk, (h, w) is the size of the layer.
    """
    tile_size: tuple[int, int] = (0, 0)
    """The width and height of a cell in pixels. In Tiled, the map has the cell size. In LDtk, each
    layer has its own cell size.
    """
    values: NDArray[np.int32] | None = None
    """The IntGrid of an LDtk layer: an array (h, w). For layers without an IntGrid, `values` is
    None.
    """
    shifts: NDArray[np.int16] | None = None
    """The shifts and alphas of cells: an array (h, w, 4). Only LDtk layers with translucent tiles,
    or with tiles off the grid, have this array.

    The four numbers of a cell are its shift to the right and up in pixels, the alpha of its tile
    from 0 to 255, and 0.
    """
    scale: float = 1.0
    """The size of a pixel of the layer, in pixels of the map. In LDtk, a layer with a parallax can
    be smaller or larger than the map.
    """


@dataclass(eq=False, slots=True)
class ObjectsLayer(Layer):
    """A layer with objects. The objects are in the order of the file."""

    objects: list[ObjectData] = field(default_factory=list)
    draw_order: str = "topdown"
    """With "topdown", objects are drawn in the order of their y. With "index", they are drawn in
    the order of the list.
    """


@dataclass(eq=False, slots=True)
class ImageLayer(Layer):
    """A layer with one image. The top left corner of the image is at `offset`."""

    image_file: ImageFile | None = None
    repeat: tuple[bool, bool] = (False, False)
    """Whether the image repeats endlessly along x, and along y."""
    scale: tuple[float, float] = (1.0, 1.0)
    crop: tuple[float, float, float, float] | None = None
    """The visible part of the image: (x, y, width, height).

    If `crop` is None, the whole image is visible.
    """
    tiled_box: tuple[float, float] | None = None
    """The width and height of a box in pixels that copies of the image fill, as in LDtk. With None,
    the image is drawn once, or endlessly (`repeat`).
    """
    tiled_pivot: tuple[float, float] = (0.0, 0.0)
    """The point of the box, and of one copy of the image, at which both are aligned. The point is a
    pair of fractions of the size, from the top left corner.
    """


@dataclass(eq=False, slots=True)
class TileInfo:
    """The properties, the image, the animation and the collision shapes of one tile."""

    class_name: str = ""
    properties: dict[str, Any] = field(default_factory=dict)
    image_file: ImageFile | None = None
    """The image of the tile, if the tileset is a collection of images."""
    box: tuple[int, int, int, int] | None = None
    """The part of the image that the tile shows: (x, y, width, height).

    If `box` is None, the tile shows the whole image.
    """
    frames: NDArray[np.int64] | None = None
    """The frames of the animation: an array (n, 2). Each row contains the number of a tile in this
    tileset, and how long it is shown in milliseconds.
    """
    shapes: list[ObjectData] = field(default_factory=list)
    """The collision shapes, relative to the tile's top left corner."""
    probability: float = 1.0


@dataclass(eq=False, slots=True)
class WangSet:
    """A terrain: tiles that fit together at their edges or corners.

    The terrain gives each tile color numbers at its corners, at its edges, or at both. The color
    number 0 means no color.
    """

    name: str
    kind: str
    """The sides of tiles that have colors: corner, edge, or mixed for both."""
    colors: list[str]
    """The names of the terrain's colors. For example, ``colors[0]`` is the name of the color number
    1.
    """
    ids: NDArray[np.int64]
    """The numbers of the tiles in their tileset, as an array (n,)."""
    sides: NDArray[np.uint8]
    """The colors of each tile, as an array (n, 8). The colors are clockwise from the top: top, top
    right, …, top left.
    """
    color_probabilities: list[float] = field(default_factory=list)
    class_name: str = ""
    properties: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Tileset:
    """A set of tiles. Either the tiles are parts of one image, or each tile has its own image."""

    name: str
    first_gid: int
    tile_size: tuple[int, int]
    """The width and height of a tile in pixels. In a collection of images, `tile_size` is the size
    of the largest image.
    """
    count: int
    """The number of tiles in the tileset.

    In a collection of images, tile numbers may have gaps and may be larger than ``count``.
    """
    columns: int = 0
    image_file: ImageFile | None = None
    """The image that contains all tiles, row by row. For a collection of images, `image_file` is
    None.
    """
    margin: int = 0
    spacing: int = 0
    tile_offset: tuple[int, int] = (0, 0)
    """How far tiles are shifted when they are drawn, in pixels to the right and down."""
    alignment: str = "unspecified"
    """The point of a tile object that is at its position (x, y).

    The alignment of tile objects is topleft, top, topright, left, center, right, bottomleft,
    bottom, bottomright or unspecified. "unspecified" means bottomleft, or bottom in isometric maps.
    """
    render_size: str = "tile"
    """With "tile", tiles are drawn at the size of their images.

    With "grid", tiles are drawn at the size of a cell.
    """
    fill_mode: str = "stretch"
    """How an image fills a cell of a different size, either stretch or preserve-aspect-fit."""
    tiles: dict[int, TileInfo] = field(default_factory=dict)
    """All tiles that have properties, an image, an animation or shapes, by tile number."""
    wang_sets: list[WangSet] = field(default_factory=list)
    class_name: str = ""
    properties: dict[str, Any] = field(default_factory=dict)
    path: Path | None = None
    """The path of the tileset file, or None if the tileset is inside the map file."""

    def size_of(self, number: int) -> tuple[int, int]:
        """Return the width and height of a tile in pixels, as in the map file."""
        info = self.tiles.get(number)
        if info is None or info.image_file is None:
            return self.tile_size
        return info.box[2:] if info.box is not None else info.image_file.size or self.tile_size

    @property
    def end_gid(self) -> int:
        """The tile number after the last tile number of this tileset."""
        return self.first_gid + max(self.count, max(self.tiles, default=-1) + 1)


@dataclass(eq=False, slots=True)
class MapData:
    """A tile map with its layers and tilesets."""

    path: Path
    width: int
    """The number of columns of the map."""
    height: int
    """The number of rows of the map."""
    tile_size: tuple[int, int]
    """The width and height of a cell in pixels."""
    orientation: str = "orthogonal"
    """The arrangement of cells: orthogonal, isometric, staggered, hexagonal or oblique."""
    stagger_axis: str = "y"
    """In staggered and hexagonal maps, "x" if every second column is shifted, or "y" if every
    second row is shifted.
    """
    stagger_index: str = "odd"
    """In staggered and hexagonal maps, whether the odd or the even columns (or rows) are shifted.

    Columns and rows are counted as in the file.
    """
    hex_side: int = 0
    """In hexagonal maps, the length of a tile's side along the stagger axis, in pixels."""
    render_order: str = "right-down"
    """The order in which tiles are drawn: right-down, right-up, left-down or left-up."""
    skew: tuple[int, int] = (0, 0)
    """In oblique maps, the shift of each row to the right and of each column down, in pixels."""
    origin: tuple[int, int] = (0, 0)
    """The column and the row of the tile ``tiles[0, 0]`` in the map file. It may differ from (0, 0)
    only in infinite maps.
    """
    infinite: bool = False
    rows_in_file: int | None = None
    """The number of rows in the file of an infinite map. In isometric maps, the position of image
    layers depends on it.
    """
    layers: list[Layer] = field(default_factory=list)
    """All layers of the map, the lowest first. The list includes the layers inside groups."""
    tilesets: list[Tileset] = field(default_factory=list)
    """The tilesets of the map, sorted by `Tileset.first_gid`."""
    background: Color | None = None
    parallax_origin: tuple[float, float] = (0.0, 0.0)
    class_name: str = ""
    properties: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    """The name of the LDtk level."""
    levels: list[str] = field(default_factory=list)
    """The names of all levels in the LDtk file."""
    world: tuple[float, float] = (0.0, 0.0)
    """The top left corner of the LDtk level in the LDtk world, in pixels."""

    @property
    def layout(self) -> TileLayout:
        """The `TileLayout` of the map. It converts cells and pixels of the map file to positions in
        the world.
        """
        return TileLayout(
            self.width,
            self.height,
            self.tile_size,
            self.orientation,
            stagger_axis=self.stagger_axis,
            stagger_index=self.stagger_index,
            hex_side=self.hex_side,
            origin=self.origin,
            rows_in_file=self.rows_in_file,
            skew=self.skew,
        )

    def tileset_of(self, gid: int) -> tuple[Tileset, int] | None:
        """Return the tileset that contains a tile, and the tile's number in this tileset.

        Return None if ``gid`` is 0 (no tile), or if no tileset contains the number. The highest
        bits of ``gid``, which are flags for flips, are ignored.
        """
        gid &= GID
        matches = [
            tileset for tileset in self.tilesets if tileset.first_gid <= gid < tileset.end_gid
        ]
        return (matches[-1], gid - matches[-1].first_gid) if matches else None
