"""Read the XML files of Tiled (.tmx, .tsx and .tx) into the structure of Tiled's JSON files.

The values of XML attributes remain strings. Lists of tile numbers become arrays, and unknown
elements are skipped. Documents with declarations, or with entities other than the five of XML
itself, are rejected. External DTDs (document type definitions) are never loaded.
"""

from __future__ import annotations

import re
from array import array
from typing import Any, NoReturn
from xml.parsers import expat

from ..assets.linked_files import Budget, Expense
from ..checks import shown

# Reading files that reach these limits takes two seconds.
MAX_TAGS = 1 << 21
"""The maximum number of XML tags in all files of a map."""
MAX_ATTRIBUTES = 1 << 21
"""The maximum number of XML attributes in all files of a map."""
MAX_ELEMENTS = 1 << 20
"""The maximum number of XML elements in all files of a map. Tiles do not count as elements."""
_MAX_DEPTH = 100
_LONG_TAG = re.compile(rb"<[^<>]{4096,}")
_ENCODINGS = ("UTF-8", "UTF-16", "US-ASCII", "ISO-8859-1", "WINDOWS-1252")
_COUNTED = 256  # number of elements that are subtracted from the budget in one step
_BUFFER = 1 << 16  # number of characters that expat passes in one call

_LAYERS = {
    "layer": "tilelayer",
    "objectgroup": "objectgroup",
    "imagelayer": "imagelayer",
    "group": "group",
}
# Where the parent stores an element: in a list, in a field with the element's name, or (None) in
# the parent's own attributes.
_LISTED = {
    ("map", "tileset"): "tilesets",
    **{(parent, layer): "layers" for parent in ("map", "group") for layer in _LAYERS},
    ("data", "chunk"): "chunks",
    ("objectgroup", "object"): "objects",
    ("tileset", "tile"): "tiles",
    ("terraintypes", "terrain"): "terrains",
    ("wangsets", "wangset"): "wangsets",
    ("wangset", "wangcolor"): "colors",
    ("wangset", "wangcornercolor"): "cornercolors",
    ("wangset", "wangedgecolor"): "edgecolors",
    ("wangset", "wangtile"): "wangtiles",
    ("animation", "frame"): "animation",
    ("properties", "property"): "properties",
    ("property", "item"): "value",
    ("item", "item"): "value",
}
_ONLY = {
    ("template", "tileset"),
    ("template", "object"),
    ("tileset", "tileoffset"),
    ("tile", "objectgroup"),
}
_ONLY |= {
    ("object", name) for name in ("text", "polygon", "polyline", "ellipse", "capsule", "point")
}
_KNOWN = {*_LISTED, *_ONLY}  # `_MERGED` adds more names below
_TYPED = ("property", "item")
_HOLDERS = ("map", "tileset", "tile", "object", "wangset", *_LAYERS, *_TYPED)
_MERGED = {
    *[(holder, "properties") for holder in _HOLDERS],
    *[
        ("layer", "data"),
        ("tileset", "terraintypes"),
        ("tileset", "wangsets"),
        ("tile", "animation"),
    ],
    *[(holder, "image") for holder in ("tileset", "tile", "imagelayer")],
}
_KNOWN |= _MERGED
_IMAGE = {
    "source": "image",
    "width": "imagewidth",
    "height": "imageheight",
    "trans": "transparentcolor",
}
_WITH_TEXT = ("data", "chunk", "text", "property", "item")


class Limits:
    """The limits for XML: the numbers of tags, attributes and elements in all files of a map."""

    def __init__(self, expense: Expense | None = None) -> None:
        self.tags = Budget("tags in XML", MAX_TAGS, expense, (0.17e-6, 50))
        self.attributes = Budget("attributes in XML", MAX_ATTRIBUTES, expense, (0.12e-6, 50))
        self.elements = Budget("elements in XML", MAX_ELEMENTS, expense, (1e-6, 200))
        self.tiles = Budget("tiles in XML", MAX_TAGS, expense, (0.8e-6, 8))
        self.crowded = Budget("attributes of one element", MAX_ATTRIBUTES, expense, (1.5e-6, 150))
        """A separate limit for attributes of elements with very many attributes, because the parser
        needs more time for them.
        """


def read(data: bytes, limits: Limits) -> tuple[str, dict[str, Any]]:
    """Return the name and the contents of the root element of an XML document.

    Raises `ValueError` if the document is invalid or exceeds a limit.
    """
    limits.tags.spend(data.count(b"<"))
    limits.tiles.spend(data.count(b"<tile gid="))
    attributes = data.count(b"=")
    limits.attributes.spend(attributes)
    if b"\0" not in data[:4]:
        attributes = sum(tag[0].count(b"=") for tag in _LONG_TAG.finditer(data))
    # In UTF-16, any tag may be long, so all attributes are counted.
    limits.crowded.spend(attributes)
    return _Reader(limits.elements).read(data)


