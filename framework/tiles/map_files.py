"""Read the files of a map: the map itself, its tilesets and its templates.

Each file is read only once. To protect the reader from huge files, their total size is limited.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from pathlib import Path

from ..assets.json_fields import Fields, parsed, value_count
from ..assets.linked_files import Budget, Expense, OutsideFolder, beside
from ..resources import Folder
from . import tiled_xml
from .map_data import ImageFile
from .tile_numbers import cut_out, cut_out_of_xml, put_back

MAX_SECONDS = 1.0
"""The maximum time for loading a map, in seconds on a fast processor. The time is not measured, but
estimated from the numbers of cells, objects and other values.
"""
MAX_FILES_BYTES = 1 << 27
"""The maximum size of a map and the files to which it refers, without images."""
MAX_VALUES = 1 << 21
"""The maximum number of values in JSON files. Long lists of tiles do not count as values.

Parsing that many values takes a second.
"""
MAX_CELLS = 1 << 25
"""The maximum number of cells in all layers of a map."""
MAX_LAYERS = 1 << 12
"""The maximum number of layers in a map."""
MAX_OBJECTS = 1 << 18
"""The maximum number of objects in a map."""
MAX_POINTS = 1 << 20
"""The maximum number of corners in all objects of a map."""
MAX_PROPERTIES = 1 << 19
"""The maximum number of properties in a map. Values inside properties and the properties of
templates also count.
"""
MAX_TILES = 1 << 22
"""The maximum number of tiles in all tilesets of a map."""
MAX_FRAMES = 1 << 20
"""The maximum number of frames in all animations of a map."""
MAX_TILESETS = 1 << 12
"""The maximum number of tilesets in a map."""
MAX_NAMES = 1 << 14
"""The maximum number of file names in a map. Finding a file takes 0.1 milliseconds."""
_USUAL_BYTES = 160  # the time for an XML tag or a JSON value was measured with this number of bytes
_USUAL_NAME = 128  # the time to find a file was measured with a name of this length
_PROJECT = ".tiled-project"
_HINT = "; put the Tiled project (*.tiled-project), or the game, into the folder that both are in"
# The limits of the search for a Tiled project: the number of folders above a map, and the number of
# file names in each folder.
_MAX_FOLDERS = 8
_MAX_NAMES = 10_000


@dataclass(eq=False, slots=True)
class Document:
    """The contents of a map, tileset or template file. The fields have the structure of Tiled's
    JSON format, even if the file is XML. For an LDtk file, they have the structure of its own JSON.
    """

    path: Path
    kind: str
    """The type that the file declares, such as map, tileset or template, or "" if the file declares
    no type.
    """
    fields: Fields


class MapFiles:
    """A reader for all files of a map. The reader raises an error if the map exceeds a limit, such
    as the maximum number of cells.

    A path in a file is relative to the folder of the file. All files of the map must be in the
    folder ``root`` or in its subfolders. The root is the folder of the map, or a folder above it.
    If the root is above the map, it must contain a Tiled project (``*.tiled-project``), or be one
    of ``folders``. If several folders meet these conditions, the root is the highest one. If there
    is none, the root is the folder of the map.
    """

    def __init__(self, path: Path, folders: Sequence[Folder] = ()) -> None:
        self._map = path
        self._folders = folders
        expense = self.expense = Expense(MAX_SECONDS)
        # The last argument is the cost of one value in seconds and in bytes, from the file to the
        # loaded `TileMap`.
        self.cells = Budget("cells of layers", MAX_CELLS, expense, (50e-9, 24))
        self.layers = Budget("layers", MAX_LAYERS, expense, (150e-6, 4000))
        self.objects = Budget("objects", MAX_OBJECTS, expense, (8.5e-6, 1400))
        self.points = Budget("points of objects", MAX_POINTS, expense, (1.2e-6, 100))
        self.properties = Budget("properties", MAX_PROPERTIES, expense, (4.3e-6, 300))
        self.tiles = Budget("tiles in tilesets", MAX_TILES, expense, (0.2e-6, 100))
        self.described_tiles = Budget("tiles with data", MAX_PROPERTIES, expense, (14e-6, 300))
        self.tile_images = Budget("images of tiles", MAX_PROPERTIES, expense, (12e-6, 300))
        self.terrains = Budget("tiles of terrains", MAX_PROPERTIES, expense, (7e-6, 400))
        self.chunks = Budget("chunks", MAX_CELLS, expense, (25e-6, 500))
        self.frames = Budget("frames", MAX_FRAMES, expense, (5e-6, 400))
        self.tilesets = Budget("tilesets", MAX_TILESETS, expense, (120e-6, 4000))
        self.placed = Budget("tiles of LDtk layers", MAX_CELLS, expense, (3e-6, 400))
        self.recolored = Budget("pixels with a transparent color", MAX_CELLS, expense, (25e-9, 4))
        self._documents = Budget("files", MAX_NAMES, expense, (400e-6, 1000))
        self._names = Budget("names of files", MAX_NAMES, expense, (50e-6, 500))
        self._paths: dict[tuple[Path, str], Path] = {}
        self.arrays: list[memoryview] = []
        """The arrays that were replaced with placeholders (see `tile_numbers.put_back`)."""
        self._bytes = Budget("bytes", MAX_FILES_BYTES)
        self._text = Budget("bytes of text", MAX_FILES_BYTES, expense, (30e-9, 2))
        self._values = Budget("values in JSON", MAX_VALUES, expense, (0.35e-6, 60))
        self._tags = tiled_xml.Limits(expense)
        # The XML elements that take most time to load. They are counted before the file is parsed,
        # so that a map with too many elements raises an error immediately.
        self._marks = (
            (b"<object ", self.objects),
            (b"<property ", self.properties),
            (b"<item ", self.properties),
            (b"<group ", self.layers),
            (b"<tile id=", self.described_tiles),
            (b"<wangset ", self.terrains),
            (b"<frame ", self.frames),
            (b"<chunk ", self.chunks),
            (b"<wangtile ", self.terrains),
        )

    @cached_property
    def root(self) -> Path:
        """The folder that must contain all files of the map.

        Finding this folder takes time, so it is computed only when the map uses a file outside its
        own folder.
        """
        return _root(self._map, self._folders)

    def find(self, beside_what: Path, name: str, where: str) -> Path:
        """Return the path of the file ``name``. ``name`` is relative to the folder of the file
        ``beside_what``.

        Raises `ValueError` if the file is missing or outside `root`.
        """
        key = beside_what.parent, name
        if key not in self._paths:
            self._names.spend(1 + len(name) // _USUAL_NAME)
            try:
                self._paths[key] = beside(beside_what.parent, name, where, "map", self._map.parent)
            except OutsideFolder:
                self._paths[key] = beside(beside_what.parent, name, where, "map", self.root, _HINT)
        return self._paths[key]

    def put_back(self, value: object) -> object:
        """Return the list that a placeholder from `tile_numbers.cut_out` replaced. Return any other
        value unchanged.
        """
        array = put_back(value, self.arrays)
        if not isinstance(array, memoryview):
            return array
        text = bytes(array)
        self._values.spend(value_count(text))
        return parsed(b'{"":[%s]}' % text, MAX_VALUES)[""]

    def image_file(self, document: Document, fields: Fields) -> ImageFile | None:
        """Return the image file that a JSON object of a map refers to, or None if there is none."""
        name = fields.text("image")
        if not name:
            return None
        width = fields.whole("imagewidth", 0)
        height = fields.whole("imageheight", 0)
        size = (width, height) if width and height else None
        return ImageFile(
            self.find(document.path, name, fields.where), size, fields.color("transparentcolor")
        )

    def read(self, path: Path, where: str) -> Document:
        """Read a JSON or XML file. The format is detected from the contents, not from the file
        name.
        """
        self._documents.spend(1)
        data = contents(path, self._bytes)
        if data[:99].lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\0")[:1] == b"<":
            data = cut_out_of_xml(data, self.arrays)
            self._text.spend(max(len(data) - _USUAL_BYTES * data.count(b"<"), 0))
            for mark, budget in self._marks:
                budget.check(data.count(mark))
            kind, raw = tiled_xml.read(data, self._tags)
            return Document(path, kind, Fields(raw, where))
        data = cut_out(data, self.arrays, path.suffix.lower().startswith(".ldtk"))
        count = value_count(data)
        self._values.spend(count)
        self._text.spend(max(len(data) - _USUAL_BYTES * count, 0))
        fields = Fields(parsed(data, MAX_VALUES), where)
        return Document(path, fields.text("type"), fields)


def contents(path: Path, budget: Budget) -> bytes:
    """Read a file, and subtract its size from ``budget``.

    Raises `ValueError` if the remaining budget is smaller than the file.
    """
    size = path.stat().st_size
    budget.spend(size)
    with path.open("rb") as file:
        return file.read(size)


def _root(path: Path, folders: Sequence[Folder]) -> Path:
    allowed = {Path(folder).resolve() for folder in folders}
    own = path.resolve().parent
    above = islice(chain([own], own.parents), _MAX_FOLDERS)
    trusted = [folder for folder in above if folder in allowed or _has_project(folder)]
    return trusted[-1] if trusted else own


def _has_project(folder: Path) -> bool:
    with suppress(OSError), os.scandir(folder) as entries:
        return any(entry.name.endswith(_PROJECT) for entry in islice(entries, _MAX_NAMES))
    return False
