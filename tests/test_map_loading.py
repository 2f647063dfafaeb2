"""Maps as strangers might send them: whatever is in a file, it is read, or it is an AssetError that
names it.
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
from framework.tiles import map_loading, tiled_files, tiled_xml
from framework.tiles.map_data import MapData, ObjectsLayer, TilesLayer
from framework.tiles.map_loading import load

MUTATIONS = 2_000 if os.environ.get("NEW_EXAMPLES") else 400


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = pictures(tmp_path_factory.mktemp("maps"))
    write(folder / "ground.tsx", {"type": "tileset", **tileset()}, "tileset")
    thing = {"name": "coin", "type": "Coin", "gid": 3, "width": 9, "height": 8}
    source = {"firstgid": 1, "source": "ground.tsx"}
    write(folder / "coin.tx", {"type": "template", "tileset": source, "object": thing}, "template")
    return folder


def small() -> dict[str, Any]:
    """Some of all that there is: each mutation is read within a millisecond or two."""
    said = full()
    said["layers"].append(
        {
            "type": "objectgroup",
            "name": "more",
            "objects": [{"id": 1, "x": 1, "y": 2, "template": "coin.tx"}],
        }
    )
    said["layers"][1].pop("properties")
    things = said["layers"][2]["layers"][0]["layers"][1]
    things["objects"] = [{**one, "properties": []} for one in things["objects"][::2]]
    said["tilesets"].append({"firstgid": 40, "source": "ground.tsx"})
    return said


class Files:
    """What is read in the place of files: they are too many for a disk."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._data: dict[str, bytes] = {}
        self._read = tiled_files.contents
        monkeypatch.setattr(tiled_files, "contents", self.contents)

    def contents(self, path: Path, left: Budget) -> bytes:
        return self._data.get(path.name) or self._read(path, left)

    def check(self, path: Path, **data: bytes) -> bool:
        """Whether a map is refused: by an AssetError that names the file. Else what was read is
        whole.
        """
        self._data = {name.replace("_", "."): one for name, one in data.items()}
        path.touch()
        words, start = "", time.process_time()
        try:
            whole(load(path))
        except fw.AssetError as error:
            words = str(error)
        assert time.process_time() - start < 2
        assert not words or path.name in words
        return bool(words)


def whole(found: MapData) -> None:
    """What whoever draws it may count on."""
    _ = found.layout
    for layer in found.layers:
        assert 0 <= layer.opacity <= 1
        assert np.isfinite([*layer.offset, *layer.parallax, *layer.tint]).all()
        if isinstance(layer, TilesLayer):
            assert layer.tiles.dtype == np.uint32
            assert found.levels or layer.tiles.shape == (found.height, found.width)
        if isinstance(layer, ObjectsLayer):
            for one in layer.objects:
                assert np.isfinite([one.x, one.y, one.width, one.height, one.rotation]).all()
    for sheet in found.tilesets:
        assert sheet.first_gid < sheet.end_gid < 1 << 28 or not sheet.count
        for info in sheet.tiles.values():
            assert info.frames is None or info.frames[:, 0].max() < sheet.end_gid - sheet.first_gid


def mutated(data: bytes, chance: random.Random) -> bytes:
    """A few bytes changed, a number replaced, a piece repeated, or the end cut off."""
    found = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(found))
        kind = chance.randrange(6)
        if kind == 0:
            found[at] = chance.randrange(256)
        elif kind == 1:
            digits = [
                place for place in range(at, min(at + 300, len(found))) if 48 <= found[place] <= 57
            ]
            for place in digits[:1]:
                found[place : place + 1] = chance.choice(
                    [b"-1", b"99999999999", b"1e9", b"", b"nan", b"0", b"65536", b"x"]
                )
        elif kind == 2:
            found[at:at] = found[chance.randrange(len(found)) :][: chance.randrange(200)]
        elif kind == 3:
            del found[at : at + chance.randrange(1, 60)]
        elif kind == 4:
            found[at : at + 1] = chance.choice(
                [b"<", b">", b'"', b"&", b"{", b"[", b",", b"\0", b"\xff", b"<!--"]
            )
        elif chance.random() < 0.2:
            del found[at:]
        if not found:
            break
    return bytes(found or b"?")


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
    """JSON in which some values are others: of a list of odd ones, or of another place."""
    said: dict[str, Any] = json.loads(text)
    places: list[tuple[Any, Any]] = []

    def walk(node: Any) -> None:
        for key in (
            node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        ):
            places.append((node, key))
            walk(node[key])

    walk(said)
    for _ in range(chance.choice((1, 1, 2, 4))):
        (node, key), (other, place) = chance.choice(places), chance.choice(places)
        if isinstance(node, dict) and chance.random() < 0.2:
            node.pop(key, None)
        elif isinstance(node, dict) or key < len(node):
            there = (
                other.get(place)
                if isinstance(other, dict)
                else other[place]
                if place < len(other)
                else None
            )
            node[key] = copy.deepcopy(chance.choice([there, chance.choice(VALUES)]))
    return said


