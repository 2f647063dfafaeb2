"""Tile maps from files: layers, objects, images, sprites between layers, and errors."""

from __future__ import annotations

import json
import math
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ldtks
import numpy as np
import pytest
from drawings import driven
from pictures import solid
from PIL import Image

import framework as fw
from framework import collide
from framework.assets import images
from framework.errors import AssetError
from framework.tiles import tilesets

Make = Callable[..., Any]

MAP = """<?xml version="1.0"?>
<map version="1.10" orientation="{orientation}" width="4" height="3" tilewidth="16" tileheight="16" {more}>
 <properties><property name="title" value="Cave"/></properties>
 <tileset firstgid="1" name="ground" tilewidth="16" tileheight="16" tilecount="6" columns="3">
  <image source="ground.png" width="48" height="32"/>
  <tile id="0"><objectgroup><object id="1" x="0" y="0" width="16" height="16"/></objectgroup></tile>
  <tile id="1"><properties><property name="solid" type="bool" value="true"/></properties></tile>
  <tile id="2"><properties><property name="one_way" type="bool" value="true"/></properties></tile>
  <tile id="3"><objectgroup>
   <object id="1" x="0" y="16"><polygon points="0,0 16,-16 16,0"/></object></objectgroup></tile>
  <tile id="4" type="coin"><properties><property name="value" type="int" value="5"/></properties>
   <animation><frame tileid="4" duration="100"/><frame tileid="5" duration="200"/></animation></tile>
 </tileset>
 {layers}
</map>"""

GROUND = """<layer id="1" name="ground" width="4" height="3"><data encoding="csv">
0,0,0,5,
0,2147483652,3,0,
1,2,6,1</data></layer>"""

