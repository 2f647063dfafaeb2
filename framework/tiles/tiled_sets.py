"""Read the tilesets of a Tiled map: tiles, animations, collision shapes and terrains (wang sets).

A tileset is either a part of the map file or a separate file.
"""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path
from typing import Any

import numpy as np

from ..assets import images
from ..assets.json_fields import Fields
from .map_data import GID, ImageFile, TileInfo, Tileset, WangSet
from .map_files import Document, MapFiles
from .tiled_objects import object_of, properties_of

_ALIGNMENTS = (
    "unspecified",
    "topleft",
    "top",
    "topright",
    "left",
    "center",
    "right",
    "bottomleft",
    "bottom",
    "bottomright",
)
_MAX_COLORS = 254  # maximum number of colors in a wang set, as in Tiled
_TERRAINS = (7, 1, 5, 3)  # the indices of the sides for the four terrains of a tile in old files
_MAX_IMAGE_SIDE = 1 << 15  # maximum width and height of an image in pixels


class Tilesets:
    """A reader for the tilesets of a map."""

    def __init__(self, files: MapFiles) -> None:
        self._files = files
        self._documents: dict[Path, Document] = {}
        self._first: dict[Path, Tileset] = {}
        self.all: list[Tileset] = []
        """The tilesets of the map and of its templates."""
        # The ranges of tile numbers: the first number of each range, and the range's tileset. The
        # ranges make `of` fast, because it is called for each object and a map may have thousands
        # of tilesets.
        self._starts: list[int] = []
        self._owners: list[Tileset | None] = []

    def read_all(self, document: Document) -> None:
        """Read all tilesets of a map."""
        for fields in document.fields.items("tilesets"):
            tileset = self._read(document, fields, fields.whole("firstgid", None, 1, GID))
            if tileset.path is not None:
                self._first.setdefault(tileset.path, tileset)
            self.all.append(tileset)
        self.all.sort(key=lambda tileset: tileset.first_gid)
        firsts = [tileset.first_gid for tileset in self.all]
        if len(set(firsts)) < len(firsts):
            raise ValueError(f"two of its tilesets have the same firstgid: {firsts[:9]}")
        self._split_into_ranges()

    def _split_into_ranges(self) -> None:
        """Split all tile numbers into ranges, and store the tileset of each range. If several
        tilesets contain a number, the number belongs to the tileset with the highest first number.
        """
        first_of = {tileset.first_gid: tileset for tileset in self.all}
        last_of = {tileset.first_gid: tileset.end_gid for tileset in self.all}
        self._starts = sorted({*last_of, *last_of.values()})
        self._owners = []
        open_tilesets: list[Tileset] = []
        for start in self._starts:
            if start in first_of:
                open_tilesets.append(first_of[start])
            while open_tilesets and last_of[open_tilesets[-1].first_gid] <= start:
                open_tilesets.pop()
            self._owners.append(open_tilesets[-1] if open_tilesets else None)

    def of(self, gid: int) -> tuple[Tileset, int] | None:
        """Return the tileset that contains a tile, and the tile's number in this tileset.

        Return None if no tileset contains the tile.
        """
        gid &= GID
        index = bisect_right(self._starts, gid) - 1
        tileset = self._owners[index] if index >= 0 else None
        return None if tileset is None else (tileset, gid - tileset.first_gid)

    def of_template(self, document: Document, fields: Fields) -> Tileset:
        """Return the tileset that a template uses.

        If the map does not have this tileset yet, it is added.
        """
        path = (
            self._files.find(document.path, fields.text("source"), fields.where)
            if "source" in fields
            else None
        )
        if path is not None and path in self._first:
            return self._first[path]
        first_gid = self._starts[-1] if self._starts else 1  # the number after the last tileset
        tileset = self._read(document, fields, first_gid)
        if path is not None:
            self._first[path] = tileset
        self.all.append(tileset)
        self._append_range(tileset)
        return tileset

    def _append_range(self, tileset: Tileset) -> None:
        """Store the range of a tileset. Its tile numbers must be higher than all stored numbers."""
        ranges: tuple[tuple[int, Tileset | None], ...] = (
            (tileset.first_gid, tileset),
            (tileset.end_gid, None),
        )
        for start, owner in ranges:
            if self._starts and self._starts[-1] == start:
                self._owners[-1] = owner
            else:
                self._starts.append(start)
                self._owners.append(owner)

    def _read(self, document: Document, fields: Fields, first_gid: int) -> Tileset:
        self._files.tilesets.spend(1)
        path = None
        if "source" in fields:
            path = self._files.find(document.path, fields.text("source"), fields.where)
            document = self._document(path)
            fields = document.fields
        tileset = self._sheet(document, fields, first_gid)
        tileset.path = path
        self._read_tiles(document, fields, tileset)
        for entry in fields.items("wangsets"):
            tileset.wang_sets.append(self._wang_set(entry))
        limit = tileset.end_gid - first_gid
        self._files.tiles.spend(limit)
        if tileset.end_gid > GID:
            raise ValueError(f"{fields.where}: its tiles have ids above {GID:,}")
        for number, info in tileset.tiles.items():
            if info.frames is not None and info.frames[:, 0].max() >= limit:
                raise ValueError(
                    f"{fields.where}: tile {number} is animated by tiles that do not exist"
                )
        return tileset

    def _document(self, path: Path) -> Document:
        """Return the contents of a tileset file. Each file is read only once."""
        if path not in self._documents:
            self._documents[path] = self._files.read(path, f"tileset {path.name!r}")
        document = self._documents[path]
        if document.kind not in ("tileset", "") or "source" in document.fields:
            raise ValueError(
                f"{document.fields.where}: it is not a tileset, or names another tileset"
            )
        return document

    def _sheet(self, document: Document, fields: Fields, first_gid: int) -> Tileset:
        """Read the fields of a tileset, without the data of its tiles."""
        min_side = 1 if "image" in fields else 0
        width, height = (
            fields.whole(name, None, min_side, _MAX_IMAGE_SIDE)
            for name in ("tilewidth", "tileheight")
        )
        offset = fields.part("tileoffset") or Fields({}, fields.where)
        x, y = (offset.whole(name, 0, -_MAX_IMAGE_SIDE, _MAX_IMAGE_SIDE) for name in "xy")
        tileset = Tileset(
            fields.text("name"),
            first_gid,
            (width, height),
            fields.whole("tilecount", 0),
            fields.whole("columns", 0),
            self._files.image_file(document, fields),
            fields.whole("margin", 0, most=_MAX_IMAGE_SIDE),
            fields.whole("spacing", 0, most=_MAX_IMAGE_SIDE),
            (x, y),
            fields.choice("objectalignment", _ALIGNMENTS, "unspecified"),
            fields.choice("tilerendersize", ("tile", "grid"), "tile"),
            fields.choice("fillmode", ("stretch", "preserve-aspect-fit"), "stretch"),
            class_name=fields.text("class"),
            properties=properties_of(self._files, fields),
        )
        if tileset.image_file is not None:
            _count(tileset, tileset.image_file)
        return tileset

    def _read_tiles(self, document: Document, fields: Fields, tileset: Tileset) -> None:
        terrains = [entry.text("name") for entry in fields.items("terrains")]
        corners: dict[int, list[int]] = {}
        for entry in Fields({"tiles": _listed_tiles(fields)}, fields.where).items("tiles"):
            self._files.described_tiles.spend(1)
            number = entry.whole("id", None, 0, GID)
            info = tileset.tiles.setdefault(number, TileInfo())
            self._read_tile(document, entry, info)
            if terrains and "terrain" in entry:
                corners[number] = _terrain(entry, len(terrains))
        if terrains:
            sides = np.array(list(corners.values()), np.uint8).reshape(-1, 8)
            tileset.wang_sets.append(
                WangSet("Terrains", "corner", terrains, np.array([*corners], np.int64), sides)
            )

    def _read_tile(self, document: Document, fields: Fields, info: TileInfo) -> None:
        info.class_name = fields.text("class") or fields.text("type") or info.class_name
        info.probability = fields.number("probability", info.probability, 0.0)
        image_file = self._files.image_file(document, fields)
        if image_file is not None:
            self._files.tile_images.spend(1)
            info.image_file = image_file
        if "width" in fields and "height" in fields:
            info.box = _box(fields)
        frames = [*fields.items("animation")]
        if frames:
            self._files.frames.spend(len(frames))
            pairs = [
                (entry.whole("tileid", None, 0, GID), max(entry.whole("duration"), 1))
                for entry in frames
            ]
            info.frames = np.array(pairs, np.int64)
        group = fields.part("objectgroup")
        if group is not None:
            info.properties.update(properties_of(self._files, group))
            for entry in group.items("objects"):
                self._files.objects.spend(1)
                info.shapes.append(object_of(self._files, entry, properties_of(self._files, entry)))
        info.properties.update(properties_of(self._files, fields))

    def _wang_set(self, fields: Fields) -> WangSet:
        self._files.terrains.spend(1)
        corners, edges = ([*fields.items(key)] for key in ("cornercolors", "edgecolors"))
        colors = [*fields.items("colors"), *edges, *corners]
        if len(colors) > _MAX_COLORS:
            raise ValueError(
                f"{fields.where}: it has {len(colors):,} colors, at most {_MAX_COLORS} are possible"
            )
        ids = list[int]()
        sides = list[list[int]]()
        for entry in fields.items("wangtiles"):
            self._files.terrains.spend(1)
            ids.append(entry.whole("tileid", None, 0, GID))
            sides.append(_sides(entry, len(colors), len(edges)))
        kinds = {(True, False): "corner", (False, True): "edge"}  # files of Tiled before 1.5
        kind = fields.choice("type", ("corner", "edge", "mixed"), "mixed")
        return WangSet(
            fields.text("name"),
            kinds.get((bool(corners), bool(edges)), kind),
            [entry.text("name") for entry in colors],
            np.array(ids, np.int64),
            np.array(sides, np.uint8).reshape(-1, 8),
            [entry.number("probability", 1.0, 0.0) for entry in colors],
            fields.text("class"),
            properties_of(self._files, fields),
        )


