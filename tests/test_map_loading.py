"""Map files of unknown origin: any content is either loaded or refused with an AssetError that
names the file.
"""

from __future__ import annotations

import base64
import copy
import json
import os
import random
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ldtks
import numpy as np
import pytest
from PIL import Image
from tiledmaps import GROUND, full, pictures, tile_layer, tile_map, tileset, write, xml_of

import framework as fw
from framework.assets.linked_files import Budget, Expense
from framework.tiles import map_files, map_loading, tiled_xml
from framework.tiles.map_data import MapData, ObjectsLayer, TilesLayer
from framework.tiles.map_loading import load

MUTATIONS = 2_000 if os.environ.get("NEW_EXAMPLES") else 400


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = pictures(tmp_path_factory.mktemp("maps"))
    write(folder / "ground.tsx", {"type": "tileset", **tileset()}, "tileset")
    coin = {"name": "coin", "type": "Coin", "gid": 3, "width": 9, "height": 8}
    source = {"firstgid": 1, "source": "ground.tsx"}
    write(folder / "coin.tx", {"type": "template", "tileset": source, "object": coin}, "template")
    return folder


def small() -> dict[str, Any]:
    """Return a small map with every feature: each mutation loads within one or two milliseconds."""
    map_json = full()
    map_json["layers"].append(
        {
            "type": "objectgroup",
            "name": "more",
            "objects": [{"id": 1, "x": 1, "y": 2, "template": "coin.tx"}],
        }
    )
    map_json["layers"][1].pop("properties")
    objects = map_json["layers"][2]["layers"][0]["layers"][1]
    objects["objects"] = [
        {**map_object, "properties": []} for map_object in objects["objects"][::2]
    ]
    map_json["tilesets"].append({"firstgid": 40, "source": "ground.tsx"})
    return map_json


class Files:
    """Replaces reading from the disk, which would be slow for so many files."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._data: dict[str, bytes] = {}
        self._read = map_files.contents
        monkeypatch.setattr(map_files, "contents", self.contents)

    def contents(self, path: Path, left: Budget) -> bytes:
        return self._data.get(path.name) or self._read(path, left)

    def check(self, path: Path, **data: bytes) -> bool:
        """Return whether a map is refused, which must be an AssetError with the file's name.

        Otherwise check the map.
        """
        self._data = {name.replace("_", "."): content for name, content in data.items()}
        path.touch()
        error_message = ""
        start = time.process_time()
        try:
            check_map(load(path))
        except fw.AssetError as error:
            error_message = str(error)
        assert time.process_time() - start < 2
        assert not error_message or path.name in error_message
        return bool(error_message)


def check_map(map_data: MapData) -> None:
    """Check the values that a loaded map guarantees."""
    _ = map_data.layout
    for layer in map_data.layers:
        assert 0 <= layer.opacity <= 1
        assert np.isfinite([*layer.offset, *layer.parallax, *layer.tint]).all()
        if isinstance(layer, TilesLayer):
            assert layer.tiles.dtype == np.uint32
            assert map_data.levels or layer.tiles.shape == (map_data.height, map_data.width)
        if isinstance(layer, ObjectsLayer):
            for map_object in layer.objects:
                assert np.isfinite(
                    [
                        map_object.x,
                        map_object.y,
                        map_object.width,
                        map_object.height,
                        map_object.rotation,
                    ]
                ).all()
    for sheet in map_data.tilesets:
        assert sheet.first_gid < sheet.end_gid < 1 << 28 or not sheet.count
        for info in sheet.tiles.values():
            assert info.frames is None or info.frames[:, 0].max() < sheet.end_gid - sheet.first_gid


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Return the data with some changed bytes, a replaced number, a repeated piece, or without the
    end.
    """
    result = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(result))
        kind = chance.randrange(6)
        if kind == 0:
            result[at] = chance.randrange(256)
        elif kind == 1:
            digits = [
                index
                for index in range(at, min(at + 300, len(result)))
                if 48 <= result[index] <= 57
            ]
            for index in digits[:1]:
                result[index : index + 1] = chance.choice(
                    [b"-1", b"99999999999", b"1e9", b"", b"nan", b"0", b"65536", b"x"]
                )
        elif kind == 2:
            result[at:at] = result[chance.randrange(len(result)) :][: chance.randrange(200)]
        elif kind == 3:
            del result[at : at + chance.randrange(1, 60)]
        elif kind == 4:
            result[at : at + 1] = chance.choice(
                [b"<", b">", b'"', b"&", b"{", b"[", b",", b"\0", b"\xff", b"<!--"]
            )
        elif chance.random() < 0.2:
            del result[at:]
        if not result:
            break
    return bytes(result or b"?")