class _Reader:
    def __init__(self, elements: Budget) -> None:
        self._elements = elements
        self._count = 0  # elements that are not yet subtracted from the budget
        self._names: list[str] = []
        self._open: list[dict[str, Any]] = []
        self._text: list[str] = []
        self._cells: array[int] | None = None
        # the number of open elements that are skipped (an unknown element and the elements inside
        # it)
        self._skipped = 0
        self._root: tuple[str, dict[str, Any]] | None = None

    def read(self, data: bytes) -> tuple[str, dict[str, Any]]:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.buffer_size = _BUFFER
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text.append
        parser.XmlDeclHandler = _check_encoding
        parser.StartDoctypeDeclHandler = _check_doctype
        parser.SkippedEntityHandler = _refuse_entity
        try:
            parser.Parse(data, True)
        except expat.ExpatError as error:
            position = f"line {error.lineno}, column {error.offset + 1}"
            raise ValueError(
                f"its XML is broken: {expat.ErrorString(error.code)}, {position}"
            ) from None
        self._elements.spend(self._count)
        if self._root is None:
            raise ValueError("its XML has no element")
        return self._root

    def _start(self, name: str, element: dict[str, Any]) -> None:
        parent = self._names[-1] if self._names else ""
        if name == "tile" and parent in ("data", "chunk"):
            if self._cells is None:
                self._cells = array("Q")
            self._cells.append(int(element.get("gid", 0)))
            self._skipped += 1
            self._text.clear()  # the white space before the skipped element
            return
        self._count += 1
        if self._count == _COUNTED:
            self._elements.spend(self._count)
            self._count = 0
        if self._skipped or (parent and (parent, name) not in _KNOWN):
            self._skipped += 1
            return
        if len(self._names) >= _MAX_DEPTH:
            raise ValueError("its XML is nested too deeply")
        if name in _LAYERS and parent in ("map", "group"):
            element["type"] = _LAYERS[name]
        self._cells = None
        self._text.clear()
        self._names.append(name)
        self._open.append(element)

    def _end(self, name: str) -> None:
        if self._skipped:
            self._skipped -= 1
            return
        element = self._open.pop()
        self._names.pop()
        if name in _WITH_TEXT:
            self._take_text(name, element)
        self._text.clear()
        if not self._names:
            self._root = name, element
            return
        parent = self._open[-1]
        inside = (self._names[-1], name)
        key = _LISTED.get(inside)
        if key is not None:
            into = parent.setdefault(key, [])
            if isinstance(into, list):
                into.append(element)
        elif inside in _ONLY:
            parent[name] = element
        else:
            _merge(inside, element, parent)

    def _take_text(self, name: str, element: dict[str, Any]) -> None:
        if name in ("data", "chunk"):
            if "chunks" not in element:
                element["data"] = "".join(self._text) if self._cells is None else self._cells
        elif name == "text":
            element["text"] = "".join(self._text)
        elif "value" not in element:
            element["value"] = "".join(self._text)


def _merge(inside: tuple[str, str], element: dict[str, Any], parent: dict[str, Any]) -> None:
    holder, name = inside
    if name == "properties":
        parent["value" if holder in _TYPED else "properties"] = element.get("properties", [])
    elif name == "image":
        if "source" not in element:
            raise ValueError("it contains an embedded image; save it as a file of its own")
        parent.update((_IMAGE[key], value) for key, value in element.items() if key in _IMAGE)
    elif name == "data":
        parent.update(element)
    else:
        parent.update((key, value) for key, value in element.items() if isinstance(value, list))


def _check_encoding(version: str, encoding: str | None, standalone: int) -> None:
    """Raise `ValueError` if this encoding may store "<" and "=" as other bytes than ASCII. The
    limits for XML files are checked by counting these bytes. Tiled itself writes files in UTF-8.
    """
    if encoding is not None and encoding.upper() not in _ENCODINGS:
        raise ValueError(f"its XML has the encoding {shown(encoding)}; save it in UTF-8")


def _check_doctype(name: str, system: str | None, public: str | None, declares: bool) -> None:
    """Raise `ValueError` if an XML file has declarations in its document type (DOCTYPE).

    A DOCTYPE that only names a DTD is allowed: maps from Tiled versions before 1.0 name the DTD of
    the map format.
    """
    if declares:
        raise ValueError("its XML has declarations in a DOCTYPE, which no map needs")


def _refuse_entity(name: str, is_parameter: bool) -> NoReturn:
    raise ValueError(f"its XML has an entity {shown(name)}, which is declared nowhere")