def _listed_tiles(fields: Fields) -> list[object]:
    """Return the tiles of a tileset as a list of JSON objects. JSON files of Tiled before 1.2
    contain dicts instead, and separate dicts for the properties of tiles.
    """
    raw = fields.raw.get("tiles")
    if isinstance(raw, dict):
        tiles: list[object] = [
            {**Fields(value, fields.where).raw, "id": number} for number, value in raw.items()
        ]
    else:
        tiles = fields.values("tiles")
    properties = fields.part("tileproperties")
    if properties is None:
        return tiles
    types = fields.raw.get("tilepropertytypes") or {}
    return tiles + [
        {
            "id": number,
            "properties": value,
            "propertytypes": Fields(types, fields.where).raw.get(number),
        }
        for number, value in properties.raw.items()
    ]


def _box(fields: Fields) -> tuple[int, int, int, int] | None:
    x, y, width, height = (
        fields.whole(name, 0, most=_MAX_IMAGE_SIDE) for name in ("x", "y", "width", "height")
    )
    return (x, y, width, height) if width and height else None


def _count(tileset: Tileset, image_file: ImageFile) -> None:
    """Compute the number of columns and tiles from the size of the image. Old files do not contain
    these numbers.
    """
    if tileset.columns and tileset.count:
        return
    sizes = image_file.size or images.sizes([image_file.path])[0]
    columns, rows = (
        max(length - tileset.margin + tileset.spacing, 0) // (size + tileset.spacing)
        for length, size in zip(sizes, tileset.tile_size, strict=True)
    )
    tileset.columns = tileset.columns or columns
    tileset.count = tileset.count or columns * rows


