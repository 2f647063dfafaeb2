"""LDtk maps: levels, layers, tiles, entities, and errors in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from aseprites import Cel, aseprite
from ldtks import VALUES, entity, full, layer, level, project, tile, tileset
from PIL import Image
from tiledmaps import pictures, write

import framework as fw
from framework.tiles import map_files, tile_stacks
from framework.tiles.map_data import ImageLayer, MapData, ObjectsLayer, TilesLayer
from framework.tiles.map_loading import load


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return pictures(tmp_path / "maps")


def read(folder: Path, project_json: dict[str, Any], **options: Any) -> MapData:
    return load(write(folder / "cave.ldtk", project_json), **options)


def test_a_level(folder: Path) -> None:
    map_data = read(folder, full())
    assert (map_data.name, map_data.levels, map_data.world) == ("One", ["One", "Two"], (32, -8))
    assert (map_data.width, map_data.height, map_data.tile_size) == (4, 3, (8, 8))
    assert map_data.layout.size == (32, 24)
    assert map_data.background == (16 / 255, 32 / 255, 48 / 255, 1)
    assert map_data.properties == {"music": "calm"}
    assert [map_layer.name for map_layer in map_data.layers] == [
        "background",
        "Far",
        "Far:2",
        "Far:3",
        "Ground",
        "Things",
    ]


def test_the_background_image(folder: Path) -> None:
    sky = read(folder, full()).layers[0]
    assert isinstance(sky, ImageLayer)
    assert sky.image_file is not None
    assert sky.image_file.path == folder / "sky.png"
    assert (sky.offset, sky.scale, sky.crop) == ((1, 2), (2, 3), (0, 1, 4, 5))


@pytest.mark.parametrize(
    ("position", "message"),
    [
        ({"scale": [0, 0]}, "scale is 0, expected a number from 1e-09 to"),
        ({"scale": [2, 0.0]}, "scale is 0.0, expected a number from 1e-09 to"),
        ({"scale": [-1, 1]}, "scale is -1, expected"),
        ({"scale": [1e-300, 1]}, "scale is 1e-300, expected"),
        ({"cropRect": [0, 0, 0, 5]}, "expected x, y, and a width and height above 0"),
        ({"cropRect": [0, 0, 4, -5]}, "expected x, y, and a width and height above 0"),
    ],
)
def test_a_background_image_without_a_size_is_an_asset_error(
    folder: Path, position: dict[str, Any], message: str
) -> None:
    project_json = full()
    project_json["levels"][0]["__bgPos"].update(position)
    with pytest.raises(
        fw.AssetError, match=r"cave\.ldtk' cannot be used: the project\.levels"
    ) as e:
        fw.TileMap(write(folder / "cave.ldtk", project_json))
    assert message in str(e.value)
    assert "__bgPos" in str(e.value)


@pytest.mark.parametrize("crop", [[0.2, 0, 0.3, 5], [7.9999, 0, 1e-4, 5], [0, 0, 8.00001, 9]])
def test_a_thin_strip_of_the_background_image_is_allowed(folder: Path, crop: list[float]) -> None:
    project_json = full()
    project_json["levels"][0]["__bgPos"]["cropRect"] = crop
    sky = read(folder, project_json).layers[0]
    assert isinstance(sky, ImageLayer)
    assert sky.crop == tuple(crop)
    with fw.Game(headless=True, size=(32, 32)) as game:
        background = game.add(fw.TileMap(folder / "cave.ldtk"))["background"]
        game.advance(0)
        assert background.size == pytest.approx((2 * crop[2], 3 * crop[3]))


def test_a_background_image_may_begin_and_end_within_pixels(folder: Path) -> None:
    rng = np.random.default_rng(4)
    image = rng.integers(0, 256, (12, 10, 3), dtype=np.uint8)
    Image.fromarray(image).save(folder / "beach.png")
    placed = {"topLeftPx": [0, 0], "scale": [2, 2.5], "cropRect": [0.5, 1.3, 9, 5.2]}
    project_json = project(level("One", bgRelPath="beach.png", __bgPos=placed, pxWid=18, pxHei=13))
    with fw.Game(headless=True, size=(24, 20), background="black") as game:
        background = game.add(fw.TileMap(write(folder / "cave.ldtk", project_json)))["background"]
        game.advance(0)
        pixels = game.pixels()[..., :3]
        assert background.size == (18, 13)
    columns = np.floor(0.5 + (np.arange(18) + 0.5) / 2).astype(int)
    rows = np.floor(1.3 + (np.arange(13) + 0.5) / 2.5).astype(int)
    np.testing.assert_array_equal(pixels[7:, :18], image[rows][:, columns])
    assert not pixels[:7].any()
    assert not pixels[:, 18:].any()


def test_stacked_shifted_and_translucent_tiles_are_layers(folder: Path) -> None:
    map_data = read(folder, full())
    _, low, high, shifted, *_ = map_data.layers
    assert isinstance(low, TilesLayer)
    assert isinstance(high, TilesLayer)
    assert isinstance(shifted, TilesLayer)
    for tiles_layer in (low, high, shifted):
        assert (
            tiles_layer.opacity,
            tiles_layer.offset,
            tiles_layer.parallax,
            tiles_layer.visible,
        ) == (
            0.5,
            (3, -4),
            (0.75, 1.5),
            True,
        )
    # The shifted tile at (3, 5) lies over the tile at (0, 0) and under the third tile, which is
    # later in the file.
    assert low.tiles.tolist() == [[2, 0x8000_0003, 0, 0], [0] * 4, [0, 0, 0, 36]]
    assert high.tiles.tolist() == [[0xC000_0004, 0, 0, 0], [0] * 4, [0] * 4]
    assert (low.shifts, high.shifts) == (None, None)
    assert shifted.tiles.tolist() == [[0x4000_0005, 0, 0, 0], [0, 6, 0, 0], [0] * 4]
    assert shifted.shifts is not None
    assert shifted.shifts.dtype == np.int16
    assert shifted.shifts[0, 0].tolist() == [3, -5, 255, 0]
    assert shifted.shifts[1, 1].tolist() == [0, 0, 128, 0]
    assert shifted.shifts[2, 2].tolist() == [0, 0, 255, 0]


@pytest.mark.parametrize("allowed", [0, 50, 1 << 20])
@pytest.mark.parametrize("side", [3, 8, 20])
def test_layers_keep_the_order_of_tiles_that_overlap(
    monkeypatch: pytest.MonkeyPatch, allowed: int, side: int
) -> None:
    """Also after the maximum number of comparisons, when tiles are no longer compared."""
    monkeypatch.setattr(tile_stacks, "_MAX_COMPARISONS", allowed)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        count = 120
        positions = rng.integers(0, 6, (count, 2)) * 8
        loose = rng.random(count) < (0.0, 0.1, 0.5)[seed % 3]
        positions[loose] += rng.integers(-12, 12, (int(loose.sum()), 2))
        cells = np.clip(positions // 8, 0, 5)
        is_plain = (cells * 8 == positions).all(axis=1) & (rng.random(count) < 0.95)
        cell = cells[:, 1] * 6 + cells[:, 0]
        layers = tile_stacks.stacked(positions, is_plain, cell, 8, side)
        assert sorted(np.concatenate([tiles for _, tiles in layers]).tolist()) == [*range(count)]
        assert not layers[0][0]
        order = np.empty(count, int)
        for number, (is_shifted, tiles) in enumerate(layers):
            assert len(set(cell[tiles].tolist())) == len(tiles)
            assert (is_plain[tiles] != is_shifted).all()
            order[tiles] = number * 100 + cell[tiles]
        overlap = (np.abs(positions[:, None] - positions) < side).all(axis=2)
        first, second = np.nonzero(np.triu(overlap, 1))
        assert (order[first] < order[second]).all()


def test_shifted_tiles_share_layers() -> None:
    """The case of auto-layers: several rules in a row, each with its own offset."""
    rows, columns = np.mgrid[:20, :20].reshape(2, -1)
    grid = np.column_stack([columns, rows]) * 8
    positions = np.concatenate([grid, grid + (4, 4), grid + (2, 0), grid])
    is_plain = np.repeat([True, False, False, True], 400)
    cell = np.tile(rows * 20 + columns, 4)
    layers = tile_stacks.stacked(positions, is_plain, cell, 8, 8)
    assert [is_shifted for is_shifted, _ in layers] == [False, True, True, False]
    rng = np.random.default_rng(5)
    scattered = rng.permutation(grid + rng.integers(0, 8, grid.shape))
    cells = scattered // 8
    layers = tile_stacks.stacked(
        scattered, np.zeros(400, bool), cells[:, 1] * 20 + cells[:, 0], 8, 8
    )
    assert len(layers) < 14


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gridTiles": [tile(1 << 20, 0, 1)]}, "a tile lies more than 32,767 pixels outside"),
        ({"gridTiles": [tile(0, 0, 1)], "__cWid": 0}, "it has tiles, but no cells"),
    ],
)
def test_tiles_without_a_cell_are_an_error(
    folder: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(fw.AssetError, match=message):
        read(folder, project(level("One", layer("a", "Tiles", **changes))))


def test_values_of_an_int_grid_and_their_names(folder: Path) -> None:
    ground = read(folder, full()).layers[4]
    assert isinstance(ground, TilesLayer)
    assert ground.values is not None
    assert ground.values.dtype == np.int32
    assert ground.values.reshape(-1).tolist() == VALUES
    assert ground.properties["values"] == {1: "wall", 2: "water"}
    assert not ground.visible
    assert ground.tiles[1, 1] == 1 + 9
    plain = read(folder, project(level("One", layer("a", "IntGrid", 3))))
    assert isinstance(plain.layers[0], TilesLayer)
    assert plain.layers[0].values is not None
    assert not plain.layers[0].values.any()


def test_a_large_int_grid_keeps_its_values(folder: Path) -> None:
    values = np.random.default_rng(2).integers(0, 3, (40, 50))
    size = {"__cWid": 50, "__cHei": 40, "intGridCsv": values.reshape(-1).tolist()}
    map_data = read(folder, project(level("One", layer("a", "IntGrid", 3, **size))))
    assert isinstance(map_data.layers[0], TilesLayer)
    assert (map_data.layers[0].values == values).all()


def test_tilesets_have_the_properties_of_their_tiles(folder: Path) -> None:
    project_json = project(level("One", layer("a", "Tiles", gridTiles=[tile(0, 0, 1)])))
    tags = [{"enumValueId": "solid", "tileIds": [1, 2]}]
    project_json["defs"]["tilesets"] = [
        tileset(customData=[{"tileId": 2, "data": "deep"}], enumTags=tags, padding=1, spacing=2)
    ]
    (sheet,) = read(folder, project_json).tilesets
    assert (sheet.name, sheet.first_gid, sheet.tile_size, sheet.columns, sheet.count) == (
        "Sheet",
        1,
        (8, 8),
        9,
        36,
    )
    assert (sheet.margin, sheet.spacing) == (1, 2)
    assert sheet.image_file is not None
    assert (sheet.image_file.path, sheet.image_file.size) == (folder / "sheet.png", (72, 36))
    assert sheet.tiles[2].properties == {"data": "deep", "solid": True}
    assert sheet.tiles[1].properties == {"solid": True}


@pytest.mark.parametrize(("uid", "offset"), [(1, (0, 8)), (2, (-4, 0))])
def test_large_tiles_have_the_pivot_of_their_layer(
    folder: Path, uid: int, offset: tuple[int, int]
) -> None:
    """Tiles of 16 pixels in cells of 8, with a pivot at the top left or bottom center.

    In Tiled the pivot is at the bottom left.
    """
    project_json = project(level("One", layer("a", "Tiles", uid, gridTiles=[tile(0, 0, 1)])))
    project_json["defs"]["tilesets"] = [tileset(tileGridSize=16, __cWid=4, __cHei=2)]
    assert read(folder, project_json).tilesets[0].tile_offset == offset


def test_only_the_requested_level_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grid_tiles = [tile(number % 50 * 8, number // 50 * 8, number % 30) for number in range(1_000)]
    size = {"__cWid": 50, "__cHei": 20, "gridTiles": grid_tiles}
    levels = [level(name, layer("a", "Tiles", **size), pxWid=400, pxHei=160) for name in "ABCDEF"]
    monkeypatch.setattr(map_files, "MAX_VALUES", 14_000)
    (tiles_layer,) = read(folder, project(*levels), level="C").layers
    assert isinstance(tiles_layer, TilesLayer)
    assert (tiles_layer.tiles.reshape(-1) == np.arange(1_000) % 30 + 1).all()
    monkeypatch.setattr(map_files, "MAX_VALUES", 10_000)
    with pytest.raises(fw.AssetError, match="more than 10,000 values in JSON"):
        read(folder, project(*levels))


def test_entities(folder: Path) -> None:
    entities = read(folder, full()).layers[-1]
    assert isinstance(entities, ObjectsLayer)
    player, coin = entities.objects
    assert (player.name, player.class_name, player.kind, coin.name) == (
        "Player",
        "Player",
        "rectangle",
        "Coin",
    )
    assert (player.x, player.y, player.width, player.height) == (16, 4, 8, 12)
    assert player.properties == {
        "hp": 3,
        "glow": (1, 0, 0, 1),
        "glows": [(1, 0, 0, 1), None],
        "way": [{"cx": 1, "cy": 2}],
        "target": {"entityIid": "b"},
        "iid": "a",
    }


def with_entity(
    mode: str = "Stretch", definition: dict[str, Any] | None = None, **more: Any
) -> Any:
    """Return a project with one entity of 8 × 12 pixels at (16, 4), whose pivot is at the bottom."""
    placed = entity(**{"defUid": 20, "__tile": tile_of(16, 8, 16, 24), **more})
    json = project(level("One", layer("Things", "Entities", entityInstances=[placed, entity()])))
    json["defs"]["entities"] = [{"uid": 20, "tileRenderMode": mode, "tileOpacity": 0.5}]
    json["defs"]["tilesets"] = [tileset(**definition or {})]
    return json


def tile_of(x: int, y: int, width: int, height: int, uid: int = 7) -> dict[str, int]:
    return {"tilesetUid": uid, "x": x, "y": y, "w": width, "h": height}


def test_an_entity_with_a_tile_is_a_tile_object(folder: Path) -> None:
    map_data = read(folder, with_entity())
    (things,) = map_data.layers
    assert isinstance(things, ObjectsLayer)
    first, second = things.objects
    assert (first.kind, first.x, first.y, first.width, first.height) == ("tile", 16, 4, 8, 12)
    assert (first.opacity, second.opacity) == (0.5, 1)
    assert (second.kind, second.gid) == ("rectangle", 0)
    match = map_data.tileset_of(first.gid)
    assert match is not None
    tiles, number = match
    assert tiles.tiles[number].box == (16, 8, 16, 24)
    image_file = tiles.tiles[number].image_file
    assert image_file is not None
    assert image_file.path == folder / "sheet.png"


@pytest.mark.parametrize(
    ("mode", "size", "box", "fill_mode"),
    [
        ("Stretch", (8, 8), (16, 8, 16, 24), "stretch"),
        ("FitInside", (8, 8), (16, 8, 16, 24), "preserve-aspect-fit"),
        ("Cover", (8, 8), (16, 16, 16, 16), "stretch"),  # the pivot is at the bottom
        ("Cover", (4, 12), (20, 8, 8, 24), "stretch"),
        ("FullSizeCropped", (8, 12), (20, 20, 8, 12), "stretch"),
        ("FullSizeCropped", (32, 12), (16, 8, 16, 24), "stretch"),
        ("Repeat", (8, 8), (16, 8, 16, 24), "stretch"),
    ],
)
def test_render_modes_of_entities(
    folder: Path,
    mode: str,
    size: tuple[int, int],
    box: tuple[int, int, int, int],
    fill_mode: str,
) -> None:
    map_data = read(folder, with_entity(mode, width=size[0], height=size[1]))
    (tiles,) = map_data.tilesets
    assert tiles.tiles[0].box == box
    assert tiles.fill_mode == fill_mode


def test_entities_share_tilesets_and_leave_the_numbers_of_tiles(folder: Path) -> None:
    entities = [
        entity(__tile=tile_of(0, 0, 8, 8)),
        entity(__tile=tile_of(8, 0, 8, 8)),
        entity(__tile=tile_of(0, 0, 8, 8)),
    ]
    ground = layer("Ground", "Tiles", gridTiles=[tile(0, 0, 5)])
    map_data = read(
        folder, project(level("One", layer("Things", "Entities", entityInstances=entities), ground))
    )
    assert isinstance(map_data.layers[0], TilesLayer)
    assert map_data.layers[0].tiles[0, 0] == 6
    things = map_data.layers[1]
    assert isinstance(things, ObjectsLayer)
    assert [placed.gid for placed in things.objects] == [37, 38, 37]
    assert [tiles.first_gid for tiles in map_data.tilesets] == [1, 37]


def test_sprites_of_entities_have_the_place_and_image_of_the_entities(folder: Path) -> None:
    sheet = np.zeros((36, 72, 4), np.uint8)
    sheet[8:32, 16:32] = (255, 0, 0, 255)
    Image.fromarray(sheet).save(folder / "sheet.png")
    write(folder / "cave.ldtk", with_entity())
    tilemap = fw.TileMap(str(folder / "cave.ldtk"))
    player = tilemap.objects["Player"]
    assert player.position == (20, 14)  # y up, in a level of 24 pixels
    assert player["hp"] == 3
    assert player.points is not None
    assert player.points.min(axis=0).tolist() == [16, 8]
    assert player.points.max(axis=0).tolist() == [24, 20]
    sprites = tilemap["Things"].sprites()
    assert len(sprites) == 1
    assert sprites.position.tolist() == [[20, 14]]
    assert sprites.scale.tolist() == [[0.5, 0.5]]


def test_a_tile_of_an_entity_as_before_ldtk_1(folder: Path) -> None:
    (tiles,) = read(
        folder, with_entity(__tile={"tilesetUid": 7, "srcRect": [16, 8, 16, 24]})
    ).tilesets
    assert tiles.tiles[0].box == (16, 8, 16, 24)
    with pytest.raises(fw.AssetError, match=r"__tile: h is None, expected a whole number"):
        read(folder, with_entity(__tile={"tilesetUid": 7, "srcRect": [16, 8, 16]}))


def test_an_entity_without_an_image_is_a_rectangle(folder: Path) -> None:
    (things,) = read(folder, with_entity(definition={"relPath": None})).layers
    assert isinstance(things, ObjectsLayer)
    assert [placed.kind for placed in things.objects] == ["rectangle", "rectangle"]


def test_tiles_can_be_in_aseprite_files(folder: Path) -> None:
    red = np.full((36, 72, 4), (255, 0, 0, 255), np.uint8)
    (folder / "sheet.aseprite").write_bytes(aseprite(72, 36, [Cel(red)]))
    ground = layer("Ground", "Tiles", gridTiles=[tile(0, 0, 5)])
    things = layer("Things", "Entities", entityInstances=[entity(__tile=tile_of(0, 0, 8, 8))])
    json = project(level("One", things, ground))
    json["defs"]["tilesets"] = [tileset(relPath="sheet.aseprite")]
    write(folder / "cave.ldtk", json)

    class Map(fw.Game):
        def setup(self) -> None:
            self.add(fw.TileMap(str(folder / "cave.ldtk")))

    with Map(size=(32, 24), headless=True) as game:
        game.advance(1 / 60)
        assert game.pixels()[:8, :8, :3].reshape(-1, 3).tolist() == [[255, 0, 0]] * 64


@pytest.mark.parametrize(
    "part", [(64, 0, 16, 8), (0, 30, 8, 8), (0, 0, 0, 8), (0, 0, 8, 0)], ids=str
)
def test_a_tile_of_an_entity_outside_the_image_is_an_error(
    folder: Path, part: tuple[int, int, int, int]
) -> None:
    with pytest.raises(fw.AssetError, match=r"expected a part of the image 'sheet\.png'"):
        read(folder, with_entity(__tile=tile_of(*part)))


def test_levels_by_name_and_number(folder: Path) -> None:
    for choice in ("Two", 1, -1):
        assert read(folder, full(), level=choice).world == (99, -8)
    for wrong in ("Three", 2, -3):
        with pytest.raises(fw.AssetError, match=r"there is no level .*; there are 'One', 'Two'"):
            read(folder, full(), level=wrong)


def test_levels_of_several_worlds_are_one_list(folder: Path) -> None:
    project_json = project(worlds=[{"levels": [level("A")]}, {"levels": [level("B")]}])
    assert read(folder, project_json, level="B").levels == ["A", "B"]


def test_a_level_in_a_separate_file(folder: Path) -> None:
    write(folder / "cave/Two.ldtkl", level("Two", layer("a", "Tiles", gridTiles=[tile(8, 0, 1)])))
    project_json = project(
        level("One"), level("Two", layerInstances=None, externalRelPath="cave/Two.ldtkl")
    )
    project_json["levels"][1]["layerInstances"] = None
    map_data = read(folder, project_json, level="Two")
    assert map_data.layers[0].name == "a"
    assert map_data.tilesets[0].image_file is not None
    assert map_data.tilesets[0].image_file.path == folder / "sheet.png"
    (folder / "cave/Two.ldtkl").unlink()
    with pytest.raises(fw.AssetError, match=r"there is no file 'cave/Two\.ldtkl'"):
        read(folder, project_json, level="Two")


def test_a_grid_fills_a_level_of_any_size(folder: Path) -> None:
    map_data = read(folder, project(level("One", layer("a", "Tiles"), pxWid=30, pxHei=20)))
    assert (map_data.tile_size, map_data.layout.size) == ((2, 2), (30, 20))


@pytest.mark.parametrize(
    ("project_json", "message"),
    [
        ({}, "not a project of LDtk"),
        (project(), "not a project of LDtk, or has no levels"),
        (project(level("One", pxWid=0)), "pxWid is 0"),
        (project(level("One", layer("a", "Lights"))), "one of IntGrid, Tiles, AutoLayer, Entities"),
        (
            project(level("One", layer("a", "Tiles", gridTiles=[tile(0, 0, 99)]))),
            "a tile is number 99 of 36",
        ),
        (
            project(level("One", layer("a", "Tiles", gridTiles=[tile(0, 0, -1)]))),
            "a tile is number",
        ),
        (
            project(level("One", layer("a", "Tiles", gridTiles=[{"px": [0, 0]}]))),
            "t of tiles: expected whole numbers",
        ),
        (
            project(level("One", layer("a", "Tiles", gridTiles=[tile(0, 0, 1, px=[1])]))),
            "px of tiles",
        ),
        (
            project(
                level("One", layer("a", "Tiles", gridTiles=[tile(0, 0, 1), tile(0, 0, 1, px=1)]))
            ),
            "px of tiles: expected 2 numbers",
        ),
        (
            project(level("One", layer("a", "Tiles", gridTiles=[7]))),
            "expected tiles that are objects",
        ),
        (
            project(
                level("One", layer("a", "Tiles", gridTiles=[tile(0, 0, 1)], __tilesetDefUid=8))
            ),
            "has no image",
        ),
        (
            project(level("One", layer("a", "IntGrid", intGridCsv=[1, 2]))),
            "it has 2 tiles, expected 12",
        ),
        (
            project(level("One", layer("a", "IntGrid", intGridCsv=[1 << 31] * 12))),
            "values above 2,147,483,647",
        ),
        (
            project(level("One", layer("a", "Tiles", __cWid=1 << 14, __cHei=1 << 14))),
            "33,554,432 cells",
        ),
        (
            project(level("One", layer("a", "Tiles", gridTiles=[tile(0, 0, 1)] * 5000))),
            "more than 4,096 layers",
        ),
        (project(level("One", bgRelPath="../sky.png")), "leads out of the map's folder"),
    ],
)
def test_errors_have_the_name_of_the_file(
    folder: Path, project_json: dict[str, Any], message: str
) -> None:
    with pytest.raises(fw.AssetError, match=message) as caught:
        read(folder, project_json)
    assert "cave.ldtk" in str(caught.value)
