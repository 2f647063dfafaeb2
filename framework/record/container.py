"""The file format of recordings and saves: a header and several blocks, each with a checksum.

    "SUBTICK\\x1a"  u16 version  u32 length of the header  the header: a JSON object, at most 64 KiB
    u8 type  u32 stored length  u32 raw length  u64 xxh3 of these three and the payload  the
    payload, packed by zlib …

All numbers in the file are little-endian. A block has at most 1 MiB in the file. Decompressed, it
has at most 4 times its size in the file plus 64 bytes. A reader ignores blocks of unknown types. If
the end of a file is missing, the reader still reads all complete blocks. Any other damage raises an
`AssetError`. A reader never runs code from a file, and never imports a module that the file names.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import struct
import zlib
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, NoReturn

import xxhash

from ..checks import shown
from ..errors import AssetError
from . import strict_json

MAGIC = b"SUBTICK\x1a"
VERSION = 1
MAX_HEADER = 1 << 16  # bytes
MAX_STORED = 1 << 20  # bytes of a block in the file
MAX_FILE = 1 << 28
"""The maximum size of a file in bytes. 256 MiB is enough for a thousand hours of play."""
_RATIO = 4  # maximum number of decompressed bytes for each byte in the file
_SPARE = 64  # number of decompressed bytes that are also allowed
MAX_RAW = _RATIO * MAX_STORED + _SPARE  # bytes of a block when unpacked
_START = struct.Struct("<8sHI")
_BLOCK = struct.Struct("<BII")
_HASH = struct.Struct("<Q")


class ContainerWriter:
    """Writes a container file block by block. A block is safe from a crash of this process once
    `write` has returned.

    Raises `AssetError` if the file cannot be written.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        header: Mapping[str, object],
        file: BinaryIO | None = None,
    ) -> None:
        """Instead of writing a file, you can pass an open ``file``, such as an `io.BytesIO`.
        ``path`` is then used only in error messages.
        """
        self.path = os.fspath(path)
        encoded = json.dumps(
            header, ensure_ascii=False, allow_nan=False, separators=(",", ":")
        ).encode()
        if len(encoded) > MAX_HEADER:
            raise AssetError(
                f"{self.path!r}: its header has {len(encoded):,} bytes; the limit is "
                f"{MAX_HEADER:,}."
            )
        self._file: BinaryIO | None = file
        try:
            if file is None:
                self._file = open(path, "wb")  # noqa: SIM115  (it stays open between the blocks)
        except OSError as error:
            self._fail(error)
        self._put(_START.pack(MAGIC, VERSION, len(encoded)) + encoded)

    def write(self, kind: int, payload: bytes, level: int = 6) -> None:
        """Write one block. The data is compressed with zlib at the compression level ``level``. If
        ``level`` is 0, the data is not compressed.
        """
        if len(payload) > MAX_RAW:
            raise ValueError(f"payload: expected at most {MAX_RAW:,} bytes, got {len(payload):,}")
        stored = _compressed(payload, level)
        if len(stored) > MAX_STORED:
            raise ValueError(
                f"payload: expected at most {MAX_STORED:,} bytes when packed, got {len(stored):,}"
            )
        head = _BLOCK.pack(kind, len(stored), len(payload))
        self._put(head + _HASH.pack(_digest(head, stored)) + stored)

    @property
    def length(self) -> int:
        """The number of bytes written so far."""
        return 0 if self._file is None else self._file.tell()

    def cut(self, length: int) -> None:
        """Truncate the file to its first ``length`` bytes."""
        if self._file is not None:
            try:
                self._file.seek(length)
                self._file.truncate()
            except OSError as error:
                self._fail(error)

    def sync(self) -> None:
        """Wait until the operating system has written the file to the disk."""
        if self._file is not None:
            try:
                os.fsync(self._file.fileno())
            except OSError as error:
                self._fail(error)

    def close(self) -> None:
        """Close the file. Calling `close` again does nothing."""
        file = self._file
        self._file = None
        if file is not None:
            try:
                file.close()
            except OSError as error:
                self._fail(error)

    def _put(self, data: bytes) -> None:
        if self._file is None:
            return
        try:
            self._file.write(data)
            self._file.flush()
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> NoReturn:
        file = self._file
        self._file = None
        if file is not None:
            with contextlib.suppress(OSError):  # the first error is more important
                file.close()
        raise AssetError(f"{self.path!r} cannot be written: {error.strerror or error}.") from None


def _compressed(payload: bytes, level: int) -> bytes:
    """Compress the data of a block with zlib. A reader rejects a block that unpacks to too many bytes
    for its size, so such data is compressed less.
    """
    stored = zlib.compress(payload, level)
    if len(payload) > _RATIO * len(stored) + _SPARE:
        packer = zlib.compressobj(strategy=zlib.Z_HUFFMAN_ONLY)  # compresses less
        stored = packer.compress(payload) + packer.flush()
    if len(payload) > _RATIO * len(stored) + _SPARE:
        stored = zlib.compress(payload, 0)
    return stored