VALUES = [
    None,
    True,
    False,
    -1,
    0,
    1,
    3,
    1.5,
    1 << 20,
    1 << 40,
    -1e300,
    "",
    "x",
    "3",
    "#ff0000",
    [],
    {},
    [1],
    ["a"],
    [{}],
]


def changed(text: str, chance: random.Random) -> dict[str, Any]:
    """Return JSON with some replaced values: from a list of unusual values, or from other
    positions.
    """
    result: dict[str, Any] = json.loads(text)
    positions: list[tuple[Any, Any]] = []

    def walk(node: Any) -> None:
        for key in (
            node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        ):
            positions.append((node, key))
            walk(node[key])

    walk(result)
    for _ in range(chance.choice((1, 1, 2, 4))):
        node, key = chance.choice(positions)
        other_node, other_key = chance.choice(positions)
        if isinstance(node, dict) and chance.random() < 0.2:
            node.pop(key, None)
        elif isinstance(node, dict) or key < len(node):
            replacement = (
                other_node.get(other_key)
                if isinstance(other_node, dict)
                else other_node[other_key]
                if other_key < len(other_node)
                else None
            )
            node[key] = copy.deepcopy(chance.choice([replacement, chance.choice(VALUES)]))
    return result


XML = xml_of(small()).encode()
JSON = json.dumps(small())
LDTK = json.dumps(ldtks.full())


def tmx(chance: random.Random) -> bytes:
    return mutated(XML, chance)


def tmj(chance: random.Random, text: str = JSON) -> bytes:
    return (
        json.dumps(changed(text, chance)).encode()
        if chance.random() < 0.7
        else mutated(text.encode(), chance)
    )


def ldtk(chance: random.Random) -> bytes:
    return tmj(chance, LDTK)


def packed(chance: random.Random) -> bytes:
    """Return a map with compressed tiles, in which the tiles, the compressed bytes or their text
    is changed.
    """
    pack = zlib.compress(GROUND.astype("<u4").tobytes())
    text = base64.b64encode(mutated(pack, chance) if chance.random() < 0.7 else pack)
    text = text if chance.random() < 0.7 else mutated(text, chance).replace(b'"', b"")
    layer = tile_layer(
        "a",
        GROUND,
        data="@",
        encoding="base64",
        compression=chance.choice(["zlib", "zlib", "gzip", ""]),
    )
    return json.dumps(tile_map(layer)).encode().replace(b'"@"', b'"%s"' % text)


