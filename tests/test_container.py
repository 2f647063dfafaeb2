"""The framework's file format: complete, cut off, broken and hostile files."""

from __future__ import annotations

import contextlib
import json
import random
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


def write_file(path: Path, blocks: list[tuple[int, bytes]] = BLOCKS, header: Any = HEADER) -> bytes:
    writer = ContainerWriter(path, header)
    for kind, payload in blocks:
        writer.write(kind, payload)
    writer.close()
    writer.close()
    return path.read_bytes()


def test_a_file_of_more_than_256_mib_is_not_read(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate((256 << 20) + 1)  # a file with a hole, which needs no space
    with pytest.raises(fw.AssetError, match="268,435,457 bytes; the limit is 268,435,456"):
        Container(path)


def test_a_block_has_at_most_1_mib_in_the_file_and_4_mib_unpacked(path: Path) -> None:
    writer = ContainerWriter(path, HEADER)
    with pytest.raises(
        ValueError, match="payload: expected at most 4,194,368 bytes, got 4,194,369"
    ):
        writer.write(1, bytes((4 << 20) + 65))
    dice = random.Random(1)
    with pytest.raises(ValueError, match="payload: expected at most 1,048,576 bytes when packed"):
        writer.write(1, dice.randbytes(1 << 20))
    content = b"".join(bytes([byte]) * 5 for byte in dice.randbytes(600_000))
    writer.write(1, content)
    writer.close()
    assert list(Container(path).blocks()) == [(1, content)]


def file_bytes(header: bytes, *blocks: bytes, version: int = 1) -> bytes:
    return struct.pack("<8sHI", MAGIC, version, len(header)) + header + b"".join(blocks)


def block(kind: int, stored: bytes, raw: int) -> bytes:
    """Return a block in the format that docs/replays.md describes."""
    head = struct.pack("<BII", kind, len(stored), raw)
    return head + struct.pack("<Q", xxhash.xxh3_64_intdigest(head + stored)) + stored


def test_a_file_has_the_documented_format(path: Path) -> None:
    data = write_file(path, [(7, b"hello")])
    header = json.dumps(HEADER, ensure_ascii=False, separators=(",", ":")).encode()
    assert data == file_bytes(header, block(7, zlib.compress(b"hello", 6), 5))


def test_header_and_blocks_are_read_back(path: Path) -> None:
    write_file(path)
    container = Container(path)
    assert (container.header, container.cut_off, len(container)) == (HEADER, False, len(BLOCKS))
    assert list(container.blocks()) == BLOCKS
    assert list(container.heads(3)) == [
        (kind, len(payload), payload[:3]) for kind, payload in BLOCKS
    ]


def test_a_writer_can_cut_its_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    writer.write(*BLOCKS[1])  # the file is closed, so this writes nothing
    writer.cut(0)
    writer.sync()
    assert (writer.length, len(synced)) == (0, 1)
    assert list(Container(path).blocks()) == [BLOCKS[2], BLOCKS[1]]


def test_a_file_cut_at_every_byte_reads_up_to_its_last_whole_block(path: Path) -> None:
    blocks = [*BLOCKS[:2], (200, b"by and by")]
    data = write_file(path, blocks)
    ends = [len(write_file(path, blocks[:count])) for count in range(4)]
    for cut in range(len(data)):
        path.write_bytes(data[:cut])
        if cut < ends[0]:
            with pytest.raises(fw.AssetError):
                Container(path)
            continue
        container = Container(path)
        assert list(container.blocks()) == blocks[: sum(end <= cut for end in ends[1:])]
        assert container.cut_off == (cut not in ends)


@given(st.data())
def test_a_changed_byte_is_an_asset_error_or_in_the_header(
    tmp_path_factory: Any, data: Any
) -> None:
    path = tmp_path_factory.getbasetemp() / "mutated.sub"
    whole = bytearray(write_file(path, BLOCKS[:3]))
    position = data.draw(st.integers(0, len(whole) - 1))
    whole[position] ^= data.draw(st.integers(1, 255))
    path.write_bytes(bytes(whole))
    try:
        container = Container(path)
        blocks = list(container.blocks())
    except fw.AssetError:
        return
    assert container.header != HEADER or blocks == BLOCKS[: len(blocks)]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "the file is empty or was cut off"),
        (b"PK\3\4 and so on, at length", "not a file of the framework"),
        (file_bytes(b"{}", version=2), "it is of version 2"),
        (
            struct.pack("<8sHI", MAGIC, 1, MAX_HEADER + 1) + b" " * 70_000,
            "header claims 65,537 bytes",
        ),
        (struct.pack("<8sHI", MAGIC, 1, 9) + b"{}", "it was cut off within its header"),
        (file_bytes(b"[" * MAX_HEADER), "not valid JSON"),
        (file_bytes(b'{"a": NaN}'), "NaN is no number"),
        (file_bytes(b'{"a": 1e999}'), "1e999 is no number"),
        (file_bytes(b'{"a": ' + b"9" * 5000 + b"}"), "not valid JSON"),
        (file_bytes(b"\xff\xfe"), "not valid JSON"),
        (file_bytes(b"[]"), "not a JSON object"),
        (file_bytes(b"{}", block(1, b"abc", 3)), "cannot be unpacked"),
        (file_bytes(b"{}", block(1, zlib.compress(b"abc"), 4)), "does not unpack to the 4 bytes"),
        (file_bytes(b"{}", block(1, zlib.compress(b"abc"), 2)), "does not unpack to the 2 bytes"),
        (file_bytes(b"{}", block(1, zlib.compress(b"abc")[:-2], 3)), "does not unpack"),
        (file_bytes(b"{}", block(1, zlib.compress(bytes(1 << 20), 9), 1 << 20)), "too many"),
        (
            file_bytes(
                b"{}", struct.pack("<BIIQ", 1, MAX_STORED + 1, 1, 0) + bytes(MAX_STORED + 1)
            ),
            "too many",
        ),
        (
            file_bytes(b"{}", block(1, zlib.compress(b"abc"), 3)[:-1] + b"?"),
            "its hash does not match",
        ),
    ],
)
def test_broken_files_are_errors_with_a_reason(path: Path, data: bytes, says: str) -> None:
    path.write_bytes(data)
    with pytest.raises(fw.AssetError, match=says):
        list(Container(path).blocks())


