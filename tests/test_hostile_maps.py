"""Hostile map files: files that would take much time or memory each end quickly in one clear
`AssetError`.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import ldtks
import numpy as np
import pytest
from tiledmaps import pictures

import framework as fw
from framework.tiles import tilemap
from framework.tiles.map_data import ObjectData, TileInfo, Tileset
from framework.tiles.map_files import MapFiles
from framework.tiles.map_loading import load
from framework.tiles.tiled_sets import Tilesets

SHEET = '<tileset firstgid="1" tilewidth="8" tileheight="8" tilecount="16" columns="4">{}</tileset>'
TILE = ldtks.tile(0, 0, 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pictures(tmp_path_factory.mktemp("hostile"))


def tiled(folder: Path, body: str, tileset: str = "", attributes: str = "") -> Path:
    path = folder / "hostile.tmx"
    path.write_text(
        f'<map width="2" height="2" tilewidth="8" tileheight="8" {attributes}>{tileset}{body}</map>'
    )
    return path


def ldtk(folder: Path, *layers: Any, **changes: Any) -> Path:
    project = ldtks.project(ldtks.level("One", *layers, pxWid=32, pxHei=24))
    project["defs"]["tilesets"] = [ldtks.tileset()]
    path = folder / "hostile.ldtk"
    path.write_text(json.dumps(project | changes))
    return path


def tiles(*entries: Any) -> Any:
    return ldtks.layer("Ground", "Tiles", gridTiles=[*entries])


def refusal(path: Path, level: str | int | None = None) -> str:
    """Return the error message of a map. It must be short, name the file, and come quickly."""
    start = time.process_time()
    with pytest.raises(fw.AssetError) as caught:
        load(path, level=level)
    assert time.process_time() - start < 1
    message = str(caught.value)
    assert path.name in message
    assert len(message) < 700
    assert "is broken" not in message
    return message


def objects(text: str) -> str:
    return f'<objectgroup name="o">{text}</objectgroup>'


@pytest.mark.parametrize(
    ("attribute", "content", "message"),
    [
        (
            'terrain="{}"',
            "<terraintypes><terrain name='a' tile='0'/></terraintypes>",
            "four numbers",
        ),
        ('wangid="{}"', "", "eight numbers"),
    ],
)
def test_long_lists_of_terrains_are_not_converted(
    folder: Path, attribute: str, content: str, message: str
) -> None:
    numbers = attribute.format("0," * 1_000_000 + "0")
    if "wangid" in attribute:
        content = (
            f"<wangsets><wangset name='w'><wangtile tileid='0' {numbers}/></wangset></wangsets>"
        )
    else:
        content += f"<tile id='0' {numbers}/>"
    assert message in refusal(tiled(folder, "", SHEET.format(content)))


@pytest.mark.parametrize("numbers", ["0,0,0", "0,0,0,0,0", "0,0,0,9"])
def test_a_tile_has_four_terrains(folder: Path, numbers: str) -> None:
    content = f"<terraintypes><terrain name='a'/></terraintypes><tile id='0' terrain='{numbers}'/>"
    assert "expected four numbers below 1" in refusal(tiled(folder, "", SHEET.format(content)))


def test_points_beyond_the_limit_are_not_split(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("framework.tiles.tiled_objects.MAX_POINTS", 5)
    shape = objects('<object id="1"><polygon points="{}"/></object>')
    layer: Any = load(tiled(folder, shape.format("1,2 " * 5))).layers[0]
    assert layer.objects[0].points.shape == (5, 2)
    assert "y is '2 1 2 ', expected a number" in refusal(tiled(folder, shape.format("1,2 " * 7)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"t": "x" * 200_000}, "t of tiles: expected whole numbers, got 'xxx"),
        ({"t": True}, "t of tiles: expected whole numbers, got True"),
        ({"t": 1.0}, "t of tiles: expected whole numbers, got 1.0"),
        ({"f": 1 << 70}, "f of tiles: expected whole numbers, got 1180591620717411303424"),
        ({"px": ["x" * 200_000, 0]}, "px of tiles: expected whole numbers, got 'xxx"),
        ({"px": [1] * 2000}, "px of tiles: expected 2 numbers, got [1, 1"),
        ({"px": [[0], 1]}, "px of tiles: expected whole numbers, got [0]"),
        ({"px": {"a": 1}}, "px of tiles: expected 2 numbers, got {'a': 1}"),
        ({"px": None}, "px of tiles: expected 2 numbers, got None"),
        ({"a": "x" * 200_000}, "a of tiles: expected numbers, got 'xxx"),
        ({"a": [1, 1]}, "a of tiles: expected numbers, got [1, 1]"),
    ],
)
def test_one_wrong_value_in_many_ldtk_tiles_is_refused(
    folder: Path, change: dict[str, Any], message: str
) -> None:
    """NumPy would make each string as long as the longest: gigabytes for a file of 1 MB."""
    path = ldtk(folder, tiles(*[TILE] * 5000, TILE | change))
    assert message in refusal(path)


def test_alphas_of_tiles_of_ldtk_are_clipped(folder: Path) -> None:
    entries = [TILE | {"px": [8 * i, 0], "a": a} for i, a in enumerate((-1e300, 10**400, None))]
    layers = load(ldtk(folder, tiles(*entries))).layers
    shifts: Any = next(layer for layer in layers if layer.shifts is not None).shifts  # type: ignore[attr-defined]
    assert sorted({*shifts[0, :3, 2].tolist()}) == [0, 255]


def test_ldtk_tiles_must_be_objects(folder: Path) -> None:
    assert "expected tiles that are objects" in refusal(ldtk(folder, tiles(TILE, 1)))


def test_long_names_of_levels_are_shortened(folder: Path) -> None:
    project = ldtks.project(*[ldtks.level(f"{i}" * 100_000) for i in range(9)])
    path = folder / "hostile.ldtk"
    path.write_text(json.dumps(project))
    assert "there is no level 'Nowhere'; there are '000" in refusal(path, "Nowhere")
    assert "there is no level 'zzz" in refusal(path, "z" * 100_000)


def test_many_ldtk_tilesets_have_consecutive_numbers(folder: Path) -> None:
    """Each pivot creates its own tileset."""
    layers = [
        ldtks.layer(f"a{i}", "Tiles", uid=i, gridTiles=[TILE], __cWid=1, __cHei=1)
        for i in range(60)
    ]
    path = ldtk(folder, *layers)
    project = json.loads(path.read_text())
    project["defs"]["layers"] = [{"uid": i, "tilePivotX": i / 60} for i in range(60)]
    project["defs"]["tilesets"] = [ldtks.tileset(tileGridSize=128)]
    path.write_text(json.dumps(project))
    tilesets = load(path).tilesets
    assert len(tilesets) == 60
    ends = [sheet.end_gid for sheet in tilesets]
    assert [sheet.first_gid for sheet in tilesets] == [1, *ends[:-1]]


@pytest.mark.parametrize("name", ["a" * 300, "a/" * 600 + "a.tx", "a/../" * 300_000 + "a.tx"])
def test_long_file_names_are_refused(folder: Path, name: str) -> None:
    path = tiled(folder, objects(f'<object id="1" template="{name}"/>'))
    # Python 3.14 follows a name that is too long, and finds no file.
    assert re.search("is not a path beside the map|there is no file", refusal(path))


def test_a_cycle_of_links_is_refused(folder: Path) -> None:
    link = folder / "circle.tx"
    link.symlink_to("circle.tx")
    path = tiled(folder, objects('<object id="1" template="circle.tx"/>'))
    with pytest.raises(fw.AssetError, match=r"hostile\.tmx.*circle\.tx"):
        load(path)
    link.unlink()


def test_empty_chunks_are_ignored(folder: Path) -> None:
    chunks = '<chunk x="0" y="0" width="0" height="9"></chunk>'
    chunks += '<chunk x="3" y="1" width="1" height="1">1</chunk>'
    body = f'<layer name="l"><data encoding="csv">{chunks}</data></layer>'
    map_data = load(tiled(folder, body, attributes='infinite="1"'))
    assert (map_data.width, map_data.height, map_data.origin) == (1, 1, (3, 1))


def test_a_product_of_parallaxes_has_a_limit(folder: Path) -> None:
    group = '<group name="g" parallaxx="1e15">'
    body = group * 22 + '<layer name="l" parallaxx="1e15"/>' + "</group>" * 22
    assert "its parallax, times that of its groups, is too large" in refusal(tiled(folder, body))


# -- the tileset of a tile number ------------------------------------------------------------------


def test_a_tile_number_belongs_to_the_last_tileset_that_has_it(folder: Path) -> None:
    """Tilesets may overlap, and their numbers may have gaps."""
    chance = np.random.default_rng(7)
    for _ in range(60):
        firsts = np.unique(chance.integers(1, 60, chance.integers(0, 9)))
        tilesets = Tilesets(MapFiles(folder / "hostile.tmx"))
        tilesets.all = [
            Tileset("", int(first), (8, 8), int(chance.integers(0, 30)), 1) for first in firsts
        ]
        tilesets._split_into_ranges()
        for gid in range(95):
            fitting = [sheet for sheet in tilesets.all if sheet.first_gid <= gid < sheet.end_gid]
            match = tilesets.of(gid | 0x8000_0000)
            if fitting:
                assert match == (fitting[-1], gid - fitting[-1].first_gid)
            else:
                assert match is None


def test_tilesets_of_templates_come_after_those_of_the_map(folder: Path) -> None:
    sheet = '<tileset tilewidth="8" tileheight="8" tilecount="{}" columns="1"></tileset>'
    for number, count in enumerate((5, 0, 3)):
        (folder / f"s{number}.tsx").write_text(sheet.format(count))
        (folder / f"s{number}.tx").write_text(
            f'<template><tileset firstgid="1" source="s{number}.tsx"/><object gid="2"/></template>'
        )
    body = objects("".join(f'<object id="{i}" template="s{i % 3}.tx"/>' for i in range(6)))
    for own in ("", SHEET.format("")):
        map_data = load(tiled(folder, body, own))
        start = 17 if own else 1
        counts = [sheet.first_gid for sheet in map_data.tilesets[bool(own) :]]
        assert counts == [start, start + 5, start + 5]
        gids = [each.gid for each in map_data.layers[0].objects]  # type: ignore[attr-defined]
        assert gids[:3] == gids[3:]
        assert [gids[0], gids[2]] == [start + 1, start + 6]
        sizes = [(each.width, each.height) for each in map_data.layers[0].objects]  # type: ignore[attr-defined]
        assert sizes[0] == sizes[2] == (8, 8)


def test_many_objects_in_many_tilesets_load_quickly(folder: Path) -> None:
    sheets = "".join(
        f'<tileset firstgid="{1 + i}" tilewidth="8" tileheight="8" tilecount="1"></tileset>'
        for i in range(1500)
    )
    body = objects('<object id="1" gid="1" x="1" y="1"/>' * 2000)
    path = tiled(folder, body, sheets)
    start = time.process_time()
    map_data = load(path)
    assert time.process_time() - start < 0.8
    assert map_data.layers[0].objects[-1].width == 8  # type: ignore[attr-defined]


# -- limits and defaults ----------------------------------------------------------------------------


def test_ldtk_entities_count_as_objects(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("framework.tiles.map_files.MAX_OBJECTS", 3)
    entity = {"__identifier": "Coin", "px": [8, 8], "width": 8, "height": 8, "__pivot": [0, 0]}
    for count in (3, 4):
        entities = ldtks.layer("Things", "Entities", entityInstances=[entity] * count)
        path = ldtk(folder, entities)
        if count == 3:
            assert len(load(path).layers[0].objects) == 3  # type: ignore[attr-defined]
        else:
            assert "it has more than 3 objects" in refusal(path)


@pytest.mark.parametrize("text", ["AQAAAAEA!AAABAAAAAQAAAA==", "AQAAAAEAAAABAAAAAQAAAA-=="])
def test_text_that_is_not_base64_is_refused(folder: Path, text: str) -> None:
    body = f'<layer name="l"><data encoding="base64">{text}</data></layer>'
    assert "its tiles are not base64" in refusal(tiled(folder, body, SHEET.format("")))


@pytest.mark.parametrize("number", ["1000000000001", "1234000000000001", "4294967296"])
def test_too_large_tile_numbers_are_refused(folder: Path, number: str) -> None:
    for rows in ("1,1,1", "1,1,1" + " " * 300):
        body = f'<layer name="l"><data encoding="csv">{number},{rows}</data></layer>'
        assert "no numbers from 0 to 4,294,967,295" in refusal(tiled(folder, body))


def test_an_image_has_a_size_only_if_the_file_states_both_sides(folder: Path) -> None:
    for attributes, size in (('width="32"', None), ('width="32" height="16"', (32, 16))):
        sheet = SHEET.format(f'<image source="sheet.png" {attributes}/>')
        image = load(tiled(folder, "", sheet)).tilesets[0].image_file
        assert image is not None
        assert image.size == size


def test_a_text_without_a_color_is_black(folder: Path) -> None:
    layer: Any = load(tiled(folder, objects('<object id="1"><text>Hi</text></object>'))).layers[0]
    assert layer.objects[0].text.color == (0, 0, 0, 1)


def test_a_template_of_a_tile_may_have_no_tileset(folder: Path) -> None:
    (folder / "bare.tx").write_text('<template><object gid="3"/></template>')
    body = objects('<object id="1" template="bare.tx"/>')
    layer: Any = load(tiled(folder, body, SHEET.format(""))).layers[0]
    assert layer.objects[0].gid == 3


def test_a_shape_without_an_area_makes_no_tile_solid() -> None:
    line = ObjectData(1, "", "polygon", 0, 0, 0, 0, points=np.array([(0, 4.0), (8, 4), (3, 4)]))
    half = ObjectData(2, "", "rectangle", 0, 4, 8, 4)
    assert not tilemap._is_part_solid(TileInfo(shapes=[line]), 8, 8)
    assert tilemap._is_part_solid(TileInfo(shapes=[line, half]), 8, 8)
