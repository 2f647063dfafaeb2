"""Tile numbers: all encodings of Tiled."""

from __future__ import annotations

import base64
import gzip
import json
import sys
import types
import zlib
from array import array
from typing import Any

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from framework.tiles import tile_numbers
from framework.tiles.tile_numbers import comma_separated, cut_out, cut_out_of_xml, decoded, put_back

TILES = np.array([0, 1, 77, 0x8000_0001, 0xFFFF_FFFF, 123_456_789, 12_345_678, 9], np.uint32)


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


@given(
    st.lists(st.integers(0, 0xFFFF_FFFF), min_size=1),
    st.sampled_from([",", ", ", ",\r\n", " ,\t"]),
    st.booleans(),
)
def test_numbers_with_commas_are_read_as_by_python(
    numbers: list[int], comma: str, more: bool
) -> None:
    text = comma.join(map(str, numbers)) + comma * more
    assert comma_separated(text.encode(), len(numbers)).tolist() == numbers


@pytest.mark.parametrize("comma", [",", ", ", " ,"])
@pytest.mark.parametrize("long", [9999, 10_000, 99_999, 4_294_967_295])
def test_one_long_number_among_short_numbers(long: int, comma: str) -> None:
    for numbers in ([long], [long, 7], [7, long], [7, long, 7], [1, 22, 333, long]):
        text = comma.join(map(str, numbers)).encode()
        assert comma_separated(text, len(numbers)).tolist() == numbers


def test_whitespace_is_ignored() -> None:
    assert comma_separated(
        b"\n 1 2 , 3,\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t4294967295,\r\n 5\n ,", 4
    ).tolist() == [*(12, 3, 4294967295, 5)]
    assert comma_separated(b" \n", 0).tolist() == []
    # more than a block of whitespace
    assert comma_separated(b"1,2," + b" " * 300_000, 2).tolist() == [1, 2]
    assert comma_separated(b" " * 300_000, 0).tolist() == []


def test_numbers_do_not_depend_on_the_ends_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = (
        np.random.default_rng(5).integers(0, 10 ** np.arange(1, 11).repeat(40) % (1 << 32)).tolist()
    )
    for block in range(11, 60, 7):
        monkeypatch.setattr(tile_numbers, "_BLOCK", block)
        assert (
            comma_separated(",".join(map(str, numbers)).encode(), len(numbers)).tolist() == numbers
        )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"1,,2", "no digits"),
        (b",1,2", "no digits"),
        (b"1,2", "2 numbers, expected 3"),
        (b"1,2,3,4", "4 numbers, expected 3"),
        (b"", "0 numbers, expected 3"),
        (b"1,-2,3", "not whole numbers"),
        (b"1,2.5,3", "not whole numbers"),
        (b"1,2,x", "not whole numbers"),
        (b"1,2,4294967296", "from 0 to 4,294,967,295"),
        (b"1,2,12345678901", "from 0 to 4,294,967,295"),
        (b"1,2,1" + b"0" * 16, "from 0 to 4,294,967,295"),
        (b"1,2,1" + b"0" * 26, "from 0 to 4,294,967,295"),
        (b"1,2," + b"7" * 300_000, "from 0 to 4,294,967,295"),
        (b"1, ,3", "no digits"),
    ],
)
def test_invalid_numbers_are_refused(text: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        comma_separated(text, 3)


# The same bytes in every process that collects tests: gzip would store the time.
WAYS: list[tuple[Any, str, str]] = [
    (",\n".join(map(str, TILES.tolist())), "csv", ""),
    (TILES.tolist(), "", ""),
    (TILES.tolist(), "csv", ""),
    (array("Q", TILES.tolist()), "", ""),
    ("\n  " + base64_of(TILES.tobytes()) + "\n", "base64", ""),
    (base64_of(zlib.compress(TILES.tobytes())), "base64", "zlib"),
    (base64_of(gzip.compress(TILES.tobytes(), mtime=0)), "base64", "gzip"),
    (base64_of(zstandard.compress(TILES.tobytes())), "base64", "zstd"),
]


@pytest.mark.parametrize(("data", "encoding", "compression"), WAYS)
def test_every_encoding_gives_the_same_numbers(data: Any, encoding: str, compression: str) -> None:
    result = decoded(data, encoding, compression, len(TILES))
    assert result.dtype == np.uint32
    assert result.tolist() == TILES.tolist()
    assert result.flags.writeable
    for count in (len(TILES) - 1, len(TILES) + 1):
        with pytest.raises(ValueError, match=r"expected|fewer than|more than"):
            decoded(data, encoding, compression, count)


def test_the_zstd_module_of_python_is_used_if_it_exists(monkeypatch: pytest.MonkeyPatch) -> None:
    class Unpacker:
        def decompress(self, data: bytes, most: int) -> bytes:
            return zstandard.decompress(data)[:most]

    own = types.SimpleNamespace(
        __name__="compression.zstd", ZstdDecompressor=Unpacker, ZstdError=zstandard.ZstdError
    )
    monkeypatch.setitem(sys.modules, "compression", types.ModuleType("compression"))
    monkeypatch.setitem(sys.modules, "compression.zstd", own)  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "zstandard", None)  # type: ignore[arg-type]
    assert decoded(*WAYS[-1], len(TILES)).tolist() == TILES.tolist()