XML, JSON, LDTK = xml_of(small()).encode(), json.dumps(small()), json.dumps(ldtks.full())


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
    """Tiles packed by zlib, and what is packed, or the packed bytes, or their text changed."""
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
    ("name", "make", "least"),
    [("a.tmx", tmx, 0.3), ("a.tmj", tmj, 0.3), ("a.ldtk", ldtk, 0.3), ("b.tmj", packed, 0.5)],
)
def test_mutations_are_read_or_refused_and_nothing_else(
    folder: Path,
    name: str,
    make: Callable[[random.Random], bytes],
    least: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two thousand of each kind, worth their seconds: nobody thinks of what they try."""
    chance, refused, files = random.Random(11), 0, Files(monkeypatch)
    for _ in range(MUTATIONS):
        refused += files.check(folder / name, **{name.replace(".", "_"): make(chance)})
    assert least * MUTATIONS < refused < 0.97 * MUTATIONS  # both were tried


@pytest.mark.parametrize("name", ["ground.tsx", "coin.tx"])
def test_mutations_of_files_beside_the_map(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the map, which is what the game asked for."""
    good, chance, files, refused = (
        (folder / name).read_bytes(),
        random.Random(13),
        Files(monkeypatch),
        0,
    )
    for _ in range(200):
        mutation = {name.replace(".", "_"): mutated(good, chance)}
        refused += files.check(folder / "uses.tmj", uses_tmj=JSON.encode(), **mutation)
    assert 20 < refused < 190


# -- what claims more than it is -------------------------------------------------------------------


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
def test_bombs_are_refused_in_time(
    folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With limits that are 32 times as low as the real ones."""
    monkeypatch.setattr(tiled_xml, "MAX_TAGS", 1 << 16)
    monkeypatch.setattr(tiled_xml, "MAX_ELEMENTS", 1 << 15)
    monkeypatch.setattr(tiled_xml, "MAX_ATTRIBUTES", 1 << 16)
    monkeypatch.setattr(tiled_files, "MAX_VALUES", 1 << 16)
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
def test_lists_without_end_are_refused(
    folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With limits that are at least 32 times as low as the real ones, but for tilesets and
    layers.
    """
    monkeypatch.setattr(tiled_files, "MAX_NAMES", 1 << 9)
    for name in ("PROPERTIES", "POINTS", "OBJECTS"):
        monkeypatch.setattr(tiled_files, f"MAX_{name}", 1 << 14)
    said, words = MANY[kind]
    with pytest.raises(fw.AssetError, match=f"it has more than {words}"):
        load(write(folder / "many.tmj", said))


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


def test_what_is_no_image_is_told(folder: Path) -> None:
    with pytest.raises(fw.AssetError, match=r"ground\.tsx"):
        load(write(folder / "odd.tmj", one_tileset(image="ground.tsx")))


def test_a_file_of_too_many_bytes_is_not_even_read(folder: Path) -> None:
    with (folder / "huge.tmx").open("wb") as file:
        file.truncate(1 << 28)  # takes no room on the disk
    with pytest.raises(fw.AssetError, match="more than 134,217,728 bytes"):
        load(folder / "huge.tmx")


def _layers(count: int, side: int) -> str:
    data = base64.b64encode(zlib.compress(np.ones(side * side, "<u4").tobytes())).decode()
    layer = f'width="{side}" height="{side}"><data encoding="base64" compression="zlib">{data}'
    return f"<layer {layer}</data></layer>" * count


_FRAMES = "<frame tileid='0' duration='9'/>" * 60_000
_OBJECTS = "<objectgroup>" + '<object x="1" y="2"/>' * 120_000 + "</objectgroup>"


@pytest.mark.parametrize(
    ("tiles", "layers", "words"),
    [
        ("", _layers(8, 2000), "contents take more than 1 s, most for .* cells of layers"),
        (f"<tile id='0'><animation>{_FRAMES}</animation></tile>" * 4, "", "most for .* frames"),
        ("", _OBJECTS, "most for .* objects"),
    ],
)
def test_all_that_a_map_expands_to_has_one_limit_of_time(
    tmp_path: Path, tiles: str, layers: str, words: str
) -> None:
    """Each of these is within the limit of its own kind."""
    Image.new("RGB", (16, 16)).save(tmp_path / "a.png")
    (tmp_path / "a.tmx").write_text(
        '<map orientation="orthogonal" width="2000" height="2000" tilewidth="16" tileheight="16">'
        '<tileset firstgid="1" tilewidth="16" tileheight="16" tilecount="1" columns="1">'
        f'<image source="a.png"/>{tiles}</tileset>{layers}</map>'
    )
    with pytest.raises(fw.AssetError, match=f"{words}; simplify it, or split it up"):
        load(tmp_path / "a.tmx")


def test_large_maps_that_games_have_are_within_the_limit(tmp_path: Path) -> None:
    Image.new("RGB", (16, 16)).save(tmp_path / "a.png")
    objects = "<objectgroup>" + '<object x="1" y="2"/>' * 5_000 + "</objectgroup>"
    (tmp_path / "a.tmx").write_text(
        '<map orientation="orthogonal" width="1000" height="1000" tilewidth="16" tileheight="16">'
        '<tileset firstgid="1" tilewidth="16" tileheight="16" tilecount="1" columns="1">'
        f'<image source="a.png"/></tileset>{_layers(8, 1000)}{objects}</map>'
    )
    assert len(load(tmp_path / "a.tmx").layers) == 9


def test_an_expense_names_what_took_most_of_it() -> None:
    expense = Expense(2.0, 1 << 20)
    few = Budget("cheap things", 1000, expense, (0.001, 0))
    heavy = Budget("large things", 1000, expense, (0, 1 << 18))
    few.spend(900)
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
DEAR: dict[str, tuple[str, str]] = {
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


@pytest.mark.parametrize("kind", DEAR)
def test_whatever_takes_time_counts(
    folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a limit of 20 milliseconds for all contents."""
    monkeypatch.setattr(tiled_files, "MAX_SECONDS", 0.02)
    content, words = DEAR[kind]
    path = folder / "dear.tmx"
    path.write_text(_TILED.format(' infinite="1"' if kind == "chunks" else "", content))
    with pytest.raises(fw.AssetError, match=f"take more than 0.02 s, most for .* {words}"):
        load(path)


def test_nested_lists_in_json_are_values(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiled_files, "MAX_VALUES", 10_000)
    path = folder / "nested.tmj"
    path.write_text('{"a": [' + "[[[[[[]]]]]]," * 2_000 + "1]}")
    with pytest.raises(fw.AssetError, match="more than 10,000 values in JSON"):
        load(path)


@pytest.mark.parametrize("encoding", ["cp037", "mac-arabic", "utf-7"])
def test_encodings_in_which_tags_are_not_counted_are_refused(folder: Path, encoding: str) -> None:
    head = f'<?xml version="1.0" encoding="{encoding}"?>'.encode()
    (folder / "odd.tmx").write_bytes(head + _TILED.format("", "").encode(encoding))
    with pytest.raises(fw.AssetError, match=rf"has the encoding '{encoding}'; save it in UTF-8"):
        load(folder / "odd.tmx")


@pytest.mark.parametrize("encoding", ["utf-8", "UTF-8", "utf-16", "iso-8859-1", "us-ascii"])
def test_usual_encodings_are_read(folder: Path, encoding: str) -> None:
    head = f'<?xml version="1.0" encoding="{encoding}"?>'
    content = _TILED.format("", '<properties><property name="a" value="b"/></properties>')
    (folder / "odd.tmx").write_bytes((head + content).encode(encoding))
    assert load(folder / "odd.tmx").properties == {"a": "b"}


def test_fifty_thousand_objects_with_properties_are_within_the_limit(folder: Path) -> None:
    expense = tiled_files.MapFiles(folder / "a.tmx")
    elements = 3 * 50_000
    expense._tags.tags.spend(5 * 50_000)
    expense._tags.attributes.spend(10 * 50_000)
    expense._tags.elements.spend(elements)
    expense.objects.spend(50_000)
    expense.properties.spend(50_000)
    expense.cells.spend(2_000_000)