def test_small_files_need_little_memory_and_time(path: Path) -> None:
    bomb = zlib.compress(bytes(1 << 16), 9)
    blocks = [block(1, bomb, 4 * len(bomb) + 64)] * (
        65536 // len(bomb)
    )  # the size in the head is wrong
    honest = zlib.compress(bytes(range(64)))
    for data in (file_bytes(b"{}", *blocks), file_bytes(b"{}", *[block(1, honest, 64)] * 700)):
        path.write_bytes(data)
        start = time.process_time()
        tracemalloc.start()
        with contextlib.suppress(fw.AssetError):
            for _ in Container(path).blocks():
                pass
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 4 * len(data) + (1 << 20)
        assert time.process_time() - start < 2  # a hundred times the usual time


def test_data_with_a_suspicious_compression_ratio_is_stored_uncompressed(path: Path) -> None:
    data = write_file(path, [(1, bytes(100_000))])
    assert len(data) > 100_000
    assert list(Container(path).blocks()) == [(1, bytes(100_000))]


def test_repeated_input_is_compressed(path: Path) -> None:
    keys = (
        b"\x01\xd1\xfe\x03\0\0\n\x02\xd1\xfe\x03\0\0\n" * 90
    )  # one key, pressed and released at a steady pace
    data = write_file(path, [(1, keys)], {})
    assert len(keys) / 4 < len(data) < 0.45 * len(keys)
    assert list(Container(path).blocks()) == [(1, keys)]


@pytest.mark.parametrize("call", [lambda path: ContainerWriter(path, {}), Container])
def test_unreadable_paths_are_asset_errors(tmp_path: Path, call: Any) -> None:
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
