"""LDtk projects as Python data, with the fields that the LDtk editor writes."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def tile(x: int, y: int, number: int, **more: Any) -> Json:
    """Return a tile at pixels of its layer. The tileset has four columns of 8 pixels."""
    src = [number % 4 * 8, number // 4 * 8]
    return {"px": [x, y], "src": src, "f": 0, "t": number, "d": [0], "a": 1, **more}


def layer(name: str, kind: str, uid: int = 1, **more: Any) -> Json:
    return {
        "__identifier": name,
        "__type": kind,
        "__cWid": 4,
        "__cHei": 3,
        "__gridSize": 8,
        "__opacity": 1,
        "__pxTotalOffsetX": 0,
        "__pxTotalOffsetY": 0,
        "__tilesetDefUid": 7,
        "layerDefUid": uid,
        "visible": True,
        "intGridCsv": [],
        "gridTiles": [],
        "autoLayerTiles": [],
        "entityInstances": [],
        **more,
    }


def field(name: str, kind: str, value: Any) -> Json:
    return {"__identifier": name, "__type": kind, "__value": value}


def level(name: str, *layers: Json, **more: Any) -> Json:
    """Return a level. ``layers`` has the topmost layer first, as in the file."""
    return {
        "identifier": name,
        "worldX": 32,
        "worldY": -8,
        "pxWid": 32,
        "pxHei": 24,
        "__bgColor": "#102030",
        "bgRelPath": None,
        "fieldInstances": [],
        "layerInstances": list(layers),
        **more,
    }


def tileset(**more: Any) -> Json:
    return {
        "uid": 7,
        "identifier": "Sheet",
        "relPath": "sheet.png",
        "pxWid": 72,
        "pxHei": 36,
        "tileGridSize": 8,
        "spacing": 0,
        "padding": 0,
        "__cWid": 9,
        "__cHei": 4,
        "customData": [],
        "enumTags": [],
        **more,
    }


def project(*levels: Json, **more: Any) -> Json:
    layers = [
        {"uid": 1, "parallaxFactorX": 0, "parallaxFactorY": 0, "tilePivotX": 0, "tilePivotY": 0},
        {
            "uid": 2,
            "parallaxFactorX": 0.25,
            "parallaxFactorY": -0.5,
            "tilePivotX": 0.5,
            "tilePivotY": 1,
        },
        {
            "uid": 3,
            "intGridValues": [
                {"value": 1, "identifier": "wall"},
                {"value": 2, "identifier": "water"},
            ],
        },
    ]
    return {
        "jsonVersion": "1.5.3",
        "defaultGridSize": 8,
        "defs": {"layers": layers, "tilesets": [tileset()]},
        "levels": list(levels),
        "worlds": [],
        **more,
    }


VALUES = [0, 1, 2, 0, 1, 1, 0, 0, 0, 0, 0, 2]


def entity(**more: Any) -> Json:
    fields = [
        field("hp", "Int", 3),
        field("glow", "Color", "#ff0000"),
        field("glows", "Array<Color>", ["#ff0000", None]),
        field("way", "Array<Point>", [{"cx": 1, "cy": 2}]),
        field("target", "EntityRef", {"entityIid": "b"}),
    ]
    size = {"px": [20, 16], "__pivot": [0.5, 1], "width": 8, "height": 12}
    return {"__identifier": "Player", "iid": "a", **size, "fieldInstances": fields, **more}


def full() -> Json:
    """Return a project with every feature that one file can have."""
    tiles = [
        tile(0, 0, 1),
        tile(8, 0, 2, f=1),
        tile(0, 0, 3, f=3),
        tile(24, 16, 35),
        tile(3, 5, 4, f=2),
        tile(8, 8, 5, a=0.5),
    ]
    return project(
        level(
            "One",
            layer("Things", "Entities", entityInstances=[entity(), entity(__identifier="Coin")]),
            layer(
                "Ground",
                "IntGrid",
                3,
                intGridCsv=VALUES,
                autoLayerTiles=[tile(8, 8, 9)],
                visible=False,
            ),
            layer(
                "Far",
                "Tiles",
                2,
                gridTiles=tiles,
                __opacity=0.5,
                __pxTotalOffsetX=3,
                __pxTotalOffsetY=-4,
            ),
            fieldInstances=[field("music", "String", "calm")],
            bgRelPath="sky.png",
            __bgPos={"topLeftPx": [1, 2], "scale": [2, 3], "cropRect": [0, 1, 4, 5]},
        ),
        level("Two", worldX=99),
    )
