"""The framework's own files: whole, cut off, broken, and made by somebody who means harm."""

from __future__ import annotations

import contextlib
import json
import struct
import time
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

import framework as fw
from framework.record.container import MAGIC, MAX_HEADER, MAX_STORED, Container, ContainerWriter

HEADER = {"kind": "test", "words": "é"}
BLOCKS = [(1, b""), (1, b"a" * 40), (200, bytes(range(256)) * 9), (3, b"\0" * 50_000)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file.sub"


def written(path: Path, blocks: list[tuple[int, bytes]] = BLOCKS, header: Any = HEADER) -> bytes:
    writer = ContainerWriter(path, header)
    for kind, payload in blocks:
        writer.write(kind, payload)
    writer.close()
    writer.close()
    return path.read_bytes()


def by_hand(header: bytes, *blocks: bytes, version: int = 1) -> bytes:
    return struct.pack("<8sHI", MAGIC, version, len(header)) + header + b"".join(blocks)


def block(kind: int, stored: bytes, raw: int) -> bytes:
    """As the page on replays says that a block is."""
    head = struct.pack("<BII", kind, len(stored), raw)
    return head + struct.pack("<Q", xxhash.xxh3_64_intdigest(head + stored)) + stored


def test_a_file_is_what_the_page_says(path: Path) -> None:
    data = written(path, [(7, b"hello")])
    header = json.dumps(HEADER, ensure_ascii=False, separators=(",", ":")).encode()
    assert data == by_hand(header, block(7, zlib.compress(b"hello", 6), 5))


def test_header_and_blocks_come_back(path: Path) -> None:
    written(path)
    found = Container(path)
    assert (found.header, found.cut_off, len(found)) == (HEADER, False, len(BLOCKS))
    assert list(found.blocks()) == BLOCKS
    assert list(found.heads(3)) == [(kind, len(payload), payload[:3]) for kind, payload in BLOCKS]


def test_what_was_written_can_be_taken_out_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr("os.fsync", synced.append)
    writer = ContainerWriter(path, HEADER)
    writer.write(*BLOCKS[2])
    length = writer.length
    assert length == path.stat().st_size
    writer.write(*BLOCKS[3])
    writer.cut(length)
    writer.write(*BLOCKS[1])
    assert writer.length == path.stat().st_size > length
    writer.sync()
    assert len(synced) == 1
    writer.close()
    writer.write(*BLOCKS[1])  # into nothing
    writer.cut(0)
    writer.sync()
    assert (writer.length, len(synced)) == (0, 1)
    assert list(Container(path).blocks()) == [BLOCKS[2], BLOCKS[1]]


def test_a_file_cut_at_every_byte_reads_up_to_its_last_whole_block(path: Path) -> None:
    blocks = [*BLOCKS[:2], (200, b"by and by")]
    data = written(path, blocks)
    ends = [len(written(path, blocks[:count])) for count in range(4)]
    for cut in range(len(data)):
        path.write_bytes(data[:cut])
        if cut < ends[0]:
            with pytest.raises(fw.AssetError):
                Container(path)
            continue
        found = Container(path)
        assert list(found.blocks()) == blocks[: sum(end <= cut for end in ends[1:])]
        assert found.cut_off == (cut not in ends)


@given(st.data())
def test_a_byte_that_is_another_is_an_asset_error_or_in_the_header(
    tmp_path_factory: Any, data: Any
) -> None:
    path = tmp_path_factory.getbasetemp() / "mutated.sub"
    whole = bytearray(written(path, BLOCKS[:3]))
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(bytes(whole))
    try:
        found = Container(path)
        read = list(found.blocks())
    except fw.AssetError:
        return
    assert found.header != HEADER or read == BLOCKS[: len(read)]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "the file is empty or was cut off"),
        (b"PK\3\4 and so on, at length", "not a file of the framework"),
        (by_hand(b"{}", version=2), "it is of version 2"),
        (
            struct.pack("<8sHI", MAGIC, 1, MAX_HEADER + 1) + b" " * 70_000,
            "header claims 65,537 bytes",
        ),
        (by_hand(b"[" * MAX_HEADER), "not valid JSON"),
        (by_hand(b'{"a": NaN}'), "NaN is no number"),
        (by_hand(b'{"a": 1e999}'), "1e999 is no number"),
        (by_hand(b'{"a": ' + b"9" * 5000 + b"}"), "not valid JSON"),
        (by_hand(b"\xff\xfe"), "not valid JSON"),
        (by_hand(b"[]"), "not a JSON object"),
        (by_hand(b"{}", block(1, b"abc", 3)), "cannot be unpacked"),
        (by_hand(b"{}", block(1, zlib.compress(b"abc"), 4)), "does not unpack to the 4 bytes"),
        (by_hand(b"{}", block(1, zlib.compress(b"abc"), 2)), "does not unpack to the 2 bytes"),
        (by_hand(b"{}", block(1, zlib.compress(b"abc")[:-2], 3)), "does not unpack"),
        (by_hand(b"{}", block(1, zlib.compress(bytes(1 << 20), 9), 1 << 20)), "too many"),
        (
            by_hand(b"{}", struct.pack("<BIIQ", 1, MAX_STORED + 1, 1, 0) + bytes(MAX_STORED + 1)),
            "too many",
        ),
        (by_hand(b"{}", block(1, zlib.compress(b"abc"), 3)[:-1] + b"?"), "its hash does not match"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(path: Path, data: bytes, says: str) -> None:
    path.write_bytes(data)
    with pytest.raises(fw.AssetError, match=says):
        list(Container(path).blocks())


def test_small_files_do_not_grow_large_nor_take_long(path: Path) -> None:
    bomb = zlib.compress(bytes(1 << 16), 9)
    blocks = [block(1, bomb, 4 * len(bomb) + 64)] * (
        65536 // len(bomb)
    )  # which is not what it unpacks to
    honest = zlib.compress(bytes(range(64)))
    for data in (by_hand(b"{}", *blocks), by_hand(b"{}", *[block(1, honest, 64)] * 700)):
        path.write_bytes(data)
        start = time.process_time()
        tracemalloc.start()
        with contextlib.suppress(fw.AssetError):
            for _ in Container(path).blocks():
                pass
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most < 4 * len(data) + (1 << 20)
        assert time.process_time() - start < 2  # a hundred times what it takes


def test_what_packs_too_well_is_stored_as_it_is(path: Path) -> None:
    data = written(path, [(1, bytes(100_000))])
    assert len(data) > 100_000
    assert list(Container(path).blocks()) == [(1, bytes(100_000))]


def test_what_repeats_itself_is_packed_as_well_as_may_be(path: Path) -> None:
    keys = (
        b"\x01\xd1\xfe\x03\0\0\n\x02\xd1\xfe\x03\0\0\n" * 90
    )  # the same key, pressed and let go at a steady pace
    data = written(path, [(1, keys)], {})
    assert len(keys) / 4 < len(data) < 0.45 * len(keys)
    assert list(Container(path).blocks()) == [(1, keys)]


@pytest.mark.parametrize("call", [lambda path: ContainerWriter(path, {}), Container])
def test_where_there_is_no_file_to_be_had_is_an_asset_error(tmp_path: Path, call: Any) -> None:
    for path in (tmp_path, tmp_path / "no" / "such.file"):
        with pytest.raises(fw.AssetError, match=r"cannot be (read|written)"):
            call(path)


def test_a_header_or_block_too_large_is_refused(path: Path) -> None:
    with pytest.raises(fw.AssetError, match="header has"):
        ContainerWriter(path, {"a": "x" * MAX_HEADER})
    writer = ContainerWriter(path, {})
    with pytest.raises(ValueError, match="payload"):
        writer.write(1, bytes(1 << 24))
    with pytest.raises(ValueError, match="payload"):
        writer.write(1, bytes(1 << 21))
    writer.close()


def test_a_full_disk_is_an_asset_error() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    with pytest.raises(fw.AssetError, match="cannot be written: No space left"):
        ContainerWriter(full, {})