def test_without_zstd_the_error_has_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "compression.zstd", None)  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "zstandard", None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="pip install zstandard"):
        decoded(*WAYS[-1], len(TILES))


@pytest.mark.parametrize(
    ("data", "encoding", "compression", "words"),
    [
        ("AAAA", "base64", "lzma", "compression is 'lzma', expected zlib, gzip or zstd"),
        ("AAAA", "hex", "", "encoding is 'hex', expected csv or base64"),
        ("AAAA", "base64", "zlib", "cannot be unpacked"),
        ("AAAA", "base64", "zstd", "cannot be unpacked"),
        ("A*AA", "base64", "", "not base64"),
        ("A", "base64", "", "not base64"),
        ([1, 2], "base64", "", "expected a string in base64"),
        ([1, -2], "", "", "no numbers from 0"),
        ([1, 1 << 70], "", "", "no numbers from 0"),
        ([1, 2.0], "", "", "not all whole numbers"),
        ([1, True], "", "", "not all whole numbers"),
        (None, "", "", "expected a list"),
        (base64_of(zlib.compress(bytes(8))[:-2]), "base64", "zlib", "cut off"),
        (base64_of(zlib.compress(bytes(8))[:-6]), "base64", "zlib", "cut off|fewer"),
    ],
)
def test_invalid_data_is_refused(data: Any, encoding: str, compression: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        decoded(data, encoding, compression, 2)


@pytest.mark.parametrize("pack", [zlib.compress, gzip.compress, zstandard.compress])
def test_a_compressed_bomb_is_decompressed_only_to_the_size_of_the_map(pack: Any) -> None:
    import tracemalloc

    bomb = base64_of(pack(bytes(1 << 24)))
    kind = {zlib.compress: "zlib", gzip.compress: "gzip"}.get(pack, "zstd")
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="more than the 16 bytes of 4 tiles"):
            decoded(bomb, "base64", kind, 4)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


LONG = ", ".join(map(str, range(300)))


def test_long_arrays_are_cut_out_of_json_and_inserted_again() -> None:
    data = {
        "data": list(range(300)),
        "text": '"data": [' + LONG + "]",
        "in": {"data": [1, 2]},
        "intGridCsv": [7] * 300,
    }
    arrays = [memoryview(b"of another file")]
    short = json.loads(cut_out(json.dumps(data).encode(), arrays))
    assert len(arrays) == 2
    assert put_back(short.pop("data"), arrays) == LONG.encode()
    assert short == {key: data[key] for key in ("text", "in", "intGridCsv")}


