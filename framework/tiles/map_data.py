"""Map data: tile maps as plain data, in the units of the file. Needs no OpenGL.

Numbers are pixels of the file, x to the right and y **down**. Angles are degrees clockwise.
`TileLayout` converts them to the world. Colors are (red, green, blue, alpha) from 0 to 1.
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
"""Tiles: 0 for none, otherwise `Tileset.first_gid` plus the tile's number in it, with four flags.
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
"""The bits of a tile without its flags."""

Color = tuple[float, float, float, float]
WHITE: Color = (1.0, 1.0, 1.0, 1.0)


@dataclass(eq=False, slots=True)
class Picture:
    """An image file that a map names. It exists, and has the header of an image."""

    path: Path
    size: tuple[int, int] | None = None
    """(width, height) in the map, which may differ from the image."""
    transparent: Color | None = None
    """The color of pixels that are not drawn."""


@dataclass(eq=False, slots=True)
class MapText:
    """The text of a text object, and its style."""

    text: str
    font: str = "sans-serif"
    size: float = 16.0
    """Pixels."""
    color: Color = (0.0, 0.0, 0.0, 1.0)
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strikeout: bool = False
    wrap: bool = False
    align: str = "left"
    """left, center, right or justify."""
    valign: str = "top"
    """top, center or bottom."""


@dataclass(eq=False, slots=True)
class MapObject:
    """An object of a map, or a collision shape of a tile, including its template's values."""

    id: int
    name: str
    kind: str
    """rectangle, ellipse, capsule, point, polygon, polyline, text or tile."""
    x: float
    y: float
    """The top left corner, or for a tile the point of its tileset's alignment. The center of
    `rotation`.
    """
    width: float = 0.0
    height: float = 0.0
    rotation: float = 0.0
    """Degrees, clockwise."""
    class_name: str = ""
    points: Doubles | None = None
    """The points of polygons and polylines: (n, 2), from (x, y) and before the rotation."""
    gid: int = 0
    """The tile of a tile object, with its flags."""
    text: MapText | None = None
    visible: bool = True
    opacity: float = 1.0
    properties: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Layer:
    """The common fields of all layers, including the values of the surrounding groups.

    Tints, opacities and parallaxes are multiplied, offsets are added. A layer is visible only if
    all its groups are.
    """

    name: str
    id: int = 0
    class_name: str = ""
    groups: tuple[str, ...] = ()
    """The names of its groups, the outermost first."""
    visible: bool = True
    opacity: float = 1.0
    tint: Color = WHITE
    offset: tuple[float, float] = (0.0, 0.0)
    parallax: tuple[float, float] = (1.0, 1.0)
    properties: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class TilesLayer(Layer):
    """A grid of tiles."""

    tiles: Gids = field(default_factory=lambda: np.zeros((0, 0), np.uint32))
    """(h, w), row 0 at the top: the map's size, or in LDtk the layer's. An id may be in no tileset.
    """
    tile_size: tuple[int, int] = (0, 0)
    """(width, height) of its cells: the map's, or in LDtk the layer's own."""
    values: NDArray[np.int32] | None = None
    """(h, w): in LDtk, the layer's IntGrid."""


@dataclass(eq=False, slots=True)
class ObjectsLayer(Layer):
    """Objects, in the order of the file."""

    objects: list[MapObject] = field(default_factory=list)
    draw_order: str = "topdown"
    """topdown: by their y; index: in the order of the list."""


@dataclass(eq=False, slots=True)
class PictureLayer(Layer):
    """An image, its top left corner at `offset`."""

    picture: Picture | None = None
    repeat: tuple[bool, bool] = (False, False)
    """Whether the image is repeated endlessly along x and y."""
    scale: tuple[float, float] = (1.0, 1.0)
    crop: tuple[float, float, float, float] | None = None
    """The visible part of the image: (x, y, width, height). None is the whole image."""


@dataclass(eq=False, slots=True)
class TileInfo:
    """The data of one tile in its tileset."""

    class_name: str = ""
    properties: dict[str, Any] = field(default_factory=dict)
    picture: Picture | None = None
    """The image of this tile, in a tileset that is a collection of images."""
    box: tuple[int, int, int, int] | None = None
    """The tile's part of the image: (x, y, width, height). None is the whole image."""
    frames: NDArray[np.int64] | None = None
    """The animation: (n, 2), numbers of tiles in this tileset, and milliseconds."""
    shapes: list[MapObject] = field(default_factory=list)
    """Collision shapes, relative to the tile's top left corner."""
    probability: float = 1.0