def _terrain(fields: Fields, limit: int) -> list[int]:
    """Convert the terrain of a tile in an old file to the eight color numbers of a wang set. Such a
    terrain has one number for each corner of the tile.
    """
    raw: Any = fields.raw["terrain"]
    words = raw.split(",", 4) if isinstance(raw, str) else fields.values("terrain")
    numbers = [
        Fields({"terrain": word if word != "" else -1}, fields.where).whole("terrain", -1, -1)
        for word in words[:4]
    ]
    if len(words) != 4 or max(numbers) >= limit:
        raise fields.wrong("terrain", f"four numbers below {limit}")
    sides = [0] * 8
    for side, number in zip(_TERRAINS, numbers, strict=True):
        sides[side] = number + 1
    return sides


def _sides(fields: Fields, max_color: int, edges: int) -> list[int]:
    """Return the color numbers at the four edges and four corners of a tile in a wang set.

    ``edges`` is the number of edge colors in an old file. Old files contain separate lists of edge
    colors and corner colors, each numbered from 1.
    """
    words = _wang_id(fields)
    if len(words) != 8:
        raise fields.wrong("wangid", "eight numbers")
    sides = [
        Fields({"wangid": word}, fields.where).whole("wangid", None, 0, max_color) for word in words
    ]
    return [
        side + edges if index % 2 and side and edges else side for index, side in enumerate(sides)
    ]


def _wang_id(fields: Fields) -> list[Any]:
    """Return the parts of a wang id, which are not checked yet. Depending on the version of Tiled,
    a wang id is a list, a text such as "0,1,0,1,0,1,0,1", or a number in hexadecimal digits.
    """
    raw = fields.raw.get("wangid")
    if not isinstance(raw, str):
        return fields.values("wangid")
    if "," in raw:
        return raw.split(",", 8)
    packed = int(raw, 16) & 0xFFFF_FFFF
    return [packed >> 4 * index & 15 for index in range(8)]