@pytest.mark.parametrize(
    ("name", "make", "min_refused"),
    [("a.tmx", tmx, 0.3), ("a.tmj", tmj, 0.3), ("a.ldtk", ldtk, 0.3), ("b.tmj", packed, 0.5)],
)
def test_mutated_maps_are_loaded_or_refused(
    folder: Path,
    name: str,
    make: Callable[[random.Random], bytes],
    min_refused: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Random changes find cases that no developer thinks of."""
    chance = random.Random(11)
    refused = 0
    files = Files(monkeypatch)
    for _ in range(MUTATIONS):
        refused += files.check(folder / name, **{name.replace(".", "_"): make(chance)})
    assert min_refused * MUTATIONS < refused < 0.97 * MUTATIONS  # both results occur


@pytest.mark.parametrize("name", ["ground.tsx", "coin.tx"])
def test_mutated_files_beside_the_map_are_loaded_or_refused(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the map, because the game loads the map."""
    good = (folder / name).read_bytes()
    chance = random.Random(13)
    files = Files(monkeypatch)
    refused = 0
    for _ in range(200):
        mutation = {name.replace(".", "_"): mutated(good, chance)}
        refused += files.check(folder / "uses.tmj", uses_tmj=JSON.encode(), **mutation)
    assert 20 < refused < 190


# -- files that claim too much ---------------------------------------------------------------------


BOMBS = {
    "layers": b"<map tilewidth='1'>" + b"<layer/>" * 40_000,
    "objects": b"<map tilewidth='1'><objectgroup>" + b"<object/>" * 40_000,
    "unknown elements": b"<map tilewidth='1'>" + b"<x/>" * 80_000,
    "deep elements": b"<map tilewidth='1'>" + b"<x>" * 80_000,
    "tiles as elements": b"<map><layer><data>" + b"<tile gid='1'/>" * 80_000,
    "attributes": b"<map " + b" ".join(b"a%d='1'" % number for number in range(70_000)) + b"/>",
    "values": b'{"layers":[' + b"0," * 80_000 + b"0]}",
    "lists": b'{"layers":' + b"[" * 80_000,
    "digits": b'{"width":' + b"9" * 80_000 + b"}",
}


@pytest.mark.parametrize("kind", BOMBS)
def test_files_that_expand_enormously_are_refused_quickly(
    folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limits are 32 times lower than the real limits."""
    monkeypatch.setattr(tiled_xml, "MAX_TAGS", 1 << 16)
    monkeypatch.setattr(tiled_xml, "MAX_ELEMENTS", 1 << 15)
    monkeypatch.setattr(tiled_xml, "MAX_ATTRIBUTES", 1 << 16)
    monkeypatch.setattr(map_files, "MAX_VALUES", 1 << 16)
    path = folder / "bomb.tmx"
    path.write_bytes(BOMBS[kind])
    start = time.process_time()
    with pytest.raises(fw.AssetError, match=r"bomb\.tmx"):
        load(path)
    assert time.process_time() - start < 1


def one_tileset(**more: Any) -> dict[str, Any]:
    return tile_map(tilesets=[{"firstgid": 1, **tileset(**more)}])


MANY: dict[str, tuple[dict[str, Any], str]] = {
    "tilesets": (
        tile_map(
            tilesets=[{"firstgid": number + 1, "source": "ground.tsx"} for number in range(5_000)]
        ),
        "4,096 tilesets",
    ),
    "names of one image": (
        one_tileset(
            image=None, tiles=[{"id": n, "image": f"trees{'/.' * n}/oak.png"} for n in range(600)]
        ),
        "512 names of files",
    ),
    "wang sets": (one_tileset(wangsets=[{}] * 20_000), "16,384 tiles of terrains"),
    "tiles": (one_tileset(tiles=[{"id": 0}] * 20_000), "16,384 tiles with data"),
    "corners": (
        tile_map(
            {
                "type": "objectgroup",
                "objects": [{"x": 0, "y": 0, "polygon": [{"x": 0, "y": 0}] * 20_000}],
            }
        ),
        "16,384 points",
    ),
    "objects": (
        tile_map({"type": "objectgroup", "objects": [{"x": 0, "y": 0}] * 20_000}),
        "16,384 objects",
    ),
    "layers": (tile_map(*[{"type": "objectgroup"}] * 5_000), "4,096 layers"),
}


@pytest.mark.parametrize("kind", MANY)
def test_endless_lists_are_refused(
    folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limits are at least 32 times lower than the real limits, except for tilesets and layers."""
    monkeypatch.setattr(map_files, "MAX_NAMES", 1 << 9)
    for name in ("PROPERTIES", "POINTS", "OBJECTS"):
        monkeypatch.setattr(map_files, f"MAX_{name}", 1 << 14)
    map_json, message = MANY[kind]
    with pytest.raises(fw.AssetError, match=f"it has more than {message}"):
        load(write(folder / "many.tmj", map_json))


def test_images_of_too_many_pixels_are_not_decoded(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    images = [
        {"id": number, "image": name}
        for number, name in enumerate(["sheet.png", "sheet.png", "sky.png"])
    ]
    path = write(folder / "pixels.tmj", one_tileset(image=None, tiles=images))
    monkeypatch.setattr(map_loading, "MAX_PIXELS", 72 * 36 + 8 * 9)
    load(path)
    monkeypatch.setattr(map_loading, "MAX_PIXELS", 72 * 36 + 8 * 9 - 1)
    with pytest.raises(fw.AssetError, match=r"pixels\.tmj.* more than 2,663 pixels in its images"):
        load(path)


def test_a_file_that_is_no_image_is_reported(folder: Path) -> None:
    with pytest.raises(fw.AssetError, match=r"ground\.tsx"):
        load(write(folder / "odd.tmj", one_tileset(image="ground.tsx")))


def test_a_file_of_too_many_bytes_is_not_read(folder: Path) -> None:
    with (folder / "huge.tmx").open("wb") as file:
        file.truncate(1 << 28)  # needs no disk space
    with pytest.raises(fw.AssetError, match="more than 134,217,728 bytes"):
        load(folder / "huge.tmx")


def _layers(count: int, side: int) -> str:
    data = base64.b64encode(zlib.compress(np.ones(side * side, "<u4").tobytes())).decode()
    layer = f'width="{side}" height="{side}"><data encoding="base64" compression="zlib">{data}'
    return f"<layer {layer}</data></layer>" * count


_FRAMES = "<frame tileid='0' duration='9'/>" * 60_000
_OBJECTS = "<objectgroup>" + '<object x="1" y="2"/>' * 120_000 + "</objectgroup>"


@pytest.mark.parametrize(
    ("tiles", "layers", "message"),
    [
        ("", _layers(8, 2000), "contents take more than 1 s, most for .* cells of layers"),
        (f"<tile id='0'><animation>{_FRAMES}</animation></tile>" * 4, "", "most for .* frames"),
        ("", _OBJECTS, "most for .* objects"),
    ],
)
def test_the_whole_content_of_a_map_has_one_time_limit(
    tmp_path: Path, tiles: str, layers: str, message: str
) -> None:
    """Each part is within its own limit."""
    Image.new("RGB", (16, 16)).save(tmp_path / "a.png")
    (tmp_path / "a.tmx").write_text(
        '<map orientation="orthogonal" width="2000" height="2000" tilewidth="16" tileheight="16">'
        '<tileset firstgid="1" tilewidth="16" tileheight="16" tilecount="1" columns="1">'
        f'<image source="a.png"/>{tiles}</tileset>{layers}</map>'
    )
    with pytest.raises(fw.AssetError, match=f"{message}; simplify it, or split it up"):
        load(tmp_path / "a.tmx")


def test_large_maps_of_real_games_are_within_the_limit(tmp_path: Path) -> None:
    Image.new("RGB", (16, 16)).save(tmp_path / "a.png")
    objects = "<objectgroup>" + '<object x="1" y="2"/>' * 5_000 + "</objectgroup>"
    (tmp_path / "a.tmx").write_text(
        '<map orientation="orthogonal" width="1000" height="1000" tilewidth="16" tileheight="16">'
        '<tileset firstgid="1" tilewidth="16" tileheight="16" tilecount="1" columns="1">'
        f'<image source="a.png"/></tileset>{_layers(8, 1000)}{objects}</map>'
    )
    assert len(load(tmp_path / "a.tmx").layers) == 9


def test_an_expense_names_its_largest_part() -> None:
    expense = Expense(2.0, 1 << 20)
    cheap = Budget("cheap things", 1000, expense, (0.001, 0))
    heavy = Budget("large things", 1000, expense, (0, 1 << 18))
    cheap.spend(900)
    heavy.spend(4)
    with pytest.raises(ValueError, match="take more than 1 MiB, most for 5 large things"):
        heavy.spend(1)


_TILED = (
    '<map orientation="orthogonal" width="2" height="2" tilewidth="16" tileheight="16"{}>{}</map>'
)
_SET = (
    '<tileset firstgid="1" tilewidth="16" tileheight="16" tilecount="4" columns="4">'
    '<image source="sheet.png"/>{}</tileset>'
)
_CHUNK = '<chunk x="0" y="0" width="1" height="1">1</chunk>'
_POLYGON = '<object x="1" y="2"><polygon points="{}"/></object>'
_IMAGE = '<tile id="{0}"><image source="sheet.png" trans="{0:06x}"/></tile>'
SLOW_CONTENTS: dict[str, tuple[str, str]] = {
    "groups": ("<group name='a'/>" * 200, "layers"),
    "objects": ("<objectgroup>" + '<object x="1"/>' * 2_000 + "</objectgroup>", "objects"),
    "corners": (f"<objectgroup>{_POLYGON.format('1,2 ' * 40_000)}</objectgroup>", "points"),
    "items": (
        '<properties><property name="a" type="list">'
        + '<item value="1"/>' * 8_000
        + "</property></properties>",
        "properties",
    ),
    "attributes": (
        "<a " + " ".join(f'a{n}="1"' for n in range(15_000)) + "/>",
        "attributes of one",
    ),
    "text": ("<a>" + "x" * 900_000 + "</a>", "bytes of text"),
    "tiles": (_SET.format('<tile id="1"/>' * 6_000), "tiles with data"),
    "terrains": (
        _SET.format("<wangsets><wangset>" + "<wangtile />" * 3_000 + "</wangset></wangsets>"),
        "tiles of terrains",
    ),
    "wang sets": (_SET.format("<wangsets>" + "<wangset />" * 3_000 + "</wangsets>"), "terrains"),
    "images": (
        '<tileset firstgid="1" tilewidth="16" tileheight="16" tilecount="4" columns="0">'
        + "".join(map(_IMAGE.format, range(200)))
        + "</tileset>",
        "pixels with a transparent color",
    ),
    "chunks": (
        '<layer name="a" width="2" height="2"><data encoding="csv">'
        + _CHUNK * 900
        + "</data></layer>",
        "chunks",
    ),
}


@pytest.mark.parametrize("kind", SLOW_CONTENTS)
def test_all_slow_contents_count(folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit for all contents is 20 milliseconds."""
    monkeypatch.setattr(map_files, "MAX_SECONDS", 0.02)
    content, message = SLOW_CONTENTS[kind]
    path = folder / "dear.tmx"
    path.write_text(_TILED.format(' infinite="1"' if kind == "chunks" else "", content))
    with pytest.raises(fw.AssetError, match=f"take more than 0.02 s, most for .* {message}"):
        load(path)


def test_nested_lists_in_json_are_values(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_files, "MAX_VALUES", 10_000)
    path = folder / "nested.tmj"
    path.write_text('{"a": [' + "[[[[[[]]]]]]," * 2_000 + "1]}")
    with pytest.raises(fw.AssetError, match="more than 10,000 values in JSON"):
        load(path)


@pytest.mark.parametrize("encoding", ["cp037", "mac-arabic", "utf-7"])
def test_encodings_that_hide_tags_are_refused(folder: Path, encoding: str) -> None:
    head = f'<?xml version="1.0" encoding="{encoding}"?>'.encode()
    (folder / "odd.tmx").write_bytes(head + _TILED.format("", "").encode(encoding))
    with pytest.raises(fw.AssetError, match=rf"has the encoding '{encoding}'; save it in UTF-8"):
        load(folder / "odd.tmx")


@pytest.mark.parametrize("encoding", ["utf-8", "UTF-8", "utf-16", "iso-8859-1", "us-ascii"])
def test_common_encodings_are_accepted(folder: Path, encoding: str) -> None:
    head = f'<?xml version="1.0" encoding="{encoding}"?>'
    content = _TILED.format("", '<properties><property name="a" value="b"/></properties>')
    (folder / "odd.tmx").write_bytes((head + content).encode(encoding))
    assert load(folder / "odd.tmx").properties == {"a": "b"}


def test_fifty_thousand_objects_with_properties_are_within_the_limit(folder: Path) -> None:
    expense = map_files.MapFiles(folder / "a.tmx")
    elements = 3 * 50_000
    expense._tags.tags.spend(5 * 50_000)
    expense._tags.attributes.spend(10 * 50_000)
    expense._tags.elements.spend(elements)
    expense.objects.spend(50_000)
    expense.properties.spend(50_000)
    expense.cells.spend(2_000_000)