class Container:
    """An open container file. A `Container` stores the header of the file and the position of each
    block.

    If you have already read the file, pass its content as ``data``. ``path`` is then used only in
    error messages. Raises `AssetError` if the file is missing or damaged, or if its format or
    version is unknown.
    """

    def __init__(
        self, path: str | os.PathLike[str], data: bytes | None = None, name: str | None = None
    ) -> None:
        """If you pass ``name``, error messages contain ``name`` instead of the path."""
        self.path = os.fspath(path)
        self.name = repr(self.path) if name is None else name
        """The name of the file in error messages, either the path in quotes or the name that was
        passed.
        """
        self._data = memoryview(read_file(self.path) if data is None else data)
        self.cut_off = False
        """True if the end of the file is missing."""
        self.header, first = self._read_header()
        self._blocks = self._find_blocks(first)

    def __len__(self) -> int:
        return len(self._blocks)

    @property
    def size(self) -> int:
        """The size of the file in bytes."""
        return len(self._data)

    def _head(self, position: int) -> tuple[int, int, int]:
        """Return the type of a block, its size in the file, and its size after decompression."""
        head: tuple[int, int, int] = _BLOCK.unpack_from(self._data, position)
        return head

    def raw_size(self, kind: int) -> int:
        """Return the total size of all blocks of a type, after decompression."""
        heads = map(self._head, self._blocks)
        return sum(raw for block_kind, _, raw in heads if block_kind == kind)

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """Yield the type and the data of each block, in file order. A block is decompressed only
        when the caller reads it.
        """
        for position in self._blocks:
            kind, length, raw = self._head(position)
            yield kind, self._unpacked(position, length, raw)

    def heads(self, count: int) -> Iterator[tuple[int, int, bytes]]:
        """Yield the type, the size after decompression, and the first ``count`` bytes of each
        block.
        """
        for position in self._blocks:
            kind, length, raw = self._head(position)
            yield kind, raw, self._unpacked(position, length, min(raw, count), whole=raw <= count)

    def _read_header(self) -> tuple[dict[str, object], int]:
        if len(self._data) < _START.size:
            raise self.error("the file is empty or was cut off")
        start: tuple[bytes, int, int] = _START.unpack_from(self._data)
        magic, version, length = start
        if magic != MAGIC:
            raise self.error("this is not a file of the framework")
        if version != VERSION:
            raise self.error(
                f"it is of version {version}, this framework reads {VERSION}; another "
                "version wrote it"
            )
        if length > MAX_HEADER:
            raise self.error(f"its header claims {length:,} bytes; the limit is {MAX_HEADER:,}")
        text = bytes(self._data[_START.size : _START.size + length])
        if len(text) < length:
            raise self.error("it was cut off within its header")
        try:
            header: object = strict_json.parse(text.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise self.error(f"its header is not valid JSON: {shown(str(error))}") from None
        if not isinstance(header, dict):
            raise self.error("its header is not a JSON object")
        return header, _START.size + length

    def _find_blocks(self, position: int) -> array[int]:
        data = self._data
        positions = array("Q")
        end = len(self._data)
        while position < end:
            body = position + _BLOCK.size + _HASH.size
            if body > end:
                self.cut_off = True
                break
            _, length, raw = self._head(position)
            if length > MAX_STORED or raw > _RATIO * length + _SPARE:
                raise self.error(
                    f"the block at byte {position:,} claims {length:,} bytes, and {raw:,} "
                    "unpacked: too many"
                )
            if body + length > end:
                self.cut_off = True
                break
            stored: tuple[int] = _HASH.unpack_from(data, position + _BLOCK.size)
            if stored[0] != _digest(
                data[position : position + _BLOCK.size], data[body : body + length]
            ):
                raise self.error(
                    f"the block at byte {position:,} is broken: its hash does not match"
                )
            positions.append(position)
            position = body + length
        return positions

    def _unpacked(self, position: int, length: int, raw: int, whole: bool = True) -> bytes:
        body = position + _BLOCK.size + _HASH.size
        unpacking = zlib.decompressobj()
        try:
            payload = unpacking.decompress(self._data[body : body + length], raw + 1)
        except zlib.error as error:
            raise self.error(
                f"the block at byte {position:,} cannot be unpacked: {error}"
            ) from None
        if not whole:
            return payload[:raw]
        if len(payload) != raw or not unpacking.eof:
            raise self.error(
                f"the block at byte {position:,} does not unpack to the {raw:,} bytes that it claims"
            )
        return payload

    def error(self, what: str) -> AssetError:
        """Return an `AssetError` with a message that starts with the name of the file. ``what`` is
        the rest of the message.
        """
        return AssetError(f"{self.name}: {what}.")


def digest_of_header(header: Mapping[str, object]) -> bytes:
    """Return the xxh3 hash of a header, as 8 bytes. A block of the file contains this hash, so that
    a reader can detect a damaged header.
    """
    text = json.dumps(header, sort_keys=True).encode()
    return int(xxhash.xxh3_64_intdigest(text)).to_bytes(8, "little")


def _digest(head: bytes | memoryview, stored: bytes | memoryview) -> int:
    digest = xxhash.xxh3_64(head)
    digest.update(stored)
    return int(digest.intdigest())


def read_file(path: str) -> bytes:
    """Return the content of a file of at most `MAX_FILE` bytes.

    Raises `AssetError` if the file is missing, cannot be read, or is too large. The error message
    contains the path of the file.
    """
    try:
        status = Path(path).stat()
        # a pipe is an error, because opening a pipe would wait for a writer
        if not stat.S_ISREG(status.st_mode):
            what = "it is a folder" if stat.S_ISDIR(status.st_mode) else "it is not a regular file"
            raise AssetError(f"{path!r} cannot be read: {what}.")
        length = status.st_size
        if length > MAX_FILE:
            raise AssetError(f"{path!r} has {length:,} bytes; the limit is {MAX_FILE:,}.")
        with open(path, "rb") as file:
            return file.read(length)
    except (OSError, ValueError) as error:  # a name with a zero byte causes a ValueError
        raise AssetError(
            f"{path!r} cannot be read: {getattr(error, 'strerror', None) or error}."
        ) from None
