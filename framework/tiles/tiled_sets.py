"""Tilesets of Tiled's maps, inside them and in files of their own, with tiles, animations, shapes
and wang sets.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..assets import images
from ..assets.fields import Fields
from .tiled_files import Document, MapFiles
from .tiled_objects import object_of, properties_of
from .tiles import GID, Picture, TileInfo, Tileset, WangSet

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
_MOST_COLORS = 254  # of a wang set, as in Tiled
_TERRAINS = (7, 1, 5, 3)  # the sides that a tile's four terrains of old stand for
_LARGEST = 1 << 15  # side of an image, pixels


class Tilesets:
    """Reads the tilesets of a map."""

    def __init__(self, files: MapFiles) -> None:
        self._files = files
        self._of_files: dict[Path, Document] = {}
        self._first: dict[Path, Tileset] = {}
        self.found: list[Tileset] = []

    def read_all(self, document: Document) -> None:
        """Those that a map names."""
        for fields in document.fields.items("tilesets"):
            tileset = self._read(document, fields, fields.whole("firstgid", None, 1, GID))
            if tileset.path is not None:
                self._first.setdefault(tileset.path, tileset)
            self.found.append(tileset)
        self.found.sort(key=lambda tileset: tileset.first_gid)
        firsts = [tileset.first_gid for tileset in self.found]
        if len(set(firsts)) < len(firsts):
            raise ValueError(f"two of its tilesets have the same firstgid: {firsts[:9]}")

    def of(self, gid: int) -> tuple[Tileset, int] | None:
        """The tileset that a tile is of, and its number in it."""
        gid &= GID
        fitting = (one for one in reversed(self.found) if one.first_gid <= gid < one.end_gid)
        return next(((one, gid - one.first_gid) for one in fitting), None)

    def of_template(self, document: Document, fields: Fields) -> Tileset:
        """The map's own tileset that a template names too, or one more."""
        path = (
            self._files.find(document.path, fields.text("source"), fields.where)
            if "source" in fields
            else None
        )
        known = None if path is None else self._first.get(path)
        if known is None:
            known = self._read(
                document, fields, max((one.end_gid for one in self.found), default=1)
            )
            if path is not None:
                self._first[path] = known
            self.found.append(known)
        return known

    def _read(self, document: Document, fields: Fields, first_gid: int) -> Tileset:
        self._files.tilesets.spend(1)
        path = None
        if "source" in fields:
            path = self._files.find(document.path, fields.text("source"), fields.where)
            if path not in self._of_files:
                self._of_files[path] = self._files.read(path, f"tileset {path.name!r}")
            document = self._of_files[path]
            fields = document.fields
            if document.kind not in ("tileset", "") or "source" in fields:
                raise ValueError(f"{fields.where}: it is no tileset, or one that names another")
        tileset = self._sheet(document, fields, first_gid)
        tileset.path = path
        self._read_tiles(document, fields, tileset)
        for one in fields.items("wangsets"):
            tileset.wang_sets.append(self._wang_set(one))
        limit = tileset.end_gid - first_gid
        self._files.tiles.spend(limit)
        if tileset.end_gid > GID:
            raise ValueError(f"{fields.where}: its tiles have ids above {GID:,}")
        for number, info in tileset.tiles.items():
            if info.frames is not None and info.frames[:, 0].max() >= limit:
                raise ValueError(
                    f"{fields.where}: tile {number} is animated by tiles that are not there"
                )
        return tileset

    def _sheet(self, document: Document, fields: Fields, first_gid: int) -> Tileset:
        """All but what is said of single tiles."""
        least = 1 if "image" in fields else 0
        width, height = (
            fields.whole(name, None, least, _LARGEST) for name in ("tilewidth", "tileheight")
        )
        offset = fields.part("tileoffset") or Fields({}, fields.where)
        x, y = (offset.whole(name, 0, -_LARGEST, _LARGEST) for name in "xy")
        tileset = Tileset(
            fields.text("name"),
            first_gid,
            (width, height),
            fields.whole("tilecount", 0),
            fields.whole("columns", 0),
            self._files.picture(document, fields),
            fields.whole("margin", 0, most=_LARGEST),
            fields.whole("spacing", 0, most=_LARGEST),
            (x, y),
            fields.choice("objectalignment", _ALIGNMENTS, "unspecified"),
            fields.choice("tilerendersize", ("tile", "grid"), "tile"),
            fields.choice("fillmode", ("stretch", "preserve-aspect-fit"), "stretch"),
            class_name=fields.text("class"),
            properties=properties_of(self._files, fields),
        )
        if tileset.picture is not None:
            _count(tileset, tileset.picture)
        return tileset

    def _read_tiles(self, document: Document, fields: Fields, tileset: Tileset) -> None:
        said = fields.said.get("tiles")
        tiles: list[object]
        if isinstance(said, dict):  # as in JSON before Tiled 1.2
            tiles = [
                {**Fields(value, fields.where).said, "id": number} for number, value in said.items()
            ]
        else:
            tiles = fields.values("tiles")
        more = fields.part("tileproperties")
        if more is not None:
            types = fields.said.get("tilepropertytypes") or {}
            tiles = [
                *tiles,
                *(
                    {
                        "id": number,
                        "properties": value,
                        "propertytypes": Fields(types, fields.where).said.get(number),
                    }
                    for number, value in more.said.items()
                ),
            ]
        terrains = [one.text("name") for one in fields.items("terrains")]
        corners: dict[int, list[int]] = {}
        for one in Fields({"tiles": tiles}, fields.where).items("tiles"):
            self._files.properties.spend(1)
            number = one.whole("id", None, 0, GID)
            info = tileset.tiles.setdefault(number, TileInfo())
            self._read_tile(document, one, info)
            if terrains and "terrain" in one:
                corners[number] = _terrain(one, len(terrains))
        if terrains:
            sides = np.array(list(corners.values()), np.uint8).reshape(-1, 8)
            tileset.wang_sets.append(
                WangSet("Terrains", "corner", terrains, np.array([*corners], np.int64), sides)
            )

    def _read_tile(self, document: Document, fields: Fields, info: TileInfo) -> None:
        info.class_name = fields.text("class") or fields.text("type") or info.class_name
        info.probability = fields.number("probability", info.probability, 0.0)
        info.picture = self._files.picture(document, fields) or info.picture
        if "width" in fields and "height" in fields:
            x, y, width, height = (
                fields.whole(name, 0, most=_LARGEST) for name in ("x", "y", "width", "height")
            )
            info.box = (x, y, width, height) if width and height else None
        frames = [*fields.items("animation")]
        if frames:
            self._files.frames.spend(len(frames))
            pairs = [
                (one.whole("tileid", None, 0, GID), max(one.whole("duration"), 1)) for one in frames
            ]
            info.frames = np.array(pairs, np.int64)
        group = fields.part("objectgroup")
        if group is not None:
            info.properties.update(properties_of(self._files, group))
            for one in group.items("objects"):
                self._files.objects.spend(1)
                info.shapes.append(object_of(self._files, one, properties_of(self._files, one)))
        info.properties.update(properties_of(self._files, fields))

    def _wang_set(self, fields: Fields) -> WangSet:
        self._files.properties.spend(1)
        corners, edges = ([*fields.items(key)] for key in ("cornercolors", "edgecolors"))
        colors = [*fields.items("colors"), *edges, *corners]
        if len(colors) > _MOST_COLORS:
            raise ValueError(
                f"{fields.where}: it has {len(colors):,} colours, at most {_MOST_COLORS} will do"
            )
        ids, sides = list[int](), list[list[int]]()
        for one in fields.items("wangtiles"):
            self._files.properties.spend(1)
            ids.append(one.whole("tileid", None, 0, GID))
            sides.append(_sides(one, len(colors), len(edges)))
        kinds = {(True, False): "corner", (False, True): "edge"}  # as before Tiled 1.5
        kind = fields.choice("type", ("corner", "edge", "mixed"), "mixed")
        return WangSet(
            fields.text("name"),
            kinds.get((bool(corners), bool(edges)), kind),
            [one.text("name") for one in colors],
            np.array(ids, np.int64),
            np.array(sides, np.uint8).reshape(-1, 8),
            [one.number("probability", 1.0, 0.0) for one in colors],
            fields.text("class"),
            properties_of(self._files, fields),
        )


