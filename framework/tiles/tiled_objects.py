"""Read the objects and custom properties of a Tiled map."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from ..arrays import Doubles
from ..assets.json_fields import MAX_NUMBER, Color, Fields, color_of
from .map_data import MapText, ObjectData
from .map_files import MAX_POINTS, MapFiles

SHAPES = ("polygon", "polyline", "ellipse", "capsule", "point", "text")
_SHAPES = frozenset(SHAPES)
_MAX_DEPTH = 32  # maximum depth of properties in properties
_WHOLE = 1 << 63


def properties_of(files: MapFiles, fields: Fields) -> dict[str, Any]:
    """Return the custom properties as a dict. Values are strings, numbers, bools, colors, object
    ids and lists.

    The value of a property of the type "class" is a dict of its members. In JSON files, members
    have no types, so a color stays a string.
    """
    listed = fields.raw.get("properties")
    if not listed:
        return {}
    if isinstance(listed, dict):  # JSON files of Tiled before 1.2
        types = fields.part("propertytypes")
        kinds = {} if types is None else types.raw
        listed = [
            {"name": name, "type": kinds.get(name, ""), "value": value}
            for name, value in listed.items()
        ]
    return _named(files, Fields({"properties": listed}, fields.where), "properties", 0)


def _named(files: MapFiles, fields: Fields, key: str, depth: int) -> dict[str, Any]:
    return {entry.text("name"): _value(files, entry, depth) for entry in fields.items(key)}


def _value(files: MapFiles, fields: Fields, depth: int) -> object:
    files.properties.spend(1)
    if depth > _MAX_DEPTH:
        raise ValueError(f"{fields.where}: its properties are nested too deeply")
    kind = fields.text("type")
    value = fields.raw.get("value")
    match kind:
        case "int" | "object":
            return fields.whole("value", 0, -_WHOLE, _WHOLE)
        case "float":
            return fields.number("value", 0.0)
        case "bool":
            return fields.flag("value")
        case "color":
            return fields.color("value")
        case "class" if isinstance(value, list):
            return _named(files, fields, "value", depth + 1)
        case "class" | "list" if not value or (
            isinstance(value, str) and not value.strip()
        ):  # the value of an empty XML element
            return {} if kind == "class" else []
        case "list":
            return [_value(files, entry, depth + 1) for entry in fields.items("value")]
        case "string" | "file":
            return fields.text("value")
    return "" if value is None else plain(files, value, fields.where, depth)


def plain(files: MapFiles, value: object, where: str, depth: int = 0) -> object:
    """Return a property value that has no declared type. Placeholders in the value are replaced
    with their arrays.
    """
    files.properties.spend(1)
    if depth > _MAX_DEPTH:
        raise ValueError(f"{where}: its properties are nested too deeply")
    value = files.put_back(value)
    if isinstance(value, dict):
        return {str(name): plain(files, entry, where, depth + 1) for name, entry in value.items()}
    if isinstance(value, list):
        return [plain(files, entry, where, depth + 1) for entry in value]
    return value


def object_of(files: MapFiles, fields: Fields, properties: dict[str, Any]) -> ObjectData:
    """Return the map object that a JSON object describes."""
    text = fields.part("text")
    gid = fields.whole("gid", 0, most=0xFFFF_FFFF)
    kind = "tile" if gid else "rectangle"
    if not gid and not _SHAPES.isdisjoint(fields.raw):
        kind = next((shape for shape in SHAPES if has_shape(fields.raw, shape)), kind)
    return ObjectData(
        fields.whole("id", 0),
        fields.text("name"),
        kind,
        *fields.pair("x", "y"),
        *fields.pair("width", "height"),
        rotation=fields.number("rotation", 0.0),
        class_name=fields.text("class") or fields.text("type"),
        points=_points(files, fields),
        gid=gid,
        text=None if text is None else _text(text),
        visible=fields.flag("visible", True),
        opacity=fields.number("opacity", 1.0, 0.0, 1.0),
        properties=properties,
    )


def has_shape(raw: dict[str, Any], shape: str) -> bool:
    """Return whether a JSON object has the shape ``shape``, such as "ellipse".

    In an XML file, the shape of an object may be an empty element.
    """
    return raw.get(shape) not in (None, False)


def _points(files: MapFiles, fields: Fields) -> Doubles | None:
    if _SHAPES.isdisjoint(fields.raw):
        return None
    for shape in ("polygon", "polyline"):
        value = fields.raw.get(shape)
        if isinstance(value, list):
            files.points.spend(len(value))
            pairs = [entry.pair("x", "y") for entry in fields.items(shape)]
            return np.array(pairs).reshape(-1, 2)
        if isinstance(value, dict):
            return np.array(_pairs_of_text(files, fields, shape)).reshape(-1, 2)
    return None


def _pairs_of_text(files: MapFiles, fields: Fields, shape: str) -> list[tuple[float, float]]:
    """Return the points of a shape in an XML file. In the file, the points are a text such as "0,0
    16,0 16,16".
    """
    text = Fields(fields.raw[shape], f"{fields.where}.{shape}").text("points")
    # The list gets at most one word more than the limit, because a longer list would take
    # gigabytes of memory.
    words = text.replace(",", " ").split(None, 2 * MAX_POINTS + 1)
    files.points.spend(-(-len(words) // 2))
    if len(words) % 2:
        raise fields.wrong(shape, "pairs of numbers")
    return _pairs(words, fields.where)


def _pairs(words: list[str], where: str) -> list[tuple[float, float]]:
    """Convert a list of words to pairs of numbers. Raises `ValueError` with the first word that is
    not a number.
    """
    with suppress(ValueError):  # this works for most lists
        values = [float(word) for word in words]
        if all(-MAX_NUMBER <= value <= MAX_NUMBER for value in values):
            return list(zip(values[::2], values[1::2], strict=True))
    pairs = zip(words[::2], words[1::2], strict=True)
    return [Fields({"x": x, "y": y}, where).pair("x", "y") for x, y in pairs]


def _text(fields: Fields) -> MapText:
    black: Color = (0.0, 0.0, 0.0, 1.0)
    return MapText(
        fields.text("text"),
        fields.text("fontfamily") or "sans-serif",
        fields.number("pixelsize", 16.0, 0.0, 1e6),
        color_of(fields.text("color")) or black,
        fields.flag("bold"),
        fields.flag("italic"),
        fields.flag("underline"),
        fields.flag("strikeout"),
        fields.flag("wrap"),
        fields.choice("halign", ("left", "center", "right", "justify"), "left"),
        fields.choice("valign", ("top", "center", "bottom"), "top"),
    )
