"""What tile maps are made of, whatever file they came from: plain data, as the file has it. Nothing
here needs OpenGL.

Numbers are pixels of the file, x to the right and y **down**, angles are degrees clockwise:
`TileLayout` brings them into the world. Colours are (red, green, blue, alpha) from 0 to 1.
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
"""Tiles: 0 is none, else a `Tileset.first_gid` plus the tile's number in it, and the four flags
below.
"""

FLIP_X, FLIP_Y, FLIP_DIAGONAL, ROTATED_120 = 0x8000_0000, 0x4000_0000, 0x2000_0000, 0x1000_0000
"""The bits of a tile that say how it is turned, as Tiled has them: first the diagonal flip (x and y
are exchanged), then the two others. In hexagonal maps, the diagonal bit is a turn by 60° clockwise,
and the last one by 120°."""
FLAGS = FLIP_X | FLIP_Y | FLIP_DIAGONAL | ROTATED_120
GID = 0xFFFF_FFFF ^ FLAGS
"""What is left of a tile without its flags."""

Color = tuple[float, float, float, float]
WHITE: Color = (1.0, 1.0, 1.0, 1.0)


@dataclass(eq=False, slots=True)
class Picture:
    """An image file that a map names. It is there, and begins as an image does."""

    path: Path
    size: tuple[int, int] | None = None
    """(width, height) as the map has it, which the image may contradict."""
    transparent: Color | None = None
    """The colour of pixels that are not drawn."""


@dataclass(eq=False, slots=True)
class MapText:
    """What a text object says, and how."""

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
    """Something placed on a map, or a collision shape of a tile. What its template says is in
    it.
    """

    id: int
    name: str
    kind: str
    """rectangle, ellipse, capsule, point, polygon, polyline, text or tile."""
    x: float
    y: float
    """The top left corner; of a tile the place that its tileset's alignment says; what `rotation`
    turns around.
    """
    width: float = 0.0
    height: float = 0.0
    rotation: float = 0.0
    """Degrees, clockwise."""
    class_name: str = ""
    points: Doubles | None = None
    """Of polygons and polylines: (n, 2), from (x, y) and before the turn."""
    gid: int = 0
    """Of tiles: which, with its flags."""
    text: MapText | None = None
    visible: bool = True
    opacity: float = 1.0
    properties: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Layer:
    """What all layers have. What the groups around one say is in it: products of tints, opacities
    and parallaxes, sums of offsets, and it is visible only where all of them are."""

    name: str
    id: int = 0
    class_name: str = ""
    groups: tuple[str, ...] = ()
    """The names of the groups that it is in, the outermost first."""
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
    """(h, w), row 0 at the top: of the map's size, in LDtk of the layer's. An id may be of no tile
    in any tileset.
    """
    tile_size: tuple[int, int] = (0, 0)
    """(width, height) of its cells: the map's, in LDtk the layer's own."""
    values: NDArray[np.int32] | None = None
    """(h, w): in LDtk, the layer's IntGrid."""


@dataclass(eq=False, slots=True)
class ObjectsLayer(Layer):
    """Objects, in the order of the file."""

    objects: list[MapObject] = field(default_factory=list)
    draw_order: str = "topdown"
    """topdown: by their y; index: as they are listed."""


@dataclass(eq=False, slots=True)
class PictureLayer(Layer):
    """One picture, its top left corner at `offset`."""

    picture: Picture | None = None
    repeat: tuple[bool, bool] = (False, False)
    """Whether it is repeated along x and y, without end."""
    scale: tuple[float, float] = (1.0, 1.0)
    crop: tuple[float, float, float, float] | None = None
    """The part of the picture that is shown: (x, y, width, height). None is all of it."""


@dataclass(eq=False, slots=True)
class TileInfo:
    """What a tileset says of one tile."""

    class_name: str = ""
    properties: dict[str, Any] = field(default_factory=dict)
    picture: Picture | None = None
    """Of a tileset that is a collection of images: this tile's."""
    box: tuple[int, int, int, int] | None = None
    """The part of the picture that it is: (x, y, width, height). None is all of it."""
    frames: NDArray[np.int64] | None = None
    """Of an animated tile: (n, 2), numbers of tiles in this tileset and milliseconds."""
    shapes: list[MapObject] = field(default_factory=list)
    """Collision shapes, from the tile's top left corner."""
    probability: float = 1.0