@dataclass(eq=False, slots=True)
class WangSet:
    """Tiles that fit together: each has colors at its corners, its edges, or both; 0 is no color."""

    name: str
    kind: str
    """corner, edge or mixed."""
    colors: list[str]
    """The names of the colors. Color 1 is ``colors[0]``."""
    ids: NDArray[np.int64]
    """(n,): numbers of tiles in the tileset."""
    sides: NDArray[np.uint8]
    """(n, 8): a tile's colors at the top, then clockwise: top right, right, and so on to top left.
    """
    color_probabilities: list[float] = field(default_factory=list)
    class_name: str = ""
    properties: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Tileset:
    """Images of tiles: cut from one image, or one image per tile."""

    name: str
    first_gid: int
    tile_size: tuple[int, int]
    """(width, height); for a collection of images, the largest."""
    count: int
    """The number of tiles. In a collection, numbers may have gaps and be higher."""
    columns: int = 0
    picture: Picture | None = None
    """The image that is cut into tiles, row by row. None in a collection of images."""
    margin: int = 0
    spacing: int = 0
    tile_offset: tuple[int, int] = (0, 0)
    """The offset at which tiles are drawn, to the right and down."""
    alignment: str = "unspecified"
    """The point of a tile object at its (x, y).

    unspecified (bottomleft; bottom in isometric maps), topleft, top, topright, left, center, right,
    bottomleft, bottom, bottomright.
    """
    render_size: str = "tile"
    """tile: drawn in the image's size; grid: in the cell's."""
    fill_mode: str = "stretch"
    """How an image fills another size: stretch, or preserve-aspect-fit."""
    tiles: dict[int, TileInfo] = field(default_factory=dict)
    """The tiles that have data, by their numbers."""
    wang_sets: list[WangSet] = field(default_factory=list)
    class_name: str = ""
    properties: dict[str, Any] = field(default_factory=dict)
    path: Path | None = None
    """The tileset's own file, or None."""

    def size_of(self, number: int) -> tuple[int, int]:
        """Return the (width, height) of a tile, from the map's data."""
        info = self.tiles.get(number)
        if info is None or info.picture is None:
            return self.tile_size
        return info.box[2:] if info.box is not None else info.picture.size or self.tile_size

    @property
    def end_gid(self) -> int:
        """The first id after its tiles."""
        return self.first_gid + max(self.count, max(self.tiles, default=-1) + 1)


@dataclass(eq=False, slots=True)
class MapData:
    """A tile map."""

    path: Path
    width: int
    """Columns of tiles."""
    height: int
    """Rows of tiles."""
    tile_size: tuple[int, int]
    """(width, height) of a cell of the grid."""
    orientation: str = "orthogonal"
    """orthogonal, isometric, staggered or hexagonal."""
    stagger_axis: str = "y"
    """Staggered and hexagonal maps: x or y, along which every other row or column is shifted."""
    stagger_index: str = "odd"
    """The shifted rows or columns: odd or even, by their numbers in the file."""
    hex_side: int = 0
    """Hexagonal maps: the length of the sides along the stagger axis."""
    render_order: str = "right-down"
    """The draw order of tiles: right-down, right-up, left-down or left-up."""
    origin: tuple[int, int] = (0, 0)
    """(column, row) of ``tiles[0, 0]`` in the file: not (0, 0) in infinite maps."""
    infinite: bool = False
    said_rows: int | None = None
    """The rows in an infinite map's file. They set the position of images in isometric maps."""
    layers: list[Layer] = field(default_factory=list)
    """The layers of all groups, the lowest first."""
    tilesets: list[Tileset] = field(default_factory=list)
    """In ascending order of their ids."""
    background: Color | None = None
    parallax_origin: tuple[float, float] = (0.0, 0.0)
    class_name: str = ""
    properties: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    """In LDtk, the level's name."""
    levels: list[str] = field(default_factory=list)
    """In LDtk, the names of all levels of the file."""
    world: tuple[float, float] = (0.0, 0.0)
    """In LDtk, the level's top left corner in the world."""

    @property
    def layout(self) -> TileLayout:
        """The positions of tiles and objects in the world."""
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
        )

    def tileset_of(self, gid: int) -> tuple[Tileset, int] | None:
        """Return the tileset of a tile, and the tile's number in it.

        None for 0, and for a tile that is in no tileset.
        """
        gid &= GID
        matches = [
            tileset for tileset in self.tilesets if tileset.first_gid <= gid < tileset.end_gid
        ]
        return (matches[-1], gid - matches[-1].first_gid) if matches else None
