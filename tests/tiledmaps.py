"""Tiled maps for tests: handmade, in JSON and XML."""

from __future__ import annotations

import base64
import copy
import json
import zlib
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from PIL import Image

Json = dict[str, Any]


def packed(tiles: Any) -> str:
    """Return tiles in base64 of zlib."""
    return base64.b64encode(zlib.compress(np.asarray(tiles, "<u4").tobytes())).decode()


def tileset(**more: Any) -> Json:
    """Return a tileset of 4 x 2 tiles."""
    return {
        "name": "ground",
        "tilewidth": 16,
        "tileheight": 16,
        "tilecount": 8,
        "columns": 4,
        "margin": 1,
        "spacing": 2,
        "image": "sheet.png",
        "imagewidth": 72,
        "imageheight": 36,
        **more,
    }


def tile_layer(name: str, tiles: Any, **more: Any) -> Json:
    tiles = np.asarray(tiles)
    height, width = tiles.shape
    size = {"width": width, "height": height, "x": 0, "y": 0}
    return {
        "type": "tilelayer",
        "id": 1,
        "name": name,
        **size,
        "data": tiles.reshape(-1).tolist(),
        **more,
    }


def tile_map(*layers: Json, **more: Any) -> Json:
    return {
        "type": "map",
        "version": "1.10",
        "orientation": "orthogonal",
        "width": 4,
        "height": 3,
        "tilewidth": 16,
        "tileheight": 16,
        "infinite": False,
        "tilesets": [{"firstgid": 1, **tileset()}],
        "layers": list(layers),
        **more,
    }


GROUND = np.array(
    [[1, 2, 0, 0], [0, 0x8000_0003, 0x6000_0004, 0], [8, 8, 0x1000_0001, 9]], np.uint32
)
TYPED = [
    {"name": "solid", "type": "bool", "value": True},
    {"name": "speed", "type": "float", "value": 2.5},
    {"name": "lives", "type": "int", "value": -3},
    {"name": "title", "type": "string", "value": "a <b>\n& c"},
    {"name": "sound", "type": "file", "value": "../ding.ogg"},
    {"name": "glow", "type": "color", "value": "#80ff0000"},
    {"name": "no glow", "type": "color", "value": ""},
    {"name": "to", "type": "object", "value": 7},
]
PYTHONS = {
    "solid": True,
    "speed": 2.5,
    "lives": -3,
    "title": "a <b>\n& c",
    "sound": "../ding.ogg",
    "glow": (1.0, 0.0, 0.0, 128 / 255),
    "no glow": None,
    "to": 7,
}
DOOR = {"name": "door", "type": "class", "propertytype": "Door"}
BOX = {"id": 3, "x": 16.5, "y": 8, "width": 4, "height": 5}
OBJECTS = [
    {**BOX, "name": "box", "type": "Crate", "rotation": 30, "properties": TYPED},
    {**BOX, "name": "round", "ellipse": True, "visible": False, "opacity": 0.5},
    {**BOX, "name": "pill", "capsule": True},
    {"id": 4, "name": "start", "x": 1, "y": 2, "width": 0, "height": 0, "point": True},
    {
        "id": 5,
        "name": "area",
        "x": 1,
        "y": 2,
        "polygon": [{"x": 0, "y": 0}, {"x": 8, "y": 0.5}, {"x": 0, "y": -3}],
    },
    {"id": 6, "name": "way", "x": 1, "y": 2, "polyline": [{"x": 0, "y": 0}, {"x": 8, "y": 0.5}]},
    {
        "id": 7,
        "name": "sign",
        "x": 1,
        "y": 2,
        "width": 30,
        "height": 9,
        "text": {
            "text": "Hello\n  you",
            "pixelsize": 9,
            "color": "#0000ff",
            "bold": True,
            "wrap": True,
            "halign": "right",
        },
    },
    {"id": 8, "name": "coin", "x": 32, "y": 48, "gid": 0x8000_0003, "width": 16, "height": 16},
    {"id": 9, "name": "old coin", "x": 32, "y": 48, "gid": 3},
]


