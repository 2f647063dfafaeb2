"""Check an Ogg Vorbis file and remove its comments, before the C decoder reads it.

An Ogg file is a sequence of pages. Each page contains a checksum, which reveals whether the page is
damaged. The comments (titles, cover images) are removed because games do not use them, and because
some decoders had bugs in the code that reads them. RFC 3533 describes the pages, and the Vorbis I
specification describes the first header.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..errors import AssetError

# The header of a page: mark, version, flags, position in samples, number of the stream, number of the
# page, checksum, and number of segments.
_HEAD = struct.Struct("<4sBBqIIIB")
_CONTINUED = 1
_FIRST = 2
_LAST = 4
_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
_MAX_HEADER = 1 << 20  # bytes
_EMPTY_COMMENT = b"\x03vorbis" + struct.pack("<II", 0, 0) + b"\x01"


_Head = tuple[bytes, int, int, int, int, int, int, int]


class _Page(NamedTuple):
    kind: int
    granule: int
    stream: int
    sizes: bytes
    """The sizes of the segments in the page. The last segment of a packet has less than 255 bytes.
    """
    body: bytes


def checksum(page: bytes) -> int:
    """Compute the checksum of an Ogg page. In ``page``, the bytes of the checksum must be 0.

    The checksum uses the same polynomial as zlib, but with the highest bit first.
    """
    mirrored = zlib.crc32(page.translate(_REVERSED), 0xFFFFFFFF) ^ 0xFFFFFFFF
    return int(f"{mirrored:032b}"[::-1], 2)


def cleaned(data: bytes) -> bytes:
    """Return an Ogg Vorbis file without its comments.

    Raises `AssetError` if the file is damaged. The error message does not contain the file name,
    which the caller adds.
    """
    pages = list(_pages(data))
    headers, first, remainder = _headers(pages)
    identification, _, setup = headers
    _check_identification(identification)
    stream = pages[0].stream
    result = [
        _Page(_FIRST, 0, stream, *_laced(identification)),
        *_pages_of([_EMPTY_COMMENT, setup], stream),
        *([remainder] if remainder is not None else []),
        *pages[first:],
    ]
    return b"".join(_page(page, number) for number, page in enumerate(result))


def _pages_of(packets: Sequence[bytes], stream: int) -> Iterator[_Page]:
    """Yield pages that contain some packets. A page has at most 255 segments."""
    laced = [_laced(packet) for packet in packets]
    sizes = b"".join(packet_sizes for packet_sizes, _ in laced)
    body = b"".join(content for _, content in laced)
    for begin in range(0, len(sizes), 255):
        part = sizes[begin : begin + 255]
        size = sum(part)
        yield _Page(_CONTINUED if begin else 0, 0, stream, part, body[:size])
        body = body[size:]


def _pages(data: bytes) -> Iterator[_Page]:
    """Yield the pages of the first stream in an Ogg file. Raises `AssetError` if a page is damaged
    or incomplete.
    """
    at = 0
    stream = None
    while at < len(data):
        if len(data) - at < _HEAD.size:
            raise AssetError("is cut off.")
        head: _Head = _HEAD.unpack_from(data, at)
        mark, version, kind, granule, serial, _, checked, segments = head
        body = at + _HEAD.size + segments
        sizes = data[at + _HEAD.size : body]
        end = body + sum(sizes)
        if mark != b"OggS" or version != 0 or end > len(data) or len(sizes) < segments:
            raise AssetError("is broken or cut off.")
        page = data[at : at + 22] + bytes(4) + data[at + 26 : end]
        if checksum(page) != checked:
            raise AssetError("is damaged: a checksum in it is wrong.")
        stream = serial if stream is None else stream
        if serial == stream:
            yield _Page(kind, granule, serial, sizes, data[body:end])
        elif kind & _FIRST:
            raise AssetError("contains several streams; one is needed.")
        at = end


def _headers(pages: list[_Page]) -> tuple[list[bytes], int, _Page | None]:
    """Return the three headers of a Vorbis stream, and the index of the next page. Also return the
    rest of the page in which the headers end, or None if they end exactly at its end.
    """
    headers = []
    packet = b""
    for number, page in enumerate(pages):
        at = 0
        for index, size in enumerate(page.sizes):
            packet += page.body[at : at + size]
            at += size
            if len(packet) > _MAX_HEADER:
                raise AssetError("has a header of more than a megabyte.")
            if size < 255:
                headers.append(packet)
                packet = b""
            if len(headers) == 3:
                sizes = page.sizes[index + 1 :]
                remainder = (
                    _Page(page.kind & _LAST, page.granule, page.stream, sizes, page.body[at:])
                    if sizes
                    else None
                )
                return headers, number + 1, remainder
    raise AssetError("ends before its headers do.")


def _check_identification(header: bytes) -> None:
    if len(header) != 30 or not header.startswith(b"\x01vorbis"):
        raise AssetError("is not Ogg Vorbis. Save it as WAV, FLAC, MP3 or Ogg Vorbis.")
    fields: tuple[int, int, int] = struct.unpack_from("<IBI", header, 7)
    version, channels, rate = fields
    small = header[28] & 15
    large = header[28] >> 4
    if (
        version
        or not 1 <= channels <= 8
        or not rate
        or not 6 <= small <= large <= 13
        or not header[29] & 1
    ):
        raise AssetError("has a broken header.")


def _laced(packet: bytes) -> tuple[bytes, bytes]:
    """Return the two parts of a page with a single packet. The first part contains the sizes of the
    packet's segments, one byte each. The second part is the packet itself.
    """
    whole, last = divmod(len(packet), 255)
    return b"\xff" * whole + bytes([last]), packet


def _page(page: _Page, number: int) -> bytes:
    head = _HEAD.pack(b"OggS", 0, page.kind, page.granule, page.stream, number, 0, len(page.sizes))
    result = head + page.sizes + page.body
    return result[:22] + struct.pack("<I", checksum(result)) + result[26:]
