"""Read map files of the map editor Tiled (.tmx and .tmj).

The result of `read` is a `MapData`. A file with an error raises `ValueError`. The module
`tiled_xml` parses XML files into the structure of JSON files, so one reader is enough for both
formats. The library pytiled-parser is not used, because it takes ten times as long, and requires
fields that old maps do not have.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..assets.json_fields import MAX_NUMBER, Fields
from ..checks import shown
from .map_data import Gids, ImageLayer, Layer, MapData, ObjectsLayer, TilesLayer
from .map_files import MAX_CELLS, Document, MapFiles
from .tile_numbers import decoded, put_back
from .tiled_objects import properties_of
from .tiled_sets import Tilesets
from .tiled_templates import Objects

_MAX_SIDE = 1 << 20  # maximum number of tiles of a map along one axis
_MAX_DEPTH = 64  # maximum depth of groups in groups
_MAX_SKEW = 1 << 15
_ORIENTATIONS = ("orthogonal", "isometric", "staggered", "hexagonal", "oblique")
_ORDERS = ("right-down", "right-up", "left-down", "left-up")

Chunk = tuple[int, int, Gids]
"""A part of an infinite map. The tuple contains the column and the row of the first tile, and the
tile numbers (h, w).
"""


def read(path: Path, files: MapFiles, level: str | int | None = None) -> MapData:
    """Read one of Tiled's map files. ``level`` must be None, because these files have no levels.

    Raises `ValueError` if the file has an error. If a value has a wrong type, Python may raise
    another error, such as `TypeError`.
    """
    if level is not None:
        raise ValueError(f"level: only .ldtk files have levels; remove level={shown(level)}")
    return _Reader(files, files.read(path, "the map")).map()


class _Reader:
    def __init__(self, files: MapFiles, document: Document) -> None:
        self._files = files
        self._document = document
        self._tilesets = Tilesets(files)
        self._objects = Objects(files, self._tilesets)
        self._chunks: list[tuple[TilesLayer, list[Chunk]]] = []

    def map(self) -> MapData:
        fields = self._document.fields
        if self._document.kind not in ("map", "") or "tilewidth" not in fields:
            raise ValueError("it is not a map of Tiled")
        data = MapData(
            self._document.path,
            fields.whole("width", None, 0, _MAX_SIDE),
            fields.whole("height", None, 0, _MAX_SIDE),
            (
                fields.whole("tilewidth", None, 1, 1 << 15),
                fields.whole("tileheight", None, 1, 1 << 15),
            ),
            fields.choice("orientation", _ORIENTATIONS, "orthogonal"),
            fields.choice("staggeraxis", ("x", "y"), "y"),
            fields.choice("staggerindex", ("odd", "even"), "odd"),
            fields.whole("hexsidelength", 0),
            fields.choice("renderorder", _ORDERS, "right-down"),
            skew=_skew(fields),
            infinite=fields.flag("infinite"),
            tilesets=self._tilesets.all,
            background=fields.color("backgroundcolor"),
            parallax_origin=fields.pair("parallaxoriginx", "parallaxoriginy"),
            class_name=fields.text("class"),
            properties=properties_of(self._files, fields),
        )
        self._tilesets.read_all(self._document)
        data.layers = [*self._layers(fields, Layer(""), data, 0)]
        if data.infinite:
            self._join(data)
        _ = data.layout  # raises an error if the value is not valid
        return data

    # -- layers ------------------------------------------------------------------------------------

    def _layers(self, fields: Fields, group: Layer, whole: MapData, depth: int) -> Iterator[Layer]:
        """Yield all layers of a map or a group.

        Their fields already include the values of their groups, such as the opacity.
        """
        if depth > _MAX_DEPTH:
            raise ValueError("its groups are nested too deeply")
        for entry in fields.items("layers"):
            self._files.layers.spend(1)
            common = _within(group, entry, properties_of(self._files, entry))
            match entry.text("type", None):
                case "group":
                    inner = replace(common, groups=(*common.groups, common.name))
                    yield from self._layers(entry, inner, whole, depth + 1)
                case "tilelayer":
                    yield self._tiles(entry, common, whole)
                case "objectgroup":
                    objects = [
                        self._objects.read(self._document, raw) for raw in entry.items("objects")
                    ]
                    order = entry.choice("draworder", ("topdown", "index"), "topdown")
                    yield ObjectsLayer(**_shared(common), objects=objects, draw_order=order)
                case "imagelayer":
                    yield self._image_layer(entry, common, group)
                case other:
                    raise ValueError(
                        f"{entry.where}: there are no layers of the type {shown(other)}"
                    )

    def _image_layer(self, fields: Fields, common: Layer, group: Layer) -> ImageLayer:
        # old files have x and y instead of these attributes
        if "offsetx" not in fields and "offsety" not in fields:
            common.offset = _sum(group.offset, fields.pair("x", "y"))
        image_file = self._files.image_file(self._document, fields)
        return ImageLayer(
            **_shared(common),
            image_file=image_file,
            repeat=(fields.flag("repeatx"), fields.flag("repeaty")),
        )

    def _tiles(self, fields: Fields, common: Layer, whole: MapData) -> TilesLayer:
        layer = TilesLayer(**_shared(common), tile_size=whole.tile_size)
        chunks = [*self._read_chunks(fields, whole)]
        shape = whole.height, whole.width
        if whole.infinite:
            self._chunks.append((layer, chunks))
        elif not chunks:
            self._files.cells.spend(whole.width * whole.height)
            layer.tiles = np.zeros(shape, np.uint32)
        elif len(chunks) == 1 and chunks[0][2].shape == shape:
            layer.tiles = chunks[0][2]
        else:
            had = " × ".join(map(str, chunks[0][2].shape[::-1]))
            raise ValueError(
                f"{fields.where}: it has {had} tiles, and the map {whole.width} × {whole.height}"
            )
        return layer

    def _read_chunks(self, fields: Fields, whole: MapData) -> Iterator[Chunk]:
        encoding = fields.text("encoding")
        compression = fields.text("compression")
        raw = fields.raw.get("data")
        blank = raw is None or (whole.infinite and isinstance(raw, str) and not raw.strip())
        if blank and "chunks" not in fields:  # a layer without tiles
            return
        for entry in fields.items("chunks") if "chunks" in fields else (fields,):
            self._files.chunks.spend(1)
            width = entry.whole("width", whole.width)
            height = entry.whole("height", whole.height)
            self._files.cells.spend(width * height)
            data = put_back(entry.raw.get("data"), self._files.arrays)
            try:
                tiles = decoded(data, encoding, compression, width * height)
            except ValueError as error:
                raise ValueError(f"{entry.where}: {error}") from None
            start = ("x", "y") if entry is not fields else ("startx", "starty")
            column, row = (entry.whole(name, 0, -_MAX_SIDE, _MAX_SIDE) for name in start)
            yield column, row, tiles.reshape(height, width)

    def _join(self, whole: MapData) -> None:
        """Join the chunks of each layer of an infinite map into one array.

        Afterwards, the arrays of all layers have the same size.
        """
        whole.rows_in_file = whole.height
        left, top, right, bottom = _bounds(
            [chunk for _, layer_chunks in self._chunks for chunk in layer_chunks]
        )
        whole.origin = (left, top)
        whole.width = right - left
        whole.height = bottom - top
        count = len(self._chunks) * whole.width * whole.height
        if count > MAX_CELLS:
            raise ValueError(
                f"its chunks lie {whole.width:,} × {whole.height:,} tiles apart: "
                f"{count:,} cells in all layers, more "
                f"than {MAX_CELLS:,}; split it up"
            )
        for layer, chunks in self._chunks:
            layer.tiles = np.zeros((whole.height, whole.width), np.uint32)
            for column, row, tiles in chunks:
                height, width = tiles.shape
                if tiles.size:
                    layer.tiles[row - top :, column - left :][:height, :width] = tiles


def _bounds(chunks: list[Chunk]) -> tuple[int, int, int, int]:
    """Return the box around all chunks that have tiles: the first column, the first row, and the
    column and row after the last ones. Without any chunks, return the box of one cell.
    """
    boxes = [
        (column, row, column + tiles.shape[1], row + tiles.shape[0])
        for column, row, tiles in chunks
        if tiles.size
    ]
    if not boxes:
        return 0, 0, 1, 1
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _skew(fields: Fields) -> tuple[int, int]:
    """Return the skew of an oblique map, or (0, 0) for any other map. Tiled ignores the skew if the
    map is not oblique.
    """
    if fields.text("orientation") != "oblique":
        return 0, 0
    right, down = (fields.whole(name, 0, -_MAX_SKEW, _MAX_SKEW) for name in ("skewx", "skewy"))
    return right, down


def _within(group: Layer, fields: Fields, properties: dict[str, Any]) -> Layer:
    """Return a `Layer` with the fields that all kinds of layers have. The fields already include
    the values of ``group``, which contains the layer.
    """
    tint = fields.color("tintcolor")
    across, down = fields.pair("parallaxx", "parallaxy", 1.0)
    parallax = group.parallax[0] * across, group.parallax[1] * down
    if max(map(abs, parallax)) > MAX_NUMBER:
        raise ValueError(f"{fields.where}: its parallax, times that of its groups, is too large")
    red, green, blue, alpha = tint or (1.0, 1.0, 1.0, 1.0)
    return Layer(
        fields.text("name"),
        fields.whole("id", 0),
        fields.text("class"),
        group.groups,
        group.visible and fields.flag("visible", True),
        group.opacity * fields.number("opacity", 1.0, 0.0, 1.0),
        (group.tint[0] * red, group.tint[1] * green, group.tint[2] * blue, group.tint[3] * alpha),
        _sum(group.offset, fields.pair("offsetx", "offsety")),
        parallax,
        properties,
        fields.text("mode") or "normal",
    )


def _sum(first: tuple[float, float], second: tuple[float, float]) -> tuple[float, float]:
    return first[0] + second[0], first[1] + second[1]


def _shared(layer: Layer) -> dict[str, Any]:
    return {name: getattr(layer, name) for name in Layer.__dataclass_fields__}