def full() -> Json:
    """Return a map with everything that one file can contain."""
    sheet = tileset(
        tileoffset={"x": 3, "y": -4},
        objectalignment="center",
        tilerendersize="grid",
        fillmode="preserve-aspect-fit",
        transparentcolor="#ff00ff",
        properties=[{"name": "made by", "type": "string", "value": "hand"}],
        tiles=[
            {
                "id": 1,
                "type": "Water",
                "animation": [{"tileid": 1, "duration": 100}, {"tileid": 5, "duration": 250}],
            },
            {
                "id": 2,
                "probability": 0.25,
                "properties": [{"name": "solid", "type": "bool", "value": True}],
                "objectgroup": {
                    "draworder": "index",
                    "objects": [{"id": 1, "x": 0, "y": 8, "width": 16, "height": 8}],
                },
            },
        ],
        wangsets=[
            {
                "name": "Shore",
                "type": "corner",
                "tile": -1,
                "colors": [
                    {"name": "Sand", "color": "#ffff00", "tile": 0, "probability": 1},
                    {"name": "Sea", "color": "#0000ff", "tile": 1, "probability": 0.5},
                ],
                "wangtiles": [
                    {"tileid": 0, "wangid": [0, 1] * 4},
                    {"tileid": 1, "wangid": [0, 2, 0, 1, 0, 1, 0, 2]},
                ],
            }
        ],
    )
    collection = {
        "name": "trees",
        "tilewidth": 20,
        "tileheight": 30,
        "tilecount": 2,
        "columns": 0,
        "tiles": [
            {"id": 0, "image": "trees/oak.png", "imagewidth": 20, "imageheight": 30},
            {
                "id": 4,
                "image": "trees/oak.png",
                "imagewidth": 20,
                "imageheight": 30,
                "x": 5,
                "y": 6,
                "width": 7,
                "height": 8,
            },
        ],
    }
    sky = {
        "type": "imagelayer",
        "id": 5,
        "name": "sky",
        "image": "sky.png",
        "imagewidth": 8,
        "imageheight": 9,
    }
    inner = {
        "type": "group",
        "id": 7,
        "name": "inner",
        "opacity": 0.5,
        "tintcolor": "#80ffffff",
        "offsetx": 1,
        "layers": [
            tile_layer(
                "deep",
                GROUND,
                id=8,
                opacity=0.5,
                tintcolor="#ff0000",
                offsety=3.5,
                parallaxx=0.5,
                parallaxy=2,
            ),
            {
                "type": "objectgroup",
                "id": 9,
                "name": "things",
                "draworder": "index",
                "objects": OBJECTS,
            },
        ],
    }
    return tile_map(
        {**sky, "offsetx": 4.5, "offsety": -2, "repeatx": True, "parallaxx": 0.25},
        tile_layer("ground", GROUND, properties=TYPED),
        {
            "type": "group",
            "id": 6,
            "name": "outer",
            "visible": False,
            "parallaxx": 0.5,
            "offsetx": 10,
            "layers": [inner],
        },
        tilesets=[{"firstgid": 1, **sheet}, {"firstgid": 9, **collection}],
        properties=TYPED,
        backgroundcolor="#102030",
        parallaxoriginx=5,
        parallaxoriginy=6.5,
        renderorder="left-up",
        **{"class": "Cave"},
    )


# -- as XML ----------------------------------------------------------------------------------------

_LISTS = {
    "tilesets": "tileset",
    "objects": "object",
    "tiles": "tile",
    "wangtiles": "wangtile",
    "colors": "wangcolor",
    "cornercolors": "wangcornercolor",
    "edgecolors": "wangedgecolor",
    "chunks": "chunk",
    "wangsets": "wangset",
    "terrains": "terrain",
    "animation": "frame",
}
_WRAPPED = {"wangsets": "wangsets", "terrains": "terraintypes", "animation": "animation"}
_LAYERS = {
    "tilelayer": "layer",
    "objectgroup": "objectgroup",
    "imagelayer": "imagelayer",
    "group": "group",
}
_IMAGE = {
    "image": "source",
    "imagewidth": "width",
    "imageheight": "height",
    "transparentcolor": "trans",
}


