"""Tiled maps: XML and JSON files."""

from __future__ import annotations

import copy
import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiledmaps import (
    DOOR,
    GROUND,
    OBJECTS,
    PYTHONS,
    full,
    packed,
    pictures,
    tile_layer,
    tile_map,
    tileset,
    write,
    xml_of,
)

import framework as fw
from framework.tiles.map_data import ImageLayer, MapData, ObjectData, ObjectsLayer, TilesLayer
from framework.tiles.map_loading import load

ENDINGS = ["tmx", "tmj"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return pictures(tmp_path / "maps")


def read(folder: Path, data: dict[str, Any], ending: str, **options: Any) -> MapData:
    return load(write(folder / f"cave.{ending}", data), **options)


def plain(value: Any) -> Any:
    """Return a value as dicts and lists, for comparisons."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, np.ndarray):
        return [str(value.dtype), value.tolist()]
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value.with_suffix("").name if isinstance(value, Path) else value


def test_both_formats_give_the_same_map(folder: Path) -> None:
    tmx, tmj = (plain(read(folder, full(), ending)) for ending in ENDINGS)
    assert tmx == tmj


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_map_and_its_layers(folder: Path, ending: str) -> None:
    result = read(folder, full(), ending)
    assert (result.width, result.height, result.tile_size) == (4, 3, (16, 16))
    assert (result.orientation, result.render_order, result.class_name) == (
        "orthogonal",
        "left-up",
        "Cave",
    )
    assert result.background == (16 / 255, 32 / 255, 48 / 255, 1.0)
    assert result.parallax_origin == (5, 6.5)
    assert result.properties == PYTHONS
    assert [layer.name for layer in result.layers] == ["sky", "ground", "deep", "things"]
    sky, ground, deep, objects = result.layers
    assert isinstance(sky, ImageLayer)
    assert sky.image_file is not None
    assert (sky.image_file.path, sky.image_file.size) == (folder / "sky.png", (8, 9))
    assert (sky.offset, sky.repeat, sky.parallax, sky.visible) == (
        (4.5, -2),
        (True, False),
        (0.25, 1),
        True,
    )
    assert isinstance(ground, TilesLayer)
    assert ground.tiles.dtype == np.uint32
    assert (ground.tiles == GROUND).all()
    assert (ground.tile_size, ground.properties, ground.visible, ground.opacity) == (
        (16, 16),
        PYTHONS,
        True,
        1,
    )
    assert isinstance(deep, TilesLayer)
    assert deep.groups == objects.groups == ("outer", "inner")
    assert (deep.visible, deep.opacity, deep.offset, deep.parallax) == (
        False,
        0.25,
        (11, 3.5),
        (0.25, 2),
    )
    assert deep.tint == (1.0, 0.0, 0.0, 128 / 255)


@pytest.mark.parametrize("ending", ENDINGS)
def test_objects(folder: Path, ending: str) -> None:
    objects = read(folder, full(), ending).layers[-1]
    assert isinstance(objects, ObjectsLayer)
    assert objects.draw_order == "index"
    by_name = {item.name: item for item in objects.objects}
    kinds = [
        "rectangle",
        "ellipse",
        "capsule",
        "point",
        "polygon",
        "polyline",
        "text",
        "tile",
        "tile",
    ]
    assert [item.kind for item in objects.objects] == kinds
    box = by_name["box"]
    assert (box.id, box.x, box.y, box.width, box.height, box.rotation) == (3, 16.5, 8, 4, 5, 30)
    assert (box.class_name, box.properties, box.visible, box.opacity) == ("Crate", PYTHONS, True, 1)
    assert (by_name["round"].visible, by_name["round"].opacity) == (False, 0.5)
    assert by_name["area"].points is not None
    assert by_name["area"].points.tolist() == [[0, 0], [8, 0.5], [0, -3]]
    assert by_name["way"].points is not None
    assert len(by_name["way"].points) == 2
    text = by_name["sign"].text
    assert text is not None
    assert (text.text, text.size, text.color, text.bold, text.italic) == (
        "Hello\n  you",
        9,
        (0, 0, 1, 1),
        True,
        False,
    )
    assert (text.wrap, text.align, text.valign, text.font) == (True, "right", "top", "sans-serif")
    assert by_name["coin"].gid == 0x8000_0003
    assert (by_name["old coin"].width, by_name["old coin"].height) == (16, 16)  # like its tile


@pytest.mark.parametrize("ending", ENDINGS)
def test_tilesets(folder: Path, ending: str) -> None:
    result = read(folder, full(), ending)
    sheet, trees = result.tilesets
    assert (sheet.name, sheet.first_gid, sheet.tile_size, sheet.count, sheet.columns) == (
        "ground",
        1,
        (16, 16),
        8,
        4,
    )
    assert (sheet.margin, sheet.spacing, sheet.tile_offset, sheet.end_gid) == (1, 2, (3, -4), 9)
    assert (sheet.alignment, sheet.render_size, sheet.fill_mode) == (
        "center",
        "grid",
        "preserve-aspect-fit",
    )
    assert sheet.image_file is not None
    assert (sheet.image_file.path, sheet.image_file.transparent) == (
        folder / "sheet.png",
        (1, 0, 1, 1),
    )
    assert sheet.properties == {"made by": "hand"}
    water = sheet.tiles[1]
    wall = sheet.tiles[2]
    assert water.class_name == "Water"
    assert water.frames is not None
    assert water.frames.tolist() == [[1, 100], [5, 250]]
    assert (wall.probability, wall.properties) == (0.25, {"solid": True})
    assert [(item.kind, item.y, item.height) for item in wall.shapes] == [("rectangle", 8, 8)]
    assert (trees.image_file, trees.columns, trees.end_gid) == (None, 0, 14)
    assert trees.tiles[4].box == (5, 6, 7, 8)
    assert trees.tiles[0].image_file is not None
    assert trees.tiles[0].image_file.path == folder / "trees/oak.png"
    assert (trees.size_of(0), trees.size_of(4), trees.size_of(2)) == ((20, 30), (7, 8), (20, 30))
    assert result.tileset_of(0x8000_0008) == (sheet, 7)
    assert result.tileset_of(13) == (trees, 4)
    assert result.tileset_of(0) is result.tileset_of(14) is None


@pytest.mark.parametrize("ending", ENDINGS)
def test_wang_sets(folder: Path, ending: str) -> None:
    (shore,) = read(folder, full(), ending).tilesets[0].wang_sets
    assert (shore.name, shore.kind, shore.colors, shore.color_probabilities) == (
        "Shore",
        "corner",
        ["Sand", "Sea"],
        [1, 0.5],
    )
    assert shore.ids.tolist() == [0, 1]
    assert shore.sides.tolist() == [[0, 1] * 4, [0, 2, 0, 1, 0, 1, 0, 2]]


@pytest.mark.parametrize("ending", ENDINGS)
def test_old_wang_sets_list_colors_of_edges_first(folder: Path, ending: str) -> None:
    old = {
        "name": "old",
        "tile": -1,
        "edgecolors": [{"name": "E"}],
        "cornercolors": [{"name": "C"}, {"name": "D"}],
    }
    tiles = [{"tileid": 3, "wangid": [1, 2, 0, 1, 0, 0, 0, 0]}]
    sheet = {"firstgid": 1, **tileset(wangsets=[{**old, "wangtiles": tiles}])}
    (result,) = read(folder, tile_map(tilesets=[sheet]), ending).tilesets[0].wang_sets
    assert (result.kind, result.colors) == ("mixed", ["E", "C", "D"])
    assert result.sides.tolist() == [[1, 3, 0, 2, 0, 0, 0, 0]]
    for item, kind in (("edgecolors", "edge"), ("cornercolors", "corner")):
        only = {"name": "old", item: [{"name": "E"}], "wangtiles": []}
        sheet = {"firstgid": 1, **tileset(wangsets=[only])}
        assert (
            read(folder, tile_map(tilesets=[sheet]), ending).tilesets[0].wang_sets[0].kind == kind
        )


def test_old_wang_ids_in_xml_are_one_number(folder: Path) -> None:
    colors = [{"name": "A"}, {"name": "B"}]
    sheet = {
        "firstgid": 1,
        **tileset(wangsets=[{"name": "x", "colors": colors, "wangtiles": [{"tileid": 0}]}]),
    }
    text = xml_of(tile_map(tilesets=[sheet])).replace(
        'tileid="0"', 'tileid="0" wangid="0x20000001"'
    )
    (folder / "old.tmx").write_text(text)
    assert load(folder / "old.tmx").tilesets[0].wang_sets[0].sides.tolist() == [
        [1, 0, 0, 0, 0, 0, 0, 2]
    ]


@pytest.mark.parametrize("ending", ENDINGS)
def test_old_terrains_become_a_wang_set_of_corners(folder: Path, ending: str) -> None:
    tiles = [{"id": 2, "terrain": [0, 1, -1, 0]}]
    sheet = {
        "firstgid": 1,
        **tileset(terrains=[{"name": "Grass", "tile": 0}, {"name": "Mud", "tile": 1}], tiles=tiles),
    }
    (result,) = read(folder, tile_map(tilesets=[sheet]), ending).tilesets[0].wang_sets
    assert (result.kind, result.colors, result.ids.tolist()) == ("corner", ["Grass", "Mud"], [2])
    # top right, bottom right, bottom left, top left
    assert result.sides.tolist() == [[0, 2, 0, 1, 0, 0, 0, 1]]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    "orientation", ["orthogonal", "isometric", "staggered", "hexagonal", "oblique"]
)
def test_orientations(folder: Path, ending: str, orientation: str) -> None:
    data = tile_map(
        orientation=orientation,
        tilewidth=14,
        tileheight=12,
        hexsidelength=6,
        staggeraxis="x",
        staggerindex="even",
        skewx=-5,
        skewy=2,
    )
    layout = read(folder, data, ending).layout
    assert (layout.orientation, layout.stagger_axis, layout.stagger_index) == (
        orientation,
        "x",
        "even",
    )
    assert (layout.columns, layout.rows, layout.tile_size, layout.hex_side) == (4, 3, (14, 12), 6)
    assert layout.skew == ((-5, 2) if orientation == "oblique" else (0, 0))


CHUNKS = [(-4, 2, [[1, 2], [3, 4]]), (0, -2, [[5, 6, 7]])]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("pack", [False, True])
def test_the_chunks_of_an_infinite_map_are_one_array(folder: Path, ending: str, pack: bool) -> None:
    chunks = [
        {
            "x": x,
            "y": y,
            "width": len(tiles[0]),
            "height": len(tiles),
            "data": packed(tiles) if pack else np.ravel(tiles).tolist(),
        }
        for x, y, tiles in CHUNKS
    ]
    how = {"encoding": "base64", "compression": "zlib"} if pack else {}
    layers = [
        {
            "type": "tilelayer",
            "name": name,
            "width": 16,
            "height": 16,
            "startx": -4,
            "starty": -2,
            **how,
            "chunks": part,
        }
        for name, part in (("one", chunks), ("other", chunks[:1]), ("none", []))
    ]
    result = read(folder, tile_map(*layers, infinite=True, width=16, height=16), ending)
    assert (result.origin, result.width, result.height, result.infinite, result.rows_in_file) == (
        (-4, -2),
        7,
        6,
        True,
        16,
    )
    item, second, none = (layer.tiles for layer in result.layers if isinstance(layer, TilesLayer))
    expected = np.zeros((6, 7), np.uint32)
    expected[4:6, 0:2], expected[0, 4:7] = [[1, 2], [3, 4]], [5, 6, 7]
    assert (item == expected).all()
    expected[0] = 0
    assert (second == expected).all()
    assert not none.any()
    assert result.layout.points((-4 * 16, -2 * 16)).tolist() == [0, 6 * 16]


def test_an_infinite_map_without_tiles_has_one_cell(folder: Path) -> None:
    result = read(folder, tile_map({"type": "tilelayer", "name": "a"}, infinite=True), "tmj")
    assert (result.width, result.height, result.origin) == (1, 1, (0, 0))


def test_tiles_as_xml_elements_and_maps_without_layers(folder: Path) -> None:
    cells = "".join(f'\n  <tile gid="{gid}"/>' if gid else "<tile/>" for gid in GROUND.reshape(-1))
    layer = (
        f'<layer name="a" width="4" height="3"><data>{cells}</data></layer><layer name="b" '
        'width="4" height="3"/>'
    )
    (folder / "old.tmx").write_text(xml_of(tile_map()).replace("</map>", f"{layer}</map>"))
    first, second = load(folder / "old.tmx").layers
    assert isinstance(first, TilesLayer)
    assert isinstance(second, TilesLayer)
    assert (first.tiles == GROUND).all()
    assert second.tiles.shape == (3, 4)
    assert not second.tiles.any()


def test_long_tile_texts_use_the_fast_parser(folder: Path) -> None:
    tiles = np.random.default_rng(1).integers(0, 9, (40, 40))
    for ending in ENDINGS:
        for how in ({}, {"data": packed(tiles), "encoding": "base64", "compression": "zlib"}):
            data = tile_map(
                tile_layer("a", tiles, **how), tile_layer("b", tiles.T), width=40, height=40
            )
            item, second = read(folder, data, ending).layers
            assert isinstance(item, TilesLayer)
            assert isinstance(second, TilesLayer)
            assert (item.tiles == tiles).all()
            assert (second.tiles == tiles.T).all()


# -- files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kind", ["tsx", "tsj"])
def test_an_external_tileset_names_images_relative_to_its_file(
    folder: Path, ending: str, kind: str
) -> None:
    write(
        folder / f"sets/ground.{kind}",
        {"type": "tileset", **tileset(image="../sheet.png")},
        "tileset",
    )
    sources = [
        {"firstgid": 20, "source": f"sets/ground.{kind}"},
        {"firstgid": 1, "source": f"sets\\ground.{kind}"},
    ]
    first, second = read(folder, tile_map(tilesets=sources), ending).tilesets
    assert (first.first_gid, second.first_gid, first.count) == (1, 20, 8)
    assert first.image_file is not None
    assert first.image_file.path == folder / "sheet.png"
    assert first.path == folder / f"sets/ground.{kind}"


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kind", ["tx", "tj"])
def test_templates(folder: Path, ending: str, kind: str) -> None:
    write(
        folder / "sets/ground.tsx", {"type": "tileset", **tileset(image="../sheet.png")}, "tileset"
    )
    write(
        folder / "sets/other.tsx",
        {"type": "tileset", **tileset(name="other", image="../sheet.png")},
        "tileset",
    )
    for name, gid in (("ground", 0x8000_0006), ("other", 2)):
        template_data = {
            "name": "coin",
            "type": "Coin",
            "width": 9,
            "height": 8,
            "gid": gid,
            "visible": False,
            "properties": [
                {"name": "value", "type": "int", "value": 5},
                {"name": "shiny", "type": "bool", "value": True},
            ],
        }
        source = {"firstgid": 4 if name == "ground" else 1, "source": f"../sets/{name}.tsx"}
        write(
            folder / f"things/{name}.{kind}",
            {"type": "template", "tileset": source, "object": template_data},
            "template",
        )
    area = {"name": "area", "polygon": [{"x": 0, "y": 0}, {"x": 1, "y": 2}]}
    write(folder / f"things/area.{kind}", {"type": "template", "object": area}, "template")
    more = [{"name": "value", "type": "int", "value": 7}]
    objects = [
        {"id": 1, "x": 1, "y": 2, "template": f"things/ground.{kind}"},
        {
            "id": 2,
            "x": 3,
            "y": 4,
            "template": f"things/ground.{kind}",
            "name": "big",
            "visible": True,
            "properties": more,
        },
        {
            "id": 3,
            "x": 3,
            "y": 4,
            "template": f"things/other.{kind}",
            "width": 30,
            "height": 40,
            "gid": 3,
        },
        {"id": 4, "x": 3, "y": 4, "template": f"things/other.{kind}"},
        {"id": 5, "x": 5, "y": 6, "template": f"things/area.{kind}", "rotation": 5},
        {
            "id": 6,
            "x": 5,
            "y": 6,
            "template": f"things/area.{kind}",
            "ellipse": True,
            "width": 1,
            "height": 2,
        },
    ]
    data = tile_map(
        {"type": "objectgroup", "name": "o", "objects": objects},
        tilesets=[{"firstgid": 11, "source": "sets/ground.tsx"}],
    )
    result = read(folder, data, ending)
    (layer,) = result.layers
    assert isinstance(layer, ObjectsLayer)
    coin, big, own, second, area_object, round_object = layer.objects
    assert (coin.id, coin.name, coin.class_name, coin.x, coin.y, coin.width, coin.height) == (
        1,
        "coin",
        "Coin",
        1,
        2,
        9,
        8,
    )
    assert (coin.gid, coin.visible, coin.properties) == (
        0x8000_0000 + 13,
        False,
        {"value": 5, "shiny": True},
    )
    assert (big.name, big.visible, big.properties) == ("big", True, {"value": 7, "shiny": True})
    assert (own.width, own.height, own.gid) == (30, 40, 3)
    # one more file, for a template
    assert [item.name for item in result.tilesets] == ["ground", "other"]
    assert second.gid == result.tilesets[1].first_gid + 1 == 20
    assert (area_object.kind, area_object.rotation) == ("polygon", 5)
    assert (round_object.kind, round_object.points) == ("ellipse", None)


def test_files_above_the_folder_of_a_map_need_a_project(tmp_path: Path) -> None:
    pictures(tmp_path)
    data = tile_map(tilesets=[{"firstgid": 1, **tileset(image="../sheet.png")}])
    path = write(tmp_path / "maps/cave.tmx", data)
    with pytest.raises(
        fw.AssetError,
        match=r"sheet.png' leads out of the map's folder; put the Tiled project \(\*.tiled",
    ):
        load(path)
    picture = load(path, folders=[tmp_path]).tilesets[0].image_file
    assert picture is not None
    assert picture.path == tmp_path / "sheet.png"
    (tmp_path / "mine.tiled-project").write_text("{}")
    assert load(path).tilesets[0].image_file is not None
    (tmp_path / "mine.tiled-project").rename(tmp_path / "maps/mine.tiled-project")
    # the folder of the game, above the project
    assert load(path, folders=[tmp_path]).tilesets[0].image_file is not None
    (tmp_path / "all.tiled-project").write_text("{}")
    assert load(path).tilesets[0].image_file is not None
    far = write(
        tmp_path / "maps/far.tmx",
        tile_map(tilesets=[{"firstgid": 1, **tileset(image="../../etc/x.png")}]),
    )
    with pytest.raises(fw.AssetError, match="leads out of the map's folder"):
        load(far)


def test_a_document_type_in_old_maps_is_not_loaded(folder: Path) -> None:
    kind = '<!DOCTYPE map SYSTEM "http://mapeditor.org/dtd/1.0/map.dtd">'
    (folder / "old.tmx").write_text(kind + xml_of(tile_map(tile_layer("a", GROUND))))
    assert load(folder / "old.tmx").layers[0].name == "a"


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_old_tileset_is_counted_by_its_image(folder: Path, ending: str) -> None:
    old = tileset()
    for key in ("tilecount", "columns", "imagewidth", "imageheight"):
        del old[key]
    (sheet,) = read(folder, tile_map(tilesets=[{"firstgid": 1, **old}]), ending).tilesets
    assert (sheet.columns, sheet.count) == (4, 2 * 4)


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_empty_collection_of_images_has_tiles_without_a_size(folder: Path, ending: str) -> None:
    empty = {"name": "all", "tilewidth": 0, "tileheight": 0, "tilecount": 0, "columns": 0}
    (collection,) = read(folder, tile_map(tilesets=[{"firstgid": 1, **empty}]), ending).tilesets
    assert (collection.tile_size, collection.count, collection.image_file) == ((0, 0), 0, None)


def test_old_json_has_tiles_and_properties_as_objects(folder: Path) -> None:
    old = tileset(
        tiles={"2": {"animation": [{"tileid": 3, "duration": 0}]}},
        tileproperties={"2": {"deep": 3}, "5": {"b": True}},
        tilepropertytypes={"2": {"deep": "int"}},
    )
    data = tile_map(
        tilesets=[{"firstgid": 1, **old}],
        properties={"a": "#ff0000", "n": 3},
        propertytypes={"a": "color"},
    )
    result = read(folder, data, "json")
    tiles = result.tilesets[0].tiles
    assert result.properties == {"a": (1, 0, 0, 1), "n": 3}
    assert (tiles[2].properties, tiles[5].properties) == ({"deep": 3}, {"b": True})
    assert tiles[2].frames is not None
    assert tiles[2].frames.tolist() == [[3, 1]]  # every frame is shown for a moment


# -- properties ------------------------------------------------------------------------------------


def test_classes_and_lists_within_properties(folder: Path) -> None:
    lock = {"name": "lock", "type": "class", "propertytype": "Lock"}
    inner = [
        {"name": "key", "type": "color", "value": "#ff0000"},
        {**lock, "value": [{"name": "n", "type": "int", "value": 2}]},
    ]
    items = [{"type": "int", "value": 3}, {"type": "string", "value": "x"}]
    listed = {"name": "list", "type": "list", "value": items}
    tmx = read(folder, tile_map(properties=[{**DOOR, "value": inner}, listed]), "tmx").properties
    assert tmx == {"door": {"key": (1, 0, 0, 1), "lock": {"n": 2}}, "list": [3, "x"]}
    tmj = read(
        folder,
        tile_map(properties=[{**DOOR, "value": {"key": "#ff0000", "lock": {"n": 2}}}, listed]),
        "tmj",
    )
    assert tmj.properties == {"door": {"key": "#ff0000", "lock": {"n": 2}}, "list": [3, "x"]}
    blank = (
        '<properties><property name="a" type="list">\n </property><property name="b" type="list"/>'
    )
    blank += '<property name="c" type="class"/>'
    (folder / "blank.tmx").write_text(
        xml_of(tile_map(properties=[listed])).replace("<properties>", blank)
    )
    assert load(folder / "blank.tmx").properties == {"a": [], "b": [], "c": {}, "list": [3, "x"]}


def test_a_class_may_have_many_numbers(folder: Path) -> None:
    value = {"data": list(range(999)), "more": {"data": [1.5, True, None, -3] * 99}}
    assert read(folder, tile_map(properties=[{**DOOR, "value": value}]), "tmj").properties == {
        "door": value
    }


# -- errors ----------------------------------------------------------------------------------------


def wrong(**more: Any) -> dict[str, Any]:
    return tile_map(tile_layer("a", GROUND), **more)


def with_object(**more: Any) -> dict[str, Any]:
    return tile_map(
        {"type": "objectgroup", "name": "o", "objects": [{"id": 1, "x": 0, "y": 0, **more}]}
    )


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    ("data", "words"),
    [
        (wrong(width=-1), "width is .*-1"),
        (
            wrong(width=5),
            "it has 12 numbers, expected 15|it has 12 tiles, expected 15|it has 4 × 3 "
            "tiles, and the map 5 × 3",
        ),
        (wrong(width="wide"), "width is 'wide'"),
        (wrong(width=1 << 25, height=1 << 25), "from 0 to"),
        (wrong(tilewidth=0), "tilewidth is"),
        (wrong(orientation="round"), "one of orthogonal, isometric, staggered, hexagonal, oblique"),
        (
            wrong(orientation="oblique", skewx=1 << 16),
            "skewx is .*65536.*, expected a whole number",
        ),
        (wrong(orientation="oblique", skewy=0.5), "skewy is .*0.5.*, expected a whole number"),
        (wrong(orientation="oblique", skewx=8, skewy=32), "skew: expected tiles with an area"),
        (wrong(orientation="hexagonal", hexsidelength=99), "hex_side"),
        (wrong(backgroundcolor="red"), "expected a color, as #rrggbb"),
        (
            tile_map(
                {
                    "type": "tilelayer",
                    "name": "a",
                    "width": 4,
                    "height": 3,
                    "data": "?",
                    "encoding": "hex",
                }
            ),
            "'hex'",
        ),
        (tile_map(tile_layer("a", GROUND, opacity=2)), "opacity is"),
        (tile_map(tile_layer("a", GROUND, opacity="nan")), "opacity is 'nan'"),
        (wrong(tilesets=[{"firstgid": 0, **tileset()}]), "firstgid is"),
        (wrong(tilesets=[{"firstgid": 1, **tileset()}] * 2), "same firstgid"),
        (wrong(tilesets=[{"firstgid": (1 << 28) - 3, **tileset()}]), "ids above 268,435,455"),
        (
            wrong(tilesets=[{"firstgid": 1, **tileset(tilecount=1 << 30)}]),
            "more than 4,194,304 tiles in tilesets",
        ),
        (
            wrong(tilesets=[{"firstgid": 1, **tileset(image="gone.png")}]),
            "there is no file 'gone.png' beside the map",
        ),
        (
            wrong(tilesets=[{"firstgid": 1, **tileset(image="/etc/passwd")}]),
            "is not a path beside the map",
        ),
        (wrong(tilesets=[{"firstgid": 1, "source": "gone.tsx"}]), "there is no file 'gone.tsx'"),
        (
            wrong(tilesets=[{"firstgid": 1, **tileset(tiles=[{"id": 1 << 27}])}]),
            "tiles in tilesets",
        ),
        (
            wrong(
                tilesets=[
                    {
                        "firstgid": 1,
                        **tileset(tiles=[{"id": 0, "animation": [{"tileid": 8, "duration": 1}]}]),
                    }
                ]
            ),
            "do not exist",
        ),
        (wrong(tilesets=[{"firstgid": 1, **tileset(tilewidth=0)}]), "tilewidth is"),
        (with_object(x="far"), "x is 'far'"),
        (with_object(x=1e300), "x is .*1e.300"),
        (with_object(gid=1 << 33), "gid is"),
        (with_object(template="gone.tx"), "no file 'gone.tx'"),
    ],
)
def test_errors_have_the_name_of_the_file(
    folder: Path, ending: str, data: dict[str, Any], words: str
) -> None:
    with pytest.raises(fw.AssetError, match=words) as caught:
        read(folder, data, ending)
    assert f"cave.{ending}" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "its JSON is broken"),
        ("<map", "its XML is broken: unclosed token, line 1"),
        ("<map></nap>", "mismatched tag"),
        ("<tileset tilewidth='1'/>", "not a map of Tiled"),
        ("{}", "not a map of Tiled"),
        ("[]", "its JSON is not an object"),
        ("[" * 100_000, "nested too deeply"),
        ('{"tilewidth": NaN}', "its JSON has NaN for a number"),
        ("<map tilewidth='1'>" + "<group>" * 200, "nested too deeply"),
        ("\xff\xfe", "neither XML nor JSON"),
        ('<!DOCTYPE a [<!ENTITY x "y">]><map/>', "declarations in a DOCTYPE"),
        (
            '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><map>&x;</map>',
            "declarations in a DOCTYPE",
        ),
        (
            '<!DOCTYPE a SYSTEM "file:///etc/passwd"><map>&x;</map>',
            "an entity 'x', which is declared nowhere",
        ),
        ("<map>&x;</map>", "undefined entity"),
        ("<map><tileset><image><data>AA</data></image></tileset></map>", "an embedded image"),
    ],
)
def test_a_file_that_is_no_map_is_an_error(folder: Path, text: str, words: str) -> None:
    (folder / "cave.tmx").write_bytes(text.encode("latin-1"))
    with pytest.raises(fw.AssetError, match=words):
        load(folder / "cave.tmx")


def test_groups_may_not_be_nested_endlessly(folder: Path) -> None:
    data: dict[str, Any] = {"type": "group", "name": "g", "layers": []}
    for _ in range(80):
        data = {"type": "group", "name": "g", "layers": [data]}
    for ending in ENDINGS:
        with pytest.raises(fw.AssetError, match="nested too deeply"):
            read(folder, tile_map(data), ending)


def test_chunks_may_not_be_too_far_apart(folder: Path) -> None:
    chunks = [{"x": at, "y": at, "width": 1, "height": 1, "data": [1]} for at in (-9_000, 9_000)]
    data = tile_map({"type": "tilelayer", "name": "a", "chunks": chunks}, infinite=True)
    for ending in ENDINGS:
        with pytest.raises(fw.AssetError, match="its chunks lie 18,001 × 18,001 tiles apart"):
            read(folder, data, ending)


def test_cycles_of_templates_and_tilesets_are_errors(folder: Path) -> None:
    write(folder / "a.tx", {"object": {"name": "a", "template": "b.tx"}}, "template")
    write(folder / "b.tx", {"object": {"name": "b", "template": "a.tx"}}, "template")
    with pytest.raises(fw.AssetError, match="in a circle"):
        read(folder, with_object(template="a.tx"), "tmx")
    write(folder / "a.tsx", {"firstgid": 1, "source": "a.tsx"}, "tileset")
    with pytest.raises(fw.AssetError, match="names another"):
        read(folder, wrong(tilesets=[{"firstgid": 1, "source": "a.tsx"}]), "tmx")
    with pytest.raises(fw.AssetError, match="not a tileset"):
        read(folder, wrong(tilesets=[{"firstgid": 1, "source": "cave.tmx"}]), "tmx")


def test_a_large_template_counts_each_time_it_is_used(folder: Path) -> None:
    properties = [{"name": str(number), "value": "x"} for number in range(2_000)]
    write(folder / "a.tx", {"object": {"name": "a", "properties": properties}}, "template")
    objects = [{"id": number, "x": 0, "y": 0, "template": "a.tx"} for number in range(300)]
    with pytest.raises(fw.AssetError, match=r"most for .* properties"):
        read(folder, tile_map({"type": "objectgroup", "name": "o", "objects": objects}), "tmj")


def test_a_map_with_huge_claims_is_refused_before_memory_is_allocated(folder: Path) -> None:
    layer = tile_layer(
        "a",
        [[0]],
        width=6_000,
        height=6_000,
        data=packed([0]),
        encoding="base64",
        compression="zlib",
    )
    with pytest.raises(fw.AssetError, match="more than 33,554,432 cells"):
        read(folder, tile_map(layer, width=6_000, height=6_000), "tmx")


def test_unknown_file_endings_and_compression_levels_are_errors(folder: Path) -> None:
    (folder / "cave.map").write_text("")
    with pytest.raises(
        fw.AssetError, match=r"no format that can be read: \.tmx, \.tmj, \.json, \.ldtk"
    ):
        load(folder / "cave.map")
    with pytest.raises(
        fw.AssetError, match=r"level: only \.ldtk files have levels; remove level='one'"
    ):
        read(folder, tile_map(), "tmx", level="one")
    with pytest.raises(fw.AssetError, match="nearest there is"):
        load(folder / "cav.tmx")


def test_objects_have_world_positions_with_y_up(folder: Path) -> None:
    result = read(folder, full(), "tmx")
    objects = result.layers[-1]
    assert isinstance(objects, ObjectsLayer)
    start: ObjectData = next(item for item in objects.objects if item.name == "start")
    assert result.layout.points((start.x, start.y)).tolist() == [1, 3 * 16 - 2]


def test_reading_a_map_does_not_change_the_maps_of_the_tests(folder: Path) -> None:
    before = json.dumps(OBJECTS)
    read(folder, copy.deepcopy(full()), "tmj")
    assert json.dumps(OBJECTS) == before