@dataclass(eq=False, slots=True)
class WangSet:
    """Which tiles fit together: each has a colour at its corners, at its edges, or at both; 0 is
    none.
    """

    name: str
    kind: str
    """corner, edge or mixed."""
    colors: list[str]
    """Their names: colour 1 is ``colors[0]``."""
    ids: NDArray[np.int64]
    """(n,): numbers of tiles in the tileset."""
    sides: NDArray[np.uint8]
    """(n, 8): a tile's colours at top, top right, right, bottom right, bottom, bottom left, left,
    top left.
    """
    color_probabilities: list[float] = field(default_factory=list)
    class_name: str = ""
    properties: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Tileset:
    """Images of tiles: cut from one picture, or one for each tile."""

    name: str
    first_gid: int
    tile_size: tuple[int, int]
    """(width, height); of a collection of images, the largest."""
    count: int
    """How many tiles there are; in a collection, numbers may be left out and go beyond."""
    columns: int = 0
    picture: Picture | None = None
    """What tiles are cut from, row by row; None in a collection of images."""
    margin: int = 0
    spacing: int = 0
    tile_offset: tuple[int, int] = (0, 0)
    """By how much tiles are drawn to the right and down."""
    alignment: str = "unspecified"
    """Where a tile object has its (x, y): unspecified (bottomleft; bottom in isometric maps),
    topleft, top, topright, left, center, right, bottomleft, bottom, bottomright."""
    render_size: str = "tile"
    """tile: drawn in the image's size; grid: in the cell's."""
    fill_mode: str = "stretch"
    """How an image fills another size: stretch, or preserve-aspect-fit."""
    tiles: dict[int, TileInfo] = field(default_factory=dict)
    """By their numbers, those that something is said of."""
    wang_sets: list[WangSet] = field(default_factory=list)
    class_name: str = ""
    properties: dict[str, Any] = field(default_factory=dict)
    path: Path | None = None
    """Its own file, if it has one."""

    def size_of(self, number: int) -> tuple[int, int]:
        """(width, height) of one of its tiles, as far as the map says."""
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
    """Staggered and hexagonal: x or y, along which every other row or column is shifted."""
    stagger_index: str = "odd"
    """Which ones are shifted: odd or even, by the numbers in the file."""
    hex_side: int = 0
    """Hexagonal: the length of the sides along the stagger axis."""
    render_order: str = "right-down"
    """right-down, right-up, left-down or left-up: which tiles are drawn over which."""
    origin: tuple[int, int] = (0, 0)
    """(column, row) in the file of ``tiles[0, 0]``: not (0, 0) in infinite maps."""
    infinite: bool = False
    said_rows: int | None = None
    """Rows as an infinite map's file says, which counts for where an isometric map has its
    pictures.
    """
    layers: list[Layer] = field(default_factory=list)
    """Of all groups, the lowest first."""
    tilesets: list[Tileset] = field(default_factory=list)
    """In ascending order of their ids."""
    background: Color | None = None
    parallax_origin: tuple[float, float] = (0.0, 0.0)
    class_name: str = ""
    properties: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    """In LDtk, the level's."""
    levels: list[str] = field(default_factory=list)
    """In LDtk, the names of all levels of the file."""
    world: tuple[float, float] = (0.0, 0.0)
    """In LDtk, where the level's top left corner is in the world."""

    @property
    def layout(self) -> TileLayout:
        """Where its tiles and objects are in the world."""
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
        """The tileset that a tile is of, and the tile's number in it; None for 0 and what is in no
        tileset.
        """
        gid &= GID
        found = [one for one in self.tilesets if one.first_gid <= gid < one.end_gid]
        return (found[-1], gid - found[-1].first_gid) if found else None