def xml_of(data: Json, name: str = "map") -> str:
    """Return the XML that Tiled writes for a map in JSON."""
    data = dict(data)
    if name in _LAYERS.values() or name == "map":
        data.pop("type", None)
    inner = ""
    image = {word: data.pop(key) for key, word in _IMAGE.items() if key in data}
    for key in (
        "properties",
        *_LISTS,
        "layers",
        "data",
        "objectgroup",
        "tileoffset",
        "tileset",
        "object",
        "text",
    ):
        if key in data and not (key == "text" and name == "text"):
            value = data.pop(key)
            inner += _inner(name, key, value, data)
        if key == "properties" and image:
            inner += f"<image{_attributes(image)}/>"
    for key in ("ellipse", "capsule", "point"):
        inner += f"<{key}/>" * bool(data.pop(key, False))
    for key in ("polygon", "polyline"):
        if key in data:
            points = " ".join(f"{point['x']},{point['y']}" for point in data.pop(key))
            inner += f"<{key} points={quoteattr(points)}/>"
    inner += escape(data.pop("text")) if name == "text" else ""
    data = {
        key: ",".join(map(str, value)) if isinstance(value, list) else value
        for key, value in data.items()
    }
    return f"<{name}{_attributes(data)}>{inner}</{name}>"


def _inner(name: str, key: str, value: Any, data: Json) -> str:
    if key == "properties":
        return f"<properties>{''.join(map(_property, value))}</properties>"
    if key == "layers":
        return "".join(xml_of(item, _LAYERS[item["type"]]) for item in value)
    if key == "data":
        text = value if isinstance(value, str) else ",".join(map(str, value))
        if name == "chunk":
            return text
        how = {word: data.pop(word) for word in ("encoding", "compression") if word in data}
        return f"<data{_attributes(how or {'encoding': 'csv'})}>{text}</data>"
    if key == "chunks":
        how = {word: data.pop(word) for word in ("encoding", "compression") if word in data}
        return f"<data{_attributes(how or {'encoding': 'csv'})}>{''.join(xml_of(item, 'chunk') for item in value)}</data>"
    if key in _LISTS:
        inner = "".join(xml_of(item, _LISTS[key]) for item in value)
        return f"<{_WRAPPED[key]}>{inner}</{_WRAPPED[key]}>" if key in _WRAPPED else inner
    return xml_of(value, key)


def _property(data: Json) -> str:
    data = dict(data)
    value = data.pop("value", "")
    if isinstance(value, list) and data["type"] == "class":
        return f"<property{_attributes(data)}><properties>{''.join(map(_property, value))}</properties></property>"
    if isinstance(value, list):
        return f"<property{_attributes(data)}>{''.join(map(_property, value)).replace('property', 'item')}</property>"
    if isinstance(value, str) and "\n" in value:
        return f"<property{_attributes(data)}>{escape(value)}</property>"
    return f"<property{_attributes({**data, 'value': value})}/>"


def _attributes(data: Json) -> str:
    words = {
        key: str(int(item)) if isinstance(item, bool) else str(item) for key, item in data.items()
    }
    return "".join(f" {key}={quoteattr(word)}" for key, word in words.items())


# -- as files --------------------------------------------------------------------------------------


def write(path: Path, data: Json, kind: str = "map") -> Path:
    """Write a map in the format of its file name, with the images that the maps name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix in (".tmj", ".json", ".tsj", ".tj", ".ldtk", ".ldtkl"):
        text = json.dumps(data)
    else:
        text = '<?xml version="1.0" encoding="UTF-8"?>\n' + xml_of(copy.deepcopy(data), kind)
    path.write_text(text, encoding="utf-8")
    return path


def pictures(folder: Path) -> Path:
    """Write the images that the maps name into a folder."""
    for name, size in {"sheet.png": (72, 36), "trees/oak.png": (20, 30), "sky.png": (8, 9)}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGBA", size, (10, 20, 30, 255)).save(folder / name)
    return folder