def test_long_arrays_of_ldtk_are_cut_out() -> None:
    tiles = [{"px": [number, 8], "d": [1]} for number in range(99)]
    data = {
        "data": [1] * 300,
        "intGridCsv": [7] * 300,
        "gridTiles": tiles,
        "autoLayerTiles": [],
        "more": [tiles],
    }
    arrays: list[memoryview] = []
    short = json.loads(cut_out(json.dumps(data).encode(), arrays, of_ldtk=True))
    assert put_back(short.pop("intGridCsv"), arrays) == b", ".join([b"7"] * 300)
    text = put_back(short.pop("gridTiles"), arrays)
    assert isinstance(text, memoryview)
    assert json.loads(b"[" + bytes(text) + b"]") == tiles
    assert short == {key: data[key] for key in ("data", "autoLayerTiles", "more")}


@pytest.mark.parametrize("data", [["]" * 300], [[1] * 300], [{}] * 300])
def test_other_arrays_stay_in_json(data: Any) -> None:
    text = json.dumps({"data": data}).encode()
    arrays = list[memoryview]()
    assert cut_out(text, arrays) == text
    assert not arrays


LEAVES = st.integers(0, 9) | st.text('"\\data:[],1', max_size=9)
KEYS = st.sampled_from(["data", "\\", '"', "x"])


@given(
    st.recursive(
        LEAVES, lambda item: st.lists(item) | st.dictionaries(KEYS, item, max_size=4), max_leaves=12
    )
)
@settings(max_examples=100)
def test_json_with_its_arrays_inserted_again_equals_the_original(data: Any) -> None:
    def whole(value: Any) -> Any:
        value = put_back(value, arrays)
        if isinstance(value, memoryview):
            return json.loads(b"[" + bytes(value) + b"]")
        if isinstance(value, dict):
            return {key: whole(item) for key, item in value.items()}
        return [whole(item) for item in value] if isinstance(value, list) else value

    arrays: list[memoryview] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tile_numbers, "_MIN_BYTES", 0)
        assert whole(json.loads(cut_out(json.dumps(data).encode(), arrays))) == data


def test_long_texts_are_cut_out_of_xml() -> None:
    arrays: list[memoryview] = []
    text = (
        f'<m><data a="b">{LONG}</data><!-- <data>{LONG}</data> '
        f"--><data>1</data><chunk>{LONG}</chunk></m>"
    ).encode()
    short = cut_out_of_xml(text, arrays)
    assert (
        short
        == b'<m><data a="b">#0#</data><!-- <data>#1#</data> --><data>1</data><chunk>#2#</chunk></m>'
    )
    assert arrays == [LONG.encode()] * 3
    assert put_back("\n #2#", arrays) == LONG.encode()
    assert put_back("#3#", arrays) == "#3#"
    assert put_back({tile_numbers.CELLS: True}, arrays) == {tile_numbers.CELLS: True}


@pytest.mark.parametrize(
    "text", ["<m><![CDATA[%s]]></m>", "<data>%s&#49;</data>", "<database>%s</database>"]
)
def test_texts_that_may_have_another_meaning_stay_in_xml(text: str) -> None:
    arrays: list[memoryview] = []
    data = (text % f"<data>{LONG}</data>" if "CDATA" in text else text % LONG).encode()
    assert cut_out_of_xml(data, arrays) == data


def test_base64_may_have_line_ends() -> None:
    tiles = np.arange(1000, dtype=np.uint32)
    text = base64.encodebytes(zlib.compress(tiles.tobytes())).decode()
    np.testing.assert_array_equal(decoded(text, "base64", "zlib", 1000), tiles)
    np.testing.assert_array_equal(decoded(f"\n  {text}\n ", "base64", "zlib", 1000), tiles)
    for broken in (text[:40] + "*" + text[41:], "A"):
        with pytest.raises(ValueError, match="not base64"):
            decoded(broken, "base64", "zlib", 1000)
