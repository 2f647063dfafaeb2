"""Read levels of the map editor LDtk from .ldtk and .ldtkl files.

The result of `read` is a `MapData`, as for Tiled maps. A file with an error raises `ValueError`. In
LDtk, a cell may contain several tiles, a tile need not be on the grid, and each tile has an alpha
(opacity). A `TilesLayer` contains only one tile per cell, so one LDtk layer becomes one or more
`TilesLayer` objects (see `tile_stacks`). The first of them has the name of the LDtk layer, and the
names of the others end with a number. The tiles of an auto-layer are read as LDtk has computed and
stored them in the file.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Mask, Rows
from ..assets.json_fields import Color, Fields, color_of
from ..checks import listed, shown
from .map_data import (
    FLIP_X,
    FLIP_Y,
    GID,
    Gids,
    ImageFile,
    ImageLayer,
    Layer,
    MapData,
    ObjectData,
    ObjectsLayer,
    TileInfo,
    Tileset,
    TilesLayer,
)
from .map_files import Document, MapFiles
from .tile_numbers import decoded, put_back
from .tile_stacks import stacked
from .tiled_objects import plain

_MAX_SIDE = 1 << 20  # maximum number of cells or pixels of a level along one axis
_MIN_SCALE = 1e-9  # minimum scale of the background image of a level
_MIN_LAYER_SCALE = 0.01  # minimum scale of a layer with a parallax, as in LDtk
_MAX_TILE_SIDE = 1 << 15  # maximum width and height of a tile in pixels
_MAX_SHIFT = (1 << 15) - 1  # maximum distance between a tile and its cell, in pixels
_BOUND = 1 << 31  # limit of tile numbers
_Box = tuple[int, int, int, int]
"""A part of an image: x, y, width and height in pixels."""
_TYPES = ("IntGrid", "Tiles", "AutoLayer", "Entities")


def read(path: Path, files: MapFiles, level: str | int | None = None) -> MapData:
    """Read a level of an LDtk project. ``level`` is a name, an index, or None for the first level.

    Raises `ValueError` if the file has an error.
    """
    return _Reader(files, files.read(path, "the project")).level(level)


class _Grid(NamedTuple):
    """The cells of a layer. ``size`` is the side length of a cell in pixels."""

    columns: int
    rows: int
    size: int


class _PlacedTiles(NamedTuple):
    """The n tiles of an LDtk layer, in the order of the file."""

    side: int
    """The side length of a tile in pixels."""
    gids: Gids
    """The tile numbers, with flags for flips."""
    positions: NDArray[np.int64]
    """The top left corners in pixels, y down: an array (n, 2)."""
    cells: NDArray[np.int64]
    """The cell of each tile. Cells are numbered row by row."""
    shifts: NDArray[np.int64]
    """The distances between the tiles and their cells in pixels, y down: an array (n, 2)."""
    alphas: NDArray[np.float64]

    @property
    def is_plain(self) -> Mask:
        """Whether each tile is opaque and on the grid."""
        is_on_grid: Mask = (self.shifts == 0).all(axis=1)
        return is_on_grid & (self.alphas >= 1)

    def gids_in(self, grid: _Grid, chosen: Rows) -> Gids:
        """Return `TilesLayer.tiles` for the tiles ``chosen``, of which no two are in the same
        cell.
        """
        gids = np.zeros(grid.rows * grid.columns, np.uint32)
        gids[self.cells[chosen]] = self.gids[chosen]
        return gids.reshape(grid.rows, grid.columns)

    def shifts_in(self, grid: _Grid, chosen: Rows) -> NDArray[np.int16]:
        """Return `TilesLayer.shifts` for the tiles ``chosen``, of which no two are in the same
        cell.
        """
        shifts = np.zeros((grid.rows * grid.columns, 4), np.int16)
        shifts[:, 2] = 255
        alphas = np.rint(self.alphas[chosen] * 255)
        shifts[self.cells[chosen], :3] = np.column_stack([self.shifts[chosen] * (1, -1), alphas])
        return shifts.reshape(grid.rows, grid.columns, 4)


class _EntityTiles:
    """The tiles of entities from one image: the parts of the image, and the entities that show
    them. `tileset` returns them as a collection of images.
    """

    def __init__(self, name: str, image_file: ImageFile, fill_mode: str) -> None:
        self._name = name
        self._image_file = image_file
        self._fill_mode = fill_mode
        self._numbers: dict[_Box, int] = {}
        self._entities: list[tuple[ObjectData, int]] = []

    def add(self, entity: ObjectData, box: _Box) -> None:
        self._entities.append((entity, self._numbers.setdefault(box, len(self._numbers))))

    def tileset(self, first_gid: int) -> Tileset:
        """Return the tileset, and store the tile numbers in the entities."""
        for entity, number in self._entities:
            entity.gid = first_gid + number
        return Tileset(
            self._name,
            first_gid,
            (max(box[2] for box in self._numbers), max(box[3] for box in self._numbers)),
            len(self._numbers),
            alignment="topleft",
            fill_mode=self._fill_mode,
            tiles={
                number: TileInfo(image_file=self._image_file, box=box)
                for box, number in self._numbers.items()
            },
        )


class _Reader:
    def __init__(self, files: MapFiles, document: Document) -> None:
        self._files = files
        self._document = document
        definitions = document.fields.part("defs") or Fields({}, "defs")
        self._layers = {entry.whole("uid"): entry for entry in definitions.items("layers")}
        self._tilesets = {entry.whole("uid"): entry for entry in definitions.items("tilesets")}
        self._entities = {entry.whole("uid", 0): entry for entry in definitions.items("entities")}
        self._read_tilesets: dict[tuple[int, int, int], Tileset] = {}
        self._entity_tiles: dict[tuple[int, str], _EntityTiles] = {}
        self._next_gid = 1

    def level(self, requested: str | int | None) -> MapData:
        levels = [*self._document.fields.items("levels")]
        for world in self._document.fields.items("worlds"):
            levels += world.items("levels")
        names = [entry.text("identifier") for entry in levels]
        if not levels:
            raise ValueError("it is not a project of LDtk, or has no levels")
        return self._level(self._with_layers(levels[_level_index(requested, names)]), names)

    def _with_layers(self, fields: Fields) -> Fields:
        """Return the fields of a level. If the layers are in a separate file (.ldtkl), return the
        fields of that file.
        """
        if fields.raw.get("layerInstances") is not None or "externalRelPath" not in fields:
            return fields
        name = fields.text("externalRelPath")
        path = self._files.find(self._document.path, name, fields.where)
        return self._files.read(path, f"level {name!r}").fields

    def _level(self, fields: Fields, names: list[str]) -> MapData:
        width, height = (fields.whole(name, None, 1, _MAX_SIDE) for name in ("pxWid", "pxHei"))
        layers = [*fields.items("layerInstances")]
        # The level's grid must fill the level exactly. Each layer may have a different grid.
        cell = math.gcd(
            width, height, *(entry.whole("__gridSize", None, 1, _MAX_TILE_SIDE) for entry in layers)
        )
        color = fields.text("__bgColor") or fields.text("bgColor")
        data = MapData(
            self._document.path,
            width // cell,
            height // cell,
            (cell, cell),
            background=color_of(color),
            properties=self._values(fields),
            name=fields.text("identifier"),
            levels=names,
            world=fields.pair("worldX", "worldY"),
            parallax_origin=(width / 2, height / 2),
        )
        if fields.text("bgRelPath"):
            data.layers.append(self._image_layer(fields, (width, height)))
        for entry in reversed(layers):
            self._files.layers.spend(1)
            data.layers += self._layer(entry)
        data.tilesets = [*self._read_tilesets.values(), *self._entity_tilesets()]
        return data

    def _image_layer(self, fields: Fields, level_size: tuple[float, float]) -> ImageLayer:
        image_file = self._files.image_file(
            self._document, Fields({"image": fields.text("bgRelPath")}, fields.where)
        )
        if fields.text("bgPos") == "Repeat":
            pivot_x, pivot_y = (
                fields.number(name, 0.5, 0.0, 1.0) for name in ("bgPivotX", "bgPivotY")
            )
            return ImageLayer(
                "background",
                image_file=image_file,
                tiled_box=level_size,
                tiled_pivot=(pivot_x, pivot_y),
            )
        placed = fields.part("__bgPos") or Fields({}, fields.where)
        x, y = _numbers(placed, "topLeftPx", (0, 0))
        scale_x, scale_y = _numbers(placed, "scale", (1, 1), _MIN_SCALE)
        return ImageLayer(
            "background",
            offset=(x, y),
            image_file=image_file,
            scale=(scale_x, scale_y),
            crop=_crop(placed),
        )

    # -- layers ------------------------------------------------------------------------------------

    def _layer(self, fields: Fields) -> Iterator[Layer]:
        """Yield one or more `Layer` objects for an LDtk layer, the lowest first."""
        kind = fields.choice("__type", _TYPES, "")
        definition = self._layers.get(fields.whole("layerDefUid", 0)) or Fields({}, fields.where)
        common = _fields_of_layer(fields, definition)
        scale = _scale(definition)
        name = fields.text("__identifier")
        if kind == "Entities":
            entities = [
                self._entity(entry, number)
                for number, entry in enumerate(fields.items("entityInstances"))
            ]
            yield ObjectsLayer(name, **common, objects=entities, draw_order="index")
            return
        size = fields.whole("__gridSize", None, 1, _MAX_TILE_SIDE)
        for number, (tiles, shifts) in enumerate(self._tiles(fields, definition, size)):
            called = f"{name}:{number + 1}" if number else name
            layer = TilesLayer(
                called, **common, tiles=tiles, tile_size=(size, size), shifts=shifts, scale=scale
            )
            if not number and kind == "IntGrid":
                layer.values = self._int_grid(fields, tiles.shape)
                layer.properties["values"] = self._names_of_int_grid(definition)
            yield layer

    def _int_grid(self, fields: Fields, shape: tuple[int, ...]) -> NDArray[np.int32]:
        raw = put_back(fields.raw.get("intGridCsv"), self._files.arrays)
        count = shape[0] * shape[1]
        values = decoded(raw, "csv", "", count) if raw else np.zeros(count, np.uint32)
        if (values >> 31).any():
            raise ValueError(f"{fields.where}: it has values above 2,147,483,647")
        return values.astype(np.int32).reshape(shape)

    def _names_of_int_grid(self, definition: Fields) -> dict[int, str]:
        """Return a dict from the values of an IntGrid to their names."""
        self._files.properties.spend(len(definition.values("intGridValues")))
        return {
            entry.whole("value"): entry.text("identifier")
            for entry in definition.items("intGridValues")
        }

    def _tiles(
        self, fields: Fields, definition: Fields, size: int
    ) -> Iterator[tuple[Gids, NDArray[np.int16] | None]]:
        """Yield one or more tile arrays for an LDtk layer, the lowest first. For each, yield a
        pair: the tiles, and an array with the shift and the alpha of each cell.

        If all tiles of a layer are opaque and on the grid, the second item of the pair is None.
        """
        columns, rows = (fields.whole(name, None, 0, _MAX_SIDE) for name in ("__cWid", "__cHei"))
        tiles = self._listed_tiles(fields)
        if not tiles:
            self._files.cells.spend(columns * rows)
            yield np.zeros((rows, columns), np.uint32), None
            return
        if not columns * rows:
            raise ValueError(f"{fields.where}: it has tiles, but no cells")
        self._files.placed.spend(len(tiles))
        grid = _Grid(columns, rows, size)
        placed = self._placed_tiles(fields, definition, tiles, grid)
        layers = stacked(placed.positions, placed.is_plain, placed.cells, size, placed.side)
        self._files.layers.spend(len(layers) - 1)
        # The shift of a tile needs twice as much memory as the tile itself.
        shifted = sum(is_shifted for is_shifted, _ in layers)
        self._files.cells.spend(columns * rows * (len(layers) + 2 * shifted))
        for is_shifted, chosen in layers:
            shifts = placed.shifts_in(grid, chosen) if is_shifted else None
            yield placed.gids_in(grid, chosen), shifts

    def _placed_tiles(
        self, fields: Fields, definition: Fields, tiles: list[Any], grid: _Grid
    ) -> _PlacedTiles:
        tileset, side = self._tileset(fields, definition, grid.size)
        positions = _whole(tiles, "px", (2,))
        numbers = _whole(tiles, "t", ())
        flips = _whole(tiles, "f", (), 0)
        alphas = _alphas(tiles)
        gids = _gids(fields, tileset, numbers, flips)
        cells = np.clip(positions // grid.size, 0, (grid.columns - 1, grid.rows - 1))
        if side != grid.size:
            positions += _shift_of_mirrored(flips, definition, grid.size - side)
        shifts = positions - cells * grid.size
        if np.abs(shifts).max() > _MAX_SHIFT:
            raise ValueError(f"{fields.where}: a tile lies more than {_MAX_SHIFT:,} pixels outside")
        return _PlacedTiles(
            side, gids, positions, cells[:, 1] * grid.columns + cells[:, 0], shifts, alphas
        )

    def _listed_tiles(self, fields: Fields) -> list[Any]:
        """Return the tiles of a layer as dicts, in the order of the file."""
        keys = ("gridTiles", "autoLayerTiles")
        lists = Fields(
            {key: self._files.put_back(fields.raw.get(key)) for key in keys}, fields.where
        )
        tiles = [entry for key in keys for entry in lists.values(key)]
        if not all(isinstance(entry, dict) for entry in tiles):
            raise ValueError(f"{fields.where}: expected tiles that are objects")
        return tiles

    # -- tilesets ----------------------------------------------------------------------------------

    def _tileset(self, layer: Fields, definition: Fields, size: int) -> tuple[Tileset, int]:
        """Return the tileset of a layer, and the side length of a tile in pixels.

        A tile may be larger or smaller than a cell. If so, the tileset gets a drawing offset that
        puts the pivot (anchor point) of each tile at the pivot of its cell.
        """
        uid = layer.whole("__tilesetDefUid", None)
        fields = self._tilesets.get(uid)
        if fields is None or not fields.text("relPath"):
            raise ValueError(f"{layer.where}: it has tiles, but its tileset {uid} has no image")
        side = fields.whole("tileGridSize", None, 1, _MAX_TILE_SIDE)
        pivot_x, pivot_y = _pivot(definition)
        shift = round(pivot_x * (size - side)), round((pivot_y - 1) * (size - side))
        tileset = self._read_tilesets.get((uid, *shift))
        if tileset is None:
            self._files.tilesets.spend(1)
            tileset = self._read_tileset(fields, self._next_gid, side)
            tileset.tile_offset = shift
            self._read_tilesets[uid, *shift] = tileset
            self._next_gid = tileset.end_gid
        return tileset, side

    def _read_tileset(self, fields: Fields, first_gid: int, side: int) -> Tileset:
        width, height = (fields.whole(name, None, 0, _MAX_TILE_SIDE) for name in ("pxWid", "pxHei"))
        spacing = fields.whole("spacing", 0, most=_MAX_TILE_SIDE)
        margin = fields.whole("padding", 0, most=_MAX_TILE_SIDE)
        columns, rows = (
            fields.whole(
                name, max(length - 2 * margin + spacing, 0) // (side + spacing), 0, _MAX_TILE_SIDE
            )
            for name, length in (("__cWid", width), ("__cHei", height))
        )
        count = columns * rows
        self._files.tiles.spend(count)
        if first_gid + count > GID:
            raise ValueError(f"{fields.where}: its tiles have ids above {GID:,}")
        raw = {"image": fields.text("relPath"), "imagewidth": width, "imageheight": height}
        image_file = self._files.image_file(self._document, Fields(raw, fields.where))
        name = fields.text("identifier")
        tileset = Tileset(
            name, first_gid, (side, side), count, columns, image_file, margin, spacing
        )
        self._read_custom_data(fields, tileset)
        self._read_enum_tags(fields, tileset)
        return tileset

    def _read_custom_data(self, fields: Fields, tileset: Tileset) -> None:
        for entry in fields.items("customData"):
            self._files.properties.spend(1)
            _tile_info(tileset, entry, "tileId").properties["data"] = entry.text("data")

    def _read_enum_tags(self, fields: Fields, tileset: Tileset) -> None:
        for entry in fields.items("enumTags"):
            tag = entry.text("enumValueId")
            numbers = entry.values("tileIds")
            self._files.properties.spend(len(numbers))
            for number in numbers:
                tile = Fields({"tileIds": number}, entry.where)
                _tile_info(tileset, tile, "tileIds").properties[tag] = True

    # -- entities ----------------------------------------------------------------------------------

    def _entity(self, fields: Fields, number: int) -> ObjectData:
        self._files.objects.spend(1)
        width = fields.number("width", 0.0, 0.0)
        height = fields.number("height", 0.0, 0.0)
        x, y = _numbers(fields, "px", (0, 0))
        pivot_x, pivot_y = _numbers(fields, "__pivot", (0, 0))
        properties = self._values(fields)
        properties.setdefault("iid", fields.text("iid"))
        name = fields.text("__identifier")
        corner = x - pivot_x * width, y - pivot_y * height
        entity = ObjectData(
            number + 1,
            name,
            "rectangle",
            *corner,
            width,
            height,
            class_name=name,
            properties=properties,
        )
        self._add_tile(fields, entity, (pivot_x, pivot_y))
        return entity

    def _add_tile(self, fields: Fields, entity: ObjectData, pivot: tuple[float, float]) -> None:
        """Make ``entity`` a tile object if it has a tile in LDtk."""
        tile = fields.part("__tile")
        if tile is None or not (entity.width and entity.height):
            return
        uid = tile.whole("tilesetUid", None)
        definition = self._tilesets.get(uid)
        name = "" if definition is None else definition.text("relPath")
        if definition is None or not name:
            return  # LDtk's own icons have no file
        entity_definition = self._entities.get(fields.whole("defUid", 0)) or tile
        mode = entity_definition.text("tileRenderMode")
        entity.opacity = entity_definition.number("tileOpacity", 1.0, 0.0, 1.0)
        sides = [definition.whole(key, None, 1, _MAX_TILE_SIDE) for key in ("pxWid", "pxHei")]
        if "srcRect" in tile:  # before LDtk 1.0
            tile = Fields(dict(zip("xywh", tile.values("srcRect"), strict=False)), tile.where)
        x, y, width, height = (tile.whole(key, None, 0, _MAX_TILE_SIDE) for key in "xywh")
        if not (width and height and x + width <= sides[0] and y + height <= sides[1]):
            raise ValueError(f"{tile.where}: expected a part of the image {name!r}")
        box = _box_of_entity((x, y, width, height), (entity.width, entity.height), pivot, mode)
        fill_mode = "preserve-aspect-fit" if mode == "FitInside" else "stretch"
        tiles = self._entity_tiles.get((uid, fill_mode))
        if tiles is None:
            self._files.tilesets.spend(1)
            image = {"image": name, "imagewidth": sides[0], "imageheight": sides[1]}
            image_file = self._files.image_file(self._document, Fields(image, tile.where))
            assert image_file is not None
            tiles = _EntityTiles(definition.text("identifier"), image_file, fill_mode)
            self._entity_tiles[uid, fill_mode] = tiles
        self._files.tiles.spend(1)
        entity.kind = "tile"
        tiles.add(entity, box)

    def _entity_tilesets(self) -> Iterator[Tileset]:
        for tiles in self._entity_tiles.values():
            tileset = tiles.tileset(self._next_gid)
            self._next_gid = tileset.end_gid
            yield tileset

    def _values(self, fields: Fields) -> dict[str, Any]:
        """Return the custom fields of a level or an entity, as a dict from names to values."""
        values: dict[str, Any] = {}
        for entry in fields.items("fieldInstances"):
            value = plain(self._files, entry.raw.get("__value"), entry.where)
            if entry.text("__type") in ("Color", "Array<Color>"):
                value = (
                    [_color(color) for color in value] if isinstance(value, list) else _color(value)
                )
            values[entry.text("__identifier")] = value
        return values


def _box_of_entity(
    box: _Box, size: tuple[float, float], pivot: tuple[float, float], mode: str
) -> _Box:
    """Return the part of an image that an entity shows. ``box`` is the part that the entity has in
    LDtk, ``size`` is the size of the entity, and ``mode`` is its render mode in LDtk.
    """
    x, y, width, height = box
    shown_width: float = width
    shown_height: float = height
    if mode == "Cover":  # the tile keeps its shape, and covers the entity
        factor = min(width / size[0], height / size[1])
        shown_width = size[0] * factor
        shown_height = size[1] * factor
    elif mode == "FullSizeCropped" and size[0] <= width and size[1] <= height:
        shown_width, shown_height = size
    columns = max(round(shown_width), 1)
    rows = max(round(shown_height), 1)
    left = round((width - columns) * pivot[0])
    top = round((height - rows) * pivot[1])
    return x + left, y + top, columns, rows


def _level_index(requested: str | int | None, names: list[str]) -> int:
    if requested is None:
        return 0
    if isinstance(requested, str) and requested in names:
        return names.index(requested)
    if isinstance(requested, str) or not -len(names) <= requested < len(names):
        raise ValueError(
            f"there is no level {shown(requested)}; there are {listed(map(shown, names))}"
        )
    return requested


def _fields_of_layer(fields: Fields, definition: Fields) -> dict[str, Any]:
    """Return the fields that all kinds of layers have (see `Layer`), except the name."""
    across, down = definition.pair("parallaxFactorX", "parallaxFactorY")
    return {
        "class_name": fields.text("__type"),
        "visible": fields.flag("visible", True),
        "opacity": fields.number("__opacity", 1.0, 0.0, 1.0),
        "offset": fields.pair("__pxTotalOffsetX", "__pxTotalOffsetY"),
        "parallax": (1 - across, 1 - down),
        # LDtk scales a layer around the top left corner of the level.
        "parallax_origin": (0.0, 0.0) if _is_scaled(definition) else None,
    }


def _is_scaled(definition: Fields) -> bool:
    return definition.flag("parallaxScaling", True)


def _scale(definition: Fields) -> float:
    # In LDtk, the parallax along x determines the scale along both axes.
    across = definition.number("parallaxFactorX", 0.0)
    return max(1 - across, _MIN_LAYER_SCALE) if _is_scaled(definition) else 1.0


def _tile_info(tileset: Tileset, fields: Fields, key: str) -> TileInfo:
    """Return the data of the tile whose number is in the field ``key``."""
    number = fields.whole(key, None, 0, max(tileset.count - 1, 0))
    return tileset.tiles.setdefault(number, TileInfo())


def _color(value: object) -> Color | None:
    return color_of(value) if isinstance(value, str) else None


def _pivot(definition: Fields) -> tuple[float, float]:
    """Return the point of a cell, and of its tile, at which both are aligned. The point is in
    fractions from the top left corner.
    """
    return definition.number("tilePivotX", 0.0, 0, 1), definition.number("tilePivotY", 0.0, 0, 1)


def _crop(placed: Fields) -> tuple[float, float, float, float] | None:
    """Return the visible part of a background image, whose position may have fractions of pixels.
    None means the whole image.
    """
    if "cropRect" not in placed:
        return None
    left, top, width, height = _numbers(placed, "cropRect", ())
    if min(width, height) <= 0:
        raise placed.wrong("cropRect", "x, y, and a width and height above 0")
    return left, top, width, height


def _numbers(
    fields: Fields, key: str, default: tuple[float, ...], least: float | None = None
) -> tuple[float, ...]:
    """Return the numbers in the field ``key`` of an LDtk file.

    The field must contain as many numbers as ``default``. Raises `ValueError` if it does not, or if
    a number is below ``least``.

    If ``default`` is empty, the field must contain four numbers.
    """
    values = fields.values(key) or list(default)
    if len(values) != (len(default) or 4):
        raise fields.wrong(key, f"{len(default) or 4} numbers")
    bounds = {} if least is None else {"least": least}
    return tuple(Fields({key: value}, fields.where).number(key, **bounds) for value in values)


def _gids(
    layer: Fields, tileset: Tileset, numbers: NDArray[np.int64], flips: NDArray[np.int64]
) -> Gids:
    """Return the tile numbers, with flags for flips. ``numbers`` are the tiles' numbers in their
    tileset, and ``flips`` are 0 to 3, as in LDtk files.
    """
    highest = int(numbers.max())
    if int(numbers.min()) < 0 or highest >= tileset.count:
        raise ValueError(f"{layer.where}: a tile is number {highest:,} of {tileset.count:,}")
    flags = np.where(flips & 1, FLIP_X, 0) | np.where(flips & 2, FLIP_Y, 0)
    return ((tileset.first_gid + numbers) | flags).astype(np.uint32)


def _shift_of_mirrored(
    flips: NDArray[np.int64], definition: Fields, excess: int
) -> NDArray[np.int64]:
    """Return how far each tile is shifted by its flips, in pixels: an array (n, 2). A cell is
    ``excess`` pixels larger than a tile. LDtk mirrors a tile together with its cell, so the tile's
    pivot is mirrored, too.
    """
    is_mirrored = np.stack([flips & 1, flips >> 1 & 1], -1)
    pivot = np.array(_pivot(definition))
    shifts: NDArray[np.int64] = is_mirrored * np.rint((1 - 2 * pivot) * excess).astype(np.int64)
    return shifts


def _whole(
    tiles: list[Any], key: str, shape: tuple[int, ...], default: int | None = None
) -> NDArray[np.int64]:
    """Return the field ``key`` of all n tiles, as an array of whole numbers. The array has the
    shape (n,), or (n, 2) if the field is a pair of numbers.
    """
    values = [tile.get(key, default) for tile in tiles]
    numbers = values
    if shape:
        size = shape[0]
        wrong = [item for item in values if not isinstance(item, list) or len(item) != size]
        if wrong:
            raise ValueError(f"{key} of tiles: expected {size} numbers, got {shown(wrong[0])}")
        numbers = [number for item in values for number in item]
    # The check does not use NumPy, because a NumPy array stores each string with the length of the
    # longest string.
    wrong = [item for item in numbers if type(item) is not int or not -_BOUND < item < _BOUND]
    if wrong:
        raise ValueError(f"{key} of tiles: expected whole numbers, got {shown(wrong[0])}")
    return np.array(numbers, np.int64).reshape(-1, *shape)


def _alphas(tiles: list[Any]) -> NDArray[np.float64]:
    """Return the alpha of each tile, from 0 to 1. Return a float64 array of shape (n,)."""
    values = [tile.get("a", 1) for tile in tiles]
    wrong = [value for value in values if value is not None and type(value) not in (int, float)]
    if wrong:
        raise ValueError(f"a of tiles: expected numbers, got {shown(wrong[0])}")
    return np.array([0.0 if value is None else min(max(value, 0.0), 1.0) for value in values])