def _count(tileset: Tileset, picture: Picture) -> None:
    """Columns and tiles of a picture, where an old file does not say them."""
    if tileset.columns and tileset.count:
        return
    sizes = picture.size or images.sizes([picture.path])[0]
    columns, rows = (
        max(length - tileset.margin + tileset.spacing, 0) // (size + tileset.spacing)
        for length, size in zip(sizes, tileset.tile_size, strict=True)
    )
    tileset.columns = tileset.columns or columns
    tileset.count = tileset.count or columns * rows


def _terrain(fields: Fields, most: int) -> list[int]:
    """A tile's four corners of a terrain of old, as the sides of a wang set."""
    said: Any = fields.said["terrain"]
    words = said.split(",") if isinstance(said, str) else fields.values("terrain")
    numbers = [
        Fields({"terrain": word if word != "" else -1}, fields.where).whole("terrain", -1, -1)
        for word in words
    ]
    if len(numbers) != 4 or max(numbers) >= most:
        raise fields.wrong("terrain", f"four numbers below {most}")
    sides = [0] * 8
    for side, number in zip(_TERRAINS, numbers, strict=True):
        sides[side] = number + 1
    return sides


def _sides(fields: Fields, most: int, edges: int) -> list[int]:
    """The colours of a tile in a wang set. Of a set of old that has edges, those of corners were
    counted from 1 on.
    """
    said = fields.said.get("wangid")
    if isinstance(said, str) and "," not in said:
        packed = int(said, 16) & 0xFFFF_FFFF
        words: list[Any] = [packed >> 4 * place & 15 for place in range(8)]
    else:
        words = said.split(",") if isinstance(said, str) else fields.values("wangid")
    sides = [
        Fields({"wangid": word}, fields.where).whole("wangid", None, 0, most) for word in words
    ]
    if len(sides) != 8:
        raise fields.wrong("wangid", "eight numbers")
    return [
        side + edges if place % 2 and side and edges else side for place, side in enumerate(sides)
    ]