COLORS = [(250, 0, 0), (0, 250, 0), (0, 0, 250), (250, 250, 0), (0, 250, 250), (250, 0, 250)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pixels = np.zeros((32, 48, 3), np.uint8)
    for index, color in enumerate(COLORS):
        row, column = divmod(index, 3)
        pixels[16 * row : 16 * row + 16, 16 * column : 16 * column + 16] = color
    Image.fromarray(pixels).save(tmp_path / "ground.png")
    return tmp_path


def ldtk(*names: str) -> dict[str, Any]:
    """Return a file as LDtk writes it, with the same layers in each level."""
    size = {
        "__cWid": 4,
        "__cHei": 3,
        "__gridSize": 16,
        "__opacity": 1,
        "__pxTotalOffsetX": 0,
        "__pxTotalOffsetY": 0,
    }
    common = {
        **size,
        "visible": True,
        "pxOffsetX": 0,
        "pxOffsetY": 0,
        "layerDefUid": 1,
        "seed": 1,
        "levelId": 0,
    }
    empty: dict[str, Any] = {
        "autoLayerTiles": [],
        "gridTiles": [],
        "entityInstances": [],
        "intGridCsv": [],
    }
    tiles = [
        {"px": [16 * column, 32], "src": [16 * kind, 0], "f": 0, "t": kind, "d": [0], "a": 1}
        for column, kind in ((0, 1), (2, 2))
    ]
    image = {"__tilesetDefUid": 7, "__tilesetRelPath": "ground.png"}
    walls = {
        **common,
        **empty,
        **image,
        "__identifier": "Walls",
        "__type": "IntGrid",
        "iid": "a",
        "intGridCsv": [0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1],
        "autoLayerTiles": tiles,
    }
    player = {
        "__identifier": "Player",
        "__grid": [1, 1],
        "__pivot": [0.5, 1],
        "__tags": [],
        "__tile": None,
        "iid": "p",
        "width": 16,
        "height": 16,
        "defUid": 3,
        "px": [24, 24],
        "fieldInstances": [],
        "__worldX": 24,
        "__worldY": 24,
    }
    objects = {
        **common,
        **empty,
        "__identifier": "Things",
        "__type": "Entities",
        "__tilesetDefUid": None,
        "iid": "b",
        "__tilesetRelPath": None,
        "entityInstances": [player],
    }
    levels = [
        {
            "identifier": name,
            "iid": name,
            "uid": index,
            "worldX": 64 * index,
            "worldY": 0,
            "worldDepth": 0,
            "pxWid": 64,
            "pxHei": 48,
            "__bgColor": "#000000",
            "bgColor": None,
            "bgRelPath": None,
            "__bgPos": None,
            "fieldInstances": [],
            "layerInstances": [objects, walls],
            "__neighbours": [],
            "externalRelPath": None,
        }
        for index, name in enumerate(names)
    ]
    tileset = {
        "identifier": "ground",
        "uid": 7,
        "relPath": "ground.png",
        "pxWid": 48,
        "pxHei": 32,
        "tileGridSize": 16,
        "spacing": 0,
        "padding": 0,
        "__cWid": 3,
        "__cHei": 2,
        "customData": [],
        "enumTags": [],
    }
    header = {"fileType": "LDtk Project JSON", "app": "LDtk", "appVersion": "1.5.3"}
    return {
        "__header__": header,
        "jsonVersion": "1.5.3",
        "worldLayout": "Free",
        "externalLevels": False,
        "defs": {"tilesets": [tileset], "layers": [], "entities": [], "enums": []},
        "levels": levels,
        "worlds": [],
    }


def write_map(
    folder: Path, layers: str = GROUND, orientation: str = "orthogonal", more: str = ""
) -> Path:
    path = folder / "cave.tmx"
    path.write_text(MAP.format(layers=layers, orientation=orientation, more=more))
    return path


def at(game: Any, x: int, y: int) -> tuple[int, ...]:
    """Return the color of the pixel at a position, y up."""
    pixels = game.pixels()
    return tuple(pixels[len(pixels) - 1 - y, x, :3].tolist())


def show_map(make: Make, path: Path, **options: Any) -> tuple[Any, Any]:
    game = make(size=(64, 48))
    level = game.add(fw.TileMap(path, **options))
    game.advance(0)
    return game, level


def test_a_map_is_drawn_and_its_tiles_can_be_changed(make: Make, folder: Path) -> None:
    game, level = show_map(make, write_map(folder))
    ground = level["ground"]
    assert ground.tiles.dtype == np.uint32
    assert ground.tiles.shape == (3, 4)
    assert ground.tiles.tolist() == [[0, 0, 0, 5], [0, 4 | fw.TileLayer.FLIP_X, 3, 0], [1, 2, 6, 1]]
    assert level.properties == {"title": "Cave"}
    assert level.size == (64, 48)
    assert [at(game, 8 + 16 * column, 8) for column in range(4)] == [
        COLORS[0],
        COLORS[1],
        COLORS[5],
        COLORS[0],
    ]
    assert at(game, 56, 40) == COLORS[4]
    before = driven(ground).uploaded_bytes
    ground.tiles[0, 0] = 3
    game.advance(0)
    assert at(game, 8, 40) == COLORS[2]
    assert driven(ground).uploaded_bytes - before <= 64
    game.advance(0.2)
    game.advance(0.2)
    assert at(game, 56, 40) == COLORS[5]  # the animation


def test_solid_tiles_come_from_shapes_or_properties_and_slopes_from_polygons(folder: Path) -> None:
    ground = fw.TileMap(write_map(folder))["ground"]
    np.testing.assert_array_equal(ground.solid, np.isin(ground.tiles, [1, 2]))
    np.testing.assert_array_equal(ground.one_way, ground.tiles == 3)
    assert ground.slopes[1, 1].tolist() == [1, 0]  # mirrored
    assert np.count_nonzero(ground.slopes) == 1
    index, flags = collide.move([(24.0, 46.0)], (4, 4), [(0.0, -60.0)], ground)
    assert flags.on_floor[0]
    assert 16 < index[0, 1] < 34
    assert ground.position == (0, 0)
    assert ground.tile_size == (16, 16)


OBJECTS = """<objectgroup id="2" name="things" offsetx="2" offsety="-3">
 <object id="1" name="start" x="10" y="40"><point/></object>
 <object id="2" name="door" type="exit" x="16" y="16" width="8" height="16">
  <properties><property name="to" value="hall"/></properties></object>
 <object id="3" name="gem" gid="5" x="32" y="32" width="16" height="16"/>
 <object id="4" name="gem" gid="5" x="0" y="16" width="16" height="16">
  <properties><property name="value" type="int" value="7"/></properties></object>
 <object id="5" name="path" x="8" y="8"><polyline points="0,0 8,0 8,8"/></object>
 <object id="6" name="turned" x="20" y="20" width="10" height="4" rotation="90"/>
</objectgroup>"""


def test_objects_have_world_positions(folder: Path) -> None:
    level = fw.TileMap(write_map(folder, GROUND + OBJECTS), position=(100, 200))
    x, y = 102, 203 + 48
    objects = level.objects
    assert objects["start"].position == (x + 10, y - 40)
    assert objects["door"].position == (x + 20, y - 24)
    assert objects["door"].size == (8, 16)
    assert objects["door"].points.tolist() == [
        [x + 16, y - 16],
        [x + 24, y - 16],
        [x + 24, y - 32],
        [x + 16, y - 32],
    ]
    assert objects["door"]["to"] == "hall"
    assert [item["value"] for item in objects.of("coin")] == [5, 7]
    assert [item.position for item in objects.named("gem")] == [(x + 40, y - 24), (x + 8, y - 8)]
    assert objects["path"].points.tolist() == [[x + 8, y - 8], [x + 16, y - 8], [x + 16, y - 16]]
    assert objects["turned"].position == pytest.approx((x + 18, y - 25))
    assert objects["turned"].angle == pytest.approx(-np.pi / 2)
    assert "start" in objects
    assert len(objects) == 6
    assert [item.name for item in level["things"]] == [item.name for item in objects]
    with pytest.raises(KeyError, match="there is no object 'end'; there are 'start', 'door'"):
        objects["end"]
    with pytest.raises(KeyError, match="door: this object has no property 'key'; there are 'to'"):
        objects["door"]["key"]
    assert objects["door"].get("key", 3) == 3


def test_the_position_of_an_outline_is_its_first_point_at_any_size(folder: Path) -> None:
    sized = OBJECTS.replace(
        'name="path" x="8" y="8"', 'name="path" x="8" y="8" width="8" height="6"'
    )
    assert sized != OBJECTS
    level = fw.TileMap(write_map(folder, GROUND + sized), position=(100, 200))
    assert level.objects["path"].position == (102 + 8, 203 + 48 - 8)


def test_a_tile_object_has_an_image_for_sprites(make: Make, folder: Path) -> None:
    game, level = show_map(
        make, write_map(folder, GROUND + OBJECTS.replace('offsetx="2" offsety="-3"', ""))
    )
    for item in level.objects.of("coin"):
        game.sprites.add(item.image, position=item.position)
    game.advance(0)
    assert at(game, 40, 24) == COLORS[4]
    assert level.tile_properties(5 | fw.TileLayer.FLIP_X) == {"class": "coin", "value": 5}


@pytest.mark.parametrize("order", ["topdown", "index"])
def test_tile_objects_become_sprites_as_in_tiled(make: Make, folder: Path, order: str) -> None:
    sheet = np.random.default_rng(3).integers(0, 255, (32, 48, 3)).astype(np.uint8)
    Image.fromarray(sheet).save(folder / "ground.png")
    flip_x, flip_y = 0x8000_0000, 0x4000_0000
    # Number, left, lower edge from above, width and height, in pixels. A later
    # object is higher.
    placed = [
        (1, 4, 40, 32, 32),
        (2 | flip_x, 20, 34, 16, 16),
        (3 | flip_y, 28, 33, 16, 32),
        (6, 40, 44, 16, 16),
    ]
    objects = [
        f'<object id="{at}" gid="{gid}" x="{x}" y="{y}" width="{wide}" height="{high}"/>'
        for at, (gid, x, y, wide, high) in enumerate(placed)
    ]
    hidden = '<object id="9" gid="1" x="0" y="48" width="64" height="48" visible="0"/>'
    start = (
        f'<objectgroup id="2" name="things" draworder="{order}"><object id="8" x="1" '
        'y="1"><point/></object>'
    )
    game, level = show_map(
        make, write_map(folder, f"{start}{hidden}{''.join(objects)}</objectgroup>")
    )
    batch = game.add(level["things"].sprites(columns="velocity"))
    game.advance(0)
    expected = np.zeros((48, 64, 3), np.uint8)
    for gid, x, y, wide, high in (
        sorted(placed, key=lambda grid: grid[2]) if order == "topdown" else placed
    ):
        row, column = divmod((gid & 0xFF) - 1, 3)
        tile = sheet[16 * row : 16 * row + 16, 16 * column : 16 * column + 16]
        tile = tile[:: -1 if gid & flip_y else 1, :: -1 if gid & flip_x else 1]
        expected[y - high : y, x : x + wide] = tile.repeat(high // 16, axis=0).repeat(
            wide // 16, axis=1
        )
    assert np.array_equal(game.pixels()[..., :3], expected)
    assert batch.velocity.shape == (5, 2)
    assert len(make().add(fw.TileMap(write_map(folder))).objects.sprites()) == 0


@pytest.mark.parametrize("flips", range(8))
@pytest.mark.parametrize("stretched", [1, 2])
def test_a_tile_object_looks_like_the_tile_of_a_layer(
    make: Make, tmp_path: Path, flips: int, stretched: int
) -> None:
    """With the offset of its tileset and all flips, for a tile that is not square."""
    pixels = picture_sheet(20, 14, 2, 1, 0, 0, 4)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    gid = 2 | flips << 29
    wide, high = 20 * stretched, 14 * stretched
    (tmp_path / "a.tmx").write_text(
        '<map orientation="orthogonal" width="4" height="4" tilewidth="16" tileheight="16">'
        '<tileset firstgid="1" tilewidth="20" tileheight="14" tilecount="2" columns="2">'
        '<tileoffset x="-4" y="3"/><image source="a.png"/></tileset>'
        '<layer name="a" width="4" height="4"><data encoding="csv">'
        f"{','.join([str(gid) if cell == 13 else '0' for cell in range(16)])}</data></layer>"
        f'<objectgroup id="1" name="b"><object id="2" gid="{gid}" x="16" y="64" width="{wide}" '
        f'height="{high}"/></objectgroup></map>'
    )
    shots = []
    for name in "ab":
        game = make(size=(128, 128))
        level = fw.TileMap(tmp_path / "a.tmx")
        game.add(level if name == "a" else level["b"].sprites())
        game.camera.position = 44, 44
        game.advance(0)
        shots.append(game.pixels())
    layer, sprites = shots
    if stretched == 1:
        np.testing.assert_array_equal(sprites, layer)
    left, bottom = 64 - 44 + 16, 64 - 44  # the bottom left corner of the cell in the picture
    piece = layer[128 - bottom - 32 + 3 : 128 - bottom + 3, left - 4 : left + 28]
    large = piece.repeat(stretched, axis=0).repeat(stretched, axis=1)
    edge = 128 - bottom + 3 * stretched
    right = left - 4 * stretched
    part = sprites[edge - len(large) : edge, right : right + large.shape[1]]
    np.testing.assert_array_equal(part, large)
    (item,) = level["b"]
    ys, xs = np.nonzero(sprites[..., :3].any(axis=2))
    corners = item.points + (20, 20)
    assert corners[:, 0].min() <= xs.min() < xs.max() < corners[:, 0].max()
    assert corners[:, 1].min() <= 127 - ys.max() < 127 - ys.min() < corners[:, 1].max()
    assert item.position == pytest.approx((item.points.min(axis=0) + item.points.max(axis=0)) / 2)


def test_an_animated_tile_object_plays_a_clip(make: Make, folder: Path) -> None:
    coin = '<object id="{0}" gid="{0}" x="{1}" y="16" width="16" height="16"/>'
    coins = (
        f'<objectgroup id="2" name="coins">{coin.format(4, 0)}{coin.format(5, 16)}</objectgroup>'
    )
    game, level = show_map(make, write_map(folder, coins))
    batch = game.add(level["coins"].sprites())
    assert batch.playing("5").tolist() == [1]
    frames = []
    for _ in range(24):
        game.advance(1 / 60)
        frames.append(at(game, 24, 40))
        assert at(game, 8, 40) == COLORS[3]
    assert frames[:4] == [COLORS[4]] * 4
    assert frames[8:16] == [COLORS[5]] * 8  # the second frame, from 0.1 to 0.3 seconds
    assert frames[20:] == [COLORS[4]] * 4


def test_animated_tile_objects_have_at_most_as_many_frames_as_clips(folder: Path) -> None:
    coin = (
        '<objectgroup id="2" name="coins"><object id="1" gid="5" x="0" y="16" width="16" '
        'height="16"/></objectgroup>'
    )
    path = write_map(folder, coin)
    frames = '<frame tileid="4" duration="1"/>' * 40_000
    path.write_text(path.read_text().replace("<animation>", f"<animation>{frames}"))
    with pytest.raises(
        AssetError, match="a map's animated tiles: frames: expected 1 to 32,767 numbers of images"
    ):
        fw.TileMap(path).objects.sprites()


def test_tile_objects_have_the_tint_of_their_layer_and_their_own_rotation(folder: Path) -> None:
    item = '<object id="1" gid="1" x="8" y="8" width="16" height="16" rotation="90" opacity="0.5"/>'
    start = (
        '<objectgroup id="2" name="things" tintcolor="#80ff0000" opacity="0.5" '
        'parallaxx="0.5" parallaxy="0.25">'
    )
    level = fw.TileMap(write_map(folder, f"{start}{item}</objectgroup>"))
    sprite = level["things"].sprites()[0]
    # its bottom left corner is at (8, 40), and the object rotates clockwise
    assert tuple(sprite.position) == (16, 32)
    assert sprite.angle == pytest.approx(-math.pi / 2)
    assert tuple(sprite.color) == pytest.approx((1, 0, 0, 128 / 255 / 4))
    assert (level["things"].parallax, level["things"].parallax_origin) == ((0.5, 0.25), (0, 48))


def test_objects_of_isometric_maps_are_on_their_tiles(folder: Path) -> None:
    objects = (
        '<objectgroup id="2" name="o"><object id="1" name="a" x="{}" '
        'y="{}"><point/></object></objectgroup>'
    )
    level = fw.TileMap(write_map(folder, GROUND + objects.format(24, 40), "isometric"))
    assert level.objects["a"].position == level["ground"].cell_center((2, 1))


OBLIQUE_THINGS = """<objectgroup name="o">
 <object name="post" gid="5" x="32" y="48" width="16" height="16"/>
 <object name="box" x="16" y="16" width="32" height="16"/></objectgroup>
 <imagelayer name="sky" offsetx="0" offsety="0"><image source="ground.png"/></imagelayer>"""


@pytest.mark.parametrize("skew", [(8, 0), (-8, 0), (6, -4)])
def test_objects_of_oblique_maps_are_on_their_tiles(
    make: Make, folder: Path, skew: tuple[int, int]
) -> None:
    right, down = skew
    more = f'skewx="{right}" skewy="{down}"'
    path = write_map(folder, GROUND + OBLIQUE_THINGS, "oblique", more)
    game = make(size=(160, 120))
    level = game.add(fw.TileMap(path))
    game.advance(0)
    ground = level["ground"]
    box = level.objects["box"]
    cells = np.array([ground.cell_center((1, column)) for column in (1, 2)])
    assert box.position == tuple(cells.mean(axis=0))
    assert box.points.mean(axis=0).tolist() == list(box.position)
    edges = np.diff(box.points, axis=0)
    assert edges.tolist() == [[32, -2 * down], [right, -16], [-32, 2 * down]]
    # An image is upright, and begins at the bottom left corner of its skewed cell.
    left, top = max(0, -3 * right), int(level.size[1]) - max(0, -4 * down)
    end = left + 4 * 16 + right
    assert at(game, end - 1, top - 3 * down - 2) == COLORS[4]
    assert at(game, end, top - 3 * down - 2) == (0, 0, 0)
    assert level["sky"].position == (left, top - 32)
    # A tile object is upright, with its bottom left corner at its position.
    x, y = left + 32 + 3 * right, top - 48 - 2 * down
    assert level.objects["post"].position == (x + 8, y + 8)
    assert level.objects["post"].points.tolist() == [
        [x, y],
        [x + 16, y],
        [x + 16, y + 16],
        [x, y + 16],
    ]
    with pytest.raises(AttributeError, match="tile_size: oblique tiles have no upright grid"):
        _ = ground.tile_size
    with pytest.raises(TypeError, match="solids: expected a TileGrid"):
        collide.move([(0.0, 0.0)], (1, 1), [(0.0, 0.0)], ground)


ROOF = GROUND.replace('id="1" name="ground"', 'id="3" name="roof"')


def test_sprites_are_drawn_between_layers(make: Make, folder: Path) -> None:
    game, level = show_map(make, write_map(folder, GROUND + ROOF))
    white = solid(4, 4)
    between = game.add(fw.SpriteBatch(white), layer=level["ground"])
    second = game.add(fw.SpriteBatch(solid(2, 2, (9, 9, 9, 255))), layer=level["ground"])
    between.add(position=(40, 40))  # no tile there
    between.add(position=(8, 8))  # under the roof
    second.add(position=(40, 40))
    game.advance(0)
    assert at(game, 40, 40) == (9, 9, 9)
    assert at(game, 38, 38) == (255, 255, 255)
    assert at(game, 8, 8) == COLORS[0]
    level["roof"].visible = False
    game.advance(0)
    assert at(game, 8, 8) == (255, 255, 255)
    with pytest.raises(ValueError, match="is not drawn in this scene"):
        game.add(fw.SpriteBatch(white), layer=fw.TileLayer(fw.TileSet(white, (4, 4)), [[1]]))
    for nothing in ("ground", level.objects):
        with pytest.raises(
            TypeError,
            match="layer: expected a whole number, or a drawable of this scene",
        ):
            game.add(fw.SpriteBatch(white), layer=nothing)  # type: ignore[arg-type]
    game.remove(level)
    game.advance(0)
    assert at(game, 56, 8) == (0, 0, 0)
    assert at(game, 8, 8) == (255, 255, 255)


def test_a_layer_above_sprites_keeps_its_draw_order(make: Make, folder: Path) -> None:
    game, _ = show_map(make, write_map(folder, GROUND + ROOF), layers={"roof": 1})
    game.sprites.add(solid(4, 4), position=(8, 8))
    game.sprites.add(solid(4, 4), position=(40, 40))
    game.advance(0)
    assert at(game, 8, 8) == COLORS[0]
    assert at(game, 40, 40) == (255, 255, 255)


def test_offsets_tints_opacity_groups_and_parallax(make: Make, folder: Path) -> None:
    group = '<group id="5" offsetx="4" offsety="-8" opacity="0.5" parallaxx="0.5">{}</group>'
    attributes = 'name="ground" offsetx="1" opacity="0.8" tintcolor="#80ffff" parallaxx="0.5"'
    layer = GROUND.replace('name="ground"', attributes)
    game, level = show_map(
        make,
        write_map(folder, group.format(layer), more='parallaxoriginx="32" parallaxoriginy="24"'),
    )
    ground = level["ground"]
    assert ground.position == (5, 8)
    assert ground.parallax == (0.25, 1)
    assert ground.parallax_origin == (32, 24)
    assert ground.color == pytest.approx((128 / 255, 1, 1, 0.4))
    np.testing.assert_allclose(at(game, 6, 9), (250 * 128 / 255 * 0.4, 0, 0), atol=1)
    game.camera.position = 32 + 16, 24
    game.camera.teleport()
    game.advance(0)
    assert at(game, 0, 9)[0] == 0
    assert at(game, 1, 9)[0] > 0  # a quarter of 16 to the left, not 16


def test_image_layers_are_backdrops(make: Make, folder: Path) -> None:
    Image.fromarray(np.full((8, 8, 3), 60, np.uint8)).save(folder / "sky.png")
    sky = (
        '<imagelayer id="7" name="sky" offsetx="10" offsety="4" repeatx="1"><image '
        'source="sky.png"/></imagelayer>'
    )
    game, level = show_map(make, write_map(folder, sky + GROUND))
    assert isinstance(level["sky"], fw.Backdrop)
    assert level["sky"].position == (10, 36)
    assert [at(game, x, 40) for x in (0, 9, 40)] == [(60, 60, 60)] * 3
    assert at(game, 0, 45) == (0, 0, 0)
    assert at(game, 56, 40) == COLORS[4]
    assert [part.name for part in level.drawn] == ["sky", "ground"]


def test_layers_with_a_blend_mode_that_cannot_be_drawn_give_one_warning(folder: Path) -> None:
    layers = "".join(
        GROUND.replace('name="ground"', f'name="{mode}" mode="{mode}"')
        for mode in ("normal", "add", "multiply", "screen", "exclusion", "darken", "soft-light")
    )
    path = write_map(folder, layers)
    expected = r"mode Normal: 'darken' \('darken'\), 'soft-light' \('soft-light'\)\. In Tiled"
    with pytest.warns(RuntimeWarning, match=expected) as warned:
        level = fw.TileMap(path)
    assert [warning.filename for warning in warned] == [__file__]
    modes = [layer.blend for layer in level.tile_layers]
    assert modes == ["alpha", "add", "multiply", "screen", "exclusion", "alpha", "alpha"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fw.TileMap(path, warn_differences=False)


def collection_of_frames(folder: Path, sizes: list[tuple[int, int]], attributes: str = "") -> Path:
    """Write a map with a collection of images: tiles 0 and 1 show all images in turn."""
    tiles = ""
    for index, size in enumerate(sizes):
        Image.new("RGB", size, COLORS[index]).save(folder / f"p{index}.png")
        frames = "".join(f'<frame tileid="{k}" duration="100"/>' for k in range(len(sizes)))
        animation = f"<animation>{frames}</animation>" if index < 2 else ""
        tiles += f'<tile id="{index}"><image source="p{index}.png"/>{animation}</tile>'
    collection = (
        f'<tileset firstgid="10" name="lamps" tilewidth="16" tileheight="24" columns="0" '
        f'tilecount="{len(sizes)}" {attributes}>{tiles}</tileset>'
    )
    return write_map(folder, collection + GROUND)


def test_an_animated_tile_with_frames_of_other_sizes_gives_one_warning(folder: Path) -> None:
    path = collection_of_frames(folder, [(16, 16), (16, 16), (16, 24)])
    expected = (
        r"tileset 'lamps': the animation of tile 0 shows tile 2, whose image has another size "
        r"\(more tiles of the map with such frames: 1\)\. Tiled scales each frame to the size of"
    )
    with pytest.warns(RuntimeWarning, match=expected) as warned:
        fw.TileMap(path)
    assert [warning.filename for warning in warned] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fw.TileMap(path, warn_differences=False)


@pytest.mark.parametrize(
    ("sizes", "attributes"),
    [([(16, 16)] * 3, ""), ([(16, 16), (16, 16), (8, 24)], 'tilerendersize="grid"')],
)
def test_frames_of_equal_size_give_no_warning(
    folder: Path, sizes: list[tuple[int, int]], attributes: str
) -> None:
    path = collection_of_frames(folder, sizes, attributes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fw.TileMap(path)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("normal", lambda s, a, d: s + d * (1 - a)),
        ("add", lambda s, a, d: np.minimum(s + d, 1)),
        ("multiply", lambda s, a, d: s * d + d * (1 - a)),
        ("screen", lambda s, a, d: s + d - s * d),
        ("exclusion", lambda s, a, d: s + d - 2 * s * d),
    ],
)
def test_layers_have_the_blend_mode_of_tiled(
    make: Make, folder: Path, mode: str, expected: Callable[..., np.ndarray]
) -> None:
    """The formulas are those of the SVG Compositing Specification for an opaque background. A layer
    of tiles, a layer of an image and the tile of an object follow them."""
    image = Image.new("RGBA", (16, 16), (200, 100, 40, 128))
    image.save(folder / "glow.png")
    attributes = f'mode="{mode}" opacity="0.75"'
    path = folder / "glow.tmx"
    path.write_text(
        '<map orientation="orthogonal" width="3" height="1" tilewidth="16" tileheight="16">'
        '<tileset firstgid="1" tilewidth="16" tileheight="16" tilecount="1" columns="1">'
        '<image source="glow.png"/></tileset>'
        f'<layer name="tiles" width="3" height="1" {attributes}><data encoding="csv">1,0,0</data>'
        f'</layer><imagelayer name="image" offsetx="16" {attributes}><image source="glow.png"/>'
        f'</imagelayer><objectgroup name="objects" {attributes}>'
        '<object id="1" gid="1" x="32" y="16" width="16" height="16"/></objectgroup></map>'
    )
    background = np.array([0.2, 0.6, 0.8])
    game = make(size=(48, 16), background=tuple(background))
    level = game.add(fw.TileMap(path, expect_solid=False))
    game.add(level["objects"].sprites())
    game.camera.position = 24, 8
    game.advance(0)
    alpha = 0.75 * 128 / 255
    source = np.array([200, 100, 40]) / 255 * alpha
    below = np.round(background * 255) / 255
    want = expected(source, alpha, below) * 255
    for x in (8, 24, 40):
        assert np.abs(np.array(at(game, x, 8)) - want).max() <= 1.5, x


def test_the_transparent_color_of_an_image(make: Make, folder: Path) -> None:
    path = write_map(folder)
    path.write_text(
        path.read_text().replace('source="ground.png"', 'source="ground.png" trans="fa0000"')
    )
    game, _ = show_map(make, path)
    assert at(game, 8, 8) == (0, 0, 0)
    assert at(game, 24, 8) == COLORS[1]


def test_tiles_scaled_to_the_size_of_cells(make: Make, folder: Path) -> None:
    Image.fromarray(np.full((32, 64, 3), 70, np.uint8)).save(folder / "big.png")
    path = folder / "cave.tmx"
    big = (
        '<tileset firstgid="7" name="big" tilewidth="64" tileheight="32" tilecount="1" '
        'columns="1" {}>'
    )
    big += '<image source="big.png"/></tileset><layer'
    fit = 'tilerendersize="grid" fillmode="preserve-aspect-fit"'
    for number, attributes, expected in (
        (7, "", {(20, 20): 70, (62, 20): 70, (20, 44): 70, (2, 20): 0}),
        (7, 'tilerendersize="grid"', {(20, 20): 70, (31, 31): 70, (33, 38): 0}),
        (7, fit, {(17, 24): 70, (30, 24): 70, (24, 18): 0, (24, 30): 0}),
        (7 | fw.TileLayer.SWAP, fit, {(24, 17): 70, (24, 30): 70, (18, 24): 0, (30, 24): 0}),
    ):
        layers = GROUND.replace("2147483652", str(number))
        write_map(folder, layers.replace("<layer", big.format(attributes), 1))
        game, _ = show_map(make, path)
        assert {
            index: at(game, *index)[2] if at(game, *index) == (70, 70, 70) else 0
            for index in expected
        } == expected


def test_a_map_without_drawing_has_everything_but_images(make: Make, folder: Path) -> None:
    class Level(fw.Game):
        saved = ("level",)

        def setup(self) -> None:
            self.level = self.add(fw.TileMap(folder / "cave.tmx"))

        def update(self, dt: float) -> None:
            self.level["ground"].tiles[0, self.random.integers(0, 4)] = self.random.integers(0, 7)

    write_map(folder, GROUND + OBJECTS)
    game = make(Level, drawing=False)
    game.run_ticks(4)
    digest, snapshot, tiles = game.state_hash(), game.snapshot(), game.level["ground"].tiles.copy()
    game.save(path=folder / "level.save")
    game.run_ticks(10)
    assert game.state_hash() != digest
    game.restore(snapshot)
    assert game.state_hash() == digest
    game.level["ground"].tiles[:] = 0
    game.load(path=folder / "level.save")
    assert game.level["ground"].tiles.tolist() == tiles.tolist()
    assert game.level["ground"].solid[2].tolist() == [True, True, False, True]
    assert fw.sync_test(Level, ticks=16).ok


def test_the_folder_of_a_map_is_not_part_of_the_state(make: Make, folder: Path) -> None:
    class Level(fw.Game):
        def setup(self) -> None:
            self.level = self.add(fw.TileMap(here / "cave.tmx"))

    hashes = []
    for name in ("one", "other"):
        here = folder / name
        here.mkdir()
        shutil.copy(folder / "ground.png", here)
        write_map(here, GROUND + OBJECTS)
        hashes.append(make(Level, drawing=False).state_hash())
    assert hashes[0] == hashes[1]


def test_a_map_file_is_searched_beside_the_game(
    make: Make, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_map(folder)
    program = folder / "cave.py"
    program.write_text(
        "import framework as fw\n"
        "class Cave(fw.Game):\n"
        "    def setup(self):\n"
        "        self.level = self.add(fw.TileMap('cave.tmx'))\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    module = __import__("cave")
    game = make(module.Cave)
    assert "ground" in game.level


def test_a_terrain_selects_matching_tiles(folder: Path) -> None:
    path = write_map(folder)
    colors = '<wangcolor name="earth" color="#ff0000" tile="-1" probability="1"/>'
    tile = '<wangtile tileid="4" wangid="1,1,1,1,1,1,1,1"/>'
    wang = (
        '<wangsets><wangset name="earth" type="mixed" '
        f'tile="-1">{colors}{tile}</wangset></wangsets></tileset>'
    )
    path.write_text(path.read_text().replace("</tileset>", wang))
    level = fw.TileMap(path)
    level["ground"].tiles = level.autotile(np.ones((3, 4), bool), "earth")
    assert (level["ground"].tiles == 5).all()
    with pytest.raises(KeyError, match="the map has no terrain 'water'; there are 'earth'"):
        level.autotile([[True]], "water")


def loose_project(folder: Path, tiles: list[dict[str, Any]], **options: Any) -> Path:
    """Return a project with a level of 64 x 48 of these tiles of `sheet.png`, which has 16 tiles of 16 x
    16."""
    pixels = picture_sheet(16, 16, 4, 4, 0, 0, 6)
    Image.fromarray(pixels).save(folder / "sheet.png")
    tileset = ldtks.tileset(pxWid=64, pxHei=64, tileGridSize=16, __cWid=4, __cHei=4)
    size = {"__gridSize": 16, "__cWid": 4, "__cHei": 3, "gridTiles": tiles}
    level = ldtks.level("One", ldtks.layer("a", "Tiles", **size, **options), pxWid=64, pxHei=48)
    project = ldtks.project(level)
    project["defs"]["tilesets"] = [tileset]
    path = folder / "loose.ldtk"
    path.write_text(json.dumps(project))
    return path


def loose_tiles(seed: int, count: int) -> list[dict[str, Any]]:
    """Return tiles on the grid, off the grid, over the edge, flipped and translucent."""
    rng = np.random.default_rng(seed)
    tiles = []
    for _ in range(count):
        x, y = (rng.integers(0, (4, 3)) * 16).tolist()
        if rng.random() < 0.4:
            x, y = x + int(rng.integers(-20, 20)), y + int(rng.integers(-20, 20))
        alpha = 1 if rng.random() < 0.8 else 0.4
        flips = int(rng.integers(0, 4))
        tiles.append({"px": [x, y], "t": int(rng.integers(16)), "f": flips, "a": alpha})
    return tiles


def paint(tiles: list[dict[str, Any]], background: tuple[int, ...], margin: int) -> np.ndarray:
    """Draw the tiles one after another on a canvas with a margin around the level."""
    sheet = picture_sheet(16, 16, 4, 4, 0, 0, 6)
    canvas = np.full((48 + 2 * margin, 64 + 2 * margin, 3), background, float)
    for tile in tiles:
        row, column = divmod(tile["t"], 4)
        picture = sheet[row * 16 : row * 16 + 16, column * 16 : column * 16 + 16]
        picture = picture[:, ::-1] if tile["f"] & 1 else picture
        picture = picture[::-1] if tile["f"] & 2 else picture
        x, y = (index + margin for index in tile["px"])
        into = canvas[y : y + 16, x : x + 16]
        alpha = picture[..., 3:] / 255 * tile["a"]
        into[:] = into * (1 - alpha) + picture[..., :3] * alpha
    return canvas


@pytest.mark.parametrize("seed", range(3))
def test_tiles_of_ldtk_are_drawn_in_the_order_of_the_file(
    make: Make, tmp_path: Path, seed: int
) -> None:
    tiles = loose_tiles(seed, 60)
    path = loose_project(tmp_path, tiles)
    game = make(size=(128, 112), background=(16 / 255, 32 / 255, 48 / 255))
    game.add(fw.TileMap(path))  # no other object has to be added
    game.camera.position = 32, 24
    game.advance(0)
    expected = paint(tiles, (16, 32, 48), 32)
    assert np.abs(game.pixels()[..., :3] - expected).max() <= 4


def test_loose_tiles_are_restored_saved_and_changed(make: Make, tmp_path: Path) -> None:
    class Level(fw.Game):
        saved = ("level",)

        def setup(self) -> None:
            self.level = self.add(fw.TileMap(loose_project(tmp_path, tiles)))

    tiles = [
        {"px": [0, 0], "t": 1, "f": 0, "a": 1},
        {"px": [5, 3], "t": 2, "f": 0, "a": 0.4},
    ]
    game = make(Level, size=(64, 48))
    game.advance(0)
    before = game.pixels()
    snapshot, digest = game.snapshot(), game.state_hash()
    game.save(path=tmp_path / "a.save")
    loose = game.level["a:2"]
    assert loose.tiles.tolist() == [[3, 0, 0, 0], [0] * 4, [0] * 4]
    loose.tiles[0, 0] = 5  # the new tile has the offset and the alpha of its cell
    game.advance(0)
    changed = [tiles[0], {**tiles[1], "t": 4}]
    assert np.abs(game.pixels()[..., :3] - paint(changed, (0, 0, 0), 0)[:48, :64]).max() <= 4
    loose.tiles[0, 0] = 0
    loose.tiles[2, 3] = 6  # a cell without a tile: on the grid, and opaque
    game.advance(0)
    moved = [tiles[0], {"px": [48, 32], "t": 5, "f": 0, "a": 1}]
    assert np.abs(game.pixels()[..., :3] - paint(moved, (0, 0, 0), 0)).max() <= 4
    for back in (lambda: game.restore(snapshot), lambda: game.load(path=tmp_path / "a.save")):
        loose.tiles[:] = 1
        back()
        game.advance(0)
        assert game.state_hash() == digest
        np.testing.assert_array_equal(game.pixels(), before)


def test_loose_tiles_move_if_the_file_changes(make: Make, tmp_path: Path) -> None:
    tiles = [{"px": [5, 3], "t": 2, "f": 0, "a": 1}]
    path = loose_project(tmp_path, tiles)
    game = make(size=(64, 48))
    level = game.add(fw.TileMap(path))
    game.advance(0)
    tiles[0]["px"] = [9, 1]
    loose_project(tmp_path, tiles)
    assert level._reload({str(path.resolve())})
    game.advance(0)
    assert np.abs(game.pixels()[..., :3] - paint(tiles, (0, 0, 0), 0)).max() <= 4
    tiles[0]["px"] = [16, 16]  # on the grid: no layer has offsets any longer
    loose_project(tmp_path, tiles)
    with pytest.raises(AssetError, match="other layers"):
        level._reload({str(path.resolve())})


def test_a_level_of_ldtk(make: Make, folder: Path) -> None:
    path = folder / "world.ldtk"
    path.write_text(json.dumps(ldtk("Hall", "Cellar")))
    game, level = show_map(make, path, level="Cellar")
    assert (level.name, level.levels) == ("Cellar", ["Hall", "Cellar"])
    assert level.size == (64, 48)
    walls = level["Walls"]
    assert walls.values.tolist() == [[0, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]]
    assert walls.tile_size == (16, 16)
    assert [at(game, 8 + 16 * column, 8) for column in (0, 2)] == [COLORS[1], COLORS[2]]
    assert at(game, 24, 40) == (0, 0, 0)
    assert level.objects.of("Player")[0].position == (24, 32)
    with pytest.raises(AssetError, match="Attic"):
        fw.TileMap(path, level="Attic")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (('source="ground.png"', 'source="none.png"'), "none.png"),
        (('tilecount="6"', 'tilecount="60"'), "is too small for 60 tiles in 3 columns of 16×16"),
        (
            ("1,2,6,1", "1,2,9,1"),
            "layer 'ground': tiles: row 2, column 2 has tile 9; there are 1 to 6",
        ),
        (
            ('<image source="ground.png" width="48" height="32"/>', ""),
            "tileset 'ground' has no image",
        ),
    ],
)
def test_errors_in_a_file_are_reported(folder: Path, change: tuple[str, str], words: str) -> None:
    path = write_map(folder)
    path.write_text(path.read_text().replace(*change))
    with pytest.raises(AssetError) as error:
        fw.TileMap(path)
    assert words in str(error.value)
    assert "cave.tmx" in str(error.value)


def test_wrong_arguments_are_refused(folder: Path) -> None:
    path = write_map(folder, GROUND + OBJECTS)
    with pytest.raises(AssetError, match="There is no file"):
        fw.TileMap("nowhere.tmx")
    with pytest.raises(KeyError, match="the map has no layer 'roof'; there are 'ground', 'things'"):
        fw.TileMap(path)["roof"]
    with pytest.raises(KeyError, match="the map has no layer 'roof'"):
        fw.TileMap(path, layers={"roof": 1})
    with pytest.raises(ValueError, match="'things' is a layer of objects"):
        fw.TileMap(path, layers={"things": 1})
    with pytest.raises(TypeError, match="path: expected a path"):
        fw.TileMap(3)


def test_a_grown_tileset_ends_at_the_first_number_of_the_next(make: Make, folder: Path) -> None:
    path = write_map(folder)
    more = (
        '<tileset firstgid="5" name="more" tilewidth="16" tileheight="16" tilecount="6" '
        'columns="3">'
    )
    more += '<image source="ground.png"/></tileset><layer'
    path.write_text(path.read_text().replace("<layer", more, 1))
    game, _ = show_map(make, path)
    assert at(game, 40, 8) == COLORS[1]


def test_a_tileset_whose_image_has_grown_has_the_tiles_of_the_image(
    make: Make, folder: Path
) -> None:
    """As in Tiled, the columns and the count are those of the image."""
    pixels = np.zeros((48, 64, 3), np.uint8)
    for index in range(12):
        row, column = divmod(index, 4)
        pixels[16 * row : 16 * row + 16, 16 * column : 16 * column + 16] = 20 * index + 20
    Image.fromarray(pixels).save(folder / "ground.png")  # the file says three columns and two rows
    ground = '<layer id="1" name="ground" width="4" height="3"><data encoding="csv">'
    game, level = show_map(
        make, write_map(folder, f"{ground}0,0,0,0, 0,0,0,0, 4,7,12,1</data></layer>")
    )
    shades = [at(game, 8 + 16 * column, 8)[0] for column in range(4)]
    assert shades == [80, 140, 240, 20]
    assert level["ground"].solid[2].tolist() == [False, False, False, True]
    with pytest.raises(AssetError, match="has tile 13; there are 1 to 12"):
        fw.TileMap(write_map(folder, f"{ground}0,0,0,0, 0,0,0,0, 4,7,13,1</data></layer>"))


def test_a_map_without_a_solid_tile_gives_one_warning(folder: Path) -> None:
    bare = MAP.split(" <tile id")[0] + " </tileset>{layers}</map>"
    path = folder / "bare.tmx"
    path.write_text(bare.format(layers=GROUND, orientation="orthogonal", more=""))
    level = fw.TileMap(path)
    assert not level["ground"].solid.any()  # reading `solid` is not a collision
    with pytest.warns(RuntimeWarning, match=r"bare\.tmx.* no solid tile.*expect_solid") as error:
        collide.move([(8, 30)], (8, 8), [(0, -9)], level["ground"])
    collide.move([(8, 30)], (8, 8), [(0, -9)], level["ground"])
    assert len(error) == 1
    assert error[0].filename == __file__
    quiet = fw.TileMap(path, expect_solid=False)
    collide.move([(8, 30)], (8, 8), [(0, -9)], quiet["ground"])
    solid_map = fw.TileMap(write_map(folder))
    collide.move([(8, 30)], (8, 8), [(0, -9)], solid_map["ground"])
    project = folder / "world.ldtk"
    project.write_text(json.dumps(ldtk("Hall")))
    walls = fw.TileMap(project)["Walls"]
    with pytest.warns(RuntimeWarning, match=r"collide\.TileGrid\(layer\.values == 1"):
        collide.move([(8, 30)], (8, 8), [(0, -9)], walls)


# -- compared with a plain renderer that supports all settings of tilesets -------------------------


def picture_sheet(
    width: int, height: int, columns: int, rows: int, margin: int, spacing: int, seed: int
) -> np.ndarray:
    """Return tiles of noise with holes and spacing."""
    rng = np.random.default_rng(seed)
    size = (
        2 * margin + rows * (height + spacing) - spacing,
        2 * margin + columns * (width + spacing) - spacing,
    )
    pixels = rng.integers(1, 256, (*size, 4), dtype=np.uint8)
    pixels[..., 3] = np.where(rng.random(size) < 0.3, 0, 255)
    return pixels


@pytest.mark.parametrize("order", ["right-down", "right-up", "left-down", "left-up"])
def test_sets_with_margins_offsets_and_sizes_in_every_render_order(
    make: Make, tmp_path: Path, order: str
) -> None:
    # first number, width, height, columns, rows, margin, spacing, offset in x and y (down)
    sets = [
        (1, 16, 16, 3, 2, 0, 0, 0, 0),
        (7, 21, 35, 2, 2, 3, 2, -5, 7),
        (40, 9, 12, 4, 1, 1, 0, 3, -4),
    ]
    attributes, pictures = "", {}
    for first, width, height, columns, rows, margin, spacing, right, down in sets:
        pixels = picture_sheet(width, height, columns, rows, margin, spacing, first)
        Image.fromarray(pixels).save(tmp_path / f"{first}.png")
        attributes += (
            f'<tileset firstgid="{first}" name="{first}" tilewidth="{width}" '
            f'tileheight="{height}" margin="{margin}" '
            f'spacing="{spacing}" tilecount="{columns * rows}" columns="{columns}">'
            f'<tileoffset x="{right}" y="{down}"/><image source="{first}.png"/></tileset>'
        )
        for index in range(columns * rows):
            top, left = (
                margin + index // columns * (height + spacing),
                margin + index % columns * (width + spacing),
            )
            pictures[first + index] = pixels[top : top + height, left : left + width], right, down
    rng = np.random.default_rng(9)
    tiles = rng.choice([0, *pictures], (7, 9)) | (rng.integers(0, 8, (7, 9)) << 29)
    tiles[tiles & 0xFFFFFFF == 0] = 0
    data = ",\n".join(",".join(map(str, row)) for row in tiles.tolist())
    (tmp_path / "a.tmx").write_text(
        f'<map orientation="orthogonal" renderorder="{order}" width="9" height="7" '
        'tilewidth="16" tileheight="16">'
        f"{attributes}"
        f'<layer name="a" width="9" height="7"><data encoding="csv">{data}</data></layer></map>'
    )
    game = make(size=(144 + 80, 112 + 80))
    level = game.add(fw.TileMap(tmp_path / "a.tmx"))
    game.camera.position = 72, 56
    game.advance(0)
    expected = np.zeros((112 + 80, 144 + 80, 3), np.uint8)
    for row in range(7)[:: 1 if "down" in order else -1]:
        for column in range(9)[:: 1 if "right" in order else -1]:
            cell = int(tiles[row, column])
            if cell:
                picture, right, down = pictures[cell & 0xFFFFFFF]
                picture = picture.swapaxes(0, 1) if cell & fw.TileLayer.SWAP else picture
                picture = picture[:, ::-1] if cell & fw.TileLayer.FLIP_X else picture
                picture = picture[::-1] if cell & fw.TileLayer.FLIP_Y else picture
                left, bottom = 40 + 16 * column + right, 40 + 16 * row + 16 + down
                into = expected[bottom - len(picture) : bottom, left : left + picture.shape[1]]
                into[:] = np.where(picture[..., 3:] > 0, picture[..., :3], into)
    np.testing.assert_array_equal(game.pixels()[..., :3], expected)
    assert driven(level["a"]).calls == 1


def test_only_orthogonal_maps_use_a_render_order_as_in_tiled(make: Make, tmp_path: Path) -> None:
    Image.fromarray(picture_sheet(20, 24, 2, 1, 0, 0, 3)).save(tmp_path / "a.png")
    pictures = []
    for order in ("right-down", "left-up"):
        (tmp_path / "a.tmx").write_text(
            f'<map orientation="staggered" renderorder="{order}" width="2" height="4" '
            'tilewidth="16" tileheight="8">'
            '<tileset firstgid="1" tilewidth="20" tileheight="24" tilecount="2" '
            'columns="2"><image source="a.png"/>'
            '</tileset><layer name="a" width="2" height="4"><data '
            'encoding="csv">1,2,2,1,1,2,1,2</data></layer></map>'
        )
        game = make(size=(64, 48))
        game.add(fw.TileMap(tmp_path / "a.tmx"))
        game.camera.position = 20, 16
        game.advance(0)
        pictures.append(game.pixels())
    assert pictures[0][..., :3].any()
    np.testing.assert_array_equal(*pictures)


def test_a_map_can_be_removed_and_added_again_and_belongs_to_one_game(
    make: Make, folder: Path
) -> None:
    game, level = show_map(make, write_map(folder))
    before = game.pixels()
    game.remove(level)
    game.advance(0)
    assert not game.pixels()[..., :3].any()
    level["ground"].tiles[0, 0] = 3
    game.add(level)
    game.advance(0)
    assert at(game, 8, 40) == COLORS[2]
    level["ground"].tiles[0, 0] = 0
    game.advance(0)
    np.testing.assert_array_equal(game.pixels(), before)
    with pytest.raises(ValueError, match="added to a game already"):
        make().add(level)
    game.remove(level["ground"])
    second = make()
    second.add(level["ground"])
    second.advance(0)


def test_rewind_restores_a_map(make: Make, folder: Path) -> None:
    class Digging(fw.Game):
        def setup(self) -> None:
            self.level = self.add(fw.TileMap(folder / "cave.tmx"))

        def update(self, dt: float) -> None:
            ground = self.level["ground"]
            ground.tiles[2, self.tick % 4] = self.tick % 7

    write_map(folder)
    game = make(Digging, size=(64, 48))
    game.recording.rewind = fw.Rewind(duration=10)
    pictures, tiles = [], []
    for _ in range(30):
        game.advance(1 / 60)
        tiles.append(game.level["ground"].tiles.copy())
        pictures.append(game.pixels())
    game.recording.rewind.seek(12)
    game.advance(0)
    assert game.tick == 12
    index = next(
        index for index, grid in enumerate(tiles) if (grid == game.level["ground"].tiles).all()
    )
    assert abs(index - 12) <= 1
    np.testing.assert_array_equal(game.pixels()[:16], pictures[index][:16])


def test_a_collection_of_images_with_gaps(make: Make, folder: Path) -> None:
    for index, size in ((2, (16, 16)), (7, (8, 24))):
        Image.new("RGB", size, COLORS[index % 6]).save(folder / f"p{index}.png")
    collection = (
        '<tileset firstgid="10" name="things" tilewidth="16" tileheight="24" tilecount="2" '
        'columns="0">'
    )
    for index in (2, 7):
        collection += f'<tile id="{index}"><image source="p{index}.png"/></tile>'
    layer = GROUND.replace("0,0,0,5", "0,0,12,17").replace(
        "2147483652", str(17 + fw.TileLayer.SWAP)
    )
    game, level = show_map(make, write_map(folder, collection + "</tileset>" + layer))
    assert at(game, 40, 40) == COLORS[2]
    assert [at(game, x, 47) for x in (49, 57)] == [COLORS[1], (0, 0, 0)]
    # The tile lies on its side: 24 pixels wide, and the next tile covers the last eight.
    assert [at(game, x, 18) for x in (17, 31, 39)] == [COLORS[1], COLORS[1], COLORS[2]]
    assert at(game, 17, 25) == (0, 0, 0)
    assert level._tilesets.numbers.tolist() == [*range(1, 7), 12, 17]
    level["ground"].tiles[0, 0] = 13
    with pytest.raises(ValueError, match="has tile 13; there are 1 to 17, not all of them"):
        game.advance(0)


@pytest.mark.parametrize(
    "orientation", ["orthogonal", "isometric", "staggered", "hexagonal", "oblique"]
)
def test_objects_of_an_infinite_map_are_on_their_tiles(folder: Path, orientation: str) -> None:
    chunks = ",".join("1" if index == 5 else "0" for index in range(16))
    layer = '<layer name="ground" width="4" height="3"><data encoding="csv">'
    for column, row in ((-3, -8), (1, 4)):
        layer += f'<chunk x="{column}" y="{row}" width="4" height="4">{chunks}</chunk>'
    layer += "</data></layer>"
    # In the center of column 2, row 5, at the tile of the second chunk.
    x, y = (2 + 0.5) * 16, (5 + 0.5) * 16
    # rows are half a tile apart, and odd ones shifted
    if orientation in ("staggered", "hexagonal"):
        x, y = x + 8, 5 * 8 + 8
    objects = (
        f'<objectgroup name="o"><object name="here" x="{x}" y="{y}"><point/></object></objectgroup>'
    )
    level = fw.TileMap(
        write_map(folder, layer + objects, orientation, 'infinite="1" skewx="-5" skewy="3"')
    )
    ground = level["ground"]
    assert ground.tiles.shape == (16, 8)
    first, second = np.argwhere(ground.tiles == 1).tolist()
    assert (second[0] - first[0], second[1] - first[1]) == (12, 4)
    assert level.objects["here"].position == pytest.approx(ground.cell_center(tuple(second)))
    assert ground.world_to_cell(level.objects["here"].position) == tuple(second)


def test_images_named_several_times_are_loaded_once_and_have_bounds(
    make: Make, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = (
        '<tileset firstgid="10" name="same" tilewidth="48" tileheight="32" tilecount="200" '
        'columns="0">'
    )
    for index in range(200):
        trans = ' trans="fa0000"' if index % 2 else ""
        collection += f'<tile id="{index}"><image source="ground.png"{trans}/></tile>'
    path = write_map(folder, collection + "</tileset>" + GROUND.replace("0,0,0,5", "0,0,0,10"))
    loaded: list[Any] = []
    plain = images.load
    monkeypatch.setattr(
        images, "load", lambda source, *more: loaded.append(source) or plain(source, *more)
    )
    game, level = show_map(make, path)
    assert len(loaded) <= 5
    assert len(level._tilesets.numbers) == 206
    assert game.pixels()[..., :3].any()
    monkeypatch.setattr(tilesets, "MAX_PIXELS", 6 * 256 + 2 * 48 * 32 - 1)
    with pytest.raises(AssetError, match="its tiles have 4,608 pixels, a map's may have 4,607"):
        fw.TileMap(path)


TWO_LAYERS = GROUND + GROUND.replace('"ground"', '"roof"').replace('"1"', '"2"')


def test_layers_that_share_a_reloaded_image_are_drawn(make: Make, folder: Path) -> None:
    (folder / "map.tmx").write_text(
        MAP.format(orientation="orthogonal", more="", layers=TWO_LAYERS)
    )
    game = make(size=(64, 48))
    level = game.add(fw.TileMap(folder / "map.tmx"))
    game.advance(1 / 60)
    before = game.pixels()
    pixels = np.array(Image.open(folder / "ground.png"))
    Image.fromarray(255 - pixels).save(folder / "ground.png")
    files = frozenset([str(folder / "ground.png")])
    renewed = [driven(layer).renew(files) for layer in level.tile_layers]
    assert renewed == [True, True]
    game.advance(1 / 60)
    covered = before[..., :3].any(axis=2)
    assert (game.pixels()[covered][:, :3] == 255 - before[covered][:, :3]).all()
    assert not driven(level["roof"]).renew(frozenset(["other.png"]))


def test_dir_lists_no_internal_names() -> None:
    driven_names = {"attach", "begin_tick", "draw", "hand_over", "renew", "release", "composed_of"}
    for kind in (fw.TileMap, fw.TileLayer, fw.Backdrop):
        names = {name for name in dir(kind) if name[0] != "_"}
        assert not names & (driven_names | {"not_state", "layout", "tilesets", "calls"})
